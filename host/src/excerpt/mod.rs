//! Excerpts: any part of an original, cut to a cap, with a cursor to the next part.
//!
//! Owns the questions about an original, the cut of an answer, and its continuation. Refuses to know where
//! originals are stored, who asks and how an answer is framed.
//!
//! Three rules hold. First, the answer has the server's own spelling, unless the question is for the shortest
//! form ([`Query::Short`]). Second, everything can be reached: the excerpts that cursors lead to, put together,
//! are the whole answer, byte for byte. Third, no excerpt is larger than its cap, header included: it is cut
//! after a row or line, or, if one alone is too large, after a character.
//!
//! A document is read through its tape, never parsed into a tree, and items are written out only if they are
//! shown: a question about rows or lines takes one pass over the original.

mod condition;
mod cursor;
mod error;
mod items;
mod matches;
mod original;
mod page;
mod path;
mod pattern;
mod question;
mod recognised;
mod request;
mod same;
mod search;
mod selection;
mod short;
mod sql;
#[cfg(test)]
mod tests;
mod view;
mod wording;

use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;

pub use cursor::Cursor;
pub use error::ReadError;
pub use original::Original;
pub use request::{ReadRequest, RequestError};

use cursor::{CursorMaker, Position};
use path::{Found, Path};
use question::Question;
use selection::Selection;
use view::DocumentView;

/// A question about a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// All of it, as the server sent it.
    Whole,
    /// All of it, in the shortest form that loses nothing: JSON as tables or without whitespace. Text stays
    /// unchanged.
    Short,
    /// The JSON values at a path such as `$.data.callers[*].name`. One value keeps its exact spelling; several
    /// values come one a line, each after its path.
    Path(String),
    /// Elements of an array, one a line. For a text that is a list in another notation: its items.
    Rows {
        /// Path of the array. None: the document itself, or the longest array in it.
        path: Option<String>,
        /// The first row, counted from 0.
        from: u64,
        /// The row before which to stop. None: to the end.
        to: Option<u64>,
    },
    /// Lines of the text, with their line breaks.
    Lines {
        /// The first line, counted from 1, as editors do. 0 means 1.
        from: u64,
        /// The last line, included. None: to the end.
        to: Option<u64>,
        /// Path of the text. None: the document itself.
        path: Option<String>,
    },
    /// The lines, or rows and leaves, in which a pattern occurs.
    Search {
        /// Literal text, or a regular expression in the syntax of the `regex` crate.
        pattern: String,
        /// The pattern is a regular expression. `^` and `$` match at line breaks too.
        regex: bool,
        /// Ignore the case of letters.
        ignore_case: bool,
        /// Lines or rows to show before and after each hit; more than 50 count as 50.
        context: u64,
        /// Path of the value to search. None: all of the document.
        path: Option<String>,
    },
    /// The rows of a query in SQL, one a line.
    Sql {
        /// The query: one `SELECT`.
        query: String,
        /// Path of the value to query. None: all of the document.
        path: Option<String>,
    },
    /// The continuation of an earlier excerpt: the text of its cursor. The cursor names the part.
    Cursor(String),
}

/// The largest size of an excerpt.
#[derive(Clone, Copy)]
pub struct Cap<'c> {
    /// Most tokens, header included.
    pub tokens: usize,
    /// Counts the tokens of a text.
    pub counter: &'c dyn Fn(&str) -> usize,
}

/// The unit of an excerpt's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Elements of an array, from 0.
    Rows,
    /// Lines, from 1.
    Lines,
    /// Characters of one text or value, from 1.
    Characters,
    /// Values that a path matched, or hits of a search, from 1.
    Matches,
}

impl Unit {
    /// The number of the first one.
    fn first(self) -> u64 {
        match self {
            Unit::Rows => 0,
            Unit::Lines | Unit::Characters | Unit::Matches => 1,
        }
    }

    fn one(self) -> &'static str {
        match self {
            Unit::Rows => "row",
            Unit::Lines => "line",
            Unit::Characters => "character",
            Unit::Matches => "match",
        }
    }

    fn many(self) -> &'static str {
        match self {
            Unit::Rows => "rows",
            Unit::Lines => "lines",
            Unit::Characters => "characters",
            Unit::Matches => "matches",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.one())
    }
}

/// A part of an original. Displayed, it is the header, a line break and the text: together they stay within the
/// cap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The header in one line: the shown range, the total, the origin, and the cursor to the next part.
    pub header: String,
    /// The answer, up to the cap. The texts of all excerpts up to the last are the whole answer, with nothing
    /// between them.
    pub text: String,
    /// The unit of `shown` and `total`.
    pub unit: Unit,
    /// The range that the text shows, in the numbers of the unit; the end is not included. An item that is shown
    /// only in part is counted.
    pub shown: Range<u64>,
    /// The total number, including those that were not requested.
    pub total: u64,
    /// Leads to the next part; none after the last.
    pub next: Option<Cursor>,
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.header, self.text)
    }
}

/// Reads a part of an original. `part`: its address (see [`Original`]). None: the only part that fits the
/// question.
///
/// The same question always gets the same bytes.
///
/// # Errors
///
/// The question is not valid, leads nowhere or does not fit the part, or the cap is too small for a header and a
/// character.
pub fn read(
    original: &Original<'_>,
    part: Option<&str>,
    query: &Query,
    cap: Cap<'_>,
) -> Result<Excerpt, ReadError> {
    let Query::Cursor(cursor) = query else {
        return read_from(original, part, query, Position::default(), cap);
    };
    let (part, query, position) = cursor::read(original, cursor)?;
    read_from(original, Some(&part), &query, position, cap)
}

fn read_from(
    original: &Original<'_>,
    part: Option<&str>,
    query: &Query,
    start: Position,
    cap: Cap<'_>,
) -> Result<Excerpt, ReadError> {
    let question = Question::check(query)?;
    let read = |view| read_view(original, view, query, &question, start, cap);
    if let Some(part) = part {
        return read(original.part(part)?);
    }
    let default = original.default_part(
        question.is_of_json(),
        question.is_of_lines(),
        question.path().is_some(),
    );
    let address = default
        .as_ref()
        .ok()
        .map(|view| view.part.address().to_owned());
    let error = match default.and_then(read) {
        Err(error) if question.is_of_json() && error.leads_nowhere() => error,
        answer => return answer,
    };
    // What the question means may be in one text of several, of which a summary told.
    let others = original.other_texts(address);
    let mut answers = others.filter_map(|view| read(view).ok());
    match (answers.next(), answers.next()) {
        (Some(answer), None) => Ok(answer),
        _ => Err(error),
    }
}

fn read_view(
    original: &Original<'_>,
    mut view: DocumentView<'_>,
    query: &Query,
    question: &Question,
    start: Position,
    cap: Cap<'_>,
) -> Result<Excerpt, ReadError> {
    // A text by itself has one part, under two names.
    let only = original.only_part();
    view.part.is_only = original.is_text() || only.as_deref() == Some(view.part.address());
    let cursors = CursorMaker::new(original, view.part.address(), query);
    let said = match query {
        Query::Whole | Query::Short => None,
        _ => view.said(),
    };
    let sent = said.as_ref().unwrap_or(&view);
    let short = matches!(query, Query::Short)
        .then(|| short::of(sent))
        .flatten();
    let view = short.as_ref().unwrap_or(sent);
    let data = recognised::of(view, question);
    let view = data.as_ref().unwrap_or(view);
    let written = question.is_of_values().then(|| view.in_characters());
    let written = written.flatten();
    let view = written.as_ref().unwrap_or(view);
    let inside;
    let opened = OnceCell::new();
    let find = |path: &Path| {
        path.find(view).or_else(|error| {
            // A path that leads through JSON in many strings.
            let opened = opened.get_or_init(|| view.opened()).as_ref();
            opened.map_or(Err(error), |opened| path.find(opened))
        })
    };
    let (view, nodes) = match question.path() {
        None => (view as &DocumentView<'_>, None),
        Some(path) => match find(path)? {
            Found::Here(view, nodes) => (view as &DocumentView<'_>, Some(nodes)),
            Found::Inside(found, nodes) => {
                inside = found;
                (&inside as &DocumentView<'_>, Some(nodes))
            }
        },
    };
    let inside;
    let (view, nodes) = match nodes.as_deref() {
        Some(&[single]) => match question.document_inside(view, single) {
            Some(found) => {
                inside = found;
                (&inside as &DocumentView<'_>, None)
            }
            None => (view, nodes),
        },
        Some(many) if question.needs_one_value() => {
            let many = crate::numbers::grouped(many.len() as u64);
            return Err(ReadError::NotArray {
                path: question.path().map(ToString::to_string).unwrap_or_default(),
                there: format!("{many} values match; choose one, or leave out the path"),
            });
        }
        _ => (view, nodes),
    };
    let is_of_all = data.is_some() && question.path().is_none();
    let text = is_of_all.then(|| sent.text());
    let answered = question.query().map(|query| sql::answer(view, text, query));
    let answered = answered.transpose()?;
    let selection = match &answered {
        Some(answer) => Selection::of_query(answer)?,
        None => question.select(view, nodes)?,
    };
    page::cut(&selection, start, &cursors, cap, original.is_lossy())
}
