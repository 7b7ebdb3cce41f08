//! Texts inside JSON: a string of its own, or a list of strings that are lines of one text.
//!
//! Owns what is a text, and which one a reader needs first. Refuses to know how a text is told.

use crate::outline::{Outline, Step};
use crate::shapes;
use crate::telling;
use std::borrow::Cow;
use tamis_sdk::{Document, NodeKind};

/// Characters that the strings of a list have at least, if they are lines of a text.
const LEAST_CHARACTERS: u64 = 160;

/// Which text is needed first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Its key says that it is about a failure.
    Failure,
    /// Some of its lines look like errors.
    Errors,
    Other,
}

/// Whether the list at a place has strings that are lines of one text: words with blanks between them.
pub fn is_lines(outline: &Outline<'_>, at: usize) -> bool {
    let Some(row) = outline.rows(at) else {
        return false;
    };
    let field = &outline.fields[row];
    let tally = &field.tally;
    let is_list = field.step == Step::Each && tally.strings == tally.values();
    let is_known = matches!(outline.fields[at].step, Step::Member(key) if telling::is_failure(key));
    is_list
        && (is_known || (2 * tally.spaced >= tally.strings && tally.characters >= LEAST_CHARACTERS))
        // Values that repeat are told by their counts.
        && tally.counts().is_none_or(|counts| 2 * counts.len() > tally.strings as usize)
}

/// The text at a place, and of how many strings it is made. None if there is no text.
pub fn text<'d>(
    document: &'d Document,
    outline: &Outline<'d>,
    at: usize,
) -> Option<(Cow<'d, str>, u32)> {
    let node = outline.fields[at].first;
    let (text, strings) = match node.kind() {
        NodeKind::String => (document.string(node)?, 1),
        NodeKind::Array => {
            let lines: Vec<_> = node
                .elements()
                .filter_map(|line| document.string(line))
                .collect();
            let lines: Vec<&str> = lines
                .iter()
                .map(|line| line.strip_suffix('\n').unwrap_or(line))
                .collect();
            (Cow::Owned(lines.join("\n")), node.children())
        }
        _ => return None,
    };
    Some((without_escapes(text), strings))
}

/// How much a text is needed. `text`: what [`text`] gave.
pub fn need(outline: &Outline<'_>, at: usize, text: &str) -> Need {
    let mut steps = outline.steps(crate::outline::ROOT, at);
    steps.retain(|step| matches!(step, Step::Member(_)));
    if matches!(steps.last(), Some(Step::Member(key)) if telling::is_failure(key)) {
        return Need::Failure;
    }
    if shapes::is_failure(text) {
        Need::Errors
    } else {
        Need::Other
    }
}

/// A text without the escape sequences of a terminal: `ESC [ … letter`.
pub fn without_escapes(text: Cow<'_, str>) -> Cow<'_, str> {
    const ESCAPE: char = '\u{1b}';
    if !text.contains(ESCAPE) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find(ESCAPE) {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(sequence) = rest.strip_prefix('[') {
            let parameters = sequence
                .bytes()
                .take_while(|it| (0x20..0x40).contains(it))
                .count();
            let ends = sequence[parameters..].starts_with(|c: char| ('@'..='~').contains(&c));
            rest = &sequence[parameters + usize::from(ends)..];
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::without_escapes;

    #[test]
    fn colours_are_taken_out() {
        for (text, expected) in [
            ("plain", "plain"),
            ("\u{1b}[0;31mValueError\u{1b}[0m: x", "ValueError: x"),
            ("a\u{1b}[", "a"),
            ("a\u{1b}[12", "a"),
            ("\u{1b}é\u{1b}[é", "éé"),
            ("\u{1b}\u{1b}[1mx", "x"),
        ] {
            assert_eq!(without_escapes(text.into()), expected);
        }
    }
}
