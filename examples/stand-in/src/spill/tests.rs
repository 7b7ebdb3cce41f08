//! Checks the sizes that the example promises.

use std::ops::RangeInclusive;

use super::*;

fn call(name: &str, arguments: Value) -> String {
    upstream().text_of(name, arguments)
}

#[track_caller]
fn assert_size(what: &str, size: usize, expected: RangeInclusive<usize>) {
    assert!(
        expected.contains(&size),
        "{what} is {size}, expected {expected:?}"
    );
}

#[test]
fn a_failing_build_lists_127_errors_in_50_kilobytes() {
    let text = call("build_plugin", json!({ "plugin": "Broken" }));
    assert_size("the build", text.len(), 45_000..=52_000);
    let build: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(build["errors"].as_array().map(Vec::len), Some(127));
    assert_eq!(
        (&build["success"], &build["return_code"]),
        (&json!(false), &json!(6))
    );
}

#[test]
fn a_log_has_100_lines_of_more_than_200_characters() {
    let logs: Value = serde_json::from_str(&call("get_logs", json!({}))).expect("JSON");
    let logs = logs["logs"].as_array().expect("lines");
    assert_eq!(logs.len(), 100);
    for line in logs {
        let line = line.as_str().expect("a line");
        assert!(line.len() > 200 && line.contains("\u{1b}["), "{line:?}");
    }
}

#[test]
fn what_is_found_is_long() {
    for tool in [
        "query_nearby",
        "find_usages",
        "scan_tile_objects",
        "run_tests",
    ] {
        let text = call(tool, json!({}));
        assert_size(tool, text.len(), 10_000..=50_000);
        assert!(serde_json::from_str::<Value>(&text).is_ok_and(|it| it.is_object()));
    }
}

#[test]
fn what_went_well_is_short() {
    for (tool, arguments) in [
        ("get_status", json!({})),
        ("build_plugin", json!({ "plugin": "Weather" })),
    ] {
        assert_size(tool, call(tool, arguments).len(), 50..=400);
    }
}

#[test]
fn the_same_call_gives_the_same_bytes() {
    for tool in upstream().tools {
        let name = &tool.definition.name;
        assert_eq!(call(name, json!({})), call(name, json!({})), "{name}");
    }
}
