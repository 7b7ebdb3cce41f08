//! What the relay asks of a policy.

use std::time::Duration;

/// What computes the answer to a request that Tamis answers itself.
pub type LocalWork = Box<dyn FnOnce() -> LocalAnswer + Send>;

/// Tamis's own answer, as raw JSON.
#[derive(Debug, PartialEq, Eq)]
pub enum LocalAnswer {
    Result(Vec<u8>),
    /// A JSON-RPC error object.
    Error(Vec<u8>),
}

/// A request, as the policy is asked about it. `T`: see [`Rewrite::Trace`].
pub struct Asked<'a, T> {
    pub method: &'a str,
    /// Raw JSON.
    pub params: Option<&'a [u8]>,
    pub origin: Origin<'a, T>,
}

/// What the transport knows of a frame.
pub struct Origin<'a, T> {
    /// The value of the header that tells sessions apart, see [`Rewrite::session_header`].
    pub header: Option<&'a str>,
    /// Of its requests.
    pub trace: Option<&'a T>,
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
        }
    }
}

/// What the relay asks of the policy.
pub trait Rewrite: Send + Sync + 'static {
    /// What the policy keeps for a request until its answer is there: the chain, the arguments.
    type Bound: Send + Sync + 'static;

    /// What follows a request for whoever watches. The relay only hands it on.
    type Trace: 'static;

    /// Is a chain bound to what answers this request? Asked once, for every request but
    /// `tools/list`, and but `tasks/get` and `tasks/result` of tasks that this connection created.
    fn bind(&self, asked: Asked<'_, Self::Trace>) -> Option<Self::Bound>;

    /// The header of a request that tells sessions apart, where there are headers.
    fn session_header(&self) -> Option<&str> {
        None
    }

    /// Is this request Tamis's own to answer? Then the upstream does not see it. What is returned
    /// may take long: it runs on a worker.
    fn answer_locally(&self, asked: Asked<'_, Self::Trace>) -> Option<LocalWork> {
        let _ = asked;
        None
    }

    /// Whether a bound request's result goes on byte for byte, and the policy only looks at it. Asked on
    /// the thread that reads, so it may not take long.
    fn passes(&self, bound: &Self::Bound, result: &[u8]) -> bool {
        let _ = (bound, result);
        false
    }

    /// New bytes for a bound request's `result`. Both are raw JSON, but what comes in has not been
    /// checked: it may be broken or not UTF-8. None: it goes on byte for byte.
    fn result(&self, bound: &Self::Bound, result: &[u8]) -> Option<Vec<u8>>;

    /// New bytes for the result of a `tools/list`, under the same terms as [`Rewrite::result`].
    fn tools_list(&self, result: &[u8]) -> Option<Vec<u8>>;

    /// Whether [`Rewrite::tools_list`] has anything to do. Asked when the answer is there.
    fn rewrites_tools_list(&self) -> bool;

    /// The client gets a list of tools as the upstream sent it.
    fn tools_list_passes(&self, result: &[u8]) {
        let _ = result;
    }

    /// Whether another policy may take the place of this one and change the list of tools, so that
    /// the client has to know that it can change.
    fn announces_list_changes(&self) -> bool {
        false
    }

    /// Whether the client was shown another list of tools than it would be now. Asked when the
    /// policy has come into force in the place of another.
    fn changes_tools_list(&self) -> bool {
        false
    }

    /// Whether the policy keeps things from the model, so that an answer that belongs to no request,
    /// or to one that is not known, must not pass: a client may read it as one that is.
    fn hides(&self) -> bool {
        false
    }

    /// Whether the policy keeps results or tools from the model, so that a frame that readers could differ over
    /// must not pass in either direction. Holds for a connection from then on, whatever policy follows.
    fn is_strict(&self) -> bool {
        self.hides()
    }

    /// How long a frame that asks for this, or answers it, waits for another policy to take the place of this
    /// one, whose filters are not ready yet; for `None` it does not.
    fn wait_for_filters(&self, method: &str) -> Option<Duration> {
        let _ = method;
        None
    }

    /// The client cancelled this request. An answer is unlikely, so what only takes memory may go.
    fn cancelled(&self, bound: &mut Self::Bound) {
        let _ = bound;
    }
}
