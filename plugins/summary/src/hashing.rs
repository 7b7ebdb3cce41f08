//! Quick hashes of words, lines and keys: the filter hashes everything that it reads.
//!
//! Owns the hash function, and the maps that use it. Refuses to know what is hashed. The same bytes give the same
//! number in every run.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use tamis_formats::words;

/// A map whose order has no effect.
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// The initial value of a hash.
pub const START: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds eight bytes to a hash.
#[inline]
pub fn mixed(hash: u64, part: u64) -> u64 {
    (hash ^ part)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
}

/// Whether two texts are the same: quicker than a call of `memcmp`, which WebAssembly lacks, for short ones.
#[inline]
pub fn same(one: impl AsRef<[u8]>, other: impl AsRef<[u8]>) -> bool {
    let (one, other) = (one.as_ref(), other.as_ref());
    if one.len() != other.len() {
        return false;
    }
    let is_same =
        |one: &[u8; 8], other: &[u8; 8]| u64::from_le_bytes(*one) == u64::from_le_bytes(*other);
    // The last eight bytes overlap those before.
    if let (Some(one_last), Some(other_last)) = (one.last_chunk(), other.last_chunk()) {
        let pairs = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
        return is_same(one_last, other_last)
            && pairs.into_iter().all(|(one, other)| is_same(one, other));
    }
    if let (Some(one_first), Some(other_first)) = (one.first_chunk::<4>(), other.first_chunk::<4>())
    {
        return one_first == other_first && one.last_chunk::<4>() == other.last_chunk::<4>();
    }
    one.iter().zip(other).all(|(one, other)| one == other)
}

/// Whether a text is before another in the order of their bytes: the same for texts of which most are equal at first.
#[inline]
pub fn is_before(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let (parts, others) = (one.as_chunks::<8>().0, other.as_chunks::<8>().0);
    for (part, other) in parts.iter().zip(others) {
        if part != other {
            return u64::from_be_bytes(*part) < u64::from_be_bytes(*other);
        }
    }
    let same = 8 * parts.len().min(others.len());
    one[same..] < other[same..]
}

/// The bytes of a short text, at most seven, as a number, with their length.
#[inline]
pub fn short(text: &[u8]) -> u64 {
    words::short(text).unwrap_or_default() | (text.len() as u64) << 56
}

/// The hash of a word.
pub fn hash(text: &[u8]) -> u64 {
    let (chunks, rest) = text.as_chunks::<8>();
    let chunks = chunks.iter().map(|chunk| u64::from_le_bytes(*chunk));
    mixed(chunks.fold(START, mixed), short(rest))
}

pub struct Quick(u64);

impl Default for Quick {
    fn default() -> Quick {
        Quick(START)
    }
}

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        let (chunks, rest) = bytes.as_chunks::<8>();
        for chunk in chunks {
            self.write_u64(u64::from_le_bytes(*chunk));
        }
        if !rest.is_empty() {
            let part = rest
                .iter()
                .fold(rest.len() as u64, |part, byte| part << 8 | u64::from(*byte));
            self.write_u64(part);
        }
    }

    fn write_u8(&mut self, part: u8) {
        self.write_u64(part.into());
    }

    fn write_u64(&mut self, part: u64) {
        self.0 = mixed(self.0, part);
    }

    fn write_usize(&mut self, part: usize) {
        self.write_u64(part as u64);
    }

    fn finish(&self) -> u64 {
        // A map uses the high bits and the low bits.
        mixed(self.0, 0)
    }
}
