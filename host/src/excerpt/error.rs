//! Why an original cannot be read. The messages are for the model: short, stable, and each names the next step.

use thiserror::Error;

use super::Unit;
use super::wording::shorten;
use crate::numbers::grouped;

/// Why no excerpt was made. Text from outside is shortened when it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// The original has no such part.
    #[error("unknown part `{}`; the parts are {}", shorten(part), parts.join(", "))]
    UnknownPart {
        /// The part that was requested.
        part: String,
        /// The existing parts, described.
        parts: Vec<String>,
    },
    /// Several parts would fit.
    #[error("say which part you mean; the parts are {}", parts.join(", "))]
    PartNeeded {
        /// The existing parts, described.
        parts: Vec<String>,
    },
    /// A question about JSON, asked of text.
    #[error(
        "{part} is text, not JSON, and no list of which rows can be had; ask for lines, or search it"
    )]
    NotJson {
        /// The part that was asked.
        part: String,
    },
    /// The path is not valid.
    #[error(
        "the path `{}` cannot be read at character {at}: expected {expected}; a path looks like `$.items[*].name`, `$[\"odd name\"]`, `$.rows[2:5]`, `$.rows[-1]`, `$.**.id`",
        shorten(path)
    )]
    PathSyntax {
        /// The path that was requested.
        path: String,
        /// Position of the first character that does not fit, from 1.
        at: usize,
        /// The expected text.
        expected: &'static str,
    },
    /// The path is valid, and matches nothing.
    #[error("nothing at `{}`: `{}` is {there}", shorten(step), shorten(reached))]
    NoMatch {
        /// The first step that matches nothing.
        step: String,
        /// The path up to it.
        reached: String,
        /// The value at that place, and how to continue from there.
        there: String,
    },
    /// Rows were requested from a value that has no array, or more than one.
    #[error(
        "no single array at `{}`: {there}; rows are the elements of one array",
        shorten(path)
    )]
    NotArray {
        /// The path that was requested.
        path: String,
        /// The value at that path, and a path that would fit.
        there: String,
    },
    /// The range begins after the end.
    #[error("{unit} {} is past the end of {}, counted from {}", grouped(*from), grouped(*total), unit.first())]
    PastEnd {
        /// Rows or lines.
        unit: Unit,
        /// The first one requested.
        from: u64,
        /// The total number.
        total: u64,
    },
    /// The range ends before it begins.
    #[error(
        "the range from {from} to {to} is empty; rows are counted from 0 and `to` is not included, lines are counted from 1 and `to` is included"
    )]
    EmptyRange {
        /// The first one requested.
        from: u64,
        /// Its end, as given.
        to: u64,
    },
    /// An empty pattern matches everywhere.
    #[error("the pattern is empty; give the text to look for, or ask for rows or lines instead")]
    EmptyPattern,
    /// The pattern is not a regular expression, or is too large.
    #[error(
        "the pattern `{}` cannot be used: {reason}; search for shorter, literal text instead",
        shorten(pattern)
    )]
    Pattern {
        /// The pattern that was requested.
        pattern: String,
        /// Its mistake.
        reason: String,
    },
    /// The query is not a `SELECT` on these tables, or takes too much.
    #[error("the query fails: {reason}; the tables are {tables}")]
    Query {
        /// Why, in SQLite's words or ours.
        reason: String,
        /// The existing tables, described.
        tables: String,
    },
    /// The cursor was changed, or belongs to another original.
    #[error("this cursor does not fit this original; pass it unchanged, or ask again without one")]
    Cursor,
    /// The cap leaves no room for a single character.
    #[error("a cap of {tokens} tokens is too small for this answer; ask with at least {needed}")]
    CapTooSmall {
        /// The cap.
        tokens: usize,
        /// The cap that would suffice.
        needed: usize,
    },
}

impl ReadError {
    /// Whether what the question names is not where it was looked for, so that another part may have it.
    pub(super) fn leads_nowhere(&self) -> bool {
        matches!(
            self,
            ReadError::NotJson { .. }
                | ReadError::NoMatch { .. }
                | ReadError::NotArray { .. }
                | ReadError::Query { .. }
        )
    }

    /// A short, stable name.
    pub fn name(&self) -> &'static str {
        match self {
            ReadError::UnknownPart { .. } => "unknown-part",
            ReadError::PartNeeded { .. } => "part-needed",
            ReadError::NotJson { .. } => "not-json",
            ReadError::PathSyntax { .. } => "path-syntax",
            ReadError::NoMatch { .. } => "no-match",
            ReadError::NotArray { .. } => "not-array",
            ReadError::PastEnd { .. } => "past-end",
            ReadError::EmptyRange { .. } => "empty-range",
            ReadError::EmptyPattern => "empty-pattern",
            ReadError::Pattern { .. } => "pattern",
            ReadError::Query { .. } => "query",
            ReadError::Cursor => "cursor",
            ReadError::CapTooSmall { .. } => "cap-too-small",
        }
    }
}
