//! Messages of the upstream: the positions where the policy may replace bytes.

use super::{Relay, Rewrite, State, member_text};
use crate::json::{self, Span};
use crate::mcp::doubt;
use crate::mcp::frame::{MessageView, RequestId};
use crate::mcp::in_force::Binding;
use crate::mcp::job::{Change, Edit, MemberPlace, Replacement};
use crate::mcp::pending::{Kind, Taken};
use crate::mcp::withheld::Withheld;
use std::sync::Arc;

/// Members of results in which clients look for content that a model reads.
const READ_BY_MODELS: [&str; 6] = [
    "content",
    "structuredContent",
    "contents",
    "messages",
    "instructions",
    "toolResult",
];

/// The planned handling of a message of the upstream.
struct Known<R: Rewrite> {
    change: Option<Change<R>>,
    /// The message answers a request that began with a policy that hides content.
    hides: bool,
    /// The message answers a request of the client's.
    is_awaited: bool,
}

impl<R: Rewrite> Relay<R> {
    /// The change of one message of the upstream, if the policy may change it.
    pub(super) fn edit(&self, bytes: &[u8], view: &MessageView) -> Option<Edit<R>> {
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
