//! JSON that a server cut, with or without a note at its end: `[{"a":1},{"a":2},{"a … (truncated)`.
//!
//! Owns the place where the whole values end, and the note. The rest of a value that is cut is left out. JSON without
//! its middle is read by [`super::gap`]. Refuses JSON that goes on after another mistake.

use super::{Loose, gap};
use crate::json::{MAX_DEPTH, Open, space_end, string_end, value_end};
use crate::{Format, Found};

/// Fewest whole values of the list that is cut.
pub(super) const FEWEST_CHILDREN: usize = 3;

/// Longest note at the end, in bytes.
const LONGEST_NOTE: usize = 300;

/// Longest beginning of `true`, or of a number, that may be the last of a text.
const LONGEST_WORD: usize = 24;

/// Words of notes about what is left out.
const NOTES: [&str; 9] = [
    "...", "…", "trunc", "omitted", "more", "limit", "exceed", "cut", "clipped",
];

/// Most levels of lists and objects around the place where the text is cut.
const DEEPEST: usize = 16;

/// The whole values of a list or an object that is cut.
pub(super) struct Whole {
    /// The number of those directly inside, and the end of the last one.
    pub(super) count: usize,
    pub(super) end: usize,
    /// The path of the last one, and what closes all that is open.
    pub(super) last: String,
    pub(super) closing: String,
}

/// Reads the value at `at`, up to its last whole part. `opened`: its lists and objects that have no end, as far as they are
/// known.
pub(super) fn read(text: &str, at: usize, opened: &[Open]) -> Option<Loose> {
    let bytes = text.as_bytes();
    let mut at = at;
    let start = at;
    let (mut path, mut closing) = (String::from("$"), String::new());
    let (mut of_list, mut of_object) = (None, None);
    let mut has_list = false;
    // The lists and objects that are open, from the outer to the inner one.
    for _ in 0..DEEPEST {
        let Some(&open) = bytes.get(at) else { break };
        if !matches!(open, b'[' | b'{') {
            break;
        }
        closing.insert(0, char::from(open + 2));
        has_list |= open == b'[';
        let (mut children, mut end, mut key) = (0, at, "");
        let mut last_key = key;
        match opened.iter().find(|known| known.at == at) {
            Some(known) => {
                (children, end, last_key) = (known.count, known.end, &text[known.key.clone()]);
                at = known.next;
            }
            None => at = space_end(bytes, at + 1),
        }
        let is_child_open = loop {
            if open == b'{' {
                let Some(end) = string_end(bytes, at) else {
                    break false;
                };
                key = &text[at..end];
                at = space_end(bytes, end);
                if bytes.get(at) != Some(&b':') {
                    break false;
                }
                at = space_end(bytes, at + 1);
            }
            let is_open = opened.iter().any(|known| known.at == at);
            let child = (!is_open)
                .then(|| value_end(bytes, at, MAX_DEPTH))
                .flatten();
            let Some(child) = child else { break true };
            let next = space_end(bytes, child);
            let is_closed = matches!(bytes[child - 1], b']' | b'}');
            // A number at the end may lack digits.
            if !is_closed && !matches!(bytes.get(next), Some(b',' | b']' | b'}')) {
                at = if bytes[at] == b'"' { next } else { at };
                break false;
            }
            (children, end, last_key) = (children + 1, child, key);
            at = next;
            if bytes.get(at) != Some(&b',') {
                break false;
            }
            at = space_end(bytes, at + 1);
        };
        if children >= FEWEST_CHILDREN {
            let kept = if open == b'[' {
                &mut of_list
            } else {
                &mut of_object
            };
            if kept.is_none() {
                let mut last = path.clone();
                push_step(&mut last, last_key, children - 1);
                let closing = closing.clone();
                *kept = Some(Whole {
                    count: children,
                    end,
                    last,
                    closing,
                });
            }
        }
        if !is_child_open {
            // It is closed, and the text is JSON.
            if bytes.get(at) == Some(&(open + 2)) {
                return None;
            }
            break;
        }
        push_step(&mut path, key, children);
    }
    let stop = stop(bytes, at);
    if !is_end(text.get(stop..)?) {
        return gap::read(text, start, at, of_list?);
    }
    let (json, end, last) = match string_part(text, at, stop) {
        Some(end) if 2 * (end - at) > end - start => {
            let json = [&text[start..end], "\"", &closing].concat();
            (json, end, ["a part of ", &path].concat())
        }
        _ => {
            // A row that is cut is no row.
            let whole = if has_list { of_list } else { of_object }?;
            let json = [&text[start..whole.end], &whole.closing].concat();
            (json, whole.end, whole.last)
        }
    };
    Some(Loose {
        found: Found {
            format: Format::CutJson,
            json,
            tape: Vec::new(),
            renamed: Vec::new(),
            range: start..end,
            rows: Vec::new(),
        },
        others: Vec::new(),
        last: Some(last),
        next: None,
    })
}

/// The end of the whole characters of a value that is a string and is cut: a file, or the output of a program. It
/// begins at `at`, and its line ends at `stop`.
fn string_part(text: &str, at: usize, stop: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_value = text[..at].trim_end().ends_with([':', '[', ',']);
    if bytes.get(at) != Some(&b'"') || !is_value {
        return None;
    }
    let mut end = at + 1;
    while end < stop {
        let length = match bytes[end..stop] {
            // Two for one character.
            [
                b'\\',
                b'u',
                b'd' | b'D',
                b'8' | b'9' | b'a' | b'b' | b'A' | b'B',
                ..,
            ] => 12,
            [b'\\', b'u', ..] => 6,
            [b'\\', ..] => 2,
            _ => 1,
        };
        if end + length > stop {
            break;
        }
        end += length;
    }
    let whole = [&text[at..end], "\""].concat();
    (string_end(whole.as_bytes(), 0) == Some(whole.len())).then_some(end)
}

/// Appends the step of a path to a key with quotes, or to a place if there is none.
fn push_step(path: &mut String, key: &str, place: usize) {
    let name = key.trim_matches('"').as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if name.first().is_some_and(|byte| !byte.is_ascii_digit()) && name.iter().all(is_plain) {
        path.push('.');
        path.push_str(&key[1..key.len() - 1]);
        return;
    }
    path.push('[');
    match key.is_empty() {
        true => path.push_str(&place.to_string()),
        false => path.push_str(key),
    }
    path.push(']');
}

/// The end of what is no value at `at`: a string without its last quote ends with the line.
pub(super) fn stop(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at) != Some(&b'"') {
        return at;
    }
    let line = memchr::memchr(b'\n', &bytes[at..]);
    line.map_or(bytes.len(), |length| at + length)
}

/// Whether a text after JSON is nothing, the beginning of a word, or a note about what is left out.
fn is_end(rest: &str) -> bool {
    let rest = rest.trim();
    let is_word = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let is_note = || {
        let lower = rest.to_ascii_lowercase();
        !rest.contains(['{', '}']) && NOTES.iter().any(|note| lower.contains(note))
    };
    // `[1, 2, ...]`
    let elided = ["...", "…"].iter().find_map(|sign| rest.strip_prefix(sign));
    let is_closing = |c: char| matches!(c, ']' | '}' | ' ' | '\n' | '\r');
    elided.is_some_and(|after| after.chars().all(is_closing))
        || rest.len() <= LONGEST_WORD && rest.chars().all(is_word)
        || rest.len() <= LONGEST_NOTE && is_note()
}
