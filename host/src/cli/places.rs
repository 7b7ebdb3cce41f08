//! Files as programs of CI name them: by their path from the working directory.

use crate::system::files;
use crate::trust;
use std::path::{Component, Path, PathBuf};

/// The path of a file from the working directory, without `.`, `..` and links of folders. A file outside of the
/// working directory has its absolute path. If its folder does not exist, the path stays unchanged.
pub(super) fn from_here(path: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(files::real_path);
    let (Ok(file), Ok(here)) = (trust::absolute(path), here) else {
        let parts = path.components();
        return parts.filter(|part| *part != Component::CurDir).collect();
    };
    match file.strip_prefix(here) {
        Ok(relative) => relative.to_owned(),
        Err(_) => file,
    }
}
