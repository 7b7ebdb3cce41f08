//! The threads that serve connections: one for each processor, each with an event loop of its own.
//!
//! A client's connection stays with one loop, and so do its requests' connections to servers. So a call wakes no other
//! thread, which would take as long as the rest of a small call. A loop whose thread works for long goes on in another
//! thread ([`serving`](crate::serving)).

use super::turns;
use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle, Runtime};

/// Threads of one loop that may block, each for a client whose `command` server is to end or for a large result.
const BLOCKING_THREADS: usize = 2048;

/// Tasks that run before a loop looks for new events. With many filters each task may take some 200 µs.
const TASKS_BETWEEN_EVENTS: u32 = 8;

thread_local! {
    /// The loop that this thread works for.
    static HERE: Cell<usize> = const { Cell::new(0) };
}

/// The loops of the process.
pub struct EventLoops {
    runtimes: Vec<Runtime>,
    places: Places,
}

/// Where connections are served: the loops, and how many connections each has.
#[derive(Clone)]
pub struct Places {
    loops: Arc<[(Handle, AtomicUsize)]>,
}

/// A place for one connection, until it is dropped.
pub(super) struct Place {
    places: Places,
    at: usize,
}

impl EventLoops {
    /// Starts them.
    ///
    /// # Errors
    ///
    /// A thread cannot be started.
    pub fn start() -> io::Result<EventLoops> {
        let start = |at: usize| {
            Builder::new_multi_thread()
                .worker_threads(1)
                .max_blocking_threads(BLOCKING_THREADS)
                .event_interval(TASKS_BETWEEN_EVENTS)
                .on_thread_start(move || HERE.set(at))
                .enable_all()
                .build()
        };
        let runtimes: Vec<Runtime> = (0..turns::threads())
            .map(start)
            .collect::<io::Result<_>>()?;
        let handles = runtimes.iter().map(|runtime| runtime.handle().clone());
        let loops = handles
            .map(|handle| (handle, AtomicUsize::new(0)))
            .collect();
        let places = Places { loops };
        Ok(EventLoops { runtimes, places })
    }

    /// The loop for what belongs to no connection.
    #[must_use]
    pub fn first(&self) -> &Runtime {
        &self.runtimes[0]
    }

    /// Where connections are served.
    #[must_use]
    pub fn places(&self) -> Places {
        self.places.clone()
    }

    /// Ends them. Nothing waits for what still runs.
    pub fn close(self) {
        self.runtimes
            .into_iter()
            .for_each(Runtime::shutdown_background);
    }
}

impl Places {
    /// A place in the loop that has the fewest connections.
    pub(super) fn place(&self) -> Place {
        let count = |at: &usize| self.loops[*at].1.load(Ordering::Relaxed);
        let at = (0..self.loops.len()).min_by_key(count).unwrap_or(0);
        self.loops[at].1.fetch_add(1, Ordering::Relaxed);
        Place {
            places: self.clone(),
            at,
        }
    }
}

impl Place {
    /// The loop.
    pub(super) fn runtime(&self) -> Handle {
        self.places.loops[self.at].0.clone()
    }

    /// Takes a connection over from the loop that accepted it. Call it in this place's loop.
    pub(super) fn takes(&self, stream: TcpStream) -> io::Result<TcpStream> {
        TcpStream::from_std(stream.into_std()?)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.loops[self.at].1.fetch_sub(1, Ordering::Relaxed);
    }
}
