//! The file with the result that a starter's test reads.

use crate::file;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The folder of such files, beside filters.toml.
const FOLDER: &str = "fixtures";

/// Names that are tried where others are taken.
const NAMES: usize = 1000;

/// The file as a path in `folder`. None: it is elsewhere, or cannot be named in a policy.
pub(super) fn within(folder: &Path, file: Option<&Path>) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let file = file?.canonicalize().ok()?;
    let inner = file.strip_prefix(folder).ok()?;
    let inner = inner.to_str()?;
    (!inner.chars().any(char::is_control)).then(|| inner.to_owned())
}

/// Writes a result, readable by its owner alone since it may hold anything, and never over another file.
/// Returns its path in `folder`.
pub(super) fn write(folder: &Path, tool: &str, result: &[u8]) -> Result<String> {
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
        let path = folder.join(&inner);
        let is_same = || file::read(&path, result.len() as u64).is_ok_and(|found| found == result);
        if path.symlink_metadata().is_ok() {
            if !is_same() {
                continue;
            }
        } else {
            let writing = || format!("write {}", path.display());
            std::fs::create_dir_all(folder.join(FOLDER)).with_context(writing)?;
            file::replace(&path, result, 0o600).with_context(writing)?;
        }
        if let Some(inner) = inner.to_str() {
            return Ok(inner.to_owned());
        }
    }
    bail!(
        "{}: too many results of `{tool}`",
        folder.join(FOLDER).display()
    )
}
