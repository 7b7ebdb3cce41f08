//! Machine code and snapshots of plugins, stored between runs. `tamis hook` is a new process for each call, and
//! should make neither again.
//!
//! A file counts only if it belongs to this user, no other user may write to it, and its header has the key of
//! the lookup and the hash of the rest. Otherwise its content is made again. Snapshots are WebAssembly, so they
//! can do only what their plugin can do. Machine code runs without a check, see `precompiled`. Each process that
//! stores code keeps the folders within their bounds: the oldest files are deleted first.

use crate::hex;
use crate::policy::{COMPILED, FolderBounds};
use crate::system::{Access, files, owners};
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The first bytes of a file; the number is that of its format.
type Magic = [u8; 16];
const SNAPSHOT: &Magic = b"tamis snapshot 1";
const CODE: &Magic = b"tamis  machine 1";
/// The folders that share the bounds, including those of [`super::turns`].
const FOLDERS: [&str; 3] = ["code/wasm", "snapshots/wasm", "turns/wasm"];
/// The percentage that remains after the bounds were exceeded.
const LEFT: u64 = 70;
/// Magic, key, hash of the rest.
const HEADER_BYTES: usize = 16 + 32 + 32;

/// The hash of everything that a file depends on.
#[derive(Clone, Copy)]
pub(super) struct Key([u8; 32]);

impl Key {
    /// `engine`: its version and settings. `memory_bytes`: a limit of the instance that the snapshot is taken
    /// of, which may see it.
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
        hex::encode(&self.0)
    }
}

/// The directory for files of one kind.
pub(super) struct KeptDir {
    folder: PathBuf,
    magic: &'static Magic,
}

impl KeptDir {
    /// Snapshots, in a cache directory that only its owner can write to.
    pub(super) fn of_snapshots(cache: &Path) -> KeptDir {
        KeptDir {
            folder: cache.join("snapshots/wasm"),
            magic: SNAPSHOT,
        }
    }

    /// Machine code, in such a directory.
    pub(super) fn of_code(cache: &Path) -> KeptDir {
        KeptDir {
            folder: cache.join("code/wasm"),
            magic: CODE,
        }
    }

    /// The content stored under a key, if it is sound.
    pub(super) fn find(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.folder.join(key.file_name());
        let mut file = File::open(&path).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || !owners::is_written_by_owner_alone(&file).ok()? {
            return None;
        }
        let mut header = [0; HEADER_BYTES];
        file.read_exact(&mut header).ok()?;
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()?);
        file.read_to_end(&mut bytes).ok()?;
        if header != self.header_of(key, &bytes) {
            return None;
        }
        // Without that, it is only thought to be older than it is.
        let _ = files::touch(&path);
        Some(bytes)
    }

    /// Stores bytes: all of them or none, regardless of other processes.
    pub(super) fn keep(&self, key: &Key, bytes: &[u8]) -> Result<()> {
        owners::make_folder(&self.folder)
            .with_context(|| format!("create {}", self.folder.display()))?;
        let path = self.folder.join(key.file_name());
        // An unfinished file ages like any other, and is deleted with them.
        let unfinished = path.with_extension(format!("wip-{}", std::process::id()));
        let written = write(&unfinished, &self.header_of(key, bytes), bytes)
            .and_then(|()| fs::rename(&unfinished, &path))
            .with_context(|| format!("write {}", path.display()));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    fn header_of(&self, key: &Key, bytes: &[u8]) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[..16].copy_from_slice(self.magic);
        header[16..48].copy_from_slice(&key.0);
        header[48..].copy_from_slice(&Sha256::digest(bytes));
        header
    }
}

/// Removes the oldest files of a cache directory if they are too many, or too large together.
pub(super) fn sweep(cache: &Path) {
    sweep_to(cache, &COMPILED);
}

fn sweep_to(cache: &Path, bounds: &FolderBounds) {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = FOLDERS
        .iter()
        .filter_map(|folder| fs::read_dir(cache.join(folder)).ok())
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            // Of a link, this is the link itself.
            let found = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((found.modified().ok()?, found.len(), entry.path()))
        })
        .collect();
    let mut count = files.len() as u64;
    let mut bytes: u64 = files.iter().map(|(_, len, _)| len).sum();
    if count <= bounds.files && bytes <= bounds.bytes {
        return;
    }
    files.sort();
    for (_, len, path) in files {
        if count <= bounds.files * LEFT / 100 && bytes <= bounds.bytes * LEFT / 100 {
            return;
        }
        // Another process may have removed it.
        if fs::remove_file(path).is_ok() {
            count -= 1;
            bytes -= len;
        }
    }
}

fn write(path: &Path, header: &[u8], wasm: &[u8]) -> std::io::Result<()> {
    let mut options = files::options(Access::Owner);
    let mut file = options.write(true).create_new(true).open(path)?;
    file.write_all(header)?;
    file.write_all(wasm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    const WASM: &[u8] = b"\0asm and more";

    fn key(settings: &str) -> Key {
        Key::new(&48, b"component", settings, 1 << 20)
    }

    #[test]
    fn what_was_kept_is_found_by_its_key_alone() {
        let cache = tempfile::tempdir().unwrap();
        let dir = KeptDir::of_snapshots(cache.path());
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
        let path = dir.folder.join(key("{}").file_name());
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(&dir.folder).unwrap().mode() & 0o777, 0o700);
        assert_eq!(
            fs::read_dir(&dir.folder).unwrap().count(),
            1,
            "nothing half-written"
        );
    }

    #[test]
    fn a_file_that_is_damaged_foreign_or_open_to_others_is_none() {
        let cache = tempfile::tempdir().unwrap();
        let dir = KeptDir::of_snapshots(cache.path());
        dir.keep(&key("{}"), WASM).unwrap();
        let path = dir.folder.join(key("{}").file_name());
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

        let other = dir.folder.join(key("other").file_name());
        fs::copy(&path, &other).unwrap();
        assert!(dir.find(&key("other")).is_none(), "under another name");

        fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
        assert!(dir.find(&key("{}")).is_none(), "others may write to it");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(dir.find(&key("{}")).is_none(), "a folder");
    }

    #[test]
    fn machine_code_is_no_snapshot() {
        let cache = tempfile::tempdir().unwrap();
        let (code, snapshots) = (
            KeptDir::of_code(cache.path()),
            KeptDir::of_snapshots(cache.path()),
        );
        snapshots.keep(&key("{}"), WASM).unwrap();
        fs::create_dir_all(&code.folder).unwrap();
        let name = key("{}").file_name();
        fs::copy(snapshots.folder.join(&name), code.folder.join(&name)).unwrap();
        assert!(code.find(&key("{}")).is_none());
        code.keep(&key("{}"), WASM).unwrap();
        assert_eq!(code.find(&key("{}")).as_deref(), Some(WASM));
    }

    #[test]
    fn the_oldest_files_go_when_there_is_too_much() {
        let cache = tempfile::tempdir().unwrap();
        let code = KeptDir::of_code(cache.path());
        let path = |name: &str| code.folder.join(key(name).file_name());
        for (age, name) in ["newest", "new", "old", "oldest"].iter().enumerate() {
            code.keep(&key(name), WASM).unwrap();
            let hours = std::time::Duration::from_secs(3600 * age as u64);
            let file = File::options().write(true).open(path(name)).unwrap();
            file.set_modified(SystemTime::now() - hours).unwrap();
        }
        let bounds = |files, bytes| FolderBounds { files, bytes };
        let len = fs::metadata(path("new")).unwrap().len();
        sweep_to(cache.path(), &bounds(4, 4 * len));
        assert!(path("oldest").exists(), "it is all within the bounds");
        // It was used, so it is no longer old.
        code.find(&key("oldest")).unwrap();
        sweep_to(cache.path(), &bounds(4, 3 * len));
        assert!(path("oldest").exists() && path("newest").exists());
        assert!(!path("old").exists() && !path("new").exists());
        sweep_to(cache.path(), &bounds(1, u64::MAX));
        assert_eq!(fs::read_dir(&code.folder).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_that_cannot_be_written_is_an_error() {
        let cache = tempfile::tempdir().unwrap();
        fs::write(cache.path().join("snapshots"), "a file").unwrap();
        let dir = KeptDir::of_snapshots(cache.path());
        assert!(dir.keep(&key("{}"), WASM).is_err());
        assert!(dir.find(&key("{}")).is_none());
    }
}
