//! Steps that do nothing, since they need an original and their chain stores none.

use super::AdvisedStep;
use crate::chain::{NO_ORIGINAL_HELP, WHY_NO_ORIGINAL};
use crate::policy::{Code, Finding, OnError};

pub(super) fn findings(steps: &[AdvisedStep<'_>]) -> Vec<Finding> {
    let redacts = |step: &&AdvisedStep<'_>| step.spec.on_error == OnError::Block && !step.shadow();
    let Some(redacting) = steps.iter().find(redacts) else {
        return Vec::new();
    };
    let idle = |step: &&AdvisedStep<'_>| !step.shadow() && step.step.needs_original();
    steps
        .iter()
        .filter(idle)
        .map(|step| {
            let message = format!("`{}` changes nothing in this chain", step.name);
            Finding::warning(step.spec.span, message, WHY_NO_ORIGINAL)
                .also(redacting.spec.span, "this step redacts")
                .help(NO_ORIGINAL_HELP)
                .code(Code::StepNoOriginal)
        })
        .collect()
}
