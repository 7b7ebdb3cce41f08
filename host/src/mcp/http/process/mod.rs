//! A server as a process: its input, its output, and its end.
//!
//! Refuses to know: HTTP.

mod backlog;
mod lines;
mod lost;
mod places;
mod ready;
mod state;
mod streams;

use super::room::{NO_ROOM, Room};
use crate::json::scan;
use crate::lock::lock;
use crate::mcp::child::{Upstream, Watcher};
use crate::mcp::lines::{LineBuffer, line_of};
use crate::system::signals::TERMINATE;
pub(super) use lines::renumbered;
pub(super) use places::{Full, Places, ProcessSlot};
pub(super) use ready::{Ready, Started, end};
use std::future::Future;
use std::io;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;
pub(super) use streams::{Message, Opening, Reading, Streams};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Mutex, OwnedMutexGuard, Semaphore};
use tokio::task::AbortHandle;

/// Time for a process to end after its input was closed; then it is terminated, then killed.
const CLOSE_GRACE: Duration = Duration::from_secs(2);
const KILL_GRACE: Duration = Duration::from_millis(1500);

/// The message for the client of a process that has ended.
pub(super) const ENDED: &str =
    "the upstream server has ended: begin a new session with `initialize`";

/// Most messages that wait for a process that reads none. Others are dropped.
const UNHEARD: usize = 64;

/// How much of a line that is not read to its end is searched for the request that it answers.
const LOOKED_AT_BYTES: usize = 64 << 10;

/// The process of a connection, and the streams of the clients that wait for it.
pub(super) struct Attached {
    pub(super) streams: Arc<Streams>,
    process: Process,
}

/// A running server. When it is dropped the process gets to end in its own way, for a while.
struct Process {
    input: Arc<Mutex<Option<ChildStdin>>>,
    /// The task that writes to it.
    writer: std::sync::Mutex<Option<AbortHandle>>,
    upstream: Option<(Upstream, ProcessSlot)>,
    runtime: tokio::runtime::Handle,
    unheard: Arc<Semaphore>,
}

impl Attached {
    /// The output of a server that was started goes to `streams` from now on.
    pub(super) fn new(
        started: Started,
        streams: Streams,
        place: ProcessSlot,
    ) -> io::Result<Arc<Attached>> {
        let streams = Arc::new(streams);
        let process = Process::new(started, Arc::clone(&streams), place)?;
        Ok(Arc::new(Attached { streams, process }))
    }

    /// Whether its process has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.streams.has_ended()
    }

    /// Ends the session.
    pub(super) async fn end(&self) {
        if let Some((_, place)) = &self.process.upstream {
            place.leaves();
        }
        self.streams.end("the session was ended").await;
    }

    /// Writes a message, which becomes one line. `room`: its counted memory until it is written. Once the write
    /// has begun, it completes, whether or not the client still waits: half a line would be the beginning of
    /// another line.
    pub(super) async fn send(&self, message: &[u8], room: Option<Arc<Room>>) -> io::Result<()> {
        let input = Arc::clone(&self.process.input).lock_owned().await;
        let line = line_of(message);
        let written = self.process.runtime.spawn(async move {
            let written = write(input, &line).await;
            drop((line, room));
            written
        });
        self.process.writer().replace(written.abort_handle());
        written
            .await
            .unwrap_or_else(|error| Err(io::Error::other(error)))
    }

    /// Runs work in the background, unless too much of it waits already.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let unheard = Arc::clone(&self.process.unheard);
        let Ok(place) = unheard.try_acquire_owned() else {
            tracing::debug!("the upstream server reads nothing, so it is not told");
            return;
        };
        self.process.runtime.spawn(async move {
            work.await;
            drop(place);
        });
    }

    /// Tells clients that their lists of tools have changed. Returns the messages; none if no client may be
    /// told.
    pub(super) fn tell_tools_changed(self: &Arc<Self>) -> Vec<Vec<u8>> {
        let notices = self.streams.tools_changed();
        let messages = notices.iter().map(|(_, notice)| notice.clone()).collect();
        let this = Arc::clone(self);
        self.spawn(async move {
            for (number, notice) in notices {
                this.streams.say(number, notice).await;
            }
        });
        messages
    }
}

impl Process {
    fn new(started: Started, streams: Arc<Streams>, place: ProcessSlot) -> io::Result<Process> {
        let Started {
            upstream,
            input,
            output,
        } = started;
        let input = ChildStdin::from_std(input)?;
        let output = ChildStdout::from_std(output)?;
        let process = upstream.watcher();
        let runtime = tokio::runtime::Handle::current();
        runtime.spawn(async move {
            read(output, &streams).await;
            streams
                .end("the upstream server ended before it answered")
                .await;
            tracing::debug!(?process, "the upstream server has ended");
        });
        Ok(Process {
            input: Arc::new(Mutex::new(Some(input))),
            writer: std::sync::Mutex::default(),
            upstream: Some((upstream, place)),
            runtime,
            unheard: Arc::new(Semaphore::new(UNHEARD)),
        })
    }

    fn writer(&self) -> MutexGuard<'_, Option<AbortHandle>> {
        lock(&self.writer)
    }
}

async fn write(mut input: OwnedMutexGuard<Option<ChildStdin>>, line: &[u8]) -> io::Result<()> {
    let open = input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
    let written = open.write_all(line).await;
    if written.is_err() {
        *input = None;
    }
    written
}

impl Drop for Process {
    fn drop(&mut self) {
        match self.input.try_lock() {
            Ok(mut input) => drop(input.take()),
            // It reads nothing.
            Err(_) => {
                if let Some(writer) = self.writer().take() {
                    writer.abort();
                }
            }
        }
        if let Some((upstream, place)) = self.upstream.take() {
            self.runtime.spawn(async move {
                retire(upstream).await;
                drop(place);
            });
        }
    }
}

async fn read(mut output: ChildStdout, streams: &Arc<Streams>) {
    let mut buffer = LineBuffer::new();
    let mut room = streams.answer_room();
    // The current line is left out.
    let mut is_left_out = false;
    loop {
        let count = match output.read(buffer.spare()).await {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) => {
                tracing::debug!(%error, "read from the upstream server");
                break;
            }
        };
        if buffer.advance(count) {
            let mut start = 0;
            while let Some(end) = buffer.line_end(start) {
                if !std::mem::take(&mut is_left_out) {
                    streams.line(&buffer.complete()[start..end]).await;
                }
                start = end;
            }
            buffer.consume();
        }
        if is_left_out {
            buffer.drop_unfinished();
            buffer.consume();
        } else if !takes(&mut room, buffer.unfinished()) {
            let line = buffer.unfinished();
            let begins = &line[..line.len().min(LOOKED_AT_BYTES)];
            streams.lost(begins, NO_ROOM).await;
            buffer.drop_unfinished();
            buffer.consume();
            is_left_out = true;
        }
        if buffer.drop_if_too_long("upstream server") {
            break;
        }
    }
    let last = buffer.unfinished();
    if !is_left_out && is_whole(last) {
        streams.line(last).await;
    }
}

/// Whether a last line without an end is a message. One that was cut short answers nothing: its request is told that
/// the server ended.
fn is_whole(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    scan::value(line, 0) == Some(line.len())
}

/// Takes room for a line whose end has not come.
fn takes(room: &mut Room, line: &[u8]) -> bool {
    let has_room = room.resize(line.len()).is_ok();
    if !has_room {
        let bytes = line.len();
        tracing::warn!(
            bytes,
            "a line of the upstream server finds no room: see `answers` in `limits` of [serve]"
        );
        let _ = room.resize(0);
    }
    has_room
}

/// Lets a process whose input is closed end by itself, then ends it.
async fn retire(mut upstream: Upstream) {
    let watcher = upstream.watcher();
    if !ends_within(&watcher, CLOSE_GRACE).await {
        upstream.signal(TERMINATE);
        if !ends_within(&watcher, KILL_GRACE).await {
            upstream.kill();
        }
    }
    // Other processes of its group may live on after their leader has ended.
    upstream.kill();
    let _ = tokio::task::spawn_blocking(move || upstream.reap()).await;
}

async fn ends_within(watcher: &Watcher, grace: Duration) -> bool {
    let watcher = watcher.clone();
    let ended = tokio::task::spawn_blocking(move || watcher.wait());
    tokio::time::timeout(grace, ended).await.is_ok()
}
