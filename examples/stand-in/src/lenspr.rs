//! A stand-in for LensPR, a server that knows a Python project as a graph of code.
//!
//! Owns the list of tools: names, descriptions, schemas. [`answers`] has their answers, [`project`] the project,
//! [`notes`] the notes of earlier sessions. Refuses to filter: arguments that limit an answer (`max_usages`,
//! `max_actions`) are in the schemas, because clients send only arguments of the schema, but a filter must apply them.

mod answers;
mod notes;
mod project;

use rmcp::model::{CallToolResult, JsonObject, Prompt, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::server::{AnsweringPrompt, AnsweringTool, Upstream};

/// The whole server.
pub fn upstream() -> Upstream {
    Upstream {
        name: "lenspr",
        version: "0.1.0",
        instructions: notes::instructions(),
        tools: tools(),
        prompts: vec![AnsweringPrompt {
            definition: Prompt::new(
                "lens_session_notes",
                Some("Everything that earlier sessions noted down."),
                None,
            ),
            text: notes::instructions,
        }],
    }
}

fn tools() -> Vec<AnsweringTool> {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let number = |about: &str| json!({ "type": "integer", "description": about });
    let node = json!({ "node_id": text("Id of a node, such as app.models.User.") });
    let update = json!({
        "node_id": node["node_id"],
        "new_source": text("The whole new code of the node."),
        "reasoning": text("Why; kept for later sessions."),
    });
    let usages = json!({
        "node_id": node["node_id"],
        "max_usages": number("How many usages to return at most."),
    });
    let actions = json!({ "max_actions": number("How many logged actions to return at most.") });
    let query = json!({ "query": text("Part of a name.") });
    let none = json!({});

    let mut tools = vec![
        tool(
            "lens_health",
            "Says whether the graph is in order, and how large it is.",
            &none,
            &[],
            answers::health,
        ),
        tool(
            "lens_get_node",
            "Gives one node with its code and metadata.",
            &node,
            &["node_id"],
            answers::get_node,
        ),
        tool(
            "lens_update_node",
            "Replaces the code of a node, after checking it.",
            &update,
            &["node_id", "new_source"],
            answers::update_node,
        ),
        tool(
            "lens_explain",
            "Gives all there is to explain a function: its code, an analysis, and its callers.",
            &node,
            &["node_id"],
            answers::explain,
        ),
        tool(
            "lens_find_usages",
            "Lists what calls, imports or inherits from a node.",
            &usages,
            &["node_id"],
            answers::find_usages,
        ),
        tool(
            "lens_list_tests",
            "Lists the tests that reach a node.",
            &node,
            &["node_id"],
            answers::list_tests,
        ),
        tool(
            "lens_search",
            "Finds nodes by name.",
            &query,
            &["query"],
            answers::search,
        ),
        tool(
            "lens_security_scan",
            "Runs bandit and maps what it finds to nodes.",
            &none,
            &[],
            answers::security_scan,
        ),
        tool(
            "lens_dep_audit",
            "Checks dependencies for known vulnerabilities.",
            &none,
            &[],
            answers::dep_audit,
        ),
        tool(
            "lens_session_read",
            "Gives every session note in full.",
            &none,
            &[],
            answers::session_read,
        ),
        tool(
            "lens_resume",
            "Restores the last session from the action log and the notes.",
            &actions,
            &[],
            answers::resume,
        ),
        tool(
            "lens_session_handoff",
            "Writes a handoff for the next session.",
            &none,
            &[],
            answers::session_handoff,
        ),
        tool(
            "lens_graph_stats",
            "Counts nodes and edges by type.",
            &none,
            &[],
            answers::graph_stats,
        ),
        tool(
            "raw_export",
            "Dumps the graph in its own format, to be stored as it is.",
            &none,
            &[],
            answers::raw_export,
        ),
    ];
    for tool in &mut tools {
        let definition = &mut tool.definition;
        let changes =
            definition.name == "lens_update_node" || definition.name == "lens_session_handoff";
        definition.annotations = Some(ToolAnnotations::new().read_only(!changes));
        if definition.name == "lens_graph_stats" {
            definition.output_schema = Some(object(envelope_schema()).into());
        }
    }
    tools
}

fn tool(
    name: &'static str,
    description: &'static str,
    properties: &Value,
    required: &[&str],
    answer: fn(&JsonObject) -> CallToolResult,
) -> AnsweringTool {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    AnsweringTool {
        definition: Tool::new(name, description, object(schema)),
        answer,
    }
}

fn envelope_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "success": { "type": "boolean" },
            "data": { "type": ["object", "null"] },
            "error": { "type": ["string", "null"] },
            "hint": { "type": ["string", "null"] },
            "warnings": { "type": "array", "items": { "type": "string" } },
            "affected_nodes": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["success", "data", "error", "hint", "warnings", "affected_nodes"],
    })
}

/// The members of an object. Schemas in this file are always objects.
fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests;
