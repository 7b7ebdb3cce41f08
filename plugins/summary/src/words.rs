//! The words of a line, their hashes, and counts of hashes in bounded memory.
//!
//! Owns what a word, a number and a pattern are. Refuses to know what is counted.

/// A part of a line.
pub enum Word {
    /// The hash of a word without digits.
    Letters(u64),
    /// A word with digits, or one that may be a hexadecimal number.
    Number,
    /// The hash of a word with digits that names something: `test_case_3`, `TestRefund2`.
    Name(u64),
    /// A character between words; blanks that follow one another are one.
    Sign(u8),
}

/// Letters from `a` to `f` alone are a number from so many on.
const HEXADECIMAL: usize = 6;

/// Calls `each` with the parts of a line.
pub fn words(line: &str, mut each: impl FnMut(Word)) {
    let bytes = line.as_bytes();
    let mut at = 0;
    let mut was_blank = false;
    while at < bytes.len() {
        let byte = bytes[at];
        if !is_word(byte) {
            let is_blank = byte == b' ' || byte == b'\t';
            if !(is_blank && was_blank) {
                each(Word::Sign(if is_blank { b' ' } else { byte }));
            }
            was_blank = is_blank;
            at += 1;
            continue;
        }
        was_blank = false;
        let start = at;
        // FNV-1a.
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        let (mut has_digit, mut is_hexadecimal) = (false, true);
        while let Some(&byte) = bytes.get(at).filter(|byte| is_word(**byte)) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            has_digit |= byte.is_ascii_digit();
            is_hexadecimal &= matches!(byte, b'a'..=b'f');
            at += 1;
        }
        if has_digit && is_name(&bytes[start..at]) {
            each(Word::Name(hash));
        } else if has_digit || is_hexadecimal && at - start >= HEXADECIMAL {
            each(Word::Number);
        } else {
            each(Word::Letters(hash));
        }
    }
}

fn is_name(word: &[u8]) -> bool {
    let is_test = word
        .get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"test"));
    let has_letter = word.iter().any(u8::is_ascii_alphabetic);
    has_letter && (is_test || word.contains(&b'_'))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// A hash of a line with every word that has a digit as one.
pub fn pattern(line: &str) -> u64 {
    hashed(line, |_| 2)
}

/// The same with names as they are: lines that name other things are of other sorts.
pub fn pattern_with_names(line: &str) -> u64 {
    hashed(line, |name| name)
}

fn hashed(line: &str, name: impl Fn(u64) -> u64) -> u64 {
    let mut pattern: u64 = 0xcbf2_9ce4_8422_2325;
    words(line.trim(), |word| {
        let value = match word {
            Word::Letters(hash) => hash,
            Word::Number => 2,
            Word::Name(hash) => name(hash),
            Word::Sign(sign) => u64::from(sign) + 3,
        };
        pattern = (pattern ^ value).wrapping_mul(0x0100_0000_01b3);
    });
    pattern
}

/// Counts of hashes that may be too high where hashes collide, and are never too low.
pub struct Sketch {
    counts: Vec<u32>,
    mask: u64,
}

/// Counts that each hash has.
const COUNTS: u32 = 4;
const LEAST_COUNTS: usize = 1 << 10;
const MOST_COUNTS: usize = 1 << 18;

impl Sketch {
    /// Counts for the words of a text of so many bytes.
    pub fn for_bytes(bytes: usize) -> Sketch {
        let size = (bytes / 2)
            .clamp(LEAST_COUNTS, MOST_COUNTS)
            .next_power_of_two();
        Sketch {
            counts: vec![0; size],
            mask: size as u64 - 1,
        }
    }

    fn places(&self, hash: u64) -> impl Iterator<Item = usize> + use<> {
        let mixed = (hash ^ (hash >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (mut at, step, mask) = (mixed >> 32, mixed | 1, self.mask);
        (0..COUNTS).map(move |_| {
            at = at.wrapping_add(step);
            (at & mask) as usize
        })
    }

    pub fn add(&mut self, hash: u64) {
        // What is already higher was raised by others.
        let least = self.count(hash);
        for place in self.places(hash) {
            if self.counts[place] == least {
                self.counts[place] = least.saturating_add(1);
            }
        }
    }

    pub fn count(&self, hash: u64) -> u32 {
        let counts = self.places(hash).map(|place| self.counts[place]);
        counts.min().unwrap_or(0)
    }
}
