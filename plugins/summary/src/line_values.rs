//! The values of a line: numbers with their keys and units (`errors=7`, `took: 48.1 ms`), and other words with their keys
//! (`**Status**: regressed`, `STATUS:CONFIRMED`, `up{instance="10.0.0.5:9090"} 0`).
//!
//! Owns how they are found. Refuses to compare them.

use crate::dates;
use crate::signs::{Line, Signs};
use crate::words::{Classes, eight};
use tamis_formats::words::HIGH;
use tamis_formats::{Sixteen, words};

/// Bytes of the longest key.
const LONGEST_KEY: usize = 32;
/// Of so many digits, each number has an `f64` of its own.
const DIGITS: usize = 15;
/// Most words of a line.
const WORDS: usize = 64;

/// Whether a line has a sign.
pub fn has(line: &str, sign: u8) -> bool {
    memchr::memchr(sign, line.as_bytes()).is_some()
}

/// A word of a line: the bytes between blanks, or between tabs in a line with several.
pub struct Word<'t> {
    pub bytes: &'t [u8],
    /// What the user of the word computed from it; 0 at first.
    pub value: u64,
    /// The word has a digit, or nobody looked.
    pub may_have_digit: bool,
    /// Where it begins in its line.
    start: u32,
    /// The word is a number, perhaps with a unit: in the smallest unit, and the kind of the unit, or 0; or a date that does
    /// not begin the line.
    pub number: Option<(f64, usize)>,
    /// The place in the word of the first `=`, from 1.
    equals: usize,
    /// The word has a value that has a key or a unit, or it may be the key of the next word.
    has_key: bool,
}

impl Word<'_> {
    /// The word in its line: a part of a text that is checked, which takes time.
    #[inline]
    pub fn text<'t>(&self, line: &'t str) -> &'t str {
        let start = self.start as usize;
        line.get(start..start + self.bytes.len())
            .unwrap_or_default()
    }
}

/// The words of a line.
#[derive(Default)]
pub struct Words<'t> {
    pub words: Vec<Word<'t>>,
    /// A word is a number without a unit.
    pub has_number: bool,
    /// A word is a number with a unit.
    pub has_unit: bool,
    /// A word is a label, as `errors:`.
    has_label: bool,
    signs: Signs,
    /// The bytes of the line.
    length: usize,
    /// Which words have digits is known.
    are_digits_found: bool,
    /// Tabs are between the words.
    has_columns: bool,
    /// The line may have members of JSON.
    has_members: bool,
    /// The text has tabs, and its lines do.
    may_have_tabs: bool,
    has_tabs: bool,
    /// The bytes of the key that the line begins with, and where its value begins: `STATUS:CONFIRMED`.
    begins: Option<[usize; 2]>,
}

impl<'t> Words<'t> {
    /// For the lines of one text. `text` has these lines, and may have more.
    pub fn of_text(text: &str, mut lines: impl Iterator<Item = &'t str>) -> Words<'t> {
        let may_have_tabs = has(text, b'\t');
        Words {
            has_tabs: may_have_tabs && lines.any(|line| has(line, b'\t')),
            may_have_tabs,
            ..Words::default()
        }
    }

    /// For lines of the same text.
    pub fn without_words(&self) -> Words<'t> {
        Words {
            has_tabs: self.has_tabs,
            may_have_tabs: self.may_have_tabs,
            ..Words::default()
        }
    }

    /// Reads a line in the place of the one before.
    pub fn read(&mut self, line: impl Into<Line<'t>>) {
        let Line {
            text: line, signs, ..
        } = line.into();
        let bytes = line.as_bytes();
        self.words.clear();
        self.are_digits_found = false;
        (self.has_number, self.has_unit, self.has_label) = (false, false, false);
        let may_have_tabs = self.has_tabs && signs.have(Signs::OTHER);
        let first_tab = may_have_tabs
            .then(|| memchr::memchr(b'\t', bytes))
            .flatten();
        self.has_columns =
            first_tab.is_some_and(|at| memchr::memchr(b'\t', &bytes[at + 1..]).is_some());
        (self.signs, self.length) = (signs, bytes.len());
        self.has_members = signs.have(Signs::QUOTE) && signs.have(Signs::COLON);
        self.begins = None;
        let blank = if self.has_columns { b'\t' } else { b' ' };
        let tabs = if self.may_have_tabs { b'\t' } else { blank };
        let mut at = 0;
        while at < bytes.len() && self.words.len() < WORDS {
            let part = eight(bytes, at);
            let length = words::first(words::has(part, tabs) | words::has(part, blank));
            if length == 0 {
                at += 1;
                continue;
            }
            let end = match length {
                8 => words::place_from(bytes, at + 8, |next| next.are_one_of([b'\t', blank])),
                _ => bytes.len().min(at + length),
            };
            let word = self.word(&bytes[at..end], at, part, signs);
            self.words.push(word);
            at = end + 1;
        }
        if self.has_number {
            self.with_units();
        }
    }

    /// Reads a line that differs from the one before in its digits alone. False, if its length tells that it does not.
    pub fn read_digits(&mut self, line: &'t str) -> bool {
        if line.len() != self.length {
            return false;
        }
        if !self.are_digits_found {
            for word in &mut self.words {
                word.may_have_digit = word.bytes.iter().any(u8::is_ascii_digit);
            }
            self.are_digits_found = true;
        }
        (self.has_number, self.has_unit) = (false, false);
        let signs = self.signs;
        for place in 0..self.words.len() {
            let Word {
                bytes,
                start,
                may_have_digit,
                ..
            } = self.words[place];
            if may_have_digit {
                let at = start as usize;
                let bytes = &line.as_bytes()[at..at + bytes.len()];
                self.words[place] = self.word(bytes, at, eight(line.as_bytes(), at), signs);
            }
        }
        if self.has_number {
            self.with_units();
        }
        true
    }

    /// The word at a place of the line. `part`: the eight bytes from there.
    #[inline(always)]
    fn word(&mut self, word: &'t [u8], at: usize, part: u64, signs: Signs) -> Word<'t> {
        let has_digit = signs.have(Signs::DIGIT);
        let equals = match signs.have(Signs::EQUALS) {
            true => equals_in(word, part),
            false => 0,
        };
        // Most numbers have few digits, and nothing else.
        let is_plain = has_digit
            && word.len() < 8
            && words::has_no_digit(part) & words::first_bytes(word.len()) == 0;
        let number = match has_digit && may_be_number(part) {
            true if is_plain => {
                let value = words::decimal(part << (8 * (8 - word.len())));
                Some((f64::from(value), 0))
            }
            true => match amount(word) {
                None if (part >> 32) as u8 == b'-' && at > 0 => date(word),
                number => number,
            },
            false => None,
        };
        let has_key = if let Some((_, kind)) = number {
            self.has_number |= kind == 0;
            self.has_unit |= matches!(kind, 1..KINDS);
            matches!(kind, 1..KINDS)
        } else {
            if at == 0 && (part as u8).is_ascii_uppercase() {
                self.begins = capitals(word);
            }
            let has_label = at == 0 && self.begins.is_some()
                || signs.have(Signs::COLON)
                    && (may_be_label(word) && labelled(word).is_some()
                        || self.has_columns && memchr::memchr(b':', word).is_some());
            self.has_label |= has_label;
            has_label || equals > 1 || equals == 1 && word.len() == 1
        };
        Word {
            bytes: word,
            value: 0,
            may_have_digit: true,
            start: at as u32,
            number,
            equals,
            has_key,
        }
    }

    /// Gives a number the unit that is the next word: `14.81 kB`.
    fn with_units(&mut self) {
        for at in 1..self.words.len() {
            let Some((value, 0)) = self.words[at - 1].number else {
                continue;
            };
            let name = self.words[at].bytes;
            if name.len() <= 6
                && name[0].is_ascii_alphabetic()
                && let Some((kind, scale)) = unit(without_end(name))
            {
                let word = &mut self.words[at - 1];
                (word.number, word.has_key) = (Some((value * scale, kind)), true);
                self.has_unit = true;
            }
        }
    }

    /// Calls `each` with the values that have a key, and the numbers that have a unit.
    pub fn keyed(&self, line: &'t str, mut each: impl FnMut(Found<'t>)) {
        let mut before: Option<&'t str> = None;
        let words = match self.has_unit || self.has_label || self.signs.have(Signs::EQUALS) {
            true => &self.words[..],
            false => &[],
        };
        for (at, word) in words.iter().enumerate() {
            let key = before.take();
            if key.is_none() && !word.has_key {
                continue;
            }
            let text = word.text(line);
            if let Some((value, kind)) = word.number {
                if key.is_some() || matches!(kind, 1..KINDS) {
                    each(Found {
                        key,
                        text,
                        value: Some(value),
                        kind,
                    });
                }
            } else if let Some([end, start]) = self.begins.filter(|_| at == 0) {
                each(Found::of(line, &text[..end], &text[start..]));
            } else if word.equals > 1 {
                let (name, value) = (&text[..word.equals - 1], &text[word.equals..]);
                if at == 0
                    && let Some(brace) = name.find('{')
                    && let Some(value) = self.value_of_series(line)
                {
                    return each(Found::of(line, &name[..=brace], value));
                }
                if let Some(key) = key_of(name).filter(|_| !value.is_empty()) {
                    each(Found::of(line, key, value));
                }
            } else if let Some(length) = labelled(word.bytes) {
                before = key_of(&text[..length]);
            } else if self.has_tabs
                && let Some(colon) = memchr::memchr(b':', word.bytes)
                && word.bytes[colon..].starts_with(b": ")
            {
                // Words between tabs have blanks.
                if let Some(key) = key_of(&text[..colon]) {
                    each(Found::of(line, key, &text[colon + 2..]));
                }
            } else if word.equals == 1 && word.bytes.len() == 1 && at == 1 {
                // `timeout = 30`
                before = key_of(self.words[0].text(line));
            } else if let Some(key) = key {
                // It is no number.
                each(Found::with(line, key, text, |_| None));
            }
        }
        if self.has_members {
            quoted(line, each);
        }
    }

    /// The word after the labels of a series: `0` of `up{instance="10.0.0.5:9090"} 0`.
    #[inline(never)]
    fn value_of_series(&self, line: &'t str) -> Option<&'t str> {
        let end = self
            .words
            .iter()
            .position(|word| word.bytes.ends_with(b"}"))?;
        Some(self.words.get(end + 1)?.text(line))
    }
}

/// The place in a word of the first `=`, from 1, or 0. `part`: eight bytes from its start.
#[inline]
fn equals_in(word: &[u8], part: u64) -> usize {
    let place = match words::has(part, b'=') {
        0 if word.len() <= 8 => return 0,
        0 => words::place_from(word, 8, |next| next.are(b'=')),
        marks => words::first(marks),
    };
    if place < word.len() { place + 1 } else { 0 }
}

/// Whether a word may be an [`amount`] or a date, by its first two bytes.
#[inline]
pub fn may_be_number(part: u64) -> bool {
    let [first, second, ..] = part.to_le_bytes();
    match first {
        b'0'..=b'9' => true,
        b'(' | b'[' | b'{' | b'"' | b'\'' | b'~' | b'-' | b'+' => !second.is_ascii_alphabetic(),
        _ => false,
    }
}

/// The bytes of a key in capital letters that a word begins with, and where its value begins: `STATUS;X=1:CONFIRMED`.
#[inline(never)]
fn capitals(word: &[u8]) -> Option<[usize; 2]> {
    let is_key = |byte: &u8| byte.is_ascii_uppercase() || *byte == b'-';
    let end = word.iter().position(|byte| !is_key(byte))?;
    let colon = match word[end] {
        b':' => end,
        b';' => memchr::memchr(b':', word)?,
        _ => return None,
    };
    (end <= LONGEST_KEY && colon + 1 < word.len()).then_some([end, colon + 1])
}

/// Whether a word may be a label by its last byte.
#[inline]
fn may_be_label(word: &[u8]) -> bool {
    matches!(word[word.len() - 1], b':' | b'*')
}

/// The bytes of a word's label: `errors` of `errors:`, `**errors**:` and `**errors:**`.
fn labelled(word: &[u8]) -> Option<usize> {
    match word {
        [rest @ .., b':'] | [rest @ .., b':', b'*', b'*'] => Some(rest.len()),
        _ => None,
    }
}

/// Calls `each` with the numbers and the short strings of members in a line with JSON: `{"errors":7}`.
fn quoted<'t>(line: &'t str, mut each: impl FnMut(Found<'t>)) {
    let bytes = line.as_bytes();
    let ends = |part| {
        words::has(part, b',')
            | words::has(part, b'}')
            | words::has(part, b']')
            | words::has(part, b' ')
    };
    let mut note = |key: &'t str, value: &'t str| {
        // With a blank before it, the words of the line have it.
        let end = words::position(value.as_bytes(), ends).unwrap_or(value.len());
        if let Some(key) = key_of(key).filter(|_| end > 0) {
            each(Found::of(line, key, &value[..end]));
        }
    };
    let mut start = 0;
    // The key of the value that begins there.
    let mut open: Option<(&'t str, usize)> = None;
    for quote in memchr::memchr_iter(b'"', bytes) {
        if bytes.get(quote + 1) == Some(&b':') {
            if let Some((key, from)) = open {
                note(key, &line[from..quote]);
            }
            open = Some((&line[start.min(quote)..quote], quote + 2));
        }
        start = quote + 1;
    }
    if let Some((key, from)) = open {
        note(key, &line[from..]);
    }
}

/// The name of a key: `errors` of `"errors"` and of `[errors`.
fn key_of(name: &str) -> Option<&str> {
    let is_sign = |byte: Option<&u8>| !byte.is_some_and(u8::is_ascii_alphanumeric);
    let name = match name.as_bytes() {
        bytes if is_sign(bytes.first()) || is_sign(bytes.last()) => {
            name.trim_matches(['"', '\'', '{', '[', '(', ',', '*', '`'])
        }
        _ => name,
    };
    let is = |part: u64, sign: u8| !words::has_any(part ^ (words::LOW * u64::from(sign)));
    let signs = |part| is(part, b'-') | is(part, b'.');
    let others = |bytes: Sixteen| {
        let letters = bytes.lower().between(b'a', b'z') | bytes.are_high();
        let parts = letters | bytes.between(b'0', b'9') | bytes.are_one_of([b'_', b'-', b'.']);
        !parts & 0xffff
    };
    let is_key = name.len() <= LONGEST_KEY
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && match words::short(name.as_bytes()) {
            Some(part) => {
                let others = !(Classes::of(part).words | signs(part)) & HIGH;
                others & words::first_bytes(name.len()) == 0
            }
            None => words::place_from(name.as_bytes(), 0, others) >= name.len(),
        };
    is_key.then_some(name)
}

/// A value in a line.
pub struct Found<'t> {
    /// The word before it and a sign: `errors` of `errors=7`, `errors = 7`, `errors: 7` and `"errors":7`.
    pub key: Option<&'t str>,
    /// As it is spelled.
    pub text: &'t str,
    /// A number, in the smallest unit, or the days of a date; none for another word.
    pub value: Option<f64>,
    /// The kind of its unit, or 0.
    pub kind: usize,
}

impl<'t> Found<'t> {
    /// The value of a key, which is a part of the line.
    fn of(line: &'t str, key: &'t str, text: &'t str) -> Found<'t> {
        Found::with(line, key, text, amount)
    }

    /// The same. `amount`: tells the number of another word than a date.
    fn with(
        line: &'t str,
        key: &'t str,
        text: &'t str,
        amount: impl Fn(&[u8]) -> Option<(f64, usize)>,
    ) -> Found<'t> {
        let bytes = text.as_bytes();
        let number = match bytes {
            [b'0'..=b'9', _, _, _, b'-', ..] => date(bytes),
            [b'"', _, _, _, _, b'-', ..] if bytes.len() <= 16 => date(bytes),
            // The name of a month, or of a day.
            [b'A'..=b'Z', b'a'..=b'z', b'a'..=b'z'] | [b'A'..=b'Z', _, _, b','] => {
                let at = text.as_ptr() as usize - line.as_ptr() as usize;
                line.get(at..)
                    .and_then(dates::named_days)
                    .map(|days| (days, DATES))
            }
            _ => amount(bytes),
        };
        Found {
            key: Some(key),
            text,
            value: number.map(|(value, _)| value),
            kind: number.map_or(0, |(_, kind)| kind),
        }
    }
}

/// The kinds of units: none, shares, times, sizes, temperatures.
pub const KINDS: usize = 5;
/// The kind of dates, whose numbers are days.
pub const DATES: usize = KINDS;

/// The days of a word that is a date, perhaps with a time: `2026-11-20`.
#[inline(never)]
fn date(word: &[u8]) -> Option<(f64, usize)> {
    let word = without_end(word);
    let days = dates::days(word.strip_prefix(b"\"").unwrap_or(word));
    days.map(|days| (days, DATES))
}

/// The kind of a unit, and what one of it is in the smallest.
fn unit(name: &[u8]) -> Option<(usize, f64)> {
    Some(match name {
        b"%" => (1, 1.0),
        b"ns" => (2, 1e-9),
        b"us" | b"\xc2\xb5s" => (2, 1e-6),
        b"ms" => (2, 1e-3),
        b"s" | b"sec" | b"secs" | b"seconds" => (2, 1.0),
        b"m" | b"min" => (2, 60.0),
        b"h" => (2, 3_600.0),
        b"B" | b"bytes" => (3, 1.0),
        b"kB" | b"KB" => (3, 1e3),
        // `du -h` and `ls -h` write one letter.
        b"KiB" | b"K" => (3, 1_024.0),
        b"MB" => (3, 1e6),
        b"MiB" | b"M" => (3, 1_048_576.0),
        b"GB" => (3, 1e9),
        b"GiB" | b"G" => (3, 1_073_741_824.0),
        b"TB" => (3, 1e12),
        b"TiB" | b"T" => (3, 1_099_511_627_776.0),
        b"\xc2\xb0C" => (4, 1.0),
        _ => return None,
    })
}

/// A word without the signs at its end.
fn without_end(mut word: &[u8]) -> &[u8] {
    while let [
        rest @ ..,
        b')' | b']' | b'}' | b',' | b';' | b':' | b'"' | b'\'' | b'|' | b'.',
    ] = word
    {
        word = rest;
    }
    word
}

/// The number of a word, in the smallest unit, and the kind of its unit, or 0: `48112ms`, `(5`, `4,312.77`, `-3%`.
pub fn amount(word: &[u8]) -> Option<(f64, usize)> {
    let mut at = 0;
    while matches!(word.get(at), Some(b'(' | b'[' | b'{' | b'"' | b'\'' | b'~')) {
        at += 1;
    }
    let is_negative = word.get(at) == Some(&b'-');
    at += usize::from(matches!(word.get(at), Some(b'-' | b'+')));
    if !word.get(at).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let part = eight(word, at);
    let whole = words::first(words::has_no_digit(part));
    if whole < 8 && !matches!(word.get(at + whole), Some(b'.' | b',')) {
        let value = f64::from(words::decimal(part << (8 * (8 - whole))));
        return with_unit(
            if is_negative { -value } else { value },
            &word[at + whole..],
        );
    }
    let (mut value, mut digits, mut tens, mut is_decimal) = (0u64, 0, 1.0, false);
    while let Some(byte) = word.get(at) {
        let follows = |count: usize| {
            let next = word.get(at + 1..at + 1 + count);
            next.is_some_and(|next| next.iter().all(u8::is_ascii_digit))
        };
        match byte {
            b'0'..=b'9' => {
                value = value.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                digits += 1;
                tens *= if is_decimal { 10.0 } else { 1.0 };
            }
            b'.' if !is_decimal && follows(1) => is_decimal = true,
            // A group of thousands.
            b',' if !is_decimal && follows(3) => {}
            _ => break,
        }
        at += 1;
    }
    if digits > DIGITS {
        return None;
    }
    let value = value as f64 / tens;
    with_unit(if is_negative { -value } else { value }, &word[at..])
}

/// A number with what follows it in its word.
fn with_unit(value: f64, rest: &[u8]) -> Option<(f64, usize)> {
    /// The longest unit, with signs behind it.
    const LONGEST: usize = 16;
    match rest {
        // `812(1.29%)` is a number, and its share.
        b"" | [b'(', ..] => return Some((value, 0)),
        // `2026-11-20T08:00:00Z`
        _ if rest.len() > LONGEST => return None,
        // `08:00:00`, `10.0.0.1`, `2026-11-20`: more digits, which are in no unit.
        [b':' | b'.' | b'-' | b'/', b'0'..=b'9', ..] => return None,
        _ => {}
    }
    match without_end(rest) {
        b"" => Some((value, 0)),
        name => unit(name).map(|(kind, scale)| (value * scale, kind)),
    }
}

#[cfg(test)]
#[path = "tests/line_values.rs"]
mod tests;
