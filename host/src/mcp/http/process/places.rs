//! How many processes run: those of each caller at each server, and all of them.

use crate::lock::lock;
use crate::mcp::http::access::Caller;
use crate::policy::{ServeLimit, ServeLimits};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// The places of all processes.
pub(in crate::mcp::http) struct Places(Arc<Shared>);

struct Shared {
    of_caller: usize,
    of_all: usize,
    taken: Mutex<Taken>,
    freed: Notify,
}

#[derive(Default)]
struct Taken {
    all: Count,
    by_caller: HashMap<Key, Count>,
}

/// Places that are taken, those of them whose processes are about to end, and who waits for one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    taken: usize,
    leaving: usize,
    waiting: usize,
}

/// The server's name, and whose process it is.
type Key = (String, Caller);

/// The place of one process, until it has ended.
pub(in crate::mcp::http) struct ProcessSlot {
    key: Key,
    leaves: AtomicBool,
    shared: Arc<Shared>,
}

/// A request that waits for a place.
pub(in crate::mcp::http) struct Waiting {
    key: Key,
    shared: Arc<Shared>,
}

/// No place is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mcp::http) enum Full {
    /// The caller has no more places at this server.
    Caller,
    /// All places are taken.
    All,
}

impl Places {
    pub(in crate::mcp::http) fn new(limits: &ServeLimits) -> Places {
        Places(Arc::new(Shared {
            of_caller: limits.count(ServeLimit::Processes),
            of_all: limits.count(ServeLimit::AllProcesses),
            taken: Mutex::default(),
            freed: Notify::new(),
        }))
    }

    /// Registers a request that waits for a place, until the value is dropped.
    pub(in crate::mcp::http) fn wait(&self, server: &str, caller: &Caller) -> Waiting {
        let key = (server.to_owned(), caller.clone());
        self.0.change(&key, |count| count.waiting += 1);
        let shared = Arc::clone(&self.0);
        Waiting { key, shared }
    }

    /// Completes when a process has ended.
    pub(in crate::mcp::http) fn freed(&self) -> Notified<'_> {
        self.0.freed.notified()
    }
}

impl Waiting {
    /// A place, if one is available.
    pub(in crate::mcp::http) fn take(&self) -> Result<ProcessSlot, Full> {
        let mut taken = self.shared.taken();
        if taken.of(&self.key).taken >= self.shared.of_caller {
            return Err(Full::Caller);
        }
        if taken.all.taken >= self.shared.of_all {
            return Err(Full::All);
        }
        taken.change(&self.key, |count| count.taken += 1);
        Ok(ProcessSlot {
            key: self.key.clone(),
            leaves: AtomicBool::new(false),
            shared: Arc::clone(&self.shared),
        })
    }

    /// Whether enough processes are about to end for all requests that wait.
    pub(in crate::mcp::http) fn is_expected(&self, full: Full) -> bool {
        let taken = self.shared.taken();
        let count = match full {
            Full::Caller => taken.of(&self.key),
            Full::All => taken.all,
        };
        count.leaving >= count.waiting
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.shared.change(&self.key, |count| count.waiting -= 1);
    }
}

impl ProcessSlot {
    /// Notes that its process is about to end.
    pub(super) fn leaves(&self) {
        if !self.leaves.swap(true, Ordering::Relaxed) {
            self.shared.change(&self.key, |count| count.leaving += 1);
        }
    }
}

impl Shared {
    fn taken(&self) -> MutexGuard<'_, Taken> {
        lock(&self.taken)
    }

    fn change(&self, key: &Key, change: impl Fn(&mut Count)) {
        self.taken().change(key, change);
    }
}

impl Taken {
    fn of(&self, key: &Key) -> Count {
        self.by_caller.get(key).copied().unwrap_or_default()
    }

    fn change(&mut self, key: &Key, change: impl Fn(&mut Count)) {
        change(&mut self.all);
        let own = self.by_caller.entry(key.clone()).or_default();
        change(own);
        if *own == Count::default() {
            self.by_caller.remove(key);
        }
    }
}

impl Drop for ProcessSlot {
    fn drop(&mut self) {
        let leaving = usize::from(*self.leaves.get_mut());
        self.shared.change(&self.key, |count| {
            count.taken -= 1;
            count.leaving -= leaving;
        });
        self.shared.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_is_about_to_end_makes_room_for_one_who_waits() {
        let places = Places::new(&ServeLimits::default());
        let caller = Caller::Client("one".into());
        let first = places.wait("a", &caller);
        let slots: Vec<ProcessSlot> = std::iter::from_fn(|| first.take().ok()).collect();
        assert_eq!(
            slots.len(),
            ServeLimits::default().count(ServeLimit::Processes)
        );
        assert!(!first.is_expected(Full::Caller));
        slots[0].leaves();
        slots[0].leaves();
        assert!(first.is_expected(Full::Caller));
        let second = places.wait("a", &caller);
        assert!(!second.is_expected(Full::Caller), "it makes room for one");
        let other = places.wait("b", &caller);
        drop((first, second));
        assert!(other.is_expected(Full::All));
        drop((slots, other));
        assert_eq!(places.0.taken().all, Count::default());
        assert!(places.0.taken().by_caller.is_empty());
    }
}
