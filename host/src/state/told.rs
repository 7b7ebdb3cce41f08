//! Which sessions were told how to read filtered output: an empty file each, in the state directory.

use crate::private;
use crate::store::Reference;
use crate::system::{Access, files};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A session that was not heard of for so long is not taken up again.
const FORGET_AFTER: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The sessions of one state directory.
pub struct ToldSessions {
    state: PathBuf,
}

impl ToldSessions {
    pub(super) fn in_directory(state: &Path) -> ToldSessions {
        ToldSessions {
            state: state.to_owned(),
        }
    }

    /// Whether a session was told.
    pub fn knows(&self, session: &str) -> bool {
        self.directory().join(name(session)).exists()
    }

    /// Notes that a session is told.
    ///
    /// # Errors
    ///
    /// It cannot be noted.
    pub fn note(&self, session: &str) -> Result<()> {
        let directory = self.directory();
        for directory in [&self.state, &directory] {
            private::make_state(directory)?;
        }
        let path = directory.join(name(session));
        // Creating the file again renews its age.
        let mut options = files::options(Access::Owner);
        options
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .and_then(|file| file.set_modified(SystemTime::now()))
            .with_context(|| format!("create {}", path.display()))?;
        forget(&directory);
        Ok(())
    }

    fn directory(&self) -> PathBuf {
        self.state.join("told")
    }
}

/// A session's name comes from outside: its hash is always a file's name.
fn name(session: &str) -> String {
    Reference::of(session.as_bytes()).to_string()
}

/// Removes old files. A file that cannot be removed takes a name and no space.
fn forget(directory: &Path) {
    let now = SystemTime::now();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|then| now.duration_since(then).ok());
        if age.is_some_and(|age| age > FORGET_AFTER) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
