//! What `summary` costs for 64 KB of each kind of text and JSON: fuel is the same on every machine.

#[path = "../../../plugins/summary/benches/kinds/documents.rs"]
mod documents;

use super::{lines, output_of, tamis};

/// Millions of fuel for 64 KB of a kind, at most. About 16 take a millisecond.
const MOST: [(&str, u64); 22] = [
    ("log", 15),
    ("json-lines", 13),
    ("code", 12),
    ("prose", 13),
    ("diff", 11),
    ("hits", 15),
    ("paths", 13),
    ("csv", 17),
    ("tests", 16),
    ("snapshot", 12),
    ("json-rows", 12),
    ("html-rows", 16),
    ("html-layout", 16),
    ("columns", 15),
    ("yaml", 17),
    ("traces", 25),
    ("failures", 21),
    ("settings", 24),
    ("short-lines", 24),
    ("blank-lines", 17),
    ("json-sparse", 12),
    ("json-cut", 15),
];

#[test]
fn a_summary_of_any_kind_has_a_bounded_cost() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let mut arguments = vec!["plugin", "bench", "summary", "--json"];
    let kinds = documents::kinds();
    for (kind, text) in &kinds {
        std::fs::write(dir.path().join(kind), text).expect("write a document");
        arguments.extend(["--document", kind]);
    }
    let measured = tamis(dir.path(), &arguments);
    output_of(&measured, 0);
    let lines = lines(&measured);
    assert_eq!(lines.len(), MOST.len());
    for ((kind, text), line) in kinds.iter().zip(&lines) {
        let fuel = line["fuel"].as_u64().expect("fuel");
        let (_, most) = MOST
            .iter()
            .find(|(known, _)| known == kind)
            .expect("a bound");
        let of_64_kb = fuel * 65_536 / text.len() as u64;
        assert!(of_64_kb <= most * 1_000_000, "{kind}: {of_64_kb}");
    }
}
