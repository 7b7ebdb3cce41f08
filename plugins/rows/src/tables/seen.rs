//! Common properties of the cells in one column.

use super::cells::is_scalar;
use super::columns::Cell;
use super::source::{Nodes, kind};

/// Shortest prefix that is worth its place in the header.
const SHORTEST_PREFIX: usize = 4;

/// Counts of the kinds of values in a column.
#[derive(Default)]
pub(crate) struct Seen {
    /// Rows that have a value.
    pub(crate) values: usize,
    pub(crate) missing: usize,
    pub(crate) nulls: usize,
    /// Numbers, `true` and `false`.
    pub(crate) scalars: usize,
    pub(crate) strings: usize,
    /// Strings that look like numbers, `true` or `false`.
    pub(crate) lookalikes: usize,
    pub(crate) arrays: usize,
    pub(crate) objects: usize,
}

impl Seen {
    pub(crate) fn of(nodes: Nodes<'_>, cells: &[Cell]) -> Seen {
        let mut seen = Seen::default();
        for cell in cells {
            let Some(node) = cell.value() else {
                seen.missing += usize::from(*cell == Cell::MISSING);
                continue;
            };
            seen.values += 1;
            match nodes.kind(node) {
                kind::NULL => seen.nulls += 1,
                kind::STRING => {
                    seen.strings += 1;
                    let body = &nodes.bytes(node)[1..];
                    if !body[0].is_ascii_alphabetic() || matches!(body[0], b't' | b'f') {
                        seen.lookalikes += usize::from(is_scalar(&body[..body.len() - 1]));
                    }
                }
                kind::ARRAY => seen.arrays += 1,
                kind::OBJECT => seen.objects += 1,
                _ => seen.scalars += 1,
            }
        }
        seen
    }
}

/// The value that every row has, except odd rows.
pub(crate) fn same_everywhere(nodes: Nodes<'_>, cells: &[Cell]) -> Option<u32> {
    let mut values = cells.iter().filter_map(|cell| cell.value());
    let first = values.next()?;
    let raw = nodes.bytes(first);
    values.all(|node| nodes.bytes(node) == raw).then_some(first)
}

/// The number of cells that repeat the cell above.
pub(crate) fn repeats(nodes: Nodes<'_>, cells: &[Cell]) -> usize {
    let mut above: &[u8] = &[];
    let mut count = 0;
    for cell in cells {
        match cell.value() {
            Some(node) => {
                let raw = nodes.bytes(node);
                count += usize::from(raw == above);
                above = raw;
            }
            None if *cell == Cell::SKIPPED => {}
            None => above = &[],
        }
    }
    count
}

/// Whether arrays all have the same length, of at most four.
pub(crate) fn is_short_tuple(nodes: Nodes<'_>, cells: &[Cell]) -> bool {
    let mut lengths = cells
        .iter()
        .filter_map(|cell| cell.value())
        .map(|node| (nodes.kind(node) == kind::ARRAY).then(|| nodes.children(node)));
    let Some(Some(first @ 2..=4)) = lengths.next() else {
        return false;
    };
    let mut more = 0;
    lengths.all(|length| {
        more += 1;
        length == Some(first)
    }) && more >= 1
}

/// The common beginning of all strings of a column, up to the end of a word.
pub(crate) fn common_prefix<'s>(nodes: Nodes<'s>, cells: &[Cell]) -> &'s str {
    let mut strings = cells
        .iter()
        .filter_map(|cell| cell.value())
        .filter(|node| nodes.kind(*node) == kind::STRING)
        .map(|node| nodes.body(node));
    let Some(first) = strings.next() else {
        return "";
    };
    let mut common = first;
    for body in strings {
        let same = common
            .bytes()
            .zip(body.bytes())
            .take_while(|(a, b)| a == b)
            .count();
        common = &first[..first.floor_char_boundary(same)];
        if common.len() < SHORTEST_PREFIX {
            return "";
        }
    }
    let end = common
        .bytes()
        .rposition(|byte| matches!(byte, b'/' | b'-' | b'_' | b'.' | b':' | b'#' | b'@'))
        .map_or(0, |at| at + 1);
    let prefix = &common[..end];
    // A prefix with escapes is rare, and hard to read.
    if end < SHORTEST_PREFIX
        || prefix.contains(['\\', '"', ',', ';', ']'])
        || prefix.starts_with(['[', '{', '~', '!', ' '])
    {
        return "";
    }
    prefix
}
