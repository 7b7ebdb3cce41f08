//! `limits` of `[serve]`: bounds on the use of `tamis serve` by callers.

use std::time::Duration;

use super::defaults::{SERVE_LIMITS, ServeLimit};
use super::limits;
use super::raw::{Findings, Value};

/// A value for each row of [`SERVE_LIMITS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServeLimits([u64; SERVE_LIMITS.len()]);

impl Default for ServeLimits {
    fn default() -> ServeLimits {
        ServeLimits(SERVE_LIMITS.map(|row| row.default))
    }
}

impl ServeLimits {
    /// A limit in the base of its unit: microseconds, bytes, counts.
    pub fn value(&self, key: ServeLimit) -> u64 {
        let mut rows = SERVE_LIMITS.iter().zip(self.0);
        rows.find_map(|(row, value)| (row.key == key).then_some(value))
            .unwrap_or_default()
    }

    /// A limit that is a time.
    pub fn time(&self, key: ServeLimit) -> Duration {
        Duration::from_micros(self.value(key))
    }

    /// A limit that is a number or a size.
    pub fn count(&self, key: ServeLimit) -> usize {
        usize::try_from(self.value(key)).unwrap_or(usize::MAX)
    }

    fn set(&mut self, key: ServeLimit, value: u64) {
        let mut rows = SERVE_LIMITS.iter().zip(&mut self.0);
        if let Some((_, place)) = rows.find(|(row, _)| row.key == key) {
            *place = value;
        }
    }
}

/// Reads `limits` of `[serve]`: the defaults, overridden by the keys of the table.
pub(super) fn read(value: &Value<'_>, findings: &mut Findings<'_>) -> ServeLimits {
    let mut limits = ServeLimits::default();
    let example = "a table such as { processes = 8 }";
    let Some(fields) = findings.table(value, "`limits`", example) else {
        return limits;
    };
    fields.deny_unknown(&SERVE_LIMITS.map(|row| row.name), findings);
    for row in &SERVE_LIMITS {
        let value = fields.get(row.name);
        if let Some(amount) = value.and_then(|value| limits::read_one(value, row, findings)) {
            limits.set(row.key, amount);
        }
    }
    limits
}
