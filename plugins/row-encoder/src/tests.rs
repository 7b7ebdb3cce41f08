//! The filter on the test bench. What tables look like and that they can be restored is tested in
//! `tamis-rows`.

use super::{RowEncoder, legend};
use serde_json::json;
use tamis_sdk::testing::{Bench, assert_schema};

const ORDERS: &str = r#"{"orders": [
    {"id": 1, "customer": {"name": "Ada", "zip": "01234"}, "state": "open"},
    {"id": 2, "customer": {"name": "Alan", "zip": "99999"}, "state": "open"},
    {"id": 3, "customer": {"name": "Grace", "zip": null}, "state": "open"}
]}"#;

fn bench(settings: serde_json::Value) -> Bench<RowEncoder> {
    Bench::new(settings)
}

#[test]
fn the_schema_is_that_of_the_settings() {
    assert_schema::<RowEncoder>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

#[test]
fn a_list_becomes_a_table() {
    let applied = bench(json!({})).apply(ORDERS);
    assert!(!applied.is_json());
    assert_eq!(
        applied.text(),
        "{\"orders\":#3 id\tcustomer.name\tcustomer.zip:s\tstate=open\n1\tAda\t01234\n2\tAlan\t99999\n3\tGrace\t\n}"
    );
    let restored = tamis_rows::restore(applied.text()).expect("it was encoded");
    let value: serde_json::Value = serde_json::from_str(&restored).expect("it is JSON");
    assert_eq!(
        value,
        serde_json::from_str::<serde_json::Value>(ORDERS).expect("it is JSON")
    );
}

#[test]
fn json_without_tables_loses_its_whitespace() {
    let applied = bench(json!({})).apply("{ \"a\": [1, 2],\n \"b\": \" x \" }");
    assert!(applied.is_json());
    assert_eq!(applied.text(), r#"{"a":[1,2],"b":" x "}"#);
}

#[test]
fn what_cannot_shrink_and_text_stay() {
    for text in [
        r#"{"a":1}"#,
        "[]",
        "{}",
        "just words",
        "",
        "[1, 2",
        "#3 a\n1\n2\n3",
    ] {
        assert!(!bench(json!({})).apply(text).changed, "{text}");
    }
}

#[test]
fn filtering_twice_is_filtering_once() {
    for settings in [json!({}), json!({"level": "dense"})] {
        let once = bench(settings.clone()).apply(ORDERS);
        assert!(!bench(settings).apply(once.text()).changed);
    }
    let spaced = bench(json!({})).apply("{ \"a\": 1 }");
    assert!(!bench(json!({})).apply(spaced.text()).changed);
}

#[test]
fn short_lists_stay_json() {
    let applied = bench(json!({"min-rows": 4})).apply(ORDERS);
    assert!(applied.is_json());
}

#[test]
fn the_legend_is_that_of_the_level() {
    for settings in [json!({}), json!({"level": "dense"})] {
        let legend = bench(settings).legend().expect("it has one");
        assert!(legend.contains("tab-separated"), "{legend}");
    }
    assert_eq!(bench(json!({"legend": false})).legend(), None);
}

#[test]
fn the_legend_is_at_most_90_tokens() {
    let o200k = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
    for text in legend::ALL {
        assert!(o200k.count(text) <= 90, "{}: {text}", o200k.count(text));
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refusal = Bench::<RowEncoder>::refusal(json!({"min-rows": 1}));
    assert_eq!(
        refusal.as_deref(),
        Some("`min-rows` is 1: a table has at least 2 rows")
    );
    assert!(Bench::<RowEncoder>::refusal(json!({"level": "tight"})).is_some());
    assert!(Bench::<RowEncoder>::refusal(json!({"rows": 1})).is_some());
    for (settings, named) in [
        (json!({"level": "plain"}), "`shape`"),
        (json!({"shape": {"keys": ["a"]}}), "`shape`"),
    ] {
        let refusal = Bench::<RowEncoder>::refusal(settings).expect("it makes no sense");
        assert!(refusal.contains(named), "{refusal}");
    }
}
