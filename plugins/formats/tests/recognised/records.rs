//! Rows that are printed below one another, each under a line with its number.

use serde_json::{Value, json};
use tamis_formats::{Format, read, read_loosely};

fn expected(count: usize) -> Value {
    let row = |at| json!({"id": at, "name": format!("a: b | {at}"), "note": ""});
    Value::Array((1..=count).map(row).collect())
}

/// Rows as three programs print them, and as a server does.
fn printed(count: usize) -> [(&'static str, String); 4] {
    let rows = |row: &dyn Fn(usize) -> String| (1..=count).map(row).collect::<String>();
    let stars = "*".repeat(27);
    [
        (
            "mysql",
            rows(&|at| {
                format!("{stars} {at}. row {stars}\n  id: {at}\nname: a: b | {at}\nnote: \n")
            }),
        ),
        (
            "psql",
            rows(&|at| {
                let dashes = "-".repeat(20 - at.to_string().len());
                format!("-[ RECORD {at} ]{dashes}\nid   | {at}\nname | a: b | {at}\nnote | \n")
            }),
        ),
        (
            "clickhouse",
            rows(&|at| format!("Row {at}:\n──────\nid:   {at}\nname: a: b | {at}\nnote: \n\n")),
        ),
        (
            "a server",
            rows(&|at| format!("{at}. row\nid: {at}\nname: a: b | {at}\nnote:\n\n")),
        ),
    ]
}

#[test]
fn rows_below_one_another_are_rows() {
    for count in [2, 9, 120] {
        for (program, text) in printed(count) {
            for (before, after) in [
                ("", ""),
                ("Result:\n", "Result: all of them\n"),
                ("", "9 in set\n"),
            ] {
                let whole = format!("{before}{text}{after}");
                let data = read_loosely(&whole).unwrap_or_else(|| panic!("{program}: {whole}"));
                assert_eq!(data.format, Format::Stanzas);
                let value: Value = serde_json::from_str(&data.json).expect("JSON");
                assert_eq!(value, expected(count), "{program}");
                assert_eq!(data.rows.len(), count);
                assert_eq!(data.text_before(), before);
                assert_eq!(data.text_after().trim(), after.trim(), "{program}");
                for (at, row) in (1..).zip(&data.rows) {
                    let first = whole[row.clone()].lines().next().unwrap_or_default();
                    assert!(first.contains(&at.to_string()), "{first}");
                }
                assert!(read(&whole).is_none(), "the lines with numbers are lost");
            }
        }
    }
}

#[test]
fn rows_in_doubt_are_refused() {
    for (program, text) in printed(6) {
        let broken = [
            // A row is missing, or has another key, one more, one less, or a value of several lines.
            text.replace("2", "7"),
            text.replacen("name", "title", 3)
                .replacen("title", "name", 2),
            text.replacen("note", "more: 1\nnote", 2),
            text.replacen("a: b | 4\n", "a: b | 4\nand more\n", 1),
            text.replacen(
                "a: b | 4\n",
                "a: b | 4\nCREATE TABLE x (\n  a int: 4\n)\n",
                1,
            ),
        ];
        for text in broken {
            let data = read_loosely(&text).filter(|data| data.format == Format::Stanzas);
            assert!(data.is_none(), "{program}: {text}\n{data:?}");
        }
    }
    for text in [
        "Row 1:\nid: 1\nname: a\nnote: b\n",
        "1. row the boat\nid: 1\nname: a\n2. row the boat\nid: 1\nname: a\n",
        "Page 1\nid: 1\nname: a\nPage 2\nid: 1\nname: a\n",
    ] {
        let data = read_loosely(text).filter(|data| data.format == Format::Stanzas);
        assert!(data.is_none(), "{data:?}");
    }
}
