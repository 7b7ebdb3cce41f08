//! Private keys, and signing with them.

use super::public_key::Algorithm;
use super::{KeyError, PublicKey, Signature, encrypted, pem};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};

const LABEL: &str = "PRIVATE KEY";

/// A key that signs. It has no `Debug`, and nothing prints it.
pub struct PrivateKey {
    pair: Pair,
    random: SystemRandom,
}

enum Pair {
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl PrivateKey {
    /// A new key (ECDSA on P-256, as cosign makes them), and its text in PEM, encrypted if a password is given.
    ///
    /// # Errors
    ///
    /// The system has no random bytes.
    pub fn generate(password: Option<&str>) -> Result<(PrivateKey, String), KeyError> {
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random)
            .map_err(|_| KeyError::NoRandomness)?;
        let key = PrivateKey::from_pkcs8(pkcs8.as_ref())?;
        let pem = match password {
            None => pem::write(LABEL, pkcs8.as_ref()),
            Some(password) => {
                let content = encrypted::encrypt(pkcs8.as_ref(), password)?;
                pem::write(encrypted::LABEL, &content)
            }
        };
        Ok((key, pem))
    }

    /// Reads a key in PEM. The password is that of an encrypted one.
    ///
    /// # Errors
    ///
    /// The text is something else, or a key of another type; or the password is missing or another.
    pub fn from_pem(text: &str, password: Option<&str>) -> Result<PrivateKey, KeyError> {
        let (label, der) = pem::read(text, LABEL)?;
        let other = |found: &str, remedy| KeyError::Other {
            found: found.to_owned(),
            expected: "private",
            remedy,
        };
        match label {
            LABEL => PrivateKey::from_pkcs8(&der),
            encrypted::LABEL | encrypted::OLD_LABEL => {
                let password = password.ok_or(KeyError::NoPassword)?;
                PrivateKey::from_pkcs8(&encrypted::decrypt(&der, password)?)
            }
            "PUBLIC KEY" => Err(other("a public key", "name the private key of the pair")),
            "EC PRIVATE KEY" => Err(other(
                "a key in the form SEC 1",
                "convert it: openssl pkcs8 -topk8 -nocrypt -in KEY -out NEW-KEY",
            )),
            "ENCRYPTED PRIVATE KEY" => Err(other(
                "a key that openssl encrypted",
                "decrypt it: openssl pkcs8 -topk8 -nocrypt -in KEY -out NEW-KEY",
            )),
            _ => Err(other(
                "another block of PEM",
                "`tamis plugin keygen` makes one",
            )),
        }
    }

    fn from_pkcs8(der: &[u8]) -> Result<PrivateKey, KeyError> {
        let random = SystemRandom::new();
        let p256 = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, der, &random);
        let pair = match p256 {
            Ok(pair) => Pair::P256(pair),
            // openssl writes Ed25519 without the public key.
            Err(_) => Ed25519KeyPair::from_pkcs8_maybe_unchecked(der)
                .map(Pair::Ed25519)
                .map_err(|_| KeyError::UnknownType)?,
        };
        Ok(PrivateKey { pair, random })
    }

    /// The key that its signatures are verified by.
    pub fn public(&self) -> PublicKey {
        match &self.pair {
            Pair::P256(pair) => PublicKey::new(Algorithm::P256, pair.public_key().as_ref()),
            Pair::Ed25519(pair) => PublicKey::new(Algorithm::Ed25519, pair.public_key().as_ref()),
        }
    }

    /// Signs these bytes.
    ///
    /// # Errors
    ///
    /// The system has no random bytes.
    pub fn sign(&self, message: &[u8]) -> Result<Signature, KeyError> {
        match &self.pair {
            Pair::P256(pair) => {
                let signature = pair.sign(&self.random, message);
                let signature = signature.map_err(|_| KeyError::NoRandomness)?;
                Ok(Signature(signature.as_ref().to_vec()))
            }
            Pair::Ed25519(pair) => Ok(Signature(pair.sign(message).as_ref().to_vec())),
        }
    }
}
