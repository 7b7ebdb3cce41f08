//! One connection's state: what each frame means for the policy, without any input or output.
//!
//! Owns: which answers belong to which requests, where in a frame the bytes stand that a policy
//! may replace, and the answers that Tamis gives itself. Refuses to know: where frames come from
//! and go to, threads, filters, and what it takes to put another policy in force (`in_force`).
//!
//! A relay has one client and one upstream, so ids, progress tokens, cursors and the server's own
//! requests go through as they are. Frames are looked at by [`Relay::from_client`] and
//! [`Relay::from_upstream`]; work that may take long comes back as a [`Job`], to be run wherever
//! the transport likes.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::frame::{self, Frame, RequestId, Span, View};
use super::in_force::{Held, InForce};
use super::job::{self, By, Edit};
use super::notices::Notices;
use super::pending::{Kind, Pending, Taken, Tasks};

pub use super::job::Job;
pub use super::rewrite::{Asked, Beside, Own, OwnAnswer, Rewrite};

/// What becomes of a frame of the client's.
#[derive(Debug)]
pub struct FromClient {
    pub forward: Forward,
    /// Messages to the client, without a line ending.
    pub answers: Vec<Job>,
    /// The requests that the client waits for now.
    pub requests: Vec<RequestId>,
    /// Whether the policy has to look at what comes back.
    pub is_bound: bool,
}

/// What the upstream gets to see of a frame.
#[derive(Debug, PartialEq, Eq)]
pub enum Forward {
    /// The frame, byte for byte.
    AsItIs,
    /// Another one: a batch without the calls that Tamis answers.
    Instead(Vec<u8>),
    Nothing,
}

/// What becomes of a frame of the upstream's.
#[derive(Debug)]
pub enum FromUpstream {
    /// It goes on byte for byte.
    Forward,
    /// The client gets what the job makes of it.
    Rewrite(Job),
}

/// What follows from another policy that was put in force.
#[derive(Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The client has another list of tools than it would get now.
    pub lists_changed: bool,
    /// Messages that tell it so, without a line ending. None, if that was not agreed on.
    pub notices: Vec<Vec<u8>>,
}

/// The state of one connection. Both directions may use it at the same time.
pub struct Relay<R: Rewrite> {
    in_force: Arc<InForce<R>>,
    tasks: Arc<Mutex<Tasks<Held<R>>>>,
    state: Mutex<State<Held<R>>>,
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
            tasks: Arc::new(Mutex::new(Tasks::new())),
            state: Mutex::new(State::new()),
        }
    }

    /// A relay with the same policy, tasks and client, whose requests are its own: where a request
    /// and its answer are all there is of a connection, ids are unique in nothing else.
    #[must_use]
    pub fn sibling(&self) -> Self {
        Relay {
            in_force: Arc::clone(&self.in_force),
            tasks: Arc::clone(&self.tasks),
            state: Mutex::new(State::new()),
        }
    }

    /// The policy in force.
    pub fn policy(&self) -> Arc<R> {
        self.in_force.get()
    }

    /// Puts another policy in force. What was asked before is still dealt with by the one before;
    /// lists of tools are always the newest.
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

    /// The messages that tell the client that it has another list of tools, without a line ending. None, if
    /// that was not agreed on.
    pub fn tools_changed(&self) -> Vec<Vec<u8>> {
        let mut state = self.state();
        let State {
            pending, notices, ..
        } = &mut *state;
        notices.tools_changed(pending)
    }

    /// Notes what a frame asks for. To be called before the upstream gets it.
    pub fn from_client(&self, bytes: &[u8], beside: Beside<'_>) -> FromClient {
        let mut answers = Vec::new();
        let mut noted = Noted::default();
        let frame = Frame::read(bytes);
        self.wait_for_filters(bytes, &frame);
        let policy = self.in_force.get();
        let forward = match frame {
            Frame::Opaque => Forward::AsItIs,
            Frame::Message(view) => match self.request(&policy, bytes, &view, beside, &mut noted) {
                None => Forward::AsItIs,
                Some(answer) => {
                    answers.push(answer);
                    Forward::Nothing
                }
            },
            Frame::Batch(views) => {
                let mut kept = Vec::new();
                for view in &views {
                    match self.request(&policy, bytes, view, beside, &mut noted) {
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
        }
    }

    /// Waits until the policy in force can deal with all that a frame of the client's asks for.
    fn wait_for_filters(&self, bytes: &[u8], frame: &Frame) {
        let views = match frame {
            Frame::Opaque => &[],
            Frame::Message(view) => std::slice::from_ref(view),
            Frame::Batch(views) => views,
        };
        let methods = views.iter().filter_map(|view| view.method.clone());
        for method in methods.filter_map(|span| frame::text(&bytes[span])) {
            // The answer's frame does, so that the upstream is asked at once.
            if method != "tools/list" {
                self.in_force.wait_for_filters(&method);
            }
        }
    }

    /// Finds what the policy may replace in a frame of the upstream's.
    pub fn from_upstream(&self, bytes: &[u8]) -> FromUpstream {
        let mut edits = Vec::new();
        match Frame::read(bytes) {
            Frame::Opaque => {}
            Frame::Message(view) => edits.extend(self.edit(bytes, &view)),
            Frame::Batch(views) => {
                edits.extend(views.iter().filter_map(|view| self.edit(bytes, view)));
            }
        }
        if edits.is_empty() {
            return FromUpstream::Forward;
        }
        FromUpstream::Rewrite(Job::edits(Arc::clone(&self.in_force), bytes, edits))
    }

    /// The client waits for these answers no more. Where one comes all the same, the policy is applied.
    pub fn forget(&self, requests: Vec<RequestId>) {
        let mut state = self.state();
        for id in requests {
            state.pending.cancel(id);
        }
    }

    /// No answer will come: gives an error (a message without line ending) for each of these that the client
    /// still waits for.
    pub fn give_up(&self, requests: &[RequestId], why: &str) -> Vec<Vec<u8>> {
        let mut state = self.state();
        let ids = requests.iter().filter_map(|id| state.pending.remove(id));
        ids.map(|id| job::error(&id, why)).collect()
    }

    /// Whether an answer to any of these is still to come.
    pub fn awaits(&self, requests: &[RequestId]) -> bool {
        let state = self.state();
        requests.iter().any(|id| state.pending.waits_for(id))
    }

    /// Whether the client waits for an answer that it has not cancelled.
    pub fn awaits_answers(&self) -> bool {
        self.state().pending.any()
    }

    /// The upstream will not answer any more: gives an error (a message without line ending) for
    /// every request that waits. Requests that come later are answered by an error at once.
    pub fn upstream_ended(&self) -> Vec<Vec<u8>> {
        let waiting = {
            let mut state = self.state();
            state.ended = true;
            state.pending.drain()
        };
        waiting.iter().map(|id| job::ended(id)).collect()
    }

    /// Notes one message of the client's. Some: the answer, which the upstream has no part in.
    fn request(
        &self,
        policy: &Arc<R>,
        bytes: &[u8],
        view: &View,
        beside: Beside<'_>,
        noted: &mut Noted,
    ) -> Option<Job> {
        let method = frame::text(&bytes[view.method.clone()?])?;
        let params = view.params.clone().map(|span| &bytes[span]);
        let asked = Asked {
            method: &method,
            params,
            beside,
        };
        let raw_id = view.id.clone().map(|span| &bytes[span]);
        let no_id = raw_id.is_none_or(|raw| RequestId::parse(raw).is_none());
        if no_id
            && method == "tools/call"
            && let Some(own) = policy.own(asked)
        {
            // No request that has to be answered, but servers exist that would act on it.
            return Some(Job::own(raw_id.unwrap_or(b"null"), own));
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
            Err(own) => return Some(Job::own(raw_id, own)),
        };
        let mut state = self.state();
        if state.ended {
            return Some(Job::ended(raw_id));
        }
        let hides = policy.hides();
        // A subscription's notices are Tamis's to add to.
        noted.is_bound |= hides || !matches!(kind, Kind::Plain) || method == "subscriptions/listen";
        noted.requests.push(id.clone());
        state.pending.insert(id, raw_id, kind, hides);
        None
    }

    fn kind(&self, policy: &Arc<R>, asked: Asked<'_>) -> Result<Kind<Held<R>>, OwnAnswer> {
        let Asked { method, params, .. } = asked;
        let bound = match method {
            "tools/list" => return Ok(Kind::ToolsList),
            "initialize" => return Ok(Kind::Greeting(Held::bind(policy, asked))),
            "tasks/get" | "tasks/result" => {
                let known = params
                    .and_then(|params| member_text(params, "taskId"))
                    .and_then(|task| self.tasks().get(&task));
                let bound = known.or_else(|| Held::bind(policy, asked));
                if bound.is_none() && method == "tasks/result" && policy.hides() {
                    // Whichever chain it was bound to, it was on another connection.
                    return Ok(Kind::Withhold);
                }
                if method == "tasks/get" {
                    return Ok(bound.map_or(Kind::Plain, Kind::TaskState));
                }
                bound
            }
            _ => match policy.own(asked) {
                Some(own) => return Err(own),
                None => Held::bind(policy, asked),
            },
        };
        Ok(bound.map_or(Kind::Plain, Kind::Bound))
    }

    fn cancel(&self, params: Option<&[u8]>) {
        let params = params.unwrap_or_default();
        let [id] = frame::members(params, ["requestId"]);
        let Some(id) = id.and_then(|span| RequestId::parse(&params[span])) else {
            return;
        };
        if let Some(bound) = self.state().pending.cancel(id) {
            bound.cancelled();
        }
    }

    /// What the policy may replace in one message of the upstream's.
    fn edit(&self, bytes: &[u8], view: &View) -> Option<Edit<R>> {
        if let Some(method) = &view.method {
            let params = view.params.clone()?;
            return self.notification(bytes, &bytes[method.clone()], params);
        }
        if view.result.is_none() && view.error.is_none() {
            // No answer at all: the real one is still to come.
            return None;
        }
        let withheld = || {
            let span = view.result.clone()?;
            let by = By::Withhold;
            Some(Edit { span, by })
        };
        let id = RequestId::parse(&bytes[view.id.clone()?]);
        let Some(Taken { kind, hides }) = id.and_then(|id| self.state().pending.take(&id)) else {
            return withheld().filter(|_| self.in_force.get().hides());
        };
        let result = view.result.clone()?;
        if hides && bytes[result.start] != b'{' {
            return withheld();
        }
        match kind {
            Kind::Withhold => withheld(),
            Kind::Plain => None,
            Kind::Greeting(bound) => self.greeting(bytes, result, bound),
            Kind::ToolsList => {
                self.in_force.wait_for_filters("tools/list");
                if self.in_force.get().rewrites_tools_list() {
                    let by = By::ToolsList;
                    return Some(Edit { span: result, by });
                }
                self.in_force.tools_list_passes(&bytes[result]);
                None
            }
            Kind::Bound(bound) => self.bound_result(bytes, result, bound),
            Kind::TaskState(bound) => task_result(bytes, result, bound),
        }
    }

    /// The result of `initialize`: the client may have to be promised more than the upstream does.
    fn greeting(&self, bytes: &[u8], span: Span, bound: Option<Arc<Held<R>>>) -> Option<Edit<R>> {
        let announces = self.in_force.get().announces_list_changes();
        let promises = self
            .state()
            .notices
            .greeting(&bytes[span.clone()], announces);
        let by = match bound {
            None if !promises => return None,
            bound => By::Greeting { bound, promises },
        };
        Some(Edit { span, by })
    }

    /// A bound request's result, unless it only says that the result comes later.
    fn bound_result(&self, bytes: &[u8], span: Span, bound: Arc<Held<R>>) -> Option<Edit<R>> {
        let result = &bytes[span.clone()];
        let [kind, task_id, task, content, structured] = frame::members(
            result,
            [
                "resultType",
                "taskId",
                "task",
                "content",
                "structuredContent",
            ],
        );
        let kind = kind.and_then(|span| frame::text(&result[span]));
        let task_id = match kind.as_deref() {
            Some("task") => task_id.and_then(|span| frame::text(&result[span])),
            _ => task.and_then(|span| member_text(&result[span], "taskId")),
        };
        if let Some(task_id) = &task_id {
            self.tasks().insert(task_id, Arc::clone(&bound));
        }
        let comes_later = task_id.is_some() || kind.as_deref() == Some("input_required");
        // Whatever carries content is a result, whatever else it claims to be.
        if comes_later && content.is_none() && structured.is_none() {
            return None;
        }
        result_edit(bytes, span, bound)
    }

    /// What concerns the policy in a notification or request of the server's: it may push a task's
    /// result instead of waiting to be asked.
    fn notification(&self, bytes: &[u8], method: &[u8], params: Span) -> Option<Edit<R>> {
        match &*frame::text(method)? {
            "notifications/tasks" | "notifications/tasks/status" => {
                let task = member_text(&bytes[params.clone()], "taskId")?;
                let bound = self.tasks().get(&task)?;
                task_result(bytes, params, bound)
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

    fn tasks(&self) -> MutexGuard<'_, Tasks<Held<R>>> {
        // Nothing panics half-way through a change of the table.
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State<Held<R>>> {
        // Nothing panics half-way through a change of the tables.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

/// What a frame of the client's asks for.
#[derive(Default)]
struct Noted {
    requests: Vec<RequestId>,
    is_bound: bool,
}

/// The call's result inside a task's state.
fn task_result<R: Rewrite>(bytes: &[u8], state: Span, bound: Arc<Held<R>>) -> Option<Edit<R>> {
    let [result] = frame::members(&bytes[state.clone()], ["result"]);
    let result = result?;
    let span = state.start + result.start..state.start + result.end;
    result_edit(bytes, span, bound)
}

/// A result, if the policy may replace it.
fn result_edit<R: Rewrite>(bytes: &[u8], span: Span, bound: Arc<Held<R>>) -> Option<Edit<R>> {
    if bound.passes(&bytes[span.clone()]) {
        return None;
    }
    let by = By::Result(bound);
    Some(Edit { span, by })
}

fn member_text<'a>(object: &'a [u8], name: &str) -> Option<Cow<'a, str>> {
    let [span] = frame::members(object, [name]);
    frame::text(&object[span?])
}

#[cfg(test)]
mod tests;
