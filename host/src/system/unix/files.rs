//! Opening, locking and telling apart files.

use super::super::Access;
use rustix::fs::OFlags;
use std::fs::{self, File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

fn mode(access: Access) -> u32 {
    match access {
        Access::Owner => 0o600,
        Access::All => 0o644,
    }
}

/// Options that give this access to a file that they make.
pub(crate) fn options(access: Access) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(mode(access));
    options
}

/// Gives a file this access, whatever the process's mask is.
pub(crate) fn set_access(file: &File, access: Access) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode(access)))
}

/// Gives a file the owner and the permissions of the one that it replaces.
pub(crate) fn resemble(file: &File, before: &Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    if (now.uid(), now.gid()) != (before.uid(), before.gid()) {
        std::os::unix::fs::fchown(file, Some(before.uid()), Some(before.gid()))?;
    }
    // After the owner: a change of owner takes rights away.
    file.set_permissions(before.permissions())
}

/// Opens a regular file to be read, following symbolic links.
///
/// # Errors
///
/// It cannot be opened, or is a pipe, a device or a directory.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let file = open(path, OFlags::empty())?;
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(rustix::io::Errno::ISDIR.into());
    }
    if !found.is_file() {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    Ok(file)
}

/// Opens what is at a path without waiting for a writer; not a symbolic link.
pub(crate) fn open_unlinked(path: &Path) -> io::Result<File> {
    open(path, OFlags::NOFOLLOW)
}

fn open(path: &Path, flags: OFlags) -> io::Result<File> {
    // Opening a pipe that nobody writes to would wait for ever, and opening a terminal could make it this process's
    // own.
    let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

/// The path without symbolic links.
///
/// # Errors
///
/// It does not exist.
pub(crate) fn real_path(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    path.as_ref().canonicalize()
}

/// Makes a file that is deleted when the process ends. `path`: its name until then, where it needs one.
///
/// # Errors
///
/// It cannot be made; a file of that name exists.
pub(crate) fn temporary(path: &Path) -> io::Result<File> {
    let mut options = options(Access::Owner);
    let file = options.read(true).write(true).create_new(true).open(path)?;
    fs::remove_file(path)?;
    Ok(file)
}

/// This process's standard input as a file.
pub(crate) fn standard_input() -> io::Result<File> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Makes the names in a folder survive a power cut.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Sets a file's time to now.
pub(crate) fn touch(path: &Path) -> io::Result<()> {
    File::open(path)?.set_modified(SystemTime::now())
}

/// Waits until no other process or handle has the lock of a file, and takes it. A process that ends releases it.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    file.lock()
}

/// Takes the lock of a file if no other has it.
pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}

/// Takes a share of the lock of a file if no other has it for itself.
pub(crate) fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
    file.try_lock_shared()
}

/// Whether two paths are names of one file. Symbolic links are not followed.
pub(crate) fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    let identity = |path: &Path| {
        let found = fs::symlink_metadata(path)?;
        Ok::<_, io::Error>((found.dev(), found.ino()))
    };
    Ok(identity(one)? == identity(other)?)
}

/// The state of a file, to tell whether it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    /// Seconds and nanoseconds. The second time is the system's own: a program that sets the first one back does not
    /// fool it.
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// The state of the file at a path; none if it does not exist.
    pub(crate) fn at(path: &Path) -> Option<Stamp> {
        let metadata = path.metadata().ok()?;
        Some(Stamp {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}
