//! How much may come out: limits from the settings, lowered by the call's own arguments.
//!
//! Owns both measures. The estimate errs to one side: what it refuses does not fit, what it lets pass
//! may not fit either. The count is exact, asked of the host for a whole output and only when its
//! length leaves room for doubt.

use serde_json::{Map, Value};

use super::settings::Budget;

/// Rows of code take about 3 bytes a token and prose 4.5. More than this is rare, so that the estimate
/// hardly ever refuses what would have fitted.
const MOST_BYTES_PER_TOKEN: usize = 6;
/// What the host counts at once.
const COUNTED_AT_ONCE_BYTES: usize = 60 * 1024;

/// The limits of one call.
pub struct Limits {
    tokens: Option<usize>,
    rows: Option<usize>,
}

impl Limits {
    pub fn of(budget: &Budget, arguments: &Map<String, Value>) -> Limits {
        let lowest = |limit: u32, argument: &Option<String>| {
            let limit = (limit > 0).then_some(limit as usize);
            let argument = argument.as_ref().and_then(|name| arguments.get(name));
            let lower = argument.and_then(whole_number);
            limit.into_iter().chain(lower).min()
        };
        Limits {
            tokens: lowest(budget.max_tokens, &budget.max_tokens_argument),
            rows: lowest(budget.max_rows, &budget.max_rows_argument),
        }
    }

    /// Whether an output with so many rows and bytes may fit, by the estimate.
    pub fn may_hold(&self, rows: usize, bytes: usize) -> bool {
        self.rows.is_none_or(|limit| rows <= limit)
            && self
                .tokens
                .is_none_or(|limit| bytes / MOST_BYTES_PER_TOKEN <= limit)
    }

    /// Whether an output has no more tokens than it may.
    pub fn holds(&self, output: &str) -> bool {
        // A token has at least one byte.
        self.tokens
            .is_none_or(|limit| output.len() <= limit || tokens(output) <= limit)
    }
}

/// A limit as clients send it: a number from 1, or one in quotes. Anything else says nothing.
fn whole_number(value: &Value) -> Option<usize> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok()?,
        value => value.as_f64()?,
    };
    (number >= 1.0).then_some(number as usize)
}

/// Tokens of a text of any length. Cut into parts it has at least as many, or nearly.
fn tokens(text: &str) -> usize {
    let mut rest = text;
    let mut sum = 0;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(rest.floor_char_boundary(COUNTED_AT_ONCE_BYTES));
        sum += tamis_sdk::tokens(part) as usize;
        rest = after;
    }
    sum
}
