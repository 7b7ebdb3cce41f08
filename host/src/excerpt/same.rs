//! Whether two pieces of JSON are the same value: key order, spacing and the spelling of strings and numbers do
//! not count.
//!
//! This module uses no recursion, since originals nest to any depth. Numbers of different spelling are the same
//! if neither is a long integer and both read as the same float.

use std::borrow::Cow;

use super::view::{DocumentView, Part};
use crate::document::{Node, NodeKind, Tape};

/// Whether a text is the same as `value`, of `view`: the same JSON, or the text of that string.
pub(super) fn text_and_value(
    text: &DocumentView<'_>,
    view: &DocumentView<'_>,
    value: Node,
) -> bool {
    if text.text().trim() == view.spelling(value) {
        return true;
    }
    match value.kind {
        NodeKind::String if view.string(value) == text.text() => true,
        NodeKind::Array | NodeKind::Object => text
            .root()
            .is_some_and(|root| same((text, root), (view, value))),
        // A lone scalar, which is not taken for JSON elsewhere.
        _ => Tape::build(text.text()).is_ok_and(|tape| {
            let root = tape.root();
            let text = DocumentView::of_node(text.text(), tape, root.index, Part::default());
            same((&text, root), (view, value))
        }),
    }
}

fn same((left, a): (&DocumentView<'_>, Node), (right, b): (&DocumentView<'_>, Node)) -> bool {
    let (Some(left_tape), Some(right_tape)) = (left.tape(), right.tape()) else {
        return false;
    };
    let mut pairs = vec![(a, b)];
    while let Some((a, b)) = pairs.pop() {
        if a.kind != b.kind {
            return false;
        }
        let equal = match a.kind {
            NodeKind::Null | NodeKind::True | NodeKind::False => true,
            NodeKind::Number => numbers(left.spelling(a), right.spelling(b)),
            NodeKind::String | NodeKind::Key => left.string(a) == right.string(b),
            NodeKind::Array => {
                let equal = left.count(a) == right.count(b);
                if equal {
                    pairs.extend(left_tape.elements(a).zip(right_tape.elements(b)));
                }
                equal
            }
            NodeKind::Object => {
                let equal = left.count(a) == right.count(b);
                equal && {
                    let mut ours = members(left, left_tape, a);
                    let mut theirs = members(right, right_tape, b);
                    let key = |(name, _): &(Cow<'_, str>, Node)| name.to_string();
                    let in_order = ours.iter().zip(&theirs).all(|(x, y)| x.0 == y.0);
                    if !in_order {
                        ours.sort_by_cached_key(key);
                        theirs.sort_by_cached_key(key);
                    }
                    let keys = ours.iter().zip(&theirs).all(|(x, y)| x.0 == y.0);
                    pairs.extend(ours.iter().zip(&theirs).map(|(x, y)| (x.1, y.1)));
                    keys
                }
            }
        };
        if !equal {
            return false;
        }
    }
    true
}

fn members<'v>(view: &'v DocumentView<'_>, tape: &Tape, object: Node) -> Vec<(Cow<'v, str>, Node)> {
    let members = tape.members(object);
    members
        .map(|(key, value)| (view.string(key), value))
        .collect()
}

fn numbers(a: &str, b: &str) -> bool {
    /// Digits that every float keeps.
    const SURE_DIGITS: usize = 15;
    a == b
        || a.len().max(b.len()) <= SURE_DIGITS + 3
            && matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
}
