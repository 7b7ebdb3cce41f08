//! Processes of a server that are started ahead of their sessions.
//!
//! They get no message before their session does, so they know nothing of any caller.

use super::retire;
use crate::lock::lock;
use crate::mcp::child::{StartError, Upstream};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::process::{ChildStdin, ChildStdout};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// After a process ended before a session had it, so long none is started ahead.
const PAUSE: Duration = Duration::from_secs(60);

/// A process that runs, with its pipes.
pub(in crate::mcp::http) struct Started {
    pub(super) upstream: Upstream,
    pub(super) input: ChildStdin,
    pub(super) output: ChildStdout,
}

/// The processes that wait for their sessions.
#[derive(Default)]
pub(in crate::mcp::http) struct Ready {
    wanted: usize,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// Each with the time when it was started, the oldest first.
    processes: VecDeque<(Instant, Started)>,
    /// None is started before this time.
    not_before: Option<Instant>,
    is_closed: bool,
}

impl Started {
    /// Starts a process, with environment variables added to Tamis's own.
    pub(in crate::mcp::http) fn new(
        command: &[OsString],
        env: &[(String, String)],
    ) -> Result<Started, StartError> {
        let (upstream, input, output) = Upstream::start(command, env)?;
        Ok(Started {
            upstream,
            input,
            output,
        })
    }

    /// Lets the process end in its own way, for a while.
    fn end(self) {
        drop((self.input, self.output));
        Handle::current().spawn(retire(self.upstream));
    }
}

impl Ready {
    /// `wanted`: how many processes wait.
    pub(in crate::mcp::http) fn new(wanted: usize) -> Ready {
        Ready {
            wanted,
            ..Ready::default()
        }
    }

    /// A process that waited, if there is one.
    pub(in crate::mcp::http) fn take(&self) -> Option<Started> {
        let mut waiting = lock(&self.waiting);
        let all = std::iter::from_fn(|| waiting.processes.pop_front());
        all.map(|(_, started)| started)
            .find(|started| !started.upstream.has_ended())
    }

    /// Starts processes until enough wait, in place of those that ended, or waited for longer than `longest`.
    /// Blocks this thread. An error: a process could not be started, or ended without a session.
    pub(in crate::mcp::http) fn fill(
        &self,
        longest: Duration,
        start: impl Fn() -> Result<Started, StartError>,
    ) -> Result<(), FillError> {
        let now = Instant::now();
        let missing = {
            let mut waiting = lock(&self.waiting);
            if waiting.is_closed {
                return Ok(());
            }
            let before = waiting.processes.len();
            waiting
                .processes
                .retain(|(_, started)| !started.upstream.has_ended());
            if waiting.processes.len() < before {
                waiting.not_before = Some(now + PAUSE);
                return Err(FillError::Ended);
            }
            if waiting.not_before.is_some_and(|time| now < time) {
                return Ok(());
            }
            let is_old = |(since, _): &(Instant, Started)| now.duration_since(*since) >= longest;
            while waiting.processes.front().is_some_and(is_old)
                && let Some((_, old)) = waiting.processes.pop_front()
            {
                old.end();
            }
            self.wanted - waiting.processes.len()
        };
        for _ in 0..missing {
            let started = start();
            let mut waiting = lock(&self.waiting);
            match started {
                Ok(started) if waiting.is_closed => drop(started),
                Ok(started) => waiting.processes.push_back((Instant::now(), started)),
                Err(error) => {
                    waiting.not_before = Some(now + PAUSE);
                    return Err(FillError::Start(error));
                }
            }
        }
        Ok(())
    }

    /// Ends the processes that wait, at once, and starts none any more.
    pub(in crate::mcp::http) fn close(&self) {
        let mut waiting = lock(&self.waiting);
        waiting.is_closed = true;
        waiting.processes.clear();
    }

    /// Whether processes are to wait.
    pub(in crate::mcp::http) fn is_wanted(&self) -> bool {
        self.wanted > 0
    }
}

/// Why no process waits.
#[derive(Debug, thiserror::Error)]
pub(in crate::mcp::http) enum FillError {
    #[error(transparent)]
    Start(StartError),
    #[error("a process that was started ahead has ended before its session began")]
    Ended,
}
