//! The host's state for one instance: the document, the guest's messages and requests, and the limits that it
//! reached.

use super::call_info::Facts;
use super::error::{CallError, one_line};
use super::limiter::Limiter;
use super::log::LogSink;
use super::meta_key;
use super::original::{NotKept, Originals, StoredOriginal, is_prefix};
use super::session::PluginValues;
use super::wasi::{RandomBytes, WasiView};
use crate::document::Document;
use crate::policy::Limits;
use crate::serving;
use std::time::Instant;
use wasmtime::{StoreContextMut, Trap, UpdateDeadline, WasmBacktrace, bail};

/// The host's state for one instance.
pub(super) struct CallState {
    pub document: Document,
    pub log: LogSink,
    /// The guest's random bytes.
    random: RandomBytes,
    pub(super) originals: Originals,
    /// Why the original could not be stored, when a guest asked for it.
    pub(super) not_kept: Option<NotKept>,
    /// Whether a guest asked for the original, and none is stored on purpose.
    pub(super) lacks_original: bool,
    /// The guest's last message before it trapped.
    pub(super) last_words: Option<String>,
    /// How often the guest asked for the original.
    pub(super) keeps: u32,
    pub(super) limiter: Limiter,
    pub(super) deadline: Instant,
    pub(super) timed_out: bool,
    pub(super) result_meta: Vec<(String, String)>,
    /// The facts about the call that the guest may know. None before `apply`: a plugin's description depends on
    /// no call.
    pub(super) facts: Option<Facts>,
    /// The values of its session. None before `apply`.
    pub(super) session: Option<PluginValues>,
}

/// How often one call may ask to store the original: under its own name, and with a few prefixes.
const KEEPS: u32 = 4;
/// Members of a result's `_meta` that one call may set.
const RESULT_META_MEMBERS: usize = 16;
/// Longest key or value of such a member, in bytes.
const RESULT_META_BYTES: usize = 4096;

#[derive(Debug, thiserror::Error)]
#[error("the deadline has passed")]
struct DeadlinePassed;

impl CallState {
    pub(super) fn new(
        document: Document,
        log: LogSink,
        originals: &Originals,
        limits: &Limits,
    ) -> CallState {
        CallState {
            random: RandomBytes::default(),
            document,
            log,
            originals: originals.clone(),
            not_kept: None,
            last_words: None,
            keeps: 0,
            lacks_original: false,
            limiter: Limiter::new(limits.memory_bytes),
            deadline: Instant::now() + limits.time,
            timed_out: false,
            result_meta: Vec::new(),
            facts: None,
            session: None,
        }
    }

    /// The facts about the call that the guest may know.
    pub(super) fn facts(&self) -> wasmtime::Result<&Facts> {
        match &self.facts {
            Some(facts) => Ok(facts),
            None => bail!(
                "it asked about the call in `describe` or `configure`: only `apply` is part of a call"
            ),
        }
    }

    /// Checks the deadline in host imports whose time grows with the guest's input.
    pub(super) fn check_deadline(&self) -> wasmtime::Result<()> {
        if Instant::now() >= self.deadline {
            bail!(DeadlinePassed);
        }
        Ok(())
    }

    /// Stores the original for the guest. The time for this does not count as the guest's.
    pub(super) fn keep_original(
        &mut self,
        prefix: &str,
    ) -> wasmtime::Result<Option<StoredOriginal>> {
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
        self.lacks_original |= matches!(kept, Ok(None));
        kept.or_else(|error| {
            self.not_kept = Some(error);
            bail!("Tamis cannot store the original")
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
            None => Err("a session exists only while a document is filtered".to_owned()),
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

impl WasiView for CallState {
    fn print(&mut self, bytes: &[u8]) {
        self.log.bytes(bytes);
    }

    fn random_bytes(&mut self) -> &mut RandomBytes {
        &mut self.random
    }
}

pub(super) fn look_at_clock(
    mut store: StoreContextMut<'_, CallState>,
) -> wasmtime::Result<UpdateDeadline> {
    let state = store.data_mut();
    if Instant::now() < state.deadline {
        serving::look();
        return Ok(UpdateDeadline::Continue(1));
    }
    state.timed_out = true;
    bail!(DeadlinePassed)
}

/// The limit that was exceeded, if one was; otherwise the failure, with the guest's own function names.
pub(super) fn failure(state: &CallState, limits: &Limits, error: wasmtime::Error) -> CallError {
    if let Some(reason) = &state.not_kept {
        return CallError::NotKept(reason.clone());
    }
    if state.timed_out || error.is::<DeadlinePassed>() {
        return CallError::Timeout { limit: limits.time };
    }
    let trap = error.downcast_ref::<Trap>().copied();
    // A runtime that was denied memory may exhaust its stack while it ends: Go's does.
    if trap == Some(Trap::StackOverflow) && !state.limiter.denied {
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

/// Functions of the guest that a message names, innermost first.
const FRAMES_SHOWN: usize = 6;
/// How names of Rust's own library begin: the functions that a panic passes through.
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
    // The function that called into the runtime tells more than the runtime's own functions.
    let is_runtime = |name: &String| {
        RUNTIME_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
    };
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
