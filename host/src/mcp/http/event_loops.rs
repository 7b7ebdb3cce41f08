//! The threads that serve connections: one for each of up to 32 processors, each with an event loop of its own.
//!
//! A client's connection stays with one loop, and so do its requests' connections to servers. So a call wakes no other
//! thread, which would take as long as the rest of a small call. A loop whose thread works for long goes on in another
//! thread ([`serving`](crate::serving)).

use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
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

/// Most loops: a caller has a turn in each, and half of all turns at most.
const MOST: usize = 32;

/// How many there are: one for each processor that this process may use. More would take turns, and each turn costs what a
/// small call does.
pub(super) fn number() -> usize {
    thread::available_parallelism().map_or(2, |count| count.get().min(MOST))
}

/// The loop that this thread works for, by its number; the first one, if none.
pub(super) fn here() -> usize {
    HERE.get()
}

/// The loops of the process.
pub struct EventLoops {
    runtimes: Vec<Runtime>,
    places: Places,
}

/// Where connections are served: the loops, and how many connections each has that make work.
#[derive(Clone)]
pub struct Places {
    loops: Arc<[(Handle, AtomicUsize)]>,
}

/// A place for one connection, until it is dropped.
pub(super) struct Place {
    places: Places,
    at: usize,
    /// The connection only listens, and makes no work.
    listens: AtomicBool,
}

impl EventLoops {
    /// Starts them.
    ///
    /// # Errors
    ///
    /// A thread cannot be started.
    pub fn start() -> io::Result<EventLoops> {
        EventLoops::start_some(number())
    }

    fn start_some(count: usize) -> io::Result<EventLoops> {
        let start = |at: usize| {
            Builder::new_multi_thread()
                .worker_threads(1)
                .max_blocking_threads(BLOCKING_THREADS)
                .event_interval(TASKS_BETWEEN_EVENTS)
                .on_thread_start(move || HERE.set(at))
                .enable_all()
                .build()
        };
        let runtimes: Vec<Runtime> = (0..count).map(start).collect::<io::Result<_>>()?;
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
    /// A place in the loop that has the fewest connections that make work.
    pub(super) fn place(&self) -> Place {
        let count = |at: &usize| self.loops[*at].1.load(Ordering::Relaxed);
        let at = (0..self.loops.len()).min_by_key(count).unwrap_or(0);
        self.loops[at].1.fetch_add(1, Ordering::Relaxed);
        Place {
            places: self.clone(),
            at,
            listens: AtomicBool::new(false),
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

    /// Whether the connection listens from now on. If such ones counted, the requests of clients that each have one to
    /// listen and one for requests, made in turn, would all be in every other loop.
    pub(super) fn listens(&self, listens: bool) {
        let count = &self.places.loops[self.at].1;
        match (self.listens.swap(listens, Ordering::Relaxed), listens) {
            (false, true) => count.fetch_sub(1, Ordering::Relaxed),
            (true, false) => count.fetch_add(1, Ordering::Relaxed),
            _ => return,
        };
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.listens(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::task::block_in_place;

    fn connections(places: &Places) -> Vec<usize> {
        let count = |(_, count): &(Handle, AtomicUsize)| count.load(Ordering::Relaxed);
        places.loops.iter().map(count).collect()
    }

    #[test]
    fn each_loop_has_as_many_connections_and_a_place_is_taken_again() {
        let loops = EventLoops::start_some(3).unwrap();
        let places = loops.places();
        let mut taken: Vec<Place> = (0..6).map(|_| places.place()).collect();
        assert_eq!(connections(&places), [2, 2, 2]);
        let at = taken.remove(4).at;
        assert_eq!(places.place().at, at);
        drop(taken);
        assert_eq!(connections(&places), [0, 0, 0]);
        loops.close();
    }

    #[test]
    fn connections_that_listen_count_for_nothing() {
        let loops = EventLoops::start_some(2).unwrap();
        let places = loops.places();
        let clients: Vec<[Place; 2]> = (0..4)
            .map(|_| {
                let [requests, listening] = [places.place(), places.place()];
                listening.listens(true);
                listening.listens(true);
                [requests, listening]
            })
            .collect();
        let of_requests: Vec<usize> = clients.iter().map(|[requests, _]| requests.at).collect();
        assert_eq!(of_requests, [0, 1, 0, 1]);
        clients[0][1].listens(false);
        assert_eq!(connections(&places), [2, 3], "it has another request");
        drop(clients);
        assert_eq!(connections(&places), [0, 0]);
        loops.close();
    }

    /// A thread that takes a loop over while the loop's own thread works works for that loop, too.
    #[test]
    fn threads_know_the_loop_that_they_work_for() {
        let loops = EventLoops::start_some(3).unwrap();
        let places = loops.places();
        let taken: Vec<Place> = (0..3).map(|_| places.place()).collect();
        for place in &taken {
            let runtime = place.runtime();
            let working = runtime.spawn(async {
                let other = tokio::spawn(async { (here(), thread::current().id()) });
                block_in_place(|| thread::sleep(Duration::from_millis(300)));
                (here(), thread::current().id(), other.await.unwrap())
            });
            let (own, thread, (other, other_thread)) =
                loops.first().block_on(working).expect("it does not panic");
            assert_eq!((own, other), (place.at, place.at));
            assert_ne!(thread, other_thread);
        }
        loops.close();
    }

    #[test]
    fn elsewhere_a_thread_works_for_the_first_loop() {
        assert_eq!(here(), 0);
    }
}
