//! Names as they are shown. Servers and clients choose them, so they may be long, and made to hurt.

use super::Rows;
use crate::ledger::Row;
use std::borrow::Cow;

/// What a row is called, on one line.
pub(super) fn name(by: Rows, row: &Row) -> String {
    match (&row.name, by) {
        (Some(name), _) if name.is_empty() => "(no name)".to_owned(),
        (Some(name), _) => visible(name),
        (None, Rows::Client) if row.calls > 0 => "(unnamed)".to_owned(),
        (None, _) => "(calls not in the ledger)".to_owned(),
    }
}

/// With escapes for what does not show or changes how the text around it shows: control characters,
/// directions of writing, spaces without width.
pub(super) fn visible(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for char in name.chars() {
        let is_unseen = matches!(char, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}');
        if char.is_control() || is_unseen {
            text.extend(char.escape_unicode());
        } else {
            text.push(char);
        }
    }
    text
}

/// At most so many characters: names differ at their ends as often as at their beginnings, so what is
/// left out is in the middle.
pub(super) fn shortened(name: &str, most: usize) -> Cow<'_, str> {
    let count = name.chars().count();
    if count <= most {
        return Cow::Borrowed(name);
    }
    let head = most / 2;
    let tail = most - head - 1;
    let chars = || name.chars();
    let text: String = chars()
        .take(head)
        .chain(['…'])
        .chain(chars().skip(count - tail))
        .collect();
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_show_is_written_out() {
        assert_eq!(visible("get_issue é 数"), "get_issue é 数");
        assert_eq!(
            visible("a\n\u{1b}[2J\u{202e}b\u{200b}"),
            r"a\u{a}\u{1b}[2J\u{202e}b\u{200b}"
        );
    }

    #[test]
    fn a_long_name_keeps_its_ends() {
        assert_eq!(shortened("abcdefgh", 8), "abcdefgh");
        assert_eq!(shortened("abcdefghi", 8), "abcd…ghi");
        assert_eq!(shortened(&"é".repeat(500), 9).chars().count(), 9);
    }
}
