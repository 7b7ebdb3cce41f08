//! Texts of the kinds that tools return.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

/// Similar objects, with values of databases.
pub fn rows(count: usize) -> Value {
    let row = |id: usize| {
        json!({
            "id": id,
            "name": format!("row{id}"),
            "email": format!("user.{id}@example.com"),
            "path": format!("/home/dev/project/src/module_{}/file_{id}.rs", id % 7),
            "active": id.is_multiple_of(3),
            "score": id as f64 / 8.0,
            "tags": ["alpha", format!("tag{}", id % 5)],
            "note": if id.is_multiple_of(4) { Value::Null } else { json!(format!("it's \"row\" {id}\nand more")) },
            "deleted_at": null,
        })
    };
    (0..count).map(row).collect()
}

/// A result of a server of agents' notes: an envelope with an unwanted block.
pub fn envelope() -> Value {
    json!({
        "success": true,
        "data": {"rows": rows(12), "cursor": null, "warnings": [], "extra": {"a": {"b": []}}},
        "error": null,
        "hint": "",
        "_pending_annotations": {
            "count": 3,
            "nodes": ["app.models.User", "app.views.Index", "app.views.Detail"],
            "hint": "ACTION REQUIRED: annotate each of these nodes. ".repeat(8),
        },
    })
}

pub fn texts() -> Vec<(&'static str, String)> {
    let table = rows(300);
    let wide: Vec<Value> = (0..30)
        .map(|id| {
            (0..40)
                .map(|column| (format!("column_{column}"), json!(id * column)))
                .collect::<Map<_, _>>()
                .into()
        })
        .collect();
    let mut inner = json!({"rows": rows(10), "none": null, "bytes": "x".repeat(40)});
    for level in 0..3 {
        inner = json!({"level": level, "body": inner.to_string(), "none": null});
    }
    let tree = json!([{"name": "src", "type": "directory", "children": (0..60)
        .map(|id| json!({"name": format!("file_{id}.rs"), "type": "file"})).collect::<Vec<_>>()}]);
    vec![
        ("an envelope", envelope().to_string()),
        ("a table, pretty", format!("{table:#}")),
        ("a table, compact", table.to_string()),
        ("a wide table", Value::from(wide).to_string()),
        ("200 KB of nested JSON", format!("{:#}", nested(5, 7))),
        ("JSON in strings in JSON", inner.to_string()),
        ("JSON in a string", Value::from(envelope().to_string()).to_string()),
        ("numbers as they are spelled", r#"{"n":[1e2,1E+2,1.0,1.50,-0,123456789012345678901234567890,0.1],"none":null}"#.to_owned()),
        ("a tree of files", tree.to_string()),
        ("a tree of files, pretty", format!("{tree:#}")),
        ("a log", log(2000, false)),
        ("a log in colours", log(300, true)),
        ("paths", (0..300).map(|id| format!("/home/dev/project/src/module_{}/file_{id}.rs\n", id % 9)).collect()),
        ("hits", (0..300).map(|id| format!("src/module_{}/file_{}.rs:{id}:    let value_{id} = compute({id});\n", id / 60, id / 20)).collect()),
        ("Python's repr", repr(200)),
        ("YAML", yaml(120)),
        ("CSV", (0..300).map(|id| format!("{id},name {id},\"a \"\"quoted\"\" field\",{}\n", id * 3)).collect()),
        ("Chinese and Japanese", "数据库返回了三百行结果，其中有些是空的。これは長い文章です。한국어도 있습니다。\n".repeat(600)),
        ("words of many scripts", "naïve café Ελλάδα Москва हिन्दी 🧀🦀 \u{2028} \u{0}\u{7f} end\n".repeat(200)),
        ("Markdown", markdown()),
        ("one line of 100 KB", "lorem ipsum dolor sit amet ".repeat(4000)),
        ("lines that repeat", "warning: unused variable `x`\n".repeat(1500)),
        ("a stack trace", (0..200).map(|id| format!("  File \"/srv/app/module_{}.py\", line {id}, in function_{id}\n    call_{id}(argument)\n", id % 12)).collect()),
        ("a diff", (0..300).map(|id| format!("@@ -{id},3 +{id},4 @@\n context {id}\n-old line {id}\n+new line {id}\n")).collect()),
        ("HTML", format!("<html><body>{}</body></html>", (0..300).map(|id| format!("<tr><td>{id}</td><td class=\"c\">cell &amp; {id}</td></tr>\n")).collect::<String>())),
        ("base64", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo".repeat(1500)),
        ("an image in JSON", json!({"pages": [{"n": 1, "shot": base64("iVBORw0KGgoA", 4000)}], "none": null}).to_string()),
        ("images in a text", format!("# Shots\n\n![a](data:image/png;base64,{})\n\n{}\nThat was the second.\n", base64("iVBORw0KGgoA", 2000), wrapped(&base64("", 1900)))),
        ("code", (0..200).map(|id| format!("/// Does what {id} says.\npub fn function_{id}(argument: &str) -> usize {{\n    argument.len() + {id}\n}}\n\n")).collect()),
        ("notes of earlier sessions", notes().to_string()),
        ("results of a search", json!({"results": (0..60).map(|id| json!({"id": format!("dec-{id:08x}"), "title": format!("Decision {id}"), "type": "decision", "project": "alpha", "score": 0.5, "body": "What was decided, and why. ".repeat(20)})).collect::<Vec<_>>()}).to_string()),
        ("a few words", "done".to_owned()),
    ]
}

/// This many characters of valid base64, after a beginning of four, eight, ….
fn base64(beginning: &str, count: usize) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 1u64;
    let digit = |_| {
        // Knuth's generator (MMIX): the upper bits look random.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(digits[(state >> 58) as usize])
    };
    let rest: String = (beginning.len()..count).map(digit).collect();
    format!("{beginning}{rest}")
}

/// Lines as in mail.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    for (place, character) in text.char_indices() {
        if place > 0 && place % 76 == 0 {
            lines.push('\n');
        }
        lines.push(character);
    }
    lines
}

fn nested(depth: usize, width: usize) -> Value {
    if depth == 0 {
        return json!({"kind": "leaf", "none": null, "list": []});
    }
    let members =
        (0..width).map(|id| (format!("key_{depth}_{id}"), nested(depth - 1, width.min(6))));
    members.collect::<Map<_, _>>().into()
}

fn log(lines: usize, colours: bool) -> String {
    let mut log = String::new();
    for id in 0..lines {
        let level = ["INFO", "DEBUG", "WARN", "ERROR"][(id / 3) % 4];
        let level = if colours {
            format!("\u{1b}[3{}m{level}\u{1b}[0m", id % 8)
        } else {
            level.to_owned()
        };
        let _ = writeln!(
            log,
            "2026-03-11T16:{:02}:{:02}.{:03}Z {level} worker-{} request {id} took {} ms",
            id / 60 % 60,
            id % 60,
            id % 1000,
            id % 4,
            id * 7 % 90
        );
    }
    log
}

fn repr(rows: usize) -> String {
    let rows = (0..rows).map(|id| {
        format!(
            "{{'id': {id}, 'name': \"it's {id}\", 'total': {id}.50, 'tracking': None, 'ok': True}}"
        )
    });
    format!("[{}]", rows.collect::<Vec<_>>().join(", "))
}

fn yaml(rows: usize) -> String {
    (0..rows)
        .map(|id| {
            format!("- id: {id}\n  name: name {id}\n  note: null\n  tags:\n    - a{id}\n    - b\n")
        })
        .collect()
}

fn markdown() -> String {
    let mut text = String::from("# Title\n\nSome *words*.\n\n| a | b |\n|---|---|\n");
    for id in 0..200 {
        let _ = writeln!(
            text,
            "| cell {id} | [link {id}](https://example.com/{id}) |"
        );
    }
    text + "\n```rust\nfn main() {}\n```\n"
}

fn notes() -> Value {
    let note = |id: usize| {
        (
            format!("topic_{id}"),
            json!(format!("What came of topic {id}.\n").repeat(id)),
        )
    };
    let mut notes: Map<String, Value> = (0..40).map(note).collect();
    notes.insert("_log_1".to_owned(), json!("edited a file"));
    notes.insert("current_session".to_owned(), json!("work in progress"));
    json!({"notes": notes})
}
