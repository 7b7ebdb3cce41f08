//! Parses Python literals as `repr` prints them, and writes them as JSON.
//!
//! Owns the grammar: dict, list, tuple, str, bytes that are UTF-8, int, float, bool and None as `repr` prints them, with any white space
//! between tokens (as `pprint` breaks lines), and values of databases: `Decimal`, dates, times, `UUID`, addresses. A number is
//! accepted if JSON spells it the same, and keeps its spelling. A date is accepted if Python prints it exactly so. For
//! readers that need not restore the text, also objects with the names of their attributes, and the values of [`opaque`].
//! Refuses to guess: any other text ends the parse.

mod calls;
mod opaque;

use crate::json::{MAX_DEPTH, is_cut, push_quoted, value_end};
use crate::lines::line_at;
use crate::words;
use crate::{Format, Found};
use std::ops::Range;

/// Which values of Python are accepted.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Converts tuples to arrays. If false, a text with a tuple is refused.
    pub tuples: bool,
    /// Converts strings that contain such literals, or JSON.
    pub in_strings: bool,
    /// Shortest such string, in bytes without its escapes.
    pub min_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            tuples: true,
            in_strings: true,
            min_bytes: 16,
        }
    }
}

/// The JSON of a text that is one list, tuple or dict, nested at most `room` deep.
pub fn json_of(text: &str, room: usize, options: Options) -> Option<String> {
    let mut json = String::with_capacity(text.len());
    Reader::new(text, options)
        .read(room, &mut json)
        .then_some(json)
}

/// The text of a literal that is one str, or bytes that are UTF-8.
pub(crate) fn string_of(literal: &str) -> Option<String> {
    let mut reader = Reader::new(literal, Options::default());
    let said = reader.string()?;
    (reader.at == literal.len()).then_some(said)
}

/// Reads the literal at `at`, or one on each line.
pub(crate) fn read(text: &str, at: usize) -> Option<Found> {
    read_with(text, at, false)
}

/// Reads the literal at `at`, or one on each line, also with values that JSON lacks: they become strings that say them as
/// the text spells them.
pub(crate) fn read_with_opaque(text: &str, at: usize) -> Option<Found> {
    read_with(text, at, true)
}

fn read_with(text: &str, at: usize, opaque: bool) -> Option<Found> {
    // Nor does a value of Python end there.
    if is_cut(text.as_bytes(), at) {
        return None;
    }
    let mut json = String::new();
    let one = |at, json: &mut String| one(text, at, MAX_DEPTH - 1, opaque, json);
    let end = one(at, &mut json)?;
    let rest = line_at(text, end);
    if !rest.is_blank() {
        return None;
    }
    let opening = text.as_bytes()[at];
    let begins = |at: usize| match opening {
        b'[' | b'{' | b'(' => text.as_bytes().get(at) == Some(&opening),
        _ => opaque::begins_object(&text[at..]),
    };
    if !begins(rest.next) || text[at..end].contains('\n') {
        return Some(Found {
            format: Format::Repr,
            json,
            tape: Vec::new(),
            renamed: Vec::new(),
            range: at..end,
            rows: Vec::new(),
        });
    }
    // With one on each line, dicts and objects are rows.
    if matches!(opening, b'[' | b'(') {
        return None;
    }
    json.clear();
    let (mut rows, mut next) = (Vec::new(), at);
    while begins(next) {
        json.push(if rows.is_empty() { '[' } else { ',' });
        let end = one(next, &mut json)?;
        let rest = line_at(text, end);
        if !rest.is_blank() || text[next..end].contains('\n') {
            return None;
        }
        rows.push(next..end);
        next = rest.next;
    }
    json.push(']');
    Some(Found {
        format: Format::ReprLines,
        json,
        tape: Vec::new(),
        renamed: Vec::new(),
        range: at..rows.last()?.end,
        rows,
    })
}

/// Reads the list, tuple, dict or object at `at`, and returns its end.
fn one(text: &str, at: usize, room: usize, opaque: bool, json: &mut String) -> Option<usize> {
    let mut reader = Reader::new(text, Options::default());
    reader.at = at;
    reader.takes_opaque = opaque;
    let is_container = matches!(reader.peek(), Some(b'[' | b'{' | b'('))
        || opaque && opaque::begins_object(&text[at..]);
    (is_container && reader.value(room, json).is_some() && reader.is_python).then_some(reader.at)
}

/// Whether a list, tuple or dict may begin at `at`, after white space and escapes of a JSON string.
pub fn may_begin(text: &[u8], at: usize) -> bool {
    matches!(
        text.get(at),
        Some(b'[' | b'{' | b'(' | b' ' | b'\t' | b'\n' | b'\r' | b'\\')
    )
}

/// The object or array of JSON that a text is, nested at most `room` deep.
fn json_in(text: &str, room: usize) -> Option<&str> {
    let json = text.trim_matches([' ', '\t', '\n', '\r']);
    let is_whole =
        json.starts_with(['{', '[']) && value_end(json.as_bytes(), 0, room) == Some(json.len());
    is_whole.then_some(json)
}

/// A reader of one text.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    options: Options,
    /// Ranges in the JSON of the keys of the open dicts.
    keys: Vec<Range<usize>>,
    /// Set by the first token that JSON would write differently. Without such a token, the text is refused: it may be
    /// in another language.
    is_python: bool,
    /// Whether values that JSON lacks become strings.
    takes_opaque: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, options: Options) -> Self {
        Reader {
            text,
            at: 0,
            options,
            keys: Vec::new(),
            is_python: false,
            takes_opaque: false,
        }
    }

    /// Whether the whole text is one list, tuple or dict, nested at most `room` deep, which is then at the end of
    /// `json`. If not, the end of `json` is meaningless.
    fn read(mut self, room: usize, json: &mut String) -> bool {
        self.skip_space();
        if !matches!(self.peek(), Some(b'[' | b'{' | b'(')) || self.value(room, json).is_none() {
            return false;
        }
        self.skip_space();
        self.at == self.text.len() && self.is_python
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let taken = self.peek() == Some(byte);
        self.at += usize::from(taken);
        taken
    }

    fn value(&mut self, room: usize, json: &mut String) -> Option<()> {
        match self.peek()? {
            b'{' | b'[' | b'(' | b'-' if self.opaque(json).is_some() => Some(()),
            b'{' => self.dict(room.checked_sub(1)?, json),
            b'[' => self.list(room.checked_sub(1)?, json),
            b'(' => self.tuple(room.checked_sub(1)?, json),
            b'\'' | b'"' | b'b' => {
                let start = self.at;
                let Some(said) = self.string() else {
                    return self.bytes(start, json);
                };
                if self.options.in_strings && said.len() >= self.options.min_bytes {
                    let before = json.len();
                    if may_begin(said.as_bytes(), 0)
                        && Reader::new(&said, self.options).read(room, json)
                    {
                        return Some(());
                    }
                    json.truncate(before);
                    if let Some(inner) = json_in(&said, room) {
                        json.push_str(inner);
                        return Some(());
                    }
                }
                push_quoted(json, &said);
                Some(())
            }
            b'-' | b'0'..=b'9' => self.number(json),
            _ => self.word(room, json),
        }
    }

    fn list(&mut self, room: usize, json: &mut String) -> Option<()> {
        self.at += 1;
        json.push('[');
        self.skip_space();
        if !self.take(b']') {
            loop {
                self.value(room, json)?;
                self.skip_space();
                if self.take(b']') {
                    break;
                }
                if !self.take(b',') {
                    return None;
                }
                json.push(',');
                self.skip_space();
            }
        }
        json.push(']');
        Some(())
    }

    /// Reads a tuple like a list. A single element needs a comma after it: otherwise the brackets have no meaning.
    fn tuple(&mut self, room: usize, json: &mut String) -> Option<()> {
        if !self.options.tuples {
            return None;
        }
        self.is_python = true;
        self.at += 1;
        json.push('[');
        self.skip_space();
        let mut elements = 0;
        while !self.take(b')') {
            if elements > 0 {
                json.push(',');
            }
            self.value(room, json)?;
            elements += 1;
            self.skip_space();
            if self.take(b',') {
                self.skip_space();
                if self.peek() == Some(b')') && elements > 1 {
                    return None;
                }
            } else if elements == 1 || self.peek() != Some(b')') {
                return None;
            }
        }
        json.push(']');
        Some(())
    }

    fn dict(&mut self, room: usize, json: &mut String) -> Option<()> {
        self.at += 1;
        json.push('{');
        let outer = self.keys.len();
        self.skip_space();
        if !self.take(b'}') {
            loop {
                if matches!(self.peek(), Some(b'-' | b'0'..=b'9')) {
                    let key = self.number_of_key()?;
                    self.push_key(key, json);
                } else {
                    let key = self.string()?;
                    self.push_key(&key, json);
                }
                self.skip_space();
                if !self.take(b':') {
                    return None;
                }
                json.push(':');
                self.skip_space();
                self.member(room, json)?;
                self.skip_space();
                if self.take(b'}') {
                    break;
                }
                if !self.take(b',') {
                    return None;
                }
                json.push(',');
                self.skip_space();
            }
        }
        json.push('}');
        self.are_distinct(outer, json)
    }

    /// Writes the key of a member.
    fn push_key(&mut self, key: &str, json: &mut String) {
        let start = json.len();
        push_quoted(json, key);
        self.keys.push(start..json.len());
    }

    /// Whether the keys from the one at `outer` on are distinct. Forgets them.
    fn are_distinct(&mut self, outer: usize, json: &str) -> Option<()> {
        // Equal keys have equal spellings here.
        let keys = self.keys.drain(outer..).map(|key| &json[key]);
        words::are_distinct(keys.collect()).then_some(())
    }

    /// Reads an object as Python prints it by itself, like a dict: `User(id=1, name='Ada')`. Its class is a member too.
    fn object(&mut self, room: usize, json: &mut String) -> Option<()> {
        let (at, length, outer) = (self.at, json.len(), self.keys.len());
        let read = self.attributes(room.checked_sub(1)?, json);
        if read.is_none() {
            self.at = at;
            json.truncate(length);
            self.keys.truncate(outer);
        }
        read
    }

    fn attributes(&mut self, room: usize, json: &mut String) -> Option<()> {
        let rest = &self.text[self.at..];
        if !self.takes_opaque || !opaque::begins_object(rest) {
            return None;
        }
        let class = rest.split('(').next()?;
        let outer = self.keys.len();
        json.push('{');
        self.push_key("__class__", json);
        json.push(':');
        push_quoted(json, class);
        self.at += class.len() + 1;
        loop {
            let name = opaque::name(&self.text[self.at..])?;
            self.at += name.len();
            self.take(b'=').then_some(())?;
            json.push(',');
            self.push_key(name, json);
            json.push(':');
            self.member(room, json)?;
            self.skip_space();
            if self.take(b')') {
                break;
            }
            self.take(b',').then_some(())?;
            self.skip_space();
        }
        json.push('}');
        self.is_python = true;
        self.are_distinct(outer, json)
    }

    /// Reads the value of a member. In a list, three dots stand for elements.
    fn member(&mut self, room: usize, json: &mut String) -> Option<()> {
        const DOTS: &str = "...";
        if self.takes_opaque && self.text[self.at..].starts_with(DOTS) {
            push_quoted(json, DOTS);
            self.at += DOTS.len();
            return Some(());
        }
        self.value(room, json)
    }

    /// Reads a number in the spelling of JSON, with a valid character after it.
    fn number(&mut self, json: &mut String) -> Option<()> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') && self.digits() == 0 {
            return None;
        }
        if self.take(b'.') && self.digits() == 0 {
            return None;
        }
        if self.take(b'e') {
            if !self.take(b'-') {
                self.take(b'+');
            }
            if self.digits() == 0 {
                return None;
            }
        }
        json.push_str(&self.text[start..self.at]);
        Some(())
    }

    /// Reads a whole number that is a key, which JSON writes as a string.
    fn number_of_key(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.takes_opaque.then_some(())?;
        self.take(b'-');
        (self.digits() > 0).then_some(())?;
        self.is_python = true;
        Some(&self.text[start..self.at])
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    /// Reads a value that JSON lacks, if it is one.
    fn opaque(&mut self, json: &mut String) -> Option<()> {
        let rest = &self.text[self.at..];
        let length = self.takes_opaque.then(|| opaque::length(rest))??;
        // What follows ends a value.
        let after = rest[length..].trim_start();
        after.starts_with([',', ']', '}', ')']).then_some(())?;
        push_quoted(json, &rest[..length]);
        self.at += length;
        Some(())
    }

    fn word(&mut self, room: usize, json: &mut String) -> Option<()> {
        let rest = &self.text[self.at..];
        let words = [("None", "null"), ("True", "true"), ("False", "false")];
        let word = words.into_iter().find(|(word, _)| rest.starts_with(word));
        let length = match word {
            Some((word, means)) => {
                json.push_str(means);
                word.len()
            }
            None => match calls::read(rest, json) {
                Some(length) => length,
                None => return self.object(room, json).or_else(|| self.opaque(json)),
            },
        };
        self.at += length;
        self.is_python = true;
        Some(())
    }

    /// Decodes a string, or bytes (`b'…'`) that are UTF-8. None for another prefix, three quotes, a line break, or an
    /// unpaired surrogate.
    fn string(&mut self) -> Option<String> {
        if self.take(b'b') {
            let escaped = self.quoted()?;
            self.is_python = true;
            // Python writes one character for each byte.
            let bytes: Option<Vec<u8>> = escaped.chars().map(|c| u8::try_from(c).ok()).collect();
            return String::from_utf8(bytes?).ok();
        }
        self.quoted()
    }

    /// Reads bytes from `start` that are no UTF-8, as the text spells them.
    fn bytes(&mut self, start: usize, json: &mut String) -> Option<()> {
        self.at = start;
        if !self.takes_opaque || !self.take(b'b') {
            return None;
        }
        let escaped = self.quoted()?;
        escaped.chars().all(|c| u32::from(c) < 256).then_some(())?;
        push_quoted(json, &self.text[start..self.at]);
        Some(())
    }

    /// Decodes what stands in quotes.
    fn quoted(&mut self) -> Option<String> {
        let quote = self.peek().filter(|byte| matches!(byte, b'\'' | b'"'))?;
        self.is_python |= quote == b'\'';
        self.at += 1;
        let mut said = String::new();
        let mut copied = self.at;
        loop {
            match self.peek()? {
                0..0x20 => return None,
                b'\\' => {
                    said.push_str(&self.text[copied..self.at]);
                    self.at += 1;
                    said.push(self.escape()?);
                    copied = self.at;
                }
                byte if byte == quote => break,
                _ => self.at += 1,
            }
        }
        said.push_str(&self.text[copied..self.at]);
        self.at += 1;
        Some(said)
    }

    /// The character of the escape after a backslash.
    fn escape(&mut self) -> Option<char> {
        let kind = self.peek()?;
        self.at += 1;
        let (digits, radix) = match kind {
            b'\\' | b'\'' | b'"' => return Some(char::from(kind)),
            b'n' => return Some('\n'),
            b'r' => return Some('\r'),
            b't' => return Some('\t'),
            b'a' => return Some('\x07'),
            b'b' => return Some('\x08'),
            b'f' => return Some('\x0c'),
            b'v' => return Some('\x0b'),
            b'x' => (2, 16),
            b'u' => (4, 16),
            b'U' => (8, 16),
            b'0'..=b'7' => {
                self.at -= 1;
                let digits = self.text.as_bytes()[self.at..]
                    .iter()
                    .take(3)
                    .take_while(|byte| matches!(byte, b'0'..=b'7'));
                (digits.count(), 8)
            }
            _ => return None,
        };
        let code = self.text.get(self.at..self.at + digits)?;
        // `from_str_radix` would accept a sign.
        if !code.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.at += digits;
        let code = u32::from_str_radix(code, radix).ok()?;
        // Python's octal escapes end at 0o377.
        char::from_u32(code).filter(|_| radix == 16 || code <= 0o377)
    }
}
