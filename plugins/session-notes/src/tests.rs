//! The filter on notes of a real project's size (the stand-in's: 101 notes, 65 KB), on each form of notes by hand, and
//! its promises on generated notes.

use super::SessionNotes;
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::{Surface, testing::Bench};

#[path = "../../../examples/stand-in/src/lenspr/notes.rs"]
#[allow(dead_code, reason = "the server of this data needs more of it")]
mod notes;
#[path = "../../../examples/stand-in/src/lenspr/project.rs"]
#[allow(dead_code, reason = "the server of this data needs more of it")]
mod project;

fn bench(settings: Value) -> Bench<SessionNotes> {
    Bench::new(settings)
}

/// Keys of the notes in the stand-in's instructions.
fn keys_in_markdown(text: &str) -> Vec<&str> {
    let (_, notes) = text.split_once("\n## Session Notes\n").expect("a section");
    let headings = notes.lines().filter_map(|line| line.strip_prefix("### "));
    headings.collect()
}

const TRUNCATED_END: &str = "bytes; lens_session_read() returns the whole note]";

#[test]
fn instructions_of_65_kb_become_3_to_5_kb() {
    let instructions = notes::instructions();
    for surface in [Surface::Instructions, Surface::Prompt, Surface::Result] {
        let applied = bench(json!({})).surface(surface).apply(&instructions);
        let text = applied.text();
        assert!(instructions.len() > 63_000, "{}", instructions.len());
        assert!(
            (3_000..=5_000).contains(&text.len()),
            "{} bytes:\n{text}",
            text.len()
        );
        assert_eq!(
            keys_in_markdown(text),
            ["current_session", "self_evaluation"]
        );
        // The text before the notes stays unchanged.
        let before = instructions.find("### ").expect("a note");
        assert_eq!(text[..before], instructions[..before]);
        let last = text.trim_end().lines().last().expect("lines");
        assert!(last.starts_with("[truncated: "), "{last}");
        assert!(last.ends_with(TRUNCATED_END), "{last}");
    }
}

#[test]
fn a_handoff_that_says_something_new_stays() {
    let instructions = notes::instructions();
    let handoff = notes::handoff();
    let new = "Decided with Ada: rounding happens once, in the ledger. ".repeat(50);
    let text = instructions.replace(&handoff, &new);
    let applied = bench(json!({})).apply(&text);
    // Alphabetical, after the current session. The rest of the budget is too small for the self-evaluation.
    assert_eq!(
        keys_in_markdown(applied.text()),
        ["current_session", "handoff"]
    );
    assert!(
        applied
            .text()
            .ends_with("\n[1 more notes left out; lens_session_read() returns all of them]\n"),
        "{}",
        applied.text()
    );
    assert!(applied.text().len() < 5_000);
    // A policy may ignore repetition, or treat any handoff as one.
    let all = bench(json!({ "drop-repeats": [] })).apply(&instructions);
    assert_eq!(keys_in_markdown(all.text())[1], "handoff");
    let none = bench(json!({ "repeat-percent": 0 })).apply(&text);
    assert!(!keys_in_markdown(none.text()).contains(&"handoff"));
}

#[test]
fn a_list_and_an_object_of_101_notes_become_3_to_5_kb() {
    let all = notes::all();
    let list: Vec<Value> = all.iter().map(notes::Note::to_json).collect();
    let object: serde_json::Map<_, _> = all
        .iter()
        .map(|note| (note.key.clone(), note.value.clone().into()))
        .collect();
    assert_eq!(list.len(), 101);
    for document in [
        json!({ "success": true, "data": { "count": 101, "notes": list } }),
        json!({ "notes": object }),
        json!({ "data": { "notes": object } }),
        Value::Array(list.clone()),
        Value::Object(object.clone()),
    ] {
        for text in [document.to_string(), format!("{document:#}")] {
            let applied = bench(json!({})).apply(&text);
            assert!(text.len() > 60_000, "{}", text.len());
            let len = applied.text().len();
            assert!((2_500..=5_000).contains(&len), "{len}: {}", applied.text());
            assert!(applied.text().contains("current_session"));
            assert!(!applied.text().contains("_log_"));
            assert!(!applied.text().contains("handoff"));
            let parsed: Value = serde_json::from_str(applied.text()).expect("it parses");
            assert_eq!(parsed["success"], document["success"]);
        }
    }
}

#[test]
fn one_note_is_cut_to_2_kb_and_says_so_at_its_end() {
    let whole = "x".repeat(16_000);
    let applied = bench(json!({})).apply(&json!({ "notes": { "b": whole } }).to_string());
    let parsed: Value = serde_json::from_str(applied.text()).expect("JSON");
    let note = parsed["notes"]["b"].as_str().expect("a string");
    assert!((2_000..=2_048).contains(&note.len()), "{}", note.len());
    let (head, last) = note.rsplit_once('\n').expect("a last line");
    assert_eq!(
        last,
        format!("[truncated: {} of 16000 {TRUNCATED_END}", head.len())
    );
    assert!(whole.starts_with(head));
    // Exactly at the limit, nothing is cut.
    let exact = json!({ "notes": { "b": "x".repeat(2_048) } }).to_string();
    assert!(!bench(json!({})).apply(&exact).changed);
    let over = json!({ "notes": { "b": "x".repeat(2_049) } }).to_string();
    assert!(bench(json!({})).apply(&over).changed);
}

#[test]
fn the_session_at_hand_is_first_and_the_rest_alphabetical() {
    let applied = bench(json!({})).apply(
        r#"{"notes":{"todo":"t","_log_1":"l", "Zeta":"z","handoff_at":"h","current_session":"c","a":"\u00e9"}}"#,
    );
    assert_eq!(
        applied.text(),
        r#"{"notes":{"current_session":"c","Zeta":"z","a":"\u00e9","todo":"t"}}"#
    );
    let first = bench(json!({ "first": ["t*", "a"] }));
    assert_eq!(
        first
            .apply(r#"{"notes":{"a":1,"b":2,"tz":3,"ta":4}}"#)
            .text(),
        r#"{"notes":{"ta":4,"tz":3,"a":1,"b":2}}"#
    );
}

#[test]
fn what_has_no_place_is_counted_in_one_line() {
    let notes: serde_json::Map<_, _> = (0..10)
        .map(|n| (format!("note{n}"), "y".repeat(900).into()))
        .collect();
    let list: Vec<Value> = notes
        .iter()
        .map(|(key, value)| json!({ "key": key, "value": value }))
        .collect();
    let markdown: String = notes
        .iter()
        .map(|(key, value)| format!("### {key}\n{}\n", value.as_str().expect("text")))
        .collect();
    let line = "[6 more notes left out; lens_session_read() returns all of them]";

    let object = bench(json!({})).apply(&json!({ "notes": notes }).to_string());
    let parsed: Value = serde_json::from_str(object.text()).expect("JSON");
    assert_eq!(parsed["notes"]["_left_out"], line);
    assert_eq!(
        parsed["notes"].as_object().map(serde_json::Map::len),
        Some(5)
    );

    let list = bench(json!({})).apply(&json!({ "notes": list }).to_string());
    let parsed: Value = serde_json::from_str(list.text()).expect("JSON");
    assert_eq!(
        parsed["notes"][4],
        json!({ "key": "_left_out", "value": line })
    );

    let text = format!("# S\n\n## Session Notes\n{markdown}");
    let text = bench(json!({})).apply(&text).text().to_owned();
    assert!(
        text.ends_with(&format!("{}\n{line}\n", "y".repeat(900))),
        "{text}"
    );
    assert_eq!(keys_in_markdown(&text).len(), 4);
    assert!(!bench(json!({})).apply(&text).changed, "a second time");
}

#[test]
fn markdown_sections_without_a_section_around_them() {
    let text = "# lens\nrules\n\n## zeta\nz\n\n## current_session\nc\n## Not A Key\nstays\n\n## _log_1\nl\n## handoff_at\n2026";
    assert_eq!(
        bench(json!({})).apply(text).text(),
        "# lens\nrules\n\n## current_session\nc\n## Not A Key\nstays\n\n## zeta\nz\n\n"
    );
    // Without a key that the rules name, these may be any sections.
    assert!(!bench(json!({})).apply("## usage\nu\n\n## api\na\n").changed);
    // The text after the notes stays, if the policy says where they end.
    let until = bench(json!({ "until": ["Rules*"] }));
    assert_eq!(
        until
            .apply("## _log_1\nl\n## b\nb\n## Rules of all\n## _log_2\n")
            .text(),
        "## b\nb\n## Rules of all\n## _log_2\n"
    );
}

#[test]
fn what_is_not_clearly_notes_is_left_alone() {
    for text in [
        r#"{"notes":{"_log_1":"a","_log_1":"b"}}"#,
        r#"{"notes":{"_log_1":"a","\ud800":"b"}}"#,
        r#"{"notes":[{"key":"_log_1"},"text"]}"#,
        r#"{"notes":[{"key":1,"value":"x"}]}"#,
        r#"{"notes":[{"key":"_log_1","key":"b","value":"x"}]}"#,
        r#"{"notes":"_log_1"}"#,
        r#"{"b":1,"a":2}"#,
        "[]",
        "{}",
        "",
        "## Session Notes\n",
        "no notes at all",
    ] {
        let applied = bench(json!({})).apply(text);
        assert!(!applied.changed, "{text} became {}", applied.text());
    }
}

#[test]
fn odd_values_are_cut_too() {
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let list = format!("[{}]", vec!["12345"; 2_000].join(","));
    let odd = format!("\"{}\"", "\\ud800".repeat(1_000));
    let text = format!(r#"{{"notes":{{"a":{list},"b":{odd},"c":{deep},"d":null}}}}"#);
    let settings = json!({ "total-bytes": 8192 });
    let applied = bench(settings).apply(&text);
    assert!(
        applied.text().contains("[12345,12345"),
        "{}",
        applied.text()
    );
    assert!(applied.text().contains(&deep));
    assert!(applied.text().contains(r#""d":null"#));
    assert!(applied.text().len() < 5_000, "{}", applied.text().len());
    assert!(applied.is_json());
}

#[test]
fn nonsense_is_refused_with_the_key() {
    for (settings, key) in [
        (json!({ "at": ["a..b"] }), "`at`"),
        (json!({ "recent-at": ["a.**"] }), "`recent-at`"),
        (json!({ "note-bytes": 80 }), "`note-bytes`"),
        (json!({ "note-bytes": 5000 }), "`total-bytes`"),
        (json!({ "repeat-percent": 101 }), "`repeat-percent`"),
        (json!({ "heading-level": 7 }), "`heading-level`"),
        (json!({ "truncated": "{bytes} more" }), "{bytes}"),
        (json!({ "left-out": "" }), "`left-out`"),
        (json!({ "key-field": "" }), "`key-field`"),
        (json!({ "key-field": "value" }), "`value-field`"),
        (json!({ "budget": 1 }), "budget"),
    ] {
        let refusal = Bench::<SessionNotes>::refusal(&settings).expect("a refusal");
        assert!(refusal.contains(key), "{settings}: {refusal}");
    }
}

/// Keys that the rules name, and others.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => "[a-d]{1,2}",
        2 => prop::sample::select(vec![
            "_log_1", "_log_2", "handoff", "handoff_at", "current_session", "_left_out", "notes",
        ]).prop_map(str::to_owned),
    ]
}

fn note() -> impl Strategy<Value = Value> {
    let words = prop::collection::vec("[a-c]{1,2}|#+ [a-c]+\n|é🦀\n|\"\\\\", 0..90);
    prop_oneof![
        6 => words.prop_map(|words| words.join(" ").into()),
        1 => Just(json!(null)),
        1 => Just(json!([1, { "a": "b" }])),
    ]
}

fn document() -> impl Strategy<Value = String> {
    let notes = prop::collection::vec((key(), note()), 0..9);
    (notes, 0..8).prop_map(|(notes, form)| {
        let object: serde_json::Map<_, _> = notes.iter().cloned().collect();
        let list = || -> Vec<Value> {
            let element = |(key, value): &(String, Value)| json!({ "key": key, "value": value });
            notes.iter().map(element).collect()
        };
        let markdown = |marks: &str| -> String {
            let section = |(key, value): &(String, Value)| {
                format!("{marks} {key}\n{}\n", value.as_str().unwrap_or("null"))
            };
            notes.iter().map(section).collect()
        };
        match form {
            0 => json!({ "notes": object }).to_string(),
            1 => format!("{:#}", json!({ "data": { "notes": object } })),
            2 => Value::Object(object).to_string(),
            3 => json!({ "notes": list() }).to_string(),
            4 => Value::Array(list()).to_string(),
            5 => format!(
                "# S\n## Recent Changes\na b c\n## Session Notes\n{}",
                markdown("###")
            ),
            6 => markdown("##"),
            _ => format!("## Session Notes\nabout\n{}", markdown("####"))
                .trim_end()
                .to_owned(),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// With small limits: the budget holds, JSON stays JSON, and filtering twice equals filtering once.
    #[test]
    fn notes_keep_to_their_budget(text in document()) {
        let bench = bench(json!({
            "note-bytes": 180, "total-bytes": 400, "until": ["b"], "repeat-percent": 50,
        }));
        let once = bench.apply(&text);
        let twice = bench.apply(once.text());
        prop_assert_eq!(once.text(), twice.text(), "of {}", text);
        if text.starts_with(['{', '[']) {
            prop_assert!(once.is_json());
        }
        if once.changed && !text.contains('#') {
            prop_assert!(once.text().len() < 400 + 200, "{}", once.text());
        }
    }

    #[test]
    fn any_text_is_survived(text in "\\PC{0,80}|(#{1,4} [a-c]{1,3}\n|\\[1 more|\n|é){0,30}") {
        bench(json!({})).apply(&text);
        bench(json!({ "heading-level": 1, "section": "a" })).apply(&text);
    }
}

#[test]
fn the_schema_is_that_of_the_settings() {
    tamis_sdk::testing::assert_schema::<SessionNotes>(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/settings.schema.json"
    ));
}
