//! Tests of reshaping by hand, on an explanation of a real function's size, and of promises on generated JSON.

use super::Reshape;
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::testing::Bench;

#[path = "../../../examples/stand-in/src/lenspr/project.rs"]
#[allow(dead_code, reason = "the server of this data needs more of it")]
mod project;

fn reshaped(settings: Value, text: &str) -> String {
    Bench::<Reshape>::new(settings)
        .apply(text)
        .text()
        .to_owned()
}

/// The number of lines as a person reads them: one for each member, and code as code.
fn lines(document: &str) -> usize {
    let value: Value = serde_json::from_str(document).expect("JSON");
    let pretty = format!("{value:#}");
    pretty.lines().count() + pretty.matches("\\n").count()
}

#[test]
fn an_explanation_of_3000_lines_becomes_200() {
    let callers = project::CALLERS.map(|id| {
        json!({
            "id": id, "name": project::short_name(id), "type": "function",
            "file_path": project::file_of(id), "signature": project::signature(id),
            "source_code": project::source(id),
        })
    });
    let target = project::source(project::TARGET);
    let document = json!({
        "success": true,
        "data": {
            "id": project::TARGET, "source_code": target,
            "context": { "callers": callers }, "llm_hint": "Explain briefly.",
        },
    });
    let text = format!("{document:#}");
    let settings = json!({
        "drop": ["data.llm_hint"],
        "preview": { "data.context.callers.*.source_code": { "lines": 3, "as": "source_preview" } },
    });
    let after = reshaped(settings.clone(), &text);
    assert!((2_800..3_200).contains(&lines(&text)), "{}", lines(&text));
    assert!((100..=220).contains(&lines(&after)), "{}", lines(&after));

    let parsed: Value = serde_json::from_str(&after).expect("JSON");
    assert_eq!(parsed["data"]["source_code"], target);
    assert_eq!(parsed["data"].get("llm_hint"), None);
    for (caller, before) in parsed["data"]["context"]["callers"]
        .as_array()
        .expect("callers")
        .iter()
        .zip(&callers)
    {
        let whole = before["source_code"].as_str().expect("code");
        let head: Vec<&str> = whole.lines().take(3).collect();
        assert_eq!(
            caller["source_preview"],
            format!("{}\n...", head.join("\n"))
        );
        assert_eq!(caller.get("source_code"), None);
        for key in ["id", "name", "type", "file_path", "signature"] {
            assert_eq!(caller[key], before[key], "{key}");
        }
    }
    assert_eq!(reshaped(settings, &after), after, "a second time");
}

#[test]
fn a_preview_of_a_short_text_keeps_its_bytes() {
    let settings = json!({ "preview": { "code": { "lines": 3, "as": "head" } } });
    assert_eq!(
        reshaped(settings.clone(), r#"{"code" : "a\u006e\nb\nc\n"}"#),
        r#"{"head" : "a\u006e\nb\nc\n"}"#
    );
    // Only a text has a preview.
    for text in [r#"{"code":null}"#, r#"{"code":["a\nb\nc\nd\ne"]}"#] {
        assert_eq!(reshaped(settings.clone(), text), text);
    }
    let in_place = json!({ "preview": { "**.code": { "chars": 4 } } });
    assert_eq!(
        reshaped(in_place, r#"[{"a":{"code":"0123456789"}}]"#),
        r#"[{"a":{"code":"0123..."}}]"#
    );
}

#[test]
fn drop_takes_members_and_elements() {
    let text = r#"{"a":1,"b":{"a":2,"c":[{"a":3},{"d":4},5]}, "a.b":6,"a":7}"#;
    for (path, expected) in [
        ("a", r#"{"b":{"a":2,"c":[{"a":3},{"d":4},5]}, "a.b":6}"#),
        ("**.a", r#"{"b":{"c":[{},{"d":4},5]}, "a.b":6}"#),
        (
            "b.c.1",
            r#"{"a":1,"b":{"a":2,"c":[{"a":3},5]}, "a.b":6,"a":7}"#,
        ),
        ("b.c.*", r#"{"a":1,"b":{"a":2,"c":[]}, "a.b":6,"a":7}"#),
        (
            r#""a.b""#,
            r#"{"a":1,"b":{"a":2,"c":[{"a":3},{"d":4},5]},"a":7}"#,
        ),
        ("b", r#"{"a":1, "a.b":6,"a":7}"#),
        ("missing.*", text),
    ] {
        let after = reshaped(json!({ "drop": [path] }), text);
        let same = |text: &str| text.replace(", ", ",");
        assert_eq!(same(&after), same(expected), "{path}");
    }
}

#[test]
fn keep_leaves_what_it_names_and_what_leads_there() {
    let text =
        r#"{"ok":true,"rows":[{"id":1,"n":{"x":1}},{"n":2},{"id":3}],"meta":{"id":4},"s":"id"}"#;
    for (keep, expected) in [
        (json!(["ok"]), r#"{"ok":true}"#),
        (json!(["rows.*.id"]), r#"{"rows":[{"id":1},{"id":3}]}"#),
        (
            json!(["**.id"]),
            r#"{"rows":[{"id":1},{"id":3}],"meta":{"id":4}}"#,
        ),
        (json!(["rows.1", "ok"]), r#"{"ok":true,"rows":[{"n":2}]}"#),
        (json!(["meta.*"]), r#"{"meta":{"id":4}}"#),
        // None of it is present: an answer of another shape, which stays.
        (json!(["data.rows"]), text),
    ] {
        assert_eq!(reshaped(json!({ "keep": keep }), text), expected, "{keep}");
    }
    let both = json!({ "keep": ["rows"], "drop": ["rows.*.n"] });
    assert_eq!(reshaped(both, text), r#"{"rows":[{"id":1},{},{"id":3}]}"#);
}

#[test]
fn rename_is_refused_where_the_new_key_is_there() {
    let bench = Bench::<Reshape>::new(json!({ "rename": { "*.a": "b", "*.c": "b" } }));
    let applied = bench
        .apply(r#"[{"a":1},{"a":1,"b":2},{"a":1,"c":2},{"a":1,"\u0061":2},{"\u0061":1,"b":0}]"#);
    assert_eq!(
        applied.text(),
        r#"[{"b":1},{"a":1,"b":2},{"b":1,"c":2},{"a":1,"\u0061":2},{"\u0061":1,"b":0}]"#
    );
    // One line for a document, however many members are refused.
    assert_eq!(
        applied.log,
        [
            "warn: `rename`: \"a\" stays: the object that holds it has \"b\" already, or has it twice"
        ]
    );
}

#[test]
fn nonsense_is_refused_with_the_key() {
    for (settings, why) in [
        (json!({}), "nothing to do"),
        (json!({ "drop": ["a..b"] }), "`a..b`"),
        (json!({ "keep": ["a.**"] }), "`a.**`"),
        (json!({ "rename": { "a": "" } }), "`rename`"),
        (
            json!({ "preview": { "a": {} } }),
            "neither `lines` nor `chars`",
        ),
        (
            json!({ "preview": { "a": { "lines": 0, "chars": 5 } } }),
            "limit of 0",
        ),
        (
            json!({ "preview": { "a": { "lines": 1, "as": "" } } }),
            "`as`",
        ),
        (json!({ "preview": { "a": { "lines": -1 } } }), "-1"),
        (json!({ "omit": ["a"] }), "omit"),
    ] {
        let refusal = Bench::<Reshape>::refusal(&settings).expect("a refusal");
        assert!(refusal.contains(why), "{settings}: {refusal}");
    }
}

#[test]
fn odd_documents_are_survived() {
    let settings = json!({
        "keep": ["**.a", "x"], "drop": ["**.b"], "rename": { "**.c": "d" },
        "preview": { "**.e": { "chars": 2, "as": "f" } },
    });
    let deep = format!("{}{}", r#"{"a":"#.repeat(120) + "1", "}".repeat(120));
    for text in [
        "",
        "text",
        "{}",
        "[]",
        "{\"\\ud800\":1}",
        r#"{"e":"\ud800\ud800\ud800\ud800\ud800\ud800\ud800"}"#,
        &deep,
    ] {
        let applied = Bench::<Reshape>::new(settings.clone()).apply(text);
        assert_eq!(applied.is_json(), text.starts_with(['{', '[']));
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i8>().prop_map(Value::from),
        "[a-c\n]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 60, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-f]", inner, 0..5).prop_map(|members| json!(members)),
        ]
    })
}

/// Applies `drop = ["**.a", "*.b"]` to a tree.
fn dropped(value: &Value, depth: usize) -> Value {
    match value {
        Value::Array(elements) => elements.iter().map(|it| dropped(it, depth + 1)).collect(),
        Value::Object(members) => members
            .iter()
            .filter(|(key, _)| *key != "a" && !(depth == 1 && *key == "b"))
            .map(|(key, value)| (key.clone(), dropped(value, depth + 1)))
            .collect(),
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dropping_is_what_it_is_over_a_tree(value in value()) {
        let after = reshaped(json!({ "drop": ["**.a", "*.b"] }), &value.to_string());
        if value.is_object() || value.is_array() {
            let after: Value = serde_json::from_str(&after).expect("JSON");
            prop_assert_eq!(after, dropped(&value, 0));
        }
    }

    #[test]
    fn json_stays_json_whatever_the_rules(value in value(), pretty: bool) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let after = reshaped(json!({
            "keep": ["**.c", "a.*.b", "d"], "drop": ["*.a"], "rename": { "**.e": "g", "**.f": "g" },
            "preview": { "**.c": { "lines": 1, "chars": 4, "as": "h" } },
        }), &text);
        if value.is_object() || value.is_array() {
            prop_assert!(serde_json::from_str::<Value>(&after).is_ok(), "{}", after);
        }
    }

    #[test]
    fn dropping_and_previews_in_place_are_idempotent(value in value()) {
        let settings = json!({
            "keep": ["**.c", "**.d"], "drop": ["*.a"], "preview": { "**.c": { "lines": 2, "chars": 3 } },
        });
        let once = reshaped(settings.clone(), &value.to_string());
        prop_assert_eq!(reshaped(settings, &once), once);
    }
}

#[test]
fn the_schema_is_that_of_the_settings() {
    tamis_sdk::testing::assert_schema::<Reshape>(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/settings.schema.json"
    ));
}
