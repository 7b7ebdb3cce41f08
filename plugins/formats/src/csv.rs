//! CSV and TSV.
//!
//! Owns RFC 4180: a record a line, quotes around cells, two quotes for one inside. Layout is the choice of quoted
//! cells, and the line breaks. White space is content. Refuses tables without a header, and ragged ones.

use crate::table::{Header, Table};
use crate::words;
use crate::{Format, Found};
use std::borrow::Cow;

/// Reads the table at `at`, with cells between `separator`.
pub(crate) fn read(text: &str, at: usize, separator: u8) -> Option<Found> {
    let mut cells = Vec::new();
    let mut next = record(text, at, separator, &mut cells)?;
    // `12K` could be a value.
    if cells
        .iter()
        .any(|cell| cell.starts_with(|c: char| c.is_ascii_digit()))
    {
        return None;
    }
    let mut table = Table::new(
        cells.iter().map(|cell| &**cell),
        text.len() - at,
        Header::Likely,
    )?;
    let mut end = next;
    // A blank line ends the table.
    while next < text.len() && !is_blank_at(text, next) {
        let start = next;
        next = record(text, start, separator, &mut cells)?;
        end = line_end(text, start, next);
        let source = &text[start..end];
        // Without quotes, the cells are parts of the source.
        if source.contains('"') && !is_written(source, &cells, separator) {
            return None;
        }
        table.push(&cells, start..end)?;
    }
    let format = if separator == b'\t' {
        Format::Tsv
    } else {
        Format::Csv
    };
    table.has_header().then_some(())?;
    table.finish(format, at..end)
}

fn is_blank_at(text: &str, at: usize) -> bool {
    matches!(&text.as_bytes()[at..], [b'\n', ..] | [b'\r', b'\n', ..])
}

/// The end, without the line break, of the record from `start` on. The next one begins at `next`.
fn line_end(text: &str, start: usize, next: usize) -> usize {
    let record = &text[start..next];
    let record = record.strip_suffix('\n').unwrap_or(record);
    start + record.strip_suffix('\r').unwrap_or(record).len()
}

/// Reads the record at `at`, and returns the start of the next one.
fn record<'t>(
    text: &'t str,
    at: usize,
    separator: u8,
    cells: &mut Vec<Cow<'t, str>>,
) -> Option<usize> {
    cells.clear();
    let bytes = text.as_bytes();
    let mut at = at;
    loop {
        let start = at;
        if bytes.get(at) == Some(&b'"') {
            let mut cell = Cow::Borrowed("");
            loop {
                let from = at + 1;
                at = from + bytes[from..].iter().position(|byte| *byte == b'"')?;
                cell += &text[from..at];
                at += 1;
                if bytes.get(at) != Some(&b'"') {
                    break;
                }
                cell += "\"";
            }
            cells.push(cell);
        } else {
            let is_end = |word| {
                let breaks = words::has(word, b'\n') | words::has(word, b'\r');
                words::has(word, separator) | breaks | words::has(word, b'"')
            };
            at += words::position(&bytes[at..], is_end).unwrap_or(bytes.len() - at);
            cells.push(Cow::Borrowed(&text[start..at]));
        }
        match bytes.get(at) {
            None => return Some(at),
            Some(b'\n') => return Some(at + 1),
            Some(b'\r') if bytes.get(at + 1) == Some(&b'\n') => return Some(at + 2),
            Some(byte) if *byte == separator => at += 1,
            Some(_) => return None,
        }
    }
}

/// Whether cells, written as a record, are the source.
fn is_written(source: &str, cells: &[Cow<'_, str>], separator: u8) -> bool {
    let mut rest = source;
    for (place, cell) in cells.iter().enumerate() {
        if place > 0 {
            let Some(after) = rest.strip_prefix(char::from(separator)) else {
                return false;
            };
            rest = after;
        }
        let after = match rest.strip_prefix('"') {
            None => rest.strip_prefix(&**cell),
            Some(inside) => {
                let quoted = cell.split('"').enumerate();
                let mut inside = Some(inside);
                for (place, part) in quoted {
                    let between = if place > 0 { "\"\"" } else { "" };
                    inside = inside
                        .and_then(|rest| rest.strip_prefix(between))
                        .and_then(|rest| rest.strip_prefix(part));
                }
                inside.and_then(|rest| rest.strip_prefix('"'))
            }
        };
        let Some(after) = after else { return false };
        rest = after;
    }
    rest.is_empty()
}
