//! Documents that the settings do not fit pass unchanged.

use serde_json::{Value, json};

use super::{bench, pretty};

fn shape() -> Value {
    json!({"keys": ["sym=symbol"], "columns": ["file", "line?"], "rows": ["u=usages"]})
}

#[track_caller]
fn assert_unchanged(text: &str) {
    let applied = bench(&shape()).apply(text);
    assert!(!applied.changed, "{text} became {}", applied.text());
}

#[test]
fn the_form_itself_is_changed() {
    let fits = pretty(&json!({"symbol": "add", "usages": [{"file": "a.rs"}, {"file": "b.rs"}]}));
    assert!(bench(&shape()).apply(&fits).changed);
    // An error has another form, even if it looks the same.
    assert!(!bench(&shape()).is_error(true).apply(&fits).changed);
}

#[test]
fn what_is_missing_leaves_the_document_alone() {
    for document in [
        json!({}),
        json!([]),
        json!([{"symbol": "add"}]),
        json!({"symbol": "add", "total": 0, "hint": "there is no list here"}),
        json!({"symbol": "add", "usages": null, "hint": "the list is null here"}),
        json!({"usages": [{"file": "a.rs", "line": 1, "type": "there is no symbol here"}]}),
        json!({"symbol": "add", "usages": [{"path": "no row has the column that is needed", "line": 1}]}),
        json!({"symbol": "add", "usages": {"file": "an object where a list should be"}}),
        json!({"symbol": "add", "usages": "a text where a list should be, and a long one"}),
        json!({"symbol": "add", "usages": ["texts where objects should be", "and another one of those"]}),
        json!({"symbol": "add", "usages": [{"file": "a.rs"}, "a text among the objects, which would be lost"]}),
        json!({"symbol": "add", "usages": [{"file": "a.rs"}, {"path": "no column at all in this row"}]}),
        json!({"u": "this was encoded before", "h": "file|line", "sym": "add", "usages": "a.rs|1"}),
    ] {
        assert_unchanged(&pretty(&document));
    }
    assert_unchanged("no JSON at all");
    assert_unchanged("");
}

#[test]
fn a_key_that_is_there_twice_leaves_the_document_alone() {
    assert_unchanged(
        r#"{"symbol":"add", "usages":[{"file":"a.rs"}],    "usages":[{"file":"b.rs"}]}"#,
    );
    assert_unchanged(
        r#"{"symbol":"add", "usages":[{"file":"a.rs",      "file":"b.rs"}]            }"#,
    );
    assert_unchanged(
        r#"{"symbol":"add", "usages":[{"file":"a.rs",  "\u0066ile":"b.rs"}]           }"#,
    );
}

#[test]
fn a_text_that_is_not_unicode_leaves_the_document_alone() {
    assert_unchanged(
        r#"{"symbol":"add", "usages":[{"file":"\ud800",           "line": 1}]         }"#,
    );
}

#[test]
fn a_column_may_be_missing_in_some_rows() {
    let document =
        json!({"symbol": "add", "usages": [{"line": 1}, {"file": "b.rs", "line": null}]});
    assert_eq!(
        bench(&shape()).apply(&pretty(&document)).text(),
        r#"{"sym":"add","h":"file|line","u":"|1\nb.rs|"}"#
    );
}

#[test]
fn an_empty_list_is_an_answer() {
    let document =
        json!({"symbol": "add", "usages": [], "definition": {"file": "a.rs", "line": 1}});
    assert_eq!(
        bench(&shape()).apply(&pretty(&document)).text(),
        r#"{"sym":"add","h":"file|line","u":""}"#
    );
}

#[test]
fn what_would_not_become_shorter_stays() {
    assert_unchanged(r#"{"symbol":"a","usages":[]}"#);
}

#[test]
fn a_group_whose_name_the_output_needs_itself_leaves_the_document_alone() {
    let shape = json!({
        "keys": ["p=root"], "columns": ["name"], "rows": ["f"], "group-by": {"in": "files", "by": "path"},
    });
    let document = |path: &str| {
        let padding = "so that the other form is shorter in any case";
        pretty(&json!({"root": "/", "files": [{"path": path, "f": [{"name": "a", "x": padding}]}]}))
    };
    for taken in ["@", "p", "h", ""] {
        assert!(!bench(&shape).apply(&document(taken)).changed, "{taken:?}");
    }
    assert!(bench(&shape).apply(&document("a.rs")).changed);
}
