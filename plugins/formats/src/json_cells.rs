//! Cells of tables, and texts, as JSON spells them.
//!
//! Owns how short ones are written as words of eight bytes. Refuses to know tables.

use crate::json::{first_to_escape, is_number_of, push_quoted};
use crate::table::{ESCAPED, NUMBER, STRING};
use crate::words::{self, append, append_word};

/// Appends a cell: a number if it is spelled as one, else a string. Returns the kind and marks of its node.
pub(crate) fn push_cell(json: &mut Vec<u8>, cell: &[u8]) -> u32 {
    if let Some(word) = words::short(cell) {
        return push_short_cell(json, cell, word);
    }
    let first = words::eight(cell, 0);
    // The first sign behind a digit or a minus is a point, unlike that of a date.
    let signs = words::has_no_digit(first) & !0xff;
    let may_be_number = matches!(cell, [b'0'..=b'9' | b'-', ..])
        && (signs == 0 || cell[words::first(signs)] == b'.');
    if may_be_number && is_number_of(cell) {
        append(json, cell);
        return NUMBER;
    }
    match cell.len() {
        ..=LONGER => push_longer_cell(json, cell, [first, words::eight(cell, 8)]),
        _ => push_string(json, cell, first_to_escape(cell).is_some()),
    }
}

/// Bytes of a string that has at most sixteen with its quotes.
const LONGER: usize = 14;

/// Appends a string of seven bytes to [`LONGER`], which are those of two words.
fn push_longer_cell(json: &mut Vec<u8>, cell: &[u8], [first, rest]: [u64; 2]) -> u32 {
    let is_escaped = |word: u64, length: usize| {
        let signs = words::has_below_space(word) | words::has(word, b'"') | words::has(word, b'\\');
        signs & words::first_bytes(length) != 0
    };
    if is_escaped(first, cell.len()) || is_escaped(rest, cell.len().saturating_sub(8)) {
        return push_string(json, cell, true);
    }
    let quote = u64::from(b'"');
    let end = rest << 8 | first >> 56 | quote << (8 * (cell.len() - 7));
    append_word(json, first << 8 | quote, 8);
    append_word(json, end, cell.len() - 6);
    STRING
}

/// The same for a cell of at most eight bytes, which are those of `word`.
fn push_short_cell(json: &mut Vec<u8>, cell: &[u8], word: u64) -> u32 {
    if is_short_number(cell, word) {
        append_word(json, word, cell.len());
        return NUMBER;
    }
    push_short_text(json, cell, word)
}

/// The same for a cell that is no number.
#[inline]
pub(crate) fn push_short_text(json: &mut Vec<u8>, cell: &[u8], word: u64) -> u32 {
    let inside = words::first_bytes(cell.len());
    if cell.len() > 6 {
        return push_longer_cell(json, cell, [word, 0]);
    }
    let escaped = words::has_below_space(word) | words::has(word, b'"') | words::has(word, b'\\');
    if escaped & inside != 0 {
        return push_string(json, cell, true);
    }
    // With both quotes it has at most eight bytes.
    let quote = u64::from(b'"');
    let quoted = quote | word << 8 | quote << (8 * (cell.len() + 1));
    append_word(json, quoted, cell.len() + 2);
    STRING
}

/// The same as [`is_number`] for a cell of at most eight bytes, which are those of `word`.
fn is_short_number(cell: &[u8], word: u64) -> bool {
    let first = word as u8;
    let others = words::has_no_digit(word) & words::first_bytes(cell.len());
    if others == 0 {
        return !cell.is_empty() && (first != b'0' || cell.len() == 1);
    }
    if first == b'-' {
        return is_number_of(cell);
    }
    let point = words::first(others);
    let is_decimal = others & (others - 1) == 0 && cell[point] == b'.';
    is_decimal && point > 0 && point + 1 < cell.len() && (first != b'0' || point == 1)
}

/// Appends the bytes of a text as a string.
pub(crate) fn push_string(json: &mut Vec<u8>, cell: &[u8], is_escaped: bool) -> u32 {
    if is_escaped {
        let mut quoted = String::new();
        push_quoted(&mut quoted, str::from_utf8(cell).unwrap_or_default());
        json.extend_from_slice(quoted.as_bytes());
        return STRING | ESCAPED;
    }
    json.push(b'"');
    append(json, cell);
    json.push(b'"');
    STRING
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::is_number;

    /// All texts of up to five of these signs.
    fn texts() -> Vec<String> {
        let signs = ["0", "1", "9", ".", "-", "a", "\"", "\\", "\u{1f}", " ", "é"];
        let mut texts = vec![String::new()];
        let mut from = 0;
        for _ in 0..5 {
            let to = texts.len();
            for text in from..to {
                texts.extend(signs.map(|sign| format!("{}{sign}", texts[text])));
            }
            from = to;
        }
        texts
    }

    #[test]
    fn cells_are_spelled_as_json_whatever_their_length() {
        for text in texts() {
            for cell in [
                text.clone(),
                format!("{text}123"),
                format!("{text}12345678"),
            ] {
                let mut json = b"before".to_vec();
                let head = push_cell(&mut json, cell.as_bytes());
                let json = std::str::from_utf8(&json[6..]).expect("UTF-8");
                let mut quoted = String::new();
                push_quoted(&mut quoted, &cell);
                let expected = if is_number(&cell) {
                    (NUMBER, cell.as_str())
                } else if quoted.contains('\\') {
                    (STRING | ESCAPED, quoted.as_str())
                } else {
                    (STRING, quoted.as_str())
                };
                assert_eq!((head, json), expected, "{cell:?}");
            }
        }
    }
}
