//! Servers that speak over standard input and output, behind HTTP.
//!
//! Up to protocol 2025-11-25 each session has its own process, from `initialize` to its end. From 2026-07-28 on
//! sessions do not exist. A caller's requests share a process, and do not know each other, so Tamis gives the
//! process ids of its own.
//!
//! Here Tamis is the HTTP server, and does what the protocol requires of one: ids for sessions, streams that a
//! client can resume, and a check of the headers that repeat the body.

mod accepts;
mod answer;

use super::exchange::Exchange;
use super::mirror::Marked;
use super::process::{Attached, ENDED, Opening, ProcessSlot, Ready, Started, Streams, renumbered};
use super::reply::{self, refusal};
use super::request::Asking;
use super::version;
use crate::json;
use crate::mcp::child::StartError;
use accepts::Accepts;
pub(super) use answer::IsError;
use answer::{Answering, First};
use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::ffi::OsString;
use std::sync::Arc;

/// A server that is started for its clients.
pub struct Local {
    command: Vec<OsString>,
    env: Vec<(String, String)>,
    ready: Ready,
    marked: Marked,
}

/// A request that the process did not get, since it had ended before.
pub(super) struct Unsent {
    pub(super) exchange: Exchange,
    pub(super) body: Bytes,
}

/// A stream that is removed if its request is not sent, or if its client leaves before that.
struct Opened {
    attached: Arc<Attached>,
    number: Option<u64>,
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.attached.streams.withdraw(number);
        }
    }
}

/// The largest request whose client may reconnect for the answer.
const RESUMABLE_BYTES: usize = 1 << 20;

impl Local {
    /// `command`: the program and its arguments. `env`: environment variables added to Tamis's own.
    pub fn new(command: Vec<OsString>, env: Vec<(String, String)>) -> Local {
        Local {
            command,
            env,
            ready: Ready::default(),
            marked: Marked::default(),
        }
    }

    /// So many processes are started ahead of their sessions.
    #[must_use]
    pub fn with_ready(mut self, wanted: usize) -> Local {
        self.ready = Ready::new(wanted);
        self
    }

    /// The processes that wait for their sessions, if any are to.
    pub(super) fn ready(&self) -> Option<&Ready> {
        Some(&self.ready).filter(|ready| ready.is_wanted())
    }

    /// A process in this place, started now or ahead. Its output goes to `streams`.
    pub(super) fn start(
        &self,
        streams: Streams,
        place: ProcessSlot,
    ) -> Result<Arc<Attached>, StartError> {
        let started = match self.ready.take() {
            Some(started) => started,
            None => self.process()?,
        };
        Ok(Attached::new(started, streams, place)?)
    }

    /// Starts a process.
    pub(super) fn process(&self) -> Result<Started, StartError> {
        Started::new(&self.command, &self.env)
    }

    /// Answers a request of a session, or of a caller without one, whose process this is.
    pub(super) async fn answer(
        &self,
        attached: Arc<Attached>,
        exchange: Exchange,
        body: Bytes,
        asking: &Asking,
    ) -> Result<Response, Box<Unsent>> {
        if asking.method == Method::GET {
            return Ok(self.listen(attached, exchange, asking));
        }
        let accepts = match Accepts::of(&asking.headers) {
            Ok(accepts) => accepts,
            Err(refused) => return Ok(*refused),
        };
        let unsent = |exchange, body| Err(Box::new(Unsent { exchange, body }));
        if exchange.requests.is_empty() {
            // Notifications and answers of the client's own.
            let room = Arc::clone(&asking.room);
            return match attached.send(&body, Some(room)).await {
                Ok(()) => Ok(reply::empty(StatusCode::ACCEPTED)),
                Err(_) => {
                    attached.streams.end(ENDED).await;
                    unsent(exchange, body)
                }
            };
        }
        let reading = attached.streams.open(Opening {
            relay: Arc::clone(&exchange.relay),
            body: &asking.body.bytes,
            frame: &asking.body.frame,
            waiting: exchange.requests.clone(),
            is_bound: exchange.is_bound,
            room: exchange.room.clone(),
        });
        let Some(reading) = reading else {
            return unsent(exchange, body);
        };
        let is_shared = attached.streams.is_shared;
        let renumbered = is_shared
            .then(|| renumbered(&body, reading.number))
            .flatten();
        let message = renumbered.as_deref().unwrap_or(&body);
        let mut opened = Opened {
            attached: Arc::clone(&attached),
            number: Some(reading.number),
        };
        let room = Arc::clone(&asking.room);
        if attached.send(message, Some(room)).await.is_err() {
            // The process reads no more, so it has not read this message. Other waiting requests get an error.
            drop(opened);
            attached.streams.end(ENDED).await;
            return unsent(exchange, body);
        }
        opened.number = None;
        drop((renumbered, body));
        let is_small = asking.body.bytes.len() <= RESUMABLE_BYTES;
        let room = (!is_shared && is_small).then(|| asking.room.another());
        let answering = Answering::new(attached, exchange, reading, room);
        let marked = is_shared.then_some(&self.marked);
        Ok(answering.answer(accepts, asking, marked).await)
    }

    /// Checks that a request without a session has the headers that its body requires; otherwise returns the
    /// answer.
    pub(super) fn check(&self, asking: &Asking) -> Result<(), Box<Response>> {
        let Some(body) = outline(&asking.body.bytes) else {
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
            // This protocol has no sessions to begin, and the process would begin one.
            return Err(answer::error(
                id,
                version::METHOD_NOT_FOUND,
                "this version has no sessions",
            ));
        }
        let mismatch = |why: &str| Err(answer::error(id, version::HEADER_MISMATCH, why));
        let Some(header) = version::of_headers(&asking.headers) else {
            return mismatch("the header MCP-Protocol-Version is missing");
        };
        if let Some(version) = version::of_request(&body)
            && version != header
        {
            return mismatch(&format!(
                "MCP-Protocol-Version is `{header}`, and the body says `{version}`"
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

    /// The stream that a client keeps open, or one whose connection broke.
    fn listen(&self, attached: Arc<Attached>, exchange: Exchange, asking: &Asking) -> Response {
        let headers = &asking.headers;
        if attached.streams.is_shared {
            return refusal(
                StatusCode::METHOD_NOT_ALLOWED,
                "POST: this request has no session",
            );
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
        let room = Some(asking.room.another());
        Answering::new(attached, exchange, reading, room).stream(first, true)
    }
}

/// A part of a request up to this size is decoded.
const DECODED_BYTES: usize = 1 << 20;

/// Stands for arguments that were not decoded: theirs would be an object.
const LEFT_OUT: &str = "left out";

/// The parts of a request that headers repeat; none: it is not JSON. Of a large request, only these parts are
/// decoded, since decoding takes many times its size: long arguments are [`LEFT_OUT`].
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
