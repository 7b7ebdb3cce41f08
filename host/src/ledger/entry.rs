//! The entries of calls and reads, before anything is counted.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// One call whose tool has a chain. Its arguments are left out on purpose: they may hold secrets.
#[derive(Debug, Clone)]
pub struct Entry {
    /// When the result came.
    pub time: SystemTime,
    /// The upstream, as filters and logs call it.
    pub server: String,
    pub tool: String,
    /// The chain's name in the policy.
    pub chain: String,
    /// The client; none: it did not give its name.
    pub client: Option<ClientInfo>,
    /// Any name of the session that the call belongs to.
    pub session: String,
    /// The texts that the model would have read without the chain (one for each text block).
    pub before: Vec<Arc<str>>,
    /// The texts that it reads, Tamis's own notes included.
    pub after: Vec<Arc<str>>,
    /// The steps that each document passed, in order.
    pub documents: Vec<Vec<StepEntry>>,
    /// The result was withheld: its content was hidden, not saved, so it counts as no saving.
    pub withheld: bool,
    /// Wall time that filtering the result took.
    pub time_spent: Duration,
    /// The reference of the original, if it was stored and the model was told.
    pub reference: Option<String>,
    /// The result as the client would have shown it, and as it shows it; none: as `before` and `after` say.
    pub shown: Option<Later>,
    /// The agent that pays for the request of this call, by the name in [`ListingEntry::agent`]; none: no model
    /// asked.
    pub agent: Option<String>,
}

/// The tokens that Tamis added to one part of an agent's requests.
#[derive(Debug, Clone)]
pub struct ListingEntry {
    /// When the agent got it.
    pub time: SystemTime,
    /// Any name of the agent, the same for all of its servers.
    pub agent: String,
    pub server: String,
    /// The part: "tools", "instructions".
    pub part: &'static str,
    /// The part from the server, and the part that the agent got.
    pub tokens: Later,
}

/// Tokens before and after that are counted on the ledger's thread, since that takes time.
#[derive(Clone)]
pub struct Later {
    count: Arc<Counting>,
    bytes: usize,
    /// The sizes of the results that the texts are part of, each once; none: their tokens say nothing of others.
    result_bytes: Vec<usize>,
}

type Counting = dyn Fn(&dyn Fn(&str) -> u64) -> [u64; 2] + Send + Sync;

impl Later {
    /// `count` is given the ledger's way to count a text, and holds this many bytes of memory until then.
    pub fn new(
        bytes: usize,
        count: impl Fn(&dyn Fn(&str) -> u64) -> [u64; 2] + Send + Sync + 'static,
    ) -> Later {
        Later {
            count: Arc::new(count),
            bytes,
            result_bytes: Vec::new(),
        }
    }

    /// The texts are parts of results with so many bytes (one size: it is the same before and after). Of one tool, a result
    /// that is twice as long has about twice as many tokens, so they may be estimated.
    #[must_use]
    pub fn of_results(self, result_bytes: Vec<usize>) -> Later {
        Later {
            result_bytes,
            ..self
        }
    }

    pub(super) fn result_bytes(&self) -> &[usize] {
        &self.result_bytes
    }

    /// Tokens before, and after.
    pub(super) fn tokens(&self, count: &dyn Fn(&str) -> u64) -> [u64; 2] {
        (self.count)(count)
    }
}

impl fmt::Debug for Later {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes;
        out.debug_struct("Later")
            .field("bytes", &bytes)
            .finish_non_exhaustive()
    }
}

/// The effect of one step on one document.
#[derive(Debug, Clone)]
pub struct StepEntry {
    /// The name in the chain.
    pub filter: String,
    /// Name of the outcome: "edited", "timeout".
    pub outcome: &'static str,
    /// Whether the filter failed.
    pub failed: bool,
    /// Whether it cut content, so that the original was stored.
    pub cut: bool,
    pub before: Arc<str>,
    /// The text after the step: the same allocation as `before`, if nothing changed.
    pub after: Arc<str>,
    pub time: Duration,
}

/// The client that called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientInfo {
    pub name: String,
    pub version: String,
}

/// One answer to a model that read an original, or a part of it.
#[derive(Debug, Clone)]
pub struct ReadEntry {
    /// When it was answered.
    pub time: SystemTime,
    /// The upstream that stands behind this proxy.
    pub server: String,
    /// Under the same name as in [`Entry::session`].
    pub session: String,
    /// The original; none: the name in the request is no reference.
    pub reference: Option<String>,
    /// The answer as the model reads it; errors cost tokens too.
    pub answer: Arc<str>,
    /// The agent, as in [`Entry::agent`].
    pub agent: Option<String>,
}

/// An entry that waits to be written.
#[derive(Debug)]
pub(super) enum Item {
    Call(Box<Entry>),
    Read(ReadEntry),
    Listing(ListingEntry),
}

impl Entry {
    /// Memory that it holds, near enough: texts, each once, and steps.
    pub(super) fn memory_bytes(&self) -> usize {
        let steps = || self.documents.iter().flatten();
        // Most steps change nothing, and need no look at all.
        let changed = steps().filter(|step| !Arc::ptr_eq(&step.before, &step.after));
        let first = self.documents.iter().filter_map(|steps| steps.first());
        let texts = self.before.iter().chain(&self.after);
        let texts = texts.chain(first.map(|step| &step.before));
        let texts = texts.chain(changed.map(|step| &step.after));
        let mut texts: Vec<(*const u8, usize)> =
            texts.map(|text| (text.as_ptr(), text.len())).collect();
        texts.sort_unstable();
        texts.dedup();
        let text_bytes: usize = texts.iter().map(|(_, bytes)| bytes).sum();
        let shown_bytes = self.shown.as_ref().map_or(0, |shown| shown.bytes);
        size_of::<Entry>() + text_bytes + shown_bytes + steps().count() * size_of::<StepEntry>()
    }
}

impl ListingEntry {
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<ListingEntry>() + self.tokens.bytes
    }
}

impl ReadEntry {
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<ReadEntry>() + self.answer.len()
    }
}
