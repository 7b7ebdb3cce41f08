//! The short name of an original.
//!
//! Sixteen letters and digits are 80 bits of the SHA-256 of its bytes: little for a model to copy,
//! enough that no two originals meet by chance. Somebody who looks for a collision on purpose can
//! afford 80 bits, so [`super::Store::put`] compares the bytes and refuses the second of them.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// Characters of a reference.
const LENGTH: usize = 16;

/// RFC 4648 base 32 in lower case: without 0 and 1, nothing in it is easily mistaken for another.
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Names an original: the same bytes always have the same reference, on every machine.
///
/// As text it is sixteen characters of `a` to `z` and `2` to `7`. A parsed reference need not stand
/// for anything stored; one that [`super::Store::put`] returned does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference([u8; LENGTH]);

impl Reference {
    /// The reference of bytes with this hash.
    pub(super) fn of_hash(hash: Sha256) -> Reference {
        let digest = hash.finalize();
        let mut letters = [0; LENGTH];
        // Five bytes are eight letters.
        for (five, eight) in digest.chunks_exact(5).zip(letters.chunks_exact_mut(8)) {
            let bits = five
                .iter()
                .fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
            for (place, letter) in eight.iter_mut().enumerate() {
                *letter = ALPHABET[(bits >> (35 - 5 * place) & 31) as usize];
            }
        }
        Reference(letters)
    }

    /// The reference that these bytes have.
    pub fn of(bytes: &[u8]) -> Reference {
        Reference::of_hash(Sha256::new_with_prefix(bytes))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|letter| fmt::Write::write_char(f, char::from(*letter)))
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reference({self})")
    }
}

/// The text is not the name of any original.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a reference is {LENGTH} characters of a to z and 2 to 7")]
pub struct NotAReference;

impl FromStr for Reference {
    type Err = NotAReference;

    fn from_str(text: &str) -> Result<Reference, NotAReference> {
        let letters: [u8; LENGTH] = text.as_bytes().try_into().map_err(|_| NotAReference)?;
        if letters.iter().all(|letter| ALPHABET.contains(letter)) {
            Ok(Reference(letters))
        } else {
            Err(NotAReference)
        }
    }
}
