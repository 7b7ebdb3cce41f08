//! Remarks on a test that expects nothing of the kind: steps that exceeded their time, steps that failed in a
//! test that passes, and steps that cut nothing since their chain stores no original.

use super::{Case, Outcome, Suite};
use crate::chain::{self, NO_ORIGINAL_HELP, Receipt, WHY_NO_ORIGINAL};
use crate::dry_run::Output;
use crate::mcp::shape::FilteredDocument;
use crate::policy::{ChainSpec, Code, Finding, OnError, Policy, Span, Unit};
use crate::sandbox::CallError;
use std::time::Duration;

/// How long each step may take behind `tamis run`, by chain. Tests give it more.
pub(super) fn times(policy: &Policy) -> Vec<Vec<Duration>> {
    let of_chain = |chain: &ChainSpec| chain.steps.iter().map(|step| step.limits.time).collect();
    policy.chains.iter().map(of_chain).collect()
}

/// How often a step that took too long is timed again: a single delay on a busy machine means nothing.
const AGAIN: usize = 2;

/// Times the steps of a chain again while one took longer than it may. The shortest time of each counts.
pub(super) fn time_again(may_take: &[Duration], output: &mut Output, run: impl Fn() -> Output) {
    for _ in 0..AGAIN {
        let slow = |document: &FilteredDocument| is_slow(&document.receipts, may_take);
        if !output.documents.iter().any(slow) {
            return;
        }
        for (document, again) in output.documents.iter_mut().zip(run().documents) {
            keep_shortest(&mut document.receipts, &again.receipts);
        }
    }
}

/// Times again the chains that get every message; receipts are by the index of their chain. `may_take`: of each
/// chain.
pub(super) fn time_messages_again(
    may_take: &[Vec<Duration>],
    receipts: &mut [(usize, Vec<Receipt>)],
    run: impl Fn() -> Vec<(usize, Vec<Receipt>)>,
) {
    for _ in 0..AGAIN {
        let slow = |(chain, receipts): &(usize, Vec<Receipt>)| is_slow(receipts, &may_take[*chain]);
        if !receipts.iter().any(slow) {
            return;
        }
        for ((_, receipts), (_, again)) in receipts.iter_mut().zip(run()) {
            keep_shortest(receipts, &again);
        }
    }
}

fn is_slow(receipts: &[Receipt], may_take: &[Duration]) -> bool {
    let mut steps = receipts.iter().zip(may_take);
    steps.any(|(receipt, may_take)| receipt.time > *may_take)
}

fn keep_shortest(receipts: &mut [Receipt], again: &[Receipt]) {
    for (receipt, again) in receipts.iter_mut().zip(again) {
        receipt.time = receipt.time.min(again.time);
    }
}

impl Suite {
    /// Warnings about the steps of a test, one at most of each step, at its place in the policy.
    pub fn remarks(&self, case: &Case, outcome: &Outcome) -> Vec<Finding> {
        let mut remarks = Vec::new();
        for (chain, receipts) in &outcome.on_message {
            self.of_chain(case, outcome, *chain, &[receipts], &mut remarks);
        }
        if let Some(chain) = outcome.index {
            let documents: Vec<&[Receipt]> = outcome
                .documents
                .iter()
                .map(|document| document.receipts.as_slice())
                .collect();
            self.of_chain(case, outcome, chain, &documents, &mut remarks);
        }
        remarks
    }

    fn of_chain(
        &self,
        case: &Case,
        outcome: &Outcome,
        chain: usize,
        documents: &[&[Receipt]],
        remarks: &mut Vec<Finding>,
    ) {
        let spec = &self.policy().chains[chain];
        let hides = self.chains.get(chain).is_some_and(|chain| chain.hides());
        for (index, step) in spec.steps.iter().enumerate() {
            let receipts = || documents.iter().filter_map(|document| document.get(index));
            let Some(first) = receipts().next() else {
                continue;
            };
            let name = &case.spec.name;
            let place = format!("step {} (`{}`)", index + 1, first.filter);
            let failure = receipts().find_map(|receipt| match &receipt.outcome {
                chain::Outcome::Failed(error) => Some(error),
                _ => None,
            });
            if let Some(error) = failure {
                // A test that fails says it itself.
                if outcome.passed() && !outcome.withheld {
                    remarks.push(failed(step.span, name, &place, error));
                }
                continue;
            }
            let slowest = receipts().map(|receipt| receipt.time).max();
            let may_take = self.times[chain][index];
            if let Some(took) = slowest.filter(|took| *took > may_take) {
                let blocks = step.on_error == OnError::Block;
                let message = format!("test `{name}`: {place} took longer than it may");
                remarks.push(slow(step.span, message, took, may_take, blocks));
            }
            let lacks = |receipt: &Receipt| matches!(receipt.outcome, chain::Outcome::NoOriginal);
            if hides && receipts().any(lacks) {
                let message = format!("test `{name}`: {place} left the document unchanged");
                let finding = Finding::warning(step.span, message, WHY_NO_ORIGINAL);
                let finding = finding.help(NO_ORIGINAL_HELP);
                remarks.push(finding.code(Code::StepNoOriginal));
            }
        }
    }
}

fn failed(span: Span, name: &str, place: &str, error: &CallError) -> Finding {
    let message = format!("test `{name}` passes, but {place} failed");
    let finding = Finding::warning(span, message, error.to_string()).code(Code::StepFailed);
    match error.remedy() {
        Some(remedy) => finding.help(remedy),
        None => finding,
    }
}

fn slow(span: Span, message: String, took: Duration, may_take: Duration, blocks: bool) -> Finding {
    let shown = |time: Duration| {
        // Whole milliseconds are enough, and a time above a limit must not look equal to it.
        let millis = time.as_micros().div_ceil(1000) as u64;
        Unit::Time.show(millis * 1000)
    };
    let may_take = Unit::Time.show(may_take.as_micros() as u64);
    let label = format!(
        "it took {}, and its limit `time` is {may_take}",
        shown(took)
    );
    let consequence = if blocks {
        "the result is withheld"
    } else {
        "the document continues without it"
    };
    let help = format!(
        "`tamis run` stops it after {may_take}, and {consequence}: find what takes the time with `tamis plugin profile`, or allow more with `limits = {{ time = \"…\" }}`; on a busy machine, run the test again"
    );
    Finding::warning(span, message, label)
        .help(help)
        .code(Code::StepSlow)
}
