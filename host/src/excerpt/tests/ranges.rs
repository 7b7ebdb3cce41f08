//! Rows and lines: how they are counted, and which array is meant.

use super::{ask, lines, rows};

#[track_caller]
fn check(text: &str, query: super::Query, header: &str, expected: &str) {
    match ask(text, query.clone()) {
        Ok(excerpt) => assert_eq!(
            (excerpt.header.as_str(), excerpt.text.as_str()),
            (header, expected),
            "{query:?}"
        ),
        Err(error) => panic!("{query:?}: {error}"),
    }
}

#[test]
fn rows_are_counted_from_0_and_end_before_to() {
    let text = r#"{"ok":[1],"items":[{"a": 1},
        {"a":
            2}, {"a":3.0}]}"#;
    let header = "rows 1–2 of 3 (counted from 0); $.items";
    check(
        text,
        rows(None, 1, Some(3)),
        header,
        "{\"a\":2}\n{\"a\":3.0}\n",
    );
    check(
        text,
        rows(Some("items"), 1, None),
        header,
        "{\"a\":2}\n{\"a\":3.0}\n",
    );
    check(
        text,
        rows(Some(""), 1, Some(99)),
        header,
        "{\"a\":2}\n{\"a\":3.0}\n",
    );
    let header = "1 row; $.ok";
    check(text, rows(Some("$.ok"), 0, None), header, "1\n");
}

#[test]
fn an_array_of_one_is_not_taken_for_the_rows_inside_it() {
    let text = r#"{"results":[{"items":[1,2,3]}]}"#;
    let header = "3 rows; $.results[0].items";
    check(text, rows(None, 0, None), header, "1\n2\n3\n");
}

#[test]
fn a_list_that_is_not_json_has_rows_too() {
    let text = "{'n': 2, 'rows': [{'a': 1, 'b': 'x, y'}, {'a': 2}, {'a': None}]}";
    let header = "rows 1–2 of 3 (counted from 0)";
    check(
        text,
        rows(None, 1, Some(3)),
        header,
        "{'a': 2}\n{'a': None}\n",
    );
    let text = "rows:\n- a: 1\n  b: 2\n- a: 3\n";
    let header = "row 0 of 2 (counted from 0)";
    check(text, rows(None, 0, Some(1)), header, "- a: 1\n  b: 2\n");
}

#[test]
fn lines_are_counted_from_1_and_to_is_included() {
    let text = "one\r\ntwo\n\nfour";
    check(text, lines(2, Some(3)), "lines 2–3 of 4", "two\n\n");
    check(text, lines(0, Some(1)), "line 1 of 4", "one\r\n");
    check(text, lines(4, Some(9)), "line 4 of 4", "four");
    check("one\n", lines(1, None), "line 1 of 1", "one\n");
}

#[test]
fn large_numbers_have_commas() {
    let text = format!("[{}0]", "0,".repeat(4_811));
    let header = "rows 4,000–4,001 of 4,812 (counted from 0)";
    check(&text, rows(None, 4_000, Some(4_002)), header, "0\n0\n");
}

#[test]
fn what_is_empty_has_no_rows_and_no_lines() {
    check("[]", rows(None, 0, None), "no rows", "");
    check("", lines(1, None), "no lines", "");
    check("", super::Query::Whole, "no characters", "");
}
