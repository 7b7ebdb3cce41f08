//! The values that filters store in an agent's session between hooks: each hook is a process of its own.
//!
//! A session is a small file in the state directory, under the hash of its id. It is locked while one
//! hook of the session filters, so another hook waits for the values of this one. If the file cannot
//! be used, filters run without a session.

use super::StateError;
use crate::hex;
use crate::private::{self, Unusable};
use crate::sandbox::SessionValues;
use crate::store::MAX_AGE;
use crate::system::{Access, files};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The folder in the state directory.
const FOLDER: &str = "sessions";
/// Time without a result after which a session is over: its originals are deleted then.
const QUIET_FOR: Duration = MAX_AGE;
/// The most files: about the number of an agent's sessions in a week. The least recently used are deleted
/// first.
const FILES: usize = 1_000;
/// A longer file is none of ours: every plugin may keep 68 KiB, and escapes make six bytes of one.
const FILE_BYTES: u64 = 16 << 20;

/// A session's file, locked.
pub struct HookSession {
    file: File,
    path: PathBuf,
    before: String,
    values: SessionValues,
}

impl HookSession {
    /// The session that an agent calls `id`.
    pub(super) fn open(state: &Path, id: &str) -> Result<HookSession, StateError> {
        let folder = state.join(FOLDER);
        private::make_state(&folder)?;
        let name = hex::encode(&Sha256::digest(id)[..16]);
        let path = folder.join(format!("{name}.json"));
        open(&folder, path).map_err(|error| Unusable::new(&folder, error.to_string()).into())
    }

    /// The values that filters have set so far.
    pub fn values(&self) -> SessionValues {
        self.values.clone()
    }

    /// Writes the values that filters have set, and releases the lock for the next hook.
    pub fn close(mut self) {
        let json = self.values.to_json();
        if json == self.before {
            return;
        }
        let write = |file: &mut File| {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(json.as_bytes())
        };
        if let Err(error) = write(&mut self.file) {
            tracing::warn!("cannot store a session: {}: {error}", self.path.display());
        }
    }
}

fn open(folder: &Path, path: PathBuf) -> std::io::Result<HookSession> {
    if !path.exists() {
        sweep(folder);
    }
    let mut options = files::options(Access::Owner);
    let mut file = options
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)?;
    files::lock(&file)?;
    let mut before = String::new();
    // A half-written file of a killed hook is ignored: filters run without its values.
    let whole = Read::by_ref(&mut file)
        .take(FILE_BYTES)
        .read_to_string(&mut before);
    let values = whole.ok().and_then(|_| SessionValues::from_json(&before));
    Ok(HookSession {
        values: values.unwrap_or_default(),
        file,
        path,
        before,
    })
}

/// Removes the files of sessions that are over, and the quietest of too many.
fn sweep(folder: &Path) {
    let now = SystemTime::now();
    let mut quiet: Vec<(Duration, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let changed = entry.metadata().and_then(|metadata| metadata.modified());
        let quiet_for = changed.map(|changed| now.duration_since(changed).unwrap_or_default());
        quiet.extend(quiet_for.ok().map(|quiet_for| (quiet_for, entry.path())));
    }
    quiet.sort();
    for (place, (quiet_for, path)) in quiet.iter().enumerate() {
        if *quiet_for > QUIET_FOR || place + 1 >= FILES {
            let _ = fs::remove_file(path);
        }
    }
}
