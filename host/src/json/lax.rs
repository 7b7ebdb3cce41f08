//! Keys as lax readers compare them: without regard to case, and without invisible characters.

use serde::de::{Deserializer, Visitor};
use std::borrow::Cow;

/// Whether some reader takes a key (decoded) for one of these names, which it is not.
pub(crate) fn is_taken_for_one(key: &[u8], names: &[&str]) -> bool {
    if key.iter().all(|byte| byte.is_ascii_graphic()) {
        let mut names = names.iter().map(|name| name.as_bytes());
        return names.any(|name| name.eq_ignore_ascii_case(key) && name != key);
    }
    let key = folded(key);
    names.iter().any(|name| name.eq_ignore_ascii_case(&key))
}

/// A key as the laxest readers compare it: up to a NUL, without invisible or undecodable characters.
/// Letters that some languages' rules for case turn into ASCII ones (`ſ`, the Kelvin sign, `ı`, `İ`) are
/// replaced.
fn folded(key: &[u8]) -> String {
    let text: Cow<'_, str> = String::from_utf8_lossy(key);
    let seen = text.chars().take_while(|letter| *letter != '\0');
    let letters = seen.filter_map(|letter| match letter {
        '\u{17f}' => Some('s'),
        '\u{212a}' => Some('k'),
        '\u{130}' | '\u{131}' => Some('i'),
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fffd}' => {
            None
        }
        other if other.is_control() || other.is_whitespace() => None,
        other => Some(other),
    });
    letters.collect()
}

/// The bytes of a JSON string with escapes: those of a lone surrogate are no UTF-8. Empty, if it is no string.
pub(super) fn decoded(quoted: &[u8]) -> Vec<u8> {
    struct Bytes;

    impl<'de> Visitor<'de> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            out.write_str("a string")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }

    let mut parser = serde_json::Deserializer::from_slice(quoted);
    parser.deserialize_bytes(Bytes).unwrap_or_default()
}
