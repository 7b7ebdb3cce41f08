//! The bounded queue between calls and the thread that writes.
//!
//! A mutex around a deque, and not a channel: a channel is bounded in number only, while one receipt
//! may hold megabytes. The bounds, the drops and the end are one state that cannot disagree
//! with itself. The lock is held for a push or for taking the whole deque, never while anything is
//! counted or written, so no call waits for either.
//!
//! Waking a thread costs a call more than the push does, and then both want a processor. So the writer, once
//! awake, lets items gather for a moment, and is not woken again until there are enough: one transaction for many
//! costs little more than for one.

use crate::lock::lock;
use std::collections::VecDeque;
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long the writer lets items gather after the first: at 160 calls a second there are enough by then, and several
/// replicas on one machine write no more often than one.
const GATHERING: Duration = Duration::from_millis(100);
/// Items that do not wait for more. On a machine with few processors, calls would wait for one large write.
const ENOUGH: usize = 16;

pub struct Queue<T> {
    max_items: usize,
    max_bytes: usize,
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    waiting: VecDeque<Charged<T>>,
    /// Bytes of all waiting items, and of those taken and not yet dropped.
    bytes: usize,
    /// Dropped, and not yet handed to the writer.
    dropped: u64,
    /// Taken or dropped, and not yet written.
    unwritten: u64,
    /// The writer sleeps until something comes.
    idle: bool,
    /// Nothing more comes in; none: open.
    closed: Option<Closed>,
    /// The writer has returned.
    ended: bool,
}

impl<T> State<T> {
    /// Notes and returns whether there is nothing to write yet.
    fn is_idle(&mut self) -> bool {
        self.idle = self.waiting.is_empty() && self.dropped == 0 && self.closed.is_none();
        self.idle
    }
}

#[derive(Clone, Copy)]
struct Closed {
    /// From here on the writer drops items that it has not counted.
    give_up: Instant,
}

/// An item, and the bytes charged for it until it is dropped.
pub struct Charged<T> {
    pub item: T,
    pub bytes: usize,
}

/// The items that the writer takes at once.
pub struct Batch<T> {
    pub items: VecDeque<Charged<T>>,
    /// Items dropped since the last batch.
    pub dropped: u64,
}

impl<T> Queue<T> {
    pub fn new(max_items: usize, max_bytes: usize) -> Queue<T> {
        Queue {
            max_items,
            max_bytes,
            state: Mutex::new(State {
                waiting: VecDeque::new(),
                bytes: 0,
                dropped: 0,
                unwritten: 0,
                idle: false,
                closed: None,
                ended: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Takes the item. If the queue is full, drops and counts it.
    pub fn push(&self, item: T, bytes: usize) {
        let mut state = self.state();
        let has_room = state.waiting.len() < self.max_items
            && bytes <= self.max_bytes.saturating_sub(state.bytes);
        let wakes = if state.closed.is_some() || state.ended || !has_room {
            state.dropped += 1;
            let wakes = mem::take(&mut state.idle);
            // The dropped item may be large: not under the lock.
            drop(state);
            drop(item);
            wakes
        } else {
            state.bytes += bytes;
            state.waiting.push_back(Charged { item, bytes });
            mem::take(&mut state.idle) || state.waiting.len() == ENOUGH
        };
        if wakes {
            self.changed.notify_all();
        }
    }

    /// Waits for something to write. None: the queue is closed, and empty.
    pub fn take(&self) -> Option<Batch<T>> {
        let state = self
            .changed
            .wait_while(self.state(), State::is_idle)
            .unwrap_or_else(PoisonError::into_inner);
        let gathers = |state: &mut State<T>| state.closed.is_none() && state.waiting.len() < ENOUGH;
        let mut state = self
            .changed
            .wait_timeout_while(state, GATHERING, gathers)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
        let items = mem::take(&mut state.waiting);
        let dropped = mem::take(&mut state.dropped);
        let taken = items.len() as u64 + dropped;
        state.unwritten += taken;
        (taken > 0).then_some(Batch { items, dropped })
    }

    /// Waits until there is something to write, or the queue is closed; false, if neither comes within this time.
    pub fn has_more_within(&self, time: Duration) -> bool {
        let idle = State::is_idle;
        let waited = self.changed.wait_timeout_while(self.state(), time, idle);
        let (mut state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        state.idle = false;
        !waited.timed_out()
    }

    /// Notes that so many items, of those taken or dropped before, are in the ledger now.
    pub fn wrote(&self, items: u64) {
        self.state().unwritten -= items;
    }

    /// The memory of an item that was taken is free.
    pub fn let_go(&self, bytes: usize) {
        self.state().bytes -= bytes;
    }

    /// Whether to drop items that are not counted yet, since the process is about to end.
    pub fn gives_up(&self) -> bool {
        let closed = self.state().closed;
        closed.is_some_and(|closed| Instant::now() >= closed.give_up)
    }

    /// Notes that the writer has returned, for any reason.
    pub fn end(&self) {
        self.state().ended = true;
        self.changed.notify_all();
    }

    /// Lets nothing more in, and waits until all is written, `limit` at most. How many receipts were
    /// not written. Only the first call waits.
    pub fn close(&self, limit: Duration) -> u64 {
        let mut state = self.state();
        if state.closed.is_some() {
            return 0;
        }
        let now = Instant::now();
        // The rest of the time is for writing the counted items, and the number of the others.
        state.closed = Some(Closed {
            give_up: now + limit / 4 * 3,
        });
        self.changed.notify_all();
        let state = self
            .changed
            .wait_timeout_while(state, limit, |state| !state.ended)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
        // None of these, if the writer came to its end.
        state.waiting.len() as u64 + state.dropped + state.unwritten
    }

    /// No code panics while it holds the lock, and every state in it is a whole one.
    fn state(&self) -> MutexGuard<'_, State<T>> {
        lock(&self.state)
    }
}
