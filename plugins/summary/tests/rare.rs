//! Rare values are shown with their places and true counts.

use serde_json::{Map, Value, json};
use summary::Summary;
use tamis_sdk::testing::Bench;

fn summary(document: &Value) -> String {
    let bench = Bench::<Summary>::new(json!({"tables": false}));
    bench.apply(&document.to_string()).text().to_owned()
}

/// Messages that all differ, except `errors`.
fn rows(errors: &[usize]) -> Vec<Value> {
    let word = |at: usize, by: usize| char::from(b'a' + (at / by % 26) as u8);
    let message = |at: usize| match errors.contains(&at) {
        true => format!("fatal: no space left on {}{}", word(at, 1), word(at, 26)),
        false => format!(
            "{0}{1}{2}{0} says {1}{0}",
            word(at, 1),
            word(at, 26),
            word(at, 676)
        ),
    };
    (0..3_000)
        .map(|at| json!({"id": at, "message": message(at)}))
        .collect()
}

#[test]
fn messages_that_look_like_errors_are_told_with_the_first() {
    let one = summary(&json!(rows(&[2_001])));
    assert!(
        one.contains("1 looks like an error: fatal: no space left on zy at [2001]"),
        "{one}"
    );
    let two = summary(&json!(rows(&[2_001, 2_500])));
    assert!(
        two.contains("2 look like errors, first: fatal: no space left on zy at [2001]"),
        "{two}"
    );
    let none = summary(&json!(rows(&[])));
    assert!(
        !none.contains("like an error") && !none.contains("like errors"),
        "{none}"
    );
}

/// A table in which every row of `errors` has an error, and the others one of `kinds` messages.
fn events(rows: usize, kinds: usize, errors: &[usize], usual: &str, error: &str) -> Value {
    let event = |at: usize| match errors.contains(&at) {
        true => error.to_owned(),
        false => usual.replace('#', &(at % kinds).to_string()),
    };
    (0..rows)
        .map(|at| json!({"n": at, "event": event(at)}))
        .collect()
}

#[test]
fn errors_among_messages_are_told_whatever_their_share() {
    let usual = "GET /v1/items/# answered 200 from the cache of node a";
    let error = "ERROR: connection to psp-2 refused, payment not executed";
    for kinds in [6, 12, 19, 40, 1_000] {
        for count in [2, 6, 14, 40, 150] {
            for (usual, error) in [(usual, error), ("GET /v1/items/# 200", "ERROR: refused")] {
                let errors: Vec<usize> = (20..20 + count).collect();
                let told = summary(&events(200, kinds, &errors, usual, error));
                let look = format!("{count} look like errors, first: {error} at [20]");
                // Of short values, those with few rows have their places.
                let few = format!("{error} {count} at [20], [21]");
                let first = format!("{error} {count}, first at [20]");
                let is_told = [look, few, first].iter().any(|part| told.contains(part));
                assert!(is_told, "{count} of 200, {kinds} kinds:\n{told}");
                assert!(told.contains("\n [20] "), "{told}");
            }
        }
    }
    // Where nearly all are errors, they are what the table is about.
    let errors: Vec<usize> = (0..190).collect();
    let told = summary(&events(200, 12, &errors, usual, error));
    assert!(!told.contains("look like errors"), "{told}");
}

#[test]
fn a_rare_value_does_not_hide_errors() {
    let mut rows = events(
        1_000,
        40,
        &[3, 80, 155, 300, 377, 450, 525, 601, 690, 750, 820, 903, 980],
        "DNS query for host#.example.test over UDP",
        "ERROR: connection refused by upstream",
    );
    rows[622]["event"] = json!("DNS query for xxxxxxxxxxxxxxxxxxxxxxxxxx.evil.test over UDP");
    let told = summary(&rows);
    assert!(told.contains("evil.test over UDP 1 at [622]"), "{told}");
    assert!(
        told.contains("like ERROR: connection refused by upstream 13, first at [3]"),
        "{told}"
    );
}

#[test]
fn names_with_a_word_of_failures_are_no_errors_among_few_rows() {
    let row = |at: usize| {
        let title = ["Logic of the network", "Leads and lags", "Late starts"][at % 3];
        let title = match at {
            11 => "Critical path test".to_owned(),
            _ => format!("{title} {at}"),
        };
        let result = ["pass", "fail"][at % 2];
        json!({"check": at, "title": title, "result": result, "note": "n".repeat(200)})
    };
    let told = summary(&(0..14).map(row).collect::<Value>());
    assert!(!told.contains("like an error"), "{told}");
}

#[test]
fn rows_of_a_map_are_named_by_their_keys() {
    let entries: Map<String, Value> = (0..200)
        .map(|at| {
            (
                format!("node {at}"),
                json!({"state": if at == 77 { "lost" } else { "up" }, "load": at % 9}),
            )
        })
        .collect();
    let told = summary(&Value::Object(entries));
    assert!(told.contains("lost 1 at [\"node 77\"]"), "{told}");
}

#[test]
fn lines_that_look_like_failures_are_counted_by_sort() {
    let told = |failures: &[String]| {
        let noise: String = (0..300)
            .map(|at| format!("step {at}: copied part-{at} (37 KB)\n"))
            .collect();
        let text = format!("{noise}{}\n{noise}", failures.join("\n"));
        Bench::<Summary>::new("{}").apply(&text).text().to_owned()
    };
    let line = |word: &str, at: usize| format!("ERROR: {word} {at} is gone");
    for (failures, expected) in [
        (vec![line("disk", 1)], "1 line that looks like a failure:"),
        (
            vec![line("disk", 1), line("disk", 2)],
            "2 lines that look like failures, of one sort:",
        ),
        (
            vec![line("disk", 1), line("host", 2)],
            "2 lines that look like failures:",
        ),
        (
            vec![
                line("disk", 1),
                line("host", 2),
                line("disk", 3),
                line("host", 4),
            ],
            "4 lines that look like failures, of 2 sorts:",
        ),
    ] {
        let told = told(&failures);
        assert!(
            told.lines().any(|line| line == expected),
            "{expected}\n{told}"
        );
    }
}

/// Text of Prometheus, and an event of a calendar: most lines are all different by their labels and words.
#[test]
fn the_odd_one_of_series_or_of_the_values_of_a_key_is_shown() {
    let metrics: String = (0..14)
        .flat_map(|metric| {
            (0..12).map(move |at| {
                let code = [200, 404, 500][at % 3];
                let value = at * 13 * (metric + 1);
                let handlers =
                    "alpha bravo cargo delta ember fjord grape harbor indigo jungle kernel lemon";
                let handler = handlers.split(' ').nth(at).unwrap();
                let name = ["http", "queue", "cache", "disk", "mail", "auth", "jobs"][metric % 7];
                let unit = ["total", "count"][metric / 7];
                format!("{name}_{unit}{{code=\"{code}\",handler=\"/{handler}\"}} {value}\n")
            })
        })
        .collect();
    let up = |at: usize| {
        format!(
            "up{{instance=\"10.0.0.{at}:9090\"}} {}\n",
            u8::from(at != 5)
        )
    };
    let ups: String = (0..12).map(up).collect();
    let heads = "# HELP up Whether a scrape succeeds.\n# TYPE up gauge\n";
    let events: String = (0..70)
        .map(|at| {
            let status = if at == 41 { "CANCELLED" } else { "CONFIRMED" };
            let word = char::from(b'a' + (at % 26) as u8).to_string().repeat(4 + at / 26);
            format!("BEGIN:VEVENT\nUID:{word}{at}\nSUMMARY:Talk of {word}\nSTATUS:{status}\nEND:VEVENT\n")
        })
        .collect();
    for (text, shown) in [
        (
            format!("{metrics}{heads}{ups}"),
            "176: up{instance=\"10.0.0.5:9090\"} 0",
        ),
        (events, "209: STATUS:CANCELLED"),
    ] {
        let told = Bench::<Summary>::new("{}").apply(&text).text().to_owned();
        assert!(told.lines().any(|line| line == shown), "{shown}\n{told}");
    }
}

/// Which part of a document a call offers.
#[test]
fn a_text_is_more_than_a_table_where_it_is_more_than_four_times_as_large() {
    let rows: Vec<Value> = (0..40)
        .map(|at| json!({"id": at, "name": "a row"}))
        .collect();
    let table = json!(rows).to_string().len();
    let path = |bytes: usize| {
        let told = summary(&json!({"rows": rows, "log": "w\n".repeat(bytes)}));
        told.contains("\"path\":\"$.log\"")
    };
    // A line feed has two bytes in JSON, and the quotes are two more.
    let at_most = (4 * table - 2) / 3;
    assert!(!path(at_most) && path(at_most + 1));
}

#[test]
fn a_random_id_without_digits_is_not_rare() {
    const IDS: [&str; 45] = [
        "7s8r7yuh", "cszhvjj6", "iunuqc7x", "jw2dqsy4", "kxl90a1l", "m90w2auh", "nupqhdet",
        "u9eyb3t0", "zfx2eae5", "29gl4xny", "2eq5rozr", "6bf1d0gp", "8uozzw06", "gaoj31zk",
        "j7kd1d74", "lwjbwaw1", "ud1q7xn5", "x2ctzv9g", "3fed3d6d", "6mlk2kln", "a1b2c3d4",
        "b2c3d4e5", "c3d4e5f6", "d4e5f6g7", "e5f6g7h8", "f6g7h8i9", "g7h8i9j1", "h8i9j1k2",
        "i9j1k2l3", "j1k2l3m4", "k2l3m4n5", "l3m4n5o6", "m4n5o6p7", "n5o6p7q8", "o6p7q8r9",
        "p7q8r9s1", "q8r9s1t2", "r9s1t2u3", "s1t2u3v4", "t2u3v4w5", "u3v4w5x6", "v4w5x6y7",
        "w5x6y7z8", "x6y7z8a9", "y7z8a9b1",
    ];
    let rows = |odd: &str| {
        let id = |at: usize| if at == 6 { odd } else { IDS[at] };
        let text =
            |at: usize| format!("{} words of the task {}", at * 7, "that is long ".repeat(9));
        let row = |at: usize| json!({"id": id(at), "text": text(at)});
        summary(&Value::from((0..45).map(row).collect::<Vec<_>>()))
    };
    let told = rows("nupqhdet");
    assert!(!told.contains("nupqhdet"), "{told}");
    // Of another length, it is.
    let told = rows("intruder-of-mine");
    assert!(told.contains("intruder-of-mine 1 at [6]"), "{told}");
}

#[test]
fn the_one_record_of_a_markdown_list_that_has_another_line_is_shown() {
    let record = |at: usize| {
        let state = match at {
            31 => " | **Status**: BLOCKED by #12",
            _ => "",
        };
        format!(
            "### [{at}] Write chapter {at}\n\n**Project**: book.p{} | **Due**: 202612{:02}{state} | **Urgency**: {}.5\n\n",
            at % 5,
            at % 28 + 1,
            at % 9
        )
    };
    let text = format!("# Tasks\n\n{}", (1..=80).map(record).collect::<String>());
    let told = Bench::<Summary>::new("{}").apply(&text).text().to_owned();
    assert!(told.contains("**Status**: BLOCKED by #12"), "{told}");
}

#[test]
fn a_table_in_a_page_has_its_rare_row() {
    let row = |at: usize| {
        let state = if at == 83 {
            "CRITICAL"
        } else {
            ["open", "resolved"][at % 2]
        };
        format!("| INC-{at} | {state} | {} |\n", at % 9 * 7)
    };
    let weeks = |at: usize| format!("### Week {at}\n\nNothing of note happened in that week.\n\n");
    let table: String = (0..120).map(row).collect();
    let weeks: String = (0..90).map(weeks).collect();
    let text = format!(
        "Status of Acme\n## Incidents in 2026\n\n| ID | State | Minutes |\n| --- | --- | --- |\n{table}\n## History\n\n{weeks}"
    );
    let told = Bench::<Summary>::new("{}").apply(&text).text().to_owned();
    assert!(
        told.contains("table in lines 4-125:\n$.Incidents_in_2026: 120 rows\n"),
        "{told}"
    );
    assert!(told.contains("CRITICAL 1 at [83]"), "{told}");
    assert!(
        told.contains("\"query\":\"SELECT … FROM Incidents_in_2026\""),
        "{told}"
    );
}

/// Distances of `count` things from each other, of which one is far from all.
fn matrix(count: usize, far: usize) -> Map<String, Value> {
    let distance = |one: usize, other: usize| match (one == other, one == far || other == far) {
        (true, _) => json!(0.0),
        (_, true) => json!(0.9 + ((one + other) % 5) as f64 / 100.0),
        _ => json!(0.05 + ((one * 31 + other * 31) % 150) as f64 / 1_000.0),
    };
    let row = |one: usize| -> Map<String, Value> {
        let cell = |other: usize| (format!("Seq{other}"), distance(one, other));
        (0..count).map(cell).collect()
    };
    (0..count)
        .map(|one| (format!("Seq{one}"), row(one).into()))
        .collect()
}

#[test]
fn the_odd_row_of_a_matrix_its_range_and_its_nulls_are_told() {
    for count in [24, 40, 60] {
        let mut rows = matrix(count, 17);
        rows["Seq3"]["Seq9"] = Value::Null;
        let told = summary(&json!({"success": true, "distance_matrix": rows}));
        let line = told
            .lines()
            .find(|line| line.starts_with(" *: median by row 0."));
        let line = line.unwrap_or_else(|| panic!("{told}"));
        assert!(
            line.contains(", but 0.92 at .Seq17; all 0.0..0.94"),
            "{told}"
        );
        assert!(line.ends_with(", null 1 at .Seq3.Seq9"), "{told}");
        let calls =
            "\"path\":\"$.distance_matrix.Seq17\"}; or \"query\":\"SELECT … FROM distance_matrix\"";
        assert!(told.contains(calls), "{told}");
    }
    // The lower of two numbers in the middle is the median, and all are of the document.
    let rows: Map<String, Value> = (0..30)
        .map(|row| {
            let add = if row == 21 { 5_000 } else { row };
            let cell = |at: usize| (format!("k{at}"), json!(add + (at * 7) % 24));
            (
                format!("row {row}"),
                (0..24).map(cell).collect::<Map<_, _>>().into(),
            )
        })
        .collect();
    let told = summary(&Value::Object(rows));
    let line = " *: median by row 11..40, but 5011 at [\"row 21\"]; all 0..5023";
    assert!(told.contains(line), "{told}");
    // Without an odd row, there is one range.
    let told = summary(&Value::Object(matrix(40, 99)));
    assert!(told.contains("\n * 0.0..0.199"), "{told}");
    assert!(
        told.contains("or \"query\":\"SELECT … FROM rows\""),
        "{told}"
    );
}

#[test]
fn a_map_in_a_row_of_another_is_asked_by_its_path() {
    let maps = |name: &str| -> Value {
        let entry = |at: usize| {
            (
                format!("{name}{at}"),
                json!({"state": "up", "load": at % 9}),
            )
        };
        let entries: Map<String, Value> = (0..300).map(entry).collect();
        json!({"size": 300, "all": entries})
    };
    let of_many = json!({"a": maps("a"), "b": {"x": 1}, "c": {"y": [1, 2]}, "d": {"z": 3}});
    let told = summary(&of_many);
    let calls = "or \"path\":\"$.a.all\",\"query\":\"SELECT … FROM rows\"";
    assert!(told.contains(calls), "{told}");
    // The name of two maps is the largest one's.
    let told = summary(&json!({"a": maps("a"), "b": maps("bcd"), "n": 1}));
    let calls = "or \"path\":\"$.b.all\",\"query\":\"SELECT … FROM rows\"";
    assert!(told.contains(calls), "{told}");
}

#[test]
fn few_rare_lines_stand_above_the_files_of_a_diff() {
    const WORDS: [&str; 7] = ["alpha", "beta", "gamma", "delta", "omega", "kappa", "sigma"];
    let mut diff = String::new();
    for file in 0..30 {
        let name = if file % 2 == 0 {
            "README.md"
        } else {
            "src/a.rs"
        };
        diff.push_str(&format!(
            "--- a/{file}/{name}\n+++ b/{file}/{name}\n@@ -1,40 +1,41 @@\n"
        ));
        for at in 0..40 {
            diff.push_str(&format!(
                "     let {} = {};\n",
                WORDS[at % 7],
                WORDS[(at + file) % 7]
            ));
        }
        let own = |at: usize| format!("w{}x{}y", WORDS[at % 7], WORDS[(at / 7) % 7]);
        let own: Vec<String> = (0..6).map(|at| own(file * 6 + at)).collect();
        diff.push_str(&format!("+{}\n", own.join(" ")));
    }
    let told = Bench::<Summary>::new("{}").apply(&diff).text().to_owned();
    let rare = told.lines().filter(|line| line.contains(": +w")).count();
    assert!(rare <= 2, "{told}");
    assert!(!told.contains("44: +w"), "a line of a page: {told}");
    assert!(
        told.contains("\n1: 0/README.md +1 -0\n") && told.contains(": 29/src/a.rs +1 -0\n"),
        "{told}"
    );
}

#[test]
fn the_only_one_of_a_few_rows_has_a_place() {
    let rows: Vec<Value> = (0..12)
        .map(|at| {
            let state = if at == 7 { "restarting" } else { "running" };
            json!({"name": format!("svc-{at}"), "state": state, "text": "x".repeat(500 + at)})
        })
        .collect();
    let told = summary(&json!(rows));
    assert!(
        told.contains("state: running 11, restarting 1 at [7]\n"),
        "{told}"
    );
    assert!(told.contains("\"path\":\"$[7]\""), "{told}");
    // Where none is far rarer than another, none has one.
    let rows: Vec<Value> = (0..12)
        .map(|at| {
            let state = ["a", "a", "b", "b", "c"][at % 5];
            json!({"name": format!("svc-{at}"), "state": state, "text": "x".repeat(500 + at)})
        })
        .collect();
    assert!(!summary(&json!(rows)).contains(" at ["));
}

#[test]
fn a_rare_text_of_a_map() {
    let words = ["order", "price", "cart", "user", "menu", "page"];
    let text = |at: usize| {
        let word = |by: usize| words[at / by % 6];
        format!(
            "{} of the {} with a {} number {at}",
            word(1),
            word(6),
            word(36)
        )
    };
    let map: Map<String, Value> = (0..200)
        .map(|at| {
            let text = if at == 120 {
                "TODO: translate me".to_owned()
            } else {
                text(at)
            };
            (format!("ui.text.{at:03}"), json!(text))
        })
        .collect();
    let told = summary(&json!(map));
    assert!(
        told.contains("rare: TODO: translate me 1 at [\"ui.text.120\"]"),
        "{told}"
    );
}

#[test]
fn the_error_of_a_cell_among_texts_and_numbers() {
    let cells: Vec<Value> = (0..200)
        .map(|at| {
            let value = match at {
                133 => json!("#REF!"),
                _ if at % 2 == 0 => json!(at * 3),
                // Texts of many forms, of which none is usual.
                _ => json!(
                    char::from(b'a' + (at % 26) as u8)
                        .to_string()
                        .repeat(1 + at / 26)
                ),
            };
            json!({"address": format!("E{at}"), "value": value})
        })
        .collect();
    let told = summary(&json!(cells));
    assert!(
        told.contains("1 looks like an error: #REF! at [133]\n"),
        "{told}"
    );
}

#[test]
fn a_rare_text_is_told_by_the_part_that_differs() {
    for (end, told) in [
        ("\tStatus: timeout\n", "… Status: timeout\\n 1 at [63]\n"),
        ("\tlike \"quoted\"", "… like \\\"quoted\\\" 1 at [63]\n"),
        ("\tÜberzeit: 超时", "… Überzeit: 超时 1 at [63]\n"),
    ] {
        assert_part_told(end, told);
    }
}

fn assert_part_told(end: &str, part: &str) {
    let rows: Vec<Value> = (0..90)
        .map(|at| {
            let id = at * 7_919 % 9_973;
            let end = if at == 63 { end } else { "\t\n" };
            let message = format!(
                "REPORT RequestId: 4e273c-{id:06}-c9b9b674-a6f5 \tDuration: {at}.31 ms\tBilled Duration: 100 ms\tMemory Size: 128 MB\tMax Memory Used: {} MB{end}",
                70 + at % 9
            );
            json!({"timestamp": 1_772_352_000_000_u64 + at * 900, "message": message})
        })
        .collect();
    let told = summary(&json!({ "events": rows }));
    assert!(told.contains(part), "{told}");
}
