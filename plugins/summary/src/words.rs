//! The words of a line, their hashes, and counts of hashes in bounded memory.
//!
//! Owns the definition of a word, a number and a pattern. Refuses to know what is counted.

use crate::hashing::{self, mixed};
use crate::trim::trim;
use tamis_formats::words::{HIGH, LOW, first, first_bytes, has_any, short};

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

/// Marks of eight bytes, as in `tamis_formats::words`, by their classes.
pub struct Classes {
    pub letters: u64,
    digits: u64,
    /// `_`
    lines: u64,
    /// All parts of words.
    pub words: u64,
}

impl Classes {
    #[inline]
    pub fn of(part: u64) -> Classes {
        let letters = between(part | (LOW * 0x20), b'a', b'z') & !part;
        let digits = between(part, b'0', b'9') & !part;
        let lines = !has_any(part ^ (LOW * u64::from(b'_')));
        Classes {
            letters: letters & HIGH,
            digits: digits & HIGH,
            lines: lines & HIGH,
            // All characters that are not ASCII are parts of words.
            words: (letters | digits | lines | part) & HIGH,
        }
    }
}

/// Marks of the bytes from `first` to `last`, both of ASCII. Of other bytes, the marks may be wrong.
#[inline]
pub fn between(part: u64, first: u8, last: u8) -> u64 {
    let part = part & !HIGH;
    (part + LOW * u64::from(0x80 - first)) & !(part + LOW * u64::from(0x7f - last))
}

/// Eight bytes of a line from `at`, which is not behind its end, and zeros behind its end.
#[inline]
pub fn eight(line: &[u8], at: usize) -> u64 {
    if let Some(part) = line.get(at..).and_then(<[u8]>::first_chunk) {
        return u64::from_le_bytes(*part);
    }
    match line.last_chunk() {
        Some(last) => u64::from_le_bytes(*last) >> (8 * (at + 8 - line.len())),
        None => short(&line[at..]).unwrap_or_default(),
    }
}

/// Whether all bytes of a text are marked. `marks`: those of eight bytes, all of them right.
#[inline]
pub fn are_all(text: &[u8], marks: impl Fn(u64) -> u64) -> bool {
    (0..text.len()).step_by(8).all(|at| {
        let inside = first_bytes(text.len() - at) & HIGH;
        marks(eight(text, at)) & inside == inside
    })
}

/// Calls `each` with the parts of a line.
#[inline]
pub fn words(line: &str, mut each: impl FnMut(Word)) {
    let bytes = line.as_bytes();
    let (mut at, mut last) = (0, 0u8);
    while at < bytes.len() {
        let mut part = eight(bytes, at);
        let mut classes = Classes::of(part);
        let mut length = first(!classes.words & HIGH);
        if length > 0 {
            let (start, before) = (at, last);
            let first_four = part as u32;
            let mut hash = hashing::START;
            let (mut letters, mut digits, mut lines) = (0, 0, 0);
            // Neither digits nor from `a` to `f`.
            let mut others = 0;
            loop {
                let inside = first_bytes(length);
                let hexadecimal = classes.digits | between(part, b'a', b'f') & !part;
                letters |= classes.letters & inside;
                digits |= classes.digits & inside;
                lines |= classes.lines & inside;
                others |= classes.words & inside & !hexadecimal;
                at += length;
                if length < 8 {
                    hash = mixed(mixed(hash, part & inside), (at - start) as u64);
                    break;
                }
                hash = mixed(hash, part);
                part = if at < bytes.len() {
                    eight(bytes, at)
                } else {
                    0
                };
                classes = Classes::of(part);
                length = first(!classes.words & HIGH);
            }
            let size = at - start;
            let after = if at < bytes.len() {
                Some((part >> (8 * length)) as u8)
            } else {
                None
            };
            // A part of an address or of a UUID.
            let is_between = |sign: u8| matches!(sign, b'-' | b':');
            let is_part =
                || matches!(size, 2 | 4) && (is_between(before) || after.is_some_and(is_between));
            let is_test = || first_four | 0x2020_2020 == u32::from_le_bytes(*b"test");
            // One call is all inlined.
            each(if digits != 0 {
                match letters != 0 && (lines != 0 || is_test()) {
                    true => Word::Name(hash),
                    false => Word::Number,
                }
            } else if others == 0 && (size >= HEXADECIMAL || is_part()) {
                Word::Number
            } else {
                Word::Letters(hash)
            });
            let Some(sign) = after else { return };
            part = u64::from(sign);
            last = 0;
        }
        let sign = part as u8;
        at += 1;
        let is_blank = |sign| matches!(sign, b' ' | b'\t');
        if !is_blank(sign) || !is_blank(last) {
            each(Word::Sign(if is_blank(sign) { b' ' } else { sign }));
        }
        last = sign;
    }
}

/// Calls `each` with the values of a line's parts in its pattern: the hash of a word without digits, which is over
/// [`NO_WORD`], and one value for all others.
#[inline]
pub fn values(line: &str, mut each: impl FnMut(u64)) {
    words(line, |word| {
        each(match word {
            Word::Letters(hash) => hash,
            Word::Number | Word::Name(_) => NUMBER,
            Word::Sign(sign) => of_sign(sign),
        });
    });
}

/// The highest value of a part that is no word.
pub const NO_WORD: u64 = of_sign(u8::MAX);

/// A hash of a line in which all words with digits are equal. `each` gets the values of its parts.
#[inline]
pub fn pattern_of(line: &str, mut each: impl FnMut(u64)) -> u64 {
    let mut pattern = hashing::START;
    values(trim(line), |value| {
        each(value);
        pattern = hashing::mixed(pattern, value);
    });
    pattern
}

/// A hash of a line in which all words with digits are equal.
pub fn pattern(line: &str) -> u64 {
    pattern_of(line, |_| ())
}

/// The same, but names differ: lines with different names are of different sorts.
pub fn pattern_with_names(line: &str) -> u64 {
    let mut pattern = hashing::START;
    words(trim(line), |word| {
        let value = match word {
            Word::Letters(hash) | Word::Name(hash) => hash,
            Word::Number => NUMBER,
            Word::Sign(sign) => of_sign(sign),
        };
        pattern = hashing::mixed(pattern, value);
    });
    pattern
}

/// The hash of a sign in a pattern.
const fn of_sign(sign: u8) -> u64 {
    sign as u64 + 3
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
