//! Parts of lines: one copy of each search, because the compiler would put one at each place that looks for a part.
//!
//! Owns nothing.

/// Whether a line has a part.
pub fn has(line: &str, part: &str) -> bool {
    find(line, part).is_some()
}

/// The place of a part in a line. For short parts this is quicker than the search of the standard library, which prepares
/// for any text.
#[inline(never)]
pub fn find(line: &str, part: &str) -> Option<usize> {
    let (line, part) = (line.as_bytes(), part.as_bytes());
    let mut from = 0;
    loop {
        let at = from + memchr::memchr(*part.first()?, line.get(from..)?)?;
        if line[at..].starts_with(part) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// A line before a part and after it.
#[inline(never)]
pub fn split<'t>(line: &'t str, part: &str) -> Option<(&'t str, &'t str)> {
    let at = find(line, part)?;
    Some((&line[..at], &line[at + part.len()..]))
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
