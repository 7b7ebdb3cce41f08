//! Paths in JSON: lists of strings, and trees of objects as directory listings give them.

use crate::TreeKeys;
use crate::list;
use crate::tree::{self, Entry};
use tamis_sdk::{Document, Node, NodeKind};

/// The list of strings with shared directories written once, as JSON; none if it has fewer than `fewest` paths. The
/// output nests at most `room` deep.
pub fn encode_list(
    document: &Document,
    array: Node<'_>,
    (fewest, room): (usize, usize),
) -> Option<String> {
    if (array.children() as usize) < fewest || array.kind() != NodeKind::Array {
        return None;
    }
    let mut paths = Vec::new();
    for element in array.elements() {
        let path = (element.kind() == NodeKind::String).then(|| document.string(element))??;
        paths.push(list::is_path(&path).then_some(path)?);
    }
    let paths: Vec<&str> = paths.iter().map(|path| &**path).collect();
    let mut json = String::with_capacity(array.len_bytes() as usize);
    // A directory is an object with an array in it; the whole is an array.
    let directories = (room.saturating_sub(1) / 2).min(tree::DEEPEST);
    tree::write_json(&tree::of_paths(&paths, directories), &mut json);
    Some(json)
}

/// The list of strings before [`encode_list`], as JSON.
pub fn decode_list(document: &Document, array: Node<'_>) -> Option<String> {
    let entries = read_array(document, array)?;
    let mut paths = Vec::new();
    tree::paths(&entries, "", &mut paths);
    let mut json = String::from("[");
    for (place, path) in paths.iter().enumerate() {
        if place > 0 {
            json.push(',');
        }
        tamis_sdk::push_quoted(&mut json, path);
    }
    json.push(']');
    Some(json)
}

fn read_array(document: &Document, array: Node<'_>) -> Option<Vec<Entry>> {
    let elements = array.elements();
    elements
        .map(|element| match element.kind() {
            NodeKind::String => Some(Entry::Name(document.string(element)?.into_owned())),
            _ if looks_encoded(document, element) => {
                let (key, inside) = element.members().next()?;
                let label = document.string(key)?.into_owned();
                Some(Entry::Directory(label, read_array(document, inside)?))
            }
            _ => None,
        })
        .collect()
}

/// Whether an object looks like a directory of [`tree::write_json`].
pub fn looks_encoded(document: &Document, object: Node<'_>) -> bool {
    object.kind() == NodeKind::Object
        && object.children() == 1
        && object.members().all(|(key, value)| {
            value.kind() == NodeKind::Array
                && document.string(key).is_some_and(|key| key.ends_with('/'))
        })
}

/// The header above a tree, after the number of its nodes.
const LIST_HEADER: &str = " files and directories, as a tree:";
/// The same for a tree with one root, which was an object and not an array.
const ROOT_HEADER: &str = " files and directories, as a tree with one root:";

/// Whether a line is a header above a tree.
pub fn is_header(line: &str) -> bool {
    line.ends_with(LIST_HEADER) || line.ends_with(ROOT_HEADER)
}

/// The tree as lines; none if a node does not match `keys`, or the tree has fewer than `fewest` nodes.
pub fn encode_tree(
    document: &Document,
    node: Node<'_>,
    keys: &TreeKeys,
    fewest: usize,
) -> Option<String> {
    let mut count = 0;
    let (entries, header) = match node.kind() {
        NodeKind::Array => (children(document, node, keys, &mut count)?, LIST_HEADER),
        _ => (vec![entry(document, node, keys, &mut count)?], ROOT_HEADER),
    };
    if count < fewest {
        return None;
    }
    let mut text = format!("{count}{header}\n");
    tree::write_lines(&entries, 0, &mut text);
    text.pop();
    Some(text)
}

fn children(
    document: &Document,
    array: Node<'_>,
    keys: &TreeKeys,
    count: &mut usize,
) -> Option<Vec<Entry>> {
    let elements = array.elements();
    elements
        .map(|element| entry(document, element, keys, count))
        .collect()
}

fn entry(
    document: &Document,
    object: Node<'_>,
    keys: &TreeKeys,
    count: &mut usize,
) -> Option<Entry> {
    if object.kind() != NodeKind::Object || object.children() > 3 {
        return None;
    }
    *count += 1;
    let (mut name, mut kind, mut inside) = (None, None, None);
    for (key, value) in object.members() {
        let place = if document.key_is(key, &keys.name) {
            &mut name
        } else if document.key_is(key, &keys.kind) {
            &mut kind
        } else if document.key_is(key, &keys.children) {
            &mut inside
        } else {
            return None;
        };
        if place.replace(value).is_some() {
            return None;
        }
    }
    let string = |node: Option<Node<'_>>| {
        node.filter(|node| node.kind() == NodeKind::String)
            .and_then(|node| document.string(node))
    };
    let name = string(name)?;
    if name.is_empty() || name.contains('/') {
        return None;
    }
    let kind = string(kind)?;
    match inside {
        None if *kind == *keys.file => Some(Entry::Name(name.into_owned())),
        Some(array) if *kind == *keys.directory && array.kind() == NodeKind::Array => {
            let inside = children(document, array, keys, count)?;
            let label = format!("{name}/");
            // A directory with only one directory in it shares its line.
            match <[Entry; 1]>::try_from(inside) {
                Ok([Entry::Directory(inner, inside)]) => {
                    Some(Entry::Directory(label + &inner, inside))
                }
                Ok(one) => Some(Entry::Directory(label, one.into())),
                Err(inside) => Some(Entry::Directory(label, inside)),
            }
        }
        _ => None,
    }
}

/// The JSON of the tree before [`encode_tree`], without whitespace.
pub fn decode_tree(text: &str, keys: &TreeKeys) -> Option<String> {
    let (header, lines) = text.split_once('\n')?;
    let one_root = header.ends_with(ROOT_HEADER);
    if !one_root && !header.ends_with(LIST_HEADER) {
        return None;
    }
    let entries = tree::read_lines(&mut lines.split('\n'), usize::MAX)?;
    let mut json = String::new();
    write_entries(&entries, keys, &mut json);
    Some(match one_root {
        true => json[1..json.len() - 1].to_owned(),
        false => json,
    })
}

fn write_entries(entries: &[Entry], keys: &TreeKeys, json: &mut String) {
    json.push('[');
    for (place, entry) in entries.iter().enumerate() {
        if place > 0 {
            json.push(',');
        }
        match entry {
            Entry::Name(name) => {
                write_node(name, &keys.file, keys, json);
                json.push('}');
            }
            Entry::Directory(label, inside) => write_directory(label, inside, keys, json),
        }
    }
    json.push(']');
}

fn write_directory(label: &str, inside: &[Entry], keys: &TreeKeys, json: &mut String) {
    let (name, rest) = label.split_once('/').unwrap_or((label, ""));
    write_node(name, &keys.directory, keys, json);
    json.push(',');
    tamis_sdk::push_quoted(json, &keys.children);
    json.push(':');
    if rest.is_empty() {
        write_entries(inside, keys, json);
    } else {
        json.push('[');
        write_directory(rest, inside, keys, json);
        json.push(']');
    }
    json.push('}');
}

fn write_node(name: &str, kind: &str, keys: &TreeKeys, json: &mut String) {
    json.push('{');
    tamis_sdk::push_quoted(json, &keys.name);
    json.push(':');
    tamis_sdk::push_quoted(json, name);
    json.push(',');
    tamis_sdk::push_quoted(json, &keys.kind);
    json.push(':');
    tamis_sdk::push_quoted(json, kind);
}
