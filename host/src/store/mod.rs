//! Originals: the upstream's own bytes, stored by content hash before a filter cuts them.
//!
//! Owns the promises of a store of originals ([`OriginalStore`]) and the first implementation: files
//! in the state directory ([`FileStore`]). Refuses to know what the bytes are and who wants them back: no
//! protocol, no filters, no configuration.
//!
//! All others use [`Store`]. It computes the name of the stored bytes and checks every read against it.
//! So no store, on this machine or another, can return other bytes than were stored.

#[cfg(feature = "replicas")]
mod connector;
mod error;
mod files;
mod layout;
mod lease;
mod names;
#[cfg(feature = "replicas")]
mod objects;
#[cfg(all(feature = "http", not(feature = "replicas")))]
#[path = "absent.rs"]
mod objects;
mod reference;
mod sweep;
#[cfg(test)]
mod tests;
mod wrap;

use std::fmt::Debug;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

pub use self::error::StoreError;
pub use self::files::FileStore;
#[cfg(feature = "http")]
pub use self::objects::{Objects, ObjectsError};
pub use self::reference::{NotAReference, Reference};

/// How much to keep, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreLimits {
    /// An original expires this long after it was last stored or read.
    pub max_age: Duration,
    /// Files of all originals together, in bytes; the oldest go first.
    pub max_bytes: u64,
    /// Originals; the oldest go first.
    pub max_originals: u64,
    /// The largest original, in bytes of content; larger ones are not stored.
    pub max_original_bytes: u64,
}

/// The least space of a file on a disk.
const BLOCK_BYTES: u64 = 4096;

impl StoreLimits {
    /// Limits with so many bytes of all originals together.
    #[must_use]
    pub fn of_bytes(max_bytes: u64) -> StoreLimits {
        let usual = StoreLimits::default();
        StoreLimits {
            max_bytes,
            max_originals: max_bytes / BLOCK_BYTES,
            max_original_bytes: usual.max_original_bytes.min(max_bytes),
            ..usual
        }
    }
}

impl Default for StoreLimits {
    fn default() -> StoreLimits {
        StoreLimits {
            max_age: MAX_AGE,
            max_bytes: 1 << 30,
            max_originals: (1 << 30) / BLOCK_BYTES,
            // The largest result that the relay takes apart.
            max_original_bytes: 256 << 20,
        }
    }
}

/// Age at which originals are deleted. A conversation that is resumed after a week has lost more than these.
pub const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// One stored original, as listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// Its name.
    pub reference: Reference,
    /// Bytes that the stored form takes. In a file, a little more than the original's own bytes.
    pub file_bytes: u64,
    /// When it was last stored or read.
    pub last_used: SystemTime,
}

/// The result of a sweep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Originals removed.
    pub removed: u64,
    /// Bytes that they took.
    pub removed_bytes: u64,
    /// Originals that expired by age or size but stay, because a live session was told of them.
    pub leased: u64,
    /// Halves left behind by processes that were killed while writing.
    pub strays: u64,
}

/// A place that stores originals: files in a directory, or a service on another machine.
///
/// Originals that were put or read stay until the store is dropped, up to its size limit: a session was told
/// of them. After an error nothing half done is left, and the caller can repeat the call.
pub trait OriginalStore: Debug + Send + Sync {
    /// The largest original that it takes, in bytes.
    fn max_original_bytes(&self) -> u64;

    /// Stores `bytes`, whose name is `reference`. Once this returns they can be read back, also after this
    /// process or machine died. Bytes that are stored already are not written again.
    ///
    /// # Errors
    ///
    /// They are not stored, so nothing may be cut from them. [`StoreError::Collision`] if other bytes have this
    /// name.
    fn put(&self, reference: Reference, bytes: &[u8]) -> Result<(), StoreError>;

    /// All bytes of an original, which becomes the youngest. The caller checks them.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`] if it is not stored, or no longer.
    fn get(&self, reference: &Reference) -> Result<Vec<u8>, StoreError>;

    /// The bytes of an original that lie in a range, fewer if it ends earlier. Nobody checks them, and the original
    /// becomes no younger.
    ///
    /// # Errors
    ///
    /// As for [`OriginalStore::get`].
    fn get_range(&self, reference: &Reference, range: Range<u64>) -> Result<Vec<u8>, StoreError>;

    /// A file with the original for readers on this machine, as text with lines of at most 500 bytes; none if this
    /// store has no files. Its name begins with `prefix`: lower-case letters, digits, `-` and `_`. The same
    /// original and prefix have the same name.
    ///
    /// # Errors
    ///
    /// The file cannot be given that name.
    fn file(&self, reference: &Reference, prefix: &str) -> Result<Option<PathBuf>, StoreError>;

    /// The place of an original, in words for the operator.
    fn place(&self, reference: &Reference) -> String;

    /// All stored originals, oldest first.
    ///
    /// # Errors
    ///
    /// They cannot be listed.
    fn list(&self) -> Result<Vec<Original>, StoreError>;

    /// Bytes that the stored form of all originals takes.
    ///
    /// # Errors
    ///
    /// They cannot be counted.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        let originals = self.list()?.into_iter();
        Ok(originals.map(|original| original.file_bytes).sum())
    }

    /// Removes originals by age and total size, oldest first, except those that a live session was told of.
    /// Also removes the remains of killed processes. May run in several processes at once.
    ///
    /// # Errors
    ///
    /// Part of it could not be listed or removed.
    fn sweep(&self) -> Result<Swept, StoreError>;
}

/// The store of originals. Clones are the same store.
#[derive(Debug, Clone)]
pub struct Store {
    originals: Arc<dyn OriginalStore>,
}

impl Store {
    /// A store on top of `originals`.
    pub fn new(originals: impl OriginalStore + 'static) -> Store {
        Store {
            originals: Arc::new(originals),
        }
    }

    /// Files in a directory, see [`FileStore::open`].
    pub fn open(directory: &Path, limits: StoreLimits) -> Result<Store, StoreError> {
        FileStore::open(directory, limits).map(Store::new)
    }

    /// Stores `bytes`. Once this returns they can be read back, also after the process or the machine
    /// died. The same bytes give the same reference and are written once.
    ///
    /// After an error nothing half done is left, and the next call starts again. A store whose disk
    /// was full or whose directory was removed works again as soon as it can.
    pub fn put(&self, bytes: &[u8]) -> Result<Reference, StoreError> {
        let limit_bytes = self.originals.max_original_bytes();
        if bytes.len() as u64 > limit_bytes {
            return Err(StoreError::TooLarge {
                bytes: bytes.len() as u64,
                limit_bytes,
            });
        }
        let reference = Reference::of(bytes);
        self.originals.put(reference, bytes)?;
        Ok(reference)
    }

    /// The exact bytes that were stored.
    pub fn get(&self, reference: &Reference) -> Result<Vec<u8>, StoreError> {
        let bytes = self.originals.get(reference)?;
        if Reference::of(&bytes) != *reference {
            return Err(StoreError::Damaged {
                reference: *reference,
                place: self.originals.place(reference),
            });
        }
        Ok(bytes)
    }

    /// The first bytes of an original, for a list of originals: at most `bytes`. They are not checked, and
    /// the original becomes no younger.
    pub fn beginning(&self, reference: &Reference, bytes: u64) -> Result<Vec<u8>, StoreError> {
        self.originals.get_range(reference, 0..bytes)
    }

    /// A file with the original, if this store has files, see [`OriginalStore::file`].
    pub fn file(&self, reference: &Reference, prefix: &str) -> Result<Option<PathBuf>, StoreError> {
        self.originals.file(reference, prefix)
    }

    /// Everything stored, oldest first.
    pub fn list(&self) -> Result<Vec<Original>, StoreError> {
        self.originals.list()
    }

    /// Bytes that the stored form of all originals takes.
    pub fn size_bytes(&self) -> Result<u64, StoreError> {
        self.originals.size_bytes()
    }

    /// Removes old and excess originals, see [`OriginalStore::sweep`].
    pub fn sweep(&self) -> Result<Swept, StoreError> {
        self.originals.sweep()
    }

    /// Sweeps on a thread of its own. Failing is logged: another start sweeps again.
    pub fn sweep_in_background(&self) {
        let store = self.clone();
        let sweep = move || {
            if let Err(error) = store.sweep() {
                let error = anyhow::Error::from(error);
                tracing::warn!("old originals were not removed: {error:#}");
            }
        };
        let spawned = thread::Builder::new().name("sweep".to_owned()).spawn(sweep);
        if let Err(error) = spawned {
            tracing::warn!("old originals were not removed: start a thread: {error}");
        }
    }
}

/// The space of so many bytes on a disk, and of their records in memory.
fn on_disk(bytes: u64) -> u64 {
    bytes.max(BLOCK_BYTES)
}
