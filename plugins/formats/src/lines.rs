//! Lines of a text.

use memchr::{Memchr, memchr_iter};
use std::ops::Range;

/// The lines of a text, as [`str::lines`] gives them, found quicker.
#[derive(Clone)]
pub struct Lines<'t> {
    text: &'t str,
    at: usize,
    breaks: Memchr<'t>,
}

impl<'t> Lines<'t> {
    pub fn of(text: &'t str) -> Lines<'t> {
        Lines {
            text,
            at: 0,
            breaks: memchr_iter(b'\n', text.as_bytes()),
        }
    }

    /// The text after the lines so far.
    pub fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }
}

impl<'t> Iterator for Lines<'t> {
    type Item = &'t str;

    #[inline]
    fn next(&mut self) -> Option<&'t str> {
        if let Some(end) = self.breaks.next() {
            let line = &self.text[self.at..end];
            self.at = end + 1;
            return Some(line.strip_suffix('\r').unwrap_or(line));
        }
        let last = self.rest();
        self.at = self.text.len();
        (!last.is_empty()).then_some(last)
    }

    fn count(self) -> usize {
        let is_open = !self.rest().is_empty() && !self.text.ends_with('\n');
        self.breaks.count() + usize::from(is_open)
    }
}

/// One line.
#[derive(Clone, Copy)]
pub(crate) struct Line<'t> {
    /// Without its line break.
    pub(crate) text: &'t str,
    pub(crate) start: usize,
    /// The start of the next line.
    pub(crate) next: usize,
}

impl Line<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end()
    }

    pub(crate) fn is_blank(&self) -> bool {
        match self.text.bytes().find(|byte| *byte != b' ') {
            None => true,
            // Most lines have such a sign.
            Some(b'!'..=b'~') => false,
            Some(_) => self.text.trim().is_empty(),
        }
    }
}

/// The line at `at`; empty at the end of the text.
pub(crate) fn line_at(text: &str, at: usize) -> Line<'_> {
    let rest = &text[at..];
    let (line, next) = match memchr::memchr(b'\n', rest.as_bytes()) {
        Some(end) => (&rest[..end], at + end + 1),
        None => (rest, text.len()),
    };
    Line {
        text: line.strip_suffix('\r').unwrap_or(line),
        start: at,
        next,
    }
}

/// Whether a text consists of these pieces, ignoring white space.
#[inline(never)]
pub(crate) fn is_made_of(text: &str, pieces: &[&str]) -> bool {
    // Most are parts of the text, in their order, and have blanks between them.
    let are_blank = |from: usize, to: usize| {
        let between = text.as_bytes().get(from..to);
        between.is_some_and(|between| between.iter().all(|byte| *byte == b' '))
    };
    let mut end = Some(0);
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        let start = piece.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
        let next = start.wrapping_add(piece.len());
        end = end
            .filter(|end| next <= text.len() && are_blank(*end, start))
            .map(|_| next);
    }
    if end.is_some_and(|end| are_blank(end, text.len())) {
        return true;
    }
    let is_ink = |c: &char| !c.is_whitespace();
    let written = pieces.iter().flat_map(|piece| piece.chars()).filter(is_ink);
    text.chars().filter(is_ink).eq(written)
}

/// The line above the one that begins at `at`, without its end; empty above the first.
pub(crate) fn line_above(text: &str, at: usize) -> &str {
    let above = text[..at].strip_suffix('\n').unwrap_or_default();
    let above = &above[above.rfind('\n').map_or(0, |end| end + 1)..];
    above.strip_suffix('\r').unwrap_or(above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_are_those_of_a_text_without_its_blanks(text in "[ab  \t\u{a0}]{0,12}", pieces in prop::collection::vec("[ab ]{0,4}", 0..4)) {
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let ink = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let expected = ink(&text) == ink(&pieces.concat());
            prop_assert_eq!(is_made_of(&text, &pieces), expected);
            prop_assert!(is_made_of(&pieces.join("  "), &pieces));
        }

        #[test]
        fn lines_are_those_of_the_standard_library(text in "[a\r\né ]{0,60}", count in 0usize..20) {
            let all: Vec<&str> = Lines::of(&text).collect();
            prop_assert_eq!(&all, &text.lines().collect::<Vec<_>>());
            prop_assert_eq!(Lines::of(&text).count(), all.len());
            let mut lines = Lines::of(&text);
            let first: Vec<&str> = lines.by_ref().take(count).collect();
            let after: Vec<&str> = lines.rest().lines().collect();
            let counted = Lines::of(&text).skip(count).count();
            prop_assert_eq!(counted, after.len());
            prop_assert_eq!([first, after].concat(), all);
        }
    }
}
