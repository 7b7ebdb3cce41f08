//! The data that a text holds, as JSON: one recogniser, shared by the filters and the read tool.
//!
//! A text is recognised or it is not. What was read is written in its own notation again and has to be the
//! source, but for layout: white space around cells, alignment, rules, the choice of quotes. Where that fails,
//! or where a table could as well be prose, a log or source code, nothing is recognised.
//!
//! Owns the notations, a module each. Refuses to know filters and what becomes of the JSON. Time is linear in
//! the text, and a text that is none of these is refused after its first lines.

mod around;
mod arrays;
mod boxes;
mod columns;
mod csv;
mod escapes;
mod json;
mod json_text;
mod lines;
pub mod literal;
mod markdown;
mod own;
mod stanzas;
mod table;
mod xml;
pub mod yaml;

pub use arrays::{rows_of_arrays, unwrap_blocks};
pub use escapes::without_escapes;
pub use json::is_number;

use std::fmt;
use std::ops::Range;

/// A notation of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Values between commas or semicolons, with quotes as in RFC 4180, under a header.
    Csv,
    /// Values between tabs, under a header.
    Tsv,
    /// A table of Markdown, with its row of dashes.
    MarkdownTable,
    /// Columns that begin where their names stand, as `kubectl get` and `ps` print them.
    Columns,
    /// A table with lines of signs between its columns, as `psql`, `mysql` and `duckdb` print it.
    Box,
    /// A JSON object a line.
    JsonLines,
    /// One JSON value.
    Json,
    /// One YAML document.
    Yaml,
    /// What Python's `repr` prints of one list, tuple or dict.
    Repr,
    /// The same a line.
    ReprLines,
    /// Blocks of `Key: value`.
    Stanzas,
    /// One XML element.
    Xml,
}

impl Format {
    /// Whether the data is rows under names, so that `Data::json` is a list of objects.
    pub fn is_table(self) -> bool {
        !matches!(
            self,
            Format::Json | Format::Yaml | Format::Repr | Format::Xml
        )
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Csv => "CSV",
            Format::Tsv => "TSV",
            Format::MarkdownTable => "Markdown table",
            Format::Columns => "columns",
            Format::Box => "table",
            Format::JsonLines => "JSON lines",
            Format::Json => "JSON",
            Format::Yaml => "YAML",
            Format::Repr => "Python's repr",
            Format::ReprLines => "lines of Python's repr",
            Format::Stanzas => "stanzas",
            Format::Xml => "XML",
        })
    }
}

/// The data that a text holds, and what stands around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data<'t> {
    text: &'t str,
    /// The notation that it is in.
    pub format: Format,
    /// The data: a list of objects for tables ([`Format::is_table`]), the value itself for JSON, YAML, `repr`
    /// and XML.
    pub json: String,
    /// Where the text before the data stands, such as a sentence or the beginning of a fence; may be empty.
    pub before: Range<usize>,
    /// Where the text after the data stands; may be empty.
    pub after: Range<usize>,
    /// Where each row stands in the text; empty where the data is no table.
    pub rows: Vec<Range<usize>>,
}

impl<'t> Data<'t> {
    /// The text before the data.
    pub fn text_before(&self) -> &'t str {
        &self.text[self.before.clone()]
    }

    /// The text after the data.
    pub fn text_after(&self) -> &'t str {
        &self.text[self.after.clone()]
    }

    /// The data as it stands in the text.
    pub fn source(&self) -> &'t str {
        &self.text[self.before.end..self.after.start]
    }
}

/// What a reader of one notation found: where, and the JSON for it.
struct Found {
    format: Format,
    json: String,
    /// From its first character to its last one; the last line break is outside.
    range: Range<usize>,
    rows: Vec<Range<usize>>,
}

/// Reads the data that a text holds. None if it holds none, or more than one, or if anything is in doubt.
pub fn read(text: &str) -> Option<Data<'_>> {
    around::read(text)
}

/// Whether a text holds tables as `row-encoder` writes them. What it writes is no text of others, and is not
/// read again.
pub fn holds_own_tables(text: &str) -> bool {
    own::is_at_the_beginning(text)
}
