//! Reads and writes of pipes that another thread can cancel.
//!
//! The system cannot wait for a pipe and for something else at once, and it makes every question about a pipe wait for
//! a read or a write of it that runs. So each pipe has a thread that reads or writes it, with a queue, and the caller
//! waits for the queue.
//!
//! Refuses to know: lines, frames.

use super::super::{Read, Written};
use super::{calls, files};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::windows::io::AsHandle;
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// The bytes of a read.
const CHUNK_BYTES: usize = 64 << 10;
/// Reads that wait for the caller.
const CHUNKS: usize = 8;
/// How often to look whether the client is still there, while nobody takes what is read or written.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The client has closed standard input, and all of it was read.
static INPUT_ENDED: AtomicBool = AtomicBool::new(false);
/// Standard output, held while it is written to.
static CLIENT: OnceLock<Mutex<File>> = OnceLock::new();

/// Bytes between two threads.
#[derive(Debug, Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Of an output, the first is being written.
    chunks: VecDeque<Vec<u8>>,
    /// The pipe's thread has ended so.
    end: Option<io::Result<()>>,
    /// The caller is gone.
    is_closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    fn wait<'s>(
        &self,
        state: MutexGuard<'s, State>,
        time: Option<Duration>,
    ) -> MutexGuard<'s, State> {
        match time {
            None => {
                let waited = self.changed.wait(state);
                waited.unwrap_or_else(PoisonError::into_inner)
            }
            Some(time) => {
                let waited = self.changed.wait_timeout(state, time);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }
}

/// What is cancelled together.
#[derive(Debug, Default)]
struct Stopped {
    is_stopped: AtomicBool,
    /// Those that wait, or have waited.
    queues: Mutex<Vec<Arc<Queue>>>,
}

/// Cancels what waits with its [`Stop`], when it is dropped.
#[derive(Debug)]
pub(crate) struct Stopper(Arc<Stopped>);

/// The end of reads and writes.
#[derive(Debug)]
pub(crate) struct Stop(Arc<Stopped>);

/// What cancels, and what is cancelled by it.
///
/// # Errors
///
/// None here.
pub(crate) fn stop_pair() -> io::Result<(Stopper, Stop)> {
    let stopped = Arc::<Stopped>::default();
    Ok((Stopper(Arc::clone(&stopped)), Stop(stopped)))
}

impl Drop for Stopper {
    fn drop(&mut self) {
        self.0.is_stopped.store(true, Ordering::SeqCst);
        let queues = self.0.queues.lock().unwrap_or_else(PoisonError::into_inner);
        for queue in queues.iter() {
            // With the lock, so that nobody is about to wait without having seen it.
            queue.change(|_| {});
        }
    }
}

impl Stop {
    /// Wakes this queue when it is stopped.
    fn wakes(&self, queue: &Arc<Queue>) {
        let mut queues = self.0.queues.lock().unwrap_or_else(PoisonError::into_inner);
        if !queues.iter().any(|known| Arc::ptr_eq(known, queue)) {
            queues.push(Arc::clone(queue));
        }
    }

    fn is_stopped(&self) -> bool {
        self.0.is_stopped.load(Ordering::SeqCst)
    }
}

/// Where bytes come from.
#[derive(Debug)]
pub(crate) struct Input {
    queue: Arc<Queue>,
    /// What was read and not taken.
    left: Vec<u8>,
    taken: usize,
}

impl Input {
    /// Standard input.
    ///
    /// # Errors
    ///
    /// It is closed, or the system has no thread.
    pub(crate) fn client() -> io::Result<Input> {
        let input = files::standard_input()?;
        let queue = Arc::<Queue>::default();
        let filled = Arc::clone(&queue);
        thread::Builder::new()
            .name("standard input".into())
            .spawn(move || {
                fill(&filled, &input, |input| {
                    if calls::is_at_end(input.as_handle()) {
                        INPUT_ENDED.store(true, Ordering::SeqCst);
                    }
                });
                INPUT_ENDED.store(true, Ordering::SeqCst);
            })?;
        Ok(Input::reading(queue))
    }

    /// The output of a process.
    ///
    /// # Errors
    ///
    /// The system has no thread.
    pub(crate) fn of(output: ChildStdout) -> io::Result<Input> {
        let queue = Arc::<Queue>::default();
        let filled = Arc::clone(&queue);
        let output = File::from(std::os::windows::io::OwnedHandle::from(output));
        thread::Builder::new()
            .name("output of a process".into())
            .spawn(move || fill(&filled, &output, |_| {}))?;
        Ok(Input::reading(queue))
    }

    fn reading(queue: Arc<Queue>) -> Input {
        Input {
            queue,
            left: Vec::new(),
            taken: 0,
        }
    }

    /// Reads available bytes; or waits until bytes arrive, or until it is stopped. Available bytes take precedence.
    ///
    /// # Errors
    ///
    /// The system cannot read.
    pub(crate) fn read_or_stop(
        &mut self,
        stop: Option<&Stop>,
        into: &mut [u8],
    ) -> io::Result<Read> {
        if self.taken == self.left.len() {
            if let Some(stop) = stop {
                stop.wakes(&self.queue);
            }
            let mut state = self.queue.lock();
            loop {
                if let Some(chunk) = state.chunks.pop_front() {
                    (self.left, self.taken) = (chunk, 0);
                    break;
                }
                match state.end.take() {
                    None => {}
                    Some(Ok(())) => {
                        state.end = Some(Ok(()));
                        return Ok(Read::Bytes(0));
                    }
                    Some(Err(error)) => {
                        state.end = Some(Ok(()));
                        return Err(error);
                    }
                }
                if stop.is_some_and(Stop::is_stopped) {
                    return Ok(Read::CalledOff);
                }
                state = self.queue.wait(state, None);
            }
            drop(state);
            // The thread may have waited for room.
            self.queue.changed.notify_all();
        }
        let rest = &self.left[self.taken..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(Read::Bytes(count))
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.queue.change(|state| state.is_closed = true);
    }
}

/// Reads a pipe to its end. `look` is called now and then while nobody takes what was read.
fn fill(queue: &Queue, mut pipe: &File, look: impl Fn(&File)) {
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        let mut state = queue.lock();
        while state.chunks.len() >= CHUNKS && !state.is_closed {
            state = queue.wait(state, Some(LOOK_EVERY));
            if state.chunks.len() >= CHUNKS {
                drop(state);
                look(pipe);
                state = queue.lock();
            }
        }
        if state.is_closed {
            return;
        }
        drop(state);
        match pipe.read(&mut buffer) {
            Ok(0) => return queue.change(|state| state.end = Some(Ok(()))),
            Ok(count) => queue.change(|state| state.chunks.push_back(buffer[..count].to_vec())),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return queue.change(|state| state.end = Some(Err(error))),
        }
    }
}

/// The input of a process.
#[derive(Debug)]
pub(crate) struct Output(Arc<Queue>);

impl Output {
    /// The input of a process.
    ///
    /// # Errors
    ///
    /// The system has no thread.
    pub(crate) fn of(input: ChildStdin) -> io::Result<Output> {
        let queue = Arc::<Queue>::default();
        let emptied = Arc::clone(&queue);
        thread::Builder::new()
            .name("input of a process".into())
            .spawn(move || empty(&emptied, input))?;
        Ok(Output(queue))
    }

    /// Writes all bytes unless it is stopped first. Calls `abandoned` while the process takes nothing, and once
    /// the client has hung up both standard input and output. Bytes that are being written when it is stopped may
    /// still arrive.
    ///
    /// # Errors
    ///
    /// The system cannot write.
    pub(crate) fn write_or_stop(
        &mut self,
        bytes: &[u8],
        stop: &Stop,
        mut abandoned: impl FnMut(),
    ) -> io::Result<Written> {
        if bytes.is_empty() {
            return Ok(Written::All);
        }
        stop.wakes(&self.0);
        self.0
            .change(|state| state.chunks.push_back(bytes.to_vec()));
        let mut is_abandoned = false;
        let mut state = self.0.lock();
        loop {
            if let Some(end) = state.end.take() {
                state.end = Some(Ok(()));
                return match end {
                    Err(error) => Err(error),
                    Ok(()) => Err(io::ErrorKind::BrokenPipe.into()),
                };
            }
            if state.chunks.is_empty() {
                return Ok(Written::All);
            }
            if stop.is_stopped() {
                return Ok(Written::CalledOff);
            }
            state = self.0.wait(state, Some(LOOK_EVERY));
            let waits = !state.chunks.is_empty() && !is_abandoned;
            if waits && INPUT_ENDED.load(Ordering::SeqCst) && client_hung_up() {
                is_abandoned = true;
                abandoned();
            }
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.0.change(|state| state.is_closed = true);
    }
}

/// Writes what is put into a queue, and closes the pipe when the queue is closed.
fn empty(queue: &Queue, mut pipe: ChildStdin) {
    loop {
        let mut state = queue.lock();
        let bytes = loop {
            let first = state.chunks.front_mut().map(std::mem::take);
            match first {
                Some(chunk) => break chunk,
                None if state.is_closed => return,
                None => state = queue.wait(state, None),
            }
        };
        drop(state);
        if let Err(error) = pipe.write_all(&bytes).and_then(|()| pipe.flush()) {
            return queue.change(|state| state.end = Some(Err(error)));
        }
        queue.change(|state| drop(state.chunks.pop_front()));
    }
}

/// Writes all bytes to standard output, however long the client takes.
///
/// # Errors
///
/// The client has closed it, or the system cannot write.
pub(crate) fn write_to_client(bytes: &[u8]) -> io::Result<()> {
    let client = match CLIENT.get() {
        Some(client) => client,
        None => {
            let output = File::from(io::stdout().as_handle().try_clone_to_owned()?);
            CLIENT.get_or_init(|| Mutex::new(output))
        }
    };
    let mut client = client.lock().unwrap_or_else(PoisonError::into_inner);
    client.write_all(bytes)
}

/// Whether the client has closed standard output. False for files, and while a write waits for the client: that
/// write finds it out.
pub(crate) fn client_hung_up() -> bool {
    match CLIENT.get() {
        None => calls::is_closing(io::stdout().as_handle()),
        Some(client) => client
            .try_lock()
            .is_ok_and(|client| calls::is_closing(client.as_handle())),
    }
}
