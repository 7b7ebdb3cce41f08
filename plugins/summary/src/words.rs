//! The words of a line, their hashes, and counts of hashes in bounded memory.
//!
//! Owns the definition of a word, a number and a pattern. Refuses to know what is counted.

use crate::forms;
use crate::frames;
use crate::hashing::{self, mixed};
use crate::signs::{Line, Signs};
use crate::trim::trim;
pub use tamis_formats::words::{eight, sixteen};

use tamis_formats::words::{HIGH, LOW, first_bytes, has_any, has_any_of, has_triple};

/// Fewest letters, all from `a` to `f`, that make a hexadecimal number.
const HEXADECIMAL: usize = 6;

/// Marks of eight bytes, as in `tamis_formats::words`, by their classes.
pub struct Classes {
    pub letters: u64,
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

/// Whether all bytes of a text are marked. `marks`: those of eight bytes, all of them right.
#[inline]
pub fn are_all(text: &[u8], marks: impl Fn(u64) -> u64) -> bool {
    let mut at = 0;
    while at < text.len() {
        let inside = first_bytes(text.len() - at) & HIGH;
        if marks(eight(text, at)) & inside != inside {
            return false;
        }
        at += 8;
    }
    true
}

/// Bits of the words in a part of a line, one for each byte. The highest bit is always 0.
struct Window {
    words: u64,
    /// The first bit after a word is 1 if the word has a digit.
    after_digits: u64,
    /// The same if it has a part that is neither a digit nor from `a` to `f`.
    after_others: u64,
}

impl Window {
    /// Bytes of a window.
    const BYTES: usize = 63;

    /// The window of a line from `at`, which is before its end.
    #[inline(never)]
    fn of(line: &[u8], at: usize) -> Window {
        let (mut words, mut digits, mut others) = (0, 0, 0);
        let end = line.len().min(at + 64);
        let mut start = at;
        while start < end {
            let (bytes, before) = sixteen(line, start);
            let are_digits = bytes.between(b'0', b'9');
            let are_hexadecimal = are_digits | bytes.between(b'a', b'f');
            // All characters that are not ASCII are parts of words.
            let are_words =
                bytes.lower().between(b'a', b'z') | are_digits | bytes.are(b'_') | bytes.are_high();
            let place = start - at;
            words |= u64::from(are_words >> before) << place;
            digits |= u64::from(are_digits >> before) << place;
            others |= u64::from((are_words & !are_hexadecimal) >> before) << place;
            start += 16;
        }
        let inside = (1 << Window::BYTES) - 1;
        // A bit that is added to the bits of a word is carried to the one after it.
        Window {
            words: words & inside,
            after_digits: (words & inside) + (digits & inside),
            after_others: (words & inside) + (others & inside),
        }
    }
}

/// Where a word that is longer than a window ends, and whether it is a number.
#[cold]
#[inline(never)]
fn long_word(line: &[u8], start: usize) -> (usize, bool) {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_' || !byte.is_ascii();
    let word = line[start..].iter().take_while(is_part);
    let is_hexadecimal = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_number = word.clone().any(u8::is_ascii_digit) || word.clone().all(is_hexadecimal);
    (start + word.count(), is_number)
}

/// The bit of values that have a word without digits.
const WORD: u64 = 1 << 63;
/// The lowest bits of a value: its sign.
const SIGN_BITS: u32 = 9;
/// A number in a value.
const A_NUMBER: u64 = 2 << SIGN_BITS;
/// A word that few lines have.
const SELDOM: u64 = 1 << SIGN_BITS;
/// The value of a whole frame of a stack trace.
pub const FRAME: u64 = 3 << SIGN_BITS;

/// The hash of the word in a value, if it has one without digits.
#[inline]
pub fn word_of(value: u64) -> Option<u64> {
    (value & WORD != 0).then_some(value >> SIGN_BITS)
}

/// A value whose word is one that few lines have.
#[inline]
pub fn seldom(value: u64) -> u64 {
    value & ((1 << SIGN_BITS) - 1) | SELDOM
}

/// The hash of the word without digits in a value, or one of all numbers; none for a name, and a sign by itself.
pub fn word_or_number(value: u64) -> Option<u64> {
    let is_number = value >> SIGN_BITS == A_NUMBER >> SIGN_BITS;
    word_of(value).or(is_number.then_some(A_NUMBER))
}

/// Calls `each` with the values of a line's parts in its pattern: each of a word, or none, and of the sign after it, or
/// none. The hash of a word without digits is part of its value; others are all equal.
#[inline]
pub fn values(line: &str, each: impl FnMut(u64)) {
    each_part(line, false, each);
}

/// The same. `has_names`: the hash of a name is part of its value, too.
#[inline]
fn each_part(line: &str, has_names: bool, mut each: impl FnMut(u64)) {
    let bytes = line.as_bytes();
    let is_blank = |sign| matches!(sign, b' ' | b'\t');
    let (mut at, mut before) = (0, 0u8);
    while at < bytes.len() {
        let window = Window::of(bytes, at);
        let size = Window::BYTES.min(bytes.len() - at);
        let mut from = 0;
        while from < size {
            let length = (window.words >> from).trailing_ones() as usize;
            let mut value = 0;
            if length > 0 {
                let (start, next) = (at + from, from + length);
                let mut end = at + next;
                let is_number = if next == Window::BYTES && end < bytes.len() {
                    // The next window begins with the word.
                    if from > 0 {
                        break;
                    }
                    let is_number;
                    (end, is_number) = long_word(bytes, start);
                    is_number
                } else {
                    // A part of an address or of a UUID.
                    let is_between = |sign: u8| matches!(sign, b'-' | b':');
                    let is_part = || {
                        let after = bytes.get(end).copied();
                        is_between(before) || after.is_some_and(is_between)
                    };
                    window.after_digits >> next & 1 != 0
                        || window.after_others >> next & 1 == 0
                            && (length >= HEXADECIMAL || matches!(length, 2 | 4) && is_part())
                };
                let hash = || hash_of(bytes, start, end) >> SIGN_BITS << SIGN_BITS | WORD;
                value = match is_number {
                    true if has_names && is_name(&bytes[start..end]) => hash() ^ WORD,
                    true => A_NUMBER,
                    false => hash(),
                };
                from = end - at;
            }
            // One call is all inlined.
            let sign = bytes.get(at + from).copied();
            from += 1;
            before = match sign {
                Some(sign) if is_blank(sign) => {
                    while bytes.get(at + from).copied().is_some_and(is_blank) {
                        from += 1;
                    }
                    b' '
                }
                sign => sign.unwrap_or_default(),
            };
            each(value | sign.map_or(0, |_| u64::from(before) + 1));
        }
        at += from;
    }
}

/// The same, as one copy of code for all that call it seldom.
#[inline(never)]
pub fn each_value(line: &str, each: &mut dyn FnMut(u64)) {
    values(line, each);
}

/// The same, where the hash of a name is part of its value.
#[inline(never)]
pub fn each_value_with_names(line: &str, each: &mut dyn FnMut(u64)) {
    each_part(line, true, each);
}

/// Whether a word of a line may be a name: it has a digit, and a line below or a part of `test`.
pub fn may_have_names<'t>(line: impl Into<Line<'t>>) -> bool {
    let Line { text, signs, .. } = line.into();
    let has_low_line = || has_any_of(text.as_bytes(), |part| part.are(b'_'));
    signs.have(Signs::DIGIT)
        && (signs.have(Signs::TILDE) && has_low_line() || has_triple(text, &[*b"tes"]))
}

/// Whether a number is a name: `test_case_3`, `TestRefund2`.
fn is_name(word: &[u8]) -> bool {
    let begins = || {
        word.get(..4)
            .is_some_and(|it| it.eq_ignore_ascii_case(b"test"))
    };
    (word.contains(&b'_') || begins())
        && word.iter().any(u8::is_ascii_digit)
        && word.iter().any(u8::is_ascii_alphabetic)
}

/// The hash of a word from `start` to `end`.
#[inline]
fn hash_of(line: &[u8], start: usize, end: usize) -> u64 {
    let (mut hash, mut at) = (hashing::START, start);
    while at + 8 <= end {
        hash = mixed(hash, eight(line, at));
        at += 8;
    }
    let rest = match end - at {
        0 => 0,
        length => eight(line, at) & (u64::MAX >> (64 - 8 * length)),
    };
    mixed(mixed(hash, rest), (end - start) as u64)
}

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

/// The same of a line that is one word of letters alone.
#[inline(never)]
pub fn pattern_of_word(line: &str, mut each: impl FnMut(u64)) -> u64 {
    let bytes = line.as_bytes();
    let is_number =
        bytes.len() >= HEXADECIMAL && bytes.iter().all(|byte| matches!(byte, b'a'..=b'f'));
    let value = match is_number {
        true => A_NUMBER,
        false => hash_of(bytes, 0, bytes.len()) >> SIGN_BITS << SIGN_BITS | WORD,
    };
    each(value);
    mixed(hashing::START, value)
}

/// A hash of a line in which all words with digits are equal.
pub fn pattern(line: &str) -> u64 {
    let mut pattern = hashing::START;
    each_value(trim(line), &mut |value| pattern = mixed(pattern, value));
    pattern
}

/// The pattern of a frame of a stack trace, whose place is at the end.
pub fn pattern_of_frame(line: &str) -> Option<u64> {
    frames::call(line).map(|call| forms::form(call.as_bytes()))
}

/// The same, but names differ: lines with different names are of different sorts.
pub fn pattern_with_names(line: &str) -> u64 {
    if let Some(pattern) = pattern_of_frame(trim(line)) {
        return pattern;
    }
    let mut pattern = hashing::START;
    each_value_with_names(trim(line), &mut |value| pattern = mixed(pattern, value));
    pattern
}

/// The runs of letters of ASCII in a line: where each begins, and where it ends.
pub struct Runs<'l> {
    line: &'l [u8],
    /// The letters of a part of the line that are not in a run before, a bit each.
    letters: u64,
    /// Where the part begins.
    from: usize,
}

impl Runs<'_> {
    /// Bytes of a part.
    const BYTES: usize = 64;

    pub fn of(line: &[u8]) -> Runs<'_> {
        let mut runs = Runs {
            line,
            letters: 0,
            from: 0,
        };
        runs.read();
        runs
    }

    #[inline(never)]
    fn read(&mut self) {
        self.letters = 0;
        let end = self.line.len().min(self.from + Runs::BYTES);
        let mut at = self.from;
        while at < end {
            let (bytes, before) = sixteen(self.line, at);
            let letters = bytes.lower().between(b'a', b'z') >> before;
            self.letters |= u64::from(letters) << (at - self.from);
            at += 16;
        }
    }
}

impl Iterator for Runs<'_> {
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<(usize, usize)> {
        while self.letters == 0 {
            self.from += Runs::BYTES;
            if self.from >= self.line.len() {
                return None;
            }
            self.read();
        }
        let first = self.letters.trailing_zeros() as usize;
        let length = (self.letters >> first).trailing_ones() as usize;
        let (start, mut end) = (self.from + first, self.from + first + length);
        // The bit after the run is 0, and the sum carries into it.
        self.letters &= self.letters.wrapping_add(1 << first);
        if first + length == Runs::BYTES {
            let rest = self.line.get(end..).unwrap_or_default();
            end += rest
                .iter()
                .take_while(|byte| byte.is_ascii_alphabetic())
                .count();
            self.letters = 0;
            if end > self.from + Runs::BYTES {
                self.from = end;
                self.read();
            }
        }
        Some((start, end))
    }
}

/// Counts of hashes in bounded memory. A count may be too high if the table is full, and is never too low.
pub struct Tallies {
    /// The tag of a hash, and its count; 0 in an empty slot.
    slots: Vec<(u32, u32)>,
}

const MOST_SLOTS: usize = 1 << 17;

/// Bits of a hash that its slot does not depend on.
fn tag_of(hash: u64) -> u32 {
    (hash >> 22) as u32
}

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
        let (tag, first) = (tag_of(hash), hash as usize);
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
            *tag = tag_of(hash);
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
