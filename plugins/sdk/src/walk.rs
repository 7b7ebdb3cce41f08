//! A walk over all values of a document, with the position of each.

use crate::{Node, NodeKind};

/// A value and its position.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Document, MAX_DEPTH, PlacedValue};
///
/// let text = r#"{"tags":["a"]}"#;
/// let document = Document::nested(text.to_owned(), MAX_DEPTH).expect("JSON");
/// let tag: PlacedValue<'_> = document.values().last().expect("a value");
/// assert_eq!(document.raw(tag.value), "\"a\"");
/// assert!(tag.key.is_some_and(|key| document.key_is(key, "tags")));
/// assert_eq!(tag.depth, 2); // in a list, in an object
/// ```
#[derive(Clone, Copy)]
pub struct PlacedValue<'t> {
    /// The value itself.
    pub value: Node<'t>,
    /// The key of the innermost member that contains the value, or is the value.
    pub key: Option<Node<'t>>,
    /// The number of containers around the value.
    pub depth: usize,
}

/// The values of a document: the root first, each before the values inside it.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Edits, NodeKind, testing::Bench};
///
/// // Replaces all numbers by 0, at any depth.
/// let bench = Bench::of(|document, _call| {
///     let mut edits = Edits::new();
///     for place in document.values() {
///         if place.value.kind() == NodeKind::Number {
///             edits.replace(place.value, "0");
///         }
///     }
///     Ok(edits.into())
/// });
/// assert_eq!(bench.apply(r#"[7,{"a":[8]}]"#).text(), r#"[0,{"a":[0]}]"#);
/// ```
pub struct Values<'t> {
    cursor: Option<Node<'t>>,
    /// The containers around the cursor: index of the first node after each, and its own key.
    open: Vec<(u32, Option<Node<'t>>)>,
}

impl<'t> Values<'t> {
    pub(crate) fn new(root: Option<Node<'t>>) -> Self {
        Values {
            cursor: root,
            open: Vec::new(),
        }
    }
}

impl<'t> Iterator for Values<'t> {
    type Item = PlacedValue<'t>;

    fn next(&mut self) -> Option<PlacedValue<'t>> {
        let node = self.cursor?;
        while self.open.pop_if(|(end, _)| *end <= node.index()).is_some() {}
        let (value, key) = if node.kind() == NodeKind::Key {
            (node.following()?, Some(node))
        } else {
            (node, self.open.last().and_then(|(_, key)| *key))
        };
        let placed = PlacedValue {
            value,
            key,
            depth: self.open.len(),
        };
        if matches!(value.kind(), NodeKind::Array | NodeKind::Object) {
            self.open.push((value.next_index(), key));
        }
        self.cursor = value.following();
        Some(placed)
    }
}

#[cfg(all(test, feature = "nested", feature = "testing"))]
mod tests {
    use crate::Document;

    #[test]
    fn values_come_with_their_key_and_depth() {
        let text = r#"{"a":[1,{"b":[]},2],"c":3}"#;
        let document = Document::nested(text.to_owned(), 128).expect("JSON");
        let seen: Vec<_> = document
            .values()
            .map(|place| {
                let key = place.key.map(|key| document.raw(key).into_owned());
                (document.raw(place.value).into_owned(), key, place.depth)
            })
            .collect();
        let expected = [
            (text, None, 0),
            (r#"[1,{"b":[]},2]"#, Some("\"a\""), 1),
            ("1", Some("\"a\""), 2),
            (r#"{"b":[]}"#, Some("\"a\""), 2),
            ("[]", Some("\"b\""), 3),
            ("2", Some("\"a\""), 2),
            ("3", Some("\"c\""), 1),
        ]
        .map(|(value, key, depth)| (value.to_owned(), key.map(str::to_owned), depth));
        assert_eq!(seen, expected);
        assert!(Document::nested(text.to_owned(), 2).is_none());
    }
}
