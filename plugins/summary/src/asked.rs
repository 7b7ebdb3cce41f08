//! Explicit requests of a model: the range that a call's arguments name, and the text that is most of a JSON document.
//!
//! Owns the names of such arguments. Refuses to know kinds of texts.

use crate::paper::cut;
use tamis_sdk::{Document, Node, NodeKind};

/// Arguments that name a range of a file or a page of a list.
const RANGES: [&str; 22] = [
    "offset",
    "limit",
    "length",
    "lines",
    "range",
    "view_range",
    "start",
    "end",
    "start_line",
    "end_line",
    "startLine",
    "endLine",
    "line_start",
    "line_end",
    "max_lines",
    "head",
    "tail",
    "page",
    "start_index",
    "max_length",
    "cell_index",
    "context",
];
const VALUE_CHARACTERS: usize = 40;
/// A text is most of a document if it takes this many tenths of its bytes.
const MOST_OF_TEN: u32 = 7;

/// The range that the arguments of a call name, as ` (asked for: offset 100, length 80)`; empty without a range.
pub fn range(arguments: &str) -> String {
    let arguments: Result<serde_json::Map<String, serde_json::Value>, _> =
        serde_json::from_str(arguments);
    let Ok(arguments) = arguments else {
        return String::new();
    };
    let said: Vec<String> = RANGES
        .iter()
        .filter_map(|key| {
            let value = arguments.get(*key).filter(|value| !value.is_null())?;
            let value = value.to_string();
            Some(format!("{key} {}", cut(&value, VALUE_CHARACTERS)))
        })
        .collect();
    if said.is_empty() {
        return String::new();
    }
    format!(" (asked for: {})", said.join(", "))
}

/// Whether so many bytes are most of a JSON document.
pub fn is_most(document: &Document, bytes: u64) -> bool {
    bytes >= u64::from(document.len_bytes() / 10 * MOST_OF_TEN)
}

/// Whether a document is a message of few lines, and little else.
pub fn is_message(document: &Document) -> bool {
    /// More lines are the output of a program.
    const LINES: usize = 20;
    let text = main_string(document).and_then(|string| document.string(string));
    text.is_some_and(|text| text.lines().count() < LINES)
}

/// The string that is most of a JSON document: a member, or a string in a list.
pub fn main_string(document: &Document) -> Option<Node<'_>> {
    let root = document.root()?;
    let least = document.len_bytes() / 10 * MOST_OF_TEN;
    let mut node = root;
    loop {
        if node.len_bytes() < least {
            return None;
        }
        node = match node.kind() {
            NodeKind::String => return Some(node),
            NodeKind::Object => node
                .members()
                .map(|(_, value)| value)
                .max_by_key(|value| value.len_bytes())?,
            NodeKind::Array => node.elements().max_by_key(|value| value.len_bytes())?,
            _ => return None,
        };
    }
}
