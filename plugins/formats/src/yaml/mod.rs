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

/// A text is first read up to a line that ends after so many bytes, and within so many more.
const FIRST_BYTES: [usize; 2] = [400, 3_000];
const MOST_LINE: usize = 2_000;

/// The JSON for a text that is YAML by all tests, nested at most `room` deep.
pub fn json_of(text: &str, room: usize, wanted: Wanted) -> Option<String> {
    let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
    if lines < wanted.min_lines || !may_have_records(text) {
        return None;
    }
    let value = Parser::read(text, room)?;
    let rows = wanted.min_rows;
    if value.records() < FEWEST_RECORDS || rows > 0 && !value.has_table(rows) {
        return None;
    }
    is_proved(text, &value).then_some(())?;
    let mut json = String::with_capacity(text.len() + text.len() / 4);
    value.write_json(&mut json);
    Some(json)
}

/// The JSON for a text that is YAML, with a table in it or without.
pub fn any_json_of(text: &str, room: usize) -> Option<String> {
    let mut json = String::new();
    let value = Parser::read(text, room)?;
    is_proved(text, &value).then_some(())?;
    value.write_json(&mut json);
    Some(json)
}

/// Whether a text may have maps inside of a list or of a map: an item, a key without a value on its line, or braces.
fn may_have_records(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_ascii();
        line.starts_with('-') || line.ends_with(':') || line.contains('{')
    })
}

/// Whether what was read is the source when it is written again.
fn is_proved(text: &str, value: &Value<'_>) -> bool {
    let source = text.trim_start();
    let source = source.strip_prefix("---").unwrap_or(source);
    Comparison::is_equal(source, value)
}

/// Whether the first lines of a text are YAML: those of most other texts are not, and the rest need not be read.
/// Lines may end inside of a quoted scalar, so that more of them are read where there is one.
fn begins_as_yaml(text: &str) -> bool {
    FIRST_BYTES.iter().any(|bytes| {
        let Some(rest) = text.as_bytes().get(*bytes..) else {
            return Parser::read(text, MAX_DEPTH).is_some();
        };
        let end = rest.iter().take(MOST_LINE).position(|byte| *byte == b'\n');
        let first = end.map(|end| &text[..bytes + end + 1]);
        let is_open = |first: &&str| *bytes == FIRST_BYTES[0] || first.contains(['"', '\'']);
        let first = first.filter(is_open);
        first.is_some_and(|first| Parser::read(first, MAX_DEPTH).is_some())
    })
}

/// Reads all of a text from `at` on.
pub(crate) fn read(text: &str, at: usize) -> Option<Found> {
    let source = &text[at..];
    let line = source.trim_start().lines().next()?.trim_end();
    if source.starts_with(' ') || !parser::may_begin(line) || !begins_as_yaml(source) {
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
