//! How many processes run: those of each caller at each server, and all of them.

use crate::mcp::http::access::Caller;
use crate::policy::{ServeLimit, ServeLimits};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    all: usize,
    by_caller: HashMap<Key, usize>,
}

/// The server's name, and whose process it is.
type Key = (String, Caller);

/// The place of one process, until it has ended.
pub(in crate::mcp::http) struct Place {
    key: Key,
    shared: Arc<Shared>,
}

/// There is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mcp::http) enum Full {
    /// Of this caller at this server.
    Caller,
    /// Of nobody.
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

    pub(in crate::mcp::http) fn take(&self, server: &str, caller: &Caller) -> Result<Place, Full> {
        let key = (server.to_owned(), caller.clone());
        let mut taken = self.0.taken();
        if taken.by_caller.get(&key).copied().unwrap_or(0) >= self.0.of_caller {
            return Err(Full::Caller);
        }
        if taken.all >= self.0.of_all {
            return Err(Full::All);
        }
        taken.all += 1;
        *taken.by_caller.entry(key.clone()).or_default() += 1;
        let shared = Arc::clone(&self.0);
        Ok(Place { key, shared })
    }

    /// Ends when a process has ended.
    pub(in crate::mcp::http) fn freed(&self) -> Notified<'_> {
        self.0.freed.notified()
    }
}

impl Shared {
    fn taken(&self) -> MutexGuard<'_, Taken> {
        // Never half changed.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.shared.taken();
        taken.all -= 1;
        if let Some(own) = taken.by_caller.get_mut(&self.key) {
            *own -= 1;
            if *own == 0 {
                taken.by_caller.remove(&self.key);
            }
        }
        drop(taken);
        self.shared.freed.notify_waiters();
    }
}
