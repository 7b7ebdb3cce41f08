//! Originals of the callers of one proxy: those of each lie in a directory of their own, so that nobody reads another's.

use super::{State, StateError};
use crate::lock::lock;
use crate::store::{FileStore, Objects, Store, StoreLimits};
use std::collections::HashMap;
use std::fs;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// The most stores that are open. Beyond that all are closed, and each is opened again at its next use.
const STORES_OPEN: usize = 1000;

/// Looking takes a file system's time for each original.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// The stores of originals of many callers.
pub struct Callers {
    limits: StoreLimits,
    /// All replicas have their originals here; none: files of this machine alone.
    objects: Option<Objects>,
    /// The stores, by the key of the caller.
    known: Mutex<HashMap<String, Option<Store>>>,
    /// The size of all stores, and the time of its last measurement.
    bytes: Mutex<Option<(Instant, u64)>>,
}

impl Callers {
    /// `limits`: of each caller's files. `objects`: the object store whose cache these files are.
    pub fn new(limits: StoreLimits, objects: Option<Objects>) -> Callers {
        Callers {
            limits,
            objects,
            known: Mutex::default(),
            bytes: Mutex::default(),
        }
    }

    /// The store of the caller with this key; an empty key stands for the user of this process.
    /// None: originals cannot be stored, and the reason is in the log.
    pub fn of(&self, caller: &str) -> Option<Store> {
        let mut known = lock(&self.known);
        if let Some(store) = known.get(caller) {
            return store.clone();
        }
        if known.len() >= STORES_OPEN {
            known.clear();
        }
        let store = self
            .open(caller)
            .inspect_err(|error| {
                tracing::warn!("originals cannot be stored, so nothing is cut: {error}");
            })
            .ok();
        known.insert(caller.to_owned(), store.clone());
        store
    }

    fn open(&self, caller: &str) -> Result<Store, StateError> {
        let state = State::find()?;
        let folder = match caller {
            "" => state.directory.clone(),
            caller => state.callers().join(caller),
        };
        let files = FileStore::open(&folder, self.limits)
            .map_err(|error| StateError::of_store(&folder, error))?;
        let store = match &self.objects {
            Some(objects) => objects.of_caller(caller, files),
            None => Store::new(files),
        };
        if caller.is_empty() {
            store.sweep_in_background();
        }
        Ok(store)
    }

    /// The object store, if the originals are in one.
    pub fn objects(&self) -> Option<&Objects> {
        self.objects.as_ref()
    }

    /// Bytes of the originals of all recent callers; not measured again at each call.
    pub fn bytes(&self) -> u64 {
        let mut bytes = lock(&self.bytes);
        if let Some((looked, bytes)) = *bytes
            && looked.elapsed() < LOOK_EVERY
        {
            return bytes;
        }
        let stores: Vec<Store> = lock(&self.known).values().flatten().cloned().collect();
        let sizes = stores.iter().filter_map(|store| store.size_bytes().ok());
        let sum = sizes.sum();
        *bytes = Some((Instant::now(), sum));
        sum
    }
}

/// Removes old originals of all callers, also of those that do not come back, on a thread of its own.
pub fn sweep_callers(limits: StoreLimits) {
    let Ok(state) = State::find() else {
        return;
    };
    let sweep = move || {
        let Ok(callers) = fs::read_dir(state.callers()) else {
            return;
        };
        for caller in callers.flatten() {
            let swept = Store::open(&caller.path(), limits).and_then(|store| store.sweep());
            if let Err(error) = swept {
                let error = anyhow::Error::from(error);
                tracing::warn!("old originals were not removed: {error:#}");
            }
        }
    };
    // If the thread does not start, the next start sweeps.
    let _ = thread::Builder::new().name("sweep".to_owned()).spawn(sweep);
}
