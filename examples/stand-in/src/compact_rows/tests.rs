//! Checks the lists that the example shows: uniform, with some length, printed in full.

use rmcp::model::JsonObject;
use serde_json::Value;

use super::*;

fn call(tool: &AnsweringTool) -> Value {
    let result = (tool.answer)(&JsonObject::new());
    let text = result.content[0].as_text().expect("a text block");
    assert!(
        text.text.starts_with("{\n  \""),
        "not pretty: {}",
        text.text
    );
    serde_json::from_str(&text.text).expect("JSON")
}

fn answer(name: &str) -> Value {
    let tools = tools();
    call(
        tools
            .iter()
            .find(|tool| tool.definition.name == name)
            .expect("a tool"),
    )
}

#[test]
fn nine_tools_answer_the_same_every_time() {
    assert_eq!(tools().len(), 9);
    for (first, second) in tools().iter().zip(&tools()) {
        assert_eq!(call(first), call(second), "{}", first.definition.name);
    }
}

#[test]
fn lists_are_long_where_code_has_many() {
    for (tool, list) in [
        ("find_usages", "usages"),
        ("query_pattern", "matches"),
        ("affected_by_diff", "affected"),
        ("type_map", "types"),
    ] {
        let rows = answer(tool)[list].as_array().map_or(0, Vec::len);
        assert!(rows >= 20, "{tool} has {rows} rows");
    }
}

#[test]
fn a_line_belongs_to_one_symbol_or_to_none() {
    let at = |line: usize| {
        let mut arguments = JsonObject::new();
        arguments.insert("line".to_owned(), json!(line));
        let result = answers::symbol_at_line(&arguments);
        let text = result.content[0].as_text().expect("a text block");
        serde_json::from_str::<Value>(&text.text).expect("JSON")["symbol"]["name"].clone()
    };
    assert_eq!(at(42), "calculate");
    assert_eq!(at(1), Value::Null);
}

#[test]
fn view_code_follows_the_file_that_was_asked_for() {
    let mut arguments = JsonObject::new();
    arguments.insert(
        "file_path".to_owned(),
        json!("/home/dev/abacus/src/lexer.rs"),
    );
    let result = answers::view_code(&arguments);
    let text = &result.content[0].as_text().expect("a text block").text;
    let value: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(value["functions"][0]["name"], "next_token");
    let files = value["dependencies"].as_array().expect("dependencies");
    assert!(files.iter().all(|file| file["file"] != value["file"]));
}
