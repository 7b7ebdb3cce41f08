//! Edits: changes to a JSON document by node.
//!
//! Owns the list as it arrives (`edits` in `wit/filter.wit`): its decoding, its order, and every
//! way in which it can be wrong. How edits are carried out is `apply`'s business.

use thiserror::Error;

use super::index::TapeError;
use super::operand::OperandError;
use super::tape::NodeKind;

/// Whether an edited document should carry its tape at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TapeWanted {
    /// Somebody reads the result: adjust the tape along with the text.
    Yes,
    /// Only the text is sure to be needed. The tape is built anew if it is asked for after all.
    No,
}

/// What an edit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Takes a member or an element away.
    Remove,
    /// Puts one JSON value in a value's place.
    Replace,
    /// Gives a member another key.
    Rename,
    /// Adds elements or members at the end of a container.
    Append,
}

impl Operation {
    /// Its name in `wit/filter.wit`.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Remove => "remove",
            Operation::Replace => "replace",
            Operation::Rename => "rename",
            Operation::Append => "append",
        }
    }

    /// What the edit's node has to be.
    fn takes(self) -> &'static str {
        match self {
            Operation::Remove => "a key or an element of an array",
            Operation::Replace => "a value",
            Operation::Rename => "a key",
            Operation::Append => "an array or an object",
        }
    }
}

/// Why edits are not applied. `edit` is the place in the list, from 0; `node` the node it names.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditError {
    /// The document is text.
    #[error("the document is text, and edits change JSON only")]
    NotJson,
    /// The list is not a list of edits.
    #[error("edits are four words each, and {words} is not a multiple of four")]
    NotFours {
        /// Length of the list.
        words: usize,
    },
    /// There is no such operation.
    #[error("edit {edit}: no operation {operation}: there are 0 to 3")]
    UnknownOperation {
        /// Which edit.
        edit: usize,
        /// What was found.
        operation: u32,
    },
    /// The tape has no such node.
    #[error("edit {edit}: no node {node}: there are {nodes}")]
    NoSuchNode {
        /// Which edit.
        edit: usize,
        /// What was found.
        node: u32,
        /// Number of nodes.
        nodes: u32,
    },
    /// The operation does not go with this kind of node.
    #[error(
        "edit {edit}: `{}` takes {}, and node {node} is of kind `{}`",
        operation.name(), operation.takes(), found.name()
    )]
    WrongNode {
        /// Which edit.
        edit: usize,
        /// The node.
        node: u32,
        /// What was to be done to it.
        operation: Operation,
        /// What it is. A value that is a member's is removed by its key.
        found: NodeKind,
    },
    /// The root cannot go: nothing would be left.
    #[error("edit {edit}: the root cannot be removed, only replaced")]
    RootRemoved {
        /// Which edit.
        edit: usize,
    },
    /// Two edits of one node, or an edit inside a node that another removes or replaces.
    #[error("edit {edit} of node {node} overlaps edit {other}")]
    Overlap {
        /// The edit of the later node, in document order.
        edit: usize,
        /// Its node.
        node: u32,
        /// The other edit.
        other: usize,
    },
    /// The operand cannot be had.
    #[error("edit {edit} of node {node}: operand: {reason}")]
    Operand {
        /// Which edit.
        edit: usize,
        /// Its node.
        node: u32,
        /// What is wrong with it.
        reason: OperandError,
    },
    /// A `remove` came with an operand.
    #[error("edit {edit} of node {node}: `remove` takes no operand: start and end have to be 0")]
    OperandOfRemove {
        /// Which edit.
        edit: usize,
        /// Its node.
        node: u32,
    },
    /// The operand is not the JSON that it should be.
    #[error("edit {edit} of node {node}: operand: {reason}")]
    OperandNotJson {
        /// Which edit.
        edit: usize,
        /// Its node.
        node: u32,
        /// Where in the operand, and what should be there.
        reason: TapeError,
    },
    /// The operand of a `rename` is JSON, but no string.
    #[error("edit {edit} of node {node}: operand: a key has to be a string")]
    OperandNotString {
        /// Which edit.
        edit: usize,
        /// Its node.
        node: u32,
    },
    /// The operand of an `append` has no element or member.
    #[error("edit {edit} of node {node}: operand: nothing to append")]
    OperandEmpty {
        /// Which edit.
        edit: usize,
        /// Its node.
        node: u32,
    },
    /// With this operand the document would nest too deep.
    #[error("edit {edit} of node {node}: too deep: the document may nest {limit} deep")]
    TooDeep {
        /// Which edit.
        edit: usize,
        /// Its node.
        node: u32,
        /// How deep the document may nest.
        limit: usize,
    },
    /// The result would be longer than offsets reach.
    #[error(
        "too long: the result has {bytes} bytes, and an index reaches {} at most",
        u32::MAX
    )]
    TooLong {
        /// Length of the result.
        bytes: usize,
    },
}

impl EditError {
    /// A short, stable name.
    pub fn name(&self) -> &'static str {
        match self {
            EditError::NotJson => "not-json",
            EditError::NotFours { .. } => "not-fours",
            EditError::UnknownOperation { .. } => "unknown-operation",
            EditError::NoSuchNode { .. } => "no-such-node",
            EditError::WrongNode { .. } => "wrong-node",
            EditError::RootRemoved { .. } => "root-removed",
            EditError::Overlap { .. } => "overlap",
            EditError::Operand { reason, .. } => reason.name(),
            EditError::OperandOfRemove { .. } => "operand-of-remove",
            EditError::OperandNotJson { .. } => "operand-not-json",
            EditError::OperandNotString { .. } => "operand-not-string",
            EditError::OperandEmpty { .. } => "operand-empty",
            EditError::TooDeep { .. } => "too-deep",
            EditError::TooLong { .. } => "too-long",
        }
    }
}

/// One edit of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edit {
    /// Place in the list.
    pub(super) edit: usize,
    pub(super) operation: Operation,
    pub(super) node: u32,
    /// The operand, as a part of the text that came with the list.
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Decodes a list of edits, and puts it in document order. Edits of one node keep their order.
pub(super) fn in_document_order(operations: &[u32], nodes: u32) -> Result<Vec<Edit>, EditError> {
    let (fours, []) = operations.as_chunks::<4>() else {
        return Err(EditError::NotFours {
            words: operations.len(),
        });
    };
    let mut edits = Vec::with_capacity(fours.len());
    for (edit, &[operation, node, start, end]) in fours.iter().enumerate() {
        let operation = match operation {
            0 => Operation::Remove,
            1 => Operation::Replace,
            2 => Operation::Rename,
            3 => Operation::Append,
            _ => return Err(EditError::UnknownOperation { edit, operation }),
        };
        if node >= nodes {
            return Err(EditError::NoSuchNode { edit, node, nodes });
        }
        if operation == Operation::Remove && (start, end) != (0, 0) {
            return Err(EditError::OperandOfRemove { edit, node });
        }
        edits.push(Edit {
            edit,
            operation,
            node,
            start,
            end,
        });
    }
    // Most filters walk the tape in order.
    if !edits.is_sorted_by_key(|edit| edit.node) {
        edits.sort_by_key(|edit| edit.node);
    }
    Ok(edits)
}
