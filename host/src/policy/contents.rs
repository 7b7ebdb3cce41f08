//! What is in the file of a plugin.
//!
//! It is read once, by whoever needs it first: what was hashed, shown or approved is what is compiled,
//! whatever becomes of the file meanwhile.

use std::fmt;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use super::PluginSpec;
use crate::file;

/// Largest plugin: an interpreter with its standard library is a fifth of this.
const MAX_PLUGIN_BYTES: u64 = 256 << 20;

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
    /// The bytes of its file: the same ones every time, for this spec and its clones.
    ///
    /// # Errors
    ///
    /// It cannot be read, is no regular file, or is too large: why, in one line.
    pub fn read(&self) -> Result<&PluginBytes, &str> {
        let read = self.contents.0.get_or_init(|| {
            let wasm = file::read(&self.path, MAX_PLUGIN_BYTES).map_err(|it| it.to_string())?;
            Ok(PluginBytes {
                sha256: Sha256::digest(&wasm).into(),
                wasm,
            })
        });
        read.as_ref().map_err(String::as_str)
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
