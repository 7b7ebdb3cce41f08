//! The requests that the client still waits for, and the tasks that its calls became.
//!
//! Owns: the two tables of a connection and their bounds. Refuses to know: frames, policy.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::frame::RequestId;

/// A cancelled request is rarely answered, so nothing else would remove it. After this many newer cancelled
/// requests, no answer will come.
const CANCELLED_KEPT: usize = 4096;

/// No message says when a task has ended for good (its result may be read again), so the oldest are removed.
const TASKS_KEPT: usize = 4096;

/// How to treat the answer of a request.
#[derive(Debug)]
pub(super) enum Kind<B> {
    /// Forward the answer.
    Plain,
    /// The policy handles the result.
    Bound(Arc<B>),
    /// The chain is unknown, and some chains hide content.
    Withhold,
    /// The handshake, which a chain may be bound to.
    Greeting(Option<Arc<B>>),
    /// A list of tools.
    ToolsList,
    /// A task's state, which contains the result of the call once that exists.
    TaskState(Arc<B>),
    /// The state of a task whose chain is unknown, and some chains hide content.
    UnknownTask,
}

#[derive(Debug)]
struct Waiting<B> {
    kind: Kind<B>,
    hides: bool,
    /// The id as the client spelled it.
    spelling: Box<[u8]>,
    cancelled: bool,
    sequence: u64,
}

impl<B> Waiting<B> {
    /// Drops the policy's data for this request.
    fn release(&mut self) {
        self.kind = match self.hides {
            true => Kind::Withhold,
            false => Kind::Plain,
        };
    }
}

/// A request whose answer has arrived.
#[derive(Debug)]
pub(super) struct Taken<B> {
    pub(super) kind: Kind<B>,
    /// Whether the policy that the request began with hides content from the model.
    pub(super) hides: bool,
}

/// The requests that a client waits for.
#[derive(Debug)]
pub(super) struct Pending<B> {
    requests: HashMap<RequestId, Waiting<B>>,
    /// Cancelled ones, oldest first. May name ids that were answered or used again since.
    cancelled: VecDeque<RequestId>,
    sequence: u64,
}

impl<B> Pending<B> {
    pub(super) fn new() -> Self {
        Pending {
            requests: HashMap::new(),
            cancelled: VecDeque::new(),
            sequence: 0,
        }
    }

    /// Notes a request, and whether its policy hides content. If an id is used again, it means the newer
    /// request.
    pub(super) fn insert(&mut self, id: RequestId, spelling: &[u8], kind: Kind<B>, hides: bool) {
        self.sequence += 1;
        let waiting = Waiting {
            kind,
            hides,
            spelling: spelling.into(),
            cancelled: false,
            sequence: self.sequence,
        };
        self.requests.insert(id, waiting);
    }

    /// Whether the answer to an earlier request could be taken for the answer to a request with this id, to
    /// which another chain may be bound.
    pub(super) fn may_be_taken_for_another(&self, id: &RequestId) -> bool {
        let waiting = self.requests.get(id);
        waiting.is_some_and(|waiting| !waiting.cancelled || !matches!(waiting.kind, Kind::Plain))
    }

    /// Removes the request that an answer with this id belongs to.
    pub(super) fn take(&mut self, id: &RequestId) -> Option<Taken<B>> {
        let waiting = match self.requests.remove(id) {
            Some(waiting) => Some(waiting),
            None => self.requests.remove(&id.unquoted()?),
        };
        let Waiting { kind, hides, .. } = waiting?;
        Some(Taken { kind, hides })
    }

    /// Whether the client waits for the answer to this request.
    pub(super) fn waits_for(&self, id: &RequestId) -> bool {
        let waiting = self.requests.get(id);
        waiting.is_some_and(|waiting| !waiting.cancelled)
    }

    /// Drops the data that a policy bound to requests cancelled since. No client reads their answers, and they
    /// would hold a replaced policy in memory.
    pub(super) fn release_cancelled(&mut self) {
        for waiting in self
            .requests
            .values_mut()
            .filter(|request| request.cancelled)
        {
            if matches!(waiting.kind, Kind::Bound(_) | Kind::TaskState(_)) {
                waiting.release();
            }
        }
    }

    /// Notes that the client no longer waits, though an answer may still come. `reduce` makes the data that the
    /// policy bound to the request smaller, unless a task shares it, and returns whether the rest is kept.
    pub(super) fn cancel(&mut self, id: RequestId, reduce: impl FnOnce(&mut B) -> bool) {
        if self.cancelled.len() == CANCELLED_KEPT
            && let Some(oldest) = self.cancelled.pop_front()
            && self.requests.get(&oldest).is_some_and(|old| old.cancelled)
        {
            self.requests.remove(&oldest);
        }
        let Some(waiting) = self.requests.get_mut(&id) else {
            return;
        };
        waiting.cancelled = true;
        self.cancelled.push_back(id);
        if let Kind::Bound(bound) | Kind::TaskState(bound) = &mut waiting.kind
            && let Some(bound) = Arc::get_mut(bound)
            && !reduce(bound)
        {
            waiting.release();
        }
    }

    /// Removes a request. Returns its id as spelled, if the client still waits for the answer.
    pub(super) fn remove(&mut self, id: &RequestId) -> Option<Box<[u8]>> {
        let waiting = self.requests.remove(id)?;
        (!waiting.cancelled).then_some(waiting.spelling)
    }

    /// Whether the client still waits for any answer.
    pub(super) fn any(&self) -> bool {
        self.requests.values().any(|waiting| !waiting.cancelled)
    }

    /// Empties the table. Returns the ids that the client still waits for, as spelled and in the order of the
    /// requests.
    pub(super) fn drain(&mut self) -> Vec<Box<[u8]>> {
        self.cancelled.clear();
        let mut waiting: Vec<_> = self
            .requests
            .drain()
            .map(|(_, waiting)| waiting)
            .filter(|waiting| !waiting.cancelled)
            .collect();
        waiting.sort_unstable_by_key(|waiting| waiting.sequence);
        waiting.into_iter().map(|one| one.spelling).collect()
    }
}

/// The tasks that bound calls became.
///
/// A cancelled task stays. A client can only request that a task is cancelled; if a result comes nevertheless,
/// it must still go through its chain.
#[derive(Debug)]
pub(super) struct Tasks<B> {
    bound: HashMap<String, Arc<B>>,
    oldest_first: VecDeque<String>,
}

impl<B> Tasks<B> {
    pub(super) fn new() -> Self {
        Tasks {
            bound: HashMap::new(),
            oldest_first: VecDeque::new(),
        }
    }

    pub(super) fn insert(&mut self, task: &str, bound: Arc<B>) {
        if self.bound.insert(task.to_owned(), bound).is_some() {
            return;
        }
        if self.oldest_first.len() == TASKS_KEPT
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.bound.remove(&oldest);
        }
        self.oldest_first.push_back(task.to_owned());
    }

    pub(super) fn get(&self, task: &str) -> Option<Arc<B>> {
        self.bound.get(task).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_cancelled_requests_the_oldest_are_forgotten() {
        let mut pending = Pending::new();
        let ids = || (0..CANCELLED_KEPT + 10).map(|id| id.to_string());
        for id in ids() {
            let parsed = || RequestId::parse(id.as_bytes()).expect("an id");
            pending.insert(parsed(), id.as_bytes(), Kind::Bound(Arc::new(())), true);
            pending.cancel(parsed(), |()| true);
        }
        assert_eq!(pending.requests.len(), CANCELLED_KEPT);
        assert_eq!(pending.cancelled.len(), CANCELLED_KEPT);
        let mut take = |id: String| pending.take(&RequestId::parse(id.as_bytes()).expect("an id"));
        let left = ids().skip(10).all(|id| take(id).is_some());
        assert!(left, "the newest are there");
    }

    #[test]
    fn of_tasks_the_oldest_are_forgotten() {
        let mut tasks = Tasks::new();
        for task in 0..TASKS_KEPT + 10 {
            tasks.insert(&task.to_string(), Arc::new(task));
        }
        assert_eq!(tasks.bound.len(), TASKS_KEPT);
        assert_eq!(tasks.oldest_first.len(), TASKS_KEPT);
        assert_eq!(tasks.get("9"), None);
        assert_eq!(tasks.get("10").as_deref(), Some(&10));
    }
}
