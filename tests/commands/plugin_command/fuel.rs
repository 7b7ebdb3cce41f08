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
    ("csv", 16),
    ("tests", 15),
    ("snapshot", 12),
    ("json-rows", 12),
    ("html-rows", 15),
    ("html-layout", 14),
    ("columns", 15),
    ("yaml", 14),
    ("traces", 15),
    ("failures", 17),
    ("settings", 18),
    ("short-lines", 13),
    ("blank-lines", 12),
    ("json-sparse", 12),
    ("json-cut", 14),
];

/// The fuel of each document, in order.
fn fuel_of(documents: &[(String, String)]) -> Vec<u64> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let mut arguments = vec!["plugin", "bench", "summary", "--json"];
    for (name, text) in documents {
        std::fs::write(dir.path().join(name), text).expect("write a document");
        arguments.extend(["--document", name]);
    }
    let measured = tamis(dir.path(), &arguments);
    output_of(&measured, 0);
    let fuel = lines(&measured);
    let fuel = fuel
        .iter()
        .map(|line| line["fuel"].as_u64().expect("fuel"))
        .collect::<Vec<_>>();
    assert_eq!(fuel.len(), documents.len());
    fuel
}

#[test]
fn a_summary_of_any_kind_has_a_bounded_cost() {
    let kinds = documents::kinds();
    assert_eq!(kinds.len(), MOST.len());
    let documents: Vec<_> = kinds
        .into_iter()
        .map(|(kind, text)| (kind.to_owned(), text))
        .collect();
    for ((kind, text), fuel) in documents.iter().zip(fuel_of(&documents)) {
        let (_, most) = MOST
            .iter()
            .find(|(known, _)| known == kind)
            .expect("a bound");
        let of_64_kb = fuel * 65_536 / text.len() as u64;
        assert!(of_64_kb <= most * 1_000_000, "{kind}: {of_64_kb}");
    }
}

/// Parts of texts that begin what does not end: each line is read once.
#[test]
fn eight_times_the_text_has_eight_times_the_cost() {
    let parts = [
        "COPY a (x, y) FROM stdin;\n",
        "COPY a (x, y\tz) FROM stdin;\n",
        "COPY a (x, x\tx) FROM stdin;\n",
        "COPY a (x, y) FROM stdin;\n1\t2\n1\t2\n1\t2\n",
        "COPY a (x, y) FROM stdin; ",
        " a | b\n---+---\n 1 | 2\n",
        "---+---\n",
        "+-+-+\n| a | b |\n",
        "a\n-+-\n\n",
        "<p></p>",
    ];
    let mut documents = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let head = match *part {
            "<p></p>" => "<h1>A</h1>\n",
            _ => "--\n",
        };
        for count in [1_000, 8_000] {
            // The line below them is none of a table.
            let text = format!("{head}{}\nend\n", part.repeat(count));
            documents.push((format!("{at}-{count}"), text));
        }
    }
    for (part, fuel) in parts.iter().zip(fuel_of(&documents).chunks(2)) {
        assert!(fuel[1] < fuel[0] * 10, "{part:?}: {fuel:?}");
    }
}
