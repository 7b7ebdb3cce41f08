//! What each family of clients shows its model is the filtered text, and never what the filter took
//! out, whichever part of a result the family reads.
//!
//! The families are those of `host/src/mcp/clients.toml`, and one that nobody knows. What each model
//! would see is kept in `clients/families`; `TAMIS_BLESS=1` writes it anew.

mod support;

#[path = "support/mcp.rs"]
mod mcp;

use std::path::Path;

use mcp::{Client, Stage};
use serde_json::{Map, Value, json};

/// What the filter takes out.
const MARKER: &str = "ACTION REQUIRED";

/// What it puts in its place.
const COUNT: &str = "unannotated_nodes";

/// Something that no filter touches.
const DATA: &str = "app.models.User";

const STEPS: &str =
    "[[chain]]\ntools = [\"*\"]\nsteps = [\"null-stripper\", \"pending-to-meta\"]\n";

/// A client, and what its model reads of a result.
struct Family {
    name: String,
    sees: Vec<&'static str>,
}

fn families() -> Vec<Family> {
    let table = include_str!("../host/src/mcp/clients.toml");
    let table: toml::Table = table.parse().expect("the table of clients");
    let specs = table["client"].as_array().expect("clients");
    let of = |spec: &toml::Value| Family {
        name: spec["name"].as_str().expect("a name").replace('*', ""),
        sees: match spec["sees"].as_str() {
            Some("structured") => vec!["structured"],
            Some("content") => vec!["content"],
            Some("both") => vec!["both"],
            other => panic!("unknown: {other:?}"),
        },
    };
    let mut families: Vec<Family> = specs.iter().map(of).collect();
    assert!(families.len() >= 5, "the table of clients is too short");
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

/// What a model reads that is shown this part of a result.
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

/// What the model of a client sees of each result, in a session that begins with `initialize`.
fn in_a_session(stage: &Stage, family: &Family, sees: &str) -> Value {
    let mut client = stage.start();
    client.greet(&family.name);
    views(&mut client, sees, &json!(null))
}

/// The same where every request says who asks.
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
                    // What upstream does not show this model need not be shown by Tamis.
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
        let golden = folder.join(format!("{}.json", family.name.replace(' ', "-")));
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
fn the_operator_knows_better_what_a_client_shows() {
    let own = "[[client]]\nname = \"An Agent*\"\nsees = \"content\"\n[[client]]\nname = \"kimi*\"\nsees = \"structured\"\n";
    let stage = stage(own);
    let repeats = |name: &str| {
        let mut client = stage.start();
        client.greet(name);
        client.call("repeats", &json!({}))
    };
    // For one that reads the text alone, `structuredContent` stays for the program behind it.
    assert!(
        repeats("an agent of tomorrow")
            .get("structuredContent")
            .is_some()
    );
    assert!(repeats("Kimi CLI").get("structuredContent").is_none());
    // Nobody else is meant.
    assert!(repeats("codex").get("structuredContent").is_none());
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
            // It is cut like anything else, and can be had.
            let reference = mcp::references(&seen).next().map(str::to_owned);
            let reference = reference.unwrap_or_else(|| panic!("no reference in {seen}"));
            let whole = client.read_back("tamis_read", &reference);
            assert_eq!(whole, Ok(result.to_string()), "{keys}{name}");
        }
    }
}
