//! What comes back from the upstream, on its way to the client.
//!
//! An answer that no chain touches is not looked at: its body goes on as it arrives. Of one that a chain may
//! touch, JSON is read whole, and a stream an event at a time.

use super::body_kind::{BodyKind, Said};
use super::connections::Connection;
use super::events::{Event, Events};
use super::headers;
use super::turns::{self, look};
use crate::mcp::doubt;
use crate::mcp::frame::RequestId;
use crate::mcp::observe::traces::Trace;
use crate::mcp::relay::{FromUpstream, Refused, Relay};
use crate::mcp::rewriter::Rewriter;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, WWW_AUTHENTICATE};
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
        let kind = BodyKind::of(&head.headers);
        let has_own = !self.own.is_empty();
        let mut answer = Response::new(Body::empty());
        *answer.status_mut() = head.status;
        *answer.headers_mut() = headers::of_answer(head.headers);
        let is_looked_at = self.is_bound || self.is_standing || has_own;
        let fault = if kind.is_coded {
            Some("the upstream server sent a compressed answer, which was not asked for")
        } else if !kind.is_plain && self.is_strict() {
            Some("the upstream server sent an answer of several types, or not in UTF-8")
        } else {
            None
        };
        match kind.said {
            Said::Events if is_looked_at && fault.is_none() => {
                answer.headers_mut().remove(CONTENT_LENGTH);
                *answer.body_mut() = self.stream(body);
                answer
            }
            _ if has_own => self.own_and_upstreams(answer, body, fault).await,
            _ if is_looked_at && let Some(why) = fault => self.refused(answer, Vec::new(), why),
            Said::Json if self.is_bound => self.whole(answer, body).await,
            _ if self.is_bound && (answer.status().is_success() || self.is_strict()) => {
                self.unknown(answer, body).await
            }
            _ => {
                *answer.body_mut() = self.untouched(body);
                answer
            }
        }
    }

    /// There is no answer: an error for each request that waits.
    pub(super) fn failed(mut self, status: StatusCode, why: &str) -> Response {
        self.fail(status, why)
    }

    /// The same, for one who keeps the exchange.
    pub(super) fn fail(&mut self, status: StatusCode, why: &str) -> Response {
        self.fail_with(status, Vec::new(), why)
    }

    /// The same, with errors that there are already.
    fn fail_with(&mut self, status: StatusCode, errors: Vec<Vec<u8>>, why: &str) -> Response {
        if let Some(trace) = &self.trace {
            trace.failed(why);
        }
        let requests = std::mem::take(&mut self.requests);
        let mut errors = [errors, self.relay.give_up(&requests, why)].concat();
        if let [only] = &mut *errors {
            return json(status, std::mem::take(only));
        }
        if errors.is_empty() {
            return super::refusal(status, why);
        }
        json(status, [b"[", &*errors.join(&b','), b"]"].concat())
    }

    /// Nothing of the upstream's answer goes on but what it says of itself: errors take its place.
    fn refused(mut self, answer: Response, errors: Vec<Vec<u8>>, why: &str) -> Response {
        let status = match answer.status().is_success() {
            true => StatusCode::BAD_GATEWAY,
            false => answer.status(),
        };
        let mut refused = self.fail_with(status, errors, why);
        for name in [WWW_AUTHENTICATE, headers::SESSION] {
            let values = answer.headers().get_all(&name).iter().cloned();
            let values: Vec<HeaderValue> = values.collect();
            for value in values {
                refused.headers_mut().append(name.clone(), value);
            }
        }
        refused
    }

    fn is_strict(&self) -> bool {
        self.relay.is_strict()
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
        let bytes = match collect(body).await {
            Ok(bytes) => bytes,
            Err(why) => return self.failed(StatusCode::BAD_GATEWAY, &why),
        };
        let is_final = answer.status().is_success() || self.is_strict();
        if let Some(why) = look(bytes.len(), || unreadable(&bytes)).filter(|_| is_final)
            && !(bytes.trim_ascii().is_empty() && self.requests.is_empty())
        {
            return self.refused(answer, Vec::new(), &why);
        }
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
            FromUpstream::Refused(Refused { doubt, errors, .. }) => {
                let why = format!("the upstream server's answer {}", doubt.why());
                return self.refused(answer, errors, &why);
            }
        }
        self.settle();
        answer
    }

    /// An answer of which nobody knows what it is. It goes on only if there is nothing in it.
    async fn unknown(self, answer: Response, body: reqwest::Body) -> Response {
        match collect(body).await {
            Ok(bytes) if bytes.is_empty() => answer,
            Ok(_) => {
                let why = "the upstream server answered with something that no filter can be given";
                self.refused(answer, Vec::new(), why)
            }
            Err(why) => self.refused(answer, Vec::new(), &why),
        }
    }

    /// A batch of which Tamis answers a part. `fault`: what is wrong with the upstream's.
    async fn own_and_upstreams(
        mut self,
        mut answer: Response,
        body: reqwest::Body,
        fault: Option<&str>,
    ) -> Response {
        let bytes = match collect(body).await {
            Ok(bytes) => bytes,
            Err(why) => return self.failed(StatusCode::BAD_GATEWAY, &why),
        };
        let fault = fault
            .map(str::to_owned)
            .or_else(|| look(bytes.len(), || unreadable(&bytes)));
        let mut answers = std::mem::take(&mut self.own);
        let mut give_up = fault;
        if give_up.is_none() {
            let upstreams = match self.made(&bytes).await {
                Made::AsItIs => bytes.to_vec(),
                Made::Rewritten(made) | Made::Busy(made) => made,
                Made::Refused(Refused { doubt, errors, .. }) => {
                    give_up = Some(format!("the upstream server's answer {}", doubt.why()));
                    errors.join(&b',')
                }
            };
            self.settle();
            let upstreams = upstreams.trim_ascii();
            let inner = upstreams
                .strip_prefix(b"[")
                .and_then(|it| it.strip_suffix(b"]"));
            answers.push(inner.unwrap_or(upstreams).trim_ascii().to_vec());
        }
        if let Some(why) = give_up {
            let requests = std::mem::take(&mut self.requests);
            answers.extend(self.relay.give_up(&requests, &why));
        }
        answers.retain(|answer| !answer.is_empty());
        let headers = answer.headers_mut();
        headers.remove(CONTENT_LENGTH);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        *answer.status_mut() = StatusCode::OK;
        *answer.body_mut() = Body::from([b"[", &*answers.join(&b','), b"]"].concat());
        answer
    }

    /// A frame of the upstream's as the policy has it.
    async fn made(&self, frame: &[u8]) -> Made {
        let job = match look(frame.len(), || self.relay.from_upstream(frame)) {
            FromUpstream::Forward => return Made::AsItIs,
            FromUpstream::Refused(refused) => return Made::Refused(refused),
            FromUpstream::Rewrite(job) => job,
        };
        match self.connection.lane.run(job).await {
            Ok(made) => Made::Rewritten(made),
            Err(turns::Busy) => {
                if let Some(trace) = &self.trace {
                    trace.failed(turns::BUSY);
                }
                Made::Busy(turns::errors(frame, false, turns::BUSY).unwrap_or_default())
            }
        }
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
                lost_some: false,
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

/// What becomes of a frame of the upstream's.
enum Made {
    AsItIs,
    Rewritten(Vec<u8>),
    /// Errors in its place, since too much waits for filters; there may be none.
    Busy(Vec<u8>),
    Refused(Refused),
}

/// A stream of events from the upstream to the client.
struct Stream {
    exchange: Exchange,
    out: Sender<io::Result<Bytes>>,
    /// Something that came could not be read, and did not go on: it may have been the answer.
    lost_some: bool,
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
            Some(error) if can_resume && !self.lost_some => Err(io::Error::other(error)),
            Some(_) => {
                self.end("the upstream server broke off its answer", false)
                    .await
            }
            None => {
                // A lenient client reads an event that has no end, too.
                let rest = events.unfinished();
                let is_whole = Event::of(rest).is_none_or(|data| unreadable(&data).is_none());
                if !rest.is_empty() && is_whole {
                    events.push(b"\n\n");
                    if self.events(&mut events, &mut can_resume).await.is_err() {
                        return Ok(());
                    }
                }
                let why = match self.lost_some {
                    true => "the upstream server sent an answer that cannot be read",
                    false if can_resume => return Ok(()),
                    false => "the upstream server ended before it answered",
                };
                self.end(why, false).await
            }
        }
    }

    /// Sends on what is whole, changed where the policy changes it.
    async fn events(&mut self, events: &mut Events, can_resume: &mut bool) -> Result<(), Gone> {
        let mut untouched = Vec::new();
        while let Some(event) = events.next() {
            *can_resume |= event.has_id;
            let data = event.data();
            let is_empty = data
                .as_ref()
                .is_none_or(|data| data.trim_ascii().is_empty());
            if let Some(data) = data.as_ref().filter(|_| !is_empty)
                && !self.exchange.requests.is_empty()
                && look(data.len(), || unreadable(data)).is_some()
            {
                self.lost_some = true;
                continue;
            }
            let is_strict = self.exchange.is_strict();
            let made = match data.as_ref() {
                Some(data) => self.exchange.made(data).await,
                None => Made::AsItIs,
            };
            match made {
                Made::Rewritten(made) | Made::Busy(made) => {
                    self.send(std::mem::take(&mut untouched)).await?;
                    if !made.is_empty() {
                        let event = match is_strict {
                            true => event.plain(Some(&made)),
                            false => event.with_data(&made),
                        };
                        self.send(event).await?;
                    }
                }
                Made::Refused(refused) => {
                    self.lost_some |= refused.errors.is_empty();
                    for error in refused.errors {
                        untouched.append(&mut Event::message(&error));
                    }
                }
                Made::AsItIs if is_strict => {
                    untouched.append(&mut event.plain(data.as_deref()));
                }
                Made::AsItIs => {
                    drop(data);
                    untouched.append(&mut event.into_bytes());
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

/// Why an answer cannot be read.
fn unreadable(answer: &[u8]) -> Option<String> {
    let doubt = doubt::unreadable(answer, &crate::mcp::frame::Frame::read(answer))?;
    Some(format!("the upstream server's answer {}", doubt.why()))
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
