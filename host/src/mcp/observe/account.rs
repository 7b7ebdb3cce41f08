//! The outcome of a result: how the call ended, which texts it had, and how each step ended.

use crate::chain::{Outcome, Receipt};
use crate::mcp::clients::Client;
use crate::mcp::shape::{Filtered, FilteredDocument};
use crate::mcp::shown::ClientDisplay;
use crate::policy::TOOL_NAME_BYTES;
use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Duration;

/// The call that was filtered.
pub(in crate::mcp) struct Subject<'a> {
    pub(in crate::mcp) server: &'a str,
    /// The tool's whole name; for output that no tool gave, the kind of output and its name.
    pub(in crate::mcp) tool: &'a str,
    pub(in crate::mcp) chain: &'a str,
    pub(in crate::mcp) client: Option<Arc<Client>>,
    /// A tool's unfiltered result, and how the client shows it; none: not a tool's result.
    pub(in crate::mcp) result: Option<(&'a [u8], ClientDisplay)>,
}

/// A result after a chain ran on it.
pub(in crate::mcp) struct Account<'a> {
    pub(super) subject: Subject<'a>,
    pub(super) filtered: &'a Filtered,
    /// The duration.
    pub(super) time: Duration,
    /// The text that the model would have read without the chain, one piece a document.
    pub(super) before: Vec<Arc<str>>,
    /// The text that the model reads.
    pub(super) after: Vec<Arc<str>>,
    steps: OnceCell<Vec<StepSum<'a>>>,
}

/// A step of a chain, over all documents that it ran on: a result may have hundreds.
#[derive(Default)]
pub(super) struct StepSum<'a> {
    pub(super) filter: &'a str,
    /// The ways in which it ended, each once, with its count.
    pub(super) endings: Vec<(&'static str, usize)>,
    /// The most important ending: a failure, then an edit.
    pub(super) outcome: &'static str,
    pub(super) has_failed: bool,
    pub(super) documents: usize,
    pub(super) bytes_before: usize,
    pub(super) bytes_after: usize,
    pub(super) time: Duration,
    weight: u8,
}

impl<'a> Account<'a> {
    pub(in crate::mcp) fn new(
        subject: Subject<'a>,
        filtered: &'a Filtered,
        time: Duration,
    ) -> Account<'a> {
        let documents = &filtered.documents;
        let before: Vec<Arc<str>> = documents.iter().filter_map(arrived).collect();
        // The chain's savings may have been undone as a whole.
        let after = if filtered.result.is_some() {
            let note = filtered.note.as_deref().map(Arc::from);
            documents.iter().filter_map(emitted).chain(note).collect()
        } else {
            before.clone()
        };
        Account {
            subject,
            filtered,
            time,
            before,
            after,
            steps: OnceCell::new(),
        }
    }

    /// The outcome of the result as a whole, in a word.
    pub(super) fn outcome(&self) -> &'static str {
        let filtered = self.filtered;
        let receipts = || {
            filtered
                .documents
                .iter()
                .flat_map(|document| &document.receipts)
        };
        if filtered.withheld {
            "withheld"
        } else if receipts().any(|receipt| receipt.outcome.is_failure()) {
            "failed"
        } else if filtered.result.is_some() {
            "edited"
        } else {
            "unchanged"
        }
    }

    /// The steps, in the order of the chain.
    pub(super) fn steps(&self) -> &[StepSum<'a>] {
        self.steps.get_or_init(|| {
            let mut steps: Vec<StepSum<'a>> = Vec::new();
            for document in &self.filtered.documents {
                for (place, receipt) in document.receipts.iter().enumerate() {
                    if place == steps.len() {
                        steps.push(StepSum::default());
                    }
                    steps[place].add(receipt);
                }
            }
            steps
        })
    }
}

impl<'a> StepSum<'a> {
    fn add(&mut self, receipt: &'a Receipt) {
        let ending = ending(receipt);
        let weight = match &receipt.outcome {
            outcome if outcome.is_failure() => 2,
            Outcome::Edited => 1,
            _ => 0,
        };
        if self.documents == 0 || weight > self.weight {
            self.outcome = ending;
            self.weight = weight;
        }
        match self.endings.iter_mut().find(|(known, _)| *known == ending) {
            Some((_, count)) => *count += 1,
            None => self.endings.push((ending, 1)),
        }
        self.filter = &receipt.filter;
        self.has_failed |= receipt.outcome.is_failure();
        self.documents += 1;
        self.bytes_before += receipt.before.text().len();
        self.bytes_after += receipt.after.text().len();
        self.time += receipt.time;
    }
}

/// How a step ended, in a word.
pub(super) fn ending(receipt: &Receipt) -> &'static str {
    if receipt.shadow && matches!(receipt.outcome, Outcome::Edited) {
        "shadow"
    } else {
        receipt.outcome.name()
    }
}

/// The beginning of a name that a client gave, for data that outlasts the call: a client can call tools that do
/// not exist.
pub(super) fn beginning(name: &str) -> &str {
    &name[..name.floor_char_boundary(TOOL_NAME_BYTES)]
}

pub(super) fn bytes_of(texts: &[Arc<str>]) -> usize {
    texts.iter().map(|text| text.len()).sum()
}

/// A document as it came.
fn arrived(document: &FilteredDocument) -> Option<Arc<str>> {
    let first = document.receipts.first()?;
    Some(first.before.text().clone())
}

/// A document after the chain.
fn emitted(document: &FilteredDocument) -> Option<Arc<str>> {
    let mut receipts = document.receipts.iter().rev();
    match receipts.find(|receipt| !receipt.shadow) {
        Some(last) => Some(last.after.text().clone()),
        None => arrived(document),
    }
}
