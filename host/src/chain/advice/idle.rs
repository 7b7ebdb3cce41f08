//! Steps that do nothing.

use super::Look;
use crate::policy::{Code, Finding};
use serde_json::Value;

/// Filters that do nothing until one of these settings has something in it.
const NEEDS: [(&str, &[&str]); 2] = [
    ("cap", &["caps"]),
    ("reshape", &["keep", "drop", "rename", "preview"]),
];

pub(super) fn findings(steps: &[Look<'_>]) -> Vec<Finding> {
    let idle = steps.iter().filter_map(idle);
    let repeated = steps
        .windows(2)
        .filter_map(|pair| repeated(pair[0], pair[1]));
    idle.chain(repeated).collect()
}

fn idle(step: &Look<'_>) -> Option<Finding> {
    let (_, settings) = NEEDS.iter().find(|(name, _)| *name == step.name)?;
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    let does_something = |name: &&&str| step.setting(name).is_some_and(|it| !is_empty(it));
    if settings.iter().any(|name| does_something(&name)) {
        return None;
    }
    let message = format!("`{}` does nothing here", step.name);
    let names: Vec<String> = settings.iter().map(|name| format!("`{name}`")).collect();
    let label = format!("it has nothing to do without {}", names.join(", "));
    Some(Finding::warning(step.spec.span, message, label).code(Code::StepIdle))
}

fn repeated(first: Look<'_>, second: Look<'_>) -> Option<Finding> {
    let is_same = first.spec.filter == second.spec.filter
        && first.spec.settings == second.spec.settings
        && !first.shadow()
        && !second.shadow();
    // What is not idempotent may well be meant twice.
    if !is_same || !first.step.filter.description().idempotent {
        return None;
    }
    let message = format!("`{}` does nothing the second time", second.name);
    let warning = Finding::warning(second.spec.span, message, "again, with the same settings");
    let warning = warning.also(first.spec.span, "first here");
    Some(warning.code(Code::StepRepeated))
}
