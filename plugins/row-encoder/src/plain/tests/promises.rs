//! Promises for every document: rows return the cells, limits hold, nothing panics.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{bench, cells, pretty, tokens};

/// Texts with many characters that need escapes.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => "[|\\\\\n\r\"nr ab]{0,8}",
        1 => "\\PC{0,12}",
        1 => Just(String::new()),
    ]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => text().prop_map(Value::from),
        1 => any::<i32>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ]
}

/// The text of a value's cell.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Rows with the columns a, b and c, some of which are missing.
fn rows(most: usize) -> impl Strategy<Value = Vec<Value>> {
    let row = (scalar(), scalar(), prop::option::of(scalar()));
    let row = row.prop_map(|(a, b, c)| match c {
        Some(c) => json!({"noise": null, "a": a, "b": b, "c": c}),
        None => json!({"a": a, "b": b, "noise": [1, {"a": 2}]}),
    });
    prop::collection::vec(row, 0..most)
}

fn expected_cells(rows: &[Value]) -> Vec<Vec<String>> {
    let row = |row: &Value| ["a", "b", "c"].map(|key| cell(&row[key])).to_vec();
    rows.iter().map(row).collect()
}

fn shape(budget: &Value) -> Value {
    json!({
        "keys": ["q=query"], "columns": ["a", "b", "c?"], "rows": ["m=matches"], "budget": budget,
    })
}

/// The rows of the output, and whether some are missing; none if the document is unchanged.
fn encoded(shape: &Value, document: &Value) -> Option<(String, Vec<Vec<String>>, bool)> {
    let applied = bench(shape).apply(&pretty(document));
    if !applied.changed {
        return None;
    }
    let value: Value = serde_json::from_str(applied.text()).expect("JSON");
    assert_eq!(value["h"], "a|b|c");
    let rows = cells(value["m"].as_str().expect("rows"));
    Some((applied.text().to_owned(), rows, value["@"]["t"] == true))
}

proptest! {
    #[test]
    fn rows_give_back_the_cells(rows in rows(12), query in text()) {
        let document = json!({"query": query, "matches": rows, "padding": "x".repeat(40)});
        let (_, found, truncated) = encoded(&shape(&json!({})), &document).expect("it fits");
        prop_assert_eq!(found, expected_cells(&rows));
        prop_assert!(!truncated);
    }

    #[test]
    fn limits_are_kept_and_said(rows in rows(40), most_rows in 1u32..50, most_tokens in 12u32..400) {
        let document = json!({"query": "q", "matches": rows, "padding": "x".repeat(60)});
        let shape = shape(&json!({"max-rows": most_rows, "max-tokens": most_tokens}));
        let (text, found, truncated) = encoded(&shape, &document).expect("it fits");
        prop_assert!(found.len() <= most_rows as usize);
        prop_assert!(found.is_empty() || tokens(&text) <= most_tokens as usize, "{} tokens", tokens(&text));
        prop_assert_eq!(truncated, found.len() < rows.len());
        prop_assert_eq!(&found[..], &expected_cells(&rows)[..found.len()]);
        let again = encoded(&shape, &document).expect("it fits");
        prop_assert_eq!(again.0, text);
    }

    #[test]
    fn limits_are_kept_with_groups(groups in prop::collection::vec(rows(8), 1..8), most_tokens in 30u32..500) {
        let file = |(n, rows): (usize, &Vec<Value>)| json!({"path": format!("src/{n}.rs"), "f": rows, "id": "x".repeat(40)});
        let files: Vec<Value> = groups.iter().enumerate().map(file).collect();
        let shape = json!({
            "columns": ["a", "b", "c?"], "rows": ["f"], "group-by": {"in": "files", "by": "path"},
            "budget": {"max-tokens": most_tokens},
        });
        let applied = bench(&shape).apply(&pretty(&json!({"files": files})));
        prop_assert!(applied.changed);
        prop_assert!(tokens(applied.text()) <= most_tokens as usize);
        let value: Value = serde_json::from_str(applied.text()).expect("JSON");
        let shown: Vec<_> = value.as_object().expect("an object").iter().filter(|(key, _)| *key != "@").collect();
        let whole = shown.iter().enumerate().all(|(n, (_, file))| {
            cells(file["f"].as_str().expect("rows")) == expected_cells(&groups[n])
        });
        // If more than one group is shown, each is whole.
        prop_assert!(shown.len() < 2 || whole);
        prop_assert_eq!(value["@"]["t"] == true, !(whole && shown.len() == groups.len()));
    }

    #[test]
    fn nothing_panics(document in anything(), chain in 0usize..9, detail in "minimal|full|x") {
        let (_, settings) = &super::example::chains()[chain];
        let bench = tamis_sdk::testing::Bench::<crate::RowEncoder>::new(settings)
            .arguments(json!({"detail": detail, "max_tokens": 20, "path": "/p"}));
        bench.apply(&document);
    }
}

/// JSON made of the keys that the example's settings look for, with duplicates and unpaired surrogates, and texts that
/// are no JSON.
fn anything() -> impl Strategy<Value = String> {
    const KEYS: [&str; 24] = [
        "files",
        "path",
        "functions",
        "structs",
        "name",
        "line",
        "signature",
        "usages",
        "symbol",
        "file",
        "matches",
        "query",
        "changes",
        "change",
        "affected",
        "location",
        "dependencies",
        "types",
        "contexts",
        "fields",
        "struct",
        "type",
        "kind",
        "root",
    ];
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just(r#""\ud800""#.to_owned()),
        Just("1e400".to_owned()),
        Just("[]".to_owned()),
        "[ab/|.]{0,4}".prop_map(|text| format!("\"{text}\"")),
    ];
    let json = leaf.prop_recursive(6, 80, 6, |inner| {
        let key = prop_oneof![
            9 => prop::sample::select(&KEYS[..]).prop_map(str::to_owned),
            1 => Just("\\u006eame".to_owned()),
        ];
        let member = (key, inner.clone()).prop_map(|(key, value)| format!("\"{key}\":{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(|list| format!("[{}]", list.join(", "))),
            prop::collection::vec(member, 0..8)
                .prop_map(|members| format!("{{{}}}", members.join(", "))),
        ]
    });
    prop_oneof![9 => json, 1 => "\\PC{0,20}"]
}
