//! Where originals are kept for many callers.

use crate::cli::store;
use crate::mcp::http::access::Caller;
use crate::store::{Limits, Store};
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Of those who bring credentials.
const CALLERS: &str = "callers";

/// Stores that are kept open: past that all are opened anew when they are next needed.
const STORES_OPEN: usize = 1000;

/// Originals: those of each caller lie in a directory of their own, so that nobody reads another's.
pub(super) struct Originals {
    limits: Limits,
    known: Mutex<HashMap<Caller, Option<Store>>>,
    /// What was found when it was last looked how much is kept.
    bytes: Mutex<Option<(Instant, u64)>>,
}

/// Looking takes a file system's time for each original.
const LOOK_EVERY: Duration = Duration::from_secs(60);

impl Originals {
    /// `bytes`: at most, of each caller's.
    pub(super) fn new(bytes: u64) -> Originals {
        Originals {
            limits: Limits::of_bytes(bytes),
            known: Mutex::default(),
            bytes: Mutex::default(),
        }
    }

    /// Where this caller's are kept; none: they cannot be kept, which was logged.
    pub(super) fn of(&self, caller: &Caller) -> Option<Store> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = known.get(caller) {
            return store.clone();
        }
        if known.len() >= STORES_OPEN {
            known.clear();
        }
        let store = match caller {
            Caller::Anyone => store::open_with(self.limits),
            caller => open_for(caller, self.limits),
        };
        known.insert(caller.clone(), store.clone());
        store
    }

    /// Bytes of the files of all callers who have come lately; not looked at anew each time.
    pub(super) fn bytes(&self) -> u64 {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((looked, bytes)) = *bytes
            && looked.elapsed() < LOOK_EVERY
        {
            return bytes;
        }
        let stores: Vec<Store> = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.values().flatten().cloned().collect()
        };
        let lists = stores.iter().filter_map(|store| store.list().ok());
        let sum = lists.flatten().map(|original| original.file_bytes).sum();
        *bytes = Some((Instant::now(), sum));
        sum
    }
}

fn open_for(caller: &Caller, limits: Limits) -> Option<Store> {
    let directory = Store::default_directory()?.join(CALLERS).join(caller.key());
    let store = Store::open(&directory, limits);
    store
        .inspect_err(|error| {
            let error = anyhow::Error::from(std::io::Error::other(error.to_string()));
            tracing::warn!("originals cannot be stored, so nothing is cut: {error:#}");
        })
        .ok()
}

/// Old originals go while the proxy starts: also those of callers that do not come back.
pub(super) fn sweep_callers(bytes: u64) {
    let Some(directory) = Store::default_directory() else {
        return;
    };
    let sweep = move || {
        let Ok(callers) = fs::read_dir(directory.join(CALLERS)) else {
            return;
        };
        for caller in callers.flatten() {
            if let Err(error) = sweep(&caller.path(), Limits::of_bytes(bytes)) {
                tracing::warn!("old originals were not removed: {error:#}");
            }
        }
    };
    // What is not swept now is swept at another start.
    let _ = thread::Builder::new().name("sweep".to_owned()).spawn(sweep);
}

fn sweep(directory: &Path, limits: Limits) -> anyhow::Result<()> {
    Store::open(directory, limits)?.sweep()?;
    Ok(())
}
