//! The operator's log of calls: one line each, at info.
//!
//! It says the same as the ledger, under the same names, and like it nothing of arguments or texts. Tokens
//! are counted for nobody but who asked for these lines, since it takes some 30 ms for each megabyte.

use super::read_tool::Answer;
use super::receipts::{Subject, Texts, ending};
use super::shape::{Filtered, FilteredDocument};
use crate::tokens;
use std::sync::Arc;
use std::time::Duration;
use tracing::Level;

/// A result that went down a chain.
pub(super) fn filtered(subject: &Subject<'_>, filtered: &Filtered, texts: &Texts, time: Duration) {
    if !tracing::enabled!(Level::INFO) {
        return;
    }
    let [before, after] = [&texts.before, &texts.after];
    let tokens_before = tokens_of(before);
    tracing::info!(
        server = subject.server,
        tool = subject.tool,
        chain = subject.chain,
        outcome = outcome(filtered),
        steps = steps(&filtered.documents),
        bytes_before = bytes_of(before),
        bytes_after = bytes_of(after),
        tokens_before,
        tokens_after = if is_same(before, after) {
            tokens_before
        } else {
            tokens_of(after)
        },
        time_us = micros(time),
        kept = filtered.kept,
        "filtered"
    );
}

/// A text that came by another way than MCP, and went down a chain.
pub(crate) fn text(server: &str, tool: &str, chain: &str, filtered: &Filtered, time: Duration) {
    let subject = Subject {
        server,
        tool: tool.to_owned(),
        chain,
        client: None,
        result: None,
    };
    self::filtered(&subject, filtered, &Texts::of(filtered), time);
}

/// An answer of the read tool.
pub(super) fn read_back(server: &str, answer: &Answer, time: Duration) {
    if !tracing::enabled!(Level::INFO) {
        return;
    }
    let reference = answer.reference.map(|reference| reference.to_string());
    tracing::info!(
        server,
        reference,
        bytes = answer.text.len(),
        tokens = tokens::count(&answer.text),
        time_us = micros(time),
        "read back"
    );
}

/// What became of the result as a whole, in a word.
pub(super) fn outcome(filtered: &Filtered) -> &'static str {
    let receipts = || filtered.documents.iter().flat_map(|it| &it.receipts);
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

/// How each step ended: `unwrap=unchanged rows=edited*3`, in the order of the chain. A result may be hundreds
/// of documents; a line has each end of a step once.
fn steps(documents: &[FilteredDocument]) -> String {
    let mut ends: Vec<(usize, &str, &str, usize)> = Vec::new();
    for document in documents {
        for (place, receipt) in document.receipts.iter().enumerate() {
            let end = (place, receipt.filter.as_str(), ending(receipt));
            match ends.iter_mut().find(|it| (it.0, it.1, it.2) == end) {
                Some(known) => known.3 += 1,
                None => ends.push((end.0, end.1, end.2, 1)),
            }
        }
    }
    ends.sort_by_key(|end| end.0);
    let words: Vec<String> = ends
        .into_iter()
        .map(|(_, filter, end, count)| match count {
            1 => format!("{filter}={end}"),
            count => format!("{filter}={end}*{count}"),
        })
        .collect();
    words.join(" ")
}

pub(super) fn bytes_of(texts: &[Arc<str>]) -> usize {
    texts.iter().map(|text| text.len()).sum()
}

fn tokens_of(texts: &[Arc<str>]) -> u64 {
    texts
        .iter()
        .map(|text| u64::from(tokens::count(text)))
        .sum()
}

/// Whether these are the same allocations.
fn is_same(before: &[Arc<str>], after: &[Arc<str>]) -> bool {
    before.len() == after.len()
        && before
            .iter()
            .zip(after)
            .all(|(one, other)| Arc::ptr_eq(one, other))
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
