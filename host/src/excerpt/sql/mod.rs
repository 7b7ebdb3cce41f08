//! Questions in SQL: a document's lists are tables in a database of its own, in memory, for one question.
//!
//! Owns the queries that are allowed, and the form of the answer. Refuses to know which part of an original the
//! document is, and how much of the answer is shown.
//!
//! A query is one `SELECT` in SQLite's SQL. It reads the document's tables ([`tables`]), `lines` (the lines of a
//! text) and `tables` (the list of tables), calls the functions of [`guard`], and does nothing else. It has a
//! deadline and a bound on memory and on rows. The same query gives the same answer.

mod amount;
mod conversion;
mod database;
mod finder;
mod forms;
mod guard;
mod kinds;
mod names;
mod naming;
mod orders;
mod reading;
mod tables;
mod usage;
mod versions;

use std::fmt::Write;
use std::ops::Range;

use rusqlite::types::ValueRef;

use super::ReadError;
use super::recognised;
use super::view::DocumentView;
use super::wording::shorten;
use crate::numbers::grouped;
use database::Database;
pub(super) use orders::has_order_of_its_own;
use tables::Table;

/// The table of tables.
const TABLES: &str = "tables";
/// The lines of a text.
const LINES: &str = "lines";

/// Longest query, in bytes.
const QUERY_BYTES: usize = 4_096;
/// Most rows and bytes of an answer: for more, ask for the rows themselves.
const ANSWER_ROWS: usize = 100_000;
const ANSWER_BYTES: usize = 8 << 20;

/// The answer of a query.
pub(super) struct Answer {
    /// Its rows, one a line.
    pub(super) view: DocumentView<'static>,
    pub(super) rows: Vec<Range<usize>>,
    /// Names of the columns, for the header; an answer of one row has them in the row.
    pub(super) columns: String,
    /// Notes for the reader about the columns.
    pub(super) notes: Vec<String>,
}

/// Answers a query about a document. `text`: the text that the document was made of, if any; otherwise the
/// document itself may be a text.
pub(super) fn answer(
    view: &DocumentView<'_>,
    text: Option<&str>,
    query: &str,
) -> Result<Answer, ReadError> {
    let data = recognised::view_or_page(view);
    let text = text.or_else(|| view.tape().is_none().then(|| view.text()));
    let view = data.as_ref().unwrap_or(view);
    let block = tables::of_block(view);
    let view = block.as_ref().unwrap_or(view);
    let inner = tables::inner(view);
    let or_opened = |view: &DocumentView<'_>| {
        ask(view, text, query).or_else(|error| {
            // Columns that are members of JSON in strings.
            let opened = view.opened();
            opened.map_or(Err(error), |opened| ask(&opened, text, query))
        })
    };
    let answer = match &inner {
        None => or_opened(view),
        // The document has tables of its own, and they are meant.
        Some(inner) if finder::has_lists(view) => {
            or_opened(view).or_else(|error| or_opened(inner).map_err(|_| error))
        }
        Some(inner) => or_opened(inner),
    };
    answer.map(|mut answer| {
        let lacks = view.part.lacks();
        if !lacks.is_empty() {
            answer.notes.insert(0, lacks.to_owned());
        }
        answer
    })
}

fn ask(view: &DocumentView<'_>, text: Option<&str>, query: &str) -> Result<Answer, ReadError> {
    let tables = finder::of(view);
    let refuse = |reason: String| ReadError::Query {
        reason: shorten_reason(&reason),
        tables: described(view, &tables.all),
    };
    if query.len() > QUERY_BYTES {
        let bytes = grouped(query.len() as u64);
        return Err(refuse(format!(
            "it has {bytes} bytes, more than {}",
            grouped(QUERY_BYTES as u64)
        )));
    }
    if tables.has_too_many_rows {
        return Err(refuse(format!(
            "the document has more than {} rows: give the path of a list in it",
            grouped(tables::MOST_ROWS as u64)
        )));
    }
    let tables = &tables.all;
    let database = Database::of(view, tables, text, query).map_err(refuse)?;
    let own = database.with_own_values(query);
    let query = own.as_deref().unwrap_or(query);
    let written = match run(&database, query, view.is_of_texts) {
        // `a.b` without quotes is a column of a table to SQL, and a member of a member to who wrote it.
        Err(reason) => match names::quoted(query, view, tables) {
            Some(quoted) => run(&database, &quoted, view.is_of_texts).map_err(|_| reason),
            None => Err(reason),
        },
        written => written,
    };
    let written = written.map_err(refuse)?;
    Ok(Answer {
        view: DocumentView::of_text(written.text.into(), view.part.clone()),
        rows: written.rows,
        columns: written.columns,
        notes: database.notes,
    })
}

struct Written {
    text: String,
    rows: Vec<Range<usize>>,
    columns: String,
}

/// `are_texts`: numbers are texts in the notation of the document, so that they need no quotes.
fn run(database: &Database, query: &str, are_texts: bool) -> Result<Written, String> {
    let mut statement = database.prepare(query)?;
    if statement.column_count() == 0 {
        return Err("it is no SELECT".to_owned());
    }
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let failed = |error: rusqlite::Error| database.reason(&error);
    let mut found = statement.query([]).map_err(failed)?;
    let mut text = String::new();
    let mut rows = Vec::new();
    // Of one row, its columns as JSON.
    let mut only = String::new();
    while let Some(row) = found.next().map_err(failed)? {
        let start = text.len();
        for (place, name) in names.iter().enumerate() {
            if place > 0 {
                text.push_str(" | ");
            }
            let value = row.get_ref(place).map_err(failed)?;
            push_cell(&mut text, value, are_texts);
            if rows.is_empty() {
                push_member(&mut only, &shorten(name), value);
            }
        }
        rows.push(start..text.len());
        text.push('\n');
        if rows.len() > ANSWER_ROWS || text.len() > ANSWER_BYTES {
            return Err(format!(
                "it gives more than {} rows, or {} MiB: add a LIMIT, or sum up",
                grouped(ANSWER_ROWS as u64),
                ANSWER_BYTES >> 20
            ));
        }
    }
    if let [row] = &mut rows[..]
        && names.len() > 1
    {
        only.push('}');
        *row = 0..only.len();
        only.push('\n');
        return Ok(Written {
            text: only,
            rows,
            columns: String::new(),
        });
    }
    let columns: Vec<_> = names.iter().map(|name| shorten(name)).collect();
    Ok(Written {
        text,
        rows,
        columns: columns.join(" | "),
    })
}

/// A cell of a line: a text as it reads, but in quotes where it could be taken for something else.
fn push_cell(out: &mut String, value: ValueRef<'_>, are_texts: bool) {
    if let ValueRef::Text(text) = value {
        let text = String::from_utf8_lossy(text);
        let is_like_another = text.is_empty()
            || text == "null"
            || !are_texts && text.parse::<f64>().is_ok()
            || text.starts_with([' ', '"'])
            || text.ends_with(' ')
            || text.contains(" | ")
            || text.contains(char::is_control);
        if !is_like_another {
            out.push_str(&text);
            return;
        }
    }
    push_json(out, value);
}

fn push_member(out: &mut String, name: &str, value: ValueRef<'_>) {
    out.push(if out.is_empty() { '{' } else { ',' });
    push_json(out, ValueRef::Text(name.as_bytes()));
    out.push(':');
    push_json(out, value);
}

fn push_json(out: &mut String, value: ValueRef<'_>) {
    let json = match value {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) if number.is_finite() => {
            serde_json::to_string(&number).unwrap_or_default()
        }
        ValueRef::Real(number) => format!("\"{number}\""),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            serde_json::to_string(&String::from_utf8_lossy(bytes)).unwrap_or_default()
        }
    };
    out.push_str(&json);
}

/// The existing tables, for a query that names another: names, rows and columns.
fn described(view: &DocumentView<'_>, tables: &[Table]) -> String {
    const TABLES_LISTED: usize = 6;
    const COLUMNS_LISTED: usize = 24;
    let mut out = String::new();
    for table in tables.iter().take(TABLES_LISTED) {
        let names: Vec<&str> = table.named_columns(view).collect();
        let listed = names.iter().take(COLUMNS_LISTED);
        let mut columns: Vec<_> = listed.map(|name| names::spelled(&shorten(name))).collect();
        if names.len() > COLUMNS_LISTED {
            columns.push(format!("and {} more", names.len() - COLUMNS_LISTED));
        }
        let separator = if out.is_empty() { "" } else { "; " };
        let _ = write!(
            out,
            "{separator}{} ({} rows: {})",
            names::spelled(&shorten(&table.name)),
            grouped(table.rows.len() as u64),
            columns.join(", ")
        );
    }
    if tables.len() > TABLES_LISTED {
        let _ = write!(
            out,
            "; and {} more, which `SELECT * FROM {TABLES}` lists",
            tables.len() - TABLES_LISTED
        );
    }
    if tables.len() >= tables::MOST_TABLES {
        let _ = write!(
            out,
            "; lists after the first {} are no tables: give the path of one",
            tables::MOST_TABLES
        );
    }
    let is_wide = |table: &Table| table.columns(view).names.len() >= tables::MOST_COLUMNS;
    if tables.iter().any(is_wide) {
        let _ = write!(
            out,
            "; members after the first {} are no columns: give their path",
            tables::MOST_COLUMNS
        );
    }
    if tables.is_empty() {
        let lines = super::selection::count_lines(view.text());
        let _ = write!(out, "{LINES} ({} rows: line, text)", grouped(lines));
    }
    out
}

fn shorten_reason(reason: &str) -> String {
    const LONGEST: usize = 400;
    let end = reason.floor_char_boundary(LONGEST);
    reason[..end]
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
