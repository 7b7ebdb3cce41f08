//! The beginning of a string: its first lines, its first characters, and a mark of the cut.
//!
//! Strings are cut as they are spelled, with their escapes, so the rest keeps its spelling.

use serde::Deserialize;
use tamis_sdk::characters;

/// How much of a string stays.
#[derive(Deserialize, Clone)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Preview {
    /// Maximum number of lines that stay. `...` on a line of its own follows if more existed.
    pub lines: Option<u32>,
    /// Maximum number of characters that stay. `...` follows if at least four more existed.
    pub chars: Option<u32>,
    /// The member's new key; without it, the key stays.
    #[serde(rename = "as")]
    pub name: Option<String>,
}

/// Characters of the mark. A cut that removes no more than this would not save anything.
const MARK_CHARS: usize = 3;

impl Preview {
    /// The preview of a JSON string, quotes included; none if all of it stays.
    pub fn of(&self, quoted: &str) -> Option<String> {
        let limit = |limit: Option<u32>| limit.map_or(usize::MAX, |limit| limit as usize);
        let (most_lines, most_chars) = (limit(self.lines), limit(self.chars));
        let mut lines = 0;
        let mut all = characters(quoted).enumerate();
        while let Some((place, character)) = all.next() {
            if character.is_line_feed {
                lines += 1;
                let rest = &quoted[character.end..];
                if lines == most_lines {
                    // A line feed at the very end begins no line.
                    let is_more = rest != "\"";
                    // This filter has already cut the string.
                    let is_mark = rest == "...\"";
                    return (is_more && !is_mark)
                        .then(|| format!("{}\\n...\"", &quoted[..character.start]));
                }
            }
            if place == most_chars && all.by_ref().take(MARK_CHARS).count() == MARK_CHARS {
                return Some(format!("{}...\"", &quoted[..character.start]));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamis_sdk::quote;

    fn preview(lines: Option<u32>, chars: Option<u32>) -> Preview {
        Preview {
            lines,
            chars,
            name: None,
        }
    }

    #[test]
    fn lines() {
        let three = preview(Some(3), None);
        for (text, expected) in [
            (r"a\nb\nc\nd", Some(r"a\nb\nc\n...")),
            (r"a\nb\nc\n\n", Some(r"a\nb\nc\n...")),
            (r"a\r\nb\r\nc\r\nd", Some(r"a\r\nb\r\nc\r\n...")),
            (r"a\u000ab\u000Ac\u000ad", Some(r"a\u000ab\u000Ac\n...")),
            (r"a\\nb\nb\nc\nd", Some(r"a\\nb\nb\nc\n...")),
            (r"a\nb\nc\n...", None),
            (r"a\nb\nc\n", None),
            (r"a\nb\nc", None),
            ("a", None),
            ("", None),
        ] {
            let cut = three.of(&format!("\"{text}\""));
            let expected = expected.map(|text| format!("\"{text}\""));
            assert_eq!(cut, expected, "{text}");
        }
    }

    #[test]
    fn characters_are_not_bytes() {
        let two = preview(None, Some(2));
        assert_eq!(two.of(r#""日本語文字列""#).as_deref(), Some(r#""日本...""#));
        assert_eq!(
            two.of(r#""\ud83e\udd80é\u00e9\ud800xyz""#).as_deref(),
            Some(r#""\ud83e\udd80é...""#)
        );
        // Three more are no longer than the mark.
        assert_eq!(two.of(r#""abcde""#), None);
        assert_eq!(two.of(r#""abcdef""#).as_deref(), Some(r#""ab...""#));
    }

    #[test]
    fn once_is_enough() {
        let texts = [
            "a\nbc\ndef\nghij\nk",
            "abcdefgh\nij\nk",
            "\n\n\n\n\n\n",
            "日本語\n文字列",
        ];
        for text in texts {
            for lines in 1..6 {
                for chars in 1..20 {
                    for head in [
                        preview(Some(lines), Some(chars)),
                        preview(Some(lines), None),
                        preview(None, Some(chars)),
                    ] {
                        if let Some(cut) = head.of(&quote(text)) {
                            assert_eq!(head.of(&cut), None, "{text:?} {lines} {chars} {cut}");
                        }
                    }
                }
            }
        }
    }
}
