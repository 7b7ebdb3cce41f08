//! Documents: every node agrees with its JSON, and only the text that a filter reads is fetched.

use super::{filtered, seen};
use serde_json::{Map, Value};
use tamis_sdk::{Document, Kind, Node, NodeKind, Verdict};

const DOCUMENTS: &[&str] = &[
    "{}",
    "[]",
    "[null,true,false,0,-1.5e3,\"\",\"a\"]",
    r#" { "a" : [ 1 , { "b" : "x\ny" , "c" : [ ] } ] , "\u0064" : { } , "é🦀" : "é" } "#,
    r#"[[],[[]],{"a":{"b":{"c":[1,2,[3]]}}},"end"]"#,
    r#"{"a":1,"b":{"a":2},"c":[{"a":"3"},{"\u0061":4},{"ab":5}]}"#,
];

/// The value of a node, built from its children.
fn value(document: &Document, node: Node<'_>) -> Value {
    match node.kind() {
        NodeKind::Null => Value::Null,
        NodeKind::False => Value::Bool(false),
        NodeKind::True => Value::Bool(true),
        NodeKind::Number => serde_json::from_str(&document.raw(node)).expect("a number"),
        NodeKind::String => document.string(node).expect("Unicode").into(),
        NodeKind::Key => panic!("a key is no value"),
        NodeKind::Array => {
            let elements: Vec<Value> = node.elements().map(|it| value(document, it)).collect();
            assert_eq!(elements.len(), node.children() as usize);
            assert_eq!(node.members().count(), 0);
            elements.into()
        }
        NodeKind::Object => {
            let members: Map<String, Value> = node
                .members()
                .map(|(key, it)| {
                    assert_eq!(key.kind(), NodeKind::Key);
                    let name = document.string(key).expect("Unicode").into_owned();
                    (name, value(document, it))
                })
                .collect();
            assert_eq!(members.len(), node.children() as usize);
            assert_eq!(node.elements().count(), 0);
            members.into()
        }
    }
}

/// Checks all promises about the nodes of a document, on the host and in the plugin.
fn check(document: &Document, text: &str) {
    assert_eq!(document.kind(), Kind::Json);
    assert_eq!(document.len_bytes() as usize, text.len());
    let root = document.root().expect("JSON");
    let expected: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(value(document, root), expected);
    // Every node in order, by following each to the next.
    let mut nodes = Vec::new();
    let mut at = Some(root);
    while let Some(node) = at {
        nodes.push(node);
        at = node.following();
    }
    assert_eq!(nodes.len() * 4, document.tape().len());
    for (index, node) in nodes.iter().enumerate() {
        assert_eq!(node.index() as usize, index);
        let raw = &text[node.start() as usize..node.end() as usize];
        assert_eq!(document.raw(*node), raw);
        assert_eq!(node.len_bytes() as usize, raw.len());
        let is_text = matches!(node.kind(), NodeKind::String | NodeKind::Key);
        assert_eq!(node.is_escaped(), is_text && raw.contains('\\'), "{raw}");
        assert_eq!(document.string(*node).is_some(), is_text, "{raw}");
        for name in ["a", "ab", "d", "x\ny", "", "1"] {
            let says = is_text && serde_json::from_str::<String>(raw).is_ok_and(|it| it == name);
            assert_eq!(document.key_is(*node, name), says, "{raw} {name}");
        }
        if node.kind() == NodeKind::Key {
            assert_eq!(nodes[index + 1].next_index(), node.next_index(), "{raw}");
            continue;
        }
        // Inner nodes are inside the value's text, and the next node is after it.
        for inside in &nodes[index + 1..node.next_index() as usize] {
            assert!(inside.start() > node.start() && inside.end() < node.end());
        }
        match node.next() {
            Some(next) => {
                assert_eq!(next.index(), node.next_index());
                assert!(next.start() >= node.end());
            }
            None => assert_eq!(node.next_index() as usize, nodes.len()),
        }
    }
    for name in ["a", "b", "d", "é🦀", "none"] {
        let keys: Vec<u32> = document.keys_named(name).map(Node::index).collect();
        let expected: Vec<u32> = nodes
            .iter()
            .filter(|node| node.kind() == NodeKind::Key && document.key_is(**node, name))
            .map(|node| node.index())
            .collect();
        assert_eq!(keys, expected, "{name}");
    }
    let values: Vec<u32> = document.values().map(|it| it.value.index()).collect();
    let expected: Vec<u32> = nodes
        .iter()
        .filter(|node| node.kind() != NodeKind::Key)
        .map(|node| node.index())
        .collect();
    assert_eq!(values, expected);
}

#[test]
fn nodes_say_what_json_says() {
    for text in DOCUMENTS {
        filtered(text, move |document, _| {
            check(document, text);
            Verdict::Unchanged
        });
        let nested = Document::nested((*text).to_owned(), 8).expect("JSON");
        check(&nested, text);
    }
}

#[test]
fn keys_are_found_by_name_in_order() {
    let text = DOCUMENTS[5];
    let (found, _) = seen(text, |document, _| {
        let keys = document.keys_named("a");
        let values: Vec<String> = keys
            .filter_map(|key| Some(document.raw(key.following()?).into_owned()))
            .collect();
        values.join(" ")
    });
    assert_eq!(found, "1 2 \"3\" 4");
}

#[test]
fn text_has_no_nodes() {
    for text in ["", "some text", "7", "{"] {
        filtered(text, move |document, _| {
            assert_eq!(document.kind(), Kind::Text);
            assert_eq!(document.len_bytes() as usize, text.len());
            assert_eq!(document.text(), text);
            assert!(document.root().is_none() && document.tape().is_empty());
            assert_eq!(document.kind(), Kind::Text, "the tape is known by now");
            assert_eq!(document.values().count(), 0);
            assert_eq!(document.keys_named("a").count(), 0);
            Verdict::Unchanged
        });
        assert!(Document::nested(text.to_owned(), 128).is_none() || text == "7");
    }
}

#[test]
fn what_is_no_unicode_is_no_string() {
    let (seen, _) = seen(r#"["\ud800","\ud83e\udd80"]"#, |document, _| {
        let root = document.root().expect("JSON");
        let strings: Vec<_> = root.elements().map(|it| document.string(it)).collect();
        format!("{strings:?}")
    });
    assert_eq!(seen, r#"[None, Some("🦀")]"#);
}

#[test]
fn slices_move_back_to_characters() {
    let text = "aé🦀b";
    for (start, end, expected) in [
        (0, 0, ""),
        (0, 1, "a"),
        (0, 2, "a"),
        (0, 3, "aé"),
        (2, 6, "é"),
        (3, 7, "🦀"),
        (7, 99, "b"),
        (2, 1, ""),
    ] {
        for whole in [false, true] {
            let (slice, _) = seen(text, move |document, _| {
                if whole {
                    document.text();
                }
                document.slice(start, end).into_owned()
            });
            assert_eq!(slice, expected, "{start}..{end}, {whole}");
        }
    }
}

/// The bytes of a text of `len` that are fetched for this many slices of one byte.
fn fetched(len: usize, slices: u32) -> u64 {
    let text = "x".repeat(len);
    let (_, fetched) = seen(&text, move |document, _| {
        for at in 0..slices {
            assert_eq!(document.slice(at, at + 1), "x");
        }
        String::new()
    });
    fetched
}

#[test]
fn after_eight_slices_the_text_is_fetched_once_unless_it_is_large() {
    let large = 8 * 1024 * 1024;
    for (len, slices, expected) in [
        (1000, 0, 0),
        (1000, 1, 1),
        (1000, 8, 8),
        (1000, 9, 8 + 1000),
        (1000, 100, 8 + 1000),
        (large, 9, 8 + large as u64),
        (large + 1, 9, 9),
        (large + 1, 20, 20),
    ] {
        assert_eq!(fetched(len, slices), expected, "{slices} of {len}");
    }
}

#[test]
fn keys_of_another_length_are_seen_without_the_text() {
    let (_, fetched) = seen(r#"{"long name":1,"other":2,"\u0061":3}"#, |document, _| {
        let root = document.root().expect("JSON");
        let (key, _) = root.members().next().expect("a member");
        assert!(!document.key_is(key, "name"));
        String::new()
    });
    assert_eq!(fetched, 0);
}

#[test]
fn json_inside_json_is_as_deep_as_there_is_room() {
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for (depth, room, is_json) in [
        (1, 1, true),
        (2, 1, false),
        (128, 128, true),
        (129, 128, false),
    ] {
        let nested = Document::nested(deep(depth), room);
        assert_eq!(nested.is_some(), is_json, "{depth} in {room}");
    }
}
