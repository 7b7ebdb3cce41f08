//! Tamis's own conversation with a server: the list of its tools, and calls of them.
//!
//! Owns the handshake of both eras of the protocol, the pages of the list, calls, the time to wait for an
//! answer, and the end of the server. Refuses to know what the answers are for. No client takes part: Tamis
//! declines the server's requests, and ignores its notifications. As in a relay, the server uses Tamis's
//! standard error, since it may write there where to log in.

mod failure;
mod listed;

use crate::json;
use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::child::{Ending, Upstream};
use super::frame::{Frame, MessageView, RequestId};
use crate::json::Span;
use crate::system::signals::{self, HANGUP, INTERRUPT, TERMINATE};

pub use failure::Failure;
pub use listed::{ServerName, Tool};

/// The newest protocol with a handshake. Most servers speak it; older servers answer with their own version.
const VERSION: &str = "2025-11-25";

/// The protocol without a handshake: each request has the data of the handshake.
const VERSION_WITHOUT_HANDSHAKE: &str = "2026-07-28";

/// Most pages of the list of tools: a server that always names a next page has no end.
const PAGES: usize = 200;

/// Longest line of an answer: more than any model, and most clients, could take.
const LONGEST_LINE: u64 = 256 * 1024 * 1024;

/// How long the server may take to end once its input is closed, and once more after a signal.
const GRACE: Duration = Duration::from_secs(2);

/// How long the rest of a group whose leader has ended may still write.
const LINGER: Duration = Duration::from_millis(500);

/// JSON-RPC's code for an unknown method.
const NO_METHOD: i64 = -32601;

/// Most tools of a list: more than any client takes.
const TOOLS: usize = 20_000;

/// How a server is started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Start {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Variables added to those of Tamis that are no secret.
    pub env: Vec<(String, String)>,
    /// The folder that it runs in; none: the one of Tamis.
    pub folder: Option<PathBuf>,
}

/// A running server that has answered the handshake.
pub struct Inquiry {
    upstream: Upstream,
    /// The server's input; none once it is closed.
    input: Option<ChildStdin>,
    inbox: Receiver<Event>,
    signals: signals::Watch,
    /// How long to wait for an answer.
    patience: Duration,
    asked: i64,
    has_handshake: bool,
    /// The first line on standard output that was no message.
    noise: Option<String>,
    ended: Option<Ending>,
    /// The name that the server gives itself.
    pub server: ServerName,
}

enum Event {
    Line(Vec<u8>),
    Closed,
    Ended(Option<Ending>),
    Signal(i32),
}

impl Inquiry {
    /// Starts `command` and opens the conversation.
    ///
    /// # Errors
    ///
    /// The command does not start, ends, or does not answer as a server does within `patience`.
    pub fn start(command: &[OsString], patience: Duration) -> Result<Inquiry, Failure> {
        let start = Start {
            command: command.to_vec(),
            ..Start::default()
        };
        Inquiry::begin(&start, patience)
    }

    /// Starts a server that needs more than a command.
    ///
    /// # Errors
    ///
    /// As for [`Inquiry::start`], and its folder is missing.
    pub fn begin(start: &Start, patience: Duration) -> Result<Inquiry, Failure> {
        if let Some(folder) = start.folder.as_deref().filter(|path| !path.is_dir()) {
            return Err(Failure::NoFolder(folder.to_owned()));
        }
        let (events, inbox) = mpsc::sync_channel(16);
        let system = |error: io::Error| Failure::Start(error.into());
        let signals = watch_signals(events.clone()).map_err(system)?;
        let started = Upstream::start_in(&start.command, &start.env, start.folder.as_deref());
        let started = started.inspect_err(|_| signals.close());
        let (upstream, input, output) = started?;
        let watcher = upstream.watcher();
        let mut inquiry = Inquiry {
            upstream,
            input: Some(input),
            inbox,
            signals,
            patience,
            asked: 0,
            has_handshake: true,
            noise: None,
            ended: None,
            server: ServerName::default(),
        };
        let lines = events.clone();
        spawn("upstream", move || read_lines(output, &lines)).map_err(system)?;
        spawn("wait", move || {
            let _ = events.send(Event::Ended(watcher.wait().ok()));
        })
        .map_err(system)?;
        inquiry.greet()?;
        Ok(inquiry)
    }

    fn greet(&mut self) -> Result<(), Failure> {
        let greeting = json!({
            "protocolVersion": VERSION,
            "capabilities": {},
            "clientInfo": {"name": "tamis", "version": env!("CARGO_PKG_VERSION")},
        });
        let refused = match self.ask("initialize", greeting) {
            Ok(result) => {
                self.server = ServerName::read(&result);
                return self
                    .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
                    .map_err(|_| self.ending("initialize"));
            }
            Err(refused @ Failure::Refused { .. }) => refused,
            Err(error) => return Err(error),
        };
        // Servers of the era without a handshake refuse it.
        self.has_handshake = false;
        match self.ask("server/discover", json!({})) {
            Ok(result) => {
                self.server = ServerName::read(&result);
                Ok(())
            }
            Err(Failure::Refused { .. }) => Err(refused),
            Err(error) => Err(error),
        }
    }

    /// The tools that the server lists, each name once.
    ///
    /// # Errors
    ///
    /// The server gives no answer, or its answer is no list.
    pub fn tools(&mut self) -> Result<Vec<Tool>, Failure> {
        const METHOD: &str = "tools/list";
        let mut tools: Vec<Tool> = Vec::new();
        let mut names = HashSet::new();
        // The whole list is one answer: a server could take its time for each of many pages.
        let deadline = Instant::now() + self.patience;
        let mut cursor: Option<String> = None;
        for _ in 0..PAGES {
            let parameters = match &cursor {
                Some(cursor) => json!({ "cursor": cursor }),
                None => json!({}),
            };
            let page = self.ask_until(METHOD, parameters, deadline)?;
            let (listed, next) = listed::page(&page).ok_or(Failure::Broken { method: METHOD })?;
            for tool in listed {
                if names.insert(tool.name.clone()) {
                    tools.push(tool);
                }
            }
            if tools.len() > TOOLS {
                return Err(Failure::TooMany { most: TOOLS });
            }
            match next {
                None => return Ok(tools),
                next if next == cursor => break,
                next => cursor = next,
            }
        }
        Err(Failure::Endless)
    }

    /// A tool's answer: the bytes of its result.
    ///
    /// # Errors
    ///
    /// The server gives no answer, or refuses the call. After [`Failure::Silent`] and [`Failure::Refused`], more
    /// calls are possible.
    pub fn call(&mut self, tool: &str, arguments: &Map<String, Value>) -> Result<Vec<u8>, Failure> {
        let call = json!({"name": tool, "arguments": arguments});
        let result = self.ask("tools/call", call)?;
        let [kind] = json::members(&result, ["resultType"]);
        let is_complete = kind.is_none_or(|kind| &result[kind] == br#""complete""#);
        if !is_complete {
            return Err(Failure::Refused {
                method: "tools/call",
                message: "the server asks for input first".to_owned(),
            });
        }
        Ok(result)
    }

    /// Asks, and waits for the result.
    fn ask(&mut self, method: &'static str, parameters: Value) -> Result<Vec<u8>, Failure> {
        let deadline = Instant::now() + self.patience;
        self.ask_until(method, parameters, deadline)
    }

    fn ask_until(
        &mut self,
        method: &'static str,
        mut parameters: Value,
        deadline: Instant,
    ) -> Result<Vec<u8>, Failure> {
        if !self.has_handshake {
            parameters["_meta"] = about_tamis().into();
        }
        self.asked += 1;
        let id = self.asked;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters});
        if self.send(&request).is_err() {
            return Err(self.ending(method));
        }
        let result = self.wait(method, id, deadline);
        if let Err(Failure::Silent { .. }) = result
            && method == "tools/call"
        {
            let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
            // A server that reads nothing any more shows at the next question.
            let _ = self.send(&cancelled);
        }
        result
    }

    fn wait(
        &mut self,
        method: &'static str,
        id: i64,
        mut deadline: Instant,
    ) -> Result<Vec<u8>, Failure> {
        if self.ended.is_some() {
            deadline = Instant::now() + LINGER;
        }
        loop {
            let now = Instant::now();
            // A server that never stops talking is late, too.
            if now >= deadline {
                return Err(match self.ended {
                    Some(_) => self.ending(method),
                    None => Failure::Silent {
                        method,
                        patience: self.patience,
                        noise: self.noise.take(),
                    },
                });
            }
            match self.inbox.recv_timeout(deadline - now) {
                Ok(Event::Line(line)) => {
                    if let Some(answer) = self.hear(method, id, &line) {
                        return answer;
                    }
                }
                Ok(Event::Ended(ending)) => {
                    self.ended = ending.or(self.ended);
                    // Others of its group may hold its output, and the answer may be in it.
                    deadline = deadline.min(now + LINGER);
                }
                Ok(Event::Signal(signal)) => return Err(Failure::Interrupted(signal)),
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Event::Closed) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.ending(method));
                }
            }
        }
    }

    /// Sorts a line: the awaited answer, a question, or nothing of interest.
    fn hear(
        &mut self,
        method: &'static str,
        id: i64,
        line: &[u8],
    ) -> Option<Result<Vec<u8>, Failure>> {
        let views = match Frame::read(line) {
            Frame::Message(view) => vec![view],
            Frame::Batch(views) => views,
            Frame::Opaque => {
                let text = String::from_utf8_lossy(line).trim().to_owned();
                if self.noise.is_none() && !text.is_empty() {
                    self.noise = Some(text);
                }
                return None;
            }
        };
        let mut answer = None;
        for view in views {
            if view.method.is_some() && is_about(line, &view, id) && repeats(line, &view, method) {
                answer = Some(Err(Failure::Broken { method }));
            } else if view.method.is_some() {
                self.decline(line, &view);
            } else if is_about(line, &view, id) {
                answer = Some(result_of(method, line, &view));
            }
        }
        answer
    }

    /// Answers a request of the server: `ping` with a result, all others with an error.
    fn decline(&mut self, line: &[u8], view: &MessageView) {
        let (Some(id), Some(method)) = (&view.id, &view.method) else {
            return;
        };
        let id = String::from_utf8_lossy(&line[id.clone()]);
        let answer = if json::text(&line[method.clone()]).as_deref() == Some("ping") {
            r#""result":{}"#.to_owned()
        } else {
            format!(r#""error":{{"code":{NO_METHOD},"message":"no client is connected"}}"#)
        };
        let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{answer}}}\n");
        // If the server has ended, the awaited answer shows it.
        let _ = self.write(answer.as_bytes());
    }

    fn send(&mut self, message: &Value) -> io::Result<()> {
        self.write(format!("{message}\n").as_bytes())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.input {
            Some(input) => input.write_all(bytes).and_then(|()| input.flush()),
            None => Ok(()),
        }
    }

    /// The server takes or says nothing any more: waits a moment to learn how it ended.
    fn ending(&mut self, method: &'static str) -> Failure {
        if let Some(signal) = self.wait_for_end(LINGER) {
            return Failure::Interrupted(signal);
        }
        match self.ended {
            Some(ending) => Failure::Ended {
                method,
                ending: ending.to_string(),
                noise: self.noise.take(),
            },
            None => Failure::Closed {
                method,
                noise: self.noise.take(),
            },
        }
    }

    /// Waits until the server has ended, the time is over, or a signal came, which it returns.
    fn wait_for_end(&mut self, time: Duration) -> Option<i32> {
        let deadline = Instant::now() + time;
        while self.ended.is_none() {
            let left = deadline.checked_duration_since(Instant::now())?;
            match self.inbox.recv_timeout(left) {
                Ok(Event::Ended(ending)) => self.ended = ending.or(self.ended),
                Ok(Event::Signal(signal)) => return Some(signal),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
        None
    }
}

impl Drop for Inquiry {
    /// A server that was started in a container or over the network ends properly when its input is closed;
    /// killed, it may leave something behind.
    fn drop(&mut self) {
        self.input = None;
        self.wait_for_end(GRACE);
        if self.ended.is_none() {
            self.upstream.signal(TERMINATE);
            self.wait_for_end(GRACE);
        }
        self.signals.close();
    }
}

/// The data about Tamis in each request, in the era without a handshake.
fn about_tamis() -> Map<String, Value> {
    let about = [
        ("protocolVersion", json!(VERSION_WITHOUT_HANDSHAKE)),
        (
            "clientInfo",
            json!({"name": "tamis", "version": env!("CARGO_PKG_VERSION")}),
        ),
        ("clientCapabilities", json!({})),
    ];
    let about = about.into_iter();
    about
        .map(|(key, value)| (format!("io.modelcontextprotocol/{key}"), value))
        .collect()
}

fn is_about(line: &[u8], view: &MessageView, id: i64) -> bool {
    let found = view.id.clone().and_then(|at| RequestId::parse(&line[at]));
    let wanted = RequestId::Integer(id.into());
    found.is_some_and(|found| found == wanted || found.unquoted() == Some(wanted))
}

/// Whether a message is the very question that was asked: a terminal or `cat` says it back.
fn repeats(line: &[u8], view: &MessageView, method: &str) -> bool {
    let name = view.method.clone().and_then(|at| json::text(&line[at]));
    name.as_deref() == Some(method)
}

fn result_of(method: &'static str, line: &[u8], view: &MessageView) -> Result<Vec<u8>, Failure> {
    let bytes = |span: &Span| &line[span.clone()];
    match (&view.result, &view.error) {
        (Some(result), _) => Ok(bytes(result).to_vec()),
        (None, Some(error)) => {
            let error = bytes(error);
            let [message] = json::members(error, ["message"]);
            let message = message.and_then(|at| json::text(&error[at]).map(String::from));
            let message = message.unwrap_or_else(|| String::from_utf8_lossy(error).into_owned());
            Err(Failure::Refused { method, message })
        }
        (None, None) => Err(Failure::Broken { method }),
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let thread = thread::Builder::new().name(name.into());
    thread.spawn(work).map(|_| ())
}

fn read_lines(output: ChildStdout, events: &SyncSender<Event>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = output
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line);
        let event = match read {
            Ok(0) | Err(_) => Event::Closed,
            Ok(_) => Event::Line(line),
        };
        let is_over = matches!(event, Event::Closed);
        if events.send(event).is_err() || is_over {
            return;
        }
    }
}

/// Signals would end this process, and the server would stay.
fn watch_signals(events: SyncSender<Event>) -> io::Result<signals::Watch> {
    signals::watch(&[TERMINATE, INTERRUPT, HANGUP], move |signal| {
        events.send(Event::Signal(signal)).is_ok()
    })
}
