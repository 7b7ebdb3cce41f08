//! Recent messages, stored for a client whose connection broke: the newest, up to a bound on their number, their
//! bytes, and the caller's memory.

use super::state::Message;
use crate::mcp::http::room::Room;
use std::collections::VecDeque;

/// The most messages of all streams of a session.
const MESSAGES: usize = 256;
const BYTES: usize = 8 << 20;

pub(super) struct Backlog {
    /// Oldest first: stream, number in it, message.
    messages: VecDeque<(u64, u64, Message)>,
    bytes: usize,
    /// Their counted memory.
    room: Room,
}

impl Backlog {
    pub(super) fn new(room: Room) -> Backlog {
        Backlog {
            messages: VecDeque::new(),
            bytes: 0,
            room,
        }
    }

    /// Stores a message, the `sent`-th of a stream, and drops the oldest messages that no longer fit.
    pub(super) fn keep(&mut self, stream: u64, sent: u64, message: Message) {
        self.bytes += message.json.len();
        self.messages.push_back((stream, sent, message));
        while self.is_over() {
            let Some((_, _, gone)) = self.messages.pop_front() else {
                break;
            };
            self.bytes -= gone.json.len();
        }
    }

    fn is_over(&mut self) -> bool {
        self.messages.len() > MESSAGES
            || self.bytes > BYTES
            || self.room.resize(self.bytes).is_err()
    }

    /// The messages of a stream that were sent after that one.
    pub(super) fn after(&self, stream: u64, sent: u64) -> Vec<Message> {
        let missed = self
            .messages
            .iter()
            .filter(|(of, number, _)| *of == stream && *number > sent);
        missed.map(|(_, _, message)| message.clone()).collect()
    }

    pub(super) fn clear(&mut self) {
        self.messages.clear();
        self.bytes = 0;
        let _ = self.room.resize(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::http::access::Caller;
    use crate::mcp::http::room::Rooms;

    fn message(bytes: usize) -> Message {
        Message {
            json: vec![b' '; bytes].into(),
            event: String::new(),
            is_last: false,
            room: None,
        }
    }

    /// How many of so many messages of a size are stored, with this room.
    fn kept(count: u64, bytes: usize, rooms: &Rooms) -> (Backlog, usize) {
        let mut backlog = Backlog::new(rooms.room(&Caller::Anyone));
        for sent in 1..=count {
            backlog.keep(7, sent, message(bytes));
        }
        let kept = backlog.after(7, 0).len();
        (backlog, kept)
    }

    #[test]
    fn the_newest_are_kept_up_to_a_number_and_a_size() {
        let rooms = Rooms::new(1 << 30, 1 << 30);
        let (backlog, count) = kept(300, 10, &rooms);
        assert_eq!(count, MESSAGES);
        assert_eq!(backlog.after(7, 298).len(), 2, "the newest are there");
        assert_eq!(backlog.after(8, 0).len(), 0, "of that stream alone");
        assert_eq!(kept(20, 1 << 20, &rooms).1, 8, "8 MiB of them");
        assert_eq!(
            kept(2, BYTES + 1, &rooms).1,
            0,
            "one that is larger than all may be"
        );
    }

    #[test]
    fn a_caller_has_so_much_room_for_all_its_sessions_and_gets_it_back() {
        let rooms = Rooms::new(16 << 20, 4 << 20);
        let (mut first, count) = kept(8, 1 << 20, &rooms);
        assert_eq!(count, 4);
        let (second, count) = kept(8, 1 << 20, &rooms);
        assert_eq!(count, 0, "the first session has all of it");
        drop(second);
        first.clear();
        assert_eq!(kept(8, 1 << 20, &rooms).1, 4);
    }
}
