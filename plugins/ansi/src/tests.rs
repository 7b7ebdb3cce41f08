//! Tests: sequences of every kind are removed, and nothing else.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::testing::{Bench, assert_schema};

fn bench() -> Bench<Ansi> {
    Bench::new("{}")
}

/// Filters a text by itself, and as a string in JSON, spelled in two ways.
fn filtered(settings: &Value, text: &str) -> String {
    let bench = Bench::<Ansi>::new(settings);
    let found = bench.apply(text).text().to_owned();
    let json = json!([text]).to_string();
    let mut upper = json.replace("\\u001b", "\\u001B");
    if !text.contains('\\') {
        upper = upper.replace("\\b", "\\u0008");
    }
    for json in [json, upper] {
        let in_json: Value = serde_json::from_str(bench.apply(&json).text()).expect("JSON");
        assert_eq!(in_json, json!([found]), "in JSON");
    }
    found
}

#[test]
fn the_schema_is_that_of_the_settings() {
    assert_schema::<Ansi>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

#[test]
fn sequences_go() {
    for (text, plain) in [
        ("\u{1b}[31mred\u{1b}[0m", "red"),
        ("\u{1b}[1;38;2;10;20;30mx\u{1b}[m", "x"),
        ("a\u{1b}[2Jb\u{1b}[?25lc\u{1b}[10;20Hd", "abcd"),
        ("\u{1b}]0;title\u{7}x\u{1b}]2;t\u{1b}\\y", "xy"),
        (
            "\u{1b}]8;;https://example.com/a\u{1b}\\link\u{1b}]8;;\u{1b}\\ end",
            "link end",
        ),
        ("\u{1b}Pq#0;1\u{1b}\\x\u{1b}_y\u{1b}\\z", "xz"),
        ("\u{1b}(Bx\u{1b}7y\u{1b}cz\u{1b}=", "xyz"),
        ("語\u{1b}[1m語🦀\u{1b}[0m", "語語🦀"),
        ("\u{1b}\u{1b}[31mx", "x"),
        ("x\u{1b}", "x"),
        ("x\u{1b}[", "x"),
        ("x\u{1b}[31", "x"),
        ("\u{1b}[3語", "語"),
        (
            "\u{1b}]8;;unfinished text stays",
            "8;;unfinished text stays",
        ),
        ("\u{1b}]unfinished\nline\u{7}", "unfinished\nline\u{7}"),
        ("a\u{1b}\nb", "a\nb"),
    ] {
        assert_eq!(filtered(&json!({}), text), plain, "{text:?}");
    }
}

#[test]
fn progress_keeps_its_last_state() {
    for (text, plain) in [
        ("50%\r100%", "100%"),
        ("10%\r50%\r100%\ndone\n", "100%\ndone\n"),
        (
            "[=>  ] 1/10 files\r[==> ] 7/10 files\r\nnext\r\n",
            "[==> ] 7/10 files\r\nnext\r\n",
        ),
        (
            "⠋ Installing a\r⠙ Installing a\r⠹ Installing b",
            "⠹ Installing b",
        ),
        ("Compiling x\r           \rDone", "Done"),
        (
            "fetching metadata\r\u{1b}[Kreify:left-pad",
            "reify:left-pad",
        ),
        (
            "fetching metadata\r\u{1b}[2Kreify:left-pad",
            "reify:left-pad",
        ),
        (
            "fetching metadata\u{1b}[2K\rreify:left-pad",
            "reify:left-pad",
        ),
        (
            "Receiving: 1%\r\u{1b}[32mReceiving: 100%\u{1b}[0m, done.\n",
            "Receiving: 100%, done.\n",
        ),
        ("\r50%", "50%"),
        ("50%\r", "50%\r"),
        ("a\r\nb\r\nc", "a\r\nb\r\nc"),
        ("a\r\r\nb", "a\r\r\nb"),
    ] {
        assert_eq!(filtered(&json!({}), text), plain, "{text:?}");
    }
}

#[test]
fn lines_that_a_return_only_separates_stay() {
    let text = "First line of a file.\rAnother one,\rand the last";
    assert_eq!(filtered(&json!({}), text), text);
    assert_eq!(
        filtered(&json!({"overwritten": "all"}), text),
        "and the last"
    );
    assert_eq!(
        filtered(&json!({"overwritten": "none"}), "50%\r\u{1b}[K100%"),
        "50%\r100%"
    );
}

#[test]
fn a_backspace_takes_a_character_along() {
    for (text, plain) in [
        ("N\u{8}NA\u{8}AM\u{8}ME\u{8}E", "NAME"),
        ("_\u{8}語", "語"),
        ("|\u{8}/\u{8}-\u{8} \u{8}done", "done"),
        ("\u{8}\u{8}x\n\u{8}y\r\n", "x\ny\r\n"),
        ("ab\u{1b}[1m\u{8}c", "ac"),
        ("🦀\u{8}x\u{e9}\u{8}", "x"),
    ] {
        assert_eq!(filtered(&json!({}), text), plain, "{text:?}");
        assert_eq!(
            filtered(&json!({"backspace": false}), text),
            text.replace("\u{1b}[1m", ""),
        );
    }
}

#[test]
fn the_rest_of_a_document_keeps_its_spelling() {
    let json = r#"{ "a\u001b[1m" : "\u00e9\ud83e\udd80\/\u001b[1m\ud800é\"\u001b[0m\\", "b": 1.0e2, "b": "\ud83e\udd80\b" }"#;
    let expected = r#"{ "a\u001b[1m" : "\u00e9\ud83e\udd80\/\ud800é\"\\", "b": 1.0e2, "b": "" }"#;
    assert_eq!(bench().apply(json).text(), expected);
}

#[test]
fn what_only_looks_like_an_escape_stays() {
    for text in [
        r#"{"regex":"\\u001b[31m \\bword\\b \\r"}"#,
        r#"printf "\u001b[31m" and \bword\b"#,
        r#"{"text":"\u00e9 \n \t","n":null}"#,
        "[31m without an escape",
    ] {
        assert!(!bench().apply(text).changed, "{text}");
    }
}

#[test]
fn settings_are_named_one_by_one() {
    assert!(Bench::<Ansi>::refusal(json!({"overwritten": "sometimes"})).is_some());
    assert!(Bench::<Ansi>::refusal(json!({"colors": true})).is_some());
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "\u{1b}",
            "\u{1b}[",
            "\u{1b}[31m",
            "\u{1b}[K",
            "\u{1b}[2K",
            "\u{1b}]8;;",
            "\u{1b}\\",
            "\u{7}",
            "\u{1b}]",
            "\u{1b}P",
            "\r",
            "\n",
            "\r\n",
            "\u{8}",
            "50%",
            "done",
            "  ",
            "Load 1",
            "Load 2",
            "\\",
            "\"",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,4}",
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

fn settings() -> impl Strategy<Value = Value> {
    let overwritten = prop::sample::select(vec!["redrawn", "all", "none"]);
    (overwritten, any::<bool>()).prop_map(
        |(overwritten, backspace)| json!({"overwritten": overwritten, "backspace": backspace}),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn no_escape_is_left_and_twice_is_once(text in text(), settings in settings()) {
        let once = filtered(&settings, &text);
        prop_assert!(!once.contains('\u{1b}'), "an escape is left");
        prop_assert_eq!(filtered(&settings, &once), once.clone());
        let mut left = text.chars();
        prop_assert!(once.chars().all(|kept| left.any(|it| it == kept)), "something was added");
        let lines = |text: &str| text.matches('\n').count();
        prop_assert_eq!(lines(&once), lines(&text));
    }

    #[test]
    fn others_read_what_it_leaves(text in text()) {
        let left = bench().apply(&text);
        prop_assert_eq!(left.text(), terminal::as_shown(&text));
    }

    #[test]
    fn a_text_without_controls_is_untouched(text in "(\\PC|\n|\r\n|\t){0,80}") {
        let json = json!({"k": text}).to_string();
        for text in [text, json] {
            prop_assert!(!bench().apply(&text).changed);
        }
    }
}
