//! Settings that do not fit together are refused in one line that names the key.

use serde_json::{Value, json};
use tamis_sdk::testing::Bench;

use crate::RowEncoder;

#[track_caller]
fn assert_refused(shape: Value, says: &str) {
    let refusal = Bench::<RowEncoder>::refusal(json!({"level": "plain", "shape": shape}));
    let refusal = refusal.unwrap_or_else(|| panic!("taken: {shape}"));
    assert!(refusal.contains(says), "{refusal:?} does not say {says:?}");
    assert!(!refusal.contains('\n'), "more than a line: {refusal}");
}

#[test]
fn nonsense_is_refused() {
    let with = |more: Value| {
        let mut shape = json!({"columns": ["name"], "rows": ["f"]});
        let members = more.as_object().expect("an object").clone();
        shape.as_object_mut().expect("an object").extend(members);
        shape
    };
    assert_refused(json!({}), "neither `keys` nor `rows`");
    assert_refused(json!({"rows": ["u"]}), "`columns`");
    assert_refused(json!({"keys": ["a"], "columns": ["u"]}), "`columns`");
    assert_refused(with(json!({"rows": ["h=x"]})), "\"h\"");
    assert_refused(with(json!({"keys": ["@=x"]})), "\"@\"");
    assert_refused(with(json!({"rows": ["=x"]})), "`key` is empty");
    assert_refused(with(json!({"columns": ["a|b"]})), "pipe");
    assert_refused(with(json!({"columns": ["a=b..c"]})), "b..c");
    assert_refused(with(json!({"columns": ["a", "a=b"]})), "two columns");
    assert_refused(with(json!({"keys": ["f=x"]})), "two keys");
    assert_refused(with(json!({"rows": ["f=^x"]})), "^x");
    assert_refused(
        with(json!({"columns": [{"name": "a", "detail": "full"}]})),
        "detail",
    );
    assert_refused(
        with(json!({"columns": [{"name": "a", "value": "1", "from": "b"}]})),
        "`value`",
    );
    assert_refused(
        with(json!({"detail": {"argument": "d", "levels": ["a"], "default": "b"}})),
        "detail.default",
    );
    assert_refused(
        with(json!({"columns": ["a?", {"name": "b", "value": "1"}]})),
        "none that every answer needs",
    );
    assert_refused(with(json!({"group-by": {"in": "files"}})), "`by`");
    assert_refused(
        json!({"keys": ["a"], "group-by": {"by": "x"}}),
        "`group-by`",
    );
    assert_refused(
        with(json!({"maps": [{"key": "d", "group-by": {"by": "x"}, "mentioned": {}}]})),
        "`in`",
    );
}

#[test]
fn a_misspelled_key_is_named_however_deep() {
    assert_refused(json!({"colums": []}), "colums");
    assert_refused(json!({"columns": [{"nme": "x"}], "rows": ["f"]}), "nme");
    assert_refused(json!({"columns": [["x"]], "rows": ["f"]}), "a table");
    assert_refused(json!({"columns": [7], "rows": ["f"]}), "a table");
    assert_refused(json!({"rows": [{"key": "x", "from": {"a": 1}}]}), "map");
    assert_refused(json!({"budget": {"max_tokens": 3}}), "max_tokens");
}

#[test]
fn a_dot_may_be_part_of_a_key() {
    let shape = json!({"columns": ["name"], "rows": ["f=a\\.b.c"]});
    let document = json!({"a.b": {"c": [{"name": "x"}]}});
    assert_eq!(
        super::shaped(&shape, &document),
        json!({"h": "name", "f": "x"})
    );
}
