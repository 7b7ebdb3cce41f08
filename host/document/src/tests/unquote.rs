//! `unquote` reads what `serde_json` reads.

use proptest::prelude::*;

use crate::unquote;

fn assert_as_serde(quoted: &str) {
    let expected = serde_json::from_str::<String>(quoted).ok();
    assert_eq!(unquote(quoted), expected, "{quoted}");
}

#[test]
fn strings_and_what_is_none() {
    for quoted in [
        r#""""#,
        r#""a""#,
        r#""1234567""#,
        r#""12345678""#,
        r#""1234567\"""#,
        r#""12345678\"""#,
        r#""{\"id\":1,\"name\":\"Lyon\"}""#,
        r#""\b\f\n\r\t\/\\\"""#,
        r#""\u0000\u00e9\u20ac\uD83E\uDD80""#,
        r#""\ud83e""#,
        r#""\ud83ex""#,
        r#""\ud83e\n""#,
        r#""\ud83e\u0041""#,
        r#""\ud83e\ud83e""#,
        r#""\ud83e\udbff""#,
        r#""\ud83e\udfff""#,
        r#""\ud83e\ue000""#,
        r#""\udd80""#,
        r#""\u00""#,
        r#""\u00+1""#,
        r#""\x""#,
        r#""\""#,
        r#"""#,
        r#"a""#,
        r#""a"#,
        "",
        "\"\u{7f}é🦀 and more of it\"",
        "\"a\nb\"",
        "\"12345678\t\"",
        r#""a"b""#,
    ] {
        assert_as_serde(quoted);
    }
}

proptest! {
    #![proptest_config(super::config())]

    #[test]
    fn what_is_quoted_comes_back(text in any::<String>()) {
        let quoted = serde_json::to_string(&text).expect("a string is always JSON");
        prop_assert_eq!(unquote(&quoted), Some(text));
    }

    #[test]
    fn any_pieces_are_read_as_serde_reads_them(
        pieces in prop::collection::vec(
            prop_oneof![
                Just("\\".to_owned()), Just("\"".to_owned()), Just("\\u".to_owned()), Just("\\\"".to_owned()),
                Just("\\ud83e".to_owned()), Just("\\udd80".to_owned()), Just("\\u0041".to_owned()),
                Just("é".to_owned()), Just("🦀".to_owned()), Just("\n".to_owned()), "[a-f0-9]{1,9}",
            ],
            0..12,
        ),
    ) {
        assert_as_serde(&format!("\"{}\"", pieces.concat()));
    }
}
