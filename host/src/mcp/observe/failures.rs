//! Calls in which a step failed, on their way to the folder where they are saved.

use super::recording::Call;
use crate::chain::{Chain, Outcome, Receipt};
use crate::hex;
use crate::json;
use crate::mcp::shape::FilteredDocument;
use crate::policy::{ChainSpec, FilterRef, Policy, SAVED_FAILURES, Settings};
use crate::recording::{Failure, Recorder, Terms};
use crate::sandbox::{CallError, Part};
use std::sync::Arc;
use std::time::Duration;

/// Saves calls with failed steps.
pub struct Failures {
    recorder: Recorder,
    terms: Arc<Terms>,
}

/// The steps that a chain's receipts describe.
pub(in crate::mcp) struct Steps<'a> {
    pub(in crate::mcp) policy: &'a Policy,
    pub(in crate::mcp) spec: &'a ChainSpec,
    pub(in crate::mcp) chain: &'a Chain,
}

impl Failures {
    /// Sets the bounds of the table of defaults.
    pub fn new(recorder: Recorder) -> Failures {
        let terms = Terms {
            redact: None,
            most_calls: SAVED_FAILURES.files,
            most_bytes: SAVED_FAILURES.bytes,
        };
        Failures {
            recorder,
            terms: Arc::new(terms),
        }
    }

    /// Whether any step failed, so that the call is saved.
    pub(in crate::mcp) fn are_in(documents: &[FilteredDocument]) -> bool {
        let mut receipts = documents.iter().flat_map(|document| &document.receipts);
        receipts.any(|receipt| error_of(receipt).is_some())
    }

    /// Hands a call to the recorder, with the failures of its steps. `result` is the upstream's own.
    pub(super) fn note(
        &self,
        call: Call<'_>,
        steps: &Steps<'_>,
        documents: &[FilteredDocument],
        result: &[u8],
    ) {
        if call.hides {
            self.recorder.hold_back(call.tool);
            return;
        }
        let [is_error] = json::members(result, ["isError"]);
        let is_error = is_error.is_some_and(|span| &result[span] == b"true");
        let mut recorded = call.into_recorded(&self.recorder, result);
        for document in documents {
            // One for each step that was reached, in order.
            for (step, receipt) in document.receipts.iter().enumerate() {
                let place = (document.part, document.index);
                let failure = error_of(receipt)
                    .and_then(|error| steps.failure(step, receipt, error, place, is_error));
                recorded.failures.extend(failure);
            }
        }
        self.recorder.record(recorded, &self.terms);
    }
}

impl Steps<'_> {
    fn failure(
        &self,
        step: usize,
        receipt: &Receipt,
        error: &CallError,
        (part, index): (Part, u32),
        is_error: bool,
    ) -> Option<Failure> {
        let filter = self.chain.filters().nth(step)?;
        let step = self.spec.steps.get(step)?;
        let sha256 = match &step.filter {
            FilterRef::BuiltIn(_) => None,
            // It was read when it was loaded.
            FilterRef::Plugin(index) => self.policy.plugins[*index].read().ok(),
        };
        Some(Failure {
            filter: receipt.filter.clone(),
            plugin: filter.description().name.clone(),
            version: filter.description().version.clone(),
            sha256: sha256.map(|file| hex::encode(&file.sha256)),
            settings: Settings::clone(&step.settings),
            limits: Failure::limits_by_key(&step.limits),
            part: part.name().to_owned(),
            index,
            is_error,
            outcome: error.outcome().to_owned(),
            error: error.to_string(),
            is_json: Failure::is_json(&receipt.before),
            document: receipt.before.text().to_string(),
        })
    }
}

/// The error of a filter. None: it did not fail, or its author cannot fix the error.
fn error_of(receipt: &Receipt) -> Option<&CallError> {
    // No filter was called on a document that no filter can get.
    let was_called = receipt.time > Duration::ZERO || !receipt.before.text().is_empty();
    match &receipt.outcome {
        Outcome::Failed(CallError::NotKept(_)) => None,
        Outcome::Failed(error) => Some(error).filter(|_| was_called),
        _ => None,
    }
}

/// The part of that name.
pub fn part(name: &str) -> Part {
    let mut all = Part::ALL.into_iter();
    all.find(|part| part.name() == name)
        .unwrap_or(Part::Content)
}
