//! Values of JSON after one another, as `jq` prints them: `{…}`, a line break, `{…}`.
//!
//! Owns their bounds. The data is a list of the values. Refuses a text with more than these, and few values of several
//! lines: they are pieces with names, see [`super::parts`].

use super::{Loose, is_value, parts};
use crate::json::{MAX_DEPTH, space_end, value_end};
use crate::{Format, Found};

/// Reads the values from `at` to the end of the text.
pub(super) fn read(text: &str, at: usize) -> Option<Loose> {
    let bytes = text.as_bytes();
    let mut json = String::from("[");
    let (mut count, mut is_in_lines) = (0, true);
    let (mut next, mut end) = (at, at);
    while next < bytes.len() {
        if !is_value(&bytes[next..]) {
            return None;
        }
        end = value_end(bytes, next, MAX_DEPTH - 1)?;
        let value = &text[next..end];
        json.push_str(if count == 0 { "" } else { "," });
        json.push_str(value);
        is_in_lines &= !value.contains('\n');
        count += 1;
        next = space_end(bytes, end);
    }
    json.push(']');
    let is_list = count > parts::MOST_PIECES || count > 1 && is_in_lines;
    let found = Found {
        format: Format::Documents,
        json,
        tape: Vec::new(),
        renamed: Vec::new(),
        range: at..end,
        rows: Vec::new(),
    };
    is_list.then(|| Loose::of(found, Vec::new()))
}
