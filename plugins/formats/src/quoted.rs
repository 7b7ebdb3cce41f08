//! Texts that are one string of JSON or Python with line breaks: a server encoded its output twice, or printed it by `repr`.

use crate::{literal, unquoted};

/// What a text in quotes says.
#[derive(Debug, PartialEq)]
pub struct QuotedText {
    /// Without the quotes and escapes.
    pub text: String,
    /// What the quotes and escapes are: `JSON string`.
    pub notation: &'static str,
}

/// What a text says that is one string, if that has line breaks.
pub fn text_of_quoted(text: &str) -> Option<QuotedText> {
    let quoted = text.trim_matches([' ', '\t', '\n', '\r']);
    if !quoted.ends_with(['"', '\'']) {
        return None;
    }
    let json = quoted
        .starts_with('"')
        .then(|| said_in_json(quoted))
        .flatten();
    let (text, notation) = match json {
        Some(text) => (text, "JSON string"),
        None => (literal::string_of(quoted)?, "Python string"),
    };
    text.contains('\n').then_some(QuotedText { text, notation })
}

fn said_in_json(quoted: &str) -> Option<String> {
    let inside = quoted.strip_prefix('"')?.strip_suffix('"')?.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &inside[at..]) {
        let sign = at + found;
        match (inside[sign], inside.get(sign + 1)?) {
            (b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u') => {}
            // The string ends before the text does, or is no JSON.
            _ => return None,
        }
        at = sign + 2;
    }
    // JSON spells control characters as escapes.
    let is_json = inside.iter().all(|byte| *byte >= b' ');
    is_json.then(|| unquoted(quoted))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_json_string_with_a_line_break_is_what_it_says() {
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
            let said = text_of_quoted(text);
            assert!(said.iter().all(|said| said.notation == "JSON string"));
            assert_eq!(said.as_ref().map(|said| &*said.text), expected, "{text}");
        }
    }

    #[test]
    fn a_python_string_with_a_line_break_is_what_it_says() {
        for (text, expected) in [
            (r"'a\nb'", Some("a\nb")),
            (r#""it's\x1b[0m\n""#, Some("it's\u{1b}[0m\n")),
            (r"b'caf\xc3\xa9\n'", Some("café\n")),
            (r"b'\xff\n'", None),
            (r"'a', 'b\n'", None),
            (r"it's a\nb'", None),
            (r"'a b'", None),
            (r"u'a\n'", None),
        ] {
            let said = text_of_quoted(text);
            assert!(said.iter().all(|said| said.notation == "Python string"));
            assert_eq!(said.as_ref().map(|said| &*said.text), expected, "{text}");
        }
    }
}
