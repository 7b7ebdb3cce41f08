//! Halves of surrogate pairs in JSON (`"\ud83d"`): programs that cut texts write them, and the parser
//! takes them for an error.

use std::borrow::Cow;

/// Replaces half a pair by text of the same length, so that every place stays the same.
const REPLACEMENT: &[u8; 6] = br"\ufffd";

/// The text with every escape of half a pair replaced.
pub(super) fn replaced(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut changed: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        at += found;
        let Some(unit) = unit(&bytes[at..]) else {
            // Another escape: its second character is none of an escape.
            at = (at + 2).min(bytes.len());
            continue;
        };
        match unit {
            0xd800..=0xdbff
                if matches!(
                    bytes.get(at + 6..).and_then(self::unit),
                    Some(0xdc00..=0xdfff)
                ) =>
            {
                at += 12;
            }
            0xd800..=0xdfff => {
                let changed = changed.get_or_insert_with(|| bytes.to_vec());
                changed[at..at + 6].copy_from_slice(REPLACEMENT);
                at += 6;
            }
            _ => at += 6,
        }
    }
    changed.map_or(Cow::Borrowed(text), |changed| {
        String::from_utf8(changed).map_or(Cow::Borrowed(text), Cow::Owned)
    })
}

/// The code unit of an escape `\uXXXX` that a text begins with.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(br"\u")?.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_halves_are_replaced() {
        let cases = [
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""a\ud83d""#, r#""a\ufffd""#),
            (r#""\uDE00\ud83dx""#, r#""\ufffd\ufffdx""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\u12"#, r#""\u12"#),
            (r"\", r"\"),
            ("\"\\é\\ud83d\"", "\"\\é\\ufffd\""),
        ];
        for (text, expected) in cases {
            assert_eq!(super::replaced(text), expected);
        }
    }
}
