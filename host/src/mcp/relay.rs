//! One connection's state: how the policy treats each frame, without any input or output.
//!
//! Owns: which answers belong to which requests, the positions in a frame where a policy may replace bytes, and
//! Tamis's own answers. Refuses to know: where frames come from and go to, threads, filters, and how another
//! policy is put in force (`in_force`).
//!
//! A relay has one client and one upstream, so ids, progress tokens, cursors and the server's own requests pass
//! unchanged. [`Relay::from_client`] and [`Relay::from_upstream`] look at frames. Work that may take long is
//! returned as a [`Job`], which the transport runs where it likes.

use crate::json;
use crate::lock::lock;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

mod answers;
mod refuse;
mod requests;

use super::doubt;
use super::frame::Doubt;
use super::frame::{Frame, RequestId};
use super::in_force::{Binding, InForce};
use super::job;
use super::loading::EVERY_MESSAGE;
use super::notices::Notices;
use super::pending::{Pending, Tasks};
use requests::Noted;

pub use super::job::Job;
pub use super::rewrite::{Asked, LocalAnswer, LocalWork, Origin, Redacted, Rewrite, Room};

/// How to handle a frame of the client.
#[derive(Debug)]
pub struct FromClient {
    pub forward: Forward,
    /// Messages to the client, without a line ending.
    pub answers: Vec<Job>,
    /// The requests that the client now waits for.
    pub requests: Vec<RequestId>,
    /// Whether the policy must look at the answer.
    pub is_bound: bool,
    /// Why the upstream does not get the frame, if readers could differ over it. Its requests are answered by
    /// errors.
    pub refused: Option<Doubt>,
}

/// The part of a frame that the upstream gets.
#[derive(Debug, PartialEq, Eq)]
pub enum Forward {
    /// The frame, byte for byte.
    AsItIs,
    /// Another frame: a batch without the calls that Tamis answers.
    Instead(Vec<u8>),
    Nothing,
}

/// How to handle a frame of the upstream.
#[derive(Debug)]
pub enum FromUpstream {
    /// The frame passes byte for byte.
    Forward,
    /// The client gets the job's result.
    Rewrite(Job),
    /// Nothing of the frame passes, since readers could differ over it.
    Refused(Refused),
}

/// The messages that the client gets in place of a refused frame.
#[derive(Debug)]
pub struct Refused {
    pub doubt: Doubt,
    /// The requests that the frame seems to answer.
    pub requests: Vec<RequestId>,
    /// An error for each of these requests, without a line ending.
    pub errors: Vec<Vec<u8>>,
}

/// The consequences of putting another policy in force.
#[derive(Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The client's list of tools differs from the list that it would get now.
    pub lists_changed: bool,
    /// Messages that tell the client so, without a line ending. None if the client did not agree to such
    /// messages.
    pub notices: Vec<Vec<u8>>,
}

/// Members of a request's params by which a policy recognises the target of the request.
const ASKED_BY: [&str; 6] = ["name", "uri", "arguments", "taskId", "requestId", "_meta"];

/// If no policy hides content, params are checked for these names for the log alone: up to this many bytes, and
/// only if none of the members is `name`, since that would cost every call.
const LOOKED_AT_BYTES: usize = 4096;

/// The state of one connection. Both directions may use it at the same time.
pub struct Relay<R: Rewrite> {
    in_force: Arc<InForce<R>>,
    /// The log has mentioned frames that readers could differ over.
    has_warned: AtomicBool,
    tasks: Arc<Mutex<Tasks<Binding<R>>>>,
    state: Mutex<State<Binding<R>>>,
}

struct State<B> {
    pending: Pending<B>,
    notices: Notices,
    ended: bool,
}

impl<R: Rewrite> Relay<R> {
    pub fn new(policy: Arc<R>) -> Self {
        Relay {
            in_force: Arc::new(InForce::new(policy)),
            has_warned: AtomicBool::new(false),
            tasks: Arc::new(Mutex::new(Tasks::new())),
            state: Mutex::new(State::new()),
        }
    }

    /// A relay with the same policy, tasks and client, but its own requests. For transports where a connection
    /// is one request and its answer: ids are unique only within it.
    #[must_use]
    pub fn sibling(&self) -> Self {
        Relay {
            in_force: Arc::clone(&self.in_force),
            has_warned: AtomicBool::new(self.has_warned.load(Ordering::Relaxed)),
            tasks: Arc::clone(&self.tasks),
            state: Mutex::new(State::new()),
        }
    }

    /// The policy in force.
    pub fn policy(&self) -> Arc<R> {
        self.in_force.get()
    }

    /// Whether frames that readers could differ over are refused, see [`Rewrite::is_strict`].
    pub fn is_strict(&self) -> bool {
        self.in_force.is_strict()
    }

    /// Whether a policy of this connection hides results, or did.
    pub fn has_hidden(&self) -> bool {
        self.in_force.has_hidden()
    }

    /// Whether a policy of this connection redacts whole messages, or did.
    pub fn redacts_messages(&self) -> bool {
        self.in_force.redacting(true).is_some()
    }

    /// A text that is no message (a header), as the policy that redacts messages leaves it. None: nothing of it may be
    /// seen.
    pub fn redacted_text(&self, text: &str) -> Option<String> {
        let Some(policy) = self.in_force.redacting(true) else {
            return Some(text.to_owned());
        };
        let message = serde_json::json!({"text": text}).to_string();
        match policy.redact(message.as_bytes()) {
            Redacted::Unchanged => Some(text.to_owned()),
            Redacted::Changed(new) => {
                let [new_text] = json::members(&new, ["text"]);
                Some(json::text(&new[new_text?])?.into_owned())
            }
            Redacted::Withheld(_) => None,
        }
    }

    /// Puts another policy in force. The earlier policy still handles earlier requests; lists of tools always
    /// follow the newest.
    pub fn replace(&self, policy: Arc<R>) -> Replaced {
        let lists_changed = self.in_force.replace(policy);
        self.state().pending.release_cancelled();
        Replaced {
            lists_changed,
            notices: if lists_changed {
                self.tools_changed()
            } else {
                Vec::new()
            },
        }
    }

    /// Notes that another replica ended the handshake with the client.
    #[cfg(feature = "http")]
    pub fn taken_over(&self) {
        let announces = self.in_force.get().announces_list_changes();
        self.state().notices.taken_over(announces);
    }

    /// The messages that tell the client that its list of tools has changed, without a line ending. None if the
    /// client did not agree to such messages.
    pub fn tools_changed(&self) -> Vec<Vec<u8>> {
        let mut state = self.state();
        let State {
            pending, notices, ..
        } = &mut *state;
        notices.tools_changed(pending)
    }

    /// Notes the requests of a frame. Call this before the upstream gets the frame.
    pub fn from_client(&self, bytes: &[u8], origin: Origin<'_, R::Trace>) -> FromClient {
        self.from_client_frame(bytes, &Frame::read(bytes), origin)
    }

    /// Does the same as `from_client`, for a frame that was read.
    pub fn from_client_frame(
        &self,
        bytes: &[u8],
        frame: &Frame,
        origin: Origin<'_, R::Trace>,
    ) -> FromClient {
        let mut answers = Vec::new();
        let mut noted = Noted::default();
        self.wait_for_filters(bytes, frame);
        let policy = self.in_force.get();
        if let Some(doubt) = self.doubt_in_request(bytes, frame) {
            return FromClient {
                forward: Forward::Nothing,
                answers: refuse::refusals(bytes, frame, doubt),
                requests: Vec::new(),
                is_bound: false,
                refused: Some(doubt),
            };
        }
        let forward = match frame {
            Frame::Opaque => Forward::AsItIs,
            Frame::Message(view) => match self.request(&policy, bytes, view, origin, &mut noted) {
                None => Forward::AsItIs,
                Some(answer) => {
                    answers.push(answer);
                    Forward::Nothing
                }
            },
            Frame::Batch(views) => {
                let mut kept = Vec::new();
                for view in views {
                    match self.request(&policy, bytes, view, origin, &mut noted) {
                        None => kept.push(&bytes[view.whole.clone()]),
                        Some(answer) => answers.push(answer),
                    }
                }
                if answers.is_empty() {
                    Forward::AsItIs
                } else if kept.is_empty() {
                    Forward::Nothing
                } else {
                    Forward::Instead([b"[", &*kept.join(&b','), b"]\n"].concat())
                }
            }
        };
        FromClient {
            forward,
            answers,
            requests: noted.requests,
            is_bound: noted.is_bound,
            refused: None,
        }
    }

    /// Finds the bytes that the policy may replace in a frame of the upstream.
    pub fn from_upstream(&self, bytes: &[u8]) -> FromUpstream {
        self.from_upstream_frame(bytes, &Frame::read(bytes), false)
    }

    /// Does the same as `from_upstream`, for a frame that was read. `is_readable`: [`doubt::unreadable`] found
    /// nothing.
    pub fn from_upstream_frame(
        &self,
        bytes: &[u8],
        frame: &Frame,
        is_readable: bool,
    ) -> FromUpstream {
        self.in_force.wait_for_filters(EVERY_MESSAGE);
        let doubt = match (self.in_force.is_strict(), is_readable) {
            (true, false) => doubt::of_frame(bytes, frame),
            (true, true) => doubt::of_readable(bytes, frame),
            (false, _) => frame.views().iter().find_map(|view| view.doubt),
        };
        if let Some(doubt) = self.judge("upstream server", doubt) {
            return FromUpstream::Refused(self.refuse(bytes, frame, doubt));
        }
        let views = frame.views().iter();
        let edits: Vec<_> = views.filter_map(|view| self.edit(bytes, view)).collect();
        if edits.is_empty() {
            return FromUpstream::Forward;
        }
        FromUpstream::Rewrite(Job::edits(Arc::clone(&self.in_force), bytes, edits))
    }

    /// The client no longer waits for these answers. If an answer comes nevertheless, the policy is applied.
    pub fn forget(&self, requests: Vec<RequestId>) {
        let mut state = self.state();
        for id in requests {
            state.pending.cancel(id, Binding::cancelled);
        }
    }

    /// Ends requests that will get no answer. Returns an error (a message without line ending) for each of them
    /// that the client still waits for.
    pub fn give_up(&self, requests: &[RequestId], why: &str) -> Vec<Vec<u8>> {
        let mut state = self.state();
        let ids = requests.iter().filter_map(|id| state.pending.remove(id));
        ids.map(|id| job::error(&id, why)).collect()
    }

    /// Whether an answer to any of these requests is outstanding.
    pub fn awaits(&self, requests: &[RequestId]) -> bool {
        let state = self.state();
        requests.iter().any(|id| state.pending.waits_for(id))
    }

    /// Whether the client waits for an answer to a request that it has not cancelled.
    pub fn awaits_answers(&self) -> bool {
        self.state().pending.any()
    }

    /// Notes that the upstream will answer no more. Returns an error (a message without line ending) for every
    /// request that waits. Later requests are answered by an error at once.
    pub fn upstream_ended(&self) -> Vec<Vec<u8>> {
        let waiting = {
            let mut state = self.state();
            state.ended = true;
            state.pending.drain()
        };
        waiting.iter().map(|id| job::ended(id)).collect()
    }

    fn tasks(&self) -> MutexGuard<'_, Tasks<Binding<R>>> {
        // Nothing panics half-way through a change of the table.
        lock(&self.tasks)
    }

    fn state(&self) -> MutexGuard<'_, State<Binding<R>>> {
        // Nothing panics half-way through a change of the tables.
        lock(&self.state)
    }
}

impl<B> State<B> {
    fn new() -> Self {
        State {
            pending: Pending::new(),
            notices: Notices::default(),
            ended: false,
        }
    }
}

fn member_text<'a>(object: &'a [u8], name: &str) -> Option<Cow<'a, str>> {
    let [span] = json::members(object, [name]);
    json::text(&object[span?])
}

#[cfg(test)]
mod tests;
