//! The exact index of a memory server's results; documents that pass unchanged; promises on generated results.

use super::Index;
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::testing::Bench;

/// A result of a memory server: 150 to 300 characters.
fn result(n: usize) -> Value {
    let types = ["decision", "pattern", "bug", "note"];
    json!({
        "id": format!("{}-{:08x}", &types[n % 4][..3], 0xa1b2_c3d4_u32.wrapping_mul(n as u32 + 1)),
        "type": types[n % 4],
        "title": format!("Use SQLite FTS5 for search ranking, part {n}"),
        "project": "lore",
        "created_at": format!("2026-02-{:02}T10:00:00Z", 14 - n % 10),
        "score": 3.7249 - n as f64 / 10.0,
        "content": "Ranking by bm25 was good enough. ".repeat(2 + n % 3),
    })
}

fn settings() -> Value {
    json!({ "name": "lore", "tools": ["lore_search", "lore_context"] })
}

fn results(count: usize) -> String {
    let results: Vec<Value> = (0..count).map(result).collect();
    json!({ "query": "ranking", "results": results }).to_string()
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn a_line_is_as_it_should_be_to_the_character() {
    let one = |n, id: &str, kind: &str, title: &str| {
        json!({
            "id": id, "type": kind, "title": title, "project": "lore",
            "date": "2026-02-14T08:30:00+01:00", "score": 3.7199 - f64::from(n), "content": "x".repeat(200),
        })
    };
    let document = json!({ "results": [
        one(0, "dec-a1b2c3d4", "decision", "Use SQLite FTS5 for search ranking"),
        one(1, "bug-00000001", "bug", "日本語のタイトルは文字数で数えるので四十文字で切られます。これは四十文字を超えています"),
        one(2, "note-1", "note", "Line\nbreaks\tand   gaps"),
    ]});
    let applied = Bench::<Index>::new(settings()).apply(&document.to_string());
    assert!(!applied.is_json());
    assert_eq!(
        lines(applied.text()),
        [
            "--- lore context (compact index, 3 items) ---",
            "3 of 3 results; full details of an id: lore_search, lore_context",
            "[type    ] id               | title                                    | project  | date       | score",
            "[decision] dec-a1b2c3d4     | Use SQLite FTS5 for search ranking       | lore     | 2026-02-14 | 3.72",
            "[bug     ] bug-00000001     | 日本語のタイトルは文字数で数えるので四十文字で切られます。これは四十文字を超えて | lore     | 2026-02-14 | 2.72",
            "[note    ] note-1           | Line breaks and gaps                     | lore     | 2026-02-14 | 1.72",
            "--- end lore context ---",
        ]
    );
}

#[test]
fn twelve_or_more_fit_where_5_to_8_did() {
    let text = results(40);
    // Before: whole results, one after the other, in 1,500 characters.
    let mut verbose = 0;
    let mut used = 0;
    while used + result(verbose).to_string().len() <= 1_500 {
        used += result(verbose).to_string().len();
        verbose += 1;
    }
    assert!((5..=8).contains(&verbose), "{verbose}");
    let applied = Bench::<Index>::new(settings()).apply(&text);
    let shown = lines(applied.text()).len() - 4;
    assert!(shown >= 12, "{shown}:\n{}", applied.text());
    assert!(applied.text().chars().count() <= 2_000);
    assert!(
        applied.text().starts_with(&format!(
            "--- lore context (compact index, {shown} items) ---\n{shown} of 40 results"
        )),
        "{}",
        applied.text()
    );
    // One more would not fit.
    let line = lines(applied.text())[3].chars().count();
    assert!(applied.text().chars().count() + line > 2_000);
    // Upstream's order and scores.
    for (n, line) in lines(applied.text())[3..3 + shown].iter().enumerate() {
        assert!(
            line.contains(result(n)["id"].as_str().expect("an id")),
            "{line}"
        );
        assert!(
            line.ends_with(&format!("{:.2}", 3.7249 - n as f64 / 10.0)),
            "{line}"
        );
        assert!(!line.contains("bm25"), "{line}");
    }
}

#[test]
fn compact_false_asks_for_the_verbose_form() {
    let text = results(10);
    for (arguments, is_index) in [
        (json!({ "query": "q" }), true),
        (json!({ "compact": true }), true),
        (json!({ "compact": null }), true),
        (json!({ "compact": false }), false),
        (json!({ "compact": "false" }), false),
    ] {
        let applied = Bench::<Index>::new(settings())
            .arguments(&arguments)
            .apply(&text);
        assert_eq!(applied.changed, is_index, "{arguments}");
    }
    let own = json!({ "argument": "format", "verbose": "full" });
    let full = Bench::<Index>::new(own).arguments(json!({ "format": "full", "compact": false }));
    assert!(!full.apply(&text).changed);
    let none = json!({ "argument": "" });
    let any = Bench::<Index>::new(none).arguments(json!({ "compact": false }));
    assert!(any.apply(&text).changed);
}

#[test]
fn what_lacks_the_fields_passes_as_it_is() {
    let whole = || vec![result(0), result(1), result(2)];
    let without = |key: &str, value: Option<Value>| {
        let mut all = whole();
        let members = all[1].as_object_mut().expect("an object");
        members.remove(key);
        members.extend(value.map(|value| (key.to_owned(), value)));
        json!({ "results": all }).to_string()
    };
    for text in [
        without("id", None),
        without("title", None),
        without("title", Some(json!(null))),
        without("title", Some(json!(""))),
        without("title", Some(json!(["a"]))),
        json!({ "results": [] }).to_string(),
        json!({ "results": ["one", "two"] }).to_string(),
        json!({ "results": { "id": 1, "title": "x" } }).to_string(),
        json!({ "hits": whole() }).to_string(),
        results(2).replacen("\"id\"", "\"id\":\"twice\",\"id\"", 1),
        results(3).replace("\"results\"", "\"results\":[],\"results\""),
        r#"{"results":[{"id":1,"title":"short"}]}"#.to_owned(),
        "no JSON, \"id\"".to_owned(),
        String::new(),
    ] {
        let applied = Bench::<Index>::new(settings()).apply(&text);
        assert!(!applied.changed, "{text} became {}", applied.text());
    }
    let error = Bench::<Index>::new(settings()).is_error(true);
    assert!(!error.apply(&results(10)).changed);
    // Without the others, the index still exists.
    for key in ["type", "project", "created_at", "score"] {
        let applied = Bench::<Index>::new(settings()).apply(&without(key, None));
        assert!(lines(applied.text())[4].contains('-'), "{}", applied.text());
    }
    let missing = Bench::<Index>::new(settings()).apply(&without("score", None));
    assert!(
        lines(missing.text())[4].ends_with(" | -"),
        "{}",
        missing.text()
    );
}

#[test]
fn every_result_that_is_shown_is_reported() {
    let text = results(40);
    let mut with_log = settings();
    with_log["log-shown"] = json!(true);
    let applied = Bench::<Index>::new(with_log.clone())
        .tool("lore_search")
        .apply(&text);
    let shown = lines(applied.text()).len() - 4;
    assert_eq!(applied.log.len(), shown);
    for (n, line) in applied.log.iter().enumerate() {
        let record = line.strip_prefix("info: ").expect("a level");
        let record: Value = serde_json::from_str(record).expect("JSON");
        assert_eq!(
            record,
            json!({ "shown": result(n)["id"], "server": "server", "tool": "lore_search" })
        );
    }
    // No results shown, none logged; and no log unless the settings ask for it.
    let verbose = Bench::<Index>::new(with_log).arguments(json!({ "compact": false }));
    assert_eq!(verbose.apply(&text).log, [""; 0]);
    assert_eq!(Bench::<Index>::new(settings()).apply(&text).log, [""; 0]);
}

#[test]
fn columns_and_frame_are_settings() {
    let bench = Bench::<Index>::new(json!({
        "results": ["hits.*.found"], "line": "{n:3}{what:5.3}<{meta.who}>", "requires": ["what"],
        "fields": { "what": ["nothing", "subject"] }, "missing": "?",
        "first-line": "{shown}/{total}: {tools}", "second-line": "", "last-line": "",
    }));
    let found = json!({ "hits": [{ "found": [
        { "n": 1.50, "subject": "abcdef", "meta": { "who": "me" } },
        { "n": true, "subject": "a", "body": "long ".repeat(20) },
    ]}]});
    assert_eq!(
        lines(bench.tool("find").apply(&found.to_string()).text()),
        [
            r#"2/2: find {"compact":false}"#,
            "n  what <meta.who>",
            "1.5abc  <me>",
            "truea    <?>",
        ]
    );
    // The server's name, and a document that is a list.
    let list: Vec<Value> = (0..5).map(result).collect();
    let applied = Bench::<Index>::new(json!({})).apply(&json!(list).to_string());
    assert!(
        applied
            .text()
            .starts_with("--- server context (compact index, 5 items) ---\n")
    );
}

#[test]
fn nonsense_is_refused_with_the_key() {
    for (settings, why) in [
        (json!({ "line": "no column" }), "`line`"),
        (json!({ "line": "{id}\n{title}" }), "`line`"),
        (json!({ "line": "{id:wide}" }), "{id:wide}"),
        (json!({ "line": "{a..b}" }), "`a..b`"),
        (json!({ "fields": { "id": [] } }), "`id`"),
        (json!({ "fields": { "id": ["a..b"] } }), "`a..b`"),
        (json!({ "results": ["a.**"] }), "`results`"),
        (json!({ "first-line": "{count}" }), "`first-line`"),
        (json!({ "last-line": "a\nb" }), "`last-line`"),
        (json!({ "budget": 100 }), "`budget`"),
        (json!({ "columns": [] }), "columns"),
    ] {
        let refusal = Bench::<Index>::refusal(&settings).expect("a refusal");
        assert!(refusal.contains(why), "{settings}: {refusal}");
    }
}

fn any_result() -> impl Strategy<Value = Value> {
    let text = "[a-z日🦀\n |]{0,60}";
    let title = prop_oneof![9 => text.prop_map(Value::from), 1 => Just(Value::Null)];
    let score = prop_oneof![
        any::<f64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from)
    ];
    (title, score, "[a-f0-9-]{1,24}", text).prop_map(|(title, score, id, body)| {
        json!({ "id": id, "title": title, "score": score, "content": body.repeat(4) })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_budget_holds_and_once_is_enough(results in prop::collection::vec(any_result(), 0..40), budget in 200u32..2500) {
        let bench = Bench::<Index>::new(json!({ "budget": budget }));
        let once = bench.apply(&json!({ "results": results }).to_string());
        if once.changed {
            prop_assert!(once.text().chars().count() <= budget as usize);
            let shown = lines(once.text()).len() - 4;
            let first = format!("--- server context (compact index, {shown} items) ---");
            prop_assert_eq!(lines(once.text())[0], first);
        }
        prop_assert!(!bench.apply(once.text()).changed || !once.changed);
    }

    #[test]
    fn any_json_is_survived(text in "[\\[\\]{}\":,a-c0-9\\\\u]{0,40}|\\{\"results\":\\[\\{\"id\":\"\\\\ud800\",\"title\":\"\\\\udc00[a-z]{150}\"\\}\\]\\}") {
        Bench::<Index>::new(json!({})).apply(&text);
        Bench::<Index>::new(json!({ "requires": [] })).apply(&text);
    }
}

#[test]
fn the_schema_is_that_of_the_settings() {
    tamis_sdk::testing::assert_schema::<Index>(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/settings.schema.json"
    ));
}
