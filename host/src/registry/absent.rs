//! The client of registries in a program that was built without it: it asks nobody.

use super::Error;
use super::artifact::Title;
use super::credentials::Credentials;
use super::reference::{Digest, Pinned, Reference, ReferenceError};
use super::signatures::ArtifactSignature;

/// Is told of each piece of the plugin: its bytes, and those of all of it.
pub type Watching<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// An artifact's place in a registry.
pub struct Registry;

/// A policy that was pushed.
pub struct Pushed {
    pub pinned: Pinned,
}

impl Registry {
    pub fn new(_: Reference, _: Credentials) -> Registry {
        Registry
    }

    #[must_use]
    pub fn within(self, _: std::time::Duration) -> Registry {
        self
    }

    pub fn pull_policy(&self) -> Result<(Pinned, Vec<u8>, Vec<u8>), Error> {
        missing()
    }

    pub fn digest_now(&self) -> Result<Digest, Error> {
        missing()
    }

    pub fn push_policy(&self, _: &[u8]) -> Result<Pushed, Error> {
        missing()
    }

    pub fn tag(&self, _: &Pushed) -> Result<(), Error> {
        missing()
    }

    pub fn signatures_now(&self, _: &Pinned) -> Result<Vec<ArtifactSignature>, Error> {
        missing()
    }

    pub fn pull(&self, _: Watching<'_>) -> Result<(Pinned, Vec<u8>), Error> {
        missing()
    }

    pub fn push(&self, _: &[u8], _: &Title) -> Result<Pinned, Error> {
        missing()
    }

    pub fn signatures(&self, _: &Pinned) -> Result<Vec<ArtifactSignature>, Error> {
        missing()
    }

    pub fn check_plugin(&self) -> Result<(), Error> {
        missing()
    }

    pub fn push_signature(&self, _: &Pinned, _: &ArtifactSignature) -> Result<(), Error> {
        missing()
    }
}

fn missing<T>() -> Result<T, Error> {
    Err(Error::System {
        doing: "ask a registry",
        cause: ReferenceError::NoRegistries.to_string(),
    })
}
