//! Where originals are kept, and what was saved is noted, for the commands that need it.

use crate::ledger::{self, Ledger};
use crate::store::{Limits, Store};

/// The user's store. None if it cannot be used: that is logged, and nothing is cut then.
pub(super) fn open() -> Option<Store> {
    open_with(Limits::default())
}

/// The same, with other limits.
pub(super) fn open_with(limits: Limits) -> Option<Store> {
    let Some(directory) = Store::default_directory() else {
        tracing::warn!("originals cannot be stored: no home directory; set TAMIS_STATE_DIR");
        return None;
    };
    let store = match Store::open(&directory, limits) {
        Ok(store) => store,
        Err(error) => {
            let error = anyhow::Error::from(error);
            tracing::warn!("originals cannot be stored, so nothing is cut: {error:#}");
            return None;
        }
    };
    // Old originals go while the server starts.
    let sweeper = store.clone();
    let sweep = move || {
        if let Err(error) = sweeper.sweep() {
            tracing::warn!(
                "old originals were not removed: {:#}",
                anyhow::Error::from(error)
            );
        }
    };
    // What is not swept now is swept at another start.
    if let Err(error) = std::thread::Builder::new()
        .name("sweep".to_owned())
        .spawn(sweep)
    {
        tracing::warn!("old originals were not removed: start a thread: {error}");
    }
    Some(store)
}

/// Without a ledger the proxy works all the same; nobody learns what it saved.
pub(super) fn open_ledger() -> Option<Ledger> {
    let directory = Store::default_directory()?;
    Ledger::open(&directory, ledger::Limits::default())
        .inspect_err(|error| tracing::warn!("savings are not recorded: {error}"))
        .ok()
}
