//! Originals: upstream's own bytes, kept by content hash before anything is cut from them.
//!
//! Owns the state directory: the form of its files, who may write there, what goes when it grows old
//! or too large, and what stays because a live session was told of it. Refuses to know what the bytes
//! are and who wants them back: no protocol, no filters, no configuration.
//!
//! A file appears by renaming, after it was synced, so that a process killed at any point leaves a
//! whole original or none. No locks order the processes that share the directory, so that none can
//! hang on another; `sweep` says how they get along.
//!
//! One file serves both ways of reading, the exact bytes and the text that a pager shows (see
//! `wrap`). Two files would be twice the space and could differ. It needs no checksum: the name is
//! the checksum.

mod error;
mod layout;
mod lease;
mod names;
mod reference;
mod sweep;
#[cfg(test)]
mod tests;
mod wrap;

use std::collections::HashSet;
use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

pub use self::error::StoreError;
pub use self::reference::{NotAReference, Reference};
pub use self::sweep::{Original, Swept};

use self::error::failed;
use self::layout::Layout;
use self::lease::Lease;

/// How much to keep, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
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

/// A store is swept when so much of what it may keep was written since it was last swept.
const SWEPT_PARTS: u64 = 16;

impl Limits {
    /// With so many bytes of all originals together.
    #[must_use]
    pub fn of_bytes(max_bytes: u64) -> Limits {
        let usual = Limits::default();
        Limits {
            max_bytes,
            max_originals: max_bytes / BLOCK_BYTES,
            max_original_bytes: usual.max_original_bytes.min(max_bytes),
            ..usual
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            // A conversation that is taken up again after a week has lost more than this.
            max_age: Duration::from_secs(7 * 24 * 60 * 60),
            max_bytes: 1 << 30,
            max_originals: (1 << 30) / BLOCK_BYTES,
            // The largest result that the relay takes apart.
            max_original_bytes: 256 << 20,
        }
    }
}

/// The originals of one state directory. Clones are the same store.
///
/// What is put or read through it stays for as long as a clone of it lives, whoever sweeps, up to as much as the store
/// may keep: past that the oldest go.
#[derive(Debug, Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    layout: Layout,
    limits: Limits,
    lease: Mutex<Lease>,
    /// Originals of which this process knows that their names survive a power cut.
    synced: Mutex<HashSet<Reference>>,
    /// Bytes that were written since the last sweep.
    written: AtomicU64,
    is_sweeping: AtomicBool,
}

/// What lies where an original is to be written.
enum Found {
    Nothing,
    Same,
    Damaged,
    OtherContent,
}

impl Store {
    /// Opens the store in `directory`, making it, for its owner only, if it is not there. Refuses a
    /// directory that belongs to somebody else or that others may write to.
    pub fn open(directory: &Path, limits: Limits) -> Result<Store, StoreError> {
        let layout = Layout::in_directory(directory);
        layout.make()?;
        Ok(Store {
            shared: Arc::new(Shared {
                layout,
                limits,
                lease: Mutex::default(),
                synced: Mutex::default(),
                written: AtomicU64::new(0),
                is_sweeping: AtomicBool::new(false),
            }),
        })
    }

    /// Where state is kept unless told otherwise: `TAMIS_STATE_DIR`, else `tamis` in
    /// `XDG_STATE_HOME`, else `~/.local/state/tamis`; none where there is no home either.
    pub fn default_directory() -> Option<PathBuf> {
        default_directory(|name| env::var_os(name).map(PathBuf::from), env::home_dir())
    }

    /// Keeps `bytes`. Once this returns they can be read back, also after the process or the machine
    /// died. The same bytes give the same reference, the same file, and are written once.
    ///
    /// After an error nothing half done is left, and the next call starts anew: a store whose disk
    /// was full or whose directory was removed works again as soon as it can.
    pub fn put(&self, bytes: &[u8]) -> Result<Reference, StoreError> {
        let limit_bytes = self.shared.limits.max_original_bytes;
        if bytes.len() as u64 > limit_bytes {
            return Err(StoreError::TooLarge {
                bytes: bytes.len() as u64,
                limit_bytes,
            });
        }
        let reference = Reference::of(bytes);
        match self.put_as(reference, bytes) {
            Err(error) if error.is_missing() => {
                self.shared.layout.make()?;
                self.put_as(reference, bytes)?;
            }
            done => done?,
        }
        Ok(reference)
    }

    fn put_as(&self, reference: Reference, bytes: &[u8]) -> Result<(), StoreError> {
        // Before looking whether it is there: sweeps rely on this order.
        self.hold(reference, bytes.len() as u64)?;
        match self.find(&reference, bytes)? {
            Found::Same => {
                self.touch(&reference);
                // Whoever wrote it, a process or a thread, may not have come to this yet.
                if known(&self.shared.synced).contains(&reference) {
                    return Ok(());
                }
                self.sync_name(reference)
            }
            Found::OtherContent => Err(StoreError::Collision(reference)),
            Found::Nothing | Found::Damaged => {
                self.write(&reference, bytes)?;
                self.sweep_when_due(bytes.len() as u64);
                Ok(())
            }
        }
    }

    /// Sweeps on a thread of its own once a part of what may be kept was written since the last time.
    fn sweep_when_due(&self, bytes: u64) {
        let shared = &self.shared;
        let written = shared.written.fetch_add(on_disk(bytes), Ordering::Relaxed);
        if written + on_disk(bytes) < shared.limits.max_bytes / SWEPT_PARTS
            || shared.is_sweeping.swap(true, Ordering::Relaxed)
        {
            return;
        }
        shared.written.store(0, Ordering::Relaxed);
        let store = self.clone();
        let sweep = move || {
            if let Err(error) = store.sweep() {
                let error = anyhow::Error::from(error);
                tracing::warn!("old originals were not removed: {error:#}");
            }
            store.shared.is_sweeping.store(false, Ordering::Relaxed);
        };
        let spawned = thread::Builder::new().name("sweep".to_owned()).spawn(sweep);
        if spawned.is_err() {
            // It is tried again.
            shared.is_sweeping.store(false, Ordering::Relaxed);
        }
    }

    /// The exact bytes that were stored.
    pub fn get(&self, reference: &Reference) -> Result<Vec<u8>, StoreError> {
        let path = self.path(reference);
        let Some(file) = self.open_original(reference)? else {
            return Err(StoreError::NotFound(*reference));
        };
        let metadata = file.metadata().map_err(failed("look at", &path))?;
        let mut bytes = Vec::new();
        // The file is no shorter than its content. A size that memory cannot hold is an error of the
        // system, not the end of the process.
        bytes
            .try_reserve_exact(usize::try_from(metadata.len()).unwrap_or(usize::MAX))
            .map_err(|_| failed("read", &path)(ErrorKind::OutOfMemory.into()))?;
        read_content(file, &path, |piece| bytes.extend_from_slice(piece))?;
        if Reference::of(&bytes) != *reference {
            return Err(StoreError::Damaged {
                reference: *reference,
                path,
            });
        }
        // Whoever reads it may read more of it. What was asked for is here in any case, so a
        // directory that cannot be written to only means that it may go sooner.
        let _ = self.hold(*reference, bytes.len() as u64);
        self.touch(reference);
        Ok(bytes)
    }

    /// The first bytes of an original, for a list of them: at least so many, if there are. They are not
    /// checked, and the original becomes no younger.
    pub fn beginning(&self, reference: &Reference, bytes: usize) -> Result<Vec<u8>, StoreError> {
        let path = self.path(reference);
        let Some(file) = self.open_original(reference)? else {
            return Err(StoreError::NotFound(*reference));
        };
        let mut reader = BufReader::new(file);
        let (mut beginning, mut line) = (Vec::new(), Vec::new());
        while beginning.len() < bytes {
            line.clear();
            let read = reader.read_until(b'\n', &mut line);
            if read.map_err(failed("read", &path))? == 0 {
                break;
            }
            beginning.extend_from_slice(wrap::unwrap_line(&line));
        }
        Ok(beginning)
    }

    /// The text file of an original, for a reader on this machine: lines of at most 500 bytes.
    pub fn path(&self, reference: &Reference) -> PathBuf {
        self.shared.layout.original(reference)
    }

    /// The file of an original under a name that begins with `prefix`, for a reader on this machine:
    /// lower-case letters, digits, `-` and `_`. For the empty prefix, [`Store::path`]. The same
    /// original and prefix have the same name, and like the original it stays for as long as this
    /// store lives.
    pub fn name(&self, reference: &Reference, prefix: &str) -> Result<PathBuf, StoreError> {
        if prefix.is_empty() {
            return Ok(self.path(reference));
        }
        let layout = &self.shared.layout;
        let give = || {
            // Before looking whether it is there: sweeps rely on this order.
            let bytes = fs::metadata(self.path(reference)).map_or(0, |it| it.len());
            self.hold(*reference, bytes)?;
            names::give(layout, reference, prefix)
        };
        match give() {
            Err(error) if error.is_missing() => {
                layout.make()?;
                give().map_err(|error| match error.is_missing() {
                    true => StoreError::NotFound(*reference),
                    false => error,
                })
            }
            done => done,
        }
    }

    /// Removes originals by age and total size, oldest first, except those that a live session was
    /// told of, and what killed processes left behind. May run in several processes at once.
    pub fn sweep(&self) -> Result<Swept, StoreError> {
        sweep::sweep(&self.shared.layout, &self.shared.limits)
    }

    /// Everything stored, oldest first.
    pub fn list(&self) -> Result<Vec<Original>, StoreError> {
        sweep::list(&self.shared.layout)
    }

    fn hold(&self, reference: Reference, bytes: u64) -> Result<(), StoreError> {
        let Shared { layout, limits, .. } = &*self.shared;
        known(&self.shared.lease).hold(reference, bytes, limits.max_bytes, layout)
    }

    /// Makes the name of an original, which is there, survive a power cut.
    fn sync_name(&self, reference: Reference) -> Result<(), StoreError> {
        layout::sync_directory(&self.shared.layout.originals)?;
        let mut synced = known(&self.shared.synced);
        if synced.len() as u64 >= self.shared.limits.max_originals {
            // They are synced once more.
            synced.clear();
        }
        synced.insert(reference);
        Ok(())
    }

    /// Makes it the youngest. Failing only means that it may go sooner.
    fn touch(&self, reference: &Reference) {
        let _ =
            File::open(self.path(reference)).and_then(|file| file.set_modified(SystemTime::now()));
    }

    /// The file of an original, if there is one.
    fn open_original(&self, reference: &Reference) -> Result<Option<File>, StoreError> {
        let path = self.path(reference);
        // A sweep may just be deciding about it, and have put it back between the two first looks.
        for place in [&path, &self.shared.layout.going(reference), &path] {
            match File::open(place) {
                Ok(file) => return Ok(Some(file)),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(failed("open", place)(error)),
            }
        }
        Ok(None)
    }

    /// Compares what is stored under `reference` with `bytes`.
    fn find(&self, reference: &Reference, bytes: &[u8]) -> Result<Found, StoreError> {
        let path = self.path(reference);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(error) => return Err(failed("open", &path)(error)),
        };
        let mut rest = Some(bytes);
        read_content(file, &path, |piece| {
            rest = rest.and_then(|rest| rest.strip_prefix(piece));
        })?;
        if rest == Some(b"") {
            return Ok(Found::Same);
        }
        let mut hash = Sha256::new();
        let file = File::open(&path).map_err(failed("open", &path))?;
        read_content(file, &path, |piece| hash.update(piece))?;
        if Reference::of_hash(hash) == *reference {
            Ok(Found::OtherContent)
        } else {
            Ok(Found::Damaged)
        }
    }

    fn write(&self, reference: &Reference, bytes: &[u8]) -> Result<(), StoreError> {
        let layout = &self.shared.layout;
        let partial = layout.unused();
        let written = write_new(&partial, bytes).and_then(|()| {
            let path = layout.original(reference);
            fs::rename(&partial, &path).map_err(failed("create", &path))
        });
        if let Err(error) = written {
            let _ = fs::remove_file(&partial);
            return Err(error);
        }
        self.sync_name(*reference)
    }
}

/// What a file of so many bytes takes of a disk, and what is known of it of memory.
fn on_disk(bytes: u64) -> u64 {
    bytes.max(BLOCK_BYTES)
}

/// Neither lease nor set is ever half changed, so what a thread that panicked left is still right.
fn known<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write_new(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(failed("create", path))?;
    let mut buffered = BufWriter::with_capacity(64 << 10, file);
    wrap::wrap(bytes, &mut buffered)
        .and_then(|()| buffered.flush())
        .and_then(|()| buffered.get_ref().sync_all())
        .map_err(failed("write", path))
}

/// Hands the content of a text file to `piece`, in order.
fn read_content(file: File, path: &Path, mut piece: impl FnMut(&[u8])) -> Result<(), StoreError> {
    let mut reader = BufReader::with_capacity(64 << 10, file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader
            .read_until(b'\n', &mut line)
            .map_err(failed("read", path))?;
        if read == 0 {
            return Ok(());
        }
        piece(wrap::unwrap_line(&line));
    }
}

fn default_directory(
    variable: impl Fn(&str) -> Option<PathBuf>,
    home: Option<PathBuf>,
) -> Option<PathBuf> {
    if let Some(named) = variable("TAMIS_STATE_DIR").filter(|path| !path.as_os_str().is_empty()) {
        return Some(named);
    }
    // The XDG specification has relative paths ignored.
    variable("XDG_STATE_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| Some(home?.join(".local/state")))
        .map(|state| state.join("tamis"))
}
