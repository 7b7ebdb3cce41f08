//! The promises of the filter, on any document: true counts, bounded output, its own output stays unchanged, and no
//! panic.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use summary::Summary;
use tamis_sdk::Kind;
use tamis_sdk::testing::{Applied, Bench};

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 192,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

#[track_caller]
fn line<'a>(summary: &'a str, start: &str) -> Option<&'a str> {
    summary.lines().find_map(|line| line.strip_prefix(start))
}

/// A row of a table in which each column may be missing.
fn row() -> impl Strategy<Value = Value> {
    let state = prop_oneof![
        Just(None),
        prop::sample::select(vec!["open", "closed", "held back"]).prop_map(Some)
    ];
    (
        state,
        -500i64..500,
        prop::option::of(any::<bool>()),
        0usize..6,
    )
        .prop_map(|(state, number, flag, list)| {
            let mut row = Map::new();
            if let Some(state) = state {
                row.insert("state".to_owned(), json!(state));
            }
            row.insert("number".to_owned(), json!(number));
            row.insert("flag".to_owned(), json!(flag));
            row.insert("list".to_owned(), json!(vec!["x"; list]));
            row.insert(
                "filler".to_owned(),
                json!(format!("{number} of many words that take room")),
            );
            Value::Object(row)
        })
}

/// `a 3, b 2`: counted the plain way.
fn counted(values: &[Value]) -> Option<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for value in values {
        let shown = value.as_str().map_or(value.to_string(), str::to_owned);
        match counts.iter_mut().find(|(known, _)| *known == shown) {
            Some((_, count)) => *count += 1,
            None => counts.push((shown, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let is_told = counts.len() > 1 && counts.iter().any(|(_, count)| *count > 1);
    let said: Vec<String> = counts
        .iter()
        .map(|(value, count)| format!("{value} {count}"))
        .collect();
    is_told.then(|| said.join(", "))
}

/// Counts without the rows of rare values: `closed 1 at [59]`.
fn without_places(line: Option<&str>) -> Option<String> {
    let parts = line?
        .split(", ")
        .filter(|part| !part.starts_with("first at ["));
    let counts = parts.map(|part| part.split(" at [").next().unwrap_or(part));
    Some(counts.collect::<Vec<_>>().join(", "))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn counts_are_true(rows in prop::collection::vec(row(), 60..160), pretty: bool) {
        let document = json!({"rows": rows});
        let text = if pretty { format!("{document:#}") } else { document.to_string() };
        let applied = Bench::<Summary>::new(json!({"tables": false})).apply(&text);
        let summary = applied.text();
        let number_of_rows = rows.len();
        let head = format!("$.rows: {number_of_rows} rows");
        prop_assert!(line(summary, &head).is_some(), "{summary}");

        let states: Vec<Value> = rows.iter().filter_map(|row| row.get("state").cloned()).collect();
        let missing = rows.len() - states.len();
        if let Some(expected) = counted(&states) {
            let expected = if missing > 0 { format!("{expected}, missing {missing}") } else { expected };
            prop_assert_eq!(without_places(line(summary, " state: ")), Some(expected), "{}", summary);
        }
        let flags: Vec<Value> = rows.iter().map(|row| row["flag"].clone()).collect();
        if let Some(expected) = counted(&flags) {
            prop_assert_eq!(without_places(line(summary, " flag: ")), Some(expected), "{}", summary);
        }
        let numbers: Vec<i64> = rows.iter().filter_map(|row| row["number"].as_i64()).collect();
        let range = numbers.iter().min().zip(numbers.iter().max());
        // One number in all rows is a constant.
        let range = range.filter(|(least, most)| least < most);
        let range = range.map(|(least, most)| format!("{least}..{most}"));
        prop_assert_eq!(line(summary, " number "), range.as_deref(), "{}", summary);
        let lengths: Vec<usize> = rows.iter().filter_map(|row| Some(row["list"].as_array()?.len())).collect();
        let in_all: usize = lengths.iter().sum();
        let told = line(summary, " list[] ").unwrap_or_default();
        let in_all = format!("{in_all} in all");
        prop_assert!(told.contains(&in_all), "{in_all}: {told}");
    }

    #[test]
    fn nothing_panics_and_all_is_bounded(document in json(), pretty: bool, settings in settings()) {
        let text = if pretty { format!("{document:#}") } else { document.to_string() };
        check(&text, &settings);
    }

    #[test]
    fn any_text(text in text(), settings in settings()) {
        check(&text, &settings);
    }
}

fn settings() -> impl Strategy<Value = Value> {
    let above = prop_oneof![
        Just(json!("1000 chars")),
        Just(json!(1500)),
        Just(json!("2000 bytes")),
        Just(json!("500 tokens")),
    ];
    let whole = prop::sample::select(vec!["2000 tokens", "0"]);
    (above, 0u32..=20, 0u32..=20, 10u32..200, whole).prop_map(
        |(above, rows, distinct, cell, whole)| {
            json!({"above": above, "tables": false, "rows": rows, "distinct": distinct, "cell": cell, "keep": ["a", "$.b.c"], "whole": whole})
        },
    )
}

/// Most characters of a summary under [`settings`].
fn bound(settings: &Value) -> usize {
    match settings["above"].as_str() {
        Some("500 tokens" | "2000 bytes" | "1000 chars") => 500,
        Some("4000 chars") => 2_000,
        _ => 750,
    }
}

fn check(text: &str, settings: &Value) {
    for is_error in [false, true] {
        for sent_as in [Kind::Json, Kind::Text] {
            let bench = Bench::<Summary>::new(settings)
                .is_error(is_error)
                .sent_as(sent_as);
            let applied = bench.apply(text);
            if applied.changed {
                assert_summary(&applied, &bench, text, bound(settings));
            }
        }
    }
}

#[track_caller]
fn assert_summary(applied: &Applied, bench: &Bench<Summary>, before: &str, bound: usize) {
    let summary = applied.text();
    let length = chars(summary);
    assert!(
        length <= bound,
        "{length} characters, not {bound}:\n{summary}"
    );
    assert!(summary.len() < before.len());
    assert!(
        summary.contains("abcdefghij234567"),
        "no reference:\n{summary}"
    );
    assert!(
        !bench.apply(summary).changed,
        "summarised twice:\n{summary}"
    );
    assert_eq!(bench.apply(before).text(), summary, "not the same twice");
}

/// JSON of any shape, with repeated keys, and some long strings.
fn json() -> impl Strategy<Value = Value> {
    let key = prop::sample::select(vec![
        "a", "b", "c", "children", "odd key", "", "é", "a|b", "\"q\"", "\n",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        any::<f64>().prop_map(|value| json!(value)),
        prop::sample::select(vec![
            "x",
            "",
            "1",
            "null",
            "2025-01-02",
            "a|b",
            "tab\there",
            "🦀🦀"
        ])
        .prop_map(|value| json!(value)),
        ".{0,80}".prop_map(|value| json!(value)),
        (0usize..400, ".{1,4}").prop_map(|(count, part)| json!(part.repeat(count))),
    ];
    leaf.prop_recursive(6, 256, 12, move |inner| {
        let map = prop::collection::btree_map(key.clone(), inner.clone(), 0..6);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..12).prop_map(Value::Array),
            map.prop_map(object),
            (inner.clone(), 0usize..60).prop_map(|(value, count)| json!(vec![value; count])),
            (inner, 0usize..60).prop_map(|(value, count)| {
                object(
                    (0..count)
                        .map(|i| (format!("key {i}"), value.clone()))
                        .collect::<BTreeMap<_, _>>(),
                )
            }),
        ]
    })
}

fn object<K: Into<String>>(members: BTreeMap<K, Value>) -> Value {
    Value::Object(
        members
            .into_iter()
            .map(|(key, value)| (key.into(), value))
            .collect(),
    )
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        ".{0,60}",
        Just("ERROR it failed".to_owned()),
        Just("INFO fine 12".to_owned()),
        Just("diff --git a/x b/x".to_owned()),
        Just("@@ -1 +1 @@".to_owned()),
        Just("+++ b/x".to_owned()),
        Just("# heading".to_owned()),
        Just("  fn name(x)".to_owned()),
        Just("```".to_owned()),
        Just("/a/é/c.rs".to_owned()),
        Just("src/x.rs:12: y".to_owned()),
        Just("🦀".repeat(60)),
    ];
    let lines = prop::collection::vec(line.clone(), 0..60).prop_map(|lines| lines.join("\n"));
    prop_oneof![
        lines,
        (line, 1usize..200).prop_map(|(line, count)| format!("{line}\n").repeat(count))
    ]
}

#[test]
fn a_document_of_the_size_itself_passes() {
    let bench = Bench::<Summary>::new(json!({"tables": false}));
    let exact = format!("[\"{}\"]", "é".repeat(3_996));
    assert_eq!(chars(&exact), 4_000);
    assert!(!bench.apply(&exact).changed);
    let spaced = exact.replace('[', "[     \n");
    assert!(!bench.apply(&spaced).changed, "whitespace does not count");
    let over = exact.replace("[\"", "[\"é");
    assert!(bench.apply(&over).changed);
    assert!(!bench.apply(&"x".repeat(4_000)).changed);
    assert!(bench.apply(&"x".repeat(4_001)).changed);
}

#[test]
fn units() {
    let text = "word ".repeat(600);
    for (above, is_over) in [
        (json!("3000 chars"), false),
        (json!(2_999), true),
        (json!("3000 bytes"), false),
        (json!(" 2999bytes "), true),
        (json!("599 tokens"), true),
        (json!("700 tokens"), false),
    ] {
        let settings = json!({"above": above, "tables": false, "whole": 0});
        let applied = Bench::<Summary>::new(settings).apply(&text);
        assert_eq!(applied.changed, is_over, "{above}");
    }
}

#[test]
fn where_nothing_is_kept_nothing_goes() {
    let text = "word ".repeat(2_000);
    let applied = Bench::<Summary>::new(json!({"tables": false}))
        .keeps(false)
        .apply(&text);
    assert!(!applied.changed);
    assert_eq!(
        Bench::<Summary>::new(json!({"tables": false}))
            .apply("small")
            .kept
            .len(),
        0
    );
}

#[test]
fn nonsense_is_refused_in_a_line_that_names_the_key() {
    for (settings, named) in [
        (json!({"above": "many"}), "`above` is \"many\""),
        (json!({"above": "4000 lines"}), "`above` is \"4000 lines\""),
        (json!({"above": 999}), "`above` is 999"),
        (json!({"above": "99 tokens"}), "`above` is 99 tokens"),
        (json!({"rows": 21}), "`rows` is 21"),
        (json!({"distinct": 21}), "`distinct` is 21"),
        (json!({"cell": 9}), "`cell` is 9"),
        (json!({"keep": [" "]}), "`keep`"),
        (json!({"whole": "2000 lines"}), "`whole` is \"2000 lines\""),
        (json!({"row": 3}), "row"),
    ] {
        let refusal = Bench::<Summary>::refusal(&settings).unwrap_or_default();
        assert!(refusal.contains(named), "{settings}: {refusal:?}");
        assert!(!refusal.contains('\n'), "{refusal:?}");
    }
}

#[test]
fn odd_documents() {
    let strings = r#""\ud800","\ud800 and more","#.repeat(300);
    let lone = format!("[{strings}1]");
    let key = format!("[{}1]", r#"{"\ud800":"x","a":1,"a":2},"#.repeat(200));
    let deep = format!(
        "{}\"{}\"{}",
        "[".repeat(127),
        "x".repeat(5_000),
        "]".repeat(127)
    );
    let branches = format!(
        "{}1{}",
        r#"{"children":[{"name":"x"},"#.repeat(60),
        "]}".repeat(60)
    );
    let many = format!("[{}{{}}]", "{},".repeat(3_000));
    for text in [lone, key, deep, branches, many] {
        let text = if chars(&text) > 1_000 {
            text
        } else {
            text.repeat(9)
        };
        check(&text, &json!({"above": 1_500}));
    }
}

#[test]
fn keys_that_are_there_twice_are_counted_and_not_merged_away() {
    let rows = r#"{"a":1,"a":2,"b":"filler for the room"},"#.repeat(200);
    let applied = Bench::<Summary>::new(json!({"tables": false})).apply(&format!("[{rows}null]"));
    assert!(
        applied.text().contains(" a: 1 200, 2 200\n"),
        "{}",
        applied.text()
    );
    assert!(applied.text().contains("$: 201 rows"), "{}", applied.text());
    let note = "keys that an object has again (all values count here, the last in a query): $[*].a (+200)\n";
    assert!(applied.text().contains(note), "{}", applied.text());
    // In another spelling.
    for keys in [["a", "\\u0061"], ["\\u0061", "a"]] {
        let [one, other] = keys;
        let row = format!("{{\"{one}\":1,\"{other}\":2,\"b\":\"filler for the room\"}},");
        let applied = Bench::<Summary>::new(json!({"tables": false}))
            .apply(&format!("[{}null]", row.repeat(200)));
        let told = "the last in a query): $[*]";
        assert!(applied.text().contains(told), "{}", applied.text());
        assert!(
            applied.text().contains(": 1 200, 2 200\n"),
            "{}",
            applied.text()
        );
    }
}

#[test]
fn keys_that_are_there_once_are_not_said_to_be_there_again() {
    let row = |i: usize| match i % 3 {
        0 => json!({"a": i, "b": {"a": 1, "c": [{"a": 2}]}}),
        1 => json!({"b": {"c": [], "a": 3}, "a": i}),
        _ => json!({"d": "filler for the room", "a": [1, {"a": 2}, {"a": 2}]}),
    };
    let rows: Vec<Value> = (0..300).map(row).collect();
    let tree =
        json!({"n": 1, "kids": [{"n": 2, "kids": [{"n": 3, "kids": []}, {"n": 4, "kids": []}]}]});
    for document in [
        json!(rows),
        json!({"a": rows, "b": rows}),
        json!(vec![tree; 60]),
    ] {
        let applied = Bench::<Summary>::new(json!({"tables": false})).apply(&document.to_string());
        assert!(!applied.text().contains("again"), "{}", applied.text());
    }
}

/// The first call in a summary: its arguments.
#[track_caller]
fn call(summary: &str) -> Value {
    let (_, call) = summary.rsplit_once("tamis_read ").expect("a call");
    let mut values = serde_json::Deserializer::from_str(call).into_iter();
    values.next().expect("arguments").expect("JSON")
}

#[test]
fn the_call_is_one_that_the_read_tool_takes() {
    let row = json!({"name": "a row of some length", "odd key": 1});
    let rows = json!({"data": {"odd list": vec![row.clone(); 200]}}).to_string();
    let map: Map<String, Value> = (0..200).map(|i| (format!("k.{i}"), row.clone())).collect();
    let branch =
        json!({"name": "x", "children": vec![json!({"name": "y", "children": [row]}); 150]});
    let branch = json!([branch, {"name": "z", "children": []}]);
    for (document, expected) in [
        (
            rows,
            json!({"path": "$.data[\"odd list\"]", "rows": "0:100"}),
        ),
        (
            Value::Object(map).to_string(),
            json!({"path": "$[\"k.0\"]"}),
        ),
        (branch.to_string(), json!({"path": "$[0].children[*]"})),
        (
            json!({"file": "word\n".repeat(1_000)}).to_string(),
            json!({"path": "$.file", "lines": "1-80"}),
        ),
        ("a line\n".repeat(1_000), json!({"lines": "1-80"})),
    ] {
        let mut expected = expected;
        expected["ref"] = json!("abcdefghij234567");
        let applied = Bench::<Summary>::new(json!({"tables": false})).apply(&document);
        assert_eq!(call(applied.text()), expected, "{}", applied.text());
    }
}

#[test]
fn what_was_text_is_read_without_paths() {
    let rows = json!(vec![json!({"name": "a row of some length"}); 300]).to_string();
    let applied = Bench::<Summary>::new(json!({"tables": false}))
        .sent_as(Kind::Text)
        .apply(&rows);
    let keys: Vec<String> = call(applied.text())
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, _)| key.clone())
        .collect();
    assert_eq!(keys, ["ref", "rows"]);
}

#[test]
fn texts_that_repeat_what_recognisers_look_for() {
    for part in [
        "\n",
        "\r",
        "# a\n\n",
        "fn a()\n",
        "diff --git a/x b/x\n",
        "diff --git a/x b/x\n@@ -1,9 +1,9 @@\n+a\n",
        "@@ -1 +1 @@\n",
        "commit 0123456789012345678901234567890123456789\n",
        "Traceback (most recent call last):\n",
        "error: a\n",
        "a.c:1:1: error: b\n",
        "- button \"a\" [ref=e1]\n",
        "- button \"a [ref=e1]\n",
        "uid=1 button \"\n",
        "<html><h1><table><tr><td><input",
        "<html><script>",
        "<?xml <a",
        "/a/b\n",
        "a.b:1\n",
        "a.b:1:c\n",
        "[DIR] a\n",
        "drwxr-xr-x 1 a b 1 c d e f\n",
        "\u{251c}\u{2500}\u{2500} a\n",
        "\u{1b}[",
        "\u{1b}]\u{1b}",
        "1: a\n",
        "é: \u{2192}",
        "2026-01-02T10:00:00Z ERROR é\n",
        "a|b|c\n",
        "```\n# a\n",
        "not ok é\n",
        "exit code 7 é\n",
        "    at a.b(C.java:1)\n",
    ] {
        let text = part.repeat(12_000 / part.len());
        let mixed: String = text
            .lines()
            .enumerate()
            .map(|(at, line)| format!("{line} {at}\n"))
            .collect();
        for text in [text, mixed] {
            check(&text, &json!({"above": 1_000, "whole": 0}));
            check(&text, &json!({"above": "4000 chars"}));
        }
    }
}
