//! Golden summaries: generated documents of many kinds, and their summaries in `tests/golden`. `TAMIS_BLESS=1 cargo
//! test` writes them again; read them before you commit.

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

/// The i-th of some values, in an order that looks random.
fn pick<'a>(values: &[&'a str], i: usize) -> &'a str {
    values[(i * 7 + i / 3) % values.len()]
}

#[test]
fn a_text_that_holds_data_is_told_as_data() {
    let row = |i: usize| {
        let state = if i == 77 {
            "disputed"
        } else {
            pick(&["open", "paid"], i)
        };
        format!(
            "{i},Customer {i},{state},{}.{:02}",
            10 + i * 3 % 400,
            i % 100
        )
    };
    let rows: Vec<String> = (0..150).map(row).collect();
    let csv = format!(
        "Export of 150 invoices:\n\nid,customer,state,total\n{}\n",
        rows.join("\n")
    );
    assert_golden("csv", &plain(), &csv);
    let items: Vec<Value> = (0..60)
        .map(|i| json!({"pod": format!("web-{i}"), "ready": i != 41, "restarts": i % 3}))
        .collect();
    let fenced = format!(
        "The query returned 60 rows.\n```json\n{}\n```\n",
        serde_json::to_string_pretty(&items).expect("JSON")
    );
    assert_golden("fenced", &plain(), &fenced);
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

#[test]
fn a_row_unlike_the_others_among_many_columns() {
    let issues: Vec<Value> = (0..400)
        .map(|i| {
            let mut issue = json!({
                "id": 2_000_000 + i,
                "node_id": format!("I_kwDO{:08x}", i * 7_919),
                "url": format!("https://api.example.com/issues/{i}"),
                "html_url": format!("https://example.com/issues/{i}"),
                "avatar_url": format!("https://example.com/avatars/{i}?s=80"),
                "etag": format!("W/\"{:016x}\"", i * 104_729),
                "user": {"login": pick(&["ada", "grace", "alan"], i), "gravatar_id": "", "site_admin": false},
                "state": if i == 271 { "locked" } else { pick(&["open", "closed"], i) },
                "title": format!("The {i}th thing that does not work"),
                "comments": i % 17,
                "created_at": format!("2025-04-{:02}T08:00:00Z", 1 + i % 28),
                "price": format!("{}.50", 10 + i % 80),
            });
            if i == 310 {
                issue["user"] = Value::Null;
            }
            issue
        })
        .collect();
    assert_golden("issues", &plain(), &json!(issues).to_string());
    let tight = Bench::new(json!({"tables": false, "above": 1_400}));
    assert_golden("issues-tight", &tight, &json!(issues).to_string());
}

#[test]
fn lists_of_nodes_are_no_tree() {
    let nodes: Vec<Value> = (0..30)
        .map(|i| {
            let labels: Vec<Value> = (0..i % 4).map(|j| json!({"name": format!("label {j}")})).collect();
            let replies: Vec<Value> = (0..i % 7)
                .map(|j| json!({"author": {"login": pick(&["ada", "grace"], j)}, "body": "some words in reply"}))
                .collect();
            json!({"number": i, "title": format!("Discussion {i} of a matter"), "labels": {"nodes": labels}, "nodes": replies})
        })
        .collect();
    let data = json!({"data": {"repository": {"discussions": {"totalCount": 30, "nodes": nodes}}}});
    assert_golden("nodes", &plain(), &data.to_string());
}

#[test]
fn outputs_of_a_notebook() {
    let trace = [
        "\u{1b}[0;31m---------------------------------------------------------------------------\u{1b}[0m",
        "\u{1b}[0;31mKeyError\u{1b}[0m                                  Traceback (most recent call last)",
        "Cell \u{1b}[0;32mIn[7], line 3\u{1b}[0m\n      1 rows = load()\n----> 3 total(rows, \"price\")",
        "File /srv/app/report.py:41, in total(rows, column)\n---> 41     return sum(row[column] for row in rows)",
        "\u{1b}[0;31mKeyError\u{1b}[0m: 'price'",
    ];
    let log: String = (0..220)
        .map(|i| format!("batch {i} of 220 loaded\n"))
        .collect();
    let cell = json!({
        "cell_type": "code",
        "execution_count": 7,
        "metadata": {},
        "outputs": [
            {"output_type": "stream", "name": "stdout", "text": log},
            {"output_type": "error", "ename": "KeyError", "evalue": "'price'", "traceback": trace},
        ],
    });
    assert_golden("notebook", &plain(), &cell.to_string());
}

#[test]
fn blocks_inside_structured_content() {
    let text: String = (0..190)
        .map(|i| format!("line {i} of what the tool says\n"))
        .collect();
    let blocks = json!({"result": [{"type": "text", "text": text}, {"type": "text", "text": "done in 3 s"}]});
    assert_golden("blocks", &plain(), &blocks.to_string());
}

#[test]
fn how_it_went_comes_first() {
    let mut job = json!({
        "steps": (0..80).map(|i| json!({"name": format!("step {i}"), "ms": i * 3})).collect::<Vec<_>>(),
        "stdout": (0..300).map(|i| format!("compiling part {i}\n")).collect::<String>(),
        "stderr": format!("{}fatal: no space left on device\n", "note: retrying\n".repeat(40)),
    });
    for i in 0..30 {
        job[format!("setting_{i:02}")] = json!(format!(
            "a value that says how part {i} is set up, at some length"
        ));
    }
    job["run"] = json!({"attempt": 2, "agent": "b-17", "result": {"exit_code": 1, "error": "job failed", "took_ms": 84_123}});
    job["error"] = json!({"code": "ENOSPC", "call": "write"});
    job["isError"] = json!(true);
    assert_golden("job", &plain(), &job.to_string());
}

#[test]
fn rows_that_are_arrays_under_a_header_row() {
    let mut rows = vec![json!(["id", "status", "amount", "note"])];
    rows.extend((0..250).map(|i| {
        let status = if i == 97 {
            "refused"
        } else {
            pick(&["paid", "open"], i)
        };
        let mut row = vec![json!(i), json!(status), json!(format!("{}.25", i % 40))];
        if i % 9 == 0 {
            row.push(json!("call first"));
        }
        json!(row)
    }));
    assert_golden(
        "header",
        &plain(),
        &json!({"range": "A1:D251", "values": rows}).to_string(),
    );
}

#[test]
fn a_list_of_errors_comes_before_larger_lists() {
    let files: Vec<Value> = (0..200)
        .map(|i| json!({"path": format!("src/part_{i}.ts"), "bytes": 900 + i, "lines": i}))
        .collect();
    let errors: Vec<Value> = (0..30)
        .map(|i| json!({"file": format!("src/part_{i}.ts"), "line": i * 3, "code": pick(&["TS2322", "TS7006"], i), "message": format!("Type 'string' is not assignable to type 'number' in call {i}")}))
        .collect();
    let build = json!({"files": files, "errors": errors, "ok": false});
    assert_golden(
        "errors",
        &Bench::new(json!({"tables": false, "above": 2_000})),
        &build.to_string(),
    );
}

#[test]
fn rows_that_are_mostly_a_list() {
    let pods: Vec<Value> = (0..12)
        .map(|i| {
            let events: Vec<Value> = (0..20 + i % 3)
                .map(|j| json!({"reason": pick(&["Pulled", "Started", "BackOff"], j), "count": j, "message": format!("event {j} of pod {i}")}))
                .collect();
            let mut pod = json!({"name": format!("web-{i}"), "phase": pick(&["Running", "Pending"], i)});
            for j in 0..20 {
                pod[format!("label_{j}")] = json!(format!("{}-{j}", i % 5));
            }
            pod["status"] = json!({"events": events});
            pod
        })
        .collect();
    let tight = Bench::new(json!({"tables": false, "above": 1_600}));
    assert_golden("nested", &tight, &json!({"items": pods}).to_string());
}

#[test]
fn rows_of_many_numbers_are_no_maps() {
    let rows: Vec<Value> = (0..60)
        .map(|i| {
            let row = (0..30).map(|j| (format!("sensor_{j:02}"), json!((i * 31 + j * 7) % 90)));
            let mut row: serde_json::Map<String, Value> = row.collect();
            if i == 44 {
                row["sensor_17"] = json!(40_000);
            }
            Value::Object(row)
        })
        .collect();
    assert_golden("numbers", &plain(), &json!(rows).to_string());
}

#[test]
fn a_list_in_a_list_that_has_no_other() {
    let rows: Vec<Value> = (0..120)
        .map(|i| json!({"id": i, "status": pick(&["delivered", "pending"], i), "total": format!("{}.50", i % 90)}))
        .collect();
    let cell = json!({"kind": "execute", "result": [rows.clone()], "outputs": [rows]});
    assert_golden("wrapped", &plain(), &cell.to_string());
}
