//! Which headers are forwarded to the other side.
//!
//! All headers, except those of one connection alone, those that Tamis sets itself, those that lead elsewhere,
//! and cookies. A browser sends the cookies of one server to all servers on the same host, and behind Tamis all
//! servers have the same host.

use axum::http::header::{
    ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_ORIGIN, ALT_SVC,
    AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, EXPECT, HOST, HeaderMap,
    HeaderName, HeaderValue, LOCATION, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, REFRESH,
    RETRY_AFTER, SET_COOKIE, STRICT_TRANSPORT_SECURITY, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
    WWW_AUTHENTICATE,
};

/// The session of a client with a server, up to protocol 2025-11-25.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// The event from which a client resumes.
pub(super) const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// Headers of the connection, not of the message (RFC 9110, section 7.6.1).
const OF_CONNECTION: [HeaderName; 7] = [
    CONNECTION,
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];
const KEEP_ALIVE: &str = "keep-alive";

/// Headers about a server's own host, or about another address. The client asked Tamis.
const OF_HOST: [HeaderName; 7] = [
    ACCESS_CONTROL_ALLOW_CREDENTIALS,
    ACCESS_CONTROL_ALLOW_ORIGIN,
    ALT_SVC,
    LOCATION,
    REFRESH,
    SET_COOKIE,
    STRICT_TRANSPORT_SECURITY,
];
const OF_BROWSER: [&str; 2] = ["clear-site-data", "service-worker-allowed"];

/// Headers of a request, for the upstream. `with_credentials`: the upstream checks them.
pub(super) fn of_request(mut headers: HeaderMap, with_credentials: bool) -> HeaderMap {
    remove_of_connection(&mut headers);
    // The answer must be readable without decoding.
    for name in [HOST, CONTENT_LENGTH, ACCEPT_ENCODING, EXPECT, COOKIE] {
        headers.remove(name);
    }
    if !with_credentials {
        headers.remove(AUTHORIZATION);
    }
    headers
}

/// Puts another id of the session in the place of those in the headers, or removes them.
pub(super) fn set_session(headers: &mut HeaderMap, id: Option<&str>) {
    match id.and_then(|id| HeaderValue::from_str(id).ok()) {
        Some(id) => {
            headers.insert(SESSION, id);
        }
        None => {
            headers.remove(SESSION);
        }
    }
}

/// Headers of an answer, for the client.
pub(super) fn of_answer(mut headers: HeaderMap) -> HeaderMap {
    remove_of_connection(&mut headers);
    for name in OF_HOST {
        headers.remove(name);
    }
    for name in OF_BROWSER {
        headers.remove(name);
    }
    headers
}

/// The headers of an answer that a client needs.
const NEEDED: [HeaderName; 5] = [
    CONTENT_LENGTH,
    CONTENT_TYPE,
    RETRY_AFTER,
    SESSION,
    WWW_AUTHENTICATE,
];

/// Removes all headers of an answer that the client does not need.
pub(super) fn keep_needed(headers: &mut HeaderMap) {
    let others: Vec<HeaderName> = headers.keys().cloned().collect();
    for name in others.iter().filter(|name| !NEEDED.contains(name)) {
        headers.remove(name);
    }
}

/// Takes out the headers in which the server may have written anything.
pub(super) fn take_texts(headers: &mut HeaderMap) -> Vec<(HeaderName, HeaderValue)> {
    let mut texts = Vec::new();
    for name in [CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE] {
        let values: Vec<HeaderValue> = headers.get_all(&name).iter().cloned().collect();
        if values.iter().all(is_usual_type) {
            continue;
        }
        headers.remove(&name);
        texts.extend(values.into_iter().map(|value| (name.clone(), value)));
    }
    texts
}

/// Adds headers that were taken out. `redact` returns none if nothing of the text may be seen.
pub(super) fn add_redacted(
    headers: &mut HeaderMap,
    texts: Vec<(HeaderName, HeaderValue)>,
    redact: impl Fn(&str) -> Option<String>,
) {
    for (name, text) in texts {
        let redacted = text.to_str().ok().and_then(&redact);
        if let Some(value) = redacted.and_then(|text| HeaderValue::try_from(text).ok()) {
            headers.append(name, value);
        }
    }
}

/// Whether this is a media type that each MCP server writes, in UTF-8.
fn is_usual_type(value: &HeaderValue) -> bool {
    let Ok(text) = value.to_str() else {
        return false;
    };
    let (media_type, charset) = text.split_once(';').unwrap_or((text, "charset=utf-8"));
    matches!(media_type, "application/json" | "text/event-stream")
        && charset.trim_start().eq_ignore_ascii_case("charset=utf-8")
}

fn remove_of_connection(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        // Headers that the protocol itself needs cannot be removed by naming them.
        .filter(|name: &HeaderName| !name.as_str().starts_with("mcp-"))
        .collect();
    for name in named.iter().chain(&OF_CONNECTION) {
        headers.remove(name);
    }
    headers.remove(KEEP_ALIVE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_a_server_writes_only_the_usual_types_need_no_filter() {
        for (value, is_usual) in [
            ("application/json", true),
            ("text/event-stream", true),
            ("application/json; charset=utf-8", true),
            ("text/event-stream;charset=UTF-8", true),
            ("application/json; charset=utf-8; key=sk-1", false),
            ("application/json; charset=sk-1", false),
            ("application/json;", false),
            ("text/plain", false),
            ("sk-1; charset=utf-8", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(value));
            let texts = take_texts(&mut headers);
            assert_eq!(texts.is_empty(), is_usual, "{value}");
            assert_eq!(headers.contains_key(CONTENT_TYPE), is_usual, "{value}");
            add_redacted(&mut headers, texts, |text| Some(text.replace("sk-1", "…1")));
            let is_kept = headers.get(CONTENT_TYPE).is_some_and(|kept| kept == value);
            assert_eq!(is_kept, !value.contains("sk-1"), "{value}");
            assert!(!format!("{headers:?}").contains("sk-1"), "{value}");
        }
    }
}
