//! The characters of a JSON string as it is spelled. Use them to cut a string without changing its spelling, and for
//! strings that are not Unicode and cannot be decoded.

use crate::json::quote;

/// One character of a JSON string.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Character, characters};
///
/// let quoted = r#""a\nb""#;
/// let all: Vec<Character> = characters(quoted).collect();
/// let line_feed = all.iter().find(|character| character.is_line_feed).expect("one");
/// assert_eq!(&quoted[line_feed.start..line_feed.end], r"\n");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Character {
    /// Offset of its first byte in the spelled string, quotes included.
    pub start: usize,
    /// Offset after its last byte.
    pub end: usize,
    /// Whether it is a line feed.
    pub is_line_feed: bool,
}

/// The characters of a spelled JSON string, quotes included. Two `\u` escapes of one character count as one, and so
/// does an unpaired surrogate, which JSON allows.
///
/// # Examples
///
/// ```
/// use tamis_sdk::characters;
///
/// let quoted = r#""caf\u00e9""#;
/// assert_eq!(characters(quoted).count(), 4);
/// // The first three characters, as they are spelled:
/// let end = characters(quoted).nth(2).map_or(1, |character| character.end);
/// assert_eq!(&quoted[..end], "\"caf");
/// ```
pub fn characters(quoted: &str) -> Characters<'_> {
    let end = quoted.len().saturating_sub(1);
    Characters {
        text: quoted,
        at: 1,
        end,
    }
}

/// An iterator over characters; see [`characters`].
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Characters, characters};
///
/// fn lines(string: Characters<'_>) -> usize {
///     1 + string.filter(|character| character.is_line_feed).count()
/// }
/// assert_eq!(lines(characters(r#""one\ntwo\u000athree""#)), 3);
/// ```
pub struct Characters<'t> {
    text: &'t str,
    at: usize,
    end: usize,
}

impl Characters<'_> {
    /// The code unit of an escape `\uXXXX` at `at`.
    fn unit(&self, at: usize) -> Option<u32> {
        let escape = self.text.get(at..at + 6)?;
        u32::from_str_radix(escape.strip_prefix("\\u")?, 16).ok()
    }
}

impl Iterator for Characters<'_> {
    type Item = Character;

    fn next(&mut self) -> Option<Character> {
        let start = self.at;
        if start >= self.end {
            return None;
        }
        let bytes = self.text.as_bytes();
        let (len, is_line_feed) = match (bytes[start], bytes.get(start + 1)) {
            (b'\\', Some(b'u')) => match self.unit(start) {
                Some(0xd800..0xdc00) if matches!(self.unit(start + 6), Some(0xdc00..0xe000)) => {
                    (12, false)
                }
                unit => (6, unit == Some(0xa)),
            },
            (b'\\', escape) => (2, escape == Some(&b'n')),
            (byte, _) => {
                // The first byte of a character gives its length.
                let len = match byte.leading_ones() {
                    0 | 1 => 1,
                    ones => ones as usize,
                };
                (len, byte == b'\n')
            }
        };
        self.at = (start + len).min(self.end);
        Some(Character {
            start,
            end: self.at,
            is_line_feed,
        })
    }
}

/// Digits of the largest document's size: the longest number in a line.
const DIGITS: &str = "4294967295";

/// Cuts a JSON string, quotes included, to at most `most_bytes` between its quotes, and ends it with a line about the
/// cut. `line` makes that line from the bytes shown and the original bytes. None if the string fits unchanged, or the
/// line alone does not fit.
///
/// # Examples
///
/// ```
/// use tamis_sdk::cut_string;
///
/// let line = |shown: &str, total: &str| format!("[{shown} of {total} bytes]");
/// let quoted = format!("\"{}\"", "log ".repeat(100));
/// let cut = cut_string(&quoted, 60, line).expect("it is longer");
/// assert_eq!(cut, r#""log log log log log log lo\n[26 of 400 bytes]""#);
/// assert_eq!(cut_string(r#""short""#, 60, line), None);
/// ```
pub fn cut_string(
    quoted: &str,
    most_bytes: usize,
    line: impl Fn(&str, &str) -> String,
) -> Option<String> {
    let total = quoted.len().saturating_sub(2);
    if total <= most_bytes {
        return None;
    }
    // With its quotes, which are as long as the line feed before it.
    let line_bytes = quote(&line(DIGITS, DIGITS)).len();
    // Offsets count the opening quote.
    let room = most_bytes.checked_sub(line_bytes)? + 1;
    let end = characters(quoted)
        .take_while(|character| character.end <= room)
        .last()
        .map_or(1, |character| character.end);
    let line = quote(&line(&(end - 1).to_string(), &total.to_string()));
    Some(format!("{}\\n{}", &quoted[..end], &line[1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_string_is_json_and_within_its_limit() {
        let line = |shown: &str, total: &str| format!("[\"cut\": {shown} of {total}]");
        for text in ["é\n\"quoted\" 🦀 ".repeat(40), "🦀".repeat(200)] {
            for quoted in [quote(&text), quote(&text).replace('🦀', "\\ud83e\\udd80")] {
                for most in 60..90 {
                    let cut = cut_string(&quoted, most, line).expect("it is longer");
                    assert!(cut.len() - 2 <= most, "{} for {most}: {cut}", cut.len());
                    let said: String = serde_json::from_str(&cut).expect("a JSON string");
                    let (head, last) = said.rsplit_once('\n').expect("a line");
                    assert!(text.starts_with(head), "{said}");
                    assert!(last.starts_with("[\"cut\": "), "{said}");
                    assert_eq!(cut_string(&cut, most, line), None, "a second time");
                }
                assert_eq!(cut_string(&quoted, 10, line), None, "no room for the line");
                assert_eq!(cut_string(&quoted, quoted.len() - 2, line), None);
            }
        }
    }

    fn seen(quoted: &str) -> Vec<&str> {
        let characters = characters(quoted);
        characters.map(|it| &quoted[it.start..it.end]).collect()
    }

    #[test]
    fn an_escape_is_one_character() {
        assert_eq!(
            seen(r#""aé\n\"\\\u00e9🦀\ud83e\udd80""#),
            [
                "a",
                "é",
                "\\n",
                "\\\"",
                "\\\\",
                "\\u00e9",
                "🦀",
                "\\ud83e\\udd80"
            ]
        );
        assert_eq!(seen(r#""""#), [""; 0]);
    }

    #[test]
    fn half_a_pair_stands_alone() {
        assert_eq!(
            seen(r#""\ud800x\ud800\u0041\udc00""#),
            ["\\ud800", "x", "\\ud800", "\\u0041", "\\udc00"]
        );
    }

    #[test]
    fn line_feeds_are_seen_in_both_spellings() {
        let feeds = characters(r#""a\nb\u000Ac\\n""#).filter(|it| it.is_line_feed);
        assert_eq!(feeds.count(), 2);
    }
}
