//! Characters as a document spells them: plain in a text, or escaped in JSON.

use crate::Sixteen;
use crate::words;

/// The spelling of characters in a text.
#[derive(Clone, Copy, PartialEq)]
pub enum Spelling {
    Text,
    Json,
}

/// One character and its spelling.
#[derive(Clone, Copy)]
pub struct Unit<'t> {
    /// The character; U+FFFD for an unpaired surrogate.
    pub says: char,
    pub spelled: &'t str,
}

/// The characters of a text, or of the text between the quotes of a JSON string.
#[derive(Clone, Copy)]
pub struct Units<'t> {
    left: &'t str,
    spelling: Spelling,
}

impl<'t> Units<'t> {
    pub fn of(text: &'t str, spelling: Spelling) -> Self {
        Units {
            left: text,
            spelling,
        }
    }

    /// The next characters that are spelled as they are and control nothing, up to one that may be another.
    pub(super) fn plain(&mut self) -> &'t str {
        let is_other = |bytes: Sixteen| bytes.between(0, 0x1f) | bytes.are(b'\\');
        // Behind the end are zeros.
        let end = words::place_from(self.left.as_bytes(), 0, is_other).min(self.left.len());
        let (plain, left) = self.left.split_at(end);
        self.left = left;
        plain
    }
}

impl<'t> Iterator for Units<'t> {
    type Item = Unit<'t>;

    fn next(&mut self) -> Option<Unit<'t>> {
        let first = self.left.chars().next()?;
        let (says, bytes) = if first == '\\' && self.spelling == Spelling::Json {
            escape(self.left)
        } else {
            (first, first.len_utf8())
        };
        let (spelled, left) = self.left.split_at(bytes);
        self.left = left;
        Some(Unit { says, spelled })
    }
}

/// The character of the escape at the beginning of a text, and the escape's length.
fn escape(text: &str) -> (char, usize) {
    let says = match text.as_bytes().get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(text),
        Some(plain) => char::from(*plain),
        None => return ('\\', 1),
    };
    (says, 2)
}

const UNICODE_BYTES: usize = r"\u0000".len();

fn unicode(text: &str) -> (char, usize) {
    let code = |text: &str| {
        let digits = text.get(2..UNICODE_BYTES)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = code(text) else {
        return ('\\', 1);
    };
    let rest = &text[UNICODE_BYTES..];
    let second = if rest.starts_with("\\u") {
        code(rest)
    } else {
        None
    };
    let pair = [first, second.unwrap_or_default()];
    let says = char::decode_utf16(pair).next();
    let says = says
        .and_then(Result::ok)
        .unwrap_or(char::REPLACEMENT_CHARACTER);
    let bytes = if says > '\u{ffff}' { 2 } else { 1 } * UNICODE_BYTES;
    (says, bytes)
}

/// Whether a JSON string may contain a control character.
pub fn may_control(said: &str) -> bool {
    let bytes = said.as_bytes();
    bytes
        .windows(2)
        .any(|pair| matches!(pair, b"\\u" | b"\\r" | b"\\b"))
}
