//! Frames and the shallow view of what they carry.
//!
//! A frame is one message's bytes as they came: on stdio one line with its ending, on HTTP one
//! body. A [`View`] says where in those bytes the members of a JSON-RPC message stand. Nothing is
//! decoded but keys that are spelled with escapes, ids, and the few short strings that the relay
//! asks for. Of duplicate keys the last counts, as in serde_json, JavaScript and Python. Where another reader
//! may take a frame for something else, its views say so (`doubt`).
//!
//! Refuses to know: methods, what a result means, where frames come from. It does not check that
//! the values are valid JSON or UTF-8 either: clients exist that decode leniently, so that a
//! result with a stray byte must still be seen as a result, and whoever rewrites a value has to
//! parse it anyway.

use std::borrow::Cow;
use std::ops::Range;

use super::doubt::{self, Doubt};
use super::scan;

/// A range of bytes of a frame.
pub type Span = Range<usize>;

/// What a frame carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// One JSON object.
    Message(View),
    /// An array of messages (protocol 2025-03-26). Elements that are no objects have nothing but a doubt.
    Batch(Vec<View>),
    /// Anything else: an empty line, a log line, broken JSON.
    Opaque,
}

/// Where the members of a JSON-RPC message stand in its frame, each as raw JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    /// The whole object.
    pub whole: Span,
    pub id: Option<Span>,
    pub method: Option<Span>,
    pub params: Option<Span>,
    pub result: Option<Span>,
    pub error: Option<Span>,
    /// Why another reader may take it for something else.
    pub doubt: Option<Doubt>,
}

/// The members that say what a message is.
const MEMBERS: [&str; 5] = ["id", "method", "params", "result", "error"];

/// Messages in a batch: more than any client or server sends at once. A list of more is no batch, since the views of
/// its messages would take many times its size.
pub const BATCH_MESSAGES: usize = 10_000;

/// What some editors and servers put before a text in UTF-8. No part of JSON; many parsers skip it.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl View {
    /// Whether it answers a request: it has a `result` or an `error`, whatever else it has. An answer with a
    /// `method` is one to most clients.
    pub fn is_answer(&self) -> bool {
        self.result.is_some() || self.error.is_some()
    }
}

impl Frame {
    /// Takes a shallow look at a frame, with or without its line ending.
    pub fn read(frame: &[u8]) -> Frame {
        Self::try_read(frame).unwrap_or(Frame::Opaque)
    }

    /// The messages in it.
    pub fn views(&self) -> &[View] {
        match self {
            Frame::Message(view) => std::slice::from_ref(view),
            Frame::Batch(views) => views,
            Frame::Opaque => &[],
        }
    }

    fn try_read(frame: &[u8]) -> Option<Frame> {
        let mark = usize::from(frame.starts_with(BYTE_ORDER_MARK)) * BYTE_ORDER_MARK.len();
        let start = scan::whitespace(frame, mark);
        let (end, found) = match frame.get(start)? {
            b'{' => {
                let (end, view) = message(frame, start)?;
                (end, Frame::Message(view))
            }
            b'[' => {
                let (end, views) = batch(frame, start)?;
                (end, Frame::Batch(views))
            }
            _ => return None,
        };
        (scan::whitespace(frame, end) == frame.len()).then_some(found)
    }
}

fn message(frame: &[u8], start: usize) -> Option<(usize, View)> {
    let mut view = View::default();
    let mut doubt = None;
    let end = each_member(frame, start, |key, value| {
        let place = match &*key {
            b"jsonrpc" => return,
            b"id" => &mut view.id,
            b"method" => &mut view.method,
            b"params" => &mut view.params,
            b"result" => &mut view.result,
            b"error" => &mut view.error,
            other => {
                if doubt::is_taken_for_one(other, &MEMBERS) {
                    doubt = Some(Doubt::LookAlike);
                }
                return;
            }
        };
        if place.replace(value).is_some() {
            doubt = Some(Doubt::Twice);
        }
    })?;
    view.whole = start..end;
    view.doubt = doubt;
    Some((end, view))
}

fn batch(frame: &[u8], start: usize) -> Option<(usize, Vec<View>)> {
    let mut views = Vec::new();
    let mut at = scan::whitespace(frame, start + 1);
    if frame.get(at)? == &b']' {
        return Some((at + 1, views));
    }
    loop {
        if views.len() == BATCH_MESSAGES {
            return None;
        }
        let end = if frame.get(at)? == &b'{' {
            let (end, view) = message(frame, at)?;
            views.push(view);
            end
        } else {
            let end = scan::value(frame, at)?;
            views.push(View {
                whole: at..end,
                doubt: Some(Doubt::NotMessages),
                ..View::default()
            });
            end
        };
        at = scan::whitespace(frame, end);
        match frame.get(at)? {
            b',' => at = scan::whitespace(frame, at + 1),
            b']' => return Some((at + 1, views)),
            _ => return None,
        }
    }
}

/// Where the members called `names` stand in the raw JSON `object`. None where there is no such
/// member, and for all of them if `object` is not one object.
pub fn members<const N: usize>(object: &[u8], names: [&str; N]) -> [Option<Span>; N] {
    let mut spans = [const { None }; N];
    let start = scan::whitespace(object, 0);
    let end = each_member(object, start, |key, value| {
        if let Some(index) = names.iter().position(|name| name.as_bytes() == &*key) {
            spans[index] = Some(value);
        }
    });
    match end {
        Some(end) if scan::whitespace(object, end) == object.len() => spans,
        _ => [const { None }; N],
    }
}

/// Every member of `object` that some reader takes for the one called `name`: also where it is there twice, is
/// spelled in another case, or stands in an object that is broken further on.
pub fn taken_for(object: &[u8], name: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    if let Some(start) = memchr::memchr(b'{', object) {
        each_member(object, start, |key, value| {
            if name.as_bytes() == &*key || doubt::is_taken_for_one(&key, &[name]) {
                spans.push(value);
            }
        });
    }
    spans
}

/// Why readers may differ over the members called `names` of the raw JSON `object`, if they may.
pub fn doubt_in(object: &[u8], names: &[&str]) -> Option<Doubt> {
    let (mut seen, mut doubt) = (0u32, None);
    each_member(object, scan::whitespace(object, 0), |key, _| {
        match names.iter().position(|name| name.as_bytes() == &*key) {
            Some(index) if seen & 1 << index != 0 => doubt = Some(Doubt::Twice),
            Some(index) => seen |= 1 << index,
            None if doubt::is_taken_for_one(&key, names) => doubt = Some(Doubt::LookAlike),
            None => {}
        }
    });
    doubt
}

/// Calls `found` with the key (decoded) and the value's place of every member of the object at
/// `start`. Returns the index after the object, or None if it is not one.
fn each_member<'a>(
    bytes: &'a [u8],
    start: usize,
    mut found: impl FnMut(Cow<'a, [u8]>, Span),
) -> Option<usize> {
    if bytes.get(start)? != &b'{' {
        return None;
    }
    let mut at = scan::whitespace(bytes, start + 1);
    if bytes.get(at)? == &b'}' {
        return Some(at + 1);
    }
    loop {
        if bytes.get(at)? != &b'"' {
            return None;
        }
        let key_end = scan::string(bytes, at)?;
        let key = key(&bytes[at..key_end])?;
        let colon = scan::whitespace(bytes, key_end);
        if bytes.get(colon)? != &b':' {
            return None;
        }
        let value_start = scan::whitespace(bytes, colon + 1);
        let value_end = scan::value(bytes, value_start)?;
        found(key, value_start..value_end);
        at = scan::whitespace(bytes, value_end);
        match bytes.get(at)? {
            b',' => at = scan::whitespace(bytes, at + 1),
            b'}' => return Some(at + 1),
            _ => return None,
        }
    }
}

fn key(quoted: &[u8]) -> Option<Cow<'_, [u8]>> {
    if quoted.contains(&b'\\') {
        return Some(Cow::Owned(doubt::decoded(quoted)));
    }
    Some(Cow::Borrowed(quoted.get(1..quoted.len() - 1)?))
}

/// The text of a raw JSON string. None: it is something else.
pub fn text(raw: &[u8]) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if inner.contains(&b'\\') {
        return serde_json::from_slice::<String>(raw).ok().map(Cow::Owned);
    }
    std::str::from_utf8(inner).ok().map(Cow::Borrowed)
}

/// A request's id in a form in which equal ids compare equal, whatever their spelling: `1`, `1.0`
/// and `1e0` are one id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RequestId {
    /// A whole number.
    Integer(i128),
    /// The bits of any other number.
    Fraction(u64),
    /// A string, decoded.
    Text(Box<str>),
}

impl RequestId {
    /// Reads an id as raw JSON. None: `null` or another value that cannot be one.
    pub fn parse(raw: &[u8]) -> Option<RequestId> {
        if raw.first() == Some(&b'"') {
            return text(raw).map(|id| RequestId::Text(id.into()));
        }
        let number: serde_json::Number = serde_json::from_slice(raw).ok()?;
        if let Some(integer) = number.as_i128() {
            return Some(RequestId::Integer(integer));
        }
        let float = number.as_f64()?;
        // Up to 2^64, as far as serde_json keeps integers; 2^53 and above are whole anyway.
        if float.fract() == 0.0 && float.abs() <= u64::MAX as f64 {
            return Some(RequestId::Integer(float as i128));
        }
        Some(RequestId::Fraction(float.to_bits()))
    }

    /// The number that a string spells. The reference clients take an answer to `"1"` for one to
    /// `1`, so a server that quotes ids must not slip past.
    pub fn unquoted(&self) -> Option<RequestId> {
        match self {
            RequestId::Text(id) => RequestId::parse(id.trim().as_bytes()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
