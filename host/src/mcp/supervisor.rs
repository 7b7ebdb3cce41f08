//! How a relay ends.
//!
//! Owns: the consequences when the client leaves, the upstream ends, or a signal arrives, and the time for each
//! of them. Refuses to know: frames.
//!
//! | event | consequence |
//! |---|---|
//! | the upstream ends | all its output is delivered, waiting requests are answered by an error, the relay ends with the upstream's status |
//! | the client closes its side, or stops reading | the upstream's input is closed; if the upstream does not end, it is terminated, then killed |
//! | a signal to Tamis | the upstream gets the same signal, and is killed if it does not end |
//!
//! SIGHUP is such a signal unless another part of Tamis handles it (`Options::ends_at_hangup`).

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::child::{Ending, Upstream};
use crate::system::pipes::Stopper;
use crate::system::signals::{self, HANGUP, INTERRUPT, TERMINATE};

/// How long an upstream may take to end by itself. Clients give a server two seconds after they close its input
/// before they signal it, so well-behaved servers need less.
const CLOSE_GRACE: Duration = Duration::from_secs(2);

/// The time to close while a client that has sent its last request still waits for answers: scripts write their
/// requests, close, and read.
const ANSWER_GRACE: Duration = Duration::from_secs(10);

/// The time from a terminating signal to SIGKILL. Clients kill two seconds after they signal. A killed Tamis
/// could no longer kill a stubborn upstream, so Tamis must kill it earlier.
const KILL_GRACE: Duration = Duration::from_millis(1500);

/// How long other processes of the upstream's group may hold its output open after it ended: long enough for the
/// end of a pipeline to flush.
const LINGER: Duration = Duration::from_millis(500);

/// How often to check for the last answer, once `CLOSE_GRACE` is over.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How long each stage of the end may take.
#[derive(Debug, Clone)]
pub struct Options {
    /// The time for the upstream to end after its input was closed.
    pub close_grace: Duration,
    /// The same time while the client still waits for answers.
    pub answer_grace: Duration,
    /// The time from the terminating signal to SIGKILL.
    pub kill_grace: Duration,
    /// The time for the rest of a process group whose leader has ended to close the output.
    pub linger: Duration,
    /// Whether SIGHUP ends the relay.
    pub ends_at_hangup: bool,
    /// Environment variables of the upstream, added to those of Tamis that are not secret.
    pub env: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            close_grace: CLOSE_GRACE,
            answer_grace: ANSWER_GRACE,
            kill_grace: KILL_GRACE,
            linger: LINGER,
            ends_at_hangup: true,
            env: Vec::new(),
        }
    }
}

/// The progress of the relay.
pub(super) trait Delivery {
    /// Whether the client waits for answers.
    fn awaits_answers(&self) -> bool;

    /// Whether all of the upstream's output has been read.
    fn output_ended(&self) -> bool;

    /// Bytes that the client has taken.
    fn delivered_bytes(&self) -> u64;
}

#[derive(Debug)]
pub(super) enum Event {
    /// The client's last frame has been forwarded.
    ClientClosed,
    /// The client does not read any more.
    ClientGone,
    /// The upstream's output is over, and the client has all of it, and every answer.
    Delivered,
    Ended(io::Result<Ending>),
    Signal(i32),
}

/// Turns signals that ask Tamis to end into events, until the watch is closed.
pub(super) fn watch_signals(events: Sender<Event>, hangup: bool) -> io::Result<signals::Watch> {
    let all = [TERMINATE, INTERRUPT, HANGUP];
    let watched = if hangup { &all[..] } else { &all[..2] };
    signals::watch(watched, move |signal| {
        events.send(Event::Signal(signal)).is_ok()
    })
}

#[derive(Debug)]
pub(super) struct Supervisor {
    options: Options,
    upstream: Upstream,
    /// Dropped to close the upstream's input.
    stop_input: Option<Stopper>,
    /// Dropped to end the pump to the client when nothing more is there to read.
    stop_output: Option<Stopper>,
    closing: Option<Closing>,
    /// When the upstream's group was asked to end, and whether it was killed since.
    terminated: Option<Instant>,
    killed: bool,
    ended: Option<(Instant, Ending)>,
    delivered: bool,
}

/// Why and since when the upstream ought to end.
#[derive(Debug)]
struct Closing {
    since: Instant,
    why: Why,
    /// When the client last took something, and how much it had then.
    progress: (Instant, u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    ClientLeft,
    OutputClosed,
    Signal(i32),
}

impl Supervisor {
    pub(super) fn new(
        upstream: Upstream,
        stop_input: Stopper,
        stop_output: Stopper,
        options: Options,
    ) -> Self {
        Supervisor {
            options,
            upstream,
            stop_input: Some(stop_input),
            stop_output: Some(stop_output),
            closing: None,
            terminated: None,
            killed: false,
            ended: None,
            delivered: false,
        }
    }

    /// Sees the relay to its end. Returns the status to exit with.
    pub(super) fn run(mut self, connection: &impl Delivery, inbox: &Receiver<Event>) -> u8 {
        loop {
            let next = self.act(connection, Instant::now());
            if let Some((_, ending)) = self.ended
                && (self.delivered || matches!(next, Next::GiveUp))
            {
                self.upstream.reap();
                return self.exit_code(ending);
            }
            let event = match next {
                Next::At(time) => {
                    inbox.recv_timeout(time.saturating_duration_since(Instant::now()))
                }
                _ => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            if let Ok(event) = event {
                self.note(event);
            }
        }
    }

    fn note(&mut self, event: Event) {
        match event {
            Event::ClientClosed => self.close(Why::ClientLeft),
            Event::ClientGone => {
                self.stop_input = None;
                self.close(Why::ClientLeft);
            }
            Event::Delivered => {
                self.delivered = true;
                if self.ended.is_none() {
                    tracing::debug!("the upstream server closed its output");
                    self.stop_input = None;
                    self.close(Why::OutputClosed);
                }
            }
            Event::Ended(ending) => {
                let ending = ending.unwrap_or_else(|error| {
                    tracing::error!(%error, "wait for the upstream server");
                    Ending::Status(1)
                });
                // An end that was asked for, one way or the other, is no news.
                let asked = match self.closing.as_ref().map(|closing| closing.why) {
                    None | Some(Why::OutputClosed) => false,
                    Some(_) => self.terminated.is_some() || ending == Ending::Status(0),
                };
                if asked {
                    tracing::debug!("the upstream server {ending}");
                } else {
                    tracing::error!("the upstream server {ending}");
                }
                self.ended = Some((Instant::now(), ending));
            }
            Event::Signal(signal) => {
                self.stop_input = None;
                self.close(Why::Signal(signal));
                self.upstream.signal(signal);
                self.terminated.get_or_insert_with(Instant::now);
            }
        }
    }

    fn close(&mut self, why: Why) {
        let now = Instant::now();
        let closing = self.closing.get_or_insert(Closing {
            since: now,
            why,
            progress: (now, 0),
        });
        if let Why::Signal(_) = why {
            closing.why = why;
        }
    }

    /// Takes the next due action.
    fn act(&mut self, connection: &impl Delivery, now: Instant) -> Next {
        match self.ended {
            None => self.end_upstream(connection, now),
            Some((at, _)) if !self.delivered => {
                let silence = self.end_output(connection, at, now);
                silence.sooner(self.client_patience(connection, now))
            }
            Some(_) => Next::Event,
        }
    }

    /// Ends an upstream that has outstayed its grace.
    fn end_upstream(&mut self, connection: &impl Delivery, now: Instant) -> Next {
        let Some(closing) = &self.closing else {
            return Next::Event;
        };
        if self.terminated.is_some() {
            return self.kill_when_due(now);
        }
        let closed = closing.since + self.options.close_grace;
        if now < closed {
            return Next::At(closed);
        }
        if now < closing.since + self.options.answer_grace && connection.awaits_answers() {
            return Next::At(now + LOOK_AGAIN);
        }
        self.terminate(now)
    }

    /// Ends the output of an upstream that has ended itself but left others of its group.
    fn end_output(&mut self, connection: &impl Delivery, ended: Instant, now: Instant) -> Next {
        if connection.output_ended() {
            return Next::Event;
        }
        let due = ended + self.options.linger;
        if now < due {
            return Next::At(due);
        }
        self.stop_output = None;
        if self.terminated.is_some() {
            self.kill_when_due(now)
        } else {
            self.terminate(now)
        }
    }

    fn terminate(&mut self, now: Instant) -> Next {
        self.upstream.signal(TERMINATE);
        self.terminated = Some(now);
        Next::At(now + self.options.kill_grace)
    }

    fn kill_when_due(&mut self, now: Instant) -> Next {
        let due = self.terminated.unwrap_or(now) + self.options.kill_grace;
        if self.killed {
            return Next::Event;
        }
        if now < due {
            return Next::At(due);
        }
        self.upstream.kill();
        self.killed = true;
        Next::Event
    }

    /// Waits for a client that is leaving, with the upstream dead, as long as it takes something now and then.
    /// A client that is not leaving may take its time.
    fn client_patience(&mut self, connection: &impl Delivery, now: Instant) -> Next {
        let Some(closing) = &mut self.closing else {
            return Next::Event;
        };
        let written = connection.delivered_bytes();
        if written != closing.progress.1 {
            closing.progress = (now, written);
        }
        let patience = match closing.why {
            Why::Signal(_) => self.options.kill_grace,
            _ => self.options.answer_grace,
        };
        let due = closing.progress.0 + patience;
        if now < due {
            return Next::At(due);
        }
        tracing::warn!("the client does not read; what is left for it is dropped");
        Next::GiveUp
    }

    fn exit_code(&self, ending: Ending) -> u8 {
        match self.closing.as_ref().map(|closing| closing.why) {
            Some(Why::Signal(signal)) => 128 + signal as u8,
            Some(Why::ClientLeft) if self.terminated.is_some() => 0,
            _ => ending.exit_code(),
        }
    }
}

/// The next thing that a supervisor waits for.
#[derive(Debug, Clone, Copy)]
enum Next {
    Event,
    At(Instant),
    GiveUp,
}

impl Next {
    fn sooner(self, other: Next) -> Next {
        match (self, other) {
            (Next::GiveUp, _) | (_, Next::GiveUp) => Next::GiveUp,
            (Next::At(one), Next::At(two)) => Next::At(one.min(two)),
            (Next::At(one), _) | (_, Next::At(one)) => Next::At(one),
            (Next::Event, Next::Event) => Next::Event,
        }
    }
}
