//! The patterns of a text's lines, computed once. Lines that are equal except for words with digits share a pattern.
//! Short lines share one only if they are equal.
//!
//! Owns which lines have a pattern, and the number of patterns. Refuses to know their meaning.

use crate::forms::Forms;
use crate::hashing::{Places, short};
use crate::signs::{Line, Signs};
use crate::trim::{trim_end, trim_start};
use crate::words;
use std::ops::Range;

/// Most patterns that are stored. Lines with later ones have no pattern.
const MOST: usize = 1 << 16;
/// Shorter lines are short: signs, mostly.
pub const LEAST_BYTES: usize = 4;
/// Most values of words and signs that are stored: 256 KB.
const KEPT: usize = 1 << 15;
/// Fewest bytes of a word and the sign after it. Memory that is not used makes a small call expensive, too.
const BYTES_OF_A_VALUE: usize = 2;
/// The patterns of most texts have less than one in so many of these words.
const FEW_VALUES: usize = 4;
/// Patterns, and values, for which room is made at once: what grows moves in memory.
const ROOM: usize = 1 << 11;
/// The index of no pattern.
const NONE: u32 = u32::MAX;

/// Lines that are equal except for words with digits.
#[derive(Clone)]
pub struct Pattern<'t> {
    pub count: usize,
    /// The number of lines with blanks before them.
    pub indented: usize,
    /// The number from 1 of the first line, and the line without blanks around it.
    pub first: (usize, &'t str),
    pub last: usize,
    hash: u64,
    /// Where the values of its words and signs are stored.
    values: Range<usize>,
}

pub struct Patterns<'t> {
    pub all: Vec<Pattern<'t>>,
    of_lines: Vec<u32>,
    /// The values of the words and signs of patterns, so that they are found once. Later ones are searched each time.
    values: Vec<u64>,
    /// How many of these are known, and how many may be.
    stored: usize,
    most_stored: usize,
}

/// Whether a line is one number, without a unit.
pub fn is_number(line: &str) -> bool {
    const LONGEST: usize = 24;
    let is_part = |byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b',');
    line.len() <= LONGEST
        && line.bytes().all(is_part)
        && line.ends_with(|c: char| c.is_ascii_digit())
}

impl Pattern<'_> {
    /// Counts one more line.
    fn note(&mut self, number: usize, is_indented: bool) {
        self.count += 1;
        self.indented += usize::from(is_indented);
        self.last = number;
    }

    /// Counts the lines of a later pattern, too.
    pub fn join(&mut self, later: &Pattern<'_>) {
        self.count += later.count;
        self.indented += later.indented;
        self.last = self.last.max(later.last);
    }

    pub fn is_short(&self) -> bool {
        self.first.1.len() < LEAST_BYTES
    }
}

impl<'t> Patterns<'t> {
    /// The patterns of the lines of a text of so many bytes, each with its number from 1. Empty lines may be left out.
    /// `count`: about how many lines.
    pub fn of(
        lines: impl Iterator<Item = (usize, impl Into<Line<'t>>)>,
        forms: &Forms,
        (count, bytes): (usize, usize),
    ) -> Patterns<'t> {
        let mut known = Places::default();
        let mut found = Patterns {
            all: Vec::with_capacity(count.min(ROOM) / 2),
            of_lines: Vec::with_capacity(count),
            values: Vec::with_capacity(KEPT.min(bytes / BYTES_OF_A_VALUE / FEW_VALUES)),
            stored: 0,
            most_stored: KEPT.min(bytes / BYTES_OF_A_VALUE),
        };
        for (number, line) in lines {
            let Line { text, signs, .. } = line.into();
            while found.of_lines.len() + 1 < number {
                found.of_lines.push(NONE);
            }
            let start = trim_start(text);
            let is_indented = start.len() < text.len();
            let text = trim_end(start);
            if text.is_empty() {
                found.of_lines.push(NONE);
                continue;
            }
            // Digits of short lines count.
            let before = forms
                .before(number)
                .filter(|_| text.len() >= LEAST_BYTES)
                .and_then(|first| found.of_line(first));
            let pattern = match before {
                Some(at) => {
                    found.all[at].note(number, is_indented);
                    at as u32
                }
                None => found.place(
                    &mut known,
                    (number, text),
                    is_indented,
                    signs == Signs::NONE,
                ),
            };
            found.of_lines.push(pattern);
        }
        found
    }

    fn place(
        &mut self,
        known: &mut Places,
        (number, line): (usize, &'t str),
        is_indented: bool,
        is_word: bool,
    ) -> u32 {
        // Most lines of one word, or of a few bytes, are known.
        let alone = match line.len() {
            1..LEAST_BYTES => Some(short(line.as_bytes())),
            _ if is_word => Some(words::pattern_of_word(line, |_| ())),
            _ => words::pattern_of_frame(line),
        };
        if let Some(place) = alone.and_then(|hash| known.get(hash)) {
            self.all[place].note(number, is_indented);
            return place as u32;
        }
        let (start, most) = (self.stored, self.stored + line.len());
        if (self.values.len()..=self.most_stored).contains(&most) {
            if most > self.values.capacity() {
                let more = self.most_stored - self.values.len();
                self.values.reserve_exact(more);
            }
            let room = (most + ROOM).min(self.values.capacity());
            self.values.resize(room, 0);
        }
        // Room for a value of each byte, or for none.
        let mut room = self
            .values
            .get_mut(start..most)
            .unwrap_or_default()
            .iter_mut();
        let is_stored = room.len() > 0;
        let mut keep = |value| {
            if let Some(place) = room.next() {
                *place = value;
            }
        };
        let hash = match line.len() {
            1..LEAST_BYTES => short(line.as_bytes()),
            _ if is_word => words::pattern_of_word(line, keep),
            // The words of frames are names, and no frame is rare by them.
            _ if let Some(pattern) = alone => {
                keep(words::FRAME);
                pattern
            }
            // A number is of another sort than a name with digits.
            _ => words::pattern_of(line, &mut keep) ^ u64::from(is_number(line)),
        };
        let end = match is_stored {
            true => most - room.len(),
            false => start,
        };
        if let Some(place) = known.get(hash) {
            self.all[place].note(number, is_indented);
            return place as u32;
        }
        if self.all.len() == MOST {
            return NONE;
        }
        let place = self.all.len();
        known.insert(hash, place);
        self.all.push(Pattern {
            count: 1,
            indented: usize::from(is_indented),
            first: (number, line),
            last: number,
            hash,
            values: start..end,
        });
        self.stored = end;
        place as u32
    }

    /// Calls `each` with the values of a pattern's words and signs, as [`words::values`] does for a line.
    #[inline]
    pub fn values(&self, pattern: &Pattern<'_>, mut each: impl FnMut(u64)) {
        match &self.values[pattern.values.clone()] {
            [] => words::each_value(pattern.first.1, &mut each),
            values => values.iter().for_each(|value| each(*value)),
        }
    }

    /// The same as [`words::pattern_with_names`] of a line, by its number from 1: of most, the pattern tells it.
    /// `may_have_names`: tells whether the line [may have names](words::may_have_names).
    pub fn with_names(
        &self,
        number: usize,
        line: &str,
        may_have_names: impl FnOnce() -> bool,
    ) -> u64 {
        let pattern = self.of_line(number).map(|at| &self.all[at]);
        let has_no_names = |it: &Pattern<'_>| self.is_of_frames(it) || !may_have_names();
        let pattern = pattern.filter(|it| !it.is_short() && has_no_names(it));
        pattern.map_or_else(|| words::pattern_with_names(line), |it| it.hash)
    }

    /// Whether a line, by its number from 1, is a frame of a stack trace. Of later patterns, this is not known.
    pub fn is_frame(&self, number: usize) -> bool {
        let pattern = self.of_line(number);
        pattern.is_some_and(|at| self.is_of_frames(&self.all[at]))
    }

    fn is_of_frames(&self, pattern: &Pattern<'_>) -> bool {
        self.values[pattern.values.clone()] == [words::FRAME]
    }

    /// Whether a line that is not blank may have no pattern.
    pub fn are_full(&self) -> bool {
        self.all.len() == MOST
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
