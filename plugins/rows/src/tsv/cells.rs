//! The spelling of a value in a cell that no reader can mistake: plain text, or a JSON string if the text looks like
//! another type.

use crate::tables::cells::is_scalar;

/// Whether a string must be a JSON string. `body` is the text between its quotes in JSON.
pub(super) fn needs_quotes(body: &str, escaped: bool) -> bool {
    needs_quotes_as_name(body, escaped) || is_like_another_type(body)
}

/// The same for a text that can only be a name, such as the key of a map.
pub(super) fn needs_quotes_as_name(body: &str, escaped: bool) -> bool {
    let bytes = body.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return true;
    };
    matches!(first, b'"' | b'[' | b']' | b'{' | b'}')
        || *last == b' '
        || (escaped && (bytes.starts_with(b"\\\"") || has_other_escapes(bytes)))
}

/// Whether a string has escapes other than those of a quote and a backslash, for example of a line break or a control
/// character.
fn has_other_escapes(body: &[u8]) -> bool {
    let mut at = 0;
    while at < body.len() {
        if body[at] == b'\\' {
            if !matches!(body.get(at + 1), Some(b'"' | b'\\')) {
                return true;
            }
            at += 1;
        }
        at += 1;
    }
    false
}

/// Whether a reader could take a text for a number, `true`, `false` or `null`, even if that reader ignores leading
/// zeros and case.
fn is_like_another_type(body: &str) -> bool {
    match body.as_bytes().first() {
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => is_like_a_number(body.as_bytes()),
        Some(b't' | b'T' | b'f' | b'F' | b'n' | b'N') => ["true", "false", "null"]
            .iter()
            .any(|word| body.eq_ignore_ascii_case(word)),
        _ => false,
    }
}

fn is_like_a_number(text: &[u8]) -> bool {
    fn digits(text: &[u8]) -> (usize, &[u8]) {
        let count = text.iter().take_while(|it| it.is_ascii_digit()).count();
        (count, &text[count..])
    }
    let rest = match text {
        [b'+' | b'-', rest @ ..] => rest,
        _ => text,
    };
    let (whole, mut rest) = digits(rest);
    let mut fraction = 0;
    if let [b'.', after @ ..] = rest {
        (fraction, rest) = digits(after);
    }
    if whole + fraction == 0 {
        return false;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        let after = match after {
            [b'+' | b'-', after @ ..] => after,
            _ => after,
        };
        let (exponent, after) = digits(after);
        return exponent > 0 && after.is_empty();
    }
    rest.is_empty()
}

/// Writes a text without quotes. `\"` and `\\` become the characters that they encode.
pub(super) fn push_text(out: &mut String, body: &str, escaped: bool) {
    if !escaped {
        return out.push_str(body);
    }
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        // The escaped character is a quote or a backslash: one byte.
        out.push_str(&rest[at + 1..at + 2]);
        rest = &rest[at + 2..];
    }
    out.push_str(rest);
}

/// The reverse of [`push_text`], with quotes around it.
pub(super) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\\']) {
        out.push_str(&rest[..at]);
        out.push('\\');
        out.push_str(&rest[at..=at]);
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

/// Writes a cell's value as JSON; the cell is not empty.
pub(super) fn push_value(out: &mut String, cell: &str) {
    let is_json = cell.starts_with(['"', '[', '{']) || cell == "null";
    if is_json || is_scalar(cell.as_bytes()) {
        out.push_str(cell);
    } else {
        push_string(out, cell);
    }
}

/// Whether a key needs no quotes in a header, in which dots separate the keys of a path.
pub(super) fn is_bare_key(body: &str) -> bool {
    !body.is_empty() && !body.contains('.') && !body.starts_with(' ') && !body.ends_with(' ')
}

/// Whether a key can be named in the line of words.
pub(super) fn is_word(body: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-$@/".contains(&byte);
    !body.is_empty() && body.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_another_type_is_quoted() {
        for body in [
            "", "0", "-1", "+5", "007", "1.50", ".5", "1.", "1e9", "1E+9", "true", "False", "NULL",
            "[x", "{", "]", "}", "end ",
        ] {
            assert!(needs_quotes(body, false), "{body}");
        }
        for body in [r#"\"q\""#, r"a\nb", r"\t", r"\u0041", r"a\/b"] {
            assert!(needs_quotes(body, true), "{body}");
        }
    }

    #[test]
    fn text_stands_as_it_is() {
        for body in [
            "open",
            "2024-01-01",
            "1.2.3",
            "555-1234",
            "10 apples",
            "-",
            ".",
            "1e",
            " lead",
            "a, b; c",
            "nullable",
            "~",
            "#3",
            "!x",
            "a=b",
        ] {
            assert!(!needs_quotes(body, false), "{body}");
        }
        for (body, text) in [
            (r#"say \"hi\""#, r#"say "hi""#),
            (r"C:\\dir\\new", r"C:\dir\new"),
            (r#"\\\"x\\"#, r#"\"x\"#),
        ] {
            assert!(!needs_quotes(body, true), "{body}");
            let mut out = String::new();
            push_text(&mut out, body, true);
            assert_eq!(out, text);
            let mut back = String::new();
            push_string(&mut back, text);
            assert_eq!(back, format!("\"{body}\""));
        }
    }
}
