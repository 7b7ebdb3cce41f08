//! The selection of a question: a list of items that are written out only when they are shown.
//!
//! Owns the text of an item. Refuses to know how many items fit an answer.

use std::borrow::Cow;
use std::ops::Range;

use super::matches::Matches;
use super::path::Path;
use super::search::Hits;
use super::sql::Answer;
use super::view::{DocumentView, Locator};
use super::wording::shorten;
use super::{ReadError, Unit};
use crate::document::{Node, NodeKind, Tape};

pub(super) struct Selection<'v> {
    pub(super) unit: Unit,
    /// The number of items.
    pub(super) items: u64,
    /// The number of the first item: the first requested row is `from`.
    pub(super) first: u64,
    /// The total number in the document: more than `items` if a range was requested.
    pub(super) total: u64,
    /// Their origin, for the header.
    pub(super) origin: String,
    pub(super) content: Content<'v>,
}

pub(super) enum Content<'v> {
    /// One item: this text.
    Text(&'v str),
    /// Lines of a text, with its line breaks.
    Lines {
        text: &'v str,
        start: usize,
    },
    /// Elements of an array, from an index on, each on its own line.
    Rows {
        view: &'v DocumentView<'v>,
        first: Option<Node>,
        end: u32,
    },
    /// Items of a list in another notation than JSON, each ended by a line break.
    Items {
        text: &'v str,
        items: Vec<Range<usize>>,
    },
    /// Values anywhere.
    Values(Matches<'v>),
    Hits(Hits<'v>),
}

impl<'v> Selection<'v> {
    pub(super) fn whole(view: &'v DocumentView<'v>) -> Selection<'v> {
        Selection::text(view.text(), view.part.named())
    }

    fn text(text: &'v str, origin: String) -> Selection<'v> {
        Selection {
            unit: Unit::Characters,
            items: 1,
            first: 1,
            total: 1,
            origin,
            content: Content::Text(text),
        }
    }

    pub(super) fn lines(
        view: &'v DocumentView<'v>,
        from: u64,
        to: Option<u64>,
    ) -> Result<Selection<'v>, ReadError> {
        let text = view.text();
        let from = from.max(1);
        let total = count_lines(text);
        let to = range_end(Unit::Lines, from, to.map(|to| to.saturating_add(1)), total)?;
        let start = after_lines(text, from - 1);
        Ok(Selection {
            unit: Unit::Lines,
            items: to - from.min(to),
            first: from,
            total,
            origin: view.address(),
            content: Content::Lines { text, start },
        })
    }

    pub(super) fn rows(
        view: &'v DocumentView<'v>,
        array: Node,
        from: u64,
        to: Option<u64>,
    ) -> Result<Selection<'v>, ReadError> {
        let total = view.count(array);
        let to = range_end(Unit::Rows, from, to, total)?;
        let first = view
            .tape()
            .and_then(|tape| tape.elements(array).nth(usize::try_from(from).ok()?));
        Ok(Selection {
            unit: Unit::Rows,
            items: to - from.min(to),
            first: from,
            total,
            origin: view.part.with_path(&view.path_of(array)),
            content: Content::Rows {
                view,
                first,
                end: array.next,
            },
        })
    }

    /// Items of a list in another notation than JSON.
    pub(super) fn items(
        view: &'v DocumentView<'v>,
        items: Vec<Range<usize>>,
        from: u64,
        to: Option<u64>,
    ) -> Result<Selection<'v>, ReadError> {
        let total = items.len() as u64;
        let to = range_end(Unit::Rows, from, to, total)?;
        let skipped = usize::try_from(from).unwrap_or(usize::MAX);
        Ok(Selection {
            unit: Unit::Rows,
            items: to - from.min(to),
            first: from,
            total,
            origin: view.part.named(),
            content: Content::Items {
                text: view.text(),
                items: items.into_iter().skip(skipped).collect(),
            },
        })
    }

    /// The rows of a query's answer.
    pub(super) fn of_query(answer: &'v Answer) -> Result<Selection<'v>, ReadError> {
        let rows = Selection::items(&answer.view, answer.rows.clone(), 0, None)?;
        let origin = match answer.columns.as_str() {
            "" => "query".to_owned(),
            columns => format!("columns {columns}"),
        };
        const NOTES: usize = 3;
        let notes = answer.notes.iter().take(NOTES);
        let notes: String = notes.map(|note| format!("; {note}")).collect();
        let more = match answer.notes.len().saturating_sub(NOTES) {
            0 => String::new(),
            more => format!("; {more} more notes: ask of fewer columns"),
        };
        let origin = format!("{origin}{notes}{more}");
        Ok(Selection { origin, ..rows })
    }

    /// The matches of a path: one value in its own spelling, or a list.
    pub(super) fn values(
        view: &'v DocumentView<'v>,
        nodes: Vec<u32>,
        path: &'v Path,
    ) -> Selection<'v> {
        let note = path.note();
        let with_note = |origin: String| match &note {
            Some(note) => format!("{origin}; {note}"),
            None => origin,
        };
        if let &[single] = &nodes[..]
            && let Some(tape) = view.tape()
        {
            let node = tape.node(single);
            let origin = with_note(view.part.with_path(&view.path_of(node)));
            return Selection::text(view.spelling(node), origin);
        }
        let matches = Matches::new(view, path, nodes);
        let items = matches.len();
        Selection {
            unit: Unit::Matches,
            items,
            first: 1,
            total: items,
            origin: with_note(view.part.with_path(&path.to_string())),
            content: Content::Values(matches),
        }
    }

    /// The items from `item` on.
    pub(super) fn from(&self, item: u64) -> Box<dyn Iterator<Item = Cow<'_, str>> + '_> {
        let skipped = usize::try_from(item).unwrap_or(usize::MAX);
        let taken = usize::try_from(self.items.saturating_sub(item)).unwrap_or(usize::MAX);
        match &self.content {
            Content::Text(text) => Box::new(std::iter::once(Cow::Borrowed(*text)).skip(skipped)),
            Content::Lines { text, start } => {
                let rest = &text[*start..];
                let start = after_lines(rest, item);
                let lines = rest[start..].split_inclusive('\n');
                Box::new(lines.take(taken).map(Cow::Borrowed))
            }
            Content::Rows { view, first, end } => {
                let Some(tape) = view.tape() else {
                    return Box::new(std::iter::empty());
                };
                let after = |row: &Node| (row.next < *end).then(|| tape.node(row.next));
                let rows = std::iter::successors(*first, after).skip(skipped);
                Box::new(rows.take(taken).map(|row| line(&view.on_one_line(row))))
            }
            Content::Items { text, items } => {
                let items = items.iter().skip(skipped).take(taken);
                Box::new(items.map(|item| line(&text[item.clone()])))
            }
            Content::Values(matches) => Box::new(matches.from(skipped).map(Cow::Owned)),
            Content::Hits(hits) => {
                Box::new((item..self.items).map(|item| hits.write(item as usize)))
            }
        }
    }
}

fn line(text: &str) -> Cow<'static, str> {
    let mut line = String::with_capacity(text.len() + 1);
    line.push_str(text);
    line.push('\n');
    Cow::Owned(line)
}

/// The position after that many lines.
fn after_lines(text: &str, lines: u64) -> usize {
    let Some(last) = lines.checked_sub(1) else {
        return 0;
    };
    memchr::memchr_iter(b'\n', text.as_bytes())
        .nth(usize::try_from(last).unwrap_or(usize::MAX))
        .map_or(text.len(), |end| end + 1)
}

pub(super) fn count_lines(text: &str) -> u64 {
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
    breaks + u64::from(!text.is_empty() && !text.ends_with('\n'))
}

/// The end of a range, not included, and within the document. An empty document has an empty range, which is no
/// error if the range starts at the beginning.
fn range_end(unit: Unit, from: u64, to: Option<u64>, total: u64) -> Result<u64, ReadError> {
    let end = total + unit.first();
    if from >= end && !(total == 0 && from == unit.first()) {
        return Err(ReadError::PastEnd { unit, from, total });
    }
    match to {
        Some(to) if to <= from => Err(ReadError::EmptyRange {
            from,
            to: to - unit.first().min(to),
        }),
        Some(to) => Ok(to.min(end)),
        None => Ok(end),
    }
}

/// The main array of a value: itself, or the longest in bytes of those with two or more elements, or of any.
pub(super) fn main_array(tape: &Tape, value: Node) -> Option<Node> {
    if value.kind == NodeKind::Array {
        return Some(value);
    }
    let arrays = (value.index..value.next)
        .map(|index| tape.node(index))
        .filter(|node| node.kind == NodeKind::Array);
    // Of equals the first.
    arrays
        .rev()
        .max_by_key(|array| (array.children > 1, array.end - array.start))
}

/// Describes a node, and the first arrays in it.
pub(super) fn describe_arrays(view: &DocumentView<'_>, node: Node) -> String {
    const LISTED: usize = 5;
    let mut there = view.description(node);
    let Some(tape) = view.tape() else {
        return there;
    };
    let mut locator = Locator::new(view);
    let arrays = (node.index..node.next)
        .map(|index| tape.node(index))
        .filter(|node| node.kind == NodeKind::Array);
    let listed: Vec<String> = arrays
        .take(LISTED)
        .map(|array| shorten(&locator.path(array.index)).into_owned())
        .collect();
    if listed.is_empty() {
        there.push_str(" with no array in it");
    } else {
        there.push_str(&format!("; arrays in it: {}", listed.join(" ")));
    }
    there
}
