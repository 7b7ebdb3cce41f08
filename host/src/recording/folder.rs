//! The folder that recorded calls are in.

use super::Call;
use crate::file;
use anyhow::{Context, Result, anyhow, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The suffix of the names of recorded calls.
const ENDING: &str = "json";

/// The largest file that is read: more than a client takes.
const MOST_BYTES: u64 = 1 << 30;

/// Broken files that are named at once.
const NAMED: usize = 10;

/// A recorded call, and where it was found.
#[derive(Debug)]
pub struct Recorded {
    pub path: PathBuf,
    pub call: Call,
}

/// The recorded calls of a folder, in the order in which they were made; or of one file.
///
/// # Errors
///
/// The path is missing, or a file cannot be read or is no recorded call: then all such files are named.
pub fn read(path: &Path) -> Result<Vec<Recorded>> {
    let is_folder = fs::metadata(path)
        .with_context(|| format!("look at {}", path.display()))?
        .is_dir();
    let paths = if is_folder {
        files(path)?
    } else {
        vec![path.to_owned()]
    };
    if paths.is_empty() {
        bail!(
            "{} contains no recorded calls: `tamis run --record {0}` records some",
            path.display()
        );
    }
    let mut calls = Vec::with_capacity(paths.len());
    let mut broken = Vec::new();
    for path in paths {
        match read_one(&path) {
            Ok(call) => calls.push(Recorded { path, call }),
            Err(error) => broken.push(format!("{}: {error:#}", path.display())),
        }
    }
    if broken.is_empty() {
        return Ok(calls);
    }
    let more = broken.len().saturating_sub(NAMED);
    broken.truncate(NAMED);
    if more > 0 {
        broken.push(format!("and {more} more"));
    }
    bail!(
        "some files are not recorded calls; move them to another folder:\n{}",
        broken.join("\n")
    );
}

/// The paths of the calls in a folder. Half-written files of a killed process have names that begin with a dot.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)
        .and_then(Iterator::collect::<std::io::Result<Vec<_>>>)
        .with_context(|| format!("read the folder {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries
        .into_iter()
        .filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."))
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == ENDING))
        .collect();
    // Names begin with the time at which the recording began, and go on with the number of the call.
    paths.sort();
    Ok(paths)
}

fn read_one(path: &Path) -> Result<Call> {
    let bytes = file::read(path, MOST_BYTES).context("read it")?;
    Call::parse(&bytes).map_err(|why| anyhow!(why))
}

/// The name of a call's file. `run` identifies the recording; `number` is that of the call in it.
pub(super) fn name(run: &str, number: u64) -> String {
    format!("{run}-{number:06}.{ENDING}")
}
