//! The text that is signed for an artifact in a registry: Red Hat's "simple signing", as cosign has it.

use super::MAX_PAYLOAD_BYTES;
use serde_json::{Value, json};

/// What the text is about. cosign writes the same for everything that is in a registry.
const TYPE: &str = "cosign container image signature";

/// The text that is signed for an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload(Vec<u8>);

impl Payload {
    /// The payload for the artifact whose manifest has this digest (`sha256:…`). `name`: its registry and
    /// repository, for readers.
    pub fn for_artifact(name: &str, digest: &str) -> Payload {
        let payload = json!({
            "critical": {
                "identity": {"docker-reference": name},
                "image": {"docker-manifest-digest": digest},
                "type": TYPE,
            },
            "optional": null,
        });
        Payload(payload.to_string().into_bytes())
    }

    /// A payload that somebody else wrote; none if it is too large.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Payload> {
        (bytes.len() as u64 <= MAX_PAYLOAD_BYTES).then_some(Payload(bytes))
    }

    /// The signed bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether it is about the artifact with this digest. The name in it does not count: a copy in another
    /// registry has the same bytes.
    pub fn is_about(&self, digest: &str) -> bool {
        let Ok(payload) = serde_json::from_slice::<Value>(&self.0) else {
            return false;
        };
        let critical = &payload["critical"];
        critical["type"] == TYPE && critical["image"]["docker-manifest-digest"] == digest
    }
}
