//! A server as a process: what it is sent, what it says, and its end.

use super::places::Place;
use super::streams::Streams;
use crate::mcp::child::{self, StartError, Upstream};
use crate::mcp::lines::{LineBuffer, line_of};
use rustix::process::{Pid, Signal};
use std::ffi::OsString;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Mutex;

/// For a process to end after its input was closed; after that it is terminated, then killed.
const CLOSE_GRACE: Duration = Duration::from_secs(2);
const KILL_GRACE: Duration = Duration::from_millis(1500);

/// A running server. When it is dropped the process gets to end in its own way, for a while.
pub(super) struct Process {
    input: Mutex<Option<ChildStdin>>,
    upstream: Option<(Upstream, Place)>,
    runtime: tokio::runtime::Handle,
}

impl Process {
    /// Starts a server, with environment variables beside Tamis's own. What it says goes to `streams`.
    pub(super) fn start(
        command: &[OsString],
        env: &[(String, String)],
        streams: Arc<Streams>,
        place: Place,
    ) -> Result<Process, StartError> {
        let (upstream, input, output) = Upstream::start(command, env)?;
        let input = ChildStdin::from_std(input)?;
        let output = ChildStdout::from_std(output)?;
        let pid = upstream.pid();
        let runtime = tokio::runtime::Handle::current();
        runtime.spawn(async move {
            read(output, &streams).await;
            streams
                .end("the upstream server ended before it answered")
                .await;
            tracing::debug!(?pid, "the upstream server has ended");
        });
        Ok(Process {
            input: Mutex::new(Some(input)),
            upstream: Some((upstream, place)),
            runtime,
        })
    }

    /// Writes a message, which becomes one line.
    pub(super) async fn send(&self, message: &[u8]) -> io::Result<()> {
        let line = line_of(message);
        let mut input = self.input.lock().await;
        let open = input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let written = open.write_all(&line).await;
        if written.is_err() {
            // Half a line is no beginning of another.
            *input = None;
        }
        written
    }
}

impl Process {
    /// Does something in the background.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(work);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.input.get_mut().take());
        if let Some((upstream, place)) = self.upstream.take() {
            self.runtime.spawn(async move {
                retire(upstream).await;
                drop(place);
            });
        }
    }
}

async fn read(mut output: ChildStdout, streams: &Streams) {
    let mut buffer = LineBuffer::new();
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
                streams.line(&buffer.complete()[start..end]).await;
                start = end;
            }
            buffer.consume();
        }
        if buffer.drop_if_too_long("upstream server") {
            break;
        }
    }
    streams.line(buffer.unfinished()).await;
}

/// Lets a process whose input is closed end by itself, then ends it.
async fn retire(mut upstream: Upstream) {
    let pid = upstream.pid();
    if !ends_within(pid, CLOSE_GRACE).await {
        upstream.signal(Signal::TERM);
        if !ends_within(pid, KILL_GRACE).await {
            upstream.signal(Signal::KILL);
        }
    }
    // Others of its group may live on, whatever their leader did.
    upstream.signal(Signal::KILL);
    let _ = tokio::task::spawn_blocking(move || upstream.reap()).await;
}

async fn ends_within(pid: Pid, grace: Duration) -> bool {
    let ended = tokio::task::spawn_blocking(move || child::wait(pid));
    tokio::time::timeout(grace, ended).await.is_ok()
}
