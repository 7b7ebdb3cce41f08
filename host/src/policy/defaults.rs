//! Every limit that operators set: name, default, bounds and reason. One table has the limits of a filter's call and of
//! compiling a plugin, another those of `tamis serve`.
//!
//! The parser, messages and the reference pages use these tables. No other file contains their numbers.

use super::limits::Limits;
use std::time::Duration;

/// The name of a limit of a filter's call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitKey {
    /// [`Limits::time`]
    Time,
    /// [`Limits::memory_bytes`]
    Memory,
    /// [`Limits::input_bytes`]
    Input,
    /// [`Limits::output_bytes`]
    Output,
    /// [`Limits::handles`]
    Handles,
    /// [`Limits::stack_bytes`]
    Stack,
    /// [`Limits::log_bytes`]
    LogBytes,
    /// [`Limits::log_lines`]
    LogLines,
    /// [`CompileLimits::function_bytes`](super::CompileLimits::function_bytes)
    FunctionBytes,
    /// [`CompileLimits::locals`](super::CompileLimits::locals)
    Locals,
    /// [`CompileLimits::functions`](super::CompileLimits::functions)
    Functions,
    /// [`CompileLimits::types`](super::CompileLimits::types)
    Types,
    /// [`CompileLimits::items`](super::CompileLimits::items)
    Items,
    /// [`CompileLimits::memory_bytes`](super::CompileLimits::memory_bytes)
    CompileMemory,
    /// [`CompileLimits::time`](super::CompileLimits::time)
    CompileTime,
}

/// The unit that a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Microseconds; written `"250ms"`.
    Time,
    /// Bytes; written `"64MiB"`.
    Size,
    /// Things; written `64`.
    Count,
}

/// A limit of `tamis serve`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ServeLimit {
    /// The time for the body of a request to arrive.
    RequestTime,
    /// Bodies of requests that are held at the same time.
    Bodies,
    /// Answers of servers that are held at the same time.
    Answers,
    /// Results of one caller that wait for their filters.
    Waiting,
    /// Bytes of all results that wait for their filters.
    WaitingBytes,
    /// Processes of one caller at one server.
    Processes,
    /// Processes of all callers at all servers.
    AllProcesses,
    /// Lifetime of an unused session.
    Idle,
    /// The idle time of a session that has never called anything.
    IdleUnused,
    /// Originals of one caller.
    Originals,
    /// How long to wait for the object store of originals.
    OriginalsTime,
    /// How long to wait for Redis.
    SessionsTime,
    /// How long requests are still accepted when the proxy ends.
    Drain,
}

/// One row of [`LIMITS`], or of [`SERVE_LIMITS`]. The numbers are in the unit's base: microseconds, bytes,
/// counts.
#[derive(Debug, Clone, Copy)]
pub struct LimitRow<K = LimitKey> {
    /// The limit.
    pub key: K,
    /// Its key in filters.toml.
    pub name: &'static str,
    /// The unit that it counts.
    pub unit: Unit,
    /// The value if neither plugin nor step sets one.
    pub default: u64,
    /// Smallest value allowed.
    pub least: u64,
    /// Largest value allowed.
    pub most: u64,
    /// The object of the limit. Then, in a second sentence, the reason for the default.
    pub why: &'static str,
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const MS: u64 = 1_000;
const SECOND: u64 = 1_000 * MS;

/// The bounds of a folder.
#[derive(Debug, Clone, Copy)]
pub struct FolderBounds {
    /// Files.
    pub files: u64,
    /// Size of all files together, in bytes.
    pub bytes: u64,
}

/// Calls in which a step failed (`tamis run --save-failures`): far more than a person looks at. A filter that
/// fails tends to fail often, and some of these calls have the largest results.
pub const SAVED_FAILURES: FolderBounds = FolderBounds {
    files: 100,
    bytes: 64 * MIB,
};

/// Compiled plugins in the cache, together: a few interpreters with their libraries, or some thousand small
/// filters. The oldest are deleted first.
pub const COMPILED: FolderBounds = FolderBounds {
    files: 10_000,
    bytes: GIB,
};

/// The memory and time for compiling a large plugin, added to the limits `compile-memory` and `compile-time`.
#[derive(Debug, Clone, Copy)]
pub struct CompileGrowth {
    /// Bytes of memory for each byte of the plugin.
    pub memory_for_byte: u64,
    /// Time for each MiB of the plugin.
    pub time_for_mib: Duration,
    /// The most memory that a plugin gets by its size.
    pub most_memory_bytes: u64,
    /// The most time that a plugin gets by its size.
    pub most_time: Duration,
}

/// Measured: a plugin with CPython (18 MB) takes 21 bytes of memory for each of its bytes. One with QuickJS
/// (1.6 MB) takes three seconds for each MiB on two busy cores.
pub const COMPILE_GROWTH: CompileGrowth = CompileGrowth {
    memory_for_byte: 24,
    time_for_mib: Duration::from_secs(10),
    most_memory_bytes: 2 * GIB,
    most_time: Duration::from_secs(600),
};

/// The bounds of a JSON Schema.
#[derive(Debug, Clone, Copy)]
pub struct SchemaBounds {
    /// References: each can double the work of the one before it.
    pub references: usize,
    /// Patterns: each is compiled.
    pub patterns: usize,
    /// Bytes of a compiled pattern.
    pub pattern_bytes: usize,
    /// `unevaluatedProperties` and `unevaluatedItems`: each evaluates the rest again.
    pub unevaluated: usize,
    /// Size of the schema, in bytes.
    pub bytes: usize,
    /// Schemas within schemas, when a value is checked.
    pub depth: usize,
    /// Keywords times parts of a value; one takes about 0.1 µs.
    pub work: u64,
}

/// The bounds for a plugin's settings: a page of keys, and values that a person wrote.
pub const SETTINGS_SCHEMA: SchemaBounds = SchemaBounds {
    references: 16,
    patterns: 256,
    pattern_bytes: 256 << 10,
    unevaluated: 4,
    bytes: 64 << 10,
    depth: 512,
    work: 1_000_000,
};

/// The bounds for a tool's results (`outputSchema`): larger than those of any known server, and a few tenths of
/// a second for results of some MB.
pub const OUTPUT_SCHEMA: SchemaBounds = SchemaBounds {
    bytes: 256 << 10,
    work: 4_000_000,
    ..SETTINGS_SCHEMA
};

/// The bounds for schemas that are part of Tamis.
pub const OWN_SCHEMA: SchemaBounds = SchemaBounds {
    references: usize::MAX,
    patterns: usize::MAX,
    pattern_bytes: 10 << 20,
    unevaluated: usize::MAX,
    bytes: usize::MAX,
    depth: 512,
    work: u64::MAX,
};

/// Every limit, in the order of the reference page.
pub const LIMITS: [LimitRow; 15] = [
    LimitRow {
        key: LimitKey::Time,
        name: "time",
        unit: Unit::Time,
        default: 250 * MS,
        least: MS,
        most: 60 * SECOND,
        why: "wall-clock time of one call. A hundred times what a filter takes for a megabyte, and still short \
              compared with the tool call before it",
    },
    LimitRow {
        key: LimitKey::Memory,
        name: "memory",
        unit: Unit::Size,
        default: 64 * MIB,
        least: MIB,
        most: GIB,
        why: "linear memory of one call, in total. Room for an interpreter and a few copies of a large document",
    },
    LimitRow {
        key: LimitKey::Input,
        name: "input",
        unit: Unit::Size,
        default: 16 * MIB,
        least: KIB,
        most: 256 * MIB,
        why: "size of the document that a filter gets. Larger than any result that a model could use; a larger \
              document passes unfiltered",
    },
    LimitRow {
        key: LimitKey::Output,
        name: "output",
        unit: Unit::Size,
        default: 32 * MIB,
        least: KIB,
        most: 256 * MIB,
        why: "size of what a filter hands to the host at once, as its answer or to an import. Twice the input, \
              because edits and replacement text add up",
    },
    LimitRow {
        key: LimitKey::Handles,
        name: "handles",
        unit: Unit::Count,
        default: 64,
        least: 1,
        most: 10_000,
        why: "open handles to host objects. A filter itself needs none; its language's runtime needs a few, for \
              standard streams and clocks",
    },
    LimitRow {
        key: LimitKey::Stack,
        name: "stack",
        unit: Unit::Size,
        default: 512 * KIB,
        least: 64 * KIB,
        most: MIB,
        why: "call stack of a filter. Room to recurse through a document, which nests at most 128 deep; the \
              stacks of the host's own threads bound the largest value",
    },
    LimitRow {
        key: LimitKey::LogBytes,
        name: "log-bytes",
        unit: Unit::Size,
        default: 16 * KIB,
        least: 0,
        most: MIB,
        why: "bytes of log messages from one call. A page of text with a backtrace; the rest is cut off",
    },
    LimitRow {
        key: LimitKey::LogLines,
        name: "log-lines",
        unit: Unit::Count,
        default: 100,
        least: 0,
        most: 10_000,
        why: "lines of log messages from one call. As many as a person reads; the rest is cut off",
    },
    LimitRow {
        key: LimitKey::FunctionBytes,
        name: "function-bytes",
        unit: Unit::Size,
        default: 512 * KIB,
        least: KIB,
        most: 4 * MIB,
        why: "size of one function in a plugin. The largest of CPython has 427 KB; the cost of compiling a \
              function can grow faster than its size",
    },
    LimitRow {
        key: LimitKey::Locals,
        name: "locals",
        unit: Unit::Count,
        default: 1_000,
        least: 10,
        most: 50_000,
        why: "local variables of one function in a plugin, with its parameters. SpiderMonkey has at most 483; \
              the cost of compiling a function grows with their number times its size",
    },
    LimitRow {
        key: LimitKey::Functions,
        name: "functions",
        unit: Unit::Count,
        default: 100_000,
        least: 10,
        most: 1_000_000,
        why: "functions of a plugin. SpiderMonkey has 20,000, and CPython with its libraries 13,000",
    },
    LimitRow {
        key: LimitKey::Types,
        name: "types",
        unit: Unit::Count,
        default: 10_000,
        least: 10,
        most: 1_000_000,
        why: "types that a plugin defines. CPython with its libraries has 1,500",
    },
    LimitRow {
        key: LimitKey::Items,
        name: "items",
        unit: Unit::Count,
        default: 100_000,
        least: 10,
        most: 5_000_000,
        why: "other declarations of a plugin, such as imports, exports, globals, tables, data segments \
              and modules. CPython with its libraries has 11,000",
    },
    LimitRow {
        key: LimitKey::CompileMemory,
        name: "compile-memory",
        unit: Unit::Size,
        default: 192 * MIB,
        least: 64 * MIB,
        most: 8 * GIB,
        why: "memory of the process that compiles a plugin, plus 24 bytes for each byte of the plugin. Twice \
              what a plugin with QuickJS takes; one with CPython takes 380 MB of the 600 MB that its size allows",
    },
    LimitRow {
        key: LimitKey::CompileTime,
        name: "compile-time",
        unit: Unit::Time,
        default: 30 * SECOND,
        least: SECOND,
        most: 3_600 * SECOND,
        why: "wall-clock time of compiling a plugin, plus ten seconds for each MiB of the plugin. Six times what \
              plugins with QuickJS and CPython take on two busy cores",
    },
];

/// Every bound of `tamis serve` that a file may set, in the order of the reference page.
pub const SERVE_LIMITS: [LimitRow<ServeLimit>; 13] = [
    LimitRow {
        key: ServeLimit::RequestTime,
        name: "request-time",
        unit: Unit::Time,
        default: 60 * SECOND,
        least: SECOND,
        most: 3600 * SECOND,
        why: "time for the body of a request to arrive. Enough for the largest body over a line of 13 Mbit/s; a \
              slower client gets 408",
    },
    LimitRow {
        key: ServeLimit::Bodies,
        name: "bodies",
        unit: Unit::Size,
        default: 128 * MIB,
        least: 96 * MIB,
        most: 16 * GIB,
        why: "bodies of requests held at the same time, of all callers. One caller may have at most 96 MiB of \
              it. A request over the bound gets 503; bodies up to 16 KiB are always accepted",
    },
    LimitRow {
        key: ServeLimit::Answers,
        name: "answers",
        unit: Unit::Size,
        default: 384 * MIB,
        least: 256 * MIB,
        most: 64 * GIB,
        why: "answers of servers held at the same time, of all callers: those that a chain needs whole, and those \
              that a client reads slowly. One caller may have at most 256 MiB of it, the largest answer that Tamis \
              filters. An answer over the bound becomes an error; answers up to 16 KiB are always accepted",
    },
    LimitRow {
        key: ServeLimit::Waiting,
        name: "waiting",
        unit: Unit::Count,
        default: 8192,
        least: 1,
        most: 100_000,
        why: "results of one caller that wait for their filters. One for each possible connection. A result over \
              the bound becomes an error",
    },
    LimitRow {
        key: ServeLimit::WaitingBytes,
        name: "waiting-bytes",
        unit: Unit::Size,
        default: 128 * MIB,
        least: MIB,
        most: 16 * GIB,
        why: "bytes of results that wait for their filters, of all callers. One caller may have at most half of \
              it. A result over the bound becomes an error",
    },
    LimitRow {
        key: ServeLimit::Processes,
        name: "processes",
        unit: Unit::Count,
        default: 32,
        least: 1,
        most: 10_000,
        why: "processes of one caller at one server with `command`, one for each session. Over the bound, Tamis \
              ends the session without calls that was idle longest. If none exists, it ends the longest idle \
              session, if that was idle for 10 min. Otherwise it refuses the new session",
    },
    LimitRow {
        key: ServeLimit::AllProcesses,
        name: "all-processes",
        unit: Unit::Count,
        default: 256,
        least: 1,
        most: 100_000,
        why: "processes of all callers at all servers",
    },
    LimitRow {
        key: ServeLimit::Idle,
        name: "idle",
        unit: Unit::Time,
        default: 24 * 3600 * SECOND,
        least: SECOND,
        most: 30 * 24 * 3600 * SECOND,
        why: "lifetime of an unused session. Clients do not always announce that they leave",
    },
    LimitRow {
        key: ServeLimit::IdleUnused,
        name: "idle-unused",
        unit: Unit::Time,
        default: 1800 * SECOND,
        least: SECOND,
        most: 30 * 24 * 3600 * SECOND,
        why: "lifetime of an unused session that never made a call. A session whose client listens is not idle",
    },
    LimitRow {
        key: ServeLimit::Originals,
        name: "originals",
        unit: Unit::Size,
        default: GIB,
        least: MIB,
        most: 1024 * GIB,
        why: "stored originals of one caller. Tamis deletes the oldest first, even if a model was told of them; \
              a model that asks for one is told to call the tool again",
    },
    LimitRow {
        key: ServeLimit::OriginalsTime,
        name: "originals-time",
        unit: Unit::Time,
        default: 2 * SECOND,
        least: 10 * MS,
        most: 60 * SECOND,
        why: "time to wait for the object store of `[state]`, plus 125 ms for each MiB of the original. An original that is \
              not stored by then is not cut",
    },
    LimitRow {
        key: ServeLimit::SessionsTime,
        name: "sessions-time",
        unit: Unit::Time,
        default: 250 * MS,
        least: 5 * MS,
        most: 10 * SECOND,
        why: "time to wait for Redis of `[state]`, up to twice that if the process had no processor meanwhile. Far more than it \
              takes in the same network; a call that cannot be counted by then gets an error, and filters run without the \
              session's values",
    },
    LimitRow {
        key: ServeLimit::Drain,
        name: "drain",
        unit: Unit::Time,
        default: 0,
        least: 0,
        most: 300 * SECOND,
        why: "time from SIGTERM in which Tamis still accepts requests, while `/readyz` answers 503: as long as a \
              balancer takes to notice. Without a balancer, nobody needs it",
    },
];

/// Longest name of a tool that metrics and the ledger list separately, in bytes: clients accept 64 to 128.
pub const TOOL_NAME_BYTES: usize = 128;

/// Most names of tools that metrics list separately: a client can call tools that do not exist, and each name
/// would stay as long as the process lives.
pub const TOOLS_TOLD_APART: usize = 2000;

/// Longest id of a request over HTTP, in bytes: clients count, or make up UUIDs. Ids are stored for a while
/// after their requests.
pub const REQUEST_ID_BYTES: usize = 1024;

impl Default for Limits {
    fn default() -> Limits {
        Limits::from_values(|key| {
            let row = LIMITS.iter().find(|row| row.key == key);
            row.map_or(0, |row| row.default)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_allowed_and_read_back() {
        let limits = Limits::default();
        for row in LIMITS {
            assert!(
                (row.least..=row.most).contains(&row.default),
                "`{}`: {} is not in {}..={}",
                row.name,
                row.default,
                row.least,
                row.most
            );
            assert_eq!(limits.value(row.key), row.default, "`{}`", row.name);
        }
    }

    #[test]
    fn every_number_of_the_tables_can_be_written() {
        let limits = LIMITS.map(|row| (row.name, row.unit, [row.least, row.default, row.most]));
        let serve =
            SERVE_LIMITS.map(|row| (row.name, row.unit, [row.least, row.default, row.most]));
        for (name, unit, values) in limits.into_iter().chain(serve) {
            assert!(values.is_sorted(), "`{name}`: {values:?}");
            for value in values.iter().filter(|_| unit != Unit::Count) {
                let text = unit.show(*value);
                assert_eq!(unit.parse(&text), Ok(*value), "`{name}`: {text}");
            }
        }
    }
}
