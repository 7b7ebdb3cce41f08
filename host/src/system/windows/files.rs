//! Opening, locking and telling apart files.

use super::super::Access;
use super::calls::{self, Facts};
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsHandle;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_DELETE_ON_CLOSE, FILE_FLAG_OPEN_REPARSE_POINT,
    FILE_READ_ATTRIBUTES, FILE_WRITE_ATTRIBUTES, SECURITY_IDENTIFICATION,
};

/// Longer paths need another form.
const LONGEST_PATH: usize = 248;

/// Options that give this access to a file that they make: here, the access that its folder gives.
pub(crate) fn options(_: Access) -> OpenOptions {
    OpenOptions::new()
}

/// Gives a file this access. Here it has that of its folder.
pub(crate) fn set_access(_: &File, _: Access) -> io::Result<()> {
    Ok(())
}

/// Gives a file the owner and the permissions of the one that it replaces. Here it has those of its folder.
pub(crate) fn resemble(_: &File, before: &Metadata) -> io::Result<()> {
    match before.permissions().readonly() {
        true => Err(ErrorKind::PermissionDenied.into()),
        false => Ok(()),
    }
}

/// Opens a regular file to be read, following symbolic links.
///
/// # Errors
///
/// It cannot be opened, or is a pipe, a device or a directory.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    open(path, 0).and_then(|file| regular(file, path))
}

/// Opens what is at a path; not a symbolic link: that is opened itself.
pub(crate) fn open_unlinked(path: &Path) -> io::Result<File> {
    open(path, FILE_FLAG_OPEN_REPARSE_POINT).and_then(|file| regular(file, path))
}

fn open(path: &Path, flags: u32) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        // A folder is opened too, so that the error can say that it is one.
        .custom_flags(flags | FILE_FLAG_BACKUP_SEMANTICS)
        // A pipe's other end must not act in this user's name.
        .security_qos_flags(SECURITY_IDENTIFICATION)
        .open(path)
}

fn regular(file: File, _: &Path) -> io::Result<File> {
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !found.is_file() || !calls::is_on_disk(&file) {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    Ok(file)
}

/// The path without symbolic links, in the form that all programs take where that is possible: shells cannot work in
/// `\\?\C:\folder`.
///
/// # Errors
///
/// It does not exist.
pub(crate) fn real_path(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    let real = path.as_ref().canonicalize()?;
    let Some(text) = real.to_str() else {
        return Ok(real);
    };
    let short = match text.strip_prefix(r"\\?\UNC\") {
        Some(rest) => Some(format!(r"\\{rest}")),
        None => text.strip_prefix(r"\\?\").map(str::to_owned),
    };
    // A longer path, and one that ends in a space or a dot, has no other form.
    let is_short = |path: &String| path.len() < LONGEST_PATH && !path.ends_with([' ', '.']);
    Ok(short.filter(is_short).map_or(real, PathBuf::from))
}

/// Makes a file that is deleted when the process ends.
///
/// # Errors
///
/// It cannot be made; a file of that name exists.
pub(crate) fn temporary(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .custom_flags(FILE_FLAG_DELETE_ON_CLOSE)
        .open(path)
}

/// This process's standard input as a file.
pub(crate) fn standard_input() -> io::Result<File> {
    Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
}

/// Makes the names in a folder survive a power cut. The file systems of Windows log names, so nothing is to be done.
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Sets a file's time to now.
pub(crate) fn touch(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let file = options.access_mode(FILE_WRITE_ATTRIBUTES).open(path)?;
    file.set_modified(SystemTime::now())
}

/// Waits until no other process or handle has the lock of a file, and takes it. A process that ends releases it.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    calls::lock(file, true, true).map_err(io::Error::from)
}

/// Takes the lock of a file if no other has it.
pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
    calls::lock(file, true, false)
}

/// Takes a share of the lock of a file if no other has it for itself.
pub(crate) fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
    calls::lock(file, false, false)
}

/// Whether two paths are names of one file. Symbolic links are not followed.
pub(crate) fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    let identity = |path: &Path| {
        let facts = facts(path, FILE_FLAG_OPEN_REPARSE_POINT)?;
        Ok::<_, io::Error>((facts.volume, facts.index))
    };
    Ok(identity(one)? == identity(other)?)
}

fn facts(path: &Path, flags: u32) -> io::Result<Facts> {
    let file = OpenOptions::new()
        .access_mode(FILE_READ_ATTRIBUTES)
        .custom_flags(flags | FILE_FLAG_BACKUP_SEMANTICS)
        .open(path)?;
    calls::facts(&file)
}

/// The state of a file, to tell whether it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp(Facts);

impl Stamp {
    /// The state of the file at a path; none if it does not exist.
    pub(crate) fn at(path: &Path) -> Option<Stamp> {
        facts(path, 0).ok().map(Stamp)
    }
}
