//! The source of a plugin, and its bytes.
//!
//! The bytes are read once, by the first that needs them: Tamis compiles the same bytes that it hashed,
//! showed or approved, even if the file changes meanwhile.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use super::PluginSpec;
use crate::file;
use crate::registry::{self, MAX_PLUGIN_BYTES, Pinned};

/// Where a plugin is from.
#[derive(Debug, Clone)]
pub enum PluginPlace {
    /// `path`, joined to the folder of filters.toml.
    File(PathBuf),
    /// `oci`.
    Registry {
        /// Which bytes are meant.
        reference: Pinned,
        /// Whether a registry may be asked for what was not fetched before.
        may_fetch: bool,
    },
}

impl PluginPlace {
    /// The file that it is, if it is one.
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

/// A plugin's file, once it was read. Clones share it.
#[derive(Clone, Default)]
pub struct Contents(Arc<OnceLock<Result<PluginBytes, String>>>);

/// The bytes of a plugin's file.
pub struct PluginBytes {
    /// A component or a core module, if all is well.
    pub wasm: Vec<u8>,
    /// Of these bytes.
    pub sha256: [u8; 32],
}

impl PluginSpec {
    /// Its bytes: the same ones every time, for this spec and its clones.
    ///
    /// # Errors
    ///
    /// It cannot be read, is no regular file, or is too large; a registry does not give it: why, in one line.
    pub fn read(&self) -> Result<&PluginBytes, &str> {
        let read = self.contents.0.get_or_init(|| {
            let wasm = match &self.place {
                PluginPlace::File(path) => {
                    file::read(path, MAX_PLUGIN_BYTES).map_err(|it| it.to_string())?
                }
                PluginPlace::Registry {
                    reference,
                    may_fetch: true,
                } => registry::fetch(reference).map_err(|it| it.to_string())?,
                PluginPlace::Registry { reference, .. } => {
                    registry::cached(reference).ok_or_else(|| {
                        "it was not fetched before, and Tamis contacts no registry for a project's filters.toml that you do not trust".to_owned()
                    })?
                }
            };
            Ok(PluginBytes {
                sha256: Sha256::digest(&wasm).into(),
                wasm,
            })
        });
        read.as_ref().map_err(String::as_str)
    }
}

impl PluginSpec {
    /// What tells its bytes from any other: their hash, or for one of a registry the digest that its name has, for
    /// which it need not be there. None of a file that cannot be read.
    pub fn fingerprint(&self) -> Option<[u8; 32]> {
        match &self.place {
            PluginPlace::File(_) => self.read().ok().map(|file| file.sha256),
            PluginPlace::Registry { reference, .. } => Some(reference.digest().0),
        }
    }
}

impl fmt::Debug for Contents {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.0.get() {
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
}
