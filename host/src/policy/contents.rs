//! The source of a plugin, and its bytes.
//!
//! The bytes are read once, by the first that needs them: Tamis compiles the same bytes that it hashed,
//! showed or approved, even if the file changes meanwhile.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use super::PluginSpec;
use crate::file;
use crate::registry::{self, MAX_PLUGIN_BYTES, Pinned};

/// The source of a plugin.
#[derive(Debug, Clone)]
pub enum PluginPlace {
    /// `path`, joined to the folder of filters.toml.
    File(PathBuf),
    /// `oci`.
    Registry {
        /// The bytes that are meant.
        reference: Pinned,
        /// Whether a registry may be asked for bytes that were not fetched before.
        may_fetch: bool,
    },
}

impl PluginPlace {
    /// The file, if the plugin is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            PluginPlace::File(path) => Some(path),
            PluginPlace::Registry { .. } => None,
        }
    }

    pub(super) fn forbid_fetching(&mut self) {
        if let PluginPlace::Registry { may_fetch, .. } = self {
            *may_fetch = false;
        }
    }
}

impl fmt::Display for PluginPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PluginPlace::File(path) => path.display().fmt(formatter),
            PluginPlace::Registry { reference, .. } => reference.fmt(formatter),
        }
    }
}

/// Bytes of all plugins of a policy together: ten interpreters with their standard libraries.
const MAX_TOGETHER_BYTES: u64 = 512 << 20;

/// A plugin's file, after it was read. Clones share it.
#[derive(Clone)]
pub struct Contents {
    read: Arc<OnceLock<Result<PluginBytes, String>>>,
    together: Together,
}

/// The shared state of all plugins of a policy: how many bytes may still be read.
#[derive(Clone)]
pub(super) struct Together(Arc<AtomicU64>);

impl Default for Together {
    fn default() -> Self {
        Together(Arc::new(AtomicU64::new(MAX_TOGETHER_BYTES)))
    }
}

impl Together {
    /// Counts the bytes of one more plugin.
    fn take(&self, bytes: usize) -> Result<(), String> {
        let rest = |left: u64| left.checked_sub(bytes as u64);
        let taken = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
        taken.map(drop).map_err(|_| {
            format!(
                "all plugins of this file together have more than {} MiB",
                MAX_TOGETHER_BYTES >> 20
            )
        })
    }
}

impl Contents {
    /// Contents that were not read yet, of one of these plugins.
    pub(super) fn of(together: &Together) -> Contents {
        Contents {
            read: Arc::default(),
            together: together.clone(),
        }
    }
}

/// The bytes of a plugin's file.
pub struct PluginBytes {
    /// A component or a core module, if the file is a plugin.
    pub wasm: Vec<u8>,
    /// Digest of these bytes.
    pub sha256: [u8; 32],
}

impl PluginSpec {
    /// Its bytes: the same every time, for this spec and its clones.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is no regular file, or is too large; or a registry does not return it. The text
    /// says why, in one line.
    pub fn read(&self) -> Result<&PluginBytes, &str> {
        let read = self.contents.read.get_or_init(|| {
            let wasm = match &self.place {
                PluginPlace::File(path) => {
                    file::read(path, MAX_PLUGIN_BYTES).map_err(|error| error.to_string())?
                }
                PluginPlace::Registry {
                    reference,
                    may_fetch: true,
                } => registry::fetch(reference).map_err(|error| error.to_string())?,
                PluginPlace::Registry { reference, .. } => {
                    registry::cached(reference).ok_or_else(|| {
                        "it was not fetched before, and Tamis contacts no registry for a project's filters.toml that you do not trust".to_owned()
                    })?
                }
            };
            self.contents.together.take(wasm.len())?;
            Ok(PluginBytes {
                sha256: Sha256::digest(&wasm).into(),
                wasm,
            })
        });
        read.as_ref().map_err(String::as_str)
    }
}

impl PluginSpec {
    /// Identifies its bytes: their hash, or for a plugin of a registry the digest in its name, even before it is
    /// fetched. None for a file that cannot be read.
    pub fn fingerprint(&self) -> Option<[u8; 32]> {
        match &self.place {
            PluginPlace::File(_) => self.read().ok().map(|file| file.sha256),
            PluginPlace::Registry { reference, .. } => Some(reference.digest().0),
        }
    }
}

impl fmt::Debug for Contents {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.read.get() {
            None => "(not read)",
            Some(_) => "(read)",
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::{Policy, Source};

    #[test]
    fn a_plugin_stays_what_it_was_when_it_was_first_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = "[[plugin]]\nname = \"p\"\npath = \"p.wasm\"\n[[chain]]\ntools = [\"*\"]\nsteps = [\"p\"]\n";
        let source = Source::new(folder.path().join("filters.toml"), text).expect("text");
        let policy = Policy::parse(source, &[]).expect("a policy");
        let file = folder.path().join("p.wasm");
        std::fs::write(&file, "one").expect("write");
        let clone = policy.clone();
        let read = policy.plugins[0].read().expect("it is there");
        std::fs::write(&file, "two").expect("write");
        let again = clone.plugins[0].read().expect("it was read");
        assert_eq!(
            (read.wasm.as_slice(), again.wasm.as_slice()),
            (&b"one"[..], &b"one"[..])
        );
        assert_eq!(read.sha256, again.sha256);
    }

    #[test]
    fn all_plugins_of_a_file_together_have_a_bound() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = ["a", "b", "c"];
        let declared =
            names.map(|name| format!("[[plugin]]\nname = \"{name}\"\npath = \"{name}.wasm\"\n"));
        let text = format!(
            "{}[[chain]]\ntools = [\"*\"]\nsteps = [\"a\", \"b\", \"c\"]\n",
            declared.concat()
        );
        let source = Source::new(folder.path().join("filters.toml"), &text).expect("text");
        let policy = Policy::parse(source, &[]).expect("a policy");
        // A file of zeros takes no room on the disk.
        for (name, bytes) in [("a", 200 << 20), ("b", 200 << 20), ("c", 113 << 20)] {
            let file = std::fs::File::create(folder.path().join(format!("{name}.wasm")));
            file.and_then(|file| file.set_len(bytes)).expect("a file");
        }
        let read = |plugin: usize| policy.plugins[plugin].read().map(|bytes| bytes.wasm.len());
        assert_eq!(read(0), Ok(200 << 20));
        assert_eq!(read(1), Ok(200 << 20));
        let bound = Err("all plugins of this file together have more than 512 MiB");
        assert_eq!((read(2), read(2)), (bound, bound));
        assert_eq!(read(0), Ok(200 << 20), "what was read stays");
    }
}
