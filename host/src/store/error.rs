//! Errors of the store, one kind for each reaction of a caller.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::Reference;

/// A failed operation of the store. It leaves no half-written file.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No such original: never stored here, or removed by age or size since.
    #[error("no original `{0}` is stored")]
    NotFound(Reference),
    /// The original exists, but its content does not match the reference.
    #[error("original `{reference}` is damaged: {place} changed after it was stored")]
    Damaged {
        /// The requested reference.
        reference: Reference,
        /// The file, left unchanged so that you can inspect it.
        place: String,
    },
    /// Other bytes with the same reference are stored already, and stay.
    #[error("reference `{0}` already names other bytes")]
    Collision(Reference),
    /// The bytes are more than the store takes as one original.
    #[error("original of {bytes} bytes is larger than the limit of {limit_bytes} bytes")]
    TooLarge {
        /// The bytes to store.
        bytes: u64,
        /// [`super::StoreLimits::max_original_bytes`].
        limit_bytes: u64,
    },
    /// The disk, the quota or the permitted file size is used up.
    #[error("no room to {doing} {path}")]
    Full {
        /// The attempted operation, for example "write".
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The directory may not be written to: read-only disk, or missing permission.
    #[error("not allowed to {doing} {path}")]
    NotWritable {
        /// The attempted operation, for example "create".
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A store on another machine failed.
    #[error("cannot {doing} {place}")]
    Elsewhere {
        /// The attempted operation, for example "write".
        doing: &'static str,
        /// The object of the operation.
        place: String,
        /// Whether the same may work in a moment.
        passes: bool,
        /// The store's error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The directory is not safe for results of tools.
    #[error("refuse to store originals in {path}: {why}")]
    Unsafe {
        /// The directory.
        path: PathBuf,
        /// The problem and its fix.
        why: String,
    },
    /// Anything else that the system refused.
    #[error("cannot {doing} {path}")]
    Io {
        /// The attempted operation, for example "read".
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl StoreError {
    /// Whether a file or directory on the way was missing, which making the directories may cure.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, StoreError::Io { source, .. } if source.kind() == ErrorKind::NotFound)
    }
}

/// Sorts the system's error into the kinds above.
pub(super) fn failed(
    doing: &'static str,
    path: &Path,
) -> impl FnOnce(io::Error) -> StoreError + use<> {
    let path = path.to_owned();
    move |source| match source.kind() {
        // A file size limit shows as "file too large": for the operator it is a full disk too.
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            StoreError::Full {
                doing,
                path,
                source,
            }
        }
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => StoreError::NotWritable {
            doing,
            path,
            source,
        },
        _ => StoreError::Io {
            doing,
            path,
            source,
        },
    }
}
