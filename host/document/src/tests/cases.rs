//! Edits one by one: which bytes go and which stay, and the name of every rule.

use crate::{Document, MAX_DEPTH, TapeWanted};

const REMOVE: u32 = 0;
const REPLACE: u32 = 1;
const RENAME: u32 = 2;
const APPEND: u32 = 3;

/// Edits `text`; each edit is an operation, a node and its operand.
fn edit(text: &str, edits: &[(u32, u32, &str)]) -> Result<String, &'static str> {
    let mut operations = Vec::new();
    let mut operands = String::new();
    for &(operation, node, operand) in edits {
        let start = if operand.is_empty() {
            0
        } else {
            operands.len() as u32
        };
        operands.push_str(operand);
        operations.extend([operation, node, start, start + operand.len() as u32]);
    }
    let document = Document::json(text).unwrap();
    let edited = document.edit(&operations, &operands, TapeWanted::Yes);
    edited
        .map(|edited| edited.text().to_string())
        .map_err(|error| error.name())
}

#[track_caller]
fn check(text: &str, edits: &[(u32, u32, &str)], expected: Result<&str, &str>) {
    let found = edit(text, edits);
    assert_eq!(
        found.as_deref().map_err(|name| *name),
        expected,
        "{text:?} {edits:?}"
    );
}

#[test]
fn a_removed_node_takes_its_separator_along() {
    let remove = |text, nodes: &[u32], expected| {
        let edits: Vec<_> = nodes.iter().map(|&node| (REMOVE, node, "")).collect();
        check(text, &edits, Ok(expected));
    };
    remove("[ 1 , 2 , 3 ]", &[1], "[ 2 , 3 ]");
    remove("[ 1 , 2 , 3 ]", &[2], "[ 1 , 3 ]");
    remove("[ 1 , 2 , 3 ]", &[3], "[ 1 , 2 ]");
    remove("[ 1 , 2 , 3 ]", &[1, 2], "[ 3 ]");
    remove("[ 1 , 2 , 3 ]", &[1, 3], "[ 2 ]");
    remove("[ 1 , 2 , 3 ]", &[2, 3], "[ 1 ]");
    remove("[ 1 , 2 , 3 ]", &[3, 1, 2], "[]");
    remove("{\n  \"a\": null,\n  \"b\": 2\n}", &[1], "{\n  \"b\": 2\n}");
    remove("{\n  \"a\": 1,\n  \"b\": null\n}", &[3], "{\n  \"a\": 1\n}");
    remove("{\n  \"a\": null,\n  \"b\": null\n}", &[1, 3], "{}");
    remove(
        " { \"a\" : [ 1 , { \"b\" : 2 } ] } ",
        &[5],
        " { \"a\" : [ 1 , {} ] } ",
    );
    remove("[[1,2],3]", &[3, 4], "[[1]]");
    remove("[{\"a\":[{}]},{}]", &[1, 5], "[]");
    // A comma and brackets in a string separate nothing.
    remove("[\",]\" , 2]", &[2], "[\",]\"]");
}

#[test]
fn appended_text_goes_behind_the_last_child_that_stays() {
    check("[]", &[(APPEND, 0, "1,2")], Ok("[1,2]"));
    check("[ \n ]", &[(APPEND, 0, "1")], Ok("[1 \n ]"));
    check("[\n  1\n]", &[(APPEND, 0, "2")], Ok("[\n  1,2\n]"));
    check(
        "{ \"a\" : 1 }",
        &[(APPEND, 0, "\"b\":2"), (APPEND, 0, "\"c\":3")],
        Ok("{ \"a\" : 1,\"b\":2,\"c\":3 }"),
    );
    check(
        "[ 1 , 2 ]",
        &[(APPEND, 0, "3"), (REMOVE, 1, "")],
        Ok("[ 2,3 ]"),
    );
    check(
        "[ 1 , 2 ]",
        &[(APPEND, 0, "3"), (REMOVE, 2, "")],
        Ok("[ 1,3 ]"),
    );
    check(
        "[ 1 , 2 ]",
        &[(REMOVE, 2, ""), (REMOVE, 1, ""), (APPEND, 0, "3")],
        Ok("[ 3 ]"),
    );
    check(
        "[ 1 ]",
        &[(APPEND, 0, "3"), (REPLACE, 1, "[]")],
        Ok("[ [],3 ]"),
    );
    check(
        "[[[ ]]]",
        &[(APPEND, 0, "0"), (APPEND, 1, "1"), (APPEND, 2, "2")],
        Ok("[[[2 ],1],0]"),
    );
    check(
        "[[],1]",
        &[(APPEND, 1, "{}"), (REMOVE, 2, "")],
        Ok("[[{}]]"),
    );
}

#[test]
fn values_are_replaced_and_keys_renamed() {
    check(" [1] ", &[(REPLACE, 0, "null")], Ok(" null "));
    check("7", &[(REPLACE, 0, "{\"a\":[]}")], Ok("{\"a\":[]}"));
    check(
        "{\"a\" : [1,2] }",
        &[(REPLACE, 2, "0"), (RENAME, 1, "\"b\"")],
        Ok("{\"b\" : 0 }"),
    );
    check(
        "{\"a\":{\"b\":1}}",
        &[(RENAME, 1, "\"x\""), (RENAME, 3, "\"y\"")],
        Ok("{\"x\":{\"y\":1}}"),
    );
    check("[1e2,\"\\u0041\"]", &[], Ok("[1e2,\"\\u0041\"]"));
}

#[test]
fn every_rule_has_its_name() {
    let text = "{\"a\":[1,\"x\"],\"b\":null}";
    let error = |edits: &[(u32, u32, &str)], name| check(text, edits, Err(name));
    error(&[(4, 0, "")], "unknown-operation");
    error(&[(REMOVE, 7, "")], "no-such-node");
    error(&[(REMOVE, u32::MAX, "")], "no-such-node");
    error(&[(REMOVE, 0, "")], "root-removed");
    error(&[(REMOVE, 2, "")], "wrong-node");
    error(&[(REPLACE, 1, "1")], "wrong-node");
    error(&[(RENAME, 2, "\"k\"")], "wrong-node");
    error(&[(RENAME, 0, "\"k\"")], "wrong-node");
    error(&[(APPEND, 3, "1")], "wrong-node");
    error(&[(APPEND, 1, "1")], "wrong-node");
    error(&[(REMOVE, 1, "x")], "operand-of-remove");
    error(&[(REMOVE, 1, ""), (REMOVE, 1, "")], "overlap");
    error(
        &[(REMOVE, 1, ""), (REMOVE, 5, ""), (REMOVE, 3, "")],
        "overlap",
    );
    error(&[(REMOVE, 1, ""), (RENAME, 1, "\"k\"")], "overlap");
    error(&[(REMOVE, 1, ""), (REPLACE, 2, "1")], "overlap");
    error(&[(REPLACE, 0, "1"), (APPEND, 2, "1")], "overlap");
    error(&[(APPEND, 2, "1"), (REPLACE, 2, "1")], "overlap");
    error(&[(REPLACE, 2, "1"), (REPLACE, 2, "1")], "overlap");
    error(&[(REPLACE, 2, "[1")], "operand-not-json");
    error(&[(REPLACE, 2, "1,2")], "operand-not-json");
    error(&[(REPLACE, 2, "")], "operand-not-json");
    error(&[(RENAME, 1, "k")], "operand-not-json");
    error(&[(RENAME, 1, "\"k\":1,\"l\"")], "operand-not-json");
    error(&[(RENAME, 1, "[]")], "operand-not-string");
    error(&[(APPEND, 2, "1,")], "operand-not-json");
    error(&[(APPEND, 2, ",1")], "operand-not-json");
    error(&[(APPEND, 2, "1],[2")], "operand-not-json");
    error(&[(APPEND, 2, "\"a\":1")], "operand-not-json");
    error(&[(APPEND, 0, "1")], "operand-not-json");
    error(&[(APPEND, 0, "\"a\":1},{\"b\":2")], "operand-not-json");
    error(&[(APPEND, 0, " ")], "operand-empty");

    let json = Document::json(text).unwrap();
    let name = |operations: &[u32], operands| {
        json.edit(operations, operands, TapeWanted::No)
            .unwrap_err()
            .name()
    };
    assert_eq!(name(&[REMOVE, 1, 0], ""), "not-fours");
    assert_eq!(name(&[REPLACE, 2, 0, 2], "1"), "operand-out-of-range");
    assert_eq!(name(&[REPLACE, 2, 1, 0], "1"), "operand-out-of-range");
    assert_eq!(
        name(&[REPLACE, 2, 0, 2], "\"é\""),
        "operand-not-on-character"
    );
    let text = Document::text_only(text);
    assert_eq!(
        text.edit(&[], "", TapeWanted::No).unwrap_err().name(),
        "not-json"
    );
}

#[test]
fn an_error_tells_a_plugins_author_which_edit_and_why() {
    let document = Document::json("{\"a\":[1]}").unwrap();
    let told = |operations: &[u32], operands| {
        document
            .edit(operations, operands, TapeWanted::No)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        told(&[2, 1, 0, 3, 0, 2, 0, 0], "\"b\""),
        "edit 1: `remove` takes a key or an element of an array, and node 2 is of kind `array`"
    );
    assert_eq!(
        told(&[1, 3, 0, 1, 0, 1, 0, 0], "2"),
        "edit 0 of node 3 overlaps edit 1"
    );
    assert_eq!(
        told(&[3, 2, 0, 3], "2, "),
        "edit 0 of node 2: operand: not JSON at byte 3: expected a value"
    );
}

#[test]
fn depth_is_obeyed_and_violated() {
    let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let deepest = MAX_DEPTH as u32 - 1;
    let text = nested(MAX_DEPTH);
    assert!(edit(&text, &[(REPLACE, deepest, "[1]")]).is_ok());
    check(&text, &[(REPLACE, deepest, "[[]]")], Err("too-deep"));
    assert!(edit(&text, &[(APPEND, deepest, "1")]).is_ok());
    check(&text, &[(APPEND, deepest, "[]")], Err("too-deep"));
    assert!(edit(&text, &[(APPEND, deepest - 1, "[]")]).is_ok());
    assert!(edit("1", &[(REPLACE, 0, &text)]).is_ok());
    check(
        "1",
        &[(REPLACE, 0, &nested(MAX_DEPTH + 1))],
        Err("too-deep"),
    );
    check("[1]", &[(REPLACE, 1, &text)], Err("too-deep"));
}

#[test]
fn one_operand_cannot_be_named_without_end() {
    let operand = format!("\"{}\"", "x".repeat((1 << 20) - 2));
    let named = |times: usize| [APPEND, 0, 0, 1 << 20].repeat(times);
    let document = Document::json("[]").unwrap();
    assert!(document.edit(&named(17), &operand, TapeWanted::No).is_ok());
    let error = document
        .edit(&named(18), &operand, TapeWanted::No)
        .unwrap_err();
    assert_eq!(error.name(), "too-much-inserted", "{error}");
}
