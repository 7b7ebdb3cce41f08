//! What is noted of a call and of a reading back, before anything is counted.

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
    /// As the operator named it.
    pub chain: String,
    /// None: the client did not say who it is.
    pub client: Option<Client>,
    /// Any name of the session that the call belongs to.
    pub session: String,
    /// What the model would have read without the chain, in pieces (a text block each).
    pub before: Vec<Arc<str>>,
    /// What it reads, in pieces, notes of Tamis's own included.
    pub after: Vec<Arc<str>>,
    /// What each document went through: a list of steps for each, in order.
    pub documents: Vec<Vec<Step>>,
    /// The result was withheld: what it held was not saved but hidden, so it counts as no saving.
    pub withheld: bool,
    /// Wall time that filtering the result took.
    pub time_spent: Duration,
    /// What the original is called, where it was kept and the model was told.
    pub reference: Option<String>,
}

/// What one step did to one document.
#[derive(Debug, Clone)]
pub struct Step {
    /// As the chain names it.
    pub filter: String,
    /// Name of the outcome: "edited", "timeout".
    pub outcome: &'static str,
    /// Whether the filter did not do its work.
    pub failed: bool,
    /// Whether it cut content, so that the original had to be kept.
    pub cut: bool,
    pub before: Arc<str>,
    /// The same allocation as `before`, where nothing changed.
    pub after: Arc<str>,
    pub time: Duration,
}

/// Who called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
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
    /// What was read; none: what was asked for is no reference.
    pub reference: Option<String>,
    /// The text of the answer; errors cost tokens too.
    pub answer: Arc<str>,
}

/// What waits to be written.
#[derive(Debug)]
pub(super) enum Item {
    Call(Entry),
    Read(ReadEntry),
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
        size_of::<Entry>() + text_bytes + steps().count() * size_of::<Step>()
    }
}

impl ReadEntry {
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<ReadEntry>() + self.answer.len()
    }
}
