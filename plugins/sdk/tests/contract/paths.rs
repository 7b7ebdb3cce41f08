//! Paths, compared with the plainest reading of them: a value is found if its keys match the steps.

use super::filtered;
use tamis_sdk::{Document, Glob, Node, NodeKind, Paths, Verdict};

/// A key, or the index of an element.
#[derive(Clone)]
enum Trail {
    Key(String),
    Index(usize),
}

/// Whether steps match a trail, by trying.
fn leads(steps: &[&str], trail: &[Trail]) -> bool {
    let Some((step, more)) = steps.split_first() else {
        return trail.is_empty();
    };
    if *step == "**" {
        return (0..=trail.len()).any(|levels| leads(more, &trail[levels..]));
    }
    let Some((here, below)) = trail.split_first() else {
        return false;
    };
    let fits = match (here, step.strip_prefix('"')) {
        _ if *step == "*" => true,
        (Trail::Key(key), Some(quoted)) => quoted.trim_end_matches('"') == key,
        (Trail::Index(_), Some(_)) => false,
        (Trail::Key(key), None) => Glob::new(step).matches(key),
        (Trail::Index(place), None) => step.parse() == Ok(*place),
    };
    fits && leads(more, below)
}

/// Every value with its trail, in order, without the root.
fn values(document: &Document, node: Node<'_>, trail: &[Trail], out: &mut Vec<(u32, Vec<Trail>)>) {
    let mut child = |step: Trail, value: Node<'_>| {
        let trail = [trail, &[step]].concat();
        out.push((value.index(), trail.clone()));
        values(document, value, &trail, out);
    };
    match node.kind() {
        NodeKind::Object => {
            for (key, value) in node.members() {
                let key = document.string(key).expect("Unicode").into_owned();
                child(Trail::Key(key), value);
            }
        }
        NodeKind::Array => {
            for (place, value) in node.elements().enumerate() {
                child(Trail::Index(place), value);
            }
        }
        _ => {}
    }
}

const STEPS: [&str; 9] = ["a", "b", "*", "**", "a*", "*b*", "0", "1", "\"a\""];

const DOCUMENTS: [&str; 4] = [
    r#"{"a":{"a":{"b":[1,{"a":2}]},"ab":[[3],[4,5]]},"b":[{"a":6},{"0":7}]}"#,
    r#"[[{"a":1,"b":2},{"a":{"b":{"ab":3}}}],{"1":[8,9]}]"#,
    r#"{"a":1,"a":2,"aab":{"b":[0]}}"#,
    "[]",
];

#[test]
fn every_path_of_three_steps_finds_what_the_plainest_reading_finds() {
    let mut paths: Vec<Vec<&str>> = Vec::new();
    for one in STEPS {
        paths.push(vec![one]);
        for two in STEPS {
            paths.push(vec![one, two]);
            paths.extend(STEPS.map(|three| vec![one, two, three]));
        }
    }
    paths.retain(|path| path.last() != Some(&"**"));
    // Several in one walk: as many steps as fit.
    for together in [1, 32] {
        for chunk in paths.chunks(together) {
            let chunk = chunk.to_vec();
            for text in DOCUMENTS {
                let chunk = chunk.clone();
                filtered(text, move |document, _| {
                    compare(document, &chunk);
                    Verdict::Unchanged
                });
            }
        }
    }
}

fn compare(document: &Document, chunk: &[Vec<&str>]) {
    let root = document.root().expect("JSON");
    let texts: Vec<String> = chunk.iter().map(|path| path.join(".")).collect();
    let paths = Paths::parse(&texts).expect("they are paths");
    assert_eq!(paths.len(), chunk.len());
    assert!(!paths.is_empty());
    let found: Vec<(u32, usize)> = paths
        .find(document, root)
        .iter()
        .map(|it| {
            // A value is directly inside its holder.
            let is_child = match it.key {
                Some(key) => it.holder.members().any(|(other, value)| {
                    (other.index(), value.index()) == (key.index(), it.value.index())
                }),
                None => {
                    let mut elements = it.holder.elements();
                    elements.any(|element| element.index() == it.value.index())
                }
            };
            assert!(is_child, "{texts:?}");
            (it.value.index(), it.path)
        })
        .collect();
    let mut all = Vec::new();
    values(document, root, &[], &mut all);
    let mut expected = Vec::new();
    for (value, trail) in all {
        for (path, steps) in chunk.iter().enumerate() {
            if leads(steps, &trail) {
                expected.push((value, path));
            }
        }
    }
    assert_eq!(found, expected, "{texts:?} in {}", document.text());
    let of_first: Vec<u32> = found.iter().filter(|it| it.1 == 0).map(|it| it.0).collect();
    let one = paths.find_one(document, root).map(|it| it.value.index());
    let expected = match of_first.as_slice() {
        [one] => Some(*one),
        _ => None,
    };
    assert_eq!(one, expected, "{texts:?}");
}

#[test]
fn no_paths_find_nothing() {
    let none = Paths::parse([""; 0]).expect("no path at all");
    assert!(none.is_empty() && none.start().is_nowhere());
    assert_eq!(none.len(), 0);
    let some = Paths::parse(["a"]).expect("a path");
    assert!(!some.start().is_nowhere());
    filtered("[1]", move |document, _| {
        let root = document.root().expect("JSON");
        assert!(none.find(document, root).is_empty());
        Verdict::Unchanged
    });
}

#[test]
fn where_a_child_stands_is_asked_step_by_step() {
    let paths = Paths::parse(["a", "**.a", "b.1"]).expect("paths");
    filtered(r#"{"a":1,"b":[7,8]}"#, move |document, _| {
        let root = document.root().expect("JSON");
        let ends = |places| paths.ends(places).collect::<Vec<_>>();
        assert_eq!(ends(paths.start()), [0; 0]);
        let mut members = root.members();
        let (a, _) = members.next().expect("a");
        let (b, list) = members.next().expect("b");
        assert_eq!(
            ends(paths.step(paths.start(), document, Some(a), 0)),
            [0, 1]
        );
        let at_b = paths.step(paths.start(), document, Some(b), 0);
        assert_eq!(ends(at_b), [0; 0]);
        assert_eq!(list.children(), 2);
        assert_eq!(ends(paths.step(at_b, document, None, 0)), [0; 0]);
        assert_eq!(ends(paths.step(at_b, document, None, 1)), [2]);
        Verdict::Unchanged
    });
}

#[test]
fn the_keys_of_a_path_are_known_where_it_has_no_star() {
    for (path, keys) in [
        ("a", Some(vec!["a"])),
        ("a.b.0", Some(vec!["a", "b", "0"])),
        ("\"x.y\".b", Some(vec!["x.y", "b"])),
        ("a.*", None),
        ("a*.b", None),
        ("**.b", None),
    ] {
        let paths = Paths::parse([path, "second"]).expect("a path");
        assert_eq!(paths.keys(), keys, "{path}");
    }
}

#[test]
fn there_is_room_for_128_steps_ends_included() {
    let names = |count: usize| (0..count).map(|at| format!("k{at}"));
    assert!(Paths::parse(names(64)).is_ok());
    let more = names(63).chain(["a.b".to_owned()]);
    let refusal = Paths::parse(more).expect_err("129 steps");
    assert!(
        refusal.contains("129 steps") && refusal.contains("at most 128"),
        "{refusal}"
    );
}
