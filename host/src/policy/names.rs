//! Names in the file and in messages: quoting, the nearest known name, valid names.

use super::raw::Findings;
use super::report::Finding;
use super::source::Span;
use crate::printable::is_hidden;

/// Longest name of a plugin or a chain, in characters: logs and table columns contain it.
pub(super) const MAX_NAME: usize = 64;

/// How much of the file's own text a message repeats, in characters: the message shows the line anyway.
const QUOTED: usize = 60;

/// Names listed in one message.
const LISTED: usize = 30;

/// Text of the file in a message: on one line, of bounded length, between backticks.
pub(crate) fn quote(text: &str) -> String {
    if text.is_empty() {
        return "the empty text".to_owned();
    }
    format!("`{}`", clip(text))
}

/// Reports a text that is not a valid name for logs and tables. `what` describes the name: `a chain's name`.
pub(super) fn check_title(name: &str, span: Span, what: &str, findings: &mut Findings<'_>) {
    let length = name.chars().count();
    if name.trim().is_empty() || length > MAX_NAME || name.chars().any(char::is_control) {
        let label = format!("allowed: 1 to {MAX_NAME} characters on one line");
        let message = format!("{} is not {what}", quote(name));
        findings.push(Finding::error(span, message, label));
    }
}

/// The same as [`quote`], without backticks.
pub(super) fn clip(text: &str) -> String {
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == QUOTED {
            shown.push('…');
            break;
        }
        if is_hidden(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// `a`, `b`, `c`, in this order.
pub(super) fn list(names: &[&str]) -> String {
    let mut shown: Vec<String> = names.iter().take(LISTED).map(|name| quote(name)).collect();
    if names.len() > LISTED {
        shown.push(format!("{} more", names.len() - LISTED));
    }
    if shown.is_empty() {
        return "none".to_owned();
    }
    shown.join(", ")
}

/// The known name that was probably meant, if one is near enough.
pub(crate) fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    // Nothing that long is a slip of the finger, and the distance takes quadratic time.
    if name.len() > 2 * MAX_NAME {
        return None;
    }
    let folded = fold(name);
    known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(&folded, &fold(known)), *known))
        // A third of the letters wrong, at most: a text with more differences is another word.
        .filter(|(distance, known)| *distance <= known.chars().count().max(3) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Folds case and separators, which do not make two names different.
pub(super) fn fold(name: &str) -> String {
    name.trim().to_lowercase().replace(['_', ' ', '.'], "-")
}

/// Whether a text can be a plugin's name, which must be valid in file names and commands.
pub(super) fn is_plugin_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.len() <= MAX_NAME
        && name.bytes().next().is_some_and(plain)
        && name.bytes().all(|byte| plain(byte) || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_the_one_that_was_meant() {
        let known = ["name", "path", "sha256", "on-error", "limits"];
        let cases = [
            ("on_error", Some("on-error")),
            ("OnError", Some("on-error")),
            ("limts", Some("limits")),
            ("paht", Some("path")),
            ("nmae", Some("name")),
            ("x", None),
            ("description", None),
        ];
        for (name, expected) in cases {
            assert_eq!(nearest(name, &known), expected, "for `{name}`");
        }
    }

    #[test]
    fn text_of_the_file_cannot_break_a_message() {
        assert_eq!(quote("a\n\u{1b}[2J"), "`a\\n\\u{1b}[2J`");
        assert_eq!(clip(&"é".repeat(61)), "é".repeat(60) + "…");
    }

    #[test]
    fn plugin_names_are_plain() {
        for name in ["a", "house-style", "9to5", "a--"] {
            assert!(is_plugin_name(name), "`{name}`");
        }
        for name in ["", "-a", "A", "a_b", "a b", "é", "a/b", &"a".repeat(65)] {
            assert!(!is_plugin_name(name), "`{name}`");
        }
    }
}
