//! Rows under names, and their conversion to JSON.
//!
//! Owns the allowed names of a table, and the difference between a header and a first row. The JSON comes with its tape,
//! since both are known here: nobody has to index it again. Refuses to know notations.

use crate::json::{first_to_escape, is_number, push_quoted};
use crate::words::append;
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
    /// The names as keys of JSON, and whether they have a backslash.
    keys: Vec<(String, bool)>,
    /// UTF-8.
    json: Vec<u8>,
    /// The tape of the JSON, see `wit/filter.wit`. Its first node is the list's, which is made at the end.
    tape: Vec<[u32; 4]>,
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
            let is_escaped = key.contains('\\');
            (key, is_escaped)
        };
        let column = |name: &String| Column {
            is_unlike_name: !has_marks(name),
            is_filled: false,
        };
        Some(Table {
            keys: names.iter().map(key).collect(),
            columns: names.iter().map(column).collect(),
            json: vec![b'['],
            tape: vec![[0; 4]],
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
            self.json.push(b',');
        }
        let object = self.tape.len();
        let start = self.json.len();
        self.tape.push([0; 4]);
        for (place, ((cell, (key, is_escaped)), column)) in cells
            .iter()
            .zip(&self.keys)
            .zip(&mut self.columns)
            .enumerate()
        {
            let cell = cell.as_ref();
            self.json.push(if place == 0 { b'{' } else { b',' });
            let key_start = self.json.len();
            append(&mut self.json, key.as_bytes());
            let value_start = self.json.len();
            let head = push_cell(&mut self.json, cell);
            let key_head = if *is_escaped { KEY | ESCAPED } else { KEY };
            let next = self.tape.len() + 2;
            self.tape.extend([
                node(key_head, key_start, value_start - 1, next),
                node(head, value_start, self.json.len(), next),
            ]);
            if !cell.is_empty() {
                column.is_filled = true;
                column.is_unlike_name = column.is_unlike_name && has_marks(cell);
            }
        }
        self.json.push(b'}');
        let head = OBJECT | children(cells.len());
        self.tape[object] = node(head, start, self.json.len(), self.tape.len());
        if self.rows.is_empty() {
            // Rows are usually about as long as the first. Room that is not used costs nothing.
            let more = self.len / at.len().max(1);
            self.rows.reserve(more.min(MOST_RESERVED));
            let bytes = (more * self.json.len()).min(ALWAYS_BYTES);
            self.json.reserve(bytes);
            self.tape.reserve(bytes / self.json.len() * self.tape.len());
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
        self.json.push(b']');
        let head = ARRAY | children(self.rows.len());
        self.tape[0] = node(head, 0, self.json.len(), self.tape.len());
        Some(Found {
            format,
            json: String::from_utf8(self.json).ok()?,
            tape: self.tape.into_flattened(),
            range,
            rows: self.rows,
        })
    }
}

/// Appends a cell: a number if it is spelled as one, else a string. Returns the kind and marks of its node.
fn push_cell(json: &mut Vec<u8>, cell: &str) -> u32 {
    if is_number(cell) {
        append(json, cell.as_bytes());
        return NUMBER;
    }
    if first_to_escape(cell.as_bytes()).is_some() {
        let mut quoted = String::new();
        push_quoted(&mut quoted, cell);
        json.extend_from_slice(quoted.as_bytes());
        return STRING | ESCAPED;
    }
    json.push(b'"');
    append(json, cell.as_bytes());
    json.push(b'"');
    STRING
}

/// Kinds of nodes, and marks, in the first word of a node.
const NUMBER: u32 = 3;
const STRING: u32 = 4;
const KEY: u32 = 5;
const ARRAY: u32 = 6;
const OBJECT: u32 = 7;
const ESCAPED: u32 = 1 << 4;

/// The number of elements or members, in the first word of a node.
fn children(count: usize) -> u32 {
    const MOST: usize = (1 << 24) - 1;
    (count.min(MOST) as u32) << 8
}

/// The JSON is a few times as long as the text, which a plugin's memory bounds.
fn node(head: u32, start: usize, end: usize, next: usize) -> [u32; 4] {
    [head, start as u32, end as u32, next as u32]
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
