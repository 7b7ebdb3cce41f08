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

mod refuse;

use super::doubt;
use super::frame::Doubt;
use super::frame::{Frame, MessageView, RequestId};
use super::in_force::{Binding, InForce};
use super::job::{self, Change, Edit, MemberPlace, Replacement};
use super::loading::EVERY_MESSAGE;
use super::notices::Notices;
use super::pending::{Kind, Pending, Taken, Tasks};
use super::withheld::Withheld;
use crate::json::Span;

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

/// Members of results in which clients look for content that a model reads.
const READ_BY_MODELS: [&str; 6] = [
    "content",
    "structuredContent",
    "contents",
    "messages",
    "instructions",
    "toolResult",
];

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
            Redacted::Withheld => None,
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

    /// Waits until the policy in force can deal with all that a frame of the client's asks for.
    fn wait_for_filters(&self, bytes: &[u8], frame: &Frame) {
        let methods = frame.views().iter().filter_map(|view| view.method.clone());
        for method in methods.filter_map(|span| json::text(&bytes[span])) {
            // The answer's frame does, so that the upstream is asked at once.
            if method != "tools/list" {
                self.in_force.wait_for_filters(&method);
            }
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

    /// Notes one message of the client. Some: the answer, if the upstream does not get the message.
    fn request(
        &self,
        policy: &Arc<R>,
        bytes: &[u8],
        view: &MessageView,
        origin: Origin<'_, R::Trace>,
        noted: &mut Noted,
    ) -> Option<Job> {
        let method = json::text(&bytes[view.method.clone()?])?;
        let params = view.params.clone().map(|span| &bytes[span]);
        let asked = Asked {
            method: &method,
            params,
            origin,
        };
        let raw_id = view.id.clone().map(|span| &bytes[span]);
        let no_id = raw_id.is_none_or(|raw| RequestId::parse(raw).is_none());
        if no_id
            && method == "tools/call"
            && let Some(work) = policy.answer_locally(asked)
        {
            // A notification needs no answer, but some servers would act on it.
            return Some(Job::local(raw_id.unwrap_or(b"null"), work));
        }
        let Some((raw_id, id)) = raw_id.and_then(|raw| Some((raw, RequestId::parse(raw)?))) else {
            match &*method {
                "notifications/cancelled" => self.cancel(params),
                "notifications/initialized" => self.state().notices.client_is_ready(),
                _ => {}
            }
            return None;
        };
        let kind = match self.kind(policy, asked) {
            Ok(kind) => kind,
            Err(work) => return Some(Job::local(raw_id, work)),
        };
        let mut state = self.state();
        if state.ended {
            return Some(Job::ready(job::ended(raw_id)));
        }
        let hides = policy.hides();
        if hides && state.pending.may_be_taken_for_another(&id) {
            return Some(Job::ready(job::error(
                raw_id,
                "another request with this id is not answered yet: use another id",
            )));
        }
        // A subscription's notices are Tamis's to add to.
        noted.is_bound |= hides || !matches!(kind, Kind::Plain) || method == "subscriptions/listen";
        noted.requests.push(id.clone());
        state.pending.insert(id, raw_id, kind, hides);
        None
    }

    fn kind(
        &self,
        policy: &Arc<R>,
        asked: Asked<'_, R::Trace>,
    ) -> Result<Kind<Binding<R>>, LocalWork> {
        let Asked { method, params, .. } = asked;
        let bound = match method {
            "tools/list" => return Ok(Kind::ToolsList),
            "initialize" => return Ok(Kind::Greeting(Binding::bind(policy, asked))),
            "tasks/get" | "tasks/result" => {
                let known = params
                    .and_then(|params| member_text(params, "taskId"))
                    .and_then(|task| self.tasks().get(&task));
                let bound = known.or_else(|| Binding::bind(policy, asked));
                if bound.is_none() && method == "tasks/result" && policy.hides() {
                    // Whichever chain it was bound to, it was on another connection.
                    return Ok(Kind::Withhold);
                }
                if method == "tasks/get" {
                    let unknown = match policy.hides() {
                        true => Kind::UnknownTask,
                        false => Kind::Plain,
                    };
                    return Ok(bound.map_or(unknown, Kind::TaskState));
                }
                bound
            }
            _ => match policy.answer_locally(asked) {
                Some(work) => return Err(work),
                None => Binding::bind(policy, asked),
            },
        };
        Ok(bound.map_or(Kind::Plain, Kind::Bound))
    }

    fn cancel(&self, params: Option<&[u8]>) {
        let params = params.unwrap_or_default();
        let [id] = json::members(params, ["requestId"]);
        let Some(id) = id.and_then(|span| RequestId::parse(&params[span])) else {
            return;
        };
        self.state().pending.cancel(id, Binding::cancelled);
    }

    /// The change of one message of the upstream, if the policy may change it.
    fn edit(&self, bytes: &[u8], view: &MessageView) -> Option<Edit<R>> {
        let Known {
            change,
            hides,
            is_awaited,
        } = self.change(bytes, view);
        if let Some(policy) = self.in_force.redacting(hides) {
            let start = view.whole.start;
            let span = change
                .as_ref()
                .and_then(|found| found.place.find(bytes, view));
            let replacement = Replacement::Redacted {
                policy,
                change: change.map(Box::new),
                span: span.map(|span| span.start - start..span.end - start),
                id_is_known: is_awaited,
            };
            return Some(Edit {
                span: view.whole.clone(),
                replacement,
            });
        }
        let Change { place, replacement } = change?;
        let span = place.find(bytes, view)?;
        let is_needed = replacement.is_needed(&self.in_force, &bytes[span.clone()]);
        is_needed.then_some(Edit { span, replacement })
    }

    /// The parts of one message of the upstream that the policy may replace.
    fn change(&self, bytes: &[u8], view: &MessageView) -> Known<R> {
        let asks = || {
            let (method, params) = (view.method.clone()?, view.params.clone()?);
            self.notification(bytes, &bytes[method], params)
        };
        if !view.is_answer() {
            // Where it is no question either, the real answer is still to come.
            return Known::new(asks(), false);
        }
        let withheld = |why| {
            view.result
                .is_some()
                .then(|| withhold(MemberPlace::Result, why))
        };
        let id = view.id.clone();
        let id = id.and_then(|span| RequestId::parse(&bytes[span]));
        let Some(Taken { kind, hides }) = id.and_then(|id| self.state().pending.take(&id)) else {
            return match self.in_force.is_strict() {
                true => Known::new(withheld(Withheld::Unbound), true),
                false => Known::new(asks(), false),
            };
        };
        let Some(result) = view.result.clone() else {
            return Known::new(None, hides).awaited();
        };
        if hides && bytes[result.start] != b'{' {
            return Known::new(withheld(Withheld::Unchecked), hides).awaited();
        }
        let change = match kind {
            Kind::Withhold => withheld(Withheld::Unbound),
            Kind::Plain => None,
            Kind::Greeting(bound) => self.greeting(&bytes[result], bound),
            Kind::ToolsList => {
                self.in_force.wait_for_filters("tools/list");
                Some(Change {
                    place: MemberPlace::Result,
                    replacement: Replacement::ToolsList,
                })
            }
            Kind::Bound(bound) => self.bound_result(&bytes[result], bound, hides),
            Kind::TaskState(bound) => {
                task_result(&bytes[result], MemberPlace::Result, Some(bound), hides)
            }
            Kind::UnknownTask => task_result(&bytes[result], MemberPlace::Result, None, hides),
        };
        Known::new(change, hides).awaited()
    }

    /// Handles the result of `initialize`: Tamis may promise the client more than the upstream does.
    fn greeting(&self, result: &[u8], bound: Option<Arc<Binding<R>>>) -> Option<Change<R>> {
        let announces = self.in_force.get().announces_list_changes();
        let promises = self.state().notices.greeting(result, announces);
        let replacement = match bound {
            None if !promises => return None,
            bound => Replacement::Greeting { bound, promises },
        };
        Some(Change {
            place: MemberPlace::Result,
            replacement,
        })
    }

    /// A bound request's result, unless it only says that the result comes later.
    fn bound_result(
        &self,
        result: &[u8],
        bound: Arc<Binding<R>>,
        hides: bool,
    ) -> Option<Change<R>> {
        let [kind, task_id, task, content, structured] = json::members(
            result,
            [
                "resultType",
                "taskId",
                "task",
                "content",
                "structuredContent",
            ],
        );
        let kind = kind.and_then(|span| json::text(&result[span]));
        let task_id = match kind.as_deref() {
            Some("task") => task_id.and_then(|span| json::text(&result[span])),
            _ => task.and_then(|span| member_text(&result[span], "taskId")),
        };
        if let Some(task_id) = &task_id {
            self.tasks().insert(task_id, Arc::clone(&bound));
        }
        let comes_later = task_id.is_some() || kind.as_deref() == Some("input_required");
        // A frame with content is a result, with any other members.
        let is_read = || {
            READ_BY_MODELS
                .iter()
                .any(|name| !json::taken_for(result, name).is_empty())
        };
        if comes_later && content.is_none() && structured.is_none() && !(hides && is_read()) {
            return None;
        }
        Some(Change {
            place: MemberPlace::Result,
            replacement: Replacement::Result(bound),
        })
    }

    /// Handles a notification or request of the server. A server may push a task's result instead of waiting for
    /// a request.
    fn notification(&self, bytes: &[u8], method: &[u8], params: Span) -> Option<Change<R>> {
        match &*json::text(method)? {
            "notifications/tasks" | "notifications/tasks/status" => {
                let task = member_text(&bytes[params.clone()], "taskId");
                let bound = task.and_then(|task| self.tasks().get(&task));
                let hides = self.in_force.get().hides();
                if bound.is_none() && !hides {
                    return None;
                }
                if hides && doubt::of_members(&bytes[params.clone()], &["taskId"]).is_some() {
                    return Some(withhold(MemberPlace::Params, Withheld::Unbound));
                }
                task_result(&bytes[params], MemberPlace::Params, bound, hides)
            }
            "notifications/subscriptions/acknowledged" => {
                let mut state = self.state();
                let State {
                    pending, notices, ..
                } = &mut *state;
                notices.acknowledged(&bytes[params], pending);
                None
            }
            _ => None,
        }
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

/// The requests in a frame of the client.
#[derive(Default)]
struct Noted {
    requests: Vec<RequestId>,
    is_bound: bool,
}

/// The planned handling of a message of the upstream.
struct Known<R: Rewrite> {
    change: Option<Change<R>>,
    /// The message answers a request that began with a policy that hides content.
    hides: bool,
    /// The message answers a request of the client's.
    is_awaited: bool,
}

impl<R: Rewrite> Known<R> {
    fn new(change: Option<Change<R>>, hides: bool) -> Self {
        Known {
            change,
            hides,
            is_awaited: false,
        }
    }

    fn awaited(self) -> Self {
        Known {
            is_awaited: true,
            ..self
        }
    }
}

/// Nothing of a member may be seen.
fn withhold<R: Rewrite>(place: MemberPlace, why: Withheld) -> Change<R> {
    let replacement = Replacement::Withhold(why);
    Change { place, replacement }
}

/// The call's result inside a task's state, which is the member at `place`. Without `bound`, its chain is unknown.
fn task_result<R: Rewrite>(
    state: &[u8],
    place: MemberPlace,
    bound: Option<Arc<Binding<R>>>,
    hides: bool,
) -> Option<Change<R>> {
    let [result] = json::members(state, ["result"]);
    let taken_for = json::taken_for(state, "result").len();
    if hides && taken_for > usize::from(result.is_some()) {
        return Some(withhold(place, Withheld::Unchecked));
    }
    result?;
    let place = match place {
        MemberPlace::Params | MemberPlace::ResultInParams => MemberPlace::ResultInParams,
        MemberPlace::Result | MemberPlace::ResultInResult => MemberPlace::ResultInResult,
    };
    match bound {
        Some(bound) => Some(Change {
            place,
            replacement: Replacement::Result(bound),
        }),
        None => hides.then(|| withhold(place, Withheld::Unbound)),
    }
}

fn member_text<'a>(object: &'a [u8], name: &str) -> Option<Cow<'a, str>> {
    let [span] = json::members(object, [name]);
    json::text(&object[span?])
}

#[cfg(test)]
mod tests;
