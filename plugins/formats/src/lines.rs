//! Lines of a text.

use std::ops::Range;

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
        self.text.trim().is_empty()
    }
}

/// The line at `at`; empty at the end of the text.
pub(crate) fn line_at(text: &str, at: usize) -> Line<'_> {
    let rest = &text[at..];
    let (line, next) = match rest.find('\n') {
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
pub(crate) fn is_made_of<'p>(text: &str, pieces: impl IntoIterator<Item = &'p str>) -> bool {
    let is_ink = |c: &char| !c.is_whitespace();
    let written = pieces.into_iter().flat_map(str::chars).filter(is_ink);
    text.chars().filter(is_ink).eq(written)
}
