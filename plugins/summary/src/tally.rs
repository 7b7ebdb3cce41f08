//! A tally of the values of one column, collected in one pass and in bounded memory.
//!
//! Owns the counting. Refuses to know the position of values and the wording of counts.

use crate::counted::{Counted, Item};
use crate::extremes::Extremes;
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
    /// The strings as numbers, while all of them are decimal numbers.
    decimals: Extremes<'d>,
    not_decimals: bool,
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
        if !self.not_decimals {
            match decimal(text) {
                Some(value) => self.decimals.note(value, quoted, row),
                None => self.not_decimals = true,
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
        if text < *first {
            *first = text;
        }
        if text > *last {
            *last = text;
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

    /// The strings as numbers, if all non-empty strings are decimal numbers.
    pub fn decimals(&self) -> Option<&Extremes<'d>> {
        (!self.not_decimals && self.strings > self.empty).then_some(&self.decimals)
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
    const LOW: u64 = u64::MAX / 255;
    const HIGH: u64 = LOW << 7;
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let (mut length, mut is_spaced) = (0, false);
    let mut note = |byte: u8| {
        // The first byte of each character.
        length += usize::from(!matches!(byte, 0x80..0xc0));
        is_spaced |= byte == b' ';
    };
    rest.iter().for_each(|byte| note(*byte));
    for word in words {
        let bits = u64::from_le_bytes(*word);
        let without_spaces = bits ^ (LOW * u64::from(b' '));
        is_spaced |= without_spaces.wrapping_sub(LOW) & !without_spaces & HIGH != 0;
        // Bytes that continue a character have the highest bit, and not the next.
        length += 8 - (bits & !(bits << 1) & HIGH).count_ones() as usize;
    }
    (length, is_spaced)
}

/// The number in a text. Short integers, the most frequent, take a quick way.
fn number(text: &str) -> Option<f64> {
    let is_short = (1..=9).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit());
    if !is_short {
        return text.parse().ok();
    }
    let value = text
        .bytes()
        .fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
    Some(value.into())
}

/// A decimal number, `12` or `-3.50`, that is short and no code such as `007`.
fn decimal(text: &str) -> Option<f64> {
    const LONGEST: usize = 24;
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let is_code = whole.len() > 1 && whole.starts_with('0');
    let is_plain = text.len() <= LONGEST && is_number(whole) && is_number(decimals) && !is_code;
    is_plain.then(|| number(text))?
}

/// Whether a text begins with a date: `2025-01-31`.
fn begins_with_date(text: &str) -> bool {
    let Some(date) = text.as_bytes().first_chunk::<10>() else {
        return false;
    };
    date.iter().enumerate().all(|(place, byte)| match place {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    })
}

#[cfg(test)]
mod tests {
    use super::decimal;

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
