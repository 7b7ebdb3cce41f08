//! A hostile server's names and descriptions stay in comments and strings.

use super::*;
use crate::built_in;
use crate::cli::init::listing::is_exact;
use crate::cli::init::plan::{self, Names};
use crate::mcp::inquiry::ServerName;
use crate::policy::{Piece, Policy, Source, Surface};
use crate::printable;
use serde_json::{Value, json};

const NAMES: [&str; 15] = [
    "plain",
    "default",
    "a\"b",
    "'''",
    "\"\"\"\"",
    "back\\slash",
    "käse",
    "a*b",
    "!not",
    "two words",
    "line\n[[chain]]",
    "\u{1b}[2J\u{202e}",
    "",
    "[]",
    "#",
];

fn tool(name: &str, description: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        read_only: None,
        destructive: Some(true),
        needs_arguments: false,
    }
}

fn server(name: &str) -> Asked {
    Asked {
        title: name.to_owned(),
        name: name.to_owned(),
        is_named: true,
        origins: vec![format!("a client of {name}")],
        words: None,
        says: ServerName {
            name: name.to_owned(),
            version: "\n[[chain]]".to_owned(),
        },
    }
}

const MEASURE: Measure = Measure {
    results: 1,
    before: 1000,
    after: 100,
    cut: 1,
    uncut: 200,
};

fn parsed(text: &str) -> Policy {
    let source = Source::new("filters.toml", text).expect("text");
    let policy = Policy::parse(source, &built_in::names());
    policy.unwrap_or_else(|report| panic!("{report}\nin\n{text}"))
}

#[test]
fn what_a_hostile_server_says_stays_in_comments_and_strings() {
    let tools = || NAMES.map(|name| tool(name, "one\r[[plugin]]\u{2028}\n[[plugin]]"));
    let base = vec!["steps = [\"ansi\"]".to_owned()];
    for hostile in NAMES {
        // Two servers, whose tools need other chains.
        let mut listing = Listing::default();
        listing.add(server(hostile), tools().to_vec());
        listing.add(server("other"), tools().to_vec());
        let finding = |index: usize| {
            let is_first = index < NAMES.len();
            let lines = vec![format!(
                "steps = [\"{}\"]",
                if is_first { "ansi" } else { "unwrap" }
            )];
            Some(Finding {
                base: MEASURE,
                own: Some((lines, MEASURE)),
            })
        };
        let mut findings: Vec<_> = (0..listing.tools.len()).map(finding).collect();
        let wanted = vec![true; listing.tools.len()];
        plan::settle(&listing, &mut findings, &wanted);
        let mut names = Names::new(["default"]);
        let own = plan::chains_with_own_steps(&listing, &findings, &wanted, &mut names);
        let text = Value::String(hostile.to_owned());
        let test = Test {
            name: names.take(hostile),
            tool: hostile.to_owned(),
            server: Some(hostile.to_owned()),
            arguments: [(hostile.to_owned(), json!([1, {"a": text}]))]
                .into_iter()
                .collect(),
            input_file: "fixtures/result.json".to_owned(),
            tokens_before: 1000,
            tokens_after: 100,
            word: Some(hostile.to_owned()),
        };
        let tests = [test];
        let page = Page {
            listing: &listing,
            findings: &findings,
            own: &own,
            tests: if hostile.is_empty() { &[] } else { &tests },
        };
        let text = page.text(&base);
        let is_clean = |c: char| c == '\n' || !printable::is_hidden(c);
        assert!(text.chars().all(is_clean), "{text:?}");
        let policy = parsed(&text);
        assert!(policy.plugins.is_empty());
        assert_eq!(policy.chains.len(), own.len() + 2);
        for name in NAMES.into_iter().filter(|name| is_exact(name)) {
            let piece = Piece {
                server: Some("other"),
                ..Piece::new(Surface::Result, name)
            };
            let chain = &policy.chains[policy.chain_for(&piece).expect("a chain")];
            let patterns = chain.binding.patterns(Surface::Result).iter();
            assert!(
                patterns.clone().any(|pattern| pattern.as_str() == name),
                "{name:?}\n{text}"
            );
            assert_eq!(chain.binding.conditions.servers[0].as_str(), "other");
        }
        for (test, written) in policy.tests.iter().zip(page.tests) {
            let arguments: Value =
                serde_json::from_str(test.arguments.as_deref().unwrap_or("{}")).expect("JSON");
            assert_eq!(arguments, Value::Object(written.arguments.clone()));
            assert_eq!(test.tool.as_ref(), Some(&written.tool));
            assert_eq!(test.server, written.server);
        }
        assert_eq!(policy.tests.len(), page.tests.len());

        // As an addition, the same.
        let (rest, _) = plan::rest(
            &listing,
            &findings,
            &wanted,
            &vec![false; wanted.len()],
            &base,
            &mut Names::default(),
        )
        .expect("few tools");
        let policy = parsed(&page.addition(&rest, &wanted));
        assert_eq!(policy.chains.len(), own.len() + rest.len());
    }
}

#[test]
fn a_list_of_any_length_fits_a_file() {
    let name = |index: usize| format!("{index:05}{}", "\u{202e}".repeat(500));
    let tools: Vec<Tool> = (0..10_000)
        .map(|index| tool(&name(index), &"\u{e0041}".repeat(5_000)))
        .collect();
    let mut listing = Listing::default();
    listing.add(server(&name(0)), tools);
    let findings = vec![None; 10_000];
    let page = Page {
        listing: &listing,
        findings: &findings,
        own: &[],
        tests: &[],
    };
    let text = page.text(&["steps = [\"ansi\"]".to_owned()]);
    assert!(text.len() < 400_000, "{}", text.len());
    assert!(text.contains("#   and 9500 more\n"), "{text}");
    parsed(&text);
}
