//! JSON as text: the end of a value, the spelling of strings and numbers.
//!
//! Owns the strict grammar of RFC 8259. Refuses to know the meaning of values.

use crate::words;
use std::ops::Range;

/// Most levels of JSON, the same as the host's.
pub(crate) const MAX_DEPTH: usize = 128;

/// Appends `text` to `out` as a JSON string.
pub(crate) fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    let bytes = text.as_bytes();
    let mut written = 0;
    while let Some(more) = first_to_escape(&bytes[written..]) {
        let at = written + more;
        out.push_str(&text[written..at]);
        match escape(bytes[at]) {
            Some(escape) => out.push_str(escape),
            None => {
                out.push_str("\\u00");
                out.push(if bytes[at] < 0x10 { '0' } else { '1' });
                out.push(char::from(
                    b"0123456789abcdef"[usize::from(bytes[at] & 0xf)],
                ));
            }
        }
        written = at + 1;
    }
    out.push_str(&text[written..]);
    out.push('"');
}

fn escape(byte: u8) -> Option<&'static str> {
    Some(match byte {
        b'"' => "\\\"",
        b'\\' => "\\\\",
        b'\n' => "\\n",
        b'\r' => "\\r",
        b'\t' => "\\t",
        _ => return None,
    })
}

/// Whether a text is a number as JSON spells it without an exponent: `-1.50`, but not `007`, `+1`, `1.`, `1e5`.
pub fn is_number(text: &str) -> bool {
    is_number_of(text.as_bytes())
}

/// The same of the bytes of a text.
pub(crate) fn is_number_of(bytes: &[u8]) -> bool {
    let digits = |from: usize| {
        let digits = bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        from + digits.count()
    };
    let start = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(start);
    if whole == start || bytes[start] == b'0' && whole > start + 1 {
        return false;
    }
    match bytes.get(whole) {
        None => true,
        Some(b'.') => whole + 1 < bytes.len() && digits(whole + 1) == bytes.len(),
        Some(_) => false,
    }
}

/// Appends a cell of a table: a number if it is spelled as one, else a string.
pub(crate) fn push_cell(out: &mut String, cell: &str) {
    if is_number(cell) {
        out.push_str(cell);
    } else {
        push_quoted(out, cell);
    }
}

/// The first byte that a JSON string cannot have as it is.
pub(crate) fn first_to_escape(text: &[u8]) -> Option<usize> {
    words::position(text, |word| {
        words::has_below_space(word) | words::has(word, b'"') | words::has(word, b'\\')
    })
}

/// A list or an object of which no end was found, and what is whole in it.
#[derive(Clone, Default)]
pub(crate) struct Open {
    /// Where it begins.
    pub(crate) at: usize,
    /// The number of whole elements or members that a comma follows, the end of the last, and its key.
    pub(crate) count: usize,
    pub(crate) end: usize,
    pub(crate) key: Range<usize>,
    /// Where the next element or member begins.
    pub(crate) next: usize,
}

/// The end of the value at `at`, nested at most `room` deep; none if it is no JSON.
pub(crate) fn value_end(text: &[u8], at: usize, room: usize) -> Option<usize> {
    value_end_or_open(text, at, room, &mut Vec::new())
}

/// The same. If it is no JSON, `opened` gets the lists and objects around the mistake, the inner ones first.
pub(crate) fn value_end_or_open(
    text: &[u8],
    at: usize,
    room: usize,
    opened: &mut Vec<Open>,
) -> Option<usize> {
    match *text.get(at)? {
        open @ (b'[' | b'{') => container_end(text, at, open, room.checked_sub(1)?, opened),
        b'"' => string_end(text, at),
        b'-' | b'0'..=b'9' => number_end(text, at),
        _ => [&b"null"[..], b"true", b"false"]
            .into_iter()
            .find(|word| text[at..].starts_with(word))
            .map(|word| at + word.len()),
    }
}

fn container_end(
    text: &[u8],
    at: usize,
    open: u8,
    room: usize,
    opened: &mut Vec<Open>,
) -> Option<usize> {
    let first = space_end(text, at + 1);
    if text.get(first) == Some(&(open + 2)) {
        return Some(first + 1);
    }
    let mut whole = Open {
        at,
        next: first,
        ..Open::default()
    };
    let end = whole_end(text, open, room, &mut whole, opened);
    if end.is_none() {
        opened.push(whole);
    }
    end
}

/// The end of the list or object that begins with `open`, and goes on with the element or member at `at`.
pub(crate) fn rest_end(text: &[u8], at: usize, open: u8, room: usize) -> Option<usize> {
    let mut whole = Open {
        next: at,
        ..Open::default()
    };
    whole_end(text, open, room, &mut whole, &mut Vec::new())
}

/// The same. What is whole in it is noted in `whole`.
fn whole_end(
    text: &[u8],
    open: u8,
    room: usize,
    whole: &mut Open,
    opened: &mut Vec<Open>,
) -> Option<usize> {
    let close = open + 2;
    loop {
        let (mut at, mut key) = (whole.next, 0..0);
        if open == b'{' {
            let end = string_end(text, at)?;
            key = at..end;
            at = space_end(text, end);
            if text.get(at) != Some(&b':') {
                return None;
            }
            at = space_end(text, at + 1);
        }
        let end = value_end_or_open(text, at, room, opened)?;
        at = space_end(text, end);
        match *text.get(at)? {
            b',' => at = space_end(text, at + 1),
            byte if byte == close => return Some(at + 1),
            _ => return None,
        }
        whole.count += 1;
        (whole.end, whole.key, whole.next) = (end, key, at);
    }
}

pub(crate) fn space_end(text: &[u8], at: usize) -> usize {
    let blanks = text[at.min(text.len())..]
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    at + blanks.count()
}

/// The end of the string whose first quote is at `at`.
pub(crate) fn string_end(text: &[u8], at: usize) -> Option<usize> {
    if text.get(at) != Some(&b'"') {
        return None;
    }
    let mut at = at + 1;
    loop {
        at += first_to_escape(&text[at..])?;
        match *text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => match *text.get(at + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => at += 2,
                b'u' => {
                    let digits = text.get(at + 2..at + 6)?;
                    if !digits.iter().all(u8::is_ascii_hexdigit) {
                        return None;
                    }
                    at += 6;
                }
                _ => return None,
            },
            _ => return None,
        }
    }
}

/// Whether a string has no end from `at` on, whatever its escapes are.
fn is_open(text: &[u8], mut at: usize) -> bool {
    while let Some(sign) = text
        .get(at..)
        .and_then(|rest| memchr::memchr2(b'"', b'\\', rest))
    {
        if text[at + sign] == b'"' {
            return false;
        }
        at += sign + 2;
    }
    true
}

/// Whether a text has only tokens of JSON from `at` on, and ends before the value there does.
pub(crate) fn is_cut(text: &[u8], at: usize) -> bool {
    matches!(text.get(at), Some(b'[' | b'{')) && is_cut_inside(text, at, 0)
}

/// The same, where `depth` lists and objects are open at `at`.
pub(crate) fn is_cut_inside(text: &[u8], at: usize, depth: usize) -> bool {
    let (mut at, mut depth) = (at, depth as isize);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => match string_end(text, at) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => return is_open(text, at + 1),
            },
            b' ' | b'\t' | b'\n' | b'\r' | b'+'..=b'.' | b'0'..=b':' => {
                at += 1;
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            _ => match [&b"null"[..], b"true", b"false"]
                .iter()
                .find(|word| text[at..].starts_with(word))
            {
                Some(word) => at += word.len() - 1,
                // The last word may be cut.
                None => {
                    return at + "false".len() > text.len()
                        && byte.is_ascii_lowercase()
                        && depth > 0;
                }
            },
        }
        at += 1;
        if depth <= 0 {
            return false;
        }
    }
    depth > 0
}

fn number_end(text: &[u8], at: usize) -> Option<usize> {
    let digits = |at: usize| {
        let count = text[at..].iter().take_while(|byte| byte.is_ascii_digit());
        at + count.count()
    };
    let start = at + usize::from(text[at] == b'-');
    let mut end = digits(start);
    if end == start || (text[start] == b'0' && end > start + 1) {
        return None;
    }
    if text.get(end) == Some(&b'.') {
        let part = end + 1;
        end = digits(part);
        if end == part {
            return None;
        }
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let power = end + 1 + usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        if power > text.len() {
            return None;
        }
        end = digits(power);
        if end == power {
            return None;
        }
    }
    Some(end)
}
