//! What is different from what was trusted, and how `tamis check` reports it.

use super::find::NAME;
use crate::policy::{Code, Finding, Policy, Source, Span};
use crate::shell;
use std::fmt;

/// Something of a policy that is not as it was when its user trusted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The part of the policy.
    pub part: Changed,
    /// The part, and what became of it: `team.toml is new`.
    words: String,
}

/// The parts of a policy that its user trusts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// The file itself.
    Policy,
    /// A file that it includes, by its path in the file.
    Included(String),
    /// The lock file beside it.
    Lock,
    /// A key in a file, by its path from the folder of filters.toml.
    Key(String),
    /// A plugin, by its name.
    Plugin(String),
}

impl Change {
    /// A change of a part, in words.
    pub fn new(part: Changed, words: impl Into<String>) -> Change {
        Change {
            part,
            words: words.into(),
        }
    }

    pub(super) fn of_policy() -> Change {
        Change::new(Changed::Policy, NAME)
    }

    /// The finding about it, at the place where the file names the part. Until the user decides, nothing passes.
    pub fn finding(&self, policy: &Policy) -> Finding {
        let source = &policy.source;
        let span = match &self.part {
            Changed::Policy | Changed::Lock => Some(first_line(source)),
            Changed::Included(path) => source.place_of_included(path),
            Changed::Key(name) => policy.place_of_key(name),
            Changed::Plugin(name) => {
                let plugin = policy.plugins.iter().find(|it| it.name == *name);
                plugin.map(|plugin| plugin.place_span)
            }
        };
        let file = shell::word(source.path());
        let message = format!(
            "this project's filters.toml changed after you trusted it ({self}), so Tamis uses neither it nor another policy"
        );
        Finding::warning(span, message, "not as you trusted it")
            .help(format!(
                "to review and trust the change: tamis trust {file}. To use no policy for this project: tamis trust --revoke {file}"
            ))
            .code(Code::TrustLapsed)
    }
}

/// The first line with text: of the file as a whole, more is not known.
fn first_line(source: &Source) -> Span {
    let text = source.text();
    let start = text.len() - text.trim_start().len();
    let line = text[start..].lines().next().unwrap_or("");
    let start = source.start() + start;
    Span {
        start,
        end: start + line.len(),
    }
}

impl fmt::Display for Change {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.words)
    }
}

/// The words of changes, as a list.
pub fn listed(changes: &[Change]) -> String {
    let words: Vec<String> = changes.iter().map(Change::to_string).collect();
    words.join(", ")
}
