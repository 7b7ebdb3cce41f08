//! Compiled plugins, stored between runs in a directory that only its owner can write to or replace. Compiled
//! code runs without a check, so a directory that others can write is not used.

use super::kept_dir::KeptDir;
use super::turns::Turns;
use crate::private::{self, CACHE_DIR_VARIABLE};
use anyhow::{Context, Result, anyhow};
use std::path::PathBuf;

/// The directory of compiled code.
#[derive(Debug, Clone)]
pub struct CacheDir(PathBuf);

/// A cache that is safe to use.
pub(super) struct Opened {
    pub directory: PathBuf,
    pub code: KeptDir,
    pub snapshots: KeptDir,
    pub turns: Turns,
}

impl CacheDir {
    /// A cache in `dir`, which is created at its first use.
    pub fn at(dir: impl Into<PathBuf>) -> CacheDir {
        CacheDir(dir.into())
    }

    /// The user's cache, see [`private::cache_directory`]; none if the user has no home.
    pub fn from_environment() -> Option<CacheDir> {
        private::cache_directory().map(CacheDir)
    }

    /// Compiled code and snapshots in it.
    pub(super) fn open(self) -> Result<Opened> {
        let CacheDir(directory) = self;
        private::make(&directory)
            .map_err(|unfit| match unfit {
                private::Unfit::Unsafe(why) => anyhow!(
                    "others could plant code there: {why}; or set {CACHE_DIR_VARIABLE} to another directory"
                ),
                other => other.into(),
            })
            .with_context(|| format!("use the cache directory {}", directory.display()))?;
        Ok(Opened {
            code: KeptDir::of_code(&directory),
            snapshots: KeptDir::of_snapshots(&directory),
            turns: Turns::within(&directory),
            directory,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    #[test]
    fn a_directory_that_others_can_write_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let cache = dir.path().join("cache");
        CacheDir::at(&cache).open().unwrap();
        assert_eq!(std::fs::metadata(&cache).unwrap().mode() & 0o777, 0o700);
        std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(0o777)).unwrap();
        let error = format!("{:#}", CacheDir::at(&cache).open().err().unwrap());
        assert!(error.contains("others could plant code there"), "{error}");
        assert!(error.contains("chmod go-w"), "{error}");
    }
}
