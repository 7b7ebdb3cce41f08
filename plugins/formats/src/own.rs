//! Tables that Tamis itself wrote. They look like TSV, but their cells may be JSON.
//!
//! Owns the recognition of such a table by the line above its rows. Refuses to read it.

use crate::Lines;

/// Most lines in which the line above a table of `tamis-rows` is looked for.
const LINES: usize = 12;

/// Whether one of the first lines belongs above the rows of such a table.
pub(crate) fn is_at_the_beginning(text: &str) -> bool {
    Lines::of(text).take(LINES).any(is_above_rows)
}

/// Whether a line has the number of rows of a table (`4 rows; empty cell: null`), or is the header of one with a
/// notation (`#4 id<tab>name`).
pub(crate) fn is_above_rows(line: &str) -> bool {
    let after_digits = |words: &str| {
        line.match_indices(words).any(|(at, _)| {
            let is_end = matches!(line.as_bytes().get(at + words.len()), None | Some(b';'));
            is_end && line[..at].ends_with(|c: char| c.is_ascii_digit())
        })
    };
    let has_notation = || {
        line.match_indices('#').any(|(at, _)| {
            let rest = &line[at + 1..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            digits > 0 && rest[digits..].starts_with(' ') && line.contains('\t')
        })
    };
    // The end of most lines rules them out.
    let may_be = line.ends_with(" rows") || line.ends_with(" entries by key");
    if !may_be && memchr::memchr2(b';', b'#', line.as_bytes()).is_none() {
        return false;
    }
    after_digits(" rows") || after_digits(" entries by key") || has_notation()
}
