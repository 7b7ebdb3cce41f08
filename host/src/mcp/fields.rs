//! Members of a frame, found by what their keys say.

use crate::document::{Document, Node, unquote};
use std::borrow::Cow;

/// Frames may nest deeper than what filters are given: clients decide for themselves what they
/// take, and a result must not escape its chain by depth.
pub(crate) const FRAME_DEPTH: usize = 1_000_000;

/// A member of an object; the last, if its key is there twice, as clients read it.
pub(crate) fn member(frame: &Document, object: Node, name: &str) -> Option<Node> {
    let members = frame.tape()?.members(object);
    members
        .filter(|(key, _)| key_text(frame, *key).as_deref() == Some(name))
        .last()
        .map(|(_, value)| value)
}

/// What a key says. None if it is not Unicode.
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

/// What a string says. None if it is not Unicode, or not a string.
pub(crate) fn string(frame: &Document, node: Node) -> Option<String> {
    unquote(frame.slice(node.start, node.end))
}
