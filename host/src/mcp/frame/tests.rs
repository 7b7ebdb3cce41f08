//! Views against serde_json, on messages of every spelling and on damaged ones.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::json::{members, taken_for, text};
use crate::mcp::doubt;

const NAMES: [&str; 5] = ["id", "method", "params", "result", "error"];

fn spans(view: &MessageView) -> [Option<Span>; 5] {
    let MessageView {
        id,
        method,
        params,
        result,
        error,
        ..
    } = view.clone();
    [id, method, params, result, error]
}

/// JSON whitespace, mostly none.
fn space() -> impl Strategy<Value = String> {
    prop_oneof![6 => Just(String::new()), 1 => "[ \t\r]{1,70}", 1 => Just("\n ".to_owned())]
}

/// A string's JSON, sometimes with needless escapes, often with characters that could confuse a scanner.
fn string() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        "[a-z\"\\\\{}\\[\\],:é𝄞 ]{0,12}",
        "[\\\\\"]{0,150}",
        "[a-z\n]{20,200}"
    ];
    (text, any::<bool>()).prop_map(|(text, escape)| spell(&text, escape))
}

fn spell(text: &str, escape: bool) -> String {
    if !escape {
        return serde_json::to_string(text).unwrap();
    }
    let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
    format!("\"{}\"", units.collect::<String>())
}

fn value() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        "null|true|false|0|-0|1\\.50|1e2|12345678901234567890|-3\\.25E-2",
        string(),
    ];
    scalar.prop_recursive(4, 60, 6, |inner| {
        let spaced = (space(), inner, space())
            .prop_map(|(a, value, b)| a + &value + &b)
            .boxed();
        let member = (space(), string(), space(), spaced.clone())
            .prop_map(|(a, key, b, value)| format!("{a}{key}{b}:{value}"));
        prop_oneof![
            proptest::collection::vec(spaced, 0..6)
                .prop_map(|items| format!("[{}]", items.join(","))),
            proptest::collection::vec(member, 0..6)
                .prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

fn message() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        4 => proptest::sample::select(NAMES.to_vec()).prop_map(str::to_owned),
        1 => "[a-z]{0,8}",
    ];
    let key = (name, any::<bool>()).prop_map(|(name, escape)| spell(&name, escape));
    let member = (space(), key, space(), space(), value(), space())
        .prop_map(|(a, key, b, c, value, d)| format!("{a}{key}{b}:{c}{value}{d}"));
    let object = (space(), proptest::collection::vec(member, 0..8), space());
    object.prop_map(|(a, members, b)| format!("{a}{{{}}}{b}", members.join(",")))
}

/// Checks that the view gives the same values as serde_json.
fn agrees(view: &MessageView, bytes: &[u8], object: &Value) -> Result<(), TestCaseError> {
    for (name, span) in NAMES.iter().zip(spans(view)) {
        let seen = span.map(|span| serde_json::from_slice::<Value>(&bytes[span]).unwrap());
        prop_assert_eq!(seen.as_ref(), object.get(name), "member {}", name);
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_view_agrees_with_serde_json(message in message()) {
        let object: Value = serde_json::from_str(&message).unwrap();
        let Frame::Message(view) = Frame::read(message.as_bytes()) else {
            return Err(TestCaseError::fail(format!("no view of {message}")));
        };
        agrees(&view, message.as_bytes(), &object)?;
        prop_assert_eq!(&message[view.whole.clone()], message.trim());
        for span in spans(&view).into_iter().flatten() {
            prop_assert_eq!(message[span.clone()].trim(), &message[span], "whitespace is no part of a value");
        }
    }

    #[test]
    fn members_agree_with_serde_json(message in message()) {
        let object: Value = serde_json::from_str(&message).unwrap();
        let found = members(message.as_bytes(), ["result", "id", "absent name"]);
        for (name, span) in ["result", "id", "absent name"].iter().zip(found) {
            let seen = span.map(|span| serde_json::from_str::<Value>(&message[span]).unwrap());
            prop_assert_eq!(seen.as_ref(), object.get(name));
        }
    }

    #[test]
    fn each_element_of_a_batch_has_its_view(messages in proptest::collection::vec(message(), 0..5)) {
        let batch = format!(" [ {}]\r\n", messages.join(" , "));
        let Frame::Batch(views) = Frame::read(batch.as_bytes()) else {
            return Err(TestCaseError::fail(format!("no batch: {batch}")));
        };
        prop_assert_eq!(views.len(), messages.len());
        for (view, message) in views.iter().zip(&messages) {
            agrees(view, batch.as_bytes(), &serde_json::from_str(message).unwrap())?;
            prop_assert_eq!(&batch[view.whole.clone()], message.trim());
        }
    }

    #[test]
    fn damage_is_survived_and_valid_frames_are_still_read_right(
        message in message(),
        at in any::<proptest::sample::Index>(),
        to in prop_oneof![any::<u8>(), proptest::sample::select(b"{}[]\",:\\ x1".to_vec())],
        how in 0..3,
    ) {
        let mut bytes = message.into_bytes();
        let at = at.index(bytes.len());
        match how {
            0 => bytes[at] = to,
            1 => bytes.insert(at, to),
            _ => bytes.truncate(at),
        }
        let frame = Frame::read(&bytes);
        match serde_json::from_slice::<Value>(&bytes) {
            Ok(object @ Value::Object(_)) => match &frame {
                Frame::Message(view) => agrees(view, &bytes, &object)?,
                other => return Err(TestCaseError::fail(format!("{other:?}"))),
            },
            Ok(Value::Array(_)) => prop_assert!(matches!(frame, Frame::Batch(_))),
            Ok(_) => prop_assert_eq!(frame, Frame::Opaque),
            Err(_) => if let Frame::Message(view) = frame {
                for span in spans(&view).into_iter().flatten() {
                    prop_assert!(span.start < span.end && span.end <= bytes.len());
                }
            },
        }
    }

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(proptest::sample::select(b"{}[]\",:\\ id1n\xff".to_vec()), 0..200)) {
        let _ = Frame::read(&bytes);
        let _ = members(&bytes, ["id"]);
        let _ = text(&bytes);
        let _ = RequestId::parse(&bytes);
    }
}

fn view_of(frame: &str) -> MessageView {
    match Frame::read(frame.as_bytes()) {
        Frame::Message(view) => view,
        other => panic!("{frame}: {other:?}"),
    }
}

#[test]
fn of_duplicate_members_the_last_counts() {
    let frame = r#"{"id":1,"result":{"a":1},"\u0069d":2,"result":[3]}"#;
    let view = view_of(frame);
    assert_eq!(&frame[view.id.unwrap()], "2");
    assert_eq!(&frame[view.result.unwrap()], "[3]");
}

#[test]
fn what_is_no_message_has_no_view() {
    for frame in [
        "",
        "\n",
        "  \r\n",
        "Listening on stdio",
        "\"text\"",
        "1",
        "null",
        "{",
        "{]",
        r#"{"id":1"#,
        r#"{"id":1}}"#,
        r#"{"id":1} {"id":2}"#,
        r#"{"id":1,}"#,
        r#"{"id":}"#,
        r#"{"id" 1}"#,
        r#"{id:1}"#,
        r#"{,"id":1}"#,
        r#"{"id":"1}"#,
        r#"{"id":1,"result":{"a":"}"#,
        "[",
        "[{]",
        r#"[{"id":1},]"#,
        r#"[{"id":1}"#,
        "\u{feff}\u{feff}{\"id\":1}",
    ] {
        assert_eq!(Frame::read(frame.as_bytes()), Frame::Opaque, "{frame:?}");
    }
}

#[test]
fn a_byte_order_mark_hides_no_message() {
    let frame = "\u{feff}{\"id\":1}";
    assert_eq!(&frame[view_of(frame).id.unwrap()], "1");
}

#[test]
fn what_answers_is_an_answer_whatever_its_method() {
    for method in ["null", "7", "{}", "[]", "\"ping\""] {
        for answer in ["\"result\":{}", "\"error\":{}", "\"\\u0072esult\":{}"] {
            let frame = format!(r#"{{"id":1,"method":{method},{answer}}}"#);
            assert!(view_of(&frame).is_answer(), "{frame}");
        }
    }
    assert!(!view_of(r#"{"id":1,"method":"ping"}"#).is_answer());
}

#[test]
fn members_are_found_whatever_readers_take_for_them() {
    let object = r#" {"ID":1,"id":2,"\u0069d":3,"i d":4,"ids":5, "id":[6],}"#;
    let found = taken_for(object.as_bytes(), "id");
    let found: Vec<&str> = found.into_iter().map(|span| &object[span]).collect();
    assert_eq!(found, ["1", "2", "3", "4", "[6]"]);
    assert_eq!(
        doubt::of_members(br#"{"name":1,"uri":2}"#, &["name", "uri"]),
        None
    );
    for (object, doubt) in [
        (r#"{"name":1,"uri":2,"name":3}"#, Doubt::Twice),
        (r#"{"Name":1}"#, Doubt::LookAlike),
    ] {
        assert_eq!(
            doubt::of_members(object.as_bytes(), &["name", "uri"]),
            Some(doubt)
        );
    }
}

#[test]
fn a_frame_that_is_not_utf8_still_has_a_view() {
    let frame = b"{\"id\":7,\"result\":{\"text\":\"\xff\xfe\"}}\r\n";
    let Frame::Message(view) = Frame::read(frame) else {
        panic!("no view");
    };
    assert_eq!(&frame[view.result.unwrap()], b"{\"text\":\"\xff\xfe\"}");
}

#[test]
fn ids_are_equal_whatever_their_spelling() {
    let parse = |raw: &str| RequestId::parse(raw.as_bytes());
    for (one, other) in [
        ("1", "1.0"),
        ("1", "1e0"),
        ("100", "1E2"),
        ("0", "-0"),
        ("18446744073709551615", "18446744073709551615"),
        (r#""a""#, r#""\u0061""#),
        ("1.5", "15e-1"),
    ] {
        assert!(parse(one).is_some(), "{one}");
        assert_eq!(parse(one), parse(other), "{one} {other}");
    }
    for (one, other) in [
        ("1", "2"),
        ("1", r#""1""#),
        ("9007199254740993", "9007199254740992"),
        (r#""a""#, r#""A""#),
        ("1.5", "1"),
    ] {
        assert_ne!(parse(one), parse(other), "{one} {other}");
    }
    for none in ["null", "true", "[1]", "{}", "", "01", "1x", r#""\ud800""#] {
        assert_eq!(parse(none), None, "{none}");
    }
    let quoted = parse(r#"" 12 ""#).unwrap();
    assert_eq!(quoted.unquoted(), parse("12"));
}

#[test]
fn a_list_of_very_many_messages_is_no_batch() {
    let list = |count: usize| format!("[{}]", vec![r#"{"id":1}"#; count].join(","));
    let most = list(BATCH_MESSAGES);
    assert_eq!(Frame::read(most.as_bytes()).views().len(), BATCH_MESSAGES);
    let more = list(BATCH_MESSAGES + 1);
    assert_eq!(Frame::read(more.as_bytes()), Frame::Opaque);
}
