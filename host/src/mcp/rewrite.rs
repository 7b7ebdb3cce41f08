//! The interface between the relay and a policy.

#[cfg(feature = "http")]
use super::counting::Counting;
use crate::chain::Unsent;
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

/// The memory that a frame occupies. Code that holds a large part of the frame holds this value, too.
pub type Room = Arc<dyn Any + Send + Sync>;

/// The work that computes an answer of Tamis's own.
pub type LocalWork = Box<dyn FnOnce() -> LocalAnswer + Send>;

/// Tamis's own answer, as raw JSON.
#[derive(Debug, PartialEq, Eq)]
pub enum LocalAnswer {
    Result(Vec<u8>),
    /// A JSON-RPC error object.
    Error(Vec<u8>),
}

/// A message of the server after redaction.
#[derive(Debug, PartialEq, Eq)]
pub enum Redacted {
    Unchanged,
    /// Raw JSON, an object.
    Changed(Vec<u8>),
    /// Nothing of it may be seen.
    Withheld(Unsent),
}

/// A request, as the policy sees it. `T`: see [`Rewrite::Trace`].
pub struct Asked<'a, T> {
    pub method: &'a str,
    /// Raw JSON.
    pub params: Option<&'a [u8]>,
    pub origin: Origin<'a, T>,
}

/// The transport's knowledge of a frame.
pub struct Origin<'a, T> {
    /// The value of the header that tells sessions apart, see [`Rewrite::session_header`].
    pub header: Option<&'a str>,
    /// The trace of its requests.
    pub trace: Option<&'a T>,
    /// The memory that the frame occupies, where that is counted.
    pub room: Option<&'a Room>,
    /// The count of its call, for a transport that can ask another machine without blocking a thread.
    #[cfg(feature = "http")]
    pub counting: Option<&'a Counting>,
}

impl<T> Clone for Asked<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Asked<'_, T> {}

impl<T> Clone for Origin<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Origin<'_, T> {}

impl<T> Default for Origin<'_, T> {
    fn default() -> Self {
        Origin {
            header: None,
            trace: None,
            room: None,
            #[cfg(feature = "http")]
            counting: None,
        }
    }
}

/// The questions that the relay asks the policy.
pub trait Rewrite: Send + Sync + 'static {
    /// The data that the policy holds for a request until its answer arrives: the chain, the arguments.
    type Bound: Send + Sync + 'static;

    /// The trace of a request, for observers. The relay only hands it on.
    type Trace: 'static;

    /// Is a chain bound to the answer of this request? Asked once for every request, except `tools/list`, and
    /// `tasks/get` and `tasks/result` of tasks that this connection created.
    fn bind(&self, asked: Asked<'_, Self::Trace>) -> Option<Self::Bound>;

    /// The name of the header that identifies a request's session, for transports with headers.
    fn session_header(&self) -> Option<&str> {
        None
    }

    /// Does Tamis itself answer this request? Then the upstream does not get the request. The returned work may
    /// take long: it runs on a worker.
    fn answer_locally(&self, asked: Asked<'_, Self::Trace>) -> Option<LocalWork> {
        let _ = asked;
        None
    }

    /// Whether a bound request's result passes byte for byte, and the policy only looks at it. Asked on the
    /// thread that reads, so the answer must be fast.
    fn passes(&self, bound: &Self::Bound, result: &[u8]) -> bool {
        let _ = (bound, result);
        false
    }

    /// New bytes for a bound request's `result`. Both are raw JSON, but the input is not checked: it may be
    /// broken or not UTF-8. None: the result passes byte for byte.
    fn result(&self, bound: &Self::Bound, result: &[u8]) -> Option<Vec<u8>>;

    /// New bytes for the result of a `tools/list`, under the same terms as [`Rewrite::result`].
    fn tools_list(&self, result: &[u8]) -> Option<Vec<u8>>;

    /// Whether [`Rewrite::tools_list`] may change anything. Asked when the answer arrives.
    fn rewrites_tools_list(&self) -> bool;

    /// Notes that the client gets a list of tools as the upstream sent it.
    fn tools_list_passes(&self, result: &[u8]) {
        let _ = result;
    }

    /// Whether another policy may replace this one and change the list of tools, so that the client must know
    /// that the list can change.
    fn announces_list_changes(&self) -> bool {
        false
    }

    /// Whether the client was shown another list of tools than it would get now. Asked after the policy has
    /// replaced another one.
    fn changes_tools_list(&self) -> bool {
        false
    }

    /// Whether the policy hides content from the model. Then an answer that belongs to no known request must not
    /// pass, since a client may take it for the answer to a known one.
    fn hides(&self) -> bool {
        false
    }

    /// Whether the policy hides results or tools from the model. Then a frame that readers could differ over
    /// must not pass in either direction. This holds for the rest of the connection, under every later
    /// policy.
    fn is_strict(&self) -> bool {
        self.hides()
    }

    /// Whether the policy looks at every message of the server before anything else does.
    fn redacts_messages(&self) -> bool {
        false
    }

    /// A message of the server (raw JSON, an object) without content that the model must not see. Asked before
    /// any other use of the message, if [`Rewrite::redacts_messages`].
    fn redact(&self, message: &[u8]) -> Redacted {
        let _ = message;
        Redacted::Unchanged
    }

    /// How long a frame that asks for this, or answers it, waits for the policy that replaces this one, whose
    /// filters are not ready yet. `None`: the frame does not wait.
    fn wait_for_filters(&self, method: &str) -> Option<Duration> {
        let _ = method;
        None
    }

    /// Notes that the client cancelled this request. An answer is unlikely, so the policy may drop data that
    /// only takes memory. Returns whether the rest is small enough to hold. If not, the rest is dropped: a later
    /// answer is then withheld if the policy hides content, and otherwise passes.
    fn cancelled(&self, bound: &mut Self::Bound) -> bool {
        let _ = bound;
        true
    }
}
