//! What a process says, sorted into the streams of the clients that wait for it.
//!
//! Over standard output all messages come one after the other; over HTTP each belongs to the answer of a
//! request, or to the stream that a client keeps open. An answer names its request, progress its token. What
//! names nothing goes to the request that came last, since most servers work on one at a time.
//!
//! What was sent lately is kept, so that a client whose connection broke can go on from where it was.

use crate::json;
use crate::mcp::frame::{Frame, RequestId, View};
use crate::mcp::http::turns::{self, Lane, look};
use crate::mcp::relay::{FromUpstream, Relay};
use crate::mcp::rewriter::Rewriter;
use axum::body::Bytes;
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{self, Receiver, Sender};

/// The stream that a client keeps open for what belongs to no request.
pub(super) const STANDING: u64 = 0;

/// Messages that wait for a client that reads slowly. Then the process waits.
const WAITING: usize = 64;

/// A client that takes nothing for so long has gone; what is kept waits for it.
const PATIENCE: Duration = Duration::from_secs(30);

/// Messages kept for a client that comes back, in all streams of a session.
const KEPT_MESSAGES: usize = 256;
const KEPT_BYTES: usize = 8 << 20;

/// Where a request names the stream that a message belongs to (protocol 2026-07-28).
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// A message on its way to a client.
#[derive(Debug, Clone)]
pub(super) struct Message {
    /// JSON on one line.
    pub(super) json: Bytes,
    /// What a client names to go on from here.
    pub(super) event: String,
    /// No other comes on this stream.
    pub(super) is_last: bool,
}

/// The streams of one process.
pub(super) struct Streams {
    state: Mutex<State>,
    relay: Arc<Relay<Rewriter>>,
    /// Where results wait for their filters.
    lane: Arc<Lane>,
    /// Whether requests of several clients share the process, so that ids are Tamis's own.
    pub(super) is_shared: bool,
}

struct State {
    next: u64,
    open: BTreeMap<u64, Stream>,
    /// Oldest first: stream, number in it, message.
    kept: VecDeque<(u64, u64, Message)>,
    kept_bytes: usize,
    ended: bool,
}

struct Stream {
    relay: Arc<Relay<Rewriter>>,
    /// Requests that are not answered.
    waiting: Vec<RequestId>,
    /// As the client spelled it, where the process knows it by another.
    spelled: Option<Box<[u8]>>,
    /// Progress tokens: as the client spelled them.
    tokens: Vec<Box<[u8]>>,
    /// Messages, so far.
    sent: u64,
    /// Up to here somebody was there to hear them.
    heard: u64,
    live: Option<Sender<Message>>,
}

/// A request's stream. When it is dropped nobody reads from it any more.
pub(super) struct Reading {
    pub(super) number: u64,
    /// Messages of the stream that came before those.
    pub(super) after: u64,
    pub(super) messages: Receiver<Message>,
}

impl Streams {
    pub(super) fn new(relay: Arc<Relay<Rewriter>>, lane: Arc<Lane>, is_shared: bool) -> Streams {
        let standing = Stream::new(Arc::clone(&relay), Vec::new());
        Streams {
            state: Mutex::new(State {
                next: STANDING + 1,
                open: BTreeMap::from([(STANDING, standing)]),
                kept: VecDeque::new(),
                kept_bytes: 0,
                ended: false,
            }),
            relay,
            lane,
            is_shared,
        }
    }

    /// A stream for the answers to a frame's requests. `relay` has noted them. None: the process has ended.
    pub(super) fn open(
        &self,
        relay: Arc<Relay<Rewriter>>,
        frame: &[u8],
        waiting: Vec<RequestId>,
    ) -> Option<Reading> {
        let (live, messages) = mpsc::channel(WAITING);
        let mut state = self.state();
        if state.ended {
            return None;
        }
        let number = state.next;
        state.next += 1;
        let views = views(frame);
        let stream = Stream {
            spelled: views
                .first()
                .and_then(|view| Some(frame[view.id.clone()?].into())),
            tokens: views.iter().filter_map(|view| token(frame, view)).collect(),
            live: Some(live),
            ..Stream::new(relay, waiting)
        };
        state.open.insert(number, stream);
        let after = 0;
        Some(Reading {
            number,
            after,
            messages,
        })
    }

    /// The client's standing stream, in the place of one that it had before.
    pub(super) fn stand(&self) -> Option<Reading> {
        self.resume(STANDING, None)
    }

    /// Goes on with a stream after the event that a client saw last.
    pub(super) fn resume_after(&self, event: &str) -> Option<Reading> {
        let (stream, sent) = event.split_once('-')?;
        self.resume(stream.parse().ok()?, Some(sent.parse().ok()?))
    }

    fn resume(&self, number: u64, after: Option<u64>) -> Option<Reading> {
        let mut state = self.state();
        if state.ended {
            return None;
        }
        let heard = state.open.get(&number).map_or(0, |stream| stream.heard);
        let after = after.unwrap_or(heard);
        let missed: Vec<Message> = state
            .kept
            .iter()
            .filter(|(stream, sent, _)| *stream == number && *sent > after)
            .map(|(_, _, message)| message.clone())
            .collect();
        let (live, messages) = mpsc::channel(WAITING + missed.len());
        for message in missed {
            // There is room for all.
            let _ = live.try_send(message);
        }
        if let Some(stream) = state.open.get_mut(&number) {
            stream.heard = stream.sent;
            stream.live = Some(live);
        }
        Some(Reading {
            number,
            after,
            messages,
        })
    }

    /// The id by which the process is told to stop working for a stream that nobody reads from any more. None:
    /// all is answered, or a client may come back.
    pub(super) fn abandon(&self, number: u64) -> Option<u64> {
        if !self.is_shared {
            return None;
        }
        let stream = self.state().open.remove(&number)?;
        stream.relay.forget(stream.waiting.clone());
        (!stream.waiting.is_empty()).then_some(number)
    }

    /// A line that the process wrote.
    pub(super) async fn line(&self, line: &[u8]) {
        let line = on_one_line(line.trim_ascii());
        let line = &*line;
        let views = views(line);
        let Some(view) = views.first() else {
            if !line.is_empty() {
                tracing::debug!("the upstream server wrote a line that is no message");
            }
            return;
        };
        let Some((number, relay)) = self.destination(line, view) else {
            tracing::debug!("the upstream server wrote a message that nobody waits for");
            return;
        };
        let restored = self.restored(line, view, number);
        let line = restored.as_deref().unwrap_or(line);
        let json = match look(line.len(), || relay.from_upstream(line)) {
            FromUpstream::Forward => line.to_vec(),
            FromUpstream::Rewrite(job) => match self.lane.run(job).await {
                Ok(made) => made,
                Err(turns::Busy) => match turns::errors(line, false, turns::BUSY) {
                    Some(errors) => errors,
                    None => return,
                },
            },
            FromUpstream::Refused(refused) => {
                for (id, error) in refused.requests.iter().zip(refused.errors) {
                    self.deliver(number, error, std::slice::from_ref(id)).await;
                }
                return;
            }
        };
        let answered = views_answered(line);
        self.deliver(number, json, &answered).await;
    }

    /// Says something of Tamis's own on a stream.
    pub(super) async fn say(&self, number: u64, json: Vec<u8>) {
        self.deliver(number, json, &[]).await;
    }

    /// What Tamis has to tell clients after another policy came into force.
    pub(super) fn tools_changed(&self) -> Vec<(u64, Vec<u8>)> {
        let mut notices = Vec::new();
        let streams: Vec<_> = {
            let state = self.state();
            let live = state
                .open
                .iter()
                .filter(|(_, stream)| stream.live.is_some());
            live.map(|(number, stream)| (*number, Arc::clone(&stream.relay)))
                .collect()
        };
        if !self.is_shared {
            let all = self.relay.tools_changed().into_iter();
            return all.map(|notice| (STANDING, notice)).collect();
        }
        for (number, relay) in streams {
            notices.extend(
                relay
                    .tools_changed()
                    .into_iter()
                    .map(|notice| (number, notice)),
            );
        }
        notices
    }

    /// The process has ended: what waits is answered by an error, and nothing more comes.
    pub(super) async fn end(&self, why: &str) {
        let open: Vec<(u64, Arc<Relay<Rewriter>>, Vec<RequestId>)> = {
            let mut state = self.state();
            state.ended = true;
            let waiting = state.open.iter();
            let waiting = waiting.map(|(number, stream)| {
                (*number, Arc::clone(&stream.relay), stream.waiting.clone())
            });
            waiting.collect()
        };
        for (number, relay, waiting) in open {
            for id in &waiting {
                for error in relay.give_up(std::slice::from_ref(id), why) {
                    self.deliver(number, error, std::slice::from_ref(id)).await;
                }
            }
        }
        self.state().open.clear();
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state().ended
    }

    /// The stream that a message belongs to.
    fn destination(&self, line: &[u8], view: &View) -> Option<(u64, Arc<Relay<Rewriter>>)> {
        let state = self.state();
        let id = view
            .id
            .clone()
            .and_then(|span| RequestId::parse(&line[span]));
        let by_id = |id: &RequestId| {
            if self.is_shared {
                let RequestId::Integer(number) = id else {
                    return None;
                };
                return u64::try_from(*number)
                    .ok()
                    .filter(|number| state.open.contains_key(number));
            }
            let mut open = state.open.iter();
            open.find(|(_, stream)| stream.waiting.contains(id))
                .map(|(number, _)| *number)
        };
        let newest = || {
            let mut open = state.open.iter().rev();
            let newest =
                open.find(|(number, stream)| **number != STANDING && !stream.waiting.is_empty());
            newest.map(|(number, _)| *number)
        };
        let number = if view.is_answer() || view.method.is_none() {
            let found = id.as_ref().and_then(by_id);
            found.or_else(|| by_id(&id?.unquoted()?))?
        } else {
            let method = view.method.clone().and_then(|span| json::text(&line[span]));
            let method = method.unwrap_or_default();
            let named = named_stream(
                line,
                view,
                |id| by_id(id),
                |token| state.by_token(token, self.is_shared),
            );
            let is_of_request = view.id.is_some()
                || matches!(&*method, "notifications/message" | "notifications/progress");
            match named {
                Some(number) => number,
                None if is_of_request => newest().or((!self.is_shared).then_some(STANDING))?,
                None if self.is_shared => return None,
                None => STANDING,
            }
        };
        let relay = state
            .open
            .get(&number)
            .map_or(&self.relay, |stream| &stream.relay);
        Some((number, Arc::clone(relay)))
    }

    /// The message with the id and the progress token that the client gave, where the process knows others.
    fn restored(&self, line: &[u8], view: &View, number: u64) -> Option<Vec<u8>> {
        if !self.is_shared {
            return None;
        }
        let state = self.state();
        let stream = state.open.get(&number)?;
        let mut edits: Vec<(json::Span, &[u8])> = Vec::new();
        let spelled = stream.spelled.as_deref();
        if view.is_answer() || view.method.is_none() {
            edits.extend(view.id.clone().zip(spelled));
        } else if let Some(params) = view.params.clone() {
            let within = |span: json::Span| params.start + span.start..params.start + span.end;
            let [token, meta] = json::members(&line[params.clone()], ["progressToken", "_meta"]);
            let own = stream.tokens.first().map(|token| &**token);
            edits.extend(token.map(within).zip(own));
            if let Some(meta) = meta.map(within) {
                let [id] = json::members(&line[meta.clone()], [SUBSCRIPTION]);
                let id = id.map(|id| meta.start + id.start..meta.start + id.end);
                edits.extend(id.zip(spelled));
            }
        }
        (!edits.is_empty()).then(|| replace(line, edits))
    }

    async fn deliver(&self, number: u64, json: Vec<u8>, answered: &[RequestId]) {
        let (live, message) = {
            let mut state = self.state();
            let Some((message, live)) = state.keep(number, json.into(), answered, !self.is_shared)
            else {
                return;
            };
            if message.is_last {
                state.open.remove(&number);
            }
            (live, message)
        };
        let Some(live) = live else { return };
        if live.send_timeout(message, PATIENCE).await.is_err()
            && let Some(stream) = self.state().open.get_mut(&number)
        {
            // A newer one may have taken its place meanwhile.
            stream.live.take_if(|one| one.same_channel(&live));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics half-way through a change of the tables.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stream {
    fn new(relay: Arc<Relay<Rewriter>>, waiting: Vec<RequestId>) -> Stream {
        Stream {
            relay,
            waiting,
            spelled: None,
            tokens: Vec::new(),
            sent: 0,
            heard: 0,
            live: None,
        }
    }
}

impl State {
    /// Notes a message of a stream, and what it answers. Who hears it, if somebody does.
    fn keep(
        &mut self,
        number: u64,
        json: Bytes,
        answered: &[RequestId],
        can_resume: bool,
    ) -> Option<(Message, Option<Sender<Message>>)> {
        let stream = self.open.get_mut(&number)?;
        let before = stream.waiting.len();
        stream.waiting.retain(|id| !answered.contains(id));
        stream.sent += 1;
        let live = stream.live.clone().filter(|live| !live.is_closed());
        if live.is_some() {
            stream.heard = stream.sent;
        }
        let sent = stream.sent;
        let message = Message {
            event: format!("{number}-{sent}"),
            json,
            is_last: number != STANDING && before > 0 && stream.waiting.is_empty(),
        };
        if can_resume {
            self.kept_bytes += message.json.len();
            self.kept.push_back((number, sent, message.clone()));
            while self.kept.len() > KEPT_MESSAGES || self.kept_bytes > KEPT_BYTES {
                let Some((_, _, gone)) = self.kept.pop_front() else {
                    break;
                };
                self.kept_bytes -= gone.json.len();
            }
        }
        Some((message, live))
    }

    fn by_token(&self, raw: &[u8], is_shared: bool) -> Option<u64> {
        if is_shared {
            let number = std::str::from_utf8(raw).ok()?.parse().ok()?;
            return self.open.contains_key(&number).then_some(number);
        }
        let mut open = self.open.iter();
        let found = open.find(|(_, stream)| stream.tokens.iter().any(|token| **token == *raw));
        found.map(|(number, _)| *number)
    }
}

/// The stream that a notification names.
fn named_stream(
    line: &[u8],
    view: &View,
    by_id: impl Fn(&RequestId) -> Option<u64>,
    by_token: impl Fn(&[u8]) -> Option<u64>,
) -> Option<u64> {
    let params = &line[view.params.clone()?];
    let [token, meta] = json::members(params, ["progressToken", "_meta"]);
    if let Some(number) = token.and_then(|span| by_token(&params[span])) {
        return Some(number);
    }
    let meta = &params[meta?];
    let [id] = json::members(meta, [SUBSCRIPTION]);
    by_id(&RequestId::parse(&meta[id?])?)
}

/// The progress token of a request, as spelled.
fn token(frame: &[u8], view: &View) -> Option<Box<[u8]>> {
    let params = &frame[view.params.clone()?];
    let [meta] = json::members(params, ["_meta"]);
    let meta = &params[meta?];
    let [token] = json::members(meta, ["progressToken"]);
    Some(meta[token?].into())
}

/// A request with a number in the place of its id and of its progress token.
pub(super) fn renumbered(frame: &[u8], number: u64) -> Option<Vec<u8>> {
    let Frame::Message(view) = Frame::read(frame) else {
        return None;
    };
    let number = number.to_string();
    let mut edits = vec![(view.id.clone()?, number.as_bytes())];
    if let Some(params) = view.params.clone() {
        let [meta] = json::members(&frame[params.clone()], ["_meta"]);
        if let Some(meta) = meta {
            let start = params.start + meta.start;
            let [token] = json::members(&frame[start..params.start + meta.end], ["progressToken"]);
            edits.extend(
                token.map(|span| (start + span.start..start + span.end, number.as_bytes())),
            );
        }
    }
    Some(replace(frame, edits))
}

fn replace(bytes: &[u8], mut edits: Vec<(json::Span, &[u8])>) -> Vec<u8> {
    edits.sort_by_key(|(span, _)| span.start);
    let (mut out, mut copied) = (Vec::with_capacity(bytes.len()), 0);
    for (span, new) in edits {
        out.extend_from_slice(&bytes[copied..span.start]);
        out.extend_from_slice(new);
        copied = span.end;
    }
    out.extend_from_slice(&bytes[copied..]);
    out
}

fn views(line: &[u8]) -> Vec<View> {
    match Frame::read(line) {
        Frame::Message(view) => vec![view],
        Frame::Batch(mut views) => {
            views.retain(|view| line[view.whole.start] == b'{');
            views
        }
        Frame::Opaque => Vec::new(),
    }
}

/// A line without carriage returns: they end lines of a stream of events.
fn on_one_line(line: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\r', line).is_none() {
        return Cow::Borrowed(line);
    }
    let line = line.iter().map(|byte| match byte {
        b'\r' => b' ',
        other => *other,
    });
    Cow::Owned(line.collect())
}

/// The requests that a line answers.
fn views_answered(line: &[u8]) -> Vec<RequestId> {
    let views = views(line);
    let answers = views
        .iter()
        .filter(|view| view.is_answer() || view.method.is_none());
    let ids = answers.filter_map(|view| RequestId::parse(&line[view.id.clone()?]));
    // The reference clients take an answer to `"1"` for one to `1`.
    ids.flat_map(|id| [id.unquoted(), Some(id)])
        .flatten()
        .collect()
}
