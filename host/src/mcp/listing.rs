//! Lists of tools, and how a policy changes them.

use super::input_schema;
use crate::document::{Document, NodeKind};
use crate::json::edits::Edits;
use crate::json::tree::{FRAME_DEPTH, is_plain, key_text, member, quote, string};
use serde_json::json;

/// The member of a tool's `_meta` by which it is listed in every request (Claude Code).
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";

/// A tool in a list of tools.
#[derive(Debug, Clone, Copy)]
pub struct ListedTool<'a> {
    pub name: &'a str,
    pub description: Option<&'a str>,
    /// Raw JSON.
    pub output_schema: Option<&'a str>,
    /// A user interface is bound to the tool's `structuredContent` (the extension MCP Apps).
    pub has_ui: bool,
    /// The server says that the tool changes nothing (`readOnlyHint`).
    pub is_read_only: bool,
}

/// The changes of a tool in the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// Remove the tool from the list.
    pub hidden: bool,
    /// Remove `outputSchema`: the tool's answers have no `structuredContent`.
    pub without_output_schema: bool,
    /// Remove members of `inputSchema` that tell a model nothing.
    pub short_input_schema: bool,
    /// Ask the client to list the tool in every request, also if its model searches for others.
    pub pinned: bool,
    /// The new description.
    pub description: Option<String>,
}

/// Applies `change` to every tool of a page, and adds Tamis's own tool on the last page. None: the list stays
/// unchanged. `is_strict`: the policy may hide a tool. Leaves out everything that readers could differ over, or
/// that cannot be changed.
pub fn filter_tools_list(
    list: &[u8],
    is_strict: bool,
    change: impl Fn(ListedTool<'_>) -> Change,
    own_tool: impl FnOnce() -> Option<String>,
) -> Option<String> {
    // Clients decode leniently, so one bad byte must not let the whole list pass.
    let frame = Document::json_with_depth(String::from_utf8_lossy(list), FRAME_DEPTH).ok();
    let Some((frame, tape)) = frame
        .as_ref()
        .and_then(|frame| Some((frame, frame.tape()?)))
    else {
        return is_strict.then(|| nothing("it is not JSON"));
    };
    if is_strict && !is_plain(frame, tape.root(), &["tools", "nextCursor"]) {
        return Some(nothing("readers could differ over its members"));
    }
    let mut edits = Edits::default();
    let mut last_tools = None;
    for (key, tools) in tape.members(tape.root()) {
        if key_text(frame, key).as_deref() != Some("tools") || tools.kind != NodeKind::Array {
            continue;
        }
        last_tools = Some(tools);
        for tool in tape.elements(tools) {
            let name = member(frame, tool, "name").and_then(|name| string(frame, name));
            let is_plain = || is_plain(frame, tool, &["name", "description"]);
            let Some(name) = name.filter(|_| !is_strict || is_plain()) else {
                if is_strict {
                    tracing::error!(
                        "a listed tool is left out: readers could differ over its name"
                    );
                    edits.remove(tool);
                }
                continue;
            };
            let meta = member(frame, tool, "_meta");
            let has = |key| meta.is_some_and(|meta| member(frame, meta, key).is_some());
            let annotations = member(frame, tool, "annotations");
            let read_only = annotations.and_then(|hints| member(frame, hints, "readOnlyHint"));
            let description = member(frame, tool, "description");
            let text = description.and_then(|node| string(frame, node));
            let schema = member(frame, tool, "outputSchema");
            let change = change(ListedTool {
                name: &name,
                description: text.as_deref(),
                output_schema: schema.map(|schema| frame.slice(schema.start, schema.end)),
                has_ui: has("ui") || has("ui/resourceUri"),
                is_read_only: read_only.is_some_and(|hint| hint.kind == NodeKind::True),
            });
            if change.hidden {
                edits.remove(tool);
                continue;
            }
            match (change.description, description) {
                (Some(new), Some(old)) => edits.replace(old, &quote(&new)),
                (Some(new), None) => {
                    edits.append(tool, &format!(r#""description":{}"#, quote(&new)));
                }
                (None, _) => {}
            }
            if change.short_input_schema
                && let Some(schema) = input_schema::of(frame, tool)
            {
                for key in input_schema::needless(frame, schema, &name) {
                    edits.remove(key);
                }
            }
            match meta {
                _ if !change.pinned || has(ALWAYS_LOAD) => {}
                Some(meta) if meta.kind == NodeKind::Object => {
                    edits.append(meta, &format!(r#""{ALWAYS_LOAD}":true"#));
                }
                // A client would not read `_meta` that is no object.
                Some(_) => {}
                None => edits.append(tool, &format!(r#""_meta":{{"{ALWAYS_LOAD}":true}}"#)),
            }
            for (key, _) in tape.members(tool) {
                if change.without_output_schema
                    && key_text(frame, key).as_deref() == Some("outputSchema")
                {
                    edits.remove(key);
                }
            }
        }
    }
    let next_page = member(frame, tape.root(), "nextCursor");
    let is_last_page = next_page.is_none_or(|cursor| cursor.kind == NodeKind::Null);
    // After the loop: whether the name is free is known when all tools were seen.
    if let Some(tools) = last_tools.filter(|_| is_last_page)
        && let Some(own_tool) = own_tool()
    {
        edits.append(tools, &own_tool);
    }
    match edits.apply(frame) {
        Ok(edited) => edited,
        Err(error) => {
            if is_strict {
                return Some(nothing(&error.to_string()));
            }
            tracing::error!("the list of tools could not be edited, and passes unchanged: {error}");
            None
        }
    }
}

/// The list in place of one of which no tool is available: one tool that says why. Clients show their models names and
/// descriptions of tools, but few of them errors of the list.
pub fn closed(why: &str) -> String {
    let schema = json!({"type": "object", "properties": {}});
    let tool = json!({"name": "tamis_closed", "description": why, "inputSchema": schema});
    json!({"tools": [tool]}).to_string()
}

/// A list without tools, in place of a list that may contain hidden tools.
fn nothing(why: &str) -> String {
    tracing::error!("the list of tools is left empty, since the policy may hide a tool: {why}");
    r#"{"tools":[]}"#.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(list: &str, is_strict: bool) -> String {
        let change = |tool: ListedTool<'_>| Change {
            hidden: tool.name == "hidden",
            ..Change::default()
        };
        let changed = filter_tools_list(list.as_bytes(), is_strict, change, || None);
        changed.unwrap_or_else(|| list.to_owned())
    }

    #[test]
    fn a_pinned_tool_says_so_in_meta() {
        let change = |tool: ListedTool<'_>| Change {
            pinned: tool.name != "other",
            ..Change::default()
        };
        for (tool, pinned) in [
            (
                r#"{"name":"a"}"#,
                r#"{"name":"a","_meta":{"anthropic/alwaysLoad":true}}"#,
            ),
            (
                r#"{"name":"a","_meta":{}}"#,
                r#"{"name":"a","_meta":{"anthropic/alwaysLoad":true}}"#,
            ),
            (
                r#"{"_meta":{"x":1},"name":"a"}"#,
                r#"{"_meta":{"x":1,"anthropic/alwaysLoad":true},"name":"a"}"#,
            ),
            // The server's own word counts.
            (
                r#"{"name":"a","_meta":{"anthropic/alwaysLoad":false}}"#,
                r#"{"name":"a","_meta":{"anthropic/alwaysLoad":false}}"#,
            ),
            (r#"{"name":"a","_meta":1}"#, r#"{"name":"a","_meta":1}"#),
            (r#"{"name":"other"}"#, r#"{"name":"other"}"#),
        ] {
            let list = format!(r#"{{"tools":[{tool}]}}"#);
            let changed = filter_tools_list(list.as_bytes(), false, change, || None);
            let expected = format!(r#"{{"tools":[{pinned}]}}"#);
            assert_eq!(changed.unwrap_or(list), expected);
        }
    }

    #[test]
    fn where_a_tool_may_be_hidden_no_reader_finds_another_list() {
        for list in [
            r#"{"tools":[{"name":"hidden"}]}"#,
            r#"{"tools":[],"Tools":[{"name":"hidden"}]}"#,
            r#"{"tools":[{"name":"hidden"}],"tools":[]}"#,
            r#"{"tools":[{"name":"hidden","name":"ok"}]}"#,
            r#"{"tools":[{"name":"ok","Name":"hidden"}]}"#,
            r#"{"tools":[{"name":["hidden"]}]}"#,
            r#"{"tools":[{"name":"hidden"}]"#,
        ] {
            let strict = listed(list, true);
            assert!(!strict.contains("hidden"), "{list}: {strict}");
            serde_json::from_str::<serde_json::Value>(&strict).expect("JSON");
        }
        let plain = r#"{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"1"}"#;
        assert_eq!(listed(plain, true), plain);
        // If nothing is hidden, an unreadable list passes.
        let broken = r#"{"tools":[{"name":"a"}]"#;
        assert_eq!(listed(broken, false), broken);
    }
}
