//! Opens the store of originals and the ledger, for the commands that need them.

use crate::ledger::Ledger;
use crate::state::State;
use crate::store::{Store, StoreLimits};

/// The user's store. None if it cannot be used: that is logged, and nothing is cut then.
pub(super) fn open() -> Option<Store> {
    let store = State::find().and_then(|state| state.originals(StoreLimits::default()));
    let store = store.inspect_err(|error| {
        tracing::warn!("originals cannot be stored, so nothing is cut: {error}");
    });
    let store = store.ok()?;
    // Old originals go while the server starts.
    store.sweep_in_background();
    Some(store)
}

/// Without a ledger the proxy works all the same, but records no savings.
pub(super) fn open_ledger() -> Option<Ledger> {
    let ledger = State::find().and_then(|state| state.ledger());
    ledger
        .inspect_err(|error| tracing::warn!("savings are not recorded: {error}"))
        .ok()
}
