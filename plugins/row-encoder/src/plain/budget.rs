//! The limits of the output: from the settings, lowered by the call's own arguments.
//!
//! Owns both measures. An output that the estimate refuses does not fit; one that it accepts may not fit either. The
//! count is exact. The host counts a whole output, and only if its length leaves a doubt.

use serde_json::{Map, Value};

use super::settings::Budget;

/// Code has about 3 bytes in a token and prose 4.5. More than this is rare, so the estimate hardly ever refuses an
/// output that would fit.
const MOST_BYTES_PER_TOKEN: usize = 6;
/// Most bytes that the host counts at once.
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

    /// Whether an output of this many rows and bytes may fit, by the estimate.
    pub fn may_hold(&self, rows: usize, bytes: usize) -> bool {
        self.rows.is_none_or(|limit| rows <= limit)
            && self
                .tokens
                .is_none_or(|limit| bytes / MOST_BYTES_PER_TOKEN <= limit)
    }

    /// Whether an output is within the limit of tokens.
    pub fn holds(&self, output: &str) -> bool {
        // A token has at least one byte.
        self.tokens
            .is_none_or(|limit| output.len() <= limit || tokens(output) <= limit)
    }
}

/// A limit as clients send it: a number from 1, or one in quotes. Other values set no limit.
fn whole_number(value: &Value) -> Option<usize> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok()?,
        value => value.as_f64()?,
    };
    (number >= 1.0).then_some(number as usize)
}

/// Tokens of a text of any length. Counted in parts, a text has about as many tokens, or a few more.
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
