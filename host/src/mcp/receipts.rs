//! What the ledger is told of a filtered result, and of a reading back.

use super::clients::Client;
use super::read_tool::Answer;
use super::shape::{Filtered, FilteredDocument};
use crate::chain::{Outcome, Receipt};
use crate::ledger::{self, Entry, Ledger, ReadEntry, Step};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Connections of this process, so far.
static CONNECTIONS: AtomicU64 = AtomicU64::new(0);

/// The ledger, for one connection.
pub struct Receipts {
    ledger: Ledger,
    /// Tells this connection from all others.
    session: String,
}

/// What was filtered.
pub(super) struct Subject<'a> {
    pub(super) server: &'a str,
    /// The tool; for what no tool answered, the kind of output and its name.
    pub(super) tool: String,
    pub(super) chain: &'a str,
    pub(super) client: Option<Client>,
}

/// Texts of a result, a piece a document.
pub(super) struct Texts {
    /// What the model would have read without the chain.
    pub(super) before: Vec<Arc<str>>,
    /// What it reads.
    pub(super) after: Vec<Arc<str>>,
}

impl Receipts {
    pub fn new(ledger: Ledger) -> Receipts {
        let begun = SystemTime::now().duration_since(UNIX_EPOCH);
        let begun = begun.unwrap_or_default().as_millis();
        Receipts {
            ledger,
            // Connections over HTTP may begin in the same millisecond.
            session: format!(
                "{}-{begun}-{}",
                process::id(),
                CONNECTIONS.fetch_add(1, Ordering::Relaxed)
            ),
        }
    }

    /// Notes a result that went down a chain.
    pub(super) fn filtered(
        &self,
        subject: Subject<'_>,
        filtered: &Filtered,
        texts: Texts,
        time: Duration,
    ) {
        let documents = &filtered.documents;
        self.ledger.record(Entry {
            time: SystemTime::now(),
            server: subject.server.to_owned(),
            tool: subject.tool,
            chain: subject.chain.to_owned(),
            client: subject.client.map(|client| ledger::Client {
                name: client.name,
                version: client.version,
            }),
            session: self.session.clone(),
            before: texts.before,
            after: texts.after,
            documents: documents
                .iter()
                .map(|document| document.receipts.iter().map(step).collect())
                .collect(),
            withheld: filtered.withheld,
            time_spent: time,
            reference: filtered.kept.clone(),
        });
    }

    /// Notes an answer of the read tool.
    pub(super) fn read(&self, server: &str, answer: &Answer) {
        self.ledger.record_read(ReadEntry {
            time: SystemTime::now(),
            server: server.to_owned(),
            session: self.session.clone(),
            reference: answer.reference.map(|reference| reference.to_string()),
            answer: answer.text.as_str().into(),
        });
    }
}

impl Texts {
    pub(super) fn of(filtered: &Filtered) -> Texts {
        let documents = &filtered.documents;
        let before: Vec<Arc<str>> = documents.iter().filter_map(arrived).collect();
        // What was saved may have been put back as a whole.
        let after = if filtered.result.is_some() {
            let note = filtered.note.as_deref().map(Arc::from);
            documents.iter().filter_map(emitted).chain(note).collect()
        } else {
            before.clone()
        };
        Texts { before, after }
    }
}

/// A document as it came.
fn arrived(document: &FilteredDocument) -> Option<Arc<str>> {
    let first = document.receipts.first()?;
    Some(first.before.text().clone())
}

/// A document as it goes on.
fn emitted(document: &FilteredDocument) -> Option<Arc<str>> {
    let mut receipts = document.receipts.iter().rev();
    match receipts.find(|receipt| !receipt.shadow) {
        Some(last) => Some(last.after.text().clone()),
        None => arrived(document),
    }
}

/// How a step ended, in a word, for the ledger and the log.
pub(super) fn ending(receipt: &Receipt) -> &'static str {
    if receipt.shadow && matches!(receipt.outcome, Outcome::Edited) {
        "shadow"
    } else {
        receipt.outcome.name()
    }
}

fn step(receipt: &Receipt) -> Step {
    Step {
        filter: receipt.filter.clone(),
        outcome: ending(receipt),
        failed: receipt.outcome.is_failure(),
        cut: receipt.cut,
        before: receipt.before.text().clone(),
        after: receipt.after.text().clone(),
        time: receipt.time,
    }
}
