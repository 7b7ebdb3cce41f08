//! The files with the results that a starter's tests read.

use super::listing::shown;
use super::page::Test;
use crate::file;
use crate::system::files;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The folder of such files, in the folder of filters.toml.
const FOLDER: &str = "fixtures";

/// Names that are tried where others are taken.
const NAMES: usize = 1000;

/// The files of a new filters.toml. Those that were written for it are removed again, unless it is kept.
pub(super) struct Fixtures<'a> {
    folder: &'a Path,
    written: Vec<PathBuf>,
}

impl<'a> Fixtures<'a> {
    /// The files of a filters.toml in this folder.
    pub(super) fn in_folder(folder: &'a Path) -> Fixtures<'a> {
        Fixtures {
            folder,
            written: Vec::new(),
        }
    }

    /// The filters.toml is written with these tests, so their files stay.
    pub(super) fn keep(mut self, tests: &[Test]) {
        let read: Vec<PathBuf> = tests
            .iter()
            .map(|test| self.folder.join(&test.input_file))
            .collect();
        self.written.retain(|path| !read.contains(path));
    }

    /// The file as a path in the folder. None: it is elsewhere, or cannot be named in a policy.
    pub(super) fn within(&self, file: Option<&Path>) -> Option<String> {
        let folder = files::real_path(self.folder).ok()?;
        let file = files::real_path(file?).ok()?;
        let inner = file.strip_prefix(folder).ok()?;
        let inner = inner.to_str()?;
        (!inner.chars().any(char::is_control)).then(|| inner.to_owned())
    }

    /// Writes a result, readable by its owner alone since it may hold anything, and never over another file.
    /// Returns its path in the folder.
    pub(super) fn write(&mut self, tool: &str, result: &[u8]) -> Result<String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let name: String = tool
            .chars()
            .take(100)
            .map(|c| if is_plain(c) { c } else { '_' })
            .collect();
        for number in 1..NAMES {
            let inner = match number {
                1 => PathBuf::from(FOLDER).join(format!("{name}.json")),
                _ => PathBuf::from(FOLDER).join(format!("{name}-{number}.json")),
            };
            let path = self.folder.join(&inner);
            let is_same =
                || file::read(&path, result.len() as u64).is_ok_and(|found| found == result);
            if path.symlink_metadata().is_ok() {
                if !is_same() {
                    continue;
                }
            } else {
                let writing = || format!("write {}", path.display());
                std::fs::create_dir_all(self.folder.join(FOLDER)).with_context(writing)?;
                file::replace(&path, result, file::Access::Owner).with_context(writing)?;
                self.written.push(path);
            }
            if let Some(inner) = inner.to_str() {
                return Ok(inner.to_owned());
            }
        }
        bail!(
            "{}: too many results of `{}`",
            self.folder.join(FOLDER).display(),
            shown(tool)
        )
    }
}

impl Drop for Fixtures<'_> {
    fn drop(&mut self) {
        for path in &self.written {
            // A file that stays does no harm, and the error to report is another.
            let _ = std::fs::remove_file(path);
        }
        if !self.written.is_empty() {
            // Only if it is empty.
            let _ = std::fs::remove_dir(self.folder.join(FOLDER));
        }
    }
}
