//! Work on threads that serve connections.
//!
//! Short work is done where it arises: to hand it to another thread, and to be woken for what it made, takes as long as
//! the filters of most results. Work that turns out long first hands the connections of its thread to another one, so
//! it delays no other client.

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

/// Time after which work is long.
const SHORT: Duration = Duration::from_millis(5);

/// Time in which another thread takes the connections over, if a processor is free.
const HANDING_OVER: Duration = Duration::from_micros(200);

thread_local! {
    /// The short work that goes on, on a thread that serves connections.
    static WORK: Cell<Option<Work>> = const { Cell::new(None) };
}

#[derive(Clone, Copy)]
struct Work {
    begun: Instant,
    /// How often it was looked at since it became long.
    looks: u32,
}

/// Does work that is short as a rule.
pub fn short<T>(work: impl FnOnce() -> T) -> T {
    let serves = Handle::try_current()
        .is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    let work_here = serves.then(|| Work {
        begun: Instant::now(),
        looks: 0,
    });
    let _outer = Restore(WORK.replace(work_here));
    work()
}

/// Waits for something else than a processor. Meanwhile another thread serves the connections.
pub fn wait<T>(wait: impl FnOnce() -> T) -> T {
    match WORK.get() {
        Some(_) => block_in_place(wait),
        None => wait(),
    }
}

/// When to look whether work of this thread has become long; at the end of its time at the latest.
pub fn look_after(time: Duration) -> Duration {
    match WORK.get() {
        Some(_) => time.min(SHORT),
        None => time,
    }
}

/// Work goes on. If it began long ago, another thread takes the connections over.
pub fn look() {
    let Some(work) = WORK.get().filter(|work| work.begun.elapsed() >= SHORT) else {
        return;
    };
    let looks = work.looks.saturating_add(1);
    WORK.set(Some(Work { looks, ..work }));
    // Where no processor was free for the other thread, again later.
    if looks.is_power_of_two() {
        block_in_place(|| thread::sleep(HANDING_OVER));
    }
}

/// Restores the outer work's state, even if the work panics.
struct Restore(Option<Work>);

impl Drop for Restore {
    fn drop(&mut self) {
        WORK.set(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Runs work on a runtime with one thread; returns whether another task ran before the work ended.
    fn lets_others_run(work: impl FnOnce() + Send + 'static) -> bool {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .build()
            .unwrap();
        let (ran, ended) = (Arc::new(AtomicBool::new(false)), Instant::now());
        let of_other = Arc::clone(&ran);
        let working = runtime.spawn(async move {
            tokio::spawn(async move { of_other.store(true, Ordering::SeqCst) });
            short(work);
            ran.load(Ordering::SeqCst)
        });
        let ran = runtime.block_on(working).unwrap();
        assert!(ended.elapsed() < Duration::from_secs(30));
        ran
    }

    #[test]
    fn short_work_keeps_its_thread() {
        assert!(!lets_others_run(|| {}));
    }

    #[test]
    fn who_waits_leaves_its_connections_to_another_thread() {
        assert!(lets_others_run(|| wait(|| thread::sleep(
            Duration::from_millis(300)
        ))));
    }

    #[test]
    fn long_work_leaves_its_connections_to_another_thread() {
        assert!(lets_others_run(|| {
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_millis(300) {
                thread::sleep(look_after(Duration::from_millis(1)));
                look();
            }
        }));
    }

    #[test]
    fn a_look_at_work_that_has_just_begun_hands_nothing_over() {
        assert!(!lets_others_run(look));
    }

    #[test]
    fn elsewhere_nothing_is_handed_over() {
        assert_eq!(look_after(Duration::from_secs(1)), Duration::from_secs(1));
        look();
        assert_eq!(wait(|| 1), 1);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async { short(|| wait(look)) });
    }
}
