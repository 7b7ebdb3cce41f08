//! What a sandbox has done, in numbers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Sums since the process began, and what is there now.
#[derive(Debug, Default)]
pub struct Numbers {
    /// Instances that have a place in the pool.
    pub(super) instances: AtomicU64,
    pub(super) instances_made: AtomicU64,
    pub(super) compile_micros: AtomicU64,
    pub(super) compiled: AtomicU64,
}

impl Numbers {
    /// Instances that there are now: those of calls that run, and those that were made ahead.
    pub fn instances(&self) -> u64 {
        self.instances.load(Ordering::Relaxed)
    }

    /// Instances that there were so far.
    pub fn instances_made(&self) -> u64 {
        self.instances_made.load(Ordering::Relaxed)
    }

    /// Components that had to be compiled: there was no code of them, neither in this binary nor in the cache.
    pub fn compiled(&self) -> u64 {
        self.compiled.load(Ordering::Relaxed)
    }

    /// How long it took to make plugins ready: to compile them, or to take them from the cache. Summed over all
    /// threads that do so.
    pub fn compile_time(&self) -> Duration {
        Duration::from_micros(self.compile_micros.load(Ordering::Relaxed))
    }
}
