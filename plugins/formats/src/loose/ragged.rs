//! Tables with lines that are no rows: a title above, a comment, a row with another number of cells, totals below, blank
//! lines between.
//!
//! Owns how many such lines a table may have. They are left out of the data, and noted if they have words, since nobody
//! knows the columns of their cells.

use super::{Loose, ROWS_FOR_OTHER};
use crate::json::{MAX_DEPTH, value_end};
use crate::lines::{Line, line_at};
use crate::table::{Table, are_alike, is_left_out, is_missing};
use crate::{Format, Found, csv, markdown};
use std::borrow::Cow;
use std::ops::Range;

/// Fewest rows: prose with commas may look like fewer.
const FEWEST_ROWS: usize = 8;

/// Most comments and blank lines between two rows.
const MOST_BETWEEN: usize = 9;

/// So many rows below a line tell whether it is their header.
const ROWS_BELOW: usize = 16;

/// Most separators of a line that are counted.
const MOST_BYTES: usize = 4_096;

/// Reads the table of CSV or TSV whose header is at `at`.
pub(super) fn read(text: &str, at: usize) -> Option<Loose> {
    let window = &text.as_bytes()[at..text.len().min(at + MOST_BYTES)];
    let end = memchr::memchr(b'\n', window)?;
    let line = text.get(at..at + end)?;
    [b'\t', b',', b';'].into_iter().find_map(|separator| {
        line.contains(char::from(separator))
            .then(|| separated(text, at, separator))
            .flatten()
    })
}

fn separated(text: &str, at: usize, separator: u8) -> Option<Loose> {
    let mut cells = Vec::new();
    let mut next = csv::cells_at(text, at, separator, &mut cells)?;
    let columns = cells.len();
    if cells.iter().any(|cell| cell.starts_with(csv::is_digit)) {
        return None;
    }
    let header = csv::header(&cells[0]);
    let mut table = Table::new(cells.iter().map(|cell| &**cell), text.len() - at, header)?;
    let (mut others, mut end) = (Vec::new(), next);
    let mut is_below_other = false;
    while next < text.len() {
        let start = next;
        if is_blank(line_at(text, start).text) {
            match row_below(text, start, separator, &table) {
                Some(below) => next = below,
                None => break,
            }
            continue;
        }
        let record = csv::cells_at(text, start, separator, &mut cells);
        match record.filter(|_| cells.len() == columns && !text[start..].starts_with('#')) {
            Some(after) => {
                let is_other = || {
                    begins_table(text, start, separator, &table)
                        || table.begins_again(text, start, separator)
                };
                if is_below_other && is_other() {
                    return None;
                }
                is_below_other = false;
                next = after;
                end = csv::line_end(text, start, next);
                table.push(&cells, start..end)?;
                table.may_have_header().then_some(())?;
            }
            None => {
                let line = line_at(text, start);
                next = line.next;
                is_below_other = true;
                note(&mut others, line.range(), table.rows())?;
            }
        }
    }
    // Lines after the last row are not between rows.
    others.retain(|line| line.start < end);
    (table.has_header() && table.rows() >= FEWEST_ROWS).then_some(())?;
    let is_tsv = separator == b'\t';
    let format = if is_tsv { Format::Tsv } else { Format::Csv };
    Some(Loose::of(table.finish(format, at..end)?, others))
}

/// Reads the table of Markdown whose header is at `at`. A row may lack its last cells, which are empty.
pub(super) fn read_markdown(text: &str, at: usize) -> Option<Loose> {
    let (mut table, dashes, columns) = markdown::begin(text, at)?;
    // The types of columns stay before the rows.
    let types = markdown::types_below(text, dashes);
    let start = types.map_or(at, |rule| rule.next);
    let above = types.unwrap_or(dashes);
    let (mut others, mut end, mut next) = (Vec::new(), above.end(), above.next);
    let mut is_below_blank = false;
    let is_rule = |line: Line<'_>| markdown::columns_of_rule(line.text).is_some();
    while next < text.len() {
        let line = line_at(text, next);
        let below = line_at(text, line.next);
        next = line.next;
        let is_row = line.text.starts_with('|');
        // A line below the last row, or another table.
        if !is_row && !below.text.starts_with('|') || is_rule(line) {
            break;
        }
        if is_rule(below) && line_at(text, below.next).text.starts_with('|') {
            break;
        }
        let cells = markdown::row(line.text).filter(|cells| cells.len() <= columns);
        match cells.filter(|cells| !is_left_out(cells)) {
            Some(mut cells) => {
                cells.resize(columns, Cow::Borrowed(""));
                // Rows unlike those above a blank line are those of another table, without a header.
                if is_below_blank && !table.may_have(&cells) {
                    return None;
                }
                is_below_blank = false;
                end = line.end();
                table.push(&cells, line.range())?;
            }
            None if line.is_blank() => is_below_blank = true,
            None => note(&mut others, line.range(), table.rows())?,
        }
    }
    others.retain(|line| line.start < end);
    (table.rows() >= FEWEST_ROWS).then_some(())?;
    Some(Loose::of(
        table.finish(Format::MarkdownTable, start..end)?,
        others,
    ))
}

/// Notes a line that is no row. None if a table has too many: a text of another kind is refused soon.
fn note(others: &mut Vec<Range<usize>>, line: Range<usize>, rows: usize) -> Option<()> {
    others.push(line);
    (others.len() * ROWS_FOR_OTHER <= rows.max(ROWS_FOR_OTHER)).then_some(())
}

/// Whether a line is blank. A line of tabs may be a row of empty cells.
fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| byte == b' ')
}

/// The line below the blank line at `at` and those after it, if the table goes on there: with a row, or with comments
/// and a row.
fn row_below(text: &str, at: usize, separator: u8, table: &Table) -> Option<usize> {
    let mut line = line_at(text, at);
    let mut below = None;
    // Comments and blank lines below the first blank ones.
    let mut between = 0;
    while is_blank(line.text) || below.is_some() && line.text.starts_with('#') {
        if line.next == text.len() || between == MOST_BETWEEN {
            return None;
        }
        line = line_at(text, line.next);
        if below.is_some() {
            between += 1;
        } else if !is_blank(line.text) {
            below = Some(line.start);
        }
    }
    let mut cells = Vec::new();
    csv::cells_at(text, line.start, separator, &mut cells)?;
    let is_row = table.may_have(&cells) && !begins_table(text, line.start, separator, table);
    below.filter(|_| is_row)
}

/// Whether the header of this table again, or of another one, is at `at`, or below a title there: a line of which only the
/// first cell is filled.
fn begins_table(text: &str, at: usize, separator: u8, table: &Table) -> bool {
    let mut cells = Vec::new();
    let mut rows: Vec<Vec<Cow<'_, str>>> = Vec::new();
    let mut next = at;
    for _ in 0..=ROWS_BELOW {
        let Some(after) = csv::cells_at(text, next, separator, &mut cells) else {
            break;
        };
        next = after;
        match rows.first() {
            Some(header) if header.len() != cells.len() => break,
            None if cells.iter().skip(1).all(|cell| cell.is_empty()) => {}
            _ => rows.push(std::mem::take(&mut cells)),
        }
    }
    let Some((header, rows)) = rows.split_first() else {
        return false;
    };
    // A row in which a value is not there, above rows like those of the table.
    let is_row = header.iter().any(is_missing)
        && rows
            .first()
            .zip(table.first_row())
            .is_some_and(|(row, first)| {
                csv::cells_at(text, first, separator, &mut cells);
                are_alike(row, &cells)
            });
    !is_row && table.is_header(header, rows)
}

/// Whether the table of CSV or TSV `below` another one, without a title, may be its next rows: its header is a row of
/// words, and its rows are like those above.
pub(super) fn may_go_on(text: &str, above: &Found, below: &Found) -> bool {
    let [mut header, mut row, mut other_header, mut other] = [const { Vec::new() }; 4];
    let line = line_at(text, above.range.start).text;
    let separators = [b'\t', b',', b';'].into_iter();
    let mut separators = separators.filter(|sign| line.contains(char::from(*sign)));
    let Some(separator) = separators.next().filter(|_| above.format == below.format) else {
        return false;
    };
    for (found, header, row) in [
        (above, &mut header, &mut row),
        (below, &mut other_header, &mut other),
    ] {
        csv::cells_at(text, found.range.start, separator, header);
        csv::cells_at(text, found.rows[0].start, separator, row);
    }
    let has_again = header
        .iter()
        .zip(&other_header)
        .any(|(one, other)| one == other);
    !has_again && row.first() != other.first() && are_alike(&row, &other)
}

/// Reads the objects, one a line, from `at` on.
pub(super) fn read_json_lines(text: &str, at: usize) -> Option<Loose> {
    let bytes = text.as_bytes();
    let mut json = String::from("[");
    let (mut rows, mut others) = (Vec::new(), Vec::new());
    let mut next = at;
    while next < bytes.len() {
        let line = line_at(text, next);
        next = line.next;
        if line.is_blank() {
            continue;
        }
        let end = match bytes[line.start] {
            b'{' => value_end(bytes, line.start, MAX_DEPTH - 1),
            _ => None,
        };
        // A value of several lines is no row.
        let is_row = |end: &usize| *end <= line.end() && text[*end..line.end()].trim().is_empty();
        match end.filter(is_row) {
            Some(end) => {
                json.push_str(if rows.is_empty() { "" } else { "," });
                json.push_str(&text[line.start..end]);
                rows.push(line.start..end);
            }
            None => note(&mut others, line.range(), rows.len())?,
        }
    }
    json.push(']');
    let end = rows.last()?.end;
    others.retain(|line| line.start < end);
    (rows.len() >= FEWEST_ROWS).then_some(())?;
    let found = Found {
        format: Format::JsonLines,
        json,
        tape: Vec::new(),
        renamed: Vec::new(),
        range: at..end,
        rows,
    };
    Some(Loose::of(found, others))
}
