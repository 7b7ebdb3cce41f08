//! Short lists, as most results have them: a table costs fewer tokens than the JSON, or none is written.

use std::fmt::Write as _;
use tamis_document::Document;
use tamis_rows::{Level, Options, encode, restore};

/// Lists of 2 to 6 rows: the members of a row, made from its number.
type Member = (&'static str, fn(usize) -> String);

const ISSUE: [Member; 8] = [
    ("number", |row| format!("{}", 4100 + row * 7)),
    ("title", |row| {
        format!("\"Crash when the {row}th file is empty\"")
    }),
    ("state", |_| "\"open\"".to_owned()),
    ("author", |row| format!("\"dev-{row}\"")),
    ("comments", |row| format!("{}", row * 3 % 5)),
    ("assignee", |_| "null".to_owned()),
    ("labels", |row| ["[]", "[\"bug\"]"][row % 2].to_owned()),
    ("created_at", |row| {
        format!("\"2026-03-0{}T10:15:00Z\"", row + 1)
    }),
];

const ORDER: [Member; 8] = [
    ("id", |row| format!("{}", row + 1)),
    ("customer", |row| {
        ["\"Ada\"", "\"Grace\"", "\"Alan\""][row % 3].to_owned()
    }),
    ("zip", |row| format!("\"0{}\"", 1234 * (row + 1))),
    ("total", |row| format!("{}.5", 20 + row * 13)),
    ("currency", |_| "\"EUR\"".to_owned()),
    ("paid", |row| (row % 2 == 0).to_string()),
    ("note", |row| ["null", "\"call first\""][row % 2].to_owned()),
    ("status", |row| {
        ["\"open\"", "\"shipped\""][row % 2].to_owned()
    }),
];

const PROCESS: [Member; 8] = [
    ("pid", |row| format!("{}", 900 + row * 113)),
    ("name", |row| {
        ["\"postgres\"", "\"nginx\"", "\"node\""][row % 3].to_owned()
    }),
    ("cpu", |row| format!("{}.{row}", row)),
    ("mem", |row| format!("{}", 1024 * row)),
    ("running", |_| "true".to_owned()),
    ("tty", |_| "null".to_owned()),
    ("user", |_| "\"root\"".to_owned()),
    ("nice", |_| "0".to_owned()),
];

fn list(members: &[Member], rows: usize, break_line: &str) -> String {
    let mut out = format!("{{\"total\":{rows},\"rows\":[");
    for row in 0..rows {
        out.push_str(if row > 0 { "," } else { "" });
        let _ = write!(out, "{break_line}{{");
        for (index, (name, value)) in members.iter().enumerate() {
            out.push_str(if index > 0 { "," } else { "" });
            let space = if break_line.is_empty() { "" } else { " " };
            let _ = write!(
                out,
                "{break_line}{space}{space}\"{name}\":{space}{}",
                value(row)
            );
        }
        let _ = write!(out, "{break_line}}}");
    }
    out + "]}"
}

#[test]
fn a_short_list_is_cheaper_as_a_table_or_stays_json() {
    let o200k = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
    for (name, members) in [("issue", ISSUE), ("order", ORDER), ("process", PROCESS)] {
        for rows in 2..=6 {
            let compact = list(&members, rows, "");
            let pretty = list(&members, rows, "\n    ");
            let document = Document::json(compact.as_str()).expect("it is JSON");
            let options = Options {
                level: Level::Table,
                min_rows: 2,
            };
            let tape = document.tape().expect("JSON has a tape").words();
            let Some(encoded) = encode(&compact, tape, options) else {
                panic!("{rows} rows of `{name}` are worth a table: {compact}");
            };
            assert_eq!(restore(&encoded.text).as_deref(), Ok(compact.as_str()));
            let [pretty, compact, table] =
                [&pretty, &compact, &encoded.text].map(|text| o200k.count(text));
            println!("{name}, {rows} rows: pretty {pretty}, compact {compact}, table {table}");
            assert!(table < compact, "{table} of {compact}: {}", encoded.text);
            // 15 % of compact JSON, and a third of the JSON that most servers send.
            if rows == 6 {
                assert!(table * 100 <= compact * 85, "{}", encoded.text);
                assert!(table * 3 <= pretty * 2, "{}", encoded.text);
                println!("{}", encoded.text);
            }
        }
    }
}
