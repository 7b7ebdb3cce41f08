//! Cursors: a question and the position that its answer has reached, as text that a model can send back.
//!
//! Owns their spelling, and the check that a cursor comes back unchanged, to the original that it was made for.
//! The check is against slips, not against forgery: a cursor grants nothing that a question would not. Refuses
//! to know how the question is answered.
//!
//! ```text
//! 3f9c21aa~40~0~content[0]~rows~0~~$.items
//! check, item, byte in it, part, question and its settings
//! ```

use crate::hex;
use std::fmt;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::{Original, Query, ReadError};

/// The start of the next excerpt: pass it unchanged as [`Query::Cursor`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor(String);

impl Cursor {
    /// The text to send back.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A position in a selection: between two items, or inside one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Position {
    pub(super) item: u64,
    /// Bytes of that item that were already shown.
    pub(super) byte: u64,
}

/// Writes cursors for one question. Everything in a cursor except the position is made once.
pub(super) struct CursorMaker {
    question: String,
    original: [u8; 32],
    reference: Option<String>,
}

impl CursorMaker {
    pub(super) fn new(original: &Original<'_>, part: &str, query: &Query) -> CursorMaker {
        let mut question = escape(part);
        match query {
            Query::Whole => question.push_str("~whole"),
            Query::Short => question.push_str("~short"),
            Query::Path(path) => fields(&mut question, "path", &[path]),
            Query::Rows { path, from, to } => fields(
                &mut question,
                "rows",
                &[
                    &from.to_string(),
                    &to.map(|to| to.to_string()).unwrap_or_default(),
                    path.as_deref().unwrap_or_default(),
                ],
            ),
            Query::Lines { path, from, to } => fields(
                &mut question,
                "lines",
                &[
                    &from.to_string(),
                    &to.map(|to| to.to_string()).unwrap_or_default(),
                    path.as_deref().unwrap_or_default(),
                ],
            ),
            Query::Search {
                pattern,
                regex,
                ignore_case,
                context,
                path,
            } => {
                let regex = if *regex { "r" } else { "" };
                let case = if *ignore_case { "i" } else { "" };
                fields(
                    &mut question,
                    "search",
                    &[
                        &format!("{regex}{case}"),
                        &context.to_string(),
                        path.as_deref().unwrap_or_default(),
                        pattern,
                    ],
                );
            }
            Query::Sql { query, path } => fields(
                &mut question,
                "query",
                &[path.as_deref().unwrap_or_default(), query],
            ),
            // A cursor is read before anything is answered.
            Query::Cursor(_) => {}
        }
        CursorMaker {
            question,
            original: fingerprint(original),
            reference: original.reference().map(str::to_owned),
        }
    }

    pub(super) fn reference(&self) -> Option<&str> {
        self.reference.as_deref()
    }

    pub(super) fn at(&self, position: Position) -> Cursor {
        let body = format!("{}~{}~{}", position.item, position.byte, self.question);
        Cursor(format!("{}~{body}", check(&self.original, &body)))
    }
}

/// The part, the question and the position that a cursor stands for.
pub(super) fn read(
    original: &Original<'_>,
    cursor: &str,
) -> Result<(String, Query, Position), ReadError> {
    let given = cursor.trim();
    let (sum, body) = given.split_once('~').ok_or(ReadError::Cursor)?;
    if sum != check(&fingerprint(original), body) {
        return Err(ReadError::Cursor);
    }
    parse(body).ok_or(ReadError::Cursor)
}

fn parse(body: &str) -> Option<(String, Query, Position)> {
    let fields: Option<Vec<String>> = body.split('~').map(unescape).collect();
    let fields = fields?;
    let (head, settings) = fields.split_at_checked(4)?;
    let [item, byte, part, question] = head else {
        return None;
    };
    let position = Position {
        item: item.parse().ok()?,
        byte: byte.parse().ok()?,
    };
    let some = |text: &String| (!text.is_empty()).then(|| text.clone());
    let end = |text: &String| match text.as_str() {
        "" => Some(None),
        digits => digits.parse().ok().map(Some),
    };
    let query = match (question.as_str(), settings) {
        ("whole", []) => Query::Whole,
        ("short", []) => Query::Short,
        ("path", [path]) => Query::Path(path.clone()),
        ("rows", [from, to, path]) => Query::Rows {
            path: some(path),
            from: from.parse().ok()?,
            to: end(to)?,
        },
        ("lines", [from, to, path]) => Query::Lines {
            path: some(path),
            from: from.parse().ok()?,
            to: end(to)?,
        },
        ("search", [flags, context, path, pattern]) => Query::Search {
            pattern: pattern.clone(),
            regex: flags.contains('r'),
            ignore_case: flags.contains('i'),
            context: context.parse().ok()?,
            path: some(path),
        },
        ("query", [path, query]) => Query::Sql {
            query: query.clone(),
            path: some(path),
        },
        _ => return None,
    };
    Some((part.clone(), query, position))
}

fn fields(question: &mut String, name: &str, settings: &[&str]) {
    question.push('~');
    question.push_str(name);
    for setting in settings {
        question.push('~');
        question.push_str(&escape(setting));
    }
}

/// Escapes a field, so that no character must be escaped in JSON, ends a field or is lost at the edges.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let plain = !matches!(c, '~' | '%' | '"' | '\\' | '`')
            && !c.is_control()
            && (c == ' ' || !c.is_whitespace());
        if plain {
            out.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            // Writing to a string does not fail.
            let _ = write!(out, "%{byte:02x}");
        }
    }
    if out.ends_with(' ') {
        out.pop();
        out.push_str("%20");
    }
    out
}

fn unescape(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok()?;
        out.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    String::from_utf8(out).ok()
}

/// Identifies an original by its length and its two ends. To read all of it would take longer than most
/// questions.
fn fingerprint(original: &Original<'_>) -> [u8; 32] {
    const END_BYTES: usize = 4096;
    let bytes = original.source().as_bytes();
    let mut sum = Sha256::new();
    sum.update((bytes.len() as u64).to_le_bytes());
    sum.update(&bytes[..bytes.len().min(END_BYTES)]);
    sum.update(&bytes[bytes.len().saturating_sub(END_BYTES)..]);
    sum.finalize().into()
}

fn check(original: &[u8; 32], body: &str) -> String {
    let mut sum = Sha256::new();
    sum.update(original);
    sum.update(body.as_bytes());
    hex::encode(&sum.finalize()[..4])
}
