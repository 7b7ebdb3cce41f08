//! A request of a client, and its properties, for the code that decides where it goes.
//!
//! Owns: reading a body or headers; a body is read once. Refuses to know: connections, policies, and how the
//! request is handled.

use super::access::Caller;
use super::body_kind::BodyKind;
use super::headers;
use super::room::Room;
use super::turns::block_if_large;
use super::version;
use crate::json;
use crate::mcp::doubt;
use crate::mcp::frame::Doubt;
use crate::mcp::frame::{Frame, MessageView};
use crate::mcp::observe::traces::Trace;
use crate::policy::REQUEST_ID_BYTES;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method};
use std::sync::Arc;

/// A request, as far as it was read.
pub(super) struct Asking {
    pub(super) method: Method,
    pub(super) headers: HeaderMap,
    pub(super) body: Posted,
    pub(super) caller: Caller,
    /// Its span.
    pub(super) trace: Option<Trace>,
    /// The counted memory of the body.
    pub(super) room: Arc<Room>,
}

/// The body of a request, and the messages in it.
pub(super) struct Posted {
    pub(super) bytes: Bytes,
    pub(super) frame: Frame,
}

/// Why not every server would read a body as Tamis does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The body is compressed, or not in UTF-8.
    Kind,
    Doubt(Doubt),
}

/// The session that a message belongs to.
pub(super) fn session_of(headers: &HeaderMap) -> Result<Option<String>, &'static str> {
    let mut ids = headers.get_all(headers::SESSION).iter();
    match (ids.next(), ids.next()) {
        (None, _) => Ok(None),
        (Some(id), None) => match id.to_str() {
            Ok(id) if id.len() <= 4096 => Ok(Some(id.to_owned())),
            _ => Err("Mcp-Session-Id is no id of a session"),
        },
        (Some(_), Some(_)) => Err("the request has several Mcp-Session-Id headers"),
    }
}

impl Asking {
    /// Why the body is refused.
    pub(super) fn fault(&self) -> Option<Fault> {
        let kind = BodyKind::of(&self.headers);
        if kind.is_coded || !kind.is_plain {
            return Some(Fault::Kind);
        }
        let Posted { bytes, frame } = &self.body;
        block_if_large(bytes.len(), || doubt::of_body(bytes, frame)).map(Fault::Doubt)
    }

    /// Whether the request needs no session: its headers or its body say so.
    pub(super) fn stands_alone(&self) -> bool {
        let Posted { bytes, frame } = &self.body;
        block_if_large(bytes.len(), || {
            version::stands_alone(&self.headers, bytes, frame)
        })
    }
}

impl Posted {
    pub(super) fn read(bytes: Bytes) -> Posted {
        let frame = block_if_large(bytes.len(), || Frame::read(&bytes));
        Posted { bytes, frame }
    }

    pub(super) fn is_batch(&self) -> bool {
        matches!(self.frame, Frame::Batch(_))
    }

    /// Whether a request's id, or its progress token, is longer than the longest that is stored.
    pub(super) fn has_long_id(&self) -> bool {
        let is_long = |view: &MessageView| {
            let id = view.id.as_ref().map_or(0, |id| id.len());
            id > REQUEST_ID_BYTES || self.progress_token_bytes(view) > REQUEST_ID_BYTES
        };
        self.bytes.len() > REQUEST_ID_BYTES
            && block_if_large(self.bytes.len(), || self.frame.views().iter().any(is_long))
    }

    fn progress_token_bytes(&self, view: &MessageView) -> usize {
        let params = view.params.clone().map(|span| &self.bytes[span]);
        let params = params.unwrap_or_default();
        let [meta] = json::members(params, ["_meta"]);
        let meta = meta.map(|span| &params[span]).unwrap_or_default();
        let [token] = json::members(meta, ["progressToken"]);
        token.map_or(0, |token| token.len())
    }

    /// Whether the request asks for more than every client asks for at its start.
    pub(super) fn calls(&self) -> bool {
        let of_start = |method: &str| {
            matches!(method, "initialize" | "ping" | "server/discover") || method.ends_with("/list")
        };
        let is_call = |view: &MessageView| {
            let method = view.method.clone().filter(|_| view.id.is_some());
            let method = method.and_then(|span| json::text(&self.bytes[span]));
            method.is_some_and(|method| !of_start(&method))
        };
        self.frame.views().iter().any(is_call)
    }

    /// Whether the request asks for a stream of notices.
    pub(super) fn listens(&self) -> bool {
        self.has_method("subscriptions/listen")
    }

    /// Whether one of its messages has this method.
    pub(super) fn has_method(&self, name: &str) -> bool {
        let is_it = |view: &MessageView| {
            let method = view.method.clone();
            method.is_some_and(|span| json::text(&self.bytes[span]).as_deref() == Some(name))
        };
        self.frame.views().iter().any(is_it)
    }

    /// The method of the only request in the body, and the name of its target, if that is a tool or a prompt.
    pub(super) fn asks_for(&self) -> Option<(String, Option<String>)> {
        let Frame::Message(view) = &self.frame else {
            return None;
        };
        let method = view.method.clone().filter(|_| view.id.is_some())?;
        let method = json::text(&self.bytes[method])?;
        let is_named = matches!(&*method, "tools/call" | "prompts/get");
        let params = view.params.clone().filter(|_| is_named);
        let params = params.map(|span| &self.bytes[span]).unwrap_or_default();
        let [name] = json::members(params, ["name"]);
        let name = name.and_then(|span| json::text(&params[span]));
        Some((method.into_owned(), name.map(|name| name.into_owned())))
    }
}
