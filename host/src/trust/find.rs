//! Where a project's filters.toml is.

use std::path::{Path, PathBuf};

use crate::project;

/// The name of the file.
pub const NAME: &str = "filters.toml";

/// The filters.toml of the project that a folder is part of, the nearest one; see
/// [`project::folders`].
pub fn find(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    project::folders(folder, home)
        .into_iter()
        .map(|folder| folder.join(NAME))
        .find(|path| path.symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use std::fs;

    #[test]
    fn it_is_looked_for_up_to_the_repository_or_the_home() {
        let owner = tempfile::tempdir().expect("a folder");
        let top = owner.path().canonicalize().expect("a folder");
        let make = |path: &str| {
            let path = top.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(&path, "").expect("a file");
            path
        };
        make("filters.toml");
        make("home/filters.toml");
        let home = top.join("home");
        let find = |folder: &str| {
            let folder = top.join(folder);
            fs::create_dir_all(&folder).expect("folders");
            super::find(&folder, Some(&home))
        };
        // A file in the home is the user's own, and one above it somebody else's.
        assert_eq!(find("home"), None);
        assert_eq!(find("home/work/project/src"), None);
        let found = make("home/work/filters.toml");
        assert_eq!(find("home/work/project/src"), Some(found));
        fs::create_dir_all(top.join("home/work/project/.git")).expect("folders");
        assert_eq!(find("home/work/project/src"), None);
        let found = make("home/work/project/filters.toml");
        assert_eq!(find("home/work/project/src"), Some(found));
        // Outside of the home and of a repository, the folder alone.
        assert_eq!(find("srv/app"), None);
        let found = make("srv/app/filters.toml");
        assert_eq!(find("srv/app"), Some(found.clone()));
        assert_eq!(find("srv/app/src"), None);
        // A repository's `.git` may be a file.
        make("srv/app/.git");
        assert_eq!(find("srv/app/src"), Some(found));
        // A home that is itself a repository is no project.
        fs::create_dir_all(top.join("home/.git")).expect("folders");
        assert_eq!(find("home/other"), None);
    }
}
