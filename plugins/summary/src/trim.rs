//! Lines without the white space around them: most lines are read several times, and most begin and end with a sign.
//!
//! Refuses to know other signs. The result is that of the standard library.

use crate::words::between;
use tamis_formats::words::{self, LOW, has_any};

/// Eight blanks.
const BLANKS: u64 = LOW * b' ' as u64;

/// The same as [`str::trim_start`].
#[inline]
pub fn trim_start(line: &str) -> &str {
    match line.as_bytes() {
        [b'!'..=b'~', ..] | [] => line,
        [b' ' | b'\t', b'!'..=b'~', ..] => &line[1..],
        _ => after_blanks(line),
    }
}

#[inline(never)]
fn after_blanks(line: &str) -> &str {
    let bytes = line.as_bytes();
    // Most lines have a few blanks.
    let at = words::first(words::eight(bytes, 0) ^ BLANKS);
    if let Some([b'!'..=b'~', ..] | [0xe2, 0x82..=0xbf, ..]) = bytes.get(at..) {
        return &line[at..];
    }
    let others = |part: u64| has_any(part ^ BLANKS) & !(between(part, b'\t', b'\r') & !part);
    // Most are few. Behind the end of a line are zeros.
    let blanks = match others(words::eight(bytes, 0)) {
        0 => words::position(bytes, others).unwrap_or(bytes.len()),
        marks => words::first(marks).min(bytes.len()),
    };
    let rest = &line[blanks..];
    match rest.as_bytes() {
        // The beginnings of other white space.
        [0xc2 | 0xe1, ..] | [0xe2, 0x80 | 0x81, ..] | [0xe3, 0x80, ..] => rest.trim_start(),
        _ => rest,
    }
}

/// The same as [`str::trim`].
#[inline]
pub fn trim(line: &str) -> &str {
    trim_end(trim_start(line))
}

/// The same as [`str::trim_end`].
#[inline]
pub fn trim_end(line: &str) -> &str {
    match line.as_bytes().last() {
        Some(b'!'..=b'~') | None => line,
        _ => line.trim_end(),
    }
}

/// Whether a line begins with white space.
#[inline]
pub fn is_indented(line: &str) -> bool {
    trim_start(line).len() < line.len()
}

/// Whether a line has white space alone.
#[inline]
pub fn is_blank(line: &str) -> bool {
    trim_start(line).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_that_of_the_standard_library() {
        let signs = [
            "a", "~", "!", " ", "\t", "\r", "\u{1f}", "\u{7f}", "\u{a0}", "\u{2003}", "\u{85}",
            "\u{1680}", "\u{205f}", "\u{3000}", "✔", "é", "",
        ];
        for one in signs {
            for other in signs {
                for third in signs {
                    for line in [
                        format!("{one}{other}{third}"),
                        format!("{one}{other}x{third}{one}"),
                        format!("{}{one}{other}x", " ".repeat(16)),
                    ] {
                        assert_eq!(trim(&line), line.trim(), "{line:?}");
                        assert_eq!(trim_start(&line), line.trim_start(), "{line:?}");
                        assert_eq!(trim_end(&line), line.trim_end(), "{line:?}");
                        let is_space = line.starts_with(char::is_whitespace);
                        assert_eq!(is_indented(&line), is_space, "{line:?}");
                        assert_eq!(is_blank(&line), line.trim().is_empty(), "{line:?}");
                    }
                }
            }
        }
    }
}
