//! Sealing with the operator's key: data that leaves this process and comes back, unread and unchanged.
//!
//! Owns: how keys are made from the operator's text, and the form of sealed data. Refuses to know what is sealed.
//!
//! Each sealed text has a key of its own, derived from the operator's key, the purpose and a random salt. So no
//! number of sealed texts wears a key out, and text sealed for one purpose does not open for another. The operator
//! may give an earlier key too: it opens, and seals nothing, until all sealed with it has expired.

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Prk, Salt};
use ring::rand::{SecureRandom, SystemRandom};
use std::fmt;

/// Fewest characters of the operator's key: those of 24 random bytes in base 64.
pub const LEAST_KEY_CHARACTERS: usize = 32;

/// The salt of a sealed text: enough random bytes that no two texts have the same.
const SALT_BYTES: usize = 24;

/// Bytes that sealing adds: the salt, and the tag of AES-GCM.
pub const SEAL_BYTES: usize = SALT_BYTES + 16;

/// Seals and opens texts for one purpose. Clones are the same sealer.
#[derive(Clone)]
pub struct Sealer {
    purpose: &'static str,
    current: Box<[u8]>,
    previous: Option<Box<[u8]>>,
}

impl Sealer {
    /// `current` seals, and both keys open. A key has at least [`LEAST_KEY_CHARACTERS`].
    pub fn new(current: &str, previous: Option<&str>, purpose: &'static str) -> Sealer {
        let bytes = |key: &str| Box::from(key.as_bytes());
        Sealer {
            purpose,
            current: bytes(current),
            previous: previous.map(bytes),
        }
    }

    /// Seals a text. It opens only together with the same `about`, which is not part of the result.
    pub fn seal(&self, about: &[u8], text: &[u8]) -> Vec<u8> {
        let mut sealed = random::<SALT_BYTES>().to_vec();
        let key = self.key(&self.current, &sealed);
        let mut within = text.to_vec();
        // It fails only for texts of 64 GB.
        key.seal_in_place_append_tag(no_nonce(), Aad::from(about), &mut within)
            .expect("a text that is in memory can be sealed");
        sealed.append(&mut within);
        sealed
    }

    /// The text. None: neither key sealed it, it was changed, or it belongs to another `about`.
    pub fn open(&self, about: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (salt, within) = sealed.split_at_checked(SALT_BYTES)?;
        let with = |key: &[u8]| {
            let mut text = within.to_vec();
            let opened = self
                .key(key, salt)
                .open_in_place(no_nonce(), Aad::from(about), &mut text);
            let bytes = opened.ok()?.len();
            text.truncate(bytes);
            Some(text)
        };
        with(&self.current).or_else(|| with(self.previous.as_ref()?))
    }

    fn key(&self, operators: &[u8], salt: &[u8]) -> LessSafeKey {
        let made: Prk = Salt::new(HKDF_SHA256, salt).extract(operators);
        let purpose = [b"tamis ", self.purpose.as_bytes()];
        let key = made
            .expand(&purpose, &AES_256_GCM)
            .map(UnboundKey::from)
            .expect("a key is shorter than what HKDF can make");
        LessSafeKey::new(key)
    }
}

/// Keys are not shown: debug output ends up in logs.
impl fmt::Debug for Sealer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Sealer({})", self.purpose)
    }
}

/// Random bytes that nobody can guess.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemRandom::new()
        .fill(&mut bytes)
        .expect("the system has random numbers");
    bytes
}

/// Each key seals one text, so all have the same nonce.
fn no_nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; 12])
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 2] = [
        "the first key, of more than 32 characters",
        "another key, of more than 32 characters",
    ];

    #[test]
    fn only_key_purpose_and_subject_together_open_what_was_sealed() {
        let sealer = Sealer::new(KEYS[0], None, "tests");
        let sealed = sealer.seal(b"alice", b"text");
        assert_eq!(sealed.len(), 4 + SEAL_BYTES);
        assert_eq!(
            sealer.open(b"alice", &sealed).as_deref(),
            Some(&b"text"[..])
        );
        assert_ne!(
            sealed,
            sealer.seal(b"alice", b"text"),
            "no salt is used twice"
        );
        assert_eq!(sealer.open(b"bob", &sealed), None);
        assert_eq!(
            Sealer::new(KEYS[0], None, "others").open(b"alice", &sealed),
            None
        );
        assert_eq!(
            Sealer::new(KEYS[1], None, "tests").open(b"alice", &sealed),
            None
        );
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            assert_eq!(sealer.open(b"alice", &changed), None, "{place}");
            assert_eq!(sealer.open(b"alice", &sealed[..place]), None, "{place}");
        }
    }

    #[test]
    fn the_previous_key_opens_and_seals_nothing() {
        let before = Sealer::new(KEYS[0], None, "tests");
        let both = Sealer::new(KEYS[1], Some(KEYS[0]), "tests");
        assert!(both.open(b"", &before.seal(b"", b"old")).is_some());
        assert!(before.open(b"", &both.seal(b"", b"new")).is_none());
    }
}
