//! Compiled code between runs: wasmtime's own cache (its key holds the full version and all
//! settings), in a directory that only its owner can write. Compiled code is run as it is found,
//! so a directory that others can write is not used.

use super::snapshot_dir::SnapshotDir;
use super::turns::Turns;
use crate::private::{self, CACHE_DIR_VARIABLE};
use anyhow::{Context, Result, bail};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// zstd's own default.
const COMPRESSION_LEVEL: i32 = 3;

/// Where compiled code is kept.
#[derive(Debug, Clone)]
pub struct CacheDir(PathBuf);

/// A cache that can be used.
pub(super) struct Opened {
    pub compiled: wasmtime::Cache,
    pub snapshots: SnapshotDir,
    pub turns: Turns,
}

impl CacheDir {
    /// A cache in `dir`, which is created when it is first used.
    pub fn at(dir: impl Into<PathBuf>) -> CacheDir {
        CacheDir(dir.into())
    }

    /// The user's, see [`private::cache_directory`]; none if there is no home.
    pub fn from_environment() -> Option<CacheDir> {
        private::cache_directory().map(CacheDir)
    }

    /// Compiled code and snapshots in it.
    pub(super) fn open(self) -> Result<Opened> {
        let CacheDir(dir) = self;
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&dir)
            .with_context(|| format!("create the cache directory {}", dir.display()))?;
        check_owner(&dir)?;
        let mut config = wasmtime::CacheConfig::new();
        config
            .with_directory(&dir)
            // Code that is used often is not compressed better: that takes longer than it ever saves.
            .with_optimized_compression_level(COMPRESSION_LEVEL)
            .with_baseline_compression_level(COMPRESSION_LEVEL);
        let compiled = wasmtime::Cache::new(config)
            .map_err(anyhow::Error::from)
            .with_context(|| format!("open the cache directory {}", dir.display()))?;
        Ok(Opened {
            compiled,
            snapshots: SnapshotDir::within(&dir),
            turns: Turns::within(&dir),
        })
    }
}

fn check_owner(dir: &Path) -> Result<()> {
    let metadata = std::fs::metadata(dir).with_context(|| format!("look at {}", dir.display()))?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        bail!(
            "the cache directory {} belongs to another user, who could plant code in it: set {CACHE_DIR_VARIABLE} to one of your own",
            dir.display()
        );
    }
    if metadata.mode() & 0o022 != 0 {
        bail!(
            "the cache directory {} can be written by others, who could plant code in it: take that right away (chmod go-w)",
            dir.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_directory_that_others_can_write_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let cache = dir.path().join("cache");
        CacheDir::at(&cache).open().unwrap();
        assert_eq!(std::fs::metadata(&cache).unwrap().mode() & 0o777, 0o700);
        std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(0o777)).unwrap();
        let error = CacheDir::at(&cache).open().err().unwrap().to_string();
        assert!(error.contains("can be written by others"), "{error}");
    }
}
