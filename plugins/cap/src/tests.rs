//! The caps of a real policy with its numbers, each rule by hand, and promises on generated JSON.

use super::Capper;
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::testing::Bench;

#[path = "../../../examples/stand-in/src/lenspr/notes.rs"]
#[allow(dead_code, reason = "the server of this data needs more of it")]
mod notes;
#[path = "../../../examples/stand-in/src/lenspr/project.rs"]
#[allow(dead_code, reason = "the server of this data needs more of it")]
mod project;

fn bench(caps: Value) -> Bench<Capper> {
    Bench::new(json!({ "caps": caps }))
}

fn capped(caps: Value, document: &Value) -> Value {
    let text = bench(caps).apply(&document.to_string()).text().to_owned();
    serde_json::from_str(&text).expect("JSON")
}

fn numbers(count: usize) -> Value {
    (0..count).collect::<Vec<_>>().into()
}

#[test]
fn tests_are_capped_at_15_and_the_note_names_the_call_that_lists_them_all() {
    let caps = json!([{
        "path": "data.tests", "first": 15,
        "note": "{shown} of {total} tests; lens_search('test_{node_name}') lists them all",
    }]);
    let tests: Vec<Value> = (0..48).map(project::test).collect();
    let document = json!({ "success": true, "data": {
        "node_name": "apply_discounts", "tests": tests, "test_count": 48,
    }});
    let after = capped(caps.clone(), &document);
    assert_eq!(after["data"]["tests"], json!(tests[..15]));
    assert_eq!(after["data"]["tests_truncated"], true);
    assert_eq!(
        after["data"]["tests_note"],
        "15 of 48 tests; lens_search('test_apply_discounts') lists them all"
    );
    assert_eq!(after["data"]["test_count"], 48);
    // At the limit nothing is cut, and no note is added.
    let few = json!({ "data": { "tests": tests[..15], "node_name": "x" } });
    assert_eq!(capped(caps, &few), few);
}

fn usages(callers: usize, importers: usize, inheritors: usize) -> Value {
    let all =
        |edge: &str, count| -> Vec<Value> { (0..count).map(|n| project::usage(edge, n)).collect() };
    json!({ "data": {
        "callers": all("calls", callers), "importers": all("imports", importers),
        "inheritors": all("inherits", inheritors),
    }})
}

fn usage_caps() -> Value {
    json!([{
        "groups": ["data.callers", "data.importers", "data.inheritors", "data.other"],
        "fair": 50, "argument": "max_usages",
    }])
}

fn sizes(document: &Value) -> [usize; 3] {
    ["callers", "importers", "inheritors"]
        .map(|group| document["data"][group].as_array().map_or(0, Vec::len))
}

#[test]
fn usages_are_capped_at_50_and_each_group_keeps_a_fair_share() {
    let before = usages(212, 64, 18);
    let after = capped(usage_caps(), &before);
    assert_eq!(sizes(&after), [17, 17, 16]);
    assert_eq!(after["data"]["truncated"], true);
    assert_eq!(after["data"]["total_in_graph"], 294);
    assert_eq!(
        after["data"]["importers"][16],
        before["data"]["importers"][16]
    );
    assert_eq!(sizes(&capped(usage_caps(), &usages(212, 0, 4))), [46, 0, 4]);
    let few = usages(20, 20, 10);
    assert_eq!(capped(usage_caps(), &few), few);
}

#[test]
fn the_callers_own_argument_overrides() {
    let text = usages(212, 64, 18).to_string();
    for (arguments, expected) in [
        (json!({ "max_usages": 200 }), [118, 64, 18]),
        (json!({ "max_usages": 294 }), [212, 64, 18]),
        (json!({ "max_usages": 9_999_999_999_u64 }), [212, 64, 18]),
        (json!({ "max_usages": 5 }), [2, 2, 1]),
        (json!({ "max_usages": 0 }), [0, 0, 0]),
        // None of these is a number of usages.
        (json!({ "max_usages": null }), [17, 17, 16]),
        (json!({ "max_usages": -1 }), [17, 17, 16]),
        (json!({ "max_usages": "all" }), [17, 17, 16]),
        (json!([]), [17, 17, 16]),
    ] {
        let applied = bench(usage_caps()).arguments(&arguments).apply(&text);
        let after = serde_json::from_str(applied.text()).expect("JSON");
        assert_eq!(sizes(&after), expected, "{arguments}");
    }
}

fn resume_caps() -> Value {
    json!([
        { "path": "data.actions", "last": 30, "order-by": "timestamp", "argument": "max_actions",
          "flag": "", "note": "" },
        { "path": "data.user_notes.*.value", "bytes": 3072,
          "note": "[truncated: {shown} of {total} bytes; lens_session_read() returns the whole note]" },
    ])
}

#[test]
fn of_the_action_log_the_last_30_stay_in_time_order() {
    let newest_first: Vec<Value> = (0..notes::LOG_ENTRIES).rev().map(notes::action).collect();
    let last: Vec<Value> = (notes::LOG_ENTRIES - 30..notes::LOG_ENTRIES)
        .map(notes::action)
        .collect();
    assert_eq!(newest_first.len(), 97);
    let document = json!({ "data": { "actions": newest_first } });
    let after = capped(resume_caps(), &document);
    assert_eq!(after, json!({ "data": { "actions": last } }));
    let more = bench(resume_caps())
        .arguments(json!({ "max_actions": 2 }))
        .apply(&document.to_string())
        .text()
        .to_owned();
    let more: Value = serde_json::from_str(&more).expect("JSON");
    assert_eq!(more, json!({ "data": { "actions": last[28..] } }));
}

#[test]
fn each_user_note_is_cut_to_3_kb() {
    let list: Vec<Value> = notes::all().iter().map(notes::Note::to_json).collect();
    let document = json!({ "data": { "actions": [], "user_notes": list } });
    let after = capped(resume_caps(), &document);
    let mut cut = 0;
    for (note, whole) in after["data"]["user_notes"]
        .as_array()
        .expect("notes")
        .iter()
        .zip(notes::all())
    {
        let value = note["value"].as_str().expect("text");
        assert!(
            value.len() <= 3_072,
            "{} has {} bytes",
            whole.key,
            value.len()
        );
        if value != whole.value {
            cut += 1;
            let (head, last) = value.rsplit_once('\n').expect("a last line");
            assert!(whole.value.starts_with(head));
            assert!(
                last.ends_with("lens_session_read() returns the whole note]"),
                "{last}"
            );
            assert!(
                value.len() > 2_950,
                "{} is cut to {}",
                whole.key,
                value.len()
            );
        }
    }
    // The handoff and the self-evaluation.
    assert_eq!(cut, 2);
}

#[test]
fn a_note_falls_back_where_its_values_are_not_there() {
    let note = |wording: &str, document: Value| {
        let caps = json!([{ "path": "a.l", "first": 1, "note": wording }]);
        let applied = bench(caps)
            .arguments(json!({ "name": "f\"g", "list": [1] }))
            .apply(&document.to_string())
            .text()
            .to_owned();
        let after: Value = serde_json::from_str(&applied).expect("JSON");
        after["a"]["l_note"].as_str().expect("a note").to_owned()
    };
    let document = json!({ "a": { "l": [1, 2, 3], "name": "here" }, "name": "root", "up": { "n": 7 }, "no": [] });
    for (wording, expected) in [
        ("{name}, {up.n}, {argument.name}", "here, 7, f\"g"),
        ("{missing}", "1 of 3 shown"),
        ("{no}", "1 of 3 shown"),
        ("{argument.list}", "1 of 3 shown"),
        (
            "all: search {\"q\":\"{name}\"}",
            "all: search {\"q\":\"here\"}",
        ),
    ] {
        assert_eq!(note(wording, document.clone()), expected, "{wording}");
    }
}

#[test]
fn what_upstream_says_itself_stays() {
    let caps = json!([{ "path": "l", "last": 1, "total": "total", "flag": "cut" }]);
    let text = r#"{"l":[1,2],"total":99,"cut":false,"l_note":"mine"}"#;
    assert_eq!(
        bench(caps.clone()).apply(text).text(),
        r#"{"l":[2],"total":99,"cut":true,"l_note":"mine"}"#
    );
    let text = r#"{"l":[1,2],"cut":{"by":"me"}}"#;
    assert_eq!(
        bench(caps).apply(text).text(),
        r#"{"l":[2],"cut":{"by":"me"},"total":2,"l_note":"1 of 2 shown"}"#
    );
}

#[test]
fn untouched_bytes_stay() {
    let caps = json!([{ "path": "data.l", "first": 2, "note": "", "flag": "" }]);
    let text = "{\n  \"x\": 1.50E+2,\n  \"data\": {\"l\": [1e1, \"\\u0061\", 3], \"l2\":  null}\n}";
    assert_eq!(
        bench(caps).apply(text).text(),
        "{\n  \"x\": 1.50E+2,\n  \"data\": {\"l\": [1e1, \"\\u0061\"], \"l2\":  null}\n}"
    );
}

#[test]
fn caps_meet() {
    // Strings and lists inside a list that changes its order, and inside removed elements.
    let caps = json!([
        { "path": "log", "last": 2, "order-by": "at", "flag": "", "note": "" },
        { "path": "log.*.ids", "first": 1, "note": "" },
        { "path": "log.*.text", "bytes": 60, "note": "[cut]" },
    ]);
    let long = "y".repeat(100);
    let document = json!({ "log": [
        { "at": 3, "ids": [1, 2], "text": long, "x": [{ "y": 1 }] },
        { "at": 1, "ids": [3, 4], "text": long },
        { "at": 2.5, "ids": [5], "text": "short" },
    ]});
    let head = "y".repeat(60 - "\"[cut]\"".len());
    let after = capped(caps, &document);
    assert_eq!(
        after,
        json!({ "log": [
            { "at": 2.5, "ids": [5], "text": "short" },
            { "at": 3, "ids": [1], "text": format!("{head}\n[cut]"), "x": [{ "y": 1 }], "ids_truncated": true },
        ]})
    );
}

#[test]
fn of_two_caps_that_mean_one_value_the_first_counts() {
    let caps = json!([{ "path": "**.l", "first": 3 }, { "path": "l", "first": 2 }]);
    let once = capped(caps.clone(), &json!({ "l": numbers(4) }));
    assert_eq!(once["l"], numbers(3));
    assert_eq!(capped(caps.clone(), &once), once, "filtered twice");
    let short = json!({ "l": numbers(3) });
    assert_eq!(capped(caps, &short), short, "the first leaves it as it is");
}

#[test]
fn a_value_that_fills_the_note_leaves_room_for_the_cap() {
    let caps = json!([{ "path": "s", "bytes": 60, "note": "[see {name}]", "argument": "most" }]);
    let document = json!({ "s": "y".repeat(300), "name": "n".repeat(80) });
    let after = capped(caps.clone(), &document);
    assert_eq!(
        after["s"],
        format!("{}\n[truncated: 15 of 300 bytes]", "y".repeat(15))
    );
    // The caller asks for fewer bytes than the last line has.
    let applied = bench(caps)
        .arguments(json!({ "most": 1 }))
        .apply(&json!({ "s": "y".repeat(300), "name": "n" }).to_string())
        .text()
        .to_owned();
    let after: Value = serde_json::from_str(&applied).expect("JSON");
    let text = after["s"].as_str().expect("text");
    assert!(text.len() < 60 && text.ends_with("[see n]"), "{text}");
}

#[test]
fn what_is_in_doubt_stays() {
    let caps = json!([
        { "path": "l", "first": 1 }, { "path": "s", "bytes": 90 }, { "groups": ["a", "b"], "fair": 1 },
    ]);
    for text in [
        r#"{"l":[1,2],"l":[3,4]}"#,
        r#"{"l":[1,2],"\u006c":[3,4]}"#,
        r#"{"l":{"a":1,"b":2},"s":[1,2]}"#,
        r#"{"a":[1]}"#,
        "[[1,2]]",
        "{}",
        "",
        "text",
    ] {
        assert!(!bench(caps.clone()).apply(text).changed, "{text}");
    }
    let odd = format!(r#"{{"s":"{}"}}"#, "\\ud800".repeat(50));
    assert!(bench(caps).apply(&odd).text().contains("[truncated: "));
}

#[test]
fn nonsense_is_refused_with_the_key() {
    for (caps, why) in [
        (json!([]), "`caps` is empty"),
        (json!([{}]), "number 1: needs exactly one of"),
        (json!([{ "path": "a" }]), "`a`: needs exactly one of"),
        (
            json!([{ "path": "a", "first": 1, "last": 1 }]),
            "needs exactly one of",
        ),
        (json!([{ "first": 1 }]), "needs either `path` or `groups`"),
        (
            json!([{ "path": "a", "groups": ["b"], "fair": 1 }]),
            "needs either",
        ),
        (json!([{ "path": "a", "fair": 1 }]), "`groups`"),
        (json!([{ "groups": ["a"], "first": 1 }]), "`fair`"),
        (
            json!([{ "groups": ["a"], "fair": 1, "order-by": "x" }]),
            "`order-by`",
        ),
        (
            json!([{ "path": "a", "first": 1, "order-by": "x..y" }]),
            "`x..y`",
        ),
        (
            json!([{ "path": "a", "bytes": 500, "flag": "x" }]),
            "`flag`",
        ),
        (json!([{ "path": "a", "bytes": 10 }]), "`bytes` is 10"),
        (
            json!([{ "path": "a", "first": 1, "order-by": "x.*" }]),
            "`order-by` has a star",
        ),
        (
            json!([{ "path": "a", "first": 1, "order-by": "x.l_note" }]),
            "`order-by` ends with `l_note`",
        ),
        (json!([{ "path": "a", "bytes": 500, "note": "" }]), "`note`"),
        (
            json!([{ "path": "a", "first": 1, "note": "{a..b}" }]),
            "`a..b`",
        ),
        (json!([{ "path": "a..b", "first": 1 }]), "`a..b`"),
        (
            json!([{ "path": "a", "first": 1 }, { "path": "a", "last": 1 }]),
            "there twice",
        ),
        (json!([{ "path": "a", "first": -1 }]), "-1"),
        (json!([{ "path": "a", "most": 1 }]), "most"),
    ] {
        let refusal = Bench::<Capper>::refusal(json!({ "caps": caps })).expect("a refusal");
        assert!(refusal.contains(why), "{caps}: {refusal}");
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i8>().prop_map(Value::from),
        "[a-c\n\"é]{0,120}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 80, 6, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 0..7).prop_map(Value::from),
            2 => prop::collection::btree_map("[a-e]", inner, 0..5)
                .prop_map(|members| json!(members)),
        ]
    })
}

/// Caps of any kind with any of their settings, whose paths overlap.
fn caps() -> impl Strategy<Value = Vec<Value>> {
    let path = || {
        prop::sample::select(vec![
            "a", "b", "s", "**", "**.*", "**.a", "**.b", "a.*", "a.*.b", "*.c", "**.d.*", "a_note",
            "**.e", "$", "$", "*",
        ])
    };
    let text = |choices: &[&'static str]| prop::option::of(prop::sample::select(choices.to_vec()));
    let what = prop_oneof![
        (path(), 0u32..5).prop_map(|(path, most)| json!({ "path": path, "first": most })),
        (path(), 0u32..5).prop_map(|(path, most)| json!({ "path": path, "last": most })),
        (path(), 50u32..110, any::<bool>()).prop_map(
            |(path, most, whole)| json!({ "path": path, "bytes": most, "whole-lines": whole })
        ),
        (path(), 0u32..6).prop_map(|(path, most)| json!({ "path": path, "first-lines": most })),
        (path(), 0u32..6).prop_map(|(path, most)| json!({ "path": path, "last-lines": most })),
        (path(), path(), 0u32..7)
            .prop_map(|(one, two, most)| json!({ "groups": [one, two], "fair": most })),
    ];
    let cap = (
        what,
        text(&["a", "b", "c.d", "e", "0", "a.0"]),
        text(&["", "cut", "b", "d_note"]),
        text(&["all", "a", "cut"]),
        text(&[
            "{shown}/{total}",
            "{a} of {b}",
            "{argument.text}",
            "{s}",
            "{d.a}: {shown}",
            "plain",
            "{shown}{total}",
            "{total} {total}{shown}, \"{argument.text}\"",
        ]),
        text(&["note", "b_note", "e"]),
        text(&["most"]),
    );
    let cap = cap.prop_map(|(mut cap, order, flag, total, note, note_key, argument)| {
        let is_bytes = ["bytes", "first-lines", "last-lines"]
            .iter()
            .any(|key| cap.get(key).is_some());
        let is_fair = cap.get("fair").is_some();
        let is_root = cap.get("path") == Some(&json!("$"));
        let has_paths = note.is_some_and(|note: &str| {
            note.contains("{a}") || note.contains("{d.a}") || note.contains("{s}")
        });
        let is_bare = is_root || (is_bytes && cap.get("bytes").is_none());
        let mut set = |key: &str, value: Option<&str>, fits: bool| {
            if let Some(value) = value.filter(|_| fits) {
                cap[key] = json!(value);
            }
        };
        set("order-by", order, !is_bytes && !is_fair);
        set("flag", flag, !is_bytes && !is_root);
        set("total", total, !is_bytes && !is_root);
        set("note-key", note_key, !is_bytes && !is_root);
        set("note", note, !(is_bare && has_paths));
        set("argument", argument, true);
        cap
    });
    // The same path twice is refused.
    prop::collection::vec(cap, 1..4)
}

/// A capped text as the member `s`.
fn bench_of(document: &Value, cap: &mut Value, key: &str, limit: u32, note: &str) -> String {
    cap[key] = json!(if key == "bytes" { limit + 90 } else { limit });
    if !note.is_empty() {
        cap["note"] = json!(note);
    }
    let bench = Bench::<Capper>::new(json!({ "caps": [cap] })).arguments(json!({ "text": "7" }));
    let once = bench.apply(&document.to_string()).text().to_owned();
    assert_eq!(bench.apply(&once).text(), once, "filtered twice");
    let once: Value = serde_json::from_str(&once).expect("JSON");
    once["s"].as_str().expect("a text").to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn once_is_enough_and_json_stays_json(value in value(), pretty: bool) {
        let document = json!({ "a": value, "b": numbers(4) });
        let text = if pretty { format!("{document:#}") } else { document.to_string() };
        let bench = bench(json!([
            { "path": "**.c", "last": 2, "order-by": "a", "total": "d" },
            { "path": "a", "first": 3 },
            { "groups": ["**.b", "**.a.*"], "fair": 5 },
            { "path": "**.*", "bytes": 80 },
        ]));
        let once = bench.apply(&text);
        prop_assert!(once.is_json());
        let twice = bench.apply(once.text());
        prop_assert_eq!(once.text(), twice.text(), "of {}", text);
    }

    #[test]
    fn whatever_is_set_once_is_enough(
        value in value(), caps in caps(), pretty: bool, is_list: bool,
        argument in prop::option::of(0u32..90)
    ) {
        let document = if is_list {
            json!([value, numbers(4), "é\n".repeat(40), "3 of 5 shown", value])
        } else {
            json!({ "a": value, "b": numbers(4), "s": "é\n".repeat(40) })
        };
        let text = if pretty { format!("{document:#}") } else { document.to_string() };
        let settings = json!({ "caps": caps });
        // Settings that do not fit together are refused, and have their own test.
        prop_assume!(Bench::<Capper>::refusal(&settings).is_none());
        let mut bench = Bench::<Capper>::new(settings);
        if let Some(most) = argument {
            bench = bench.arguments(json!({ "most": most, "text": "x".repeat(most as usize) }));
        }
        let once = bench.apply(&text);
        prop_assert!(once.is_json());
        let twice = bench.apply(once.text());
        prop_assert_eq!(once.text(), twice.text(), "of {} by {}", text, json!(caps));
    }

    #[test]
    fn a_text_cut_once_is_cut(
        lines in prop::collection::vec("[ab\"\\\\é🦀]{0,12}", 0..12),
        line_break in prop::sample::select(vec!["\n", "\r\n"]),
        is_ended: bool,
        limit in 0u32..12,
        note in prop::sample::select(vec!["", "{shown}/{total}", "{total}{shown}", "b", "{argument.text}{total}"]),
    ) {
        let mut text = lines.join(line_break);
        if is_ended {
            text.push_str(line_break);
        }
        for key in ["first-lines", "last-lines", "bytes"] {
            let mut whole = json!({ "path": "$" });
            whole[key] = json!(if key == "bytes" { limit + 90 } else { limit });
            if !note.is_empty() {
                whole["note"] = json!(note);
            }
            if key == "bytes" {
                whole["whole-lines"] = json!(is_ended);
            }
            let settings = json!({ "caps": [whole] });
            prop_assume!(Bench::<Capper>::refusal(&settings).is_none());
            let bench = Bench::<Capper>::new(settings).arguments(json!({ "text": "7" }));
            let once = bench.apply(&text).text().to_owned();
            let twice = bench.apply(&once);
            prop_assert_eq!(twice.text(), &once, "{} of {:?}", key, text);
            if once == text {
                continue;
            }
            prop_assert!(once.len() < text.len());
            prop_assert_eq!(once.ends_with('\n'), text.ends_with('\n'));
            // The same text as a member is cut at the same position.
            let mut member = json!({ "path": "s" });
            let whole = bench_of(&json!({ "s": text }), &mut member, key, limit, note);
            if key != "bytes" {
                prop_assert_eq!(&whole, &once);
            }
        }
    }

    #[test]
    fn limits_hold(count in 0usize..40, limit in 0usize..40) {
        let document = json!({ "l": numbers(count) });
        let after = capped(json!([{ "path": "l", "last": limit }]), &document);
        let shown = after["l"].as_array().map_or(0, Vec::len);
        prop_assert_eq!(shown, count.min(limit));
        prop_assert_eq!(after.get("l_truncated").is_some(), count > limit);
        if count > limit {
            prop_assert_eq!(&after["l_note"], &json!(format!("{limit} of {count} shown")));
        }
    }
}

#[test]
fn the_schema_is_that_of_the_settings() {
    tamis_sdk::testing::assert_schema::<Capper>(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/settings.schema.json"
    ));
}
