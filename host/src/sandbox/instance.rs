//! An instance of a plugin: a store with its limits, and the contract's functions.

use super::bindings::exports::tamis::filter::filter as contract;
use super::bindings::tamis::filter::document::DocumentKind;
use super::bindings::{self, PluginPre};
use super::call_info::{CallInfo, Facts};
use super::call_state::{CallState, failure, look_at_clock};
use super::error::{CallError, one_line};
use super::log::LogSink;
use super::original::Originals;
use super::profile::Sampler;
use super::room::Room;
use super::session::PluginValues;
use super::slots::Slot;
use super::ticker::Ticking;
use crate::document::{Document, TapeWanted};
use crate::policy::Limits;
use crate::serving;
use std::time::Instant;
use wasmtime::Store;

/// A filter's output for a document.
#[derive(Debug)]
pub struct Applied {
    pub verdict: Verdict,
    /// Members for the result's `_meta`: key and JSON.
    pub result_meta: Vec<(String, String)>,
    /// The values that it set in the session.
    pub session: Vec<(String, String)>,
    /// Whether it asked for the original, and none is stored on purpose.
    pub lacks_original: bool,
    /// The cost of the call.
    pub cost: Cost,
}

/// The cost of one call, including `configure` if that ran.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// All linear memories together, at their largest.
    pub memory_bytes: u64,
    /// Units of wasmtime's fuel, about one for each instruction: the same on every machine. None unless the
    /// sandbox counts fuel.
    pub fuel: Option<u64>,
}

/// A document, or the verdict that it stays unchanged.
#[derive(Debug)]
pub enum Verdict {
    Unchanged,
    Changed {
        document: Document,
        /// The document is written again as a whole, so nothing of the old one must remain.
        rewritten: bool,
    },
}

/// An instance and its limits. Dropped after its one document, and after any failure.
pub(super) struct Instance {
    store: Store<CallState>,
    plugin: bindings::Plugin,
    limits: Limits,
    // After the store, so that both outlive the instance.
    ticking: Option<Ticking>,
    slot: Slot,
}

impl Instance {
    pub(super) fn begin(
        room: &Room,
        pre: &PluginPre<CallState>,
        document: Document,
        originals: &Originals,
        limits: &Limits,
    ) -> Result<Instance, CallError> {
        Instance::begin_with(room, document, originals, limits, |store| {
            pre.instantiate(store)
        })
    }

    /// As [`Instance::begin`], with an instance that the caller made.
    pub(super) fn begin_with(
        room: &Room,
        document: Document,
        originals: &Originals,
        limits: &Limits,
        instantiate: impl FnOnce(&mut Store<CallState>) -> wasmtime::Result<bindings::Plugin>,
    ) -> Result<Instance, CallError> {
        let slot = room.slots.take();
        let ticking = room.ticker.begin(serving::look_after(limits.time));
        let log = LogSink::new(limits.log_bytes, limits.log_lines);
        let state = CallState::new(document, log, originals, limits);
        let mut store = Store::new(&room.engine, state);
        if room.counts_fuel {
            // Only counted: the limit is time. This fails where no fuel is consumed alone.
            let _ = store.set_fuel(u64::MAX);
        }
        store.limiter(|state| &mut state.limiter);
        store.set_hostcall_fuel(usize::try_from(limits.output_bytes).unwrap_or(usize::MAX));
        store.set_max_component_handles(limits.handles as usize);
        // Before instantiation, since start functions run then. At every tick, guests look at the
        // clock: the epoch itself is no measure of time on a busy machine.
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(look_at_clock);
        match instantiate(&mut store) {
            Ok(plugin) => Ok(Instance {
                store,
                plugin,
                limits: *limits,
                ticking: Some(ticking),
                slot,
            }),
            Err(error) => Err(failure(store.data(), limits, error)),
        }
    }

    pub(super) fn describe(&mut self) -> Result<contract::Description, CallError> {
        let described = self
            .plugin
            .tamis_filter_filter()
            .call_describe(&mut self.store);
        described.map_err(|error| self.failure(error))
    }

    /// Configures the filter; an error is the filter's complaint about its settings.
    pub(super) fn configure(
        &mut self,
        settings: &str,
    ) -> Result<Result<contract::Configured, String>, CallError> {
        let taken = self
            .plugin
            .tamis_filter_filter()
            .call_configure(&mut self.store, settings);
        taken.map_err(|error| self.failure(error))
    }

    pub(super) fn apply(
        &mut self,
        call: &CallInfo<'_>,
        plugin: &str,
        next: TapeWanted,
    ) -> Result<Applied, CallError> {
        let values = call
            .session
            .map_or_else(PluginValues::default, |view| view.of(plugin));
        let state = self.store.data_mut();
        state.session = Some(values);
        state.facts = Some(Facts::new(call, &state.document));
        let answer = self
            .plugin
            .tamis_filter_filter()
            .call_apply(&mut self.store)
            .map_err(|error| self.failure(error))?
            .map_err(|error| self.refusal(&error))?;
        let fuel = self.store.get_fuel().ok();
        let state = self.store.data_mut();
        Ok(Applied {
            cost: Cost {
                memory_bytes: state.limiter.used_bytes() as u64,
                fuel: fuel.map(|left| u64::MAX - left),
            },
            verdict: carry_out(&state.document, answer, next)?,
            lacks_original: state.lacks_original,
            result_meta: std::mem::take(&mut state.result_meta),
            session: state
                .session
                .take()
                .map_or_else(Vec::new, PluginValues::into_set),
        })
    }

    /// Lets a sampler look at the guest's stack whenever the guest looks at the clock: every [`TICK`](super::ticker::TICK).
    pub(super) fn sampled_by(&mut self, room: &Room, sampler: &Sampler) {
        self.ticking = Some(room.ticker.begin(sampler.first_look()));
        let sampler = sampler.clone();
        self.store.epoch_deadline_callback(move |store| {
            sampler.sample(&store);
            look_at_clock(store)
        });
    }

    /// The store, for reading a snapshot out of it. The store lifts the guest's memory, which has a
    /// limit of its own.
    pub(super) fn store_for_snapshot(&mut self) -> &mut Store<CallState> {
        self.store.set_hostcall_fuel(usize::MAX);
        &mut self.store
    }

    /// Starts a call of this instance: the one for which it was made ahead, or a further one.
    pub(super) fn go_on(&mut self, room: &Room, document: &Document, originals: &Originals) {
        let time = self.limits.time;
        self.ticking = Some(room.ticker.begin(serving::look_after(time)));
        let state = self.store.data_mut();
        state.document = document.clone();
        state.originals = originals.clone();
        state.keeps = 0;
        state.lacks_original = false;
        state.result_meta.clear();
        state.deadline = Instant::now() + time;
        self.store.set_epoch_deadline(1);
    }

    /// No guest code runs for now, so no deadline is necessary.
    pub(super) fn rest(&mut self) {
        self.ticking = None;
    }

    /// Whether another call may soon wait for this instance's place.
    pub(super) fn is_in_the_way(&self) -> bool {
        self.slot.is_scarce()
    }

    /// Writes the guest's messages to the operator's log.
    pub(super) fn write_log(&self, plugin: &str, tool: &str) {
        self.store.data().log.write_out(plugin, tool);
    }

    /// The meaning of a guest's error; if the guest wrote last words before, it crashed.
    pub(super) fn refusal(&self, error: &str) -> CallError {
        match &self.store.data().last_words {
            Some(words) => CallError::Trap {
                message: words.clone(),
            },
            None => CallError::Filter(one_line(error)),
        }
    }

    fn failure(&self, error: wasmtime::Error) -> CallError {
        failure(self.store.data(), &self.limits, error)
    }
}

fn carry_out(
    document: &Document,
    verdict: contract::Verdict,
    next: TapeWanted,
) -> Result<Verdict, CallError> {
    let rewritten = matches!(verdict, contract::Verdict::Rewritten(_));
    let changed = match verdict {
        contract::Verdict::Unchanged => return Ok(Verdict::Unchanged),
        contract::Verdict::Edited(edits) => document.edit(&edits.operations, &edits.text, next)?,
        contract::Verdict::Spliced(splices) => document.splice(&splices.ranges, &splices.text)?,
        contract::Verdict::Rewritten(rewrite) => match rewrite.kind {
            DocumentKind::Text => Document::text_only(rewrite.text),
            DocumentKind::Json => Document::json(rewrite.text)
                .map_err(|error| CallError::Rewrite(error.to_string()))?,
        },
    };
    Ok(Verdict::Changed {
        document: changed,
        rewritten,
    })
}
