//! Whether a service on another machine answers: after a few failures nothing waits for it for a while.
//!
//! Refuses to know what the service is and what is asked of it.

use crate::lock::lock;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Handle};
use tokio::time::timeout;

/// Failures in a row after which the service counts as away: one may be a lost connection.
const FAILURES: u32 = 3;

/// How long nobody asks a service that is away. Then one question is tried, and the others still fail at once.
pub const PAUSE: Duration = Duration::from_secs(1);

/// Where nobody asked for so long, what is known of a service that is away is too old to refuse anyone: all ask, until
/// one fails.
const KNOWN_FOR: Duration = Duration::from_secs(10);

/// The state of a service.
#[derive(Debug)]
pub struct Service {
    /// In words for the operator.
    name: String,
    state: Mutex<State>,
    asked: AtomicU64,
    failed: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    away_until: Option<Instant>,
}

/// The service is away, so it was not asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it did not answer lately, and is asked again in a moment")]
pub struct Away;

/// A thread that asks services, so that those that serve connections wait for nothing of it.
///
/// # Errors
///
/// The system refused it.
pub fn runtime() -> io::Result<Handle> {
    static RUNTIME: OnceLock<Handle> = OnceLock::new();
    if let Some(handle) = RUNTIME.get() {
        return Ok(handle.clone());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    thread::Builder::new()
        .name("services".to_owned())
        .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
    // If two threads came here at once, one of the runtimes has nothing to do.
    Ok(RUNTIME.get_or_init(|| handle).clone())
}

/// In so many parts an answer is awaited: see [`within`].
const PARTS: u32 = 8;

/// The answer, if it comes in `time`. Where this process gets no processor for longer than that, an answer that has
/// arrived meanwhile is read first: a pause of the process takes one part of the time.
pub async fn within<T>(time: Duration, answer: impl Future<Output = T>) -> Option<T> {
    let mut answer = pin!(answer);
    let latest = Instant::now() + 2 * time;
    for _ in 0..PARTS {
        if let Ok(answer) = timeout(time / PARTS, &mut answer).await {
            return Some(answer);
        }
        if Instant::now() >= latest {
            // What arrived in a long pause is read by the next tasks of this thread.
            return timeout(time / PARTS, &mut answer).await.ok();
        }
    }
    None
}

impl Service {
    pub fn new(name: impl Into<String>) -> Service {
        Service {
            name: name.into(),
            state: Mutex::default(),
            asked: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        }
    }

    /// Whether the service may be asked now. Whoever asks says afterwards whether it answered.
    pub fn admit(&self) -> Result<(), Away> {
        let mut state = lock(&self.state);
        if let Some(until) = state.away_until {
            let now = Instant::now();
            if now < until {
                return Err(Away);
            }
            if now < until + KNOWN_FOR {
                // This one is the trial; others fail until it has an answer.
                state.away_until = Some(now + PAUSE);
            }
        }
        self.asked.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Notes an answer, even one that refuses.
    pub fn answered(&self) {
        let mut state = lock(&self.state);
        if state.away_until.is_some() {
            tracing::info!("{} answers again", self.name);
        }
        *state = State::default();
    }

    /// Notes that no answer came in time.
    pub fn failed(&self, why: &str) {
        self.failed.fetch_add(1, Ordering::Relaxed);
        let mut state = lock(&self.state);
        state.failures = state.failures.saturating_add(1);
        if state.failures < FAILURES {
            return;
        }
        if state.away_until.is_none() {
            tracing::warn!("{} does not answer: {why}", self.name);
        }
        state.away_until = Some(Instant::now() + PAUSE);
    }

    /// Whether the service counts as away.
    pub fn is_away(&self) -> bool {
        lock(&self.state).away_until.is_some()
    }

    /// Questions so far, and those that failed.
    pub fn counts(&self) -> [u64; 2] {
        [&self.asked, &self.failed].map(|count| count.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_that_fails_thrice_in_a_row_is_left_alone_but_for_one_trial() {
        let service = Service::new("the test");
        for is_answered in [false, false, true, false, false] {
            assert_eq!(service.admit(), Ok(()));
            match is_answered {
                true => service.answered(),
                false => service.failed("why"),
            }
            assert!(!service.is_away());
        }
        service.failed("why");
        assert_eq!(service.admit(), Err(Away));
        lock(&service.state).away_until = Some(Instant::now());
        assert_eq!(service.admit(), Ok(()), "the trial");
        assert_eq!(service.admit(), Err(Away), "all others");
        service.answered();
        assert_eq!(service.admit(), Ok(()));
        assert_eq!(service.counts(), [7, 5]);
    }

    #[tokio::test]
    async fn an_answer_that_came_while_the_process_had_no_processor_is_read() {
        let time = Duration::from_millis(80);
        // Another task brings the answer, as the one of a connection does, and this thread stands still before.
        let (sender, receiver) = tokio::sync::oneshot::channel();
        tokio::spawn(async move {
            tokio::task::yield_now().await;
            thread::sleep(3 * time);
            // Its own work takes another turn of the thread.
            tokio::task::yield_now().await;
            tokio::time::sleep(Duration::from_millis(1)).await;
            let _ = sender.send("answer");
        });
        assert_eq!(within(time, receiver).await, Some(Ok("answer")));
        let begun = Instant::now();
        assert_eq!(within(time, std::future::pending::<()>()).await, None);
        assert!(begun.elapsed() >= time, "{:?}", begun.elapsed());
    }

    #[test]
    fn a_service_that_nobody_asked_for_long_is_asked_by_all_until_one_fails() {
        let service = Service::new("the test");
        (0..3).for_each(|_| service.failed("why"));
        let long_ago = Instant::now().checked_sub(KNOWN_FOR);
        lock(&service.state).away_until = Some(long_ago.expect("the clock runs for longer"));
        for _ in 0..5 {
            assert_eq!(service.admit(), Ok(()));
        }
        assert!(service.is_away(), "nothing is known that is new");
        service.failed("why");
        assert_eq!(service.admit(), Err(Away), "one failed");
    }
}
