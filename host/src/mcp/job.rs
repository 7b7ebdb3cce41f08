//! Frames that have to be computed: rewritten answers, and answers that Tamis gives itself.
//!
//! Owns: what such a frame looks like, that it stays one line, and that a fault in the policy
//! costs one result and nothing else. Refuses to know: which answer belongs to which request.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::in_force::{Binding, InForce};
use super::notices;
use super::rewrite::{LocalAnswer, LocalWork, Rewrite};
use crate::json::Span;
use crate::sandbox::Spent;

/// Over stdio, up to this many bytes are rewritten on the thread that read them: handing a job to a worker
/// and waking the writer costs more than filtering 64 KiB, which takes about 0.1 ms.
const INLINE_BYTES: usize = 64 * 1024;

/// What the model reads in place of a result that a fault in Tamis kept from being filtered.
const WITHHELD: &[u8] = br#"{"content":[{"type":"text","text":"tamis: an internal fault kept this result from being filtered, so it is withheld"}],"isError":true}"#;

/// A frame to be computed. It owns all that it needs.
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

/// What replaces them.
pub(super) enum Replacement<R: Rewrite> {
    Result(Arc<Binding<R>>),
    /// The handshake, as its chain has it.
    Greeting {
        bound: Option<Arc<Binding<R>>>,
        /// Whether it has to say that the list of tools may change.
        promises: bool,
    },
    ToolsList,
    /// Nothing of it may be seen.
    Withhold,
}

impl Job {
    /// Whether it may take so long that it should not hold up the frames behind it.
    pub fn is_large(&self) -> bool {
        self.large
    }

    /// Bytes that it holds until it runs.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The frame, with the line ending it came with (none if Tamis made it), and what is to be put away once
    /// the frame is on its way. Does not panic, even if the policy does.
    pub fn run(self) -> (Vec<u8>, Spent) {
        Spent::collect(self.work)
    }

    /// A frame of the upstream's with what the policy makes of `edits`, which are in order.
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

    /// Tamis's own answer to a call. Nobody knows how long it takes.
    pub(super) fn local(raw_id: &[u8], work: LocalWork) -> Job {
        let mut answer = [b"{\"jsonrpc\":\"2.0\",\"id\":", raw_id].concat();
        let work = move || {
            let answered = catch_unwind(AssertUnwindSafe(work));
            let (key, json): (&[u8], _) = match answered {
                Ok(LocalAnswer::Result(result)) => (b",\"result\":", result),
                Ok(LocalAnswer::Error(error)) => (b",\"error\":", error),
                Err(_) => (b",\"result\":", WITHHELD.to_vec()),
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

    /// An answer that is there already.
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

/// The error for a request that the upstream cannot answer any more.
pub(super) fn ended(raw_id: &[u8]) -> Vec<u8> {
    error(raw_id, "the upstream server ended before it answered")
}

/// The error for a request that is not answered.
pub(super) fn error(raw_id: &[u8], message: &str) -> Vec<u8> {
    let message = serde_json::Value::from(message).to_string();
    let (head, middle): (&[u8], &[u8]) = (
        b"{\"jsonrpc\":\"2.0\",\"id\":",
        b",\"error\":{\"code\":-32000,\"message\":",
    );
    [head, raw_id, middle, message.as_bytes(), b"}}"].concat()
}

impl<R: Rewrite> Replacement<R> {
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
            Replacement::Withhold => Some(WITHHELD.to_vec()),
        }));
        made.unwrap_or_else(|_| match self {
            Replacement::Result(_) | Replacement::Greeting { .. } | Replacement::Withhold => {
                Some(WITHHELD.to_vec())
            }
            Replacement::ToolsList => None,
        })
    }
}

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

/// In JSON a line break can only be whitespace between tokens, but on stdio it ends the frame.
pub(super) fn extend_on_one_line(out: &mut Vec<u8>, json: &[u8]) {
    let mut at = out.len();
    out.extend_from_slice(json);
    while let Some(found) = memchr::memchr2(b'\n', b'\r', &out[at..]) {
        at += found;
        out[at] = b' ';
    }
}
