//! Originals: upstream's own bytes, kept by content hash before anything is cut from them.
//!
//! Owns what keeping an original promises ([`OriginalStore`]), whatever keeps it, and the first that does: files
//! in the state directory ([`FileStore`]). Refuses to know what the bytes are and who wants them back: no
//! protocol, no filters, no configuration.
//!
//! [`Store`] is how all others see it. It computes the name of what is kept and checks what is read against it,
//! so that no store, on this machine or another, can give out other bytes than were kept.

mod error;
mod files;
mod layout;
mod lease;
mod names;
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
pub use self::reference::{NotAReference, Reference};

/// How much to keep, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreLimits {
    /// An original goes this long after it was last stored or read.
    pub max_age: Duration,
    /// Files of all originals together, in bytes; the oldest go first.
    pub max_bytes: u64,
    /// Originals; the oldest go first.
    pub max_originals: u64,
    /// The largest original, in bytes of content; larger ones are not stored.
    pub max_original_bytes: u64,
}

/// What a file takes of a disk, at least.
const BLOCK_BYTES: u64 = 4096;

impl StoreLimits {
    /// With so many bytes of all originals together.
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
    /// Bytes that it takes where it is kept. In a file, a little more than what was stored.
    pub file_bytes: u64,
    /// When it was last stored or read.
    pub last_used: SystemTime,
}

/// What a sweep did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Originals removed.
    pub removed: u64,
    /// Bytes that they took.
    pub removed_bytes: u64,
    /// Originals that had to go by age or size and stay, because a live session was told of them.
    pub held: u64,
    /// Halves left behind by processes that were killed while writing.
    pub strays: u64,
}

/// What keeps originals: files in a directory, or something on another machine.
///
/// What was put or read stays until the store is dropped, up to as much as it may keep in all: a session was told
/// of it. After an error nothing half done is left, and the same can be asked again.
pub trait OriginalStore: Debug + Send + Sync {
    /// The largest original that it takes, in bytes.
    fn max_original_bytes(&self) -> u64;

    /// Keeps `bytes`, whose name is `reference`. Once this returns they can be read back, also after this process or
    /// machine died. Bytes that are kept already are not written again.
    ///
    /// # Errors
    ///
    /// They are not kept, so nothing may be cut from them. [`StoreError::Collision`] where other bytes have this name.
    fn put(&self, reference: Reference, bytes: &[u8]) -> Result<(), StoreError>;

    /// All bytes of an original, which becomes the youngest. The caller checks them.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`] where it is not kept, or not any more.
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

    /// Where an original lies, in words for the operator.
    fn place(&self, reference: &Reference) -> String;

    /// Everything kept, oldest first.
    ///
    /// # Errors
    ///
    /// It cannot be listed.
    fn list(&self) -> Result<Vec<Original>, StoreError>;

    /// Bytes that all originals take where they are kept.
    ///
    /// # Errors
    ///
    /// They cannot be counted.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        let originals = self.list()?.into_iter();
        Ok(originals.map(|original| original.file_bytes).sum())
    }

    /// Removes originals by age and total size, oldest first, except those that a live session was told of, and what
    /// killed processes left behind. May run in several processes at once.
    ///
    /// # Errors
    ///
    /// Not all of it could be looked at or removed.
    fn sweep(&self) -> Result<Swept, StoreError>;
}

/// Where originals are kept. Clones are the same store.
#[derive(Debug, Clone)]
pub struct Store {
    originals: Arc<dyn OriginalStore>,
}

impl Store {
    /// What `originals` keeps.
    pub fn new(originals: impl OriginalStore + 'static) -> Store {
        Store {
            originals: Arc::new(originals),
        }
    }

    /// Files in a directory, see [`FileStore::open`].
    pub fn open(directory: &Path, limits: StoreLimits) -> Result<Store, StoreError> {
        FileStore::open(directory, limits).map(Store::new)
    }

    /// Keeps `bytes`. Once this returns they can be read back, also after the process or the machine
    /// died. The same bytes give the same reference and are written once.
    ///
    /// After an error nothing half done is left, and the next call starts anew: a store whose disk
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

    /// The first bytes of an original, for a list of them: so many, if there are. They are not checked, and
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

    /// Bytes that all originals take where they are kept.
    pub fn size_bytes(&self) -> Result<u64, StoreError> {
        self.originals.size_bytes()
    }

    /// Removes what is old or too much, see [`OriginalStore::sweep`].
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

/// What so many bytes take of a disk, and what is known of them of memory.
fn on_disk(bytes: u64) -> u64 {
    bytes.max(BLOCK_BYTES)
}
