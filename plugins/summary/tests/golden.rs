//! What summaries look like: documents of many kinds, made here, and the summaries that are kept in
//! `tests/golden`. `TAMIS_BLESS=1 cargo test` writes them anew; read what it writes.

use serde_json::{Value, json};
use summary::Summary;
use tamis_sdk::Kind;
use tamis_sdk::testing::Bench;

#[track_caller]
fn assert_golden(name: &str, bench: &Bench<Summary>, document: &str) {
    let applied = bench.apply(document);
    assert!(applied.changed, "{name} was not summarised");
    let path = format!("{}/tests/golden/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let found = format!("{}\n", applied.text());
    if std::env::var_os("TAMIS_BLESS").is_some() {
        std::fs::write(&path, found).unwrap_or_else(|error| panic!("write {path}: {error}"));
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        found, expected,
        "{name}: if this is what it should be, TAMIS_BLESS=1 keeps it"
    );
}

fn plain() -> Bench<Summary> {
    Bench::new(json!({"tables": false}))
}

/// The i-th of some values, in an order that looks like none.
fn pick<'a>(values: &[&'a str], i: usize) -> &'a str {
    values[(i * 7 + i / 3) % values.len()]
}

fn symbols() -> Value {
    let symbols: Vec<Value> = (0..120)
        .map(|i| {
            json!({
                "name": format!("symbol_{i}"),
                "kind": pick(&["fn", "struct", "enum"], i),
                "lang": "rust",
                "file": format!("src/part_{}.rs", i / 10),
                "line": 3 + i * 8,
                "doc": if i % 4 == 0 { Value::Null } else { json!("words that say what it does, at some length") },
            })
        })
        .collect();
    json!({"query": "symbol", "total": 120, "truncated": false, "symbols": symbols})
}

fn orders() -> Value {
    let orders: Vec<Value> = (0..60)
        .map(|i| {
            let items: Vec<Value> = (0..1 + i % 3)
                .map(|j| json!({"sku": format!("SKU-{i}-{j}"), "quantity": 1 + j, "price": 9.5 + f64::from(i)}))
                .collect();
            let mut order = json!({
                "id": format!("ORD-{i:04}"),
                "customer": {"id": i % 9, "name": format!("Customer {i}")},
                "items": items,
                "tags": if i % 2 == 0 { vec!["gift"] } else { vec![] },
                "status": pick(&["open", "shipped"], i as usize),
                "date": format!("2025-03-{:02}", 1 + i % 28),
            });
            if i % 5 == 0 {
                order["note"] = json!("leave at the door");
            }
            order
        })
        .collect();
    json!({"orders": orders, "page": {"number": 1, "of": 4}})
}

fn folder(name: &str, depth: usize) -> Value {
    if depth == 0 {
        return json!({"name": name, "type": "file"});
    }
    let children: Vec<Value> = (0..5)
        .map(|i| folder(&format!("{name}-{i}"), if i < 3 { depth - 1 } else { 0 }))
        .collect();
    json!({"name": name, "type": "directory", "children": children})
}

fn log() -> String {
    let lines = (0..200).map(|i| match i % 40 {
        7 => format!(
            "2025-01-02T10:{:02}:00Z ERROR db - connection refused to 10.0.0.{i}:5432",
            i % 60
        ),
        12 => format!(
            "2025-01-02T10:{:02}:00Z WARN cache - {i} keys evicted",
            i % 60
        ),
        _ => format!(
            "2025-01-02T10:{:02}:00Z INFO api - request {i} served in {} ms",
            i % 60,
            i * 3
        ),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_table_with_small_members() {
    assert_golden("symbols", &plain(), &symbols().to_string());
}

#[test]
fn whitespace_between_tokens_changes_nothing_but_the_count() {
    assert_golden("symbols-pretty", &plain(), &format!("{:#}", symbols()));
}

#[test]
fn rows_that_hold_rows() {
    assert_golden("orders", &plain(), &orders().to_string());
}

#[test]
fn a_map_whose_keys_are_data() {
    let flags: serde_json::Map<String, Value> = (0..90)
        .map(|i| {
            let flag =
                json!({"enabled": i % 3 == 0, "rollout": i, "owner": format!("team {}", i % 11)});
            (format!("flag.{i}"), flag)
        })
        .collect();
    assert_golden("map", &plain(), &json!({ "flags": flags }).to_string());
}

#[test]
fn rows_that_are_arrays() {
    let rows: Vec<Value> = (0..150)
        .map(|i| json!([i, format!("name {i}"), f64::from(i) / 7.0]))
        .collect();
    let table = json!({"columns": ["id", "name", "share"], "rows": rows});
    assert_golden("positions", &plain(), &table.to_string());
}

#[test]
fn a_tree() {
    let tree: Vec<Value> = ["src", "tests"]
        .iter()
        .map(|name| folder(name, 4))
        .collect();
    assert_golden("tree", &plain(), &json!(tree).to_string());
}

#[test]
fn lists_of_scalars() {
    let paths: Vec<String> = (0..80)
        .map(|i| format!("/srv/app/src/m{}/file{i}.py", i % 5))
        .collect();
    let colours: Vec<&str> = (0..300)
        .map(|i| pick(&["red", "green", "blue"], i))
        .collect();
    let numbers: Vec<usize> = (0..300).map(|i| i * i).collect();
    let lists = json!({"paths": paths, "colours": colours, "numbers": numbers});
    assert_golden("lists", &plain(), &lists.to_string());
}

#[test]
fn wide_rows_and_keys_that_few_rows_have() {
    let rows: Vec<Value> = (0..20)
        .map(|i| {
            let mut row = serde_json::Map::new();
            for j in 0..40 {
                row.insert(format!("column_{j}"), json!(i * j));
                row.insert(format!("label_{j}"), json!("same"));
            }
            row.insert(
                "links".to_owned(),
                json!({format!("link-{i}"): format!("https://example.com/{i}")}),
            );
            Value::Object(row)
        })
        .collect();
    assert_golden("wide", &plain(), &json!(rows).to_string());
}

#[test]
fn more_tables_than_have_room() {
    let tables: serde_json::Map<String, Value> = (0..40)
        .map(|i| {
            let rows: Vec<Value> = (0..8)
                .map(|j| json!({"a": i, format!("only_{i}"): j, "text": "x".repeat(20)}))
                .collect();
            (
                format!("table_{i}"),
                if i % 2 == 0 {
                    json!(rows)
                } else {
                    json!({ "rows": rows, "name": i })
                },
            )
        })
        .collect();
    assert_golden("tables", &plain(), &Value::Object(tables).to_string());
}

#[test]
fn a_file_in_a_string() {
    let code = (0..90)
        .map(|i| format!("pub fn step_{i}(input: &str) -> usize {{\n    input.len() + {i}\n}}\n"));
    let file = json!({"path": "src/steps.rs", "content": code.collect::<String>()});
    assert_golden("file", &plain(), &file.to_string());
}

#[test]
fn a_log() {
    assert_golden("log", &plain(), &log());
}

#[test]
fn markdown() {
    let sections = (1..20).map(|i| {
        format!(
            "## Part {i}\n\n{}\n",
            "Some words about this part. ".repeat(8)
        )
    });
    let text = format!("# The whole\n\n{}", sections.collect::<String>());
    assert_golden("markdown", &plain(), &text);
}

#[test]
fn a_diff() {
    let files = (0..90).map(|i| {
        format!(
            "diff --git a/src/f{i}.rs b/src/f{i}.rs\nindex 1..2 100644\n--- a/src/f{i}.rs\n+++ b/src/f{i}.rs\n@@ -1,3 +1,4 @@\n context error: none\n-old line\n+new line\n+another line\n"
        )
    });
    assert_golden("diff", &plain(), &files.collect::<String>());
}

#[test]
fn paths_one_a_line() {
    let paths = (0..180).map(|i| {
        let folder = pick(
            &[
                "src/model",
                "src/view",
                "src/view/parts",
                "tests",
                "docs/guide",
            ],
            i,
        );
        format!("/srv/app/{folder}/file{i}.{}\n", pick(&["rs", "md"], i))
    });
    assert_golden("paths", &plain(), &paths.collect::<String>());
}

#[test]
fn places_in_files() {
    let lines = (0..120).map(|i| {
        format!(
            "src/part_{}.rs:{}:    let value = read().unwrap();\n",
            i / 30,
            i * 3 + 1
        )
    });
    assert_golden("places", &plain(), &lines.collect::<String>());
}

#[test]
fn output_of_a_test_run() {
    let mut text = String::from("=== test session starts ===\n");
    for i in 0..150 {
        let outcome = if i % 50 == 3 { "FAILED" } else { "PASSED" };
        text.push_str(&format!(
            "tests/test_{}.py::test_case_{i} {outcome}\n",
            i % 4
        ));
    }
    text.push_str("E   AssertionError: assert 1 == 2\n=== 3 failed, 147 passed in 3.20s ===\n");
    assert_golden("test-run", &plain(), &text);
}

#[test]
fn text_in_one_line() {
    assert_golden("one-line", &plain(), &"word after word, ".repeat(1_200));
}

#[test]
fn an_error_keeps_its_head_and_its_end() {
    let trace = format!(
        "Traceback: it went wrong\n{}ValueError: the reason\n",
        "  File \"app.py\", line 12, in run\n".repeat(200)
    );
    assert_golden("error", &plain().is_error(true), &trace);
}

#[test]
fn what_was_text_is_not_read_by_path() {
    let table = symbols().to_string();
    assert_golden("converted", &plain().sent_as(Kind::Text), &table);
}

#[test]
fn members_that_the_operator_keeps() {
    let errors: Vec<Value> = (0..127)
        .map(|i| json!({"file": format!("src/f{i}.java"), "line": i, "message": "cannot find symbol in this class"}))
        .collect();
    let build = json!({
        "warnings": {"shown": (0..80).collect::<Vec<u32>>(), "count": 80},
        "errors": errors,
        "success": false,
        "return_code": 1,
        "command": "javac ".to_owned() + &"Main.java ".repeat(30),
    });
    let settings = json!({"tables": false, "keep": ["command", "$.warnings.shown"], "rows": 1, "distinct": 2, "cell": 20});
    assert_golden("kept", &Bench::new(settings), &build.to_string());
}
