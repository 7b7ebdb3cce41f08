//! Whose turn it is to have a result, or a call's arguments, filtered.
//!
//! Filters of a small result run on the thread that read it, and those of a large one on a thread of their own. A filter
//! that takes longer than a few milliseconds gives the connections of its thread away ([`serving`]), so it does not delay
//! other clients.
//! Each caller runs as many at a time as the machine has processors, and the system shares these among callers.
//! Further results wait in the caller's own line. A line has a bound, and so have all lines together.

use super::access::Caller;
use crate::lock::lock;
use crate::mcp::frame::{Frame, MessageView, RequestId};
use crate::mcp::job::{self, Job};
use crate::policy::{ServeLimit, ServeLimits};
use crate::serving;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::{block_in_place, spawn_blocking};

/// Filters of all callers that run at the same time: each has a thread, and a place in the sandbox's pool.
const RUNNING: usize = 64;

/// The message for the client of a result that finds no place in its line.
pub(super) const BUSY: &str =
    "too many results wait for their filters, so this one is not answered: call again later";

/// Frames up to this size are handled by the thread that read them: that takes some 50 µs at most.
const SMALL_BYTES: usize = 64 << 10;

/// The lines of all callers.
pub(super) struct Turns {
    shared: Arc<Shared>,
    lanes: Mutex<HashMap<Caller, Weak<Lane>>>,
}

struct Shared {
    running: Arc<Semaphore>,
    of_caller: usize,
    most_waiting: usize,
    most_bytes: usize,
    waiting_bytes: AtomicUsize,
}

/// The line of one caller, for all servers.
pub(super) struct Lane {
    shared: Arc<Shared>,
    running: Arc<Semaphore>,
    waiting: AtomicUsize,
    waiting_bytes: AtomicUsize,
}

/// The line is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Busy;

/// The turn to filter a result, or arguments. It lasts until the work is done and its memory is returned.
pub(super) struct Turn {
    _own: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

/// A place in a line, until the turn comes.
struct WaitingPlace<'l> {
    lane: &'l Lane,
    bytes: usize,
}

impl Turns {
    /// `waits`: filters wait for services on other machines, so more of them run than there are processors.
    pub(super) fn new(limits: &ServeLimits, waits: bool) -> Turns {
        let threads = if waits { RUNNING } else { threads() };
        Turns {
            shared: Arc::new(Shared {
                running: Arc::new(Semaphore::new(RUNNING)),
                // One that is put away and one that runs, at least.
                of_caller: threads.clamp(2, RUNNING / 2),
                most_waiting: limits.count(ServeLimit::Waiting),
                most_bytes: limits.count(ServeLimit::WaitingBytes),
                waiting_bytes: AtomicUsize::new(0),
            }),
            lanes: Mutex::default(),
        }
    }

    /// The line of this caller.
    pub(super) fn lane(&self, caller: &Caller) -> Arc<Lane> {
        let mut lanes = lock(&self.lanes);
        if let Some(lane) = lanes.get(caller).and_then(Weak::upgrade) {
            return lane;
        }
        // Callers without a connection have no lane. They are removed each time the table is full.
        if lanes.len() == lanes.capacity() {
            lanes.retain(|_, lane| lane.strong_count() > 0);
        }
        let lane = Arc::new(Lane {
            shared: Arc::clone(&self.shared),
            running: Arc::new(Semaphore::new(self.shared.of_caller)),
            waiting: AtomicUsize::new(0),
            waiting_bytes: AtomicUsize::new(0),
        });
        lanes.insert(caller.clone(), Arc::downgrade(&lane));
        lane
    }
}

impl Lane {
    /// Runs a job when its turn comes, and returns its result.
    pub(super) async fn run(&self, job: Job) -> Result<Vec<u8>, Busy> {
        let turn = self.turn(job.bytes()).await?;
        turn.run(job).await
    }

    /// Waits for the turn of a result of so many bytes.
    pub(super) async fn turn(&self, bytes: usize) -> Result<Turn, Busy> {
        let (own, all) = (&self.running, &self.shared.running);
        if let Ok(own) = Arc::clone(own).try_acquire_owned()
            && let Ok(all) = Arc::clone(all).try_acquire_owned()
        {
            return Ok(Turn {
                _own: own,
                _all: all,
            });
        }
        let _place = self.wait(bytes)?;
        // Nobody closes them.
        let own = Arc::clone(own).acquire_owned().await.map_err(|_| Busy)?;
        let all = Arc::clone(all).acquire_owned().await.map_err(|_| Busy)?;
        Ok(Turn {
            _own: own,
            _all: all,
        })
    }

    fn wait(&self, bytes: usize) -> Result<WaitingPlace<'_>, Busy> {
        let shared = &self.shared;
        // Given back when it is dropped, also if it is one too many.
        let place = WaitingPlace { lane: self, bytes };
        let waiting = self.waiting.fetch_add(1, Ordering::Relaxed);
        let own_bytes = self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        let all_bytes = shared.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        // A result that is larger than all that may wait does so where nothing else does.
        let fits = |before: usize, most: usize| before == 0 || before.saturating_add(bytes) <= most;
        let has_room = waiting < shared.most_waiting
            && fits(own_bytes, shared.most_bytes / 2)
            && fits(all_bytes, shared.most_bytes);
        if has_room { Ok(place) } else { Err(Busy) }
    }
}

impl Turn {
    /// Runs a job, and returns its result.
    pub(super) async fn run(self, job: Job) -> Result<Vec<u8>, Busy> {
        if !job.is_large() {
            let (made, spent) = serving::short(|| job.run());
            // Once the answer is on its way: dropping the used instances, and making new ones, may cost much, too.
            if !spent.is_empty() {
                tokio::spawn(async move {
                    serving::short(|| drop(spent));
                    drop(self);
                });
            }
            return Ok(made);
        }
        let (done, made) = oneshot::channel();
        spawn_blocking(move || {
            let (made, spent) = job.run();
            // The waiting request may have been cancelled.
            let _ = done.send(made);
            // Dropping the used instances, and making new ones, may cost much, too.
            drop(spent);
            drop(self);
        });
        // A job does not panic. Where the process ends, it may not begin.
        made.await.map_err(|_| Busy)
    }
}

impl Drop for WaitingPlace<'_> {
    fn drop(&mut self) {
        let WaitingPlace { lane, bytes } = *self;
        lane.waiting.fetch_sub(1, Ordering::Relaxed);
        lane.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
        let all = &lane.shared.waiting_bytes;
        all.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Number of threads that serve connections: one for each processor that this process may use. More would take turns, and
/// each turn costs what a small call does.
pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(2, usize::from)
}

/// Runs work on a frame of this size. If the frame is large, or filters make the work long, the thread may block: that
/// delays no other client.
pub(super) fn block_if_large<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    if bytes <= SMALL_BYTES {
        serving::short(work)
    } else {
        block_in_place(work)
    }
}

/// Errors for a frame that gets no answer: one for each request if `asks`, else for each request that it
/// answers. None: the frame has no such request.
pub(super) fn errors(frame: &[u8], asks: bool, why: &str) -> Option<Vec<u8>> {
    let (views, is_batch) = match Frame::read(frame) {
        Frame::Message(view) => (vec![view], false),
        Frame::Batch(views) => (views, true),
        Frame::Opaque => return None,
    };
    let is_asking = |view: &&MessageView| !view.is_answer() && view.method.is_some();
    let views = views.iter().filter(|view| is_asking(view) == asks);
    let ids = views.filter_map(|view| view.id.clone());
    let ids = ids.filter(|span| RequestId::parse(&frame[span.clone()]).is_some());
    let mut errors: Vec<Vec<u8>> = ids.map(|id| job::error(&frame[id], why)).collect();
    match (&mut *errors, is_batch) {
        ([], _) => None,
        ([only], false) => Some(std::mem::take(only)),
        (all, _) => Some([b"[", &*all.join(&b','), b"]"].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(waiting: usize) -> Turns {
        let turns = Turns::new(&ServeLimits::default(), false);
        let shared = Shared {
            running: Arc::clone(&turns.shared.running),
            most_waiting: waiting,
            most_bytes: 1000,
            waiting_bytes: AtomicUsize::new(0),
            ..*turns.shared
        };
        Turns {
            shared: Arc::new(shared),
            ..turns
        }
    }

    #[tokio::test]
    async fn a_full_line_is_its_callers_alone() {
        let turns = turns(1);
        let one = turns.lane(&Caller::Client("one".into()));
        let other = turns.lane(&Caller::Client("other".into()));
        let mut taken = Vec::new();
        for _ in 0..turns.shared.of_caller {
            taken.push(one.turn(1).await.expect("there is a place"));
        }
        let waits = one.wait(1).expect("there is a place to wait");
        assert_eq!(one.wait(1).err(), Some(Busy));
        assert!(other.turn(1).await.is_ok());
        drop((waits, taken));
        assert!(one.turn(1).await.is_ok());
    }

    #[test]
    fn what_waits_has_a_bound_in_bytes() {
        let turns = turns(100);
        let [one, other, third] =
            ["one", "other", "third"].map(|name| turns.lane(&Caller::Client(name.into())));
        let first = one.wait(400).expect("it fits");
        assert_eq!(
            one.wait(101).err(),
            Some(Busy),
            "half of it is one caller's"
        );
        let second = other.wait(500).expect("it fits");
        assert_eq!(third.wait(101).err(), Some(Busy));
        drop((first, second));
        assert!(third.wait(5000).is_ok(), "nothing else waits");
        assert_eq!(turns.shared.waiting_bytes.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn each_request_that_is_not_answered_has_an_error() {
        let asked = br#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":"x","method":"b"}]"#;
        let errors_of = errors(asked, true, "why").expect("errors");
        let errors_of: serde_json::Value = serde_json::from_slice(&errors_of).expect("JSON");
        assert_eq!(errors_of[0]["id"], 1);
        assert_eq!(errors_of[1]["id"], "x");
        assert_eq!(errors_of[1]["error"]["message"], "why");
        assert_eq!(errors(asked, false, "why"), None);
        assert_eq!(errors(b"{", true, "why"), None);
    }
}
