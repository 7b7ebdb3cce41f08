//! Notes in a JSON document: the members of an object, or the objects of a list.
//!
//! Owns the two forms. A container that is not clearly one of them stays unchanged. So does an object with a duplicate
//! key: readers take the last member, and must not find another one there.

use crate::Settings;
use crate::choice::{Choice, Note};
use crate::wording::Wording;
use std::borrow::Cow;
use std::collections::HashSet;
use tamis_sdk::{Document, Node, NodeKind, quote};

/// The notes in a container; none if the container has no notes.
pub fn notes<'d>(
    document: &'d Document,
    container: Node<'_>,
    settings: &Settings,
    wording: &Wording,
) -> Option<Vec<Note<'d>>> {
    match container.kind() {
        NodeKind::Object => of_object(document, container, settings, wording),
        NodeKind::Array => of_list(document, container, settings, wording),
        _ => None,
    }
}

/// The keys of the notes in a container, if it has any.
pub fn keys<'d>(
    document: &'d Document,
    container: Node<'_>,
    settings: &Settings,
) -> Vec<Cow<'d, str>> {
    let of_element = |element: Node<'_>| {
        let mut members = element.members();
        let key = members.find(|(key, _)| document.key_is(*key, &settings.key_field));
        key.and_then(|(_, key)| document.string(key))
    };
    if container.kind() == NodeKind::Array {
        return container.elements().filter_map(of_element).collect();
    }
    let members = container.members();
    members
        .filter_map(|(key, _)| document.string(key))
        .collect()
}

/// A container of the chosen notes, in their order, with a line about the omitted ones.
pub fn written(
    notes: &[Note<'_>],
    choice: &Choice,
    is_object: bool,
    settings: &Settings,
    wording: &Wording,
) -> String {
    let mut out = String::from(if is_object { "{" } else { "[" });
    for n in &choice.order {
        out.push_str(&notes[*n].written);
        out.push(',');
    }
    if choice.left_out > 0 {
        let key = quote(&settings.left_out_key);
        let line = quote(&wording.left_out(choice.left_out));
        out.push_str(&if is_object {
            format!("{key}:{line}")
        } else {
            let (key_field, value_field) =
                (quote(&settings.key_field), quote(&settings.value_field));
            format!("{{{key_field}:{key},{value_field}:{line}}}")
        });
    } else if out.len() > 1 {
        out.pop();
    }
    out.push(if is_object { '}' } else { ']' });
    out
}

fn of_object<'d>(
    document: &'d Document,
    object: Node<'_>,
    settings: &Settings,
    wording: &Wording,
) -> Option<Vec<Note<'d>>> {
    let mut seen = HashSet::new();
    let note = |(key_node, value): (Node<'_>, Node<'_>)| {
        let key = document.string(key_node)?;
        if !seen.insert(key.clone()) {
            return None;
        }
        let raw_key = document.raw(key_node);
        let raw = document.raw(value);
        let cut = wording.cut_value(&raw);
        let text = text_of(document, value, cut.as_deref());
        let is_cut = cut.is_some();
        Some(Note {
            is_tally: key == settings.left_out_key && wording.is_left_out(&text),
            written: format!("{raw_key}:{}", cut.as_deref().unwrap_or(&raw)).into(),
            key,
            text,
            is_cut,
        })
    };
    object.members().map(note).collect()
}

fn of_list<'d>(
    document: &'d Document,
    list: Node<'_>,
    settings: &Settings,
    wording: &Wording,
) -> Option<Vec<Note<'d>>> {
    let note = |element: Node<'_>| {
        let key = the_only(document, element, &settings.key_field)?;
        let key = document.string(key?)?;
        let value = the_only(document, element, &settings.value_field)?;
        let whole = document.raw(element);
        let Some(value) = value else {
            return Some(Note {
                key,
                written: whole,
                text: Cow::Borrowed(""),
                is_cut: false,
                is_tally: false,
            });
        };
        let cut = wording.cut_value(&document.raw(value));
        let text = text_of(document, value, cut.as_deref());
        let is_cut = cut.is_some();
        let written = match cut {
            None => whole,
            Some(cut) => {
                let before = document.slice(element.start(), value.start());
                let after = document.slice(value.end(), element.end());
                format!("{before}{cut}{after}").into()
            }
        };
        Some(Note {
            is_tally: key == settings.left_out_key && wording.is_left_out(&text),
            key,
            written,
            text,
            is_cut,
        })
    };
    list.elements().map(note).collect()
}

/// The value of an object's member: `Some(None)` if it has no such member, `None` if it has two or is no object.
fn the_only<'t>(document: &Document, object: Node<'t>, name: &str) -> Option<Option<Node<'t>>> {
    if object.kind() != NodeKind::Object {
        return None;
    }
    let mut named = object
        .members()
        .filter(|(key, _)| document.key_is(*key, name));
    let first = named.next();
    match named.next() {
        Some(_) => None,
        None => Some(first.map(|(_, value)| value)),
    }
}

/// The text of a value: a decoded string, or any other value as it is spelled.
fn text_of<'d>(document: &'d Document, value: Node<'_>, cut: Option<&str>) -> Cow<'d, str> {
    match cut {
        Some(cut) => serde_json::from_str::<String>(cut)
            .unwrap_or_else(|_| cut.to_owned())
            .into(),
        None => document
            .string(value)
            .unwrap_or_else(|| document.raw(value)),
    }
}
