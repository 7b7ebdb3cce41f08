//! Promises about excerpts, with questions as a model asks them.

mod errors;
mod garbage;
mod pages;
mod parts;
mod paths;
mod ranges;
mod recognised;
mod search;
mod short;
mod sql;
mod sql_forms;
mod sql_tables;
mod sql_values;

use proptest::prelude::*;
use proptest::test_runner::Config;

use super::{Cap, Excerpt, Original, Query, ReadError, read};

/// No files of past failures, since a failure prints its input.
fn config() -> Config {
    Config {
        cases: 256,
        failure_persistence: None,
        ..Config::default()
    }
}

/// Stands for a tokenizer.
fn count(text: &str) -> usize {
    text.len().div_ceil(4)
}

fn cap(tokens: usize) -> Cap<'static> {
    Cap {
        tokens,
        counter: &count,
    }
}

fn ask(original: &str, query: Query) -> Result<Excerpt, ReadError> {
    read(
        &Original::new(original.as_bytes()),
        None,
        &query,
        cap(2_000),
    )
}

/// The texts of all excerpts, put together; each is held to the cap.
#[track_caller]
fn all_pages(original: &[u8], part: Option<&str>, query: Query, tokens: usize) -> String {
    let original = Original::new(original);
    let (mut all, mut query) = (String::new(), query);
    loop {
        let excerpt = read(&original, part, &query, cap(tokens))
            .unwrap_or_else(|error| panic!("{query:?} after {all:?}: {error}"));
        let size = count(&excerpt.to_string());
        assert!(size <= tokens, "{size} tokens, not {tokens}: {excerpt:?}");
        all.push_str(&excerpt.text);
        let Some(next) = excerpt.next else { return all };
        assert!(!excerpt.text.is_empty(), "no progress: {query:?} {next}");
        query = Query::Cursor(next.to_string());
    }
}

fn path(path: &str) -> Query {
    Query::Path(path.to_owned())
}

fn rows(path: Option<&str>, from: u64, to: Option<u64>) -> Query {
    Query::Rows {
        path: path.map(str::to_owned),
        from,
        to,
    }
}

fn lines(from: u64, to: Option<u64>) -> Query {
    Query::Lines {
        path: None,
        from,
        to,
    }
}

fn find(pattern: &str) -> Query {
    Query::Search {
        pattern: pattern.to_owned(),
        regex: false,
        ignore_case: false,
        context: 0,
        path: None,
    }
}

fn find_regex(pattern: &str) -> Query {
    Query::Search {
        pattern: pattern.to_owned(),
        regex: true,
        ignore_case: false,
        context: 0,
        path: None,
    }
}

/// JSON texts, with the spellings, spaces and odd keys that servers send.
fn json() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("1e2".to_owned()),
        Just("-0.10".to_owned()),
        Just("\"\\u00e9 \\\"q\\\" \\n\"".to_owned()),
        "[a-zé ]{0,12}".prop_map(|text| format!("\"{text}\"")),
    ];
    let space = prop_oneof![Just(""), Just(" "), Just("\n  "), Just("\r\n\t")];
    let key = prop_oneof![
        "[a-z_]{1,4}".prop_map(|key| format!("\"{key}\"")),
        Just("\"odd name\"".to_owned()),
        Just("\"\"".to_owned()),
        Just("\"a.b[0]\"".to_owned()),
        Just("\"\\\"\\u0041\"".to_owned()),
    ];
    scalar.prop_recursive(4, 40, 5, move |inner| {
        let list = (
            proptest::collection::vec(inner.clone(), 0..5),
            space.clone(),
        );
        let map = (
            proptest::collection::vec((key.clone(), inner), 0..5),
            space.clone(),
        );
        prop_oneof![
            list.prop_map(|(values, space)| {
                format!("[{space}{}{space}]", values.join(&format!(",{space}")))
            }),
            map.prop_map(|(members, space)| {
                let members: Vec<String> = members
                    .iter()
                    .map(|(key, value)| format!("{key}:{space}{value}"))
                    .collect();
                format!("{{{space}{}{space}}}", members.join(&format!("{space},")))
            }),
        ]
    })
}
