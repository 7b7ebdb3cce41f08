//! The table of streams of a process: which are open, which requests wait in them, and which messages are stored
//! for them.

use super::backlog::Backlog;
use super::lines;
use super::lost::{Lost, Request};
use crate::mcp::frame::RequestId;
use crate::mcp::http::room::{Room, SMALL_BYTES};
use crate::mcp::relay::Relay;
use crate::mcp::rewriter::Rewriter;
use axum::body::Bytes;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc::Sender;

/// The stream that a client keeps open for messages without a request.
pub(super) const STANDING: u64 = 0;

/// Streams whose clients left before all requests were answered, and may reconnect. The oldest is dropped for a
/// new one.
const LEFT_KEPT: usize = 64;

/// A message on its way to a client.
#[derive(Clone)]
pub(in crate::mcp::http) struct Message {
    /// JSON on one line.
    pub(in crate::mcp::http) json: Bytes,
    /// The id from which a client resumes after this message.
    pub(in crate::mcp::http) event: String,
    /// The message is the last on its stream.
    pub(in crate::mcp::http) is_last: bool,
    /// Its counted memory until the client has it.
    pub(in crate::mcp::http) room: Option<Arc<Room>>,
}

pub(super) struct State {
    next: u64,
    pub(super) open: BTreeMap<u64, Stream>,
    /// Streams without a reader, oldest first.
    left: VecDeque<u64>,
    kept: Backlog,
    pub(super) lost: Lost,
    pub(super) ended: bool,
}

pub(super) struct Stream {
    pub(super) relay: Arc<Relay<Rewriter>>,
    /// Requests without an answer.
    pub(super) waiting: Vec<RequestId>,
    /// The policy must look at the answers.
    pub(super) is_bound: bool,
    /// The id as the client spelled it, if the process knows another.
    pub(super) spelled: Option<Box<[u8]>>,
    /// Progress tokens: as the client spelled them.
    pub(super) tokens: Vec<Box<[u8]>>,
    /// Messages, so far.
    sent: u64,
    /// The number of messages that a client received.
    heard: u64,
    pub(super) live: Option<Sender<Message>>,
    /// The counted memory of its requests: the clients' room, if they are several.
    _room: Option<Arc<Room>>,
    /// Their counted memory after the client has left.
    left_room: Option<Room>,
}

impl Stream {
    pub(super) fn new(
        relay: Arc<Relay<Rewriter>>,
        waiting: Vec<RequestId>,
        room: Option<Arc<Room>>,
    ) -> Stream {
        Stream {
            relay,
            waiting,
            is_bound: false,
            spelled: None,
            tokens: Vec::new(),
            sent: 0,
            heard: 0,
            live: None,
            _room: room,
            left_room: None,
        }
    }
}

impl State {
    /// `kept_room`: counts the memory of stored messages.
    pub(super) fn new(standing: Stream, kept_room: Room) -> State {
        State {
            next: STANDING + 1,
            open: BTreeMap::from([(STANDING, standing)]),
            left: VecDeque::new(),
            kept: Backlog::new(kept_room),
            lost: Lost::default(),
            ended: false,
        }
    }

    /// Opens a stream.
    pub(super) fn add(&mut self, stream: Stream) -> u64 {
        let number = self.next;
        self.next += 1;
        self.open.insert(number, stream);
        number
    }

    /// Closes a stream.
    pub(super) fn remove(&mut self, number: u64) -> Option<Stream> {
        let stream = self.open.remove(&number)?;
        self.left.retain(|left| *left != number);
        for id in &stream.waiting {
            self.lost.settle(&(number, id.clone()));
        }
        Some(stream)
    }

    /// Ends all streams: no message comes, and no client reconnects.
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.left.clear();
        self.kept.clear();
    }

    /// Notes that a client left, and may reconnect. Returns the stream that is dropped to make space.
    pub(super) fn leave(&mut self, number: u64, mut room: Room) -> Option<Stream> {
        let stream = self.open.get_mut(&number)?;
        if number == STANDING || stream.live.as_ref().is_some_and(|live| !live.is_closed()) {
            return None;
        }
        if stream.waiting.is_empty() || room.keep(SMALL_BYTES).is_err() {
            return self.remove(number);
        }
        stream.left_room = Some(room);
        self.left.retain(|left| *left != number);
        self.left.push_back(number);
        let oldest = (self.left.len() > LEFT_KEPT).then(|| self.left[0])?;
        self.remove(oldest)
    }

    /// Resumes a stream that a client left: the messages after this one, or after those that the client
    /// received.
    pub(super) fn missed(&mut self, number: u64, after: Option<u64>) -> (u64, Vec<Message>) {
        let heard = self.open.get(&number).map_or(0, |stream| stream.heard);
        let after = after.unwrap_or(heard);
        (after, self.kept.after(number, after))
    }

    /// Notes that a client listens to a stream.
    pub(super) fn listen(&mut self, number: u64, live: Sender<Message>) {
        self.left.retain(|left| *left != number);
        if let Some(stream) = self.open.get_mut(&number) {
            stream.heard = stream.sent;
            stream.left_room = None;
            stream.live = Some(live);
        }
    }

    /// All requests without an answer.
    pub(super) fn waiting(&self) -> impl Iterator<Item = Request> {
        let streams = self.open.iter();
        streams.flat_map(|(number, stream)| {
            let ids = stream.waiting.iter();
            ids.map(|id| (*number, id.clone()))
        })
    }

    /// Notes a message of a stream, and the requests that it answers. Returns the client that hears it, if any.
    /// `kept`: store it for a client that reconnects.
    pub(super) fn keep(
        &mut self,
        number: u64,
        json: Bytes,
        answered: &[RequestId],
        is_kept: bool,
    ) -> Option<(Message, Option<Sender<Message>>)> {
        let stream = self.open.get_mut(&number)?;
        let before = stream.waiting.len();
        stream.waiting.retain(|id| !answered.contains(id));
        for id in answered {
            self.lost.settle(&(number, id.clone()));
        }
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
            room: None,
        };
        if is_kept {
            self.kept.keep(number, sent, message.clone());
        }
        Some((message, live))
    }

    /// The stream that waits for an answer with this id.
    pub(super) fn by_id(&self, id: &RequestId, is_shared: bool) -> Option<u64> {
        if is_shared {
            let RequestId::Integer(number) = id else {
                return None;
            };
            let number = u64::try_from(*number).ok();
            return number.filter(|number| self.open.contains_key(number));
        }
        let mut open = self.open.iter();
        open.find(|(_, stream)| stream.waiting.contains(id))
            .map(|(number, _)| *number)
    }

    /// The stream whose progress this token names.
    pub(super) fn by_token(&self, raw: &[u8], is_shared: bool) -> Option<u64> {
        if is_shared {
            let number = std::str::from_utf8(raw).ok()?.parse().ok()?;
            return self.open.contains_key(&number).then_some(number);
        }
        let mut open = self.open.iter();
        let found = open.find(|(_, stream)| stream.tokens.iter().any(|token| **token == *raw));
        found.map(|(number, _)| *number)
    }

    /// The stream that was opened last, of those in which requests wait.
    pub(super) fn newest(&self) -> Option<u64> {
        let mut open = self.open.iter().rev();
        let newest =
            open.find(|(number, stream)| **number != STANDING && !stream.waiting.is_empty());
        newest.map(|(number, _)| *number)
    }

    /// The message with the id and the progress token that the client gave, where the process knows others.
    pub(super) fn restored(
        &self,
        line: &[u8],
        view: &crate::mcp::frame::MessageView,
        number: u64,
    ) -> Option<Vec<u8>> {
        let stream = self.open.get(&number)?;
        let own_token = stream.tokens.first().map(|token| &**token);
        lines::restored(line, view, stream.spelled.as_deref(), own_token)
    }
}
