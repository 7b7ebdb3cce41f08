//! A plugin whose signatures are written or verified: a file, or an artifact in a registry.

use crate::file;
use crate::registry::{
    ArtifactSignature, Credentials, MAX_PLUGIN_BYTES, Pinned, Reference, Registry,
};
use crate::shell;
use crate::signature::{self, MAX_KEY_BYTES, PublicKey, Signature};
use anyhow::{Context, Result, bail};
use std::fmt;
use std::path::{Path, PathBuf};

/// Components and core modules begin with this.
const WASM: &[u8] = b"\0asm";

/// A plugin that has signatures, or gets them.
pub(super) enum Signed {
    File { path: PathBuf, wasm: Vec<u8> },
    Artifact(Pinned),
}

/// The signatures of a plugin.
pub(super) enum Signatures {
    OfFile(Vec<Signature>),
    OfArtifact(Vec<ArtifactSignature>),
}

impl Signed {
    /// A file, else a reference with a digest.
    pub fn open(named: &str) -> Result<Signed> {
        let path = Path::new(named);
        if !path.exists()
            && let Ok(reference) = Reference::parse(named)
        {
            let Some(pinned) = reference.pinned() else {
                bail!(
                    "{reference} has no digest, and a tag can name another plugin tomorrow: `tamis plugin pull {reference}` prints the reference with its digest"
                );
            };
            return Ok(Signed::Artifact(pinned));
        }
        let wasm = file::read(path, MAX_PLUGIN_BYTES)
            .with_context(|| format!("read {}", path.display()))?;
        if !wasm.starts_with(WASM) {
            bail!("{} is not WebAssembly", shell::word(path));
        }
        Ok(Signed::File {
            path: path.to_owned(),
            wasm,
        })
    }

    /// The place of an artifact in its registry, with the credentials of this user.
    pub fn registry(artifact: &Pinned) -> Result<Registry> {
        let reference = artifact.reference();
        let credentials = Credentials::of_environment(reference.registry())?;
        Ok(Registry::new(reference.clone(), credentials))
    }

    /// Its signatures, as the file beside it or its registry has them now.
    pub fn signatures(&self) -> Result<Signatures> {
        Ok(match self {
            Signed::File { path, .. } => {
                let signatures = signature::read_beside(path);
                let beside = signature::path_beside(path);
                Signatures::OfFile(
                    signatures.with_context(|| format!("read {}", beside.display()))?,
                )
            }
            Signed::Artifact(artifact) => {
                let signatures = Signed::registry(artifact)?.signatures(artifact);
                Signatures::OfArtifact(
                    signatures.with_context(|| format!("the signatures of {artifact}"))?,
                )
            }
        })
    }
}

impl fmt::Display for Signed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Signed::File { path, .. } => out.write_str(&shell::word(path)),
            Signed::Artifact(artifact) => artifact.fmt(out),
        }
    }
}

impl Signatures {
    /// For each signature, the index of the key whose it is; none: it is of another key, or of other bytes.
    pub fn keys(&self, plugin: &Signed, keys: &[PublicKey]) -> Vec<Option<usize>> {
        let find = |is_of: &dyn Fn(&PublicKey) -> bool| keys.iter().position(is_of);
        match (self, plugin) {
            (Signatures::OfFile(all), Signed::File { wasm, .. }) => all
                .iter()
                .map(|one| find(&|key| key.verifies(wasm, one)))
                .collect(),
            (Signatures::OfArtifact(all), Signed::Artifact(artifact)) => all
                .iter()
                .map(|one| find(&|key| one.is_of(key, artifact)))
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// Reads the text of a key's file.
pub(in crate::cli) fn key_text(path: &Path) -> Result<String> {
    file::read_text(path, MAX_KEY_BYTES).with_context(|| format!("read {}", path.display()))
}

/// The password of private keys, from the environment: Tamis's variable, else cosign's.
pub(in crate::cli) fn key_password() -> Option<String> {
    let variables = ["TAMIS_KEY_PASSWORD", "COSIGN_PASSWORD"];
    variables
        .into_iter()
        .find_map(|variable| std::env::var(variable).ok())
}

/// Reads a public key of the command line.
pub(in crate::cli) fn public_key(path: &Path) -> Result<PublicKey> {
    PublicKey::from_pem(&key_text(path)?).with_context(|| format!("the key {}", path.display()))
}
