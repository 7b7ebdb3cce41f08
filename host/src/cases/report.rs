//! The outcome of a test, for a person.

use super::{Case, Failure, Outcome, Suite};
use crate::chain;
use crate::diff::{self, Diff};
use crate::policy::Source;
use crate::printable;
use anstyle::{AnsiColor, Style};
use std::fmt::Write;

/// A failed test: its place, the failures, the difference of the output, the effect of the steps.
pub fn failure(suite: &Suite, case: &Case, outcome: &Outcome, colour: bool) -> String {
    let mut text = format!("{}, {}\n", place(suite, case), chain_of(outcome));
    for failure in &outcome.failures {
        match failure {
            Failure::Other(message) => {
                let _ = writeln!(text, "{}", printable::line_with_tabs(message));
            }
            Failure::NoGolden(path) => {
                let _ = writeln!(
                    text,
                    "the expected output {} is missing: `--bless` writes it",
                    path.display()
                );
            }
            Failure::Golden { place, expected } => {
                let output = outcome.output.as_deref().unwrap_or_default();
                let diff = Diff::new(expected, output);
                let (old, new) = if colour {
                    (AnsiColor::Red.on_default(), AnsiColor::Green.on_default())
                } else {
                    (Style::new(), Style::new())
                };
                let _ = writeln!(text, "the output differs from the expected output");
                if !diff.note.is_empty() {
                    let _ = writeln!(text, "({})", diff.note);
                }
                let _ = writeln!(text, "{old}- expected: {place}{old:#}");
                let _ = writeln!(text, "{new}+ output{new:#}");
                text += &diff.render(colour);
            }
        }
    }
    let has_diff = outcome
        .failures
        .iter()
        .any(|failure| matches!(failure, Failure::Golden { .. }));
    match &outcome.output {
        None => text.push_str("the document is withheld, so the output is empty\n"),
        Some(output) if !has_diff => {
            let _ = write!(text, "output:\n{}", diff::excerpt(output));
        }
        Some(_) => {}
    }
    let steps = steps(outcome);
    if !steps.is_empty() {
        let _ = writeln!(text, "steps: {}", steps.join(", "));
    }
    text
}

/// The place of a test, for a message.
pub fn place(suite: &Suite, case: &Case) -> String {
    match (&case.folder, case.spec.span) {
        (Some(folder), _) => folder.display().to_string(),
        (None, span) => {
            let source = suite.source();
            let line = span.map_or(1, |span| line_of(source, span.start));
            let path = span.map_or(source.path(), |span| source.path_at(span.start));
            format!("{}:{line}", path.display())
        }
    }
}

/// The number of a line in its file, from 1.
pub fn line_of(source: &Source, at: usize) -> usize {
    source.position(at).0
}

fn chain_of(outcome: &Outcome) -> String {
    match &outcome.chain {
        Some(chain) => format!("chain `{chain}`"),
        None => "no chain".to_owned(),
    }
}

/// A word for each step and document.
pub fn steps(outcome: &Outcome) -> Vec<String> {
    let receipts = outcome
        .documents
        .iter()
        .flat_map(|document| &document.receipts);
    receipts
        .map(|receipt| {
            let message = match &receipt.outcome {
                chain::Outcome::Failed(error) => {
                    format!(" ({})", printable::line_with_tabs(&error.to_string()))
                }
                _ => String::new(),
            };
            format!("{} {}{message}", receipt.filter, receipt.outcome.name())
        })
        .collect()
}
