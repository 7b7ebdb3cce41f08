//! Directories that only their owner may write to.
//!
//! Owns making them and telling whether one can be trusted. Refuses to know what lies in them.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Overrides where the cache is.
pub const CACHE_DIR_VARIABLE: &str = "TAMIS_CACHE_DIR";

/// Where what can be had again is kept: `TAMIS_CACHE_DIR`, else `tamis` in the user's cache directory; none if
/// there is no home.
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

/// Why a directory is not to be used.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// It is not one to trust: what is wrong with it, and how to put it right.
    #[error("{0}")]
    Unsafe(String),
    /// What was being done ("create"), and what the system said.
    #[error("cannot {doing} it")]
    Io {
        /// What was being done, for example "create".
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

/// Makes `directory`, for its owner only, if it is not there, and checks that it is a directory that
/// belongs to this user and that nobody else may write to.
pub fn make(directory: &Path) -> Result<(), Unfit> {
    let failed = |doing| move |source| Unfit::Io { doing, source };
    let made = match fs::symlink_metadata(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
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
            "others may write there (mode {mode:04o}); `chmod go-w` it, or name another directory"
        )));
    }
    if made && let Some(parent) = directory.parent() {
        // Not every parent may be opened; then the new name is as safe as the system makes it.
        let _ = File::open(parent).and_then(|parent| parent.sync_all());
    }
    Ok(())
}
