//! One call: a store with its limits, an instance, the contract's functions, and what became of
//! them in words.

use super::bindings::exports::tamis::filter::filter as contract;
use super::bindings::tamis::filter::document::DocumentKind;
use super::bindings::{self, PluginPre};
use super::call_info::{CallInfo, Facts};
use super::engine::Room;
use super::error::CallError;
use super::limiter::Limiter;
use super::log::LogSink;
use super::meta_key;
use super::original::{Kept, NotKept, Originals, is_prefix};
use super::profile::Sampler;
use super::session::PluginValues;
use super::slots::Slot;
use super::ticker::Ticking;
use super::wasi::WasiState;
use crate::document::{Document, TapeWanted};
use crate::policy::Limits;
use crate::printable;
use std::time::Instant;
use wasmtime::{Store, StoreContextMut, Trap, UpdateDeadline, WasmBacktrace, bail};

/// What a filter made of a document.
#[derive(Debug)]
pub struct Applied {
    pub verdict: Verdict,
    /// Members for the result's `_meta`: key and JSON.
    pub result_meta: Vec<(String, String)>,
    /// What it set in the session.
    pub session: Vec<(String, String)>,
    /// What it took.
    pub cost: Cost,
}

/// What one call took, `configure` included where it ran.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// All linear memories together, at their largest.
    pub memory_bytes: u64,
    /// Units of wasmtime's fuel, about one for each instruction: the same on every machine. None but
    /// in a sandbox that counts them.
    pub fuel: Option<u64>,
}

/// A document, or word that it stays as it is.
#[derive(Debug)]
pub enum Verdict {
    Unchanged,
    Changed {
        document: Document,
        /// Written anew, so that nothing of what it was need be left in it.
        rewritten: bool,
    },
}

/// What the host keeps for one instance.
pub(super) struct CallState {
    pub document: Document,
    pub log: LogSink,
    /// Made when a guest first asks for it.
    pub wasi: Option<Box<WasiState>>,
    originals: Originals,
    /// Why the original could not be kept, when a guest asked for it.
    not_kept: Option<NotKept>,
    /// What the guest said before it trapped.
    last_words: Option<String>,
    /// How often the original was asked for.
    keeps: u32,
    limiter: Limiter,
    deadline: Instant,
    timed_out: bool,
    result_meta: Vec<(String, String)>,
    /// What the guest may know of its call. None before `apply`: what a plugin says of itself depends on no call.
    facts: Option<Facts>,
    /// The values of its session. None before `apply`.
    session: Option<PluginValues>,
}

/// How often one call may have the original kept: under its own name, and with a few prefixes.
const KEEPS: u32 = 4;
/// Members of a result's `_meta` that one call may set.
const RESULT_META_MEMBERS: usize = 16;
/// Longest key or value of such a member, in bytes.
const RESULT_META_BYTES: usize = 4096;

#[derive(Debug, thiserror::Error)]
#[error("the deadline has passed")]
struct DeadlinePassed;

impl CallState {
    /// What the guest may know of its call.
    pub(super) fn facts(&self) -> wasmtime::Result<&Facts> {
        match &self.facts {
            Some(facts) => Ok(facts),
            None => bail!(
                "it asked about the call in `describe` or `configure`: only `apply` is part of a call"
            ),
        }
    }

    /// For host imports that take time in proportion to what the guest gives them.
    pub(super) fn check_deadline(&self) -> wasmtime::Result<()> {
        if Instant::now() >= self.deadline {
            bail!(DeadlinePassed);
        }
        Ok(())
    }

    /// Keeps the original for the guest. The time that takes is not the guest's.
    pub(super) fn keep_original(&mut self, prefix: &str) -> wasmtime::Result<Option<Kept>> {
        if !is_prefix(prefix) {
            bail!(
                "`{}` cannot begin a file's name: that takes lower-case letters, digits, `-` and `_`, at most 64",
                one_line(prefix)
            );
        }
        self.keeps += 1;
        if self.keeps > KEEPS {
            bail!("it asked for the original more than {KEEPS} times");
        }
        let begun = Instant::now();
        let kept = self.originals.keep(prefix);
        self.deadline += begun.elapsed();
        kept.or_else(|error| {
            self.not_kept = Some(error);
            bail!("the original cannot be kept")
        })
    }

    pub(super) fn last_words(&mut self, message: &str) {
        self.last_words = Some(one_line(message));
    }

    pub(super) fn session_value(&self, key: &str) -> Option<&str> {
        self.session.as_ref()?.get(key)
    }

    pub(super) fn set_session_value(&mut self, key: String, value: String) -> Result<(), String> {
        match &mut self.session {
            Some(session) => session.set(key, value),
            None => Err("there is a session only while a document is filtered".to_owned()),
        }
    }

    pub(super) fn set_result_meta(&mut self, key: String, value: String) -> Result<(), String> {
        if let Some(why) = meta_key::fault(&key) {
            return Err(why);
        }
        if key.len().max(value.len()) > RESULT_META_BYTES {
            return Err(format!(
                "a member of `_meta` has at most {RESULT_META_BYTES} bytes"
            ));
        }
        if let Err(error) = Document::json(value.as_str()) {
            return Err(format!("the value of `{key}` is not JSON: {error}"));
        }
        if let Some(member) = self.result_meta.iter_mut().find(|(known, _)| *known == key) {
            member.1 = value;
        } else if self.result_meta.len() < RESULT_META_MEMBERS {
            self.result_meta.push((key, value));
        } else {
            return Err(format!(
                "one call sets at most {RESULT_META_MEMBERS} members of `_meta`"
            ));
        }
        Ok(())
    }
}

/// An instance and what it may use. Dropped after its one document, and after any failure.
pub(super) struct Session {
    store: Store<CallState>,
    plugin: bindings::Plugin,
    limits: Limits,
    // After the store, so that both outlive the instance.
    ticking: Option<Ticking>,
    slot: Slot,
}

impl Session {
    pub(super) fn begin(
        room: &Room,
        pre: &PluginPre<CallState>,
        needs_wasi: bool,
        document: Document,
        originals: &Originals,
        limits: &Limits,
    ) -> Result<Session, CallError> {
        Session::begin_with(room, needs_wasi, document, originals, limits, |store| {
            pre.instantiate(store)
        })
    }

    /// As [`Session::begin`], with an instance of the caller's making.
    pub(super) fn begin_with(
        room: &Room,
        needs_wasi: bool,
        document: Document,
        originals: &Originals,
        limits: &Limits,
        instantiate: impl FnOnce(&mut Store<CallState>) -> wasmtime::Result<bindings::Plugin>,
    ) -> Result<Session, CallError> {
        let slot = room.slots.take();
        let ticking = room.ticker.begin();
        let log = LogSink::new(limits.log_bytes, limits.log_lines);
        let state = CallState {
            wasi: needs_wasi.then(|| Box::new(WasiState::new(&log))),
            document,
            log,
            originals: originals.clone(),
            not_kept: None,
            last_words: None,
            keeps: 0,
            limiter: Limiter::new(limits.memory_bytes),
            deadline: Instant::now() + limits.time,
            timed_out: false,
            result_meta: Vec::new(),
            facts: None,
            session: None,
        };
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
            Ok(plugin) => Ok(Session {
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
        let said = self
            .plugin
            .tamis_filter_filter()
            .call_describe(&mut self.store);
        said.map_err(|error| self.failure(error))
    }

    /// What the settings make of the filter, or its complaint about them.
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
            result_meta: std::mem::take(&mut state.result_meta),
            session: state
                .session
                .take()
                .map_or_else(Vec::new, PluginValues::into_set),
        })
    }

    /// Has a sampler look at what the guest does whenever it looks at the clock.
    pub(super) fn sampled_by(&mut self, sampler: &Sampler) {
        let sampler = sampler.clone();
        self.store.epoch_deadline_callback(move |store| {
            sampler.sample(&store);
            look_at_clock(store)
        });
    }

    /// The store, for a snapshot to be read out of it: what it lifts is the guest's memory, which has
    /// a limit of its own.
    pub(super) fn store_for_snapshot(&mut self) -> &mut Store<CallState> {
        self.store.set_hostcall_fuel(usize::MAX);
        &mut self.store
    }

    /// The call for which this was made ahead.
    pub(super) fn go_on(&mut self, room: &Room, document: &Document, originals: &Originals) {
        self.ticking = Some(room.ticker.begin());
        let time = self.limits.time;
        let state = self.store.data_mut();
        state.document = document.clone();
        state.originals = originals.clone();
        state.deadline = Instant::now() + time;
        self.store.set_epoch_deadline(1);
    }

    /// No code of the guest's runs for now: nobody need look at the clock.
    pub(super) fn rest(&mut self) {
        self.ticking = None;
    }

    /// Whether another call may soon have to wait for this one's place.
    pub(super) fn is_in_the_way(&self) -> bool {
        self.slot.is_scarce()
    }

    /// Writes what the guest said to the operator's log.
    pub(super) fn write_log(&self, plugin: &str, tool: &str) {
        self.store.data().log.write_out(plugin, tool);
    }

    /// What an error means that the guest answered: of one that said its last words before, that it crashed.
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

fn look_at_clock(mut store: StoreContextMut<'_, CallState>) -> wasmtime::Result<UpdateDeadline> {
    let state = store.data_mut();
    if Instant::now() < state.deadline {
        return Ok(UpdateDeadline::Continue(1));
    }
    state.timed_out = true;
    bail!(DeadlinePassed)
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

/// Which limit was broken, if one was; else what happened, in the guest's own function names.
fn failure(state: &CallState, limits: &Limits, error: wasmtime::Error) -> CallError {
    if let Some(reason) = &state.not_kept {
        return CallError::NotKept(reason.clone());
    }
    if state.timed_out || error.is::<DeadlinePassed>() {
        return CallError::Timeout { limit: limits.time };
    }
    let trap = error.downcast_ref::<Trap>().copied();
    if trap == Some(Trap::StackOverflow) {
        return CallError::Stack {
            limit_bytes: limits.stack_bytes,
        };
    }
    // wasmtime has no types for these two.
    let cause = error.root_cause().to_string();
    if cause.contains("fuel allocated for hostcalls has been exhausted") {
        return CallError::OutputTooLarge {
            limit_bytes: limits.output_bytes,
        };
    }
    if cause.contains("store handle limit exceeded") {
        return CallError::Handles {
            limit: limits.handles,
        };
    }
    // Last: a guest that was denied memory may go on, and fail of something else.
    if state.limiter.denied {
        return CallError::Memory {
            limit_bytes: limits.memory_bytes,
        };
    }
    let cause = state.last_words.as_ref().unwrap_or(&cause);
    CallError::Trap {
        message: one_line(&describe_trap(&error, cause)),
    }
}

/// Bytes of a guest's message that are kept.
const MESSAGE_BYTES: usize = 1024;

/// A guest's words as one line that is safe in a log and on a terminal.
pub(super) fn one_line(message: &str) -> String {
    let cut = &message[..message.floor_char_boundary(MESSAGE_BYTES)];
    let clean = |c: char| if printable::is_hidden(c) { ' ' } else { c };
    let mut line: String = cut.chars().map(clean).collect();
    if cut.len() < message.len() {
        line.push('…');
    }
    line
}

/// Functions of the guest that a message names, innermost first.
const FRAMES_SHOWN: usize = 6;
/// What a name of Rust's own library begins with: the functions that a panic goes through.
const RUNTIME_PREFIXES: [&str; 4] = ["__rustc::", "std::", "core::", "alloc::"];

fn describe_trap(error: &wasmtime::Error, cause: &str) -> String {
    let Some(backtrace) = error.downcast_ref::<WasmBacktrace>() else {
        return cause.to_owned();
    };
    let names: Vec<String> = backtrace
        .frames()
        .iter()
        .map(|frame| match frame.func_name() {
            Some(name) => format!("{:#}", rustc_demangle::demangle(name)),
            None => "(a function without a name)".to_owned(),
        })
        .collect();
    // What called into the runtime tells more than what the runtime did then.
    let is_runtime = |name: &String| RUNTIME_PREFIXES.iter().any(|it| name.starts_with(it));
    let own = match names.iter().position(|name| !is_runtime(name)) {
        Some(first) => &names[first..],
        None => &names[..],
    };
    if own.is_empty() {
        return cause.to_owned();
    }
    let shown = own.len().min(FRAMES_SHOWN);
    let more = match own.len() - shown {
        0 => String::new(),
        more => format!(" < {more} more"),
    };
    format!("{cause}, in {}{more}", own[..shown].join(" < "))
}
