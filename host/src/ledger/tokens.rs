//! Tokens of texts that mostly share their memory: each is counted once.

use crate::tokens;
use std::collections::HashMap;
use std::sync::Arc;

/// Counts the tokens of a text.
pub(super) type Count = dyn Fn(&str) -> u64 + Send;

pub(super) fn o200k(text: &str) -> u64 {
    u64::from(tokens::count(text))
}

/// The counts of one receipt's texts. A text that is in it twice is the same allocation, since steps
/// hand documents on; so the address tells, without looking at megabytes.
pub(super) struct Counted<'a> {
    count: &'a Count,
    known: HashMap<*const u8, u64>,
}

impl<'a> Counted<'a> {
    pub fn new(count: &'a Count) -> Counted<'a> {
        Counted {
            count,
            known: HashMap::new(),
        }
    }

    /// Tokens of a text. `text` must live as long as this counter, which remembers its address.
    pub fn tokens(&mut self, text: &'a Arc<str>) -> u64 {
        if text.is_empty() {
            return 0;
        }
        let count = self.count;
        *self
            .known
            .entry(text.as_ptr())
            .or_insert_with(|| count(text))
    }

    pub fn tokens_of_all(&mut self, texts: &'a [Arc<str>]) -> u64 {
        texts.iter().map(|text| self.tokens(text)).sum()
    }
}
