//! Plugins and policies in OCI registries.
//!
//! Owns their names ([`Reference`]), the forms of a plugin, a policy and their signatures in a registry, the requests, and
//! the cache of fetched plugins. A plugin in use has a digest in its name ([`Pinned`]): that of its manifest, which has the
//! plugin's own. Both are compared with the bytes, also with those in the cache. So neither a registry nor
//! somebody in between can put another plugin in its place.
//!
//! Refuses to know TOML and what a plugin does. HTTP is spoken to this machine alone, HTTPS to all others.

#[cfg_attr(not(feature = "oci"), allow(dead_code))]
mod artifact;
#[cfg_attr(not(feature = "oci"), allow(dead_code))]
mod cache;
#[cfg(not(feature = "oci"))]
#[path = "absent.rs"]
mod client;
#[cfg(feature = "oci")]
mod client;
#[cfg_attr(not(feature = "oci"), allow(dead_code))]
mod credentials;
mod reference;
#[cfg_attr(not(feature = "oci"), allow(dead_code))]
mod signatures;

use std::time::Duration;

pub use artifact::Title;
pub use client::{Pushed, Registry, Watching};
pub use credentials::Credentials;
pub use reference::{Digest, Pinned, Reference, ReferenceError};
pub use signatures::ArtifactSignature;

use cache::Cache;

/// The digest of the policy that a manifest names.
///
/// # Errors
///
/// It is no manifest of one policy.
pub fn policy_of(manifest: &[u8]) -> Result<Digest, Error> {
    artifact::Layer::of_policy(manifest).map(|layer| layer.digest)
}

/// How many bytes the plugin has that a manifest names, by itself.
///
/// # Errors
///
/// It is no manifest of one plugin.
pub fn read_manifest(manifest: &[u8]) -> Result<u64, Error> {
    artifact::Layer::of(manifest).map(|layer| layer.bytes)
}

/// How many signatures a manifest names, by itself.
///
/// # Errors
///
/// It is no manifest, or names too many or too large ones.
pub fn read_signatures(manifest: &[u8]) -> Result<usize, Error> {
    signatures::layers_of(manifest).map(|layers| layers.len())
}

/// Largest plugin: an interpreter with its standard library is a fifth of this.
pub const MAX_PLUGIN_BYTES: u64 = 256 << 20;

/// Largest policy: that of a file.
pub const MAX_POLICY_BYTES: u64 = 1 << 20;

/// How long a policy may take: it is small, and whoever waits for it has another one, or will start again.
pub const POLICY_WITHIN: Duration = Duration::from_secs(15);

/// Largest manifest, and largest other answer that is not a plugin: a manifest of one layer has a few hundred bytes.
const MAX_MANIFEST_BYTES: u64 = 256 << 10;

/// How long a connection may take to be made: across the world it is a tenth of that.
const CONNECT: Duration = Duration::from_secs(10);

/// How long nothing may come: a registry that fetches a layer from its own storage first is quiet for seconds.
const IDLE: Duration = Duration::from_secs(30);

/// How long all of it may take: the largest plugin at a megabyte a second.
const WHOLE: Duration = Duration::from_secs(300);

/// Why a plugin cannot be had or given. `registry` is the one of the reference, with its port.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody answers, or not as HTTP has it.
    #[error("{registry} cannot be asked: {cause}")]
    Unreachable {
        /// The registry.
        registry: String,
        /// The error of the system or of the TLS library.
        cause: String,
    },
    /// 401 or 403.
    #[error("{registry} refuses it ({status}): {remedy}")]
    Unauthorized {
        /// The registry.
        registry: String,
        /// The status of its answer.
        status: String,
        /// How to log in.
        remedy: String,
    },
    /// 404.
    #[error("{registry} has no {name} (404): check the name, and that it was pushed")]
    NotFound {
        /// The registry.
        registry: String,
        /// The requested name.
        name: String,
    },
    /// 429, or a status of 500 and more.
    #[error("{registry} answers {answer}")]
    Busy {
        /// The registry.
        registry: String,
        /// The status, and the message with it.
        answer: String,
    },
    /// Any other answer.
    #[error("{registry} answers {answer}")]
    Refused {
        /// The registry.
        registry: String,
        /// The status, and the message with it.
        answer: String,
    },
    /// Other bytes than the digest says.
    #[error(
        "{what} does not match the reference, so it is not used: expected {expected}, found {found}"
    )]
    OtherBytes {
        /// The manifest or the plugin.
        what: &'static str,
        /// The digest in the reference or the manifest.
        expected: Digest,
        /// The digest of the received bytes.
        found: Digest,
    },
    /// An image, a chart, a page.
    #[error(
        "it is not a WebAssembly plugin, but {found}; `tamis plugin push` creates an artifact from a plugin"
    )]
    NotWasm {
        /// Its kind.
        found: String,
    },
    /// Something else in the place of a policy.
    #[error("it is not a policy, but {found}; `tamis publish` makes an artifact of a policy")]
    NotPolicy {
        /// Its kind.
        found: String,
    },
    /// Something else in the place of signatures.
    #[error("the artifact in the place of the signatures is not one of cosign's form")]
    NotSignatures,
    /// More signatures than are verified.
    #[error(
        "it has {found} signatures, and {} are allowed",
        crate::signature::MAX_SIGNATURES
    )]
    TooManySignatures {
        /// The number of signatures.
        found: usize,
    },
    /// More than is read.
    #[error("{what} is larger than {most} bytes")]
    TooLarge {
        /// The manifest or the plugin.
        what: &'static str,
        /// The limit.
        most: u64,
    },
    /// All in all, or nothing came for a time.
    #[error("{registry} takes too long (limit {limit:?})")]
    Slow {
        /// The registry.
        registry: String,
        /// The limit.
        limit: Duration,
    },
    /// The text about credentials cannot be understood.
    #[error("{0}")]
    Credentials(String),
    /// An error of this machine.
    #[error("{doing}: {cause}")]
    System {
        /// The attempted operation.
        doing: &'static str,
        /// The system's error.
        cause: String,
    },
}

impl Error {
    /// Whether the registry may answer the same request later.
    pub fn is_away(&self) -> bool {
        matches!(
            self,
            Error::Unreachable { .. } | Error::Slow { .. } | Error::Busy { .. }
        )
    }
}

/// The plugin of a pinned reference: from the cache, else from its registry, with the credentials of Docker's
/// configuration.
///
/// # Errors
///
/// It is not in the cache, and cannot be had.
pub fn fetch(pinned: &Pinned) -> Result<Vec<u8>, Error> {
    if let Some(wasm) = cached(pinned) {
        return Ok(wasm);
    }
    tracing::info!("fetching {pinned}");
    let credentials = Credentials::of_docker(pinned.reference().registry())?;
    let registry = Registry::new(pinned.reference().clone(), credentials);
    registry.pull(&|_, _| {}).map(|(_, wasm)| wasm)
}

/// The plugin of a pinned reference, if it was fetched before and its bytes are unchanged.
pub fn cached(pinned: &Pinned) -> Option<Vec<u8>> {
    Cache::from_environment()?.find(pinned)
}

/// The signatures of a plugin, if they were fetched before.
pub fn cached_signatures(pinned: &Pinned) -> Option<Vec<ArtifactSignature>> {
    Cache::from_environment()?.signatures(pinned)
}

/// The signatures of a plugin as its registry has them now, with the credentials of Docker's configuration. They
/// are then in the cache.
///
/// # Errors
///
/// The registry does not give them. That it has none is no error.
pub fn fetch_signatures(pinned: &Pinned) -> Result<Vec<ArtifactSignature>, Error> {
    tracing::info!("fetching the signatures of {pinned}");
    let credentials = Credentials::of_docker(pinned.reference().registry())?;
    Registry::new(pinned.reference().clone(), credentials).signatures(pinned)
}
