//! The lines of a text, and which signs are in each: both are found in one pass over the text.
//!
//! Many passes read the lines, and each looks for lines of its own, which few are. Most of these have a sign that other
//! lines lack: a report of a compiler has a colon, a definition a blank. So each line is kept with a bit for each of
//! sixteen classes of bytes that it has, and a pass leaves out the lines that lack its signs without a look at their bytes,
//! which costs next to nothing, however short the lines are. Lines that are empty are left out as well: a gap between the
//! numbers of lines stands for them.
//!
//! Owns the classes. Refuses to know what a sign means.

use crate::source::{Numbered, without_number};
use std::slice::Iter;
use tamis_formats::Sixteen;

/// A line, and the signs in it.
#[derive(Clone, Copy)]
pub struct Line<'t> {
    pub text: &'t str,
    pub signs: Signs,
    /// Its number in its text, from 1; 0 of a line by itself.
    pub number: u32,
}

impl<'t> Line<'t> {
    /// A line with its number.
    pub fn new(number: u32, text: &'t str) -> Line<'t> {
        Line {
            number,
            ..Line::from(text)
        }
    }
}

impl<'t> From<&'t str> for Line<'t> {
    fn from(text: &'t str) -> Line<'t> {
        let (mut seen, tables) = (Seen::default(), tables());
        let mut at = 0;
        while at < text.len() {
            seen.add(Seen::of(block(text.as_bytes(), at), tables));
            at += 16;
        }
        Line {
            text,
            signs: seen.signs(),
            number: 0,
        }
    }
}

/// The classes of bytes that are in a line. Each byte is of one class, but letters of ASCII are of none.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Signs(u16);

impl Signs {
    /// Of letters alone.
    pub const NONE: Signs = Signs(0);
    /// Those of lines that are not known.
    pub const ALL: Signs = Signs(u16::MAX);
    /// A blank, but no tab.
    pub const BLANK: Signs = Signs(1);
    pub const DIGIT: Signs = Signs(1 << 1);
    pub const COLON: Signs = Signs(1 << 2);
    pub const EQUALS: Signs = Signs(1 << 3);
    /// `.` and `/`
    pub const OF_PATHS: Signs = Signs(1 << 5);
    /// `"`
    pub const QUOTE: Signs = Signs(1 << 6);
    /// Control characters, as tabs are, and all characters that are not of ASCII.
    pub const OTHER: Signs = Signs(1 << 7);
    /// `<`, `>` and `?`
    pub const ANGLE: Signs = Signs(1 << 8);
    /// `|` and `\`
    pub const BAR: Signs = Signs(1 << 9);
    /// `[`, `]`, `{` and `}`
    pub const BRACKET: Signs = Signs(1 << 10);
    /// `!` and `#`
    pub const MARK: Signs = Signs(1 << 11);
    /// `,` and `-`, and `$`, `%`, `&`, `'`, `*` and `+`
    pub const COMMA: Signs = Signs(1 << 12);
    /// A backtick, and `@`
    pub const TICK: Signs = Signs(1 << 14);
    /// `~`, `^`, `_`, and the character for deletion
    pub const TILDE: Signs = Signs(1 << 15);
    /// White space, or another character.
    pub const SPACE: Signs = Signs::BLANK.or(Signs::OTHER);

    /// Both.
    pub const fn or(self, other: Signs) -> Signs {
        Signs(self.0 | other.0)
    }

    /// Whether one of these is among them.
    #[inline]
    pub fn have(self, any: Signs) -> bool {
        self.0 & any.0 != 0
    }
}

/// Of each class, a bit for each half that the higher one of its bytes may be, and for each that the lower one may be: all
/// bytes of such halves are of the class. In the order of their bits: no pass looks for parentheses or semicolons.
const CLASSES: [(u16, u16); 16] = {
    const fn bits(halves: &[u8]) -> u16 {
        let (mut bits, mut at) = (0, 0);
        while at < halves.len() {
            bits |= 1 << halves[at];
            at += 1;
        }
        bits
    }
    [
        (bits(&[2]), bits(&[0])),
        (bits(&[3]), bits(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9])),
        (bits(&[3]), bits(&[0xa])),
        (bits(&[3]), bits(&[0xd])),
        (bits(&[2]), bits(&[8, 9])),
        (bits(&[2]), bits(&[0xe, 0xf])),
        (bits(&[2]), bits(&[2])),
        (bits(&[0, 1, 8, 9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf]), u16::MAX),
        (bits(&[3]), bits(&[0xc, 0xe, 0xf])),
        (bits(&[5, 7]), bits(&[0xc])),
        (bits(&[5, 7]), bits(&[0xb, 0xd])),
        (bits(&[2]), bits(&[1, 3])),
        (bits(&[2]), bits(&[4, 5, 6, 7, 0xa, 0xb, 0xc, 0xd])),
        (bits(&[3]), bits(&[0xb])),
        (bits(&[4, 6]), bits(&[0])),
        (bits(&[5, 7]), bits(&[0xe, 0xf])),
    ]
};

/// The classes of the lower halves, then of the higher ones: the first eight classes, then the others.
static TABLES: [[[u8; 16]; 2]; 2] = {
    let mut tables = [[[0; 16]; 2]; 2];
    let mut class = 0;
    while class < CLASSES.len() {
        let (high, low) = CLASSES[class];
        let mut half = 0;
        while half < 16 {
            tables[class / 8][0][half] |= ((low >> half & 1) as u8) << (class % 8);
            tables[class / 8][1][half] |= ((high >> half & 1) as u8) << (class % 8);
            half += 1;
        }
        class += 1;
    }
    tables
};

/// [`TABLES`], to look at sixteen bytes at once.
type Tables = [[Sixteen; 2]; 2];

#[inline]
fn tables() -> Tables {
    TABLES
        .each_ref()
        .map(|halves| halves.each_ref().map(Sixteen::of))
}

/// The classes of bytes: of each place, the first eight, and the others.
#[derive(Clone, Copy)]
struct Seen([Sixteen; 2]);

impl Default for Seen {
    #[inline]
    fn default() -> Seen {
        Seen([Sixteen::of_parts(0, 0); 2])
    }
}

impl Seen {
    #[inline]
    fn of(block: Sixteen, tables: Tables) -> Seen {
        Seen(tables.map(|[low, high]| block.classes(low, high)))
    }

    #[inline]
    fn add(&mut self, Seen([first, others]): Seen) {
        self.0 = [self.0[0].or(first), self.0[1].or(others)];
    }

    #[inline]
    fn within(self, from: usize, to: usize) -> Seen {
        Seen(self.0.map(|bytes| bytes.within(from, to)))
    }

    /// The classes of all places.
    #[inline]
    fn signs(self) -> Signs {
        // Letters alone.
        if self.0[0].or(self.0[1]).are(0) == 0xffff {
            return Signs::NONE;
        }
        let [first, others] = self.0.map(|bytes| {
            let [low, high] = bytes.parts();
            (low | high) as u32 | ((low | high) >> 32) as u32
        });
        let all = u64::from(first) | u64::from(others) << 32;
        let all = all | all >> 16;
        let all = all | all >> 8;
        Signs((all & 0xff) as u16 | (all >> 24) as u16 & 0xff00)
    }
}

/// Sixteen bytes from `at`. Behind the end are letters, which are of no class.
#[inline]
fn block(bytes: &[u8], at: usize) -> Sixteen {
    let rest = &bytes[at..];
    match rest.first_chunk() {
        Some(block) => Sixteen::of(block),
        None => {
            let mut last = [b'a'; 16];
            last[..rest.len()].copy_from_slice(rest);
            Sixteen::of(&last)
        }
    }
}

/// The lines of a text, as [`str::lines`] gives them, of which at most so many are kept.
#[inline(never)]
pub fn split(text: &str, most: usize) -> Lines<'_> {
    let bytes = text.as_bytes();
    // An estimate: the list grows if lines are shorter.
    let mut lines = Lines {
        filled: Vec::with_capacity((text.len() / 32).min(most)),
        signs: Signs::NONE,
        count: 0,
        rest: "",
        numbered: Vec::new(),
    };
    let (mut start, mut seen, tables) = (0, Seen::default(), tables());
    let mut at = 0;
    while at < bytes.len() {
        let block = block(bytes, at);
        let found = Seen::of(block, tables);
        let (mut breaks, mut from) = (block.are(b'\n'), 0);
        while breaks != 0 {
            let place = breaks.trailing_zeros() as usize;
            if lines.count == most {
                lines.leave(&text[start..]);
                return lines;
            }
            if start < at + place {
                seen.add(found.within(from, place));
                lines.push(&text[start..at + place], seen.signs());
                seen = Seen::default();
            } else {
                lines.count += 1;
            }
            (start, from) = (at + place + 1, place + 1);
            breaks &= breaks - 1;
        }
        seen.add(match from {
            0 => found,
            _ => found.within(from, 16),
        });
        at += 16;
    }
    match &text[start..] {
        "" => {}
        rest if lines.count == most => lines.leave(rest),
        last => {
            lines.count += 1;
            lines.keep(last, seen.signs());
        }
    }
    lines.filled.shrink_to_fit();
    lines
}

/// The lines of a text.
pub struct Lines<'t> {
    /// The first ones that are not empty.
    pub filled: Vec<Line<'t>>,
    /// All signs that lines have, and perhaps others.
    pub signs: Signs,
    /// The number of the first ones.
    count: usize,
    /// The text after these: its lines are found each time.
    pub rest: &'t str,
    /// The blocks of lines that are read without a number before them.
    pub numbered: Vec<Numbered>,
}

impl<'t> Lines<'t> {
    /// Adds a line, with its carriage return if it has one.
    #[inline]
    fn push(&mut self, text: &'t str, signs: Signs) {
        self.count += 1;
        let without = match signs.have(Signs::OTHER) {
            true => text.strip_suffix('\r'),
            false => None,
        };
        match without {
            Some("") => {}
            Some(text) => self.keep(text, Line::from(text).signs),
            None => self.keep(text, signs),
        }
    }

    /// Keeps no line of the rest of the text.
    fn leave(&mut self, rest: &'t str) {
        (self.rest, self.signs) = (rest, Signs::ALL);
    }

    #[inline]
    fn keep(&mut self, text: &'t str, signs: Signs) {
        self.signs = self.signs.or(signs);
        self.filled.push(Line {
            text,
            signs,
            number: self.count as u32,
        });
    }

    /// The same lines, if all are kept, with other texts.
    pub fn with(&self, filled: Vec<Line<'t>>) -> Lines<'t> {
        Lines {
            filled,
            signs: self.signs,
            count: self.count,
            rest: "",
            numbered: Vec::new(),
        }
    }

    /// The number of all lines.
    pub fn count(&self) -> usize {
        self.count + self.rest.lines().count()
    }

    /// All lines, each with its number.
    #[inline]
    pub fn all(&self) -> All<'_, 't> {
        self.all_after(0)
    }

    /// Those after the first ones, of which there are so many.
    #[inline(never)]
    pub fn all_after(&self, number: usize) -> All<'_, 't> {
        let place = number.min(self.count);
        let is_before = |line: &Line<'_>| line.number as usize <= place;
        let first = self.filled.partition_point(is_before);
        let mut all = All {
            lines: &self.filled[first..],
            place,
            count: self.count,
            rest: Rest::of(self),
        };
        if number > place {
            all.nth(number - place - 1);
        }
        all
    }

    /// The lines that are not empty, each with its number; none, if none of them has one of these signs.
    #[inline]
    pub fn filled_with(&self, any: Signs) -> Filled<'_, 't> {
        let kept = if self.signs.have(any) {
            &self.filled[..]
        } else {
            &[]
        };
        Filled {
            lines: kept.iter(),
            rest: Rest::of(self),
        }
    }

    /// The lines that are not empty, each with its number.
    #[inline]
    pub fn filled(&self) -> Filled<'_, 't> {
        Filled {
            lines: self.filled.iter(),
            rest: Rest::of(self),
        }
    }
}

/// All lines, in order.
#[derive(Clone)]
pub struct All<'s, 't> {
    lines: &'s [Line<'t>],
    /// The number of the line before.
    place: usize,
    count: usize,
    rest: Rest<'s, 't>,
}

impl<'t> Iterator for All<'_, 't> {
    type Item = (usize, &'t str);

    #[inline]
    fn next(&mut self) -> Option<(usize, &'t str)> {
        let place = self.place + 1;
        let text = match self.lines {
            [line, rest @ ..] if line.number as usize == place => {
                self.lines = rest;
                line.text
            }
            _ if place > self.count => return self.rest.next(),
            _ => "",
        };
        self.place = place;
        Some((place, text))
    }

    fn nth(&mut self, number: usize) -> Option<(usize, &'t str)> {
        let kept = number.min(self.count - self.place);
        self.place += kept;
        let near = &self.lines[..kept.min(self.lines.len())];
        let is_before = |line: &Line<'_>| line.number as usize <= self.place;
        self.lines = &self.lines[near.partition_point(is_before)..];
        for _ in kept..number {
            self.rest.next();
        }
        self.next()
    }
}

/// The texts of all lines, in order.
#[derive(Clone)]
pub struct Texts<'s, 't>(pub All<'s, 't>);

impl<'t> Iterator for Texts<'_, 't> {
    type Item = &'t str;

    #[inline]
    fn next(&mut self) -> Option<&'t str> {
        self.0.next().map(|(_, line)| line)
    }

    fn nth(&mut self, number: usize) -> Option<&'t str> {
        self.0.nth(number).map(|(_, line)| line)
    }
}

/// The lines that are not empty, in order.
#[derive(Clone)]
pub struct Filled<'s, 't> {
    lines: Iter<'s, Line<'t>>,
    rest: Rest<'s, 't>,
}

impl<'t> Iterator for Filled<'_, 't> {
    type Item = (usize, Line<'t>);

    #[inline]
    fn next(&mut self) -> Option<(usize, Line<'t>)> {
        match self.lines.next() {
            Some(line) => Some((line.number as usize, *line)),
            None => self.rest.next_filled(),
        }
    }
}

/// The lines that are not kept.
#[derive(Clone)]
struct Rest<'s, 't> {
    lines: std::str::Lines<'t>,
    /// The number of the line before.
    place: usize,
    numbered: &'s [Numbered],
}

impl<'s, 't> Rest<'s, 't> {
    fn of(lines: &'s Lines<'t>) -> Rest<'s, 't> {
        Rest {
            lines: lines.rest.lines(),
            place: lines.count,
            numbered: &lines.numbered,
        }
    }

    #[cold]
    #[inline(never)]
    fn next(&mut self) -> Option<(usize, &'t str)> {
        let line = self.lines.next()?;
        self.place += 1;
        Some((self.place, without_number(self.place, line, self.numbered)))
    }

    #[cold]
    #[inline(never)]
    fn next_filled(&mut self) -> Option<(usize, Line<'t>)> {
        loop {
            let (place, text) = self.next()?;
            if !text.is_empty() {
                return Some((place, Line::from(text)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn classes(byte: u8) -> u16 {
        let is = |any: &[u8]| any.contains(&byte);
        let all = [
            is(b" "),
            byte.is_ascii_digit(),
            is(b":"),
            is(b"="),
            is(b"()"),
            is(b"./"),
            is(b"\""),
            byte < b' ' || !byte.is_ascii(),
            is(b"<>?"),
            is(b"|\\"),
            is(b"[]{}"),
            is(b"!#"),
            is(b",-$%&'*+"),
            is(b";"),
            is(b"`@"),
            is(b"~^_\x7f"),
        ];
        (0..)
            .zip(all)
            .fold(0, |signs, (at, is)| signs | u16::from(is) << at)
    }

    fn signs(text: &str) -> u16 {
        text.bytes().fold(0, |signs, byte| signs | classes(byte))
    }

    #[test]
    fn each_byte_has_its_classes() {
        for byte in 0..128u8 {
            let text = String::from(char::from(byte));
            assert_eq!(Line::from(&*text).signs.0, classes(byte), "{text:?}");
            assert_eq!(
                classes(byte).count_ones(),
                u32::from(!byte.is_ascii_alphabetic())
            );
        }
        for text in ["", "é", "✓", "\u{10ffff}"] {
            assert_eq!(Line::from(text).signs.0, signs(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_standard_library(text in "([ -~\té\r]{0,20}\r?\n){0,9}.{0,40}", most in 0usize..12) {
            let lines = split(&text, most);
            let all: Vec<&str> = text.lines().collect();
            prop_assert_eq!(&all, &lines.all().map(|(_, line)| line).collect::<Vec<_>>());
            prop_assert_eq!(lines.count(), all.len());
            prop_assert_eq!(lines.count, all.len().min(most));
            for first in 0..=all.len() + 1 {
                let place = lines.all().nth(first);
                prop_assert_eq!(place, lines.all_after(first).next());
                prop_assert_eq!(place, all.get(first).map(|line| (first + 1, *line)));
            }
            let filled = lines.filled().map(|(number, line)| (number, line.text));
            let expected = (1..).zip(all.iter().copied()).filter(|(_, line)| !line.is_empty());
            prop_assert_eq!(filled.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
            for (_, line) in lines.filled() {
                prop_assert_eq!(line.signs.0, signs(line.text));
                prop_assert_eq!(Line::from(line.text).signs.0, signs(line.text));
            }
        }
    }
}
