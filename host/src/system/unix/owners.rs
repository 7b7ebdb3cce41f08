//! Who owns files and folders, and who may write to them: by user ids and modes.

use super::super::Unfit;
use rustix::process::geteuid;
use std::fs::{self, DirBuilder, File, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// The bit of a folder in which users can rename only their own files.
const STICKY: u32 = 0o1000;

fn mode(found: &Metadata) -> u32 {
    found.mode() & 0o7777
}

fn user() -> u32 {
    geteuid().as_raw()
}

/// Makes a folder and the missing ones above it, for this user only.
pub(crate) fn make_folder(directory: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
}

/// Whether a folder belongs to this user, and nobody else may write to it.
pub(crate) fn check_folder(directory: &Path) -> Result<(), Unfit> {
    let found = fs::metadata(directory).map_err(Unfit::io("look at"))?;
    let (owner, user, mode) = (found.uid(), user(), mode(&found));
    if owner != user {
        return Err(Unfit::Unsafe(format!(
            "it belongs to user {owner}, and this is user {user}"
        )));
    }
    if mode & 0o022 != 0 {
        return Err(Unfit::Unsafe(format!(
            "others may write there (mode {mode:04o}); `chmod go-w` it"
        )));
    }
    Ok(())
}

/// Whether nobody else can put something in the place of a directory that is there. `from`: 0 looks at itself, too, 1
/// at those above it.
pub(crate) fn check_folders_above(directory: &Path, from: usize) -> Result<(), Unfit> {
    let written = std::path::absolute(directory).map_err(Unfit::io("find"))?;
    let real = directory.canonicalize().map_err(Unfit::io("find"))?;
    let root = fs::metadata("/").map_err(Unfit::io("look at the folders above"))?;
    let trusted = [0, root.uid(), user()];
    for path in [&written, &real] {
        // Nearest first: that is the one to be told of.
        for folder in path.ancestors().skip(from) {
            let found = fs::metadata(folder).map_err(Unfit::io("look at a folder above"))?;
            check_one_above(folder, &found, &trusted)?;
        }
    }
    Ok(())
}

fn check_one_above(folder: &Path, found: &Metadata, trusted: &[u32]) -> Result<(), Unfit> {
    let (folder, mode) = (folder.display(), mode(found));
    if !trusted.contains(&found.uid()) {
        return Err(Unfit::Unsafe(format!(
            "the folder {folder} above it belongs to user {}, who could put another in its place",
            found.uid()
        )));
    }
    if is_shared(mode, found.uid(), found.gid()) && mode & STICKY == 0 {
        return Err(Unfit::Unsafe(format!(
            "others may write to the folder {folder} above it (mode {mode:04o}); `chmod go-w` that"
        )));
    }
    Ok(())
}

/// Whether others than its owner may write to a folder. A group with the number of its owner is the owner's
/// alone. Debian, Ubuntu and Fedora make such a group for each user, and the user's folders are writable for
/// it.
fn is_shared(mode: u32, uid: u32, gid: u32) -> bool {
    mode & 0o002 != 0 || (mode & 0o020 != 0 && uid != gid)
}

/// Whether an open file belongs to this user.
pub(crate) fn is_own(file: &File) -> io::Result<bool> {
    Ok(file.metadata()?.uid() == user())
}

/// Whether others may write to the file at a path, of which `found` are the facts.
pub(crate) fn others_may_write(_: &Path, found: &Metadata) -> io::Result<bool> {
    Ok(found.mode() & 0o022 != 0)
}

/// Whether an open file belongs to this user, and nobody else may write to it.
pub(crate) fn is_written_by_owner_alone(file: &File) -> io::Result<bool> {
    let found = file.metadata()?;
    Ok(found.uid() == user() && found.mode() & 0o022 == 0)
}

/// Why the file at a path, of which `found` are the facts, may hold no secret of this user: the problem and its fix.
pub(crate) fn why_not_secret(path: &Path, found: &Metadata) -> io::Result<Option<String>> {
    let (owner, user, mode, shown) = (found.uid(), user(), mode(found), path.display());
    Ok(if owner != user {
        Some(format!(
            "{shown} belongs to user {owner}, and this is user {user}: it is not used"
        ))
    } else if mode & 0o077 != 0 {
        Some(format!(
            "others can read {shown} (mode {mode:04o}): run `chmod 600` on it, or log in again"
        ))
    } else {
        None
    })
}

/// The owner of a file, and this user, if they differ.
pub(crate) fn stranger(path: &Path) -> Option<(String, String)> {
    let owner = path.metadata().ok()?.uid();
    let user = user();
    (owner != user).then(|| (owner.to_string(), user.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_of_ones_own_may_write() {
        for (mode, uid, gid, shared) in [
            (0o755, 1000, 1000, false),
            (0o775, 1000, 1000, false),
            (0o775, 1000, 100, true),
            (0o777, 1000, 1000, true),
            (0o2775, 0, 50, true),
        ] {
            assert_eq!(is_shared(mode, uid, gid), shared, "{mode:o} {uid} {gid}");
        }
    }
}
