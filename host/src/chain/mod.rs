//! Chains: filters in order, on one document. A receipt describes each step.
//!
//! Owns the order of steps, the rule that an emission is never larger than the document that it replaces, the
//! rule that the original is stored before a cut, and the reaction to a failed filter. Refuses to know: where
//! documents come from, how a filter runs, and where originals are stored.

mod advice;
mod breaker;
mod idle;
mod load;
mod messages;
mod plugins;
mod receipt;
mod settings;

use crate::built_in::{self, Role};
use crate::document::{Document, Kind, TapeWanted};
use crate::policy::{
    Audience, Blocks, Capability, Guard, InputSchema, OnError, PinTools, Structured,
};
use crate::sandbox::{
    Applied, CallError, CallInfo, Fidelity, Filter, Growth, NotKept, Originals, SessionView,
    Verdict,
};
use crate::tokens;
use breaker::Breaker;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use load::{Chains, examine, is_instant, lacks_plugins, load, while_loading};
pub use messages::{Redaction, Unsent};
pub use plugins::unreadable;
pub use receipt::{Outcome, Receipt};

/// The reason why a filter that names the original leaves results unchanged in a chain that redacts.
pub const WHY_NO_ORIGINAL: &str =
    "the filter names the original in what it writes, and a chain that redacts stores none";
/// The fix for that.
pub const NO_ORIGINAL_HELP: &str = "put the step that redacts into a chain of its own with `on = [\"*\"]`: it runs first, and this chain stores what it leaves";

/// Filters in order.
pub struct Chain {
    /// The name in the policy.
    pub name: String,
    /// The treatment of `structuredContent`; none: the default for the tool.
    pub structured: Option<Structured>,
    /// Whether several JSON blocks are one document.
    pub blocks: Blocks,
    /// The measure by which an emission must be smaller.
    pub guard: Guard,
    /// The treatment of the `inputSchema` of its tools.
    pub input_schema: InputSchema,
    /// Which of its tools to list in every request.
    pub pin_tools: PinTools,
    /// The treatment of blocks for the user alone; none: the default for the client.
    pub audience: Option<Audience>,
    steps: Vec<Step>,
    /// The known facts about its filters, while they are made ready.
    pending: Option<Pending>,
}

/// The known facts about a chain before its filters are ready. It cannot run.
struct Pending {
    hides: bool,
    has_steps: bool,
}

/// One filter of a chain.
struct Step {
    filter: Filter,
    on_error: OnError,
    shadow: bool,
    breaker: Breaker,
    /// Whether the log says already that it cuts nothing here.
    told: AtomicBool,
}

/// The outcome of a chain for a document.
#[derive(Debug)]
pub struct Run {
    pub emission: Emission,
    /// The receipts of the steps that were reached, in order.
    pub receipts: Vec<Receipt>,
    /// Members for the result's `_meta`: key and JSON. Later steps win.
    pub result_meta: Vec<(String, String)>,
    /// The session's values, with the new ones; they count when the caller commits them.
    pub session: SessionView,
}

/// The document that leaves a chain.
#[derive(Debug)]
pub enum Emission {
    /// The document as it came.
    Unchanged,
    Changed(Document),
    /// Nothing: a step failed whose `on-error` is `block`.
    Withheld,
}

impl Chain {
    /// Whether content may be cut: by a step, or by leaving out blocks for the user alone.
    pub fn may_cut(&self) -> bool {
        self.audience == Some(Audience::Enforce) || self.steps.iter().any(Step::cuts)
    }

    /// Whether a step may make a document larger on purpose.
    pub fn may_grow(&self) -> bool {
        self.steps
            .iter()
            .any(|step| step.filter.description().growth == Growth::Lasting)
    }

    /// Whether a step may address members by name, so that it matters in which document a text stands. Built-in filters
    /// that summarize and encode what they find do not.
    pub fn may_address_members(&self) -> bool {
        self.steps.iter().any(|step| {
            let goes_by_content = |filter: &built_in::BuiltIn| {
                filter.has(Role::Summarizes) || filter.has(Role::Encodes)
            };
            step.filter.fidelity() == Fidelity::Partial
                && !built_in::find(step.filter.name()).is_some_and(goes_by_content)
        })
    }

    /// Whether the chain has a step. Without one, its documents pass.
    pub fn has_steps(&self) -> bool {
        match &self.pending {
            Some(pending) => pending.has_steps,
            None => !self.steps.is_empty(),
        }
    }

    /// Whether a step hides content from the model (`on-error = "block"`). The model must not be able to
    /// read the content that such a chain cuts.
    pub fn hides(&self) -> bool {
        if let Some(pending) = &self.pending {
            return pending.hides;
        }
        self.steps
            .iter()
            .any(|step| step.on_error == OnError::Block && !step.shadow)
    }

    /// By step: whether it leaves every document unchanged, since it needs an original and the chain stores
    /// none.
    pub fn lacks_original(&self) -> impl Iterator<Item = bool> {
        let hides = self.hides();
        let steps = self.steps.iter();
        steps.map(move |step| hides && !step.shadow && step.needs_original())
    }

    /// Whether a step uses values that it set for earlier results of the session.
    pub fn uses_session(&self) -> bool {
        let wants = |step: &Step| {
            let wants = &step.filter.description().wants;
            wants.contains(&Capability::Session) && !step.shadow
        };
        self.steps.iter().any(wants)
    }

    /// The filters of the steps, in order.
    pub fn filters(&self) -> impl ExactSizeIterator<Item = &Filter> {
        self.steps.iter().map(|step| &step.filter)
    }

    /// Lets every step run again, however often its filter failed.
    pub fn forget_faults(&self) {
        for step in &self.steps {
            step.breaker.note(false);
        }
    }

    /// Lets every step run always, however often its filter fails.
    fn never_pause(&mut self) {
        for step in &mut self.steps {
            step.breaker = Breaker::never();
        }
    }

    /// The explanations that a model needs to read the output of the steps, in their order.
    pub fn legends(&self) -> impl Iterator<Item = &str> {
        let steps = self.steps.iter().filter(|step| !step.shadow);
        steps.filter_map(|step| step.filter.legend())
    }

    /// Runs every step on the document. A cut takes effect only after `originals` stored the
    /// result that the document is part of.
    ///
    /// # Panics
    ///
    /// Its filters are not ready: then nothing may pass that they would have changed.
    pub fn run(&self, document: &Document, call: &CallInfo<'_>, originals: &Originals) -> Run {
        assert!(
            self.pending.is_none(),
            "the filters of chain `{}` are not ready",
            self.name
        );
        let run = self.run_steps(document, call, originals, Growth::Interim);
        let Emission::Changed(emitted) = &run.emission else {
            return run;
        };
        let prepared = |(step, receipt): (&Step, &Receipt)| {
            let edited = matches!(receipt.outcome, Outcome::Edited) && !step.shadow;
            edited && step.growth() == Growth::Interim
        };
        // A later step may have had no use for the preparation of an earlier one.
        if self.hides()
            || self.may_grow()
            || !self.steps.iter().zip(&run.receipts).any(prepared)
            || is_smaller(self.guard, emitted, document, true)
        {
            return run;
        }
        self.run_steps(document, call, originals, Growth::None)
    }

    /// Runs the steps, but those that prepare for others only where `growth` is
    /// [`Growth::Interim`].
    fn run_steps(
        &self,
        document: &Document,
        call: &CallInfo<'_>,
        originals: &Originals,
        growth: Growth,
    ) -> Run {
        let mut run = Run {
            emission: Emission::Unchanged,
            receipts: Vec::with_capacity(self.steps.len()),
            result_meta: Vec::new(),
            session: call.session.cloned().unwrap_or_default(),
        };
        let mut current = document.clone();
        for (index, step) in self.steps.iter().enumerate() {
            let begun = Instant::now();
            let wanted = if index + 1 < self.steps.len() {
                TapeWanted::Yes
            } else {
                TapeWanted::No
            };
            let mut attempt = Attempt {
                guard: self.guard,
                originals: originals.clone(),
                result_meta: Vec::new(),
                session: Vec::new(),
            };
            let call = CallInfo {
                sent: Some(document),
                session: Some(&run.session),
                ..*call
            };
            if step.shadow {
                attempt.originals = originals.names_only();
            }
            let left_out = growth == Growth::None && step.growth() == Growth::Interim;
            let (outcome, next) = if left_out {
                (Outcome::Larger, None)
            } else {
                step.run(&current, &call, wanted, &mut attempt)
            };
            if matches!(outcome, Outcome::NoOriginal) && self.hides() {
                step.tell_of_no_original(&self.name);
            }
            let after = next.as_ref().unwrap_or(&current);
            let blocks = step.on_error == OnError::Block && !step.shadow;
            let withheld = outcome.is_failure() && blocks;
            run.receipts.push(Receipt {
                filter: step.filter.name().to_owned(),
                before: current.clone(),
                after: after.clone(),
                time: begun.elapsed(),
                legend: matches!(outcome, Outcome::Edited)
                    .then(|| step.legend_for(after))
                    .flatten(),
                cut: matches!(outcome, Outcome::Edited) && step.cuts(),
                outcome,
                shadow: step.shadow,
                withheld,
            });
            if withheld {
                run.emission = Emission::Withheld;
                return run;
            }
            if step.shadow {
                continue;
            }
            run.session.accept(step.filter.name(), attempt.session);
            for (key, value) in attempt.result_meta {
                run.result_meta.retain(|(known, _)| *known != key);
                run.result_meta.push((key, value));
            }
            if let Some(next) = next {
                run.emission = Emission::Changed(next.clone());
                current = next;
            }
        }
        run
    }

    /// The outcome for a document that no filter can get (`why`: for example, it is not Unicode): its
    /// steps have failed.
    pub fn run_unreadable(&self, why: &str, session: &SessionView) -> Run {
        let failed = |step: &Step| Receipt {
            filter: step.filter.name().to_owned(),
            before: Document::text_only(""),
            after: Document::text_only(""),
            time: Duration::ZERO,
            legend: None,
            cut: false,
            outcome: Outcome::Failed(CallError::Filter(why.to_owned())),
            shadow: step.shadow,
            withheld: step.on_error == OnError::Block && !step.shadow,
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
            session: session.clone(),
        }
    }
}

impl Step {
    fn growth(&self) -> Growth {
        self.filter.description().growth
    }

    /// How a model reads this document that the filter wrote. JSON of the same value explains itself.
    fn legend_for(&self, written: &Document) -> Option<String> {
        let legend = self.filter.legend().filter(|_| !self.shadow)?;
        let is_same_value =
            written.kind() == Kind::Json && self.filter.fidelity() == Fidelity::Exact;
        (!is_same_value).then(|| legend.to_owned())
    }

    /// Logs once that the filter cannot cut in a chain that redacts.
    fn tell_of_no_original(&self, chain: &str) {
        if !self.told.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                filter = self.filter.name(),
                chain,
                help = NO_ORIGINAL_HELP,
                "a result stays whole: {}",
                WHY_NO_ORIGINAL
            );
        }
    }

    /// Whether it can do nothing in a chain that redacts: it names the original in its output. `truncate` cuts
    /// without a name, too.
    fn needs_original(&self) -> bool {
        let wants = &self.filter.description().wants;
        let cuts_anyway =
            built_in::find(self.filter.name()).is_some_and(|filter| filter.has(Role::Truncates));
        wants.contains(&Capability::Original) && !cuts_anyway
    }

    fn cuts(&self) -> bool {
        self.filter.fidelity() == Fidelity::Partial && !self.shadow
    }

    /// Runs the step. Returns its outcome, and the new document if it differs.
    fn run(
        &self,
        document: &Document,
        call: &CallInfo<'_>,
        wanted: TapeWanted,
        attempt: &mut Attempt,
    ) -> (Outcome, Option<Document>) {
        if document.text().len() < self.filter.least_bytes() {
            return (Outcome::Unchanged, None);
        }
        if !self.filter.is_triggered(document) {
            return (Outcome::NotTriggered, None);
        }
        if self.breaker.is_open() {
            return (Outcome::Paused, None);
        }
        let applied = self
            .filter
            .apply(document, call, &attempt.originals, wanted);
        let fault = applied.as_ref().is_err_and(CallError::is_fault);
        if let Some(pause) = self.breaker.note(fault) {
            tracing::warn!(
                filter = self.filter.name(),
                "the filter failed {} times in a row, and is paused for {pause:?}",
                breaker::FAULTS_BEFORE_PAUSE
            );
        }
        let applied = match applied {
            Ok(applied) => applied,
            Err(CallError::NotKept(NotKept::NotWorthIt)) => return (Outcome::Larger, None),
            Err(error) => {
                tracing::warn!(
                    filter = self.filter.name(),
                    tool = call.tool,
                    help = error.remedy(),
                    "{error}"
                );
                return (Outcome::Failed(error), None);
            }
        };
        let (outcome, next) = self.judge(document, &applied, attempt);
        if !outcome.is_failure() && !matches!(outcome, Outcome::Larger) {
            attempt.result_meta = applied.result_meta;
            attempt.session = applied.session;
        }
        (outcome, next)
    }

    /// Whether the filter's output is used.
    fn judge(
        &self,
        document: &Document,
        applied: &Applied,
        attempt: &Attempt,
    ) -> (Outcome, Option<Document>) {
        let next = match &applied.verdict {
            Verdict::Unchanged if applied.lacks_original => return (Outcome::NoOriginal, None),
            Verdict::Unchanged => return (Outcome::Unchanged, None),
            Verdict::Changed { document: next, .. } if next.text() == document.text() => {
                return (Outcome::Unchanged, None);
            }
            Verdict::Changed {
                document: next,
                rewritten,
            } => {
                // A step that blocks is not there to save anything.
                let may_grow = self.growth() != Growth::None || self.on_error == OnError::Block;
                if !may_grow && !is_smaller(attempt.guard, next, document, *rewritten) {
                    return (Outcome::Larger, None);
                }
                next
            }
        };
        if self.cuts()
            && let Err(reason) = attempt.originals.keep("")
        {
            if matches!(reason, NotKept::NotWorthIt) {
                return (Outcome::Larger, None);
            }
            let error = CallError::NotKept(reason);
            tracing::warn!(filter = self.filter.name(), "{error}");
            return (Outcome::Failed(error), None);
        }
        (Outcome::Edited, Some(next.clone()))
    }
}

/// The input of a step, and its output other than the document.
struct Attempt {
    guard: Guard,
    originals: Originals,
    result_meta: Vec<(String, String)>,
    session: Vec<(String, String)>,
}

/// A document that is rewritten in other words must save one byte in so many. With less, it does not
/// surely save tokens.
const MARGIN: usize = 32;

/// Whether a document is smaller than the one that it replaces: the same size is not.
fn is_smaller(guard: Guard, next: &Document, previous: &Document, rewritten: bool) -> bool {
    let (next, previous) = (next.text(), previous.text());
    match guard {
        Guard::Bytes if rewritten => next.len() + previous.len() / MARGIN < previous.len(),
        Guard::Bytes => next.len() < previous.len(),
        Guard::Tokens => tokens::count(next) < tokens::count(previous),
    }
}
