//! The relay over standard input and output.
//!
//! Owns: the two pumps, the order in which frames reach the client, and standard output. Nothing else in Tamis
//! writes to standard output while a relay runs. Refuses to know: the content of a frame, and when the upstream
//! must end (that is `supervisor`).
//!
//! Two threads that block are the fastest way between two pipes, and the simplest: each reads whole lines and
//! writes them on at once. Frames that stay unchanged are written together, one write per read.

use crate::lock::lock;
use crate::system::pipes::{self, Input, Output, Stop};
use crate::system::signals::{self, TERMINATE};
use crate::system::{Read, Written};
use std::ffi::OsString;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use super::child::Upstream;
use super::lines::LineBuffer;
use super::relay::{Forward, FromUpstream, Job, Origin, Refused, Relay, Rewrite};
use super::supervisor::{Delivery, Event, Supervisor};

pub use super::child::StartError;
pub use super::relay::Replaced;
pub use super::supervisor::Options;

/// A long frame is written in pieces of this size, so that Tamis can tell a slow client from one that reads
/// nothing.
const PIECE_BYTES: usize = 256 * 1024;

/// A relay between this process's standard input and output and a running upstream server.
pub struct Proxy<R: Rewrite> {
    connection: Arc<Connection<R>>,
    supervisor: Supervisor,
    inbox: Receiver<Event>,
    signals: signals::Watch,
}

/// Puts another policy in force while the relay runs.
pub struct Policies<R: Rewrite>(Arc<Connection<R>>);

impl<R: Rewrite> Clone for Policies<R> {
    fn clone(&self) -> Policies<R> {
        Policies(Arc::clone(&self.0))
    }
}

/// Starts `command` as the upstream server, and the relay between the server and this process's standard input
/// and output. The upstream keeps this process's standard error.
///
/// # Errors
///
/// The upstream could not be started; nothing was written to standard output.
pub fn start<R: Rewrite>(
    command: &[OsString],
    rewrite: Arc<R>,
    options: Options,
) -> Result<Proxy<R>, StartError> {
    let (events, inbox) = mpsc::channel();
    let signals = super::supervisor::watch_signals(events.clone(), options.ends_at_hangup)?;
    let (stop_input, input_stopped) = pipes::stop_pair()?;
    let (stop_output, output_stopped) = pipes::stop_pair()?;

    let (upstream, upstream_input, upstream_output) = Upstream::start(command, &options.env)?;
    let watcher = upstream.watcher();
    let supervisor = Supervisor::new(upstream, stop_input, stop_output, options);
    let upstream_input = Output::of(upstream_input)?;
    let upstream_output = Input::of(upstream_output)?;
    let from_client = Input::client()?;

    let connection = Arc::new(Connection {
        relay: Relay::new(rewrite),
        client: ClientOut::new(events.clone()),
        jobs: InFlight::default(),
        output_ended: AtomicBool::new(false),
        events: events.clone(),
    });
    let pump = Arc::clone(&connection);
    spawn("client", move || {
        pump.client_to_upstream(from_client, upstream_input, &input_stopped);
    })?;
    let pump = Arc::clone(&connection);
    spawn("upstream", move || {
        pump.upstream_to_client(upstream_output, &output_stopped);
    })?;
    spawn("wait", move || {
        let ending = watcher.wait();
        let _ = events.send(Event::Ended(ending));
    })?;
    Ok(Proxy {
        connection,
        supervisor,
        inbox,
        signals,
    })
}

impl<R: Rewrite> Proxy<R> {
    pub fn policies(&self) -> Policies<R> {
        Policies(Arc::clone(&self.connection))
    }

    /// Relays until either side ends, and returns the exit status.
    ///
    /// The status is the upstream's own (128 and the signal's number if one killed it), or 128 and the signal's
    /// number if one ended Tamis. It is 0 if Tamis ended the upstream because the client left.
    pub fn wait(self) -> u8 {
        let code = self.supervisor.run(&*self.connection, &self.inbox);
        self.signals.close();
        code
    }
}

impl<R: Rewrite> Policies<R> {
    /// Puts another policy in force. Tells the client that its list of tools has changed, if that is so and the
    /// client agreed to such messages.
    pub fn replace(&self, policy: Arc<R>) -> Replaced {
        let replaced = self.0.relay.replace(policy);
        for notice in &replaced.notices {
            self.0
                .client
                .write(&Frame::Message.complete(notice.clone()));
        }
        replaced
    }

    /// Ends the relay as a signal does.
    pub fn end(&self) {
        self.0.send(Event::Signal(TERMINATE));
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let thread = thread::Builder::new().name(name.into());
    thread.spawn(work).map(|_| ())
}

/// The shared state of one relay's threads.
struct Connection<R: Rewrite> {
    relay: Relay<R>,
    client: ClientOut,
    jobs: InFlight,
    output_ended: AtomicBool,
    events: Sender<Event>,
}

impl<R: Rewrite> Delivery for Connection<R> {
    fn awaits_answers(&self) -> bool {
        self.relay.awaits_answers() && !pipes::client_hung_up()
    }

    fn output_ended(&self) -> bool {
        self.output_ended.load(Ordering::Relaxed)
    }

    fn delivered_bytes(&self) -> u64 {
        self.client.written_bytes.load(Ordering::Relaxed)
    }
}

impl<R: Rewrite> Connection<R> {
    fn client_to_upstream(self: &Arc<Self>, mut client: Input, upstream: Output, stop: &Stop) {
        let mut upstream = Some(upstream);
        let mut buffer = LineBuffer::new();
        let mut watched = Some(stop);
        loop {
            match client.read_or_stop(watched, buffer.spare()) {
                Ok(Read::Bytes(0)) => break,
                Ok(Read::Bytes(count)) => {
                    if buffer.advance(count) {
                        buffer.blank_returns(false);
                        self.forward_to_upstream(&mut upstream, &buffer, stop);
                        buffer.consume();
                    }
                    if buffer.drop_if_too_long("client") {
                        break;
                    }
                }
                Ok(Read::CalledOff) => {
                    // The upstream must see an end. The client may still ask, and gets an error.
                    upstream = None;
                    watched = None;
                }
                Err(error) => {
                    tracing::debug!(%error, "read from the client");
                    break;
                }
            }
        }
        buffer.blank_returns(true);
        let last = buffer.unfinished();
        if !last.is_empty() {
            let instead = self.note(last);
            self.write_upstream(&mut upstream, instead.as_deref().unwrap_or(last), stop);
        }
        // Sent first, so that the cause of the following end is known.
        self.send(Event::ClientClosed);
        drop(upstream);
    }

    fn forward_to_upstream(
        self: &Arc<Self>,
        upstream: &mut Option<Output>,
        buffer: &LineBuffer,
        stop: &Stop,
    ) {
        let lines = buffer.complete();
        let (mut unwritten, mut start) = (0, 0);
        while let Some(end) = buffer.line_end(start) {
            if let Some(instead) = self.note(&lines[start..end]) {
                self.write_upstream(upstream, &lines[unwritten..start], stop);
                self.write_upstream(upstream, &instead, stop);
                unwritten = end;
            }
            start = end;
        }
        self.write_upstream(upstream, &lines[unwritten..], stop);
    }

    /// Notes a frame of the client's. Some: the frame that the upstream gets in its place.
    fn note(self: &Arc<Self>, frame: &[u8]) -> Option<Vec<u8>> {
        let noted = self.relay.from_client(frame, Origin::default());
        for answer in noted.answers {
            self.deliver(answer, Frame::Message);
        }
        match noted.forward {
            Forward::AsItIs => None,
            Forward::Instead(frame) => Some(frame),
            Forward::Nothing => Some(Vec::new()),
        }
    }

    /// Writes to the upstream as long as it reads. Requests that it does not read are answered when it ends,
    /// like all that wait.
    fn write_upstream(&self, upstream: &mut Option<Output>, bytes: &[u8], stop: &Stop) {
        let Some(open) = upstream else { return };
        let abandoned = || self.send(Event::ClientGone);
        match open.write_or_stop(bytes, stop, abandoned) {
            Ok(Written::All) => return,
            Ok(Written::CalledOff) => {}
            Err(error) => tracing::debug!(%error, "write to the upstream server"),
        }
        *upstream = None;
    }

    fn upstream_to_client(self: &Arc<Self>, mut output: Input, stop: &Stop) {
        let mut buffer = LineBuffer::new();
        loop {
            match output.read_or_stop(Some(stop), buffer.spare()) {
                Ok(Read::Bytes(0)) | Ok(Read::CalledOff) => break,
                Ok(Read::Bytes(count)) => {
                    if buffer.advance(count) {
                        buffer.blank_returns(false);
                        self.forward_to_client(&buffer);
                        buffer.consume();
                    }
                    if buffer.drop_if_too_long("upstream server") {
                        break;
                    }
                }
                Err(error) => {
                    tracing::debug!(%error, "read from the upstream server");
                    break;
                }
            }
        }
        self.output_ended.store(true, Ordering::Relaxed);
        buffer.blank_returns(true);
        let last = buffer.unfinished();
        match self.relay.from_upstream(last) {
            FromUpstream::Forward => self.client.write(last),
            FromUpstream::Rewrite(job) => self.deliver(job, Frame::Line),
            FromUpstream::Refused(refused) => self.write_errors(refused),
        }
        self.jobs.wait();
        for mut answer in self.relay.upstream_ended() {
            answer.push(b'\n');
            self.client.write(&answer);
        }
        self.send(Event::Delivered);
    }

    fn forward_to_client(self: &Arc<Self>, buffer: &LineBuffer) {
        let lines = buffer.complete();
        let (mut unwritten, mut start) = (0, 0);
        while let Some(end) = buffer.line_end(start) {
            match self.relay.from_upstream(&lines[start..end]) {
                FromUpstream::Forward => {}
                FromUpstream::Rewrite(job) => {
                    self.client.write(&lines[unwritten..start]);
                    self.deliver(job, Frame::Line);
                    unwritten = end;
                }
                FromUpstream::Refused(refused) => {
                    self.client.write(&lines[unwritten..start]);
                    self.write_errors(refused);
                    unwritten = end;
                }
            }
            start = end;
        }
        self.client.write(&lines[unwritten..]);
    }

    /// Writes the frame of a job to the client: at once, or when a worker has finished it.
    fn deliver(self: &Arc<Self>, job: Job, frame: Frame) {
        if !job.is_large() {
            self.write_made(job, frame);
            return;
        }
        self.jobs.begin();
        let connection = Arc::clone(self);
        rayon::spawn(move || {
            connection.write_made(job, frame);
            connection.jobs.end();
        });
    }

    fn write_errors(&self, refused: Refused) {
        for error in refused.errors {
            self.client.write(&Frame::Message.complete(error));
        }
    }

    fn write_made(&self, job: Job, frame: Frame) {
        let (made, spent) = job.run();
        self.client.write(&frame.complete(made));
        drop(spent);
    }

    fn send(&self, event: Event) {
        // Nobody listens any more once the relay is over.
        let _ = self.events.send(event);
    }
}

/// The form of a job's output.
#[derive(Debug, Clone, Copy)]
enum Frame {
    /// A line, with the ending that it came with.
    Line,
    /// A message that still needs its ending.
    Message,
}

impl Frame {
    fn complete(self, mut bytes: Vec<u8>) -> Vec<u8> {
        if let Frame::Message = self {
            bytes.push(b'\n');
        }
        bytes
    }
}

/// Standard output: one frame, or a run of them, at a time.
#[derive(Debug)]
struct ClientOut {
    state: Mutex<OutState>,
    written_bytes: AtomicU64,
    events: Sender<Event>,
}

#[derive(Debug)]
struct OutState {
    at_line_start: bool,
    gone: bool,
}

impl ClientOut {
    fn new(events: Sender<Event>) -> Self {
        let state = OutState {
            at_line_start: true,
            gone: false,
        };
        ClientOut {
            state: Mutex::new(state),
            written_bytes: AtomicU64::new(0),
            events,
        }
    }

    /// Writes frames and does not return before the client took them. If the client has left, they are
    /// dropped, so that the upstream can end in its own way.
    fn write(&self, frames: &[u8]) {
        let Some(last) = frames.last() else { return };
        let mut state = lock(&self.state);
        if state.gone {
            return;
        }
        // An upstream that died in the middle of a line must not take the next one with it.
        let before: &[u8] = if state.at_line_start { b"" } else { b"\n" };
        let pieces = before.chunks(1).chain(frames.chunks(PIECE_BYTES));
        for piece in pieces {
            if let Err(error) = pipes::write_to_client(piece) {
                tracing::debug!(%error, "write to the client");
                state.gone = true;
                let _ = self.events.send(Event::ClientGone);
                return;
            }
            let written = piece.len() as u64;
            self.written_bytes.fetch_add(written, Ordering::Relaxed);
        }
        state.at_line_start = *last == b'\n';
    }
}

/// Counts jobs that workers have not written yet.
#[derive(Debug, Default)]
struct InFlight {
    count: Mutex<usize>,
    none_left: Condvar,
}

impl InFlight {
    fn begin(&self) {
        *lock(&self.count) += 1;
    }

    fn end(&self) {
        let mut count = lock(&self.count);
        *count -= 1;
        if *count == 0 {
            self.none_left.notify_all();
        }
    }

    fn wait(&self) {
        let count = lock(&self.count);
        let _none = self.none_left.wait_while(count, |count| *count > 0);
    }
}
