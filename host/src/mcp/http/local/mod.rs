//! Servers that speak over standard input and output, behind HTTP.
//!
//! Up to protocol 2025-11-25 each session has a process of its own, from `initialize` to its end. From
//! 2026-07-28 on there are no sessions: a caller's requests share a process, and know nothing of each other, so
//! the process is given ids of Tamis's own.
//!
//! Here Tamis is the HTTP server, and does what the protocol asks of one: ids for sessions, streams that a
//! client can go on with, and a check of the headers that repeat the body.

mod answer;
mod places;
mod process;
mod streams;

use super::connections::Connection;
use super::mirror::Marked;
use super::{Asked, Asking, refusal, version};
use crate::json;
use crate::mcp::child::StartError;
use crate::mcp::frame::Frame;
use answer::First;
pub(super) use answer::IsError;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
pub(super) use places::{Full, Place, Places};
use process::Process;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::ffi::OsString;
use std::sync::Arc;
use streams::Streams;

/// A server that is started for its clients.
pub struct Local {
    command: Vec<OsString>,
    env: Vec<(String, String)>,
    marked: Marked,
}

/// The process of a connection.
pub(super) struct Attached {
    streams: Arc<Streams>,
    process: Process,
}

/// What a client takes as an answer.
#[derive(Debug, Clone, Copy)]
struct Accepts {
    json: bool,
    events: bool,
    /// Events come first in its list.
    prefers_events: bool,
}

impl Local {
    /// `command`: the program and its arguments. `env`: environment variables beside Tamis's own.
    pub fn new(command: Vec<OsString>, env: Vec<(String, String)>) -> Local {
        Local {
            command,
            env,
            marked: Marked::default(),
        }
    }

    /// Starts a process for a connection, in this place. `is_shared`: requests in it know nothing of each other.
    pub(super) fn attach(
        &self,
        connection: &Connection,
        is_shared: bool,
        place: Option<Place>,
    ) -> Result<Arc<Attached>, StartError> {
        let (relay, lane) = (Arc::clone(&connection.relay), Arc::clone(&connection.lane));
        let streams = Arc::new(Streams::new(relay, lane, is_shared));
        // The process that was there has just ended, after it was looked for one.
        let place = place.ok_or_else(|| std::io::Error::other("there is no place for it"))?;
        let process = Process::start(&self.command, &self.env, Arc::clone(&streams), place)?;
        Ok(Arc::new(Attached { streams, process }))
    }

    /// Answers a request of a session, or of a caller without one, whose process this is.
    pub(super) async fn answer(
        &self,
        attached: Arc<Attached>,
        asked: Asked,
        asking: &Asking,
    ) -> Response {
        if asking.method == Method::GET {
            return self.listen(attached, asked, &asking.headers);
        }
        let accepts = match Accepts::of(&asking.headers) {
            Ok(accepts) => accepts,
            Err(refused) => return *refused,
        };
        if asked.exchange.requests.is_empty() {
            // Notifications and answers of the client's own.
            return match attached.process.send(&asked.body).await {
                Ok(()) => answer::accepted(),
                Err(_) => refusal(StatusCode::NOT_FOUND, ENDED),
            };
        }
        let relay = Arc::clone(&asked.exchange.relay);
        let requests = asked.exchange.requests.clone();
        let Some(reading) = attached.streams.open(relay, &asked.body, requests) else {
            return asked.exchange.failed(StatusCode::BAD_GATEWAY, ENDED);
        };
        let number = reading.number;
        let answering = answer::Answering::new(attached, asked.exchange, reading);
        let is_shared = answering.attached.streams.is_shared;
        let renumbered = is_shared
            .then(|| streams::renumbered(&asked.body, number))
            .flatten();
        let message = renumbered.as_deref().unwrap_or(&asked.body);
        if answering.attached.process.send(message).await.is_err() {
            // Whoever notices first that it has ended answers all that wait: this request by its own stream.
            answering.attached.streams.end(ENDED).await;
        }
        answering
            .answer(accepts, asking, is_shared.then_some(&self.marked))
            .await
    }

    /// Whether a request without a session has the headers that its body asks for; if not, the answer.
    pub(super) fn check(&self, asking: &Asking) -> Result<(), Box<Response>> {
        let Some(body) = outline(&asking.body) else {
            return Err(answer::error(
                &Value::Null,
                version::PARSE_ERROR,
                "this is no JSON",
            ));
        };
        let id = &body["id"];
        if !body.is_object() || !body["method"].is_string() {
            let why = "this is no request";
            return Err(answer::error(id, version::INVALID_REQUEST, why));
        }
        if id.is_null() {
            return Ok(());
        }
        if body["method"] == "initialize" {
            // There are no sessions to begin, and the process would begin one.
            return Err(answer::error(
                id,
                version::METHOD_NOT_FOUND,
                "there are no sessions in this version",
            ));
        }
        let mismatch = |why: &str| Err(answer::error(id, version::HEADER_MISMATCH, why));
        let Some(header) = version::of_headers(&asking.headers) else {
            return mismatch("the header MCP-Protocol-Version is missing");
        };
        if let Some(said) = version::of_request(&body)
            && said != header
        {
            return mismatch(&format!(
                "MCP-Protocol-Version is `{header}`, and the body says `{said}`"
            ));
        }
        let tool = body["params"]["name"].as_str().unwrap_or_default();
        if body["params"]["arguments"] == LEFT_OUT && self.marked.knows(tool) {
            return mismatch("the arguments are too large to be held against the headers");
        }
        self.marked
            .check(&asking.headers, &body)
            .or_else(|why| mismatch(&why))
    }

    /// The stream that a client keeps open, or one that broke.
    fn listen(&self, attached: Arc<Attached>, asked: Asked, headers: &HeaderMap) -> Response {
        if attached.streams.is_shared {
            return refusal(StatusCode::METHOD_NOT_ALLOWED, "POST: there is no session");
        }
        if !Accepts::of_list(headers).events {
            return refusal(
                StatusCode::NOT_ACCEPTABLE,
                "the answer is text/event-stream",
            );
        }
        let last = headers.get(super::headers::LAST_EVENT);
        let reading = match last.and_then(|event| event.to_str().ok()) {
            Some(event) => attached.streams.resume_after(event),
            None => attached.streams.stand(),
        };
        let Some(reading) = reading else {
            return refusal(StatusCode::NOT_FOUND, ENDED);
        };
        let first = match version::is_resumable(version::of_headers(headers)) {
            true => First::Place,
            false => First::Nothing,
        };
        answer::Answering::new(attached, asked.exchange, reading).stream(first, true)
    }
}

/// A part of a request up to this size is decoded.
const DECODED_BYTES: usize = 1 << 20;

/// Stands for arguments that were not decoded: theirs would be an object.
const LEFT_OUT: &str = "left out";

pub(super) const ENDED: &str =
    "the upstream server has ended: begin a new session with `initialize`";

impl Attached {
    /// Whether its process is there no more.
    pub(super) fn has_ended(&self) -> bool {
        self.streams.has_ended()
    }

    /// The session is over.
    pub(super) async fn end(&self) {
        self.streams.end("the session was ended").await;
    }

    /// Tells clients that their lists of tools have changed. The messages; none, if nobody is to be told.
    pub(super) fn tell_tools_changed(self: &Arc<Self>) -> Vec<Vec<u8>> {
        let notices = self.streams.tools_changed();
        let said = notices.iter().map(|(_, notice)| notice.clone()).collect();
        let this = Arc::clone(self);
        self.process.spawn(async move {
            for (number, notice) in notices {
                this.streams.say(number, notice).await;
            }
        });
        said
    }
}

impl Accepts {
    fn of(headers: &HeaderMap) -> Result<Accepts, Box<Response>> {
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

    fn of_list(headers: &HeaderMap) -> Accepts {
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

/// What headers repeat of a request; none: it is no JSON. Of a large one only what they can repeat is decoded, since that
/// takes many times its size: long arguments are [`LEFT_OUT`].
fn outline(body: &[u8]) -> Option<Value> {
    if body.len() <= DECODED_BYTES {
        return serde_json::from_slice(body).ok();
    }
    serde_json::from_slice::<IgnoredAny>(body).ok()?;
    let members = |object: &[u8], names: [&str; 5]| {
        let found = names.into_iter().zip(json::members(object, names));
        let found = found.filter_map(|(name, span)| {
            let raw = &object[span?];
            let value = match raw.len() {
                0..=DECODED_BYTES => serde_json::from_slice(raw).ok()?,
                _ => LEFT_OUT.into(),
            };
            Some((name.to_owned(), value))
        });
        found.collect::<serde_json::Map<_, _>>()
    };
    let mut outline = members(body, ["id", "method", "", "", ""]);
    let [params] = json::members(body, ["params"]);
    if let Some(params) = params {
        let names = ["name", "uri", "taskId", "_meta", "arguments"];
        outline.insert("params".to_owned(), members(&body[params], names).into());
    }
    Some(outline.into())
}

/// Whether a body is one message or several.
fn is_batch(body: &[u8]) -> bool {
    matches!(Frame::read(body), Frame::Batch(_))
}
