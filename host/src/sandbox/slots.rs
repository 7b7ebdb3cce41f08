//! A counting semaphore in front of the instance pool: an exhausted pool would be an error, a
//! full house is only a wait.

use std::sync::{Condvar, Mutex};

pub(super) struct Slots {
    free: Mutex<u32>,
    freed: Condvar,
}

/// A place for one instance; given back when dropped.
pub(super) struct Slot<'a>(&'a Slots);

impl Slots {
    pub(super) fn new(count: u32) -> Slots {
        Slots {
            free: Mutex::new(count),
            freed: Condvar::new(),
        }
    }

    /// Waits for a place. Calls end by their deadlines, so this does too.
    pub(super) fn take(&self) -> Slot<'_> {
        let mut free = self
            .free
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        while *free == 0 {
            free = self
                .freed
                .wait(free)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        *free -= 1;
        Slot(self)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut free = self
            .0
            .free
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        *free += 1;
        self.0.freed.notify_one();
    }
}
