//! JSON inside of a text: one value, or an object a line.
//!
//! Owns its bounds. The JSON is copied unchanged, except for numbers that JSON lacks: `NaN` becomes `"NaN"`.

use crate::json::{MAX_DEPTH, Open, space_end, string_end, value_end, value_end_or_open};
use crate::lines::line_at;
use crate::{Format, Found};
use memchr::{memchr3, memmem};

/// Fewest lines of a table.
const FEWEST_LINES: usize = 2;

/// Numbers that JSON lacks, and that Python, JavaScript and R write nevertheless.
const NO_JSON: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// Reads the value, or the lines, that begin at `at` and have numbers that JSON lacks. Refuses a value that also has
/// strings of the same letters: nobody could tell which is which.
pub(crate) fn read_with_nan(text: &str, at: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    // The text with quotes around these numbers, and the places there of the quotes.
    let (mut quoted, mut quotes) = (String::new(), Vec::new());
    let (mut copied, mut next) = (0, at);
    memmem::find(&bytes[at..], b"NaN").or_else(|| memmem::find(&bytes[at..], b"Infinity"))?;
    while let Some(found) = memchr3(b'"', b'N', b'I', &bytes[next..]) {
        next += found;
        if bytes[next] == b'"' {
            let Some(end) = string_end(bytes, next) else {
                break;
            };
            if NO_JSON.contains(&&text[next + 1..end - 1]) {
                return None;
            }
            next = end;
            continue;
        }
        let start = next - usize::from(next > at && bytes[next - 1] == b'-');
        let Some(number) = NO_JSON.iter().find(|it| text[start..].starts_with(*it)) else {
            break;
        };
        quoted.push_str(&text[copied..start]);
        quotes.push(quoted.len());
        quoted.push('"');
        quoted.push_str(number);
        quotes.push(quoted.len());
        quoted.push('"');
        next = start + number.len();
        copied = next;
    }
    if quotes.is_empty() {
        return None;
    }
    quoted.push_str(&text[copied..]);
    let place = |at: usize| at - quotes.partition_point(|quote| *quote < at);
    let mut found = read(&quoted, at)?;
    found.range = place(found.range.start)..place(found.range.end);
    for row in &mut found.rows {
        *row = place(row.start)..place(row.end);
    }
    Some(found)
}

/// Reads the value, or the lines, that begin at `at`.
pub(crate) fn read(text: &str, at: usize) -> Option<Found> {
    read_or_open(text, at, &mut Vec::new())
}

/// The same. If there is no value, `opened` gets the lists and objects that have no end, the inner ones first.
pub(crate) fn read_or_open(text: &str, at: usize, opened: &mut Vec<Open>) -> Option<Found> {
    let bytes = text.as_bytes();
    let end = value_end_or_open(bytes, at, MAX_DEPTH, opened)?;
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
        renamed: Vec::new(),
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
        renamed: Vec::new(),
        range: at..end,
        rows,
    })
}
