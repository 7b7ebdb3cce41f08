//! Public keys, and verifying with them.

use super::{KeyError, Signature, pem};
use crate::{hex, printable};
use ring::signature::{ECDSA_P256_SHA256_ASN1, ED25519, UnparsedPublicKey, VerificationAlgorithm};
use sha2::{Digest, Sha256};
use std::fmt;

pub(super) const LABEL: &str = "PUBLIC KEY";

/// How a SubjectPublicKeyInfo (RFC 5280, in DER) of such a key begins. Its last byte is followed by the key.
const P256_HEAD: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];
/// A point without compression: a byte 4, and both coordinates.
const P256_BYTES: usize = 65;
const ED25519_HEAD: [u8; 12] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
];
const ED25519_BYTES: usize = 32;

/// Digits of a digest that tell two keys apart.
const SHORT: usize = 12;

/// What a key's signatures are made by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// ECDSA on the curve P-256, with SHA-256.
    P256,
    Ed25519,
}

/// A key that signatures are verified by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    algorithm: Algorithm,
    bytes: Vec<u8>,
}

impl PublicKey {
    /// Reads a key in PEM, as cosign, openssl and `tamis plugin keygen` write it.
    ///
    /// # Errors
    ///
    /// The text is something else, or a key of another type.
    pub fn from_pem(text: &str) -> Result<PublicKey, KeyError> {
        let (label, der) = pem::read(text, LABEL)?;
        if label != LABEL {
            let (found, remedy) = if label.ends_with("PRIVATE KEY") {
                let remedy = "name the public key that belongs to it, and keep this one secret";
                ("a private key".to_owned(), remedy)
            } else {
                let remedy = "openssl writes a public key with `openssl pkey -pubout`";
                let label: String = label.chars().take(40).collect();
                (format!("a block `{}`", printable::line(&label)), remedy)
            };
            return Err(KeyError::Other {
                found,
                expected: "public",
                remedy,
            });
        }
        let of = |algorithm, head: &[u8], length| {
            let bytes = der
                .strip_prefix(head)
                .filter(|bytes| bytes.len() == length)?;
            Some(PublicKey::new(algorithm, bytes))
        };
        of(Algorithm::P256, &P256_HEAD, P256_BYTES)
            // With its first byte, another form of a point.
            .filter(|key| key.bytes[0] == 4)
            .or_else(|| of(Algorithm::Ed25519, &ED25519_HEAD, ED25519_BYTES))
            .ok_or(KeyError::UnknownType)
    }

    pub(super) fn new(algorithm: Algorithm, bytes: &[u8]) -> PublicKey {
        PublicKey {
            algorithm,
            bytes: bytes.to_vec(),
        }
    }

    /// The key in PEM.
    pub fn to_pem(&self) -> String {
        pem::write(LABEL, &self.der())
    }

    /// Whether a signature of these bytes is this key's.
    pub fn verifies(&self, message: &[u8], signature: &Signature) -> bool {
        let algorithm: &'static dyn VerificationAlgorithm = match self.algorithm {
            Algorithm::P256 => &ECDSA_P256_SHA256_ASN1,
            Algorithm::Ed25519 => &ED25519,
        };
        let key = UnparsedPublicKey::new(algorithm, &self.bytes);
        key.verify(message, &signature.0).is_ok()
    }

    /// The digest (SHA-256) of the key in DER.
    pub fn sha256(&self) -> [u8; 32] {
        Sha256::digest(self.der()).into()
    }

    fn der(&self) -> Vec<u8> {
        let head: &[u8] = match self.algorithm {
            Algorithm::P256 => &P256_HEAD,
            Algorithm::Ed25519 => &ED25519_HEAD,
        };
        [head, &self.bytes].concat()
    }
}

/// The type, and enough of its digest to tell it from others: `P-256 sha256:8a8b1c01e5f2`.
impl fmt::Display for PublicKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.algorithm {
            Algorithm::P256 => "P-256",
            Algorithm::Ed25519 => "Ed25519",
        };
        write!(
            out,
            "{name} sha256:{}",
            &hex::encode(&self.sha256())[..SHORT]
        )
    }
}
