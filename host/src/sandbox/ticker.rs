//! The clock behind deadlines: a thread that raises the engine's epoch every millisecond, so that running guests
//! stop and check their deadline. The thread sleeps while nothing runs.

use anyhow::{Context, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::Thread;
use std::time::Duration;
use wasmtime::{Engine, EngineWeak};

/// How far past its deadline a guest may run.
pub(super) const TICK: Duration = Duration::from_millis(1);
/// Ticks without a call until the thread sleeps. Waking it costs a call some microseconds, so it stays awake
/// through a burst of calls.
const IDLE_TICKS: u32 = 1000;

pub(super) struct Ticker {
    shared: Arc<Shared>,
    thread: Thread,
}

struct Shared {
    running: AtomicUsize,
    asleep: AtomicBool,
}

/// Keeps the ticker running during a call.
pub(super) struct Ticking(Arc<Shared>);

impl Ticker {
    pub(super) fn start(engine: &Engine) -> Result<Ticker> {
        let shared = Arc::new(Shared {
            running: AtomicUsize::new(0),
            asleep: AtomicBool::new(false),
        });
        let engine = engine.weak();
        let handle = std::thread::Builder::new()
            .name("tamis-ticker".to_owned())
            .spawn({
                let shared = shared.clone();
                move || tick(&engine, &shared)
            })
            .context("start the ticker thread")?;
        Ok(Ticker {
            shared,
            thread: handle.thread().clone(),
        })
    }

    pub(super) fn begin(&self) -> Ticking {
        self.shared.running.fetch_add(1, Ordering::SeqCst);
        // Sequentially consistent with `tick`: either it sees this call, or this sees it asleep.
        if self.shared.asleep.swap(false, Ordering::SeqCst) {
            self.thread.unpark();
        }
        Ticking(Arc::clone(&self.shared))
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        // The engine ends with its last user; the thread sees that when it wakes.
        self.shared.asleep.store(false, Ordering::SeqCst);
        self.thread.unpark();
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Ends when the engine no longer exists.
fn tick(engine: &EngineWeak, shared: &Shared) {
    let mut idle = 0;
    loop {
        std::thread::sleep(TICK);
        let Some(engine) = engine.upgrade() else {
            return;
        };
        engine.increment_epoch();
        drop(engine);
        if shared.running.load(Ordering::SeqCst) > 0 {
            idle = 0;
            continue;
        }
        idle += 1;
        if idle < IDLE_TICKS {
            continue;
        }
        idle = 0;
        shared.asleep.store(true, Ordering::SeqCst);
        while shared.running.load(Ordering::SeqCst) == 0 && shared.asleep.load(Ordering::SeqCst) {
            std::thread::park();
        }
        shared.asleep.store(false, Ordering::SeqCst);
    }
}
