//! Results of upstreams: every kind that matters to a filter, each on one line.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::mcp::Client;
use crate::support::{Folder, Program};

/// A tool's result, as raw JSON or an imitation of it.
pub struct Sent {
    /// Its source.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// All results.
pub fn all() -> Vec<Sent> {
    let mut all = generated();
    all.extend(of_cases());
    all.extend(SYSTEMS.iter().flat_map(|system| of_a_stand_in(system)));
    all.extend(of_the_corpus());
    all
}

/// A file as a result: unchanged if it is one, else as the text of one.
fn result_of(content: &[u8]) -> Vec<u8> {
    let is_result = matches!(
        serde_json::from_slice::<Value>(content),
        Ok(Value::Object(members)) if members.contains_key("content") || members.contains_key("structuredContent")
    );
    match std::str::from_utf8(content) {
        Ok(text) if !is_result && !text.contains("\\ud") => of_text(text).into_bytes(),
        // Line breaks in JSON are white space.
        _ => content
            .trim_ascii()
            .iter()
            .map(|byte| {
                if matches!(byte, b'\n' | b'\r') {
                    b' '
                } else {
                    *byte
                }
            })
            .collect(),
    }
}

fn of_text(text: &str) -> String {
    json!({"content": [{"type": "text", "text": text}], "isError": false}).to_string()
}

/// The inputs of the cases that `tamis apply` is tested with.
fn of_cases() -> Vec<Sent> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/apply");
    let inputs = files(&folder, &|path| {
        path.file_stem().is_some_and(|stem| stem == "input")
    });
    assert!(inputs.len() >= 40, "the cases are missing");
    inputs.into_iter().map(of_file).collect()
}

/// Recorded results, if `TAMIS_DATA` names some.
fn of_the_corpus() -> Vec<Sent> {
    let Some(data) = std::env::var_os("TAMIS_DATA") else {
        eprintln!("TAMIS_DATA is not set: no recorded results");
        return Vec::new();
    };
    let found = files(&Path::new(&data).join("corpus"), &|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    assert!(!found.is_empty(), "TAMIS_DATA has no corpus/**/*.json");
    found.into_iter().map(of_file).collect()
}

fn of_file(path: PathBuf) -> Sent {
    Sent {
        bytes: result_of(&fs::read(&path).expect("read a document")),
        name: path.display().to_string(),
    }
}

fn files(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, wanted));
        } else if wanted(&path) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The systems of the stand-in.
const SYSTEMS: &[&str] = &[
    "compact-rows",
    "lenspr",
    "memory",
    "schemas",
    "sessions",
    "spill",
];

/// The answer of each tool of a stand-in.
fn of_a_stand_in(system: &str) -> Vec<Sent> {
    let program = Path::new(env!("CARGO_BIN_EXE_tamis")).with_file_name("stand-in");
    assert!(
        program.exists(),
        "no {}: run `make build`",
        program.display()
    );
    let folder = Folder::new();
    let line = [program.as_os_str(), system.as_ref()];
    let mut client = Client::of(Program::new(&line, folder.path()));
    client.greet("nothing_lost");
    let listed = client.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools").clone();
    let arguments = json!({
        "node_id": "app.models.User", "query": "a", "file": "main.py", "path": "main.py", "new_source": "pass", "reasoning": "none",
    });
    let answer = |tool: &Value| {
        let name = tool["name"].as_str().expect("a name");
        let id = client.send("tools/call", &json!({"name": name, "arguments": arguments}));
        let line = client.line(id);
        let head = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"#);
        // A missing argument gives an error instead of a result.
        let bytes = line.strip_prefix(head.as_bytes())?;
        Some(Sent {
            name: format!("stand-in {system} {name}"),
            bytes: bytes.strip_suffix(b"}\n")?.to_vec(),
        })
    };
    let sent: Vec<Sent> = tools.iter().filter_map(answer).collect();
    assert!(!sent.is_empty(), "{system} answered no call");
    sent
}

fn generated() -> Vec<Sent> {
    let mut all = Vec::new();
    let mut add = |name: &str, bytes: String| {
        all.push(Sent {
            name: name.to_owned(),
            bytes: bytes.into_bytes(),
        });
    };
    for (name, text) in super::texts::texts() {
        add(name, of_text(&text));
    }
    let text = |text: &str| json!({"type": "text", "text": text});
    let rows = super::texts::rows(40);
    let envelope = super::texts::envelope();
    add(
        "an error",
        json!({"content": [text(&envelope.to_string())], "isError": true}).to_string(),
    );
    add("no content", json!({"content": []}).to_string());
    add("an empty text", json!({"content": [text("")]}).to_string());
    add(
        "blocks of every type",
        json!({"content": [
            text("some words before"),
            {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
            text(&envelope.to_string()),
            {"type": "audio", "data": "UklGRiQ=", "mimeType": "audio/wav", "_meta": {"a": null}},
            {"type": "resource_link", "uri": "file:///a/b.rs", "name": "b.rs", "description": null},
            {"type": "resource", "resource": {"uri": "file:///c.json", "text": "{\"a\": null}"}},
            {"type": "of-tomorrow", "rows": rows, "none": null},
            {"type": "text", "text": format!("{rows:#}"), "annotations": {"audience": ["user"], "priority": 0.5}},
        ], "_meta": {"dev.example/a": null}})
        .to_string(),
    );
    let blocks: Vec<Value> = rows
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| text(&row.to_string()))
        .collect();
    add(
        "a block a row",
        json!({"content": blocks, "structuredContent": {"result": rows}}).to_string(),
    );
    add(
        "structuredContent that repeats the text",
        json!({"content": [text(&format!("{envelope:#}"))], "structuredContent": envelope})
            .to_string(),
    );
    add(
        "structuredContent with the text in a string",
        json!({"content": [text(&format!("{envelope:#}"))], "structuredContent": {"kind": "run", "stdout": [format!("{envelope:#}")], "exit": 0}})
            .to_string(),
    );
    add(
        "structuredContent with the texts in strings",
        json!({"content": [text(&format!("{envelope:#}")), text("done in 3 s")], "structuredContent": {"cells": [format!("{envelope:#}"), "done in 3 s"], "count": 2}})
            .to_string(),
    );
    add(
        "structuredContent that differs",
        json!({"content": [text("40 rows were found; the first is row0")], "structuredContent": {"rows": rows, "total": 40, "next": null}}).to_string(),
    );
    add(
        "structuredContent alone",
        json!({"structuredContent": envelope}).to_string(),
    );
    add(
        "halves of surrogate pairs",
        format!(
            r#"{{"content":[{{"type":"text","text":"{{\"a\":null,\"s\":\"\ud800 x\"}}"}},{{"type":"text","text":{}}}],"structuredContent":{{"a":null,"b":"\udc00"}}}}"#,
            Value::from(envelope.to_string())
        ),
    );
    add(
        "keys that are there twice",
        format!(
            r#"{{"content":[{{"type":"text","text":"a\nb"}}],"structuredContent":{},"content":[{{"type":"text","text":{}}}]}}"#,
            json!({"a": null, "n": 1}),
            Value::from(r#"{"a": null, "a": 1.50, "b": [], "b": {"c": "", "d": 1E2}}"#),
        ),
    );
    let mut nested = String::from("{\"end\": null, \"x\": 1}");
    for depth in 0..110 {
        nested = format!("{{\"n{depth}\":{nested},\"none\":[]}}");
    }
    add("deep nesting", of_text(&nested));
    let mut broken = String::from(r#"{"content":[{"type":"text","text":"{\"a\":null"#);
    let _ = write!(broken, r#"{}"}}]"#, "x".repeat(200));
    add("a result that is cut short", broken + "}");
    all
}
