//! The differences in one call.

use super::{Failed, Made};
use crate::mcp::shape::readable;
use crate::recording::Call;
use crate::tokens;
use std::sync::Arc;

/// One call, before and after the change of policy.
#[derive(Debug)]
pub struct Difference {
    /// The index of the call.
    pub index: usize,
    /// The chain now; none: the tool has none.
    pub chain: Option<Arc<str>>,
    /// Bytes of the result.
    pub bytes: Change<usize>,
    /// Tokens of its text for a model.
    pub tokens: Change<u32>,
    /// Whether any byte is another.
    pub changed: bool,
    /// Whether content was cut, so that the original is stored.
    pub cut: Change<bool>,
    /// Whether the model gets to see nothing of it.
    pub withheld: Change<bool>,
    /// Steps that fail now and did not fail then.
    pub newly_failed: Vec<Failed>,
}

/// Then and now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change<T> {
    pub then: T,
    pub now: T,
}

impl Difference {
    /// `then`: none, if the call is compared with the server's result.
    pub(super) fn new(index: usize, call: &Call, then: Option<&Made>, now: &Made) -> Difference {
        let result = then.map_or(&call.result, |then| &then.result);
        let changed = *result != now.result;
        let tokens_then = tokens_of(result);
        let failures = then.map(Made::failures).unwrap_or_default();
        let is_new = |failed: &Failed| !failures.iter().any(|known| known.is_like(failed));
        Difference {
            index,
            chain: now.chain.clone(),
            bytes: Change {
                then: result.len(),
                now: now.result.len(),
            },
            tokens: Change {
                then: tokens_then,
                now: match changed {
                    true => tokens_of(&now.result),
                    false => tokens_then,
                },
            },
            changed,
            cut: Change {
                then: then.is_some_and(|then| then.cut),
                now: now.cut,
            },
            withheld: Change {
                then: then.is_some_and(|then| then.withheld),
                now: now.withheld,
            },
            newly_failed: now.failures().into_iter().filter(is_new).collect(),
        }
    }

    /// Whether the original is stored now and was not then.
    pub fn is_newly_cut(&self) -> bool {
        self.cut.now && !self.cut.then
    }

    /// Whether a step fails now that did not fail then, or all is withheld that was not.
    pub fn is_newly_failed(&self) -> bool {
        !self.newly_failed.is_empty() || (self.withheld.now && !self.withheld.then)
    }

    /// Whether any difference exists.
    pub fn is_any(&self) -> bool {
        self.changed || self.is_newly_cut() || self.is_newly_failed()
    }
}

fn tokens_of(result: &[u8]) -> u32 {
    let texts = readable(result);
    texts.iter().map(|text| tokens::count(text)).sum()
}
