//! Steps that do nothing, since the one before them did the same.

use super::AdvisedStep;
use crate::policy::{Code, Finding};

pub(super) fn findings(steps: &[AdvisedStep<'_>]) -> Vec<Finding> {
    let pairs = steps.windows(2);
    pairs
        .filter_map(|pair| repeated(pair[0], pair[1]))
        .collect()
}

fn repeated(first: AdvisedStep<'_>, second: AdvisedStep<'_>) -> Option<Finding> {
    let is_same = first.spec.filter == second.spec.filter
        && first.spec.settings == second.spec.settings
        && !first.shadow()
        && !second.shadow();
    // A step that is not idempotent may well be repeated on purpose.
    if !is_same || !first.step.filter.description().idempotent {
        return None;
    }
    let message = format!("`{}` has no effect the second time", second.name);
    let warning = Finding::warning(
        second.spec.span,
        message,
        "repeated, with the same settings",
    );
    let warning = warning.also(first.spec.span, "first here");
    Some(warning.code(Code::StepRepeated))
}
