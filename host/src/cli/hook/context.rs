//! The text for a model at the start of a session: how to read filtered output, and the command that reads
//! the original. Over MCP the list of tools says both; a coding agent's own tools have no such place.

use crate::chain::Chains;
use crate::policy::{Surface, ToolPattern};

/// Agents cut texts longer than 10,000 characters.
const MOST_BYTES: usize = 9_000;

/// The explanation for the model; none if it needs none. `program`: Tamis as a word in the agent's shell.
pub(super) fn context(chains: &Chains, program: &str) -> Option<String> {
    let mut text = String::new();
    if chains.may_cut() {
        text = format!(
            "If a part of a tool's output is left out, a note that begins with [tamis] names the reference of the original. Read the original with the command `{program} read REFERENCE`. For a part of it, add --grep WORD, --lines 1-80, --rows 0:20 or --path '$.data[*].id'."
        );
    }
    let legends = legends(chains);
    if !legends.is_empty() {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str("How to read the output of tools:");
    }
    for (legend, tools) in legends {
        let line = format!("\n- {}: {legend}", tools.join(", "));
        if text.len() + line.len() > MOST_BYTES {
            tracing::warn!("the legends are longer than the agent accepts: some are left out");
            break;
        }
        text.push_str(&line);
    }
    (!text.is_empty()).then(|| format!("[tamis] {text}"))
}

/// Each legend of a chain that is bound to results, with the tools that it is for.
fn legends(chains: &Chains) -> Vec<(&str, Vec<&str>)> {
    let mut legends: Vec<(&str, Vec<&str>)> = Vec::new();
    for (spec, chain) in chains.iter() {
        if !spec.binding.on.contains(&Surface::Result) {
            continue;
        }
        let patterns = spec.binding.tools.iter().map(ToolPattern::as_str);
        let tools: Vec<&str> = patterns
            .map(|tools| if tools == "*" { "all tools" } else { tools })
            .collect();
        for legend in chain.legends() {
            match legends.iter_mut().find(|(known, _)| *known == legend) {
                Some((_, of)) => {
                    let more = tools.iter().filter(|tool| !of.contains(tool));
                    let more: Vec<&str> = more.copied().collect();
                    of.extend(more);
                }
                None => legends.push((legend, tools.clone())),
            }
        }
    }
    legends
}
