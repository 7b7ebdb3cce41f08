//! Chains: filters in order, on one document. What each step did is noted in a receipt.
//!
//! Owns the order of steps, the rule that an emission is never larger than what it replaces, the
//! rule that nothing is cut before the original is kept, and what happens when a filter fails.
//! Refuses to know: where documents come from, how a filter runs, and where originals are kept.

mod breaker;
mod load;
mod receipt;

use crate::document::{Document, TapeWanted};
use crate::policy::{OnError, Structured};
use crate::sandbox::{Applied, CallError, CallInfo, Fidelity, Filter, Verdict};
use breaker::Breaker;
use std::time::{Duration, Instant};

pub use load::{Chains, load};
pub use receipt::{Outcome, Receipt};

/// Filters in order.
pub struct Chain {
    /// As the operator named it.
    pub name: String,
    /// What becomes of `structuredContent`; none: what is right for the tool.
    pub structured: Option<Structured>,
    steps: Vec<Step>,
}

/// One filter of a chain.
struct Step {
    filter: Filter,
    on_error: OnError,
    breaker: Breaker,
}

/// Keeps the original of which a document is part. An error is for the operator.
pub type KeepOriginal<'a> = &'a dyn Fn() -> Result<(), String>;

/// What a chain made of a document.
#[derive(Debug)]
pub struct Run {
    pub emission: Emission,
    /// One for each step that was reached, in order.
    pub receipts: Vec<Receipt>,
    /// Members for the result's `_meta`: key and JSON. Later steps win.
    pub result_meta: Vec<(String, String)>,
}

/// What goes on from a chain.
#[derive(Debug)]
pub enum Emission {
    /// The document as it came.
    Unchanged,
    Changed(Document),
    /// Nothing: a step failed whose `on-error` is `block`.
    Withheld,
}

impl Chain {
    /// Whether a step may cut content.
    pub fn may_cut(&self) -> bool {
        let fidelity = |step: &Step| step.filter.description().fidelity;
        self.steps
            .iter()
            .any(|step| fidelity(step) == Fidelity::Partial)
    }

    /// Whether a step may make a document larger on purpose.
    pub fn may_grow(&self) -> bool {
        self.steps
            .iter()
            .any(|step| step.filter.description().may_grow)
    }

    /// Whether a step is there to keep something from the model (`on-error = "block"`). What such
    /// a chain cuts must not be had back by the model.
    pub fn hides(&self) -> bool {
        self.steps
            .iter()
            .any(|step| step.on_error == OnError::Block)
    }

    /// Runs every step on the document. `keep` is called before anything that was cut goes on.
    pub fn run(&self, document: &Document, call: &CallInfo<'_>, keep: KeepOriginal<'_>) -> Run {
        let mut run = Run {
            emission: Emission::Unchanged,
            receipts: Vec::with_capacity(self.steps.len()),
            result_meta: Vec::new(),
        };
        let mut current = document.clone();
        for (index, step) in self.steps.iter().enumerate() {
            let begun = Instant::now();
            let wanted = if index + 1 < self.steps.len() {
                TapeWanted::Yes
            } else {
                TapeWanted::No
            };
            let (outcome, next) = step.run(&current, call, wanted, keep, &mut run.result_meta);
            let after = next.as_ref().unwrap_or(&current);
            let withheld = outcome.is_failure() && step.on_error == OnError::Block;
            run.receipts.push(Receipt {
                filter: step.filter.name().to_owned(),
                before: current.clone(),
                after: after.clone(),
                time: begun.elapsed(),
                cut: matches!(outcome, Outcome::Edited) && step.cuts(),
                outcome,
                withheld,
            });
            if withheld {
                run.emission = Emission::Withheld;
                return run;
            }
            if let Some(next) = next {
                run.emission = Emission::Changed(next.clone());
                current = next;
            }
        }
        run
    }

    /// What becomes of a document that no filter can be given (`why`: it is not Unicode, say): its
    /// steps have failed.
    pub fn run_unreadable(&self, why: &str) -> Run {
        let failed = |step: &Step| Receipt {
            filter: step.filter.name().to_owned(),
            before: Document::text_only(""),
            after: Document::text_only(""),
            time: Duration::ZERO,
            cut: false,
            outcome: Outcome::Failed(CallError::Filter(why.to_owned())),
            withheld: step.on_error == OnError::Block,
        };
        let receipts: Vec<Receipt> = self.steps.iter().map(failed).collect();
        let withheld = receipts.iter().any(|receipt| receipt.withheld);
        Run {
            emission: if withheld {
                Emission::Withheld
            } else {
                Emission::Unchanged
            },
            receipts,
            result_meta: Vec::new(),
        }
    }
}

impl Step {
    fn cuts(&self) -> bool {
        self.filter.description().fidelity == Fidelity::Partial
    }

    /// What happened, and the document that goes on if it is another one.
    fn run(
        &self,
        document: &Document,
        call: &CallInfo<'_>,
        wanted: TapeWanted,
        keep: KeepOriginal<'_>,
        result_meta: &mut Vec<(String, String)>,
    ) -> (Outcome, Option<Document>) {
        if !self.filter.is_triggered(document) {
            return (Outcome::NotTriggered, None);
        }
        if self.breaker.is_open() {
            return (Outcome::Paused, None);
        }
        let applied = self.filter.apply(document, call, wanted);
        let fault = applied.as_ref().is_err_and(CallError::is_fault);
        if let Some(pause) = self.breaker.note(fault) {
            tracing::warn!(
                filter = self.filter.name(),
                "the filter failed {} times in a row and is left out for {pause:?}",
                breaker::FAULTS_BEFORE_PAUSE
            );
        }
        let applied = match applied {
            Ok(applied) => applied,
            Err(error) => {
                tracing::warn!(filter = self.filter.name(), tool = call.tool, "{error}");
                return (Outcome::Failed(error), None);
            }
        };
        let (outcome, next) = self.judge(document, &applied, keep);
        if !outcome.is_failure() && !matches!(outcome, Outcome::Larger) {
            for (key, value) in applied.result_meta {
                result_meta.retain(|(known, _)| *known != key);
                result_meta.push((key, value));
            }
        }
        (outcome, next)
    }

    /// Whether what the filter made goes on.
    fn judge(
        &self,
        document: &Document,
        applied: &Applied,
        keep: KeepOriginal<'_>,
    ) -> (Outcome, Option<Document>) {
        let next = match &applied.verdict {
            Verdict::Unchanged => return (Outcome::Unchanged, None),
            Verdict::Changed(next) if next.text() == document.text() => {
                return (Outcome::Unchanged, None);
            }
            Verdict::Changed(next) if self.is_larger(next, document) => {
                return (Outcome::Larger, None);
            }
            Verdict::Changed(next) => next,
        };
        if self.cuts()
            && let Err(error) = keep()
        {
            tracing::warn!(
                filter = self.filter.name(),
                "nothing is cut, since the original cannot be kept: {error}"
            );
            return (Outcome::NotKept, None);
        }
        (Outcome::Edited, Some(next.clone()))
    }

    /// A document of the same size saves nothing either. A step that blocks is not there to save
    /// anything, so what it makes goes on whatever its size.
    fn is_larger(&self, next: &Document, previous: &Document) -> bool {
        let may_grow = self.filter.description().may_grow || self.on_error == OnError::Block;
        next.text().len() >= previous.text().len() && !may_grow
    }
}
