//! Escape sequences of a terminal, which are not part of a text's content.
//!
//! Owns the end of a sequence (ECMA-48). Refuses to know its effect: the number of lines stays the same.

use std::borrow::Cow;

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';

/// A text without escape sequences: `ESC [ … letter`, `ESC ] … BEL`, `ESC letter`. Of a broken sequence, only the
/// certain part is removed.
pub fn without_escapes(text: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(ESCAPE as u8, text.as_bytes()) else {
        return Cow::Borrowed(text);
    };
    let (first, mut rest) = (&text[..first], &text[first + 1..]);
    let mut out = String::with_capacity(text.len());
    out.push_str(first);
    loop {
        rest = &rest[sequence_length(rest)..];
        let Some((before, after)) = rest.split_once(ESCAPE) else {
            out.push_str(rest);
            return Cow::Owned(out);
        };
        out.push_str(before);
        rest = after;
    }
}

/// Bytes of a sequence after its escape character.
fn sequence_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_final =
        |at: usize, least: u8| bytes.get(at).is_some_and(|it| (least..0x7f).contains(it));
    match bytes.first() {
        Some(b'[') => {
            let parameters = bytes[1..]
                .iter()
                .take_while(|it| (0x20..0x40).contains(*it));
            let end = 1 + parameters.count();
            end + usize::from(is_final(end, b'@'))
        }
        Some(b']') => match text.find([BELL, '\n', ESCAPE]) {
            Some(end) if bytes[end] == 0x07 => end + 1,
            end => end.unwrap_or(text.len()),
        },
        _ => {
            let between = bytes.iter().take_while(|it| (0x20..0x30).contains(*it));
            let end = between.count();
            end + usize::from(is_final(end, b'0'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sequences_go_and_all_else_stays() {
        for (text, expected) in [
            ("plain", "plain"),
            ("\u{1b}[0;31mValueError\u{1b}[0m: x", "ValueError: x"),
            ("a\u{1b}[1;31mb\u{1b}[0m c", "ab c"),
            (
                "\u{1b}]0;title\u{7}text\u{1b}]8;;url\u{1b}\\link",
                "textlink",
            ),
            ("\u{1b}(Ba\u{1b}cb", "ab"),
            ("a\u{1b}[", "a"),
            ("a\u{1b}[12", "a"),
            ("a\u{1b}]0;broken\nnext", "a\nnext"),
            ("a\u{1b}[31\nnext", "a\nnext"),
            ("\u{1b}é\u{1b}[é", "éé"),
            ("\u{1b}\u{1b}[1mx", "x"),
        ] {
            assert_eq!(without_escapes(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn lines_keep_their_numbers(text in "[a\u{1b}\\[\\]0-9;m\u{7}\n é(B]{0,80}") {
            let plain = without_escapes(&text);
            prop_assert!(!plain.contains(ESCAPE));
            let breaks = |text: &str| text.matches('\n').count();
            prop_assert_eq!(breaks(&plain), breaks(&text));
        }
    }
}
