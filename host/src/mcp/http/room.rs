//! How much memory is held for callers: for one caller, and for all.
//!
//! Owns: the sums, and how a body is read into counted memory. Refuses to know: whether the memory is that of a
//! request or of an answer.

use super::access::Caller;
use crate::lock::lock;
use axum::body::{Bytes, HttpBody};
use http_body_util::BodyExt;
use std::borrow::Borrow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Memory up to this size is always available: each connection has such a buffer anyway.
pub(super) const SMALL_BYTES: usize = 16 << 10;

/// Memory is counted in pieces of this size.
pub(super) const PIECE_BYTES: usize = 64 << 10;

/// The message for the client of an answer for which no memory is available.
pub(super) const NO_ROOM: &str =
    "too many large answers are held at the same time, so this one is not given: call again later";

/// The memory for one kind of use. Clones share it.
#[derive(Clone)]
pub(super) struct Rooms {
    all: usize,
    of_caller: usize,
    sums: Arc<Mutex<Sums>>,
}

#[derive(Default)]
struct Sums {
    all: usize,
    by_caller: HashMap<Caller, usize>,
}

/// The counted memory of one value, until it is dropped.
pub(super) struct Room {
    caller: Caller,
    bytes: usize,
    rooms: Rooms,
}

/// No more memory is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoRoom;

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    TooLarge,
    NoRoom,
    BrokeOff,
}

impl Rooms {
    /// `all`: bytes of all callers; `of_caller`: of one.
    pub(super) fn new(all: usize, of_caller: usize) -> Rooms {
        Rooms {
            all,
            of_caller: of_caller.next_multiple_of(PIECE_BYTES),
            sums: Arc::default(),
        }
    }

    /// A room of this caller, empty at first.
    pub(super) fn room(&self, caller: &Caller) -> Room {
        Room {
            caller: caller.clone(),
            bytes: 0,
            rooms: self.clone(),
        }
    }
}

impl Room {
    /// Another room of the same caller.
    pub(super) fn another(&self) -> Room {
        self.rooms.room(&self.caller)
    }

    /// Sets the counted memory to so many bytes.
    pub(super) fn resize(&mut self, to: usize) -> Result<(), NoRoom> {
        match to {
            0..=SMALL_BYTES => self.take(0, false),
            _ => self.take(to.next_multiple_of(PIECE_BYTES), false),
        }
    }

    /// Takes room for bytes that are already in memory.
    pub(super) fn hold(&mut self, bytes: usize) {
        let counted = if bytes > SMALL_BYTES { bytes } else { 0 };
        let _ = self.take(counted, true);
    }

    /// Takes room for bytes that no client waits for, of which every byte counts.
    pub(super) fn keep(&mut self, bytes: usize) -> Result<(), NoRoom> {
        self.take(bytes, false)
    }

    fn take(&mut self, to: usize, is_there: bool) -> Result<(), NoRoom> {
        if to == self.bytes {
            return Ok(());
        }
        let mut sums = self.rooms.sums();
        let own = sums.by_caller.get(&self.caller).copied().unwrap_or(0) - self.bytes + to;
        let all = sums.all - self.bytes + to;
        let is_over = all > self.rooms.all || own > self.rooms.of_caller;
        if to > self.bytes && is_over && !is_there {
            return Err(NoRoom);
        }
        sums.all = all;
        if own == 0 {
            sums.by_caller.remove(&self.caller);
        } else {
            sums.by_caller.insert(self.caller.clone(), own);
        }
        drop(sums);
        self.bytes = to;
        Ok(())
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = self.take(0, false);
    }
}

impl Rooms {
    fn sums(&self) -> MutexGuard<'_, Sums> {
        lock(&self.sums)
    }
}

/// Bytes that hold these rooms until the last of them is dropped. Most are small, hold none, and need no owner.
pub(super) fn in_rooms<R: Borrow<Room> + Send + 'static>(
    bytes: impl Into<Bytes>,
    rooms: impl IntoIterator<Item = R>,
) -> Bytes {
    struct BytesInRooms<R> {
        bytes: Bytes,
        _rooms: Vec<R>,
    }
    impl<R> AsRef<[u8]> for BytesInRooms<R> {
        fn as_ref(&self) -> &[u8] {
            &self.bytes
        }
    }
    let bytes = bytes.into();
    let taken = rooms.into_iter().filter(|room| room.borrow().bytes > 0);
    let rooms: Vec<R> = taken.collect();
    if rooms.is_empty() {
        return bytes;
    }
    Bytes::from_owner(BytesInRooms {
        bytes,
        _rooms: rooms,
    })
}

/// Reads a body of at most so many bytes into a room. `said`: the length that its headers gave.
pub(super) async fn read<B>(
    mut body: B,
    room: &mut Room,
    most: usize,
    length: Option<usize>,
) -> Result<Bytes, Unread>
where
    B: HttpBody<Data = Bytes> + Unpin,
{
    if length.is_some_and(|bytes| bytes > most) {
        return Err(Unread::TooLarge);
    }
    // Most bodies are one piece, which need not be copied.
    let (mut first, mut rest) = (Bytes::new(), Vec::new());
    loop {
        let piece = match body.frame().await {
            None => break,
            Some(Err(_)) => return Err(Unread::BrokeOff),
            Some(Ok(frame)) => match frame.into_data() {
                Ok(piece) => piece,
                Err(_) => continue,
            },
        };
        let so_far = first.len() + rest.len();
        if so_far + piece.len() > most {
            return Err(Unread::TooLarge);
        }
        room.resize(so_far + piece.len())
            .map_err(|NoRoom| Unread::NoRoom)?;
        if so_far == 0 {
            first = piece;
            continue;
        }
        if rest.is_empty() {
            rest.extend_from_slice(&std::mem::take(&mut first));
        }
        reserve(&mut rest, piece.len(), length, most);
        rest.extend_from_slice(&piece);
    }
    Ok(if rest.is_empty() { first } else { rest.into() })
}

/// Makes room for more: twice the size, and no more than the whole body takes.
fn reserve(buffer: &mut Vec<u8>, more: usize, length: Option<usize>, most: usize) {
    let needed = buffer.len() + more;
    if needed <= buffer.capacity() {
        return;
    }
    let whole = length.filter(|length| *length >= needed).unwrap_or(most);
    let target = (2 * buffer.capacity()).min(whole).max(needed);
    buffer.reserve_exact(target - buffer.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_has_a_bound_for_each_caller_and_for_all() {
        let rooms = Rooms::new(10 << 20, 6 << 20);
        let [one, other] = ["one", "other"].map(|name| Caller::Client(name.into()));
        let mut first = rooms.room(&one);
        assert_eq!(first.resize(5 << 20), Ok(()));
        let mut second = first.another();
        assert_eq!(second.resize(2 << 20), Err(NoRoom), "one caller's");
        assert_eq!(second.resize(SMALL_BYTES), Ok(()));
        assert_eq!(second.keep(SMALL_BYTES), Ok(()));
        assert_eq!(rooms.sums().all, (5 << 20) + SMALL_BYTES);
        let mut third = rooms.room(&other);
        assert_eq!(third.resize(5 << 20), Err(NoRoom), "of all");
        drop(second);
        let body = in_rooms(vec![0; 5 << 20], [first]);
        let part = body.slice(..1);
        drop(body);
        assert_eq!(third.resize((5 << 20) + 1), Err(NoRoom));
        third.hold(6 << 20);
        assert_eq!(rooms.sums().all, 11 << 20, "it is in memory");
        drop(part);
        assert_eq!(third.resize(5 << 20), Ok(()), "less than before");
        drop(third);
        assert_eq!(rooms.sums().all, 0);
        assert!(rooms.sums().by_caller.is_empty());
    }
}
