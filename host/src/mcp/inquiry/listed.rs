//! A server's description of itself and of its tools.

use crate::document::{Document, Node, NodeKind};
use crate::json::tree::{FRAME_DEPTH, member, string};

/// The member with the server's name in the era without a handshake.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The name that a server gives itself; empty if it gives none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerName {
    pub name: String,
    pub version: String,
}

/// A tool that a server lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    pub name: String,
    pub description: Option<String>,
    /// The server declares that a call changes nothing.
    pub read_only: Option<bool>,
    /// The server declares that a call may destroy something.
    pub destructive: Option<bool>,
    /// The tool has required arguments.
    pub needs_arguments: bool,
}

impl ServerName {
    pub(super) fn read(result: &[u8]) -> ServerName {
        let Some(result) = document(result) else {
            return ServerName::default();
        };
        let root = result.tape().map(|tape| tape.root());
        let info = root.and_then(|root| {
            let meta = || member(&result, member(&result, root, "_meta")?, SERVER_INFO);
            member(&result, root, "serverInfo").or_else(meta)
        });
        let text = |name| {
            let node = info.and_then(|info| member(&result, info, name));
            node.and_then(|node| string(&result, node))
                .unwrap_or_default()
        };
        ServerName {
            name: text("name"),
            version: text("version"),
        }
    }
}

/// The tools of a page, and the cursor to the next. None: it is no page.
pub(super) fn page(result: &[u8]) -> Option<(Vec<Tool>, Option<String>)> {
    let page = document(result)?;
    let tape = page.tape()?;
    let tools = member(&page, tape.root(), "tools")?;
    if tools.kind != NodeKind::Array {
        return None;
    }
    let listed = tape.elements(tools);
    let listed = listed.filter_map(|tool| read_tool(&page, tool)).collect();
    let next = member(&page, tape.root(), "nextCursor").and_then(|next| string(&page, next));
    Some((listed, next))
}

/// Reads a tool. None: it has no name, so no client can call it.
fn read_tool(page: &Document, tool: Node) -> Option<Tool> {
    let text = |name| member(page, tool, name).and_then(|node| string(page, node));
    let annotations = member(page, tool, "annotations");
    let hint = |name| match member(page, annotations?, name)?.kind {
        NodeKind::True => Some(true),
        NodeKind::False => Some(false),
        _ => None,
    };
    let schema = member(page, tool, "inputSchema");
    let required = schema.and_then(|schema| member(page, schema, "required"));
    let needs = |required| {
        page.tape()
            .is_some_and(|tape| tape.elements(required).next().is_some())
    };
    Some(Tool {
        name: text("name")?,
        description: text("description"),
        read_only: hint("readOnlyHint"),
        destructive: hint("destructiveHint"),
        needs_arguments: required.is_some_and(needs),
    })
}

/// Servers decode leniently, and so do clients: one bad byte must not hide a list.
fn document(result: &[u8]) -> Option<Document> {
    Document::json_with_depth(String::from_utf8_lossy(result), FRAME_DEPTH).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_as_clients_read_it() {
        let (tools, next) = page(
            br#"{"tools":[
                {"name":"list","description":"Lists.\nAll.","annotations":{"readOnlyHint":true},
                 "inputSchema":{"type":"object","required":[]}},
                {"description":"nobody can call this"},
                {"name":"drop","annotations":{"readOnlyHint":false,"destructiveHint":true},
                 "inputSchema":{"required":["id"]}},
                {"name":"odd","annotations":{"readOnlyHint":"yes"},"annotations":null}
            ],"nextCursor":"2"}"#,
        )
        .expect("a page");
        assert_eq!(next.as_deref(), Some("2"));
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["list", "drop", "odd"]);
        let hints = tools
            .iter()
            .map(|tool| (tool.read_only, tool.destructive, tool.needs_arguments));
        assert_eq!(
            hints.collect::<Vec<_>>(),
            [
                (Some(true), None, false),
                (Some(false), Some(true), true),
                (None, None, false)
            ]
        );
        for broken in ["", "[]", "{}", r#"{"tools":{}}"#] {
            assert_eq!(page(broken.as_bytes()), None, "{broken}");
        }
    }

    #[test]
    fn both_eras_say_the_servers_name() {
        let named = ServerName {
            name: "x".to_owned(),
            version: "1".to_owned(),
        };
        let old = br#"{"serverInfo":{"name":"x","version":"1"}}"#;
        let new = br#"{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x","version":"1"}}}"#;
        assert_eq!(ServerName::read(old), named);
        assert_eq!(ServerName::read(new), named);
        assert_eq!(ServerName::read(b"{}"), ServerName::default());
    }
}
