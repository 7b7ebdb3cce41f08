//! Locks of values that no holder leaves half changed: a holder that panics spoils nothing for the others.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock, also after a holder panicked.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
