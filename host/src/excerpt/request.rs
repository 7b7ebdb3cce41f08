//! A request for a part of an original, as spelled in a call of the read tool, in `tamis read`, or in a
//! filter's note.

use super::Query;
use serde::{Deserialize, Deserializer};
use std::fmt;

/// The members of a request. Empty members count as absent: some clients send all members.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadRequest {
    /// A reference, or one with the end of the previous answer: `fl3zeusg3y6ua7uu~3f9c21aa~40~0~content[0]~whole`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// `content[0]`, `structuredContent`, `result`. None: all text that is data.
    pub part: Option<String>,
    /// A JSON path.
    pub path: Option<String>,
    /// Rows of an array, from 0, end excluded: `20:40`; or included: `20-39`.
    #[serde(default, deserialize_with = "text_or_number")]
    pub rows: Option<String>,
    /// Lines, from 1, end included: `1-80`.
    #[serde(default, deserialize_with = "text_or_number")]
    pub lines: Option<String>,
    /// Text that occurs in rows, leaves or lines.
    pub search: Option<String>,
    /// Whether `search` is a regular expression. Default: no.
    pub regex: Option<bool>,
    /// A `SELECT` over the tables of the document.
    pub query: Option<String>,
    /// The end of the previous answer, where it is not part of the reference.
    pub cursor: Option<String>,
    /// Whether a search distinguishes upper and lower case. On the command line only.
    #[serde(skip)]
    pub is_case_sensitive: bool,
    /// Lines or rows around each hit. On the command line only.
    #[serde(skip)]
    pub context: u64,
}

/// Requests that are not valid.
#[derive(Debug, PartialEq, Eq)]
pub enum RequestError {
    /// A range of rows or lines that is none.
    Range {
        /// `rows` or `lines`.
        member: &'static str,
        /// The value in the request.
        given: String,
        /// Allowed values.
        examples: &'static str,
    },
    /// Two members, each of which is a question of its own.
    Combined {
        /// The member that is answered by itself.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
}

impl ReadRequest {
    /// The reference alone.
    pub fn reference(&self) -> &str {
        self.reference
            .split_once('~')
            .map_or(&self.reference, |(reference, _)| reference)
    }

    /// Whether the request continues an earlier answer.
    pub fn has_cursor(&self) -> bool {
        self.cursor().is_some()
    }

    /// The end of the previous answer.
    fn cursor(&self) -> Option<&str> {
        let in_reference = self.reference.split_once('~').map(|(_, cursor)| cursor);
        in_reference.or_else(|| given(&self.cursor))
    }

    /// The requested part.
    pub fn part(&self) -> Option<&str> {
        given(&self.part)
    }

    /// Whether the request is for less than the whole result.
    pub fn is_for_less(&self) -> bool {
        let members = [
            &self.part,
            &self.path,
            &self.rows,
            &self.lines,
            &self.search,
            &self.query,
        ];
        self.has_cursor() || members.into_iter().any(|member| given(member).is_some())
    }

    /// The question about the part; `all`: the form of the whole part.
    ///
    /// # Errors
    ///
    /// `rows` or `lines` is not a range, or two members each ask a question.
    pub fn query(&self, all: Query) -> Result<Query, RequestError> {
        let path = given(&self.path).map(str::to_owned);
        if let Some(cursor) = self.cursor() {
            return Ok(Query::Cursor(cursor.to_owned()));
        }
        let questions = [
            ("query", &self.query),
            ("search", &self.search),
            ("rows", &self.rows),
            ("lines", &self.lines),
        ];
        let mut asked = questions
            .iter()
            .filter(|(_, member)| given(member).is_some());
        if let (Some((first, _)), Some((second, _))) = (asked.next(), asked.next()) {
            return Err(RequestError::Combined { first, second });
        }
        if let Some(query) = given(&self.query) {
            let query = query.to_owned();
            return Ok(Query::Sql { query, path });
        }
        if let Some(pattern) = given(&self.search) {
            return Ok(Query::Search {
                pattern: pattern.to_owned(),
                regex: self.regex.unwrap_or(false),
                ignore_case: !self.is_case_sensitive,
                context: self.context,
                path,
            });
        }
        if let Some(rows) = given(&self.rows) {
            let (from, to) = self::rows(rows).ok_or_else(|| RequestError::Range {
                member: "rows",
                given: rows.to_owned(),
                examples: "\"20:40\", \"20:\" or \"20\"",
            })?;
            return Ok(Query::Rows { path, from, to });
        }
        if let Some(lines) = given(&self.lines) {
            let (from, to) = self::lines(lines).ok_or_else(|| RequestError::Range {
                member: "lines",
                given: lines.to_owned(),
                examples: "\"1-80\", \"80-\" or \"80\"",
            })?;
            return Ok(Query::Lines { path, from, to });
        }
        Ok(path.map_or(all, Query::Path))
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Range {
                member,
                given,
                examples,
            } => write!(out, "`{member}` is \"{given}\"; it takes {examples}"),
            RequestError::Combined {
                first: "query",
                second,
            } => write!(
                out,
                "`query` and `{second}` cannot be combined: write WHERE or LIMIT into the query, or leave it out"
            ),
            RequestError::Combined { first, second } => write!(
                out,
                "`{first}` and `{second}` cannot be combined: ask two questions, or narrow `{first}` with `path`"
            ),
        }
    }
}

impl std::error::Error for RequestError {}

fn given(member: &Option<String>) -> Option<&str> {
    member.as_deref().filter(|text| !text.is_empty())
}

/// Between the ends of a range whose last item stands there: `20-39`, `20..39`, and `20,39` as in sed; of lines `20:39`
/// too.
const INCLUSIVE: [&str; 3] = ["-", "..", ","];

/// Rows of `20:40`, `20:` or `20`, from and to the end, which is excluded; or of `20-39`.
fn rows(text: &str) -> Option<(u64, Option<u64>)> {
    match text.contains(':') {
        true => range(text, &[":"]),
        false => match range(text, &INCLUSIVE)? {
            (from, None) => Some((from, None)),
            (from, Some(last)) => Some((from, Some(last.checked_add(1)?))),
        },
    }
}

/// Lines of `1-80`, `80-` or `80`, from and to the last.
fn lines(text: &str) -> Option<(u64, Option<u64>)> {
    range(text, &INCLUSIVE).or_else(|| range(text, &[":"]))
}

/// The ends of a range, or one number, which is both.
fn range(text: &str, signs: &[&str]) -> Option<(u64, Option<u64>)> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    match signs.iter().find_map(|sign| text.split_once(sign)) {
        Some((from, to)) if to.trim().is_empty() => Some((number(from)?, None)),
        Some((from, to)) => Some((number(from)?, Some(number(to)?))),
        None => Some((number(text)?, Some(number(text)?))),
    }
}

/// A range as text, or the number of one item.
fn text_or_number<'de, D: Deserializer<'de>>(given: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a text such as \"20\" or \"20:40\"")]
    enum Given {
        Text(String),
        Number(u64),
    }
    let given = Option::<Given>::deserialize(given)?;
    Ok(given.map(|given| match given {
        Given::Text(text) => text,
        Given::Number(number) => number.to_string(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!(rows("20:40"), Some((20, Some(40))));
        assert_eq!(rows("20:"), Some((20, None)));
        assert_eq!(rows("20"), Some((20, Some(21))));
        assert_eq!(rows("20-39"), Some((20, Some(40))));
        assert_eq!(rows("20,39"), Some((20, Some(40))));
        assert_eq!(rows("20..39"), Some((20, Some(40))));
        assert_eq!(rows("20-"), Some((20, None)));
        assert_eq!(lines(" 1 - 80 "), Some((1, Some(80))));
        assert_eq!(lines("1:80"), Some((1, Some(80))));
        assert_eq!(lines("80"), Some((80, Some(80))));
        for wrong in [
            "",
            ":",
            "-",
            "a:b",
            "-1:2",
            "-2:",
            "1:2:3",
            "1-2-3",
            "99999999999999999999",
        ] {
            assert_eq!((rows(wrong), lines(wrong)), (None, None), "{wrong}");
        }
        assert_eq!(rows("18446744073709551615"), None);
    }

    #[test]
    fn a_number_is_one_item() {
        let request: ReadRequest =
            serde_json::from_str(r#"{"ref":"r","rows":7}"#).expect("a request");
        assert_eq!(request.rows.as_deref(), Some("7"));
        let error = serde_json::from_str::<ReadRequest>(r#"{"ref":"r","lines":[1,2]}"#);
        let error = error.expect_err("no range").to_string();
        assert!(error.contains(r#"expected a text such as "20""#), "{error}");
    }

    #[test]
    fn members_that_are_empty_count_as_not_given() {
        let request: ReadRequest =
            serde_json::from_str(r#"{"ref":"r","path":"","rows":"","part":"","search":""}"#)
                .expect("a request");
        assert!(!request.is_for_less());
        assert_eq!(request.query(Query::Short), Ok(Query::Short));
    }

    #[test]
    fn a_cursor_is_part_of_the_reference_or_a_member() {
        for call in [
            r#"{"ref":"r~c~40","part":"result"}"#,
            r#"{"ref":"r","cursor":"c~40"}"#,
        ] {
            let request: ReadRequest = serde_json::from_str(call).expect("a request");
            assert_eq!(request.reference(), "r", "{call}");
            let continued = Query::Cursor("c~40".to_owned());
            assert_eq!(request.query(Query::Short), Ok(continued), "{call}");
        }
    }

    #[test]
    fn a_range_that_is_none_is_named_with_what_is_allowed() {
        let request = ReadRequest {
            rows: Some("a".to_owned()),
            ..ReadRequest::default()
        };
        let error = request.query(Query::Short).expect_err("no range");
        let expected = r#"`rows` is "a"; it takes "20:40", "20:" or "20""#;
        assert_eq!(error.to_string(), expected);
    }
}
