//! The tape: the index of a JSON text, and how to walk it.
//!
//! Owns the shape that crosses to a filter (four `u32` a node, see `document` in `wit/filter.wit`)
//! and its reading. Refuses to know the grammar, and how a tape is adjusted after an edit.

use std::sync::Arc;

use super::index::{
    self, CHILDREN_SHIFT, ESCAPED, KIND_MASK, MAX_CHILDREN, MAX_DEPTH, TapeError, Words,
};

/// What a node is. The numbers are those of the tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum NodeKind {
    /// `null`
    Null = index::NULL,
    /// `false`
    False = index::FALSE,
    /// `true`
    True = index::TRUE,
    /// A number.
    Number = index::NUMBER,
    /// A string that is a value.
    String = index::STRING,
    /// The string that names a member of an object.
    Key = index::KEY,
    /// An array.
    Array = index::ARRAY,
    /// An object.
    Object = index::OBJECT,
}

impl NodeKind {
    /// Its name, as in JSON or in the contract.
    pub fn name(self) -> &'static str {
        match self {
            NodeKind::Null => "null",
            NodeKind::False => "false",
            NodeKind::True => "true",
            NodeKind::Number => "number",
            NodeKind::String => "string",
            NodeKind::Key => "key",
            NodeKind::Array => "array",
            NodeKind::Object => "object",
        }
    }
}

/// One node of a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Place on the tape, in nodes.
    pub index: u32,
    /// What it is.
    pub kind: NodeKind,
    /// A string or key that holds a backslash.
    pub escaped: bool,
    /// Elements or members directly inside, at most 16777215; 0 for anything but a container.
    pub children: u32,
    /// Offset of the first byte, quote or bracket included.
    pub start: u32,
    /// Offset after the last byte, quote or bracket included.
    pub end: u32,
    /// Index of the first node after this one and everything inside it.
    pub next: u32,
}

/// The index of one JSON text, in document order. Clones share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tape(Arc<Vec<u32>>);

impl Tape {
    /// Indexes a JSON text: any value, scalars too, with any whitespace around it.
    ///
    /// # Errors
    ///
    /// The text is not JSON, nests deeper than [`MAX_DEPTH`], or is longer than `u32::MAX` bytes.
    pub fn build(text: &str) -> Result<Tape, TapeError> {
        Tape::build_with_depth(text, MAX_DEPTH)
    }

    /// As [`Tape::build`], nested at most `max_depth` deep: 0 allows scalars only.
    ///
    /// # Errors
    ///
    /// As for [`Tape::build`], with `max_depth` as the limit.
    pub fn build_with_depth(text: &str, max_depth: usize) -> Result<Tape, TapeError> {
        // Compact API output has a node for every 7 to 12 bytes. Memory that a guess too high asks
        // for is never touched; a guess too low is a copy.
        let mut open = Vec::with_capacity(16);
        // The last allocation, which a plugin's memory lets grow in its place.
        let mut nodes = Vec::with_capacity(text.len() / 7 + 4);
        index::index(text, max_depth, &mut nodes, &mut open)?;
        Ok(Tape::from_nodes(nodes))
    }

    pub(super) fn from_nodes(nodes: Vec<Words>) -> Tape {
        Tape(Arc::new(nodes.into_flattened()))
    }

    pub(super) fn nodes(&self) -> &[Words] {
        self.0.as_chunks().0
    }

    /// The tape as a filter gets it: four words a node.
    pub fn words(&self) -> &Arc<Vec<u32>> {
        &self.0
    }

    /// A tape that was made together with its text. One of another text leads to nonsense, or a panic.
    pub fn from_words(words: Vec<u32>) -> Tape {
        Tape(Arc::new(words))
    }

    /// The same, without a copy if this is the only clone.
    pub fn into_words(self) -> Vec<u32> {
        Arc::unwrap_or_clone(self.0)
    }

    /// Number of nodes, at least one.
    #[expect(clippy::len_without_is_empty, reason = "a tape has a root")]
    pub fn len(&self) -> u32 {
        self.nodes().len() as u32
    }

    /// The node at `index`.
    ///
    /// # Panics
    ///
    /// If there is none: `index` is below [`Tape::len`], as an index into a slice is.
    pub fn node(&self, index: u32) -> Node {
        let [head, start, end, next] = self.nodes()[index as usize];
        Node {
            index,
            kind: kind(head),
            escaped: head & ESCAPED != 0,
            children: head >> CHILDREN_SHIFT,
            start,
            end,
            next,
        }
    }

    /// The outermost value.
    pub fn root(&self) -> Node {
        self.node(0)
    }

    /// The elements of an array; nothing for another node.
    pub fn elements(&self, array: Node) -> impl Iterator<Item = Node> {
        self.children(array, NodeKind::Array)
    }

    /// The members of an object, key and value, in order, duplicates included; nothing for another
    /// node.
    pub fn members(&self, object: Node) -> impl Iterator<Item = (Node, Node)> {
        // A value follows its key.
        self.children(object, NodeKind::Object)
            .map(|key| (key, self.node(key.index + 1)))
    }

    fn children(&self, container: Node, kind: NodeKind) -> impl Iterator<Item = Node> {
        let stop = if container.kind == kind {
            container.next
        } else {
            0
        };
        let first = (container.index + 1 < stop).then(|| self.node(container.index + 1));
        std::iter::successors(first, move |child| {
            (child.next < stop).then(|| self.node(child.next))
        })
    }
}

/// How many elements or members are directly inside a container.
pub(super) fn child_count(nodes: &[Words], container: usize) -> usize {
    let [head, _, _, stop] = nodes[container];
    let counted = head >> CHILDREN_SHIFT;
    if counted < MAX_CHILDREN {
        return counted as usize;
    }
    // There may be more than the tape can say.
    let first = container + 1;
    let after =
        |&child: &usize| Some(nodes[child][3] as usize).filter(|&next| next < stop as usize);
    std::iter::successors(Some(first), after).count()
}

pub(super) fn kind(head: u32) -> NodeKind {
    match head & KIND_MASK {
        index::NULL => NodeKind::Null,
        index::FALSE => NodeKind::False,
        index::TRUE => NodeKind::True,
        index::NUMBER => NodeKind::Number,
        index::STRING => NodeKind::String,
        index::KEY => NodeKind::Key,
        index::ARRAY => NodeKind::Array,
        _ => NodeKind::Object,
    }
}
