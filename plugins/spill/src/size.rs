//! The length of a printed document, computed without printing it.

use tamis_sdk::{Document, Node, NodeKind};

/// Spaces for each level of nesting.
const INDENT: u64 = 2;
/// The longest character in UTF-8.
const CHARACTER_BYTES: u64 = 4;

/// Whether a JSON value has more than `limit` characters when printed with an indent of two spaces:
/// each member and element on its own line, `": "` after a key, nothing inside empty brackets. Strings
/// and numbers count as they are spelled.
pub fn printed_is_above(document: &Document, root: Node<'_>, limit: u64) -> bool {
    let mut bytes = 0;
    let mut open: Vec<u32> = Vec::new();
    let mut cursor = Some(root);
    while let Some(node) = cursor {
        while open.pop_if(|end| *end <= node.index()).is_some() {}
        let depth = open.len() as u64;
        bytes += match node.kind() {
            NodeKind::Array | NodeKind::Object if node.children() > 0 => {
                open.push(node.next_index());
                let children = u64::from(node.children());
                let line_feed = 1;
                let lines = children * (line_feed + (depth + 1) * INDENT);
                let commas = children - 1;
                2 + lines + commas + line_feed + depth * INDENT
            }
            NodeKind::Array | NodeKind::Object => 2,
            NodeKind::Key => u64::from(node.len_bytes()) + 2,
            _ => u64::from(node.len_bytes()),
        };
        if bytes > limit.saturating_mul(CHARACTER_BYTES) {
            return true;
        }
        cursor = node.following();
    }
    bytes > limit && bytes - continuation_bytes(document) > limit
}

/// Whether a text has more than `limit` characters.
pub fn text_is_above(document: &Document, limit: u64) -> bool {
    let bytes = u64::from(document.len_bytes());
    bytes > limit
        && (bytes > limit.saturating_mul(CHARACTER_BYTES)
            || bytes - continuation_bytes(document) > limit)
}

/// The bytes of a document minus its characters. Whitespace between values has only ASCII.
fn continuation_bytes(document: &Document) -> u64 {
    let bytes = document.text().bytes();
    bytes.filter(|byte| byte & 0xc0 == 0x80).count() as u64
}
