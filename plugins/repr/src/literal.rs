//! Reads one Python literal as `repr` prints it, and writes it as JSON.
//!
//! Owns the grammar: what `repr` prints of dict, list, tuple, str, int, float, bool and None, with any
//! white space between tokens (as `pprint` breaks lines). Numbers are taken where JSON spells them the
//! same, and keep their spelling. Refuses to guess: anything else ends the reading.

use crate::Settings;
use std::ops::Range;

/// Whether a list, tuple or dict may begin at `at`, seen through white space and a JSON string's
/// escapes.
pub fn may_begin(text: &[u8], at: usize) -> bool {
    matches!(
        text.get(at),
        Some(b'[' | b'{' | b'(' | b' ' | b'\t' | b'\n' | b'\r' | b'\\')
    )
}

/// A reader of one text.
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    settings: &'a Settings,
    /// Where the keys of the dicts that are open stand in the JSON.
    keys: Vec<Range<usize>>,
    /// Set by the first thing that JSON would write in another way. A text without one is not taken:
    /// it may be of another language.
    is_python: bool,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str, settings: &'a Settings) -> Self {
        Reader {
            text,
            at: 0,
            settings,
            keys: Vec::new(),
            is_python: false,
        }
    }

    /// Whether the whole text is one list, tuple or dict, which then stands at the end of `json`,
    /// nested at most `room` deep. If not, what was added to `json` means nothing.
    pub fn read(mut self, room: usize, json: &mut String) -> bool {
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
            b'{' => self.dict(room.checked_sub(1)?, json),
            b'[' => self.list(room.checked_sub(1)?, json),
            b'(' => self.tuple(room.checked_sub(1)?, json),
            b'\'' | b'"' => {
                let said = self.string()?;
                if self.settings.in_strings && said.len() >= self.settings.min_bytes as usize {
                    let before = json.len();
                    if may_begin(said.as_bytes(), 0)
                        && Reader::new(&said, self.settings).read(room, json)
                    {
                        return Some(());
                    }
                    json.truncate(before);
                }
                tamis_sdk::push_quoted(json, &said);
                Some(())
            }
            b'-' | b'0'..=b'9' => self.number(json),
            _ => self.word(json),
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

    /// As a list, but one element has a comma after it, or the brackets would mean nothing.
    fn tuple(&mut self, room: usize, json: &mut String) -> Option<()> {
        if !self.settings.tuples {
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
                let start = json.len();
                let key = self.string()?;
                tamis_sdk::push_quoted(json, &key);
                self.keys.push(start..json.len());
                self.skip_space();
                if !self.take(b':') {
                    return None;
                }
                json.push(':');
                self.skip_space();
                self.value(room, json)?;
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
        // The same key has the same spelling by now.
        let keys = &mut self.keys[outer..];
        keys.sort_unstable_by(|a, b| json[a.clone()].cmp(&json[b.clone()]));
        let twice = keys
            .windows(2)
            .any(|pair| json[pair[0].clone()] == json[pair[1].clone()]);
        self.keys.truncate(outer);
        (!twice).then_some(())
    }

    /// What JSON calls a number, and is followed by what may follow one.
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

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn word(&mut self, json: &mut String) -> Option<()> {
        let rest = &self.text[self.at..];
        let (word, means) = [("None", "null"), ("True", "true"), ("False", "false")]
            .into_iter()
            .find(|(word, _)| rest.starts_with(word))?;
        self.at += word.len();
        self.is_python = true;
        json.push_str(means);
        Some(())
    }

    /// What a string says. A prefix (`b'…'`), three quotes, a line break, or half of a surrogate pair
    /// and no string is there.
    fn string(&mut self) -> Option<String> {
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

    /// What the escape after a backslash stands for.
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
        // `from_str_radix` would take a sign.
        if !code.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.at += digits;
        let code = u32::from_str_radix(code, radix).ok()?;
        // Python's octal escapes end at 0o377.
        char::from_u32(code).filter(|_| radix == 16 || code <= 0o377)
    }
}
