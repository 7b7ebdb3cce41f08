//! Why the state directory is not used. Each error says which directory, why, and how to fix it.

use crate::ledger::LedgerError;
use crate::private::{STATE_DIR_VARIABLE, Unusable};
use crate::store::StoreError;
use std::path::Path;

/// Why something of the state is not to be had.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The environment names no directory.
    #[error(
        "no state directory: {looked}. Set {STATE_DIR_VARIABLE} to a directory that only you can write to"
    )]
    None {
        /// The examined variables or paths, with their values.
        looked: String,
    },
    /// The directory cannot be used.
    #[error(transparent)]
    Unusable(#[from] Unusable),
}

impl StateError {
    pub(super) fn of_store(directory: &Path, error: StoreError) -> StateError {
        let unusable = match error {
            StoreError::Unsafe { path, why } => Unusable::new(&path, why),
            error => Unusable::new(directory, in_full(error)),
        };
        unusable.into()
    }

    pub(super) fn of_ledger(directory: &Path, error: LedgerError) -> StateError {
        let unusable = match error {
            LedgerError::Unsafe { path, why } => Unusable::new(&path, why),
            error => Unusable::new(directory, in_full(error)),
        };
        unusable.into()
    }
}

/// An error with all of its causes.
fn in_full(error: impl std::error::Error + Send + Sync + 'static) -> String {
    format!("{:#}", anyhow::Error::from(error))
}
