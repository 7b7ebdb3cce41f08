//! Where a remote policy is: `oci://REGISTRY/REPOSITORY:TAG` or a URL, each with a digest or without.

use crate::hex;
use crate::registry::{Digest, Reference, ReferenceError};
use reqwest::Url;
use std::fmt;
use std::net::IpAddr;

/// The part of a URL that names a digest: `#sha256=…`.
const DIGEST: &str = "sha256=";

/// The place of a policy.
#[derive(Debug, Clone)]
pub enum Place {
    /// An artifact in a registry.
    Registry(Reference),
    /// A file of an HTTP server.
    Url(PolicyUrl),
}

/// The URL of a policy.
#[derive(Debug, Clone)]
pub struct PolicyUrl {
    /// Without the digest.
    pub(super) url: Url,
    digest: Option<Digest>,
}

/// Why a text is no place of a policy.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PlaceError {
    /// After `oci://`.
    #[error("{0}")]
    Reference(#[from] ReferenceError),
    /// Not a URL at all.
    #[error("it is not a URL: {0}")]
    Url(String),
    /// Somebody in between could read it, and put another in its place.
    #[error(
        "it begins with http://, which is allowed only for this machine (127.0.0.1, ::1, localhost): use https://"
    )]
    Insecure,
    /// A list of processes would show it.
    #[error(
        "it contains a user or a password: leave them out, and use --policy-header 'Authorization: Bearer ${{TOKEN}}'"
    )]
    Credentials,
    /// Behind `#`.
    #[error(
        "the part after `#` is not a digest: allowed: `sha256=` and 64 digits `0` to `9`, `a` to `f`"
    )]
    Digest,
}

impl Place {
    /// Reads the place of a policy.
    ///
    /// # Errors
    ///
    /// It is none, or one that anybody in between could replace.
    pub fn parse(text: &str) -> Result<Place, PlaceError> {
        if let Some(reference) = text.strip_prefix("oci://") {
            return Ok(Place::Registry(Reference::parse(reference)?));
        }
        let mut url: Url = text
            .parse()
            .map_err(|error| PlaceError::Url(format!("{error}")))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(PlaceError::Credentials);
        }
        let is_here = url.host_str().is_some_and(|host| {
            let address = host.trim_start_matches('[').trim_end_matches(']');
            let is_loopback = |address: IpAddr| address.is_loopback();
            host == "localhost" || address.parse().is_ok_and(is_loopback)
        });
        match url.scheme() {
            "https" => {}
            "http" if is_here => {}
            "http" => return Err(PlaceError::Insecure),
            other => return Err(PlaceError::Url(format!("unknown scheme `{other}`"))),
        }
        let digest = url.fragment().map(|fragment| {
            let digits = fragment.strip_prefix(DIGEST).unwrap_or_default();
            let is_fit = !digits.bytes().any(|byte| byte.is_ascii_uppercase());
            let digest = hex::decode_sha256(digits).filter(|_| is_fit);
            digest.map(Digest).ok_or(PlaceError::Digest)
        });
        let digest = digest.transpose()?;
        url.set_fragment(None);
        Ok(Place::Url(PolicyUrl { url, digest }))
    }

    /// The digest that the policy must have.
    pub fn digest(&self) -> Option<Digest> {
        match self {
            Place::Registry(reference) => reference.pinned().map(|pinned| pinned.digest()),
            Place::Url(url) => url.digest,
        }
    }

    /// Its name for people, metrics and the copy: without the digest, and without a query, which may be a secret.
    pub fn name(&self) -> String {
        match self {
            Place::Registry(reference) => match reference.tag() {
                Some(tag) => format!("oci://{}:{tag}", reference.name()),
                None => format!("oci://{}", reference.name()),
            },
            Place::Url(url) => url.to_string(),
        }
    }
}

impl PolicyUrl {
    /// The URL of its signatures: `.sig` behind the path.
    pub(super) fn of_signatures(&self) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}.sig", self.url.path()));
        url
    }
}

impl fmt::Display for PolicyUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.url.clone();
        shown.set_query(None);
        shown.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_reference_or_a_url_that_nobody_can_replace() {
        let digits = "0f".repeat(32);
        for (text, name, is_pinned) in [
            (
                "oci://registry.example/team/policy:prod".to_owned(),
                "oci://registry.example/team/policy:prod",
                false,
            ),
            (
                format!("oci://registry.example/team/policy:prod@sha256:{digits}"),
                "oci://registry.example/team/policy:prod",
                true,
            ),
            (
                "https://host.example/a/filters.toml?sig=secret".to_owned(),
                "https://host.example/a/filters.toml",
                false,
            ),
            (
                format!("https://host.example/filters.toml#sha256={digits}"),
                "https://host.example/filters.toml",
                true,
            ),
            (
                "http://127.0.0.1:80/filters.toml".to_owned(),
                "http://127.0.0.1/filters.toml",
                false,
            ),
            (
                "http://[::1]:8080/filters.toml".to_owned(),
                "http://[::1]:8080/filters.toml",
                false,
            ),
            (
                "http://localhost/filters.toml".to_owned(),
                "http://localhost/filters.toml",
                false,
            ),
        ] {
            let place = Place::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(place.name(), name, "{text}");
            assert_eq!(place.digest().is_some(), is_pinned, "{text}");
        }
        for (text, expected) in [
            ("http://host.example/filters.toml", "begins with http://"),
            (
                "http://127.0.0.1.host.example/filters.toml",
                "begins with http://",
            ),
            ("http://10.0.0.1/filters.toml", "begins with http://"),
            (
                "https://user:word@host.example/filters.toml",
                "--policy-header",
            ),
            ("https://host.example/filters.toml#main", "not a digest"),
            (
                "https://host.example/filters.toml#sha256=00",
                "not a digest",
            ),
            ("https://", "not a URL"),
            ("oci://policy:prod", "names no registry"),
            ("oci://registry.example/policy@sha256:00", "not a digest"),
        ] {
            let error = Place::parse(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn signatures_are_beside_the_policy() {
        let Ok(Place::Url(url)) = Place::parse("https://host.example/a/filters.toml?v=1") else {
            panic!("it is a URL");
        };
        let beside = url.of_signatures().to_string();
        assert_eq!(beside, "https://host.example/a/filters.toml.sig?v=1");
    }
}
