//! What HTTP does differently in each version of the protocol, and the errors of HTTP alone.

use crate::json;
use crate::mcp::frame::Frame;
use axum::http::{HeaderMap, HeaderName};
use serde_json::Value;

pub(super) use crate::mcp::version::*;

pub(super) const HEADER: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The first version in which clients expect to resume the stream of a request.
const RESUMABLE: &str = "2025-11-25";

// Errors of protocol 2026-07-28.
pub(super) const HEADER_MISMATCH: i64 = -32020;
pub(super) const MISSING_CAPABILITY: i64 = -32021;

/// The version that the headers name.
pub(super) fn of_headers(headers: &HeaderMap) -> Option<&str> {
    headers.get(HEADER)?.to_str().ok()
}

/// The version that a request names.
pub(super) fn of_request(request: &Value) -> Option<&str> {
    request["params"]["_meta"][OF_REQUEST].as_str()
}

/// Whether a version has sessions; a request without a version is older than version names.
pub(super) fn has_sessions(version: Option<&str>) -> bool {
    version.is_none_or(|version| WITH_SESSIONS.contains(&version))
}

/// Whether a client of this version expects to resume a request's stream. Versions are dates.
pub(super) fn is_resumable(version: Option<&str>) -> bool {
    version == Some(RESUMABLE)
}

/// Whether a request stands alone: its headers or its body say so.
pub(super) fn stands_alone(headers: &HeaderMap, body: &[u8], frame: &Frame) -> bool {
    if !has_sessions(of_headers(headers)) {
        return true;
    }
    let Frame::Message(view) = frame else {
        return false;
    };
    let method = view.method.clone();
    if method.and_then(|span| json::text(&body[span])).as_deref() == Some("server/discover") {
        return true;
    }
    let Some(params) = view.params.clone().map(|span| &body[span]) else {
        return false;
    };
    let [meta] = json::members(params, ["_meta"]);
    let version = meta.and_then(|span| {
        let meta = &params[span];
        let [version] = json::members(meta, [OF_REQUEST]);
        Some(json::text(&meta[version?])?.into_owned())
    });
    version.is_some_and(|version| !has_sessions(Some(&version)))
}

/// Whether a request lacks the metadata that every request must have.
pub(super) fn lacks_meta(request: &[u8]) -> bool {
    let within = |object: &[u8], name: &str| {
        let [span] = json::members(object, [name]);
        span.map(|span| object[span].to_vec())
    };
    let meta = within(request, "params").and_then(|params| within(&params, "_meta"));
    let meta = meta.unwrap_or_default();
    let names = [
        "io.modelcontextprotocol/protocolVersion",
        "io.modelcontextprotocol/clientInfo",
        "io.modelcontextprotocol/clientCapabilities",
    ];
    let found = json::members(&meta, names);
    found
        .into_iter()
        .any(|span| span.is_none_or(|span| &meta[span] == b"null"))
}
