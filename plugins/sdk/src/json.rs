//! JSON strings, and slices of text on character boundaries.

/// A text as a JSON string, quotes included.
///
/// # Examples
///
/// ```
/// use tamis_sdk::quote;
///
/// assert_eq!(quote("two\n\"lines\""), r#""two\n\"lines\"""#);
/// ```
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    push_quoted(&mut quoted, text);
    quoted
}

/// Writes a text as a JSON string, quotes included, at the end of `out`.
///
/// # Examples
///
/// ```
/// use tamis_sdk::push_quoted;
///
/// let mut json = "{\"name\":".to_owned();
/// push_quoted(&mut json, "a \"b\"");
/// json.push('}');
/// assert_eq!(json, r#"{"name":"a \"b\""}"#);
/// ```
pub fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x00..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[written..at]);
        if escape.is_empty() {
            out.push_str("\\u00");
            out.push(if byte < 0x10 { '0' } else { '1' });
            out.push(char::from(b"0123456789abcdef"[usize::from(byte & 0xf)]));
        } else {
            out.push_str(escape);
        }
        written = at + 1;
    }
    out.push_str(&text[written..]);
    out.push('"');
}

/// Decodes a JSON string, given with its quotes; none if it is not Unicode.
///
/// # Examples
///
/// ```
/// use tamis_sdk::unquote;
///
/// assert_eq!(unquote(r#""caf\u00e9""#).as_deref(), Some("café"));
/// assert_eq!(unquote(r#""\ud800""#), None); // half of a character
/// assert_eq!(unquote("no quotes"), None);
/// ```
#[cfg(not(feature = "nested"))]
pub fn unquote(quoted: &str) -> Option<String> {
    serde_json::from_str(quoted).ok()
}

/// # Examples
///
/// ```
/// use tamis_sdk::unquote;
///
/// assert_eq!(unquote(r#""caf\u00e9""#).as_deref(), Some("café"));
/// assert_eq!(unquote(r#""\ud800""#), None); // half of a character
/// assert_eq!(unquote("no quotes"), None);
/// ```
#[cfg(feature = "nested")]
pub use tamis_document::unquote;

/// The bytes from `start` up to `end`, moved back to character boundaries.
pub(crate) fn slice(text: &str, start: u32, end: u32) -> &str {
    let start = text.floor_char_boundary(start as usize);
    let end = text.floor_char_boundary(end as usize);
    text.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_is_undone_by_decoding() {
        let text = "pipe | \"quote\" \\ back\nline\ttab \u{1} \u{1f} é 🦀 \u{7f}\u{2028}";
        assert_eq!(unquote(&quote(text)).as_deref(), Some(text));
        assert_eq!(quote("a\u{1b}\"b"), r#""a\u001b\"b""#);
    }

    #[test]
    fn half_a_surrogate_pair_is_not_text() {
        assert_eq!(unquote(r#""\ud800""#), None);
    }

    #[test]
    fn slices_stop_at_character_boundaries() {
        assert_eq!(slice("aé🦀b", 0, 2), "a");
        assert_eq!(slice("aé🦀b", 2, 5), "é");
        assert_eq!(slice("aé🦀b", 3, 99), "🦀b");
        assert_eq!(slice("abc", 2, 1), "");
    }
}
