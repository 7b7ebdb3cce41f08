//! A counting semaphore in front of the instance pool: an exhausted pool would be an error, but a call can wait
//! for the semaphore.

use super::numbers::Numbers;
use crate::lock::lock;
use crate::serving;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

pub(super) struct Slots(Arc<Shared>);

struct Shared {
    count: u32,
    state: Mutex<State>,
    freed: Condvar,
    numbers: Arc<Numbers>,
}

struct State {
    free: u32,
    /// Calls that wait for a place. Without any, no thread must be woken, which saves a call to the kernel.
    waiting: u32,
}

/// A place for one instance; returned when dropped.
pub(super) struct Slot(Arc<Shared>);

impl Slots {
    pub(super) fn new(count: u32, numbers: Arc<Numbers>) -> Slots {
        Slots(Arc::new(Shared {
            count,
            state: Mutex::new(State {
                free: count,
                waiting: 0,
            }),
            freed: Condvar::new(),
            numbers,
        }))
    }

    /// Waits for a place. Calls end by their deadlines, so this wait ends too.
    pub(super) fn take(&self) -> Slot {
        let Shared { freed, numbers, .. } = &*self.0;
        let mut state = self.0.state();
        if state.free == 0 {
            state.waiting += 1;
            state = serving::wait(|| freed.wait_while(state, |state| state.free == 0))
                .unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        state.free -= 1;
        drop(state);
        numbers.instances.fetch_add(1, Relaxed);
        numbers.instances_made.fetch_add(1, Relaxed);
        Slot(Arc::clone(&self.0))
    }
}

impl Slot {
    /// Whether so few places are left that none should be held without need.
    pub(super) fn is_scarce(&self) -> bool {
        self.0.state().free < self.0.count / 2
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held.
        lock(&self.state)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.numbers.instances.fetch_sub(1, Relaxed);
        let mut state = self.0.state();
        state.free += 1;
        let is_awaited = state.waiting > 0;
        drop(state);
        if is_awaited {
            self.0.freed.notify_one();
        }
    }
}
