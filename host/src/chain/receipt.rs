//! The receipt of a step: its effect on one document.

use crate::document::Document;
use crate::sandbox::CallError;
use std::time::Duration;

/// The effect of one step on one document.
#[derive(Debug)]
pub struct Receipt {
    /// The filter, as the chain names it.
    pub filter: String,
    pub before: Document,
    /// The step's output: `before` unless the outcome is `edited`. The next step gets it,
    /// unless this one is in shadow mode.
    pub after: Document,
    /// Wall time of the step, searching for triggers included.
    pub time: Duration,
    pub outcome: Outcome,
    /// The explanation for a model, if the step's output needs one.
    pub legend: Option<String>,
    /// Whether the step cut content, so that the original was stored.
    pub cut: bool,
    /// Whether the step is in shadow mode: its output was discarded.
    pub shadow: bool,
    /// Whether the step's failure withheld the result from the client.
    pub withheld: bool,
}

/// How a step ended.
#[derive(Debug)]
pub enum Outcome {
    /// The filter left the document alone, or was not called, since it changes none that is so small.
    Unchanged,
    /// The filter asked for the original, and none is stored: so it left the document alone.
    NoOriginal,
    /// The filter changed the document.
    Edited,
    /// The filter's output was not smaller, so the document stays.
    Larger,
    /// None of the filter's triggers occurs, so it was not called.
    NotTriggered,
    /// The filter failed repeatedly, so it is paused.
    Paused,
    Failed(CallError),
}

impl Outcome {
    /// Its name in logs, tables and metrics.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Unchanged => "unchanged",
            Outcome::NoOriginal => "no-original",
            Outcome::Edited => "edited",
            Outcome::Larger => "larger",
            Outcome::NotTriggered => "not-triggered",
            Outcome::Paused => "paused",
            Outcome::Failed(error) => error.outcome(),
        }
    }

    /// Whether the filter did not do its work.
    pub fn is_failure(&self) -> bool {
        matches!(self, Outcome::Paused | Outcome::Failed(_))
    }
}
