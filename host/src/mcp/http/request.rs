//! What a request says of itself, for those who decide where it goes.
//!
//! Owns: the look at a body or at headers. Refuses to know: connections, policies, and what is done about it.

use super::headers;
use crate::json;
use crate::mcp::frame::{Frame, View};
use crate::policy::REQUEST_ID_BYTES;
use axum::http::HeaderMap;

/// The session that a message belongs to.
pub(super) fn session_of(headers: &HeaderMap) -> Result<Option<String>, &'static str> {
    let mut ids = headers.get_all(headers::SESSION).iter();
    match (ids.next(), ids.next()) {
        (None, _) => Ok(None),
        (Some(id), None) => match id.to_str() {
            Ok(id) if id.len() <= 4096 => Ok(Some(id.to_owned())),
            _ => Err("Mcp-Session-Id is no id of a session"),
        },
        (Some(_), Some(_)) => Err("there are several Mcp-Session-Id headers"),
    }
}

/// Whether a request's id, or the token by which its progress is told, is longer than any that is kept.
pub(super) fn has_long_id(body: &[u8]) -> bool {
    let is_long = |view: &View| {
        let id = view.id.as_ref().map_or(0, |id| id.len());
        id.max(progress_token_bytes(body, view)) > REQUEST_ID_BYTES
    };
    body.len() > REQUEST_ID_BYTES && Frame::read(body).views().iter().any(is_long)
}

fn progress_token_bytes(body: &[u8], view: &View) -> usize {
    let params = view.params.clone().map(|span| &body[span]);
    let params = params.unwrap_or_default();
    let [meta] = json::members(params, ["_meta"]);
    let meta = meta.map(|span| &params[span]).unwrap_or_default();
    let [token] = json::members(meta, ["progressToken"]);
    token.map_or(0, |token| token.len())
}

/// Whether anything is asked for beside what every client asks for at its start.
pub(super) fn calls(body: &[u8]) -> bool {
    let of_start = |method: &str| {
        matches!(method, "initialize" | "ping" | "server/discover") || method.ends_with("/list")
    };
    let is_call = |view: &View| {
        let method = view.method.clone().filter(|_| view.id.is_some());
        let method = method.and_then(|span| json::text(&body[span]));
        method.is_some_and(|method| !of_start(&method))
    };
    Frame::read(body).views().iter().any(is_call)
}

/// Whether it asks for a stream of notices.
pub(super) fn listens(body: &[u8]) -> bool {
    has_method(body, "subscriptions/listen")
}

/// Whether a message in it has this method.
pub(super) fn has_method(body: &[u8], name: &str) -> bool {
    let is_it = |view: &View| {
        let method = view.method.clone();
        method.is_some_and(|span| json::text(&body[span]).as_deref() == Some(name))
    };
    Frame::read(body).views().iter().any(is_it)
}
