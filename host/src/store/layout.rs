//! Where things lie in the state directory, and who may write there.
//!
//! - `originals/REFERENCE.txt`: whole originals, and nothing else, so that `grep -r` finds no halves.
//! - `partial/`: files being written (`….new`) and files being removed (`REFERENCE.going`).
//! - `leases/`: one file for each live process, see [`super::lease`].
//!
//! All three are on one file system, since files move between them by renaming.

use std::fs::{self, DirBuilder, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::failed;
use super::{Reference, StoreError};

const ORIGINAL: &str = ".txt";
const GOING: &str = ".going";

#[derive(Debug)]
pub(super) struct Layout {
    state: PathBuf,
    pub originals: PathBuf,
    pub partial: PathBuf,
    pub leases: PathBuf,
    /// Tells the files of this store from those of other processes, also where process ids mean
    /// nothing (containers that share a volume).
    id: u64,
    next: AtomicU64,
}

impl Layout {
    pub fn in_directory(state: &Path) -> Layout {
        Layout {
            state: state.to_owned(),
            originals: state.join("originals"),
            partial: state.join("partial"),
            leases: state.join("leases"),
            // The standard library's hasher keys are its only source of random bits.
            id: RandomState::new().build_hasher().finish(),
            next: AtomicU64::new(0),
        }
    }

    /// Makes what is missing and checks that all of it is private.
    pub fn make(&self) -> Result<(), StoreError> {
        make_private(&self.state)?;
        for directory in [&self.originals, &self.partial, &self.leases] {
            make_private(directory)?;
        }
        Ok(())
    }

    pub fn original(&self, reference: &Reference) -> PathBuf {
        self.originals.join(format!("{reference}{ORIGINAL}"))
    }

    /// Where an original waits while it is decided whether it may go.
    pub fn going(&self, reference: &Reference) -> PathBuf {
        self.partial.join(format!("{reference}{GOING}"))
    }

    /// The name of a file that no other process writes to.
    pub fn unused(&self) -> PathBuf {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        self.partial.join(format!("{:016x}-{next}.new", self.id))
    }

    pub fn lease(&self) -> PathBuf {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        self.leases.join(format!("{:016x}-{next}", self.id))
    }
}

/// Which original the file `name` in `originals/` holds.
pub(super) fn reference_of_original(name: &Path) -> Option<Reference> {
    name.file_name()?
        .to_str()?
        .strip_suffix(ORIGINAL)?
        .parse()
        .ok()
}

/// Which original the file `name` in `partial/` was.
pub(super) fn reference_of_going(name: &Path) -> Option<Reference> {
    name.file_name()?
        .to_str()?
        .strip_suffix(GOING)?
        .parse()
        .ok()
}

/// Makes names in `directory` survive a power cut.
pub(super) fn sync_directory(directory: &Path) -> Result<(), StoreError> {
    File::open(directory)
        .and_then(|opened| opened.sync_all())
        .map_err(failed("sync", directory))
}

/// The files of a directory; a directory that is gone has none.
pub(super) fn files(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed("list", directory))?,
    };
    entries
        .map(|entry| Ok(entry.map_err(failed("list", directory))?.path()))
        .collect()
}

/// Removes a file; whether it was this call that did.
pub(super) fn remove(path: &Path) -> Result<bool, StoreError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed("remove", path)(error)),
    }
}

fn make_private(directory: &Path) -> Result<(), StoreError> {
    let made = match fs::symlink_metadata(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(directory)
                .map_err(failed("create", directory))?;
            true
        }
        _ => false,
    };
    let found = fs::metadata(directory).map_err(failed("look at", directory))?;
    let refuse = |why: String| {
        Err(StoreError::Unsafe {
            path: directory.to_owned(),
            why,
        })
    };
    if !found.is_dir() {
        return refuse("it is not a directory".to_owned());
    }
    let user = rustix::process::geteuid().as_raw();
    if found.uid() != user {
        return refuse(format!(
            "it belongs to user {}, and this is user {user}",
            found.uid()
        ));
    }
    let mode = found.mode() & 0o7777;
    if mode & 0o022 != 0 {
        return refuse(format!(
            "others may write there (mode {mode:04o}); `chmod go-w` it, or name another directory"
        ));
    }
    if made && let Some(parent) = directory.parent() {
        // Not every parent may be opened; then the new name is as safe as the system makes it.
        let _ = sync_directory(parent);
    }
    Ok(())
}
