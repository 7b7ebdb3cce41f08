//! Snapshots between runs, in the directory of compiled code: `tamis hook` is a new process for each
//! call, and should not take the snapshot again.
//!
//! A file is WebAssembly and not compiled code, so what it can do is what its plugin can do. It counts
//! only if it belongs to this user, nobody else may write to it, and its header has the key that it is
//! looked up by and the hash of what follows; else it is made anew. wasmtime's cleaner, which keeps
//! the directory within its size, takes files two folders down for its own, so the oldest go first.

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What a file begins with; the number is that of its format.
const MAGIC: &[u8; 16] = b"tamis snapshot 1";
/// Magic, key, hash of the rest.
const HEADER_BYTES: usize = 16 + 32 + 32;

/// What a snapshot depends on, hashed.
#[derive(Clone, Copy)]
pub(super) struct Key([u8; 32]);

impl Key {
    /// `engine`: its version and how it is set up. `memory_bytes`: a limit of the instance that the
    /// snapshot is taken of, which may see it.
    pub(super) fn new(engine: &impl Hash, wasm: &[u8], settings: &str, memory_bytes: u64) -> Key {
        let mut engine_hash = DefaultHasher::new();
        engine.hash(&mut engine_hash);
        let mut hash = Sha256::new();
        for part in [
            env!("CARGO_PKG_VERSION").as_bytes(),
            &engine_hash.finish().to_le_bytes(),
            wasm,
            settings.as_bytes(),
            &memory_bytes.to_le_bytes(),
        ] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Key(hash.finalize().into())
    }

    pub(super) fn file_name(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Where snapshots are kept.
pub(super) struct SnapshotDir(PathBuf);

impl SnapshotDir {
    /// In a cache directory that was found to be its owner's alone.
    pub(super) fn within(cache: &Path) -> SnapshotDir {
        SnapshotDir(cache.join("snapshots").join("wasm"))
    }

    /// The snapshot of a key, if there is a sound one.
    pub(super) fn find(&self, key: &Key) -> Option<Vec<u8>> {
        let mut file = File::open(self.0.join(key.file_name())).ok()?;
        let metadata = file.metadata().ok()?;
        let is_own = metadata.uid() == rustix::process::geteuid().as_raw();
        if !metadata.is_file() || !is_own || metadata.mode() & 0o022 != 0 {
            return None;
        }
        let mut header = [0; HEADER_BYTES];
        file.read_exact(&mut header).ok()?;
        let mut wasm = Vec::with_capacity(usize::try_from(metadata.len()).ok()?);
        file.read_to_end(&mut wasm).ok()?;
        (header == header_of(key, &wasm)).then_some(wasm)
    }

    /// Keeps a snapshot: all of it or nothing, whoever else does the same.
    pub(super) fn keep(&self, key: &Key, wasm: &[u8]) -> Result<()> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.0)
            .with_context(|| format!("create {}", self.0.display()))?;
        let path = self.0.join(key.file_name());
        // wasmtime's cleaner knows this ending: a file that was left half-written goes in time.
        let unfinished = path.with_extension(format!("wip-{}", std::process::id()));
        let written = write(&unfinished, &header_of(key, wasm), wasm)
            .and_then(|()| fs::rename(&unfinished, &path))
            .with_context(|| format!("write {}", path.display()));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        written
    }
}

fn header_of(key: &Key, wasm: &[u8]) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..16].copy_from_slice(MAGIC);
    header[16..48].copy_from_slice(&key.0);
    header[48..].copy_from_slice(&Sha256::digest(wasm));
    header
}

fn write(path: &Path, header: &[u8], wasm: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(header)?;
    file.write_all(wasm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const WASM: &[u8] = b"\0asm and more";

    fn key(settings: &str) -> Key {
        Key::new(&48, b"component", settings, 1 << 20)
    }

    #[test]
    fn what_was_kept_is_found_by_its_key_alone() {
        let cache = tempfile::tempdir().unwrap();
        let dir = SnapshotDir::within(cache.path());
        assert!(dir.find(&key("{}")).is_none());
        dir.keep(&key("{}"), WASM).unwrap();
        dir.keep(&key("{}"), WASM).unwrap();
        assert_eq!(dir.find(&key("{}")).as_deref(), Some(WASM));
        for other in [
            key(r#"{"a":1}"#),
            Key::new(&49, b"component", "{}", 1 << 20),
            Key::new(&48, b"another", "{}", 1 << 20),
            Key::new(&48, b"component", "{}", 1 << 21),
        ] {
            assert!(dir.find(&other).is_none());
        }
        let path = dir.0.join(key("{}").file_name());
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(&dir.0).unwrap().mode() & 0o777, 0o700);
        assert_eq!(
            fs::read_dir(&dir.0).unwrap().count(),
            1,
            "nothing half-written"
        );
    }

    #[test]
    fn a_file_that_is_damaged_foreign_or_open_to_others_is_none() {
        let cache = tempfile::tempdir().unwrap();
        let dir = SnapshotDir::within(cache.path());
        dir.keep(&key("{}"), WASM).unwrap();
        let path = dir.0.join(key("{}").file_name());
        let sound = fs::read(&path).unwrap();

        for at in 0..sound.len() {
            let mut damaged = sound.clone();
            damaged[at] ^= 1;
            fs::write(&path, damaged).unwrap();
            assert!(dir.find(&key("{}")).is_none(), "byte {at}");
            fs::write(&path, &sound[..at]).unwrap();
            assert!(dir.find(&key("{}")).is_none(), "cut at {at}");
        }
        fs::write(&path, &sound).unwrap();
        assert!(dir.find(&key("{}")).is_some(), "it was the damage");

        let other = dir.0.join(key("other").file_name());
        fs::copy(&path, &other).unwrap();
        assert!(dir.find(&key("other")).is_none(), "under another name");

        fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
        assert!(dir.find(&key("{}")).is_none(), "others may write to it");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(dir.find(&key("{}")).is_none(), "a folder");
    }

    #[test]
    fn a_directory_that_cannot_be_written_is_an_error() {
        let cache = tempfile::tempdir().unwrap();
        fs::write(cache.path().join("snapshots"), "a file").unwrap();
        let dir = SnapshotDir::within(cache.path());
        assert!(dir.keep(&key("{}"), WASM).is_err());
        assert!(dir.find(&key("{}")).is_none());
    }
}
