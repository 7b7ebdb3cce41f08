//! The patterns of a text's lines, computed once. Lines that are equal except for words with digits share a pattern.
//! Short lines share one only if they are equal.
//!
//! Owns which lines have a pattern, and the number of patterns. Refuses to know their meaning.

use crate::hashing::{Map, short};
use crate::odd_numbers::Numbers;
use crate::trim::{trim_end, trim_start};
use crate::words::{self, Keyed};

/// Most patterns that are stored. Lines with later ones have no pattern.
const MOST: usize = 1 << 16;
/// Most patterns that repeat whose numbers are compared.
const COMPARED: usize = 1 << 10;
/// Shorter lines are short: signs, mostly.
const LEAST_BYTES: usize = 4;
/// The index of no pattern.
const NONE: u32 = u32::MAX;

/// Lines that are equal except for words with digits.
pub struct Pattern<'t> {
    pub count: usize,
    /// The number of lines with blanks before them.
    pub indented: usize,
    /// The number from 1 of the first line, and the line without blanks around it.
    pub first: (usize, &'t str),
    pub last: usize,
    /// The index of its numbers.
    numbers: u32,
}

pub struct Patterns<'t> {
    pub all: Vec<Pattern<'t>>,
    of_lines: Vec<u32>,
    numbers: Vec<Numbers>,
}

impl Pattern<'_> {
    pub fn is_short(&self) -> bool {
        self.first.1.len() < LEAST_BYTES
    }
}

impl<'t> Patterns<'t> {
    /// The patterns of the lines of a text. `count`: about how many lines.
    pub fn of(lines: impl Iterator<Item = &'t str>, count: usize) -> Patterns<'t> {
        let mut known: Map<u64, u32> = Map::default();
        let mut found = Patterns {
            all: Vec::new(),
            of_lines: Vec::with_capacity(count),
            numbers: Vec::new(),
        };
        let mut keyed = Keyed::default();
        for (number, line) in (1..).zip(lines) {
            let start = trim_start(line);
            let is_indented = start.len() < line.len();
            let line = (trim_end(start), is_indented);
            let pattern = found.place(&mut known, &mut keyed, number, line);
            found.of_lines.push(pattern);
        }
        found
    }

    fn place(
        &mut self,
        known: &mut Map<u64, u32>,
        keyed: &mut Keyed,
        number: usize,
        (line, is_indented): (&'t str, bool),
    ) -> u32 {
        let is_short = line.len() < LEAST_BYTES;
        let hash = match line.len() {
            0 => return NONE,
            _ if is_short => short(line.as_bytes()),
            _ => words::pattern_with_keyed(line, keyed),
        };
        if let Some(&place) = known.get(&hash) {
            let pattern = &mut self.all[place as usize];
            pattern.count += 1;
            pattern.indented += usize::from(is_indented);
            pattern.last = number;
            if !is_short && !keyed.hashes().is_empty() {
                self.compare(place as usize, number, keyed);
            }
            return place;
        }
        if self.all.len() == MOST {
            return NONE;
        }
        let place = self.all.len() as u32;
        known.insert(hash, place);
        self.all.push(Pattern {
            count: 1,
            indented: usize::from(is_indented),
            first: (number, line),
            last: number,
            numbers: NONE,
        });
        place
    }

    /// Compares the numbers of a line with those of the lines before it.
    fn compare(&mut self, place: usize, number: usize, keyed: &Keyed) {
        let pattern = &mut self.all[place];
        if let Some(numbers) = self.numbers.get_mut(pattern.numbers as usize) {
            numbers.note(number, keyed.hashes());
        } else if self.numbers.len() < COMPARED && pattern.count == 2 {
            pattern.numbers = self.numbers.len() as u32;
            let (first, line) = pattern.first;
            let mut keyed_of_first = Keyed::default();
            words::pattern_with_keyed(line, &mut keyed_of_first);
            let mut numbers = Numbers::of(first, keyed_of_first.hashes());
            numbers.note(number, keyed.hashes());
            self.numbers.push(numbers);
        }
    }

    /// The lines that differ from all others of their pattern in a number after a key, in order.
    pub fn odd_lines(&self) -> Vec<usize> {
        let mut lines: Vec<usize> = self.numbers.iter().flat_map(Numbers::odd).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// The index of a line's pattern, by the line's number from 1.
    pub fn of_line(&self, number: usize) -> Option<usize> {
        let pattern = self.of_lines.get(number - 1)?;
        (*pattern != NONE).then_some(*pattern as usize)
    }
}

#[cfg(test)]
#[path = "tests/patterns.rs"]
mod tests;
