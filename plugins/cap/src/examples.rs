//! Caps and documents, with their exact results.

use super::Capper;
use serde_json::{Value, json};
use tamis_sdk::testing::Bench;

fn capped(caps: &Value, document: &str) -> String {
    let bench = Bench::<Capper>::new(json!({ "caps": caps })).arguments(
        json!({ "most": 2, "text": "t", "yes": true, "none": null, "list": [1], "half": 0.5, "lines": "a\nb" }),
    );
    let once = bench.apply(document).text().to_owned();
    assert_eq!(bench.apply(&once).text(), once, "filtered twice: {caps}");
    once
}

#[track_caller]
pub(super) fn table(rows: &[(Value, &str, &str)]) {
    for (caps, document, expected) in rows {
        let expected = if expected.is_empty() {
            document
        } else {
            expected
        };
        assert_eq!(capped(caps, document), *expected, "{caps}");
    }
}

/// A cap that adds no members.
fn silent(mut cap: Value) -> Value {
    cap["flag"] = "".into();
    cap["note"] = "".into();
    json!([cap])
}

#[test]
fn lists_keep_their_first_or_last() {
    table(&[
        (
            json!([{ "path": "l", "first": 2 }]),
            r#"{"l":[1,2,3]}"#,
            r#"{"l":[1,2],"l_truncated":true,"l_note":"2 of 3 shown"}"#,
        ),
        (json!([{ "path": "l", "first": 3 }]), r#"{"l":[1,2,3]}"#, ""),
        (
            json!([{ "path": "l", "last": 2 }]),
            r#"{"l":[1,2,3]}"#,
            r#"{"l":[2,3],"l_truncated":true,"l_note":"2 of 3 shown"}"#,
        ),
        (
            json!([{ "path": "l", "first": 0, "total": "n" }]),
            r#"{"l":[1,2,3]}"#,
            r#"{"l":[],"l_truncated":true,"n":3,"l_note":"0 of 3 shown"}"#,
        ),
        // A list in a list has no object around it.
        (
            json!([{ "path": "1", "last": 1 }]),
            "[[1,2],[3,4]]",
            "[[1,2],[4]]",
        ),
        (
            json!([{ "path": "*", "last": 1 }]),
            "[[1,2],[3,4]]",
            "[[2],[4]]",
        ),
        // The caller's number counts, if it is a number.
        (
            silent(json!({ "path": "l", "first": 9, "argument": "most" })),
            r#"{"l":[1,2,3]}"#,
            r#"{"l":[1,2]}"#,
        ),
        (
            silent(json!({ "path": "l", "first": 1, "argument": "half" })),
            r#"{"l":[1,2,3]}"#,
            r#"{"l":[1]}"#,
        ),
        // A duplicate key is ambiguous, also in another spelling.
        (
            json!([{ "path": "l", "first": 1 }]),
            r#"{"l":[1,2],"\u006c":3}"#,
            "",
        ),
    ]);
}

#[test]
fn an_order_puts_what_has_no_key_first_then_numbers_then_texts() {
    let by = |order: &str, what: &str, most: u32| {
        silent(json!({ "path": "l", what: most, "order-by": order }))
    };
    table(&[
        (
            by("k", "first", 9),
            r#"{"l":[{"k":"b"},{"k":10},{"k":null},{"k":"B"},{"k":9.5},{"k":-1e3},{"x":1},{"k":"ba"},{"k":true}]}"#,
            r#"{"l":[{"k":null},{"x":1},{"k":true},{"k":-1e3},{"k":9.5},{"k":10},{"k":"B"},{"k":"b"},{"k":"ba"}]}"#,
        ),
        // A duplicate key counts as none. Elements with equal keys keep their order.
        (
            by("k", "first", 2),
            r#"{"l":[{"k":1,"n":1},{"k":2,"k":3},{"k":1,"n":2}]}"#,
            r#"{"l":[{"k":2,"k":3},{"k":1,"n":1}]}"#,
        ),
        (
            by("k", "last", 2),
            r#"{"l":[{"k":3},{"k":1},{"k":2}]}"#,
            r#"{"l":[{"k":2},{"k":3}]}"#,
        ),
        (
            by("a.b", "last", 1),
            r#"{"l":[{"a":{"b":2}},{"a":{"b":1}}]}"#,
            r#"{"l":[{"a":{"b":2}}]}"#,
        ),
        // Already in order, so the list is not written again.
        (
            by("k", "last", 2),
            "{\"l\":[ {\"k\": 1},\n {\"k\": 2},\n {\"k\": 3} ]}",
            "{\"l\":[ {\"k\": 2},\n {\"k\": 3} ]}",
        ),
        (by("k", "first", 3), r#"{"l":[ {"k":1}, {"k":2} ]}"#, ""),
    ]);
}

#[test]
fn what_an_order_or_a_note_stands_on_is_not_cut() {
    let long = "x".repeat(100);
    let text = |template: &str| template.replace('$', &long);
    let keyed = text(r#"{"l":[{"k":"$1"},{"k":"$0"}]}"#);
    let noted = text(r#"{"l":[1,2],"l_note":"$"}"#);
    let other = text(r#"{"l":[1,2],"x_note":"$"}"#);
    table(&[
        (
            json!([
                { "path": "l", "last": 1, "order-by": "k", "flag": "", "note": "" },
                { "path": "l.*.k", "bytes": 80 },
            ]),
            &keyed,
            &text(r#"{"l":[{"k":"$1"}]}"#),
        ),
        // An existing note stays unchanged; another string is cut.
        (
            json!([{ "path": "**.*", "bytes": 80 }, { "path": "l", "last": 1 }]),
            &noted,
            &text(r#"{"l":[2],"l_note":"$","l_truncated":true}"#),
        ),
        (
            json!([{ "path": "**.*", "bytes": 80 }, { "path": "l", "last": 1 }]),
            &other,
            &format!(
                r#"{{"l":[2],"x_note":"{}\n[truncated: 35 of 100 bytes]","l_truncated":true,"l_note":"1 of 2 shown"}}"#,
                "x".repeat(35)
            ),
        ),
        // Lists around a key, at any depth.
        (
            json!([
                { "path": "l", "last": 1, "order-by": "o.x.1.k", "flag": "", "note": "" },
                { "path": "**.*", "first": 1, "flag": "", "note": "" },
            ]),
            r#"{"l":[{"a":[1,2],"o":{"b":[3,4],"x":[0,{"k":[5,6]}],"c":[7,8]},"d":[9,0]}],"e":[1,2]}"#,
            r#"{"l":[{"a":[1],"o":{"b":[3],"x":[0,{"k":[5,6]}],"c":[7]},"d":[9]}],"e":[1]}"#,
        ),
    ]);
}

#[test]
fn groups_share_one_limit() {
    let fair = |most: u32| json!([{ "groups": ["a", "b", "c.d"], "fair": most }]);
    table(&[
        (fair(5), r#"{"a":[1,2,3],"b":[4,5]}"#, ""),
        (
            fair(4),
            r#"{"a":[1,2,3],"b":[4,5]}"#,
            r#"{"a":[1,2],"b":[4,5],"truncated":true,"total_in_graph":5}"#,
        ),
        (
            fair(3),
            r#"{"c":{"d":[1,2]},"a":[3,4],"b":[5,6],"x":[7,8]}"#,
            r#"{"c":{"d":[1]},"a":[3],"b":[5],"x":[7,8],"truncated":true,"total_in_graph":6}"#,
        ),
        (
            json!([{ "groups": ["a", "b"], "fair": 1, "note": "{shown} of {total}, {t}", "flag": "" }]),
            r#"{"b":[1],"a":[2],"t":true}"#,
            r#"{"b":[],"a":[2],"t":true,"total_in_graph":2,"note":"1 of 2, true"}"#,
        ),
        // A value that is no list, or has a duplicate key, has no share.
        (
            fair(2),
            r#"{"a":[1,2],"b":{"x":[1,2,3]},"c":{"d":"text"}}"#,
            "",
        ),
        (fair(2), r#"{"a":[1,2],"b":[3],"b":[4]}"#, ""),
    ]);
}

#[test]
fn members_that_are_there_stay() {
    let caps = json!([{ "path": "l", "first": 1, "total": "n" }]);
    table(&[
        (
            caps.clone(),
            r#"{"l_truncated":false,"l":[1,2]}"#,
            r#"{"l_truncated":true,"l":[1],"n":2,"l_note":"1 of 2 shown"}"#,
        ),
        (
            caps.clone(),
            r#"{"l_truncated":true,"l":[1,2],"n":null}"#,
            r#"{"l_truncated":true,"l":[1],"n":null,"l_note":"1 of 2 shown"}"#,
        ),
        (
            caps,
            r#"{"l_truncated":"no","l_note":7,"l":[1,2]}"#,
            r#"{"l_truncated":"no","l_note":7,"l":[1],"n":2}"#,
        ),
        // Two adjacent lists that add the same member: the first one does.
        (
            json!([{ "path": "*", "first": 1, "flag": "cut", "total": "n", "note-key": "say" }]),
            r#"{"a":[1,2],"b":[1,2,3]}"#,
            r#"{"a":[1],"b":[1],"cut":true,"n":2,"say":"1 of 2 shown"}"#,
        ),
    ]);
}

#[test]
fn a_note_is_filled_from_the_call_and_the_document() {
    for (wording, note) in [
        (
            "{argument.text} {argument.most} {argument.half} {argument.yes}",
            "t 2 0.5 true",
        ),
        ("{argument.none}", "1 of 2 shown"),
        ("{argument.list}", "1 of 2 shown"),
        ("{argument.other}", "1 of 2 shown"),
        ("{s} {n} {t} {f}", "here 1.50 true false"),
        ("{up.s}", "above"),
        ("{z}", "1 of 2 shown"),
        ("{o}", "1 of 2 shown"),
        ("{l}", "1 of 2 shown"),
        ("{two}", "1 of 2 shown"),
        ("{shown}{total}{s}{n}", "12here1.50"),
        ("\"{s}\"\\", "\\\"here\\\"\\\\"),
    ] {
        let caps = json!([{ "path": "a.l", "first": 1, "flag": "", "note": wording }]);
        let document = r#"{"a":{"l":[1,2]$,"s":"here","n":1.50,"t":true,"f":false,"z":null,"o":{},"two":1,"two":2},"s":"root","up":{"s":"above"}}"#;
        let added = format!(r#","two":2,"l_note":"{note}"}}"#);
        let expected = document
            .replace("2]$", "]")
            .replace("[1,]", "[1]")
            .replace(r#","two":2}"#, &added);
        assert_eq!(
            capped(&caps, &document.replace('$', "")),
            expected,
            "{wording}"
        );
    }
}

#[test]
fn a_string_ends_with_a_line_that_says_so() {
    let string = |len: usize| format!(r#"{{"s":"{}"}}"#, "y".repeat(len));
    let cut = |shown: usize, line: &str| format!(r#"{{"s":"{}\n{line}"}}"#, "y".repeat(shown));
    let bytes = |most: usize, note: &str| json!([{ "path": "s", "bytes": most, "note": note }]);
    let own = "[truncated: {shown} of {total} bytes]";
    table(&[
        (bytes(90, own), &string(90), ""),
        (
            bytes(90, own),
            &string(91),
            &cut(45, "[truncated: 45 of 91 bytes]"),
        ),
        (
            bytes(90, "[{shown}/{total}]"),
            &string(91),
            &cut(65, "[65/91]"),
        ),
        // The note asks for a missing value, and the result has no room for the note.
        (
            bytes(90, "[see {x}]"),
            &string(91),
            &cut(45, "[truncated: 45 of 91 bytes]"),
        ),
        (
            json!([{ "path": "s", "bytes": 90 }]),
            r#"{"s":["a","b"]}"#,
            "",
        ),
    ]);
}

#[test]
fn caps_inside_each_other_are_made_in_one_document() {
    let quiet = |mut cap: Value| {
        cap["flag"] = "".into();
        cap["note"] = "".into();
        cap
    };
    let ordered = quiet(json!({ "path": "l", "last": 2, "order-by": "k" }));
    table(&[
        // Nothing changes inside removed elements. Elements that stay do change.
        (
            json!([quiet(json!({ "path": "l", "first": 1 })), { "path": "l.*.m", "first": 1 }]),
            r#"{"l":[{"m":[1,2]},{"m":[3,4]}]}"#,
            r#"{"l":[{"m":[1],"m_truncated":true,"m_note":"1 of 2 shown"}]}"#,
        ),
        // A list in another order is written again, with all planned changes in it.
        (
            json!([ordered, { "path": "l.*.m", "first": 1 }, quiet(json!({ "path": "l.*.o.*", "first": 1 }))]),
            r#"{"l":[ {"k":3, "m":[1, 2], "x":{"y":[ 1 ]}}, {"k":1,"m":[]}, {"k":2,"o":{"p":[3,4],"q":[[5,6],7]}, "e":{}} ]}"#,
            r#"{"l":[{"k":2,"o":{"p":[3],"q":[[5,6]]},"e":{}},{"k":3,"m":[1],"x":{"y":[ 1 ]},"m_truncated":true,"m_note":"1 of 2 shown"}]}"#,
        ),
        (
            json!([ordered, quiet(json!({ "path": "l.*.a.*", "last": 1 }))]),
            r#"{"l":[{"k":2,"a":[[1,2],[3]]},{"k":1,"a":[[4,5]]}],"m":[1]}"#,
            r#"{"l":[{"k":1,"a":[[5]]},{"k":2,"a":[[2],[3]]}],"m":[1]}"#,
        ),
        // A list inside another list that also changes its order.
        (
            json!([
                ordered,
                quiet(json!({ "path": "l.*.l", "first": 1, "order-by": "j" }))
            ]),
            r#"{"l":[{"k":2,"l":[{"j":2},{"j":1}]},{"k":1}]}"#,
            r#"{"l":[{"k":1},{"k":2,"l":[{"j":1}]}]}"#,
        ),
    ]);
}

#[test]
fn a_list_that_is_the_document_ends_with_the_note() {
    let first = json!([{ "path": "$", "first": 2 }]);
    table(&[
        (first.clone(), "[1, 2,\n 3]", "[1, 2,\"2 of 3 shown\"]"),
        (first.clone(), "[1,2]", ""),
        (first.clone(), r#"{"l":[1,2,3]}"#, ""),
        (first.clone(), "[]", ""),
        (
            json!([{ "path": "$", "last": 1, "note": "{shown} of {total}: list({argument.most})" }]),
            "[[1],[2],[3]]",
            r#"[[3],"1 of 3: list(2)"]"#,
        ),
        (
            json!([{ "path": "$", "first": 0 }]),
            "[1,2,3]",
            r#"["0 of 3 shown"]"#,
        ),
        (
            json!([{ "path": "$", "first": 1, "note": "" }]),
            "[1,2,3]",
            "[1]",
        ),
        (
            json!([{ "path": "$", "last": 2, "order-by": "k" }]),
            r#"[{"k":3},{"k":1},{"k":2}]"#,
            r#"[{"k":2},{"k":3},"2 of 3 shown"]"#,
        ),
        // Content inside has its own caps, and the note is not cut.
        (
            json!([{ "path": "$", "first": 1 }, { "path": "*.l", "first": 1 }, { "path": "*", "first-lines": 0 }]),
            r#"[{"l":[1,2]},{"l":[3]}]"#,
            r#"[{"l":[1],"l_truncated":true,"l_note":"1 of 2 shown"},"1 of 2 shown"]"#,
        ),
        // The note of another limit: its total is still true.
        (
            first.clone(),
            r#"[1,2,3,"3 of 40 shown"]"#,
            r#"[1,2,"2 of 40 shown"]"#,
        ),
        // Not a note of this cap, so it is an ordinary element.
        (
            first.clone(),
            r#"[1,2,"2 of 2 shown"]"#,
            r#"[1,2,"2 of 3 shown"]"#,
        ),
        (first, r#"[1,2,"1 of 3 shown"]"#, r#"[1,2,"2 of 3 shown"]"#),
    ]);
}

#[test]
fn settings_that_make_no_sense_together_are_refused() {
    let bytes = |key: &str| {
        let mut cap = json!({ "path": "a", "bytes": 500 });
        cap[key] = "x".into();
        json!([cap])
    };
    for (caps, why) in [
        (
            bytes("order-by"),
            "`caps`: `a`: `order-by` is for lists, and `bytes` for texts",
        ),
        (bytes("flag"), "`flag` is for lists"),
        (bytes("total"), "`total` is for lists"),
        (bytes("note-key"), "`note-key` is for lists"),
        (
            json!([{ "path": "a", "bytes": 500, "note": "a\nb" }]),
            "`note` has to be one line",
        ),
        (
            json!([{ "path": "a", "bytes": 500, "note": " " }]),
            "`note` has to be one line",
        ),
        (
            json!([{ "path": "a", "bytes": 60 }]),
            "`bytes` is 60, and the last line alone may take 79",
        ),
        (
            json!([{ "path": "a", "bytes": 46, "note": "12345" }]),
            "may take 47",
        ),
        (json!([{ "path": "a", "bytes": 78 }]), "may take 79"),
        // Beside a whole line, or in a whole document, line breaks surround the note.
        (
            json!([{ "path": "a", "bytes": 86, "whole-lines": true }]),
            "may take 87",
        ),
        (json!([{ "path": "$", "bytes": 86 }]), "may take 87"),
        (
            json!([{ "path": "$", "first": 1, "flag": "cut" }]),
            "`caps`: `$`: `flag` is a member beside the list",
        ),
        (
            json!([{ "path": "$", "first": 1, "note": "{shown} {name}" }]),
            "`note` has `{name}`: for the whole document it takes {shown}, {total} and {argument.NAME}",
        ),
        (
            json!([{ "path": "a", "last-lines": 1, "note": "{name}" }]),
            "`note` has `{name}`: for lines",
        ),
        (
            json!([{ "path": "a", "last-lines": 1, "total": "n" }]),
            "`total` is for lists, and `last-lines` for texts",
        ),
        (
            json!([{ "path": "a", "first-lines": 1, "note": "a\rb" }]),
            "`note` has to be one line",
        ),
        (
            json!([{ "path": "a", "first-lines": 1, "whole-lines": true }]),
            "`whole-lines` goes with `bytes`, not with `first-lines`",
        ),
        (
            json!([{ "groups": ["$", "a"], "fair": 1 }]),
            "`$` is the whole document, which shares with nothing",
        ),
        (
            json!([{ "path": "$", "bytes": 500 }, { "path": "$", "first-lines": 5 }]),
            "`$` is there twice: give each path once for lists, and once for texts",
        ),
        (
            json!([{ "path": "a", "first": 1, "order-by": "x.cut" }, { "path": "b", "first": 1, "flag": "cut" }]),
            "`order-by` ends with `cut`",
        ),
        (
            json!([{ "path": "a", "first": 1, "order-by": "a_truncated" }]),
            "`order-by` ends with",
        ),
        (
            json!([{ "path": "a", "first": 1, "order-by": "n", "total": "n" }]),
            "`order-by` ends with `n`",
        ),
        (
            json!([{ "groups": ["a", "b"], "fair": 1 }, { "path": "b", "first": 1 }]),
            "`b` is there twice",
        ),
        (
            json!([{ "path": "x", "first": 1 }, { "path": "b", "first": 1, "note": "{a..b}" }]),
            "`caps`: `b`: `note`",
        ),
        (
            json!([{ "path": "x", "first": 1 }, {}]),
            "`caps`: number 2: needs exactly one",
        ),
    ] {
        let refusal = Bench::<Capper>::refusal(json!({ "caps": caps })).unwrap_or_default();
        assert!(refusal.contains(why), "{caps}: {refusal}");
    }
    for caps in [
        json!([{ "path": "a", "bytes": 79 }]),
        json!([{ "path": "a", "bytes": 87, "whole-lines": true }]),
        json!([{ "path": "$", "bytes": 87 }]),
        // A list that is the whole document has no member beside it.
        json!([{ "path": "$", "first": 1, "order-by": "l_note" }]),
        json!([{ "path": "a", "bytes": 62, "note": "12345" }]),
        json!([{ "path": "a", "first": 1, "order-by": "x.notes" }]),
        json!([{ "path": "a", "first": 1, "order-by": "a_note", "note-key": "" }]),
        json!([{ "path": "a", "first": 1, "order-by": "a_truncated", "flag": "" }]),
    ] {
        assert_eq!(
            Bench::<Capper>::refusal(json!({ "caps": caps })),
            None,
            "{caps}"
        );
    }
}
