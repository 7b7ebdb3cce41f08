//! Originals as files of the state directory.
//!
//! Owns the form of the files, the check of who may write there, and the sweep of old and excess files.
//! Also owns the originals that stay because a live session was told of them.
//!
//! A file appears by renaming, after it was synced. So a process killed at any point leaves a whole original or
//! none. No locks order the processes that share the directory, so none can hang on another; `sweep` describes
//! the order.
//!
//! One file serves both ways of reading, the exact bytes and the text that a pager shows (see
//! `wrap`). Two files would take twice the space and could differ. No checksum is necessary: the name is
//! the checksum.

use super::error::failed;
use super::layout::{self, Layout};
use super::lease::Lease;
use super::{Original, OriginalStore, Reference, StoreError, StoreLimits, Swept};
use super::{names, on_disk, sweep, wrap};
use crate::lock::lock;
use crate::serving;
use crate::system::{Access, files};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

/// A store is swept each time this fraction of its size limit was written.
const SWEPT_PARTS: u64 = 16;

/// The originals of one state directory. Clones are the same store.
#[derive(Debug, Clone)]
pub struct FileStore {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    layout: Layout,
    limits: StoreLimits,
    lease: Mutex<Lease>,
    /// Originals of which this process knows that their names survive a power cut.
    synced: Mutex<HashSet<Reference>>,
    /// Bytes that were written since the last sweep.
    written: AtomicU64,
    is_sweeping: AtomicBool,
}

/// The state of the path that an original is to be written to.
enum Found {
    Nothing,
    Same,
    Damaged,
    OtherContent,
}

impl FileStore {
    /// Opens the store in `directory`, making it, for its owner only, if it is not there. Refuses a
    /// directory that belongs to somebody else or that others may write to.
    pub fn open(directory: &Path, limits: StoreLimits) -> Result<FileStore, StoreError> {
        let layout = Layout::in_directory(directory);
        layout.make()?;
        Ok(FileStore {
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

    fn put_as(&self, reference: Reference, bytes: &[u8]) -> Result<(), StoreError> {
        // Before looking whether it is there: sweeps rely on this order.
        self.hold(reference, bytes.len() as u64)?;
        match self.find(&reference, bytes)? {
            Found::Same => {
                self.touch(&reference);
                // The process or thread that wrote the file may not have synced it yet.
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

    /// Sweeps on a thread of its own once a fraction of the size limit was written since the last sweep.
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

    fn path(&self, reference: &Reference) -> PathBuf {
        self.shared.layout.original(reference)
    }

    /// A name of an original's file that begins with `prefix`.
    fn name(&self, reference: &Reference, prefix: &str) -> Result<PathBuf, StoreError> {
        let layout = &self.shared.layout;
        let give = || {
            // Before looking whether it is there: sweeps rely on this order.
            let bytes = fs::metadata(self.path(reference)).map_or(0, |metadata| metadata.len());
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
        let _ = files::touch(&self.path(reference));
    }

    /// The file of an original, if it exists.
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

    /// Compares the stored content of `reference` with `bytes`.
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

impl OriginalStore for FileStore {
    fn max_original_bytes(&self) -> u64 {
        self.shared.limits.max_original_bytes
    }

    fn put(&self, reference: Reference, bytes: &[u8]) -> Result<(), StoreError> {
        match self.put_as(reference, bytes) {
            Err(error) if error.is_missing() => {
                self.shared.layout.make()?;
                self.put_as(reference, bytes)
            }
            done => done,
        }
    }

    fn get(&self, reference: &Reference) -> Result<Vec<u8>, StoreError> {
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
        // The reader may read more of it later. This read has its bytes already: if the directory cannot be
        // written to, the original may only expire sooner.
        let _ = self.hold(*reference, bytes.len() as u64);
        self.touch(reference);
        Ok(bytes)
    }

    fn get_range(&self, reference: &Reference, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let path = self.path(reference);
        let Some(file) = self.open_original(reference)? else {
            return Err(StoreError::NotFound(*reference));
        };
        let mut reader = BufReader::new(file);
        let (mut found, mut line) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < range.end {
            line.clear();
            let read = reader.read_until(b'\n', &mut line);
            if read.map_err(failed("read", &path))? == 0 {
                break;
            }
            let content = wrap::unwrap_line(&line);
            let within = |place: u64| {
                let place = usize::try_from(place.saturating_sub(at)).unwrap_or(usize::MAX);
                place.min(content.len())
            };
            found.extend_from_slice(&content[within(range.start)..within(range.end)]);
            at += content.len() as u64;
        }
        Ok(found)
    }

    fn file(&self, reference: &Reference, prefix: &str) -> Result<Option<PathBuf>, StoreError> {
        match prefix {
            "" => Ok(Some(self.path(reference))),
            prefix => self.name(reference, prefix).map(Some),
        }
    }

    fn place(&self, reference: &Reference) -> String {
        self.path(reference).display().to_string()
    }

    fn list(&self) -> Result<Vec<Original>, StoreError> {
        sweep::list(&self.shared.layout)
    }

    fn sweep(&self) -> Result<Swept, StoreError> {
        sweep::sweep(&self.shared.layout, &self.shared.limits)
    }
}

/// Neither lease nor set is ever half changed, so both are valid even after a thread panicked.
fn known<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    lock(mutex)
}

fn write_new(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut options = files::options(Access::Owner);
    let file = options
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(failed("create", path))?;
    let mut buffered = BufWriter::with_capacity(64 << 10, file);
    wrap::wrap(bytes, &mut buffered)
        .and_then(|()| buffered.flush())
        .and_then(|()| serving::wait(|| buffered.get_ref().sync_all()))
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
