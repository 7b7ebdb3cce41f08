//! Work on threads that serve connections.
//!
//! Short work is done where it arises: to hand it to another thread, and to be woken for what it made, takes as long as
//! the filters of most results. Work that turns out long first hands the connections of its thread to another one, so
//! it delays no other client.

use std::cell::Cell;
use std::thread;
use std::time::Duration;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

/// Time after which work is long.
const SHORT: Duration = Duration::from_millis(5);

/// Time in which another thread takes the connections over, if a processor is free.
const HANDING_OVER: Duration = Duration::from_micros(200);

thread_local! {
    /// Some: short work goes on, on a thread that serves connections. The number says how often it was looked at.
    static LOOKS: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Does work that is short as a rule.
pub fn short<T>(work: impl FnOnce() -> T) -> T {
    let serves = Handle::try_current()
        .is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    let _outer = Restore(LOOKS.replace(serves.then_some(0)));
    work()
}

/// Waits for something else than a processor. Meanwhile another thread serves the connections.
pub fn wait<T>(wait: impl FnOnce() -> T) -> T {
    match LOOKS.get() {
        Some(_) => block_in_place(wait),
        None => wait(),
    }
}

/// When to look whether work of this thread has become long; at the end of its time at the latest.
pub fn look_after(time: Duration) -> Duration {
    match LOOKS.get() {
        Some(_) => time.min(SHORT),
        None => time,
    }
}

/// Work that began long ago goes on: another thread takes the connections over.
pub fn look() {
    let Some(looks) = LOOKS.get() else {
        return;
    };
    LOOKS.set(Some(looks.saturating_add(1)));
    // Where no processor was free for the other thread, again later.
    if looks == 0 || looks.is_power_of_two() {
        block_in_place(|| thread::sleep(HANDING_OVER));
    }
}

/// Restores the outer work's state, even if the work panics.
struct Restore(Option<u32>);

impl Drop for Restore {
    fn drop(&mut self) {
        LOOKS.set(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

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
