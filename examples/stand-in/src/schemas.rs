//! A stand-in for servers whose tools declare the form of their answers.
//!
//! Owns twenty tools with an `outputSchema` each, of twenty kinds, and an answer that fits it. The answers have content
//! for filters: nulls, empty lists, long lists of similar objects, long texts, JSON in strings, paths. Refuses to know
//! the effect of a filter.

use rmcp::model::{CallToolResult, JsonObject, Tool};
use serde_json::{Map, Value, json};

use crate::server::{AnsweringTool, Upstream};

/// The whole server.
pub fn upstream() -> Upstream {
    Upstream {
        name: "schemas",
        version: "0.1.0",
        instructions: String::new(),
        tools: [plain(), lists(), strict(), branching()]
            .into_iter()
            .flatten()
            .collect(),
        prompts: Vec::new(),
    }
}

fn tool(
    name: &'static str,
    schema: Value,
    answer: fn(&JsonObject) -> CallToolResult,
) -> AnsweringTool {
    let object = |value: Value| match value {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    };
    let input = object(json!({"type": "object", "properties": {}}));
    let mut definition = Tool::new(name, "Answers in the form that it promises.", input);
    definition.output_schema = Some(object(schema).into());
    AnsweringTool { definition, answer }
}

/// A schema of an object with these members, of which some are required.
fn form(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

fn says(value: Value) -> CallToolResult {
    CallToolResult::structured(value)
}

fn row(id: usize) -> Value {
    json!({
        "id": id, "name": format!("row {id}"), "path": format!("/srv/data/set_{}/file_{id}.csv", id % 5),
        "note": null, "tags": [], "active": id.is_multiple_of(2),
    })
}

fn rows(count: usize) -> Value {
    (0..count).map(row).collect()
}

fn words(count: usize) -> String {
    "words of a report that goes on ".repeat(count)
}

/// Objects with members of simple types.
fn plain() -> Vec<AnsweringTool> {
    let (text, number, object) = (
        json!({"type": "string"}),
        json!({"type": "number"}),
        json!({"type": "object"}),
    );
    vec![
        tool("any_object", object.clone(), |_| {
            says(json!({"a": null, "b": [], "c": {"d": null}, "e": 1}))
        }),
        tool(
            "flat",
            form(
                json!({"name": text, "size": number, "owner": text}),
                &["name"],
            ),
            |_| says(json!({"name": "n", "size": 1e2, "extra": null, "empty": ""})),
        ),
        tool(
            "nested",
            form(
                json!({"data": form(json!({"inner": form(json!({"value": number}), &["value"])}), &["inner"])}),
                &["data"],
            ),
            |_| {
                says(
                    json!({"data": {"inner": {"value": 0.5, "unit": null}, "warnings": []}, "hint": ""}),
                )
            },
        ),
        tool(
            "required_null",
            form(
                json!({"result": {"type": "null"}, "count": {"type": "integer"}}),
                &["result", "count"],
            ),
            |_| says(json!({"result": null, "count": 0, "other": null})),
        ),
        tool(
            "nullable",
            form(
                json!({"error": {"type": ["string", "null"]}, "data": {"type": ["object", "null"]}}),
                &["error"],
            ),
            |_| says(json!({"error": null, "data": null, "more": {"a": null}})),
        ),
        tool(
            "long_text",
            form(
                json!({"report": text, "none": {"type": "null"}}),
                &["report"],
            ),
            |_| says(json!({"report": words(400), "none": null})),
        ),
        tool(
            "short_text",
            form(
                json!({"report": {"type": "string", "minLength": 5000}}),
                &["report"],
            ),
            |_| says(json!({"report": words(400), "none": null})),
        ),
        tool(
            "json_in_a_string",
            form(json!({"body": text}), &["body"]),
            |_| {
                says(
                    json!({"body": json!({"rows": rows(20), "none": null}).to_string(), "status": 200}),
                )
            },
        ),
    ]
}

fn lists() -> Vec<AnsweringTool> {
    let record = || {
        form(
            json!({"id": {"type": "integer"}, "name": {"type": "string"}}),
            &["id", "name"],
        )
    };
    let list = |items: Value| {
        form(
            json!({"rows": {"type": "array", "items": items}}),
            &["rows"],
        )
    };
    vec![
        tool("rows", list(record()), |_| {
            says(json!({"rows": rows(60), "next": null}))
        }),
        tool("many_rows", list(json!({"type": "object"})), |_| {
            says(json!({"rows": rows(1500), "next": null}))
        }),
        tool(
            "wrapped",
            form(
                json!({"result": {"type": "array", "items": record()}}),
                &["result"],
            ),
            |_| says(json!({"result": rows(30)})),
        ),
        tool(
            "at_least",
            form(
                json!({"rows": {"type": "array", "minItems": 40, "uniqueItems": true}}),
                &["rows"],
            ),
            |_| says(json!({"rows": rows(40), "rest": []})),
        ),
        tool(
            "a_pair",
            form(
                json!({"pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": ["null", "number"]}], "minItems": 2}}),
                &["pair"],
            ),
            |_| says(json!({"pair": ["left", null], "note": null})),
        ),
        tool(
            "paths",
            form(
                json!({"files": {"type": "array", "items": {"type": "string"}}}),
                &["files"],
            ),
            |_| {
                let files: Vec<String> = (0..80)
                    .map(|id| format!("/srv/data/set_{}/file_{id}.csv", id / 9))
                    .collect();
                says(json!({"files": files, "error": null}))
            },
        ),
    ]
}

/// Schemas that forbid unnamed members.
fn strict() -> Vec<AnsweringTool> {
    vec![
        tool(
            "closed",
            json!({"type": "object", "additionalProperties": false, "properties": {"a": {"type": ["integer", "null"]}, "b": {"type": "array"}, "report": {"type": "string"}}, "required": ["a"]}),
            |_| says(json!({"a": null, "b": [], "report": words(300)})),
        ),
        tool(
            "enums",
            json!({"type": "object", "properties": {"state": {"enum": ["open", "shut", null]}, "kind": {"const": "report"}, "reason": {"enum": ["", "late"]}}, "required": ["state", "kind", "reason"]}),
            |_| says(json!({"state": null, "kind": "report", "reason": "", "more": []})),
        ),
        tool(
            "formats",
            json!({"type": "object", "properties": {
                "at": {"type": "string", "format": "date-time"}, "mail": {"type": "string", "format": "email"},
                "key": {"type": "string", "pattern": "^[a-z]+-[0-9]{3}$"}, "n": {"type": "number", "multipleOf": 0.5, "exclusiveMaximum": 10},
            }, "patternProperties": {"^x-": {"type": ["string", "null"]}}, "required": ["at", "mail", "key"]}),
            |_| {
                says(
                    json!({"at": "2026-03-11T16:43:01Z", "mail": "a@example.com", "key": "abc-123", "n": 1.5, "x-note": null}),
                )
            },
        ),
    ]
}

/// Schemas with alternatives and parts.
fn branching() -> Vec<AnsweringTool> {
    vec![
        tool(
            "either",
            json!({"type": "object", "anyOf": [
                {"properties": {"ok": {"const": true}, "data": {"type": "object"}}, "required": ["ok", "data"]},
                {"properties": {"ok": {"const": false}, "error": {"type": "string"}}, "required": ["ok", "error"]},
            ]}),
            |_| says(json!({"ok": true, "data": {"a": null, "rows": rows(5)}, "error": null})),
        ),
        tool(
            "tree",
            json!({"type": "object", "$defs": {"node": {"type": "object", "properties": {
                "name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            }, "required": ["name", "children"]}}, "properties": {"root": {"$ref": "#/$defs/node"}}, "required": ["root"]}),
            |_| {
                let leaf =
                    |id: usize| json!({"name": format!("leaf {id}"), "children": [], "note": null});
                let leaves: Vec<Value> = (0..20).map(leaf).collect();
                says(json!({"root": {"name": "root", "children": leaves}, "cursor": null}))
            },
        ),
        tool(
            "map",
            json!({"type": "object", "additionalProperties": {"type": "object", "required": ["id", "note"], "properties": {"note": {"type": ["string", "null"]}}}, "minProperties": 50}),
            |_| {
                says(
                    (0..50)
                        .map(|id| (format!("key_{id}"), row(id)))
                        .collect::<Map<_, _>>()
                        .into(),
                )
            },
        ),
    ]
}
