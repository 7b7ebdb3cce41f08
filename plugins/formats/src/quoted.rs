//! Texts that are one JSON string with line breaks: a server encoded its output twice.

use crate::unquoted;

/// The text in a text that is one JSON string, if it has line breaks.
pub fn text_of_quoted(text: &str) -> Option<String> {
    let text = text.trim_matches([' ', '\t', '\n', '\r']);
    let inside = text.strip_prefix('"')?.strip_suffix('"')?.as_bytes();
    let (mut at, mut breaks) = (0, 0);
    while let Some(found) = memchr::memchr2(b'"', b'\\', &inside[at..]) {
        let sign = at + found;
        match (inside[sign], inside.get(sign + 1)?) {
            (b'\\', b'n') => breaks += 1,
            (b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'r' | b't' | b'u') => {}
            // The string ends before the text does, or is no JSON.
            _ => return None,
        }
        at = sign + 2;
    }
    // JSON spells control characters as escapes.
    let is_json = breaks > 0 && inside.iter().all(|byte| *byte >= b' ');
    is_json.then(|| unquoted(text))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_one_string_with_a_line_break() {
        for (text, expected) in [
            (r#""a\nb""#, Some("a\nb")),
            (" \"a \\\"b\\\"\\n\"\n", Some("a \"b\"\n")),
            (r#""\u00eb\n""#, Some("ë\n")),
            (r#""a\\nb""#, None),
            (r#""a b""#, None),
            (r#""a\n","b\n""#, None),
            (r#""a\n\""#, None),
            (r#""a\n\x""#, None),
            (r#""a\n\ud800""#, None),
            (r#""a\n\ud800\ue000""#, None),
            ("\"a\\n\nb\"", None),
            (r#"a\nb"#, None),
            ("\"", None),
            ("", None),
        ] {
            assert_eq!(text_of_quoted(text).as_deref(), expected, "{text}");
        }
    }
}
