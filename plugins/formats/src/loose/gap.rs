//! JSON without its middle: `[{"a":1},{"a":2},{"a … 900 characters truncated … 8},{"a":9}]`.
//!
//! Owns the note in place of the middle, which stands where the text is no JSON and outside of strings, and the place
//! where whole values begin again: the rest of the text closes the list that is open there, and all around it. The rows
//! on both sides of the note are one list only if the text is nothing but this list. Otherwise the middle may have held
//! the end of one list and the beginning of another.

use super::Loose;
use super::cut::{FEWEST_CHILDREN, Whole, stop};
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
    let (next, end) = places.take(MOST_PLACES).find_map(|place| {
        let next = note.end + place;
        match tail(text.as_bytes(), next, is_list) {
            Tail::Inner => None,
            Tail::Broken => Some(None),
            Tail::Whole(end) => Some(Some((next, end))),
        }
    })??;
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
            renamed: Vec::new(),
            range: start..end,
            rows: Vec::new(),
        },
        others,
        last: Some(last),
        next: Some(first),
    })
}

/// The note in place of the middle: at the place where the text is no JSON, or behind the beginning of a string, a number
/// or a word.
fn note(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if bytes.get(at) == Some(&b'"') {
        let below = note_at(text, space_end(bytes, stop(bytes, at)));
        // Words before the end of a string are its own.
        return below.filter(|note| bytes.get(note.end) == Some(&b'\n'));
    }
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let word = bytes[at..].iter().take(MOST_WORD).take_while(is_word);
    let behind = space_end(bytes, at + word.count());
    note_at(text, at).or_else(|| note_at(text, behind))
}

/// The note at a place, if the words there say that something is left out. It may begin a little before, in brackets.
fn note_at(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_before = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b',' | b' ');
    let before = bytes[..at].iter().rposition(|byte| !is_before(byte));
    let start = before.filter(|at| bytes[*at] == b'[').unwrap_or(at);
    let is_in_brackets = bytes.get(start) == Some(&b'[');
    // Outside of brackets, a row may begin or end after the note: `[20 rows]` is none.
    let begins_row = |at: usize| at > start && value_end(bytes, at, MAX_DEPTH).is_some();
    let is_end = |(at, byte): (usize, &u8)| match byte {
        b'\n' | b'"' | b'{' | b'}' => true,
        b']' => is_in_brackets || !bytes[start..at].contains(&b'['),
        b'[' => !is_in_brackets && begins_row(at),
        _ => false,
    };
    let mut window = (start..).zip(&bytes[start..]).take(MOST_NOTE);
    let length = window.position(is_end)?;
    let end = start + length + usize::from(is_in_brackets);
    if is_in_brackets && bytes[end - 1] != b']' {
        return None;
    }
    let is_quoted = text[..start].ends_with('"') || bytes[end..].first() == Some(&b'"');
    says_so(&text[start..end], is_quoted).then_some(start..end)
}

/// Whether a text says that something is left out. Dots beside a quote may be words of a string.
fn says_so(note: &str, is_quoted: bool) -> bool {
    let lower = note.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    let is_sign = |byte: &u8| byte.is_ascii_digit() || b"[(<".contains(byte);
    let is_before_dots = |byte: &&u8| b" ,[(<-#/".contains(byte);
    let dots = note.len() - note.as_bytes().iter().skip_while(is_before_dots).count();
    let begins_with_dots = || DOTS.iter().any(|it| note[dots..].starts_with(it));
    has(&WORDS) && (has(&DOTS) || note.as_bytes().iter().any(is_sign))
        || !is_quoted && begins_with_dots()
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
