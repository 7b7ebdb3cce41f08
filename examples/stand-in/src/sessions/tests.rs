//! Checks the sizes that the example promises.

use super::*;

fn call(name: &str, arguments: Value) -> String {
    upstream().text_of(name, arguments)
}

#[test]
fn one_note_has_exactly_4000_characters_and_others_more() {
    let exact = call("read_note", json!({ "path": "travel/note-004.md" }));
    assert_eq!(exact.chars().count(), 4000);
    assert!(exact.len() > 4000, "a character is a byte");
    let long = call("read_note", json!({ "path": "music/note-038.md" }));
    assert!(
        long.chars().count() > 6000,
        "{} characters",
        long.chars().count()
    );
}

#[test]
fn lists_and_searches_are_long() {
    for (tool, arguments) in [
        ("list_notes", json!({})),
        ("search_notes", json!({ "query": "frost" })),
    ] {
        let text = call(tool, arguments);
        assert!(text.len() > 20_000, "{tool} has {} bytes", text.len());
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(answer["success"], true);
    }
}

#[test]
fn every_hit_names_its_source() {
    let found: Value =
        serde_json::from_str(&call("search_notes", json!({ "query": "図書館" }))).expect("JSON");
    let results = found["results"].as_array().expect("results");
    assert!(results.len() > 100, "{} hits", results.len());
    for hit in results {
        let path = hit["source"].as_str().expect("a source");
        let note = call("read_note", json!({ "path": path }));
        assert!(note.contains("図書館"), "{path}");
    }
}

#[test]
fn a_note_that_is_not_there_is_an_error_of_the_tool() {
    let answer = call("read_note", json!({ "path": "nowhere.md" }));
    assert_eq!(
        answer,
        r#"{"success":false,"error":"no such note","path":"nowhere.md"}"#
    );
}
