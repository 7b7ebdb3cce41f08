//! Answers that arrived, but that no request can be found for.
//!
//! One of the requests that waited at that time has lost its answer. If only as many wait as answers were lost,
//! those have lost theirs. Otherwise the others get some time to be answered, and the clients of the remaining
//! requests are told that no answer will come.

use crate::mcp::frame::RequestId;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// The time for answers to arrive that were not lost.
const ANSWERED_WITHIN: Duration = Duration::from_secs(30);

/// A request: its stream, and its id.
pub(super) type Request = (u64, RequestId);

#[derive(Debug, Default)]
pub(super) struct Lost {
    /// Answers that were lost.
    answers: usize,
    /// The requests that waited when an answer was lost, and until when they are suspected.
    suspects: HashMap<Request, Instant>,
}

impl Lost {
    /// Notes that an answer was lost while these requests waited. Returns when to check again; none: no request
    /// waits longer than before.
    pub(super) fn note(
        &mut self,
        waiting: impl Iterator<Item = Request>,
        now: Instant,
    ) -> Option<Instant> {
        let until = now + ANSWERED_WITHIN;
        let before = self.suspects.len();
        for request in waiting {
            self.suspects.entry(request).or_insert(until);
        }
        if !self.suspects.is_empty() {
            self.answers += 1;
        }
        (self.suspects.len() > before).then_some(until)
    }

    /// Notes that a request no longer waits.
    pub(super) fn settle(&mut self, request: &Request) {
        self.suspects.remove(request);
    }

    /// The requests that will get no answer.
    pub(super) fn take(&mut self, now: Instant) -> Vec<Request> {
        let all = self.answers >= self.suspects.len();
        let gone = self.suspects.extract_if(|_, until| all || *until <= now);
        let gone: Vec<Request> = gone.map(|(request, _)| request).collect();
        self.answers = self.answers.saturating_sub(gone.len());
        if self.suspects.is_empty() {
            self.answers = 0;
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(numbers: &[u64]) -> impl Iterator<Item = Request> {
        let request = |number: &u64| (*number, RequestId::Integer(1));
        numbers.iter().map(request).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn the_only_one_who_waits_has_lost_its_answer() {
        let (mut lost, now) = (Lost::default(), Instant::now());
        assert_eq!(lost.note(requests(&[]), now), None);
        assert_eq!(lost.take(now), []);
        assert!(lost.note(requests(&[7]), now).is_some());
        assert_eq!(lost.take(now), requests(&[7]).collect::<Vec<_>>());
        assert_eq!(lost.take(now), []);
    }

    #[test]
    fn of_several_it_is_the_last_or_all_that_are_left_in_the_end() {
        let (mut lost, now) = (Lost::default(), Instant::now());
        let until = lost.note(requests(&[1, 2, 3]), now).expect("a time");
        assert_eq!(lost.take(now), []);
        lost.settle(&(2, RequestId::Integer(1)));
        assert_eq!(lost.take(now), []);
        // Another came, and one more has begun to wait since.
        let later = now + Duration::from_secs(1);
        let last = lost.note(requests(&[1, 3, 4]), later).expect("a time");
        assert_eq!(lost.note(requests(&[1, 3, 4]), later), None);
        lost.settle(&(4, RequestId::Integer(1)));
        let mut gone = lost.take(later);
        gone.sort_unstable_by_key(|(number, _)| *number);
        assert_eq!(gone, requests(&[1, 3]).collect::<Vec<_>>(), "3 were lost");

        lost.note(requests(&[1, 2]), now);
        lost.note(requests(&[5, 6]), later);
        assert_eq!(lost.take(now), []);
        assert_eq!(lost.take(until).len(), 2);
        assert_eq!(lost.take(until), []);
        assert_eq!(lost.take(last).len(), 2);
        assert_eq!(lost.answers, 0);
    }
}
