//! Why the ledger cannot be used. For the operator: each error names the file and the fix.

use std::io;
use std::path::{Path, PathBuf};

/// Why the ledger cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A newer Tamis made it; nothing was changed in it.
    #[error(
        "the ledger {path} was made by a newer Tamis (its form is {found}, this one knows {known}): use that one, or move the file away"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version in the file.
        found: i64,
        /// The newest form that this program knows.
        known: i64,
    },
    /// Something else lies where the ledger should.
    #[error("{path} is not a ledger, or is damaged: move it away, and a new one is made")]
    NotALedger {
        /// The file.
        path: PathBuf,
        /// SQLite's error, if it had one.
        source: Option<rusqlite::Error>,
    },
    /// The state directory or the file is not one to trust.
    #[error("refuse to store the ledger in {path}: {why}")]
    Unsafe {
        /// The directory or the file.
        path: PathBuf,
        /// The problem and its fix.
        why: String,
    },
    /// The system refused.
    #[error("cannot {doing} {path}")]
    Io {
        /// The attempted operation, for example "create".
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// SQLite refused.
    #[error("cannot {doing} the ledger {path}")]
    Database {
        /// The attempted operation, for example "read".
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// The thread that writes could not be started.
    #[error("cannot start the ledger's thread")]
    Thread(#[source] io::Error),
}

/// Sorts SQLite's error into the kinds above.
pub(super) fn failed(
    doing: &'static str,
    path: &Path,
) -> impl FnOnce(rusqlite::Error) -> LedgerError + use<> {
    let path = path.to_owned();
    move |source| match source.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt) => {
            LedgerError::NotALedger {
                path,
                source: Some(source),
            }
        }
        _ => LedgerError::Database {
            doing,
            path,
            source,
        },
    }
}

pub(super) fn failed_io(
    doing: &'static str,
    path: &Path,
) -> impl FnOnce(io::Error) -> LedgerError + use<> {
    let path = path.to_owned();
    move |source| LedgerError::Io {
        doing,
        path,
        source,
    }
}
