//! Values that stand out among those of the same key, unit or place: `errors=7` where all other lines have `errors=0`,
//! `4,312.77 kB` among sizes below 90 kB, `fail` where all other lines have `pass`.
//!
//! Owns how values are found in a line, and when one stands out. Refuses to know the meaning of keys.

use crate::extremes::Extremes;
use crate::hashing::{Map, START, mixed, short};
use crate::trim::is_blank;
use tamis_formats::words;

/// Most keys and units whose numbers are compared.
const KEYS: usize = 64;
/// Fewest values of which few may differ from all others.
const LEAST: usize = 40;
/// One in so many values may differ, and at most [`FEW`].
const ODD_ONE_OF: usize = 40;
const FEW: usize = 4;
/// Bytes of the longest key.
const LONGEST_KEY: usize = 32;
/// Of so many digits, each number has an `f64` of its own.
const DIGITS: usize = 15;
/// So many words of a line are compared, from its beginning and from its end.
const FIRST: usize = 10;
const LAST: usize = 3;
/// Lines of at most so many words are compared with lines of as many.
const SHORT: usize = 5;
/// Most words of a line.
const WORDS: usize = 64;
/// Lines that tell whether most have digits.
const SAMPLE: usize = 64;

/// The lines, by their numbers from 1 and in order, with a value that stands out.
pub fn lines<'t>(lines: impl Iterator<Item = (usize, &'t str)> + Clone) -> Vec<usize> {
    let mut keys: Map<u64, Numbers<'t>> = Map::default();
    let mut places = Places::default();
    let first = lines.clone().map(|(_, line)| line);
    let first = first.filter(|line| !is_blank(line)).take(SAMPLE);
    // In a text of numbers, a line without digits is a header, a rule, or a sentence.
    let has_digits = first.clone().filter(|line| has_digit(line)).count() * 2 > first.count();
    let mut words = Words {
        has_tabs: lines.clone().any(|(_, line)| line.contains('\t')),
        ..Words::default()
    };
    for (place, line) in lines {
        let mut units = [0u64; KINDS];
        words.read(line);
        if !has_digits || words.has_digit {
            places.note(place, &words.words);
        }
        words.keyed(line, |found| {
            let key = match found.key {
                Some(key) => hash(key.as_bytes()),
                // The first size of a line, the second, …
                None => {
                    let number = &mut units[found.kind];
                    *number += 1;
                    mixed(found.kind as u64, *number)
                }
            };
            if keys.len() < KEYS || keys.contains_key(&key) {
                let numbers = keys.entry(key).or_default();
                numbers.has_key = found.key.is_some();
                numbers.note(place, found.value, found.text);
            }
        });
    }
    let of_keys = keys.into_values().flat_map(Numbers::odd);
    let mut odd: Vec<usize> = of_keys.chain(places.odd()).collect();
    odd.sort_unstable();
    odd.dedup();
    odd
}

fn has_digit(line: &str) -> bool {
    line.bytes().any(|byte| byte.is_ascii_digit())
}

/// A word of a line: the bytes between blanks, or between tabs in a line with several.
struct Word<'t> {
    text: &'t str,
    hash: u64,
    /// The word is a number, perhaps with a unit: in the smallest unit, and the kind of the unit, or 0.
    number: Option<(f64, usize)>,
    /// The place in the word of the first `=`, from 1.
    equals: usize,
}

/// The words of a line.
#[derive(Default)]
struct Words<'t> {
    words: Vec<Word<'t>>,
    /// A word begins or ends with a digit.
    has_digit: bool,
    /// The text has tabs.
    has_tabs: bool,
}

impl<'t> Words<'t> {
    fn read(&mut self, line: &'t str) {
        let bytes = line.as_bytes();
        self.words.clear();
        self.has_digit = false;
        let first_tab = self
            .has_tabs
            .then(|| memchr::memchr(b'\t', bytes))
            .flatten();
        let has_columns =
            first_tab.is_some_and(|at| memchr::memchr(b'\t', &bytes[at + 1..]).is_some());
        let has_equals = memchr::memchr(b'=', bytes).is_some();
        let mut at = 0;
        while at < bytes.len() && self.words.len() < WORDS {
            let rest = &bytes[at..];
            let length = match has_columns {
                true => memchr::memchr(b'\t', rest),
                false => words::position(rest, |part| {
                    words::has(part, b' ') | words::has(part, b'\t')
                }),
            };
            let length = length.unwrap_or(rest.len());
            if length == 0 {
                at += 1;
                continue;
            }
            let word = &rest[..length];
            self.has_digit |= word[0].is_ascii_digit() || word[length - 1].is_ascii_digit();
            let equals = match has_equals {
                true => word
                    .iter()
                    .position(|byte| *byte == b'=')
                    .map_or(0, |at| at + 1),
                false => 0,
            };
            self.words.push(Word {
                text: &line[at..at + length],
                hash: hash(word),
                number: amount(word),
                equals,
            });
            at += length + 1;
        }
        self.with_units();
    }

    /// Gives a number the unit that is the next word: `14.81 kB`.
    fn with_units(&mut self) {
        for at in 1..self.words.len() {
            let name = self.words[at].text.as_bytes();
            if let Some((value, 0)) = self.words[at - 1].number
                && name.len() <= 6
                && name[0].is_ascii_alphabetic()
                && let Some((kind, scale)) = unit(without_end(name))
            {
                self.words[at - 1].number = Some((value * scale, kind));
            }
        }
    }

    /// Calls `each` with the numbers that have a key or a unit.
    fn keyed(&self, line: &'t str, mut each: impl FnMut(Found<'t>)) {
        let mut before: Option<&'t str> = None;
        for word in &self.words {
            let key = before.take();
            if let Some((value, kind)) = word.number {
                if key.is_some() || kind > 0 {
                    let text = word.text;
                    each(Found {
                        key,
                        text,
                        value,
                        kind,
                    });
                }
            } else if word.equals > 1 {
                let (name, value) = (&word.text[..word.equals - 1], &word.text[word.equals..]);
                let name = key_of(name);
                if let (Some(key), Some((number, kind))) = (name, amount(value.as_bytes())) {
                    each(Found {
                        key: Some(key),
                        text: value,
                        value: number,
                        kind,
                    });
                }
            } else if let Some(name) = word.text.strip_suffix(':') {
                before = key_of(name);
            }
        }
        let has_quote = || memchr::memchr(b'"', line.as_bytes()).is_some();
        if has_quote() && line.contains("\":") {
            quoted(line, each);
        }
    }
}

/// Calls `each` with the numbers of members in a line with JSON: `{"errors":7}`.
fn quoted<'t>(line: &'t str, mut each: impl FnMut(Found<'t>)) {
    let mut parts = line.split("\":");
    let mut before = parts.next().unwrap_or_default();
    for part in parts {
        let start = before.rfind('"').map_or(0, |at| at + 1);
        let end = part.find([',', '}', ']', ' ']).unwrap_or(part.len());
        let value = &part[..end];
        if let (Some(key), Some((number, kind))) =
            (key_of(&before[start..]), amount(value.as_bytes()))
        {
            let key = Some(key);
            each(Found {
                key,
                text: value,
                value: number,
                kind,
            });
        }
        before = part;
    }
}

/// The name of a key: `errors` of `"errors"` and of `[errors`.
fn key_of(name: &str) -> Option<&str> {
    let name = name.trim_matches(['"', '\'', '{', '[', '(', ',']);
    let is_part = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.') || byte >= 0x80
    };
    let is_key = name.len() <= LONGEST_KEY
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.bytes().all(is_part);
    is_key.then_some(name)
}

/// A number in a line.
struct Found<'t> {
    /// The word before it and a sign: `errors` of `errors=7`, `errors: 7` and `"errors":7`.
    key: Option<&'t str>,
    /// As it is spelled.
    text: &'t str,
    /// In the smallest unit.
    value: f64,
    /// The kind of its unit, or 0.
    kind: usize,
}

/// The kinds of units: none, shares, times, sizes, temperatures.
const KINDS: usize = 5;

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
        b"KiB" => (3, 1_024.0),
        b"MB" => (3, 1e6),
        b"MiB" => (3, 1_048_576.0),
        b"GB" => (3, 1e9),
        b"GiB" => (3, 1_073_741_824.0),
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
fn amount(word: &[u8]) -> Option<(f64, usize)> {
    let mut at = 0;
    while matches!(word.get(at), Some(b'(' | b'[' | b'{' | b'"' | b'\'' | b'~')) {
        at += 1;
    }
    let is_negative = word.get(at) == Some(&b'-');
    at += usize::from(matches!(word.get(at), Some(b'-' | b'+')));
    if !word.get(at).is_some_and(u8::is_ascii_digit) {
        return None;
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
    let value = if is_negative { -value } else { value };
    match without_end(&word[at..]) {
        b"" => Some((value, 0)),
        name => unit(name).map(|(kind, scale)| (value * scale, kind)),
    }
}

fn hash(text: &[u8]) -> u64 {
    let (chunks, rest) = text.as_chunks::<8>();
    let chunks = chunks.iter().map(|chunk| u64::from_le_bytes(*chunk));
    mixed(chunks.fold(START, mixed), short(rest))
}

/// Words at the same place in lines, counted from the first and from the last.
#[derive(Default)]
struct Places<'t> {
    lines: usize,
    /// Of lines of few words, by their number.
    short: [[Place<'t>; SHORT]; SHORT + 1],
    first: [Place<'t>; FIRST],
    last: [Place<'t>; LAST],
}

/// The values at one place: numbers, and other words.
#[derive(Default)]
struct Place<'t> {
    numbers: Numbers<'t>,
    words: Usual,
}

impl<'t> Places<'t> {
    fn note(&mut self, number: usize, words: &[Word<'t>]) {
        self.lines += 1;
        let first = match self.short.get_mut(words.len()) {
            Some(of_count) => &mut of_count[..],
            None => &mut self.first,
        };
        for (place, word) in first.iter_mut().zip(words) {
            place.note(number, word);
        }
        // A longer line has words in between.
        let rest = words.get(FIRST..).unwrap_or_default();
        for (place, word) in self.last.iter_mut().zip(rest.iter().rev()) {
            place.note(number, word);
        }
    }

    fn odd(self) -> Vec<usize> {
        let places = self.first.into_iter().chain(self.last);
        let places = places.chain(self.short.into_iter().flatten());
        places.flat_map(|place| place.odd(self.lines)).collect()
    }
}

impl<'t> Place<'t> {
    #[inline]
    fn note(&mut self, line: usize, word: &Word<'t>) {
        match word.number {
            Some((value, _)) => self.numbers.note(line, value, word.text),
            None => self.words.note(line, word.hash),
        }
    }

    fn odd(mut self, lines: usize) -> Vec<usize> {
        let mut odd = self.words.odd();
        // Most lines have a number here.
        if self.numbers.usual.count * 2 >= lines {
            self.numbers.has_key = true;
            odd.extend(self.numbers.odd());
        }
        odd
    }
}

/// A value, and the lines that have another one.
#[derive(Clone, Copy, Default)]
struct Candidate {
    value: u64,
    odd: usize,
    /// The first of them.
    lines: [usize; FEW],
}

impl Candidate {
    fn note(&mut self, line: usize, value: u64) {
        if value == self.value {
            return;
        }
        if let Some(noted) = self.lines.get_mut(self.odd) {
            *noted = line;
        }
        self.odd += 1;
    }
}

/// Values of which nearly all may be equal to the first, or to the first other one.
#[derive(Default)]
struct Usual {
    count: usize,
    first: Candidate,
    other: Option<Candidate>,
    /// The first lines.
    early: [usize; FEW],
}

impl Usual {
    #[inline]
    fn note(&mut self, line: usize, value: u64) {
        if self.count == 0 {
            self.first.value = value;
        }
        if let Some(other) = &mut self.other {
            other.note(line, value);
        } else if value != self.first.value && self.count <= FEW {
            self.other = Some(Candidate {
                value,
                odd: self.count,
                lines: self.early,
            });
        }
        self.first.note(line, value);
        if let Some(early) = self.early.get_mut(self.count) {
            *early = line;
        }
        self.count += 1;
    }

    /// The lines with a value that few have.
    fn odd(&self) -> Vec<usize> {
        let most = match self.count {
            LEAST.. => FEW.min(self.count / ODD_ONE_OF),
            _ => 0,
        };
        let candidates = [Some(self.first), self.other].into_iter().flatten();
        let mut few = candidates.filter(|it| it.odd > 0 && it.odd <= most);
        let lines = few.next().map(|it| it.lines[..it.odd].to_vec());
        lines.unwrap_or_default()
    }
}

/// The numbers of one key, unit or place.
#[derive(Default)]
struct Numbers<'t> {
    has_key: bool,
    usual: Usual,
    extremes: Extremes<'t>,
}

impl<'t> Numbers<'t> {
    #[inline]
    fn note(&mut self, line: usize, value: f64, text: &'t str) {
        self.usual.note(line, value.to_bits());
        let row = u32::try_from(line).unwrap_or(u32::MAX);
        self.extremes.note(value, text, row);
    }

    /// The lines with a number that few have, or that is far from all others.
    fn odd(self) -> Vec<usize> {
        let odd = self.usual.odd();
        if self.has_key && !odd.is_empty() {
            return odd;
        }
        let alone = self.extremes.range().map(|(_, alone)| alone);
        let alone = alone.unwrap_or_default().into_iter();
        alone.map(|extreme| extreme.row as usize).collect()
    }
}

#[cfg(test)]
#[path = "tests/odd_values.rs"]
mod tests;
