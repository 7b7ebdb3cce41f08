//! Tamis's own answers to a client.

use super::headers;
use super::version;
use crate::mcp::frame::Doubt;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;

/// Tamis's own message to a client, in the form of a JSON-RPC error without an id.
pub(super) fn refusal(status: StatusCode, why: &str) -> Response {
    let error = serde_json::json!({
        "jsonrpc": "2.0",
        "error": { "code": -32000, "message": format!("tamis: {why}") },
        "id": null,
    });
    json(status, error.to_string().into_bytes())
}

/// The answer to a body that is no message.
pub(super) fn malformed(doubt: Doubt) -> Response {
    let code = match doubt {
        Doubt::Encoding | Doubt::NotJson => version::PARSE_ERROR,
        _ => version::INVALID_REQUEST,
    };
    let error = serde_json::json!({
        "jsonrpc": "2.0",
        "error": { "code": code, "message": format!("tamis: the body of the request {}", doubt.why()) },
        "id": null,
    });
    json(StatusCode::BAD_REQUEST, error.to_string().into_bytes())
}

/// Messages in the body of an answer: one unchanged, several as a list.
pub(super) fn messages(status: StatusCode, mut all: Vec<Vec<u8>>, is_batch: bool) -> Response {
    match &mut *all {
        [only] if !is_batch => json(status, std::mem::take(only)),
        _ => json(status, list(&all)),
    }
}

/// Messages as a list.
pub(super) fn list<M: AsRef<[u8]>>(all: &[M]) -> Vec<u8> {
    let all: Vec<&[u8]> = all.iter().map(AsRef::as_ref).collect();
    [b"[", &*all.join(&b','), b"]"].concat()
}

/// A message in the body of an answer.
pub(super) fn json(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut answer = Response::new(body.into());
    *answer.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    *answer.headers_mut() = HeaderMap::from_iter([(CONTENT_TYPE, kind)]);
    answer
}

/// An answer without a body.
pub(super) fn empty(status: StatusCode) -> Response {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = status;
    answer
}

/// Begins a session with this id.
pub(super) fn with_session(mut answer: Response, id: &str) -> Response {
    if let Ok(value) = HeaderValue::from_str(id) {
        answer.headers_mut().insert(headers::SESSION, value);
    }
    answer
}
