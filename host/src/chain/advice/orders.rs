//! Orders of steps that are known to hurt, and why. The rules speak of roles: a new filter needs none of its own.

use super::AdvisedStep;
use crate::built_in::{self, Role};
use crate::policy::{Code, Finding, OnError, Severity};
use crate::sandbox::Growth;

/// Two kinds of steps, one after the other, and the harm of that order.
struct Rule {
    earlier: Which,
    later: Which,
    code: Code,
    severity: Severity,
    /// The harm to the later step: the text under it.
    why: &'static str,
    /// `{earlier}` and `{later}` stand for the filters.
    help: &'static str,
}

/// The steps that a rule is about.
enum Which {
    /// Built-in filters with one of these roles.
    Roles(&'static [Role]),
    /// Steps that redact: those with `on-error = "block"`, except those that uncover content for later steps.
    Hides,
}

const RULES: [Rule; 10] = [
    Rule {
        earlier: Which::Hides,
        later: Which::Roles(&[Role::Cleans, Role::Opens]),
        code: Code::OrderOpenFirst,
        severity: Severity::Error,
        why: "the earlier step redacts, and does not see what this step uncovers",
        help: "put `{later}` before `{earlier}`",
    },
    // Measured on real results: tables at 47 % of compact JSON are at 83 % after the nulls are removed.
    Rule {
        earlier: Which::Roles(&[Role::Strips]),
        later: Which::Roles(&[Role::Infers]),
        code: Code::OrderTableFirst,
        severity: Severity::Warning,
        why: "objects that lost different members make poor tables",
        help: "leave `{earlier}` out of this chain: in a table an empty value costs next to nothing",
    },
    Rule {
        earlier: Which::Roles(&[Role::Truncates]),
        later: Which::Roles(&[
            Role::Cleans,
            Role::Offloads,
            Role::Opens,
            Role::Edits,
            Role::Digests,
            Role::Encodes,
        ]),
        code: Code::OrderCutFirst,
        severity: Severity::Warning,
        why: "a cut document is not JSON any more, and this step cannot make it smaller without loss",
        help: "put `{earlier}` last",
    },
    Rule {
        earlier: Which::Roles(&[Role::Summarizes]),
        later: Which::Roles(&[
            Role::Cleans,
            Role::Offloads,
            Role::Opens,
            Role::Edits,
            Role::Digests,
        ]),
        code: Code::OrderCutFirst,
        severity: Severity::Warning,
        why: "the earlier step cuts documents that this step would make small enough",
        help: "put this step before the one that cuts",
    },
    Rule {
        earlier: Which::Roles(&[Role::Tabulates]),
        later: Which::Roles(&[Role::Reads]),
        code: Code::OrderTableLast,
        severity: Severity::Warning,
        why: "the earlier step wrote the lists and members that this step needs as tables",
        help: "put `{earlier}` after this step; a step that summarizes does not cut a document that a later `{earlier}` makes small enough",
    },
    Rule {
        earlier: Which::Roles(&[Role::Tabulates]),
        later: Which::Roles(&[Role::Opens]),
        code: Code::OrderReadFirst,
        severity: Severity::Warning,
        why: "it finds nothing to open in a table",
        help: "put this step before `{earlier}`",
    },
    Rule {
        earlier: Which::Roles(&[Role::Parses]),
        later: Which::Roles(&[Role::Cleans]),
        code: Code::OrderReadFirst,
        severity: Severity::Warning,
        why: "the earlier step does not recognise data in a text with colours",
        help: "put `{later}` first",
    },
    Rule {
        earlier: Which::Roles(&[Role::Edits, Role::Digests]),
        later: Which::Roles(&[Role::Opens]),
        code: Code::OrderReadFirst,
        severity: Severity::Note,
        why: "the earlier step did not read the texts that this step opens",
        help: "put this step first, unless you intend this order",
    },
    Rule {
        earlier: Which::Roles(&[Role::Cuts]),
        later: Which::Hides,
        code: Code::OrderHideFirst,
        severity: Severity::Warning,
        why: "this step redacts, and may not recognise content that is already cut",
        help: "put the step with `on-error = \"block\"` before those that cut",
    },
    Rule {
        earlier: Which::Roles(&[Role::Encodes]),
        later: Which::Hides,
        code: Code::OrderHideFirst,
        severity: Severity::Warning,
        why: "this step redacts, and may not recognise content in a table",
        help: "put the step with `on-error = \"block\"` before those that encode",
    },
];

/// Every rule that two steps of the chain break; of each rule, once for each earlier step.
pub(super) fn findings(steps: &[AdvisedStep<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, earlier) in steps.iter().enumerate() {
        if earlier.shadow() {
            continue;
        }
        for rule in RULES.iter().filter(|rule| rule.earlier.fits(earlier)) {
            let mut later = steps[index + 1..].iter();
            if let Some(later) = later.find(|step| !step.shadow() && rule.later.fits(step)) {
                findings.push(rule.finding(earlier, later));
            }
        }
        let has_next = steps[index + 1..]
            .iter()
            .any(|step| !step.shadow() && !prepares(step));
        if prepares(earlier) && !has_next {
            findings.push(unprepared(earlier));
        }
    }
    findings
}

fn prepares(step: &AdvisedStep<'_>) -> bool {
    step.step.filter.description().growth == Growth::Interim
}

fn unprepared(step: &AdvisedStep<'_>) -> Finding {
    let message = format!("`{}` prepares for a step that is missing", step.name);
    let label = "Tamis discards its change, unless a later step makes the document smaller";
    let finding = Finding::warning(step.spec.span, message, label).code(Code::OrderPrepared);
    match built_in::with_role(Role::Tabulates).next() {
        Some(filter) => finding.help(format!("for example: put \"{}\" after it", filter.name)),
        None => finding,
    }
}

impl Rule {
    fn finding(&self, earlier: &AdvisedStep<'_>, later: &AdvisedStep<'_>) -> Finding {
        let message = format!("`{}` comes after `{}`", later.name, earlier.name);
        let finding = Finding::warning(later.spec.span, message, self.why);
        let finding = Finding {
            severity: self.severity,
            ..finding
        };
        let help = self.help.replace("{earlier}", earlier.name);
        let help = help.replace("{later}", later.name);
        finding
            .also(earlier.spec.span, "this comes first")
            .help(help)
            .code(self.code)
    }
}

impl Which {
    fn fits(&self, step: &AdvisedStep<'_>) -> bool {
        match self {
            Which::Roles(roles) => roles.iter().any(|role| step.has(*role)),
            Which::Hides => {
                let uncovers = step.has(Role::Cleans) || step.has(Role::Opens);
                step.spec.on_error == OnError::Block && !uncovers
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in::{ROLES, STAGES};

    fn roles(which: &Which) -> &'static [Role] {
        match which {
            Which::Roles(roles) => roles,
            Which::Hides => &[Role::Redacts],
        }
    }

    #[test]
    fn every_role_is_in_a_rule_and_is_that_of_a_filter() {
        for (role, name, _) in ROLES {
            let named = |rule: &Rule| [&rule.earlier, &rule.later].map(roles).concat();
            let is_in_a_rule = RULES.iter().any(|rule| named(rule).contains(&role));
            assert!(is_in_a_rule, "no rule is about `{name}`");
            let filter = built_in::with_role(role).next();
            assert!(filter.is_some(), "no filter has the role `{name}`");
        }
    }

    /// The place of a filter in the order that the guide shows.
    fn stage(filter: &built_in::BuiltIn) -> Option<usize> {
        STAGES
            .iter()
            .position(|stage| stage.roles.iter().any(|role| filter.has(*role)))
    }

    #[test]
    fn no_rule_is_against_the_order_of_stages() {
        for rule in &RULES {
            // A filter that strips should not be in a chain with tables at all.
            if rule.code == Code::OrderTableFirst {
                continue;
            }
            let filters = |which| {
                roles(which)
                    .iter()
                    .flat_map(|role| built_in::with_role(*role))
            };
            for earlier in filters(&rule.earlier) {
                for later in filters(&rule.later) {
                    let (Some(first), Some(second)) = (stage(earlier), stage(later)) else {
                        continue;
                    };
                    assert!(
                        second < first,
                        "the guide puts `{}` before `{}`, and a rule warns of that: {}",
                        earlier.name,
                        later.name,
                        rule.why
                    );
                }
            }
        }
    }
}
