//! What can go wrong with the store, told apart as far as a caller acts on it.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::Reference;

/// Why the store could not do what it was asked. None of these leaves anything torn behind.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No such original: never stored here, or removed by age or size since.
    #[error("no original `{0}` is stored")]
    NotFound(Reference),
    /// The original exists, but what it holds is not what the reference stands for.
    #[error("original `{reference}` is damaged: {place} changed after it was stored")]
    Damaged {
        /// What was asked for.
        reference: Reference,
        /// The file, left as it is for whoever wants to look.
        place: String,
    },
    /// Other bytes with the same reference are stored already, and stay.
    #[error("reference `{0}` already names other bytes")]
    Collision(Reference),
    /// The bytes are more than the store takes as one original.
    #[error("original of {bytes} bytes is larger than the limit of {limit_bytes} bytes")]
    TooLarge {
        /// What was offered.
        bytes: u64,
        /// [`super::StoreLimits::max_original_bytes`].
        limit_bytes: u64,
    },
    /// The disk, the quota or the permitted file size is used up.
    #[error("no room to {doing} {path}")]
    Full {
        /// What was being done, for example "write".
        doing: &'static str,
        /// To which file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The directory may not be written to: read-only disk, or missing permission.
    #[error("not allowed to {doing} {path}")]
    NotWritable {
        /// What was being done, for example "create".
        doing: &'static str,
        /// To which file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A store on another machine did not do what it was asked.
    #[error("cannot {doing} {place}")]
    Elsewhere {
        /// What was being done, for example "write".
        doing: &'static str,
        /// To what.
        place: String,
        /// What it said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The directory is not one to trust with what tools return.
    #[error("refuse to store originals in {path}: {why}")]
    Unsafe {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it and how to put it right.
        why: String,
    },
    /// Anything else that the system refused.
    #[error("cannot {doing} {path}")]
    Io {
        /// What was being done, for example "read".
        doing: &'static str,
        /// To which file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl StoreError {
    /// Whether a file or directory on the way was missing, which making the directories may cure.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, StoreError::Io { source, .. } if source.kind() == ErrorKind::NotFound)
    }
}

/// Sorts what the system said into the kinds above.
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
