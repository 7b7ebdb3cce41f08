//! Characters of JSON strings that are spelled as escapes without need: `\u00eb`, `\u003c`, `\/`.
//!
//! Owns which of them are written as themselves. Refuses to change what a string means, and what a reader could not see.

use std::borrow::Cow;

/// JSON whose strings have characters in place of their escapes, where JSON allows that and a reader sees them.
pub fn without_spelled_characters(json: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    // Where the last escape that stays ends.
    let mut kept = 0;
    // Outside of strings, JSON has no backslash.
    while let Some(found) = memchr::memchr(b'\\', &json.as_bytes()[at..]) {
        let start = at + found;
        let before = match start > copied {
            _ if start == kept => None,
            true => json[copied..start].chars().next_back(),
            false => out.chars().next_back(),
        };
        let Some((character, length)) = spelled(&json[start..], before) else {
            // The sign after a backslash begins no escape.
            at = json.len().min(start + 2);
            kept = match json[start..].starts_with("\\u") {
                true => start + 6,
                false => at,
            };
            continue;
        };
        if out.is_empty() {
            out.reserve(json.len());
        }
        out.push_str(&json[copied..start]);
        out.push(character);
        at = start + length;
        copied = at;
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[copied..]);
    Cow::Owned(out)
}

/// The character that the escape at the beginning of a text stands for, and the length of the escape; none for one that
/// stays. `before`: the character before it.
fn spelled(escape: &str, before: Option<char>) -> Option<(char, usize)> {
    const LENGTH: usize = 6;
    let bytes = escape.as_bytes();
    match bytes.get(1)? {
        b'/' => return Some(('/', 2)),
        b'u' => {}
        _ => return None,
    }
    let unit = unit_at(bytes, 0)?;
    let (code, length) = match unit {
        0xd800..0xdc00 => {
            let low = unit_at(bytes, LENGTH)?;
            let low = (0xdc00..0xe000).contains(&low).then_some(low)?;
            let code = 0x1_0000 + (u32::from(unit - 0xd800) << 10) + u32::from(low - 0xdc00);
            (code, 2 * LENGTH)
        }
        _ => (u32::from(unit), LENGTH),
    };
    let character = char::from_u32(code)?;
    is_seen(character, before).then_some((character, length))
}

/// The code of the `\uXXXX` at a place.
fn unit_at(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let mut code = 0;
    for digit in digits {
        code = code << 4 | char::from(*digit).to_digit(16)? as u16;
    }
    Some(code)
}

/// Whether a reader sees a character that stands in a string as itself, after `before`. Blanks that look like others, signs
/// without a form, and marks that stand alone stay escapes.
fn is_seen(character: char, before: Option<char>) -> bool {
    match character {
        '"' | '\\' => false,
        ' '..='~' => true,
        // Fillers, which are letters without a form.
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => false,
        // Signs of Latin and of other scripts, and pictures.
        '\u{a1}'..='\u{ac}'
        | '\u{ae}'..='\u{bf}'
        | '\u{d7}'
        | '\u{f7}'
        | '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205e}'
        | '\u{20a0}'..='\u{20c0}'
        | '\u{2100}'..='\u{2426}'
        | '\u{2460}'..='\u{27ff}'
        | '\u{2900}'..='\u{2b73}'
        | '\u{3001}'..='\u{3029}'
        | '\u{30fb}'
        | '\u{ff01}'..='\u{ff9f}'
        | '\u{1f300}'..='\u{1faff}' => true,
        _ if is_mark(character) => before.is_some_and(|it| it.is_alphabetic() || is_mark(it)),
        _ => character.is_alphanumeric(),
    }
}

/// Whether a character is a mark on the letter before it.
fn is_mark(character: char) -> bool {
    match character {
        '\u{34f}' | '\u{17b4}' | '\u{17b5}' => false,
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}' => true,
        // Vowels and tones of India, Tibet and Southeast Asia.
        '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{17d3}' => !character.is_alphanumeric(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn characters_take_the_place_of_their_escapes() {
        for (json, expected) in [
            (r#"{"name":"Zo\u00eb","n":1}"#, r#"{"name":"Zoë","n":1}"#),
            (r#"["\u4e2d\u6587 \ud83d\ude00"]"#, r#"["中文 😀"]"#),
            (r#"["\u0967\u0968"]"#, "[\"१२\"]"),
            (r#"["\u0e17\u0e35\u0e48 e\u0301"]"#, "[\"ที่ e\u{301}\"]"),
            (
                r#"["\u0939\u093f\u0928\u094d\u0926\u0940 \u2014 \u20ac5"]"#,
                "[\"हिन्दी — €5\"]",
            ),
            (
                r#"["https:\/\/a.b\/?x=1\u0026y=\u003cz\u003E"]"#,
                r#"["https://a.b/?x=1&y=<z>"]"#,
            ),
            (r#"{"\u00fc":[]}"#, r#"{"ü":[]}"#),
            (r#"["\n\u00e9\t\\u00e9\"\u00e9"]"#, r#"["\né\t\\u00e9\"é"]"#),
        ] {
            assert_eq!(without_spelled_characters(json), expected);
        }
    }

    #[test]
    fn what_must_be_spelled_or_is_not_seen_stays() {
        for json in [
            r#"["\u0022 \u005c \u0000 \u001f \u007f \u0085"]"#,
            r#"["\ud83d \ude00 \ud83dx \ud83d\n"]"#,
            r#"["\u200b\u202e\u2028\ufeff\u00a0\ue000"]"#,
            r#"["adm\u200din \ufe0f\u3000\u2800\u1680\u3164\ud834\udd59\ud83f\udfff"]"#,
            r#"["\u0301 \n\u0301 \u200b\u0301 =\u0338 \u0378\u0600\u06dd\ufffc"]"#,
            r#"["\\u00e9 \" \\"]"#,
            r#"{"a":1}"#,
            r"\u00e",
            r"\",
            r"\u+0e9",
        ] {
            assert_eq!(without_spelled_characters(json), json);
        }
    }

    /// JSON as the strictest writers spell it.
    fn in_ascii(value: &Value) -> String {
        let spell = |c: char| {
            let mut units = [0; 2];
            let units = c.encode_utf16(&mut units).iter();
            units
                .map(|unit| format!("\\u{unit:04x}"))
                .collect::<String>()
        };
        let spell = |c: char| match c {
            '/' => "\\/".to_owned(),
            '<' | '&' => spell(c),
            c if c.is_ascii() => c.to_string(),
            c => spell(c),
        };
        value.to_string().chars().map(spell).collect()
    }

    proptest! {
        #[test]
        fn the_value_is_the_same(texts in prop::collection::vec("[a-z\\\\\"/<&é中😀\u{200b}\u{7}\u{e000}\n]{0,12}", 0..6)) {
            let value = Value::from(texts);
            let plain = in_ascii(&value);
            let written = without_spelled_characters(&plain);
            let again: Value = serde_json::from_str(&written).expect("JSON");
            prop_assert_eq!(&again, &value);
            prop_assert!(written.len() <= plain.len());
            prop_assert_eq!(without_spelled_characters(&written), &*written);
        }
    }
}
