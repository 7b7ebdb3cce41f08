//! JSON without its middle: `[{"a":1},{"a":2},{"a … 900 characters truncated … 8},{"a":9}]`.
//!
//! Owns the note in place of the middle, which stands where the text is no JSON and outside of strings, and the place where whole values begin again: the rest of the text closes the
//! list that is open there, and all around it. The rows on both sides of the note are one list only if the text is
//! nothing but this list. Otherwise the middle may have held the end of one list and the beginning of another.

use super::Loose;
use super::cut::{FEWEST_CHILDREN, Whole};
use crate::json::{MAX_DEPTH, rest_end, space_end, value_end};
use crate::{Format, Found};
use std::ops::Range;

/// Words that say that something is left out.
const WORDS: [&str; 6] = ["trunc", "omitted", "elided", "skipped", "more", "left out"];

/// Signs of a note without such a word.
const DOTS: [&str; 2] = ["...", "…"];

/// Longest note, in bytes.
const MOST_NOTE: usize = 240;

/// Longest beginning of a number or a word before the note, in bytes.
const MOST_WORD: usize = 24;

/// Most places where whole values may begin again: those of the value that is cut do not close all lists.
const MOST_PLACES: usize = 32;

/// Reads the value at `start`, whose whole part before the note is `head`. What is no JSON begins at `at`.
pub(super) fn read(text: &str, start: usize, at: usize, head: Whole) -> Option<Loose> {
    let is_list = head.closing == "]";
    if !is_list && head.closing != "]}" {
        return None;
    }
    let note = note(text, at).filter(|note| note.start >= head.end)?;
    let places = memchr::memchr2_iter(b'{', b'[', &text.as_bytes()[note.end..]);
    let mut tails = places.take(MOST_PLACES).map(|place| {
        (
            note.end + place,
            tail(text.as_bytes(), note.end + place, is_list),
        )
    });
    let (next, Tail::Whole(end)) = tails.find(|(_, tail)| !matches!(tail, Tail::Inner))? else {
        return None;
    };
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

/// The note in place of the middle: at the place where the text is no JSON, or on the next line, below the beginning of
/// a string, a number or a word.
fn note(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let line = rest.lines().next()?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let is_string = line.starts_with('"');
    let here = note_at(text, at).filter(|_| !is_string);
    here.or_else(|| {
        let is_begun = is_string || line.len() <= MOST_WORD && line.trim_end().chars().all(is_word);
        let below = &rest[line.len()..];
        let below = at + line.len() + (below.len() - below.trim_start().len());
        note_at(text, below).filter(|note| is_begun && (!is_string || is_line(text, note)))
    })
}

/// Whether nothing else stands on the line of a range.
fn is_line(text: &str, range: &Range<usize>) -> bool {
    text[range.end..]
        .trim_start_matches([' ', '\r'])
        .starts_with('\n')
}

/// The note at a place, if the words there say that something is left out. It may begin a little before, in brackets.
fn note_at(text: &str, at: usize) -> Option<Range<usize>> {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, ',' | ' ');
    let before = text[..at].trim_end_matches(is_number);
    let start = match before.ends_with('[') {
        true => before.len() - 1,
        false => at,
    };
    let is_in_brackets = text[start..].starts_with('[');
    let window = &text[start..text.floor_char_boundary(start + MOST_NOTE)];
    let end = match is_in_brackets {
        true => window.find(']').map(|at| at + 1),
        false => window.find(['\n', '"', '{', '}']),
    };
    let note = &window[..end.unwrap_or(window.len())];
    let is_quoted = text[..start].ends_with('"') || text[start + note.len()..].starts_with('"');
    (!note.contains(['\n', '"', '{', '}']) && says_so(note, is_quoted))
        .then(|| start..start + note.len())
}

/// Whether a text says that something is left out. Dots between quotes may be the words of a string.
fn says_so(note: &str, is_quoted: bool) -> bool {
    let lower = note.to_ascii_lowercase();
    let has_word = WORDS.iter().any(|word| lower.contains(word));
    let has_sign = note.contains(|c: char| c.is_ascii_digit() || "[(<…".contains(c));
    let words = note.trim_start_matches([' ', ',', '[', '(', '<', '-', '#', '/']);
    let begins_with_dots = DOTS.iter().any(|dots| words.starts_with(dots));
    has_word && (has_sign || note.contains(DOTS[0])) || begins_with_dots && !is_quoted
}

/// What begins at a place below the note.
enum Tail {
    /// The elements that the list goes on with, up to the end of the value: of that list, or of the object around it.
    Whole(usize),
    /// A part of the value that is cut.
    Inner,
    /// Whole values, then something that is no JSON: one more gap, or a mistake.
    Broken,
}

fn tail(text: &[u8], at: usize, is_list: bool) -> Tail {
    const ROOM: usize = MAX_DEPTH - 3;
    let (mut at, mut count) = (at, 0);
    loop {
        let Some(end) = value_end(text, at, ROOM) else {
            return if count == 0 {
                Tail::Inner
            } else {
                Tail::Broken
            };
        };
        (at, count) = (space_end(text, end), count + 1);
        match text.get(at) {
            Some(b',') => at = space_end(text, at + 1),
            Some(b']') if count >= FEWEST_CHILDREN => break,
            Some(b']' | b'}' | b':' | b'"') => return Tail::Inner,
            _ => return Tail::Broken,
        }
    }
    let end = match is_list {
        true => Some(at + 1),
        false => object_end(text, space_end(text, at + 1), ROOM),
    };
    end.map_or(Tail::Inner, Tail::Whole)
}

/// The end of an object after one of its values, at `at`.
fn object_end(text: &[u8], at: usize, room: usize) -> Option<usize> {
    match text.get(at)? {
        b'}' => Some(at + 1),
        b',' => rest_end(text, space_end(text, at + 1), b'{', room),
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
