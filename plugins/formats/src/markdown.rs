//! Tables of Markdown.
//!
//! Owns rows of cells with pipes between them under a header and a row of dashes. All rows have pipes at both ends, or none
//! has, and up to three blanks before them. Layout is that, the padding of cells and the alignment of columns.

use crate::json::is_number;
use crate::lines::{Line, line_above, line_at};
use crate::table::{Header, Table, are_types, is_left_out, is_name};
use crate::{Format, Found, boxes, words};
use memchr::memmem;
use std::borrow::Cow;

/// Reads a table whose header begins at `at`.
pub(crate) fn read(text: &str, at: usize) -> Option<Found> {
    let (table, dashes, _) = begin(text, at)?;
    // The types of columns are no row.
    match types_below(text, dashes) {
        Some(_) => None,
        None => read_rows(text, at, table, dashes, dashes),
    }
}

/// Reads a table whose header begins at `at` and has no names: they are in its first row, as converters of documents write
/// them.
pub(crate) fn read_unnamed(text: &str, at: usize) -> Option<Found> {
    let header = line_at(text, at);
    let dashes = line_at(text, header.next);
    let first = line_at(text, dashes.next);
    let names = row(first.text)?;
    if !is_unnamed(header.text)
        || columns_of_rule(dashes.text) != Some(names.len())
        || !are_surely_names(text, first, &names)
    {
        return None;
    }
    let table = Table::new(
        names.iter().map(|name| &**name),
        text.len() - at,
        Header::Ruled,
    )?;
    read_rows(text, at, table, dashes, first)
}

/// Whether the cells of a row are the names of those below: words without digits, one of them above numbers alone. A row of
/// data would be lost as names.
fn are_surely_names(text: &str, first: Line<'_>, names: &[Cow<'_, str>]) -> bool {
    let is_word =
        |name: &Cow<'_, str>| is_name(name) && !name.bytes().any(|byte| byte.is_ascii_digit());
    if !names.iter().all(is_word) {
        return false;
    }
    let mut are_numbers = vec![true; names.len()];
    let (mut rows, mut next) = (0, first.next);
    while next < text.len() {
        let line = line_at(text, next);
        let Some(cells) = row(line.text).filter(|cells| cells.len() == names.len()) else {
            break;
        };
        for (all, cell) in are_numbers.iter_mut().zip(&cells) {
            *all &= is_number(cell);
        }
        (rows, next) = (rows + 1, line.next);
    }
    rows > 1 && are_numbers.contains(&true)
}

/// Whether a header has cells, all of them empty.
pub(crate) fn is_unnamed(header: &str) -> bool {
    cells(header).is_some_and(|cells| cells.iter().all(|cell| cell.is_empty()))
}

/// Reads the rows of a table below the line `last`.
fn read_rows<'t>(
    text: &'t str,
    at: usize,
    mut table: Table,
    dashes: Line<'t>,
    mut last: Line<'t>,
) -> Option<Found> {
    let is_open = !body(dashes.text).starts_with('|');
    let is_framed = is_rule_above(text, at, dashes);
    let mut cells = Vec::new();
    while last.next < text.len() {
        let line = line_at(text, last.next);
        let is_in_signs = body(line.text).starts_with('|');
        if line.is_blank() || !is_open && !is_in_signs {
            break;
        }
        if is_open && line.text == dashes.text && (is_framed || is_last(text, line)) {
            break;
        }
        let is_row = is_open != is_in_signs && read_row(line.text, &mut cells);
        if !is_row || is_left_out(&cells) {
            return None;
        }
        table.push(&cells, line.range())?;
        last = line;
    }
    table.finish(Format::MarkdownTable, at..last.end())
}

/// The table whose header begins at `at`, without rows, its row of dashes, and its number of columns.
pub(crate) fn begin(text: &str, at: usize) -> Option<(Table, Line<'_>, usize)> {
    let header = line_at(text, at);
    let names = cells(header.text)?;
    let dashes = line_at(text, header.next);
    let is_open = |line: Line<'_>| !body(line.text).starts_with('|');
    if columns_of_rule(dashes.text) != Some(names.len()) || is_open(header) != is_open(dashes) {
        return None;
    }
    let mut table = Table::new(
        names.iter().map(|name| &**name),
        text.len() - at,
        Header::Ruled,
    )?;
    // A page may have many tables.
    if let Some(length) = memmem::find(&text.as_bytes()[at..], b"\n\n") {
        table.ends_after(length);
    }
    Some((table, dashes, names.len()))
}

/// The rule below the types of columns that are below a row of dashes, as polars writes them.
pub(crate) fn types_below<'t>(text: &'t str, dashes: Line<'t>) -> Option<Line<'t>> {
    let types = line_at(text, dashes.next);
    let rule = line_at(text, types.next);
    let is_rule = |line: &str| columns_of_rule(line).is_some() || boxes::is_frame_rule(line);
    let are_types = || cells(types.text).is_some_and(|cells| are_types(&cells));
    (is_rule(rule.text) && are_types()).then_some(rule)
}

/// Whether the row of dashes of a table whose header begins at `at` is above its header too.
pub(crate) fn is_rule_above(text: &str, at: usize, dashes: Line<'_>) -> bool {
    line_above(text, at) == dashes.text
}

/// Whether a row of dashes closes its table: it has no blanks, as cells have, and no row is below it.
fn is_last(text: &str, dashes: Line<'_>) -> bool {
    !dashes.text.contains(' ') && !line_at(text, dashes.next).text.contains('|')
}

/// The number of columns of the row of dashes that a line is.
pub(crate) fn columns_of_rule(line: &str) -> Option<usize> {
    let is_sign = |byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t');
    if line.is_empty() || !line.bytes().all(is_sign) {
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
    let mut cells = Vec::new();
    read_row(line, &mut cells).then_some(cells)
}

/// The same in the place of the cells of another row. False if the line has something else.
fn read_row<'t>(line: &'t str, cells: &mut Vec<Cow<'t, str>>) -> bool {
    // Without escapes, the cells are what is between the signs.
    read_cells(line, cells) && (!has_escapes(line) || is_written(line, cells))
}

fn has_escapes(line: &str) -> bool {
    words::has_any_of(line.as_bytes(), |bytes| bytes.are(b'\\'))
}

/// A line without the blanks before it, which may be three.
fn body(line: &str) -> &str {
    let blanks = line.bytes().take(3).take_while(|byte| *byte == b' ');
    &line[blanks.count()..]
}

/// The cells of a row.
fn cells(line: &str) -> Option<Vec<Cow<'_, str>>> {
    let mut cells = Vec::new();
    read_cells(line, &mut cells).then_some(cells)
}

/// The same in the place of the cells of another row. False if the line is no row.
fn read_cells<'t>(line: &'t str, cells: &mut Vec<Cow<'t, str>>) -> bool {
    cells.clear();
    let line = body(line).trim_end();
    let (inside, is_open) = match line.strip_prefix('|') {
        Some(inside) => (inside, false),
        None => (line, true),
    };
    let bytes = inside.as_bytes();
    // Most rows have no sign of an escape.
    let is_escaped = has_escapes(inside);
    let cell = |text| cell(text, is_escaped);
    let (mut start, mut at) = (0, 0);
    while at < bytes.len() {
        let (next, before) = words::sixteen(bytes, at);
        let mut signs = next.are(b'|') >> before;
        while signs != 0 {
            let end = at + signs.trailing_zeros() as usize;
            if !(is_escaped && bytes[..end].ends_with(b"\\")) {
                cells.push(cell(&inside[start..end]));
                start = end + 1;
            }
            signs &= signs - 1;
        }
        at += 16;
    }
    let is_row = start > 0 && (is_open || start == inside.len());
    if is_open {
        cells.push(cell(&inside[start..]));
    }
    is_row
}

fn cell(text: &str, is_escaped: bool) -> Cow<'_, str> {
    let cell = words::without(text, b" \t");
    match is_escaped && cell.contains("\\|") {
        true => Cow::Owned(cell.replace("\\|", "|")),
        false => Cow::Borrowed(cell),
    }
}

/// Whether cells, written as a row, equal the line.
fn is_written(line: &str, cells: &[Cow<'_, str>]) -> bool {
    let blanks = [' ', '\t'];
    let line = body(line);
    let is_open = !line.starts_with('|');
    let mut rest = Some(line);
    for (place, cell) in cells.iter().enumerate() {
        if place > 0 || !is_open {
            rest = rest.and_then(|rest| rest.strip_prefix('|'));
        }
        rest = rest.map(|rest| rest.trim_start_matches(blanks));
        for (place, part) in cell.split('|').enumerate() {
            let escaped = if place > 0 { "\\|" } else { "" };
            rest = rest
                .and_then(|rest| rest.strip_prefix(escaped))
                .and_then(|rest| rest.strip_prefix(part));
        }
        rest = rest.map(|rest| rest.trim_start_matches(blanks));
    }
    rest.is_some_and(|rest| rest.trim_end() == if is_open { "" } else { "|" })
}
