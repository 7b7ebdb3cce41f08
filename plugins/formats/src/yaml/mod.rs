//! YAML that holds a table.
//!
//! YAML is taken only where nothing is lost that it says. The text is read by a strict subset of YAML 1.2
//! ([`parser`]); what was read is written as YAML again and has to be the source, character by character, but
//! for white space ([`tree::Comparison`]). So equal means: the same lists and maps in the same order, the same
//! keys, the same scalars with the types of the core schema, numbers as they were spelled. Layout and the choice
//! of quotes are what goes. A comment is content.

mod parser;
mod scalar;
mod tree;

use crate::json::MAX_DEPTH;
use crate::{Format, Found};
use parser::Parser;
use tree::{Comparison, Value};

/// Which texts are taken for YAML.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Smallest number of lines.
    pub min_lines: usize,
    /// Smallest number of maps, in one list, that make a table (in one map: at least 4). 0: none is wanted.
    pub min_rows: usize,
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted {
            min_lines: 6,
            min_rows: 3,
        }
    }
}

/// A text has to hold this many maps of two or more members: fewer are found in prose.
const FEWEST_RECORDS: usize = 2;

/// What comes first is read first, so many bytes of it: most texts that are no YAML are none from the start.
const FIRST_BYTES: usize = 1_024;

/// The end of what is read first is looked for in so many bytes more.
const MOST_FIRST_BYTES: usize = 4_096;

/// The JSON for a text that is YAML by all tests, nested at most `room` deep.
pub fn json_of(text: &str, room: usize, wanted: Wanted) -> Option<String> {
    if let Some(first) = first_part(text) {
        Parser::read(first, room)?;
    }
    let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
    if lines < wanted.min_lines {
        return None;
    }
    let value = proved(text, room)?;
    let rows = wanted.min_rows;
    if value.records() < FEWEST_RECORDS || rows > 0 && !value.has_table(rows) {
        return None;
    }
    let mut json = String::with_capacity(text.len() + text.len() / 4);
    value.write_json(&mut json);
    Some(json)
}

/// The JSON for a text that is YAML, with a table in it or without.
pub fn any_json_of(text: &str, room: usize) -> Option<String> {
    let mut json = String::new();
    proved(text, room)?.write_json(&mut json);
    Some(json)
}

/// What a text says that is YAML, if that is the source when it is written again.
fn proved(text: &str, room: usize) -> Option<Value<'_>> {
    let value = Parser::read(text, room)?;
    let source = text.trim_start();
    let source = source.strip_prefix("---").unwrap_or(source);
    Comparison::is_equal(source, &value).then_some(value)
}

/// The beginning of a long text, up to a line that begins an element or member of the whole: it is YAML if the
/// text is.
fn first_part(text: &str) -> Option<&str> {
    let window = text.as_bytes().get(FIRST_BYTES..)?;
    let window = &window[..window.len().min(MOST_FIRST_BYTES)];
    let begins = |pair: &[u8]| pair[0] == b'\n' && !matches!(pair[1], b' ' | b'\t' | b'\n' | b'\r');
    let end = window.windows(2).position(begins)?;
    Some(&text[..FIRST_BYTES + end + 1])
}

/// Reads all of a text from `at` on.
pub(crate) fn read(text: &str, at: usize) -> Option<Found> {
    let source = &text[at..];
    let first = source.trim_start_matches("---").trim_start();
    let line = first.lines().next()?;
    if source.starts_with(' ') || !first.starts_with("- ") && !line.contains(':') {
        return None;
    }
    let json = json_of(source, MAX_DEPTH, Wanted::default())?;
    Some(Found {
        format: Format::Yaml,
        json,
        range: at..at + source.trim_end().len(),
        rows: Vec::new(),
    })
}

#[cfg(test)]
mod tests;
