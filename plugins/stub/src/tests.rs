//! Tests of stubs for results of every shape.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::Surface;
use tamis_sdk::testing::{Bench, assert_schema};

fn bench(settings: Value) -> Bench<Stub> {
    Bench::new(settings).surface(Surface::History)
}

#[test]
fn the_schema_is_that_of_the_settings() {
    assert_schema::<Stub>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

#[test]
fn a_result_becomes_its_stub() {
    let bench = bench(json!({}));
    for (result, stub) in [
        (
            json!({"success": true, "path": "a.md", "content": "long", "message": "saved"}),
            r#"{"status":"success","message":"saved","path":"a.md","_compacted":true}"#,
        ),
        (
            json!({"success": false, "error": {"code": 4, "why": [1]}, "data": {"path": "inner"}}),
            r#"{"status":"error","error":{"code":4,"why":[1]},"_compacted":true}"#,
        ),
        (
            json!({"data": 1}),
            r#"{"status":"unknown","_compacted":true}"#,
        ),
        (json!({}), r#"{"status":"unknown","_compacted":true}"#),
        (
            json!({"success": 1, "results": [
                {"source": "a.md", "text": "x"}, {"text": "y"}, {"source": "b.md"}, {"source": null}, 7,
            ]}),
            r#"{"status":"success","result_count":5,"files":["a.md","b.md"],"_compacted":true}"#,
        ),
        (
            json!({"results": [1, 2]}),
            r#"{"status":"unknown","result_count":2,"_compacted":true}"#,
        ),
        (
            json!({"results": {"source": "no list"}, "error": null}),
            r#"{"status":"unknown","error":null,"_compacted":true}"#,
        ),
    ] {
        assert_eq!(bench.apply(&result.to_string()).text(), stub);
    }
}

#[test]
fn what_is_not_an_object_becomes_its_beginning() {
    let bench = bench(json!({}));
    let words = "Zeile é 語 🦀\n".repeat(50);
    for text in [
        "plain words",
        "",
        "[1,2,{\"success\":true}]",
        "42",
        "null",
        "{broken",
        words.as_str(),
    ] {
        let summary: String = text.chars().take(200).collect();
        let expected = json!({"status": "unknown", "summary": summary, "_compacted": true});
        let stub = bench.apply(text);
        let found: Value = serde_json::from_str(stub.text()).expect("JSON");
        assert_eq!(found, expected);
    }
}

#[test]
fn a_flagged_document_is_left_alone() {
    let bench = bench(json!({}));
    for text in [
        r#"{"_compacted":true,"results":[1]}"#,
        r#"{"success":true, "_compacte\u0064" : true}"#,
    ] {
        assert!(!bench.apply(text).changed);
    }
    assert!(bench.apply(r#"{"_compacted":false}"#).changed);
}

#[test]
fn success_is_what_most_languages_take_for_true() {
    let bench = bench(json!({}));
    for (spelled, status) in [
        ("true", "success"),
        ("false", "error"),
        ("null", "error"),
        ("0", "error"),
        ("-0.0e5", "error"),
        ("0.10", "success"),
        ("\"\"", "error"),
        ("\"no\"", "success"),
        ("[]", "error"),
        ("{\"a\":0}", "success"),
    ] {
        let stub = bench.apply(&format!("{{\"success\":{spelled}}}"));
        assert_eq!(
            stub.text(),
            format!(r#"{{"status":"{status}","_compacted":true}}"#)
        );
    }
}

#[test]
fn odd_documents_keep_their_spelling() {
    let bench = bench(json!({}));
    for (text, stub) in [
        (
            r#"{"error":"\ud800","message":1.0e2,"path":"a","path":"b"}"#,
            r#"{"status":"unknown","error":"\ud800","message":1.0e2,"path":"b","_compacted":true}"#,
        ),
        (
            r#"{"results":[{"source":"a","source":"b"},{"source":["x"]}]}"#,
            r#"{"status":"unknown","result_count":2,"files":["b",["x"]],"_compacted":true}"#,
        ),
    ] {
        assert_eq!(bench.apply(text).text(), stub);
    }
}

#[test]
fn names_and_lengths_can_be_set() {
    let bench = bench(json!({
        "success": "ok", "keep": ["detail"], "longest": 5, "list": "hits", "count-as": "hit_count",
        "collect": "url", "collect-as": "urls", "summary": 3, "flag": "_stub", "only-smaller": true,
    }));
    let result = json!({
        "ok": true, "detail": "語語語語語語", "hits": [{"url": "https://example.com/page"}], "more": "x".repeat(80),
    });
    assert_eq!(
        bench.apply(&result.to_string()).text(),
        r#"{"status":"success","detail":"語語語語語…","hit_count":1,"urls":["https…"],"_stub":true}"#
    );
    assert!(!bench.apply("{\"ok\":true}").changed, "its stub is longer");
    assert_eq!(
        bench.apply(&"ab\"".repeat(40)).text(),
        r#"{"status":"unknown","summary":"ab\"","_stub":true}"#
    );
}

#[test]
fn nonsense_is_refused_by_key() {
    for (settings, expected) in [
        (
            json!({"flag": ""}),
            "`flag` is an empty string: name a field",
        ),
        (
            json!({"keep": ["error", "status"]}),
            "`keep` has \"status\": the stub has a field of that name already",
        ),
        (
            json!({"count-as": "path"}),
            "`count-as` has \"path\": the stub has a field of that name already",
        ),
        (
            json!({"flag": "summary"}),
            "`flag` is \"summary\": the stub has a field of that name already",
        ),
    ] {
        assert_eq!(Bench::<Stub>::refusal(&settings).as_deref(), Some(expected));
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,30}".prop_map(Value::from),
    ];
    let keys = vec![
        "success",
        "error",
        "results",
        "source",
        "_compacted",
        "path",
        "x",
    ];
    let key = prop::sample::select(keys).prop_map(str::to_owned);
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6).prop_map(|members| {
                Value::from(members.into_iter().collect::<serde_json::Map<_, _>>())
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn a_stub_is_flagged_and_stays(value in value(), text in "\\PC{0,300}", json: bool, longest in 0u32..4) {
        let bench = bench(json!({"longest": longest}));
        let once = bench.apply(&if json { value.to_string() } else { text });
        let stub: Value = serde_json::from_str(once.text()).expect("JSON");
        prop_assert_eq!(&stub["_compacted"], &json!(true));
        prop_assert!(!bench.apply(once.text()).changed);
    }
}
