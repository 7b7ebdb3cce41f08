//! The files in the state directory, and the check of who may write there.
//!
//! - `originals/REFERENCE.txt`: whole originals, and nothing else, so that `grep -r` finds no halves.
//! - `named/PREFIX_REFERENCE.json`: the same files under descriptive names, see
//!   [`super::names`].
//! - `partial/`: files being written (`….new`) and files being removed (`….going`).
//! - `leases/`: one file for each live process, see [`super::lease`].
//!
//! All four are on one file system, since files move between them by renaming and linking.

use crate::system;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::failed;
use super::{Reference, StoreError};
use crate::private::{self, Unfit};

const ORIGINAL: &str = ".txt";
const NAMED: &str = ".json";
const GOING: &str = ".going";

#[derive(Debug)]
pub(super) struct Layout {
    state: PathBuf,
    pub originals: PathBuf,
    pub named: PathBuf,
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
            named: state.join("named"),
            partial: state.join("partial"),
            leases: state.join("leases"),
            // The standard library's hasher keys are its only source of random bits.
            id: RandomState::new().build_hasher().finish(),
            next: AtomicU64::new(0),
        }
    }

    /// Makes the missing directories and checks that all of them are private.
    pub fn make(&self) -> Result<(), StoreError> {
        make_private(&self.state)?;
        for directory in [&self.originals, &self.named, &self.partial, &self.leases] {
            make_private(directory)?;
        }
        Ok(())
    }

    pub fn original(&self, reference: &Reference) -> PathBuf {
        self.originals.join(format!("{reference}{ORIGINAL}"))
    }

    /// The path of an original's name that begins with `prefix`.
    pub fn name(&self, reference: &Reference, prefix: &str) -> PathBuf {
        self.named.join(format!("{prefix}_{reference}{NAMED}"))
    }

    /// The place of a name until the sweep decides about it; none if the path has no file name.
    pub fn name_going(&self, name: &Path) -> Option<PathBuf> {
        let name = name.file_name()?.to_str()?;
        Some(self.partial.join(format!("{name}{GOING}")))
    }

    /// The path of an original while the sweep decides about it.
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

/// The original that the file `name` in `originals/` holds.
pub(super) fn reference_of_original(name: &Path) -> Option<Reference> {
    name.file_name()?
        .to_str()?
        .strip_suffix(ORIGINAL)?
        .parse()
        .ok()
}

/// The original that the file `name` in `named/` is a link to.
pub(super) fn reference_of_name(name: &Path) -> Option<Reference> {
    reference_of_named(name.file_name()?.to_str()?)
}

/// The name in `named/` that the file `name` in `partial/` was, and of which original.
pub(super) fn name_of_going(name: &Path) -> Option<(&str, Reference)> {
    let name = name.file_name()?.to_str()?.strip_suffix(GOING)?;
    Some((name, reference_of_named(name)?))
}

fn reference_of_named(name: &str) -> Option<Reference> {
    let (_prefix, reference) = name.strip_suffix(NAMED)?.rsplit_once('_')?;
    reference.parse().ok()
}

/// The original that the file `name` in `partial/` was.
pub(super) fn reference_of_going(name: &Path) -> Option<Reference> {
    name.file_name()?
        .to_str()?
        .strip_suffix(GOING)?
        .parse()
        .ok()
}

/// Makes names in `directory` survive a power cut.
pub(super) fn sync_directory(directory: &Path) -> Result<(), StoreError> {
    system::files::sync_folder(directory).map_err(failed("sync", directory))
}

/// The files of a directory; none if the directory is absent.
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
    private::make(directory).map_err(|unfit| match unfit {
        Unfit::Unsafe(why) => StoreError::Unsafe {
            path: directory.to_owned(),
            why,
        },
        Unfit::Io { doing, source } => failed(doing, directory)(source),
    })
}
