//! Lists of tools: what a policy changes in them.

use super::edits::Edits;
use super::fields::{FRAME_DEPTH, key_text, member, string};
use crate::document::{Document, NodeKind};

/// A tool in a list of tools.
#[derive(Debug, Clone, Copy)]
pub struct ListedTool<'a> {
    pub name: &'a str,
    /// A user interface is bound to its `structuredContent` (the extension MCP Apps).
    pub has_ui: bool,
}

/// Takes `outputSchema` from the tools that `is_text_alone`, since what they answer has no
/// `structuredContent`, and adds a tool of Tamis's own on the last page. None: the list stays as it
/// is.
pub fn filter_tools_list(
    list: &[u8],
    is_text_alone: impl Fn(ListedTool<'_>) -> bool,
    own_tool: impl FnOnce() -> Option<String>,
) -> Option<String> {
    let frame = Document::json_with_depth(std::str::from_utf8(list).ok()?, FRAME_DEPTH).ok()?;
    let tape = frame.tape()?;
    let mut edits = Edits::default();
    let mut last_tools = None;
    for (key, tools) in tape.members(tape.root()) {
        if key_text(&frame, key).as_deref() != Some("tools") || tools.kind != NodeKind::Array {
            continue;
        }
        last_tools = Some(tools);
        for tool in tape.elements(tools) {
            let name = member(&frame, tool, "name").and_then(|name| string(&frame, name));
            let Some(name) = name else { continue };
            let meta = member(&frame, tool, "_meta");
            let has = |key| meta.is_some_and(|meta| member(&frame, meta, key).is_some());
            let listed = ListedTool {
                name: &name,
                has_ui: has("ui") || has("ui/resourceUri"),
            };
            if !is_text_alone(listed) {
                continue;
            }
            for (key, _) in tape.members(tool) {
                if key_text(&frame, key).as_deref() == Some("outputSchema") {
                    edits.remove(key);
                }
            }
        }
    }
    let next_page = member(&frame, tape.root(), "nextCursor");
    let is_last_page = next_page.is_none_or(|cursor| cursor.kind == NodeKind::Null);
    // After the loop: whether the name is free is known when all tools were seen.
    if let Some(tools) = last_tools.filter(|_| is_last_page)
        && let Some(own_tool) = own_tool()
    {
        edits.append(tools, &own_tool);
    }
    match edits.apply(&frame) {
        Ok(edited) => edited,
        Err(error) => {
            tracing::error!("the list of tools could not be edited, and passes as it was: {error}");
            None
        }
    }
}
