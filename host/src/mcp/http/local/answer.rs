//! A process's output, as the answer to an HTTP request.
//!
//! A single message is sent as JSON; if more may come, as a stream of events.

use super::accepts::Accepts;
use crate::mcp::frame::Frame;
use crate::mcp::http::exchange::{Exchange, closes};
use crate::mcp::http::mirror::Marked;
use crate::mcp::http::process::{Attached, ENDED, Message, Reading};
use crate::mcp::http::reply::{self, json};
use crate::mcp::http::request::Asking;
use crate::mcp::http::room::{Room, in_rooms};
use crate::mcp::http::turns::block_if_large;
use crate::mcp::http::version;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// After how many milliseconds a client whose stream broke reconnects.
const RETRY: &str = "retry: 1000\n";

/// The beginning of a stream of events.
pub(super) enum First {
    Nothing,
    /// An event without a message, by whose id the client can resume the stream, and with the time to wait
    /// before that. Clients of protocol versions before 2025-11-25 read a message in every event, and fail
    /// on one without.
    Place,
    /// A message that has already come.
    Message(Message),
}

/// An answer in progress. When it is dropped, its client no longer waits.
pub(super) struct Answering {
    pub(super) attached: Arc<Attached>,
    exchange: Exchange,
    reading: Reading,
    /// The room of messages for a client that comes back, once it knows where to.
    room: Option<Room>,
    may_come_back: bool,
}

impl Answering {
    /// `room`: for a client that may reconnect.
    pub(super) fn new(
        attached: Arc<Attached>,
        exchange: Exchange,
        reading: Reading,
        room: Option<Room>,
    ) -> Answering {
        Answering {
            attached,
            exchange,
            reading,
            room,
            may_come_back: false,
        }
    }

    /// Ends without an answer: an error for each request that waits.
    pub(super) fn failed(mut self, status: StatusCode, why: &str) -> Response {
        self.exchange.fail(status, why)
    }

    /// Waits for the process, and answers. `marked`: the request stands alone, and its headers depend on the
    /// listed tools.
    pub(super) async fn answer(
        mut self,
        accepts: Accepts,
        asking: &Asking,
        marked: Option<&Marked>,
    ) -> Response {
        let stands_alone = marked.is_some();
        let own = std::mem::take(&mut self.exchange.own);
        let body = &asking.body;
        let is_batch = body.is_batch();
        let can_resume =
            !stands_alone && version::is_resumable(version::of_headers(&asking.headers));
        if accepts.events && can_resume && own.is_empty() {
            return self.stream(First::Place, true);
        }
        if !accepts.events || is_batch || !own.is_empty() {
            return self.whole(own, is_batch).await;
        }
        let Some(first) = self.reading.messages.recv().await else {
            return self.failed(StatusCode::BAD_GATEWAY, ENDED);
        };
        if let Some(marked) = marked.filter(|_| body.has_method("tools/list"))
            && let Ok(answer) = serde_json::from_slice::<Value>(&first.json)
        {
            marked.learn(&answer["result"]);
        }
        let status = if stands_alone && first.is_last {
            status_of(&first.json, &body.bytes)
        } else {
            StatusCode::OK
        };
        let is_whole = first.is_last && (!accepts.prefers_events || status != StatusCode::OK);
        if is_whole && accepts.json {
            let is_error = error_in(&first.json).is_some();
            let mut answer = json(status, in_rooms(first.json, first.room));
            if is_error {
                answer.extensions_mut().insert(IsError);
            }
            return answer;
        }
        self.stream(First::Message(first), !stands_alone)
    }

    /// All of it in one body, with Tamis's own answers.
    async fn whole(mut self, own: Vec<Vec<u8>>, is_batch: bool) -> Response {
        let mut answers: Vec<Bytes> = own.into_iter().map(Bytes::from).collect();
        let mut rooms = Vec::new();
        while let Some(message) = self.reading.messages.recv().await {
            // One body has a place for answers only.
            if block_if_large(message.json.len(), || is_answer(&message.json)) {
                answers.push(message.json);
                rooms.extend(message.room);
            }
            if message.is_last {
                break;
            }
        }
        let body = match &mut *answers {
            [] => return self.failed(StatusCode::BAD_GATEWAY, ENDED),
            [only] if !is_batch => std::mem::take(only),
            all => reply::list(all).into(),
        };
        json(StatusCode::OK, in_rooms(body, rooms))
    }

    /// A stream of events. `can_resume`: each event has an id.
    pub(super) fn stream(mut self, first: First, can_resume: bool) -> Response {
        self.may_come_back = can_resume;
        let mut ready = VecDeque::new();
        let mut is_over = false;
        match first {
            First::Nothing => {}
            First::Place => {
                let event = format!(
                    "id: {}-{}\n{RETRY}data: \n\n",
                    self.reading.number, self.reading.after
                );
                ready.push_back(Bytes::from(event));
            }
            First::Message(message) => {
                is_over = message.is_last;
                ready.push_back(event(message, can_resume));
            }
        }
        let mut closing = self.exchange.closing.clone();
        let closing = self.exchange.is_standing.then(|| {
            Box::pin(async move {
                closes(&mut closing).await;
            }) as Pin<Box<dyn Future<Output = ()> + Send>>
        });
        let mut answer = Response::new(Body::new(Events {
            answering: self,
            closing,
            ready,
            can_resume,
            is_over,
        }));
        *answer.headers_mut() = HeaderMap::from_iter([
            (CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
            (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        ]);
        answer
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.reading.messages.close();
        let room = self.room.take().filter(|_| self.may_come_back);
        if room.is_some() {
            // The stream waits for their answers.
            self.exchange.requests.clear();
        }
        let Some(number) = self.attached.streams.abandon(self.reading.number, room) else {
            return;
        };
        let attached = Arc::clone(&self.attached);
        let cancelled = json!({
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": { "requestId": number, "reason": "the client has gone" },
        });
        self.attached.spawn(async move {
            let _ = attached.send(cancelled.to_string().as_bytes(), None).await;
        });
    }
}

/// A stream of events as a body.
struct Events {
    answering: Answering,
    /// Says that the proxy ends, for a stream that stays open.
    closing: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    ready: VecDeque<Bytes>,
    can_resume: bool,
    is_over: bool,
}

impl HttpBody for Events {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<hyper::body::Frame<Bytes>>>> {
        if let Some(ready) = self.ready.pop_front() {
            return Poll::Ready(Some(Ok(hyper::body::Frame::data(ready))));
        }
        let closing = self.closing.as_mut();
        let closes = closing.is_some_and(|closing| closing.as_mut().poll(context).is_ready());
        if self.is_over || closes {
            self.is_over = true;
            return Poll::Ready(None);
        }
        let message = std::task::ready!(self.answering.reading.messages.poll_recv(context));
        Poll::Ready(message.map(|message| {
            self.is_over = message.is_last;
            Ok(hyper::body::Frame::data(event(message, self.can_resume)))
        }))
    }
}

fn event(message: Message, can_resume: bool) -> Bytes {
    let id = if can_resume {
        format!("id: {}\n", message.event)
    } else {
        String::new()
    };
    let event = [id.as_bytes(), b"data: ", &message.json, b"\n\n"].concat();
    in_rooms(event, message.room)
}

/// Marks an answer as an error, with any status.
#[derive(Debug, Clone, Copy)]
pub(in crate::mcp::http) struct IsError;

fn error_in(answer: &[u8]) -> Option<&[u8]> {
    let [error] = crate::json::members(answer, ["error"]);
    error.map(|span| &answer[span])
}

/// The status of an error, which repeats the code in the body (protocol 2026-07-28).
fn status_of(answer: &[u8], request: &[u8]) -> StatusCode {
    let Some(error) = error_in(answer) else {
        return StatusCode::OK;
    };
    let [code] = crate::json::members(error, ["code"]);
    let code = code.and_then(|span| std::str::from_utf8(&error[span]).ok()?.parse().ok());
    let lacks_meta = || version::lacks_meta(request);
    match code {
        Some(
            version::UNSUPPORTED_VERSION | version::MISSING_CAPABILITY | version::HEADER_MISMATCH,
        ) => StatusCode::BAD_REQUEST,
        Some(version::INVALID_PARAMS) if lacks_meta() => StatusCode::BAD_REQUEST,
        Some(version::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

/// An error of Tamis's own, for a request that does not reach the process.
pub(super) fn error(id: &Value, code: i64, why: &str) -> Box<Response> {
    let error = json!({
        "jsonrpc": "2.0",
        "id": id,
        "error": { "code": code, "message": why },
    });
    let status = match code {
        version::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        _ => StatusCode::BAD_REQUEST,
    };
    Box::new(json(status, error.to_string().into_bytes()))
}

fn is_answer(message: &[u8]) -> bool {
    let frame = Frame::read(message);
    let mut views = frame.views().iter();
    views.any(|view| view.is_answer() || view.method.is_none())
}
