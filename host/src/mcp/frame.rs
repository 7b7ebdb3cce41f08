//! Frames, and a shallow view of their content.
//!
//! A frame is the bytes of one message, as received: on stdio one line with its ending, on HTTP one body. A
//! [`View`] gives the positions of the members of a JSON-RPC message in these bytes. Only three things are
//! decoded: keys that are spelled with escapes, ids, and the few short strings that the relay asks for. Of
//! duplicate keys the last counts, as in serde_json, JavaScript and Python. If another reader may understand a
//! frame in another way, its views say so (`doubt`).
//!
//! Refuses to know: methods, what a result means, where frames come from. A view does not check that the values
//! are valid JSON or UTF-8. Some clients decode leniently, so a result with a stray byte must still count as a
//! result; and code that rewrites a value parses it anyway.

use crate::json::{self, BYTE_ORDER_MARK, Span, scan};

/// The content of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// One JSON object.
    Message(MessageView),
    /// An array of messages (protocol 2025-03-26). An element that is no object has only a doubt.
    Batch(Vec<MessageView>),
    /// Anything else: an empty line, a log line, broken JSON.
    Opaque,
}

/// The positions of the members of a JSON-RPC message in its frame, each as raw JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageView {
    /// The whole object.
    pub whole: Span,
    pub id: Option<Span>,
    pub method: Option<Span>,
    pub params: Option<Span>,
    pub result: Option<Span>,
    pub error: Option<Span>,
    /// Why another reader may understand the message in another way.
    pub doubt: Option<Doubt>,
}

/// Why readers may differ over a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// The frame begins with a byte order mark, or is not UTF-8.
    Encoding,
    /// The frame is not JSON.
    NotJson,
    /// The frame is neither a message nor a list of messages.
    NotMessages,
    /// A member that decides the message's kind or its request is duplicate.
    Twice,
    /// A member differs from such a member only in case or in characters that parsers ignore.
    LookAlike,
    /// The message is a request and an answer at once.
    Both,
    /// The message asks for a tool, a prompt or a resource by a name that is no text.
    Name,
}

impl Doubt {
    /// The defect of the frame, for a sentence that begins with the frame's name.
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
            Doubt::Name => "asks for something by a name that is no text",
        }
    }

    /// Whether some readers cannot read the frame at all.
    pub fn is_unreadable(self) -> bool {
        matches!(self, Doubt::Encoding | Doubt::NotJson | Doubt::NotMessages)
    }
}

/// The members that decide a message's kind.
const MEMBERS: [&str; 5] = ["id", "method", "params", "result", "error"];

/// Most messages in a batch: more than any client or server sends at once. A longer list is no batch, since the
/// views of its messages would take many times its size.
pub const BATCH_MESSAGES: usize = 10_000;

impl MessageView {
    /// Whether the message answers a request: it has a `result` or an `error`, with any other members. Most
    /// clients read an answer with a `method` as an answer.
    pub fn is_answer(&self) -> bool {
        self.result.is_some() || self.error.is_some()
    }
}

impl Frame {
    /// Reads a frame shallowly, with or without its line ending.
    pub fn read(frame: &[u8]) -> Frame {
        Self::try_read(frame).unwrap_or(Frame::Opaque)
    }

    /// The messages in this frame.
    pub fn views(&self) -> &[MessageView] {
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

fn message(frame: &[u8], start: usize) -> Option<(usize, MessageView)> {
    let mut view = MessageView::default();
    let mut doubt = None;
    let end = json::each_member_at(frame, start, |key, value| {
        let place = match &*key {
            b"jsonrpc" => return,
            b"id" => &mut view.id,
            b"method" => &mut view.method,
            b"params" => &mut view.params,
            b"result" => &mut view.result,
            b"error" => &mut view.error,
            other => {
                if json::is_taken_for_one(other, &MEMBERS) {
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

fn batch(frame: &[u8], start: usize) -> Option<(usize, Vec<MessageView>)> {
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
            views.push(MessageView {
                whole: at..end,
                doubt: Some(Doubt::NotMessages),
                ..MessageView::default()
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

/// A request's id, in a form in which equal ids compare equal in any spelling: `1`, `1.0` and `1e0` are
/// one id.
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
    /// Reads an id from raw JSON. None: `null`, or another value that cannot be an id.
    pub fn parse(raw: &[u8]) -> Option<RequestId> {
        if raw.first() == Some(&b'"') {
            return json::text(raw).map(|id| RequestId::Text(id.into()));
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

    /// The number that a string spells. The reference clients accept an answer to `"1"` as an answer to `1`, so
    /// Tamis must recognise the answer of a server that quotes ids.
    pub fn unquoted(&self) -> Option<RequestId> {
        match self {
            RequestId::Text(id) => RequestId::parse(id.trim().as_bytes()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
