//! Rows under names, and their conversion to JSON.
//!
//! Owns the allowed names of a table, and the difference between a header and a first row. Refuses to know notations.

use crate::json::{push_cell, push_quoted};
use crate::{Format, Found};
use std::ops::Range;

/// Fewest rows of a table: prose may look like fewer.
pub(crate) const FEWEST_ROWS: usize = 3;

/// Most columns of a table for people.
const MOST_COLUMNS: usize = 512;

/// Longest name: a longer one is a sentence.
const LONGEST_NAME: usize = 64;

/// Most words of a name: more are a sentence.
const MOST_WORDS: usize = 5;

/// JSON repeats the names in each row. It may grow to this many times the text, or to this many bytes.
const MOST_GROWTH: usize = 8;
const ALWAYS_BYTES: usize = 1 << 20;

/// Most rows for which room is reserved at once.
const MOST_RESERVED: usize = 4_096;

/// The evidence that the first line is a header.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Header {
    /// A rule is under it.
    Ruled,
    /// Its words look like one.
    Likely,
}

/// A table while its rows are read.
pub(crate) struct Table {
    /// The names as keys of JSON.
    keys: Vec<String>,
    json: String,
    /// Bytes of the text, and most bytes of the JSON.
    len: usize,
    limit: usize,
    rows: Vec<Range<usize>>,
    columns: Vec<Column>,
}

/// Common properties of a column's cells.
#[derive(Clone, Copy)]
struct Column {
    /// All non-empty cells have a digit or a sign that the name lacks.
    is_unlike_name: bool,
    is_filled: bool,
}

impl Table {
    /// Makes a table under these names, in a text of `len` bytes. None for an empty or duplicate name, and, without a
    /// rule, for a name that is a number or a sentence.
    pub(crate) fn new<'n>(
        names: impl IntoIterator<Item = &'n str>,
        len: usize,
        header: Header,
    ) -> Option<Table> {
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let is_fit = |name: &String| match header {
            Header::Ruled => !name.is_empty() && name.len() <= LONGEST_NAME,
            Header::Likely => is_name(name),
        };
        if names.len() < 2 || names.len() > MOST_COLUMNS || !names.iter().all(is_fit) {
            return None;
        }
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        let key = |name: &String| {
            let mut key = String::new();
            push_quoted(&mut key, name);
            key.push(':');
            key
        };
        let column = |name: &String| Column {
            is_unlike_name: !has_marks(name),
            is_filled: false,
        };
        Some(Table {
            keys: names.iter().map(key).collect(),
            columns: names.iter().map(column).collect(),
            json: String::from("["),
            len,
            limit: (len * MOST_GROWTH).max(ALWAYS_BYTES),
            rows: Vec::new(),
        })
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Adds the row at `at`. None if it is ragged, or the JSON becomes too long.
    pub(crate) fn push<C: AsRef<str>>(&mut self, cells: &[C], at: Range<usize>) -> Option<()> {
        if cells.len() != self.keys.len() || self.json.len() > self.limit {
            return None;
        }
        if !self.rows.is_empty() {
            self.json.push(',');
        }
        for (place, ((cell, key), column)) in cells
            .iter()
            .zip(&self.keys)
            .zip(&mut self.columns)
            .enumerate()
        {
            let cell = cell.as_ref();
            self.json.push(if place == 0 { '{' } else { ',' });
            self.json.push_str(key);
            push_cell(&mut self.json, cell);
            if !cell.is_empty() {
                column.is_filled = true;
                column.is_unlike_name = column.is_unlike_name && has_marks(cell);
            }
        }
        self.json.push('}');
        if self.rows.is_empty() {
            // Rows are usually about as long as the first.
            let more = self.len / at.len().max(1);
            self.rows.reserve(more.min(MOST_RESERVED));
            self.json
                .reserve((more * self.json.len()).min(ALWAYS_BYTES));
        }
        self.rows.push(at);
        Some(())
    }

    /// Whether the first row is certainly a header: some column's cells are of another kind than its name.
    pub(crate) fn has_header(&self) -> bool {
        self.columns
            .iter()
            .any(|column| column.is_filled && column.is_unlike_name)
    }

    /// The table in `range`; none if it has few rows.
    pub(crate) fn finish(mut self, format: Format, range: Range<usize>) -> Option<Found> {
        if self.rows.len() < FEWEST_ROWS {
            return None;
        }
        self.json.push(']');
        Some(Found {
            format,
            json: self.json,
            range,
            rows: self.rows,
        })
    }
}

/// Whether a text may be the name of a column.
pub(crate) fn is_name(text: &str) -> bool {
    let is_fit = |c: char| c.is_alphanumeric() || " _-./()%#$&+@?:*".contains(c);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    !text.is_empty()
        && text.len() <= LONGEST_NAME
        && text.trim() == text
        && text.chars().all(is_fit)
        && text.chars().any(char::is_alphabetic)
        && digits <= 4
        && !text.ends_with([':', '.'])
        && !text.contains("//")
        && !text.starts_with(['-', '*', '/', '.'])
        && text.split(' ').count() <= MOST_WORDS
        && !starts_with_time(text)
}

/// Whether a text begins like a date or a time: digits, then a sign between digits.
fn starts_with_time(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text.as_bytes()[digits..];
    digits > 0 && matches!(rest, [b'-' | b':' | b'/' | b'.', digit, ..] if digit.is_ascii_digit())
}

/// Whether a text has a digit, or a sign that values have and names lack.
fn has_marks(text: &str) -> bool {
    text.bytes()
        .any(|byte| byte.is_ascii_digit() || matches!(byte, b'@' | b':' | b'/' | b'<'))
}
