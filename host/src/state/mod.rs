//! What Tamis keeps on this machine between two runs: where that is, and what of it goes when it is old.
//!
//! Owns the state directory. This room alone knows how it is found; every command is handed what it needs by a
//! [`State`]: originals, the ledger, logins, what was trusted, records of installs, sessions of hooks. Refuses to
//! know what is in them.
//!
//! What moves to other machines moves here: originals are handed out as a [`Store`], whatever keeps them
//! ([`crate::store::OriginalStore`]), and a session by its id, to be closed when its values are to be kept.

mod callers;
mod directory;
mod error;
mod hook_session;
mod told;

pub use self::callers::{Callers, sweep_callers};
pub use self::error::StateError;
pub use self::hook_session::HookSession;
pub use self::told::Told;

use crate::install::Installs;
use crate::ledger::{self, Ledger};
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
    /// The one that the environment names.
    ///
    /// # Errors
    ///
    /// It names none, and the user has no home: the error says what was looked at.
    pub fn find() -> Result<State, StateError> {
        Ok(State {
            directory: directory::find()?,
        })
    }

    /// Where it is, for messages and for what is only looked at.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The user's originals.
    ///
    /// # Errors
    ///
    /// They cannot be kept, so nothing may be cut.
    pub fn originals(&self, limits: StoreLimits) -> Result<Store, StateError> {
        open(&self.directory, limits)
    }

    /// The originals of one caller of `tamis serve`, which no other can read.
    ///
    /// # Errors
    ///
    /// They cannot be kept, so nothing may be cut.
    pub fn originals_of(&self, caller: &str, limits: StoreLimits) -> Result<Store, StateError> {
        open(&self.callers().join(caller), limits)
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
    pub fn logins(&self) -> Result<LoginStore> {
        LoginStore::in_directory(&self.directory)
    }

    /// What this user trusts.
    ///
    /// # Errors
    ///
    /// The directory is relative.
    pub fn trusted(&self) -> Result<Records> {
        Records::in_directory(&self.directory)
    }

    /// What `tamis install` did.
    pub fn installs(&self) -> Installs {
        Installs::in_directory(&self.directory)
    }

    /// What filters have kept of the session that an agent calls `id`, for one hook at a time.
    ///
    /// # Errors
    ///
    /// It cannot be kept, so filters go without.
    pub fn hook_session(&self, id: &str) -> Result<HookSession, StateError> {
        HookSession::open(&self.directory, id)
    }

    /// Which sessions were told how to read filtered output.
    pub fn told(&self) -> Told {
        Told::in_directory(&self.directory)
    }

    /// A folder for each caller.
    fn callers(&self) -> PathBuf {
        self.directory.join("callers")
    }
}

fn open(directory: &Path, limits: StoreLimits) -> Result<Store, StateError> {
    Store::open(directory, limits).map_err(|error| StateError::of_store(directory, error))
}
