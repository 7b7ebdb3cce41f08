//! Rare values are shown with their places and true counts.

use serde_json::{Map, Value, json};
use summary::Summary;
use tamis_sdk::testing::Bench;

fn summary(document: &Value) -> String {
    let bench = Bench::<Summary>::new(json!({"tables": false}));
    bench.apply(&document.to_string()).text().to_owned()
}

/// Messages that all differ, except `errors`.
fn rows(errors: &[usize]) -> Vec<Value> {
    let word = |at: usize, by: usize| char::from(b'a' + (at / by % 26) as u8);
    let message = |at: usize| match errors.contains(&at) {
        true => format!("fatal: no space left on {}{}", word(at, 1), word(at, 26)),
        false => format!(
            "{0}{1}{2}{0} says {1}{0}",
            word(at, 1),
            word(at, 26),
            word(at, 676)
        ),
    };
    (0..3_000)
        .map(|at| json!({"id": at, "message": message(at)}))
        .collect()
}

#[test]
fn messages_that_look_like_errors_are_told_with_the_first() {
    let one = summary(&json!(rows(&[2_001])));
    assert!(
        one.contains("1 looks like an error: fatal: no space left on zy at [2001]"),
        "{one}"
    );
    let two = summary(&json!(rows(&[2_001, 2_500])));
    assert!(
        two.contains("2 look like errors, first: fatal: no space left on zy at [2001]"),
        "{two}"
    );
    let none = summary(&json!(rows(&[])));
    assert!(
        !none.contains("like an error") && !none.contains("like errors"),
        "{none}"
    );
}

#[test]
fn rows_of_a_map_are_named_by_their_keys() {
    let entries: Map<String, Value> = (0..200)
        .map(|at| {
            (
                format!("node {at}"),
                json!({"state": if at == 77 { "lost" } else { "up" }, "load": at % 9}),
            )
        })
        .collect();
    let told = summary(&Value::Object(entries));
    assert!(told.contains("lost 1 at [\"node 77\"]"), "{told}");
}

#[test]
fn lines_that_look_like_failures_are_counted_by_sort() {
    let told = |failures: &[String]| {
        let noise: String = (0..300)
            .map(|at| format!("step {at}: copied part-{at} (37 KB)\n"))
            .collect();
        let text = format!("{noise}{}\n{noise}", failures.join("\n"));
        Bench::<Summary>::new("{}").apply(&text).text().to_owned()
    };
    let line = |word: &str, at: usize| format!("ERROR: {word} {at} is gone");
    for (failures, expected) in [
        (vec![line("disk", 1)], "1 line that looks like a failure:"),
        (
            vec![line("disk", 1), line("disk", 2)],
            "2 lines that look like failures, of one sort:",
        ),
        (
            vec![line("disk", 1), line("host", 2)],
            "2 lines that look like failures:",
        ),
        (
            vec![
                line("disk", 1),
                line("host", 2),
                line("disk", 3),
                line("host", 4),
            ],
            "4 lines that look like failures, of 2 sorts:",
        ),
    ] {
        let told = told(&failures);
        assert!(
            told.lines().any(|line| line == expected),
            "{expected}\n{told}"
        );
    }
}

/// Which part of a document a call offers.
#[test]
fn a_text_is_more_than_a_table_where_it_is_more_than_four_times_as_large() {
    let rows: Vec<Value> = (0..40)
        .map(|at| json!({"id": at, "name": "a row"}))
        .collect();
    let table = json!(rows).to_string().len();
    let path = |bytes: usize| {
        let told = summary(&json!({"rows": rows, "log": "w\n".repeat(bytes)}));
        told.contains("\"path\":\"$.log\"")
    };
    // A line feed has two bytes in JSON, and the quotes are two more.
    let at_most = (4 * table - 2) / 3;
    assert!(!path(at_most) && path(at_most + 1));
}
