//! Every content comes back from its text, and the text is fit to read.

use proptest::prelude::*;

use super::config;
use crate::store::wrap::{MAX_LINE_BYTES, unwrap_line, wrap};

fn text(content: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    wrap(content, &mut text).expect("memory takes all");
    text
}

fn content(text: &[u8]) -> Vec<u8> {
    text.split_inclusive(|byte| *byte == b'\n')
        .flat_map(unwrap_line)
        .copied()
        .collect()
}

/// The lines without their marks, as a reader sees them.
fn lines(content: &str) -> Vec<String> {
    let text = String::from_utf8(text(content.as_bytes())).expect("characters stay whole");
    text.lines()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// The parts that matter to the form: its mark, brackets, escapes, letters that fill lines, bytes that are no
/// text.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec![
            " ", "\n", " \n", "  \n\n", "\r\n", "{", "}", "[", "]", ",", "\"", ":", "\\", "n", "\\n",
            "\\\\n", "\\\\\\\\n", "},{", "}, {", "[{", "}],", "\":", "\\\":", "\\\\\\\":", "\\u00e9", "é", "✓",
        ]).prop_map(|text| text.as_bytes().to_vec()),
        1 => "[a-z]{1,600}".prop_map(String::into_bytes),
        1 => "[a-z ,]{400,600}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ];
    let start = prop::sample::select(vec!["", "{", "[", "\"", " {"]);
    (start, prop::collection::vec(piece, 0..80))
        .prop_map(|(start, pieces)| [start.as_bytes().to_vec(), pieces.concat()].concat())
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn content_comes_back(content_in in pieces()) {
        let text = text(&content_in);
        prop_assert_eq!(
            content(&text), content_in,
            "from the text {:?}", String::from_utf8_lossy(&text),
        );
    }

    #[test]
    fn lines_are_bounded_and_text_at_most_doubles(content in pieces()) {
        let text = text(&content);
        for line in text.split(|byte| *byte == b'\n') {
            prop_assert!(line.len() <= MAX_LINE_BYTES, "{} bytes: {:?}", line.len(), line);
        }
        prop_assert!(text.len() <= 2 * content.len() + 2, "{} from {}", text.len(), content.len());
    }

    #[test]
    fn characters_stay_whole(content in "[a-zé✓🦀]{0,3000}") {
        let text = text(content.as_bytes());
        for line in text.split(|byte| *byte == b'\n') {
            prop_assert!(str::from_utf8(line).is_ok(), "{:?}", line);
        }
    }
}

#[test]
fn the_form_is_what_its_description_says() {
    for (content, expected) in [
        ("", ""),
        ("a", "a \n"),
        ("a\n", "a\n"),
        ("a \n", "a  \n\n"),
        ("a ", "a  \n"),
        ("\n\n", "\n\n"),
        (r#"{"a":"x\ny"}"#, "{\"a\":\"x\\n \ny\"} \n"),
    ] {
        let found = String::from_utf8(text(content.as_bytes())).expect("text");
        assert_eq!(found, expected, "text of {content:?}");
    }
}

#[test]
fn lines_of_a_text_in_json_are_lines() {
    assert_eq!(
        lines(r#"{"content":[{"type":"text","text":"line1\nline2\r\nC:\\new"}]}"#),
        [
            r#"{"content":["#,
            r#"{"type":"text","text":"line1\n"#,
            r#"line2\r\n"#,
            r#"C:\\new"}]}"#,
        ]
    );
}

#[test]
fn lines_of_a_text_in_json_in_json_are_lines() {
    assert_eq!(
        lines(r#"{"text":"{\"log\":\"one\\ntwo\\nprintf(\\\\n)\"}","path":"C:\\new"}"#),
        [
            r#"{"text":"{\"log\":\"one\\n"#,
            r#"two\\n"#,
            r#"printf(\\\\n)\"}","path":"C:\\new"}"#,
        ]
    );
}

#[test]
fn a_record_is_a_line_with_all_that_is_in_it() {
    let record = |id: u32| format!(r#"{{"id":{id},"tags":[{{"a":1}},{{"b":[2]}}],"note":"x"}}"#);
    let records: Vec<_> = (0..30).map(record).collect();
    let mut expected = vec![r#"{"ok":true,"rows":["#.to_owned()];
    expected.extend(records[..29].iter().map(|record| format!("{record},")));
    expected.push(format!("{}],", records[29]));
    expected.push(r#""next":null}"#.to_owned());

    let list = |between: &str| {
        format!(
            r#"{{"ok":true,"rows":[{}],"next":null}}"#,
            records.join(between)
        )
    };
    assert_eq!(lines(&list(",")), expected, "compact");
    assert_eq!(lines(&list(", ")), expected, "with spaces");

    let in_a_string = |json: &str| json.replace('"', r#"\""#);
    let mut nested = expected
        .iter()
        .map(|line| in_a_string(line))
        .collect::<Vec<_>>();
    nested[0] = format!(r#"{{"text":"{}"#, nested[0]);
    nested[31] += r#""}"#;
    let content = format!(r#"{{"text":"{}"}}"#, in_a_string(&list(",")));
    assert_eq!(lines(&content), nested, "in a string");
}

#[test]
fn long_lines_break_between_words_and_never_in_an_escape() {
    let words = "lorem ipsum,".repeat(200);
    for line in lines(&words).iter().rev().skip(1) {
        assert!(line.ends_with(',') || line.ends_with("lorem"), "{line:?}");
        assert!(line.len() > 400, "{line:?}");
    }
    for fill in 480..510 {
        let escapes = format!(
            "[\"{}\\u00e9\\u00e9\\t{}\"]",
            "x".repeat(fill),
            "y".repeat(600)
        );
        for line in lines(&escapes) {
            let cut = line.rfind('\\').map_or("", |at| &line[at..]);
            let whole = cut.is_empty() || cut.starts_with("\\t") || cut.len() >= 6;
            assert!(whole, "{line:?}");
        }
    }
}

#[test]
fn text_that_is_not_json_keeps_its_own_lines() {
    let source = "fn main() {\n    println!(\"a\\n\"); // [{1},{2}]\n}\n";
    assert_eq!(text(source.as_bytes()), source.as_bytes());
}
