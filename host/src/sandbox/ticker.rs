//! The clock behind deadlines: a thread that raises the engine's epoch when a call's time is up, so that running
//! guests stop and check their deadline, and again every millisecond until that call has ended.
//!
//! The thread sleeps until the earliest deadline. Calls begin and end meanwhile, and each new deadline is usually later
//! than the one it sleeps for, so it wakes a few times a second, however many calls there are.

use crate::lock::lock;
use anyhow::{Context, Result};
use std::sync::{Arc, Mutex};
use std::thread::Thread;
use std::time::{Duration, Instant};
use wasmtime::{Engine, EngineWeak};

/// How far past its deadline a guest may run.
pub(super) const TICK: Duration = Duration::from_millis(1);
/// Time without a call until the thread sleeps for good. Waking it costs a call some microseconds, so until then it
/// sleeps as if a call had just begun.
const IDLE: Duration = Duration::from_secs(1);

pub(super) struct Ticker {
    calls: Arc<Mutex<Calls>>,
    thread: Thread,
}

/// A call that has a deadline until this is dropped.
pub(super) struct Ticking {
    calls: Arc<Mutex<Calls>>,
    number: u64,
}

/// The calls that run.
struct Calls {
    /// Number and deadline of each.
    running: Vec<(u64, Instant)>,
    begun: u64,
    /// The time that the latest call has, and when it began.
    latest: Option<(Duration, Instant)>,
    /// When the thread wakes by itself. None: never.
    wakes_at: Option<Instant>,
    /// No call begins any more.
    ended: bool,
}

/// What the thread does next.
#[derive(Debug, PartialEq)]
enum Next {
    /// Raises the epoch, since a call's time is up; looks again after [`TICK`].
    Tick,
    SleepUntil(Instant),
    Sleep,
    End,
}

impl Ticker {
    pub(super) fn start(engine: &Engine) -> Result<Ticker> {
        let calls = Arc::new(Mutex::new(Calls::new()));
        let engine = engine.weak();
        let handle = std::thread::Builder::new()
            .name("tamis-ticker".to_owned())
            .spawn({
                let calls = calls.clone();
                move || tick(&engine, &calls)
            })
            .context("start the ticker thread")?;
        Ok(Ticker {
            calls,
            thread: handle.thread().clone(),
        })
    }

    /// Begins a call that may take `time`. With no time at all, its guest looks at the clock every [`TICK`].
    pub(super) fn begin(&self, time: Duration) -> Ticking {
        let (number, wakes) = lock(&self.calls).begin(Instant::now(), time);
        if wakes {
            self.thread.unpark();
        }
        Ticking {
            calls: Arc::clone(&self.calls),
            number,
        }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        lock(&self.calls).ended = true;
        self.thread.unpark();
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        lock(&self.calls).end(self.number);
    }
}

impl Calls {
    fn new() -> Calls {
        Calls {
            running: Vec::new(),
            begun: 0,
            latest: None,
            wakes_at: None,
            ended: false,
        }
    }

    /// The number of the call, and whether the thread must be woken for it.
    fn begin(&mut self, now: Instant, time: Duration) -> (u64, bool) {
        self.begun += 1;
        let deadline = now + time;
        self.running.push((self.begun, deadline));
        self.latest = Some((time, now));
        let wakes = self.wakes_at.is_none_or(|wakes_at| deadline < wakes_at);
        if wakes {
            // Calls until then need not wake it again.
            self.wakes_at = Some(deadline);
        }
        (self.begun, wakes)
    }

    fn end(&mut self, number: u64) {
        self.running.retain(|(running, _)| *running != number);
    }

    fn next(&mut self, now: Instant) -> Next {
        let earliest = self.running.iter().map(|(_, deadline)| *deadline).min();
        let next = match (earliest, self.latest) {
            (Some(deadline), _) if deadline <= now => Next::Tick,
            (Some(deadline), _) => Next::SleepUntil(deadline),
            (None, _) if self.ended => Next::End,
            (None, Some((time, begun))) if now < begun + IDLE => Next::SleepUntil(now + time),
            (None, _) => Next::Sleep,
        };
        self.wakes_at = match next {
            Next::Tick => Some(now + TICK),
            Next::SleepUntil(then) => Some(then),
            Next::Sleep | Next::End => None,
        };
        next
    }
}

/// Ends when the engine no longer exists.
fn tick(engine: &EngineWeak, calls: &Mutex<Calls>) {
    loop {
        let now = Instant::now();
        let next = lock(calls).next(now);
        match next {
            Next::Tick => {
                let Some(engine) = engine.upgrade() else {
                    return;
                };
                engine.increment_epoch();
                drop(engine);
                std::thread::park_timeout(TICK);
            }
            Next::SleepUntil(then) => std::thread::park_timeout(then - now),
            Next::Sleep => std::thread::park(),
            Next::End => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(10);
    const LONG: Duration = Duration::from_millis(250);

    #[test]
    fn the_thread_sleeps_until_the_earliest_deadline() {
        let start = Instant::now();
        let mut calls = Calls::new();
        assert_eq!(calls.next(start), Next::Sleep);
        let (first, wakes) = calls.begin(start, LONG);
        assert!(wakes, "it sleeps for good");
        assert_eq!(calls.next(start), Next::SleepUntil(start + LONG));
        // A later deadline wakes nobody, an earlier one does.
        let (_, wakes) = calls.begin(start + SHORT, LONG);
        assert!(!wakes);
        let (third, wakes) = calls.begin(start + SHORT, SHORT);
        assert!(wakes);
        let then = start + 2 * SHORT;
        assert_eq!(calls.next(start + SHORT), Next::SleepUntil(then));
        assert_eq!(calls.next(then), Next::Tick);
        assert_eq!(calls.next(then + TICK), Next::Tick, "until the call ends");
        calls.end(third);
        calls.end(first);
        let second = start + SHORT + LONG;
        assert_eq!(calls.next(then), Next::SleepUntil(second));
        assert_eq!(calls.next(second), Next::Tick);
    }

    #[test]
    fn between_calls_it_sleeps_so_that_the_next_call_need_not_wake_it() {
        let start = Instant::now();
        let mut calls = Calls::new();
        let (first, _) = calls.begin(start, LONG);
        calls.end(first);
        assert_eq!(calls.next(start), Next::SleepUntil(start + LONG));
        let (second, wakes) = calls.begin(start + SHORT, LONG);
        assert!(!wakes);
        calls.end(second);
        assert_eq!(calls.next(start + SHORT + IDLE), Next::Sleep);
        let (_, wakes) = calls.begin(start + 2 * IDLE, LONG);
        assert!(wakes);
    }

    #[test]
    fn a_call_without_time_is_ticked_at_once() {
        let start = Instant::now();
        let mut calls = Calls::new();
        let (_, wakes) = calls.begin(start, Duration::ZERO);
        assert!(wakes);
        assert_eq!(calls.next(start), Next::Tick);
    }

    #[test]
    fn it_ends_after_the_last_call() {
        let start = Instant::now();
        let mut calls = Calls::new();
        let (first, _) = calls.begin(start, SHORT);
        calls.ended = true;
        assert_eq!(calls.next(start), Next::SleepUntil(start + SHORT));
        assert_eq!(calls.next(start + SHORT), Next::Tick);
        calls.end(first);
        assert_eq!(calls.next(start + SHORT), Next::End);
    }
}
