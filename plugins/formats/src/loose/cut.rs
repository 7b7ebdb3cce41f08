//! JSON that a server cut, with or without a note at its end: `[{"a":1},{"a":2},{"a … (truncated)`.
//!
//! Owns the place where the whole values end, and the note. The rest of a value that is cut is left out. Refuses JSON
//! that goes on after another mistake.

use super::Loose;
use crate::json::{MAX_DEPTH, space_end, string_end, value_end};
use crate::{Format, Found};

/// Fewest whole values of the list that is cut.
const FEWEST_CHILDREN: usize = 3;

/// Longest note at the end, in bytes.
const LONGEST_NOTE: usize = 300;

/// Longest beginning of `true`, or of a number, that may be the last of a text.
const LONGEST_WORD: usize = 24;

/// Words of notes about what is left out.
const NOTES: [&str; 9] = [
    "...", "…", "trunc", "omitted", "more", "limit", "exceed", "cut", "clipped",
];

/// A list or an object that is not closed yet.
struct Open {
    byte: u8,
    /// Whole values in it, and the end of the last one.
    children: usize,
    end: usize,
    /// The key of the last whole value, and the last key, with their quotes.
    last_key: (usize, usize),
    key: (usize, usize),
}

/// Reads the value at `at`, up to its last whole part.
pub(super) fn read(text: &str, at: usize) -> Option<Loose> {
    let (open, stop) = opened(text.as_bytes(), at)?;
    if !is_end(text.get(stop..)?) {
        return None;
    }
    let is_long = |open: &Open| open.children >= FEWEST_CHILDREN;
    let list = open.iter().position(|it| it.byte == b'[' && is_long(it));
    let has_list = open.iter().any(|it| it.byte == b'[');
    let most = || (0..open.len()).max_by_key(|place| open[*place].children);
    // A row that is cut is no row.
    let chosen = if has_list { list } else { most() };
    let chosen = chosen.filter(|it| is_long(&open[*it]))?;
    let end = open[chosen].end;
    let mut json = text[at..end].to_owned();
    let mut last = String::from("$");
    for (place, open) in open[..=chosen].iter().enumerate() {
        let is_last = place == chosen;
        let (start, end) = if is_last { open.last_key } else { open.key };
        match open.byte {
            b'[' => last += &format!("[{}]", open.children - usize::from(is_last)),
            _ => push_key(&mut last, &text[start..end]),
        }
    }
    let closing = open[..=chosen].iter().rev();
    json.extend(closing.map(|open| char::from(open.byte + 2)));
    Some(Loose {
        found: Found {
            format: Format::CutJson,
            json,
            tape: Vec::new(),
            range: at..end,
            rows: Vec::new(),
        },
        others: Vec::new(),
        last: Some(last),
    })
}

/// Appends the step of a path to a key with quotes.
fn push_key(path: &mut String, quoted: &str) {
    let name = quoted.trim_matches('"');
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.chars().all(is_plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        path.push('.');
        path.push_str(name);
    } else {
        path.push('[');
        path.push_str(quoted);
        path.push(']');
    }
}

/// The lists and objects that are open where the value at `at` is no JSON any more, and that place. None if it is
/// JSON.
fn opened(bytes: &[u8], at: usize) -> Option<(Vec<Open>, usize)> {
    let mut stack: Vec<Open> = Vec::new();
    let mut at = at;
    loop {
        // A value begins here, or a key before it.
        at = space_end(bytes, at);
        if let Some(open) = stack.last_mut().filter(|open| open.byte == b'{') {
            let Some(end) = string_end(bytes, at) else {
                return Some((stack, stop(bytes, at)));
            };
            open.key = (at, end);
            at = space_end(bytes, end);
            if bytes.get(at) != Some(&b':') {
                return Some((stack, at));
            }
            at = space_end(bytes, at + 1);
        }
        match bytes.get(at) {
            Some(byte @ (b'[' | b'{')) if stack.len() < MAX_DEPTH => {
                stack.push(Open {
                    byte: *byte,
                    children: 0,
                    end: at + 1,
                    last_key: (0, 0),
                    key: (0, 0),
                });
                at = space_end(bytes, at + 1);
                if bytes.get(at) != Some(&(byte + 2)) {
                    continue;
                }
            }
            _ => match value_end(bytes, at, 0) {
                // A number at the end may lack digits.
                Some(end) if space_end(bytes, end) < bytes.len() => {
                    let open = stack.last_mut()?;
                    let next = space_end(bytes, end);
                    if !matches!(bytes[next], b',' | b']' | b'}') {
                        return Some((stack, if bytes[at] == b'"' { next } else { at }));
                    }
                    open.add(end);
                    at = next;
                }
                _ => return Some((stack, stop(bytes, at))),
            },
        }
        // After a value.
        loop {
            at = space_end(bytes, at);
            let open = stack.last()?;
            match bytes.get(at) {
                Some(b',') => {
                    at += 1;
                    break;
                }
                Some(byte) if *byte == open.byte + 2 => {
                    at += 1;
                    stack.pop();
                    stack.last_mut()?.add(at);
                }
                _ => return Some((stack, at)),
            }
        }
    }
}

impl Open {
    fn add(&mut self, end: usize) {
        self.children += 1;
        self.end = end;
        self.last_key = self.key;
    }
}

/// The end of what is no value at `at`: a string without its last quote ends with the line.
fn stop(bytes: &[u8], at: usize) -> usize {
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
        let lower = rest.to_lowercase();
        !rest.contains(['{', '}']) && NOTES.iter().any(|note| lower.contains(note))
    };
    // `[1, 2, ...]`
    let elided = ["...", "…"].iter().find_map(|sign| rest.strip_prefix(sign));
    let is_closing = |c: char| matches!(c, ']' | '}' | ' ' | '\n' | '\r');
    elided.is_some_and(|after| after.chars().all(is_closing))
        || rest.len() <= LONGEST_WORD && rest.chars().all(is_word)
        || rest.len() <= LONGEST_NOTE && is_note()
}
