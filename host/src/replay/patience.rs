//! Repeats calls that exceeded a limit of time. Such limits are times on the clock, and a busy machine alone
//! may exceed them. The result of a replay must not depend on that.

use super::Made;
use crate::lock::lock;
use crate::sandbox::SessionValues;
use std::collections::HashMap;
use std::sync::Mutex;

/// How often a call is tried in which a filter runs out of time: a machine is not that busy so often in a
/// row, for a filter that takes a thousandth of its time otherwise.
const TRIES: u32 = 4;

/// After so many calls in which it ran out of time each time, a filter is slow, and gets one try for a call:
/// a thousand calls would take minutes otherwise.
const BELIEVED: u32 = 3;

/// The name of the outcome.
const TIMEOUT: &str = "timeout";

/// The filters that are slow.
#[derive(Default)]
pub(super) struct Patience(Mutex<HashMap<String, u32>>);

impl Patience {
    /// The outcome of a call, tried again if a filter exceeds its time and is not known to be slow.
    /// Only the session values of the last try count.
    pub(super) fn settle(
        &self,
        session: &mut SessionValues,
        make: impl Fn(&SessionValues) -> Made,
    ) -> Made {
        let mut tries = 1;
        loop {
            let attempt = session.fork();
            let made = make(&attempt);
            let failures = made.failures();
            let late = failures.iter().filter(|failure| failure.outcome == TIMEOUT);
            let late: Vec<&str> = late.map(|failure| failure.filter.as_str()).collect();
            if tries < TRIES && late.iter().any(|filter| !self.is_slow(filter)) {
                tries += 1;
                continue;
            }
            if tries == TRIES {
                late.into_iter().for_each(|filter| self.note(filter));
            }
            *session = attempt;
            return made;
        }
    }

    fn is_slow(&self, filter: &str) -> bool {
        self.counts()
            .get(filter)
            .is_some_and(|count| *count >= BELIEVED)
    }

    fn note(&self, filter: &str) {
        *self.counts().entry(filter.to_owned()).or_default() += 1;
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, HashMap<String, u32>> {
        lock(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{Outcome, Receipt};
    use crate::document::Document;
    use crate::mcp::shape::FilteredDocument;
    use crate::sandbox::{CallError, Part};
    use std::cell::Cell;
    use std::time::Duration;

    /// A call in which the filter runs out of time, or does not.
    fn made(is_late: bool) -> Made {
        let document = Document::text_only("x");
        let outcome = match is_late {
            true => Outcome::Failed(CallError::Timeout {
                limit: Duration::from_millis(1),
            }),
            false => Outcome::Unchanged,
        };
        let receipt = Receipt {
            filter: "f".to_owned(),
            before: document.clone(),
            after: document,
            time: Duration::ZERO,
            outcome,
            legend: None,
            cut: false,
            shadow: false,
            withheld: false,
        };
        Made {
            chain: None,
            result: Vec::new(),
            withheld: false,
            cut: false,
            documents: vec![FilteredDocument {
                part: Part::Whole,
                index: 0,
                receipts: vec![receipt],
            }],
        }
    }

    /// How often a call is tried that runs out of time this often.
    fn tries(patience: &Patience, late: u32) -> (u32, bool) {
        let count = Cell::new(0);
        let made = patience.settle(&mut SessionValues::default(), |_| {
            count.set(count.get() + 1);
            made(count.get() <= late)
        });
        (count.get(), !made.failures().is_empty())
    }

    #[test]
    fn a_busy_machine_is_no_failure_and_a_slow_filter_is_one() {
        let patience = Patience::default();
        assert_eq!(tries(&patience, 0), (1, false));
        assert_eq!(tries(&patience, TRIES - 1), (TRIES, false));
        for _ in 0..BELIEVED {
            assert_eq!(tries(&patience, u32::MAX), (TRIES, true));
        }
        assert_eq!(tries(&patience, u32::MAX), (1, true));
    }
}
