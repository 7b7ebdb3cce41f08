//! Copilot CLI: `modifiedResult` replaces a tool's result.

use super::output::Filters;
use crate::document::{Document, Node};
use crate::file_text::Budget;
use crate::json::tree::{member, quote, string};
use anyhow::Result;

/// How the text of a command ends: with its state, which stays.
const STATE: &str = "\n<shellId: ";
/// How a text begins that the agent has cut.
const CUT: &str = "Output too large to read at once";

/// The answer to a tool's result; none if it stays unchanged.
pub(super) fn answer(filters: &Filters, frame: &Document, result: Node) -> Result<Option<String>> {
    let read = |name| member(frame, result, name).and_then(|node| string(frame, node));
    let (Some(text), Some(kind)) = (read("textResultForLlm"), read("resultType")) else {
        return Ok(None);
    };
    // A part of 500 characters is small, and says where the rest is.
    if text.starts_with(CUT) && !filters.is_closed() {
        return Ok(None);
    }
    let state = text
        .rfind(STATE)
        .filter(|at| text.ends_with('>') && text[at + 1..].lines().count() == 1);
    let (output, state) = text.split_at(state.unwrap_or(text.len()));
    let new = filters.with(|text| Ok(text.filter(output, Budget::USUAL)))?;
    Ok(new.flatten().map(|new| {
        let (new, kind) = (quote(&format!("{new}{state}")), quote(&kind));
        format!(r#"{{"modifiedResult":{{"textResultForLlm":{new},"resultType":{kind}}}}}"#)
    }))
}
