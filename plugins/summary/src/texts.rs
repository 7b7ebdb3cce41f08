//! Texts inside JSON: a string of its own, or a list of strings that are lines of one text.
//!
//! Owns what is a text, and which one a reader needs first. Refuses to know how a text is told.

use crate::outline::{Outline, Step};
use crate::shapes;
use crate::telling;
use std::borrow::Cow;
use tamis_formats::without_escapes;
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
    let plain = match without_escapes(&text) {
        Cow::Owned(plain) => Cow::Owned(plain),
        Cow::Borrowed(_) => text,
    };
    Some((plain, strings))
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
