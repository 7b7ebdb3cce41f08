//! The permissions of pages in browsers: Tamis itself decides, for the origins that it admits.
//!
//! A browser asks before a page's request (a *preflight*), without credentials. Tamis itself answers that
//! question, and sets the headers about it: a server behind Tamis expects another origin.

use axum::body::Body;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW,
    ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;

/// Methods of requests that reach a server.
pub(super) const METHODS: HeaderValue = HeaderValue::from_static("POST, GET, DELETE");

/// The headers of an answer that a page may read.
const EXPOSED: HeaderValue =
    HeaderValue::from_static("mcp-session-id, mcp-protocol-version, www-authenticate");

/// How long a browser may use the answer, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// Longest list of headers that a page may ask for, in bytes.
const ASKED_BYTES: usize = 4096;

/// The answer to `OPTIONS`.
pub(super) fn preflight(asked: &HeaderMap) -> Response {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    let headers = answer.headers_mut();
    headers.insert(ALLOW, METHODS);
    if origin(asked).is_none() {
        return answer;
    }
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    // Which headers go on to a server does not depend on this list.
    if let Some(asked) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS)
        && asked.len() <= ASKED_BYTES
    {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
    }
    answer
}

/// The page that a request comes from; none if it names several.
pub(super) fn origin(headers: &HeaderMap) -> Option<HeaderValue> {
    let mut origins = headers.get_all(ORIGIN).iter();
    origins.next().filter(|_| origins.next().is_none()).cloned()
}

/// Lets a page of this admitted origin read an answer.
pub(super) fn let_read(answer: &mut Response, origin: Option<HeaderValue>) {
    let Some(origin) = origin else {
        return;
    };
    let headers = answer.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.append(VARY, HeaderValue::from_static("Origin"));
}
