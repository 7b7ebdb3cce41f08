//! Signatures of plugins and policies: keys, and what they sign.
//!
//! Owns public keys and private keys (ECDSA on P-256 with SHA-256, and Ed25519), signatures in base64, the
//! payload that stands for an artifact in a registry, and the file of signatures beside a plugin's. The forms
//! are cosign's, so that either program verifies what the other signed.
//!
//! Refuses to know registries, TOML and whose signature is wanted. A private key is never printed: neither
//! it nor an error has its text.

mod detached;
mod encrypted;
mod payload;
mod pem;
mod private_key;
mod public_key;

pub use detached::{
    MAX_BYTES as MAX_DETACHED_BYTES, from_text, path_beside, read_beside, with_another,
};
pub use payload::Payload;
pub use private_key::PrivateKey;
pub use public_key::PublicKey;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// Most signatures of one plugin that are looked at: a large team signs with a handful of keys.
pub const MAX_SIGNATURES: usize = 16;

/// Largest payload: cosign's has 250 bytes, and notes of the signer more.
pub const MAX_PAYLOAD_BYTES: u64 = 16 << 10;

/// Largest file of a key: one in PEM has 200 bytes, and an encrypted one 700.
pub const MAX_KEY_BYTES: u64 = 16 << 10;

/// Longest signature in base64: both kinds have a tenth of this.
const MAX_SIGNATURE_TEXT: usize = 1024;

/// A signature, not yet verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature(Vec<u8>);

impl Signature {
    /// Reads a signature in base64; none if it is not one.
    pub fn from_base64(text: &str) -> Option<Signature> {
        let text = text.trim();
        if text.is_empty() || text.len() > MAX_SIGNATURE_TEXT {
            return None;
        }
        BASE64_STANDARD.decode(text).ok().map(Signature)
    }

    /// The signature in base64, on one line.
    pub fn to_base64(&self) -> String {
        BASE64_STANDARD.encode(&self.0)
    }
}

/// Why a text is not a usable key. Without the text: it may be a private key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// No block of PEM.
    #[error("it has no key in PEM, which begins with `-----BEGIN {expected}-----`")]
    NoPem {
        /// The label of the expected block.
        expected: &'static str,
    },
    /// More than one block: which one is meant?
    #[error("it has more than one key, and one is allowed")]
    Several,
    /// A block whose content is not base64.
    #[error("its PEM is damaged")]
    Damaged,
    /// A certificate, a private key, another format.
    #[error("it is {found}, and not a {expected} key: {remedy}")]
    Other {
        /// The found block, in words.
        found: String,
        /// The expected kind of key: `public`, `private`.
        expected: &'static str,
        /// What to use instead.
        remedy: &'static str,
    },
    /// RSA, another curve.
    #[error("it is a key of an unknown type: allowed: ECDSA on the curve P-256, and Ed25519")]
    UnknownType,
    /// It is encrypted, and no password is given.
    #[error("it is encrypted: put its password into the environment variable TAMIS_KEY_PASSWORD")]
    NoPassword,
    /// It is encrypted with another password, or damaged.
    #[error("the password does not fit, or the key is damaged")]
    WrongPassword,
    /// It is not encrypted as cosign does it.
    #[error(
        "it is encrypted in an unknown way: allowed: scrypt (N up to 131072, r 8, p 1) and nacl/secretbox"
    )]
    UnknownEncryption,
    /// The system has no random bytes.
    #[error("the system gives no random bytes")]
    NoRandomness,
}

#[cfg(test)]
mod tests;
