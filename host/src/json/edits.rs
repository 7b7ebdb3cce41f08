//! Edits of a frame: the same edits that filters make of documents, made by the relay.

use crate::document::{Document, EditError, Node, TapeWanted};

/// Operations, as the filter contract numbers them.
const REMOVE: u32 = 0;
const REPLACE: u32 = 1;
const APPEND: u32 = 3;

/// Edits of one frame.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edits {
    operations: Vec<u32>,
    operands: String,
}

impl Edits {
    pub(crate) fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Removes a member, by its key.
    pub(crate) fn remove(&mut self, key: Node) {
        self.operations.extend([REMOVE, key.index, 0, 0]);
    }

    /// Replaces a value by JSON.
    pub(crate) fn replace(&mut self, value: Node, json: &str) {
        self.push(REPLACE, value, json);
    }

    /// Adds elements or members, separated by commas, at a container's end.
    pub(crate) fn append(&mut self, container: Node, json: &str) {
        self.push(APPEND, container, json);
    }

    fn push(&mut self, operation: u32, node: Node, operand: &str) {
        // A frame longer than u32::MAX bytes has no tape, so no node of one exists.
        let start = self.operands.len() as u32;
        self.operands.push_str(operand);
        let end = self.operands.len() as u32;
        self.operations.extend([operation, node.index, start, end]);
    }

    /// The frame's text after the edits; none without edits. An error is a fault in Tamis.
    pub(crate) fn apply(&self, frame: &Document) -> Result<Option<String>, EditError> {
        if self.is_empty() {
            return Ok(None);
        }
        let edited = frame.edit(&self.operations, &self.operands, TapeWanted::No)?;
        Ok(Some(edited.text().to_string()))
    }
}
