//! Whether all readers understand a frame the same way.
//!
//! Parsers differ: some skip a byte order mark, guess UTF-16, accept an extra comma, ignore the case of names,
//! or use the first of two members. Owns the list of these differences. If a policy redacts, Tamis refuses a
//! frame that any of these parsers could read in another way. Otherwise the frame passes, and the log says so.
//!
//! Line and paragraph separators that are no line breaks in JSON (U+0085, U+2028, U+2029) may stand unescaped in
//! strings, and stay. A reader that breaks lines there gets halves of a string. Every quote in them is escaped,
//! so no half is a message. Outside of strings, these characters are no JSON.

use super::frame::{Doubt, Frame, MessageView};
use crate::json::{self, BYTE_ORDER_MARK};
use serde::de::IgnoredAny;

/// Why readers may differ over a frame. No reader takes an empty line for a message. Looks at every byte.
pub fn of_frame(bytes: &[u8], frame: &Frame) -> Option<Doubt> {
    if bytes.trim_ascii().is_empty() {
        return None;
    }
    if bytes.starts_with(BYTE_ORDER_MARK) || std::str::from_utf8(bytes).is_err() {
        return Some(Doubt::Encoding);
    }
    unreadable(bytes, frame).or_else(|| of_readable(bytes, frame))
}

/// The doubt about a frame about which [`unreadable`] found nothing.
pub fn of_readable(bytes: &[u8], frame: &Frame) -> Option<Doubt> {
    let views = frame.views();
    let is_both = |view: &MessageView| {
        let method = view.method.clone();
        view.is_answer() && method.is_some_and(|method| bytes[method.start] == b'"')
    };
    let is_text = std::str::from_utf8(bytes).is_ok();
    (!is_text)
        .then_some(Doubt::Encoding)
        .or_else(|| views.iter().find_map(|view| view.doubt))
        .or_else(|| views.iter().any(is_both).then_some(Doubt::Both))
}

/// Why some or all readers cannot read a frame. Text in another encoding than UTF-8 counts outside of strings:
/// there, lenient parsers read it as a replacement character.
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
    let is_odd = |view: &MessageView| view.doubt == Some(Doubt::NotMessages);
    (views.is_empty() || views.iter().any(is_odd)).then_some(Doubt::NotMessages)
}

/// Why the server could read the body of a POST in another way than Tamis, or not as a message of JSON-RPC.
pub fn of_body(bytes: &[u8], frame: &Frame) -> Option<Doubt> {
    if std::str::from_utf8(bytes).is_err() {
        return Some(Doubt::Encoding);
    }
    let is_message = |view: &MessageView| {
        let method = view.method.clone();
        // A look-alike of `method` is the relay's to judge.
        view.is_answer()
            || view.doubt.is_some()
            || method.is_some_and(|method| bytes[method.start] == b'"')
    };
    let is_odd = || !frame.views().iter().all(is_message);
    unreadable(bytes, frame).or_else(|| is_odd().then_some(Doubt::NotMessages))
}

/// Why readers may differ over the members `names` of the raw JSON `object`; none if they agree.
pub fn of_members(object: &[u8], names: &[&str]) -> Option<Doubt> {
    let (mut seen, mut doubt) = (0u32, None);
    json::each_member(object, |key, _| {
        match names.iter().position(|name| name.as_bytes() == &*key) {
            Some(index) if seen & 1 << index != 0 => doubt = Some(Doubt::Twice),
            Some(index) => seen |= 1 << index,
            None if json::is_taken_for_one(&key, names) => doubt = Some(Doubt::LookAlike),
            None => {}
        }
    });
    doubt
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
