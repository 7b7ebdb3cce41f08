//! Compares an output with the expectations of a test.

use super::{Failure, Outcome, texts};
use crate::chain;
use crate::dry_run::MOST_BYTES;
use crate::file;
use crate::policy::{Expectations, Given};
use crate::tokens;
use std::io::ErrorKind;

/// Adds a failure for each expectation that the outcome does not meet.
pub(super) fn judge(expect: &Expectations, outcome: &mut Outcome) {
    let output = outcome.output.clone().unwrap_or_default();
    let mut failures = Vec::new();
    if let Some(golden) = &expect.golden {
        failures.extend(compare(golden, &output));
    }
    // Both are said by an expected output; without one, neither may go unseen.
    let is_silent = expect.golden.is_none();
    match expect.withheld {
        Some(true) if !outcome.withheld => failures.push(other("it is not withheld")),
        Some(true) => {}
        Some(false) | None => {
            if outcome.withheld && (is_silent || expect.withheld.is_some()) {
                failures.push(other("it is withheld (`withheld = true` expects that)"));
            }
            if is_silent && !outcome.withheld {
                failures.extend(failed_steps(outcome));
            }
        }
    }
    match expect.unchanged {
        Some(true) if output != outcome.input => failures.push(Failure::Golden {
            place: "the input (`unchanged = true`)".to_owned(),
            expected: outcome.input.clone(),
        }),
        Some(false) if output == outcome.input => {
            failures.push(other("it is unchanged (`unchanged = false`)"));
        }
        _ => {}
    }
    if let Some(most) = expect.max_bytes {
        failures.extend(above(output.len() as u64, most, "bytes", "max-bytes"));
    }
    if let Some(most) = expect.max_tokens {
        let count = u64::from(tokens::count(&String::from_utf8_lossy(&output)));
        failures.extend(above(count, most, "tokens", "max-tokens"));
    }
    if !expect.contains.is_empty() || !expect.lacks.is_empty() {
        let texts = texts::of(&output);
        let has = |wanted: &String| texts.iter().any(|text| text.contains(wanted));
        let absent = expect.contains.iter().filter(|text| !has(text));
        failures.extend(absent.map(|text| other(format!("`contains`: {text:?} is not in it"))));
        let present = expect.lacks.iter().filter(|text| has(text));
        failures.extend(present.map(|text| other(format!("`lacks`: {text:?} is in it"))));
    }
    outcome.failures = failures;
}

fn other(message: impl Into<String>) -> Failure {
    Failure::Other(message.into())
}

fn above(found: u64, most: u64, unit: &str, key: &str) -> Option<Failure> {
    (found > most).then(|| other(format!("it has {found} {unit} (`{key} = {most}`)")))
}

/// Steps that ended in an error, so that the output is not theirs.
pub(super) fn failed_steps(outcome: &Outcome) -> Vec<Failure> {
    let receipts = outcome
        .documents
        .iter()
        .flat_map(|document| &document.receipts);
    receipts
        .filter_map(|receipt| match &receipt.outcome {
            chain::Outcome::Failed(error) => {
                let remedy = error.remedy();
                let help = remedy.map_or_else(String::new, |remedy| format!("\n  help: {remedy}"));
                Some(other(format!(
                    "filter `{}` failed: {error}{help}",
                    receipt.filter
                )))
            }
            _ => None,
        })
        .collect()
}

fn compare(golden: &Given, output: &[u8]) -> Option<Failure> {
    let (place, expected, same) = match golden {
        Given::Text { text, .. } => ("`expect`".to_owned(), text.clone().into_bytes(), false),
        Given::Json { text, .. } => {
            let place = "`expect` (as JSON: white space and the order of members do not count)";
            let same = is_same_json(text.as_bytes(), output);
            (place.to_owned(), text.clone().into_bytes(), same)
        }
        Given::File { path, .. } => match file::read(path, MOST_BYTES) {
            Ok(expected) => (path.display().to_string(), expected, false),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Some(Failure::NoGolden(path.clone()));
            }
            Err(error) => return Some(other(format!("read {}: {error}", path.display()))),
        },
    };
    (!same && expected != output).then_some(Failure::Golden { place, expected })
}

fn is_same_json(expected: &[u8], output: &[u8]) -> bool {
    let value = |bytes| serde_json::from_slice::<serde_json::Value>(bytes).ok();
    value(expected).is_some_and(|expected| value(output) == Some(expected))
}
