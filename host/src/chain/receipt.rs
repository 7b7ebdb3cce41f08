//! What one step did to one document.

use crate::document::Document;
use crate::sandbox::CallError;
use std::time::Duration;

/// What one step did to one document.
#[derive(Debug)]
pub struct Receipt {
    /// The filter, as the chain names it.
    pub filter: String,
    pub before: Document,
    /// What the step made of it: `before` unless the outcome is `edited`. That goes on to the next
    /// step, unless this one is in shadow mode.
    pub after: Document,
    /// Wall time of the step, searching for triggers included.
    pub time: Duration,
    pub outcome: Outcome,
    /// How a model reads what the step wrote, where it wrote a text that needs a key.
    pub legend: Option<String>,
    /// Whether the step cut content, so that the original had to be kept.
    pub cut: bool,
    /// Whether the step is in shadow mode: what it made was thrown away.
    pub shadow: bool,
    /// Whether the step's failure kept the result from the client.
    pub withheld: bool,
}

/// How a step ended.
#[derive(Debug)]
pub enum Outcome {
    /// The filter ran and left the document alone.
    Unchanged,
    /// The filter asked for the original, and none is stored: so it left the document alone.
    NoOriginal,
    /// The filter changed the document.
    Edited,
    /// What the filter made was not smaller, so the document was put back.
    Larger,
    /// None of the filter's triggers occurs, so it was not called.
    NotTriggered,
    /// The filter kept failing, so it is left out for a while.
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
