//! Tables of which a server left out rows, and says so in a line.

use crate::check;
use serde_json::Value;
use tamis_formats::{Data, read, read_loosely};

/// The lines of a table of so many rows in each notation, and how many of the lines are above the rows and below them.
fn tables(rows: usize) -> Vec<(Vec<String>, usize, usize)> {
    let all = |row: &dyn Fn(usize) -> String, above: &[&str], below: &[&str]| {
        let above_count = above.len();
        let lines = above.iter().map(|line| (*line).to_owned());
        let lines = lines.chain((0..rows).map(row));
        let lines = lines.chain(below.iter().map(|line| (*line).to_owned()));
        (lines.collect(), above_count, below.len())
    };
    let columns = |i| format!("{:<10}{:<12}{}", 100 + i, format!("user-{i}"), i % 7);
    let csv = |i| format!("{},user-{i},{}", 100 + i, i % 7);
    let markdown = |i| format!("| {} | user-{i} | {} |", 100 + i, i % 7);
    let framed = |i| {
        format!(
            "| {} | {:<8} | {}    |",
            100 + i,
            format!("user-{i}"),
            i % 7
        )
    };
    let psql = |i| format!(" {} | {:<8} | {}", 100 + i, format!("user-{i}"), i % 7);
    let rule = "+-----+----------+------+";
    let header = "| id  | name     | load |";
    vec![
        all(&columns, &["ID        NAME        LOAD"], &[]),
        all(&csv, &["id,name,load"], &[]),
        all(&markdown, &["| id | name | load |", "|---|---|---|"], &[]),
        all(&framed, &[rule, header, rule], &[rule]),
        all(
            &psql,
            &[" id  | name     | load", "-----+----------+------"],
            &["(30 rows)"],
        ),
    ]
}

/// A grid: a rule below each row.
fn grid(rows: usize) -> Vec<String> {
    let rule = "+-----+----------+";
    let head = [rule, "| id  | name     |", "+=====+==========+"].map(str::to_owned);
    let row = |i| {
        [
            format!("| {} | {:<8} |", 100 + i, format!("user-{i}")),
            rule.to_owned(),
        ]
    };
    head.into_iter().chain((0..rows).flat_map(row)).collect()
}

#[track_caller]
fn ids(text: &str, data: &Data<'_>) -> Vec<u64> {
    let parts = [data.text_before(), data.source(), data.text_after()].concat();
    assert_eq!(parts, text);
    check(text, data);
    let rows: Vec<Value> = serde_json::from_str(&data.json).expect("rows");
    let names = ["id", "ID"];
    let id = |row: &Value| names.iter().find_map(|name| row[*name].as_u64());
    rows.iter().map(|row| id(row).expect("a number")).collect()
}

#[track_caller]
fn has(text: &str, expected: impl IntoIterator<Item = u64>, others: &[&str]) {
    let data = read_loosely(text).unwrap_or_else(|| panic!("nothing in\n{text}"));
    assert_eq!(
        ids(text, &data),
        expected.into_iter().collect::<Vec<_>>(),
        "{text}"
    );
    let found: Vec<&str> = data.others.iter().map(|line| &text[line.clone()]).collect();
    assert_eq!(found, others, "{text}");
}

const NOTE: &str = "... [9 lines truncated] ...";

#[test]
fn rows_on_both_sides_of_the_line_are_one_table() {
    for (lines, above, _) in tables(30) {
        for blanks in ["", "\n"] {
            let head = lines[..above + 12].join("\n");
            let tail = lines[above + 21..].join("\n");
            let text = format!("{head}\n{blanks}{NOTE}\n{blanks}{tail}\n");
            has(&text, (100..112).chain(121..130), &[NOTE]);
        }
    }
}

#[test]
fn parts_of_rows_beside_the_line_are_no_rows() {
    let note = "…(2,012 chars omitted)…";
    for (lines, above, _) in tables(30) {
        let text = lines.join("\n");
        let start = lines[..above + 12].join("\n").len() + 7;
        let end = lines[..above + 20].join("\n").len() + 7;
        let (head, tail) = (&text[..start], &text[end..]);
        let part = |line: &str| line.trim().to_owned();
        let above_part = part(&lines[above + 12][..6]);
        let below_part = part(&lines[above + 20][6..]);
        let text = format!("{head}\n\n{note}\n\n{tail}\n");
        let data = read_loosely(&text).unwrap_or_else(|| panic!("nothing in\n{text}"));
        let expected: Vec<u64> = (100..112).chain(121..130).collect();
        assert_eq!(ids(&text, &data), expected, "{text}");
        let found: Vec<&str> = data
            .others
            .iter()
            .map(|line| text[line.clone()].trim())
            .collect();
        assert_eq!(found, [&above_part, note, &below_part], "{text}");
    }
}

#[test]
fn a_grid_may_be_cut_at_a_rule_or_at_a_row() {
    let lines = grid(30);
    for (head, tail) in [(27, 45), (28, 45), (27, 46), (28, 46)] {
        let text = format!(
            "{}\n{NOTE}\n{}\n",
            lines[..head].join("\n"),
            lines[tail..].join("\n")
        );
        let first = 100 + (head as u64 - 2) / 2;
        let next = 100 + (tail as u64 - 2) / 2;
        has(&text, (100..first).chain(next..130), &[NOTE]);
    }
}

#[test]
fn a_table_may_end_at_the_line() {
    for (lines, above, _) in tables(30) {
        let head = lines[..above + 12].join("\n");
        has(&format!("{head}\n{NOTE}\n"), 100..112, &[]);
        let text = format!("{head}\n{}<response clipped>", &lines[above + 12][..6]);
        has(&text, 100..112, &[]);
    }
    for head in [27, 28] {
        let text = format!("{}\n{NOTE}\n", grid(30)[..head].join("\n"));
        has(&text, 100..100 + (head as u64 - 2) / 2, &[]);
    }
}

#[test]
fn what_may_be_other_data_below_the_line_is_refused() {
    // The restored text would lack the line.
    let (lines, above, _) = &tables(30)[0];
    let text = [
        &lines[..above + 12],
        &[NOTE.to_owned()],
        &lines[above + 21..],
    ]
    .concat();
    assert_eq!(read(&text.join("\n")), None);
    // Two such lines.
    let twice = [&text[..], &[NOTE.to_owned()], &lines[above + 27..]].concat();
    assert_eq!(read_loosely(&twice.join("\n")), None);
    // Lists of YAML may be of different keys.
    let item = |i| format!("- id: {i}\n  name: a");
    let items: Vec<String> = (0..30).map(item).collect();
    let yaml = format!(
        "{}\n{NOTE}\n{}\n",
        items[..12].join("\n"),
        items[20..].join("\n")
    );
    assert_eq!(read_loosely(&yaml), None);
    // Another table.
    let other: Vec<String> = (0..30).map(|i| format!("{i:<30}words")).collect();
    let text = format!(
        "{}\n{NOTE}\n{}\n",
        lines[..above + 12].join("\n"),
        other.join("\n")
    );
    assert_eq!(read_loosely(&text), None);
}

#[test]
fn a_row_below_the_line_is_none_of_names() {
    let rule = "+-----+--------+";
    let frame = |rows: std::ops::Range<u32>| {
        let rows = rows.map(|i| format!("| {i} | user {} |\n{rule}\n", i % 10));
        rows.collect::<String>()
    };
    let head = format!("{rule}\n| id  | name   |\n{rule}\n{}", frame(100..120));
    // The words between the two make it unlike one table.
    let text = format!(
        "# Users\n\n{head}\nThat is all.\n\n{NOTE}\n\n{rule}\n{}",
        frame(130..150)
    );
    if let Some(data) = read_loosely(&text) {
        assert!(!data.json.contains("\"130\""), "{}", data.json);
    }
}
