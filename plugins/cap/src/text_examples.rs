//! Caps on texts, by lines and by bytes, with their exact results.

use super::examples::table;
use serde_json::json;

#[test]
fn lines_of_a_text_keep_their_first_or_last() {
    let first =
        |limit: u32| json!([{ "path": "$", "first-lines": limit, "note": "{shown}/{total}" }]);
    let last =
        |limit: u32| json!([{ "path": "$", "last-lines": limit, "note": "{shown}/{total}" }]);
    let member = |key: &str| {
        let mut cap = json!({ "path": "s", "note": "{shown}/{total}" });
        cap[key] = json!(1);
        json!([cap])
    };
    table(&[
        (first(2), "one\ntwo\nthree\nfour\n", "one\ntwo\n2/4\n"),
        (first(2), "one\r\ntwo\r\nthree\r\nfour", "one\r\ntwo\r\n2/4"),
        (first(4), "one\ntwo\nthree\nfour\n", ""),
        (first(4), "one\ntwo\nthree\nfour", ""),
        (first(0), "one\ntwo", "0/2"),
        (first(1), "\n\néclair éclair\n", "\n1/3\n"),
        (last(2), "one\ntwo\nthree\nfour\n", "2/4\nthree\nfour\n"),
        (
            last(2),
            "one\r\ntwo\r\nthree\r\nfour",
            "2/4\r\nthree\r\nfour",
        ),
        (last(0), "one\ntwo\n", "0/2\n"),
        // It would not become shorter.
        (first(1), "a\nb\n", ""),
        // The note of another limit: its total is still true.
        (first(2), "one\ntwo\nthree\n3/9\n", "one\ntwo\n2/9\n"),
        (last(1), "2/9\nseven\nnine", "1/9\nnine"),
        // The default wording, if the operator has none or asks for a missing value.
        (
            json!([{ "path": "$", "first-lines": 1 }]),
            &format!("one\n{}\n", "x".repeat(50)),
            "one\n[truncated: first 1 of 2 lines]\n",
        ),
        (
            json!([{ "path": "$", "last-lines": 1, "note": "see {argument.other}" }]),
            &format!("{}\none", "x".repeat(50)),
            "[truncated: last 1 of 2 lines]\none",
        ),
        // An argument of two lines would split the note.
        (
            json!([{ "path": "$", "first-lines": 1, "note": "{argument.lines} {shown}/{total}" }]),
            &format!("one\n{}\n", "x".repeat(50)),
            "one\n[truncated: first 1 of 2 lines]\n",
        ),
        // A string keeps its spelling.
        (
            member("first-lines"),
            r#"{"s":"\u0061\\n\u000Ab\ud800\r\nccccc"}"#,
            r#"{"s":"\u0061\\n\u000A1/3"}"#,
        ),
        (
            member("last-lines"),
            r#"{"s":"aaaa\r\nbbbb\r\n\u00e9\r\n"}"#,
            r#"{"s":"1/3\r\n\u00e9\r\n"}"#,
        ),
        // The caller's number counts.
        (
            json!([{ "path": "$", "first-lines": 9, "argument": "most", "note": "…" }]),
            "one\ntwo\nthree\n",
            "one\ntwo\n…\n",
        ),
        // A list and a text may have a cap each.
        (
            json!([{ "path": "$", "first": 1, "note": "" }, { "path": "$", "first-lines": 1, "note": "…" }]),
            "one\ntwo\nthree",
            "one\n…",
        ),
    ]);
}

#[test]
fn a_budget_of_bytes_ends_between_lines() {
    let line = "y".repeat(29);
    let text = format!("{line}\n").repeat(5);
    let bytes = |most: u32, whole: bool| json!([{ "path": "$", "bytes": most, "whole-lines": whole, "note": "[{shown}/{total}]" }]);
    let head = format!("{line}\n");
    table(&[
        (bytes(150, true), &text, ""),
        (bytes(100, true), &text, &format!("{head}{head}[60/150]\n")),
        (
            bytes(100, false),
            &text,
            &format!("{head}{head}{}\n[75/150]\n", "y".repeat(15)),
        ),
        // A line that is longer than the budget is cut between characters.
        (
            bytes(90, true),
            &"é".repeat(60),
            &format!("{}\n[66/120]", "é".repeat(33)),
        ),
        (
            json!([{ "path": "s", "bytes": 100, "whole-lines": true, "note": "[{shown}/{total}]" }]),
            &json!({ "s": text }).to_string(),
            &json!({ "s": format!("{head}{head}[62/155]\n") }).to_string(),
        ),
    ]);
}

#[test]
fn a_note_beside_lines_is_known_again() {
    let twice = |limit: u32| json!([{ "path": "$", "first-lines": limit, "note": "{shown} of {total}, {total}" }]);
    let quoting =
        |path: &str| json!([{ "path": path, "first-lines": 1, "note": "see \"{shown}/{total}\"" }]);
    table(&[
        // A total in two places is the same number.
        (
            twice(2),
            "one\ntwo\nthree\n3 of 40, 40\n",
            "one\ntwo\n2 of 40, 40\n",
        ),
        (twice(1), "one\n1 of 13, 14\n", "one\n1 of 2, 2\n"),
        // Nothing remains to cut, so the note's own line break stays.
        (
            json!([{ "path": "$", "first-lines": 2, "note": "{shown}/{total}" }]),
            "one\ntwo\n2/9\r\n",
            "",
        ),
        (quoting("$"), "one\ntwo two two", "one\nsee \"1/2\""),
        (
            quoting("s"),
            r#"{"s":"one\ntwo two two two"}"#,
            r#"{"s":"one\nsee \"1/2\""}"#,
        ),
    ]);
}

#[test]
fn a_line_over_the_budget_is_cut_between_characters() {
    let cap = |path: &str, whole: bool| json!([{ "path": path, "bytes": 90, "whole-lines": whole, "note": "[{shown}/{total}]" }]);
    let string = |content: &str| format!(r#"{{"s":"{content}"}}"#);
    let (letter, escape) = ("y", "\\u00e9");
    table(&[
        (
            cap("s", true),
            &string(&letter.repeat(100)),
            &string(&format!("{}\\n[65/100]", letter.repeat(65))),
        ),
        (
            cap("s", true),
            &string(&escape.repeat(20)),
            &string(&format!("{}\\n[60/120]", escape.repeat(10))),
        ),
        // A carriage return alone is no line break.
        (
            cap("$", false),
            &format!("{}\r", letter.repeat(100)),
            &format!("{}\n[66/101]", letter.repeat(66)),
        ),
    ]);
}
