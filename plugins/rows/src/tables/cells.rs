//! The spelling of a value in a cell, and which strings need no quotes.
//!
//! A bare string is spelled as in JSON without its quotes, except that `\"` becomes `"`. So `\n` stays `\n`, and a tab
//! or a line break cannot occur.

/// The position of a cell, which decides the characters that a bare string may have.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Place {
    /// In a row, between tabs.
    Row,
    /// In a list inside a cell, between commas and semicolons.
    Item,
    /// In a header's brackets.
    Head,
}

/// Whether a reader would take a bare text for another type. `typed`: in a column whose bare numbers, `true` and
/// `false` are not strings.
pub(crate) fn needs_quotes(body: &str, typed: bool, place: Place) -> bool {
    let bytes = body.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return true;
    };
    // `\"` loses its backslash, and would begin with a quote.
    matches!(first, b'"' | b'[' | b'{' | b'~' | b'!')
        || *last == b' '
        || (*first == b'\\' && bytes.get(1) == Some(&b'"'))
        || body == "null"
        || (typed && is_scalar(bytes))
        || match place {
            Place::Row => false,
            Place::Item => *first == b' ' || bytes.iter().any(|it| matches!(it, b',' | b';')),
            Place::Head => {
                *first == b' ' || bytes.iter().any(|it| matches!(it, b',' | b';' | b']'))
            }
        }
}

/// Whether a bare text is a number, `true` or `false` as JSON spells them.
pub(crate) fn is_scalar(text: &[u8]) -> bool {
    match text.first() {
        Some(b'-' | b'0'..=b'9') => is_number(text),
        Some(b't') => text == b"true",
        Some(b'f') => text == b"false",
        _ => false,
    }
}

fn is_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|it| it.is_ascii_digit()).count();
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest[0] == b'0') {
        return false;
    }
    rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let Some(b'e' | b'E') = rest.first() {
        rest = &rest[1..];
        if let Some(b'+' | b'-') = rest.first() {
            rest = &rest[1..];
        }
        let count = digits(rest);
        return count > 0 && count == rest.len();
    }
    rest.is_empty()
}

/// Writes the body of a JSON string as a bare string.
pub(crate) fn push_bare(out: &mut String, body: &str, escaped: bool) {
    if !escaped {
        out.push_str(body);
        return;
    }
    let bytes = body.as_bytes();
    let (mut written, mut at) = (0, 0);
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        if bytes.get(at + 1) == Some(&b'"') {
            out.push_str(&body[written..at]);
            written = at + 1;
        }
        at += 2;
    }
    out.push_str(&body[written..]);
}

/// The reverse of [`push_bare`], without the quotes around it.
pub(crate) fn push_body(out: &mut String, bare: &str) {
    let bytes = bare.as_bytes();
    let (mut written, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => {
                out.push_str(&bare[written..at]);
                out.push('\\');
                written = at;
                at += 1;
            }
            _ => at += 1,
        }
    }
    out.push_str(&bare[written..]);
}

/// Whether a key needs no quotes in a header.
pub(crate) fn is_bare_name(body: &str) -> bool {
    let bytes = body.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    *first != b' '
        && *last != b' '
        && !bytes.iter().all(u8::is_ascii_digit)
        && !bytes.iter().any(|it| b".=:[]{},;>~*\"^!#\\".contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_json() {
        for number in [
            "0",
            "-0",
            "1e2",
            "1E+2",
            "0.50",
            "123456789012345678901234567890",
            "-1.5e-3",
        ] {
            assert!(is_scalar(number.as_bytes()), "{number}");
        }
        for text in [
            "", "-", "01", "1.", ".5", "1e", "+1", "0x1", "1 ", "1.2.3", "1e+", "truex",
        ] {
            assert!(!is_scalar(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn bare_strings_come_back_as_they_were_spelled() {
        for body in [
            r#"say \"hi\""#,
            r"C:\\dir\\",
            r#"\\\"x\u0022\\"#,
            r"a\nb\ud800",
            "plain",
        ] {
            let mut bare = String::new();
            push_bare(&mut bare, body, true);
            assert!(!bare.contains('\n'));
            let mut back = String::new();
            push_body(&mut back, &bare);
            assert_eq!(back, body, "{bare}");
        }
    }

    #[test]
    fn what_reads_as_something_else_is_quoted() {
        for body in ["", "null", "~", "!x", "[a", "{", r#"\"q"#, "end "] {
            assert!(needs_quotes(body, false, Place::Row), "{body}");
        }
        assert!(needs_quotes("12", true, Place::Row));
        assert!(!needs_quotes("12", false, Place::Row));
        assert!(!needs_quotes("a, b | c;", true, Place::Row));
        assert!(needs_quotes("a, b", true, Place::Item));
        assert!(!needs_quotes("a]", true, Place::Item));
        assert!(needs_quotes("a]", true, Place::Head));
    }
}
