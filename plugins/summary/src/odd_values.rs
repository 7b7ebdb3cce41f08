//! Values that stand out among those of the same key, unit or place: `errors=7` where all other lines have `errors=0`,
//! `4,312.77 kB` among sizes below 90 kB, `fail` where all other lines have `pass`, `**Status**: regressed` among
//! sections with another status.
//!
//! Owns how values are found in a line, and when one stands out. Refuses to know the meaning of keys.

use crate::counted::stands_out;
use crate::extremes::Extremes;
use crate::hashing::{Map, START, hash, mixed};
use crate::networks::network;
use crate::trim::is_blank;
use crate::words::{Classes, are_all, eight};
use tamis_formats::words;

/// Most keys and units whose numbers are compared.
const KEYS: usize = 64;
/// Most places of numbers in lines with equal words.
const PATTERNS: usize = 64;
/// One in so many values may differ from all others, and at most [`FEW`].
const ODD_ONE_OF: usize = 40;
/// The same in sections with equal keys, which are fewer than lines.
const ODD_ONE_OF_SECTIONS: usize = 20;
/// The same in series of one metric.
const ODD_ONE_OF_SERIES: usize = 8;
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

/// The values that are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those of the same key, unit or place.
    All,
    /// Those of the same key: in prose, the places of words mean nothing.
    Keys,
}

/// The lines, by their numbers from 1 and in order, with a value that stands out. `pattern`: that of a line, by its
/// number: lines with equal words.
pub fn lines<'t>(
    lines: impl Iterator<Item = (usize, &'t str)> + Clone,
    scope: Scope,
    pattern: &dyn Fn(usize) -> Option<usize>,
) -> Vec<usize> {
    let one_of = match scope {
        Scope::All => ODD_ONE_OF,
        Scope::Keys => ODD_ONE_OF_SECTIONS,
    };
    let mut keys: Map<u64, Values<'t>> = Map::default();
    let mut places = Places::default();
    let mut patterns: Map<(usize, usize), Values<'t>> = Map::default();
    let first = lines.clone().map(|(_, line)| line);
    let first = first.filter(|line| !is_blank(line)).take(SAMPLE);
    let mut words = Words {
        has_tabs: lines.clone().any(|(_, line)| has(line, b'\t')),
        ..Words::default()
    };
    // In a text of numbers, a line without digits is a header, a rule, or a sentence.
    let has_digits = first.clone().filter(|line| has_digit(line)).count() * 2 > first.count();
    for (place, line) in lines {
        let mut units = [0u64; KINDS];
        words.read(line);
        if scope == Scope::All && (!has_digits || has_digit(line)) {
            places.note(place, &words.words);
        }
        if scope == Scope::All
            && words.has_number
            && let Some(pattern) = pattern(place)
        {
            for (at, word) in words.words.iter().enumerate() {
                let (Some((value, 0)), key) = (word.number, (pattern, at)) else {
                    continue;
                };
                let values = match patterns.len() < PATTERNS {
                    true => Some(patterns.entry(key).or_default()),
                    false => patterns.get_mut(&key),
                };
                if let Some(values) = values {
                    values.numbers.note(place, value, word.text);
                }
            }
        }
        words.keyed(line, |found| {
            if found.key.is_none() && scope == Scope::Keys {
                return;
            }
            let key = match found.key {
                Some(key) => hash(key.as_bytes()),
                // The first size of a line, the second, …
                None => {
                    let number = &mut units[found.kind];
                    *number += 1;
                    mixed(mixed(START, found.kind as u64), *number)
                }
            };
            let values = match keys.len() < KEYS {
                true => Some(keys.entry(key).or_default()),
                false => keys.get_mut(&key),
            };
            if let Some(values) = values {
                values.numbers.has_key = found.key.is_some();
                values.is_series = found.key.is_some_and(|key| key.ends_with('{'));
                match found.value {
                    Some(value) => values.numbers.note(place, value, found.text),
                    None => {
                        values.note_word(place, found.text);
                        if !values.different.is_over {
                            values.different.note(place, hash(found.text.as_bytes()));
                        }
                    }
                }
            }
        });
    }
    let of_keys = keys.into_values();
    let of_keys = of_keys.flat_map(|values| values.of_key(one_of));
    let of_patterns = patterns.into_values().flat_map(|mut values| {
        values.numbers.has_key = true;
        values.of_key(one_of)
    });
    let odd = of_keys.chain(places.odd(one_of)).chain(of_patterns);
    let mut odd: Vec<usize> = odd.collect();
    odd.sort_unstable();
    odd.dedup();
    odd
}

/// The first of many rows whose first numbers fall, as `perf report`, `du | sort -rh` and `uniq -c | sort -rn` print
/// them: the order says which row matters most. Lines before the rows and after them do not count.
pub fn first_ranked<'t>(lines: impl Iterator<Item = (usize, &'t str)>) -> Option<usize> {
    const FEWEST: usize = 16;
    /// Most lines before the rows.
    const HEADER: usize = 64;
    /// The first number is so many times the last.
    const FALL: f64 = 2.0;
    let mut begun: Option<(usize, f64)> = None;
    let (mut rows, mut last) = (0, f64::INFINITY);
    for (place, line) in lines {
        let word = line.split_ascii_whitespace().next();
        let Some((value, _)) = word.and_then(|word| amount(word.as_bytes())) else {
            match rows {
                FEWEST.. => break,
                _ if place > HEADER => return None,
                _ => (begun, rows, last) = (None, 0, f64::INFINITY),
            }
            continue;
        };
        if value > last {
            return None;
        }
        begun.get_or_insert((place, value));
        (rows, last) = (rows + 1, value);
    }
    let (first, most) = begun?;
    let falls = most > last && most >= FALL * last;
    (rows >= FEWEST && falls).then_some(first)
}

fn has(line: &str, sign: u8) -> bool {
    memchr::memchr(sign, line.as_bytes()).is_some()
}

fn has_digit(line: &str) -> bool {
    line.bytes().any(|byte| byte.is_ascii_digit())
}

/// A word of a line: the bytes between blanks, or between tabs in a line with several.
struct Word<'t> {
    text: &'t str,
    /// The word is a number, perhaps with a unit: in the smallest unit, and the kind of the unit, or 0.
    number: Option<(f64, usize)>,
    /// The place in the word of the first `=`, from 1.
    equals: usize,
}

/// The words of a line.
#[derive(Default)]
struct Words<'t> {
    words: Vec<Word<'t>>,
    /// A word is a number without a unit.
    has_number: bool,
    /// A word is a number with a unit.
    has_unit: bool,
    /// A word is a label, as `errors:`.
    has_label: bool,
    has_equals: bool,
    /// The text has tabs.
    has_tabs: bool,
    /// The bytes of the key that the line begins with, and where its value begins: `STATUS:CONFIRMED`.
    begins: Option<[usize; 2]>,
}

impl<'t> Words<'t> {
    fn read(&mut self, line: &'t str) {
        let bytes = line.as_bytes();
        self.words.clear();
        (self.has_number, self.has_unit, self.has_label) = (false, false, false);
        let first_tab = self
            .has_tabs
            .then(|| memchr::memchr(b'\t', bytes))
            .flatten();
        let has_columns =
            first_tab.is_some_and(|at| memchr::memchr(b'\t', &bytes[at + 1..]).is_some());
        self.has_equals = has(line, b'=');
        self.begins = None;
        let blanks = |part| {
            words::has(part, b'\t') | words::has(part, if has_columns { b'\t' } else { b' ' })
        };
        let mut at = 0;
        while at < bytes.len() && self.words.len() < WORDS {
            let part = eight(bytes, at);
            let mut length = words::first(blanks(part));
            if length == 0 {
                at += 1;
                continue;
            }
            let mut end = at + length;
            while length == 8 && end < bytes.len() {
                length = words::first(blanks(eight(bytes, end)));
                end += length;
            }
            let end = end.min(bytes.len());
            let word = &bytes[at..end];
            let equals = match self.has_equals {
                true => memchr::memchr(b'=', word).map_or(0, |at| at + 1),
                false => 0,
            };
            // Most words begin with a letter.
            let may_be_number = !(part as u8).is_ascii_alphabetic();
            let number = if may_be_number { amount(word) } else { None };
            if let Some((_, kind)) = number {
                self.has_number |= kind == 0;
                self.has_unit |= kind > 0;
            } else {
                if at == 0 && (part as u8).is_ascii_uppercase() {
                    self.begins = capitals(word);
                }
                self.has_label |= self.begins.is_some() || labelled(word).is_some();
            }
            self.words.push(Word {
                text: &line[at..end],
                number,
                equals,
            });
            at = end + 1;
        }
        if self.has_number {
            self.with_units();
        }
    }

    /// Gives a number the unit that is the next word: `14.81 kB`.
    fn with_units(&mut self) {
        for at in 1..self.words.len() {
            let Some((value, 0)) = self.words[at - 1].number else {
                continue;
            };
            let name = self.words[at].text.as_bytes();
            if name.len() <= 6
                && name[0].is_ascii_alphabetic()
                && let Some((kind, scale)) = unit(without_end(name))
            {
                self.words[at - 1].number = Some((value * scale, kind));
                self.has_unit = true;
            }
        }
    }

    /// Calls `each` with the values that have a key, and the numbers that have a unit.
    fn keyed(&self, line: &'t str, mut each: impl FnMut(Found<'t>)) {
        let mut before: Option<&'t str> = None;
        let may_have_values = self.has_unit || self.has_label || self.has_equals;
        let words = self.words.iter().enumerate();
        for (at, word) in words.filter(|_| may_have_values) {
            let key = before.take();
            if let Some((value, kind)) = word.number {
                if key.is_some() || kind > 0 {
                    each(Found {
                        key,
                        text: word.text,
                        value: Some(value),
                        kind,
                    });
                }
            } else if let Some([end, start]) = self.begins.filter(|_| at == 0) {
                each(Found::of(&word.text[..end], &word.text[start..]));
            } else if word.equals > 1 {
                let (name, value) = (&word.text[..word.equals - 1], &word.text[word.equals..]);
                if at == 0
                    && let Some(brace) = name.find('{')
                    && let Some(value) = self.value_of_series()
                {
                    return each(Found::of(&name[..=brace], value));
                }
                if let Some(key) = key_of(name).filter(|_| !value.is_empty()) {
                    each(Found::of(key, value));
                }
            } else if let Some(length) = labelled(word.text.as_bytes()) {
                before = key_of(&word.text[..length]);
            } else if word.equals == 1 && word.text.len() == 1 && at == 1 {
                // `timeout = 30`
                before = key_of(self.words[0].text);
            } else if key.is_some() {
                each(Found {
                    key,
                    text: word.text,
                    value: None,
                    kind: 0,
                });
            }
        }
        if has(line, b'"') {
            quoted(line, each);
        }
    }

    /// The word after the labels of a series: `0` of `up{instance="10.0.0.5:9090"} 0`.
    #[inline(never)]
    fn value_of_series(&self) -> Option<&'t str> {
        let end = self
            .words
            .iter()
            .position(|word| word.text.ends_with('}'))?;
        Some(self.words.get(end + 1)?.text)
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
            each(Found::of(key, &value[..end]));
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
    let is_part = |part| Classes::of(part).words | is(part, b'-') | is(part, b'.');
    let is_key = name.len() <= LONGEST_KEY
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && are_all(name.as_bytes(), is_part);
    is_key.then_some(name)
}

/// A value in a line.
struct Found<'t> {
    /// The word before it and a sign: `errors` of `errors=7`, `errors = 7`, `errors: 7` and `"errors":7`.
    key: Option<&'t str>,
    /// As it is spelled.
    text: &'t str,
    /// A number, in the smallest unit; none for another word.
    value: Option<f64>,
    /// The kind of its unit, or 0.
    kind: usize,
}

impl<'t> Found<'t> {
    fn of(key: &'t str, text: &'t str) -> Found<'t> {
        let number = amount(text.as_bytes());
        Found {
            key: Some(key),
            text,
            value: number.map(|(value, _)| value),
            kind: number.map_or(0, |(_, kind)| kind),
        }
    }
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
        _ => {}
    }
    match without_end(rest) {
        b"" => Some((value, 0)),
        name => unit(name).map(|(kind, scale)| (value * scale, kind)),
    }
}

/// Words at the same place in lines, counted from the first and from the last.
#[derive(Default)]
struct Places<'t> {
    lines: usize,
    /// Of lines of few words, by their number.
    short: [[Values<'t>; SHORT]; SHORT + 1],
    first: [Values<'t>; FIRST],
    last: [Values<'t>; LAST],
}

/// The values of one key, unit or place: numbers, and other words.
#[derive(Default)]
struct Values<'t> {
    numbers: Numbers<'t>,
    words: Usual,
    /// The words of a key.
    different: Different,
    /// The key is that of a metric.
    is_series: bool,
}

/// A few different words of a key: each with its number, and the first line that has it. More are not counted.
#[derive(Default)]
struct Different {
    values: [(u64, u32, usize); FEW],
    is_over: bool,
}

impl Different {
    fn note(&mut self, line: usize, value: u64) {
        let mut values = self.values.iter_mut();
        let known = values.find(|(known, count, _)| *known == value || *count == 0);
        match known {
            Some((known, count, first)) => {
                *first = if *count == 0 { line } else { *first };
                (*known, *count) = (value, *count + 1);
            }
            None => self.is_over = true,
        }
    }

    /// Adds the lines with a value that no other of many lines has, where each other value is frequent.
    #[inline(never)]
    fn add_odd(&self, one_of: usize, odd: &mut Vec<usize>) {
        let counts = self.values.iter().map(|(_, count, _)| *count);
        let are_many = counts.clone().sum::<u32>() as usize >= one_of;
        if !self.is_over && are_many && stands_out(counts.filter(|count| *count > 0), 1) {
            let once = self.values.iter().filter(|(_, count, _)| *count == 1);
            odd.extend(once.map(|(.., line)| *line));
        }
    }
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

    fn odd(self, one_of: usize) -> Vec<usize> {
        let places = self.first.into_iter().chain(self.last);
        let places = places.chain(self.short.into_iter().flatten());
        places
            .flat_map(|values| values.of_place(self.lines, one_of))
            .collect()
    }
}

impl<'t> Values<'t> {
    #[inline]
    fn note(&mut self, line: usize, word: &Word<'t>) {
        match word.number {
            Some((value, _)) => self.numbers.note(line, value, word.text),
            None => self.note_word(line, word.text),
        }
    }

    #[inline]
    fn note_word(&mut self, line: usize, text: &str) {
        if !self.words.is_over() {
            self.words.note(line, hash(text.as_bytes()));
        }
        if let Some(network) = network(text) {
            self.numbers.usual.note(line, network);
        }
    }

    fn of_place(mut self, lines: usize, one_of: usize) -> Vec<usize> {
        let mut odd = self.words.odd(one_of);
        // Most lines have a number here.
        if self.numbers.usual.count * 2 >= lines {
            self.numbers.has_key = true;
            odd.extend(self.numbers.odd(one_of));
        }
        odd
    }

    fn of_key(self, one_of: usize) -> Vec<usize> {
        let one_of = match self.is_series {
            true => ODD_ONE_OF_SERIES,
            false => one_of,
        };
        let mut odd = self.words.odd(one_of);
        self.different.add_odd(one_of, &mut odd);
        // Words among numbers.
        let most = FEW.min(self.numbers.usual.count / one_of);
        let words = self.words.early.iter().take(self.words.count);
        odd.extend(words.filter(|_| self.words.count <= most));
        odd.extend(self.numbers.odd(one_of));
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
pub struct Usual {
    count: usize,
    first: Candidate,
    other: Option<Candidate>,
    /// The first lines.
    early: [usize; FEW],
}

impl Usual {
    /// Notes a value, by its hash.
    #[inline]
    pub fn note(&mut self, line: usize, value: u64) {
        if self.is_over() {
            self.count += 1;
            return;
        }
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

    /// Whether no value can be that of nearly all lines.
    fn is_over(&self) -> bool {
        self.first.odd > FEW && self.other.is_some_and(|other| other.odd > FEW)
    }

    /// The lines with a value that few have: one in `one_of`.
    pub fn odd(&self, one_of: usize) -> Vec<usize> {
        let most = FEW.min(self.count / one_of);
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
    fn odd(self, one_of: usize) -> Vec<usize> {
        let odd = self.usual.odd(one_of);
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
