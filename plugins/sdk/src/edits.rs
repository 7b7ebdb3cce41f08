//! Builders for a filter's answers.

use crate::guest::bindings::tamis::filter::types;
use crate::json;
use crate::{Kind, Node, Verdict};

const REMOVE: u32 = 0;
const REPLACE: u32 = 1;
const RENAME: u32 = 2;
const APPEND: u32 = 3;

/// A whole new document, which must be JSON.
pub fn rewritten_json(json: String) -> Verdict {
    rewritten(Kind::Json, json)
}

/// A whole new document of text.
pub fn rewritten_text(text: String) -> Verdict {
    rewritten(Kind::Text, text)
}

fn rewritten(kind: Kind, text: String) -> Verdict {
    Verdict::Rewritten(types::Rewrite { kind, text })
}

/// Changes to a JSON document. Without edits, the verdict is `unchanged`.
#[derive(Default)]
pub struct Edits {
    operations: Vec<u32>,
    text: String,
}

impl Edits {
    /// Makes a list without edits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the list has no edits.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The number of edits so far.
    pub fn len(&self) -> usize {
        self.operations.len() / 4
    }

    /// Discards the edits after the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.operations.truncate(len * 4);
    }

    /// Removes a member (by its key) or an element.
    pub fn remove(&mut self, key_or_element: Node<'_>) {
        self.operations
            .extend_from_slice(&[REMOVE, key_or_element.index(), 0, 0]);
    }

    /// Replaces a value by JSON.
    pub fn replace(&mut self, value: Node<'_>, json: &str) {
        self.with_operand(REPLACE, value, |text| text.push_str(json));
    }

    /// Renames a member's key.
    pub fn rename(&mut self, key: Node<'_>, name: &str) {
        self.with_operand(RENAME, key, |text| json::push_quoted(text, name));
    }

    /// Adds a member at an object's end; `json` is its value.
    pub fn append_member(&mut self, object: Node<'_>, name: &str, json: &str) {
        self.with_operand(APPEND, object, |text| {
            json::push_quoted(text, name);
            text.push(':');
            text.push_str(json);
        });
    }

    /// Adds an element, given as JSON, at an array's end.
    pub fn append_element(&mut self, array: Node<'_>, json: &str) {
        self.with_operand(APPEND, array, |text| text.push_str(json));
    }

    fn with_operand(&mut self, operation: u32, node: Node<'_>, write: impl FnOnce(&mut String)) {
        let start = self.text.len() as u32;
        write(&mut self.text);
        let end = self.text.len() as u32;
        self.operations
            .extend_from_slice(&[operation, node.index(), start, end]);
    }
}

impl From<Edits> for Verdict {
    fn from(edits: Edits) -> Verdict {
        if edits.is_empty() {
            return Verdict::Unchanged;
        }
        Verdict::Edited(types::Edits {
            operations: edits.operations,
            text: edits.text,
        })
    }
}

/// Changes to a document's text. Without splices, the verdict is `unchanged`.
#[derive(Default)]
pub struct Splices {
    ranges: Vec<u32>,
    text: String,
}

impl Splices {
    /// Makes a list without splices.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the bytes from `start` up to `end` by `replacement`.
    pub fn replace(&mut self, start: u32, end: u32, replacement: &str) {
        let from = self.text.len() as u32;
        self.text.push_str(replacement);
        let to = self.text.len() as u32;
        self.ranges.extend_from_slice(&[start, end, from, to]);
    }
}

impl From<Splices> for Verdict {
    fn from(splices: Splices) -> Verdict {
        if splices.ranges.is_empty() {
            return Verdict::Unchanged;
        }
        Verdict::Spliced(types::Splices {
            ranges: splices.ranges,
            text: splices.text,
        })
    }
}
