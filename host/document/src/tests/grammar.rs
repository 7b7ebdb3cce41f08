//! The grammar is serde_json's, and the tape is what the contract says.

use proptest::prelude::*;
use serde::de::IgnoredAny;

use super::{config, generate, model};
use crate::{MAX_DEPTH, Tape, TapeError};

/// Asserts that the tape takes what serde_json takes, and nothing else.
#[track_caller]
fn agree(text: &str) {
    let theirs = serde_json::from_str::<IgnoredAny>(text);
    let ours = Tape::build(text);
    assert_eq!(
        ours.is_ok(),
        theirs.is_ok(),
        "text: {text:?}\nserde_json: {theirs:?}\ntape: {:?}",
        ours.err()
    );
    if let Err(TapeError::Syntax { at, .. }) = ours {
        assert!(at <= text.len(), "byte {at} of {text:?}");
    }
    if serde_json::from_str::<serde_json::Value>(text).is_ok() {
        assert!(ours.is_ok(), "serde_json reads {text:?}");
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_tape_of_a_document_is_the_models(text in generate::document()) {
        let tape = Tape::build(&text).unwrap();
        prop_assert_eq!(tape.words().as_slice(), model::parse(&text).tape(), "{}", text);
    }

    #[test]
    fn damaged_json_is_judged_as_serde_json_does(
        text in generate::document(),
        at in any::<prop::sample::Index>(),
        byte in prop::sample::select(b"\"\\{}[]:,01-+.eEntfu \n\t\r\0\x1f/x\x7f".to_vec()),
        damage in 0..4,
    ) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        match damage {
            0 => bytes[at] = byte,
            1 => bytes.truncate(at),
            2 => bytes.insert(at, byte),
            _ => { bytes.remove(at); }
        }
        agree(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn strings_of_any_length_end_where_they_end(before in 0..20usize, stop in 0..5usize, after in 0..20usize) {
        let stop = ["\"", "\\\"", "\\", "\n", "\u{1f}"][stop];
        agree(&format!("[\"{}{stop}{}\"]", "x".repeat(before), "é".repeat(after)));
        agree(&format!("\"{}{stop}{}", "x".repeat(before), " ".repeat(after)));
    }

    #[test]
    fn anything_is_judged_as_serde_json_does(text in "[\\[\\]{}\",:0-9eE.+\\- ntruefalsl\\\\\\n]{0,12}") {
        agree(&text);
    }
}

#[test]
fn awkward_texts_are_judged_as_serde_json_does() {
    let texts = [
        "",
        " ",
        "null",
        "nul",
        "nulll",
        "null null",
        "True",
        "NaN",
        "-Infinity",
        "[",
        "]",
        "{",
        "}",
        "[]",
        "[ ]",
        "{ }",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1,,2]",
        "{\"a\":1,}",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\" 1}",
        "{1:1}",
        "{\"a\":1]",
        "[1}",
        "[}",
        "{]",
        "0",
        "-0",
        "00",
        "01",
        "-01",
        "-",
        "--1",
        "+1",
        "1.",
        ".5",
        "1.e1",
        "1e",
        "1e+",
        "1e1.5",
        "1E-0",
        "1e999",
        "-1e-999",
        "123456789012345678901234567890",
        "0x10",
        "1_000",
        "1e5x",
        "0e0",
        "-a",
        "\"",
        "\"\"",
        "\"a",
        "\"\\",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\uD800\"",
        "\"\\ud83e\\udd80\"",
        "\"\\udc00\\ud800\"",
        "\"\\u0000\"",
        "\"\u{0}\"",
        "\"\t\"",
        "\"\n\"",
        "\"\u{7f}\"",
        "\"\u{80}\"",
        "\"é漢🦀\"",
        "\"12345678\u{1f}\"",
        "\"1234567\"",
        "\"12345678\"",
        "\"1234567é\"",
        "\u{feff}[]",
        "\u{a0}[]",
        "[]\u{0}",
        "[]\u{c}",
        "\u{b}[]",
        "// x\n1",
        "[1] // x",
        "1 2",
        "{} {}",
        "{\"a\":1,\"a\":2}",
        "{\"\":{\"\":[]}}",
        "[[[[]]]",
        "[\"a\",",
        "{\"a\":",
        "{\"a\":[",
        "\r\n\t [1]\r\n\t ",
    ];
    for text in texts {
        agree(text);
    }
}

#[test]
fn depth_is_obeyed_and_violated() {
    for (opening, closing) in [("[", "]"), ("{\"k\":", "}"), (" [ ", " ] ")] {
        let nested = |depth| format!("{}1{}", opening.repeat(depth), closing.repeat(depth));
        assert!(Tape::build(&nested(MAX_DEPTH)).is_ok());
        let error = Tape::build(&nested(MAX_DEPTH + 1)).unwrap_err();
        assert_eq!(error.name(), "too-deep", "{error}");

        assert!(Tape::build_with_depth(&nested(200), 200).is_ok());
        assert!(Tape::build_with_depth(&nested(1), 0).is_err());
        assert!(Tape::build_with_depth(&nested(0), 0).is_ok());
    }
    // Siblings are not depth.
    assert!(Tape::build(&format!("[{}0]", "[[]],".repeat(1000))).is_ok());
}

#[test]
fn an_error_says_where_and_what() {
    let cases = [
        ("", "not JSON at byte 0: expected a value"),
        ("{\"a\":nil}", "not JSON at byte 5: expected `null`"),
        ("{\"a\" 1}", "not JSON at byte 5: expected `:`"),
        ("[1 2]", "not JSON at byte 3: expected `,` or `]`"),
        ("{\"a\":1,}", "not JSON at byte 7: expected a key"),
        ("[1.]", "not JSON at byte 3: expected a digit"),
        (
            "\"\\u12g4\"",
            "not JSON at byte 5: expected a hexadecimal digit",
        ),
        ("[\"ab\\x\"]", "not JSON at byte 5: expected an escape"),
        ("[1] x", "not JSON at byte 4: expected the end"),
        ("\"a", "not JSON at byte 2: expected `\"`"),
    ];
    for (text, expected) in cases {
        assert_eq!(
            Tape::build(text).unwrap_err().to_string(),
            expected,
            "{text:?}"
        );
    }
}
