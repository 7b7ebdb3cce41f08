//! Parts of lines: one copy of each search, because the compiler would put one at each place that looks for a part.
//!
//! Owns nothing.

/// Whether a line has a part.
#[inline(never)]
pub fn has(line: &str, part: &str) -> bool {
    line.contains(part)
}

/// A line before a part and after it.
#[inline(never)]
pub fn split<'t>(line: &'t str, part: &str) -> Option<(&'t str, &'t str)> {
    line.split_once(part)
}

/// Whether a line begins with one of these.
#[inline(never)]
pub fn begins(line: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| line.starts_with(part))
}

/// Whether a line ends with one of these.
#[inline(never)]
pub fn ends(line: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| line.ends_with(part))
}
