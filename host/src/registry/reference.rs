//! The name of an artifact: a registry, a repository in it, and a tag or a digest.

use crate::hex;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// The name of an artifact, with or without a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    registry: String,
    repository: String,
    tag: Option<String>,
    digest: Option<Digest>,
}

/// The name of an artifact whose bytes are known: it has a digest.
#[derive(Clone, PartialEq, Eq)]
pub struct Pinned {
    reference: Reference,
    digest: Digest,
}

/// SHA-256 of a manifest or of a layer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Digest(pub [u8; 32]);

/// Why a text is no reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// Docker would take its own registry, and Podman ask.
    #[error(
        "it names no registry: `registry.example/team/house-style`, `localhost:5000/house-style`"
    )]
    NoRegistry,
    /// The reference has a scheme, as in a link.
    #[error("it begins with a scheme, and a reference has none: leave `{0}` out")]
    Scheme(String),
    /// Something else than sha256 and 64 hexadecimal digits.
    #[error(
        "the part after `@` is not a digest: allowed: `sha256:` and 64 digits `0` to `9`, `a` to `f`"
    )]
    Digest,
    /// The grammar of the distribution specification.
    #[error("it is not a reference: {0}")]
    Grammar(String),
    /// The program cannot ask registries.
    #[cfg(not(feature = "oci"))]
    #[error("this Tamis was built without OCI registries (the cargo feature `oci`)")]
    NoRegistries,
}

/// The repository of a name without a digest, and its tag if it has one.
#[cfg(feature = "oci")]
fn repository_and_tag(name: &str) -> Result<(String, Option<String>), ReferenceError> {
    let parsed = oci_client::Reference::from_str(name)
        .map_err(|error| ReferenceError::Grammar(error.to_string()))?;
    // The parser adds a tag if the name has none, and may know another name for the registry.
    let has_tag = name
        .rsplit_once('/')
        .is_some_and(|(_, last)| last.contains(':'));
    let tag = parsed.tag().filter(|_| has_tag).map(str::to_owned);
    Ok((parsed.repository().to_owned(), tag))
}

#[cfg(not(feature = "oci"))]
fn repository_and_tag(_: &str) -> Result<(String, Option<String>), ReferenceError> {
    Err(ReferenceError::NoRegistries)
}

impl Reference {
    /// Reads `registry/repository`, with `:tag`, `@sha256:…` or both behind it.
    ///
    /// # Errors
    ///
    /// It is none, or leaves the registry to the reader.
    pub fn parse(text: &str) -> Result<Reference, ReferenceError> {
        if let Some((scheme, _)) = text.split_once("://") {
            return Err(ReferenceError::Scheme(format!("{scheme}://")));
        }
        let first = text.split_once('/').map_or("", |(first, _)| first);
        if !first.contains(['.', ':']) && first != "localhost" {
            return Err(ReferenceError::NoRegistry);
        }
        let (name, digest) = match text.split_once('@') {
            None => (text, None),
            Some((name, digest)) => (name, Some(digest)),
        };
        let digest = digest.map(str::parse).transpose()?;
        let (repository, tag) = repository_and_tag(name)?;
        Ok(Reference {
            registry: first.to_owned(),
            repository,
            tag,
            digest,
        })
    }

    /// The registry, with its port.
    pub fn registry(&self) -> &str {
        &self.registry
    }

    /// The tag, if the name has one.
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// The reference without its version.
    pub fn name(&self) -> String {
        format!("{}/{}", self.registry, self.repository)
    }

    /// The reference, if it says which bytes are meant.
    pub fn pinned(&self) -> Option<Pinned> {
        Some(Pinned {
            reference: self.clone(),
            digest: self.digest?,
        })
    }

    /// The reference of these bytes. A tag stays, to be read.
    pub fn with_digest(&self, digest: Digest) -> Pinned {
        let reference = Reference {
            digest: Some(digest),
            ..self.clone()
        };
        Pinned { reference, digest }
    }

    pub(super) fn repository(&self) -> &str {
        &self.repository
    }

    /// The version of the artifact in requests: the digest, else the tag.
    pub(super) fn version(&self) -> String {
        match (self.digest, &self.tag) {
            (Some(digest), _) => digest.to_string(),
            (None, Some(tag)) => tag.clone(),
            (None, None) => "latest".to_owned(),
        }
    }

    /// Whether the registry is on this machine: then nobody is in between, and HTTP is safe.
    pub(super) fn is_local(&self) -> bool {
        let host = match self.registry.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
            _ => &self.registry,
        };
        let address = host.trim_start_matches('[').trim_end_matches(']');
        let is_loopback = |address: IpAddr| address.is_loopback();
        host == "localhost" || address.parse().is_ok_and(is_loopback)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.registry, self.repository)?;
        if let Some(tag) = &self.tag {
            write!(formatter, ":{tag}")?;
        }
        match self.digest {
            Some(digest) => write!(formatter, "@{digest}"),
            None => Ok(()),
        }
    }
}

impl Pinned {
    /// The digest of the artifact's manifest.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The name of the artifact with its signatures: in the same repository, with the tag that cosign gives it.
    pub(super) fn of_signatures(&self) -> Reference {
        Reference {
            tag: Some(format!("sha256-{}.sig", self.digest.hex())),
            digest: None,
            ..self.reference.clone()
        }
    }

    /// The whole name.
    pub fn reference(&self) -> &Reference {
        &self.reference
    }
}

impl fmt::Display for Pinned {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reference.fmt(formatter)
    }
}

impl fmt::Debug for Pinned {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(<sha2::Sha256 as sha2::Digest>::digest(bytes).into())
    }

    /// The digits alone.
    pub fn hex(&self) -> String {
        hex::encode(&self.0)
    }
}

impl FromStr for Digest {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Digest, ReferenceError> {
        let digits = text.strip_prefix("sha256:").unwrap_or_default();
        // Registries write digests in lower case only.
        if digits.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(ReferenceError::Digest);
        }
        hex::decode_sha256(digits)
            .map(Digest)
            .ok_or(ReferenceError::Digest)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_what_is_read() {
        let digest = format!("sha256:{}", "0f".repeat(32));
        for (text, tag, is_pinned, is_local) in [
            ("registry.example/team/style".to_owned(), None, false, false),
            (
                "registry.example/style:1.0".to_owned(),
                Some("1.0"),
                false,
                false,
            ),
            (
                format!("registry.example/a/b/c@{digest}"),
                None,
                true,
                false,
            ),
            (
                format!("localhost:5000/style:1@{digest}"),
                Some("1"),
                true,
                true,
            ),
            ("127.0.0.2:5000/style".to_owned(), None, false, true),
            ("localhost/style".to_owned(), None, false, true),
            // Somebody else's name, though it looks like this machine.
            ("127.0.0.1.example/style".to_owned(), None, false, false),
            ("localhost.example:80/style".to_owned(), None, false, false),
            ("10.0.0.1:5000/style".to_owned(), None, false, false),
        ] {
            let read = Reference::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(read.to_string(), text);
            assert_eq!(read.tag(), tag, "{text}");
            assert_eq!(read.pinned().is_some(), is_pinned, "{text}");
            assert_eq!(read.is_local(), is_local, "{text}");
        }
    }

    #[test]
    fn what_is_no_reference_is_told_why() {
        let digits = "0F".repeat(32);
        for (text, expected) in [
            ("", "names no registry"),
            ("style:1.0", "names no registry"),
            ("team/style", "names no registry"),
            ("https://registry.example/style", "leave `https://` out"),
            ("registry.example/Style", "not a reference"),
            ("registry.example/", "not a reference"),
            ("registry.example/a b", "not a reference"),
            ("registry.example/style@sha256:00", "not a digest"),
            ("registry.example/style@md5:00", "not a digest"),
            (
                &format!("registry.example/style@sha256:{digits}"),
                "not a digest",
            ),
        ] {
            let error = Reference::parse(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
