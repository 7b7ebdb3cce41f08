//! Plugins fetched from registries, in the user's cache directory.
//!
//! A file is a manifest or a plugin, and its name is the digest of its bytes. Both are hashed at each read, so
//! a changed file is ignored. The signatures of a plugin are in a file of its digest; they are worth nothing
//! until a key verifies them, so nobody gains by changing one. All are in folders where wasmtime's cleaner, which keeps the directory within
//! its size, takes them for its own. So the oldest are deleted first.

use super::artifact::Layer;
use super::reference::{Digest, Pinned};
use super::signatures::{self, ArtifactSignature};
use super::{MAX_MANIFEST_BYTES, MAX_PLUGIN_BYTES};
use crate::{file, private};
use anyhow::{Context, Result};
use std::path::PathBuf;

/// The cache of one user.
pub(super) struct Cache(PathBuf);

impl Cache {
    /// The cache of this environment; none without a home.
    pub(super) fn from_environment() -> Option<Cache> {
        Some(Cache(private::cache_directory()?))
    }

    /// The plugin of a reference, if both its manifest and it are there and sound.
    pub(super) fn find(&self, pinned: &Pinned) -> Option<Vec<u8>> {
        let manifest = self.read(pinned.digest(), MAX_MANIFEST_BYTES)?;
        let layer = Layer::of(&manifest).ok()?;
        self.read(layer.digest, MAX_PLUGIN_BYTES)
    }

    /// Stores a plugin and its manifest.
    pub(super) fn keep(&self, manifest: &[u8], wasm: &[u8]) -> Result<()> {
        let folder = self.folder();
        for folder in [&self.0, &folder] {
            private::make(folder).with_context(|| format!("use {}", folder.display()))?;
        }
        // The manifest last: where it is, the plugin is.
        for bytes in [wasm, manifest] {
            let path = folder.join(Digest::of(bytes).hex());
            file::create(&path, bytes).with_context(|| format!("write {}", path.display()))?;
        }
        Ok(())
    }

    /// The signatures of a reference; none if they were not fetched.
    pub(super) fn signatures(&self, pinned: &Pinned) -> Option<Vec<ArtifactSignature>> {
        let path = self.signatures_folder().join(pinned.digest().hex());
        let bytes = file::read(&path, signatures::MAX_STORED_BYTES).ok()?;
        let stored = signatures::from_stored(&bytes);
        if stored.is_none() {
            tracing::warn!("{} is damaged, and is not used", path.display());
        }
        stored
    }

    /// Stores the signatures of a reference, in place of those that are there.
    pub(super) fn keep_signatures(&self, pinned: &Pinned, all: &[ArtifactSignature]) -> Result<()> {
        let folder = self.signatures_folder();
        for folder in [&self.0, &folder] {
            private::make(folder).with_context(|| format!("use {}", folder.display()))?;
        }
        let path = folder.join(pinned.digest().hex());
        file::create(&path, &signatures::to_stored(all))
            .with_context(|| format!("write {}", path.display()))
    }

    fn signatures_folder(&self) -> PathBuf {
        self.0.join("plugins/signatures")
    }

    fn read(&self, digest: Digest, most: u64) -> Option<Vec<u8>> {
        let path = self.folder().join(digest.hex());
        let bytes = file::read(&path, most).ok()?;
        if Digest::of(&bytes) != digest {
            tracing::warn!(
                "{} does not match its digest, and is not used",
                path.display()
            );
            return None;
        }
        Some(bytes)
    }

    fn folder(&self) -> PathBuf {
        self.0.join("plugins/sha256")
    }
}

#[cfg(test)]
mod tests {
    use super::super::artifact::{Artifact, Title};
    use super::super::reference::Reference;
    use super::*;
    use std::fs;

    #[test]
    fn what_was_kept_is_found_as_long_as_it_is_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache(folder.path().join("cache"));
        let title = Title {
            name: "style".to_owned(),
            version: "1".to_owned(),
            summary: String::new(),
        };
        let wasm = b"\0asm and more";
        let manifest = Artifact::of(wasm, &title).manifest;
        let reference = Reference::parse("registry.example/style").expect("a reference");
        let pinned = reference.with_digest(Digest::of(&manifest));
        assert_eq!(cache.find(&pinned), None);
        cache.keep(&manifest, wasm).expect("kept");
        assert_eq!(cache.find(&pinned).as_deref(), Some(&wasm[..]));
        for bytes in [&manifest[..], wasm] {
            let path = cache.folder().join(Digest::of(bytes).hex());
            fs::write(&path, b"other").expect("write");
            assert_eq!(cache.find(&pinned), None);
            cache.keep(&manifest, wasm).expect("kept again");
            assert!(cache.find(&pinned).is_some());
            fs::remove_file(&path).expect("remove");
            assert_eq!(cache.find(&pinned), None);
            cache.keep(&manifest, wasm).expect("kept again");
        }
        let other = reference.with_digest(Digest::of(wasm));
        assert_eq!(cache.find(&other), None, "a plugin is no manifest");
    }
}
