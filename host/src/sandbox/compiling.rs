//! Which plugins are being made ready, for callers that wait for them.

use super::numbers::Numbers;
use crate::lock::lock;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

/// Counts plugins while they are compiled (or taken from the cache).
#[derive(Debug)]
pub struct Compiling {
    progress: Mutex<Progress>,
    numbers: Arc<Numbers>,
}

/// The progress of compiling.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Progress {
    pub done: u64,
    /// As far as known; some plugins may be compiled more than once.
    pub expected: u64,
    /// Names of the plugins that are being compiled, in the order in which that began.
    pub at_work: Vec<String>,
}

impl Compiling {
    pub(super) fn new(numbers: Arc<Numbers>) -> Compiling {
        Compiling {
            progress: Mutex::default(),
            numbers,
        }
    }

    pub fn now(&self) -> Progress {
        self.lock().clone()
    }

    /// Announces more plugins to compile.
    pub fn expect(&self, plugins: usize) {
        self.lock().expected += plugins as u64;
    }

    /// Counts a plugin as being compiled until the guard is dropped.
    pub(super) fn begin<'a>(&'a self, name: &'a str) -> AtWork<'a> {
        self.lock().at_work.push(name.to_owned());
        AtWork {
            all: self,
            name,
            begun: Instant::now(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        lock(&self.progress)
    }
}

pub(super) struct AtWork<'a> {
    all: &'a Compiling,
    name: &'a str,
    begun: Instant,
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        let micros = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        let sum = &self.all.numbers.compile_micros;
        sum.fetch_add(micros, Ordering::Relaxed);
        let mut all = self.all.lock();
        all.done += 1;
        if let Some(index) = all.at_work.iter().position(|name| name == self.name) {
            all.at_work.remove(index);
        }
    }
}
