//! Frames that need work: rewritten answers, and Tamis's own answers.
//!
//! Owns: the form of such a frame, that it stays one line, and that a fault in the policy costs one result and
//! nothing else. Refuses to know: which answer belongs to which request.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::in_force::{Binding, InForce};
use super::notices;
use super::rewrite::{LocalAnswer, LocalWork, Rewrite};
use crate::json::Span;
use crate::sandbox::Spent;

/// Over stdio, frames up to this many bytes are rewritten on the thread that read them. To hand a job to a
/// worker and wake the writer costs more than to filter 64 KiB, which takes about 0.1 ms.
const INLINE_BYTES: usize = 64 * 1024;

/// The text that the model reads if a fault in Tamis prevented the filtering of a result.
const WITHHELD: &[u8] = br#"{"content":[{"type":"text","text":"tamis: an internal fault kept this result from being filtered, so it is withheld"}],"isError":true}"#;

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
    Withhold,
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
