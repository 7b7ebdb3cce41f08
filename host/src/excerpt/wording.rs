//! How headers and errors show numbers and text from outside.

use std::borrow::Cow;

/// Longest part of a text from outside that a header or an error repeats, in characters.
const REPEATED_CHARACTERS: usize = 80;

/// A text on one line, short enough for a header or an error.
pub(super) fn shorten(text: &str) -> Cow<'_, str> {
    let long = text.char_indices().nth(REPEATED_CHARACTERS);
    let head = long.map_or(text, |(end, _)| &text[..end]);
    if long.is_none() && !head.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut out: String = head
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if long.is_some() {
        out.push('…');
    }
    Cow::Owned(out)
}

/// Characters of a text.
pub(super) fn characters(text: &str) -> u64 {
    text.chars().count() as u64
}
