//! One connection's state: what each frame means for the policy, without any input or output.
//!
//! Owns: which answers belong to which requests, where in a frame the bytes stand that a policy
//! may replace, and the answers that Tamis gives itself. Refuses to know: where frames come from
//! and go to, threads, filters.
//!
//! A relay has one client and one upstream, so ids, progress tokens, cursors and the server's own
//! requests go through as they are. Frames are looked at by [`Relay::from_client`] and
//! [`Relay::from_upstream`]; work that may take long comes back as a [`Job`], to be run wherever
//! the transport likes.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::frame::{self, Frame, RequestId, Span, View};
use super::job::{self, By, Edit};
use super::pending::{Kind, Pending, Tasks};

pub use super::job::Job;

/// What computes the answer to a request that Tamis answers itself.
pub type OwnAnswer = Box<dyn FnOnce() -> Own + Send>;

/// Tamis's own answer, as raw JSON.
#[derive(Debug, PartialEq, Eq)]
pub enum Own {
    Result(Vec<u8>),
    /// A JSON-RPC error object.
    Error(Vec<u8>),
}

/// What the relay asks of the policy.
pub trait Rewrite: Send + Sync + 'static {
    /// What the policy keeps for a request until its answer is there: the chain, the arguments.
    type Bound: Send + Sync + 'static;

    /// Is a chain bound to what answers this request? Asked once, for every request but
    /// `tools/list`, and but `tasks/get` and `tasks/result` of tasks that this connection created.
    /// `params` is raw JSON.
    fn bind(&self, method: &str, params: Option<&[u8]>) -> Option<Self::Bound>;

    /// Is this request Tamis's own to answer? Then the upstream does not see it. What is returned
    /// may take long: it runs on a worker.
    fn own(&self, method: &str, params: Option<&[u8]>) -> Option<OwnAnswer> {
        let _ = (method, params);
        None
    }

    /// New bytes for a bound request's `result`. Both are raw JSON, but what comes in has not been
    /// checked: it may be broken or not UTF-8. None: it goes on byte for byte.
    fn result(&self, bound: &Self::Bound, result: &[u8]) -> Option<Vec<u8>>;

    /// New bytes for the result of a `tools/list`, under the same terms as [`Rewrite::result`].
    fn tools_list(&self, result: &[u8]) -> Option<Vec<u8>>;

    /// Whether [`Rewrite::tools_list`] has anything to do. Asked when the answer is there.
    fn rewrites_tools_list(&self) -> bool;

    /// Whether the policy keeps things from the model, so that an answer that belongs to no request,
    /// or to one that is not known, must not pass: a client may read it as one that is.
    fn hides(&self) -> bool {
        false
    }

    /// The client cancelled this request. An answer is unlikely, so what only takes memory may go.
    fn cancelled(&self, bound: &mut Self::Bound) {
        let _ = bound;
    }
}

/// What becomes of a frame of the client's.
#[derive(Debug)]
pub struct FromClient {
    pub forward: Forward,
    /// Messages to the client, without a line ending.
    pub answers: Vec<Job>,
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

/// The state of one connection. Both directions may use it at the same time.
pub struct Relay<R: Rewrite> {
    rewrite: Arc<R>,
    state: Mutex<State<R::Bound>>,
}

struct State<B> {
    pending: Pending<B>,
    tasks: Tasks<B>,
    ended: bool,
}

impl<R: Rewrite> Relay<R> {
    pub fn new(rewrite: Arc<R>) -> Self {
        let state = State {
            pending: Pending::new(),
            tasks: Tasks::new(),
            ended: false,
        };
        Relay {
            rewrite,
            state: Mutex::new(state),
        }
    }

    /// Notes what a frame asks for. To be called before the upstream gets it.
    pub fn from_client(&self, bytes: &[u8]) -> FromClient {
        let mut answers = Vec::new();
        let forward = match Frame::read(bytes) {
            Frame::Opaque => Forward::AsItIs,
            Frame::Message(view) => match self.request(bytes, &view) {
                None => Forward::AsItIs,
                Some(answer) => {
                    answers.push(answer);
                    Forward::Nothing
                }
            },
            Frame::Batch(views) => {
                let mut kept = Vec::new();
                for view in &views {
                    match self.request(bytes, view) {
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
        FromClient { forward, answers }
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
        FromUpstream::Rewrite(Job::edits(Arc::clone(&self.rewrite), bytes, edits))
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
    fn request(&self, bytes: &[u8], view: &View) -> Option<Job> {
        let method = frame::text(&bytes[view.method.clone()?])?;
        let params = view.params.clone().map(|span| &bytes[span]);
        let raw_id = view.id.clone().map(|span| &bytes[span]);
        let no_id = raw_id.is_none_or(|raw| RequestId::parse(raw).is_none());
        if no_id
            && method == "tools/call"
            && let Some(own) = self.rewrite.own(&method, params)
        {
            // No request that has to be answered, but servers exist that would act on it.
            return Some(Job::own(raw_id.unwrap_or(b"null"), own));
        }
        let Some((raw_id, id)) = raw_id.and_then(|raw| Some((raw, RequestId::parse(raw)?))) else {
            if method == "notifications/cancelled" {
                self.cancel(params);
            }
            return None;
        };
        let kind = match self.kind(&method, params) {
            Ok(kind) => kind,
            Err(own) => return Some(Job::own(raw_id, own)),
        };
        let mut state = self.state();
        if state.ended {
            return Some(Job::ended(raw_id));
        }
        state.pending.insert(id, raw_id, kind);
        None
    }

    fn kind(&self, method: &str, params: Option<&[u8]>) -> Result<Kind<R::Bound>, OwnAnswer> {
        let bound = match method {
            "tools/list" => return Ok(Kind::ToolsList),
            "tasks/get" | "tasks/result" => {
                let known = params
                    .and_then(|params| member_text(params, "taskId"))
                    .and_then(|task| self.state().tasks.get(&task));
                let bound = known.or_else(|| self.rewrite.bind(method, params).map(Arc::new));
                if bound.is_none() && method == "tasks/result" && self.rewrite.hides() {
                    // Whichever chain it was bound to, it was on another connection.
                    return Ok(Kind::Withhold);
                }
                if method == "tasks/get" {
                    return Ok(bound.map_or(Kind::Plain, Kind::TaskState));
                }
                bound
            }
            _ => match self.rewrite.own(method, params) {
                Some(own) => return Err(own),
                None => self.rewrite.bind(method, params).map(Arc::new),
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
            self.rewrite.cancelled(bound);
        }
    }

    /// What the policy may replace in one message of the upstream's.
    fn edit(&self, bytes: &[u8], view: &View) -> Option<Edit<R::Bound>> {
        if let Some(method) = &view.method {
            let params = view.params.clone()?;
            return self.task_notice(bytes, &bytes[method.clone()], params);
        }
        if view.result.is_none() && view.error.is_none() {
            // No answer at all: the real one is still to come.
            return None;
        }
        let hides = self.rewrite.hides();
        let withheld = || {
            let span = view.result.clone().filter(|_| hides)?;
            let by = By::Withhold;
            Some(Edit { span, by })
        };
        let id = RequestId::parse(&bytes[view.id.clone()?]);
        let Some(kind) = id.and_then(|id| self.state().pending.take(&id)) else {
            return withheld();
        };
        let result = view.result.clone()?;
        if hides && bytes[result.start] != b'{' {
            return withheld();
        }
        match kind {
            Kind::Withhold => withheld(),
            Kind::Plain => None,
            Kind::ToolsList => self.rewrite.rewrites_tools_list().then_some(Edit {
                span: result,
                by: By::ToolsList,
            }),
            Kind::Bound(bound) => self.bound_result(bytes, result, bound),
            Kind::TaskState(bound) => task_result(bytes, result, bound),
        }
    }

    /// A bound request's result, unless it only says that the result comes later.
    fn bound_result(
        &self,
        bytes: &[u8],
        span: Span,
        bound: Arc<R::Bound>,
    ) -> Option<Edit<R::Bound>> {
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
            self.state().tasks.insert(task_id, Arc::clone(&bound));
        }
        let comes_later = task_id.is_some() || kind.as_deref() == Some("input_required");
        // Whatever carries content is a result, whatever else it claims to be.
        if comes_later && content.is_none() && structured.is_none() {
            return None;
        }
        let by = By::Result(bound);
        Some(Edit { span, by })
    }

    /// A server may push a task's result instead of waiting to be asked.
    fn task_notice(&self, bytes: &[u8], method: &[u8], params: Span) -> Option<Edit<R::Bound>> {
        let method = frame::text(method)?;
        if !matches!(
            &*method,
            "notifications/tasks" | "notifications/tasks/status"
        ) {
            return None;
        }
        let task = member_text(&bytes[params.clone()], "taskId")?;
        let bound = self.state().tasks.get(&task)?;
        task_result(bytes, params, bound)
    }

    fn state(&self) -> MutexGuard<'_, State<R::Bound>> {
        // Nothing panics half-way through a change of the tables.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The call's result inside a task's state.
fn task_result<B>(bytes: &[u8], state: Span, bound: Arc<B>) -> Option<Edit<B>> {
    let [result] = frame::members(&bytes[state.clone()], ["result"]);
    let result = result?;
    Some(Edit {
        span: state.start + result.start..state.start + result.end,
        by: By::Result(bound),
    })
}

fn member_text<'a>(object: &'a [u8], name: &str) -> Option<Cow<'a, str>> {
    let [span] = frame::members(object, [name]);
    frame::text(&object[span?])
}

#[cfg(test)]
mod tests;
