//! What live sessions were told of.
//!
//! Each process that stores something keeps one lease: a file with a reference a line, locked for as
//! long as the process lives. Whoever sweeps reads the leases; one that can be locked has lost its
//! process, however that died, and is removed. A lease is locked before it gets its name, so an
//! unlocked one is never a young one. Nothing is synced to disk: after a power cut no process lives.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::error::failed;
use super::layout::{self, Layout};
use super::{Reference, StoreError};

/// The lease of this process, made when the first original is held.
#[derive(Debug, Default)]
pub(super) struct Lease {
    held: HashSet<Reference>,
    on_disk: Option<Written>,
}

#[derive(Debug)]
struct Written {
    path: PathBuf,
    file: File,
}

impl Lease {
    /// Keeps sweeps, of any process, from removing this original.
    pub fn hold(&mut self, reference: Reference, layout: &Layout) -> Result<(), StoreError> {
        match &self.on_disk {
            Some(written) if written.in_place() => {
                if !self.held.contains(&reference) {
                    written.add(&[reference])?;
                }
            }
            _ => {
                let all: Vec<_> = self.held.iter().copied().chain([reference]).collect();
                self.on_disk = Some(Written::create(layout, &all)?);
            }
        }
        self.held.insert(reference);
        Ok(())
    }
}

impl Written {
    fn create(layout: &Layout, references: &[Reference]) -> Result<Written, StoreError> {
        let unnamed = layout.unused();
        let path = layout.lease();
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .mode(0o600)
            .open(&unnamed)
            .map_err(failed("create", &unnamed))?;
        let written = Written { path, file };
        let placed = written
            .file
            .try_lock()
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
        // The line feed in front ends what an earlier write on a full disk may have left half done.
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
pub(super) fn held_by_the_living(layout: &Layout) -> Result<HashSet<Reference>, StoreError> {
    let mut held = HashSet::new();
    for path in layout::files(&layout.leases)? {
        match live_lease(&path)? {
            Some(text) => held.extend(
                text.lines()
                    .filter_map(|line| line.parse::<Reference>().ok()),
            ),
            None => {
                layout::remove(&path)?;
            }
        }
    }
    Ok(held)
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
    match file.try_lock_shared() {
        Ok(()) => return Ok(None),
        Err(TryLockError::WouldBlock) => {}
        // Where locks do not work, nobody can be known to be dead, and nothing held is removed.
        Err(TryLockError::Error(_)) => {}
    }
    let mut text = Vec::new();
    file.read_to_end(&mut text).map_err(failed("read", path))?;
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}
