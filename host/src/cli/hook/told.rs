//! Which sessions were told how to read filtered output: an empty file each, in the state directory.

use crate::private;
use crate::store::{Reference, Store};
use anyhow::{Context, Result};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A session that was not heard of for so long is not taken up again.
const FORGET_AFTER: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Whether a session was told.
pub(super) fn knows(session: &str) -> bool {
    let path = directory().map(|directory| directory.join(name(session)));
    path.is_ok_and(|path| path.exists())
}

/// Notes that a session is told.
pub(super) fn note(session: &str) -> Result<()> {
    let directory = directory()?;
    for directory in directory.parent().into_iter().chain([&*directory]) {
        private::make(directory).with_context(|| format!("use {}", directory.display()))?;
    }
    let path = directory.join(name(session));
    // Made anew, it is young again.
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&path)
        .and_then(|file| file.set_modified(SystemTime::now()))
        .with_context(|| format!("create {}", path.display()))?;
    forget(&directory);
    Ok(())
}

fn directory() -> Result<PathBuf> {
    let state = Store::default_directory();
    let state = state.context("no home directory for records of sessions: set TAMIS_STATE_DIR")?;
    Ok(state.join("told"))
}

/// A session's name comes from outside: its hash is always a file's name.
fn name(session: &str) -> String {
    Reference::of(session.as_bytes()).to_string()
}

/// Removes what is old. What cannot be removed takes a name and no space.
fn forget(directory: &Path) {
    let now = SystemTime::now();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|it| it.modified());
        let age = modified.ok().and_then(|then| now.duration_since(then).ok());
        if age.is_some_and(|age| age > FORGET_AFTER) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
