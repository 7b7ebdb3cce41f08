//! One line of a text, and the marks of this filter, which a later run recognises.

use std::borrow::Cow;
use tamis_sdk::thousands;

/// A line of a text, or a line that replaces several.
#[derive(Clone, Debug)]
pub struct Line<'t> {
    pub kind: Kind,
    /// The line without its count and its line break.
    pub text: Cow<'t, str>,
    /// The count at the end of the line from an earlier run (` (×37)`), or nothing.
    pub count: &'t str,
    /// The line break: `\n` or `\r\n`. The last line of a text may have none, or `\r`.
    pub end: &'t str,
    /// Whether a pattern of `keep` matches the line.
    pub matched: bool,
    /// Number of lines of the text that the line replaces; 0 for a mark.
    pub times: u64,
    /// Whether those lines differ in their numbers.
    pub differ: bool,
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Content,
    /// A mark of lines that `first` and `last` cut.
    Cut,
    /// A mark of lines that patterns dropped.
    Dropped,
}

impl<'t> Line<'t> {
    /// Reads one line of a text, with its line break. With `counts`, a count at the end is not part of the line's text.
    pub fn read(line: &'t str, counts: bool) -> Line<'t> {
        let text = line.strip_suffix('\n').unwrap_or(line);
        let text = text.strip_suffix('\r').unwrap_or(text);
        let end = &line[text.len()..];
        let kind = mark(text);
        let (text, count) = match (kind, counts) {
            (Kind::Content, true) => text.split_at(text.len() - count_bytes(text)),
            _ => (text, ""),
        };
        Line {
            kind,
            text: Cow::Borrowed(text),
            count,
            end,
            matched: false,
            times: u64::from(kind == Kind::Content),
            differ: false,
        }
    }

    pub fn is_mark(&self) -> bool {
        self.kind != Kind::Content
    }

    /// The count that the line gets: ` (×37)`, without the space on an empty line.
    pub fn note(&self) -> String {
        let space = if self.text.is_empty() { "" } else { " " };
        let times = thousands(self.times);
        let differ = if self.differ { DIFFER } else { "" };
        format!("{space}(×{times}{differ})")
    }
}

const DIFFER: &str = ", numbers differ";

const OPEN: &str = "[… ";
const CUT: &str = " lines cut]";
const DROPPED: &str = " lines dropped by pattern]";
const ALL_DROPPED: &str = " lines dropped]";
const ONLY_DROPPED: &str = "[… the only line dropped]";

/// The mark that replaces lines that `first` and `last` cut, out of `total`.
pub fn cut_mark(lines: u64, total: u64) -> String {
    format!("{OPEN}{} of {}{CUT}", thousands(lines), thousands(total))
}

/// The mark of lines that patterns dropped, out of `total`.
pub fn dropped_mark(lines: u64, total: u64) -> String {
    match total {
        1 if lines == 1 => ONLY_DROPPED.to_owned(),
        _ if lines == total => format!("{OPEN}all {}{ALL_DROPPED}", thousands(lines)),
        _ => format!(
            "{OPEN}{} of {}{DROPPED}",
            thousands(lines),
            thousands(total)
        ),
    }
}

/// The kind of a mark, if the line is one.
fn mark(text: &str) -> Kind {
    let Some(inner) = text.strip_prefix(OPEN) else {
        return Kind::Content;
    };
    let is_part = |numbers: &str| {
        let numbers = numbers.split_once(" of ");
        numbers.is_some_and(|(lines, total)| is_number(lines) && is_number(total))
    };
    let all = |numbers: &str| numbers.strip_prefix("all ").is_some_and(is_number);
    if inner.strip_suffix(CUT).is_some_and(is_part) {
        Kind::Cut
    } else if inner.strip_suffix(DROPPED).is_some_and(is_part)
        || inner.strip_suffix(ALL_DROPPED).is_some_and(all)
        || text == ONLY_DROPPED
    {
        Kind::Dropped
    } else {
        Kind::Content
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b',')
}

/// Bytes of the count at the end of a line; 0 for none.
fn count_bytes(text: &str) -> usize {
    let Some(inner) = text.strip_suffix(')') else {
        return 0;
    };
    let inner = inner.strip_suffix(DIFFER).unwrap_or(inner);
    let before = inner.trim_end_matches(|c: char| c.is_ascii_digit() || c == ',');
    if before.len() == inner.len() {
        return 0;
    }
    let Some(before) = before.strip_suffix("(×") else {
        return 0;
    };
    match before.strip_suffix(' ') {
        Some(before) => text.len() - before.len(),
        None if before.is_empty() => text.len(),
        None => 0,
    }
}

/// Whether two lines differ only in numbers. A number is a run of digits, with single points or commas inside
/// (`1,234.5`).
pub fn same_but_numbers(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    loop {
        match (one.first(), other.first()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a.is_ascii_digit() && b.is_ascii_digit() => {
                one = &one[number_bytes(one)..];
                other = &other[number_bytes(other)..];
            }
            (Some(a), Some(b)) if a == b => {
                one = &one[1..];
                other = &other[1..];
            }
            _ => return false,
        }
    }
}

/// Bytes of the number at the beginning of a text.
fn number_bytes(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match (text.get(at), text.get(at + 1)) {
            (Some(digit), _) if digit.is_ascii_digit() => at += 1,
            (Some(b'.' | b','), Some(digit)) if digit.is_ascii_digit() => at += 2,
            _ => return at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_recognised_and_nothing_else_is() {
        for text in [
            cut_mark(812, 1000),
            cut_mark(1, 2),
            "[… 1,000,000 of 2 lines cut]".to_owned(),
        ] {
            assert_eq!(mark(&text), Kind::Cut, "{text}");
        }
        for text in [
            dropped_mark(37, 1000),
            dropped_mark(37, 37),
            dropped_mark(1, 1),
        ] {
            assert_eq!(mark(&text), Kind::Dropped, "{text}");
        }
        for text in [
            "",
            "[… ",
            "[… 5 lines cut]",
            "[…  of 5 lines cut]",
            "[… x of 5 lines cut]",
            "[… 3 of 5 lines cut] ",
            " [… 3 of 5 lines cut]",
            "[… 3 of 5 lines dropped]",
            "[… all lines dropped]",
            "[... 3 of 5 lines cut]",
        ] {
            assert_eq!(mark(text), Kind::Content, "{text}");
        }
    }

    #[test]
    fn counts_are_recognised_and_nothing_else_is() {
        for (text, content) in [
            ("a (×37)", "a"),
            ("a (×1,037, numbers differ)", "a"),
            ("(×37)", ""),
            ("語 (×2) (×3)", "語 (×2)"),
            ("a(×37)", "a(×37)"),
            ("a (×)", "a (×)"),
            ("a (37)", "a (37)"),
            ("a (×37) ", "a (×37) "),
            ("a (×3 7)", "a (×3 7)"),
            ("37)", "37)"),
            (")", ")"),
        ] {
            assert_eq!(&text[..text.len() - count_bytes(text)], content, "{text}");
        }
    }

    #[test]
    fn lines_that_differ_in_numbers_are_told_from_others() {
        for (one, other) in [
            ("step 1 of 90", "step 17 of 90"),
            ("1.5 MB", "1,024 MB"),
            ("v1.2.3-4", "v10.20.30-40"),
            ("", ""),
            ("9", "10"),
        ] {
            assert!(same_but_numbers(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("step 1", "step"),
            ("step 1", "step a"),
            ("1.", "1"),
            ("1 a", "1 b"),
            ("1..2", "1.2"),
            ("é1", "è1"),
        ] {
            assert!(!same_but_numbers(one, other), "{one} {other}");
        }
    }
}
