//! JSON inside of a text: one value, or an object a line.
//!
//! Owns its bounds. The JSON is copied unchanged.

use crate::json::{MAX_DEPTH, space_end, value_end};
use crate::lines::line_at;
use crate::{Format, Found};

/// Fewest lines of a table.
const FEWEST_LINES: usize = 2;

/// Reads the value, or the lines, that begin at `at`.
pub(crate) fn read(text: &str, at: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let end = value_end(bytes, at, MAX_DEPTH)?;
    let line = line_at(text, end);
    if !line.is_blank() {
        return None;
    }
    if bytes[at] == b'{' && !text[at..end].contains('\n') && bytes.get(line.next) == Some(&b'{') {
        return lines(text, at);
    }
    // `[]` and `{}` have no content.
    if space_end(bytes, at + 1) + 1 == end {
        return None;
    }
    Some(Found {
        format: Format::Json,
        json: text[at..end].to_owned(),
        tape: Vec::new(),
        range: at..end,
        rows: Vec::new(),
    })
}

fn lines(text: &str, at: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let mut json = String::from("[");
    let mut rows = Vec::new();
    let mut next = at;
    while bytes.get(next) == Some(&b'{') {
        let end = value_end(bytes, next, MAX_DEPTH - 1)?;
        let row = &text[next..end];
        let rest = line_at(text, end);
        if row.contains('\n') || !rest.is_blank() {
            return None;
        }
        if !rows.is_empty() {
            json.push(',');
        }
        json.push_str(row);
        rows.push(next..end);
        next = rest.next;
    }
    json.push(']');
    let end = rows.last()?.end;
    (rows.len() >= FEWEST_LINES).then_some(Found {
        format: Format::JsonLines,
        json,
        tape: Vec::new(),
        range: at..end,
        rows,
    })
}
