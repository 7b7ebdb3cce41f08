//! Text of others, escaped so that a terminal shows all of it and obeys none of it.
//!
//! Servers, plugins, registries, clients and the files of a project write text that Tamis shows to people:
//! names, messages, lines of results. Owns which characters may not reach a terminal, and their escaped form.
//! All output for people is escaped once more on its way out (`cli/output.rs`, the log), so a place that
//! forgets to escape is no hole.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a terminal obeys a character, or does not show it. These are control characters (also U+0085) and
/// separators of lines and paragraphs. Others change the direction of the text, take no room, or are drawn as
/// nothing (tags, fillers, selectors of variants that have no meaning for a terminal).
pub fn is_hidden(character: char) -> bool {
    // Nearly all text is ASCII.
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}'
            | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            // U+FE0E and U+FE0F choose between text and picture, and occur in people's texts.
            | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// A text on one line: hidden characters are escaped, also tabs and line feeds.
pub fn line(text: &str) -> String {
    escape(text, |_| false).into_owned()
}

/// As [`line`], but tabs stay: for lines of files.
pub fn line_with_tabs(text: &str) -> String {
    escape(text, |character| character == '\t').into_owned()
}

/// A text of several lines: line feeds and tabs stay.
pub fn lines(text: &str) -> Cow<'_, str> {
    escape(text, |character| matches!(character, '\n' | '\t'))
}

/// A text of several lines with Tamis's own colours: sequences that select them (`ESC [ 1 ; 31 m`) stay. Parts
/// of other authors must be escaped with [`line`] or [`lines`] already: they could choose colours, too.
pub fn coloured(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return lines(text);
    }
    let mut shown = String::with_capacity(text.len());
    for (index, piece) in text.split('\u{1b}').enumerate() {
        if index == 0 {
            shown.push_str(&lines(piece));
            continue;
        }
        let end = piece
            .strip_prefix('[')
            .map(|rest| {
                1 + rest
                    .find(|c: char| !c.is_ascii_digit() && c != ';')
                    .unwrap_or(rest.len())
            })
            .filter(|end| piece[*end..].starts_with('m'));
        shown.push_str(match end {
            Some(_) => "\u{1b}",
            None => "\\u{1b}",
        });
        shown.push_str(&lines(piece));
    }
    Cow::Owned(shown)
}

/// JSON of several lines: hidden characters occur in strings, and are escaped there as in JSON (`\u202e`), so
/// the meaning is the same.
pub fn json(text: &str) -> Cow<'_, str> {
    let stays = |character| matches!(character, '\n' | '\t' | '\r');
    if !text.chars().any(|c| is_hidden(c) && !stays(c)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) && !stays(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

fn escape(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hidden(c) && !stays(c)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' if !stays(character) => shown.extend(character.escape_default()),
            _ if is_hidden(character) && !stays(character) => {
                shown.extend(character.escape_unicode());
            }
            _ => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each kind.
    const HOSTILE: &str = "\u{1b}[2J\u{7}\u{85}\u{9b}31m\u{200b}\u{202e}\u{2028}\u{2029}\u{2066}\u{61c}\u{feff}\u{e0041}\u{e007f}\u{ad}";

    #[test]
    fn nothing_hidden_is_left() {
        for shown in [
            line(HOSTILE),
            lines(HOSTILE).into_owned(),
            coloured(HOSTILE).into_owned(),
        ] {
            assert!(!shown.chars().any(is_hidden), "{shown:?}");
        }
        assert_eq!(
            line("a\u{1b}[1m\n\tb\u{202e}"),
            "a\\u{1b}[1m\\n\\tb\\u{202e}"
        );
        assert_eq!(lines("a\r\n\tb\u{2028}"), "a\\r\n\tb\\u{2028}");
        // Ordinary text stays: letters of all scripts, and pictures.
        let plain = "get_issue é 数 \u{2764}\u{fe0f} שלום";
        assert_eq!(line(plain), plain);
        assert!(matches!(lines(plain), Cow::Borrowed(_)));
    }

    #[test]
    fn colours_stay_and_nothing_else_that_a_terminal_obeys() {
        let text = "\u{1b}[1;31mred\u{1b}[0m \u{1b}[2J \u{1b}]0;title\u{7} \u{1b}[31";
        assert_eq!(
            coloured(text),
            "\u{1b}[1;31mred\u{1b}[0m \\u{1b}[2J \\u{1b}]0;title\\u{7} \\u{1b}[31"
        );
    }

    #[test]
    fn json_means_the_same() {
        let value = serde_json::json!({"a\u{202e}": [HOSTILE, "\n"], "b": 1});
        for text in [value.to_string(), format!("{value:#}")] {
            let shown = json(&text);
            assert!(
                !shown.chars().any(|c| is_hidden(c) && c != '\n'),
                "{shown:?}"
            );
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&shown).expect("JSON"),
                value
            );
        }
    }
}
