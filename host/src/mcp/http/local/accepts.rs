//! The kinds of answer that a client accepts.

use crate::mcp::http::reply::refusal;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

/// The kinds that the client names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accepts {
    pub(super) json: bool,
    pub(super) events: bool,
    /// Events come first in its list.
    pub(super) prefers_events: bool,
}

impl Accepts {
    pub(super) fn of(headers: &HeaderMap) -> Result<Accepts, Box<Response>> {
        let kind = headers
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok());
        let kind = kind
            .unwrap_or_default()
            .split(';')
            .next()
            .unwrap_or_default();
        if !kind.trim().eq_ignore_ascii_case("application/json") {
            let why = "a message is application/json";
            return Err(Box::new(refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, why)));
        }
        let accepts = Accepts::of_list(headers);
        if !accepts.json && !accepts.events {
            let why = "answers are application/json or text/event-stream: accept both";
            return Err(Box::new(refusal(StatusCode::NOT_ACCEPTABLE, why)));
        }
        Ok(accepts)
    }

    pub(super) fn of_list(headers: &HeaderMap) -> Accepts {
        let values = headers.get_all(ACCEPT).iter();
        let values: Vec<&str> = values.filter_map(|value| value.to_str().ok()).collect();
        let kinds = values.iter().flat_map(|value| value.split(','));
        let kinds: Vec<String> = kinds
            .map(|kind| {
                kind.split(';')
                    .next()
                    .unwrap_or_default()
                    .trim()
                    .to_ascii_lowercase()
            })
            .collect();
        let place = |names: [&str; 3]| kinds.iter().position(|kind| names.contains(&kind.as_str()));
        let json = place(["application/json", "application/*", "*/*"]);
        let events = place(["text/event-stream", "text/*", "*/*"]);
        Accepts {
            json: kinds.is_empty() || json.is_some(),
            events: kinds.is_empty() || events.is_some(),
            prefers_events: events.is_some_and(|at| json.is_none_or(|json| at < json)),
        }
    }
}
