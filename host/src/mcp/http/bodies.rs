//! Bodies of requests: their size, the time they take to arrive, and the amount held at a time.

use super::access::Caller;
use super::room::{self, NoRoom, Room, Rooms};
use crate::policy::{ServeLimit, ServeLimits};
use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use std::time::Duration;
use tokio::time::timeout;

/// The largest request that is read, and the most that one caller may have arriving and unanswered at a time: 64
/// MB of content, and the text around it.
pub(super) const REQUEST_BYTES: usize = 96 << 20;

/// Memory for each message of a batch in addition to its bytes, until it is answered.
const MESSAGE_BYTES: usize = 1 << 10;

/// The bodies in memory.
pub(super) struct Bodies {
    rooms: Rooms,
    time: Duration,
}

/// A body that has arrived, and its counted memory.
pub(super) struct Arrived {
    pub(super) bytes: Bytes,
    pub(super) room: Room,
}

/// Why a body is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    TooSlow,
    /// The body is too large, memory for it is not available, or the client has left.
    Because(room::Unread),
}

impl Bodies {
    pub(super) fn new(limits: &ServeLimits) -> Bodies {
        Bodies {
            rooms: Rooms::new(limits.count(ServeLimit::Bodies), REQUEST_BYTES),
            time: limits.time(ServeLimit::RequestTime),
        }
    }

    /// Reads a body whose headers gave this length.
    pub(super) async fn read(
        &self,
        caller: &Caller,
        body: Body,
        length: Option<usize>,
    ) -> Result<Arrived, Unread> {
        let mut room = self.rooms.room(caller);
        let read = room::read(body, &mut room, REQUEST_BYTES, length);
        let read = timeout(self.time, read).await;
        let bytes = read.map_err(|_| Unread::TooSlow)?;
        let bytes = bytes.map_err(Unread::Because)?;
        Ok(Arrived { bytes, room })
    }

    /// The arrival of an empty body.
    pub(super) fn none(&self, caller: &Caller) -> Arrived {
        Arrived {
            bytes: Bytes::new(),
            room: self.rooms.room(caller),
        }
    }
}

impl Arrived {
    /// Counts memory for so many messages, too.
    pub(super) fn grow(&mut self, messages: usize) -> Result<(), Unread> {
        let grown = self
            .room
            .resize(self.bytes.len() + messages * MESSAGE_BYTES);
        grown.map_err(|NoRoom| Unread::Because(room::Unread::NoRoom))
    }
}

impl Unread {
    pub(super) fn status(self) -> StatusCode {
        match self {
            Unread::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Unread::Because(room::Unread::TooLarge) => StatusCode::PAYLOAD_TOO_LARGE,
            Unread::Because(room::Unread::NoRoom) => StatusCode::SERVICE_UNAVAILABLE,
            Unread::Because(room::Unread::BrokeOff) => StatusCode::BAD_REQUEST,
        }
    }

    pub(super) fn message(self) -> String {
        match self {
            Unread::TooSlow => "the request did not arrive in time".to_owned(),
            Unread::Because(room::Unread::TooLarge) => {
                format!("the request is larger than {} MiB", REQUEST_BYTES >> 20)
            }
            Unread::Because(room::Unread::NoRoom) => {
                "too many large requests are held at the same time: send this one again later"
                    .to_owned()
            }
            Unread::Because(room::Unread::BrokeOff) => "the request broke off".to_owned(),
        }
    }
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
            let no_room = Unread::Because(room::Unread::NoRoom);
            assert_eq!(refused.err(), Some(no_room));
            let small = bodies.read(caller, Body::from("{}"), None).await;
            assert_eq!(small.map(|body| body.bytes.len()).ok(), Some(2));
        }
        drop(first);
        let mut second = bodies.read(&other, large(), None).await.expect("it fits");
        assert!(second.grow(1000).is_ok());
        assert!(second.grow(20_000).is_err(), "messages of a batch count");
    }
}
