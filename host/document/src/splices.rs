//! Splices: changes to a document's text by offset, whatever its kind.
//!
//! Owns their order, their rules and their application. Refuses to know what the text means: a
//! document that was JSON is looked at again by whoever needs its kind.

use thiserror::Error;

use super::operand::{OperandError, Operands};

/// Why splices are not applied. `splice` is the place in the list, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SpliceError {
    /// The list is not a list of splices.
    #[error("splices are four words each, and {words} is not a multiple of four")]
    NotFours {
        /// Length of the list.
        words: usize,
    },
    /// The range does not lie in the document.
    #[error("splice {splice}: {start} to {end} is no part of the document's {len} bytes")]
    OutOfRange {
        /// Which splice.
        splice: usize,
        /// Offset of the first byte that goes.
        start: u32,
        /// Offset after the last byte that goes.
        end: u32,
        /// Length of the document.
        len: usize,
    },
    /// The range begins or ends inside a character.
    #[error("splice {splice}: {at} is inside a character of the document")]
    NotOnCharacter {
        /// Which splice.
        splice: usize,
        /// The offset.
        at: u32,
    },
    /// Two splices share bytes.
    #[error("splice {splice} overlaps splice {other}")]
    Overlap {
        /// The one that begins later.
        splice: usize,
        /// The one that begins earlier.
        other: usize,
    },
    /// The replacement cannot be had.
    #[error("splice {splice}: operand: {reason}")]
    Operand {
        /// Which splice.
        splice: usize,
        /// What is wrong with it.
        reason: OperandError,
    },
}

impl SpliceError {
    /// A short, stable name.
    pub fn name(&self) -> &'static str {
        match self {
            SpliceError::NotFours { .. } => "not-fours",
            SpliceError::OutOfRange { .. } => "out-of-range",
            SpliceError::NotOnCharacter { .. } => "not-on-character",
            SpliceError::Overlap { .. } => "overlap",
            SpliceError::Operand { reason, .. } => reason.name(),
        }
    }
}

/// `text` after the splices. Several insertions at one place keep their order.
pub(super) fn apply(text: &str, ranges: &[u32], operands: &str) -> Result<String, SpliceError> {
    let (splices, []) = ranges.as_chunks::<4>() else {
        return Err(SpliceError::NotFours {
            words: ranges.len(),
        });
    };
    let place = |&[start, end, ..]: &[u32; 4]| (start, end);
    let mut order: Vec<usize> = (0..splices.len()).collect();
    if !splices.is_sorted_by_key(place) {
        order.sort_by_key(|&splice| place(&splices[splice]));
    }

    let mut operands = Operands::new(operands);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    let mut last = 0;
    for splice in order {
        let [start, end, from, to] = splices[splice];
        let (begin, stop) = (start as usize, end as usize);
        if begin > stop || stop > text.len() {
            return Err(SpliceError::OutOfRange {
                splice,
                start,
                end,
                len: text.len(),
            });
        }
        if let Some(at) = [start, end]
            .into_iter()
            .find(|&at| !text.is_char_boundary(at as usize))
        {
            return Err(SpliceError::NotOnCharacter { splice, at });
        }
        if begin < done {
            return Err(SpliceError::Overlap {
                splice,
                other: last,
            });
        }
        let operand = operands
            .take(from, to)
            .map_err(|reason| SpliceError::Operand { splice, reason })?;
        out.push_str(&text[done..begin]);
        out.push_str(operand);
        done = stop;
        last = splice;
    }
    out.push_str(&text[done..]);
    Ok(out)
}
