//! The JSON to encode: its text without insignificant whitespace, and its tape.
//!
//! The encoder copies parts of this text. So whitespace is removed once, here, and a node's length is its cost in
//! compact JSON.

use std::borrow::Cow;

/// Kinds of nodes, as the tape numbers them; 1 to 3 are `false`, `true` and numbers, 5 is a key.
pub(crate) mod kind {
    pub const NULL: u32 = 0;
    pub const STRING: u32 = 4;
    pub const ARRAY: u32 = 6;
    pub const OBJECT: u32 = 7;
}

type Words = [u32; 4];

/// Compact JSON and its tape.
pub(crate) struct Source<'a> {
    text: Cow<'a, str>,
    words: Cow<'a, [u32]>,
}

impl<'a> Source<'a> {
    /// Makes a source of a JSON text and its tape. None if the tape is empty.
    pub(crate) fn new(text: &'a str, words: &'a [u32]) -> Option<Source<'a>> {
        let nodes = words.as_chunks::<4>().0;
        nodes.first()?;
        Some(if is_compact(text.as_bytes(), nodes) {
            Source {
                text: Cow::Borrowed(text),
                words: Cow::Borrowed(words),
            }
        } else {
            let (text, words) = compacted(text, nodes);
            Source {
                text: Cow::Owned(text),
                words: Cow::Owned(words),
            }
        })
    }

    pub(crate) fn nodes(&self) -> Nodes<'_> {
        Nodes {
            text: &self.text,
            words: self.words.as_chunks::<4>().0,
        }
    }

    /// The compact text.
    pub(crate) fn into_text(self) -> Cow<'a, str> {
        self.text
    }
}

/// A view of the nodes by index. Copied freely.
#[derive(Clone, Copy)]
pub(crate) struct Nodes<'s> {
    text: &'s str,
    words: &'s [Words],
}

impl<'s> Nodes<'s> {
    pub(crate) fn kind(self, node: u32) -> u32 {
        self.words[node as usize][0] & 0xf
    }

    pub(crate) fn is_escaped(self, node: u32) -> bool {
        self.words[node as usize][0] & 0x10 != 0
    }

    /// Number of elements or members; at most 16777215.
    pub(crate) fn children(self, node: u32) -> usize {
        (self.words[node as usize][0] >> 8) as usize
    }

    /// Index of the first node after this one and all inside it.
    pub(crate) fn next(self, node: u32) -> u32 {
        self.words[node as usize][3]
    }

    pub(crate) fn len_bytes(self, node: u32) -> usize {
        let [_, start, end, _] = self.words[node as usize];
        (end - start) as usize
    }

    /// The node as compact JSON.
    pub(crate) fn raw(self, node: u32) -> &'s str {
        let [_, start, end, _] = self.words[node as usize];
        &self.text[start as usize..end as usize]
    }

    pub(crate) fn bytes(self, node: u32) -> &'s [u8] {
        let [_, start, end, _] = self.words[node as usize];
        &self.text.as_bytes()[start as usize..end as usize]
    }

    /// The body of a string or key: the text between its quotes, with escapes as they are spelled.
    pub(crate) fn body(self, node: u32) -> &'s str {
        let [_, start, end, _] = self.words[node as usize];
        &self.text[start as usize + 1..end as usize - 1]
    }

    /// Whether a container has only scalars. Such a container is compact JSON without a table. This check only saves
    /// time.
    pub(crate) fn is_flat(self, container: u32) -> bool {
        let keys_and_values = 1 + usize::from(self.kind(container) == kind::OBJECT);
        let inside = (self.next(container) - container) as usize - 1;
        inside <= self.children(container) * keys_and_values
    }

    /// Number of all nodes.
    pub(crate) fn len(self) -> usize {
        self.words.len()
    }

    /// Indices of an array's elements.
    pub(crate) fn elements(self, array: u32) -> impl Iterator<Item = u32> + use<'s> {
        let end = self.next(array);
        let mut at = array + 1;
        std::iter::from_fn(move || {
            let node = (at < end).then_some(at)?;
            at = self.next(node);
            Some(node)
        })
    }

    /// Indices of an object's keys; the value of each is the next node.
    pub(crate) fn keys(self, object: u32) -> impl Iterator<Item = u32> + use<'s> {
        self.elements(object)
    }
}

/// The end of a node's first token, which is the opening bracket for a container.
fn token_end(words: &Words) -> u32 {
    if words[0] & 0xf >= kind::ARRAY {
        words[1] + 1
    } else {
        words[2]
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

fn is_compact(text: &[u8], nodes: &[Words]) -> bool {
    let mut at = 0;
    let compact = |gap: &[u8]| !gap.iter().copied().any(is_space);
    for words in nodes {
        if !compact(&text[at..words[1] as usize]) {
            return false;
        }
        at = token_end(words) as usize;
    }
    compact(&text[at..])
}

/// The text without whitespace between tokens, and its tape.
fn compacted(text: &str, nodes: &[Words]) -> (String, Vec<u32>) {
    let mut out = String::with_capacity(text.len());
    let mut tape: Vec<u32> = Vec::with_capacity(nodes.len() * 4);
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    // Only whitespace, commas, colons and closing brackets are between two tokens.
    let close = |gap: &str, out: &mut String, tape: &mut [u32], open: &mut Vec<usize>| {
        for byte in gap.bytes().filter(|byte| !is_space(*byte)) {
            out.push(char::from(byte));
            if matches!(byte, b']' | b'}')
                && let Some(container) = open.pop()
            {
                tape[container * 4 + 2] = out.len() as u32;
            }
        }
    };
    for (index, words) in nodes.iter().enumerate() {
        close(&text[at..words[1] as usize], &mut out, &mut tape, &mut open);
        let start = out.len() as u32;
        at = token_end(words) as usize;
        out.push_str(&text[words[1] as usize..at]);
        tape.extend_from_slice(&[words[0], start, out.len() as u32, words[3]]);
        if words[0] & 0xf >= kind::ARRAY {
            open.push(index);
        }
    }
    close(&text[at..], &mut out, &mut tape, &mut open);
    (out, tape)
}
