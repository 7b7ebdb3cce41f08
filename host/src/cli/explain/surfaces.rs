//! The parts of a server's output for a client, and the chains that redact and filter each.

use crate::cli::output;
use crate::cli::policy::PolicyArguments;
use crate::policy::{ChainSpec, Policy, Surface};
use crate::printable;
use anyhow::Result;
use serde_json::{Value, json};
use std::process::ExitCode;

/// The parts of a server's output, and the surface of each that chains can be bound to.
const PARTS: [(&str, Option<Surface>); 17] = [
    (
        "results of tools: texts, structuredContent",
        Some(Surface::Result),
    ),
    ("results of tools: links, images, _meta", None),
    ("errors of the protocol", None),
    ("instructions of the server", Some(Surface::Instructions)),
    ("name, version and capabilities of the server", None),
    ("descriptions of tools", Some(Surface::Description)),
    ("names, titles, schemas and annotations of tools", None),
    ("messages of prompts", Some(Surface::Prompt)),
    ("list of prompts", None),
    ("texts of resources", Some(Surface::Resource)),
    ("lists of resources and of templates", None),
    ("completions", None),
    ("log messages and progress", None),
    ("other notifications", None),
    ("requests of the server: sampling, elicitation", None),
    ("what a later protocol adds", None),
    (
        "to the server: arguments of calls",
        Some(Surface::Arguments),
    ),
];

struct Part {
    what: &'static str,
    redacted_by: Vec<String>,
    filtered_by: Vec<String>,
}

pub(super) fn run(policy: &PolicyArguments, as_json: bool) -> Result<ExitCode> {
    let policy = policy.read(None)?;
    let parts: Vec<Part> = PARTS
        .iter()
        .map(|(what, surface)| part(&policy, what, *surface))
        .collect();
    match as_json {
        true => output::print_json(&format!("{:#}\n", to_json(&parts)))?,
        false => output::print_coloured(&table(&parts))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn part(policy: &Policy, what: &'static str, surface: Option<Surface>) -> Part {
    let reaches = |chain: &&ChainSpec| {
        let on = &chain.binding.on;
        let from_server = surface != Some(Surface::Arguments);
        from_server && on.contains(&Surface::Message)
            || surface.is_some_and(|one| on.contains(&one))
    };
    let (redact, filter): (Vec<_>, Vec<_>) = policy
        .chains
        .iter()
        .filter(reaches)
        .partition(|chain| chain.redacts());
    Part {
        what,
        redacted_by: redact
            .into_iter()
            .map(|chain| describe_chain(chain, surface))
            .collect(),
        filtered_by: filter
            .into_iter()
            .map(|chain| describe_chain(chain, surface))
            .collect(),
    }
}

/// The name of a chain, with its patterns if it does not get all of a kind.
fn describe_chain(chain: &ChainSpec, surface: Option<Surface>) -> String {
    let patterns = surface
        .map(|one| chain.binding.patterns(one))
        .unwrap_or_default();
    let gets_all = chain.binding.on.contains(&Surface::Message)
        || patterns.is_empty()
        || patterns.iter().any(|pattern| pattern.as_str() == "*");
    match gets_all {
        true => chain.name.clone(),
        false => {
            let patterns: Vec<&str> = patterns.iter().map(|pattern| pattern.as_str()).collect();
            format!("{} ({})", chain.name, patterns.join(", "))
        }
    }
}

fn to_json(parts: &[Part]) -> Value {
    let parts = parts.iter().map(|part| {
        json!({"part": part.what, "redacted_by": part.redacted_by, "filtered_by": part.filtered_by})
    });
    json!({"parts": parts.collect::<Vec<_>>()})
}

fn table(parts: &[Part]) -> String {
    let listed = |chains: &[String]| match chains.is_empty() {
        true => "-".to_owned(),
        false => printable::line(&chains.join(", ")),
    };
    let rows: Vec<[String; 3]> =
        std::iter::once(["what a client gets", "redacted by", "filtered by"].map(str::to_owned))
            .chain(parts.iter().map(|part| {
                [
                    part.what.to_owned(),
                    listed(&part.redacted_by),
                    listed(&part.filtered_by),
                ]
            }))
            .collect();
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let (first, second) = (width(0), width(1));
    let rows = rows.iter().map(|[what, redacted, filtered]| {
        format!("{what:first$}  {redacted:second$}  {filtered}\n")
    });
    rows.collect()
}
