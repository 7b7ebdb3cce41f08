//! Texts inside JSON: one string, or a list of strings that are lines of one text.
//!
//! Owns the definition of a text, and which one a reader needs first. Refuses to know how a text is summarised.

use crate::outline::{Outline, Step};
use crate::shapes;
use crate::telling;
use std::borrow::Cow;
use tamis_formats::as_shown;
use tamis_sdk::{Document, Node, NodeKind};

/// Fewest characters of the strings in a list that are lines of a text.
const LEAST_CHARACTERS: u64 = 160;

/// The urgency of a text or a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Its key is about a failure.
    Failure,
    /// Some of its lines or values look like errors.
    Errors,
    /// Some of its values are rare.
    Rare,
    Other,
}

/// The only member of all rows of a list, if all are strings of one line: `QUERY PLAN` of a database.
fn only_member(outline: &Outline<'_>, row: usize) -> Option<usize> {
    let field = &outline.fields[row];
    let ([member], Step::Each) = (&field.children[..], field.step) else {
        return None;
    };
    let (rows, members) = (&field.tally, &outline.fields[*member].tally);
    let are_all = rows.objects == rows.values() && members.strings == rows.objects;
    let is_only = are_all && members.values() == rows.objects;
    let list = outline.fields[field.parent].first;
    (is_only && !outline.raw(list).contains("\\n")).then_some(*member)
}

/// The path in a row of its only member, if that member is a line of a text.
pub fn member(outline: &Outline<'_>, at: usize) -> Option<String> {
    let row = outline.rows(at)?;
    only_member(outline, row).map(|member| outline.path(row, member))
}

/// Whether the list at a place has lines of one text: words with blanks between them, also as the only member of rows.
pub fn is_lines(outline: &Outline<'_>, at: usize) -> bool {
    let Some(row) = outline.rows(at) else {
        return false;
    };
    let member = only_member(outline, row);
    let field = &outline.fields[member.unwrap_or(row)];
    let tally = &field.tally;
    let is_list = member.is_some() || field.step == Step::Each && tally.strings == tally.values();
    let is_known = matches!(outline.fields[at].step, Step::Member(key) if telling::is_failure(key));
    is_list
        && (is_known || (2 * tally.spaced >= tally.strings && tally.characters >= LEAST_CHARACTERS))
        // Counts describe repeated values.
        && tally.counts().is_none_or(|counts| 2 * counts.len() > tally.strings as usize)
}

/// A text inside JSON, without escapes of terminals.
pub struct Text<'d> {
    pub content: Cow<'d, str>,
    /// The number of strings that are its lines; 1 for a single one.
    pub strings: u32,
}

/// The text at a place. None without a text.
pub fn text<'d>(document: &'d Document, outline: &Outline<'d>, at: usize) -> Option<Text<'d>> {
    let node = outline.fields[at].first;
    let (text, strings) = match node.kind() {
        NodeKind::String => (document.string(node)?, 1),
        NodeKind::Array => {
            let line = |element: Node<'d>| match element.kind() {
                NodeKind::Object => element.members().next().map_or(element, |(_, line)| line),
                _ => element,
            };
            let lines: Vec<_> = node
                .elements()
                .filter_map(|element| document.string(line(element)))
                .collect();
            let lines: Vec<&str> = lines
                .iter()
                .map(|line| line.strip_suffix('\n').unwrap_or(line))
                .collect();
            (Cow::Owned(lines.join("\n")), node.children())
        }
        _ => return None,
    };
    let content = match as_shown(&text) {
        Cow::Owned(plain) => Cow::Owned(plain),
        Cow::Borrowed(_) => text,
    };
    Some(Text { content, strings })
}

/// The urgency of a text. `text`: its content.
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
