use super::Unwrap;
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::testing::{Bench, assert_schema, recorded};

fn bench() -> Bench<Unwrap> {
    Bench::new(json!({}))
}

fn unwrapped(text: &str) -> String {
    bench().apply(text).text().to_owned()
}

/// `value` as a string of JSON, `layers` deep.
fn wrapped(value: &Value, layers: usize) -> Value {
    (0..layers).fold(value.clone(), |inner, _| Value::String(inner.to_string()))
}

#[test]
fn the_schema_is_that_of_the_settings() {
    assert_schema::<Unwrap>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

#[test]
fn an_object_in_a_string_takes_its_place() {
    let text = r#"{ "ok" : true, "result":"{\"id\": 1.50e1, \"id\":\"a\\nb\"}" }"#;
    let expected = r#"{ "ok" : true, "result":{"id": 1.50e1, "id":"a\nb"} }"#;
    assert_eq!(unwrapped(text), expected);
}

#[test]
fn strings_inside_strings_are_opened_together() {
    let inner = json!({"rows": [{"name": "first"}, {"name": "second"}]});
    let middle = json!({"body": inner.to_string(), "status": 200});
    let outer = json!({"content": middle.to_string()});
    let expected = json!({"content": {"body": inner, "status": 200}});
    let got: Value = serde_json::from_str(&unwrapped(&outer.to_string())).unwrap();
    assert_eq!(got, expected);
}

#[test]
fn a_text_that_is_a_string_of_json_becomes_json() {
    let applied = bench().apply("\"{\\\"a\\\":1}\"\n");
    assert_eq!(applied.text(), r#"{"a":1}"#);
    assert!(applied.is_json());
    // As `json.dumps` of `json.dumps` prints it.
    let twice = wrapped(&json!({"a": [1, 2]}), 2);
    assert_eq!(unwrapped(&twice.to_string()), r#"{"a":[1,2]}"#);
}

#[test]
fn characters_take_the_place_of_escapes() {
    let text = r#"{"name":"Zo\u00eb","url":"https:\/\/a.b\/?x=1\u0026y","tab":"a\tb\u0000\u200b"}"#;
    let expected =
        "{\"name\":\"Zoë\",\"url\":\"https://a.b/?x=1&y\",\"tab\":\"a\\tb\\u0000\\u200b\"}";
    assert_eq!(unwrapped(text), expected);
    assert_eq!(unwrapped(expected), expected);
    let inner = r#"{"body":"{\"name\":\"Zo\\u00eb M\",\"n\":1}"}"#;
    assert_eq!(unwrapped(inner), r#"{"body":{"name":"Zoë M","n":1}}"#);
    // A text that is JSON in a string.
    assert_eq!(
        unwrapped(r#""{\"name\":\"Zo\\u00eb\"}""#),
        r#"{"name":"Zoë"}"#
    );
    let kept = Bench::<Unwrap>::new(json!({"characters": false}));
    assert!(!kept.apply(text).changed);
    assert_eq!(
        kept.apply(inner).text(),
        r#"{"body":{"name":"Zo\u00eb M","n":1}}"#
    );
    // No JSON: the text of a program, which means what is written.
    let program = "let name = \"Zo\\u00eb\";\n";
    assert_eq!(unwrapped(program), program);
}

#[test]
fn what_only_looks_like_json_stays() {
    for text in [
        r#"{"a":"[INFO] started the server"}"#,
        r#"{"a":"{name} is a placeholder"}"#,
        r#"{"a":"[1, 2, 3, 4, 5, 6, 7, 8,]"}"#,
        r#"{"a":"{\"key\": 012, \"other\": 1}"}"#,
        r#"{"a":"{\"key\": NaN, \"other\": 1}"}"#,
        r#"{"a":"{\"key\": 1} and then prose"}"#,
        r#"{"a":"{\"key\": \"\ud800 half a pair\"}"}"#,
        r#"{"a":"\"only a quoted sentence\""}"#,
        r#"{"{\"key\":\"in a key\"}":1}"#,
        "\"a quoted sentence\"",
        "\"{\\\"a\\\":1}\" and then prose",
        "plain text with \"{\" in it",
    ] {
        assert_eq!(unwrapped(text), text);
    }
}

#[test]
fn half_a_surrogate_pair_inside_stays_an_escape() {
    let text = r#"{"a":"{\"key\": \"\\ud800 half\"}"}"#;
    assert_eq!(unwrapped(text), r#"{"a":{"key": "\ud800 half"}}"#);
}

#[test]
fn white_space_and_escaped_brackets_are_seen_through() {
    let text =
        r#"["\n  {\"id\": 1, \"n\": null}\n", "  [1, 2, 3, 4, 5, 6]", "\u007b\"id\": 123456}"]"#;
    let expected = r#"[{"id": 1, "n": null}, [1, 2, 3, 4, 5, 6], {"id": 123456}]"#;
    assert_eq!(unwrapped(text), expected);
}

#[test]
fn a_string_that_nests_deeper_than_allowed_stays_whole() {
    let value = json!({"key": "a value of some length"});
    for (depth, layers, opens) in [(1, 1, true), (1, 2, false), (3, 3, true), (3, 4, false)] {
        let text = json!({"a": wrapped(&value, layers)}).to_string();
        let bench = Bench::<Unwrap>::new(json!({"depth": depth}));
        assert_eq!(
            bench.apply(&text).changed,
            opens,
            "{layers} layers, depth {depth}"
        );
        // The same with an object in each layer.
        let object = |inner: &Value| json!({"inner": inner.to_string(), "outer": [1]});
        let text = (0..layers).fold(value.clone(), |inner, _| object(&inner));
        let text = text.to_string();
        assert_eq!(
            bench.apply(&text).changed,
            opens,
            "{layers} layers, depth {depth}"
        );
    }
}

#[test]
fn the_small_stay() {
    let text = r#"{"a":"{}","b":"[0]","c":"{\"a\":1}"}"#;
    assert_eq!(unwrapped(text), text);
    let all = Bench::<Unwrap>::new(json!({"min-bytes": 0}));
    assert_eq!(all.apply(text).text(), r#"{"a":{},"b":[0],"c":{"a":1}}"#);
}

#[test]
fn keys_say_what_is_opened() {
    let text = r#"{"a":["{\"x\":\"a string\"}"],"b":"{\"x\":\"a string\"}"}"#;
    let only_a = r#"{"a":[{"x":"a string"}],"b":"{\"x\":\"a string\"}"}"#;
    for settings in [json!({"only": ["a"]}), json!({"except": ["b"]})] {
        assert_eq!(Bench::<Unwrap>::new(settings).apply(text).text(), only_a);
    }
}

#[test]
fn settings_that_cannot_work_are_refused() {
    for (settings, says) in [
        (json!({"depth": 0}), "`depth` is 0"),
        (json!({"depth": 17}), "1 to 16"),
        (json!({"only": ["a"], "except": ["a"]}), "both hold \"a\""),
    ] {
        let refusal = Bench::<Unwrap>::refusal(settings).expect("a refusal");
        assert!(refusal.contains(says), "{refusal}");
    }
}

#[test]
fn depth_is_that_of_the_whole_document() {
    let nested = |depth: usize| format!("{}\"12345678\"{}", "[".repeat(depth), "]".repeat(depth));
    for (outer, inner, opens) in [(64, 64, true), (64, 65, false), (128, 1, false)] {
        let string = tamis_sdk::quote(&nested(inner));
        let text = nested(outer).replace("\"12345678\"", &string);
        assert_eq!(bench().apply(&text).changed, opens, "{inner} in {outer}");
    }
}

#[test]
fn hostile_documents_are_survived() {
    let many = format!("[{}1]", "\"[{\\\"a\\\":1},{\\\"a\\\":2}]\",".repeat(20_000));
    assert!(bench().apply(&many).changed);
    let deep = format!("[\"{}\"]", "[".repeat(200_000));
    assert!(!bench().apply(&deep).changed);
    assert!(!bench().apply("").changed);
    assert!(!bench().apply("\"").changed);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(Value::from),
        "[a-z\"\\\\{}\\[\\] \n]{0,24}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-c]", inner.clone()), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
            inner
                .clone()
                .prop_map(|value| Value::String(value.to_string())),
            inner.prop_map(|value| json!([json!({"a": value.to_string()}).to_string()])),
        ]
    })
}

/// Unwraps every string that holds an object or array, without limits.
fn opened(value: &Value) -> Value {
    match value {
        Value::Array(elements) => elements.iter().map(opened).collect(),
        Value::Object(members) => {
            let opened = members
                .iter()
                .map(|(key, value)| (key.clone(), opened(value)));
            Value::Object(opened.collect())
        }
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ (Value::Array(_) | Value::Object(_))) => opened(&inner),
            Ok(Value::String(inner)) => match opened(&Value::String(inner)) {
                Value::String(_) => value.clone(),
                found => found,
            },
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}

#[test]
fn recorded_results_become_smaller() {
    if let Some(saving) = recorded(&bench()) {
        saving.assert_smaller();
    }
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "\\PC*") {
        bench().apply(&text);
    }

    #[test]
    fn filtering_twice_is_filtering_once(value in any_json(), depth in 1u32..4, min in 0u32..20) {
        let bench = Bench::<Unwrap>::new(json!({"depth": depth, "min-bytes": min, "except": ["c"]}));
        let once = bench.apply(&value.to_string());
        prop_assert!(!bench.apply(once.text()).changed, "{}", once.text());
    }

    #[test]
    fn all_that_is_json_is_opened_and_nothing_else(value in any_json()) {
        let bench = Bench::<Unwrap>::new(json!({"depth": 16, "min-bytes": 0}));
        let text = json!([value]).to_string();
        let applied = bench.apply(&text);
        let got: Value = serde_json::from_str(applied.text()).unwrap();
        prop_assert_eq!(got, opened(&json!([value])));
    }
}
