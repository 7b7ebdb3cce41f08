//! The circuit breaker pauses a filter that fails repeatedly. So a broken plugin costs its time
//! limit a few times and not at every call.

use crate::lock::lock;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Failures in a row after which a filter is paused: one may be the document's fault, three in a
/// row are the filter's.
pub(super) const FAULTS_BEFORE_PAUSE: u32 = 3;
/// Long enough to matter, short enough that a fixed plugin runs again before anyone restarts.
const PAUSE: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(super) struct Breaker {
    state: Mutex<State>,
    never_pauses: bool,
}

#[derive(Default)]
struct State {
    faults: u32,
    paused_until: Option<Instant>,
}

impl Breaker {
    /// Pauses nothing, so that the result of one document does not depend on others.
    pub(super) fn never() -> Breaker {
        Breaker {
            never_pauses: true,
            ..Breaker::default()
        }
    }

    /// Whether the filter is paused.
    pub(super) fn is_open(&self) -> bool {
        let state = lock(&self.state);
        state
            .paused_until
            .is_some_and(|until| Instant::now() < until)
    }

    /// Counts a call. Says how long the pause is that it started, if it did.
    pub(super) fn note(&self, fault: bool) -> Option<Duration> {
        if self.never_pauses {
            return None;
        }
        let mut state = lock(&self.state);
        if !fault {
            *state = State::default();
            return None;
        }
        state.faults += 1;
        if state.faults < FAULTS_BEFORE_PAUSE {
            return None;
        }
        // After the pause one call decides: a fault pauses again, a success forgets all.
        state.faults = FAULTS_BEFORE_PAUSE - 1;
        state.paused_until = Some(Instant::now() + PAUSE);
        Some(PAUSE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_faults_in_a_row_pause() {
        let breaker = Breaker::default();
        for fault in [true, true, false, true, true] {
            assert_eq!(breaker.note(fault), None);
            assert!(!breaker.is_open());
        }
        assert_eq!(breaker.note(true), Some(PAUSE));
        assert!(breaker.is_open());
        let never = Breaker::never();
        assert!((0..9).all(|_| never.note(true).is_none()));
        assert!(!never.is_open());
    }
}
