//! Values that stand out among those of the same key, unit or place: `errors=7` where all other lines have `errors=0`,
//! `4,312.77 kB` among sizes below 90 kB, `fail` where all other lines have `pass`, `**Status**: regressed` among
//! sections with another status.
//!
//! Owns when a value stands out. Refuses to know the meaning of keys.

use crate::counted::stands_out;
use crate::extremes::Extremes;
use crate::hashing::{self, START, hash, mixed};
use crate::line_values::{DATES, KINDS, Word, Words, amount, may_be_number};
use crate::networks::network;
use crate::signs::{Line, Signs};
use crate::source::Source;
use crate::trim::{is_blank, trim};
use tamis_formats::words::{self, eight, sixteen};
use tamis_formats::{Lines, Sixteen};

/// Most keys and units whose numbers are compared.
const KEYS: usize = 64;
/// Most places of numbers in lines with equal words.
const PATTERNS: usize = 64;
/// One in so many values may differ from all others, and at most [`FEW`].
const ODD_ONE_OF: usize = 40;
/// The same in sections with equal keys, which are fewer than lines.
const ODD_ONE_OF_SECTIONS: usize = 20;
/// The same in series of one metric, and in lines with equal words.
const ODD_ONE_OF_SERIES: usize = 8;
const FEW: usize = 4;
/// So many words of a line are compared, from its beginning and from its end.
const FIRST: usize = 10;
const LAST: usize = 3;
/// Lines of at most so many words are compared with lines of as many.
const SHORT: usize = 5;
/// Forms of lines whose words are stored. A later one takes the place of an earlier one.
const FORMS: usize = 32;
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

/// The lines of a text, by their numbers from 1 and in order, with a value that stands out. Empty lines may be left out.
/// `signs`: those of all lines, and perhaps others. `source`: what is known of the lines.
pub fn lines<'t>(
    (text, signs): (&str, Signs),
    lines: impl Iterator<Item = (usize, impl Into<Line<'t>>)> + Clone,
    scope: Scope,
    source: Option<&Source<'t>>,
) -> Vec<usize> {
    let one_of = match scope {
        Scope::All => ODD_ONE_OF,
        Scope::Keys => ODD_ONE_OF_SECTIONS,
    };
    let mut keys = OfKeys::default();
    let mut places = Places::default();
    let mut patterns = OfPatterns::default();
    let first = lines.clone().map(|(_, line)| line.into());
    let first = first.filter(|line| !is_blank(line.text)).take(SAMPLE);
    let mut own = Words::of_text(text, lines.clone().map(|(_, line)| line.into().text));
    let mut forms = OfForms::default();
    let has_digit = |line: &Line<'t>| line.signs.have(Signs::DIGIT);
    // In a text of numbers, a line without digits is a header, a rule, or a sentence.
    let has_digits = first.clone().filter(has_digit).count() * 2 > first.count();
    let mut filled = 0;
    for (place, line) in lines {
        let whole: Line<'t> = line.into();
        let line = whole.text;
        if line.is_empty() {
            continue;
        }
        filled += 1;
        // The numbers of frames are places.
        if line.ends_with(')') && source.is_some_and(|it| it.patterns().is_frame(place)) {
            places.lines += 1;
            continue;
        }
        if scope == Scope::Keys && !whole.signs.have(Signs::COLON.or(Signs::EQUALS)) {
            continue;
        }
        let is_placed = scope == Scope::All && (!has_digits || has_digit(&whole));
        if !is_placed && !has_digit(&whole) && keys.is_over(line) {
            continue;
        }
        let are_words = is_placed && has_words_alone(whole);
        if are_words && places.are_over(whole) {
            places.lines += 1;
            // All lines are words.
            if signs == Signs::NONE {
                break;
            }
            continue;
        }
        let mut units = [0u64; KINDS];
        let before = source.and_then(|source| source.forms().before(place));
        let words = match before {
            Some(first) => forms.read(first, whole, &own),
            None => {
                own.read(whole);
                &mut own
            }
        };
        if is_placed {
            places.note((place, line), &mut words.words);
        }
        if are_words {
            places.note_over(words.words.len());
        }
        if scope == Scope::All
            && (words.has_number || words.has_unit)
            && let Some(pattern) = source.and_then(|source| source.patterns().of_line(place))
            && let Some(mut of_pattern) = patterns.of(pattern)
        {
            for (at, word) in words.words.iter().enumerate() {
                let Some((value, kind @ ..KINDS)) = word.number else {
                    continue;
                };
                match of_pattern.at(at) {
                    Some(values) if kind == 0 => {
                        values.numbers.note(place, value, || word.text(line))
                    }
                    // Those of all lines are compared by their unit: here, one differs where the others are equal.
                    Some(values) => values.words.note(place, value.to_bits()),
                    None => {}
                }
            }
        }
        words.keyed(line, |found| {
            if found.key.is_none() && scope == Scope::Keys {
                return;
            }
            let key = match found.key {
                Some(key) => hash_of_key(key),
                // The first size of a line, the second, …
                None => {
                    let number = &mut units[found.kind];
                    *number += 1;
                    mixed(mixed(START, found.kind as u64), *number)
                }
            };
            if let Some(values) = keys.of(key) {
                values.numbers.has_key = found.key.is_some();
                values.is_series = found.key.is_some_and(|key| key.ends_with('{'));
                match found.value {
                    Some(value) => {
                        values.numbers.note(place, value, || found.text);
                        if found.kind == DATES && !values.different.is_over {
                            values.different.note(place, value.to_bits());
                        }
                    }
                    None => {
                        values.note_word(place, found.text.as_bytes());
                        if !values.different.is_over {
                            values.different.note(place, hash(found.text.as_bytes()));
                        }
                    }
                }
            }
        });
    }
    if scope == Scope::All && !has_digits {
        places.lines += Lines::of(text).count().saturating_sub(filled);
    }
    let of_keys = keys.values.into_iter();
    let of_keys = of_keys.flat_map(|values| values.of_key(one_of));
    let of_patterns = patterns.into_values().flat_map(|mut values| {
        values.numbers.has_key = true;
        values.of_key(ODD_ONE_OF_SERIES)
    });
    let odd = of_keys.chain(places.odd(one_of)).chain(of_patterns);
    let mut odd: Vec<usize> = odd.collect();
    odd.sort_unstable();
    odd.dedup();
    odd
}

/// The words of lines by their form, so that words without digits are read once.
#[derive(Default)]
struct OfForms<'t> {
    /// Each with the number of the first line of its form.
    all: Vec<(usize, Words<'t>)>,
}

impl<'t> OfForms<'t> {
    /// The words of a line. `first`: the number of an earlier line of its form. `none`: those of a line of the text.
    fn read(&mut self, first: usize, line: Line<'t>, none: &Words<'t>) -> &mut Words<'t> {
        if self.all.is_empty() {
            self.all.resize_with(FORMS, || (0, none.without_words()));
        }
        let (known, words) = &mut self.all[first % FORMS];
        // Forms are compared by their hashes.
        if *known != first || !words.read_digits(line.text) {
            words.read(line);
            *known = first;
        }
        words
    }
}

/// The values of keys, and of units.
#[derive(Default)]
struct OfKeys<'t> {
    places: hashing::Places,
    values: Vec<Values<'t>>,
}

impl<'t> OfKeys<'t> {
    /// The values of a key by its hash; none if there are too many others.
    #[inline]
    fn of(&mut self, key: u64) -> Option<&mut Values<'t>> {
        let known = self.places.get(key);
        let at = known.or_else(|| (self.values.len() < KEYS).then(|| self.add(key)));
        self.values.get_mut(at?)
    }

    /// Whether the one value that a line without digits may have tells nothing, since most values of its key differ.
    #[inline]
    fn is_over(&self, line: &str) -> bool {
        let at = sign_from(line, 0);
        let known = self.places.get(hash(trim(&line[..at]).as_bytes()));
        let values = known.map(|at| &self.values[at]);
        values.is_some_and(|it| it.words.is_over() && it.different.is_over)
            && sign_from(line, at + 1) == line.len()
    }

    #[inline(never)]
    fn add(&mut self, key: u64) -> usize {
        let at = self.values.len();
        self.places.insert(key, at);
        self.values.push(Values::default());
        at
    }
}

/// The numbers at the places of words in lines of a pattern, by their places.
struct OfPattern<'t> {
    pattern: usize,
    places: Vec<(usize, Values<'t>)>,
}

/// The same of the first patterns.
#[derive(Default)]
struct OfPatterns<'t> {
    all: Vec<OfPattern<'t>>,
    /// The number of places of all.
    count: usize,
    /// The place of the pattern of the line before.
    last: usize,
    /// The highest of these patterns.
    most: usize,
}

/// The numbers of a line, in order.
struct OfLine<'p, 't> {
    places: &'p mut Vec<(usize, Values<'t>)>,
    count: &'p mut usize,
    next: usize,
}

impl<'t> OfPatterns<'t> {
    /// Those of a line's pattern, if it is known or there is room.
    #[inline]
    fn of(&mut self, pattern: usize) -> Option<OfLine<'_, 't>> {
        let is_it = |it: &OfPattern<'_>| it.pattern == pattern;
        if !self.all.get(self.last).is_some_and(is_it) {
            let is_known = pattern <= self.most;
            let known = is_known.then(|| self.all.iter().position(is_it)).flatten();
            self.last = match known {
                Some(at) => at,
                None if self.count < PATTERNS => {
                    self.most = self.most.max(pattern);
                    self.all.push(OfPattern {
                        pattern,
                        places: Vec::new(),
                    });
                    self.all.len() - 1
                }
                None => return None,
            };
        }
        Some(OfLine {
            places: &mut self.all[self.last].places,
            count: &mut self.count,
            next: 0,
        })
    }

    fn into_values(self) -> impl Iterator<Item = Values<'t>> {
        let all = self.all.into_iter().flat_map(|it| it.places);
        all.map(|(_, values)| values)
    }
}

impl<'t> OfLine<'_, 't> {
    /// Those at the place of a word, which is after those before.
    #[inline]
    fn at(&mut self, place: usize) -> Option<&mut Values<'t>> {
        while self
            .places
            .get(self.next)
            .is_some_and(|(known, _)| *known < place)
        {
            self.next += 1;
        }
        let is_known = self
            .places
            .get(self.next)
            .is_some_and(|(known, _)| *known == place);
        if !is_known {
            (*self.count < PATTERNS).then_some(())?;
            *self.count += 1;
            self.places.insert(self.next, (place, Values::default()));
        }
        Some(&mut self.places[self.next].1)
    }
}

/// The place of the first sign of a value from `at` on; the length of the line if there is none.
#[inline(never)]
fn sign_from(line: &str, at: usize) -> usize {
    let are_signs = |part: Sixteen| part.are_one_of([b'=', b':']);
    words::place_from(line.as_bytes(), at, are_signs)
}

/// The hash of a key. One with a number before a dot is that of one of many: `app.service37.timeout`.
fn hash_of_key(key: &str) -> u64 {
    let bytes = key.as_bytes();
    let has_dot = match words::short(bytes) {
        Some(part) => words::has(part, b'.') != 0,
        None => words::has_any_of(bytes, |part| part.are(b'.')),
    };
    if !has_dot {
        return hash(bytes);
    }
    let dots = memchr::memchr_iter(b'.', bytes);
    let mut numbers = dots.filter(|dot| key[..*dot].ends_with(|c: char| c.is_ascii_digit()));
    if numbers.next().is_none() {
        return hash(bytes);
    }
    let letters = key.bytes().filter(|byte| !byte.is_ascii_digit());
    letters.fold(START, |hash, byte| mixed(hash, u64::from(byte)))
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

/// Whether a line has neither numbers nor keys, and all its blanks are spaces.
#[inline]
fn has_words_alone(line: Line<'_>) -> bool {
    const OTHERS: Signs = Signs::COLON
        .or(Signs::EQUALS)
        .or(Signs::QUOTE)
        .or(Signs::OTHER);
    // One word may have digits.
    let may_be_number = || {
        line.signs.have(Signs::DIGIT)
            && (line.signs.have(Signs::BLANK) || may_be_number(eight(line.text.as_bytes(), 0)))
    };
    !line.signs.have(OTHERS) && !may_be_number()
}

/// The number of words between spaces.
fn count_of_words(line: &str) -> usize {
    let line = line.as_bytes();
    let (mut at, mut words, mut is_in_word) = (0, 0, 0);
    while at < line.len() {
        let (bytes, before) = sixteen(line, at);
        // Behind the end of a line are zeros.
        let letters = bytes.between(b'!', 0xff) >> before;
        words += (letters & !(letters << 1 | is_in_word)).count_ones();
        is_in_word = letters >> 15;
        at += 16;
    }
    words as usize
}

/// Words at the same place in lines, counted from the first and from the last.
#[derive(Default)]
struct Places<'t> {
    lines: usize,
    /// Of lines of few words, by their number.
    short: [[Values<'t>; SHORT]; SHORT + 1],
    first: [Values<'t>; FIRST],
    last: [Values<'t>; LAST],
    /// Whether most words differ at all places of lines with so many words, and with more.
    over: [bool; SHORT + 2],
    /// One of these is.
    is_any_over: bool,
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
    fn note(&mut self, line: (usize, &'t str), words: &mut [Word<'t>]) {
        self.lines += 1;
        let first = match self.short.get_mut(words.len()) {
            Some(of_count) => &mut of_count[..],
            None => &mut self.first,
        };
        for (place, word) in first.iter_mut().zip(&mut *words) {
            place.note(line, word);
        }
        // A longer line has words in between.
        let rest = words.get_mut(FIRST..).unwrap_or_default();
        for (place, word) in self.last.iter_mut().zip(rest.iter_mut().rev()) {
            place.note(line, word);
        }
    }

    /// Whether most words differ at all places of a line that has words alone, so that it tells nothing.
    fn are_over(&self, line: Line<'_>) -> bool {
        let words = || match line.signs.have(Signs::BLANK) {
            true => count_of_words(line.text).min(SHORT + 1),
            false => 1,
        };
        self.is_any_over && self.over[words()]
    }

    /// Finds whether most words differ at all places of lines with so many words.
    #[inline(never)]
    fn note_over(&mut self, words: usize) {
        let are_over = |places: &[Values<'_>]| places.iter().all(|place| place.words.is_over());
        let (of_count, are_over) = match self.short.get(words) {
            Some(places) => (words, are_over(&places[..words])),
            None => (SHORT + 1, are_over(&self.first) && are_over(&self.last)),
        };
        self.over[of_count] = are_over;
        self.is_any_over |= are_over;
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
    fn note(&mut self, (number, line): (usize, &'t str), word: &mut Word<'t>) {
        if let Some((value, _)) = word.number {
            return self.numbers.note(number, value, || word.text(line));
        }
        if !self.words.is_over() {
            if word.value == 0 {
                word.value = value_of(word.bytes);
            }
            self.words.note(number, word.value);
        }
        if word.may_have_digit {
            self.note_network(number, word.bytes);
        }
    }

    #[inline]
    fn note_word(&mut self, line: usize, text: &[u8]) {
        if !self.words.is_over() {
            self.words.note(line, value_of(text));
        }
        self.note_network(line, text);
    }

    #[inline]
    fn note_network(&mut self, line: usize, text: &[u8]) {
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
        // Words among numbers, or a number among words.
        let (words, numbers) = (&self.words, &self.numbers.usual);
        for (few, many) in [(words, numbers), (numbers, words)] {
            let lines = few.early.iter().take(few.count);
            odd.extend(lines.filter(|_| few.count <= FEW.min(many.count / one_of)));
        }
        odd.extend(self.numbers.odd(one_of));
        odd
    }
}

/// The value of a word that is no number.
fn value_of(text: &[u8]) -> u64 {
    numbers(text).unwrap_or_else(|| hash(text))
}

/// The value of a list of numbers, `4,1,3`: how many they are.
#[inline]
fn numbers(bytes: &[u8]) -> Option<u64> {
    bytes.first().filter(|byte| byte.is_ascii_digit())?;
    let mut commas = 0;
    for byte in bytes {
        match byte {
            b'0'..=b'9' => {}
            b',' => commas += 1,
            _ => return None,
        }
    }
    Some(commas)
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
    fn note(&mut self, line: usize, value: f64, text: impl FnOnce() -> &'t str) {
        self.usual.note(line, value.to_bits());
        // Few are.
        if !self.extremes.counts(value) {
            let row = u32::try_from(line).unwrap_or(u32::MAX);
            self.extremes.add(value, text(), row);
        }
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
