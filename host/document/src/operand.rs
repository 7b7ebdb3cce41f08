//! Operands: parts of one text that a list of changes puts into a document.
//!
//! Owns what a change may name there, how much of it in all, and the index of an operand that has to
//! be JSON. Refuses to know what the change does with it.

use thiserror::Error;

use super::index::{self, Open, TapeError, Words};

/// How many bytes a list of changes may insert beyond the length of its operands: 16 MiB.
///
/// Any number of changes may name the same operand, which is useful (`"[redacted]"`), and would let a
/// small answer ask for any amount of memory. 16 MiB is over a million redactions.
pub const REUSE_LIMIT_BYTES: usize = 16 << 20;

/// Why a change cannot have its operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum OperandError {
    /// The range does not lie in the text.
    #[error("{start} to {end} is no part of the {len} bytes of text that came with it")]
    OutOfRange {
        /// Offset of the first byte.
        start: u32,
        /// Offset after the last byte.
        end: u32,
        /// Length of the text.
        len: usize,
    },
    /// The range begins or ends inside a character.
    #[error("{at} is inside a character of the text that came with it")]
    NotOnCharacter {
        /// The offset.
        at: u32,
    },
    /// The same bytes are named too often.
    #[error("with it, {bytes} bytes are inserted, and {limit} is the limit")]
    TooMuch {
        /// Bytes inserted up to here.
        bytes: usize,
        /// Bytes that may be inserted.
        limit: usize,
    },
}

impl OperandError {
    /// A short, stable name.
    pub fn name(&self) -> &'static str {
        match self {
            OperandError::OutOfRange { .. } => "operand-out-of-range",
            OperandError::NotOnCharacter { .. } => "operand-not-on-character",
            OperandError::TooMuch { .. } => "too-much-inserted",
        }
    }
}

/// The text that a list of changes takes its operands from.
pub(super) struct Operands<'a> {
    text: &'a str,
    inserted: usize,
}

impl<'a> Operands<'a> {
    pub(super) fn new(text: &'a str) -> Operands<'a> {
        Operands { text, inserted: 0 }
    }

    /// The part from `start` to `end`, which goes into the document.
    pub(super) fn take(&mut self, start: u32, end: u32) -> Result<&'a str, OperandError> {
        let (from, to) = (start as usize, end as usize);
        let len = self.text.len();
        let Some(part) = self.text.get(from..to) else {
            return Err(if from > to || to > len {
                OperandError::OutOfRange { start, end, len }
            } else if self.text.is_char_boundary(from) {
                OperandError::NotOnCharacter { at: end }
            } else {
                OperandError::NotOnCharacter { at: start }
            });
        };
        self.inserted = self.inserted.saturating_add(part.len());
        let limit = len.saturating_add(REUSE_LIMIT_BYTES);
        if self.inserted > limit {
            return Err(OperandError::TooMuch {
                bytes: self.inserted,
                limit,
            });
        }
        Ok(part)
    }
}

/// The index of one operand at a time. Its memory is used again: a list may have thousands.
#[derive(Default)]
pub(super) struct OperandIndex {
    bracketed: String,
    nodes: Vec<Words>,
    open: Vec<Open>,
}

impl OperandIndex {
    /// Indexes an operand that is one value, nested at most `max_depth` deep.
    pub(super) fn value(&mut self, operand: &str, max_depth: usize) -> Result<(), TapeError> {
        self.nodes.clear();
        self.open.clear();
        index::index(operand, max_depth, &mut self.nodes, &mut self.open)
    }

    /// Indexes an operand that is what stands between two brackets. The first node, and a byte in
    /// front, are the opening one; `max_depth` includes it.
    pub(super) fn list(
        &mut self,
        operand: &str,
        [opening, closing]: [char; 2],
        max_depth: usize,
    ) -> Result<(), TapeError> {
        self.bracketed.clear();
        self.bracketed.push(opening);
        self.bracketed.push_str(operand);
        self.bracketed.push(closing);
        self.nodes.clear();
        self.open.clear();
        let indexed = index::index(&self.bracketed, max_depth, &mut self.nodes, &mut self.open);
        indexed.map_err(|error| match error {
            TapeError::Syntax { at, expected } => TapeError::Syntax {
                at: at.saturating_sub(1),
                expected,
            },
            other => other,
        })
    }

    pub(super) fn nodes(&self) -> &[Words] {
        &self.nodes
    }
}
