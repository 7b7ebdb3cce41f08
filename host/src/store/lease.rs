//! The originals that live sessions were told of.
//!
//! Each process that stores an original has one lease: a file with a reference a line, locked for as long as
//! the process lives. A sweep reads the leases. If it can lock one, the process of that lease is dead, and the
//! sweep removes it. A lease is locked before it gets its name, so an unlocked one is never a new one. Nothing
//! is synced to disk: after a power cut no process lives.
//!
//! A process may live for months, so a lease names no more bytes than the store's limit. Beyond that it
//! drops the originals that were stored or read longest ago.

use crate::system::{Access, files};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::error::failed;
use super::layout::{self, Layout};
use super::{Reference, StoreError, on_disk};

/// The lease of this process, made when the first original is held.
#[derive(Debug, Default)]
pub(super) struct Lease {
    leased: HashMap<Reference, LeasedOriginal>,
    /// The references in the order in which they were last stored or read.
    oldest_first: BTreeMap<u64, Reference>,
    bytes: u64,
    next: u64,
    on_disk: Option<Written>,
}

#[derive(Debug, Clone, Copy)]
struct LeasedOriginal {
    bytes: u64,
    turn: u64,
}

#[derive(Debug)]
struct Written {
    path: PathBuf,
    file: File,
}

impl Lease {
    /// Protects this original, of so many bytes, from the sweeps of every process. Drops the oldest originals
    /// if all together exceed `most` bytes.
    pub fn hold(
        &mut self,
        reference: Reference,
        bytes: u64,
        most: u64,
        layout: &Layout,
    ) -> Result<(), StoreError> {
        let is_known = self.leased.contains_key(&reference);
        let lets_go = self.would_let_go(&reference, bytes, most);
        match &self.on_disk {
            Some(written) if lets_go.is_empty() && written.in_place() => {
                if !is_known {
                    written.add(&[reference])?;
                }
            }
            _ => {
                let stay = self
                    .leased
                    .keys()
                    .filter(|leased| !lets_go.contains(leased));
                let all: Vec<_> = stay.copied().chain([reference]).collect();
                // The old lease is removed once the new one exists.
                self.on_disk = Some(Written::create(layout, &all)?);
            }
        }
        for gone in &lets_go {
            self.remove(gone);
        }
        self.remove(&reference);
        let leased = LeasedOriginal {
            bytes: on_disk(bytes),
            turn: self.next,
        };
        self.next += 1;
        self.bytes += leased.bytes;
        self.oldest_first.insert(leased.turn, reference);
        self.leased.insert(reference, leased);
        Ok(())
    }

    /// The originals to drop for this one: more than necessary, since a lease is then written again.
    fn would_let_go(&self, reference: &Reference, bytes: u64, most: u64) -> HashSet<Reference> {
        let own = self.leased.get(reference).map_or(0, |leased| leased.bytes);
        let mut all = self.bytes - own + on_disk(bytes);
        if all <= most {
            return HashSet::new();
        }
        let enough = most - most / 8;
        let mut gone = HashSet::new();
        for oldest in self.oldest_first.values() {
            if all <= enough {
                break;
            }
            if oldest != reference {
                all -= self.leased.get(oldest).map_or(0, |leased| leased.bytes);
                gone.insert(*oldest);
            }
        }
        gone
    }

    fn remove(&mut self, reference: &Reference) {
        if let Some(leased) = self.leased.remove(reference) {
            self.bytes -= leased.bytes;
            self.oldest_first.remove(&leased.turn);
        }
    }
}

impl Written {
    fn create(layout: &Layout, references: &[Reference]) -> Result<Written, StoreError> {
        let unnamed = layout.unused();
        let path = layout.lease();
        let mut options = files::options(Access::Owner);
        let file = options
            .append(true)
            .create_new(true)
            .open(&unnamed)
            .map_err(failed("create", &unnamed))?;
        let written = Written { path, file };
        let placed = files::try_lock(&written.file)
            .map_err(|error| failed("lock", &unnamed)(error.into()))
            .and_then(|()| written.add(references))
            .and_then(|()| {
                fs::rename(&unnamed, &written.path).map_err(failed("create", &written.path))
            });
        if let Err(error) = placed {
            let _ = fs::remove_file(&unnamed);
            return Err(error);
        }
        Ok(written)
    }

    fn add(&self, references: &[Reference]) -> Result<(), StoreError> {
        // The line feed in front ends a line that an earlier write on a full disk may have left incomplete.
        let lines: String = references
            .iter()
            .map(|reference| format!("\n{reference}\n"))
            .collect();
        (&self.file)
            .write_all(lines.as_bytes())
            .map_err(failed("write", &self.path))
    }

    /// Whether others can still see it: the directory may have been removed or moved away. Nothing
    /// else ever gets this name.
    fn in_place(&self) -> bool {
        self.path.exists()
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        // A lease that stays behind is unlocked, and the next sweep removes it.
        let _ = fs::remove_file(&self.path);
    }
}

/// Every original that some live process holds; removes the leases of dead ones.
pub(super) fn leased_by_live_processes(layout: &Layout) -> Result<HashSet<Reference>, StoreError> {
    let mut leased = HashSet::new();
    for path in layout::files(&layout.leases)? {
        match live_lease(&path)? {
            Some(text) => leased.extend(
                text.lines()
                    .filter_map(|line| line.parse::<Reference>().ok()),
            ),
            None => {
                layout::remove(&path)?;
            }
        }
    }
    Ok(leased)
}

/// The text of a lease, if its process lives.
fn live_lease(path: &Path) -> Result<Option<String>, StoreError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        // Its process has just ended.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed("open", path)(error)),
    };
    // Shared, so that two sweeps at once do not take each other for the owner.
    match files::try_lock_shared(&file) {
        Ok(()) => return Ok(None),
        Err(TryLockError::WouldBlock) => {}
        // Where locks do not work, nobody can be known to be dead, and nothing held is removed.
        Err(TryLockError::Error(_)) => {}
    }
    let mut text = Vec::new();
    file.read_to_end(&mut text).map_err(failed("read", path))?;
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}
