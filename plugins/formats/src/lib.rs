//! Finds the data in a text and converts it to JSON. The filters and the read tool share this recogniser.
//!
//! A text is recognised or refused. The crate writes the data in its own notation again. The result must equal the
//! source, except for layout: white space around cells, alignment, rules, the choice of quotes. If that fails, or if a
//! table may also be prose, a log or source code, the text is refused.
//!
//! Owns the notations, a module each. Refuses to know filters and the use of the JSON. Time is linear in the text, and
//! a text without data is refused after its first lines.

pub mod amounts;
mod around;
mod arrays;
mod boxes;
mod columns;
mod csv;
pub mod dates;
mod dump;
mod html;
mod json;
mod json_cells;
mod json_text;
mod lines;
pub mod literal;
mod loose;
mod markdown;
mod own;
mod page;
mod quoted;
mod results;
mod sixteen;
mod spelling;
mod stanzas;
mod table;
pub mod terminal;
mod triples;
pub mod words;
mod wrapper;
mod xml;
pub mod yaml;

pub use arrays::{rows_of_arrays, unquoted, unwrap_blocks};
pub use json::is_number;
pub use lines::Lines;
pub use page::{PageTable, tables_of_page};
pub use quoted::{QuotedText, text_of_quoted};
pub use sixteen::Sixteen;
pub use spelling::without_spelled_characters;
pub use terminal::as_shown;
pub use triples::Triples;
pub use xml::entity;

use around::Refused;
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
    /// A table of HTML, whose first row has names.
    HtmlTable,
    /// Columns that begin below their names, as `kubectl get` and `ps` print them.
    Columns,
    /// A table with lines of signs between its columns, as `psql`, `mysql` and `duckdb` print it.
    Box,
    /// A JSON object a line.
    JsonLines,
    /// One JSON value.
    Json,
    /// One JSON value without its end, which is cut.
    CutJson,
    /// Several JSON values after one another.
    Documents,
    /// Several pieces of data, each with its name in one object.
    Parts,
    /// One YAML document.
    Yaml,
    /// One list, tuple or dict as Python's `repr` prints it.
    Repr,
    /// A list, tuple or dict a line, as `repr` prints it.
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
            Format::Json
                | Format::CutJson
                | Format::Documents
                | Format::Parts
                | Format::Yaml
                | Format::Repr
                | Format::Xml
        )
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Csv => "CSV",
            Format::Tsv => "TSV",
            Format::MarkdownTable => "Markdown table",
            Format::HtmlTable => "HTML table",
            Format::Columns => "columns",
            Format::Box => "table",
            Format::JsonLines => "JSON lines",
            Format::Json => "JSON",
            Format::CutJson => "cut JSON",
            Format::Documents => "JSON documents",
            Format::Parts => "text in parts",
            Format::Yaml => "YAML",
            Format::Repr => "Python's repr",
            Format::ReprLines => "lines of Python's repr",
            Format::Stanzas => "stanzas",
            Format::Xml => "XML",
        })
    }
}

/// The data of a text, and the text around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data<'t> {
    text: &'t str,
    /// The notation of the data.
    pub format: Format,
    /// The data: a list of objects for tables ([`Format::is_table`]), the value itself for JSON, YAML, `repr`
    /// and XML.
    pub json: String,
    /// The tape of the JSON of a table or of YAML, as `wit/filter.wit` describes it; empty if it was not made.
    pub tape: Vec<u32>,
    /// Range of the text before the data, such as a sentence or the beginning of a fence; may be empty.
    pub before: Range<usize>,
    /// Range of the text after the data; may be empty.
    pub after: Range<usize>,
    /// Range of each row in the text; empty if the data is no table.
    pub rows: Vec<Range<usize>>,
    /// Lines inside of the data that are no part of it. Only [`read_loosely`] leaves lines out.
    pub others: Vec<Range<usize>>,
    /// Columns with the name of one before them. Only [`read_loosely`] gives them names of their own.
    pub renamed: Vec<Renamed>,
    /// The path of the last whole value, if the data is cut.
    pub last: Option<String>,
    /// The path of the first whole value after the cut, if the data is cut in its middle.
    pub next: Option<String>,
}

/// A column that has the name of one before it: `id_2` for the second `id` of a join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    /// The name in the text.
    pub name: String,
    /// The name in the JSON, which no other column has.
    pub key: String,
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

    /// The texts that the data does not have: before it, after it, and [`Data::others`].
    pub fn texts_outside(&self) -> impl Iterator<Item = &'t str> {
        let around = [self.before.clone(), self.after.clone()];
        let text = self.text;
        around
            .into_iter()
            .chain(self.others.clone())
            .map(|range| &text[range])
    }

    /// The data as the text spells it.
    pub fn source(&self) -> &'t str {
        &self.text[self.before.end..self.after.start]
    }
}

/// The result of reading one notation: the range, and the JSON.
struct Found {
    format: Format,
    json: String,
    /// Empty, except for a table and YAML.
    tape: Vec<u32>,
    renamed: Vec<Renamed>,
    /// From the first character to the last one, without the last line break.
    range: Range<usize>,
    rows: Vec<Range<usize>>,
}

/// Reads the data in a text. None if the text has no data, or more than one piece, or a doubtful one.
pub fn read(text: &str) -> Option<Data<'_>> {
    around::read(text, &mut Refused::default()).filter(|data| data.renamed.is_empty())
}

/// Reads the data in a text as [`read`] does, and data with flaws too: JSON that is cut, a table with lines that are no
/// rows, or with a name twice, several pieces of data. The text cannot be restored from such data.
pub fn read_loosely(text: &str) -> Option<Data<'_>> {
    read_bare(text).or_else(|| loose::read_wrapped(text))
}

/// The same for a text that no other program wraps.
fn read_bare(text: &str) -> Option<Data<'_>> {
    if loose::is_left_out_in_last_row(text)
        && let Some(data) = loose::read_left_out(text)
    {
        return Some(data);
    }
    match read_whole(text) {
        Some(data) if data.format != Format::Parts => Some(data),
        data => loose::read_left_out(text).or(data),
    }
}

/// The same for a text of which nothing is left out.
fn read_whole(text: &str) -> Option<Data<'_>> {
    let mut refused = Refused::default();
    match around::read(text, &mut refused) {
        Some(data) if !loose::may_go_on(&data) => loose::pieces(&data).or(Some(data)),
        data => loose::read(text, &refused).or(data),
    }
}

/// Whether a text has tables of `row-encoder`. Such a text comes from Tamis itself, and is not read again.
pub fn holds_own_tables(text: &str) -> bool {
    own::is_at_the_beginning(text)
}
