//! The copy of the last policy in force, so that Tamis starts while the policy's place does not answer.
//!
//! A file for each place, with all that verifying needs: whoever reads a copy verifies it again.

use super::{Fetched, Proof, web};
use crate::registry::{ArtifactSignature, Digest, MAX_POLICY_BYTES};
use crate::signature::{Payload, Signature};
use crate::{file, hex, private};
use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Largest copy: a policy, a manifest and all signatures, in base64.
const MAX_BYTES: u64 = MAX_POLICY_BYTES * 2 + (2 << 20);

/// The copies of this user.
pub struct Copies {
    folder: PathBuf,
}

impl Copies {
    /// The copies in a folder of the state directory.
    pub fn in_folder(folder: PathBuf) -> Copies {
        Copies { folder }
    }

    /// Stores the copy of a place, instead of the one before.
    pub(super) fn store(&self, name: &str, fetched: &Fetched) -> Result<()> {
        private::absolute_state(&self.folder, "no copy of a policy is stored")?;
        private::make_state(&self.folder)?;
        let path = self.path(name);
        file::replace(&path, &to_stored(name, fetched), file::Access::Owner)
            .with_context(|| format!("write {}", path.display()))
    }

    /// The copy of a place, not yet verified.
    pub(super) fn find(&self, name: &str) -> Option<Fetched> {
        private::absolute_state(&self.folder, "no copy of a policy is used").ok()?;
        if !self.folder.exists() {
            return None;
        }
        let path = self.path(name);
        // Others may not have written it.
        if let Err(error) = private::make_state(&self.folder) {
            tracing::warn!("the stored copy of the policy {name} is not used: {error}");
            return None;
        }
        let bytes = file::read(&path, MAX_BYTES).ok()?;
        let found = from_stored(name, &bytes);
        if found.is_none() {
            tracing::warn!("{} is damaged, and is not used", path.display());
        }
        found
    }

    fn path(&self, name: &str) -> PathBuf {
        let digest = Digest::of(name.as_bytes());
        self.folder.join(format!("{}.json", digest.hex()))
    }
}

fn to_stored(name: &str, fetched: &Fetched) -> Vec<u8> {
    let encode = |bytes: &[u8]| BASE64_STANDARD.encode(bytes);
    let mut stored = json!({
        "place": name,
        "digest": fetched.digest.to_string(),
        "policy": encode(&fetched.policy),
    });
    match &fetched.proof {
        Proof::Artifact {
            manifest,
            signatures,
        } => {
            let pair = |one: &ArtifactSignature| {
                json!([encode(one.payload.bytes()), one.signature.to_base64()])
            };
            stored["manifest"] = encode(manifest).into();
            stored["signatures"] = signatures.iter().map(pair).collect();
        }
        Proof::Web { signatures } => {
            stored["signatures"] = signatures.iter().map(Signature::to_base64).collect();
        }
    }
    stored.to_string().into_bytes()
}

/// A copy, as it was stored; none: somebody changed its form, or it is of another place.
fn from_stored(name: &str, bytes: &[u8]) -> Option<Fetched> {
    let stored: Value = serde_json::from_slice(bytes).ok()?;
    if stored["place"] != name {
        return None;
    }
    let decode = |value: &Value| BASE64_STANDARD.decode(value.as_str()?).ok();
    let signatures = stored["signatures"].as_array()?;
    let proof = if stored["manifest"].is_string() {
        let one = |pair: &Value| {
            Some(ArtifactSignature {
                payload: Payload::from_bytes(decode(&pair[0])?)?,
                signature: Signature::from_base64(pair[1].as_str()?)?,
            })
        };
        Proof::Artifact {
            manifest: decode(&stored["manifest"])?,
            signatures: signatures.iter().map(one).collect::<Option<_>>()?,
        }
    } else {
        let one = |text: &Value| Signature::from_base64(text.as_str()?);
        Proof::Web {
            signatures: signatures.iter().map(one).collect::<Option<_>>()?,
        }
    };
    let digest = stored["digest"].as_str()?.strip_prefix("sha256:")?;
    Some(Fetched {
        policy: decode(&stored["policy"])?,
        digest: Digest(hex::decode_sha256(digest)?),
        copied_since: None,
        proof,
        validators: web::Validators::default(),
    })
}
