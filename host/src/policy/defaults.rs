//! Every limit of a filter's call, and of making a plugin ready for calls, in one table: name, default, bounds,
//! and why.
//!
//! Parsing, messages and the reference page are made from it. A number stands nowhere else.

use super::limits::Limits;
use std::time::Duration;

/// Which limit.
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

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Microseconds; written `"250ms"`.
    Time,
    /// Bytes; written `"64MiB"`.
    Size,
    /// Things; written `64`.
    Count,
}

/// One row of [`LIMITS`]. The numbers are in the unit's base: microseconds, bytes, things.
#[derive(Debug, Clone, Copy)]
pub struct LimitRow {
    /// Which limit.
    pub key: LimitKey,
    /// Its key in filters.toml.
    pub name: &'static str,
    /// What it counts.
    pub unit: Unit,
    /// Where neither plugin nor step says otherwise.
    pub default: u64,
    /// Smallest value allowed.
    pub least: u64,
    /// Largest value allowed.
    pub most: u64,
    /// What it bounds, after an article, and the reason for the default.
    pub why: &'static str,
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const MS: u64 = 1_000;
const SECOND: u64 = 1_000 * MS;

/// What a folder holds at most.
#[derive(Debug, Clone, Copy)]
pub struct FolderBounds {
    /// Files.
    pub files: u64,
    /// Bytes of them, together.
    pub bytes: u64,
}

/// Calls in which a step failed (`tamis run --save-failures`): far more than anybody looks at, since a filter
/// that fails tends to fail often; some of them with the largest of results.
pub const SAVED_FAILURES: FolderBounds = FolderBounds {
    files: 100,
    bytes: 64 * MIB,
};

/// What compiled plugins take in the cache, together: a few interpreters with their libraries, or some thousand
/// small filters. The oldest go first.
pub const COMPILED: FolderBounds = FolderBounds {
    files: 10_000,
    bytes: GIB,
};

/// What compiling a plugin may use beside the limits `compile-memory` and `compile-time`, because it is large.
#[derive(Debug, Clone, Copy)]
pub struct CompileGrowth {
    /// Bytes of memory for each byte of the plugin.
    pub memory_for_byte: u64,
    /// Time for each MiB of the plugin.
    pub time_for_mib: Duration,
    /// Memory that no plugin gets more of by its size.
    pub most_memory_bytes: u64,
    /// Time that no plugin gets more of by its size.
    pub most_time: Duration,
}

/// Measured: a plugin with CPython (18 MB) takes 21 bytes of memory for each of its bytes, and one with QuickJS
/// (1.6 MB) three seconds for each MiB on two busy cores.
pub const COMPILE_GROWTH: CompileGrowth = CompileGrowth {
    memory_for_byte: 24,
    time_for_mib: Duration::from_secs(10),
    most_memory_bytes: 2 * GIB,
    most_time: Duration::from_secs(600),
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
        why: "wall-clock time of one call: a hundred times what a filter takes for a megabyte, \
              and still short beside the tool call that it follows",
    },
    LimitRow {
        key: LimitKey::Memory,
        name: "memory",
        unit: Unit::Size,
        default: 64 * MIB,
        least: MIB,
        most: GIB,
        why: "linear memory of one call, all of it together: room for an interpreter and a few copies \
              of a large document",
    },
    LimitRow {
        key: LimitKey::Input,
        name: "input",
        unit: Unit::Size,
        default: 16 * MIB,
        least: KIB,
        most: 256 * MIB,
        why: "size of the document that a filter is given: larger than any tool result that a \
              model could use, and a larger one goes on unfiltered",
    },
    LimitRow {
        key: LimitKey::Output,
        name: "output",
        unit: Unit::Size,
        default: 32 * MIB,
        least: KIB,
        most: 256 * MIB,
        why: "size of what a filter hands to the host at once, as its answer or to an import: twice the input, \
              since edits and replacement text come on top of one another",
    },
    LimitRow {
        key: LimitKey::Handles,
        name: "handles",
        unit: Unit::Count,
        default: 64,
        least: 1,
        most: 10_000,
        why: "handles to host objects that are open at once: a filter itself needs none, and its \
              language's runtime a few, for standard streams and clocks",
    },
    LimitRow {
        key: LimitKey::Stack,
        name: "stack",
        unit: Unit::Size,
        default: 512 * KIB,
        least: 64 * KIB,
        most: MIB,
        why: "call stack of a filter: room to recurse through a document, which nests at most 128 \
              deep; the stacks of the host's own threads bound the largest value",
    },
    LimitRow {
        key: LimitKey::LogBytes,
        name: "log-bytes",
        unit: Unit::Size,
        default: 16 * KIB,
        least: 0,
        most: MIB,
        why: "bytes of log messages kept from one call: a page of text with a backtrace; the rest \
              is cut off",
    },
    LimitRow {
        key: LimitKey::LogLines,
        name: "log-lines",
        unit: Unit::Count,
        default: 100,
        least: 0,
        most: 10_000,
        why: "lines of log messages kept from one call: what somebody reads; the rest is cut off",
    },
    LimitRow {
        key: LimitKey::FunctionBytes,
        name: "function-bytes",
        unit: Unit::Size,
        default: 512 * KIB,
        least: KIB,
        most: 4 * MIB,
        why: "size of one function in a plugin: the largest of CPython has 427 KB, and what a function takes \
              to compile can grow faster than its size",
    },
    LimitRow {
        key: LimitKey::Locals,
        name: "locals",
        unit: Unit::Count,
        default: 1_000,
        least: 10,
        most: 50_000,
        why: "local variables of one function in a plugin, with its parameters: the most of SpiderMonkey are 483, \
              and what a function takes to compile grows with them times its size",
    },
    LimitRow {
        key: LimitKey::Functions,
        name: "functions",
        unit: Unit::Count,
        default: 100_000,
        least: 10,
        most: 1_000_000,
        why: "functions of a plugin: SpiderMonkey has 20,000, and CPython with its libraries 13,000",
    },
    LimitRow {
        key: LimitKey::Types,
        name: "types",
        unit: Unit::Count,
        default: 10_000,
        least: 10,
        most: 1_000_000,
        why: "types that a plugin defines: CPython with its libraries has 1,500",
    },
    LimitRow {
        key: LimitKey::Items,
        name: "items",
        unit: Unit::Count,
        default: 100_000,
        least: 10,
        most: 5_000_000,
        why: "everything else that a plugin declares, such as imports, exports, globals, tables, segments of \
              data and modules in it: CPython with its libraries has 11,000",
    },
    LimitRow {
        key: LimitKey::CompileMemory,
        name: "compile-memory",
        unit: Unit::Size,
        default: 192 * MIB,
        least: 64 * MIB,
        most: 8 * GIB,
        why: "memory of the process that compiles a plugin, beside 24 bytes for each byte of the plugin: \
              twice what a plugin with QuickJS takes; one with CPython takes 380 MB of the 600 MB that its size allows",
    },
    LimitRow {
        key: LimitKey::CompileTime,
        name: "compile-time",
        unit: Unit::Time,
        default: 30 * SECOND,
        least: SECOND,
        most: 3_600 * SECOND,
        why: "wall-clock time of compiling a plugin, beside ten seconds for each MiB of the plugin: \
              six times what plugins with QuickJS and CPython take on two busy cores",
    },
];

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
    fn every_number_of_the_table_can_be_written() {
        for row in LIMITS.iter().filter(|row| row.unit != Unit::Count) {
            for value in [row.least, row.default, row.most] {
                let text = row.unit.show(value);
                assert_eq!(row.unit.parse(&text), Ok(value), "`{}`: {text}", row.name);
            }
        }
    }
}
