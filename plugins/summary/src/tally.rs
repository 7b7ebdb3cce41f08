//! A tally of the values of one column, collected in one pass and in bounded memory.
//!
//! Owns the counting. Refuses to know the position of values and the wording of counts.

use crate::counted::{Counted, Item};
use crate::extremes::Extremes;
use tamis_formats::words;
use tamis_sdk::{Node, NodeKind};

/// Sorts of values, each with its own count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Null,
    Boolean,
    Number,
    String,
    /// An empty string, which also counts as a string.
    Empty,
    Array,
    Object,
}

const SORTS: usize = 7;
/// A column begins with at most so many strings that are no decimal numbers, if its others are.
const NOT_DECIMALS: u32 = 2;

/// The values of a column. Texts are as the document spells them.
#[derive(Default)]
pub struct Tally<'d> {
    pub nulls: u32,
    pub booleans: u32,
    pub numbers: u32,
    pub strings: u32,
    pub arrays: u32,
    pub objects: u32,
    /// Empty strings.
    pub empty: u32,
    /// The first value of each sort, and its row.
    firsts: [Option<(&'d str, u32)>; SORTS],
    /// The numbers.
    pub range: Extremes<'d>,
    /// The strings as numbers, while nearly all of them are decimal numbers.
    decimals: Extremes<'d>,
    /// Non-empty strings that are no decimal numbers, of those read as such.
    not_decimals: u32,
    /// The first of these, and its row.
    not_decimal: Option<(&'d str, u32)>,
    has_words: bool,
    /// What all numbers in strings have before and after their digits: `%`, `Mi`, `$`.
    unit: Option<Unit<'d>>,
    /// The first and the last string, while all strings begin with a date.
    pub dates: Option<[&'d str; 2]>,
    not_dates: bool,
    /// Characters of all strings, and of the longest.
    pub characters: u64,
    pub longest: usize,
    /// Strings with a blank.
    pub spaced: u32,
    /// Elements of all arrays, of the shortest and of the longest.
    pub children: u64,
    pub fewest: u32,
    pub most: u32,
    pub counted: Counted<'d>,
}

impl<'d> Tally<'d> {
    /// Notes a value in a row.
    pub fn note(&mut self, node: Node<'d>, text: &'d str, row: u32) {
        let sort = match node.kind() {
            NodeKind::Null => {
                self.nulls += 1;
                Sort::Null
            }
            NodeKind::False | NodeKind::True => {
                self.booleans += 1;
                Sort::Boolean
            }
            NodeKind::Number => {
                self.numbers += 1;
                if let Some(value) = number(text) {
                    self.range.note(value, text, row);
                }
                Sort::Number
            }
            NodeKind::String | NodeKind::Key => {
                self.string(text, row);
                Sort::String
            }
            NodeKind::Array | NodeKind::Object => {
                let sort = self.container(node);
                self.firsts[sort as usize].get_or_insert((text, row));
                return;
            }
        };
        self.firsts[sort as usize].get_or_insert((text, row));
        self.counted.note(text, row);
    }

    fn string(&mut self, quoted: &'d str, row: u32) {
        let text = quoted.get(1..quoted.len() - 1).unwrap_or_default();
        let (length, is_spaced) = length(text);
        self.strings += 1;
        self.characters += length as u64;
        self.longest = self.longest.max(length);
        self.spaced += u32::from(is_spaced);
        if text.is_empty() {
            self.empty += 1;
            self.firsts[Sort::Empty as usize].get_or_insert((quoted, row));
            return;
        }
        if !self.has_words {
            match self.number(text) {
                Some(value) => self.decimals.note(value, quoted, row),
                None => {
                    self.not_decimals += 1;
                    self.not_decimal.get_or_insert((quoted, row));
                    self.has_words = self.not_decimals > NOT_DECIMALS + self.decimals.count() / 10;
                }
            }
        }
        if self.not_dates {
            return;
        }
        if !begins_with_date(text) {
            self.not_dates = true;
            self.dates = None;
            return;
        }
        let [first, last] = self.dates.get_or_insert([text; 2]);
        if is_before(text, first) {
            *first = text;
        }
        if is_before(last, text) {
            *last = text;
        }
    }

    /// The number in a text: decimal, or with the unit that the first text has.
    fn number(&mut self, text: &'d str) -> Option<f64> {
        if self.decimals.count() + self.not_decimals == 0 {
            self.unit = amount(text).map(|(_, unit)| unit);
        }
        match self.unit {
            None => decimal(text),
            Some(unit) => {
                let (value, other) = amount(text)?;
                (unit == other).then_some(value)
            }
        }
    }

    fn container(&mut self, node: Node<'_>) -> Sort {
        if node.kind() == NodeKind::Object {
            self.objects += 1;
            return Sort::Object;
        }
        self.arrays += 1;
        let children = node.children();
        self.fewest = if self.arrays == 1 {
            children
        } else {
            self.fewest.min(children)
        };
        self.most = self.most.max(children);
        self.children += u64::from(children);
        Sort::Array
    }

    /// The number of values.
    pub fn values(&self) -> u32 {
        self.scalars() + self.arrays + self.objects
    }

    pub fn scalars(&self) -> u32 {
        self.nulls + self.booleans + self.numbers + self.strings
    }

    /// The number of values of a sort.
    pub fn of(&self, sort: Sort) -> u32 {
        match sort {
            Sort::Null => self.nulls,
            Sort::Boolean => self.booleans,
            Sort::Number => self.numbers,
            Sort::String => self.strings,
            Sort::Empty => self.empty,
            Sort::Array => self.arrays,
            Sort::Object => self.objects,
        }
    }

    /// The first value of a sort, and its row.
    pub fn first(&self, sort: Sort) -> Option<(&'d str, u32)> {
        self.firsts[sort as usize]
    }

    /// The strings as numbers, if all non-empty strings are decimal numbers, or at least nine in ten.
    pub fn decimals(&self) -> Option<&Extremes<'d>> {
        let count = self.decimals.count();
        let are_few = self.not_decimals == 0 || self.not_decimals <= count / 10;
        (!self.has_words && count > 0 && are_few).then_some(&self.decimals)
    }

    /// Whether a text without quotes counts as one of these numbers.
    pub fn is_decimal(&self, text: &str) -> bool {
        match self.unit {
            None => decimal(text).is_some(),
            Some(unit) => amount(text).is_some_and(|(_, other)| unit == other),
        }
    }

    /// The number of strings among these that are no decimal numbers, and the first of them with its row.
    pub fn not_decimals(&self) -> Option<(u32, (&'d str, u32))> {
        Some((self.not_decimals, self.not_decimal?))
    }

    /// The different values with their counts, in order of their first occurrence; none if there are too many, or some
    /// are containers.
    pub fn counts(&self) -> Option<&[Item<'d>]> {
        let values = self.counted.values()?;
        (self.arrays + self.objects == 0 && !values.is_empty()).then_some(values)
    }

    /// The common value of all rows, as it is spelled: a scalar, or the empty list.
    pub fn constant(&self) -> Option<&'d str> {
        if self.arrays > 0 && self.arrays == self.values() && self.children == 0 {
            return Some("[]");
        }
        match self.counts()? {
            [item] => Some(item.text),
            _ => None,
        }
    }
}

/// The characters of a text, and whether one is a space.
fn length(text: &str) -> (usize, bool) {
    let (all, rest) = text.as_bytes().as_chunks::<8>();
    let all = all.iter().map(|word| u64::from_le_bytes(*word));
    let (mut length, mut is_spaced) = (text.len(), false);
    for word in all.chain(words::short(rest)) {
        is_spaced |= words::has(word, b' ') != 0;
        // Bytes that continue a character are none.
        length -= words::has_continuation(word).count_ones() as usize;
    }
    (length, is_spaced)
}

/// The number in a text. Up to eight digits, perhaps with a point among them, take a quick way.
fn number(text: &str) -> Option<f64> {
    short_number(text.as_bytes()).or_else(|| text.parse().ok())
}

fn short_number(text: &[u8]) -> Option<f64> {
    let word = words::short(text).filter(|_| !text.is_empty())?;
    let digits = |from: usize, to: usize| {
        let first = word >> (8 * from) & words::first_bytes(to - from);
        words::decimal(first << (8 * (8 - (to - from))))
    };
    let others = words::has_no_digit(word) & words::first_bytes(text.len());
    if others == 0 {
        return Some(f64::from(digits(0, text.len())));
    }
    let point = words::first(others);
    let decimals = text.len() - 1 - point;
    let is_decimal = others & (others - 1) == 0 && text[point] == b'.' && point > 0;
    if !is_decimal || decimals == 0 {
        return None;
    }
    const TENS: [u32; 7] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];
    let tens = TENS[decimals];
    let all = digits(0, point) * tens + digits(point + 1, text.len());
    // Both numbers are exact, so the quotient is the nearest to the text.
    Some(f64::from(all) / f64::from(tens))
}

/// A decimal number, `12`, `-3.50` or `1.2e-08`, that is short and no code such as `007` or `1e5`.
fn decimal(text: &str) -> Option<f64> {
    const LONGEST: usize = 24;
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_power = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let digits = match digits.split_once(['e', 'E']) {
        Some((digits, power)) if power.starts_with(['-', '+']) => {
            is_power(&power[1..]).then_some(digits)?
        }
        _ => digits,
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let is_code = whole.len() > 1 && whole.starts_with('0');
    let is_plain = text.len() <= LONGEST && is_number(whole) && is_number(decimals) && !is_code;
    is_plain.then(|| number(text))?
}

/// The signs before and after the digits of an amount.
type Unit<'d> = (&'d str, &'d str);

/// The number in a text with a unit, and the unit: `98%`, `3998m`, `15984Mi`, `$88,123.00`. None without a unit.
fn amount(text: &str) -> Option<(f64, Unit<'_>)> {
    /// Of so many digits, each number has an `f64` of its own.
    const LONGEST: usize = 15;
    const LONGEST_UNIT: usize = 4;
    let is_digit = |c: char| c.is_ascii_digit();
    let from = text.find(is_digit)?;
    let to = text.rfind(is_digit)? + 1;
    let (before, digits, after) = (&text[..from], &text[from..to], &text[to..]);
    let (sign, before) = match before.strip_prefix('-') {
        Some(before) => (-1.0, before),
        None => (1.0, before),
    };
    let is_currency = matches!(before, "" | "$" | "€" | "£" | "¥");
    let unit = after.strip_prefix(' ').unwrap_or(after);
    let is_unit = unit.len() <= LONGEST_UNIT
        && (unit == "%" || unit.chars().all(|c| c.is_alphabetic() || c == '/'));
    if digits.len() > LONGEST || !is_currency || !is_unit || before.len() + unit.len() == 0 {
        return None;
    }
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let is_code = first.len() > 1 && first.starts_with('0');
    let is_whole = is_number(first) && (first.len() == whole.len() || first.len() <= 3);
    let mut is_group = |group: &str| group.len() == 3 && is_number(group);
    if is_code || !is_whole || !groups.all(&mut is_group) || !is_number(decimals) {
        return None;
    }
    let (mut value, mut tens, mut are_decimals) = (0.0, sign, false);
    for byte in digits.bytes() {
        if byte.is_ascii_digit() {
            value = value * 10.0 + f64::from(byte - b'0');
            tens *= if are_decimals { 10.0 } else { 1.0 };
        }
        are_decimals |= byte == b'.';
    }
    Some((value / tens, (before, after)))
}

/// Whether a text begins with a date: `2025-01-31`.
fn begins_with_date(text: &str) -> bool {
    let Some((month, [tens, ones, ..])) = text.as_bytes().split_first_chunk() else {
        return false;
    };
    let places = [month[4], month[7]];
    let month = u64::from_le_bytes(*month);
    let others = words::has_no_digit(month);
    places == [b'-'; 2]
        && others.count_ones() == 2
        && tens.is_ascii_digit()
        && ones.is_ascii_digit()
}

/// Whether a text is before another in the order of their bytes: quicker than a call of `memcmp` for most dates.
fn is_before(one: &str, other: &str) -> bool {
    let first = |text: &str| {
        text.as_bytes()
            .first_chunk()
            .map(|it| u64::from_be_bytes(*it))
    };
    match (first(one), first(other)) {
        (Some(first), Some(second)) if first != second => first < second,
        _ => one < other,
    }
}

#[cfg(test)]
mod tests {
    use super::{amount, decimal, number};

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        let mut seed = 1_u64;
        let mut next = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..200_000 {
            let signs = b"0123456789012345678901234567890123456789..-e";
            let length = next(10);
            let text: String = (0..length)
                .map(|_| char::from(signs[next(signs.len() as u64) as usize]))
                .collect();
            let expected = text.parse::<f64>().ok();
            // `.5` and `5.` are numbers here as well, though not in JSON.
            assert_eq!(
                number(&text).map(f64::to_bits),
                expected.map(f64::to_bits),
                "{text}"
            );
        }
    }

    #[test]
    fn amounts_have_a_unit() {
        for (text, value, unit) in [
            ("98%", 98.0, ("", "%")),
            ("-0.5%", -0.5, ("", "%")),
            ("3998m", 3998.0, ("", "m")),
            ("812.40 MiB", 812.4, ("", " MiB")),
            ("$88,123.05", 88_123.05, ("$", "")),
            ("-€1,000,000", -1e6, ("€", "")),
        ] {
            assert_eq!(amount(text), Some((value, unit)), "{text}");
        }
        for text in [
            "12",
            "",
            "%",
            "m5",
            "007m",
            "1,5%",
            "1.%",
            "3h12m",
            "1234,567$",
            "5 days ago",
            "2024-01-02",
            "1e5",
            "12:30",
            "#5",
            "0x1f",
            "9007199254740993ns",
        ] {
            assert_eq!(amount(text), None, "{text}");
        }
    }

    #[test]
    fn codes_are_no_decimals() {
        for text in ["0", "12.50", "-3", "0.5", "-0.25"] {
            assert!(decimal(text).is_some(), "{text}");
        }
        for text in [
            "", "-", "007", "1.", ".5", "1e5", "12 MB", "1,5", "+1", "00.5",
        ] {
            assert!(decimal(text).is_none(), "{text}");
        }
    }
}

#[cfg(test)]
#[path = "tests/tally.rs"]
mod plain;
