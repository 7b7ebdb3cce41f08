//! Messages of the client: how the relay treats the answer to each request, and Tamis's own answers.

use super::{Asked, Job, LocalWork, Origin, Relay, Rewrite, member_text};
use crate::json;
use crate::mcp::frame::{Frame, MessageView, RequestId};
use crate::mcp::in_force::Binding;
use crate::mcp::job;
use crate::mcp::pending::Kind;
use std::sync::Arc;

/// The requests in a frame of the client.
#[derive(Default)]
pub(super) struct Noted {
    pub(super) requests: Vec<RequestId>,
    pub(super) is_bound: bool,
}

impl<R: Rewrite> Relay<R> {
    /// Waits until the policy in force is ready for all requests of a client's frame.
    pub(super) fn wait_for_filters(&self, bytes: &[u8], frame: &Frame) {
        let methods = frame.views().iter().filter_map(|view| view.method.clone());
        for method in methods.filter_map(|span| json::text(&bytes[span])) {
            // The answer's frame does, so that the upstream is asked at once.
            if method != "tools/list" {
                self.in_force.wait_for_filters(&method);
            }
        }
    }

    /// Notes one message of the client. Some: the answer, if the upstream does not get the message.
    pub(super) fn request(
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
}
