//! One piece of tool output: its text, the index of its JSON, and changes to both.
//!
//! Owns the layout of the tape, what edits and splices mean, and the search for triggers, all as
//! `wit/filter.wit` lays them down. Refuses to know who asks for a change, where a document comes
//! from and what becomes of it.
//!
//! A document is never parsed into a tree. The text is indexed once, and a list of edits changes
//! text and index together: that is several times faster than parse, change, print, and every byte
//! that no edit names stays as it was sent.

mod apply;
mod draft;
mod edits;
mod index;
mod operand;
mod same;
pub mod scan;
mod splices;
mod tape;
#[cfg(test)]
mod tests;
mod triggers;
mod unquote;

use std::fmt;
use std::sync::{Arc, OnceLock};

pub use edits::{EditError, Operation, TapeWanted};
pub use index::{MAX_DEPTH, TapeError};
pub use operand::{OperandError, REUSE_LIMIT_BYTES};
pub use same::{same_reading, same_value};
pub use splices::SpliceError;
pub use tape::{Node, NodeKind, Tape};
pub use triggers::Triggers;
pub use unquote::unquote;

/// Whether a document is JSON or text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Valid JSON: there is a tape.
    Json,
    /// Anything else.
    Text,
}

/// One piece of tool output. Clones are cheap, and share the text and the tape.
#[derive(Clone)]
pub struct Document(Arc<Inner>);

struct Inner {
    text: Arc<str>,
    form: Form,
    /// How deep the JSON may nest.
    max_depth: usize,
    /// Set when first asked for; `None` inside: this is not JSON.
    tape: OnceLock<Option<Tape>>,
}

/// What is known of a document's kind without its tape.
#[derive(Clone, Copy)]
enum Form {
    Text,
    /// JSON if the grammar holds.
    Candidate,
    /// JSON: it was checked, or an edit made it.
    Json,
}

impl Document {
    /// A document of kind [`Kind::Text`], even if it looks like JSON.
    pub fn text_only(text: impl Into<Arc<str>>) -> Document {
        Document::new(text.into(), Form::Text, MAX_DEPTH, None)
    }

    /// A document that is JSON if it is a JSON object or array, with any whitespace around it.
    ///
    /// A number or a quoted word is text here: tools mean it as such. The grammar is checked when
    /// the kind or the tape is first asked for.
    pub fn detect(text: impl Into<Arc<str>>) -> Document {
        let text = text.into();
        let first = text.trim_start_matches([' ', '\n', '\r', '\t']);
        let form = if first.starts_with(['{', '[']) {
            Form::Candidate
        } else {
            Form::Text
        };
        Document::new(text, form, MAX_DEPTH, None)
    }

    /// A document that has to be JSON: any value, scalars too.
    ///
    /// # Errors
    ///
    /// The text is not JSON, nests deeper than [`MAX_DEPTH`], or is longer than `u32::MAX` bytes.
    pub fn json(text: impl Into<Arc<str>>) -> Result<Document, TapeError> {
        Document::json_with_depth(text, MAX_DEPTH)
    }

    /// As [`Document::json`], nested at most `max_depth` deep. Edits of the document keep to that
    /// depth too.
    ///
    /// # Errors
    ///
    /// As for [`Document::json`].
    pub fn json_with_depth(
        text: impl Into<Arc<str>>,
        max_depth: usize,
    ) -> Result<Document, TapeError> {
        let text = text.into();
        let tape = Tape::build_with_depth(&text, max_depth)?;
        Ok(Document::new(text, Form::Json, max_depth, Some(tape)))
    }

    fn new(text: Arc<str>, form: Form, max_depth: usize, tape: Option<Tape>) -> Document {
        let known = OnceLock::new();
        if let Some(tape) = tape {
            // A fresh lock takes any value.
            let _ = known.set(Some(tape));
        }
        Document(Arc::new(Inner {
            text,
            form,
            max_depth,
            tape: known,
        }))
    }

    /// All of the text.
    pub fn text(&self) -> &Arc<str> {
        &self.0.text
    }

    /// Whether this is JSON or text. Checks the grammar if nobody has yet.
    pub fn kind(&self) -> Kind {
        match self.0.form {
            Form::Text => Kind::Text,
            Form::Json => Kind::Json,
            Form::Candidate if self.tape().is_some() => Kind::Json,
            Form::Candidate => Kind::Text,
        }
    }

    /// The index of the JSON, built when first asked for; `None` for text.
    pub fn tape(&self) -> Option<&Tape> {
        let Inner {
            text,
            form,
            max_depth,
            tape,
        } = &*self.0;
        match form {
            Form::Text => None,
            Form::Candidate | Form::Json => tape
                .get_or_init(|| Tape::build_with_depth(text, *max_depth).ok())
                .as_ref(),
        }
    }

    /// The bytes from `start` up to `end`. An offset past the end, or inside a character, is moved
    /// back to the nearest character boundary; `start > end` gives the empty string.
    pub fn slice(&self, start: u32, end: u32) -> &str {
        let text = self.text();
        let start = text.floor_char_boundary(start as usize);
        let end = text.floor_char_boundary(end as usize);
        text.get(start..end).unwrap_or_default()
    }

    /// This document after `operations` (four words an edit, see `edits` in `wit/filter.wit`),
    /// whose operands are parts of `operands`. Every byte that no edit names stays as it was.
    ///
    /// # Errors
    ///
    /// The document is text, or an edit breaks a rule. Nothing is changed then.
    pub fn edit(
        &self,
        operations: &[u32],
        operands: &str,
        next: TapeWanted,
    ) -> Result<Document, EditError> {
        let tape = self.tape().ok_or(EditError::NotJson)?;
        if operations.is_empty() {
            return Ok(self.clone());
        }
        let max_depth = self.0.max_depth;
        let edits = edits::in_document_order(operations, tape.len())?;
        let (text, tape) = apply::apply(self.text(), tape, &edits, operands, max_depth, next)?;
        Ok(Document::new(text.into(), Form::Json, max_depth, tape))
    }

    /// This document after `ranges` (four words a splice, see `splices` in `wit/filter.wit`), whose
    /// replacements are parts of `operands`.
    ///
    /// JSON that is no longer valid has become text; text stays text.
    ///
    /// # Errors
    ///
    /// A splice breaks a rule. Nothing is changed then.
    pub fn splice(&self, ranges: &[u32], operands: &str) -> Result<Document, SpliceError> {
        if ranges.is_empty() {
            return Ok(self.clone());
        }
        let text = splices::apply(self.text(), ranges, operands)?;
        let form = match self.kind() {
            Kind::Json => Form::Candidate,
            Kind::Text => Form::Text,
        };
        Ok(Document::new(text.into(), form, self.0.max_depth, None))
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document")
            .field("text", &self.text())
            .finish_non_exhaustive()
    }
}
