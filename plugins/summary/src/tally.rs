//! A tally of the values of one column, collected in one pass and in bounded memory.
//!
//! Owns the counting. Refuses to know the position of values and the wording of counts.

use crate::counted::{Counted, Facts, Item, rare_limit};
use crate::dates::{Impossible, Span, Written, is_impossible};
use crate::extremes::Extremes;
use std::ops::RangeInclusive;
use tamis_formats::amounts::{Unit, amount, amount_in, decimal, number, without_age};
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
    /// The strings, while all begin with a date.
    dates: Span<'d>,
    /// The same strings by their seconds, for dates far from all others.
    pub seconds: Extremes<'d>,
    not_dates: bool,
    /// Strings that begin like a date, but that no calendar has.
    pub impossible: Impossible<'d>,
    /// All strings, if they are dates in another form.
    written: Option<Box<Written<'d>>>,
    /// Characters of all strings, and of the longest.
    pub characters: u64,
    pub longest: usize,
    /// Strings with a blank.
    pub spaced: u32,
    /// Elements of all arrays.
    pub children: u64,
    /// The shortest and the longest arrays.
    pub shortest_array: Arrays,
    pub longest_array: Arrays,
    pub counted: Counted<'d>,
}

/// The arrays of one length.
#[derive(Clone, Copy, Default)]
pub struct Arrays {
    /// Their elements.
    pub length: u32,
    pub count: u32,
    /// The row of the first.
    pub row: u32,
}

impl Arrays {
    /// Notes an array. `is_beyond`: none was so short, or so long.
    fn note(&mut self, length: u32, row: u32, is_beyond: bool) {
        if is_beyond {
            *self = Arrays {
                length,
                count: 1,
                row,
            };
        } else if length == self.length {
            self.count += 1;
        }
    }
}

impl<'d> Tally<'d> {
    /// Notes a value in a row.
    pub fn note(&mut self, node: Node<'d>, text: &'d str, row: u32) {
        if let NodeKind::Array | NodeKind::Object = node.kind() {
            let sort = self.container(node, row);
            self.firsts[sort as usize].get_or_insert((text, row));
        } else {
            self.scalar(node.kind(), text, row);
        }
    }

    /// The same for a value that is no container.
    pub fn scalar(&mut self, kind: NodeKind, text: &'d str, row: u32) {
        let sort = match kind {
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
            _ => {
                let item = self.counted.note_item(text, row);
                let known = item.and_then(|item| *self.counted.facts(item));
                let facts = self.string(text, row, known);
                if let Some(item) = item.filter(|_| known.is_none()) {
                    *self.counted.facts(item) = Some(facts);
                }
                self.firsts[Sort::String as usize].get_or_insert((text, row));
                return;
            }
        };
        self.firsts[sort as usize].get_or_insert((text, row));
        self.counted.note(text, row);
    }

    /// Notes a string. `known`: its facts, if an equal one was noted. Returns them.
    #[inline(always)]
    fn string(&mut self, quoted: &'d str, row: u32, known: Option<Facts>) -> Facts {
        let text = quoted.get(1..quoted.len() - 1).unwrap_or_default();
        let mut facts = known.unwrap_or_else(|| facts(text));
        self.strings += 1;
        self.characters += facts.length as u64;
        self.longest = self.longest.max(facts.length);
        self.spaced += u32::from(facts.is_spaced);
        if text.is_empty() {
            self.empty += 1;
            self.firsts[Sort::Empty as usize].get_or_insert((quoted, row));
            return facts;
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
            if let Some(written) = &mut self.written
                && !written.note(text, row)
            {
                self.written = None;
            }
            return facts;
        }
        if known.is_none() {
            if !begins_with_date(text) {
                if self.strings - self.empty == 1 {
                    self.written = Written::begin(text, row);
                }
                self.not_dates = true;
                self.impossible = Impossible::default();
                return facts;
            }
            facts.seconds = (!is_impossible(text)).then(|| self.dates.note(text));
        }
        match facts.seconds {
            Some(seconds) => self.seconds.note(seconds, text, row),
            None => self.impossible.note(text, row),
        }
        facts
    }

    /// The number in a text: decimal, or with the unit that the first text has.
    fn number(&mut self, text: &'d str) -> Option<f64> {
        let text = without_age(text);
        if self.decimals.count() + self.not_decimals == 0 {
            self.unit = amount(text).map(|(_, unit)| unit);
        }
        match self.unit {
            None => decimal(text),
            Some(unit) => amount_in(text, unit),
        }
    }

    fn container(&mut self, node: Node<'_>, row: u32) -> Sort {
        if node.kind() == NodeKind::Object {
            self.objects += 1;
            return Sort::Object;
        }
        self.arrays += 1;
        let children = node.children();
        let is_first = self.arrays == 1;
        let is_shorter = is_first || children < self.shortest_array.length;
        self.shortest_array.note(children, row, is_shorter);
        let is_longer = is_first || children > self.longest_array.length;
        self.longest_array.note(children, row, is_longer);
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

    /// The length of all arrays but one, among many, and that one.
    pub fn lone_array(&self) -> Option<(Arrays, Arrays)> {
        let (short, long) = (self.shortest_array, self.longest_array);
        let are_all = short.length < long.length && short.count + long.count == self.arrays;
        let is_rare = rare_limit(self.arrays) > 0 && are_all;
        match (short.count, long.count) {
            (1, _) if is_rare => Some((long, short)),
            (_, 1) if is_rare => Some((short, long)),
            _ => None,
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
        let are = !self.has_words && count > 0 && are_few && !self.are_lists();
        are.then_some(&self.decimals)
    }

    /// Whether the strings are lists of numbers: the comma of `3,15` separates decimals, that of `200,145` thousands.
    fn are_lists(&self) -> bool {
        let after_comma = |text: &str| Some(text.trim_end_matches('"').rsplit_once(',')?.1.len());
        let has = |lengths: RangeInclusive<usize>| {
            let mut texts = self.decimals.texts().filter_map(after_comma);
            texts.any(|length| lengths.contains(&length))
        };
        has(1..=2) && has(3..=3)
    }

    /// Whether a text without quotes counts as one of these numbers.
    pub fn is_decimal(&self, text: &str) -> bool {
        let text = without_age(text);
        match self.unit {
            None => decimal(text).is_some(),
            Some(unit) => amount_in(text, unit).is_some(),
        }
    }

    /// The strings as dates of another form than `2026-11-20`, and those that are impossible.
    pub fn written_dates(&self) -> Option<(&Extremes<'d>, &Impossible<'d>)> {
        self.written.as_deref()?.dates()
    }

    /// Whether all strings are dates, or nearly all.
    pub fn are_dates(&self) -> bool {
        self.begin_with_dates() || self.written_dates().is_some()
    }

    /// The same for dates that begin with `2026-11-20`.
    pub fn begin_with_dates(&self) -> bool {
        let are_possible = self.impossible.are_few(self.strings - self.empty);
        !self.not_dates && self.seconds.count() > 0 && are_possible
    }

    /// The first and the last of these dates; none if nobody knows their order.
    pub fn dates(&self) -> Option<[&'d str; 2]> {
        self.dates.ends()
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

/// The facts of a text, but for its date.
fn facts(text: &str) -> Facts {
    let bytes = text.as_bytes();
    let (length, is_spaced) = match bytes.len() {
        // One look at most texts.
        1..=16 => {
            let (bytes, _) = words::sixteen(bytes, 0);
            let continued = bytes.between(0x80, 0xbf).count_ones() as usize;
            let length = match bytes.are(b'\\') {
                0 => text.len() - continued,
                _ => words::spelled_characters(text),
            };
            (length, bytes.are(b' ') != 0)
        }
        _ => {
            let is_spaced = words::has_any_of(bytes, |bytes| bytes.are(b' '));
            (words::spelled_characters(text), is_spaced)
        }
    };
    Facts {
        length,
        is_spaced,
        seconds: None,
    }
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

#[cfg(test)]
#[path = "tests/tally.rs"]
mod plain;
