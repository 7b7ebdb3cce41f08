//! An edited document in the making: new text, and new tape if it is wanted.
//!
//! Owns how both grow together, and how nodes are moved. Refuses to know why something is left out or
//! put in. What comes from the old document comes in order: it is copied, or skipped.

use super::index::{KEY, KIND_MASK, Words};
use super::tape::Tape;

pub(super) struct Draft<'a> {
    old_text: &'a str,
    old_nodes: &'a [Words],
    with_tape: bool,
    text: String,
    /// The old text up to here was copied or skipped.
    text_done: usize,
    nodes: Vec<Words>,
    /// The old nodes up to this one were copied or skipped.
    nodes_done: usize,
}

impl<'a> Draft<'a> {
    pub(super) fn new(old_text: &'a str, old_nodes: &'a [Words], with_tape: bool) -> Draft<'a> {
        Draft {
            old_text,
            old_nodes,
            with_tape,
            // Edits mostly take away.
            text: String::with_capacity(old_text.len()),
            text_done: 0,
            nodes: Vec::with_capacity(if with_tape { old_nodes.len() } else { 0 }),
            nodes_done: 0,
        }
    }

    /// Copies the rest of the old document.
    pub(super) fn finish(mut self) -> (String, Option<Tape>) {
        self.copy_nodes(self.old_nodes.len());
        self.copy_text(self.old_text.len());
        let tape = self.with_tape.then(|| Tape::from_nodes(self.nodes));
        (self.text, tape)
    }

    /// Copies the nodes up to `to`, moved as far as the text after the last change is.
    ///
    /// To be called before the text changes behind them.
    pub(super) fn copy_nodes(&mut self, to: usize) {
        if self.with_tape {
            let from = &self.old_nodes[self.nodes_done..to];
            let (bytes, nodes) = (self.text_shift(), self.node_shift());
            self.nodes
                .extend(from.iter().map(|&words| moved(words, bytes, nodes)));
        }
        self.nodes_done = to;
    }

    /// Copies the text up to `to`.
    pub(super) fn copy_text(&mut self, to: usize) {
        self.text.push_str(&self.old_text[self.text_done..to]);
        self.text_done = to;
    }

    /// Leaves out the text up to `to`.
    pub(super) fn skip_text(&mut self, to: usize) {
        self.text_done = to;
    }

    /// Leaves out the nodes up to `to`.
    pub(super) fn skip_nodes(&mut self, to: usize) {
        self.nodes_done = to;
    }

    /// Adds text that has no nodes of its own.
    pub(super) fn push_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds an operand, and its nodes but for the first `wrappers`: brackets, a byte each, that are
    /// in front of it on the tape and not in the text.
    pub(super) fn push_operand(&mut self, operand: &str, nodes: &[Words], wrappers: u32) {
        if self.with_tape {
            let by_bytes = (self.text.len() as u32).wrapping_sub(wrappers);
            let by_nodes = (self.nodes.len() as u32).wrapping_sub(wrappers);
            let nodes = nodes[wrappers as usize..].iter();
            self.nodes
                .extend(nodes.map(|&words| moved(words, by_bytes, by_nodes)));
        }
        self.text.push_str(operand);
    }

    /// Adds `operand` as a key in place of the old node `key`. `[head, start, end]` describes it,
    /// by itself.
    pub(super) fn push_key(&mut self, operand: &str, [head, start, end]: [u32; 3], key: usize) {
        if self.with_tape {
            let begin = self.text.len() as u32;
            let next = self.old_nodes[key][3].wrapping_add(self.node_shift());
            self.nodes.push([
                head,
                start.wrapping_add(begin),
                end.wrapping_add(begin),
                next,
            ]);
        }
        self.text.push_str(operand);
        self.nodes_done = key + 1;
    }

    /// Where the old node `node`, not yet copied, will be, if every node before it is copied.
    pub(super) fn place_of(&self, node: usize) -> usize {
        self.nodes.len() + (node - self.nodes_done)
    }

    /// Puts the old container `node`, now at `placed`, right: everything in it is done.
    pub(super) fn close(&mut self, node: usize, placed: usize, head: u32) {
        if self.with_tape {
            let end = self.old_nodes[node][2].wrapping_add(self.text_shift());
            let next = self.nodes.len() as u32;
            let container = &mut self.nodes[placed];
            container[0] = head;
            container[2] = end;
            container[3] = next;
        }
        self.close_member(node, placed);
    }

    /// If the old node `node`, whose replacement begins at `placed`, is the value of a member, ends
    /// the member here.
    pub(super) fn close_member(&mut self, node: usize, placed: usize) {
        let of_member = node > 0 && self.old_nodes[node - 1][0] & KIND_MASK == KEY;
        if self.with_tape && of_member {
            self.nodes[placed - 1][3] = self.nodes.len() as u32;
        }
    }

    /// How far the text after `text_done` moves, modulo 2^32: it mostly moves back.
    fn text_shift(&self) -> u32 {
        (self.text.len() as u32).wrapping_sub(self.text_done as u32)
    }

    fn node_shift(&self) -> u32 {
        (self.nodes.len() as u32).wrapping_sub(self.nodes_done as u32)
    }
}

fn moved([head, start, end, next]: Words, bytes: u32, nodes: u32) -> Words {
    [
        head,
        start.wrapping_add(bytes),
        end.wrapping_add(bytes),
        next.wrapping_add(nodes),
    ]
}
