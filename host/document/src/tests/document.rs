//! Kinds, slices and walks.

use proptest::prelude::*;

use super::{config, generate};
use crate::{Document, Kind, Node, NodeKind, TapeWanted};

#[test]
fn kinds_are_detected() {
    let cases = [
        ("{}", Kind::Json),
        (" \r\n\t[1]\n", Kind::Json),
        ("[INFO] started", Kind::Text),
        ("{\"a\":1", Kind::Text),
        ("7", Kind::Text),
        ("\"quoted\"", Kind::Text),
        ("null", Kind::Text),
        ("", Kind::Text),
        ("\u{feff}{}", Kind::Text),
    ];
    for (text, kind) in cases {
        let document = Document::detect(text);
        assert_eq!(document.kind(), kind, "{text:?}");
        assert_eq!(document.tape().is_some(), kind == Kind::Json, "{text:?}");
    }
    let text = Document::text_only("{}");
    assert_eq!(text.kind(), Kind::Text);
    assert_eq!(text.tape(), None);
    for scalar in ["7", " \"quoted\" ", "null"] {
        assert_eq!(
            Document::json(scalar).unwrap().kind(),
            Kind::Json,
            "{scalar:?}"
        );
    }
    assert_eq!(Document::json("nope").unwrap_err().name(), "syntax");
}

#[test]
fn depth_is_the_documents_own() {
    let nested = format!("{}{}", "[".repeat(130), "]".repeat(130));
    assert_eq!(Document::detect(nested.as_str()).kind(), Kind::Text);
    assert_eq!(
        Document::json_with_depth(nested.as_str(), 130)
            .unwrap()
            .kind(),
        Kind::Json
    );
    assert_eq!(
        Document::json(nested.as_str()).unwrap_err().name(),
        "too-deep"
    );
}

#[test]
fn slices_keep_to_characters() {
    let document = Document::text_only("aé漢");
    let cases = [
        (0, 6, "aé漢"),
        (0, u32::MAX, "aé漢"),
        (1, 3, "é"),
        (2, 3, "é"),
        (1, 2, ""),
        (3, 5, ""),
        (4, 6, "漢"),
        (3, 1, ""),
        (5, 4, ""),
        (u32::MAX, u32::MAX, ""),
        (u32::MAX, 0, ""),
    ];
    for (start, end, expected) in cases {
        assert_eq!(document.slice(start, end), expected, "{start} to {end}");
    }
}

#[test]
fn a_clone_shares_text_and_tape() {
    let document = Document::detect("[1]");
    let clone = document.clone();
    assert!(std::ptr::eq(
        clone.tape().unwrap(),
        document.tape().unwrap()
    ));
    assert!(std::ptr::eq(clone.text(), document.text()));
}

#[test]
fn the_contracts_example_has_its_tape() {
    let document = Document::detect(r#"{"a":[1,"x"],"b":null}"#);
    let words = [
        [7 + (2 << 8), 0, 22, 7],
        [5, 1, 4, 5],
        [6 + (2 << 8), 5, 12, 5],
        [3, 6, 7, 4],
        [4, 8, 11, 5],
        [5, 13, 16, 7],
        [0, 17, 21, 7],
    ];
    let tape = document.tape().unwrap();
    assert_eq!(tape.words().as_slice(), words.as_flattened());

    let spelled = |node: Node| document.slice(node.start, node.end);
    let members: Vec<_> = tape
        .members(tape.root())
        .map(|(key, value)| (spelled(key), spelled(value)))
        .collect();
    assert_eq!(members, [("\"a\"", "[1,\"x\"]"), ("\"b\"", "null")]);
    let elements: Vec<_> = tape.elements(tape.node(2)).map(|node| node.kind).collect();
    assert_eq!(elements, [NodeKind::Number, NodeKind::String]);
    assert_eq!(
        tape.elements(tape.root()).count(),
        0,
        "an object has no elements"
    );
    assert_eq!(
        tape.members(tape.node(2)).count(),
        0,
        "an array has no members"
    );
}

/// The tape counts to 2^24 - 1, and then no further: what is counted is the list itself.
#[test]
fn an_array_has_more_elements_than_the_tape_can_say() {
    const MOST: usize = (1 << 24) - 1;
    for count in [MOST - 1, MOST, MOST + 1, MOST + 2] {
        let mut text = "0,".repeat(count);
        text.pop();
        let document = Document::json(format!("[{text}]")).unwrap();
        let tape = document.tape().unwrap();
        assert_eq!(tape.root().children as usize, count.min(MOST));
        assert_eq!(tape.elements(tape.root()).count(), count);
        // One goes at the end, two come: the number of them passes the most in either direction.
        for (operations, operand, after) in [
            (vec![0, count as u32, 0, 0], "", count - 1),
            (vec![3, 0, 0, 3], "1,1", count + 2),
            (vec![0, 1, 0, 0, 3, 0, 0, 1], "1", count),
        ] {
            let edited = document
                .edit(&operations, operand, TapeWanted::Yes)
                .unwrap();
            let edited_tape = edited.tape().unwrap();
            assert_eq!(edited_tape.root().children as usize, after.min(MOST));
            assert_eq!(edited_tape.elements(edited_tape.root()).count(), after);
            assert_eq!(edited.text().len(), 2 * after + 1);
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_walk_meets_every_node_once(text in generate::document()) {
        let document = Document::json(text).unwrap();
        let tape = document.tape().unwrap();
        let mut met = Vec::new();
        let mut todo = vec![tape.root()];
        while let Some(node) = todo.pop() {
            met.push(node.index);
            let before = todo.len();
            todo.extend(tape.elements(node));
            for (key, value) in tape.members(node) {
                prop_assert_eq!(key.kind, NodeKind::Key);
                met.push(key.index);
                todo.push(value);
            }
            prop_assert_eq!(todo.len() - before, node.children as usize);
            let is_text = matches!(node.kind, NodeKind::String);
            let raw = document.slice(node.start, node.end);
            prop_assert_eq!(node.escaped, is_text && raw.contains('\\'), "{}", raw);
            for (key, _) in tape.members(node) {
                let raw = document.slice(key.start, key.end);
                prop_assert_eq!(key.escaped, raw.contains('\\'), "{}", raw);
            }
        }
        met.sort_unstable();
        prop_assert_eq!(met, (0..tape.len()).collect::<Vec<u32>>());
    }
}
