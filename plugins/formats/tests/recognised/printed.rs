//! Tables of random cells in each notation, as a program would print them.

use crate::{check, rows};
use proptest::prelude::*;
use proptest::sample::Index;
use tamis_formats::{Format, read};

/// Names, and rows of as many cells.
#[derive(Debug, Clone)]
struct Table {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A table whose first column has numbers, so that its header is recognised. `cell` describes the other cells.
fn table(cell: &'static str) -> impl Strategy<Value = Table> {
    (2usize..6).prop_flat_map(move |width| {
        let names = prop::collection::btree_set("[a-z][a-z_]{1,8}", width);
        let cell = prop_oneof![
            3 => cell.prop_map(String::from),
            1 => Just(String::new()),
            1 => prop::sample::select(vec!["007", "1.50", "-3", "+1", "1e5", "true", "null", "0", "1."]).prop_map(str::to_owned),
        ];
        let row = (0u32..100_000, prop::collection::vec(cell, width - 1));
        let row = row.prop_map(|(id, mut cells)| {
            cells.insert(0, id.to_string());
            cells
        });
        (names, prop::collection::vec(row, 3..9)).prop_map(|(names, rows)| Table {
            names: names.into_iter().collect(),
            rows,
        })
    })
}

/// The JSON of a table.
fn json(table: &Table) -> String {
    let is_number = |text: &str| {
        let value: Result<f64, _> = text.parse();
        let spelled = serde_json::from_str::<serde_json::Value>(text);
        value.is_ok() && spelled.is_ok_and(|value| value.is_number()) && !text.contains(['e', 'E'])
    };
    let quoted = |text: &str| serde_json::to_string(text).expect("a string");
    let cell = |(name, cell): (&String, &String)| {
        let value = if is_number(cell) {
            cell.clone()
        } else {
            quoted(cell)
        };
        format!("{}:{value}", quoted(name))
    };
    let row = |row: &Vec<String>| {
        let cells: Vec<String> = table.names.iter().zip(row).map(cell).collect();
        format!("{{{}}}", cells.join(","))
    };
    let rows: Vec<String> = table.rows.iter().map(row).collect();
    format!("[{}]", rows.join(","))
}

fn lines(table: &Table) -> impl Iterator<Item = &Vec<String>> {
    std::iter::once(&table.names).chain(&table.rows)
}

fn csv(table: &Table, separator: char, quotes: usize) -> String {
    let mut number = 0;
    let mut cell = |cell: &String| {
        number += 1;
        let needed = cell.contains([separator, '"', '\n', '\r']);
        if needed || quotes > 0 && number % quotes == 0 {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.clone()
        }
    };
    let mut text = String::new();
    for line in lines(table) {
        let cells: Vec<String> = line.iter().map(&mut cell).collect();
        text += &cells.join(&separator.to_string());
        text.push('\n');
    }
    text
}

/// Without pipes at the ends if `is_open`, as several programs write tables.
fn markdown(table: &Table, padding: usize, is_open: bool) -> String {
    let (mut text, indent) = (String::new(), " ".repeat(padding % 4));
    let ends = if is_open { ["", ""] } else { ["| ", " |"] };
    for (place, line) in lines(table).enumerate() {
        let cell = |cell: &String| format!("{:<padding$}", cell.replace('|', "\\|"));
        let cells: Vec<String> = line.iter().map(cell).collect();
        let row = |cells: &str| format!("{indent}{}{cells}{}\n", ends[0], ends[1]);
        text += &row(&cells.join(" | "));
        if place == 0 {
            text += &row(&vec![":---"; line.len()].join(" | "));
        }
    }
    text
}

fn widths(table: &Table) -> Vec<usize> {
    let width = |column: usize| lines(table).map(|line| line[column].chars().count()).max();
    (0..table.names.len())
        .map(|column| width(column).unwrap_or(0))
        .collect()
}

fn padded(line: &[String], widths: &[usize], right: bool) -> Vec<String> {
    let cell = |(cell, width): (&String, &usize)| match right {
        true => format!("{cell:>width$}"),
        false => format!("{cell:<width$}"),
    };
    line.iter().zip(widths).map(cell).collect()
}

fn psql(table: &Table, right: bool) -> String {
    let widths = widths(table);
    let mut text = String::new();
    for (place, line) in lines(table).enumerate() {
        text += &format!(" {} \n", padded(line, &widths, right).join(" | "));
        if place == 0 {
            let rules: Vec<String> = widths.iter().map(|width| "-".repeat(width + 2)).collect();
            text += &format!("{}\n", rules.join("+"));
        }
    }
    text + &format!("({} rows)\n", table.rows.len())
}

fn frame(table: &Table, right: bool, signs: [&str; 9]) -> String {
    let widths = widths(table);
    let [vertical, rest @ ..] = signs;
    let rule = |left: &str, cross: &str, right: &str| {
        let rules: Vec<String> = widths
            .iter()
            .map(|width| rest[0].repeat(width + 2))
            .collect();
        format!("{left}{}{right}\n", rules.join(cross))
    };
    let mut text = rule(rest[1], rest[2], rest[3]);
    for (place, line) in lines(table).enumerate() {
        let cells = padded(line, &widths, right).join(&format!(" {vertical} "));
        text += &format!("{vertical} {cells} {vertical}\n");
        if place == 0 {
            text += &rule(rest[4], rest[5], rest[6]);
        }
    }
    text + &rule(rest[4], rest[5], rest[6])
}

fn columns(table: &Table, gap: usize) -> String {
    let widths = widths(table);
    let mut text = String::new();
    for (place, line) in lines(table).enumerate() {
        let line = padded(line, &widths, false).join(&" ".repeat(gap));
        let line = line.trim_end();
        text += &if place == 0 {
            line.to_uppercase()
        } else {
            line.to_owned()
        };
        text.push('\n');
    }
    text
}

/// Columns as pandas prints them: aligned to the right, at least `gap` blanks apart. `index`: numbers before the rows.
fn aligned(table: &Table, gap: usize, are_right: &[bool], index: bool) -> String {
    let widths = widths(table);
    let index_width = table.rows.len().to_string().len();
    let mut text = String::new();
    for (place, line) in lines(table).enumerate() {
        if index {
            let number = if place == 0 {
                String::new()
            } else {
                (place - 1).to_string()
            };
            text += &format!("{number:<index_width$}  ");
        }
        let left = padded(line, &widths, false);
        let right = padded(line, &widths, true);
        let cells = left.into_iter().zip(right).zip(are_right.iter().cycle());
        let cells: Vec<String> = cells
            .map(|((left, right), is)| if *is { right } else { left })
            .collect();
        text += &cells.join(&" ".repeat(gap));
        text.push('\n');
    }
    text
}

#[track_caller]
fn comes_back(text: &str, format: Format, table: &Table) {
    for (before, after) in [
        ("", ""),
        ("The rows of today:\n\n", "\n"),
        ("Found:\n```\n", "```\n"),
    ] {
        let text = format!("{before}{text}{after}");
        let data = read(&text).unwrap_or_else(|| panic!("nothing in\n{text}"));
        assert_eq!(data.format, format, "{text}");
        assert_eq!(data.json, json(table), "{text}");
        assert_eq!(data.text_before(), before);
        check(&text, &data);
        for (row, range) in table.rows.iter().zip(&data.rows) {
            assert!(text[range.clone()].contains(&row[0]), "{text}");
        }
    }
}

/// Damages a text: a piece of it is removed, repeated or replaced.
fn damaged(text: &str, changes: &[(Index, usize, String)]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for (at, kind, other) in changes {
        let at = at.index(chars.len() + 1);
        let end = chars.len().min(at + kind / 3);
        match kind % 3 {
            0 => drop(chars.splice(at..end, other.chars())),
            1 => drop(chars.drain(at..end)),
            _ => {
                let piece: Vec<char> = chars[at..end].to_vec();
                chars.splice(at..at, piece);
            }
        }
    }
    chars.into_iter().collect()
}

proptest! {
    #[test]
    fn csv_comes_back(table in table("[a-z ,;\"'|.\\-é]{0,10}"), quotes in 0usize..4, semicolon in any::<bool>()) {
        let separator = if semicolon { ';' } else { ',' };
        comes_back(&csv(&table, separator, quotes), Format::Csv, &table);
    }

    #[test]
    fn tsv_comes_back(table in table("[a-z ,;'|.\\-é]{0,10}")) {
        comes_back(&csv(&table, '\t', 0), Format::Tsv, &table);
    }

    #[test]
    fn markdown_comes_back(table in table("([a-z,;\"'|.\\-é][a-z |]{0,8})?[a-z]"), padding in 0usize..14, is_open in any::<bool>()) {
        // One column has no pipe between cells.
        let is_open = is_open && table.names.len() > 1;
        comes_back(&markdown(&table, padding, is_open), Format::MarkdownTable, &table);
    }

    #[test]
    fn psql_comes_back(table in table("([a-z,;\"'|.\\-é][a-z |]{0,8})?[a-z]"), right in any::<bool>()) {
        comes_back(&psql(&table, right), Format::Box, &table);
    }

    #[test]
    fn frames_come_back(table in table("([a-z,;\"'|.\\-é][a-z |]{0,8})?[a-z]"), right in any::<bool>(), light in any::<bool>()) {
        let signs = match light {
            true => ["│", "─", "┌", "┬", "┐", "├", "┼", "┤", ""],
            false => ["|", "-", "+", "+", "+", "+", "+", "+", ""],
        };
        comes_back(&frame(&table, right, signs), Format::Box, &table);
    }

    #[test]
    fn columns_come_back(mut table in table("[a-z,;\"'|.-]{1,6}( [a-z]{1,4})?"), gap in 2usize..5) {
        let text = columns(&table, gap);
        table.names.iter_mut().for_each(|name| *name = name.to_uppercase());
        comes_back(&text, Format::Columns, &table);
    }

    #[test]
    fn columns_to_the_right_come_back(table in table("[a-z,;\"'|.-]{1,9}( [a-z]{1,8}){0,3}"), gap in 1usize..4) {
        // A name one blank from another, without a cell below it, is a word of that one.
        let is_empty = |at: usize| table.rows.iter().all(|row: &Vec<String>| row[at].is_empty());
        prop_assume!(gap > 1 || !(0..table.names.len()).any(is_empty));
        let text = aligned(&table, gap, &[true], false);
        if let Some(data) = read(&text) {
            assert_eq!(data.json, json(&table), "{text}");
        }
    }

    #[test]
    fn an_index_before_columns_comes_back(table in table("[a-z]{1,9}( [a-z]{1,8}){0,3}")) {
        let text = aligned(&table, 2, &[true], true);
        if let Some(data) = read(&text) {
            let number = |(place, row): (usize, &Vec<String>)| {
                std::iter::once(place.to_string()).chain(row.iter().cloned()).collect()
            };
            let names = std::iter::once(String::new()).chain(table.names.iter().cloned());
            let table = Table { names: names.collect(), rows: table.rows.iter().enumerate().map(number).collect() };
            assert_eq!(data.json, json(&table), "{text}");
        }
    }

    #[test]
    fn what_is_read_of_a_damaged_table_is_all_of_it(
        table in table("[a-z|,]{0,8}"),
        kind in 0usize..7,
        changes in prop::collection::vec((any::<Index>(), 0usize..30, "[a-z0-9 |,\t\n\"+-]{0,3}"), 1..4),
    ) {
        let text = match kind {
            0 => csv(&table, ',', 3),
            1 => csv(&table, '\t', 0),
            2 => markdown(&table, 4, table.names.len() % 2 == 0),
            3 => psql(&table, true),
            4 => frame(&table, false, ["|", "-", "+", "+", "+", "+", "+", "+", ""]),
            5 => columns(&table, 2),
            _ => json(&table).replace("},{", "}\n{").trim_matches(['[', ']']).to_owned(),
        };
        let text = damaged(&text, &changes);
        if let Some(data) = read(&text) {
            check(&text, &data);
        }
    }

    #[test]
    fn any_text_is_survived(text in "(\\PC|[\n\t|,;<>{}\\[\\]:'\" -]){0,60}") {
        if let Some(data) = read(&text) {
            check(&text, &data);
        }
    }

    #[test]
    fn names_of_rows_are_those_of_the_header(table in table("[a-z]{1,8}")) {
        let text = csv(&table, ',', 0);
        let data = read(&text).expect("CSV");
        for row in rows(&data) {
            let names: Vec<String> = row.into_keys().collect();
            // Both are in the order of the alphabet.
            prop_assert_eq!(&names, &table.names);
        }
    }
}
