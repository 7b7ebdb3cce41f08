//! Limits of one call of a filter and of compiling a plugin, and how times and sizes are written.

use std::time::Duration;

use toml::de::DeValue;

use super::Origins;
use super::code::Code;
use super::defaults::{COMPILE_GROWTH, LIMITS, LimitKey, LimitRow, Unit};
use super::names;
use super::raw::{self, Findings, Value};
use super::report::Finding;
use super::source::Span;

/// Limits of one call of a filter, and of compiling its plugin. The table [`LIMITS`] has names, defaults and
/// bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Duration,
    /// Size of all linear memories together.
    pub memory_bytes: u64,
    /// Size of the document that the filter gets.
    pub input_bytes: u64,
    /// Size of everything that the filter gives the host.
    pub output_bytes: u64,
    /// Handles to host objects open at once.
    pub handles: u32,
    /// Call stack.
    pub stack_bytes: u64,
    /// Stored bytes of log messages.
    pub log_bytes: u64,
    /// Stored lines of log messages.
    pub log_lines: u32,
    /// Limits on the plugin's content, and on compiling it.
    pub compile: CompileLimits,
}

/// Limits on a plugin's content, and on compiling it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CompileLimits {
    /// Bytes of one function.
    pub function_bytes: u64,
    /// Locals of one function, with its parameters.
    pub locals: u32,
    /// Functions in all of the plugin's modules.
    pub functions: u32,
    /// Types in all of the plugin's modules and components.
    pub types: u32,
    /// All other declarations of modules and components.
    pub items: u32,
    /// Memory of the process that compiles, see [`CompileLimits::memory_for`].
    pub memory_bytes: u64,
    /// Wall-clock time of compiling, see [`CompileLimits::time_for`].
    pub time: Duration,
}

impl CompileLimits {
    /// The smaller of each pair of limits.
    #[must_use]
    pub fn at_most(&self, most: &CompileLimits) -> CompileLimits {
        CompileLimits {
            function_bytes: self.function_bytes.min(most.function_bytes),
            locals: self.locals.min(most.locals),
            functions: self.functions.min(most.functions),
            types: self.types.min(most.types),
            items: self.items.min(most.items),
            memory_bytes: self.memory_bytes.min(most.memory_bytes),
            time: self.time.min(most.time),
        }
    }

    /// Memory for a plugin of so many bytes.
    pub fn memory_for(&self, len_bytes: usize) -> u64 {
        let growth = (len_bytes as u64).saturating_mul(COMPILE_GROWTH.memory_for_byte);
        let most = COMPILE_GROWTH.most_memory_bytes.max(self.memory_bytes);
        self.memory_bytes.saturating_add(growth).min(most)
    }

    /// Time for a plugin of so many bytes.
    pub fn time_for(&self, len_bytes: usize) -> Duration {
        let mib = u32::try_from(len_bytes >> 20).unwrap_or(u32::MAX);
        let growth = COMPILE_GROWTH.time_for_mib.saturating_mul(mib);
        let most = COMPILE_GROWTH.most_time.max(self.time);
        self.time.saturating_add(growth).min(most)
    }
}

impl Limits {
    /// Builds limits from values in the base of each key's unit.
    pub(super) fn from_values(value: impl Fn(LimitKey) -> u64) -> Limits {
        let count = |key| u32::try_from(value(key)).unwrap_or(u32::MAX);
        Limits {
            time: Duration::from_micros(value(LimitKey::Time)),
            memory_bytes: value(LimitKey::Memory),
            input_bytes: value(LimitKey::Input),
            output_bytes: value(LimitKey::Output),
            handles: count(LimitKey::Handles),
            stack_bytes: value(LimitKey::Stack),
            log_bytes: value(LimitKey::LogBytes),
            log_lines: count(LimitKey::LogLines),
            compile: CompileLimits {
                function_bytes: value(LimitKey::FunctionBytes),
                locals: count(LimitKey::Locals),
                functions: count(LimitKey::Functions),
                types: count(LimitKey::Types),
                items: count(LimitKey::Items),
                memory_bytes: value(LimitKey::CompileMemory),
                time: Duration::from_micros(value(LimitKey::CompileTime)),
            },
        }
    }

    /// A limit by its key, in the base of its unit: microseconds, bytes, counts.
    pub fn value(&self, key: LimitKey) -> u64 {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        match key {
            LimitKey::Time => micros(self.time),
            LimitKey::Memory => self.memory_bytes,
            LimitKey::Input => self.input_bytes,
            LimitKey::Output => self.output_bytes,
            LimitKey::Handles => u64::from(self.handles),
            LimitKey::Stack => self.stack_bytes,
            LimitKey::LogBytes => self.log_bytes,
            LimitKey::LogLines => u64::from(self.log_lines),
            LimitKey::FunctionBytes => self.compile.function_bytes,
            LimitKey::Locals => u64::from(self.compile.locals),
            LimitKey::Functions => u64::from(self.compile.functions),
            LimitKey::Types => u64::from(self.compile.types),
            LimitKey::Items => u64::from(self.compile.items),
            LimitKey::CompileMemory => self.compile.memory_bytes,
            LimitKey::CompileTime => micros(self.compile.time),
        }
    }

    pub(crate) fn with(self, key: LimitKey, value: u64) -> Limits {
        Limits::from_values(|other| {
            if other == key {
                value
            } else {
                self.value(other)
            }
        })
    }
}

/// Why a text is not a time or a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuantityError {
    /// The text does not begin with digits, or contains more than digits and letters.
    NotANumber,
    /// Nothing follows the digits.
    NoUnit,
    /// The text after the digits is an unknown unit.
    UnknownUnit,
    /// The value needs more than 64 bits.
    TooLarge,
}

impl Unit {
    /// The suffixes of a value, with their factors, smallest first.
    pub const fn suffixes(self) -> &'static [(&'static str, u64)] {
        match self {
            Unit::Time => &[("us", 1), ("ms", 1_000), ("s", 1_000_000)],
            Unit::Size => &[
                ("B", 1),
                ("KB", 1_000),
                ("KiB", 1 << 10),
                ("MB", 1_000_000),
                ("MiB", 1 << 20),
                ("GiB", 1 << 30),
            ],
            Unit::Count => &[],
        }
    }

    /// A value as spelled in filters.toml, without the quotes: `250ms`, `64MiB`, `100`.
    pub fn show(self, value: u64) -> String {
        if value == 0 && matches!(self, Unit::Time) {
            return "0s".to_owned();
        }
        // Sizes are shown in powers of two, in whichever way they were written.
        self.suffixes()
            .iter()
            .rev()
            .filter(|(suffix, _)| !matches!(*suffix, "KB" | "MB"))
            .find(|(_, factor)| value >= *factor && value.is_multiple_of(*factor))
            .or(self.suffixes().first())
            .map_or(value.to_string(), |(suffix, factor)| {
                format!("{}{suffix}", value / factor)
            })
    }

    /// Reads the output of [`Unit::show`], for times and sizes.
    pub(super) fn parse(self, text: &str) -> Result<u64, QuantityError> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, suffix) = text.split_at(digits);
        if digits == 0 || !suffix.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Err(QuantityError::NotANumber);
        }
        if suffix.is_empty() {
            return Err(QuantityError::NoUnit);
        }
        let factor = self
            .suffixes()
            .iter()
            .find_map(|(known, factor)| (*known == suffix).then_some(*factor))
            .ok_or(QuantityError::UnknownUnit)?;
        number
            .parse::<u64>()
            .ok()
            .and_then(|number| number.checked_mul(factor))
            .ok_or(QuantityError::TooLarge)
    }

    fn allowed(self) -> String {
        let suffixes: Vec<&str> = self.suffixes().iter().map(|(suffix, _)| *suffix).collect();
        match self {
            Unit::Count => "a whole number".to_owned(),
            _ => format!("a whole number and {}, in quotes", suffixes.join("|")),
        }
    }
}

/// Reads `limits`: `base`, overridden by the keys of the table. `origins`: the places of these keys.
pub(super) fn read(
    value: &Value<'_>,
    base: Limits,
    origins: &mut Origins,
    findings: &mut Findings<'_>,
) -> Limits {
    let mut limits = base;
    let Some(fields) = findings.table(value, "`limits`", "a table such as { time = \"50ms\" }")
    else {
        return limits;
    };
    fields.deny_unknown(&LIMITS.map(|row| row.name), findings);
    for row in &LIMITS {
        let value = fields.get(row.name);
        let amount = value.and_then(|value| read_one(value, row, findings));
        if let (Some(value), Some(amount)) = (value, amount) {
            origins.limits.push((row.key, value.span().into()));
            limits = limits.with(row.key, amount);
        }
    }
    limits
}

pub(super) fn read_one<K>(
    value: &Value<'_>,
    row: &LimitRow<K>,
    findings: &mut Findings<'_>,
) -> Option<u64> {
    let span: Span = value.span().into();
    let name = row.name;
    let example = format!("for example: {name} = {}", row.example());
    // An amount that is too large for 64 bits is out of range as well.
    let amount = match (value.get_ref(), row.unit) {
        (DeValue::Integer(number), Unit::Count) => match raw::integer(number) {
            Some(number) if number < 0 => None,
            Some(number) => u64::try_from(number).ok(),
            None => None,
        },
        (DeValue::String(text), Unit::Time | Unit::Size) => match row.unit.parse(text) {
            Ok(amount) => Some(amount),
            Err(QuantityError::TooLarge) => None,
            Err(error) => {
                let found = match error {
                    QuantityError::NoUnit => "a number without a unit".to_owned(),
                    QuantityError::UnknownUnit => {
                        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
                        format!("the unit {}", names::quote(unit))
                    }
                    _ => names::quote(text),
                };
                let label = format!("found {found}, allowed: {}", row.unit.allowed());
                let message = format!("`{name}` is not {}", row.unit.noun());
                findings.push(Finding::error(span, message, label).help(example));
                return None;
            }
        },
        (DeValue::Integer(_), Unit::Time | Unit::Size) => {
            let allowed = row.unit.allowed();
            let label = format!("found a number without a unit, allowed: {allowed}");
            let message = format!("`{name}` is not {}", row.unit.noun());
            findings.push(Finding::error(span, message, label).help(example));
            return None;
        }
        (_, unit) => {
            let what = format!("`{name}`");
            findings.wrong_type(value, &what, &unit.allowed(), Some(example));
            return None;
        }
    };
    if let Some(amount) = amount.filter(|amount| (row.least..=row.most).contains(amount)) {
        return Some(amount);
    }
    let (least, most) = (row.unit.show(row.least), row.unit.show(row.most));
    let label = format!("allowed: {least} to {most}");
    let finding =
        Finding::error(span, format!("`{name}` is out of range"), label).code(Code::OutOfRange);
    findings.push(finding.help(format!("`{name}` bounds the {}", row.why)));
    None
}

impl Unit {
    fn noun(self) -> &'static str {
        match self {
            Unit::Time => "a duration",
            Unit::Size => "a size",
            Unit::Count => "a count",
        }
    }
}

impl<K> LimitRow<K> {
    /// The default as spelled in filters.toml, quotes included.
    pub fn example(&self) -> String {
        let shown = self.unit.show(self.default);
        match self.unit {
            Unit::Count => shown,
            Unit::Time | Unit::Size => format!("\"{shown}\""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_a_whole_number_and_a_unit() {
        let cases = [
            (Unit::Time, "1us", Ok(1)),
            (Unit::Time, "250ms", Ok(250_000)),
            (Unit::Time, "60s", Ok(60_000_000)),
            (Unit::Size, "7B", Ok(7)),
            (Unit::Size, "2KB", Ok(2_000)),
            (Unit::Size, "2KiB", Ok(2_048)),
            (Unit::Size, "3MB", Ok(3_000_000)),
            (Unit::Size, "3MiB", Ok(3 << 20)),
            (Unit::Size, "1GiB", Ok(1 << 30)),
            (Unit::Time, "", Err(QuantityError::NotANumber)),
            (Unit::Time, "ms", Err(QuantityError::NotANumber)),
            (Unit::Time, "-1ms", Err(QuantityError::NotANumber)),
            (Unit::Time, "1.5s", Err(QuantityError::NotANumber)),
            (Unit::Time, "1 s", Err(QuantityError::NotANumber)),
            (Unit::Time, "١s", Err(QuantityError::NotANumber)),
            (Unit::Time, "5", Err(QuantityError::NoUnit)),
            (Unit::Time, "5m", Err(QuantityError::UnknownUnit)),
            (Unit::Time, "5MS", Err(QuantityError::UnknownUnit)),
            (Unit::Size, "5mb", Err(QuantityError::UnknownUnit)),
            (Unit::Size, "5ms", Err(QuantityError::UnknownUnit)),
            (
                Unit::Time,
                "99999999999999999999us",
                Err(QuantityError::TooLarge),
            ),
            (
                Unit::Size,
                "18446744073709551615KiB",
                Err(QuantityError::TooLarge),
            ),
        ];
        for (unit, text, expected) in cases {
            assert_eq!(unit.parse(text), expected, "{unit:?} `{text}`");
        }
    }

    #[test]
    fn values_are_shown_in_the_largest_unit_that_is_exact() {
        let cases = [
            (Unit::Time, 1_500_000, "1500ms"),
            (Unit::Time, 60_000_000, "60s"),
            (Unit::Size, 0, "0B"),
            (Unit::Size, 1_000, "1000B"),
            (Unit::Size, 1 << 20, "1MiB"),
            (Unit::Count, 64, "64"),
        ];
        for (unit, value, expected) in cases {
            assert_eq!(unit.show(value), expected);
        }
    }

    #[test]
    fn what_compiling_may_use_grows_with_the_plugin_up_to_a_bound() {
        let limits = Limits::default().compile;
        assert_eq!(limits.memory_for(0), limits.memory_bytes);
        assert_eq!(limits.time_for(0), limits.time);
        let (small, large) = (1 << 20, usize::MAX);
        assert!(limits.memory_for(small) > limits.memory_bytes);
        assert!(limits.time_for(small) > limits.time);
        assert_eq!(limits.memory_for(large), COMPILE_GROWTH.most_memory_bytes);
        assert_eq!(limits.time_for(large), COMPILE_GROWTH.most_time);
        // Who says more gets it.
        let raised = CompileLimits {
            memory_bytes: 8 << 30,
            ..limits
        };
        assert_eq!(raised.memory_for(large), 8 << 30);
    }

    #[test]
    fn one_limit_over_another_changes_nothing_else() {
        for row in LIMITS {
            let limits = Limits::default().with(row.key, row.least);
            for other in LIMITS {
                let expected = if other.key == row.key {
                    row.least
                } else {
                    other.default
                };
                assert_eq!(
                    limits.value(other.key),
                    expected,
                    "{} over {}",
                    row.name,
                    other.name
                );
            }
        }
    }
}
