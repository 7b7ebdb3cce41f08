//! Sorts a process's output into the streams of the clients that wait for it.
//!
//! Over standard output all messages come one after the other. Over HTTP each message belongs to the answer of a
//! request, or to the stream that a client keeps open. An answer names its request, progress names its token. A
//! message that names neither goes to the latest request, since most servers work on one at a time.
//!
//! An answer that cannot be read, or that readers could differ over, becomes an error for the request that it
//! seems to answer (`lost`).
//!
//! Recent messages are stored, so that a client whose connection broke can resume its stream.

use super::lines::{answered, is_answer, named_stream, on_one_line, seems_to_answer, token};
use super::lost::Request;
use super::state::{STANDING, State, Stream};
use crate::json;
use crate::lock::lock;
use crate::mcp::doubt;
use crate::mcp::frame::{Frame, MessageView, RequestId};
use crate::mcp::http::room::Room;
use crate::mcp::http::turns::{self, Lane, block_if_large};
use crate::mcp::relay::{FromUpstream, Relay};
use crate::mcp::rewriter::Rewriter;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::mpsc::{self, Receiver};
use tokio::time::Instant;

pub(in crate::mcp::http) use super::state::Message;

/// Most messages that wait for a client that reads slowly. Then the process waits.
const WAITING: usize = 64;

/// A client that reads nothing for this time has left; the stored messages wait for it.
const PATIENCE: Duration = Duration::from_secs(30);

/// The streams of one process.
pub(in crate::mcp::http) struct Streams {
    state: Mutex<State>,
    relay: Arc<Relay<Rewriter>>,
    /// The line in which results wait for their filters.
    lane: Arc<Lane>,
    /// Whether requests of several clients share the process, so that Tamis assigns the ids.
    pub(in crate::mcp::http) is_shared: bool,
    /// The counted memory of messages.
    answers: Room,
}

/// The purpose of a new stream.
pub(in crate::mcp::http) struct Opening<'r> {
    /// The relay that has noted the requests.
    pub(in crate::mcp::http) relay: Arc<Relay<Rewriter>>,
    pub(in crate::mcp::http) body: &'r [u8],
    pub(in crate::mcp::http) frame: &'r Frame,
    /// The requests in the stream.
    pub(in crate::mcp::http) waiting: Vec<RequestId>,
    /// The policy must look at the answers.
    pub(in crate::mcp::http) is_bound: bool,
    /// The counted memory of several requests.
    pub(in crate::mcp::http) room: Option<Arc<Room>>,
}

/// A request's stream. When it is dropped, its client no longer reads.
pub(in crate::mcp::http) struct Reading {
    pub(in crate::mcp::http) number: u64,
    /// The number of the stream's messages before these.
    pub(in crate::mcp::http) after: u64,
    pub(in crate::mcp::http) messages: Receiver<Message>,
}

impl Streams {
    /// `answers`: memory of messages that wait for a client; `kept`: memory of messages stored for a client that
    /// reconnects.
    pub(in crate::mcp::http) fn new(
        relay: Arc<Relay<Rewriter>>,
        lane: Arc<Lane>,
        is_shared: bool,
        answers: Room,
        kept: Room,
    ) -> Streams {
        let standing = Stream::new(Arc::clone(&relay), Vec::new(), None);
        Streams {
            state: Mutex::new(State::new(standing, kept)),
            relay,
            lane,
            is_shared,
            answers,
        }
    }

    /// Counted memory for the process's output.
    pub(super) fn answer_room(&self) -> Room {
        self.answers.another()
    }

    /// Opens a stream for the answers to a frame's requests. None: the process has ended.
    pub(in crate::mcp::http) fn open(&self, opening: Opening<'_>) -> Option<Reading> {
        let (live, messages) = mpsc::channel(WAITING);
        let (body, views) = (opening.body, opening.frame.views());
        let id = views.first().and_then(|view| view.id.clone());
        let mut stream = Stream::new(opening.relay, opening.waiting, opening.room);
        stream.spelled = id.map(|id| body[id].into());
        stream.tokens = views.iter().filter_map(|view| token(body, view)).collect();
        stream.live = Some(live);
        stream.is_bound = opening.is_bound;
        let mut state = self.state();
        if state.ended {
            return None;
        }
        Some(Reading {
            number: state.add(stream),
            after: 0,
            messages,
        })
    }

    /// Removes a stream whose requests the process did not get.
    pub(in crate::mcp::http) fn withdraw(&self, number: u64) {
        self.state().remove(number);
    }

    /// Opens the client's standing stream, in place of an earlier one.
    pub(in crate::mcp::http) fn stand(&self) -> Option<Reading> {
        self.resume(STANDING, None)
    }

    /// Resumes a stream after the last event that a client saw.
    pub(in crate::mcp::http) fn resume_after(&self, event: &str) -> Option<Reading> {
        let (stream, sent) = event.split_once('-')?;
        self.resume(stream.parse().ok()?, Some(sent.parse().ok()?))
    }

    fn resume(&self, number: u64, after: Option<u64>) -> Option<Reading> {
        let mut state = self.state();
        if state.ended {
            return None;
        }
        let (after, missed) = state.missed(number, after);
        let (live, messages) = mpsc::channel(WAITING + missed.len());
        for message in missed {
            // The channel has room for all.
            let _ = live.try_send(message);
        }
        state.listen(number, live);
        Some(Reading {
            number,
            after,
            messages,
        })
    }

    /// Notes that no client reads from a stream. `room`: for a client that may reconnect. Returns the id for
    /// telling the process to stop its work; none: all requests are answered, or the process continues.
    pub(in crate::mcp::http) fn abandon(&self, number: u64, room: Option<Room>) -> Option<u64> {
        let mut state = self.state();
        let may_come_back = room.is_some();
        let gone = match room {
            Some(room) => state.leave(number, room),
            None if number == STANDING => None,
            None => state.remove(number),
        };
        drop(state);
        let gone = gone?;
        if may_come_back && !gone.waiting.is_empty() {
            tracing::info!(
                "a client has gone, and does not come back in time: its answer is given up"
            );
        }
        gone.relay.forget(gone.waiting.clone());
        (self.is_shared && !gone.waiting.is_empty()).then_some(number)
    }

    /// Handles a line that the process wrote.
    pub(super) async fn line(self: &Arc<Self>, line: &[u8]) {
        let line = on_one_line(line.trim_ascii());
        let line = &*line;
        match block_if_large(line.len(), || Frame::read(line)) {
            Frame::Message(view) => self.message(line, &view).await,
            // Each is for whom it is for.
            Frame::Batch(views) => {
                for view in views {
                    let message = &line[view.whole];
                    match block_if_large(message.len(), || Frame::read(message)) {
                        Frame::Message(view) => self.message(message, &view).await,
                        _ => self.lost(message, "cannot be read").await,
                    }
                }
            }
            Frame::Opaque if line.is_empty() => {}
            Frame::Opaque => self.lost(line, "cannot be read").await,
        }
        self.tell_those_who_lost().await;
    }

    async fn message(self: &Arc<Self>, line: &[u8], view: &MessageView) {
        let Some((number, relay, is_bound)) = self.destination(line, view) else {
            if is_answer(view) {
                self.lost(line, "does not say what it answers").await;
            }
            return;
        };
        let restored = match self.is_shared {
            true => self.state().restored(line, view, number),
            false => None,
        };
        let frame;
        let (line, view) = match &restored {
            None => (line, view),
            Some(restored) => {
                frame = Frame::read(restored);
                (&**restored, frame.views().first().unwrap_or(view))
            }
        };
        let answers = answered(line, view);
        if is_bound && !answers.is_empty() {
            let frame = Frame::Message(view.clone());
            let doubt = block_if_large(line.len(), || doubt::unreadable(line, &frame));
            if let Some(doubt) = doubt {
                return self.fail(number, &answers, &withheld(doubt.why())).await;
            }
        }
        let json = match block_if_large(line.len(), || relay.from_upstream(line)) {
            FromUpstream::Forward => line.to_vec(),
            FromUpstream::Rewrite(job) => match self.lane.run(job).await {
                Ok(made) => made,
                Err(turns::Busy) => match turns::errors(line, false, turns::BUSY) {
                    Some(errors) => errors,
                    None => return,
                },
            },
            FromUpstream::Refused(refused) => {
                if refused.requests.is_empty() && !answers.is_empty() {
                    self.lost(line, refused.doubt.why()).await;
                }
                for (id, error) in refused.requests.iter().zip(refused.errors) {
                    let to = match self.is_shared {
                        true => number,
                        false => self.state().by_id(id, false).unwrap_or(number),
                    };
                    self.deliver(to, error, std::slice::from_ref(id)).await;
                }
                return;
            }
        };
        self.deliver(number, json, &answers).await;
    }

    /// Handles a lost answer: all of it, or all but its beginning. Its client is told.
    pub(super) async fn lost(self: &Arc<Self>, line: &[u8], why: &str) {
        let Some(ids) = block_if_large(line.len(), || seems_to_answer(line)) else {
            tracing::debug!("the upstream server wrote a line that is no message");
            return;
        };
        if ids.is_empty() {
            tracing::warn!("an answer of the upstream server {why}: it is withheld");
            self.note_lost();
            return;
        }
        for id in ids {
            let found: Option<(u64, Vec<RequestId>)> = {
                let state = self.state();
                state.by_id(&id, self.is_shared).map(|number| {
                    let waiting = state.open.get(&number).map(|stream| stream.waiting.clone());
                    (number, waiting.unwrap_or_default())
                })
            };
            if let Some((number, waiting)) = found {
                tracing::warn!("an answer of the upstream server {why}: it is withheld");
                let of_it = if self.is_shared { waiting } else { vec![id] };
                self.fail(number, &of_it, &withheld(why)).await;
            }
        }
    }

    /// Notes that a waiting request has lost its answer.
    fn note_lost(self: &Arc<Self>) {
        let mut guard = self.state();
        let state = &mut *guard;
        let waiting: Vec<Request> = state.waiting().collect();
        let until = state.lost.note(waiting.into_iter(), Instant::now());
        drop(guard);
        if let Some(until) = until {
            let streams = Arc::downgrade(self);
            tokio::spawn(async move {
                tokio::time::sleep_until(until).await;
                if let Some(streams) = streams.upgrade() {
                    streams.tell_those_who_lost().await;
                }
            });
        }
    }

    /// Sends an error to each client that will get no answer.
    async fn tell_those_who_lost(&self) {
        loop {
            let gone = self.state().lost.take(Instant::now());
            if gone.is_empty() {
                return;
            }
            for (number, id) in gone {
                let why = "the upstream server sent an answer that cannot be read, or does not say what it answers; it may have been the one to this request";
                self.fail(number, &[id], why).await;
            }
        }
    }

    /// Answers these requests of a stream with an error.
    async fn fail(&self, number: u64, ids: &[RequestId], why: &str) {
        let relay = self.relay_of(number);
        for id in ids {
            let id = std::slice::from_ref(id);
            for error in relay.give_up(id, why) {
                self.deliver(number, error, id).await;
            }
        }
    }

    fn relay_of(&self, number: u64) -> Arc<Relay<Rewriter>> {
        let state = self.state();
        let stream = state.open.get(&number);
        Arc::clone(stream.map_or(&self.relay, |stream| &stream.relay))
    }

    /// Sends a message of Tamis on a stream.
    pub(super) async fn say(&self, number: u64, json: Vec<u8>) {
        self.deliver(number, json, &[]).await;
    }

    /// The messages for clients after another policy came into force.
    pub(super) fn tools_changed(&self) -> Vec<(u64, Vec<u8>)> {
        if !self.is_shared {
            let all = self.relay.tools_changed().into_iter();
            return all.map(|notice| (STANDING, notice)).collect();
        }
        let streams: Vec<_> = {
            let state = self.state();
            let live = state
                .open
                .iter()
                .filter(|(_, stream)| stream.live.is_some());
            live.map(|(number, stream)| (*number, Arc::clone(&stream.relay)))
                .collect()
        };
        let notices = streams.into_iter().flat_map(|(number, relay)| {
            let notices = relay.tools_changed().into_iter();
            notices.map(move |notice| (number, notice))
        });
        notices.collect()
    }

    /// Notes that the process has ended: waiting requests are answered by an error, and no more messages come.
    pub(in crate::mcp::http) async fn end(&self, why: &str) {
        let waiting: Vec<Request> = {
            let mut state = self.state();
            state.ended = true;
            state.waiting().collect()
        };
        for (number, id) in waiting {
            self.fail(number, &[id], why).await;
        }
        self.state().clear();
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state().ended
    }

    /// The stream that a message belongs to, and whether the policy must look at its answers.
    fn destination(
        &self,
        line: &[u8],
        view: &MessageView,
    ) -> Option<(u64, Arc<Relay<Rewriter>>, bool)> {
        let state = self.state();
        let by_id = |id: &RequestId| state.by_id(id, self.is_shared);
        let number = if is_answer(view) {
            answered(line, view).iter().rev().find_map(by_id)?
        } else {
            let method = view.method.clone();
            let method = method.and_then(|span| json::text(&line[span]));
            let method = method.unwrap_or_default();
            let by_token = |token: &[u8]| state.by_token(token, self.is_shared);
            let named = named_stream(line, view, by_id, by_token);
            let is_of_request = view.id.is_some()
                || matches!(&*method, "notifications/message" | "notifications/progress");
            let standing = (!self.is_shared).then_some(STANDING);
            match named {
                Some(number) => number,
                None if is_of_request => state.newest().or(standing)?,
                None => standing?,
            }
        };
        let stream = state.open.get(&number);
        let relay = stream.map_or(&self.relay, |stream| &stream.relay);
        let is_bound = stream.is_some_and(|stream| stream.is_bound);
        Some((number, Arc::clone(relay), is_bound))
    }

    async fn deliver(&self, number: u64, json: Vec<u8>, answered: &[RequestId]) {
        let mut room = self.answer_room();
        room.hold(json.len());
        let (live, message) = {
            let mut state = self.state();
            let Some((mut message, live)) =
                state.keep(number, json.into(), answered, !self.is_shared)
            else {
                return;
            };
            message.room = Some(Arc::new(room));
            if message.is_last {
                state.remove(number);
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
        lock(&self.state)
    }
}

fn withheld(why: &str) -> String {
    format!("the upstream server's answer {why}, so it is withheld")
}
