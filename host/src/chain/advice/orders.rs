//! Orders of steps that are known to hurt, and why.

use super::Look;
use crate::policy::{Code, Finding, OnError, Severity};
use crate::sandbox::Growth;

/// Two kinds of steps, one after the other, and what is wrong with that.
struct Rule {
    earlier: Which,
    later: Which,
    code: Code,
    severity: Severity,
    /// What the later step suffers: the text under it.
    why: &'static str,
    help: &'static str,
}

/// Which steps a rule is about.
enum Which {
    /// Filters of these names.
    Named(&'static [&'static str]),
    /// `row-encoder` where it makes tables of whatever lists there are.
    Tables,
    /// Steps that are there to hide things.
    Hides,
}

/// Filters that make JSON of what is text, or open it.
const OPEN: &[&str] = &["unwrap", "yaml", "repr"];

/// Filters that take a document for JSON and look for something in it.
const READ: &[&str] = &[
    "null-stripper",
    "reshape",
    "cap",
    "index",
    "session-notes",
    "pending-to-meta",
    "jq",
];

const RULES: [Rule; 9] = [
    // Measured on real results: what is 47 % of compact JSON as tables is 83 % with the nulls gone.
    Rule {
        earlier: Which::Named(&["null-stripper"]),
        later: Which::Tables,
        code: Code::OrderTableFirst,
        severity: Severity::Warning,
        why: "objects that lost different members make poor tables",
        help: "leave `null-stripper` out of this chain: in a table an empty value costs next to nothing",
    },
    Rule {
        earlier: Which::Named(&["truncate"]),
        later: Which::Named(&[
            "null-stripper",
            "reshape",
            "cap",
            "index",
            "session-notes",
            "pending-to-meta",
            "unwrap",
            "yaml",
            "repr",
            "row-encoder",
            "paths",
            "ansi",
            "jq",
            "blob",
        ]),
        code: Code::OrderCutFirst,
        severity: Severity::Warning,
        why: "a cut document is not JSON any more, and this step cannot make it smaller without loss",
        help: "put `truncate` last",
    },
    Rule {
        earlier: Which::Named(&["summary", "spill"]),
        later: Which::Named(&[
            "ansi",
            "unwrap",
            "yaml",
            "repr",
            "null-stripper",
            "reshape",
            "cap",
            "index",
            "session-notes",
            "pending-to-meta",
            "jq",
            "blob",
        ]),
        code: Code::OrderCutFirst,
        severity: Severity::Warning,
        why: "the earlier step cuts documents that this step would make small enough",
        help: "put this step before the one that cuts",
    },
    Rule {
        earlier: Which::Named(&["row-encoder"]),
        later: Which::Named(&[
            "summary",
            "spill",
            "index",
            "cap",
            "reshape",
            "session-notes",
            "pending-to-meta",
            "stub",
            "jq",
        ]),
        code: Code::OrderTableLast,
        severity: Severity::Warning,
        why: "the earlier step wrote the lists and members that this step needs as tables",
        help: "put `row-encoder` after this step; `summary` does not cut a document that a later `row-encoder` makes small enough",
    },
    Rule {
        earlier: Which::Named(&["row-encoder"]),
        later: Which::Named(OPEN),
        code: Code::OrderReadFirst,
        severity: Severity::Warning,
        why: "it finds nothing to open in a table",
        help: "put this step before `row-encoder`",
    },
    Rule {
        earlier: Which::Named(&["yaml", "repr"]),
        later: Which::Named(&["ansi"]),
        code: Code::OrderReadFirst,
        severity: Severity::Warning,
        why: "the earlier step does not recognise data in a text with colours",
        help: "put `ansi` first",
    },
    Rule {
        earlier: Which::Named(READ),
        later: Which::Named(OPEN),
        code: Code::OrderReadFirst,
        severity: Severity::Note,
        why: "the earlier step did not read the texts that this step opens",
        help: "put this step first, unless you intend this order",
    },
    Rule {
        earlier: Which::Named(&[
            "truncate",
            "summary",
            "spill",
            "cap",
            "index",
            "stub",
            "session-notes",
        ]),
        later: Which::Hides,
        code: Code::OrderHideFirst,
        severity: Severity::Warning,
        why: "this step redacts, and may not recognise content that is already cut",
        help: "put the step with `on-error = \"block\"` before those that cut",
    },
    Rule {
        earlier: Which::Named(&["row-encoder", "paths"]),
        later: Which::Hides,
        code: Code::OrderHideFirst,
        severity: Severity::Warning,
        why: "this step redacts, and may not recognise content in a table",
        help: "put the step with `on-error = \"block\"` before those that encode",
    },
];

/// Every rule that two steps of the chain break; of each rule, once for each earlier step.
pub(super) fn findings(steps: &[Look<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, earlier) in steps.iter().enumerate() {
        if earlier.shadow() {
            continue;
        }
        for rule in RULES.iter().filter(|rule| rule.earlier.fits(earlier)) {
            let mut later = steps[index + 1..].iter();
            if let Some(later) = later.find(|it| !it.shadow() && rule.later.fits(it)) {
                findings.push(rule.finding(earlier, later));
            }
        }
        let has_next = steps[index + 1..]
            .iter()
            .any(|it| !it.shadow() && !prepares(it));
        if prepares(earlier) && !has_next {
            findings.push(unprepared(earlier));
        }
    }
    findings
}

fn prepares(step: &Look<'_>) -> bool {
    step.step.filter.description().growth == Growth::Interim
}

fn unprepared(step: &Look<'_>) -> Finding {
    let message = format!("`{}` prepares for a step that is missing", step.name);
    let label = "Tamis discards its change, unless a later step makes the document smaller";
    Finding::warning(step.spec.span, message, label)
        .help("for example: put \"row-encoder\" after it")
        .code(Code::OrderPrepared)
}

impl Rule {
    fn finding(&self, earlier: &Look<'_>, later: &Look<'_>) -> Finding {
        let message = format!("`{}` comes after `{}`", later.name, earlier.name);
        let finding = Finding::warning(later.spec.span, message, self.why);
        let finding = Finding {
            severity: self.severity,
            ..finding
        };
        finding
            .also(earlier.spec.span, "this comes first")
            .help(self.help)
            .code(self.code)
    }
}

impl Which {
    fn fits(&self, step: &Look<'_>) -> bool {
        match self {
            Which::Named(names) => names.contains(&step.name),
            Which::Tables => {
                let level = step.setting("level").and_then(|it| it.as_str());
                step.name == "row-encoder" && level != Some("plain")
            }
            Which::Hides => step.spec.on_error == OnError::Block,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in;

    #[test]
    fn rules_are_about_filters_that_there_are() {
        for rule in &RULES {
            for which in [&rule.earlier, &rule.later] {
                if let Which::Named(names) = which {
                    for name in *names {
                        assert!(
                            built_in::find(name).is_some(),
                            "there is no filter `{name}`"
                        );
                    }
                }
            }
        }
    }
}
