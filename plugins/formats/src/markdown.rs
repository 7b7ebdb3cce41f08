//! Tables of Markdown.
//!
//! Owns rows between pipes under a header and a row of dashes. Layout is the padding of cells and the alignment of
//! columns. Refuses rows without a pipe at both ends.

use crate::lines::{Line, line_at};
use crate::table::{Header, Table};
use crate::{Format, Found};
use std::borrow::Cow;

/// Reads a table whose header begins at `at`.
pub(crate) fn read(text: &str, at: usize) -> Option<Found> {
    let (mut table, dashes, _) = begin(text, at)?;
    let mut last = dashes;
    while last.next < text.len() {
        let line = line_at(text, last.next);
        if !line.text.starts_with('|') {
            break;
        }
        table.push(&row(line.text)?, line.range())?;
        last = line;
    }
    table.finish(Format::MarkdownTable, at..last.end())
}

/// The table whose header begins at `at`, without rows, its row of dashes, and its number of columns.
pub(crate) fn begin(text: &str, at: usize) -> Option<(Table, Line<'_>, usize)> {
    let header = line_at(text, at);
    let names = cells(header.text)?;
    let dashes = line_at(text, header.next);
    if columns_of_rule(dashes.text) != Some(names.len()) {
        return None;
    }
    let table = Table::new(
        names.iter().map(|name| &**name),
        text.len() - at,
        Header::Ruled,
    )?;
    Some((table, dashes, names.len()))
}

/// The number of columns of the row of dashes that a line is.
pub(crate) fn columns_of_rule(line: &str) -> Option<usize> {
    let is_sign = |byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t');
    if !line.bytes().all(is_sign) {
        return None;
    }
    let is_dashes = |cell: &Cow<'_, str>| {
        let cell = cell.strip_prefix(':').unwrap_or(cell);
        let cell = cell.strip_suffix(':').unwrap_or(cell);
        !cell.is_empty() && cell.bytes().all(|byte| byte == b'-')
    };
    let cells = cells(line)?;
    cells.iter().all(is_dashes).then_some(cells.len())
}

/// The cells of a row; none if the line has something else than these.
pub(crate) fn row(line: &str) -> Option<Vec<Cow<'_, str>>> {
    cells(line).filter(|cells| is_written(line, cells))
}

/// The cells of a row.
fn cells(line: &str) -> Option<Vec<Cow<'_, str>>> {
    let inside = line.trim_end().strip_prefix('|')?;
    let mut cells = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, byte) in inside.bytes().enumerate() {
        if byte == b'|' && !escaped {
            let cell = inside[start..at].trim_matches([' ', '\t']);
            cells.push(if cell.contains("\\|") {
                Cow::Owned(cell.replace("\\|", "|"))
            } else {
                Cow::Borrowed(cell)
            });
            start = at + 1;
        }
        escaped = byte == b'\\';
    }
    (start == inside.len() && !cells.is_empty()).then_some(cells)
}

/// Whether cells, written as a row, equal the line.
fn is_written(line: &str, cells: &[Cow<'_, str>]) -> bool {
    let blanks = [' ', '\t'];
    let mut rest = Some(line);
    for cell in cells {
        rest = rest.and_then(|rest| rest.strip_prefix('|'));
        rest = rest.map(|rest| rest.trim_start_matches(blanks));
        for (place, part) in cell.split('|').enumerate() {
            let escaped = if place > 0 { "\\|" } else { "" };
            rest = rest
                .and_then(|rest| rest.strip_prefix(escaped))
                .and_then(|rest| rest.strip_prefix(part));
        }
        rest = rest.map(|rest| rest.trim_start_matches(blanks));
    }
    rest.is_some_and(|rest| rest.trim_end() == "|")
}
