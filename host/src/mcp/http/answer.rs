//! What comes back from the upstream, on its way to the client.
//!
//! An answer that no chain touches is not looked at: its body goes on as it arrives. Of one that a chain may
//! touch, JSON is read whole, and a stream an event at a time.

use super::connections::Connection;
use super::events::{Event, Events};
use super::headers;
use super::turns::{self, look};
use crate::mcp::frame::RequestId;
use crate::mcp::relay::{FromUpstream, Relay};
use crate::mcp::rewriter::Rewriter;
use crate::mcp::traces::Trace;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::body::Frame;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::watch;

/// The largest answer, or event of a stream, that a chain is run on: what the store keeps at most. A larger one
/// is answered by an error, where a chain hides things, and goes on as it is elsewhere.
const FILTERED_BYTES: usize = 256 << 20;

/// Pieces of a stream that wait for a client that reads slowly. Then the upstream waits.
const WAITING_PIECES: usize = 4;

/// Messages of Tamis's own that wait for a stream.
const WAITING_NOTICES: usize = 16;

/// The requests of one HTTP exchange. When it is gone, nobody waits for their answers here any more.
pub(super) struct Exchange {
    pub(super) connection: Arc<Connection>,
    /// The session's, or one of this exchange alone.
    pub(super) relay: Arc<Relay<Rewriter>>,
    pub(super) requests: Vec<RequestId>,
    /// The policy has to look at the answer.
    pub(super) is_bound: bool,
    /// A stream that stays open, for what the server or Tamis has to say.
    pub(super) is_standing: bool,
    /// Says that the proxy ends: then such a stream ends, too.
    pub(super) closing: watch::Receiver<bool>,
    /// Messages that Tamis itself has for the client, before what the upstream says.
    pub(super) own: Vec<Vec<u8>>,
    /// The span of its requests.
    pub(super) trace: Option<Trace>,
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if !self.requests.is_empty() {
            self.relay.forget(std::mem::take(&mut self.requests));
        }
    }
}

impl Exchange {
    /// The upstream's answer, for the client.
    pub(super) async fn answer(self, upstream: reqwest::Response) -> Response {
        let upstream: axum::http::Response<reqwest::Body> = upstream.into();
        let (head, body) = upstream.into_parts();
        let kind = head
            .headers
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().trim_start().to_ascii_lowercase();
        let has_own = !self.own.is_empty();
        let mut answer = Response::new(Body::empty());
        *answer.status_mut() = head.status;
        *answer.headers_mut() = headers::of_answer(head.headers);
        if kind.starts_with("text/event-stream") && (self.is_bound || self.is_standing || has_own) {
            answer.headers_mut().remove(CONTENT_LENGTH);
            *answer.body_mut() = self.stream(body);
        } else if has_own {
            return self.own_and_upstreams(answer, body).await;
        } else if self.is_bound && is_json(&kind) {
            return self.whole(answer, body).await;
        } else if self.is_bound && head.status.is_success() && !kind.is_empty() && self.hides() {
            let why = "the upstream server answered with something that no filter can be given";
            return self.failed(StatusCode::BAD_GATEWAY, why);
        } else {
            *answer.body_mut() = self.untouched(body);
        }
        answer
    }

    /// There is no answer: an error for each request that waits.
    pub(super) fn failed(mut self, status: StatusCode, why: &str) -> Response {
        self.fail(status, why)
    }

    /// The same, for one who keeps the exchange.
    pub(super) fn fail(&mut self, status: StatusCode, why: &str) -> Response {
        if let Some(trace) = &self.trace {
            trace.failed(why);
        }
        let requests = std::mem::take(&mut self.requests);
        let mut errors = self.relay.give_up(&requests, why);
        if let [only] = &mut *errors {
            return json(status, std::mem::take(only));
        }
        if errors.is_empty() {
            return super::refusal(status, why);
        }
        json(status, [b"[", &*errors.join(&b','), b"]"].concat())
    }

    fn hides(&self) -> bool {
        use crate::mcp::relay::Rewrite;
        self.relay.policy().hides()
    }

    /// The body as it arrives, with the exchange for as long as it does.
    fn untouched(self, body: reqwest::Body) -> Body {
        let mut exchange = Some(self);
        Body::new(body.map_frame(move |frame| {
            let _waits = &mut exchange;
            frame
        }))
    }

    /// JSON, once all of it is there.
    async fn whole(mut self, mut answer: Response, body: reqwest::Body) -> Response {
        if answer.headers().contains_key(CONTENT_ENCODING) && self.hides() {
            let why = "the upstream server sent a compressed answer, which was not asked for";
            return self.failed(StatusCode::BAD_GATEWAY, why);
        }
        let bytes = match collect(body).await {
            Ok(bytes) => bytes,
            Err(why) => return self.failed(StatusCode::BAD_GATEWAY, &why),
        };
        // What is made for a result is made once it is its turn: many may wait.
        let Ok(turn) = self.connection.lane.turn(bytes.len()).await else {
            return self.failed(StatusCode::SERVICE_UNAVAILABLE, turns::BUSY);
        };
        match look(bytes.len(), || self.relay.from_upstream(&bytes)) {
            FromUpstream::Forward => *answer.body_mut() = Body::from(bytes),
            FromUpstream::Rewrite(job) => {
                drop(bytes);
                let Ok(made) = turn.run(job).await else {
                    return self.failed(StatusCode::SERVICE_UNAVAILABLE, turns::BUSY);
                };
                answer.headers_mut().remove(CONTENT_LENGTH);
                *answer.body_mut() = Body::from(made);
            }
        }
        self.settle();
        answer
    }

    /// A batch of which Tamis answers a part.
    async fn own_and_upstreams(mut self, mut answer: Response, body: reqwest::Body) -> Response {
        let bytes = match collect(body).await {
            Ok(bytes) => bytes,
            Err(why) => return self.failed(StatusCode::BAD_GATEWAY, &why),
        };
        let upstreams = match self.rewritten(&bytes).await {
            Ok(None) => bytes.to_vec(),
            Ok(Some(made)) | Err(made) => made,
        };
        self.settle();
        let own = std::mem::take(&mut self.own).join(&b',');
        let upstreams = upstreams.trim_ascii();
        let inner = upstreams
            .strip_prefix(b"[")
            .and_then(|it| it.strip_suffix(b"]"));
        let inner = inner.unwrap_or(upstreams).trim_ascii();
        let comma: &[u8] = if inner.is_empty() { b"" } else { b"," };
        let headers = answer.headers_mut();
        headers.remove(CONTENT_LENGTH);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        *answer.status_mut() = StatusCode::OK;
        *answer.body_mut() = Body::from([b"[", &*own, comma, inner, b"]"].concat());
        answer
    }

    /// A frame of the upstream's as the policy has it; none: as it is. An error is what takes its place where too much
    /// waits for filters; it may be empty.
    async fn rewritten(&self, frame: &[u8]) -> Result<Option<Vec<u8>>, Vec<u8>> {
        let job = match look(frame.len(), || self.relay.from_upstream(frame)) {
            FromUpstream::Forward => return Ok(None),
            FromUpstream::Rewrite(job) => job,
        };
        let made = self.connection.lane.run(job).await;
        made.map(Some).map_err(|turns::Busy| {
            if let Some(trace) = &self.trace {
                trace.failed(turns::BUSY);
            }
            turns::errors(frame, false, turns::BUSY).unwrap_or_default()
        })
    }

    /// Requests that were answered are not waited for.
    fn settle(&mut self) {
        let relay = &self.relay;
        self.requests
            .retain(|id| relay.awaits(std::slice::from_ref(id)));
    }

    /// A stream, event by event.
    fn stream(self, body: reqwest::Body) -> Body {
        let (out, pieces) = mpsc::channel(WAITING_PIECES);
        tokio::spawn(async move {
            let cut_off = Stream {
                exchange: self,
                out: out.clone(),
            }
            .run(body)
            .await;
            if let Err(error) = cut_off {
                // The client has to see that this was not the end.
                let _ = out.send(Err(error)).await;
            }
        });
        Body::new(Pieces(pieces))
    }
}

/// A stream of events from the upstream to the client.
struct Stream {
    exchange: Exchange,
    out: Sender<io::Result<Bytes>>,
}

/// The client has gone.
struct Gone;

impl Stream {
    async fn run(mut self, mut body: reqwest::Body) -> io::Result<()> {
        // The sender lives as long as the stream does: that is how the connection knows.
        let (sender, mut notices) = mpsc::channel(WAITING_NOTICES);
        if self.exchange.is_standing {
            self.exchange
                .connection
                .stands(&self.exchange.relay, &sender);
        }
        let mut events = Events::default();
        let mut can_resume = false;
        let mut closing = self.exchange.closing.clone();
        let is_standing = self.exchange.is_standing;
        let own = std::mem::take(&mut self.exchange.own);
        for message in own {
            if self.send(Event::message(&message)).await.is_err() {
                return Ok(());
            }
        }
        let broke = loop {
            let frame = tokio::select! {
                () = self.out.closed() => return Ok(()),
                () = closes(&mut closing), if is_standing => return Ok(()),
                Some(notice) = notices.recv() => {
                    let event = Event::message(&notice);
                    if self.send(event).await.is_err() {
                        return Ok(());
                    }
                    continue;
                }
                frame = body.frame() => frame,
            };
            let bytes = match frame {
                None => break None,
                Some(Err(error)) => break Some(error),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => bytes,
                    Err(_) => continue,
                },
            };
            events.push(&bytes);
            if self.events(&mut events, &mut can_resume).await.is_err() {
                return Ok(());
            }
            if events.unfinished().len() > FILTERED_BYTES {
                let why = "an event of the upstream server's is too large to be looked at";
                return self.end(why, true).await;
            }
        };
        match broke {
            // Where it broke off a client can go on, if there was an id.
            Some(error) if can_resume => Err(io::Error::other(error)),
            Some(_) => {
                self.end("the upstream server broke off its answer", false)
                    .await
            }
            None => {
                let rest = events.unfinished().to_vec();
                if !can_resume {
                    return self
                        .end("the upstream server ended before it answered", false)
                        .await;
                }
                if !rest.is_empty() {
                    let _ = self.send(rest).await;
                }
                Ok(())
            }
        }
    }

    /// Sends on what is whole, changed where the policy changes it.
    async fn events(&mut self, events: &mut Events, can_resume: &mut bool) -> Result<(), Gone> {
        let mut untouched = Vec::new();
        while let Some(event) = events.next() {
            *can_resume |= event.has_id;
            let made = match event.data() {
                Some(data) => self.exchange.rewritten(&data).await,
                None => Ok(None),
            };
            match made {
                Ok(None) => untouched.append(&mut event.into_bytes()),
                Ok(Some(made)) | Err(made) => {
                    self.send(std::mem::take(&mut untouched)).await?;
                    if !made.is_empty() {
                        self.send(event.with_data(&made)).await?;
                    }
                }
            }
        }
        self.exchange.settle();
        self.send(untouched).await
    }

    /// Ends a stream of which no more is to be had: what still waits is answered by an error.
    async fn end(mut self, why: &str, all: bool) -> io::Result<()> {
        if let Some(trace) = &self.exchange.trace {
            trace.failed(why);
        }
        let requests = std::mem::take(&mut self.exchange.requests);
        if all || !self.exchange.is_standing {
            for error in self.exchange.relay.give_up(&requests, why) {
                if self.send(Event::message(&error)).await.is_err() {
                    break;
                }
            }
        }
        Ok(())
    }

    async fn send(&self, bytes: Vec<u8>) -> Result<(), Gone> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.out.send(Ok(bytes.into())).await.map_err(|_| Gone)
    }
}

/// Waits until the proxy ends.
pub(super) async fn closes(closing: &mut watch::Receiver<bool>) {
    let _ = closing.wait_for(|closing| *closing).await;
}

/// Tamis's own answers, where the upstream is not asked.
pub(super) fn own_alone(own: Vec<Vec<u8>>, is_batch: bool) -> Response {
    let body = if is_batch {
        [b"[", &*own.join(&b','), b"]"].concat()
    } else {
        own.concat()
    };
    json(StatusCode::OK, body)
}

/// A message in the body of an answer.
pub(super) fn json(status: StatusCode, body: Vec<u8>) -> Response {
    let mut answer = Response::new(Body::from(body));
    *answer.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    *answer.headers_mut() = HeaderMap::from_iter([(CONTENT_TYPE, kind)]);
    answer
}

fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim_end();
    kind == "application/json" || kind.ends_with("+json")
}

async fn collect(body: reqwest::Body) -> Result<Bytes, String> {
    let limited = http_body_util::Limited::new(body, FILTERED_BYTES);
    let collected = limited.collect().await;
    let collected = collected.map_err(|error| {
        if error.is::<http_body_util::LengthLimitError>() {
            let limit = FILTERED_BYTES >> 20;
            format!("the upstream server's answer is larger than {limit} MiB, which is the most that is filtered")
        } else {
            "the upstream server broke off its answer".to_owned()
        }
    })?;
    Ok(collected.to_bytes())
}

/// A body whose pieces arrive in a channel.
struct Pieces(Receiver<io::Result<Bytes>>);

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let piece = self.0.poll_recv(context);
        piece.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
