//! The operator's log of calls: one line each, at info.
//!
//! The log has the same data as the ledger, under the same names, and no arguments or texts either. Tokens are
//! counted only if the operator asked for these lines, since counting takes some 30 ms for each megabyte.

use super::account::{Account, StepSum, Subject, beginning, bytes_of};
use crate::mcp::read_tool::Answer;
use crate::mcp::shape::Filtered;
use crate::tokens;
use std::sync::Arc;
use std::time::Duration;
use tracing::Level;

/// A result after a chain ran on it.
pub(super) fn filtered(account: &Account<'_>) {
    if !tracing::enabled!(Level::INFO) {
        return;
    }
    let Account {
        subject,
        before,
        after,
        ..
    } = account;
    let tokens_before = tokens_of(before);
    tracing::info!(
        server = subject.server,
        tool = beginning(subject.tool),
        chain = subject.chain,
        outcome = account.outcome(),
        steps = steps(account.steps()),
        bytes_before = bytes_of(before),
        bytes_after = bytes_of(after),
        tokens_before,
        tokens_after = if is_same(before, after) {
            tokens_before
        } else {
            tokens_of(after)
        },
        time_us = micros(account.time),
        kept = account.filtered.kept,
        "filtered"
    );
}

/// A text that came by another way than MCP, after a chain ran on it.
pub(crate) fn text(server: &str, tool: &str, chain: &str, filtered: &Filtered, time: Duration) {
    let subject = Subject {
        server,
        tool,
        chain,
        client: None,
        result: None,
    };
    self::filtered(&Account::new(subject, filtered, time));
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

/// How each step ended: `unwrap=unchanged rows=edited*3`, in the order of the chain.
fn steps(steps: &[StepSum<'_>]) -> String {
    let mut words: Vec<String> = Vec::new();
    for step in steps {
        for (ending, count) in &step.endings {
            words.push(match count {
                1 => format!("{}={ending}", step.filter),
                count => format!("{}={ending}*{count}", step.filter),
            });
        }
    }
    words.join(" ")
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
