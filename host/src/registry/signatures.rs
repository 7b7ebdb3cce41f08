//! The signatures of a plugin in a registry: an artifact beside the plugin's, as cosign writes it.
//!
//! Its tag is the plugin's digest. Each layer is a payload, and an annotation of the layer is the signature of
//! the payload's bytes. Whose signatures they are is not known here.

use super::artifact::MANIFEST;
use super::reference::{Digest, Pinned};
use super::{Error, MAX_MANIFEST_BYTES};
use crate::signature::{MAX_PAYLOAD_BYTES, MAX_SIGNATURES, Payload, PublicKey, Signature};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// The media type of a payload.
const LAYER: &str = "application/vnd.dev.cosign.simplesigning.v1+json";
/// The media type of the configuration, which says nothing.
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
/// The annotation with the signature.
const ANNOTATION: &str = "dev.cosignproject.cosign/signature";
/// The same signatures are the same artifact, whenever they are pushed.
const CREATED: &str = "1970-01-01T00:00:00Z";

/// Largest file of signatures in the cache: all payloads in base64, and their signatures.
pub(super) const MAX_STORED_BYTES: u64 = MAX_SIGNATURES as u64 * (MAX_PAYLOAD_BYTES * 3 / 2 + 4096);

/// A signature of an artifact, not yet verified, and what it signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactSignature {
    /// The signed text.
    pub payload: Payload,
    /// The signature of the text.
    pub signature: Signature,
}

impl ArtifactSignature {
    /// Whether it is this key's, and about this artifact.
    pub fn is_of(&self, key: &PublicKey, artifact: &Pinned) -> bool {
        self.verifies(key) && self.payload.is_about(&artifact.digest().to_string())
    }

    /// Whether it is this key's, whatever it is about.
    pub fn verifies(&self, key: &PublicKey) -> bool {
        key.verifies(self.payload.bytes(), &self.signature)
    }

    /// The payload for an artifact.
    pub fn payload_for(artifact: &Pinned) -> Payload {
        Payload::for_artifact(&artifact.reference().name(), &artifact.digest().to_string())
    }
}

/// A signature in a manifest, whose payload is a blob.
pub(super) struct SignedLayer {
    pub(super) digest: Digest,
    pub(super) bytes: u64,
    pub(super) signature: Signature,
}

/// The signatures that a manifest names. A layer that is none is left out.
///
/// # Errors
///
/// It is no manifest, or names too many or too large ones.
pub(super) fn layers_of(manifest: &[u8]) -> Result<Vec<SignedLayer>, Error> {
    let manifest = parsed(manifest)?;
    let mut layers = Vec::new();
    for layer in manifest["layers"].as_array().into_iter().flatten() {
        let signature = layer["annotations"][ANNOTATION].as_str();
        let signature = signature.and_then(Signature::from_base64);
        let digest = layer["digest"].as_str().and_then(|text| text.parse().ok());
        let (Some(signature), Some(digest)) = (signature, digest) else {
            continue;
        };
        if layer["mediaType"] != LAYER {
            continue;
        }
        let bytes = layer["size"].as_u64().unwrap_or(u64::MAX);
        if bytes > MAX_PAYLOAD_BYTES {
            return Err(Error::TooLarge {
                what: "a signed payload",
                most: MAX_PAYLOAD_BYTES,
            });
        }
        layers.push(SignedLayer {
            digest,
            bytes,
            signature,
        });
    }
    check_count(layers.len())?;
    Ok(layers)
}

/// A manifest with one more signature, and its configuration. `before`: the manifest that is there.
///
/// # Errors
///
/// The one that is there is none, or is full.
pub(super) fn with_another(
    before: Option<&[u8]>,
    new: &ArtifactSignature,
) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let mut layers = match before {
        None => Vec::new(),
        Some(before) => match parsed(before)?["layers"].take() {
            Value::Array(layers) => layers,
            _ => Vec::new(),
        },
    };
    let payload = new.payload.bytes();
    layers.push(json!({
        "mediaType": LAYER,
        "size": payload.len(),
        "digest": Digest::of(payload).to_string(),
        "annotations": {ANNOTATION: new.signature.to_base64()},
    }));
    check_count(layers.len())?;
    let digests: Vec<&Value> = layers.iter().map(|layer| &layer["digest"]).collect();
    let config = json!({
        "architecture": "",
        "created": CREATED,
        "os": "",
        "rootfs": {"type": "layers", "diff_ids": digests},
        "config": {},
    });
    let config = config.to_string().into_bytes();
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": {
            "mediaType": CONFIG,
            "size": config.len(),
            "digest": Digest::of(&config).to_string(),
        },
        "layers": layers,
    });
    let manifest = manifest.to_string().into_bytes();
    if manifest.len() as u64 > MAX_MANIFEST_BYTES {
        return Err(Error::TooLarge {
            what: "the manifest of the signatures",
            most: MAX_MANIFEST_BYTES,
        });
    }
    Ok((manifest, config))
}

fn parsed(manifest: &[u8]) -> Result<Value, Error> {
    let parsed: Option<Value> = serde_json::from_slice(manifest).ok();
    parsed
        .filter(|manifest| manifest["layers"].is_array())
        .ok_or(Error::NotSignatures)
}

fn check_count(found: usize) -> Result<(), Error> {
    match found > MAX_SIGNATURES {
        true => Err(Error::TooManySignatures { found }),
        false => Ok(()),
    }
}

/// The form of signatures in the cache.
pub(super) fn to_stored(all: &[ArtifactSignature]) -> Vec<u8> {
    let all: Vec<[String; 2]> = all
        .iter()
        .map(|one| {
            let payload = BASE64_STANDARD.encode(one.payload.bytes());
            [payload, one.signature.to_base64()]
        })
        .collect();
    json!(all).to_string().into_bytes()
}

/// Signatures from the cache; none if somebody changed the form.
pub(super) fn from_stored(bytes: &[u8]) -> Option<Vec<ArtifactSignature>> {
    let all: Vec<[String; 2]> = serde_json::from_slice(bytes).ok()?;
    if all.len() > MAX_SIGNATURES {
        return None;
    }
    let one = |[payload, signature]: [String; 2]| {
        Some(ArtifactSignature {
            payload: Payload::from_bytes(BASE64_STANDARD.decode(payload).ok()?)?,
            signature: Signature::from_base64(&signature)?,
        })
    };
    all.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::reference::Reference;
    use super::*;
    use crate::signature::PrivateKey;

    fn artifact(name: &str) -> Pinned {
        let reference = Reference::parse(&format!("registry.example/{name}")).expect("a name");
        reference.with_digest(Digest::of(name.as_bytes()))
    }

    fn signed(key: &PrivateKey, artifact: &Pinned) -> ArtifactSignature {
        let payload = ArtifactSignature::payload_for(artifact);
        let signature = key.sign(payload.bytes()).expect("a signature");
        ArtifactSignature { payload, signature }
    }

    #[test]
    fn a_signature_is_of_one_key_and_one_artifact() {
        let (one, other) = (artifact("one"), artifact("other"));
        let (key, _) = PrivateKey::generate(None).expect("a key");
        let (stranger, _) = PrivateKey::generate(None).expect("a key");
        let signature = signed(&key, &one);
        assert!(signature.is_of(&key.public(), &one));
        assert!(!signature.is_of(&stranger.public(), &one));
        assert!(!signature.is_of(&key.public(), &other));
        let swapped = ArtifactSignature {
            payload: ArtifactSignature::payload_for(&other),
            ..signature
        };
        assert!(!swapped.verifies(&key.public()));
    }

    #[test]
    fn a_manifest_keeps_the_signatures_that_are_there() {
        let artifact = artifact("one");
        let (key, _) = PrivateKey::generate(None).expect("a key");
        let one = signed(&key, &artifact);
        let mut manifest = None;
        for count in 1..=MAX_SIGNATURES {
            let next = signed(&key, &artifact);
            let next = if count == 1 { &one } else { &next };
            let (made, config) = with_another(manifest.as_deref(), next).expect("a manifest");
            let layers = layers_of(&made).expect("signatures");
            assert_eq!(layers.len(), count);
            assert_eq!(layers[0].signature, one.signature);
            assert_eq!(layers[0].digest, Digest::of(one.payload.bytes()));
            let parsed: Value = serde_json::from_slice(&made).expect("JSON");
            assert_eq!(parsed["config"]["digest"], Digest::of(&config).to_string());
            manifest = Some(made);
        }
        let full = with_another(manifest.as_deref(), &one);
        assert!(matches!(full, Err(Error::TooManySignatures { found: 17 })));
        let page = with_another(Some(b"<html>"), &one);
        assert!(matches!(page, Err(Error::NotSignatures)));
    }

    #[test]
    fn what_is_stored_is_read_again_and_nothing_else_is() {
        let (key, _) = PrivateKey::generate(None).expect("a key");
        let all = vec![
            signed(&key, &artifact("one")),
            signed(&key, &artifact("two")),
        ];
        let stored = to_stored(&all);
        assert_eq!(from_stored(&stored), Some(all.clone()));
        let most = to_stored(&vec![all[0].clone(); MAX_SIGNATURES]);
        assert!(from_stored(&most).is_some() && (most.len() as u64) < MAX_STORED_BYTES);
        let more = to_stored(&vec![all[0].clone(); MAX_SIGNATURES + 1]);
        assert_eq!(from_stored(&more), None);
        for other in ["", "{}", "[[\"\"]]", "[[\"a\", \"b\"]]", "[[\"\", \"*\"]]"] {
            assert_eq!(from_stored(other.as_bytes()), None, "{other}");
        }
    }
}
