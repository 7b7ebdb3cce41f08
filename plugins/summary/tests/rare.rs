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

/// Text of Prometheus, and an event of a calendar: most lines are all different by their labels and words.
#[test]
fn the_odd_one_of_series_or_of_the_values_of_a_key_is_shown() {
    let metrics: String = (0..14)
        .flat_map(|metric| {
            (0..12).map(move |at| {
                let code = [200, 404, 500][at % 3];
                let value = at * 13 * (metric + 1);
                let handlers =
                    "alpha bravo cargo delta ember fjord grape harbor indigo jungle kernel lemon";
                let handler = handlers.split(' ').nth(at).unwrap();
                let name = ["http", "queue", "cache", "disk", "mail", "auth", "jobs"][metric % 7];
                let unit = ["total", "count"][metric / 7];
                format!("{name}_{unit}{{code=\"{code}\",handler=\"/{handler}\"}} {value}\n")
            })
        })
        .collect();
    let up = |at: usize| {
        format!(
            "up{{instance=\"10.0.0.{at}:9090\"}} {}\n",
            u8::from(at != 5)
        )
    };
    let ups: String = (0..12).map(up).collect();
    let heads = "# HELP up Whether a scrape succeeds.\n# TYPE up gauge\n";
    let events: String = (0..70)
        .map(|at| {
            let status = if at == 41 { "CANCELLED" } else { "CONFIRMED" };
            let word = char::from(b'a' + (at % 26) as u8).to_string().repeat(4 + at / 26);
            format!("BEGIN:VEVENT\nUID:{word}{at}\nSUMMARY:Talk of {word}\nSTATUS:{status}\nEND:VEVENT\n")
        })
        .collect();
    for (text, shown) in [
        (
            format!("{metrics}{heads}{ups}"),
            "176: up{instance=\"10.0.0.5:9090\"} 0",
        ),
        (events, "209: STATUS:CANCELLED"),
    ] {
        let told = Bench::<Summary>::new("{}").apply(&text).text().to_owned();
        assert!(told.lines().any(|line| line == shown), "{shown}\n{told}");
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
