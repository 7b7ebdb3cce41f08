//! Parts of lines: one copy of each search, because the compiler would put one at each place that looks for a part.
//!
//! Owns nothing.

use tamis_formats::words::sixteen;

/// Whether a line has a part.
pub fn has(line: &str, part: &str) -> bool {
    find(line, part).is_some()
}

/// The place of a part in a line. For short parts this is quicker than the search of the standard library, which prepares
/// for any text.
#[inline(never)]
pub fn find(line: &str, part: &str) -> Option<usize> {
    let (line, part) = (line.as_bytes(), part.as_bytes());
    let (first, rest) = part.split_first()?;
    let mut from = 0;
    while from < line.len() {
        let (bytes, before) = sixteen(line, from);
        let mut places = bytes.are(*first) >> before;
        while places != 0 {
            let at = from + places.trailing_zeros() as usize;
            // Few have the same second letter, so few are compared.
            if line.get(at + 1) == rest.first() && line[at + 1..].starts_with(rest)
                || rest.is_empty()
            {
                return Some(at);
            }
            places &= places - 1;
        }
        from += 16;
    }
    None
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
    let first = line.as_bytes().first();
    // The first byte rules out most parts.
    let may_be = |part: &&&str| part.is_empty() || part.as_bytes().first() == first;
    let mut parts = parts.iter().filter(may_be);
    parts.any(|part| line.starts_with(part))
}

/// Texts that lines may begin with: the first byte rules out most lines.
pub struct Beginnings<const TEXTS: usize> {
    texts: [&'static str; TEXTS],
    /// A bit for each first byte.
    first: [u64; 4],
}

impl<const TEXTS: usize> Beginnings<TEXTS> {
    pub const fn of(texts: [&'static str; TEXTS]) -> Self {
        let mut first = [0; 4];
        let mut at = 0;
        while at < TEXTS {
            let byte = texts[at].as_bytes()[0];
            first[byte as usize / 64] |= 1 << (byte % 64);
            at += 1;
        }
        Beginnings { texts, first }
    }

    /// Whether a line begins with one of these.
    #[inline]
    pub fn begin(&self, line: &str) -> bool {
        let byte = line.as_bytes().first().copied().unwrap_or_default();
        self.first[usize::from(byte / 64)] >> (byte % 64) & 1 != 0 && begins(line, &self.texts)
    }
}

/// Whether a line ends with one of these.
#[inline(never)]
pub fn ends(line: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| line.ends_with(part))
}
