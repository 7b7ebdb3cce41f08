//! Bodies of requests: how large they are, how long they take to arrive, and how much of them is held at a time.

use super::access::Caller;
use crate::policy::{ServeLimit, ServeLimits};
use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use http_body_util::BodyExt;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The largest request that is read, and what one caller may have arriving and unanswered at a time: 64 MB of content,
/// and what is around it.
pub(super) const REQUEST_BYTES: usize = 96 << 20;

/// A body up to this size always has a place: each connection has such a buffer anyway.
const SMALL_BYTES: usize = 16 << 10;

/// Room is taken in pieces of this size.
const PIECE_BYTES: usize = 64 << 10;

/// Bodies that are held.
pub(super) struct Bodies {
    most: usize,
    time: Duration,
    held: Arc<Mutex<Sums>>,
}

#[derive(Default)]
struct Sums {
    all: usize,
    by_caller: HashMap<Caller, usize>,
}

/// A body that has arrived. Its room is given back when this is dropped.
pub(super) struct Arrived {
    pub(super) bytes: Bytes,
    _room: Room,
}

struct Room {
    caller: Caller,
    bytes: usize,
    sums: Arc<Mutex<Sums>>,
}

/// Why a body is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    TooLarge,
    TooSlow,
    NoRoom,
    /// Nobody is there any more to be told.
    BrokeOff,
}

impl Bodies {
    pub(super) fn new(limits: &ServeLimits) -> Bodies {
        Bodies {
            most: limits.count(ServeLimit::Bodies),
            time: limits.time(ServeLimit::RequestTime),
            held: Arc::default(),
        }
    }

    /// Reads a body, which said of itself that it is this long.
    pub(super) async fn read(
        &self,
        caller: &Caller,
        mut body: Body,
        said: Option<usize>,
    ) -> Result<Arrived, Unread> {
        if said.is_some_and(|bytes| bytes > REQUEST_BYTES) {
            return Err(Unread::TooLarge);
        }
        let deadline = Instant::now() + self.time;
        let mut room = Room {
            caller: caller.clone(),
            bytes: 0,
            sums: Arc::clone(&self.held),
        };
        // Most bodies are one piece, which need not be copied.
        let (mut first, mut rest) = (Bytes::new(), Vec::new());
        loop {
            let frame = timeout_at(deadline, body.frame()).await;
            let piece = match frame.map_err(|_| Unread::TooSlow)? {
                None => break,
                Some(Err(_)) => return Err(Unread::BrokeOff),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(piece) => piece,
                    Err(_) => continue,
                },
            };
            let so_far = first.len() + rest.len();
            if so_far + piece.len() > REQUEST_BYTES {
                return Err(Unread::TooLarge);
            }
            room.grow(so_far + piece.len(), self.most)?;
            if so_far == 0 {
                first = piece;
                continue;
            }
            if rest.is_empty() {
                rest.extend_from_slice(&std::mem::take(&mut first));
            }
            reserve(&mut rest, piece.len(), said);
            rest.extend_from_slice(&piece);
        }
        Ok(Arrived {
            bytes: if rest.is_empty() { first } else { rest.into() },
            _room: room,
        })
    }

    /// No body.
    pub(super) fn none(&self, caller: &Caller) -> Arrived {
        Arrived {
            bytes: Bytes::new(),
            _room: Room {
                caller: caller.clone(),
                bytes: 0,
                sums: Arc::clone(&self.held),
            },
        }
    }
}

/// Makes room for more: twice as much as there was, and no more than the whole body takes.
fn reserve(buffer: &mut Vec<u8>, more: usize, said: Option<usize>) {
    let needed = buffer.len() + more;
    if needed <= buffer.capacity() {
        return;
    }
    let whole = said.filter(|said| *said >= needed).unwrap_or(REQUEST_BYTES);
    let target = (2 * buffer.capacity()).min(whole).max(needed);
    buffer.reserve_exact(target - buffer.len());
}

impl Room {
    /// Takes room for a body that is this long by now.
    fn grow(&mut self, to: usize, most: usize) -> Result<(), Unread> {
        if to <= self.bytes.max(SMALL_BYTES) {
            return Ok(());
        }
        let to = to.next_multiple_of(PIECE_BYTES);
        let more = to - self.bytes;
        let mut sums = lock(&self.sums);
        let own = sums.by_caller.get(&self.caller).copied().unwrap_or(0);
        if sums.all + more > most || own + more > REQUEST_BYTES.next_multiple_of(PIECE_BYTES) {
            return Err(Unread::NoRoom);
        }
        sums.all += more;
        *sums.by_caller.entry(self.caller.clone()).or_default() += more;
        drop(sums);
        self.bytes = to;
        Ok(())
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut sums = lock(&self.sums);
        sums.all -= self.bytes;
        if let Some(own) = sums.by_caller.get_mut(&self.caller) {
            *own -= self.bytes;
            if *own == 0 {
                sums.by_caller.remove(&self.caller);
            }
        }
    }
}

impl Unread {
    pub(super) fn status(self) -> StatusCode {
        match self {
            Unread::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Unread::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Unread::NoRoom => StatusCode::SERVICE_UNAVAILABLE,
            Unread::BrokeOff => StatusCode::BAD_REQUEST,
        }
    }

    pub(super) fn message(self) -> String {
        match self {
            Unread::TooLarge => format!("the request is larger than {} MiB", REQUEST_BYTES >> 20),
            Unread::TooSlow => "the request did not arrive in time".to_owned(),
            Unread::NoRoom => {
                "too many large requests arrive at the same time: send this one again later"
                    .to_owned()
            }
            Unread::BrokeOff => "the request broke off".to_owned(),
        }
    }
}

fn lock(sums: &Mutex<Sums>) -> MutexGuard<'_, Sums> {
    // Never half changed.
    sums.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_held_has_a_bound_for_each_caller_and_for_all() {
        let bodies = Bodies::new(&ServeLimits::default());
        let [one, other] = ["one", "other"].map(|name| Caller::Client(name.into()));
        let large = || Body::from(vec![b' '; 80 << 20]);
        let first = bodies.read(&one, large(), None).await.expect("it fits");
        assert_eq!(first.bytes.len(), 80 << 20);
        for caller in [&one, &other] {
            let refused = bodies.read(caller, large(), None).await;
            assert_eq!(refused.err(), Some(Unread::NoRoom));
            let small = bodies.read(caller, Body::from("{}"), None).await;
            assert_eq!(small.map(|it| it.bytes.len()).ok(), Some(2));
        }
        drop(first);
        assert!(bodies.read(&other, large(), None).await.is_ok());
        assert_eq!(lock(&bodies.held).all, 0);
        assert!(lock(&bodies.held).by_caller.is_empty());
    }
}
