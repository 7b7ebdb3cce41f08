//! Counts of a sandbox's work.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Sums since the process began, and present numbers.
#[derive(Debug, Default)]
pub struct Numbers {
    /// Instances that have a place in the pool.
    pub(super) instances: AtomicU64,
    pub(super) instances_made: AtomicU64,
    pub(super) compile_micros: AtomicU64,
    pub(super) compiled: AtomicU64,
}

impl Numbers {
    /// Present instances: those of running calls, and those that were made ahead.
    pub fn instances(&self) -> u64 {
        self.instances.load(Ordering::Relaxed)
    }

    /// Instances that were made so far.
    pub fn instances_made(&self) -> u64 {
        self.instances_made.load(Ordering::Relaxed)
    }

    /// Compiled components: neither this binary nor the cache contained their code.
    pub fn compiled(&self) -> u64 {
        self.compiled.load(Ordering::Relaxed)
    }

    /// The time to make plugins ready: to compile them, or to take them from the cache. Summed over all threads
    /// that do so.
    pub fn compile_time(&self) -> Duration {
        Duration::from_micros(self.compile_micros.load(Ordering::Relaxed))
    }
}
