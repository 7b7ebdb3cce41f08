//! Why a thing failed is told: the messages, and not only the states. Results of servers whose tables leave little room.

use serde_json::{Map, Value, json};
use summary::Summary;
use tamis_sdk::testing::Bench;

fn summary(document: &Value) -> String {
    let bench = Bench::<Summary>::new(json!({"above": "4000 chars", "tables": false}));
    let applied = bench.apply(&document.to_string());
    assert!(applied.changed, "not summarised: {document:.200}");
    applied.text().to_owned()
}

#[track_caller]
fn assert_told(told: &str, parts: &[&str]) {
    for part in parts {
        assert!(told.contains(part), "{part:?} is not told:\n{told}");
    }
}

/// Rows of a table with enough columns that few have room.
fn rows(count: usize, change: impl Fn(usize, &mut Map<String, Value>)) -> Vec<Value> {
    let row = |at: usize| {
        let mut row = Map::new();
        row.insert("id".to_owned(), json!(format!("item-{at:04}-of-the-list")));
        for column in 0..8 {
            let value = (at * 7 + column * 3) % 90;
            row.insert(format!("measure_{column}"), json!(value));
        }
        change(at, &mut row);
        Value::Object(row)
    };
    (0..count).map(row).collect()
}

#[test]
fn texts_of_a_row_that_failed_have_room() {
    let told = summary(&json!(rows(90, |at, row| {
        let failed = at == 61;
        for check in 0..7 {
            let state = if failed { "critical" } else { "passing" };
            row.insert(format!("state_of_the_check_number_{check}"), json!(state));
        }
        let output = if failed {
            "Get http://10.0.1.25:8080/health: context deadline exceeded"
        } else {
            "HTTP GET: 200 OK"
        };
        row.insert("output".to_owned(), json!(output));
    })));
    assert_told(
        &told,
        &[
            "state_of_the_check_number_0: passing 89, critical 1 at [61]\n",
            "output: HTTP GET: 200 OK 89, Get http://10.0.1.25:8080/health: context deadline exceeded 1 at [61]\n",
        ],
    );
}

#[test]
fn members_that_tell_a_failure_have_room_beside_a_table() {
    let told = summary(&json!({
        "status": {
            "errors": [{"reason": "resourcesExceeded", "message": "Resources exceeded during execution of the query"}],
            "errorResult": {"reason": "resourcesExceeded", "location": "query", "message": "Peak usage: 142% of limit"},
            "state": "DONE"
        },
        "operation": {"phase": "Failed", "message": "one or more tasks completed unsuccessfully", "revision": "a".repeat(150)},
        "conditions": [{"type": "SyncError", "message": "Failed sync attempt to abc"}],
        "alerts": [{"event": "Hurricane-force gusts", "onset": "tomorrow"}],
        "settings": (0..40).map(|at| (format!("setting_{at:02}"), json!(at))).collect::<Map<_, _>>(),
        "rows": rows(60, |_, _| {}),
    }));
    assert_told(
        &told,
        &[
            "Peak usage: 142% of limit",
            "operation.phase: \"Failed\"",
            "operation.message: \"one or more tasks completed unsuccessfully\"",
            "conditions[0].message: \"Failed sync attempt to abc\"",
            "Hurricane-force gusts",
        ],
    );
}

#[test]
fn a_rare_object_is_told_by_its_message() {
    let told = summary(&json!(rows(60, |at, row| {
        if at == 44 {
            let urn = "urn:pulumi:prod::web::aws:rds/instance:Instance::main-database-of-the-shop::of-the-west";
            let message = "updating RDS DB Instance (db): InvalidParameterCombination";
            let event =
                json!({"urn": urn, "color": "never", "message": message, "severity": "error"});
            row.insert("diagnosticEvent".to_owned(), event);
        }
    })));
    let shown = r#"only 1 has ({…"message":"updating RDS DB Instance (db): InvalidParameterCombination","severity":"error"…}) at [44]"#;
    assert_told(&told, &[shown]);
}

#[test]
fn the_last_line_of_a_traceback_is_told() {
    let trace = "Traceback (most recent call last):\n  File \"/app/main.py\", line 31, in pay\n    charge(card, amount, currency)\nKeyError: 'card_token'";
    let told = summary(&json!(rows(60, |at, row| {
        if at == 40 {
            row.insert("textPayload".to_owned(), json!(trace));
        }
    })));
    assert_told(
        &told,
        &[
            "Traceback (most recent call last)",
            "… KeyError: 'card_token') at [40]",
        ],
    );
}

#[test]
fn a_few_messages_are_all_told() {
    let told = summary(&json!(rows(80, |at, row| {
        let reason = match at {
            58 => format!(
                "Memory size 12288 exceeds the limit of 10240 (request {})",
                "a".repeat(60)
            ),
            70 => "The following resource(s) failed to update".to_owned(),
            _ => return,
        };
        row.insert("reason".to_owned(), json!(reason));
    })));
    assert_told(
        &told,
        &[
            "reason: Memory size 12288 exceeds the limit of 10240 (request aa",
            " 1 at [58], The following resource(s) failed to update 1 at [70], missing 78",
        ],
    );
}

#[test]
fn a_message_that_one_row_has_is_no_constant() {
    let told = summary(&json!(rows(60, |at, row| {
        let errors = if at == 18 {
            json!([{"message": "Timed out while waiting for locator('#pay')"}])
        } else {
            json!([])
        };
        row.insert(
            "results".to_owned(),
            json!([{"errors": errors, "retry": 0}, {"errors": [], "retry": 1}]),
        );
    })));
    assert_told(
        &told,
        &[
            "results[*].errors[*].message: Timed out while waiting for locator('#pay') 1 at [18].results[0]",
        ],
    );
}

#[test]
fn three_rare_messages_of_some_dozens_are_told() {
    let told = summary(&json!(rows(45, |at, row| {
        let message = match at {
            19 => json!("Database Error in model stg_orders (models/staging/stg_orders.sql)"),
            20 => Value::Null,
            30 => json!("Got 12 results, configured to warn if != 0"),
            _ => json!(format!("SELECT {at}")),
        };
        row.insert("message".to_owned(), message);
    })));
    assert_told(
        &told,
        &[
            "Database Error in model stg_orders",
            "Got 12 results, configured to warn if != 0 1 at [30]",
        ],
    );
}

#[test]
fn the_first_of_some_equal_values_among_many_has_its_row() {
    let values = |at: usize| {
        (0..25)
            .map(|time| json!([time, if at == 17 && time > 12 { "0" } else { "1" }]))
            .collect::<Vec<_>>()
    };
    let told = summary(&json!(
        (0..40)
            .map(|at| json!({"host": format!("10.1.0.{at}"), "values": values(at)}))
            .collect::<Vec<_>>()
    ));
    assert_told(&told, &["\"1\" 988, \"0\" 12, first at [17]"]);
}

#[test]
fn a_member_that_one_node_of_a_tree_has_is_told() {
    fn make(level: usize, number: usize) -> Value {
        let mut node = json!({"id": format!("{level}:{number}"), "name": format!("Frame {number}"), "visible": true});
        if level < 3 {
            node["children"] = (0..5)
                .map(|child| make(level + 1, number * 5 + child))
                .collect();
        }
        if (level, number) == (3, 66) {
            node["characters"] = json!("the price must not be shown");
        }
        node
    }
    let told = summary(&json!({"document": make(0, 0)}));
    assert_told(
        &told,
        &[
            "characters at all levels: only 1 has (the price must not be shown) at [2].children[3].children[1]",
        ],
    );
}

#[test]
fn all_texts_under_the_key_of_a_failure_are_failures() {
    const ERRORS: [&str; 6] = [
        "timeout after 30 s connecting to db-3",
        "permission denied for table invoices",
        "no such order",
        "disk quota exceeded on /srv/data",
        "the certificate of the host has expired",
        "unexpected end of JSON input at line 4711",
    ];
    let jobs = |of: &dyn Fn(usize, &str) -> Value, every: usize| {
        summary(&json!(rows(96, |at, row| {
            let failed = at % every == 3;
            row.insert(
                "state".to_owned(),
                json!(if failed { "failed" } else { "done" }),
            );
            if failed {
                row.insert("error".to_owned(), of(at, ERRORS[at / every % 6]));
            }
        })))
    };
    for told in [
        jobs(&|_, text| json!(text), 16),
        jobs(&|_, text| json!({"code": "E", "message": text}), 16),
    ] {
        assert_told(&told, &["state: done 90, failed 6, first at [3]\n"]);
        for (at, error) in ERRORS.iter().enumerate() {
            assert_told(&told, &[&format!("{error} 1 at [{}]", 16 * at + 3)]);
        }
    }
    // Not all fit: none of them is left out of the count, whatever its words are.
    let told = jobs(&|at, text| json!(format!("{text} ({})", "a".repeat(at))), 5);
    assert_told(
        &told,
        &["missing 77, 19 texts, first: timeout after 30 s", " at [3]"],
    );
}

#[test]
fn a_notice_is_told_by_its_sentence() {
    let members = (0..16).map(|at| {
        (
            format!("about_{at:02}"),
            json!({"text": "some words", "order": at}),
        )
    });
    let mut document: Map<String, Value> = members.collect();
    let notices = json!({
        "messages": [{"type": "WARN", "text": "Search finalized early, results may be incomplete."}],
        "vulnerabilities": [{"id": "PYSEC-2026-11", "details": "Path traversal in download()"}],
        "rows": rows(60, |_, _| {}),
    });
    document.extend(notices.as_object().cloned().unwrap_or_default());
    let told = summary(&Value::Object(document));
    assert_told(
        &told,
        &[
            "messages[0].text: \"Search finalized early, results may be incomplete.\"",
            "PYSEC-2026-11",
        ],
    );
}

#[test]
fn a_table_that_is_only_named_tells_which_row_failed() {
    let names = (0..9).map(|table| {
        (
            format!("table_{table}"),
            json!(rows(30, |at, row| {
                row.clear();
                row.insert(
                    "state".to_owned(),
                    json!(if at == 4 + table { "failed" } else { "ok" }),
                );
                row.insert("job".to_owned(), json!(format!("job {at} of {table}")));
                for name in ["size", "queue", "owner", "host"] {
                    row.insert(format!("{name}_{table}"), json!(at));
                }
            })),
        )
    });
    let told = summary(&Value::Object(names.collect()));
    assert_told(
        &told,
        &["$.table_2: 30 rows; state: ok 29, failed 1 at [6] (\"job 6 of 2\")\n"],
    );
}

#[test]
fn a_list_that_other_rows_have_as_null_is_told_with_its_row() {
    let told = summary(&json!(rows(60, |at, row| {
        let warnings = if at == 41 {
            json!(["clock skew of 4 s"])
        } else {
            Value::Null
        };
        row.insert("warnings".to_owned(), warnings);
    })));
    assert_told(&told, &["all clock skew of 4 s, null 59, list 1 at [41]\n"]);
}

#[test]
fn the_first_text_under_the_key_of_a_failure_is_none_without_words() {
    let told = summary(&json!(rows(96, |at, row| {
        let error = match at % 5 {
            3 => format!(
                "{} is not reachable {}",
                "ab".repeat(at % 7),
                "a".repeat(at)
            ),
            _ => String::new(),
        };
        row.insert("error".to_owned(), json!(error));
    })));
    assert_told(
        &told,
        &["\"\" 77, 19 texts, first: ababab is not reachable aaa at [3]\n"],
    );
}

#[test]
fn an_empty_text_is_no_failure() {
    let told = summary(&json!(rows(60, |at, row| {
        if at == 18 {
            let note = "a".repeat(200);
            row.insert("detail".to_owned(), json!({"error": "", "note": note}));
        }
    })));
    assert_told(&told, &["detail.error=\"\" (1 row)"]);
    assert!(!told.contains("detail.error: "), "{told}");
}

#[test]
fn what_most_rows_have_is_not_rare() {
    let told = summary(&json!(rows(45, |at, row| {
        let message = match at {
            19 => "the quick brown fox jumps".to_owned(),
            _ if at % 3 == 1 => format!("order {at} of all the rows"),
            _ => format!("failed {at}"),
        };
        row.insert("message".to_owned(), json!(message));
    })));
    assert_told(&told, &["rare: like the quick brown fox jumps 1 at [19]"]);
    assert!(!told.contains("like failed"), "{told}");
}

#[test]
fn an_object_that_has_room_is_told_with_all_its_members() {
    let node = "worker-7.eu-west-1.compute.internal.of-the-shop";
    let told = summary(&json!(rows(60, |at, row| {
        if at == 18 {
            let status = json!({"code": 137, "node": node, "message": "no quota left for this"});
            row.insert("status".to_owned(), status);
        }
    })));
    let shown = format!(
        "status: only 1 has ({{\"code\":137,\"node\":\"{node}\",\"message\":\"no quota left for this\"}}) at [18]"
    );
    assert_told(&told, &[&shown]);
}

#[test]
fn the_name_of_a_file_has_no_line_break() {
    let path = "C:\\build agents\\work\\7\\src\\of the shop\\with a long path";
    let text = format!("{path}\\that goes on\\network.c(3): error C2065: undeclared identifier");
    let told = summary(&json!(rows(60, |at, row| {
        if at == 18 {
            row.insert("output".to_owned(), json!(text));
        }
    })));
    assert!(!told.contains(" etwork.c"), "{told}");
    let lines = text.replace("\\network.c(3)", "\nCompilerError");
    let told = summary(&json!(rows(60, |at, row| {
        if at == 18 {
            row.insert("output".to_owned(), json!(lines));
        }
    })));
    assert_told(&told, &["… CompilerError: error C2065: undeclared"]);
}

#[test]
fn the_texts_of_a_row_are_not_those_of_another() {
    let names = (0..9).map(|table| {
        let rows = rows(30, |at, row| {
            row.clear();
            let state = if at == 4 + table { "failed" } else { "ok" };
            if at != 20 {
                row.insert("state".to_owned(), json!(state));
            }
            let job = format!("job {at} of {table}{}", ", a long text".repeat(20));
            row.insert("job".to_owned(), json!(job));
            for name in ["size", "queue", "owner", "host"] {
                row.insert(format!("{name}_{table}"), json!(at));
            }
        });
        (format!("table_{table}"), json!(rows))
    });
    let told = summary(&Value::Object(names.collect()));
    assert_told(
        &told,
        &["failed 1 at [12], missing 1 at [20] ([12]: \"job 12 of 8, a long text"],
    );
    assert!(!told.contains("(and "), "{told}");
}
