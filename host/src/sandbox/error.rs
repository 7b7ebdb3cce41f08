//! Errors of a plugin, at load and in a call.

use super::bindings::CONTRACT_VERSION;
use super::original::NotKept;
use crate::document::{EditError, SpliceError};
use crate::policy::{Capability, LIMITS, LimitKey, LimitRow};
use crate::printable;
use std::fmt;
use std::time::Duration;

/// A plugin that cannot be used. Messages are for the operator.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("start the sandbox: {0:#}")]
    Engine(anyhow::Error),
    #[error(
        "this is not WebAssembly that Tamis reads: it begins with {found}, a core module with `\\0asm\\x01\\0\\0\\0`, a component with `\\0asm\\r\\0\\x01\\0`"
    )]
    NotWasm { found: String },
    #[error(
        "this core module cannot be made a component: {0:#}; a plugin is a component of the world `tamis:filter/plugin`, or a core module that wit-bindgen made for it"
    )]
    Adapt(anyhow::Error),
    #[error("it does not compile: {0:#}")]
    Compile(anyhow::Error),
    #[error("{0}")]
    TooMuch(Breach),
    #[error(
        "compiling it takes more than {limit_bytes} bytes of memory (limit `compile-memory`, and more for a larger plugin)"
    )]
    CompileMemory { limit_bytes: u64 },
    #[error(
        "compiling it takes longer than {limit:?} (limit `compile-time`, and more for a larger plugin)"
    )]
    CompileTime { limit: Duration },
    #[error("the process that compiles it failed: {why}")]
    Compiler { why: String },
    #[error("it imports `tamis:filter/{}`, which is not granted: add `allow = [\"{}\"]` to its `[[plugin]]` to allow that", .0.name(), .0.name())]
    NotGranted(Capability),
    #[error(
        "it imports `{0}`, which no grant allows: filters get no files, no network, no processes, and no waiting"
    )]
    UnknownImport(String),
    #[error("it was built for version {plugin} of the filter contract; this Tamis speaks {host}")]
    ContractVersion { plugin: String, host: &'static str },
    #[error(
        "it needs {what}, which this Tamis does not know: it was built for version {plugin} of the filter contract; this Tamis speaks {host}"
    )]
    NotInContract {
        what: String,
        plugin: String,
        host: &'static str,
    },
    #[error("it does not fit the contract `tamis:filter/plugin`: {0:#}")]
    Contract(anyhow::Error),
    #[error("it failed to describe itself: {0}")]
    Describe(CallError),
    #[error(
        "it describes itself as `{0}`, which is no name for a filter: lower case letters, digits and hyphens are"
    )]
    Name(String),
    #[error("its settings are not a JSON Schema: {0}")]
    Schema(serde_json::Error),
    #[error(
        "its member `least-bytes` is {0}, and must be a number of bytes in decimal digits, such as \"4001\""
    )]
    LeastBytes(String),
    #[error("it refuses its settings: {0}")]
    Settings(String),
    #[error("it failed to take its settings: {0}")]
    Configure(CallError),
}

/// A plugin that exceeds a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breach {
    /// The limit.
    pub key: LimitKey,
    /// The number that was counted when the limit was exceeded.
    pub found: u64,
    /// The limit's value.
    pub allowed: u64,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Breach {
            key,
            found,
            allowed,
        } = self;
        let counted = match key {
            LimitKey::FunctionBytes => format!("one of its functions has {found} bytes"),
            LimitKey::Locals => {
                format!("one of its functions has {found} local variables or more")
            }
            LimitKey::Functions => format!("it has {found} functions or more"),
            LimitKey::Types => format!("it defines {found} types or more"),
            _ => format!("it declares {found} items or more"),
        };
        let row = LIMITS.iter().find(|row: &&LimitRow| row.key == *key);
        let name = row.map_or("", |row| row.name);
        write!(f, "{counted}, and {allowed} are allowed (limit `{name}`)")
    }
}

/// How an operator can allow a plugin to compile.
fn allow_more(key: LimitKey) -> &'static str {
    match key {
        LimitKey::FunctionBytes => {
            "if you know that the plugin needs such a function, allow it with `limits = { function-bytes = \"…\" }` in its `[[plugin]]`"
        }
        LimitKey::Locals => {
            "if you know that the plugin needs them, allow them with `limits = { locals = … }` in its `[[plugin]]`"
        }
        LimitKey::Functions => {
            "if you know that the plugin needs them, allow them with `limits = { functions = … }` in its `[[plugin]]`"
        }
        LimitKey::Types => {
            "if you know that the plugin needs them, allow them with `limits = { types = … }` in its `[[plugin]]`"
        }
        LimitKey::CompileMemory => {
            "if you know that the plugin needs it, allow it with `limits = { compile-memory = \"…\" }` in its `[[plugin]]`"
        }
        LimitKey::CompileTime => {
            "if you know that the plugin needs it, allow it with `limits = { compile-time = \"…\" }` in its `[[plugin]]`"
        }
        _ => {
            "if you know that the plugin needs them, allow them with `limits = { items = … }` in its `[[plugin]]`"
        }
    }
}

impl LoadError {
    /// The error for a plugin, built for a version of the contract, that needs something which the contract of
    /// this Tamis lacks.
    pub(super) fn not_in_contract(what: String, plugin: &str) -> LoadError {
        LoadError::NotInContract {
            what,
            plugin: plugin.to_owned(),
            host: CONTRACT_VERSION,
        }
    }

    /// How the plugin's author or operator can fix this.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            LoadError::ContractVersion { .. } | LoadError::NotInContract { .. } => Some(
                "build it again with the SDK of this Tamis, or use a Tamis that speaks its contract",
            ),
            LoadError::UnknownImport(_) => {
                Some("build it without what needs that, such as files, sockets and threads")
            }
            LoadError::NotWasm { .. } => Some(
                "name the file that a build leaves, such as target/wasm32-unknown-unknown/release/NAME.wasm",
            ),
            LoadError::Compile(_) | LoadError::Adapt(_) | LoadError::Contract(_) => Some(
                "a filter is built with the SDK of plugins/sdk, or for the world `tamis:filter/plugin` of wit/filter.wit",
            ),
            LoadError::TooMuch(breach) => Some(allow_more(breach.key)),
            LoadError::CompileMemory { .. } => Some(allow_more(LimitKey::CompileMemory)),
            LoadError::CompileTime { .. } => Some(allow_more(LimitKey::CompileTime)),
            LoadError::Describe(error) | LoadError::Configure(error) => error.remedy(),
            _ => None,
        }
    }
}

/// How a call failed. Messages are for the operator: they name the limit and its key.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("it ran longer than {limit:?} (limit `time`)")]
    Timeout { limit: Duration },
    #[error("it asked for more than {limit_bytes} bytes of memory (limit `memory`)")]
    Memory { limit_bytes: u64 },
    #[error("the document has {len_bytes} bytes, more than {limit_bytes} (limit `input`)")]
    InputTooLarge { len_bytes: u64, limit_bytes: u64 },
    #[error("it gave back more than {limit_bytes} bytes (limit `output`)")]
    OutputTooLarge { limit_bytes: u64 },
    #[error("it nested its calls deeper than {limit_bytes} bytes of stack (limit `stack`)")]
    Stack { limit_bytes: u64 },
    #[error("it held more than {limit} handles (limit `handles`)")]
    Handles { limit: u32 },
    #[error("it crashed: {message}")]
    Trap { message: String },
    #[error("nothing is cut, because the original is not stored: {0}")]
    NotKept(NotKept),
    #[error("{0}")]
    Filter(String),
    #[error("its edits make no sense: {0}")]
    Edit(#[from] EditError),
    #[error("its splices make no sense: {0}")]
    Splice(#[from] SpliceError),
    #[error("it called its new document JSON, but it is not: {0}")]
    Rewrite(String),
}

/// Crashes after a request for something that a filter does not have: words of their messages, and the fix.
/// The functions that runtimes put in place of WASI's have such names. Engines of JavaScript name the undefined
/// value, and Rust's library says that the platform does not support it. The first that fits counts.
const OUTSIDE: [(&[&str], &str); 5] = [
    (
        &[
            "stdout_get_stdout",
            "stderr_get_stderr",
            "console is not defined",
            "print is not defined",
        ],
        "a filter has no output of its own: to write a line to the operator's log, call `log` of the interface `log`, and grant it with `allow = [\"log\"]`",
    ),
    (
        &[
            "wall_clock_",
            "monotonic_clock_",
            "clock_",
            "time not implemented",
        ],
        "a filter has no clock, so that the same call always gets the same answer: take the date from the arguments of the call (`arguments` of the interface `call`) or from the document",
    ),
    (
        &[
            "setTimeout is not defined",
            "setInterval is not defined",
            "fetch is not defined",
            "require is not defined",
            "process is not defined",
            "Buffer is not defined",
        ],
        "a filter has JavaScript's own library, not that of a browser or Node: no timers, no network, no files",
    ),
    (
        &[
            "filesystem_",
            "sockets_",
            "preopens",
            "wasi:",
            "operation not supported",
            "not implemented on this platform",
        ],
        "a filter has no files, no network and no clock: do without what asks for them. In Python, also: an `import` inside a function reads a file; put it at the top of the module, which is read when the plugin is built",
    ),
    (
        &[
            "`unreachable` instruction executed, in (a function without a name) < (a function without a name)",
        ],
        "if the plugin is JavaScript, `new Date()` and `Date.now()` end like this: a filter has no clock, so take the date from the arguments of the call or from the document. Else build the plugin with names of functions, and run `tamis plugin test PLUGIN --document FILE`",
    ),
];

/// The fix for a crash, if its message tells what the filter asked for.
fn way_out(message: &str) -> Option<&'static str> {
    let fits = |(words, _): &&(&[&str], &str)| words.iter().any(|word| message.contains(word));
    OUTSIDE.iter().find(fits).map(|(_, help)| *help)
}

impl CallError {
    /// Name of the outcome in logs, receipts and tables.
    pub fn outcome(&self) -> &'static str {
        match self {
            CallError::Timeout { .. } => "timeout",
            CallError::Memory { .. } => "memory",
            CallError::InputTooLarge { .. } => "input-too-large",
            CallError::OutputTooLarge { .. } => "output-too-large",
            CallError::Stack { .. } | CallError::Handles { .. } | CallError::Trap { .. } => "trap",
            CallError::NotKept(_) => "not-kept",
            CallError::Filter(_)
            | CallError::Edit(_)
            | CallError::Splice(_)
            | CallError::Rewrite(_) => "filter-error",
        }
    }

    /// How the filter's author or operator can fix this; none: the message says it, or no fix exists.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            CallError::Timeout { .. } => Some(
                "find the loop with `tamis plugin profile`; if it needs the time, allow it with `limits = { time = \"…\" }`",
            ),
            CallError::Memory { .. } => Some(
                "read parts of the document with `slice`, and keep less at once; if it needs the memory, allow it with `limits = { memory = \"…\" }`",
            ),
            CallError::InputTooLarge { .. } => Some(
                "to have larger documents filtered, allow them with `limits = { input = \"…\" }`",
            ),
            CallError::OutputTooLarge { .. } => Some(
                "answer with edits or splices, which hold only what changes; if it needs the room, allow it with `limits = { output = \"…\" }`",
            ),
            CallError::Stack { .. } => Some(
                "loop where it calls itself; if it needs the stack, allow it with `limits = { stack = \"…\" }`",
            ),
            CallError::Handles { .. } => Some(
                "close what it opens; if it needs them, allow them with `limits = { handles = … }`",
            ),
            CallError::Trap { message } => Some(way_out(message).unwrap_or(
                "fix the place that is named; `--save-failures DIR` keeps what it was given, and `tamis plugin test PLUGIN --document FILE` runs it again",
            )),
            CallError::Edit(_) | CallError::Splice(_) | CallError::Rewrite(_) => {
                Some("what the host takes is said in wit/filter.wit")
            }
            CallError::NotKept(_) | CallError::Filter(_) => None,
        }
    }

    /// Whether the plugin itself is at fault, so that it is paused if it keeps failing. A document that is too
    /// large, a document that the plugin refuses, and a full disk are not its fault.
    pub fn is_fault(&self) -> bool {
        !matches!(
            self,
            CallError::InputTooLarge { .. } | CallError::NotKept(_) | CallError::Filter(_)
        )
    }
}

/// Longest part of a guest's message that is stored, in bytes.
const MESSAGE_BYTES: usize = 1024;

/// A guest's message as one line that is safe in a log and on a terminal.
pub(super) fn one_line(message: &str) -> String {
    let cut = &message[..message.floor_char_boundary(MESSAGE_BYTES)];
    let clean = |c: char| if printable::is_hidden(c) { ' ' } else { c };
    let mut line: String = cut.chars().map(clean).collect();
    if cut.len() < message.len() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_names_the_way_out() {
        let unnamed = "(a function without a name) < ".repeat(2);
        let trap = |rest: &str| {
            format!("wasm trap: wasm `unreachable` instruction executed, in {unnamed}{rest}")
        };
        for (message, way_out) in [
            (
                "ReferenceError: console is not defined     at <anonymous>".to_owned(),
                "allow = [\"log\"]",
            ),
            (
                trap("stdout_get_stdout < stdio_get_write_stream"),
                "allow = [\"log\"]",
            ),
            (
                trap("stderr_get_stderr < stdio_get_write_stream"),
                "allow = [\"log\"]",
            ),
            (
                trap("wall_clock_now < __clock_gettime"),
                "from the arguments of the call",
            ),
            (
                trap("monotonic_clock_now < __clock_gettime < time_sleep"),
                "no clock",
            ),
            (trap("(a function without a name) < 8 more"), "`new Date()`"),
            (trap("filesystem_preopens_get_directories"), "no files"),
            (
                "ReferenceError: fetch is not defined".to_owned(),
                "JavaScript's own library",
            ),
            (
                "KeyError: 'x', in apply, line 103 of /0/app.py".to_owned(),
                "the place that is named",
            ),
            (
                "panicked at src/lib.rs:21:5: a clock".to_owned(),
                "the place that is named",
            ),
        ] {
            let remedy = CallError::Trap {
                message: message.clone(),
            }
            .remedy();
            assert!(
                remedy.is_some_and(|text| text.contains(way_out)),
                "{message}: {remedy:?}"
            );
        }
    }
}
