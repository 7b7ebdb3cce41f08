//! Every limit of a filter's call in one table: name, default, bounds, and why.
//!
//! Parsing, messages and the reference page are made from it. A number stands nowhere else.

use super::limits::Limits;

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

/// What a JSON Schema may cost.
#[derive(Debug, Clone, Copy)]
pub struct SchemaBounds {
    /// References in it: each can double the work of the one before it.
    pub references: usize,
    /// Patterns in it: each is compiled.
    pub patterns: usize,
    /// Bytes of a compiled pattern.
    pub pattern_bytes: usize,
    /// `unevaluatedProperties` and `unevaluatedItems` in it: each has the rest evaluated again.
    pub unevaluated: usize,
    /// Bytes of it.
    pub bytes: usize,
    /// Schemas within schemas, where a value is held against it.
    pub depth: usize,
    /// Keywords times parts of a value, of which one takes about 0.1 µs.
    pub work: u64,
}

/// Of a plugin's settings: a page of keys, and values that somebody wrote by hand.
pub const SETTINGS_SCHEMA: SchemaBounds = SchemaBounds {
    references: 16,
    patterns: 256,
    pattern_bytes: 256 << 10,
    unevaluated: 4,
    bytes: 64 << 10,
    depth: 512,
    work: 1_000_000,
};

/// Of a tool's results (`outputSchema`): larger than any that servers are known to have, and a few tenths of a
/// second for results of some MB.
pub const OUTPUT_SCHEMA: SchemaBounds = SchemaBounds {
    bytes: 256 << 10,
    work: 4_000_000,
    ..SETTINGS_SCHEMA
};

/// Of what is part of Tamis.
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
pub const LIMITS: [LimitRow; 8] = [
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
