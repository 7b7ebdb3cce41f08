//! Codex: `"decision":"block"` puts the reason in the place of a tool's output.
//!
//! Only outputs of MCP tools are replaced. With the output of a command the exit code would be lost, which
//! the event does not have.

use super::output::{Filters, parse};
use crate::document::NodeKind;
use crate::file_text::Budget;
use crate::json::tree::{member, quote};
use anyhow::Result;

/// Codex cuts the middle out of a longer output. A longer answer would cost more than that.
const SHOWN_BYTES: usize = 12_000;

/// The answer to a tool's output; none if it stays unchanged.
pub(super) fn answer(filters: &Filters, response: &str) -> Result<Option<String>> {
    let result = parse(response)?;
    let Some(root) = result.tape().map(|tape| tape.root()) else {
        return Ok(None);
    };
    let get = |name| member(&result, root, name);
    let is_error = get("isError").is_some_and(|node| node.kind == NodeKind::True);
    if is_error && !filters.is_closed() {
        return Ok(None);
    }
    let structured = get("structuredContent").filter(|node| node.kind != NodeKind::Null);
    let before = match structured {
        // The model gets this alone.
        Some(node) => result.slice(node.start, node.end).to_owned(),
        None => match get("content").map(|content| super::texts(&result, content)) {
            Some(Some(texts)) => texts.join("\n"),
            // Nothing of it is passed on.
            _ if filters.is_closed() => String::new(),
            _ => return Ok(None),
        },
    };
    let after = filters.with(|text| Ok(text.filter(&before, Budget::USUAL)))?;
    let after = after.flatten().filter(|after| after.len() <= SHOWN_BYTES);
    Ok(after.map(|after| format!(r#"{{"decision":"block","reason":{}}}"#, quote(&after))))
}
