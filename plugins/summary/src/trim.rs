//! Lines without the white space around them: most lines are read several times, and most begin and end with a sign.
//!
//! Refuses to know other signs. The result is that of the standard library.

use tamis_formats::words::{self, LOW, has_any};

/// Eight blanks.
const BLANKS: u64 = LOW * b' ' as u64;

/// The same as [`str::trim_start`].
#[inline]
pub fn trim_start(line: &str) -> &str {
    match line.as_bytes().first() {
        Some(b'!'..=b'~') | None => line,
        _ => after_blanks(line),
    }
}

#[inline(never)]
fn after_blanks(line: &str) -> &str {
    let bytes = line.as_bytes();
    // Most are few. Behind the end of a line are zeros.
    let blanks = match words::eight(bytes, 0) ^ BLANKS {
        0 => words::position(bytes, |part| has_any(part ^ BLANKS)).unwrap_or(bytes.len()),
        others => words::first(others).min(bytes.len()),
    };
    let rest = &line[blanks..];
    match rest.as_bytes().first() {
        Some(b'!'..=b'~') => rest,
        _ => rest.trim_start(),
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
            "a", "~", "!", " ", "\t", "\r", "\u{1f}", "\u{7f}", "\u{a0}", "\u{2003}", "é", "",
        ];
        for one in signs {
            for other in signs {
                for third in signs {
                    for line in [
                        format!("{one}{other}{third}"),
                        format!("{one}{other}x{third}{one}"),
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
