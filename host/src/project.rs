//! Which folders are a project's.

use crate::system::files;
use std::path::{Path, PathBuf};

/// The folder in which everything of a project lies, of which a folder is part: the root of the git repository, or
/// the folder itself. It has no symbolic links in it, if the folder exists.
pub fn root(folder: &Path) -> PathBuf {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let folder = files::real_path(folder).unwrap_or_else(|_| folder.to_owned());
    let home = std::env::home_dir().and_then(|home| files::real_path(home).ok());
    let is_root = |folder: &&&Path| folder.join(".git").symlink_metadata().is_ok();
    let folders = folders(&folder, home.as_deref());
    let root = folders.iter().find(is_root);
    root.map_or_else(|| folder.clone(), |root| root.to_path_buf())
}

/// The folder and those above it that are part of the same project, the nearest first: up to the root
/// of the git repository. Outside of one: up to the home folder, which is no project itself; and
/// outside of that, where others may write to the folders above, the folder alone.
///
/// `folder` and `home` have no symbolic links in them.
pub fn folders<'a>(folder: &'a Path, home: Option<&Path>) -> Vec<&'a Path> {
    let is_root = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    let has_root = folder.ancestors().any(|folder| is_root(&folder));
    let below_home = home.is_some_and(|home| folder.starts_with(home));
    let mut folders = Vec::new();
    for folder in folder.ancestors() {
        if Some(folder) == home {
            break;
        }
        folders.push(folder);
        if is_root(&folder) || !(has_root || below_home) {
            break;
        }
    }
    folders
}
