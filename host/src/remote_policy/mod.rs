//! A policy that is not a file of this machine: it comes from a URL, or is an artifact in an OCI registry.
//!
//! Owns its [`Place`], the requests, what must be true of its bytes before they count ([`Trust`]), and the copy of the
//! last policy that was in force. Refuses to know TOML, and when to ask.
//!
//! Nothing that came from elsewhere counts before it is verified, and the copy is verified again when it is read. A
//! policy is signed by a key, or has the digest that its place names, or the operator said that neither is needed.

mod copy;
mod place;
mod web;

pub use copy::Copies;
pub use place::Place;

use crate::registry::{
    self, ArtifactSignature, Credentials, Digest, MAX_POLICY_BYTES, POLICY_WITHIN, Pinned, Registry,
};
use crate::signature::{PublicKey, Signature};
use reqwest::Client;
use reqwest::header::HeaderMap;
use web::Web;

/// What must be true of a policy.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    /// One of these keys must have signed it. Empty: no signature is needed.
    pub keys: Vec<PublicKey>,
    /// The operator said that it needs neither a signature nor a digest.
    pub may_be_unsigned: bool,
}

/// A policy that was verified.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// Its text.
    pub policy: Vec<u8>,
    /// Its digest: that of the manifest in a registry, else that of the text.
    pub digest: Digest,
    /// It is the copy on this machine, and this is why.
    pub copied_since: Option<String>,
    proof: Proof,
    /// What the server said of this version.
    validators: web::Validators,
}

/// What shows that the bytes are the right ones.
#[derive(Debug, Clone)]
enum Proof {
    /// The manifest, and the signatures of its digest.
    Artifact {
        manifest: Vec<u8>,
        signatures: Vec<ArtifactSignature>,
    },
    /// The signatures of the text.
    Web { signatures: Vec<Signature> },
}

/// Why a policy cannot be had, or may not be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Its registry does not give it.
    #[error("{0}")]
    Registry(#[from] registry::Error),
    /// Its server does not give it.
    #[error("{0}")]
    Web(#[from] web::Error),
    /// It has another digest than its place says.
    #[error("it does not have the digest in its name: expected {expected}, found {found}")]
    OtherBytes {
        /// The digest in the name.
        expected: Digest,
        /// The digest of what came.
        found: Digest,
    },
    /// None of the keys signed it.
    #[error("it is not signed by {keys}: {why}")]
    NotSigned {
        /// The keys, in words.
        keys: String,
        /// What was found.
        why: String,
    },
}

impl Error {
    /// Whether its place may give it later. If not, the place gave something that may not be used.
    fn is_away(&self) -> bool {
        match self {
            Error::Registry(error) => error.is_away(),
            Error::Web(error) => error.is_away(),
            Error::OtherBytes { .. } | Error::NotSigned { .. } => false,
        }
    }
}

/// The policy of one place.
pub struct RemotePolicy {
    place: Place,
    trust: Trust,
    source: Origin,
    copies: Option<Copies>,
    /// What is known of the policy in force.
    in_force: Option<(Digest, web::Validators)>,
}

enum Origin {
    Registry(Box<Registry>),
    Web(Box<Web>),
}

impl RemotePolicy {
    /// Asks nobody yet. `headers`: for requests to a URL. `copies`: where the last policy in force is stored.
    ///
    /// # Errors
    ///
    /// The credentials for a registry cannot be read, or the system has no room for a client.
    pub fn new(
        place: Place,
        trust: Trust,
        client: Client,
        headers: HeaderMap,
        copies: Option<Copies>,
    ) -> Result<RemotePolicy, Error> {
        let source = match &place {
            Place::Registry(reference) => {
                // Its name is on the command line, so it gets the credentials of the environment.
                let credentials = Credentials::of_environment(reference.registry())?;
                let registry = Registry::new(reference.clone(), credentials);
                Origin::Registry(Box::new(registry.within(POLICY_WITHIN)))
            }
            Place::Url(url) => Origin::Web(Box::new(Web::new(url.clone(), client, headers)?)),
        };
        Ok(RemotePolicy {
            place,
            trust,
            source,
            copies,
            in_force: None,
        })
    }

    /// Its name: without a digest, and without what may be a secret.
    pub fn name(&self) -> String {
        self.place.name()
    }

    /// Whether the place names one policy for all times.
    pub fn is_pinned(&self) -> bool {
        self.place.digest().is_some()
    }

    /// The policy to start with: that of its place or, while that does not answer, the copy on this machine.
    ///
    /// # Errors
    ///
    /// Neither can be had, or what can be had may not be used.
    pub fn first(&self) -> Result<Fetched, Error> {
        if self.is_pinned()
            && let Some(copy) = self.copy()
        {
            return Ok(copy);
        }
        let error = match self.fetch() {
            Ok(Some(fetched)) => return Ok(fetched),
            // Nothing is in force that it could be the same as.
            Ok(None) => unreachable!("no policy is in force yet"),
            Err(error) => error,
        };
        if error.is_away()
            && let Some(copy) = self.copy()
        {
            let copied_since = Some(error.to_string());
            return Ok(Fetched {
                copied_since,
                ..copy
            });
        }
        Err(error)
    }

    /// The policy of its place, if it is not the one in force.
    ///
    /// # Errors
    ///
    /// It cannot be had, or may not be used.
    pub fn fetch(&self) -> Result<Option<Fetched>, Error> {
        let in_force = self.in_force.as_ref().map(|(digest, _)| *digest);
        let wants_signatures = !self.trust.keys.is_empty();
        let fetched = match (&self.source, &self.place) {
            (Origin::Registry(registry), Place::Registry(_)) => {
                if in_force.is_some() && Some(registry.digest_now()?) == in_force {
                    return Ok(None);
                }
                let (pinned, manifest, policy) = registry.pull_policy()?;
                let signatures = match wants_signatures {
                    true => registry.signatures_now(&pinned)?,
                    false => Vec::new(),
                };
                Fetched {
                    policy,
                    digest: pinned.digest(),
                    copied_since: None,
                    proof: Proof::Artifact {
                        manifest,
                        signatures,
                    },
                    validators: web::Validators::default(),
                }
            }
            (Origin::Web(web), _) => {
                let known = self.in_force.as_ref().map(|(_, validators)| validators);
                let Some((policy, validators)) = web.policy(known)? else {
                    return Ok(None);
                };
                let digest = Digest::of(&policy);
                if Some(digest) == in_force {
                    return Ok(None);
                }
                let signatures = match wants_signatures {
                    true => web.signatures()?,
                    false => Vec::new(),
                };
                Fetched {
                    policy,
                    digest,
                    copied_since: None,
                    proof: Proof::Web { signatures },
                    validators,
                }
            }
            (Origin::Registry(_), Place::Url(_)) => unreachable!("made of the same place"),
        };
        self.verify(&fetched)?;
        Ok(Some(fetched))
    }

    /// Notes which policy is in force, and stores a copy of it.
    pub fn is_in_force(&mut self, fetched: &Fetched) {
        self.in_force = Some((fetched.digest, fetched.validators.clone()));
        if let Some(copies) = &self.copies
            && fetched.copied_since.is_none()
            && let Err(error) = copies.store(&self.name(), fetched)
        {
            tracing::warn!(
                "the policy {} cannot be stored, and a start while its place does not answer will fail: {error:#}",
                self.name()
            );
        }
    }

    /// The copy, if one exists that may be used.
    fn copy(&self) -> Option<Fetched> {
        let name = self.name();
        let copy = self.copies.as_ref()?.find(&name)?;
        match self.verify(&copy) {
            Ok(()) => Some(copy),
            Err(error) => {
                tracing::warn!("the stored copy of the policy {name} is not used: {error}");
                None
            }
        }
    }

    /// Whether a policy may be used.
    fn verify(&self, fetched: &Fetched) -> Result<(), Error> {
        // The digest is computed, not believed.
        let found = match &fetched.proof {
            Proof::Artifact { manifest, .. } => {
                let (policy, expected) =
                    (Digest::of(&fetched.policy), registry::policy_of(manifest)?);
                if policy != expected {
                    return Err(Error::OtherBytes {
                        expected,
                        found: policy,
                    });
                }
                Digest::of(manifest)
            }
            Proof::Web { .. } => Digest::of(&fetched.policy),
        };
        let expected = self.place.digest().unwrap_or(fetched.digest);
        if found != expected {
            return Err(Error::OtherBytes { expected, found });
        }
        if self.trust.keys.is_empty() {
            return match self.is_pinned() || self.trust.may_be_unsigned {
                true => Ok(()),
                false => Err(Error::NotSigned {
                    keys: "a key".to_owned(),
                    why: "no key and no digest is named".to_owned(),
                }),
            };
        }
        let (is_signed, count) = match (&fetched.proof, &self.place) {
            (Proof::Artifact { signatures, .. }, Place::Registry(reference)) => {
                let artifact: Pinned = reference.with_digest(found);
                let is_of =
                    |key: &PublicKey| signatures.iter().any(|one| one.is_of(key, &artifact));
                (self.trust.keys.iter().any(is_of), signatures.len())
            }
            (Proof::Web { signatures }, Place::Url(_)) => {
                let is_of = |key: &PublicKey| {
                    signatures
                        .iter()
                        .any(|one| key.verifies(&fetched.policy, one))
                };
                (self.trust.keys.iter().any(is_of), signatures.len())
            }
            // A copy of the other kind.
            _ => (false, 0),
        };
        if is_signed {
            return Ok(());
        }
        let keys = self.trust.keys.iter().map(ToString::to_string);
        Err(Error::NotSigned {
            keys: keys.collect::<Vec<_>>().join(" or "),
            why: match count {
                0 => "nobody signed it".to_owned(),
                count => format!("its signatures ({count}) are of other keys, or of other bytes"),
            },
        })
    }
}

const _: () = assert!(MAX_POLICY_BYTES as usize == crate::policy::MAX_FILE_BYTES);
