//! Quick hashes of words, lines and keys: the filter hashes everything that it reads.
//!
//! Owns the hash function, and the maps that use it. Refuses to know what is hashed. The same bytes give the same
//! number in every run.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

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
