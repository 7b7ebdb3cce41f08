//! A stream of events from the upstream, on its way to the client: an event at a time.

use super::events::{Event, Events};
use super::exchange::{Exchange, Made, closes, unreadable};
use super::room::{self, Room, in_rooms};
use super::turns::block_if_large;
use axum::body::{Body, Bytes, HttpBody};
use http_body_util::BodyExt;
use hyper::body::Frame;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc::{self, Receiver, Sender};

/// The largest answer, or event of a stream, on which a chain runs: the most that the store accepts. If a chain
/// hides content, an error replaces a larger answer; otherwise a larger answer passes unchanged.
pub(super) const FILTERED_BYTES: usize = 256 << 20;

/// Most pieces of a stream that wait for a client that reads slowly. Then the upstream waits.
const WAITING_PIECES: usize = 4;

/// Most messages of Tamis that wait for a stream.
const WAITING_NOTICES: usize = 16;

/// The upstream's stream, event by event.
pub(super) fn body(exchange: Exchange, upstreams: reqwest::Body) -> Body {
    let (out, pieces) = mpsc::channel(WAITING_PIECES);
    tokio::spawn(async move {
        let cut_off = Stream {
            room: exchange.answer_room(),
            exchange,
            out: out.clone(),
            lost_some: false,
        }
        .run(upstreams)
        .await;
        if let Err(error) = cut_off {
            // The client must see that this was not the end.
            let _ = out.send(Err(error)).await;
        }
    });
    Body::new(Pieces(pieces))
}

/// A stream of events from the upstream to the client.
struct Stream {
    exchange: Exchange,
    out: Sender<io::Result<Bytes>>,
    /// Something that came could not be read, and did not go on: it may have been the answer.
    lost_some: bool,
    /// The counted memory of the event whose end has not arrived.
    room: Room,
}

/// The client has left.
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
            let unfinished = events.unfinished().len();
            if unfinished > FILTERED_BYTES {
                let why = "an event of the upstream server's is too large to be looked at";
                return self.end(why, true).await;
            }
            if self.room.resize(unfinished).is_err() {
                return self.end(room::NO_ROOM, true).await;
            }
        };
        match broke {
            // After a break a client can resume, if an event had an id.
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

    /// Forwards complete events, changed by the policy if necessary.
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
                && block_if_large(data.len(), || unreadable(data)).is_some()
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

    /// Ends a stream that cannot continue: waiting requests are answered by an error.
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
        let mut room = self.room.another();
        room.hold(bytes.len());
        let piece = in_rooms(bytes, [room]);
        self.out.send(Ok(piece)).await.map_err(|_| Gone)
    }
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
