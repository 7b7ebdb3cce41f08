//! Frames that need work: rewritten answers, and Tamis's own answers.
//!
//! Owns: the form of such a frame, that it stays one line, and that a fault in the policy costs one result and
//! nothing else. Refuses to know: which answer belongs to which request.

use std::borrow::Cow;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::frame::{Frame, MessageView};
use super::in_force::{Binding, InForce};
use super::notices;
use super::rewrite::{LocalAnswer, LocalWork, Redacted, Rewrite};
use super::withheld::Withheld;
use crate::json::{self, Span};
use crate::sandbox::Spent;

/// Over stdio, frames up to this many bytes are rewritten on the thread that read them. To hand a job to a
/// worker and wake the writer costs more than to filter 64 KiB, which takes about 0.1 ms.
const INLINE_BYTES: usize = 64 * 1024;

/// Work that produces a frame. The job owns all the data that it needs.
pub struct Job {
    work: Box<dyn FnOnce() -> Vec<u8> + Send>,
    large: bool,
    bytes: usize,
}

/// Bytes of a frame that the policy may replace.
pub(super) struct Edit<R: Rewrite> {
    pub(super) span: Span,
    pub(super) replacement: Replacement<R>,
}

/// The replacement of some bytes.
pub(super) enum Replacement<R: Rewrite> {
    Result(Arc<Binding<R>>),
    /// The handshake, as its chain has it.
    Greeting {
        bound: Option<Arc<Binding<R>>>,
        /// Whether the handshake must say that the list of tools may change.
        promises: bool,
    },
    ToolsList,
    /// Nothing of it may be seen.
    Withhold(Withheld),
    /// The whole message, as the policy redacts it, and then with another change. `span`: the part that the
    /// change replaces in the message. `id_is_known`: the message answers a request of the client, and has its
    /// id.
    Redacted {
        policy: Arc<R>,
        change: Option<Box<Change<R>>>,
        span: Option<Span>,
        id_is_known: bool,
    },
}

/// A replacement, and the member of a message that it replaces.
pub(super) struct Change<R: Rewrite> {
    pub(super) place: MemberPlace,
    pub(super) replacement: Replacement<R>,
}

/// A member of a message that a policy may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberPlace {
    Result,
    Params,
    /// The member `result` of a task's state.
    ResultInResult,
    ResultInParams,
}

impl MemberPlace {
    /// The position of the member in the frame of a message.
    pub(super) fn find(self, frame: &[u8], view: &MessageView) -> Option<Span> {
        let outer = match self {
            MemberPlace::Result | MemberPlace::ResultInResult => view.result.clone()?,
            MemberPlace::Params | MemberPlace::ResultInParams => view.params.clone()?,
        };
        if matches!(self, MemberPlace::Result | MemberPlace::Params) {
            return Some(outer);
        }
        let [inner] = json::members(&frame[outer.clone()], ["result"]);
        let inner = inner?;
        Some(outer.start + inner.start..outer.start + inner.end)
    }
}

impl Job {
    /// Whether the job may take so long that it should not delay later frames.
    pub fn is_large(&self) -> bool {
        self.large
    }

    /// Bytes that the job holds until it runs.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Runs the job. Returns the frame, with the line ending it came with (none if Tamis made it), and the used
    /// instances, to put away once the frame is sent. Does not panic, even if the policy does.
    pub fn run(self) -> (Vec<u8>, Spent) {
        Spent::collect(self.work)
    }

    /// A frame of the upstream, changed by the policy at `edits`, which are in order.
    pub(super) fn edits<R: Rewrite>(
        in_force: Arc<InForce<R>>,
        frame: &[u8],
        edits: Vec<Edit<R>>,
    ) -> Job {
        let frame = frame.to_vec();
        Job {
            bytes: frame.len(),
            large: edits.iter().map(|edit| edit.span.len()).sum::<usize>() > INLINE_BYTES,
            work: Box::new(move || apply(&in_force, frame, &edits)),
        }
    }

    /// Tamis's own answer to a call. Its duration is unknown.
    pub(super) fn local(raw_id: &[u8], work: LocalWork) -> Job {
        let mut answer = [b"{\"jsonrpc\":\"2.0\",\"id\":", raw_id].concat();
        let work = move || {
            let answered = catch_unwind(AssertUnwindSafe(work));
            let (key, json): (&[u8], _) = match answered {
                Ok(LocalAnswer::Result(result)) => (b",\"result\":", result),
                Ok(LocalAnswer::Error(error)) => (b",\"error\":", error),
                Err(_) => (b",\"result\":", Withheld::Fault.result().into_bytes()),
            };
            answer.extend_from_slice(key);
            extend_on_one_line(&mut answer, &json);
            answer.push(b'}');
            answer
        };
        Job {
            work: Box::new(work),
            large: true,
            bytes: 0,
        }
    }

    /// An answer that is complete.
    pub(super) fn ready(answer: Vec<u8>) -> Job {
        Job {
            work: Box::new(|| answer),
            large: false,
            bytes: 0,
        }
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let large = self.large;
        out.debug_struct("Job")
            .field("large", &large)
            .finish_non_exhaustive()
    }
}

/// The error for a request that the upstream can no longer answer.
pub(super) fn ended(raw_id: &[u8]) -> Vec<u8> {
    error(raw_id, "the upstream server ended before it answered")
}

/// The error for a request that gets no answer.
pub(super) fn error(raw_id: &[u8], message: &str) -> Vec<u8> {
    let message = serde_json::Value::from(message).to_string();
    let (head, middle): (&[u8], &[u8]) = (
        b"{\"jsonrpc\":\"2.0\",\"id\":",
        b",\"error\":{\"code\":-32000,\"message\":",
    );
    [head, raw_id, middle, message.as_bytes(), b"}}"].concat()
}

impl<R: Rewrite> Replacement<R> {
    /// Whether it can change these bytes. If not, the policy has noted them.
    pub(super) fn is_needed(&self, in_force: &InForce<R>, old: &[u8]) -> bool {
        match self {
            Replacement::Result(bound) => !bound.passes(old),
            Replacement::ToolsList => {
                let is_rewritten = in_force.get().rewrites_tools_list();
                if !is_rewritten {
                    in_force.tools_list_passes(old);
                }
                is_rewritten
            }
            Replacement::Greeting { .. }
            | Replacement::Withhold(_)
            | Replacement::Redacted { .. } => true,
        }
    }

    /// The new bytes; none: they stay. Does not panic, even if the policy does.
    fn make(&self, in_force: &InForce<R>, old: &[u8]) -> Option<Vec<u8>> {
        let made = catch_unwind(AssertUnwindSafe(|| match self {
            Replacement::Result(bound) => bound.result(old),
            Replacement::Greeting { bound, promises } => {
                let new = bound.as_ref().and_then(|bound| bound.result(old));
                let promised =
                    promises.then(|| notices::with_promise(new.as_deref().unwrap_or(old)));
                promised.flatten().or(new)
            }
            Replacement::ToolsList => in_force.tools_list(old),
            Replacement::Withhold(why) => Some(why.result().into_bytes()),
            Replacement::Redacted {
                policy,
                change,
                span,
                id_is_known,
            } => {
                let change = change.as_deref().map(|change| (change, span.clone()));
                redacted(&**policy, change, *id_is_known, in_force, old)
            }
        }));
        made.unwrap_or_else(|_| match self {
            Replacement::Redacted {
                change,
                id_is_known,
                ..
            } => Some(withheld(
                old,
                change.as_deref(),
                *id_is_known,
                Withheld::Fault,
            )),
            Replacement::Result(_) | Replacement::Greeting { .. } | Replacement::Withhold(_) => {
                Some(Withheld::Fault.result().into_bytes())
            }
            Replacement::ToolsList => None,
        })
    }
}

/// A message as the policy redacts it, and then with a change, whose bytes in the message as it came are known. None: it
/// passes byte for byte.
fn redacted<R: Rewrite>(
    policy: &R,
    change: Option<(&Change<R>, Option<Span>)>,
    id_is_known: bool,
    in_force: &InForce<R>,
    message: &[u8],
) -> Option<Vec<u8>> {
    let (change, span) = change.map_or((None, None), |(change, span)| (Some(change), span));
    let notice = |why| withheld(message, change, id_is_known, why);
    let mut new = match policy.redact(message) {
        Redacted::Unchanged => Cow::Borrowed(message),
        Redacted::Changed(new) => Cow::Owned(new),
        Redacted::Withheld(why) => return Some(notice(why.into())),
    };
    if let Cow::Owned(changed) = &mut new
        && !keep_id(changed, message, id_is_known)
    {
        tracing::warn!("a message is withheld: a filter made another kind of message of it");
        return Some(notice(Withheld::NoMessage));
    }
    let span = match (&new, change) {
        (Cow::Owned(new), Some(change)) => match Frame::read(new) {
            Frame::Message(view) => change.place.find(new, &view),
            _ => None,
        },
        _ => span,
    };
    if let Some(change) = change
        && let Some(span) = span
    {
        let (replacement, old) = (&change.replacement, &new[span.clone()]);
        let made = replacement
            .is_needed(in_force, old)
            .then(|| replacement.make(in_force, old))
            .flatten();
        if let Some(made) = made {
            new = Cow::Owned([&new[..span.start], &made, &new[span.end..]].concat());
        }
    }
    match new {
        Cow::Borrowed(_) => None,
        Cow::Owned(new) => Some(new),
    }
}

/// Gives a redacted answer the id that the client chose. Returns false if the message is of another kind now.
fn keep_id(new: &mut Vec<u8>, message: &[u8], id_is_known: bool) -> bool {
    let (Frame::Message(before), Frame::Message(after)) = (Frame::read(message), Frame::read(new))
    else {
        return false;
    };
    let is_same_kind = before.is_answer() == after.is_answer()
        && before.result.is_some() == after.result.is_some()
        && before.method.is_some() == after.method.is_some()
        && before.id.is_some() == after.id.is_some();
    if let (true, Some(id), Some(place)) = (id_is_known, before.id, after.id)
        && new[place.clone()] != message[id.clone()]
    {
        new.splice(place, message[id].iter().copied());
    }
    is_same_kind
}

/// The message that takes the place of one of which nothing may be seen. A server that asked is told by the client
/// that the method is unknown.
fn withheld<R: Rewrite>(
    message: &[u8],
    change: Option<&Change<R>>,
    id_is_known: bool,
    why: Withheld,
) -> Vec<u8> {
    let Frame::Message(view) = Frame::read(message) else {
        return NOTHING.to_vec();
    };
    let is_call = change.is_some_and(|edit| matches!(edit.replacement, Replacement::Result(_)));
    match view.id.as_ref().map(|id| &message[id.clone()]) {
        // Nobody waits for it, and its id may say anything.
        _ if view.is_answer() && !id_is_known => NOTHING.to_vec(),
        Some(id) if view.is_answer() && view.result.is_some() && is_call => {
            let (head, middle): (&[u8], &[u8]) = (b"{\"jsonrpc\":\"2.0\",\"id\":", b",\"result\":");
            [head, id, middle, why.result().as_bytes(), b"}"].concat()
        }
        Some(id) if view.is_answer() => error(id, &why.answer()),
        // The server chose the id.
        Some(id) if id.iter().all(|b| b.is_ascii_digit() || *b == b'-') => [
            b"{\"jsonrpc\":\"2.0\",\"id\":",
            id,
            b",\"method\":\"tamis/withheld\"}",
        ]
        .concat(),
        _ => NOTHING.to_vec(),
    }
}

/// A notification that no client knows, in place of one of which nothing may be seen.
const NOTHING: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/tamis/withheld"}"#;

fn apply<R: Rewrite>(in_force: &InForce<R>, frame: Vec<u8>, edits: &[Edit<R>]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut copied = 0;
    for Edit { span, replacement } in edits {
        let new = replacement.make(in_force, &frame[span.clone()]);
        if let Some(new) = new {
            out.extend_from_slice(&frame[copied..span.start]);
            extend_on_one_line(&mut out, &new);
            copied = span.end;
        }
    }
    if copied == 0 {
        return frame;
    }
    out.extend_from_slice(&frame[copied..]);
    out
}

/// Appends JSON without line breaks. In JSON a line break is only whitespace between tokens, but on stdio it
/// ends the frame.
pub(super) fn extend_on_one_line(out: &mut Vec<u8>, json: &[u8]) {
    let mut at = out.len();
    out.extend_from_slice(json);
    while let Some(found) = memchr::memchr2(b'\n', b'\r', &out[at..]) {
        at += found;
        out[at] = b' ';
    }
}
