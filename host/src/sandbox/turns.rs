//! Which process compiles: if several processes need the same code at the same time, one of them. The others
//! wait, and find the code in the cache.
//!
//! A file stands for a piece of code. It is locked while a process makes the code (a process that dies releases
//! it), and is not empty once the code was made. The oldest files are deleted, as those of the code itself. If a
//! file is lost, or a wait is in vain, the cost is a second compilation and nothing else.

use super::kept_dir::Key;
use crate::system::{Access, files, owners};
use std::fs::File;
use std::io::{Result, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// How often to check whether the code is ready.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The directory of the files.
pub(super) struct Turns(PathBuf);

/// The right to compile, until it is dropped.
pub(super) struct Turn(File);

impl Turns {
    /// The turns in a cache directory that only its owner can write to.
    pub(super) fn within(cache: &Path) -> Turns {
        Turns(cache.join("turns").join("wasm"))
    }

    /// Waits until no other process makes this code. Some: the caller makes it. None: the code was made, or this
    /// cannot be known, so the caller continues as if alone. `patience`: how long another process may take; a
    /// process that was stopped in the middle must not stop all others.
    pub(super) fn take(&self, key: &Key, patience: Duration) -> Option<Turn> {
        self.try_take(key, patience).ok().flatten()
    }

    fn try_take(&self, key: &Key, patience: Duration) -> Result<Option<Turn>> {
        owners::make_folder(&self.0)?;
        let mut options = files::options(Access::Owner);
        let options = options.read(true).append(true).create(true);
        let file = options.open(self.0.join(key.file_name()))?;
        let was_made = |file: &File| Ok::<_, std::io::Error>(file.metadata()?.len() > 0);
        let begun = Instant::now();
        while !was_made(&file)? {
            if files::try_lock(&file).is_ok() {
                // It may have been made just before.
                return Ok((!was_made(&file)?).then_some(Turn(file)));
            }
            if begun.elapsed() > patience {
                break;
            }
            thread::sleep(LOOK_EVERY);
        }
        Ok(None)
    }
}

impl Turn {
    /// Notes that the code was made, and is in the cache.
    pub(super) fn made(mut self) {
        // Without the word for it, the next one waits for nobody and finds it all the same.
        let _ = self.0.write_all(b"made\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    fn key(wasm: &[u8]) -> Key {
        Key::new(&48, wasm, "", 0)
    }

    #[test]
    fn one_has_the_turn_and_the_others_wait_until_it_is_made() {
        let cache = tempfile::tempdir().unwrap();
        let turns = Turns::within(cache.path());
        let turn = turns
            .take(&key(b"a"), PATIENCE)
            .expect("nobody else is there");
        assert!(
            turns.take(&key(b"b"), PATIENCE).is_some(),
            "of another plugin"
        );
        let waiting = thread::spawn({
            let turns = Turns::within(cache.path());
            move || turns.take(&key(b"a"), PATIENCE).is_none()
        });
        turn.made();
        assert!(waiting.join().unwrap(), "it was made meanwhile");
        assert!(turns.take(&key(b"a"), PATIENCE).is_none(), "for good");
    }

    #[test]
    fn who_fails_or_dies_leaves_the_turn_to_the_next() {
        let cache = tempfile::tempdir().unwrap();
        let turns = Turns::within(cache.path());
        drop(
            turns
                .take(&key(b"a"), PATIENCE)
                .expect("nobody else is there"),
        );
        assert!(
            turns.take(&key(b"a"), PATIENCE).is_some(),
            "it was not made"
        );
    }

    #[test]
    fn without_a_directory_nobody_waits() {
        let cache = tempfile::tempdir().unwrap();
        std::fs::write(cache.path().join("turns"), "a file").unwrap();
        assert!(
            Turns::within(cache.path())
                .take(&key(b"a"), PATIENCE)
                .is_none()
        );
    }
}
