//! The words of a line, their hashes, and counts of hashes in bounded memory.
//!
//! Owns the definition of a word, a number and a pattern. Refuses to know what is counted.

use crate::hashing;
use crate::trim::trim;

/// A part of a line.
pub enum Word {
    /// The hash of a word without digits.
    Letters(u64),
    /// A word with digits, or one that may be a hexadecimal number.
    Number,
    /// The hash of a word with digits that is a name: `test_case_3`, `TestRefund2`.
    Name(u64),
    /// A character between words. Consecutive blanks are one.
    Sign(u8),
}

/// The hash of every number in a pattern.
pub const NUMBER: u64 = 2;

/// Fewest letters, all from `a` to `f`, that make a hexadecimal number.
const HEXADECIMAL: usize = 6;

/// Classes of bytes.
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const LINE: u8 = 4;
/// Any other part of a word.
const OTHER: u8 = 8;
const BLANK: u8 = 16;
/// Not a letter from `a` to `f`.
const NOT_HEXADECIMAL: u8 = 32;
const WORD: u8 = LETTER | DIGIT | LINE | OTHER;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'f' => LETTER,
            b'g'..=b'z' | b'A'..=b'Z' => LETTER | NOT_HEXADECIMAL,
            b'0'..=b'9' => DIGIT | NOT_HEXADECIMAL,
            b'_' => LINE | NOT_HEXADECIMAL,
            0x80.. => OTHER | NOT_HEXADECIMAL,
            b' ' | b'\t' => BLANK,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// Calls `each` with the parts of a line.
#[inline]
pub fn words(line: &str, mut each: impl FnMut(Word)) {
    let mut bytes = line.as_bytes();
    let mut was_blank = false;
    let mut last = 0;
    while let [byte, after @ ..] = bytes {
        let first = CLASSES[usize::from(*byte)];
        if first & WORD == 0 {
            let is_blank = first == BLANK;
            if !(is_blank && was_blank) {
                each(Word::Sign(if is_blank { b' ' } else { *byte }));
            }
            was_blank = is_blank;
            last = *byte;
            bytes = after;
            continue;
        }
        was_blank = false;
        let (mut hash, mut part, mut has, mut length) = (hashing::START, 0u64, 0, 0usize);
        for byte in bytes {
            let class = CLASSES[usize::from(*byte)];
            if class & WORD == 0 {
                break;
            }
            has |= class;
            part = part << 8 | u64::from(*byte);
            length += 1;
            if length.is_multiple_of(8) {
                hash = hashing::mixed(hash, part);
                part = 0;
            }
        }
        let hash = hashing::mixed(hashing::mixed(hash, part), length as u64);
        let (word, rest) = bytes.split_at(length);
        bytes = rest;
        let has_digit = has & DIGIT != 0;
        // A part of an address or of a UUID.
        let is_between = |sign: Option<u8>| matches!(sign, Some(b'-' | b':'));
        let is_part = || {
            matches!(length, 2 | 4) && (is_between(Some(last)) || is_between(rest.first().copied()))
        };
        if has_digit && is_name(word, has) {
            each(Word::Name(hash));
        } else if has_digit || has & NOT_HEXADECIMAL == 0 && (length >= HEXADECIMAL || is_part()) {
            each(Word::Number);
        } else {
            each(Word::Letters(hash));
        }
    }
}

/// Whether a word with digits is a name. `has`: the classes of its bytes.
fn is_name(word: &[u8], has: u8) -> bool {
    let is_test = || {
        let start = word.get(..4);
        start.is_some_and(|start| start.eq_ignore_ascii_case(b"test"))
    };
    has & LETTER != 0 && (has & LINE != 0 || is_test())
}

/// A hash of a line in which all words with digits are equal.
pub fn pattern(line: &str) -> u64 {
    hashed(line, |_| NUMBER)
}

/// The same, but names differ: lines with different names are of different sorts.
pub fn pattern_with_names(line: &str) -> u64 {
    hashed(line, |name| name)
}

fn hashed(line: &str, name: impl Fn(u64) -> u64) -> u64 {
    let mut pattern = hashing::START;
    words(trim(line), |word| {
        let value = match word {
            Word::Letters(hash) => hash,
            Word::Number => NUMBER,
            Word::Name(hash) => name(hash),
            Word::Sign(sign) => of_sign(sign),
        };
        pattern = hashing::mixed(pattern, value);
    });
    pattern
}

/// The hash of a sign in a pattern.
pub fn of_sign(sign: u8) -> u64 {
    u64::from(sign) + 3
}

/// Counts of hashes in bounded memory. A count may be too high if the table is full, and is never too low.
pub struct Tallies {
    /// The high half of a hash, and its count; 0 in an empty slot.
    slots: Vec<(u32, u32)>,
}

const MOST_SLOTS: usize = 1 << 17;
/// Slots in which a hash may be.
const WINDOW: usize = 8;

impl Tallies {
    /// Room for about this many different hashes.
    pub fn with_room(hashes: usize) -> Tallies {
        let size = hashes.clamp(2 * WINDOW, MOST_SLOTS);
        Tallies {
            slots: vec![(0, 0); size.next_power_of_two()],
        }
    }

    /// The slot that a hash has, or may take.
    fn slot(&self, hash: u64) -> Option<usize> {
        let (tag, first) = ((hash >> 32) as u32, hash as usize);
        let mask = self.slots.len() - 1;
        (first..first.wrapping_add(WINDOW))
            .map(|at| at & mask)
            .find(|at| {
                let (known, count) = self.slots[*at];
                count == 0 || known == tag
            })
    }

    pub fn add(&mut self, hash: u64, times: u32) {
        if let Some(at) = self.slot(hash) {
            let (tag, count) = &mut self.slots[at];
            *tag = (hash >> 32) as u32;
            *count = count.saturating_add(times);
        }
    }

    pub fn count(&self, hash: u64) -> u32 {
        self.slot(hash).map_or(u32::MAX, |at| self.slots[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_where_there_is_room_and_never_too_low() {
        let hash = |at: u64| hashing::mixed(hashing::START, at);
        for (room, different) in [(1 << 12, 500), (16, 500)] {
            let mut tallies = Tallies::with_room(room);
            for at in 0..different {
                tallies.add(hash(at), 1);
                tallies.add(hash(at), 2);
            }
            let too_low = (0..different).filter(|at| tallies.count(hash(*at)) < 3);
            assert_eq!(too_low.count(), 0);
            if room > 16 {
                assert!((0..different).all(|at| tallies.count(hash(at)) == 3));
                assert_eq!(tallies.count(hash(different)), 0);
            }
        }
    }
}

#[cfg(test)]
#[path = "tests/words.rs"]
mod parts;
