//! Directories that only their owner may write to.
//!
//! Owns creating them and checking whether one can be trusted. Refuses to know their contents.
//!
//! A user who may write to a folder above one can put another in its place. So the folders above count, too:
//! each belongs to this user or to the system's administrator (the owner of `/`: in a container perhaps a user
//! without a name), and nobody else may write to it. In a folder with the sticky bit, such as `/tmp`, users can
//! rename only their own files, so everybody may write to it. The rules hold for the path as written and, if it
//! has symbolic links, for the path that they lead to.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Overrides where the cache is.
pub const CACHE_DIR_VARIABLE: &str = "TAMIS_CACHE_DIR";

/// The directory for data that can be fetched again: `TAMIS_CACHE_DIR`, else `tamis` in the user's cache
/// directory; none if the user has no home.
pub fn cache_directory() -> Option<PathBuf> {
    let variable = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    variable(CACHE_DIR_VARIABLE)
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("tamis")))
        .or_else(|| Some(variable("HOME")?.join(".cache/tamis")))
}

/// Overrides where the state is.
pub const STATE_DIR_VARIABLE: &str = "TAMIS_STATE_DIR";

/// The state directory, or a folder in it, cannot be used: which one, why, and how to fix it.
#[derive(Debug, thiserror::Error)]
#[error("the state directory {directory} cannot be used: {why}. {remedy}")]
pub struct Unusable {
    directory: PathBuf,
    why: String,
    remedy: String,
}

impl Unusable {
    /// `why`: the problem, without the name of the directory.
    pub fn new(directory: &Path, why: impl Into<String>) -> Unusable {
        Unusable {
            directory: directory.to_owned(),
            why: why.into(),
            remedy: format!("Fix that, or set {STATE_DIR_VARIABLE} to another directory"),
        }
    }
}

/// Makes the state directory or a folder in it, as [`make`] does.
pub fn make_state(directory: &Path) -> Result<(), Unusable> {
    make(directory)
        .map_err(|unfit| Unusable::new(directory, format!("{:#}", anyhow::Error::from(unfit))))
}

/// Refuses a relative path, with which a project could bring files of its own. `so`: the consequence.
pub fn absolute_state<'d>(directory: &'d Path, so: &str) -> Result<&'d Path, Unusable> {
    match directory.is_absolute() {
        true => Ok(directory),
        false => Err(Unusable {
            directory: directory.to_owned(),
            why: format!("the path is relative to the current folder, so {so}"),
            remedy: format!("Set {STATE_DIR_VARIABLE} to an absolute path"),
        }),
    }
}

/// Why a directory is not to be used.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// It is not safe: the problem and its fix.
    #[error("{0}")]
    Unsafe(String),
    /// The attempted operation ("create"), and the system's error.
    #[error("cannot {doing} it")]
    Io {
        /// The attempted operation, for example "create".
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
}

/// Makes `directory`, for its owner only, if it is missing. Checks that the directory belongs to this user,
/// and that nobody else may write to it or replace it.
pub fn make(directory: &Path) -> Result<(), Unfit> {
    let failed = |doing| move |source| Unfit::Io { doing, source };
    let made = match fs::symlink_metadata(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // Before anything is made in somebody else's folder.
            if let Some(nearest) = directory.ancestors().find(|folder| folder.exists()) {
                check_folders(nearest, 0)?;
            }
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(directory)
                .map_err(failed("create"))?;
            true
        }
        _ => false,
    };
    let found = fs::metadata(directory).map_err(failed("look at"))?;
    if !found.is_dir() {
        return Err(Unfit::Unsafe("it is not a directory".to_owned()));
    }
    let user = rustix::process::geteuid().as_raw();
    if found.uid() != user {
        return Err(Unfit::Unsafe(format!(
            "it belongs to user {}, and this is user {user}",
            found.uid()
        )));
    }
    let mode = found.mode() & 0o7777;
    if mode & 0o022 != 0 {
        return Err(Unfit::Unsafe(format!(
            "others may write there (mode {mode:04o}); `chmod go-w` it"
        )));
    }
    check_folders(directory, 1)?;
    if made && let Some(parent) = directory.parent() {
        // Not every parent may be opened; then the new name is as safe as the system makes it.
        let _ = File::open(parent).and_then(|parent| parent.sync_all());
    }
    Ok(())
}

/// Whether nobody else can put something in the place of a directory that is there. `from`: 0 looks at itself, too, 1
/// at those above it.
fn check_folders(directory: &Path, from: usize) -> Result<(), Unfit> {
    let failed = |doing| move |source| Unfit::Io { doing, source };
    let written = std::path::absolute(directory).map_err(failed("find"))?;
    let real = directory.canonicalize().map_err(failed("find"))?;
    let root = fs::metadata("/").map_err(failed("look at the folders above"))?;
    let trusted = [0, root.uid(), rustix::process::geteuid().as_raw()];
    for path in [&written, &real] {
        // Nearest first: that is the one to be told of.
        for folder in path.ancestors().skip(from) {
            let found = fs::metadata(folder).map_err(failed("look at a folder above"))?;
            check_one_above(folder, &found, &trusted)?;
        }
    }
    Ok(())
}

fn check_one_above(folder: &Path, found: &fs::Metadata, trusted: &[u32]) -> Result<(), Unfit> {
    const STICKY: u32 = 0o1000;
    let (folder, mode) = (folder.display(), found.mode() & 0o7777);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn set_mode(folder: &Path, mode: u32) {
        fs::set_permissions(folder, fs::Permissions::from_mode(mode)).expect("its owner may");
    }

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

    #[test]
    fn a_folder_above_that_others_may_write_to_is_refused() {
        let root = tempfile::tempdir().expect("a folder");
        let middle = root.path().join("middle");
        let inner = middle.join("inner");
        make(&inner).expect("all of it is this user's");
        for mode in [0o777, 0o757] {
            set_mode(&middle, mode);
            let error = make(&inner)
                .expect_err("others may write above")
                .to_string();
            assert!(error.contains("middle above it"), "{error}");
            assert!(error.contains(&format!("{mode:04o}")), "{error}");
        }
        // As `/tmp` is.
        set_mode(&middle, 0o1777);
        make(&inner).expect("nobody can rename what is not theirs");
        set_mode(&middle, 0o755);
        make(&inner).expect("others may look");
        // Only the administrator can give something away.
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&middle, Some(12_345), None).expect("the administrator may");
            let error = make(&inner).expect_err("another user's").to_string();
            assert!(error.contains("belongs to user 12345"), "{error}");
        }
    }

    #[test]
    fn a_link_in_a_folder_that_others_may_write_to_is_refused_and_so_is_one_that_leads_there() {
        let root = tempfile::tempdir().expect("a folder");
        let (open, own) = (root.path().join("open"), root.path().join("own"));
        make(&open.join("inner")).expect("it is made");
        make(&own.join("inner")).expect("it is made");
        symlink(&own, open.join("to-own")).expect("a link");
        symlink(&open, own.join("to-open")).expect("a link");
        make(&open.join("to-own/inner")).expect("it is this user's");
        make(&own.join("to-open/inner")).expect("it is this user's");
        set_mode(&open, 0o777);
        make(&open.join("to-own/inner")).expect_err("the link can be replaced");
        make(&own.join("to-open/inner")).expect_err("the folder can be replaced");
        make(&own.join("inner")).expect("nothing of it is open");
    }
}
