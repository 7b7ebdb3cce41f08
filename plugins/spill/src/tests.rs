//! The filter's promises: exact at the threshold, no outcome is lost, filtering twice equals filtering once.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::testing::{Bench, assert_schema};

fn bench(settings: Value) -> Bench<Spill> {
    Bench::new(settings).tool("build_plugin")
}

fn errors(count: usize) -> Vec<Value> {
    let error = |number| {
        json!({
            "file": format!("Source/Module/File{number}.cpp"), "line": number, "code": "C2065",
            "message": format!("'Value{number}': undeclared identifier in this scope"),
        })
    };
    (0..count).map(error).collect()
}

fn build(count: usize) -> Value {
    json!({
        "success": false, "return_code": 6, "build_time_seconds": 41.5, "errors": errors(count),
        "log": "line\n".repeat(1000),
    })
}

#[test]
fn the_schema_is_that_of_the_settings() {
    assert_schema::<Spill>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

#[test]
fn a_build_of_127_errors_becomes_its_summary() {
    let bench = bench(json!({
        "above": "4000 chars",
        "keep": ["success", "return_code", "build_time_seconds", "never_there"],
        "count": ["errors"],
        "prefix": {"build_plugin": "build_output"},
    }));
    let all = build(127);
    let summary = bench.apply(&all.to_string());
    let e = |number: usize| all["errors"][number].to_string();
    assert_eq!(
        summary.text(),
        format!(
            "{{\"truncated\":true,\"full_output_path\":\"/originals/build_output_abcdefghij234567.json\",\
             \"success\":false,\"return_code\":6,\"build_time_seconds\":41.5,\
             \"error_count\":127,\"errors_preview\":[{},{},{}],\
             \"full_output_call\":\"tamis_read {{\\\"ref\\\":\\\"abcdefghij234567\\\"}}\"}}",
            e(0),
            e(1),
            e(2)
        )
    );
    assert_eq!(summary.kept, ["build_output"]);
}

#[test]
fn the_threshold_is_exact_to_the_character() {
    for value in [
        json!({"a": [], "b": {}, "c": [1, [2, {"d": null}]], "text": "語 é 🦀 \n \u{1}"}),
        json!([1, 2, [[[[["deep"]]]]], {"x": {"y": {"z": [{}, []]}}}]),
        json!([]),
        build(40),
    ] {
        let printed = format!("{value:#}").chars().count();
        // In any printed form.
        for text in [value.to_string(), format!("{value:#}")] {
            let at = |chars: usize| bench(json!({"above": format!("{chars} chars")})).apply(&text);
            assert!(!at(printed).changed, "exactly {printed}");
            assert!(at(printed - 1).changed, "over {}", printed - 1);
        }
    }
}

#[test]
fn with_no_settings_every_list_and_every_long_text_is_told() {
    let summary = bench(json!({})).apply(&build(127).to_string());
    let summary: Value = serde_json::from_str(summary.text()).expect("JSON");
    let keys: Vec<_> = summary.as_object().expect("an object").keys().collect();
    assert_eq!(keys.len(), 10, "{keys:?}");
    assert_eq!(summary["error_count"], 127);
    assert_eq!(summary["errors_preview"], json!(errors(3)));
    assert_eq!(summary["log_line_count"], 1000);
    assert_eq!(summary["log_preview"], json!(vec!["line"; 10]));
}

#[test]
fn where_no_file_is_near_the_call_says_where_the_result_is() {
    let bench = bench(json!({"above": "100 chars", "read-call": false})).without_paths();
    let summary = bench.apply(&build(127).to_string());
    let call = r#","full_output_call":"tamis_read {\"ref\":\"abcdefghij234567\"}"}"#;
    assert!(
        summary.text().starts_with(r#"{"truncated":true,"#),
        "{}",
        summary.text()
    );
    assert!(summary.text().ends_with(call), "{}", summary.text());
    assert!(
        !summary.text().contains("full_output_path"),
        "{}",
        summary.text()
    );
    assert!(!bench.apply(summary.text()).changed);
    let least = format!(r#"{{"truncated":true{call}"#);
    assert!(!bench.apply(&least).changed);
}

#[test]
fn paths_lead_into_envelopes_and_names_can_be_set() {
    let value = json!({
        "ok": true, "status": "top",
        "data": {"status": "inner", "hits": vec![1; 3000], "lists": {"a": [1, 2], "b": [[3]], "c": 4}},
    });
    let summary = bench(json!({
        "keep": ["status", "data.status", "data.gone.status"],
        "count": [
            {"list": "data.hits", "count-as": "total", "preview-as": "head"},
            "data.lists.*", "ok",
        ],
        "preview": 2, "read-call": false,
    }))
    .apply(&value.to_string());
    assert_eq!(
        summary.text(),
        "{\"truncated\":true,\"full_output_path\":\"/originals/build_plugin_abcdefghij234567.json\",\
         \"status\":\"top\",\"data_status\":\"inner\",\"total\":3000,\"head\":[1,1],\
         \"a_count\":2,\"a_preview\":[1,2],\"b_count\":1,\"b_preview\":[[3]]}"
    );
}

#[test]
fn a_bare_list_is_counted() {
    let rows = json!(vec![json!({"id": 1}); 500]).to_string();
    let summary = bench(json!({"read-call": false, "preview": 1})).apply(&rows);
    assert!(
        summary
            .text()
            .ends_with(r#","item_count":500,"items_preview":[{"id":1}]}"#),
        "{}",
        summary.text()
    );
}

#[test]
fn a_text_is_told_by_its_lines() {
    let text: String = (1..=1000).map(|n| format!("line {n} é\r\n")).collect();
    let settings = json!({"preview-lines": 2, "read-call": false});
    for (text, lines) in [(text.clone(), 1000), (text + "unfinished", 1001)] {
        let summary = bench(settings.clone()).apply(&text);
        assert_eq!(
            summary.text(),
            format!(
                "{{\"truncated\":true,\"full_output_path\":\"/originals/build_plugin_abcdefghij234567.json\",\
                 \"line_count\":{lines},\"lines_preview\":[\"line 1 é\",\"line 2 é\"]}}"
            )
        );
    }
    let line = "é".repeat(400_000);
    let summary = bench(settings).apply(&line);
    assert!(summary.text().contains("\"line_count\":1,"), "one line");
    assert!(
        summary
            .text()
            .contains(&format!("\"{}…\"", "é".repeat(1000)))
    );
    let exact = "語".repeat(4000);
    assert!(!bench(json!({})).apply(&exact).changed);
    assert!(bench(json!({})).apply(&(exact + "語")).changed);
}

#[test]
fn what_is_too_long_to_show_is_cut() {
    let value = json!({
        "error": "語".repeat(5000), "list": [vec![1; 900], "short", "\u{1}".repeat(20)], "n": 1,
    });
    let summary = bench(json!({"longest": 30, "read-call": false})).apply(&value.to_string());
    let summary: Value = serde_json::from_str(summary.text()).expect("JSON");
    assert_eq!(summary["error"], "語".repeat(30) + "…");
    assert_eq!(
        summary["list_preview"],
        json!([
            "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1…",
            "short",
            "\u{1}".repeat(20)
        ])
    );
}

#[test]
fn where_nothing_is_kept_nothing_is_cut() {
    let bench = bench(json!({})).keeps(false);
    assert!(!bench.apply(&build(127).to_string()).changed);
}

#[test]
fn odd_documents_are_told_without_harm() {
    let bench = bench(json!({"above": "10 chars", "read-call": false}));
    for (text, expected) in [
        (
            r#"{"success":1,"success":2,"errors":[1],"errors":[2,3],"pad":0}"#,
            r#""success":2,"error_count":1,"errors_preview":[1]}"#,
        ),
        (
            r#"{"\ud800":[1],"truncated":false,"full_output_call":[1],"error":"\ud800"}"#,
            r#""error":"\ud800","full_output_call_count":1,"full_output_call_preview":[1]}"#,
        ),
        (
            r#"{"error_count":["taken"],"x":1}"#,
            r#""error_count_count":1,"error_count_preview":["taken"]}"#,
        ),
        (
            "not JSON at all",
            r#""line_count":1,"lines_preview":["not JSON at all"]}"#,
        ),
    ] {
        let summary = bench.apply(text);
        assert!(summary.is_json());
        assert!(summary.text().ends_with(expected), "{}", summary.text());
    }
    let deep = "[".repeat(128) + &"]".repeat(128);
    assert!(bench.apply(&deep).is_json());
}

#[test]
fn a_tools_name_makes_a_plain_prefix() {
    let text = build(127).to_string();
    let bench = Bench::<Spill>::new(json!({})).tool("Server/Ünï.build Plugin");
    assert_eq!(bench.apply(&text).kept, ["server__n__build_plugin"]);
    let bench = Bench::<Spill>::new(json!({"prefix": "out"}));
    assert_eq!(bench.apply(&text).kept, ["out"]);
}

#[test]
fn paths_are_those_of_all_filters() {
    let mut document = build(127);
    document["data"] = json!({"a.b": "dotted", "code": 7, "hits": [1, 2], "more.hits": [3]});
    let text = document.to_string();
    let settings = json!({
        "keep": ["data.\"a.b\"", "$.data.code"],
        "count": ["$.data['hits']", "data.\"more.hits\""],
    });
    let summary = bench(settings).apply(&text).text().to_owned();
    let summary: Value = serde_json::from_str(&summary).expect("JSON");
    assert_eq!(summary["a.b"], "dotted");
    assert_eq!(summary["code"], 7);
    assert_eq!(summary["hit_count"], 2, "{summary}");
    assert_eq!(summary["more.hit_count"], 1, "{summary}");
    for every in ["data.*", "$.data[*]"] {
        let all = bench(json!({"count": [every]}))
            .apply(&text)
            .text()
            .to_owned();
        assert!(
            all.contains("\"hit_count\":2") && all.contains("\"more.hit_count\":1"),
            "{all}"
        );
    }
}

#[test]
fn nonsense_is_refused_by_key() {
    for (settings, expected) in [
        (
            json!({"above": "4000"}),
            "`above` is \"4000\": a number of characters is allowed, 1 or more, such as \"4000 chars\"",
        ),
        (
            json!({"prefix": {"build": "Build Output"}}),
            "`prefix.build` is \"Build Output\": 1 to 64 lower-case letters, digits, `-` and `_` are allowed",
        ),
        (
            json!({"keep": ["data..x"]}),
            "`keep`: the path `data..x` has an empty step: name keys with one dot between them",
        ),
        (
            json!({"keep": ["*"]}),
            "`keep` has \"*\": allowed are keys alone, as in data.status",
        ),
        (
            json!({"count": ["*.x"]}),
            "`count` has \"*.x\": allowed are keys, and `*` at the end, as in data.status",
        ),
        (
            json!({"count": [{"list": "*", "count-as": "n"}]}),
            "`count` names `*` and one name for all: name the lists",
        ),
        (
            json!({"longest": 0}),
            "`longest` is 0: nothing could be shown, so 1 or more",
        ),
    ] {
        assert_eq!(
            Bench::<Spill>::refusal(&settings).as_deref(),
            Some(expected)
        );
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,30}".prop_map(Value::from),
        "([a-c]\n?){0,30}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        2 => "[a-c]",
        1 => prop::sample::select(vec!["success", "errors", "truncated", "full_output_path", "data"])
            .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6).prop_map(|members| {
                Value::from(members.into_iter().collect::<serde_json::Map<_, _>>())
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn the_summary_names_the_whole_and_is_left_alone_the_second_time(
        value in value(), above in 1u32..300, longest in 1u32..40, pretty: bool,
    ) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let bench = bench(json!({"above": format!("{above} chars"), "longest": longest, "count": ["data.*", "*"]}));
        let once = bench.apply(&text);
        let printed = if value.is_array() || value.is_object() { format!("{value:#}") } else { text };
        prop_assert_eq!(once.changed, printed.chars().count() > above as usize && !once.kept.is_empty());
        if once.changed {
            let summary: Value = serde_json::from_str(once.text()).expect("JSON");
            let again = format!("{{\"truncated\":true,\"full_output_path\":{},", summary["full_output_path"]);
            prop_assert!(once.text().starts_with(&again));
            if let Some(success) = value.get("success")
                && success.to_string().chars().count() <= longest as usize
            {
                prop_assert_eq!(&summary["success"], success);
            }
        }
        let twice = bench.apply(once.text());
        prop_assert_eq!(once.text(), twice.text());
    }

    #[test]
    fn any_text_is_told(text in "(\\PC|\n|\r){0,200}", lines in 0u32..5, longest in 1u32..10) {
        let settings = json!({"above": "20 chars", "preview-lines": lines, "longest": longest});
        let once = bench(settings).apply(&format!("x{text}"));
        if once.changed {
            let summary: Value = serde_json::from_str(once.text()).expect("JSON");
            prop_assert_eq!(summary["line_count"].as_u64(), Some(format!("x{text}").lines().count() as u64));
            let shown = summary["lines_preview"].as_array().expect("lines");
            for (shown, line) in shown.iter().zip(format!("x{text}").split('\n')) {
                let line = line.strip_suffix('\r').unwrap_or(line);
                let shown = shown.as_str().expect("a line");
                prop_assert!(shown == line || line.starts_with(shown.strip_suffix('…').expect("a cut")));
            }
        }
    }
}
