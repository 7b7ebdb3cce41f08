//! Quick hashes of words, lines and keys: the filter hashes everything that it reads.
//!
//! Owns the hash function, and the maps that use it. Refuses to know what is hashed. The same bytes give the same
//! number in every run.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use tamis_formats::words;
pub use tamis_formats::words::same;

/// A map whose order has no effect.
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// The numbers of things by their hashes: quicker than a map, because most are found at the first look.
#[derive(Default)]
pub struct Places {
    /// A hash, and the number from 1 of its thing; 0 in an empty slot. A power of two, of which at most two in three are in use.
    slots: Vec<(u64, u32)>,
    count: usize,
}

impl Places {
    /// The slot of a hash, or the empty one that it would take.
    #[inline]
    fn slot(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        loop {
            at &= mask;
            let (known, place) = self.slots[at];
            if known == hash || place == 0 {
                return at;
            }
            at += 1;
        }
    }

    /// The number of a hash, if it is known.
    #[inline]
    pub fn get(&self, hash: u64) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let (_, place) = self.slots[self.slot(hash)];
        (place as usize).checked_sub(1)
    }

    /// Gives a hash that is not known its number.
    pub fn insert(&mut self, hash: u64, place: usize) {
        /// The fewest slots, and those of a small table, which grows faster.
        const LEAST: usize = 64;
        const SMALL: usize = 256;
        if 2 * self.slots.len() <= 3 * self.count {
            let size = match self.slots.len() {
                0 => LEAST,
                size @ ..=SMALL => 4 * size,
                size => 2 * size,
            };
            let all = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
            for slot in all.into_iter().filter(|(_, place)| *place > 0) {
                let at = self.slot(slot.0);
                self.slots[at] = slot;
            }
        }
        let at = self.slot(hash);
        self.slots[at] = (hash, place as u32 + 1);
        self.count += 1;
    }
}

/// The initial value of a hash.
pub const START: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds eight bytes to a hash.
#[inline]
pub fn mixed(hash: u64, part: u64) -> u64 {
    (hash ^ part)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_that_were_given() {
        let mut places = Places::default();
        let hash = |number: u64| {
            if number.is_multiple_of(2) {
                number
            } else {
                mixed(START, number)
            }
        };
        for number in 0..1_000 {
            assert_eq!(places.get(hash(number)), None);
            places.insert(hash(number), number as usize);
        }
        for number in 0..1_000 {
            assert_eq!(places.get(hash(number)), Some(number as usize));
        }
    }
}
