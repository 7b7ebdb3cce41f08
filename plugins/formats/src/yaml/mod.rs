//! YAML that holds a table.
//!
//! YAML is accepted only if no content is lost. [`parser`] reads a strict subset of YAML 1.2. The value is written as
//! YAML again and must equal the source, character by character, except for white space ([`written::Writer`]). So it
//! has the same lists and maps in the same order, the same keys, the same scalars with the types of the core schema,
//! and numbers with their spelling. Only layout and the choice of quotes are lost. A comment is content.

mod parser;
mod scalar;
mod written;

use crate::json::MAX_DEPTH;
use crate::{Found, Lines};
use written::Json;

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
    whole(text, room, wanted)?.into_text()
}

/// The same with its tape.
fn whole(text: &str, room: usize, wanted: Wanted) -> Option<Json> {
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes());
    let lines = breaks.take(wanted.min_lines).count() + 1;
    if lines < wanted.min_lines || !may_have_records(text) {
        return None;
    }
    let mut json = Json::with_room_for(text);
    push(text, room, &mut json)?;
    let rows = wanted.min_rows;
    let is_table = rows == 0 || json.has_table(rows);
    (is_table && json.has_records(FEWEST_RECORDS)).then_some(json)
}

/// The JSON of a text that is YAML, with or without a table.
pub fn any_json_of(text: &str, room: usize) -> Option<String> {
    let mut json = Json::with_room_for(text);
    push(text, room, &mut json)?;
    json.into_text()
}

/// Writes the JSON of a text. None if it is no YAML, or what was read, written again, does not equal the source.
fn push(text: &str, room: usize, json: &mut Json) -> Option<()> {
    let source = text.trim_start();
    let source = source.strip_prefix("---").unwrap_or(source);
    parser::read(text, source, room, json)?.then_some(())
}

/// Whether a text is YAML, as far as its grammar tells.
fn is_yaml(text: &str) -> bool {
    parser::read(text, text, MAX_DEPTH, &mut Json::with_room_for(text)).is_some()
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

/// Whether the first lines of a text are YAML. In most other texts they are not, and the rest is not read. If lines end
/// inside of a quoted scalar, more are read.
pub(crate) fn begins_as_yaml(text: &str) -> bool {
    FIRST_BYTES.iter().any(|bytes| {
        let Some(rest) = text.as_bytes().get(*bytes..) else {
            return is_yaml(text);
        };
        let end = rest.iter().take(MOST_LINE).position(|byte| *byte == b'\n');
        let first = end.map(|end| &text[..bytes + end + 1]);
        let is_open = |first: &&str| *bytes == FIRST_BYTES[0] || first.contains(['"', '\'']);
        let first = first.filter(is_open);
        let first = first.and_then(|first| first.split(SEPARATOR).next());
        first.is_some_and(is_yaml)
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
    json.into_found(at..at + source.trim_end().len())
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
    let mut json = Json::with_room_for(text);
    let list = json.begin(b'[');
    let mut count = 0;
    for document in documents {
        json.separate(count);
        push(document, MAX_DEPTH - 1, &mut json)?;
        count += 1;
    }
    json.end(list, count);
    json.into_found(0..text.len())
}

#[cfg(test)]
mod tests;
