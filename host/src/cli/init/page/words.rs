//! Text of others in a filters.toml: in comments, as strings, as keys.

use crate::printable;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Longest name of a chain or a test, in characters.
const LONGEST_NAME: usize = 64;

/// Longest name in a comment, in characters.
pub(super) const NAMED: usize = 128;

/// Longest description in a comment, in characters.
pub(super) const DESCRIBED: usize = 100;

/// Longest list on one line.
const LINE: usize = 100;

/// Text of others in a comment: on one line, and not longer than this, also where much of it is escaped.
pub(super) fn comment(text: &str, most: usize) -> String {
    let start: String = text.chars().take(most).collect();
    let line = printable::line(&start);
    let short: String = line.chars().take(most).collect();
    let is_whole = start.len() == text.len() && short.len() == line.len();
    short + if is_whole { "" } else { "…" }
}

/// A text as TOML: on one line, and without characters that a terminal obeys or hides.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            hidden if printable::is_hidden(hidden) => {
                let _ = match u32::from(hidden) {
                    code @ 0..=0xffff => write!(quoted, "\\u{code:04X}"),
                    code => write!(quoted, "\\U{code:08X}"),
                };
            }
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

/// Texts as a list of TOML: on one line if they fit there.
pub(super) fn list(texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| quote(text)).collect();
    let line = quoted.join(", ");
    match line.len() <= LINE || texts.len() == 1 {
        true => format!("[{line}]"),
        false => format!("[\n  {},\n]", quoted.join(",\n  ")),
    }
}

/// The arguments of a call as a table of TOML on one line. None: the call has none, or one is null or a number
/// that TOML does not have.
pub(super) fn arguments(arguments: &Map<String, Value>) -> Option<String> {
    match arguments.is_empty() {
        true => None,
        false => table(arguments),
    }
}

fn table(members: &Map<String, Value>) -> Option<String> {
    let pairs = members.iter();
    let pairs = pairs.map(|(name, value)| Some(format!("{} = {}", key(name), inline(value)?)));
    let pairs: Vec<String> = pairs.collect::<Option<_>>()?;
    Some(match pairs.is_empty() {
        true => "{}".to_owned(),
        false => format!("{{ {} }}", pairs.join(", ")),
    })
}

fn inline(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.to_string(),
            None if number.is_u64() => return None,
            None => format!("{:?}", number.as_f64()?),
        },
        Value::String(text) => quote(text),
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(inline).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Object(members) => table(members)?,
    })
}

/// A name as a key of TOML.
pub(super) fn key(name: &str) -> String {
    if is_plain(name) {
        name.to_owned()
    } else {
        quote(name)
    }
}

/// Whether it is a key of TOML without quotes, as nearly all names of tools are.
pub(super) fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.chars().all(is_plain)
}

/// Whether it can be the name of a chain or a test.
pub(in super::super) fn is_name(text: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= LONGEST_NAME
        && !text.chars().any(printable::is_hidden)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_written_is_what_is_read() {
        let texts = [
            "plain",
            "\"\"\"",
            "'''\\",
            "a\r\nb\tc\u{0}\u{7f}\u{85}",
            "\u{202e}\u{e0041}é数\u{feff}",
            "# [[chain]]",
        ];
        for text in texts {
            let line = format!("{} = {}", key(text), quote(text));
            assert!(!line.chars().any(printable::is_hidden), "{line:?}");
            let read: toml::Table = line
                .parse()
                .unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(read[text].as_str(), Some(text), "{line}");
        }
        let value = json!({"a b": [1, -2.5, 1e300, true, {}, [], {"x": texts}], "n": i64::MIN});
        let Value::Object(members) = &value else {
            panic!("an object")
        };
        let line = format!("it = {}", arguments(members).expect("a table"));
        let read: toml::Table = line
            .parse()
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(serde_json::to_value(&read["it"]).expect("JSON"), value);
        for none in [json!({"a": [null]}), json!({"a": u64::MAX}), json!({})] {
            assert_eq!(arguments(none.as_object().expect("an object")), None);
        }
    }

    #[test]
    fn a_comment_is_bounded_also_where_it_is_escaped() {
        assert_eq!(comment("short", 10), "short");
        assert_eq!(comment("0123456789x", 10), "0123456789…");
        let hostile = "\u{202e}".repeat(1000);
        assert_eq!(comment(&hostile, 10), "\\u{202e}\\u…");
    }
}
