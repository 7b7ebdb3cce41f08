//! YAML that holds a table.
//!
//! YAML is accepted only if no content is lost. [`parser`] reads a strict subset of YAML 1.2. The value is written as
//! YAML again and must equal the source, character by character, except for white space ([`tree::Comparison`]). So it
//! has the same lists and maps in the same order, the same keys, the same scalars with the types of the core schema,
//! and numbers with their spelling. Only layout and the choice of quotes are lost. A comment is content.

mod parser;
mod scalar;
mod tree;

use crate::json::MAX_DEPTH;
use crate::table::{ARRAY, children};
use crate::{Format, Found, Lines};
use parser::Parser;
use tree::{Comparison, Json, Value};

/// Conditions for a text of YAML.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Fewest lines.
    pub min_lines: usize,
    /// Fewest maps, in one list, that make a table (in one map: at least 4). 0: no table is required.
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

/// Fewest maps of two or more members in a text: prose may look like fewer.
const FEWEST_RECORDS: usize = 2;

/// First, a text is read up to a line that ends after this many bytes, and within this many more.
const FIRST_BYTES: [usize; 2] = [400, 3_000];
const MOST_LINE: usize = 2_000;

/// The JSON of a text that passes all tests for YAML, nested at most `room` deep.
pub fn json_of(text: &str, room: usize, wanted: Wanted) -> Option<String> {
    whole(text, room, wanted).map(|json| json.text)
}

/// The same with its tape.
fn whole(text: &str, room: usize, wanted: Wanted) -> Option<Json> {
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes());
    let lines = breaks.take(wanted.min_lines).count() + 1;
    if lines < wanted.min_lines || !may_have_records(text) {
        return None;
    }
    let value = Parser::read(text, room)?;
    let rows = wanted.min_rows;
    if !value.has_records(&mut FEWEST_RECORDS.clone()) || rows > 0 && !value.has_table(rows) {
        return None;
    }
    is_proved(text, &value).then_some(())?;
    let mut json = Json::with_capacity(text.len() + text.len() / 4);
    json.push(&value);
    Some(json)
}

/// The JSON of a text that is YAML, with or without a table.
pub fn any_json_of(text: &str, room: usize) -> Option<String> {
    let mut json = Json::default();
    push_any(text, room, &mut json)?;
    Some(json.text)
}

/// Writes the JSON of such a text.
fn push_any(text: &str, room: usize, json: &mut Json) -> Option<()> {
    let value = Parser::read(text, room)?;
    is_proved(text, &value).then_some(())?;
    json.push(&value);
    Some(())
}

/// Whether a text may have maps in a list or a map: an item, a key without a value on its line, or braces. A text without
/// these is not several documents either.
pub(crate) fn may_have_records(text: &str) -> bool {
    memchr::memchr(b'{', text.as_bytes()).is_some()
        || Lines::of(text).any(|line| {
            let line = line.trim_ascii();
            line.starts_with('-') || line.ends_with(':')
        })
}

/// Whether the value, written again, equals the source.
fn is_proved(text: &str, value: &Value<'_>) -> bool {
    let source = text.trim_start();
    let source = source.strip_prefix("---").unwrap_or(source);
    Comparison::is_equal(source, value)
}

/// Whether the first lines of a text are YAML. In most other texts they are not, and the rest is not read. If lines end
/// inside of a quoted scalar, more are read.
pub(crate) fn begins_as_yaml(text: &str) -> bool {
    FIRST_BYTES.iter().any(|bytes| {
        let Some(rest) = text.as_bytes().get(*bytes..) else {
            return Parser::read(text, MAX_DEPTH).is_some();
        };
        let end = rest.iter().take(MOST_LINE).position(|byte| *byte == b'\n');
        let first = end.map(|end| &text[..bytes + end + 1]);
        let is_open = |first: &&str| *bytes == FIRST_BYTES[0] || first.contains(['"', '\'']);
        let first = first.filter(is_open);
        let first = first.and_then(|first| first.split(SEPARATOR).next());
        first.is_some_and(|first| Parser::read(first, MAX_DEPTH).is_some())
    })
}

/// Whether a text may begin with this line.
pub(crate) fn may_begin(line: &str) -> bool {
    parser::may_begin(line.trim_end())
}

/// Reads the whole text from `at` on.
pub(crate) fn read(text: &str, at: usize) -> Option<Found> {
    let source = &text[at..];
    let line = source.trim_start().lines().next()?.trim_end();
    if source.starts_with(' ') || !parser::may_begin(line) || !begins_as_yaml(source) {
        return None;
    }
    let json = whole(source, MAX_DEPTH, Wanted::default())?;
    Some(Found {
        format: Format::Yaml,
        json: json.text,
        tape: json.tape.into_flattened(),
        renamed: Vec::new(),
        range: at..at + source.trim_end().len(),
        rows: Vec::new(),
    })
}

/// What separates documents.
const SEPARATOR: &str = "\n---\n";
/// Fewer documents are no table.
const FEWEST_DOCUMENTS: usize = 3;

/// The same of documents with maps or lists inside, whose lines are indented: blocks of keys hold them as texts.
pub(crate) fn read_nested(text: &str) -> Option<Found> {
    let has = |sign: &str| memchr::memmem::find(text.as_bytes(), sign.as_bytes()).is_some();
    (has(SEPARATOR) && has(":\n ")).then(|| read_documents(text))?
}

/// Reads the whole text, which is several documents, as a list of those that are not blank. Each is a map or a list.
pub(crate) fn read_documents(text: &str) -> Option<Found> {
    let text = text.trim_end();
    let whole = text.strip_suffix("\n---").unwrap_or(text);
    let documents = whole.split(SEPARATOR);
    let documents = documents.filter(|document| !document.trim().is_empty());
    // One document may be large: it is not read if there are too few.
    if documents.clone().take(FEWEST_DOCUMENTS).count() < FEWEST_DOCUMENTS {
        return None;
    }
    let mut json = Json::with_capacity(text.len() + text.len() / 4);
    let list = json.begin();
    let mut count = 0;
    for document in documents {
        json.text.push(if count == 0 { '[' } else { ',' });
        push_any(document, MAX_DEPTH - 1, &mut json)?;
        count += 1;
    }
    json.text.push(']');
    json.end(list, ARRAY | children(count));
    Some(Found {
        format: Format::Yaml,
        json: json.text,
        tape: json.tape.into_flattened(),
        renamed: Vec::new(),
        range: 0..text.len(),
        rows: Vec::new(),
    })
}

#[cfg(test)]
mod tests;
