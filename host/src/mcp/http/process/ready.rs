//! Processes of a server that are started ahead of their sessions.
//!
//! They get no message before their session does, so they know nothing of any caller.

use super::{CLOSE_GRACE, KILL_GRACE};
use crate::lock::lock;
use crate::mcp::child::{StartError, Upstream};
use crate::system::signals::TERMINATE;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::process::{ChildStdin, ChildStdout};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// After a process ended before a session had it, so long none is started ahead.
const PAUSE: Duration = Duration::from_secs(60);

/// So long after a session took a process, none is started: the session's agent is starting, too.
const REST: Duration = Duration::from_secs(3);

/// How often it is looked whether a process that is to end has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);

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
    /// When a session took the first of those that are not replaced yet.
    taken: Option<Instant>,
    /// None is started before this time.
    not_before: Option<Instant>,
    /// One was found to have ended.
    has_ended: bool,
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
}

impl Ready {
    /// `wanted`: how many processes wait.
    pub(in crate::mcp::http) fn new(wanted: usize) -> Ready {
        Ready {
            wanted,
            ..Ready::default()
        }
    }

    /// Whether processes are to wait.
    pub(in crate::mcp::http) fn is_wanted(&self) -> bool {
        self.wanted > 0
    }

    /// A process that waited, if there is one.
    pub(in crate::mcp::http) fn take(&self) -> Option<Started> {
        let mut waiting = lock(&self.waiting);
        while let Some((_, started)) = waiting.processes.pop_front() {
            if !started.upstream.has_ended() {
                waiting.taken.get_or_insert_with(Instant::now);
                return Some(started);
            }
            waiting.has_ended = true;
        }
        None
    }

    /// Starts processes until enough wait, in place of those that ended, or waited for longer than `longest`.
    /// Blocks this thread. An error: a process could not be started, or ended without a session.
    pub(in crate::mcp::http) fn fill(
        &self,
        longest: Duration,
        start: impl Fn() -> Result<Started, StartError>,
    ) -> Result<(), FillError> {
        let is_old = |since: &Instant| since.elapsed() >= longest;
        let missing = self.missing(is_old)?;
        let mut started = Ok(());
        for _ in 0..missing {
            if lock(&self.waiting).is_closed {
                break;
            }
            match start() {
                Ok(process) => {
                    let mut waiting = lock(&self.waiting);
                    waiting.taken = None;
                    waiting.processes.push_back((Instant::now(), process));
                }
                Err(error) => {
                    lock(&self.waiting).not_before = Some(Instant::now() + PAUSE);
                    started = Err(FillError::Start(error));
                    break;
                }
            }
        }
        // Those that replace them are started.
        let mut old = Vec::new();
        let mut waiting = lock(&self.waiting);
        while let Some((since, _)) = waiting.processes.front()
            && is_old(since)
        {
            old.extend(waiting.processes.pop_front());
        }
        drop(waiting);
        end(old.into_iter().map(|(_, started)| started));
        started
    }

    /// How many processes are to be started now.
    fn missing(&self, is_old: impl Fn(&Instant) -> bool) -> Result<usize, FillError> {
        let now = Instant::now();
        let mut waiting = lock(&self.waiting);
        let before = waiting.processes.len();
        waiting
            .processes
            .retain(|(_, started)| !started.upstream.has_ended());
        let has_ended = std::mem::take(&mut waiting.has_ended);
        if has_ended || waiting.processes.len() < before {
            waiting.not_before = Some(now + PAUSE);
            return Err(FillError::Ended);
        }
        let is_paused = waiting.not_before.is_some_and(|time| now < time);
        let rests = waiting.taken.is_some_and(|taken| now - taken < REST);
        if waiting.is_closed || is_paused || rests {
            return Ok(0);
        }
        let young = waiting.processes.iter().filter(|(since, _)| !is_old(since));
        Ok(self.wanted.saturating_sub(young.count()))
    }

    /// Starts no process any more.
    pub(in crate::mcp::http) fn close(&self) {
        lock(&self.waiting).is_closed = true;
    }

    /// The processes that wait, after it was closed: they are to end.
    pub(in crate::mcp::http) fn rest(&self) -> Vec<Started> {
        let waiting = std::mem::take(&mut lock(&self.waiting).processes);
        waiting.into_iter().map(|(_, started)| started).collect()
    }
}

/// Lets processes end in their own way, for a while, then ends them. Blocks this thread.
pub(in crate::mcp::http) fn end(processes: impl IntoIterator<Item = Started>) {
    let processes = processes.into_iter();
    // Without its input, most end.
    let mut left: Vec<Upstream> = processes.map(|started| started.upstream).collect();
    for grace in [CLOSE_GRACE, KILL_GRACE] {
        let until = Instant::now() + grace;
        while !left.is_empty() && Instant::now() < until {
            left.retain(|upstream| !upstream.has_ended());
            thread::sleep(LOOK_EVERY);
        }
        left.iter().for_each(|upstream| upstream.signal(TERMINATE));
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
