//! Results of services, and of programs that speak other languages.

use super::{assert_hides, assert_shows, lines, place};
use serde_json::{Value, json};
use summary::Summary;
use tamis_sdk::testing::Bench;

/// The summary of a result, whatever a later filter makes of its tables.
fn told(result: &Value) -> String {
    let applied = Bench::<Summary>::new(json!({"tables": false})).apply(&result.to_string());
    assert!(applied.changed, "not summarised: {result:.200}");
    applied.text().to_owned()
}

#[test]
fn what_a_failure_gives_as_its_reason_comes_before_where_it_was() {
    let buckets: Vec<Value> = (0..120)
        .map(|at| json!({"key": format!("web-{at}"), "sum_other_doc_count": 0, "doc_count": 900 + at * 7 % 90}))
        .collect();
    let failure = json!({
        "shard": 4,
        "index": "logs-2026.11.29",
        "node": "uC18jHiNbYjUoKpSGScW",
        "reason": {
            "type": "circuit_breaking_exception",
            "reason": "[parent] Data too large, data for [<reduce_aggs>] would be [1.9gb]",
            "bytes_wanted": 2_040_109_465u64,
            "bytes_limit": 2_040_109_465u64,
        },
    });
    let result = json!({
        "took": 31,
        "timed_out": false,
        "_shards": {"total": 12, "successful": 11, "skipped": 0, "failed": 1, "failures": [failure]},
        "hits": {"total": {"value": 10_000, "relation": "gte"}, "max_score": null, "hits": []},
        "aggregations": {"per_host": {"sum_other_doc_count": 0, "buckets": buckets}},
    });
    let text = told(&result);
    let reason = "_shards.failures[0].reason: {\"type\":\"circuit_breaking_exception\",\"reason\":\"[parent] Data too large";
    let place = |part: &str| text.find(part).unwrap_or(text.len());
    assert!(place(reason) < place("failures[0].shard"), "{text}");
}

#[test]
fn a_small_list_beside_a_table_is_whole_if_there_is_room() {
    let rows: Vec<Value> = (0..90)
        .map(|at| json!({"id": format!("rule-{at}"), "help": "this rule holds for all of the elements of the page"}))
        .collect();
    let found = json!([
        {"id": "color-contrast", "impact": "moderate", "help": "the contrast is low"},
        {"id": "region", "impact": "moderate", "help": "some regions of the page have no name"},
        {"id": "button-name", "impact": "critical", "help": "buttons have names"},
    ]);
    let text = told(&json!({"passes": rows, "found": found}));
    assert!(text.contains(&format!("\nfound: {found}\n")), "{text}");
}

#[test]
fn numbers_near_the_top_come_before_those_deep_inside() {
    let stage = |depth: usize| {
        (0..depth).fold(
            json!({"stage": "COLLSCAN", "filter": {"$and": [{"status": {"$eq": "open"}}]}, "works": 2_400_012}),
            |inner, at| json!({"stage": format!("STAGE{at}"), "works": 13, "advanced": 12, "saveState": 2400, "inputStage": inner}),
        )
    };
    let rejected: Vec<Value> = (0..60)
        .map(|at| json!({"stage": "FETCH", "indexName": format!("f{at}_1"), "isMultiKey": false, "direction": "forward"}))
        .collect();
    let result = json!({
        "explainVersion": "1",
        "queryPlanner": {"namespace": "shop.orders", "parsedQuery": {"status": {"$eq": "open"}}, "winningPlan": stage(6), "rejectedPlans": rejected},
        "executionStats": {"nReturned": 12, "executionTimeMillis": 8140, "totalDocsExamined": 2_400_011, "executionStages": stage(6)},
        "ok": 1,
    });
    let told = told(&result);
    assert!(
        told.contains("executionStats.totalDocsExamined: 2400011"),
        "{told}"
    );
    // A condition is no state.
    assert!(!told.contains("status: {"), "{told}");
}

#[test]
fn a_call_leads_to_the_table_with_what_is_wrong() {
    let passes: Vec<Value> = (0..90)
        .map(|at| json!({"id": format!("rule-{at}"), "impact": null, "help": "this rule holds for all of the elements of the page"}))
        .collect();
    let violations = json!([
        {"id": "color-contrast", "impact": "serious", "help": "the contrast of the letters is low on the whole page, above all in the table of prices and in the notes below it"},
        {"id": "button-name", "impact": "critical", "help": "buttons have names that readers of screens can tell"},
    ]);
    let text = told(&json!({"passes": passes, "found": violations}));
    let calls = text.lines().last().expect("calls");
    assert!(calls.contains("\"path\":\"$.found[1]\""), "{text}");
    // Of two maps, the one with the odd entry.
    let entries = |odd: usize| {
        let entries = (0..160).map(|at| {
            (
                format!("host-{at}"),
                json!({"zone": "eu", "weight": if at == odd { 90_000 } else { 10 + at % 3 }}),
            )
        });
        Value::Object(entries.collect())
    };
    let result = json!({"backends": entries(999), "caches": entries(31)});
    let text = told(&result);
    let calls = text.lines().last().expect("calls");
    assert!(calls.contains("\"path\":\"$.caches.host-31\""), "{text}");
}

#[test]
fn a_value_that_all_rows_have_names_no_row() {
    let rows: Vec<Value> = (0..40)
        .map(|at| {
            let is_bad = at == 14;
            json!({
                "check_id": if is_bad { "python.lang.security.audit.exec-detected.exec-detected" } else { "python.lang.security.audit.logging.logger-credential" },
                "path": format!("app/m{}.py", at % 9),
                "start": {"line": at * 3 + 4, "col": 5, "offset": at * 90},
                "end": {"line": at * 3 + 4, "col": 40, "offset": at * 90 + 35},
                "extra": {
                    "message": if is_bad { "Detected the use of exec() with user input" } else { "Logger call may log a secret" },
                    "metadata": {
                        "cwe": [if is_bad { "CWE-95" } else { "CWE-532" }],
                        "confidence": if is_bad { "HIGH" } else { "LOW" },
                        "owasp": ["A03:2021"],
                        "references": ["https://owasp.org/x"],
                    },
                    "severity": if is_bad { "ERROR" } else { "WARNING" },
                    "fingerprint": format!("{:064x}", (at as u128 + 1) * 0x9e37_79b9_7f4a_7c15_1234_5678),
                    "lines": "requires login",
                    "is_ignored": false,
                },
            })
        })
        .collect();
    let told = told(&json!({ "results": rows }));
    assert!(!told.contains("A03:2021, A03:2021"), "{told}");
}

#[test]
fn the_cause_at_the_end_of_a_long_line_is_told() {
    let served = |from: usize| {
        lines(120, move |at| {
            format!(
                "26/11/29 10:{:02}:{:02} INFO Manager: Finished task {} in stage 3.0",
                (from + at) / 60,
                (from + at) % 60,
                from + at
            )
        })
    };
    let frames = "at org.apache.spark.sql.errors.QueryExecutionErrors$.taskFailed(QueryExecutionErrors.scala:789) ".repeat(3);
    let text = format!(
        "{}26/11/29 10:02:01 WARN Manager: Lost task 17.0 in stage 3.0: org.apache.spark.SparkException: Task failed while writing rows {frames}Caused by: java.io.IOException: No space left on device at x\n{}",
        served(0),
        served(122)
    );
    assert_shows(
        &text,
        &[
            "WARN Manager: Lost task 17.0",
            "java.io.IOException: No space left on device",
        ],
    );
}

#[test]
fn a_call_reads_around_a_rare_line_above_the_last_ones() {
    let hosts = lines(60, |at| {
        let odd = if at == 40 {
            "23/tcp  open  telnet\n"
        } else {
            ""
        };
        format!(
            "Nmap scan report for 10.0.0.{at}\nHost is up.\n22/tcp  open  ssh\n443/tcp open  https\n{odd}"
        )
    });
    let text =
        format!("Starting Nmap 7.95\n{hosts}Nmap done: 60 IP addresses scanned in forty seconds\n");
    let at = place(&text, "telnet");
    assert_shows(&text, &[&format!("\"lines\":\"{}-{}\"", at - 10, at + 10)]);
}

#[test]
fn values_that_a_test_compared_are_told_with_it() {
    let passed = lines(150, |at| {
        format!("  Passed Shop.Tests.Case{at}.Works [{at} ms]")
    });
    let text = format!(
        "{passed}  Failed Shop.Tests.TaxTests.RoundsUp [41 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\nExpected: 19\nActual:   20\n  Stack Trace:\n     at Shop.Tests.TaxTests.RoundsUp() in /src/TaxTests.cs:line 33\n"
    );
    assert_shows(
        &text,
        &["153: Assert.Equal() Failure: Values differ\n154: Expected: 19\n155: Actual:   20\n"],
    );
}

#[test]
fn a_program_that_names_itself_before_its_error_has_failed() {
    let found = lines(140, |at| format!("-- Looking for part{at}.h - found"));
    let text = format!(
        "{found}CMake Error at CMakeLists.txt:48 (find_package):\n  By not providing \"FindArrow.cmake\" this project has\n  asked CMake to find a package.\n\n-- Configuring incomplete\n"
    );
    assert_shows(
        &text,
        &["1 line that looks like a failure:\n141: CMake Error at CMakeLists.txt:48"],
    );
}

#[test]
fn levels_in_capitals_of_other_languages_are_failures() {
    for (usual, bad) in [
        (
            "HINWEIS",
            "[FEHLER] Auftrag nicht gespeichert: kein Zugriff",
        ),
        ("NOTE", "[ERREUR] commande perdue : aucune place"),
        ("ИНФО", "ОШИБКА нет места на диске"),
        ("ИНФО", "запись 7 не удалось завершить"),
    ] {
        let text = lines(200, |at| match at {
            70 => format!("2026-11-29 10:01:10 {bad}"),
            _ => format!(
                "2026-11-29 10:{:02}:{:02} {usual} {at} done",
                at / 60,
                at % 60
            ),
        });
        assert_shows(&text, &["1 line that looks like a failure:", bad]);
    }
}

#[test]
fn warnings_of_other_languages_are_told() {
    for warning in [
        "> **Achtung:** Den Export niemals in der Nacht starten.",
        "**Attention :** ne jamais lancer la nuit.",
        "> **Внимание:** не запускать ночью.",
        "> **注意**：夜间不要启动。",
    ] {
        let parts = lines(60, |at| {
            let warning = if at == 31 { warning } else { "" };
            format!("## Dienst {at}\n\nEin Satz über den Dienst, der hier steht.\n\n{warning}\n")
        });
        let text = format!("# Handbuch\n\n{}{parts}", "Ein langer Absatz. ".repeat(300));
        assert_shows(&text, &["1 line that warns the reader:", warning]);
    }
}

#[test]
fn a_number_is_compared_with_those_beside_the_same_name() {
    let buckets: Vec<Value> = (0..60)
        .map(|at| {
            let (ok, failed) = if at == 37 {
                (140, 861)
            } else {
                (950 + at % 40, at % 4)
            };
            json!({
                "key_as_string": format!("2026-11-29T10:{at:02}:00.000Z"),
                "doc_count": 1_000 + at % 30,
                "statuses": {"buckets": [
                    {"key": 200, "doc_count": ok},
                    {"key": 404, "doc_count": 5 + at % 7},
                    {"key": 500, "doc_count": failed},
                ]},
            })
        })
        .collect();
    let text = told(&json!({"aggregations": {"by_minute": {"buckets": buckets}}}));
    let expected = "statuses.buckets[*].doc_count 0..989, by key: 200 950..989, but 140 at [37].statuses.buckets[0]; 500 0..3, but 861 at [37].statuses.buckets[2]\n";
    assert!(text.contains(expected), "{text}");
    // The same of rows with a metric and a value each.
    let metric = |at: usize| match at % 3 {
        0 => ("cpu_percent", if at == 99 { 402 } else { 3 + at % 30 }),
        1 => ("memory_bytes", 700_000_000 + at * 1_000),
        _ => ("open_files", 90 + at % 20),
    };
    let rows = (0..240).map(|at| format!("web-{},{},{}\n", at % 8, metric(at).0, metric(at).1));
    let text = format!("host,metric,value\n{}", rows.collect::<String>());
    assert_shows(&text, &["by metric: cpu_percent 3..30, but 402 at [99]"]);
    // Nothing is told where no number is far from the others.
    let rows = (0..600).map(|at| format!("web-{},{},{}\n", at % 8, ["a", "b"][at % 2], at % 50));
    let text = format!("host,metric,value\n{}", rows.collect::<String>());
    assert_hides(&text, &["by metric"]);
}

#[test]
fn low_scores_are_told_with_their_place() {
    let audits = (0..88).map(|at| {
        let score = match at {
            17 => json!(0.04),
            31 | 52 | 60 => json!(0),
            71 => json!(0.5),
            _ if at % 4 == 3 => Value::Null,
            _ => json!(1),
        };
        let audit = json!({"id": format!("audit-{at}"), "description": "words that say what is looked at, and why", "score": score});
        (format!("audit-{at}"), audit)
    });
    let text = told(&json!({"audits": Value::Object(audits.collect())}));
    assert!(
        text.contains("0 3 at .audit-31, .audit-52, .audit-60"),
        "{text}"
    );
    assert!(
        text.contains("\"path\":\"$.audits.audit-31\"")
            || text.contains("\"path\":\"$.audits.audit-17\""),
        "{text}"
    );
}

#[test]
fn a_title_with_a_word_of_failures_is_no_error() {
    let verbs = [
        "Uses", "Loads", "Names", "Sizes", "Serves", "Caches", "Keeps", "Reads", "Sends",
    ];
    let things = [
        "text", "images", "styles", "scripts", "fonts", "frames", "links", "forms", "lists",
        "tables",
    ];
    let audits: Vec<Value> = (0..90)
        .map(|at| {
            let title = match at {
                7 => "Errors in console".to_owned(),
                _ => format!("{} the {} of pages", verbs[at % 9], things[at / 9]),
            };
            json!({"id": at, "title": title, "weight": at % 5})
        })
        .collect();
    let text = told(&json!({ "audits": audits }));
    assert!(!text.contains("like an error"), "{text}");
}

#[test]
fn titles_that_fail_are_told_beside_one_that_only_names_errors() {
    let words = [
        "Saddle", "market", "basket", "forest", "garden", "river", "harbor",
    ];
    let usual = |at: usize| {
        let [one, other] = [words[at % 7], words[at * at % 5]];
        format!("{one} {other} {} {at}", words[at / 7 % 6])
    };
    let title = |at: usize| match at {
        5 => "Errors in console".to_owned(),
        _ if at % 13 == 7 => "Payment failed with error: ECONNREFUSED 10.0.0.7".to_owned(),
        _ => usual(at),
    };
    let rows: Vec<Value> = (0..120)
        .map(|at| json!({"id": at, "title": title(at), "n": at % 3}))
        .collect();
    let text = told(&json!(rows));
    let failing =
        "title: 9 look like errors, first: Payment failed with error: ECONNREFUSED 10.0.0.7 at [7]";
    assert!(text.contains(failing), "{text}");
    // One that names a code or a place is a message, not a name.
    let rows: Vec<Value> = (0..120)
        .map(|at| match at % 13 {
            7 => json!({"id": at, "title": format!("Error 503 from payment gateway at 10.0.0.{at}:8080")}),
            _ => json!({"id": at, "title": usual(at)}),
        })
        .collect();
    let text = told(&json!(rows));
    assert!(text.contains("title: 9 look like errors"), "{text}");
}

#[test]
fn a_failure_whose_first_key_has_a_dollar_is_told() {
    let rows: Vec<Value> = (0..200)
        .map(|at| json!({"id": at, "text": format!("text of row {at}")}))
        .collect();
    let with = |name: &str, value: Value| {
        let mut result = json!({ "items": rows });
        for at in 0..40 {
            result[format!("m{at}")] = format!("value number {at} of members").into();
        }
        result[name] = value;
        result
    };
    for (name, value, point) in [
        (
            "failure",
            json!({"$type": "System.IO.IOException", "message": "disk full on /dev/sda1"}),
            "disk full on /dev/sda1",
        ),
        (
            "result",
            json!({"$id": "1", "status": "failed", "message": "the lease is lost"}),
            "the lease is lost",
        ),
    ] {
        let text = told(&with(name, value));
        assert!(text.contains(point), "{text}");
    }
    let query = json!({"status": {"$ne": "error"}, "limit": 20});
    let result = with("query", query);
    for text in [
        told(&result),
        Bench::<Summary>::new(json!({"tables": false}))
            .apply(&serde_json::to_string_pretty(&result).expect("JSON"))
            .text()
            .to_owned(),
    ] {
        assert!(!text.contains("query.status"), "{text}");
    }
}

#[test]
fn a_small_list_of_pairs_that_is_only_named_has_its_rows() {
    let facets: Vec<Value> = [
        (200, 5210),
        (302, 611),
        (304, 1800),
        (401, 120),
        (403, 9),
        (404, 288),
        (500, 61),
        (502, 22),
        (503, 2),
    ]
    .iter()
    .map(|(key, count)| json!({"key": key, "doc_count": count}))
    .collect();
    let paths: Vec<Value> = (0..150)
        .map(|at| json!({"key": format!("/api/v1/item/{at}"), "doc_count": 900 - at * 3}))
        .collect();
    let text = told(
        &json!({"aggregations": {"status": {"buckets": facets}, "paths": {"buckets": paths}}}),
    );
    assert!(text.contains("$.aggregations.status.buckets: 9 rows, key|doc_count: 200|5210, 302|611, 304|1800, 401|120, "), "{text}");
}

#[test]
fn the_cause_at_the_end_of_a_long_text_of_a_row_is_told() {
    let trace = "File \"/app/http.py\", line 77, in send raise_for(response) ".repeat(4);
    let jobs: Vec<Value> = (0..110)
        .map(|at| {
            let error = (at == 52).then(|| format!("Traceback (most recent call last): {trace} http.HttpError: 413 Payload Too Large"));
            json!({"id": at, "name": format!("sync-{at}"), "error": error, "seconds": at % 7})
        })
        .collect();
    let text = told(&json!({ "jobs": jobs }));
    assert!(
        text.contains("http.HttpError: 413 Payload Too Large 1 at [52]"),
        "{text}"
    );
}

#[test]
fn a_call_reads_around_a_failure_before_a_total_of_failures() {
    let rows = lines(140, |at| {
        format!(
            "pkg{at} CVE-2026-{at:04} {} fixed in 1.{at}",
            if at == 90 { "CRITICAL" } else { "MEDIUM" }
        )
    });
    let text = format!("app.lock (npm)\n\nTotal: 140 (MEDIUM: 139, CRITICAL: 1)\n\n{rows}");
    let at = place(&text, "pkg90");
    assert_shows(&text, &[&format!("\"lines\":\"{}-{}\"", at - 10, at + 10)]);
}

#[test]
fn a_revert_below_other_parts_of_a_commit_is_told() {
    let log = lines(120, |at| {
        let subject = if at == 44 {
            "Revert \"add tax\""
        } else {
            "Write the batch once"
        };
        format!(
            "{:08x}{:032x}|Ann Weber|2026-11-{:02}T10:00:00+01:00|{subject}",
            (at as u32 + 1).wrapping_mul(0x9e37_79b9),
            (at as u128 + 7) * 0x9e37_79b9_7f4a_7c15_1234_5678,
            1 + at % 28
        )
    });
    assert_shows(&log, &["reverts: ", "Revert \"add tax\""]);
}

#[test]
fn tables_of_a_dump_are_told_by_their_columns() {
    let users = lines(160, |at| {
        let role = if at == 91 { "owner" } else { "member" };
        format!("{at}\tuser{at}@example.com\t{role}\t\\N")
    });
    let orders = lines(300, |at| match at {
        214 => "7214\t9\t-9100.00\topen".to_owned(),
        _ => format!("{}\t{}\t{}.50\topen", 7_000 + at, at % 160, 9 + at % 70),
    });
    let text = format!(
        "--\n-- PostgreSQL database dump\n--\n\nSET lock_timeout = 0;\n\nCOPY public.users (id, email, role, deleted_at) FROM stdin;\n{users}\\.\n\n\nCOPY public.orders (id, user_id, total, state) FROM stdin;\n{orders}\\.\n\n--\n-- PostgreSQL database dump complete\n--\n"
    );
    assert_shows(
        &text,
        &[
            "table in lines 7-167:\n$.users: 160 rows\n",
            " role: member 159, owner 1 at [91]\n",
            "table in lines 171-471:\n$.orders: 300 rows\n",
            " but -9100.00 at [214]\n",
            "\"query\":\"SELECT … FROM orders\"",
        ],
    );
    // Told as a row, and not again as a line.
    assert_hides(&text, &["user91@example.com owner"]);
}

#[test]
fn a_rare_row_that_no_table_tells_is_told_as_a_line() {
    let words = [
        "river", "stone", "cloud", "market", "window", "garden", "paper", "yellow", "silver",
    ];
    let rows = |count: usize, odd: usize| {
        lines(count, |at| {
            let reset = if at == odd {
                " password reset by unknown host"
            } else {
                ""
            };
            format!(
                "{at}\tuser\tu{at}@example.com\t{} {}{reset}\t{}\tp{}\t2025-11-{:02} 10:00:{:02}\t{}",
                words[at * 7 % 9],
                words[at * 5 % 8],
                ["a", "b", "c"][at % 3],
                at % 5,
                1 + at % 28,
                at % 60,
                if at % 4 == 0 { "idle" } else { "active" }
            )
        })
    };
    let tables = [("users", 90, 900), ("orders", 80, 800), ("items", 70, 50)];
    let tables = tables.map(|(name, count, odd)| {
        let rows = rows(count, odd);
        format!("COPY public.{name} (id, role, mail, note, kind, place, created, state) FROM stdin;\n{rows}\\.\n\n")
    });
    let text = format!("--\n-- PostgreSQL database dump\n--\n\n{}", tables.concat());
    let at = place(&text, "reset by unknown");
    assert_shows(
        &text,
        &[
            &format!("\n{at}: 50 user u50@example.com "),
            "password reset by unknown host",
            &format!("\"lines\":\"{}-{}\"", at - 10, at + 10),
        ],
    );
    // Nor does the call lead to a line around the rows.
    let users = lines(200, |at| {
        let role = if at == 50 { "admin" } else { "user" };
        format!("{at}\t{role}\tu{at}@example.com")
    });
    let text = format!(
        "--\n-- PostgreSQL database dump\n--\n\nCOPY public.users (id, role, mail) FROM stdin;\n{users}\\.\n"
    );
    assert_shows(
        &text,
        &[" role: user 199, admin 1 at [50]\n", "\"lines\":\"46-66\""],
    );
    assert_hides(&text, &["like few others"]);
}

#[test]
fn a_heading_that_occurs_once_below_those_that_are_shown_is_told() {
    let parts = lines(70, |at| {
        let kind = ["Added", "Changed", "Fixed"][at % 3];
        let security = match at {
            22 => "\n### Security\n\n- Tokens were logged (CVE-2026-4711).\n",
            _ => "",
        };
        format!(
            "## [1.{}.0] - 2026-{:02}-11\n\n### {kind}\n\n- Words about the part that is another one now.\n- More words about it, and why.\n{security}",
            140 - at,
            12 - at / 6
        )
    });
    let text = format!("# Changelog\n\n{parts}");
    let at = place(&text, "### Security");
    assert_shows(
        &text,
        &[&format!("headings that occur once: {at}: ### Security\n")],
    );
}

#[test]
fn numbers_without_a_header_are_told_by_their_columns() {
    let text = lines(500, |at| {
        let wet = if at == 311 { 0 } else { 55 };
        format!(
            "{},{}.{},{wet},1013.{},{}",
            1_764_000_000 + at * 60,
            20 + at % 3,
            at % 7,
            2 + at % 5,
            at % 2
        )
    });
    assert_shows(
        &text,
        &[
            "500 rows of 5 numbers each, by place in the row:\n [0] 1764000000..1764029940\n",
            " [2] 55, but 0 in line 312\n",
            "312: 1764018660,",
            "\"lines\":\"302-322\"",
        ],
    );
}

#[test]
fn the_one_of_many_series_whose_numbers_are_unlike_those_of_the_others() {
    let series: Vec<Value> = (0..20)
        .map(|host| {
            let number = |at: usize| {
                if host == 7 {
                    940 + at
                } else {
                    30 + (host * 13 + at * 29) % 170
                }
            };
            let values: Vec<Value> = (0..30)
                .map(|at| {
                    json!([
                        1_764_000_000 + at * 60,
                        format!("{}.{}", number(at) / 10, number(at) % 10)
                    ])
                })
                .collect();
            json!({"metric": {"instance": format!("web-{host}:9100")}, "values": values})
        })
        .collect();
    let text = told(&json!({"data": {"result": series}}));
    assert!(text.contains("values[*][1]: median by row \""), "{text}");
    assert!(
        text.contains(", but \"95.4\" at [7]; all \"3.0\"..\"96.9\"\n"),
        "{text}"
    );
    assert!(text.contains("\"path\":\"$.data.result[7]\""), "{text}");
}
