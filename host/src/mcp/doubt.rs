//! Whether all readers take a frame for the same.
//!
//! Parsers differ: some skip a byte order mark, guess UTF-16, forgive a comma too many, match names whatever
//! their case, or take the first of two members. Owns what they differ by. Where a policy hides things, a frame
//! that any of them could read otherwise does not go on; elsewhere it does, and the log says so.
//!
//! Line and paragraph separators that are no line breaks in JSON's own sense (U+0085, U+2028, U+2029) may stand
//! unescaped in strings, and stay: a reader that breaks lines there gets halves of a string, in which every
//! quote is escaped, so no half is a message. Outside of strings they are no JSON.

use std::borrow::Cow;

use serde::de::{Deserializer, IgnoredAny, Visitor};

use super::frame::{BYTE_ORDER_MARK, Frame, View};

/// What readers may differ over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// It begins with a byte order mark, or is not UTF-8.
    Encoding,
    /// It is not JSON.
    NotJson,
    /// It is neither a message nor a list of messages.
    NotMessages,
    /// A member that says what it is, or what it asks for, is there twice.
    Twice,
    /// A member differs from such a one only in case or in characters that parsers ignore.
    LookAlike,
    /// It is a request and an answer at once.
    Both,
}

impl Doubt {
    /// What is wrong with the frame, for a sentence that begins with its name.
    pub fn why(self) -> &'static str {
        match self {
            Doubt::Encoding => "is not plain UTF-8 (a byte order mark counts, too)",
            Doubt::NotJson => "is not JSON",
            Doubt::NotMessages => {
                "is neither a message of JSON-RPC nor a list of at most 10000 messages"
            }
            Doubt::Twice => "has a member twice",
            Doubt::LookAlike => {
                "has a member whose name differs from one of the protocol's only in case"
            }
            Doubt::Both => "is a request and an answer at once",
        }
    }

    /// Whether there are readers that cannot read it at all.
    pub fn is_unreadable(self) -> bool {
        matches!(self, Doubt::Encoding | Doubt::NotJson | Doubt::NotMessages)
    }
}

/// Why readers may differ over a frame. An empty line is nothing to anybody. Looks at every byte.
pub fn of_frame(bytes: &[u8], frame: &Frame) -> Option<Doubt> {
    if bytes.trim_ascii().is_empty() {
        return None;
    }
    let unreadable = if bytes.starts_with(BYTE_ORDER_MARK) || std::str::from_utf8(bytes).is_err() {
        Some(Doubt::Encoding)
    } else {
        unreadable(bytes, frame)
    };
    let views = frame.views();
    let is_both = |view: &View| {
        let method = view.method.clone();
        view.is_answer() && method.is_some_and(|method| bytes[method.start] == b'"')
    };
    unreadable
        .or_else(|| views.iter().find_map(|view| view.doubt))
        .or_else(|| views.iter().any(is_both).then_some(Doubt::Both))
}

/// Why a frame cannot be read, or not by all. Text in another encoding than UTF-8 counts where it is no part of
/// a string: there, lenient parsers take a replacement character for it.
pub fn unreadable(bytes: &[u8], frame: &Frame) -> Option<Doubt> {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        return Some(Doubt::Encoding);
    }
    if serde_json::from_slice::<IgnoredAny>(bytes).is_err() {
        return Some(match std::str::from_utf8(bytes) {
            Ok(_) if !bytes.contains(&0) => Doubt::NotJson,
            _ => Doubt::Encoding,
        });
    }
    let views = frame.views();
    let is_odd = |view: &View| view.doubt == Some(Doubt::NotMessages);
    (views.is_empty() || views.iter().any(is_odd)).then_some(Doubt::NotMessages)
}

/// Why the body of a POST is no message of JSON-RPC that the server would read as Tamis does.
pub fn of_body(bytes: &[u8], frame: &Frame) -> Option<Doubt> {
    if std::str::from_utf8(bytes).is_err() {
        return Some(Doubt::Encoding);
    }
    let is_message = |view: &View| {
        let method = view.method.clone();
        // A look-alike of `method` is the relay's to judge.
        view.is_answer()
            || view.doubt.is_some()
            || method.is_some_and(|method| bytes[method.start] == b'"')
    };
    let is_odd = || !frame.views().iter().all(is_message);
    unreadable(bytes, frame).or_else(|| is_odd().then_some(Doubt::NotMessages))
}

/// Whether some reader takes a key (decoded) for one of these names, which it is not.
pub(super) fn is_taken_for_one(key: &[u8], names: &[&str]) -> bool {
    if key.iter().all(|byte| byte.is_ascii_graphic()) {
        let mut names = names.iter().map(|name| name.as_bytes());
        return names.any(|name| name.eq_ignore_ascii_case(key) && name != key);
    }
    let key = folded(key);
    names.iter().any(|name| name.eq_ignore_ascii_case(&key))
}

/// A key as the laxest readers compare it: up to a NUL, without what is invisible or cannot be decoded, and
/// with the letters that some languages' rules for case make of ASCII ones (`ſ`, the Kelvin sign, `ı`, `İ`).
fn folded(key: &[u8]) -> String {
    let text: Cow<'_, str> = String::from_utf8_lossy(key);
    let seen = text.chars().take_while(|letter| *letter != '\0');
    let letters = seen.filter_map(|letter| match letter {
        '\u{17f}' => Some('s'),
        '\u{212a}' => Some('k'),
        '\u{130}' | '\u{131}' => Some('i'),
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fffd}' => {
            None
        }
        other if other.is_control() || other.is_whitespace() => None,
        other => Some(other),
    });
    letters.collect()
}

/// The bytes of a JSON string with escapes: those of a lone surrogate are no UTF-8. Empty, if it is no string.
pub(super) fn decoded(quoted: &[u8]) -> Vec<u8> {
    struct Bytes;

    impl<'de> Visitor<'de> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            out.write_str("a string")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }

    let mut parser = serde_json::Deserializer::from_slice(quoted);
    parser.deserialize_bytes(Bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubt(frame: &str) -> Option<Doubt> {
        of_frame(frame.as_bytes(), &Frame::read(frame.as_bytes()))
    }

    #[test]
    fn what_every_reader_reads_alike_is_no_doubt() {
        for frame in [
            "",
            " \r\n",
            r#"{"jsonrpc":"2.0","id":1,"result":{"Result":1,"a":1,"a":2,"ID":0}}"#,
            r#"{"id":1,"method":null,"\u0072esult":{}}"#,
            r#"[{"id":1,"result":{}},{"method":"a","params":[[{"id":2}]]}]"#,
            "{\"id\":1,\"x\":\"\u{2028}\u{85}\u{feff}\"}\r\n",
            r#"{"id":1,"ids":2,"identity":3,"\ud800":4,"":5}"#,
        ] {
            assert_eq!(doubt(frame), None, "{frame}");
        }
    }

    #[test]
    fn what_readers_differ_over_is_named() {
        for (frame, expected) in [
            ("\u{feff}{\"id\":1}", Doubt::Encoding),
            ("{\0\"\0i\0d\0\"\0:\x001\0}\0", Doubt::Encoding),
            ("Listening on stdio", Doubt::NotJson),
            (r#"{"id":1,"result":{"a":[1,]}}"#, Doubt::NotJson),
            (r#"{"id":1,}"#, Doubt::NotJson),
            (r#"{'id':1}"#, Doubt::NotJson),
            ("{\"id\":1} {\"id\":2}", Doubt::NotJson),
            ("{\"id\":1,\"a\":\"\r\"}", Doubt::NotJson),
            ("1", Doubt::NotMessages),
            ("[]", Doubt::NotMessages),
            (r#"[[{"id":1}]]"#, Doubt::NotMessages),
            (r#"[{"id":1},null]"#, Doubt::NotMessages),
            (r#"{"id":1,"result":{},"result":{}}"#, Doubt::Twice),
            (r#"{"id":1,"\u0069d":1}"#, Doubt::Twice),
            (r#"{"ID":1}"#, Doubt::LookAlike),
            (r#"{"id":1,"Result":{}}"#, Doubt::LookAlike),
            (r#"{"id":1,"re\u017fult":{}}"#, Doubt::LookAlike),
            (r#"{"id":1,"result\u0000x":{}}"#, Doubt::LookAlike),
            (r#"{"id":1,"res\ud800ult":{}}"#, Doubt::LookAlike),
            (r#"{"id":1,"res\u200bult ":{}}"#, Doubt::LookAlike),
            ("{\"\u{131}d\":1}", Doubt::LookAlike),
            (r#"{"id":1,"method":"m","error":{}}"#, Doubt::Both),
        ] {
            assert_eq!(doubt(frame), Some(expected), "{frame:?}");
        }
        let bytes = b"{\"id\":1,\"a\":\"\xff\"}";
        assert_eq!(of_frame(bytes, &Frame::read(bytes)), Some(Doubt::Encoding));
        assert_eq!(unreadable(bytes, &Frame::read(bytes)), None);
    }

    #[test]
    fn a_body_is_a_message_or_several() {
        for (body, expected) in [
            (r#"{"method":"a"}"#, None),
            (r#"[{"id":1,"error":{}}]"#, None),
            (r#"{"id":1,"Method":"a"}"#, None),
            ("", Some(Doubt::NotJson)),
            ("{}", Some(Doubt::NotMessages)),
            (r#"{"id":1,"method":7}"#, Some(Doubt::NotMessages)),
            ("[]", Some(Doubt::NotMessages)),
            ("\u{feff}{\"method\":\"a\"}", Some(Doubt::Encoding)),
        ] {
            let bytes = body.as_bytes();
            assert_eq!(of_body(bytes, &Frame::read(bytes)), expected, "{body:?}");
        }
    }
}
