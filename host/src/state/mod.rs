//! Tamis's data on this machine between two runs: its place, and the deletion of old data.
//!
//! Owns the state directory. This room alone knows how to find it. Every command gets its data from a
//! [`State`]: originals, the ledger, logins, trusted files, records of installs, sessions of hooks. Refuses to
//! know the contents.
//!
//! A move to other machines happens here. Originals are given out as a [`Store`] on any implementation of
//! [`crate::store::OriginalStore`]. A session is found by its id, and closing it stores its values.

#[cfg(feature = "http")]
mod callers;
mod directory;
mod error;
mod hook_session;
mod told;

#[cfg(feature = "http")]
pub use self::callers::{Callers, sweep_callers};
pub use self::error::StateError;
pub use self::hook_session::HookSession;
pub use self::told::ToldSessions;

use crate::install::Installs;
use crate::ledger::{self, Ledger};
#[cfg(feature = "http")]
use crate::login::LoginStore;
use crate::store::{Store, StoreLimits};
use crate::trust::Records;
use anyhow::Result;
use std::path::{Path, PathBuf};

/// The state directory of this user, which need not be there yet.
#[derive(Debug, Clone)]
pub struct State {
    directory: PathBuf,
}

impl State {
    /// The state directory that the environment names.
    ///
    /// # Errors
    ///
    /// It names none, and the user has no home: the error lists the examined variables.
    pub fn find() -> Result<State, StateError> {
        Ok(State {
            directory: directory::find()?,
        })
    }

    /// The path of the directory, for messages and for reads.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The user's originals.
    ///
    /// # Errors
    ///
    /// They cannot be stored, so nothing may be cut.
    pub fn originals(&self, limits: StoreLimits) -> Result<Store, StateError> {
        open(&self.directory, limits)
    }

    /// The ledger, open for writing.
    ///
    /// # Errors
    ///
    /// Nothing can be noted in it.
    pub fn ledger(&self) -> Result<Ledger, StateError> {
        Ledger::open(&self.directory, ledger::LedgerLimits::default())
            .map_err(|error| StateError::of_ledger(&self.directory, error))
    }

    /// Tokens of servers that want a login.
    ///
    /// # Errors
    ///
    /// The directory is relative.
    #[cfg(feature = "http")]
    pub fn logins(&self) -> Result<LoginStore> {
        LoginStore::in_directory(&self.directory)
    }

    /// The files that this user trusts.
    ///
    /// # Errors
    ///
    /// The directory is relative.
    pub fn trusted(&self) -> Result<Records> {
        Records::in_directory(&self.directory)
    }

    /// The records of `tamis install`.
    pub fn installs(&self) -> Installs {
        Installs::in_directory(&self.directory)
    }

    /// The filters' values for the session that an agent calls `id`, for one hook at a time.
    ///
    /// # Errors
    ///
    /// The session cannot be stored, so filters run without it.
    pub fn hook_session(&self, id: &str) -> Result<HookSession, StateError> {
        HookSession::open(&self.directory, id)
    }

    /// The sessions that were told how to read filtered output.
    pub fn told(&self) -> ToldSessions {
        ToldSessions::in_directory(&self.directory)
    }

    /// The folder with copies of policies from URLs and registries.
    #[cfg(feature = "http")]
    pub fn policies(&self) -> PathBuf {
        self.directory.join("policies")
    }

    /// A folder for each caller.
    fn callers(&self) -> PathBuf {
        self.directory.join("callers")
    }
}

fn open(directory: &Path, limits: StoreLimits) -> Result<Store, StateError> {
    Store::open(directory, limits).map_err(|error| StateError::of_store(directory, error))
}
