//! opencode: a plugin runs `tamis hook` and puts the members of its answer into the tool's output.

use super::output::Filters;
use super::whole;
use crate::document::{Document, Node, NodeKind};
use crate::file_text::Budget;
use crate::json::tree::{member, quote, string};
use anyhow::Result;

/// The plugin's file. `redacts`: whether the policy does, as far as is known now.
pub(super) fn plugin(program: &str, redacts: bool) -> String {
    include_str!("opencode.js")
        .replace("\"@TAMIS@\"", &quote(program))
        .replace("\"@REDACTS@\"", &redacts.to_string())
}

/// The answer to a tool's output: the changed member, and whether the policy redacts. The plugin must know that
/// in case it gets no answer. None if the answer would be empty.
pub(super) fn answer(
    filters: Option<&Filters>,
    redacts: bool,
    frame: &Document,
    output: Node,
) -> Result<Option<String>> {
    let changed = match filters {
        Some(filters) => changed(filters, frame, output)?,
        None => None,
    };
    let redacts = redacts.then(|| r#""redacts":true"#.to_owned());
    let members: Vec<String> = changed.into_iter().chain(redacts).collect();
    Ok((!members.is_empty()).then(|| format!("{{{}}}", members.join(","))))
}

/// The member of the output that changes.
fn changed(filters: &Filters, frame: &Document, output: Node) -> Result<Option<String>> {
    let get = |name| member(frame, output, name);
    // An MCP tool's result is whole here; any other is text that may be cut.
    if let Some(content) = get("content") {
        let content = frame.slice(content.start, content.end);
        let new = filters.with(|text| text.filter_strings(content))?;
        return Ok(new.flatten().map(|new| format!(r#""content":{new}"#)));
    }
    let Some(shown) = get("output").and_then(|node| string(frame, node)) else {
        return Ok(None);
    };
    let metadata = |name| get("metadata").and_then(|node| member(frame, node, name));
    let is_cut = metadata("truncated").is_some_and(|node| node.kind == NodeKind::True);
    let saved = metadata("outputPath").and_then(|node| string(frame, node));
    let (text, budget) = match (is_cut, saved) {
        _ if filters.is_closed() => (shown, Budget::USUAL),
        (true, Some(path)) => match whole::read(&path, None) {
            Ok(text) => (text, Budget::USUAL),
            Err(reason) => {
                tracing::warn!(
                    "the output stays unchanged: the event contains only a part of it, and Tamis cannot use the file with the rest: {path}: {reason}"
                );
                return Ok(None);
            }
        },
        // The tool `read` names the lines that it shows; of others nobody knows the cut.
        (true, None) if !filters.is_exact() => return Ok(None),
        _ => (shown, Budget::USUAL),
    };
    let new = filters.with(|filter| Ok(filter.filter(&text, budget)))?;
    Ok(new
        .flatten()
        .map(|new| format!(r#""output":{}"#, quote(&new))))
}
