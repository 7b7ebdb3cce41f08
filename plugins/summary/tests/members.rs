//! What a summary of JSON shows of members and rows if there is no room for all.

use serde_json::{Map, Value, json};
use summary::Summary;
use tamis_sdk::testing::Bench;

fn summary(value: &Value) -> String {
    let applied = Bench::<Summary>::new("{}").apply(&value.to_string());
    assert!(applied.changed, "not summarised");
    applied.text().to_owned()
}

#[track_caller]
fn assert_told(value: &Value, parts: &[&str]) {
    let told = summary(value);
    for part in parts {
        assert!(told.contains(part), "{part:?} is not told:\n{told}");
    }
}

/// One object of many numbers, as `INFO` of a server.
fn flat(others: Value) -> Value {
    let mut all = Map::new();
    all.insert("zero_first".to_owned(), json!(0));
    for part in ["memory", "net", "cpu", "disk", "cache", "lock"] {
        for at in 0..20 {
            let value = match at % 2 {
                0 => json!(1_000_000 + at * 7),
                _ => json!(format!("{at} of them, as they were counted")),
            };
            all.insert(format!("{part}_value_{at}"), value);
        }
    }
    all.extend(others.as_object().expect("an object").clone());
    Value::Object(all)
}

#[test]
fn members_in_a_bad_state_come_first_and_the_others_have_names() {
    let state = json!({
        "rdb_last_bgsave_status": "err", "aof_last_write_status": "ok",
        "rejected_connections": 481, "rejected_calls": 0, "master_link_status": "down",
        "clusterState": "degraded",
    });
    let told = summary(&flat(state));
    let lines: Vec<&str> = told.lines().collect();
    let first = &lines[1..5];
    for line in [
        "rdb_last_bgsave_status: \"err\"",
        "rejected_connections: 481",
        "master_link_status: \"down\"",
        "clusterState: \"degraded\"",
    ] {
        assert!(first.contains(&line), "{line}:\n{told}");
    }
    // What there is none of does not take the room of others.
    assert!(!told.contains("zero_first: 0"), "{told}");
    let more = lines.iter().find(|line| line.contains(" more members: "));
    let more = more.expect("the names of the others");
    for name in ["memory_… ", "net_… 20", "cpu_… 20", "disk_… 20"] {
        assert!(more.contains(name), "{told}");
    }
    let shown = lines
        .iter()
        .filter(|line| line.starts_with("memory_value_"))
        .count();
    let shown = shown + 4;
    assert!(
        more.starts_with(&format!(" and {} more", 127 - shown)),
        "{told}"
    );
}

#[test]
fn the_only_value_of_a_column_is_told_whole() {
    let message = "MountVolume.SetUp failed for volume \"tls\" : secret \"media-tls\" not found";
    let rows: Vec<Value> = (0..80)
        .map(|at| {
            let message = if at == 43 { message } else { "Container started" };
            json!({"pod": format!("pod-{at}-abcdefghijklmnopqrstuvwxyz"), "message": message, "words": "x".repeat(40)})
        })
        .collect();
    let expected = format!("message: Container started 79, {message} 1 at [43]");
    assert_told(&json!(rows), &[&expected]);
    // Also one in lists, among many others.
    let rows: Vec<Value> = (0..30)
        .map(|at| {
            let message = |of: usize| match (at, of) {
                (13, 2) => "Parsing error: Unexpected token ) in the arguments".to_owned(),
                _ => format!(
                    "'{}' is never used.",
                    "abcdefgh".get(of..=of).unwrap_or_default()
                ),
            };
            let messages: Vec<Value> = (0..8).map(|of| json!({"message": message(of)})).collect();
            json!({"file": format!("src/{at}.js"), "messages": messages})
        })
        .collect();
    assert_told(
        &json!(rows),
        &["Parsing error: Unexpected token ) in the arguments 1 at [13].messages[2]"],
    );
}

#[test]
fn rows_have_names_that_all_of_them_have() {
    let rows: Vec<Value> = (0..40)
        .map(|at| {
            let mut row = json!({
                "severity": if at == 33 { "CRITICAL" } else { "LOW" },
                "title": format!("{} {at}", "a finding of many words ".repeat(3)),
                "number": format!("CVE-2024-{}", 1000 + at * 3),
                "parts": ["a part", "of many", "x".repeat(at % 9)],
                "seen": format!("2026-11-{:02}T10:00:00Z", 1 + at % 28),
                "score": at * 7919 % 1000,
                "paths": {"first": format!("{}{at}", "/srv/app/".repeat(3)), "last": format!("{}{at}", "/opt/lib/".repeat(3))},
                "library": format!("lib{}", ["b", "c", "d"][at % 3].repeat(at % 7 + 1)),
            });
            if at % 2 == 0 {
                row["fix"] = json!({"name": format!("x{}", at * 7919 % 1000)});
            }
            row
        })
        .collect();
    let told = summary(&json!({"findings": rows}));
    assert!(!told.contains("(missing)"), "{told}");
    let names = told.lines().find(|line| line.starts_with(" first by "));
    let names = names.expect("names");
    assert!(names.contains("; [33] CVE-2024-1099"), "{told}");
}

#[test]
fn a_part_that_is_only_named_takes_its_room_alone() {
    let messages: Vec<Value> = (0..51)
        .map(|at| {
            let rule = match at {
                49 => "no-debugger",
                50 => "no-undef",
                at => ["no-unused-vars", "no-var", "eqeqeq", "prefer-const"][at % 4],
            };
            json!({
                "ruleId": rule, "severity": 1 + at % 2, "line": at * 2, "column": 1 + at % 5,
                "message": if at > 48 { format!("{rule} is not allowed here at all") } else { format!("the usual report of {rule} in a function called f{at}") },
                "endLine": at * 2, "endColumn": 9 + at % 7, "messageId": rule.to_uppercase(),
                "fix": {"range": [at * 20, at * 20 + 9], "text": "const x = 1;"},
            })
        })
        .collect();
    let file = json!({
        "filePath": "/srv/app/src/m17.js", "messages": messages, "errorCount": 14,
        "source": "export function f(a, b) {\n  return a + b;\n}\n".repeat(40),
    });
    assert_told(
        &json!([file]),
        &[
            "no-debugger 1 at [49], no-undef 1 at [50]",
            "severity: ",
            "$[0].source",
        ],
    );
}

/// Few rows beside one large list: statistics by code, and the bands of an image.
#[test]
fn short_numbers_come_before_the_elements_of_a_list() {
    let ids = |count: usize| (0..count).map(|at| format!("request_{at}"));
    let stats: Value = [(200, 409), (404, 9), (429, 1), (500, 1)]
        .into_iter()
        .map(|(code, count)| {
            let ids: Vec<String> = ids(count).collect();
            json!({"status_code": code, "count": count, "request_ids": ids})
        })
        .collect();
    let told = summary(&stats);
    for (at, count) in [409, 9, 1, 1].into_iter().enumerate() {
        let told = told.lines().find(|line| match at {
            0 => line.starts_with("[0].count: "),
            _ => line.starts_with(&format!("[{at}]")) && line.contains("\"count\":"),
        });
        let told = told.expect("the count is told");
        assert!(
            told.contains(&format!("count: {count}"))
                || told.contains(&format!("\"count\":{count},")),
            "{told}"
        );
    }
    let bin = |at: usize| json!({"min_value": at, "max_value": at + 1, "count": at * 37 % 211});
    let histogram: Value = (0..600).map(bin).collect();
    let band = json!({
        "band": 1, "min": -9999.0, "max": 3999.0, "mean": 1990.5, "std": 1158.25, "median": 1985.0,
        "percentile_25": 984.0, "percentile_75": 3000.0, "valid_count": 39_999, "nodata_count": 1,
        "histogram": histogram,
    });
    let raster = json!({"path": "/srv/dem.tif", "band_stats": [band], "total_pixels": 40_000});
    assert_told(
        &raster,
        &[
            "band_stats[0].std: 1158.25",
            "band_stats[0].percentile_75: 3000.0",
            "band_stats[0].valid_count: 39999",
            "band_stats[0].nodata_count: 1",
            "total_pixels: 40000",
            "$.band_stats[0].histogram: 600 rows",
        ],
    );
}

/// Long strings do not fill the room that a list leaves.
#[test]
fn long_strings_get_no_room_of_their_list() {
    let mut document = json!({"ids": (0..400).map(|at| format!("id_{at}")).collect::<Value>()});
    for at in 0..20 {
        let text = format!("a text of part {at} that says how it is set up, at length");
        document[format!("text_{at}")] = json!(text);
    }
    let told = summary(&document);
    let shown = told
        .lines()
        .filter(|line| line.starts_with("text_"))
        .count();
    assert!((1..4).contains(&shown), "{told}");
}

#[test]
fn totals_after_a_large_table_are_told() {
    let file = |at: usize| {
        let functions: serde_json::Map<_, _> = (0..40)
            .map(|f| {
                (
                    format!("function_{at}_{f}"),
                    json!({"covered_lines": f, "lines": [f, at]}),
                )
            })
            .collect();
        (
            format!("src/file_{at}.py"),
            json!({"summary": {"covered_lines": at}, "functions": functions}),
        )
    };
    let files: serde_json::Map<_, _> = (0..120).map(file).collect();
    let text = json!({"meta": {"version": "7.1"}, "files": files, "totals": {"covered_lines": 5680, "num_statements": 14498, "percent_covered": 39.177817630017934}});
    let told = summary(&text);
    assert!(
        told.contains("5680") && told.contains("39.177817630017934"),
        "{told}"
    );
}

#[test]
fn quotes_in_values_are_as_a_query_needs_them() {
    let row = |at: usize| {
        let note = ["gift, wrap \"it\"", "C:\\temp \"x\"", "\"all\""][at % 3];
        json!({"id": at, "note": note})
    };
    let rows: Vec<Value> = (0..300).map(row).collect();
    let told = summary(&json!(rows));
    let note = " note: gift, wrap \"it\" 100, C:\\\\temp \"x\" 100, \"\\\"all\\\"\" 100\n";
    assert!(told.contains(note), "{told}");
}

#[test]
fn code_in_rows_reports_no_error() {
    let row = |at: usize| {
        let code = format!(
            "function send_{at}(res) {{\n  if (done) return;\n  callback(new Error('Request aborted'));\n  fail('cannot open file {at}');\n}}"
        );
        json!({"rule": "quotes", "code": code})
    };
    let mut rows: Vec<Value> = (0..120).map(row).collect();
    let told = summary(&json!(rows));
    assert!(
        !told.contains("like errors") && !told.contains("like an error"),
        "{told}"
    );
    // Code in a report of a compiler, and of tests.
    for report in [
        "error[E0382]: borrow of moved value: `x`\nfn main() {\n}",
        "Log:\nsrc/main.c:12:5: error: expected expression\n   if (x) {\n  ^\n",
        "4) adds to cart\nTypeError: Cannot read it\n> 3 | test(\"x\", () => {\n",
        "\"/app/deploy\" failed: permission denied and more",
    ] {
        let (words, _) = report.split_once('\n').unwrap_or((&report[15..], ""));
        rows[40]["code"] = json!(report);
        let told = summary(&json!(rows));
        assert!(told.contains(words) && told.contains(" at [40]"), "{told}");
    }
}

#[test]
fn of_elements_the_member_that_differs_is_told_first() {
    let values: Vec<String> = (0..96)
        .map(|i| format!("2026-11-28T{:02}:{:02}:00Z", i / 4, i % 4 * 15))
        .collect();
    let result = |i: usize| {
        let state = if i == 5 { "PartialData" } else { "Complete" };
        json!({"Id": format!("m{i}"), "Label": format!("fn-{i} Errors of a function"), "Timestamps": values, "StatusCode": state})
    };
    let results: Vec<_> = (0..6).map(result).collect();
    let bench = Bench::<Summary>::new(json!({"tables": false}));
    let applied = bench.apply(&json!({"MetricDataResults": results}).to_string());
    let told = applied.text();
    assert!(
        told.contains("\nMetricDataResults[5].StatusCode: \"PartialData\"\n"),
        "{told}"
    );
}

#[test]
fn lists_side_by_side_are_one_table() {
    let time: Vec<String> = (0..168)
        .map(|i| format!("2026-11-{:02}T{:02}:00", 1 + i / 24, i % 24))
        .collect();
    let degrees: Vec<f64> = (0..168).map(|i| f64::from(i % 24) + 0.5).collect();
    let query = |lists: Value| {
        let bench = Bench::<Summary>::new(json!({"tables": false}));
        bench
            .apply(&json!({"latitude": 52.5, "hourly": lists}).to_string())
            .text()
            .to_owned()
    };
    let told = query(json!({"time": time, "degrees": degrees, "rain": degrees}));
    assert!(told.contains("SELECT … FROM hourly"), "{told}");
    // Lists of other lengths belong to nothing.
    let told = query(json!({"time": time, "degrees": degrees, "rain": degrees[1..]}));
    assert!(!told.contains("FROM hourly"), "{told}");
}

#[test]
fn a_table_of_a_page_can_be_asked_by_its_heading() {
    let row = |i: usize| format!("<tr><td>svc-{i}</td><td>up</td></tr>\n");
    let rows: String = (0..300).map(row).collect();
    let page = |head: &str| {
        format!("<html><body><h1>Services</h1>\n<table>{head}\n{rows}</table></body></html>\n")
    };
    let summary = |text: &str| Bench::<Summary>::new("{}").apply(text).text().to_owned();
    let named = summary(&page("<tr><th>Name</th><th>State</th></tr>"));
    assert!(
        named.contains("\"query\":\"SELECT … FROM Services\""),
        "{named}"
    );
    let unnamed = summary(&page("<tr><td>Name</td><td>State</td></tr>"));
    assert!(!unnamed.contains("query"), "{unnamed}");
    // `psql -H` and pandas print a table alone.
    let alone =
        format!("<table border=\"1\"><tr><th>Name</th><th>State</th></tr>\n{rows}</table>\n");
    let alone = summary(&alone);
    assert!(
        alone.contains("$.rows: 300 rows\n constant: State=up\n first 1: Name\n svc-0\n"),
        "{alone}"
    );
    assert!(
        alone.contains("\"query\":\"SELECT … FROM rows\""),
        "{alone}"
    );
}

#[test]
fn rows_have_their_titles_as_names_and_no_ids_of_machines() {
    let item = |i: usize| {
        json!({
            "DOI": format!("10.1016/j.cell.{}.{}", 2020 + i % 5, 10_000 + i * 37),
            "title": [format!("A study of the cells of plants, part {i}")],
            "type": "article", "publisher": "A publisher",
            "author": [{"given": "Ann", "family": format!("Example {}", i % 9)}],
            "container-title": [(["Cell", "Nature", "Science"][i % 3])],
            "cited": if i == 17 { 9_999 } else { i * 3 % 70 },
            "issued": {"date-parts": [[2020 + i % 5, i % 12 + 1]]},
            "URL": format!("https://example.com/{i}"), "score": 20.5 - i as f64 / 7.0,
        })
    };
    let mut items: Vec<Value> = (0..40).map(item).collect();
    let told = [
        " first by title: A study of the cells of plants, part 0; [17] A study of the cells of plants, part 17\n",
    ];
    assert_told(&json!({"items": items}), &told);
    // A list of two has no one name.
    items[3]["title"] = json!(["One", "Two"]);
    assert_told(
        &json!({"items": items}),
        &["first by DOI: 10.1016/j.cell.2020.10000"],
    );
}

#[test]
fn a_severity_that_all_rows_share_comes_before_other_constants() {
    let metric = |i: usize| {
        json!({
            "source": "a@example.com", "type": "Primary", "version": "3.1", "scope": "UNCHANGED",
            "cvssData": {"baseScore": 9.8, "baseSeverity": "CRITICAL", "attackVector": (["NETWORK", "LOCAL"][i % 2])},
        })
    };
    let row = |i: usize| {
        json!({
            "id": format!("CVE-2024-{}", 10_000 + i),
            "tag": "a tag that all of them have", "kind": "a kind that all of them have",
            "weakness": [{"source": "a@example.com", "type": "Primary", "description": "some words that are always the same"}],
            "vulnStatus": (["Analyzed", "Modified"][i % 2]), "text": "some words of a text ".repeat(9 + i % 3),
            "metrics": {"cvssMetricV31": [metric(i)]},
        })
    };
    let rows: Vec<Value> = (0..40).map(row).collect();
    let told = [" constant: metrics.cvssMetricV31[*].cvssData.baseSeverity=CRITICAL, "];
    assert_told(&json!({"vulnerabilities": rows}), &told);
}

#[test]
fn a_severity_deep_inside_comes_before_kinds() {
    let row = |i: usize| {
        let severity = if i % 4 == 1 { "LOW" } else { "MEDIUM" };
        json!({
            "cve": {
                "id": format!("CVE-2024-{}", 10_000 + i),
                "sourceIdentifier": format!("team{i}@example.com"),
                "vulnStatus": if i < 3 { "Undergoing Analysis" } else { "Analyzed" },
                "descriptions": [
                    {"lang": "en", "value": format!("{i} some words of a description, at length. ").repeat(9)},
                    {"lang": "es", "value": format!("{i} the same in other words, at length too. ").repeat(9)},
                ],
                "metrics": {"cvssMetricV31": [{
                    "source": format!("team{i}@example.com"), "type": if i.is_multiple_of(2) { "Primary" } else { "Secondary" },
                    "cvssData": {
                        "version": "3.1", "vectorString": format!("CVSS:3.1/AV:N/AC:L/PR:{i}"), "attackVector": "NETWORK",
                        "baseScore": 3.1 + i as f64, "baseSeverity": severity,
                    },
                }]},
                "weaknesses": [{"source": "a@example.com", "type": if i == 2 { "Secondary" } else { "Primary" }}],
                "references": [{"url": format!("https://example.com/{i}"), "source": "a@example.com"}],
            },
        })
    };
    let rows: Vec<Value> = (0..5).map(row).collect();
    let document =
        json!({"format": "NVD_CVE", "version": "2.0", "totalResults": 80, "vulnerabilities": rows});
    assert_told(&document, &["cvssData.baseSeverity: MEDIUM 4, LOW 1"]);
}

#[test]
fn rows_in_different_states_have_their_titles_as_names() {
    let states = ["open", "dismissed", "fixed", "auto_dismissed"];
    let row = |i: usize| {
        json!({
            "number": i + 1, "state": states[i],
            "dependency": {"package": {"ecosystem": "pip", "kind": "direct"}, "scope": "runtime"},
            "advisory": {
                "summary": format!("Package {i} allows what it should not"),
                "text": format!("{i} more words of a text, which are many. ").repeat(30),
                "refs": [{"url": format!("https://example.com/{i}")}],
            },
            "url": format!("https://example.com/alerts/{i}"), "dismissed_by": null, "fixed_at": null,
        })
    };
    let rows: Vec<Value> = (0..4).map(row).collect();
    assert_told(
        &json!(rows),
        &["first by advisory.summary: Package 0 allows what it should not"],
    );
}

#[test]
fn what_a_failure_says_comes_before_where_it_is() {
    let modules: Vec<Value> = (0..250)
        .map(|at| json!({"id": at, "name": format!("./src/part-{at}.js"), "size": 900 + at % 7}))
        .collect();
    let mut stats = json!({
        "failure": {
            "moduleIdentifier": "javascript/esm|/app/src/entry.js",
            "moduleName": "./src/entry.js",
            "place": "1:20-39",
            "message": "Module not found: no ./nope.js",
            "details": "resolve './nope.js' in '/app/src', which has no such file\n".repeat(6),
        },
        "modules": modules,
    });
    for at in 0..40 {
        stats[format!("option_{at}")] = json!(format!("value of the option {at}"));
    }
    let told = summary(&stats);
    let (_, first) = told.split_once('\n').expect("two lines");
    let message = "failure.message: \"Module not found: no ./nope.js\"\nfailure.moduleIdentifier: ";
    assert!(first.starts_with(message), "{told}");
}

#[test]
fn members_that_have_no_room_beside_tables_are_named() {
    let info: Map<String, Value> = (0..12)
        .map(|at| {
            (
                format!("field_{at}"),
                json!(format!("{at} of the values that take room")),
            )
        })
        .chain([
            ("version".to_owned(), json!("3.9.0")),
            ("empty".to_owned(), json!("")),
        ])
        .collect();
    let row = |at: usize| json!({"id": at, "text": "a row of some words that take room"});
    let rows: Vec<Value> = (0..150).map(row).collect();
    let told = summary(&json!({
        "info": info,
        "rows": rows,
        "more": (0..150).map(row).collect::<Vec<_>>(),
        "last": (0..150).map(row).collect::<Vec<_>>(),
    }));
    assert!(told.contains("\ninfo.version: \"3.9.0\"\n"), "{told}");
    let more = told.lines().find(|line| line.contains(" more members: "));
    let more = more.expect("the names of the others");
    assert!(more.contains(": info.{field_"), "{told}");
    let shown = told
        .lines()
        .filter(|line| line.starts_with("info."))
        .count();
    assert!(
        more.starts_with(&format!(" and {} more ", 14 - shown)),
        "{told}"
    );
    // A member that is nothing has no name.
    assert!(!told.contains("empty"), "{told}");
}

#[test]
fn scores_beside_tables_come_before_ids() {
    let part = |score: f64| {
        let refs: Vec<Value> = (0..400)
            .map(|at| json!({"id": format!("audit-{at}"), "weight": at % 7}))
            .collect();
        json!({"title": "One of the parts of the page", "id": "part", "mode": "of pages", "of": "the page", "score": score, "refs": refs})
    };
    assert_told(
        &json!({
            "agent": "Mozilla/5.0 (X11; Linux)", "mode": "navigation", "time": "2026-03-01T08:00:00Z",
            "categories": {"speed": part(0.31), "access": part(0.97), "search": part(0.42)},
        }),
        &[
            "categories.speed.score: 0.31\n",
            "categories.access.score: 0.97\n",
            "categories.search.score: 0.42\n",
        ],
    );
}

#[test]
fn a_query_asks_the_list_that_has_nearly_all_of_few_rows() {
    let found = |at: usize| {
        let severity = if at == 33 { "CRITICAL" } else { "LOW" };
        json!({"id": format!("CVE-2026-{at:05}"), "severity": severity, "title": "x".repeat(60 + at % 7)})
    };
    let result = |target: &str, from: usize| {
        let all: Vec<Value> = (from..from + 30).map(found).collect();
        json!({"target": target, "class": "os", "vulnerabilities": all})
    };
    assert_told(
        &json!({"version": 2, "results": [result("debian", 0), result("npm", 30)]}),
        &[
            "\"query\":\"SELECT … FROM vulnerabilities\"",
            "\"path\":\"$.results[1].vulnerabilities[3]\"",
        ],
    );
    // An odd value of the rows is in their table.
    let row = |at: usize| {
        let state = if at == 17 { "failed" } else { "passed" };
        let steps: Vec<Value> = (0..4)
            .map(|of| json!({"step": of, "text": "y".repeat(60 + at % 5)}))
            .collect();
        json!({"state": state, "steps": steps})
    };
    let rows: Vec<Value> = (0..40).map(row).collect();
    assert_told(
        &json!({ "runs": rows }),
        &["\"query\":\"SELECT … FROM runs\""],
    );
}

#[test]
fn names_of_members_are_told_as_they_are() {
    let words = "some of the words that take room";
    let rows: Vec<Value> = (0..150)
        .map(|at| json!({"id": at, "text": words}))
        .collect();
    let told = |key: &dyn Fn(usize) -> String| {
        let info: Map<String, Value> = (0..9).map(|at| (key(at), json!(words))).collect();
        let told = summary(&json!({"info": info, "rows": rows, "more": rows, "last": rows}));
        let more = told.lines().find(|line| line.contains(" more members: "));
        more.unwrap_or_else(|| panic!("{told}")).to_owned()
    };
    // A dot in a key is no end of a path, and `: ` no end of a name.
    for key in ["f.", "k: ", "say \"", "\\"] {
        let more = told(&|at| format!("{key}{at}"));
        let name = |at: usize| format!("info[{}]", json!(format!("{key}{at}")));
        let named = (0..9).filter(|at| more.contains(&name(*at))).count();
        assert!(named > 1, "{more}");
        let (_, names) = more.split_once(": ").expect("names");
        assert_eq!(names.matches("info").count(), named, "{more}");
        assert!(!more.contains('{'), "{more}");
    }
    // Not all have a name.
    let told = summary(&json!({
        "aa": words.repeat(3), "bb": words.repeat(3), "none": null, "empty": [], "cc": words.repeat(3), "dd": words.repeat(3),
        "rows": rows, "more": rows, "last": rows,
    }));
    let more = told
        .lines()
        .find(|line| line.contains(" more members: "))
        .expect("names");
    let (count, names) = more.split_once(" more members: ").expect("names");
    let count: usize = count.trim_start_matches(" and ").parse().expect("a number");
    let named = names.split(", ").filter(|name| *name != "…").count();
    assert_eq!(named < count, names.ends_with('…'), "{told}");
    assert!(
        !names.contains("none") && !names.contains("empty"),
        "{told}"
    );
}

#[test]
fn keys_that_are_no_text_are_other_keys() {
    let row = |at: usize| {
        format!("{{\"id\":{at},\"a\\ud800\":\"words {at}\",\"a\\\\ud800\":\"others {at}\"}}")
    };
    let rows: Vec<String> = (0..100).map(row).collect();
    let told = Bench::<Summary>::new(json!({"tables": false}))
        .apply(&format!("{{\"rows\":[{}]}}", rows.join(",")));
    assert!(told.changed);
    assert!(!told.text().contains("has again"), "{}", told.text());
}
