//! Rows that are printed below one another, each under a line with its number: `\G` of `mysql` (`*** 1. row ***`), `\x`
//! of `psql` (`-[ RECORD 1 ]---`), `Row 1:`.
//!
//! Owns these lines, and the two ways to write a value: `key: value` and `key | value`. Refuses rows with different keys,
//! and values of several lines.

use super::Loose;
use crate::json::{push_cell, push_quoted};
use crate::lines::line_at;
use crate::{Format, Found};
use std::ops::Range;

/// Fewest rows.
const FEWEST_ROWS: usize = 2;

/// Most keys of a row, and bytes of a key.
const MOST_KEYS: usize = 100;
const LONGEST_KEY: usize = 64;

/// The number of the row below a line: besides the number, the line has the word, and signs.
fn head(line: &str) -> Option<usize> {
    let (mut number, mut is_over) = (None, false);
    let (mut letters, mut count) = ([0u8; 6], 0);
    for byte in line.bytes() {
        if byte.is_ascii_digit() {
            let digit = usize::from(byte - b'0');
            number = (!is_over).then(|| number.unwrap_or(0usize).wrapping_mul(10) + digit);
            continue;
        }
        is_over = number.is_some();
        if byte.is_ascii_alphabetic() {
            *letters.get_mut(count)? = byte | 0x20;
            count += 1;
        }
    }
    number.filter(|_| matches!(&letters[..count], b"row" | b"record"))
}

/// The key and the value of a line.
fn pair(line: &str) -> Option<(&str, &str)> {
    let sign = memchr::memchr2(b':', b'|', line.as_bytes())?;
    let (key, value) = (line[..sign].trim(), &line[sign + 1..]);
    let is_fit = value.is_empty() || value.starts_with(' ');
    (is_fit && !key.is_empty() && key.len() <= LONGEST_KEY).then_some((key, value.trim()))
}

/// Reads rows, the first of which begins at `at`.
pub(super) fn read(text: &str, at: usize) -> Option<Loose> {
    head(line_at(text, at).text).filter(|number| *number == 1)?;
    let mut json = String::from("[");
    let mut rows: Vec<Range<usize>> = Vec::new();
    let (mut keys, mut count, mut next): (Vec<&str>, _, _) = (Vec::new(), 0, at);
    let mut is_over = false;
    while next < text.len() {
        let line = line_at(text, next);
        next = line.next;
        let number = head(line.text);
        if let Some(number) = number {
            // All rows have the same keys. A value of several lines ended the row before.
            if is_over || number != rows.len() + 1 || count != keys.len() {
                return None;
            }
            json.push_str(if number == 1 { "{" } else { "},{" });
            (count, is_over) = (0, false);
            rows.push(line.start..line.end());
            continue;
        }
        let is_rule = count == 0 && line.text.starts_with(['─', '-']);
        if is_over || is_rule || line.is_blank() {
            continue;
        }
        let Some((key, value)) = pair(line.text).filter(|_| count < MOST_KEYS) else {
            is_over = true;
            continue;
        };
        if rows.len() == 1 && !keys.contains(&key) {
            keys.push(key);
        } else if keys.get(count) != Some(&key) {
            // Words below the last row.
            is_over = true;
            continue;
        }
        json.push_str(if count == 0 { "" } else { "," });
        push_quoted(&mut json, key);
        json.push(':');
        push_cell(&mut json, value);
        count += 1;
        rows.last_mut()?.end = line.end();
    }
    json.push_str("}]");
    let end = rows.last()?.end;
    let found = Found {
        format: Format::Stanzas,
        json,
        tape: Vec::new(),
        renamed: Vec::new(),
        range: at..end,
        rows,
    };
    let is_whole = found.rows.len() >= FEWEST_ROWS && count == keys.len();
    is_whole.then(|| Loose::of(found, Vec::new()))
}
