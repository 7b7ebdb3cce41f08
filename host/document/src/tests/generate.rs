//! Random documents, and random edits that are valid for them.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::model::Edit;
use crate::{NodeKind, Tape};

fn whitespace() -> impl Strategy<Value = &'static str> {
    select(vec![
        "",
        "",
        "",
        " ",
        "\n  ",
        "\t",
        "\r\n",
        "\n                    ",
    ])
}

fn string() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => select(vec!["a", "id", "name", " ", "calculate_total", "{", "]", ",", ":", "/"]),
        1 => select(vec!["\\\"", "\\\\", "\\n", "\\u00e9", "\\ud800", "\\/"]),
        1 => select(vec!["é", "漢字", "🦀", "\u{7f}", "\u{2028}"]),
    ];
    vec(part, 0..6).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

fn leaf() -> impl Strategy<Value = String> {
    let word = select(vec![
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1",
        "-12.50",
        "1e2",
        "1E+400",
        "0.1e-7",
        "123456789012345678901",
    ]);
    prop_oneof![word.prop_map(str::to_owned), string()]
}

/// One JSON value, with whitespace inside and not around it.
pub fn value() -> impl Strategy<Value = String> {
    leaf().prop_recursive(5, 64, 6, |inner| {
        let spaced = |item: BoxedStrategy<String>| {
            (whitespace(), item, whitespace())
                .prop_map(|(before, item, after)| format!("{before}{item}{after}"))
                .boxed()
        };
        let elements = vec(spaced(inner.clone().boxed()), 0..6);
        // Few names, so that some come twice.
        let key = prop_oneof![
            select(vec!["\"a\"", "\"b\""]).prop_map(str::to_owned),
            string()
        ];
        let member = (key, whitespace(), spaced(inner.boxed()))
            .prop_map(|(key, space, value)| format!("{key}{space}:{value}"));
        let members = vec(spaced(member.boxed()), 0..6);
        prop_oneof![
            (elements, whitespace()).prop_map(|(items, space)| list(['[', ']'], &items, space)),
            (members, whitespace()).prop_map(|(items, space)| list(['{', '}'], &items, space)),
        ]
    })
}

fn list([opening, closing]: [char; 2], items: &[String], space: &str) -> String {
    let inside = if items.is_empty() {
        space.to_owned()
    } else {
        items.join(",")
    };
    format!("{opening}{inside}{closing}")
}

/// A document: one JSON value, with whitespace around it.
pub fn document() -> impl Strategy<Value = String> {
    (whitespace(), value(), whitespace())
        .prop_map(|(before, value, after)| format!("{before}{value}{after}"))
}

/// What decides on the edits of a document: one number a node, used again from the start.
pub fn choices() -> impl Strategy<Value = Vec<u16>> {
    // Some lists remove nearly everything, some touch next to nothing.
    let choice = |often: u32| prop_oneof![often => 0..4000u16, 8 => Just(u16::MAX)];
    prop_oneof![
        vec(choice(1), 1..64),
        vec(choice(8), 1..64),
        vec(choice(100), 1..64)
    ]
}

/// The edits that `choices` makes of the document with this tape, in document order.
pub fn edits(tape: &Tape, choices: &[u16]) -> Vec<Edit> {
    const VALUES: [&str; 6] = [
        "null",
        " 7 ",
        "\"\\n\"",
        "[]",
        "{\"k\":[1,{\"l\":null}], \"k\":2}",
        "[ [0],1]",
    ];
    const KEYS: [&str; 4] = ["\"new\"", "\"\"", " \"sp\"\n", "\"q\\\"\""];
    const ELEMENTS: [&str; 4] = ["1", " 2 , [3]", "{\"x\":\"\\\\\"}", "\"é\" "];
    const MEMBERS: [&str; 4] = [
        "\"m\":1",
        " \"m\" : [2] ,\"n\":{}",
        "\"\\t\":null",
        "\"o\":\"p\"\n",
    ];
    let pick =
        |texts: &[&str], choice: u16| texts[usize::from(choice / 8) % texts.len()].to_owned();
    let mut edits = Vec::new();
    let mut node = 0;
    while node < tape.len() {
        let choice = choices[node as usize % choices.len()];
        let Some(here) = (choice < 4000).then(|| tape.node(node)) else {
            node += 1;
            continue;
        };
        let place = node as usize;
        let of_member = node > 0 && tape.node(node - 1).kind == NodeKind::Key;
        let is_key = here.kind == NodeKind::Key;
        let removable = is_key || node > 0 && !of_member;
        node += 1;
        match choice % 8 {
            0..=3 if removable => {
                edits.push(Edit::Remove(place));
                node = here.next;
            }
            _ if is_key => edits.push(Edit::Rename(place, pick(&KEYS, choice))),
            4 | 5 => {
                edits.push(Edit::Replace(place, pick(&VALUES, choice)));
                node = here.next;
            }
            _ => {
                let texts = match here.kind {
                    NodeKind::Array => &ELEMENTS,
                    NodeKind::Object => &MEMBERS,
                    _ => continue,
                };
                edits.push(Edit::Append(place, pick(texts, choice)));
                if choice % 16 == 7 {
                    edits.push(Edit::Append(place, pick(texts, choice + 8)));
                }
            }
        }
    }
    edits
}

/// A list of edits as it crosses: operations and operands.
pub fn encode(edits: &[Edit]) -> (Vec<u32>, String) {
    let mut operations = Vec::new();
    let mut operands = String::new();
    for edit in edits {
        let (operation, operand) = match edit {
            Edit::Remove(_) => (0, None),
            Edit::Replace(_, operand) => (1, Some(operand)),
            Edit::Rename(_, operand) => (2, Some(operand)),
            Edit::Append(_, operand) => (3, Some(operand)),
        };
        let (start, end) = operand.map_or((0, 0), |operand| {
            let start = operands.len();
            operands.push_str(operand);
            (start, operands.len())
        });
        operations.extend([operation, edit.node() as u32, start as u32, end as u32]);
    }
    (operations, operands)
}
