//! Each family of clients shows its model the filtered text, and never the removed text, whichever part of a result the
//! family reads.
//!
//! The families are those of `host/src/mcp/clients.toml`, and one unknown client. `clients/families` stores the views
//! of the models; `TAMIS_BLESS=1` writes them again.

use crate::support::mcp;
use std::path::Path;

use crate::support::mcp::{Client, Stage};
use serde_json::{Map, Value, json};

/// A text that the filter removes.
const MARKER: &str = "ACTION REQUIRED";

/// The text that replaces it.
const COUNT: &str = "unannotated_nodes";

/// A text that no filter changes.
const DATA: &str = "app.models.User";

const STEPS: &str =
    "[[chain]]\ntools = [\"*\"]\nsteps = [\"null-stripper\", \"pending-to-meta\"]\n";

/// A client, and the part of a result that its model reads.
struct Family {
    name: String,
    sees: Vec<&'static str>,
}

fn families() -> Vec<Family> {
    let table = include_str!("../../host/src/mcp/clients.toml");
    let table: toml::Table = table.parse().expect("the table of clients");
    let specs = table["client"].as_array().expect("clients");
    let of = |spec: &toml::Value| {
        let sees = match spec["sees"].as_str() {
            Some("structured") => vec!["structured"],
            Some("content" | "blocks") => vec!["content"],
            Some("both" | "both-once" | "result") => vec!["both"],
            // No model reads it: `a_program_gets_the_value_that_the_server_sent`.
            Some("value") => return None,
            other => panic!("unknown: {other:?}"),
        };
        let name = spec["name"].as_str().expect("a name").replace('*', "");
        Some(Family { name, sees })
    };
    let mut families: Vec<Family> = specs.iter().filter_map(of).collect();
    assert!(families.len() >= 10, "the table of clients is too short");
    families.push(Family {
        name: "an agent of tomorrow".to_owned(),
        sees: vec!["structured", "content", "both"],
    });
    families
}

/// Results in every arrangement of text and `structuredContent`.
fn results() -> Vec<(&'static str, Value)> {
    let document = json!({
        "success": true, "node": DATA, "error": null,
        "_pending_annotations": {"count": 2, "nodes": ["a", "b"], "hint": MARKER.repeat(20)},
    });
    let text = |text: String| json!([{"type": "text", "text": text}]);
    vec![
        (
            "repeats",
            json!({"content": text(document.to_string()), "structuredContent": document}),
        ),
        (
            "repeats-pretty",
            json!({"content": text(format!("{document:#}")), "structuredContent": {"result": document}}),
        ),
        (
            "differs",
            json!({"content": text(format!("{DATA} was found")), "structuredContent": document}),
        ),
        (
            "under-a-name",
            json!({"content": text(format!("{document:#}")), "structuredContent": {"node": document, "of": 1}}),
        ),
        ("text-alone", json!({"content": text(document.to_string())})),
        ("structured-alone", json!({"structuredContent": document})),
    ]
}

/// The part of a result that a model reads.
fn view(result: &Value, sees: &str) -> String {
    let blocks = result["content"].as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    let structured = result.get("structuredContent").map(Value::to_string);
    match (sees, structured) {
        ("structured", Some(structured)) => structured,
        ("both", Some(structured)) => [texts.join("\n"), structured].join("\n"),
        _ => texts.join("\n"),
    }
}

fn stage(structured: &str) -> Stage {
    let stage = Stage::new(&format!("{STEPS}{structured}\n"));
    for (name, result) in results() {
        stage.tool(name, result.to_string());
    }
    stage.answers("initialize", r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#);
    stage
}

/// The view of a client's model of each result, in a session that begins with `initialize`.
fn in_a_session(stage: &Stage, family: &Family, sees: &str) -> Value {
    let mut client = stage.start();
    client.greet(&family.name);
    views(&mut client, sees, &json!(null))
}

/// The same if every request names the client.
fn without_a_session(stage: &Stage, family: &Family, sees: &str) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": family.name, "version": "1.0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    views(&mut stage.start(), sees, &meta)
}

fn views(client: &mut Client, sees: &str, meta: &Value) -> Value {
    let mut views = Map::new();
    for (name, _) in results() {
        let mut params = json!({"name": name, "arguments": {}});
        if !meta.is_null() {
            params["_meta"] = meta.clone();
        }
        let answer = client.ask("tools/call", &params);
        views.insert(name.to_owned(), view(&answer["result"], sees).into());
    }
    views.into()
}

#[test]
fn no_model_sees_what_a_filter_took_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/clients/families");
    let stages = [
        ("text", stage("structured = \"text\"")),
        ("default", stage("")),
    ];
    let mut failures = Vec::new();
    for family in families() {
        let mut found = Map::new();
        for (mode, stage) in &stages {
            for sees in &family.sees {
                let seen = in_a_session(stage, &family, sees);
                let stateless = without_a_session(stage, &family, sees);
                assert_eq!(
                    seen, stateless,
                    "{}: who asks is said in two ways",
                    family.name
                );
                for (name, sent) in results() {
                    let view = seen[name].as_str().unwrap_or_default();
                    // If upstream does not show this model a text, Tamis need not either.
                    if *mode == "default" && !self::view(&sent, sees).contains(MARKER) {
                        assert!(!view.contains(MARKER), "{}, {name}: {view}", family.name);
                        continue;
                    }
                    if view.contains(MARKER) || !view.contains(COUNT) || !view.contains(DATA) {
                        failures.push(format!("{}, {mode}, {sees}, {name}: {view}", family.name));
                    }
                }
                found.insert(format!("{mode}, sees {sees}"), seen);
            }
        }
        let golden = folder.join(format!("{}.json", family.name.replace([' ', '/'], "-")));
        let found = format!("{:#}\n", Value::from(found));
        if std::env::var_os("TAMIS_BLESS").is_some() {
            std::fs::create_dir_all(&folder).expect("make the folder");
            std::fs::write(&golden, &found).expect("write what is seen");
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        if expected != found {
            failures.push(format!(
                "{} expected\n{expected}found\n{found}",
                golden.display()
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn no_name_of_a_client_keeps_structured_content() {
    // The operator's own tables may also be wrong, or outdated.
    let own = "[[client]]\nname = \"An Agent*\"\nsees = \"content\"\n[[client]]\nname = \"other\"\nsees = \"both-once\"\n";
    let stage = stage(own);
    let mut names: Vec<String> = families().into_iter().map(|family| family.name).collect();
    names.push("other".to_owned());
    for name in names {
        let mut client = stage.start();
        client.greet(&name);
        for tool in [
            "repeats",
            "repeats-pretty",
            "under-a-name",
            "structured-alone",
        ] {
            let result = client.call(tool, &json!({}));
            let kept = result.get("structuredContent");
            assert_eq!(kept, None, "{name}, {tool}");
        }
    }
}

#[test]
fn a_model_that_is_shown_the_text_gets_nothing_beside_it() {
    let row = |n: usize| json!({"city": format!("c{n}"), "n": n, "next": ["expand", "filter"]});
    let rows: Vec<Value> = (0..40).map(row).collect();
    let text = "40 cities: c0 0, c1 1, …";
    let result =
        json!({"content": [{"type": "text", "text": text}], "structuredContent": {"rows": rows}});
    let stage = Stage::new("[[chain]]\ntools = [\"*\"]\nsteps = [\"row-encoder\"]\n");
    stage.tool("rows", result.to_string());
    for family in families() {
        let mut client = stage.start();
        client.greet(&family.name);
        let got = client.call("rows", &json!({}));
        match family.sees[..] {
            ["content"] => assert_eq!(got, result, "{}", family.name),
            // The table is a text for all others, and is there once.
            _ => {
                assert_eq!(got.get("structuredContent"), None, "{}", family.name);
                assert!(
                    got.to_string().contains("40 rows"),
                    "{}: {got}",
                    family.name
                );
            }
        }
    }
}

/// The schema of a tool, and its answer.
const SCHEMA: &str = r#"{"type":"object","properties":{"success":{"type":"boolean"},"node":{"type":"string"}},"required":["success"]}"#;

/// A stage on which the tool `repeats` is listed with a schema.
fn stage_with_schema(keys: &str) -> Stage {
    let stage = stage(keys);
    let list = format!(
        r#"{{"tools":[{{"name":"repeats","description":"d","inputSchema":{{"type":"object"}},"outputSchema":{SCHEMA}}}]}}"#
    );
    stage.answers("tools/list", &list);
    stage
}

fn listed(client: &mut Client) -> (Vec<String>, Value) {
    let list = client.ask("tools/list", &json!({}));
    let tools = list["result"]["tools"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
    let schema = tools[0].get("outputSchema").cloned().unwrap_or_default();
    (tools.iter().map(name).collect(), schema)
}

#[test]
fn a_program_gets_the_value_that_the_server_sent() {
    let own = "[[client]]\nname = \"programs*\"\nsees = \"value\"\n";
    for (keys, name) in [
        // The Python SDK's default name, as Vibe has it.
        ("", "mcp"),
        (own, "Programs 2"),
        // A text is no value, regardless of the chain.
        ("structured = \"text\"\n", "mcp"),
    ] {
        let stage = stage_with_schema(keys);
        let mut client = stage.start();
        client.greet(name);
        let (tools, schema) = listed(&mut client);
        assert_eq!(
            tools,
            ["repeats"],
            "{keys}{name}: there is nothing to read back"
        );
        let expected: Value = SCHEMA.parse().expect("JSON");
        assert_eq!(schema, expected, "{keys}{name}: a program needs the type");
        for (tool, sent) in results() {
            assert_eq!(client.call(tool, &json!({})), sent, "{keys}{name}, {tool}");
        }
    }
    // Others get the text of the table or the filter, without a schema that promises more.
    let stage = stage_with_schema("");
    let mut client = stage.start();
    client.greet("codex");
    assert_eq!(listed(&mut client).1, Value::Null);
    assert!(
        client
            .call("repeats", &json!({}))
            .get("structuredContent")
            .is_none()
    );
}

#[test]
fn a_chain_rewrites_a_programs_value_within_its_schema_and_hides_from_it_what_it_hides() {
    let rewrite = stage_with_schema("structured = \"rewrite\"\n");
    let mut client = rewrite.start();
    client.greet("mcp");
    assert_ne!(listed(&mut client).1, Value::Null);
    let result = client.call("repeats", &json!({}));
    let (value, text) = (&result["structuredContent"], view(&result, "content"));
    assert_eq!(value["node"], DATA, "{result}");
    assert_eq!(value.get("error"), None, "a null goes: {result}");
    assert!(
        value.to_string().contains(MARKER),
        "nothing is cut: {result}"
    );
    assert_eq!(text, view(&results()[0].1, "content"), "the text stays");

    let hides = Stage::new(
        "[[chain]]\ntools = [\"*\"]\nsteps = [{ filter = \"reshape\", drop = [\"**.hint\"], on-error = \"block\" }]\n",
    );
    for (name, result) in results() {
        hides.tool(name, result.to_string());
    }
    let mut client = hides.start();
    client.greet("mcp");
    let result = client.call("repeats", &json!({}));
    assert!(!result.to_string().contains(MARKER), "{result}");
    assert!(result.to_string().contains(DATA), "{result}");
}

/// Rows of a table, as plain JSON.
fn rows(count: usize) -> String {
    let rows: Vec<Value> = (0..count)
        .map(|id| json!({"id": id, "name": format!("name-{}", id * 7919 % 1009), "state": "open", "owner": null}))
        .collect();
    format!("{:#}", Value::from(rows))
}

#[test]
fn a_client_that_would_show_less_by_itself_gets_the_result_as_it_was() {
    let long = json!({"content": [{"type": "text", "text": rows(400)}]});
    let capped = |cap: &str| format!("[[client]]\nname = \"capped\"\nsees = \"content\"\n{cap}\n");
    let call_through = |step: &str, keys: &str| {
        let stage = Stage::new(&format!(
            "[[chain]]\ntools = [\"*\"]\nsteps = [{step}]\n{keys}"
        ));
        stage.tool("long", long.to_string());
        let mut client = stage.start();
        client.greet("capped");
        client.call("long", &json!({}))
    };
    let call = |keys: &str| call_through("\"row-encoder\"", keys);
    // A preview of a few lines costs less than any table of all rows.
    let preview = capped("cap = { over = 20000, first = 500, notice = 100 }");
    assert_eq!(call(&preview), long);
    // Redacted content stays hidden, at any cost.
    let hides = "{ filter = \"reshape\", drop = [\"**.owner\"], on-error = \"block\" }";
    assert!(!call_through(hides, &preview).to_string().contains("owner"));
    for (keys, why) in [
        (capped(""), "nothing is known of a cap"),
        (
            capped("cap = { over = 1000000, first = 500 }"),
            "it is shorter than the cap",
        ),
        (
            capped("cap = { over = 20000, first = 15000, last = 5000 }"),
            "what is shown costs more",
        ),
    ] {
        let result = call(&keys);
        assert_ne!(result, long, "{why}");
        assert!(result.to_string().len() < long.to_string().len(), "{why}");
    }
}

#[test]
fn a_result_for_the_user_alone_stays_unless_the_chain_says_otherwise() {
    let error = "Error: verify: option -T not recognized";
    let block = json!({"type": "text", "text": error, "annotations": {"audience": ["user"]}});
    for result in [
        json!({"content": [block], "isError": true}),
        json!({"content": [block, block]}),
    ] {
        for (keys, is_kept) in [("", true), ("audience = \"enforce\"\n", false)] {
            let stage = stage(keys);
            stage.tool("annotated", result.to_string());
            let mut client = stage.start();
            client.greet("claude-code");
            let got = client.call("annotated", &json!({}));
            assert_eq!(
                view(&got, "content").contains(error),
                is_kept,
                "{keys}: {got}"
            );
        }
    }
}

#[test]
fn blocks_for_the_user_go_where_the_client_would_show_them_to_its_model() {
    let block = |text: &str, audience: &[&str]| json!({"type": "text", "text": text, "annotations": {"audience": audience}});
    let result = json!({"content": [
        block(&"for the eyes of the user ".repeat(20), &["user"]),
        block("for both", &["user", "assistant"]),
        {"type": "text", "text": "for anybody"},
    ]});
    let heeds = "[[client]]\nname = \"heeds\"\nsees = \"content\"\nheeds-audience = true\n";
    for (keys, name, is_kept) in [
        ("", "claude-code", false),
        ("", "an agent of tomorrow", true),
        ("audience = \"enforce\"\n", "an agent of tomorrow", false),
        ("audience = \"keep\"\n", "claude-code", true),
        (heeds, "heeds", true),
    ] {
        let stage = stage(keys);
        stage.tool("annotated", result.to_string());
        let mut client = stage.start();
        client.greet(name);
        let got = client.call("annotated", &json!({}));
        let seen = view(&got, "content");
        assert_eq!(
            seen.contains("eyes of the user"),
            is_kept,
            "{keys}{name}: {got}"
        );
        assert!(
            seen.contains("for both") && seen.contains("for anybody"),
            "{keys}{name}: {got}"
        );
        if !is_kept {
            // It is cut as usual, and its original can be read.
            let reference = mcp::references(&seen).next().map(str::to_owned);
            let reference = reference.unwrap_or_else(|| panic!("no reference in {seen}"));
            let whole = client.read_back("tamis_read", &reference);
            assert_eq!(whole, Ok(result.to_string()), "{keys}{name}");
        }
    }
}
