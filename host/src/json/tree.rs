//! Members of a document, found by their decoded keys.

use super::lax::{decoded, is_taken_for_one};
use crate::document::{Document, Node, unquote};
use std::borrow::Cow;

/// Frames may nest deeper than documents for filters: clients decide for themselves what they
/// accept, and a result must not escape its chain by depth.
pub(crate) const FRAME_DEPTH: usize = 1_000_000;

/// A member of an object; the last, if its key is there twice, as clients read it.
pub(crate) fn member(frame: &Document, object: Node, name: &str) -> Option<Node> {
    let members = frame.tape()?.members(object);
    members
        .filter(|(key, _)| key_text(frame, *key).as_deref() == Some(name))
        .last()
        .map(|(_, value)| value)
}

/// Whether all readers find the same by these names in an object: none of them is there twice, or in a spelling
/// that some take for it.
pub(crate) fn is_plain(frame: &Document, object: Node, names: &[&str]) -> bool {
    let Some(tape) = frame.tape() else {
        return false;
    };
    let mut seen = 0u32;
    tape.members(object).all(|(key, _)| {
        let key = key_bytes(frame, key);
        match names.iter().position(|name| name.as_bytes() == &*key) {
            Some(index) => {
                let is_first = seen & 1 << index == 0;
                seen |= 1 << index;
                is_first
            }
            None => !is_taken_for_one(&key, names),
        }
    })
}

/// The values of all members that some reader takes for the one of this name.
pub(crate) fn taken_for(frame: &Document, object: Node, name: &str) -> Vec<Node> {
    let members = frame.tape().map(|tape| tape.members(object));
    let is_taken = |key: &Node| {
        let key = key_bytes(frame, *key);
        name.as_bytes() == &*key || is_taken_for_one(&key, &[name])
    };
    let members = members.into_iter().flatten();
    let taken = members.filter(|(key, _)| is_taken(key));
    taken.map(|(_, value)| value).collect()
}

fn key_bytes(frame: &Document, key: Node) -> Cow<'_, [u8]> {
    let quoted = frame.slice(key.start, key.end).as_bytes();
    match key.escaped {
        true => Cow::Owned(decoded(quoted)),
        false => Cow::Borrowed(&quoted[1..quoted.len() - 1]),
    }
}

/// The decoded text of a key. None if it is not Unicode.
pub(crate) fn key_text(frame: &Document, key: Node) -> Option<Cow<'_, str>> {
    if key.escaped {
        return string(frame, key).map(Cow::Owned);
    }
    Some(Cow::Borrowed(frame.slice(key.start + 1, key.end - 1)))
}

/// A text as a JSON string.
pub(crate) fn quote(text: &str) -> String {
    serde_json::to_string(text).expect("a string is always JSON")
}

/// The decoded text of a string. None if it is not Unicode, or not a string.
pub(crate) fn string(frame: &Document, node: Node) -> Option<String> {
    unquote(frame.slice(node.start, node.end))
}
