//! The inverse: restores a document.

use crate::{TreeKeys, hits, json, list};
use tamis_sdk::{Document, MAX_DEPTH, NodeKind};

/// The document before the filter wrote `text`; none if this filter does not write such a text. For JSON it is the same
/// value: lists and trees have no whitespace.
pub fn restore(text: &str, keys: &TreeKeys) -> Option<String> {
    let document = text
        .trim_start()
        .starts_with(['{', '['])
        .then(|| Document::nested(text.to_owned(), MAX_DEPTH))
        .flatten();
    let Some(document) = document else {
        return json::decode_tree(text, keys).or_else(|| restore_text(text));
    };
    let root = document.root()?;
    if root.children() == 1
        && let Some((_, value)) = root.members().next()
        && value.kind() == NodeKind::String
    {
        let said = document.string(value)?;
        let restored = match json::decode_tree(&said, keys) {
            Some(tree) => tree,
            None => tamis_sdk::quote(&restore_text(&said)?),
        };
        let (start, end) = (value.start() as usize, value.end() as usize);
        return Some(format!("{}{restored}{}", &text[..start], &text[end..]));
    }
    let mut restored = String::new();
    let mut copied = 0;
    for place in document.values() {
        let array = place.value;
        if array.kind() == NodeKind::Array
            && array.start() as usize >= copied
            && array
                .elements()
                .any(|element| json::looks_encoded(&document, element))
            && let Some(list) = json::decode_list(&document, array)
        {
            restored.push_str(&text[copied..array.start() as usize]);
            restored.push_str(&list);
            copied = array.end() as usize;
        }
    }
    restored.push_str(&text[copied..]);
    Some(restored)
}

fn restore_text(text: &str) -> Option<String> {
    list::decode(text).or_else(|| hits::decode(text))
}
