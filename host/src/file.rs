//! Files that are read whole, and made or replaced whole.
//!
//! Owns reading a file that somebody else may have put there (no waiting at a pipe, no endless device)
//! and finding the files of a folder. It also replaces a file so that a reader sees the old bytes or the
//! new ones. Refuses to know the contents.

use crate::system::files;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

pub(crate) use crate::system::Access;

/// The files of a folder whose names end in `.json`, in no order; none if the folder is missing.
///
/// # Errors
///
/// It cannot be listed.
pub fn json_files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            files.push(path);
        }
    }
    Ok(files)
}

/// Opens a regular file to be read, following symbolic links.
///
/// # Errors
///
/// It cannot be opened, or is a pipe, a device or a directory.
pub fn open(path: &Path) -> io::Result<File> {
    files::open_regular(path)
}

/// Reads a regular file of at most so many bytes, following symbolic links.
///
/// # Errors
///
/// It cannot be opened or read, is a pipe, a device or a directory, or is larger.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    file.take(most_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        let message = format!("it is larger than {most_bytes} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Reads a text file whole.
///
/// # Errors
///
/// As [`read`], and it is not UTF-8.
pub fn read_text(path: &Path, most_bytes: u64) -> io::Result<String> {
    let bytes = read(path, most_bytes)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

/// Replaces the content of the file at `path` by `bytes`. A symbolic link is replaced, not followed.
/// An existing file keeps its permissions and owner; a new file gets `new`.
///
/// If the process or machine dies on the way, the old file or the new one is left.
///
/// # Errors
///
/// The folder cannot be written to, the disk is full, or the file belongs to somebody else.
pub fn replace(path: &Path, bytes: &[u8], new: Access) -> io::Result<()> {
    let before = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        before => Some(before?),
    };
    let folder = folder_of(path);
    let (temporary, mut file) = temporary_file(path, folder)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| match &before {
            None => files::set_access(&file, new),
            Some(before) => files::resemble(&file, before),
        })
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // A half-written file is useless; the error to report is the first.
        let _ = fs::remove_file(&temporary);
        return written;
    }
    // Not every folder may be opened; then the new name is as safe as the system makes it.
    let _ = files::sync_folder(folder);
    Ok(())
}

/// Makes a file, for this user only, that is complete or absent.
///
/// A process that dies on the way leaves no file of this name. A machine that dies may leave an empty one. For
/// files so numerous that waiting for the disk each time would take too long.
///
/// # Errors
///
/// The folder cannot be written to, or the disk is full.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (temporary, mut file) = temporary_file(path, folder_of(path))?;
    let written = file
        .write_all(bytes)
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // As above.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A new file in the same folder, for this user only.
fn temporary_file(path: &Path, folder: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    loop {
        // The standard library's hasher keys are its only source of random bits.
        let random = RandomState::new().build_hasher().finish();
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{random:016x}.new"));
        let temporary = folder.join(temporary);
        let mut options = files::options(Access::Owner);
        let opened = options.write(true).create_new(true).open(&temporary);
        match opened {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return Ok((temporary, opened?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    #[test]
    fn what_is_no_regular_file_or_too_large_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, "12345").expect("write");
        assert_eq!(read(&path, 5).expect("it fits"), b"12345");
        let error = read(&path, 4).expect_err("it is larger");
        assert_eq!(error.to_string(), "it is larger than 4 bytes");
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).expect("make a pipe");
        for odd in [&pipe, Path::new("/dev/zero")] {
            let error = read(odd, 5).expect_err("it is no file");
            assert_eq!(error.to_string(), "it is not a regular file", "{odd:?}");
        }
        let error = read(folder.path(), 5).expect_err("it is a folder");
        assert_eq!(error.kind(), ErrorKind::IsADirectory);
    }

    #[test]
    fn a_file_that_is_made_is_for_this_user_alone_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        create(&path, b"one").expect("it is made");
        assert_eq!(fs::read(&path).expect("it is there"), b"one");
        let mode = fs::metadata(&path).expect("it is there").mode();
        assert_eq!(mode & 0o7777, 0o600);
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("a folder");
        create(&inner, b"two").expect_err("a folder is there");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }

    #[test]
    fn a_replaced_file_keeps_its_mode_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        replace(&path, b"one", Access::Owner).expect("it is made");
        let mode = |path: &Path| fs::metadata(path).expect("it is there").mode() & 0o7777;
        assert_eq!(mode(&path), 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o464)).expect("a mode");
        replace(&path, b"two", Access::Owner).expect("it is replaced");
        assert_eq!(fs::read(&path).expect("it is there"), b"two");
        assert_eq!(mode(&path), 0o464);
        let names = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(names, 1);
        // A folder cannot be replaced by a file: nothing half done is left.
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("a folder");
        replace(&inner, b"three", Access::Owner).expect_err("a folder is there");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }
}
