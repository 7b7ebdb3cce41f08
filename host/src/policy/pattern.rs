//! Tool patterns: `*` matches any run of characters, every other character matches itself. A pattern that begins with
//! `!` is an exception to the others of its list.
//!
//! Matching is linear. It looks for the literal pieces between the stars from left to right. The first match
//! of a piece is always as good as a later one, so it never backtracks.

use super::code::Code;
use super::raw::{Findings, Value};
use super::reach;
use super::report::Finding;
use super::source::Span;

/// Longest pattern, in bytes: MCP asks for tool names of at most 128 characters, and a server's prefix may be
/// added.
const MAX_BYTES: usize = 256;

/// A pattern in a chain's `tools`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ToolPattern {
    /// The pattern as written.
    written: String,
    /// Whether it is an exception to the others of its list.
    excepts: bool,
}

/// Whether a name matches a list of patterns: one of them, and no exception.
pub fn matches_any(patterns: &[ToolPattern], name: &str) -> bool {
    patterns.iter().any(|pattern| pattern.matches(name))
        && !patterns.iter().any(|pattern| pattern.excludes(name))
}

/// Why a text is not a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// No tool has that name.
    #[error("a pattern cannot be empty")]
    Empty,
    /// No tool has such a name.
    #[error("a pattern has at most {MAX_BYTES} bytes")]
    TooLong,
    /// The character is a space, a line break or not printable.
    #[error("a pattern has no spaces or control characters")]
    Blank,
}

impl ToolPattern {
    /// Checks a pattern.
    ///
    /// # Errors
    ///
    /// The text cannot match the name of any tool.
    pub fn new(text: impl Into<String>) -> Result<ToolPattern, PatternError> {
        let pattern = ToolPattern::of_text(text)?;
        match pattern
            .written
            .chars()
            .any(|c| c.is_whitespace() || c.is_control())
        {
            true => Err(PatternError::Blank),
            false => Ok(pattern),
        }
    }

    /// Checks a pattern of a text, which may have spaces.
    ///
    /// # Errors
    ///
    /// It is empty or too long.
    pub fn of_text(text: impl Into<String>) -> Result<ToolPattern, PatternError> {
        let written = text.into();
        let excepts = written.starts_with('!');
        if written.len() == usize::from(excepts) {
            return Err(PatternError::Empty);
        }
        if written.len() > MAX_BYTES {
            return Err(PatternError::TooLong);
        }
        Ok(ToolPattern { written, excepts })
    }

    /// The same pattern, for names in lower case.
    pub(super) fn lower_case(&self) -> ToolPattern {
        ToolPattern {
            written: self.written.to_lowercase(),
            excepts: self.excepts,
        }
    }

    /// Whether it is an exception to the others of its list.
    pub fn excepts(&self) -> bool {
        self.excepts
    }

    fn text(&self) -> &str {
        &self.written[usize::from(self.excepts)..]
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether the pattern takes a tool's name. An exception takes none. Time is linear in the two lengths.
    pub fn matches(&self, tool: &str) -> bool {
        !self.excepts && self.is_like(tool)
    }

    /// Whether the pattern is an exception, and excepts a tool's name.
    pub fn excludes(&self, tool: &str) -> bool {
        self.excepts && self.is_like(tool)
    }

    fn is_like(&self, tool: &str) -> bool {
        let Some((head, rest)) = self.text().split_once('*') else {
            return self.text() == tool;
        };
        let Some(mut tool) = tool.strip_prefix(head) else {
            return false;
        };
        let mut pieces = rest.split('*');
        let tail = pieces.next_back().unwrap_or("");
        for piece in pieces {
            match tool.find(piece) {
                Some(at) => tool = &tool[at + piece.len()..],
                None => return false,
            }
        }
        tool.ends_with(tail)
    }

    /// Whether every name that matches `other` matches this pattern.
    ///
    /// A `*` in `other` can stand for a character that this pattern does not contain, so only a `*` of this
    /// pattern matches it. `matches` has the same effect when it reads `other` itself as a name.
    pub(super) fn covers(&self, other: &ToolPattern) -> bool {
        !other.excepts && self.matches(&other.written)
    }

    /// Whether some name matches both patterns. Time grows with the product of the two lengths. Exceptions match nothing.
    pub(super) fn overlaps(&self, other: &ToolPattern) -> bool {
        if self.excepts || other.excepts {
            return false;
        }
        let (one, other) = (self.written.as_bytes(), other.written.as_bytes());
        // Whether some name matches the rest of both, from the end on: for each start in `other`, one row for each
        // start in `one`.
        let mut below = vec![false; other.len() + 1];
        for start in (0..=one.len()).rev() {
            let mut row = vec![false; other.len() + 1];
            for at in (0..=other.len()).rev() {
                let (a, b) = (one.get(start), other.get(at));
                row[at] = match (a, b) {
                    (None, None) => true,
                    // A star stands for nothing, or for one more byte of the other.
                    (Some(b'*'), _) => below[at] || (b.is_some() && row[at + 1]),
                    (_, Some(b'*')) => row[at + 1] || (a.is_some() && below[at]),
                    (Some(a), Some(b)) => a == b && below[at + 1],
                    _ => false,
                };
            }
            below = row;
        }
        below[0]
    }

    /// A character that is a wildcard in other syntaxes, but stands for itself here.
    pub(super) fn looks_special(&self) -> Option<char> {
        self.text().chars().find(|c| "?[]{}()|^$+\\,".contains(*c))
    }
}

/// Reads a list of patterns, and their places.
pub(super) fn read(
    value: &Value<'_>,
    key: &str,
    findings: &mut Findings<'_>,
) -> (Vec<ToolPattern>, Vec<Span>) {
    let mut tools = (Vec::new(), Vec::new());
    for item in findings.filled_list(value, key, "a list of patterns") {
        let Some((text, span)) = findings.string(item, "a pattern", "a name") else {
            continue;
        };
        let pattern = match ToolPattern::new(text) {
            Ok(pattern) => pattern,
            Err(error) => {
                let label = "allowed: a name; `*` matches any characters";
                let finding = Finding::error(span, error.to_string(), label);
                findings.push(match error {
                    PatternError::Empty => finding.help("`*` alone matches every tool"),
                    PatternError::TooLong | PatternError::Blank => finding,
                });
                continue;
            }
        };
        if let Some(special) = pattern.looks_special() {
            let message = format!("`{special}` is not special in a pattern");
            let label = "matches only a tool with this character in its name";
            let help = "only `*` is special; for several tools, list several patterns";
            let warning = Finding::warning(span, message, label).help(help);
            findings.push(warning.code(Code::PatternLiteral));
        }
        tools.0.push(pattern);
        tools.1.push(span);
    }
    if let (Some(first), true) = (tools.1.first(), tools.0.iter().all(ToolPattern::excepts)) {
        let message = format!("{key} matches nothing: all of its patterns are exceptions");
        let finding = Finding::error(
            *first,
            message,
            "a pattern that begins with `!` only takes away",
        );
        findings.push(finding.help("put `*` first: [\"*\", \"!…\"]"));
    }
    for note in reach::repeats(&tools.0, &tools.1) {
        findings.push(note);
    }
    tools
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(text: &str) -> ToolPattern {
        ToolPattern::new(text).unwrap_or_else(|error| panic!("`{text}`: {error}"))
    }

    /// The definition, tried out: exponential, and plainly right.
    fn naive(pattern: &[char], name: &[char]) -> bool {
        match pattern {
            [] => name.is_empty(),
            ['*', rest @ ..] => (0..=name.len()).any(|skip| naive(rest, &name[skip..])),
            [first, rest @ ..] => name.first() == Some(first) && naive(rest, &name[1..]),
        }
    }

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    proptest! {
        #[test]
        fn matching_is_what_the_definition_says(text in "[ab*é]{1,8}", name in "[abé]{0,10}") {
            prop_assert_eq!(
                pattern(&text).matches(&name),
                naive(&chars(&text), &chars(&name)),
                "pattern `{}`, name `{}`", text, name
            );
        }

        #[test]
        fn a_covered_pattern_fits_nothing_new(
            wide in "[ab*]{1,6}", narrow in "[ab*]{1,6}", name in "[abx]{0,8}",
        ) {
            let (wide, narrow) = (pattern(&wide), pattern(&narrow));
            if wide.covers(&narrow) && narrow.matches(&name) {
                prop_assert!(wide.matches(&name), "`{wide:?}` covers `{narrow:?}`, not `{name}`");
            }
            // The other way round: a name that only the narrow one fits shows that it is not covered.
            let witness = narrow.as_str().replace('*', "x");
            prop_assert_eq!(wide.covers(&narrow), wide.matches(&witness));
        }
    }

    proptest! {
        #[test]
        fn patterns_overlap_if_a_name_matches_both(one in "[ab*]{1,5}", other in "[ab*]{1,5}") {
            let (one, other) = (pattern(&one), pattern(&other));
            // A shortest name in common has at most the letters of both.
            let mut names = vec![String::new()];
            let mut has_common = false;
            for _ in 0..=10 {
                has_common |= names.iter().any(|name| one.matches(name) && other.matches(name));
                let longer = |name: &String| [format!("{name}a"), format!("{name}b")];
                names = names.iter().flat_map(longer).collect();
            }
            prop_assert_eq!(one.overlaps(&other), has_common, "{:?} {:?}", one, other);
            prop_assert_eq!(other.overlaps(&one), has_common);
        }
    }

    #[test]
    fn an_exception_overlaps_nothing() {
        assert!(pattern("read_*").overlaps(&pattern("*_file")));
        assert!(!pattern("read_*").overlaps(&pattern("write_*")));
        assert!(!pattern("read_*").overlaps(&pattern("!read_*")));
    }

    #[test]
    fn everything_but_the_star_is_literal() {
        assert!(pattern("a.c").matches("a.c"));
        assert!(!pattern("a.c").matches("abc"));
        assert!(!pattern("a?").matches("ab"));
        assert!(
            !pattern("git").matches("git_log"),
            "a pattern is for the whole name"
        );
    }

    #[test]
    fn head_and_tail_may_not_overlap() {
        assert!(!pattern("ab*ba").matches("aba"));
        assert!(pattern("ab*ba").matches("abba"));
    }

    #[test]
    fn many_stars_do_not_blow_up() {
        // A matcher that backtracks would need more steps than there are atoms here.
        let text = "*a".repeat(100) + "*b";
        assert!(!pattern(&text).matches(&"a".repeat(1_000_000)));
    }

    #[test]
    fn what_fits_no_tool_is_refused() {
        assert_eq!(ToolPattern::new(""), Err(PatternError::Empty));
        assert_eq!(ToolPattern::new("git log"), Err(PatternError::Blank));
        assert_eq!(ToolPattern::new("git\n"), Err(PatternError::Blank));
        assert_eq!(
            ToolPattern::new("a".repeat(257)),
            Err(PatternError::TooLong)
        );
        assert!(ToolPattern::new("a".repeat(256)).is_ok());
    }
}
