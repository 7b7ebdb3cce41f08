//! JSON without its middle: `[{"a":1},{"a":2},{"a … 900 characters truncated … 8},{"a":9}]`.
//!
//! Owns the note in place of the middle, and the place where whole values begin again: the rest of the text closes the
//! list that is open there, and all around it. The rows on both sides of the note are one list only if the text is
//! nothing but this list. Otherwise the middle may have held the end of one list and the beginning of another.

use super::Loose;
use super::cut::{FEWEST_CHILDREN, Whole};
use crate::json::{MAX_DEPTH, rest_end, space_end, value_end};
use crate::{Format, Found};
use std::ops::Range;

/// Words of notes about the middle.
const NOTES: [&str; 5] = ["...", "…", "trunc", "omitted", "elided"];

/// Most bytes from the last whole value to the note.
const MOST_BEFORE_NOTE: usize = 4_096;

/// Most bytes of a note on each side of its first word.
const MOST_NOTE: usize = 120;

/// Most places where whole values may begin again: those of the value that is cut do not close all lists.
const MOST_PLACES: usize = 32;

/// Reads the value at `start`, whose whole part before the note is `head`.
pub(super) fn read(text: &str, start: usize, head: Whole) -> Option<Loose> {
    let is_list = head.closing == "]";
    if !is_list && head.closing != "]}" {
        return None;
    }
    let note = note(text, head.end)?;
    let places = memchr::memchr2_iter(b'{', b'[', &text.as_bytes()[note.end..]);
    let (next, end) = places.take(MOST_PLACES).find_map(|place| {
        let next = note.end + place;
        Some((next, end(text.as_bytes(), next, is_list)?))
    })?;
    let is_rest = |c: char| !matches!(c, '`' | '\n' | '\r' | ' ');
    if text[end..].contains(is_rest) {
        return None;
    }
    let (above, below) = (&text[start..head.end], &text[next..end]);
    let (json, last, first) = if is_list {
        let first = format!("$[{}]", head.count);
        ([above, ",", below].concat(), head.last, first)
    } else {
        let parts = ["{\"head\":", above, "]},\"tail\":{\"rows\":[", below, "}"];
        let last = ["$.head", &head.last[1..]].concat();
        (parts.concat(), last, "$.tail.rows[0]".to_owned())
    };
    let around = [head.end..note.start, note.clone(), note.end..next];
    let mut others = around.map(|range| trimmed(text, range)).to_vec();
    others.retain(|range| !range.is_empty());
    Some(Loose {
        found: Found {
            format: Format::CutJson,
            json,
            tape: Vec::new(),
            range: start..end,
            rows: Vec::new(),
        },
        others,
        last: Some(last),
        next: Some(first),
    })
}

/// The note about the middle, which stands in a value after `from`.
fn note(text: &str, from: usize) -> Option<Range<usize>> {
    let window = &text[from..text.floor_char_boundary(from + MOST_BEFORE_NOTE)];
    let words = NOTES.iter().filter_map(|note| window.find(note));
    let word = from + words.min()?;
    let is_sign = |byte: &u8| matches!(byte, b'\n' | b'"' | b'{' | b'}' | b'[');
    let before = &text.as_bytes()[from.max(word.saturating_sub(MOST_NOTE))..word];
    let after = &text.as_bytes()[word..text.len().min(word + MOST_NOTE)];
    let sign = before.iter().rposition(is_sign);
    let is_in_brackets = sign.is_some_and(|at| before[at] == b'[');
    let start = sign.map_or(before.len(), |at| at + usize::from(!is_in_brackets));
    let length = match is_in_brackets {
        true => after.iter().position(|byte| *byte == b']').map(|at| at + 1),
        false => after
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'"' | b'{' | b'}')),
    };
    Some(word - (before.len() - start)..word + length.unwrap_or(0))
}

/// The end of the value whose list goes on with the element at `at`: of that list, or of the object around it.
fn end(text: &[u8], at: usize, is_list: bool) -> Option<usize> {
    const ROOM: usize = MAX_DEPTH - 3;
    let (mut at, mut count) = (at, 1);
    loop {
        at = space_end(text, value_end(text, at, ROOM)?);
        if text.get(at) != Some(&b',') {
            break;
        }
        at = space_end(text, at + 1);
        count += 1;
    }
    if count < FEWEST_CHILDREN || text.get(at) != Some(&b']') {
        return None;
    }
    if is_list {
        return Some(at + 1);
    }
    at = space_end(text, at + 1);
    match text.get(at)? {
        b'}' => Some(at + 1),
        b',' => rest_end(text, space_end(text, at + 1), b'{', ROOM),
        _ => None,
    }
}

/// The range without blanks and commas around it.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let is_ink = |byte: &u8| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',');
    let bytes = &text.as_bytes()[range.clone()];
    let start = bytes.iter().position(is_ink).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(is_ink).map_or(start, |at| at + 1);
    range.start + start..range.start + end
}
