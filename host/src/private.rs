//! Directories that only their owner may write to.
//!
//! Owns creating them and checking whether one can be trusted. Refuses to know their contents.
//!
//! A user who may write to a folder above one can put another in its place. So the folders above count, too:
//! each belongs to this user or to the system's administrator (the owner of `/`: in a container perhaps a user
//! without a name), and nobody else may write to it. In a folder with the sticky bit, such as `/tmp`, users can
//! rename only their own files, so everybody may write to it. The rules hold for the path as written and, if it
//! has symbolic links, for the path that they lead to.

use crate::system::{Place, Platform, files, home_variable, owners};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub(crate) use crate::system::Unfit;

/// Overrides where the cache is.
pub const CACHE_DIR_VARIABLE: &str = "TAMIS_CACHE_DIR";

/// The directory for data that can be fetched again: `TAMIS_CACHE_DIR`, else `tamis` in the user's cache
/// directory; none if the user has no home.
pub fn cache_directory() -> Option<PathBuf> {
    let variable = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let (system, own) = (Platform::here(), variable(CACHE_DIR_VARIABLE));
    own.or_else(|| {
        let home = variable(home_variable(system));
        Place::Cache.folder(system, variable, home.as_deref())
    })
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

/// Makes `directory`, for its owner only, if it is missing. Checks that the directory belongs to this user,
/// and that nobody else may write to it or replace it.
pub fn make(directory: &Path) -> Result<(), Unfit> {
    let made = match fs::symlink_metadata(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // Before anything is made in somebody else's folder.
            if let Some(nearest) = directory.ancestors().find(|folder| folder.exists()) {
                owners::check_folders_above(nearest, 0)?;
            }
            owners::make_folder(directory).map_err(Unfit::io("create"))?;
            true
        }
        _ => false,
    };
    let found = fs::metadata(directory).map_err(Unfit::io("look at"))?;
    if !found.is_dir() {
        return Err(Unfit::Unsafe("it is not a directory".to_owned()));
    }
    owners::check_folder(directory)?;
    owners::check_folders_above(directory, 1)?;
    if made && let Some(parent) = directory.parent() {
        // Not every parent may be opened; then the new name is as safe as the system makes it.
        let _ = files::sync_folder(parent);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn set_mode(folder: &Path, mode: u32) {
        fs::set_permissions(folder, fs::Permissions::from_mode(mode)).expect("its owner may");
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
