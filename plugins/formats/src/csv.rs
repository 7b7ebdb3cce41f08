//! CSV and TSV.
//!
//! Owns RFC 4180: a record a line, quotes around cells, two quotes for one inside. Layout is the choice of quoted
//! cells, and the line breaks. White space is content, but for blanks that put the cells of TSV below each other.
//! Refuses tables without a header, and ragged ones.

use crate::table::{Header, Table};
use crate::words;
use crate::{Format, Found};
use std::borrow::Cow;
use std::ops::Range;

/// Reads the table at `at`, with cells between `separator`.
pub(crate) fn read(text: &str, at: usize, separator: u8) -> Option<Found> {
    let mut cells = Vec::new();
    let mut next = cells_at(text, at, separator, &mut cells)?;
    // `12K` could be a value.
    if cells.iter().any(|cell| cell.starts_with(is_digit)) {
        return None;
    }
    let header = header(&cells[0]);
    // Blanks before the tabs put the cells below each other.
    let is_padded = separator == b'\t' && cells.iter().any(|cell| cell.ends_with(' '));
    let names = cells.iter().map(|cell| match is_padded {
        true => cell.trim_end_matches(' '),
        false => &**cell,
    });
    let mut table = Table::new(names, text.len() - at, header)?;
    let mut end = next;
    // A blank line ends the table.
    while next < text.len() && !is_blank_at(text, next) {
        let start = next;
        next = record(text, start, separator, |cell| match cell {
            Cell::Bare(cell) => table.cell_of(bare(&text.as_bytes()[cell], is_padded)),
            Cell::Quoted(cell) => table.cell_of(bare(cell.as_bytes(), is_padded)),
        })?;
        end = line_end(text, start, next);
        table.end_row(start..end)?;
        table.may_have_header().then_some(())?;
    }
    let format = if separator == b'\t' {
        Format::Tsv
    } else {
        Format::Csv
    };
    table.has_header().then_some(())?;
    table.finish(format, at..end)
}

/// A cell without blanks before the separator.
#[inline]
fn bare(cell: &[u8], is_padded: bool) -> &[u8] {
    let mut bare = cell;
    while is_padded && let [rest @ .., b' '] = bare {
        bare = rest;
    }
    bare
}

pub(crate) fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// The kind of a header with this first cell.
pub(crate) fn header(first: &str) -> Header {
    match first.is_empty() {
        // As pandas writes the index of its rows.
        true => Header::Indexed,
        false => Header::Likely,
    }
}

pub(crate) fn is_blank_at(text: &str, at: usize) -> bool {
    matches!(&text.as_bytes()[at..], [b'\n', ..] | [b'\r', b'\n', ..])
}

/// The end, without the line break, of the record from `start` on. The next one begins at `next`.
pub(crate) fn line_end(text: &str, start: usize, next: usize) -> usize {
    let record = &text.as_bytes()[start..next];
    let record = record.strip_suffix(b"\n").unwrap_or(record);
    start + record.strip_suffix(b"\r").unwrap_or(record).len()
}

/// Reads the cells of the record at `at` into an empty list, and returns the start of the next one.
#[inline(never)]
pub(crate) fn cells_at<'t>(
    text: &'t str,
    at: usize,
    separator: u8,
    cells: &mut Vec<Cow<'t, str>>,
) -> Option<usize> {
    cells.clear();
    record(text, at, separator, |cell| {
        cells.push(match cell {
            Cell::Bare(cell) => Cow::Borrowed(&text[cell]),
            Cell::Quoted(cell) => cell,
        });
    })
}

/// A cell of a record.
enum Cell<'t> {
    /// Where it is in the text.
    Bare(Range<usize>),
    /// The text that was between quotes.
    Quoted(Cow<'t, str>),
}

/// The signs that end cells without quotes, among sixteen bytes that were looked at last.
#[derive(Default)]
struct Signs {
    bits: u32,
    /// The end of these bytes.
    end: usize,
}

impl Signs {
    /// Where a cell without quotes ends that begins at `at`.
    #[inline]
    fn next_from(&mut self, bytes: &[u8], at: usize, separator: u8) -> usize {
        let mut at = at;
        // Short cells end among the same bytes as those before them.
        if at < self.end {
            let bits = self.bits >> (at + 16 - self.end);
            if bits != 0 {
                return at + bits.trailing_zeros() as usize;
            }
            at = self.end;
        }
        while at < bytes.len() {
            let (next, before) = words::sixteen(bytes, at);
            self.bits = next.are_one_of([separator, b'\n', b'\r', b'"']);
            self.end = at + 16 - before;
            let bits = self.bits >> before;
            if bits != 0 {
                return at + bits.trailing_zeros() as usize;
            }
            at = self.end;
        }
        bytes.len()
    }
}

/// Reads the cells of the record at `at`, and returns the start of the next one. No other text has the same cells, but
/// for the choice of quoted cells: what is between quotes ends at a quote by itself, and a separator follows.
fn record<'t>(
    text: &'t str,
    at: usize,
    separator: u8,
    mut note: impl FnMut(Cell<'t>),
) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut signs) = (at, Signs::default());
    loop {
        let start = at;
        let cell = if bytes.get(at) == Some(&b'"') {
            let mut cell = Cow::Borrowed("");
            loop {
                let from = at + 1;
                at = from + bytes[from..].iter().position(|byte| *byte == b'"')?;
                cell += &text[from..at];
                at += 1;
                if bytes.get(at) != Some(&b'"') {
                    break Cell::Quoted(cell);
                }
                cell += "\"";
            }
        } else {
            at = signs.next_from(bytes, at, separator);
            Cell::Bare(start..at)
        };
        note(cell);
        match bytes.get(at) {
            None => return Some(at),
            Some(b'\n') => return Some(at + 1),
            // The last line break may lack its second half.
            Some(b'\r') if matches!(bytes.get(at + 1), None | Some(b'\n')) => {
                return Some((at + 2).min(bytes.len()));
            }
            Some(byte) if *byte == separator => at += 1,
            Some(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_end_at_each_separator_wherever_it_is() {
        for length in 0..80 {
            for step in 1..20 {
                let sign = |at: usize| if at % step == step / 2 { ',' } else { 'a' };
                let text: String = (0..length).map(sign).collect();
                let mut cells = Vec::new();
                assert_eq!(cells_at(&text, 0, b',', &mut cells), Some(length));
                assert_eq!(cells, text.split(',').collect::<Vec<_>>(), "{text:?}");
            }
        }
    }

    #[test]
    fn lines_that_begin_with_a_separator_have_no_numbers_before_them() {
        let rows = |first: &str, others: &str| {
            let (first, others) = (first.repeat(16), others.repeat(16));
            read(&format!(",name\n{first}{others}"), 0, b',').map(|found| found.rows.len())
        };
        assert_eq!(rows("1,a\n", "2,b\n"), Some(32));
        assert_eq!(rows("1,a\n", ",b\n"), Some(32));
        assert_eq!(rows(",a\n", "2,b\n"), None);
    }
}
