//! Advice on a policy that works: harmful orders of steps, steps that do nothing, budgets that make no sense
//! together.
//!
//! Each rule is a row of a table with its reason. Steps in shadow mode change nothing, so no rule is
//! about them.

mod budgets;
mod orders;
mod originals;
mod repeated;

pub(super) use budgets::Size;

use super::settings::Schema;
use super::{Chain, Step};
use crate::built_in::{self, BuiltIn, Role};
use crate::policy::{ChainSpec, FilterRef, Finding, Policy, StepSpec};
use serde_json::Value;

/// Steps of one chain that are looked at: each is held against each, and advice is not worth seconds.
const LOOKED_INTO: usize = 100;

/// The advice on fully loaded chains, in the order of the policy.
pub(super) fn findings(policy: &Policy, chains: &[Chain]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (spec, chain) in policy.chains.iter().zip(chains) {
        let looked: Vec<AdvisedStep<'_>> = spec
            .steps
            .iter()
            .zip(&chain.steps)
            .take(LOOKED_INTO)
            .map(|(spec, step)| AdvisedStep::new(policy, spec, step))
            .collect();
        about(spec, &looked, &mut findings);
    }
    findings
}

/// The size up to which a step leaves a document unchanged, if it is known.
pub(super) fn acts_above(policy: &Policy, spec: &StepSpec, step: &Step) -> Option<Size> {
    budgets::acts_above(&AdvisedStep::new(policy, spec, step))
}

fn about(chain: &ChainSpec, steps: &[AdvisedStep<'_>], findings: &mut Vec<Finding>) {
    findings.extend(orders::findings(steps));
    findings.extend(repeated::findings(steps));
    findings.extend(originals::findings(steps));
    findings.extend(budgets::findings(chain, steps));
}

/// A step as the rules see it.
#[derive(Clone, Copy)]
struct AdvisedStep<'a> {
    name: &'a str,
    /// The built-in filter; none for a plugin of the policy, whose roles are unknown.
    built_in: Option<&'static BuiltIn>,
    spec: &'a StepSpec,
    step: &'a Step,
}

impl<'a> AdvisedStep<'a> {
    fn new(policy: &'a Policy, spec: &'a StepSpec, step: &'a Step) -> AdvisedStep<'a> {
        AdvisedStep {
            name: policy.filter_name(&spec.filter),
            built_in: match &spec.filter {
                FilterRef::BuiltIn(name) => built_in::find(name),
                FilterRef::Plugin(_) => None,
            },
            spec,
            step,
        }
    }

    /// Whether the step's filter has a role with the step's settings.
    fn has(&self, role: Role) -> bool {
        let Some(filter) = self.built_in.filter(|filter| filter.has(role)) else {
            return false;
        };
        let mut unless = filter.unless.iter().filter(|(of, _, _)| *of == role);
        !unless
            .any(|(_, setting, value)| self.setting(setting).and_then(Value::as_str) == Some(value))
    }

    /// A setting: the step's own, else the filter's default.
    fn setting(&self, name: &str) -> Option<&'a Value> {
        let schema = &self.step.filter.description().settings;
        let own = self.spec.settings.get(name);
        own.or_else(|| Schema::default(schema, name))
    }

    fn shadow(&self) -> bool {
        self.spec.shadow
    }
}
