//! Limits and budgets that make no sense together.

use super::AdvisedStep;
use crate::policy::{ChainSpec, Code, Finding, Unit};
use crate::tokens;
use serde_json::Value;
use std::time::Duration;

/// The longest time for the steps of a chain together. Clients give a call up after a minute (the default
/// of MCP's own SDKs), and the server needs its time, too.
const PATIENCE: Duration = Duration::from_secs(10);

/// A size in a filter's settings: a number and its unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::chain) struct Size {
    pub(in crate::chain) amount: u64,
    pub(in crate::chain) unit: String,
}

impl Size {
    /// The size of a text in this unit; none: only filters know the unit.
    pub(in crate::chain) fn of(&self, text: &str) -> Option<u64> {
        match self.unit.as_str() {
            "bytes" => Some(text.len() as u64),
            "chars" => Some(text.chars().count() as u64),
            "tokens" => Some(u64::from(tokens::count(text))),
            _ => None,
        }
    }
}

pub(super) fn findings(chain: &ChainSpec, steps: &[AdvisedStep<'_>]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    findings.extend(time(chain, steps));
    for (index, step) in steps.iter().enumerate() {
        findings.extend(room(step));
        findings.extend(unreached(&steps[..index], step));
    }
    findings
}

fn time(chain: &ChainSpec, steps: &[AdvisedStep<'_>]) -> Option<Finding> {
    let total: Duration = steps.iter().map(|step| step.spec.limits.time).sum();
    if total <= PATIENCE {
        return None;
    }
    let shown = |time: Duration| Unit::Time.show(time.as_micros() as u64);
    let message = format!("chain `{}` may take {}", chain.name, shown(total));
    let label = format!(
        "the sum of `time` of its {} steps, for each document",
        steps.len()
    );
    let help = format!(
        "clients give up a call after a minute or less: reduce the sum to {} at most",
        shown(PATIENCE)
    );
    let warning = Finding::warning(chain.span, message, label);
    Some(warning.help(help).code(Code::BudgetTime))
}

fn room(step: &AdvisedStep<'_>) -> Option<Finding> {
    let limits = &step.spec.limits;
    let shown = |bytes| Unit::Size.show(bytes);
    let (input, output) = (shown(limits.input_bytes), shown(limits.output_bytes));
    if limits.memory_bytes < limits.input_bytes {
        let memory = shown(limits.memory_bytes);
        let message = format!(
            "`{}` has too little memory for the largest documents",
            step.name
        );
        let label = format!("`memory` is {memory}, and `input` allows documents of {input}");
        let help = format!(
            "set `limits` so that `input` is at most a quarter of `memory`, such as limits = {{ memory = \"{memory}\", input = \"{}\" }}",
            shown(limits.memory_bytes / 4)
        );
        let warning = Finding::warning(step.spec.span, message, label);
        return Some(warning.help(help).code(Code::BudgetMemory));
    }
    if limits.output_bytes < limits.input_bytes {
        let message = format!("`{}` may return less than it receives", step.name);
        let label = format!("`output` is {output}, and `input` allows documents of {input}");
        let note = Finding::note(step.spec.span, message, label);
        let help = "a filter that rewrites a document fails if the new one is larger than `output`";
        return Some(note.help(help).code(Code::BudgetOutput));
    }
    None
}

/// A step that has something to do only above a size that the steps before it never leave.
fn unreached(earlier: &[AdvisedStep<'_>], step: &AdvisedStep<'_>) -> Option<Finding> {
    let above = acts_above(step)?;
    if step.shadow() {
        return None;
    }
    let mut earlier = earlier.iter().filter(|step| !step.shadow());
    let (first, most) = earlier.find_map(|step| {
        let most = leaves_at_most(step)?;
        (most.unit == above.unit && most.amount <= above.amount).then_some((step, most))
    })?;
    let message = format!("`{}` never changes anything", step.name);
    let label = format!("it starts above {} {}", above.amount, above.unit);
    let also = format!(
        "the document has at most {} {} here",
        most.amount, most.unit
    );
    let warning = Finding::warning(step.spec.span, message, label);
    Some(
        warning
            .also(first.spec.span, also)
            .code(Code::BudgetUnreached),
    )
}

/// The largest document that a step leaves.
fn leaves_at_most(step: &AdvisedStep<'_>) -> Option<Size> {
    size(step, step.built_in?.leaves_at_most)
}

/// The size up to which a step leaves a document alone.
pub(super) fn acts_above(step: &AdvisedStep<'_>) -> Option<Size> {
    size(step, step.built_in?.acts_above)
}

/// The size in these settings: an amount with its unit, or an amount and a unit.
fn size(step: &AdvisedStep<'_>, settings: &[&str]) -> Option<Size> {
    match settings {
        [size] => written(step.setting(size)?),
        [amount, unit] => Some(Size {
            amount: step.setting(amount)?.as_u64()?,
            unit: step.setting(unit)?.as_str()?.to_owned(),
        }),
        _ => None,
    }
}

/// `4000`, `"4000 chars"`
fn written(value: &Value) -> Option<Size> {
    if let Some(amount) = value.as_u64() {
        let unit = "chars".to_owned();
        return Some(Size { amount, unit });
    }
    let (amount, unit) = value.as_str()?.trim().split_once(' ')?;
    Some(Size {
        amount: amount.parse().ok()?,
        unit: unit.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sizes_are_read_as_filters_read_them() {
        let size = |amount, unit: &str| {
            let unit = unit.to_owned();
            Some(Size { amount, unit })
        };
        assert_eq!(written(&json!(4000)), size(4000, "chars"));
        assert_eq!(written(&json!("16000 bytes")), size(16000, "bytes"));
        assert_eq!(written(&json!("much")), None);
        assert_eq!(written(&json!(null)), None);
    }
}
