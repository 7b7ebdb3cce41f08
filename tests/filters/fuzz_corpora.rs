//! Properties of arbitrary bytes (`tests/fuzz/checks.rs`), for all inputs in `tests/fuzz/corpus` and for mutations of
//! them. `make fuzz` finds more with libFuzzer; each find becomes a file there.

use proptest::prelude::*;
use proptest::sample::Index;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

#[path = "../fuzz/checks.rs"]
mod checks;

use checks::{TARGETS, Target};

fn corpus(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fuzz/corpus");
    let folder = root.join(target.name);
    let mut inputs: Vec<(PathBuf, Vec<u8>)> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.clone(), fs::read(&path).expect("an input")))
        .collect();
    inputs.sort();
    assert!(inputs.len() >= 3, "{} has no corpus", target.name);
    inputs
}

#[test]
fn each_promise_holds_for_its_corpus() {
    for target in TARGETS {
        for (path, bytes) in corpus(target) {
            let checked = catch_unwind(AssertUnwindSafe(|| (target.check)(&bytes)));
            assert!(checked.is_ok(), "{}", path.display());
        }
    }
}

#[test]
fn each_target_has_a_program_and_a_corpus() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fuzz");
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("its manifest");
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    let bins: Vec<&str> = manifest
        .lines()
        .skip_while(|line| *line != "[[bin]]")
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        .collect();
    assert_eq!(bins, names);
    for entry in fs::read_dir(root.join("corpus")).expect("the corpus") {
        let name = entry.expect("an entry").file_name();
        assert!(names.iter().any(|known| name == *known), "{name:?}");
    }
}

/// A mutation of an input: a piece of it is removed, repeated or replaced.
#[derive(Debug, Clone)]
enum Mutation {
    Remove(Index, usize),
    Repeat(Index, usize),
    Put(Index, Vec<u8>),
    /// A piece of another input.
    Take(Index, Index, Index, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..4),
        prop::sample::select(vec![
            "\"",
            "\\u0000",
            "\r",
            "\r\n",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\u{feff}",
            "é",
            "null",
            "-1",
            "18446744073709551616",
            "1e400",
            "$ref",
            "..",
            "/",
            "\0",
            "#",
            "*",
            "\\",
            "\u{2028}",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop_oneof![
        (any::<Index>(), 1usize..40).prop_map(|(at, length)| Mutation::Remove(at, length)),
        (any::<Index>(), 1usize..40).prop_map(|(at, length)| Mutation::Repeat(at, length)),
        (any::<Index>(), bytes).prop_map(|(at, bytes)| Mutation::Put(at, bytes)),
        (any::<Index>(), any::<Index>(), any::<Index>(), 1usize..60)
            .prop_map(|(at, other, from, length)| Mutation::Take(at, other, from, length)),
    ]
}

fn mutated(inputs: &[(PathBuf, Vec<u8>)], first: &Index, mutations: &[Mutation]) -> Vec<u8> {
    let mut bytes = first.get(inputs).1.clone();
    for mutation in mutations {
        let place = |index: &Index, bytes: &[u8]| index.index(bytes.len() + 1);
        match mutation {
            Mutation::Remove(at, length) => {
                let at = place(at, &bytes);
                let end = bytes.len().min(at + length);
                bytes.drain(at..end);
            }
            Mutation::Repeat(at, length) => {
                let at = place(at, &bytes);
                let piece = bytes[at..bytes.len().min(at + length)].to_vec();
                bytes.splice(at..at, piece);
            }
            Mutation::Put(at, put) => {
                let at = place(at, &bytes);
                bytes.splice(at..at, put.iter().copied());
            }
            Mutation::Take(at, other, from, length) => {
                let other = &other.get(inputs).1;
                let from = place(from, other);
                let piece = other[from..other.len().min(from + length)].to_vec();
                let at = place(at, &bytes);
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

fn holds_for_others(name: &str) {
    let target = TARGETS
        .iter()
        .find(|target| target.name == name)
        .expect("a target");
    let inputs = corpus(target);
    let config = ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let others = (any::<Index>(), prop::collection::vec(mutation(), 0..8));
    proptest!(config, |((first, mutations) in others)| {
        (target.check)(&mutated(&inputs, &first, &mutations));
    });
}

macro_rules! others {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            holds_for_others(stringify!($name));
        })*
    };
}

others! { client_configuration edits events formats frames manifest policy reading recording reference splices }
