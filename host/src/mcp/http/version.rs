//! Versions of the protocol, as far as HTTP differs between them, and the protocol's errors.

use crate::json;
use crate::mcp::frame::Frame;
use axum::http::{HeaderMap, HeaderName};
use serde_json::Value;

pub(super) const HEADER: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The member with a request's version, from 2026-07-28 on.
pub(in crate::mcp) const OF_REQUEST: &str = "io.modelcontextprotocol/protocolVersion";

/// Versions in which a client begins a session.
pub(in crate::mcp) const WITH_SESSIONS: [&str; 4] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The version in which every request stands alone.
pub(in crate::mcp) const WITHOUT_SESSIONS: &str = "2026-07-28";

/// The first version in which clients expect to resume the stream of a request.
const RESUMABLE: &str = "2025-11-25";

/// JSON-RPC's own errors, and those of protocol 2026-07-28.
pub(in crate::mcp) const PARSE_ERROR: i64 = -32700;
pub(in crate::mcp) const INVALID_REQUEST: i64 = -32600;
pub(in crate::mcp) const METHOD_NOT_FOUND: i64 = -32601;
pub(in crate::mcp) const INVALID_PARAMS: i64 = -32602;
pub(super) const HEADER_MISMATCH: i64 = -32020;
pub(super) const MISSING_CAPABILITY: i64 = -32021;
pub(in crate::mcp) const UNSUPPORTED_VERSION: i64 = -32022;

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
