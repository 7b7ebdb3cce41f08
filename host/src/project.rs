//! Which folders are a project's.

use std::path::Path;

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
