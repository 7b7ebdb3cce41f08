//! Data with flaws: tables with lines that are no rows, several pieces of data, comments.

use crate::check;
use serde_json::{Value, json};
use tamis_formats::{Data, Format, read, read_loosely};

#[track_caller]
pub fn loose(text: &str) -> Data<'_> {
    assert_ne!(read(text), read_loosely(text), "{text:?}");
    let data = read_loosely(text).unwrap_or_else(|| panic!("nothing in {text:?}"));
    check(text, &data);
    data
}

#[track_caller]
pub fn value(data: &Data<'_>) -> Value {
    serde_json::from_str(&data.json).expect("JSON")
}

#[track_caller]
pub fn refused(text: &str) {
    if let Some(data) = read_loosely(text) {
        panic!("{} in {text:?}: {}", data.format, data.json);
    }
}

pub fn others<'t>(text: &'t str, data: &Data<'_>) -> Vec<&'t str> {
    let line = |line: &std::ops::Range<usize>| &text[line.clone()];
    data.others.iter().map(line).collect()
}

const ROWS: usize = 20;

fn table(separator: &str) -> Vec<String> {
    let row =
        |i: usize| [&*format!("{i}"), "some words", &*format!("{}.50", i * 3)].join(separator);
    let header = ["no", "what", "amount"].join(separator);
    std::iter::once(header).chain((0..ROWS).map(row)).collect()
}

#[test]
fn lines_between_rows_are_no_rows() {
    for (separator, format) in [(",", Format::Csv), (";", Format::Csv), ("\t", Format::Tsv)] {
        for line in [
            "short".to_owned(),
            ["7", "short"].join(separator),
            ["7", "long", "1", "2"].join(separator),
            ["# comment", "with", "3", "more"].join(separator),
            ["7", "\"open", "3"].join(separator),
        ] {
            let mut lines = table(separator);
            lines.insert(9, line.clone());
            let text = lines.join("\n");
            let data = loose(&text);
            assert_eq!((data.format, data.rows.len()), (format, ROWS), "{text}");
            assert_eq!(others(&text, &data), [&line]);
            assert_eq!(&text[data.rows[8].clone()], lines[10]);
        }
    }
}

#[test]
fn a_header_may_begin_with_a_sign() {
    let mut lines = table("\t");
    lines[0] = "ℵno\twhat\tamount".to_owned();
    lines.insert(9, "7\tshort".to_owned());
    let text = lines.join("\n");
    let data = loose(&text);
    assert_eq!((data.format, data.rows.len()), (Format::Tsv, ROWS));
}

#[test]
fn blank_lines_between_rows_are_skipped() {
    for separator in [",", ";", "\t"] {
        let rows = table(separator);
        let comment = ["# note", "of", "it"].join(separator);
        let mut few = rows.clone();
        few.insert(17, String::new());
        let mut many = rows.clone();
        for at in [14, 12, 9, 1] {
            many.insert(at, String::from(if at == 9 { "  " } else { "" }));
        }
        let mut noted = rows.clone();
        noted.insert(9, format!("\n{comment}\n"));
        let all = rows.join("\n\n");
        for text in [few.join("\n"), many.join("\r\n"), noted.join("\n"), all] {
            for after in ["", "\n\nTotal: 600\n", "\n\n(20 rows)\n"] {
                let text = format!("{text}{after}");
                let data = loose(&text);
                assert!(data.format.is_table(), "{text}");
                assert_eq!(data.rows.len(), ROWS, "{text}");
                assert_eq!(text[data.rows[18].clone()], rows[19]);
                let told = others(&text, &data);
                assert!(told.is_empty() || told == [&comment], "{told:?}");
                assert_eq!(data.text_after(), after);
            }
        }
    }
}

#[test]
fn another_table_below_a_blank_line_is_no_row() {
    let rows = table(",");
    for other in [
        "kind,size,owner\nx,1,y\nz,2,w\n",
        "kind,all,of\n",
        "a,b\n1,2\n3,4\n",
    ] {
        let text = format!("{}\n\n{other}", rows.join("\n"));
        if let Some(data) = read_loosely(&text) {
            assert_eq!(data.rows.len(), ROWS, "{text}");
            assert!(data.text_after().contains(other));
        }
    }
}

#[test]
fn rows_of_another_table_are_no_rows_of_the_first() {
    let line = |cells: &[&str]| cells.join(",");
    let first: Vec<String> = (0..20).map(|i| format!("{i},own{i},open")).collect();
    let of_texts: Vec<String> = (0..20).map(|i| format!("own{i},/mnt/{i},open")).collect();
    for (rows, other) in [
        (&first, line(&["q1", "q2", "q3"])),
        (&first, line(&["n/a", "q2", "q3"])),
        (
            &first,
            format!("{}\nq1,q2,q3", line(&["Quarter 2", "", ""])),
        ),
        (&of_texts, line(&["q1", "q2", "q3"])),
        (&of_texts, line(&["2nd owner", "v1/v2", "state"])),
        (
            &of_texts,
            format!("{}\nq1,q2,q3", line(&["Quarter 2", "", ""])),
        ),
    ] {
        let more: Vec<String> = (0..100)
            .map(|i| format!("{i},{},{}", i * 2, i * 3))
            .collect();
        for between in ["", "\n", "# more\n"] {
            let head = format!("id,owner,state\n{}", rows.join("\n"));
            let text = format!("{head}\n{between}\n{other}\n{}", more.join("\n"));
            let Some(data) = read_loosely(&text) else {
                continue;
            };
            let parts: serde_json::Value = serde_json::from_str(&data.json).expect("JSON");
            let rows = |part: &str| parts[part].as_array().map(Vec::len);
            assert_eq!(data.format, Format::Parts, "{text}");
            assert_eq!(
                (rows("part 1"), rows("part 2")),
                (Some(20), Some(100)),
                "{text}"
            );
            assert!(parts["part 2"][0]["q2"].is_number(), "{text}");
        }
    }
}

#[test]
fn a_table_that_starts_again_below_blank_lines_is_no_row() {
    type Cell = fn(usize) -> String;
    let rows = |first: Cell, count: usize| {
        let row = |i: usize| {
            let [city, kind] =
                [["Oslo", "Bern", "Rome"], ["new", "old", "spare"]].map(|it| it[i % 3]);
            format!("{},{city},{kind}\n", first(i))
        };
        (0..count).map(row).collect::<String>()
    };
    let number: Cell = |i| i.to_string();
    let day: Cell = |i| format!("2026-01-{:02}", i % 28 + 1);
    let key: Cell = |i| format!("key{i}");
    for (header, other, first) in [
        // The index of rows has no name.
        (",city,kind", ",city,kind", number),
        (",city,kind", ",town,sort", number),
        // A name with the signs of values.
        ("date,city,kind", "date/time,town,sort", day),
        ("url,city,kind", "a/b,c/d,e/f", day),
        ("key,city,kind", "key,city,kind", key),
    ] {
        for blank in ["\n", "\n\n", "  \n"] {
            let head = format!("{header}\n{}\n{blank}{other}\n", rows(first, 300));
            let text = head.clone() + &rows(first, 200);
            if let Some(data) = read_loosely(&text) {
                assert_eq!(data.format, Format::Parts, "{text}");
                let parts = value(&data);
                let rows = parts.as_object().into_iter().flat_map(|it| it.values());
                let counts = rows.map(|rows| rows.as_array().map_or(0, Vec::len));
                assert_eq!(counts.collect::<Vec<_>>(), [300, 200], "{text}");
            }
            // A table of a few rows, or with a line that is none.
            for below in [
                rows(first, 2),
                rows(first, 9) + "# end\n" + &rows(first, 90),
            ] {
                let text = head.clone() + &below;
                if let Some(data) = read_loosely(&text) {
                    assert_eq!(data.rows.len(), 300, "{text}");
                    assert!(data.text_after().contains(other), "{text}");
                }
            }
        }
    }
    // A row of words is no header.
    let words = "2026-05-05,town,sort\n";
    let text = format!("date,city,kind\n{}\n{words}", rows(day, 40));
    assert_eq!(loose(&text).rows.len(), 41);
}

#[test]
fn a_row_of_words_below_a_blank_line_is_no_header_of_rows_like_those_above() {
    let rows = |from: usize, to: usize| -> String {
        let row = |i: usize| {
            format!(
                "p{i},{},p{i}@x.org,2026-01-{:02}\n",
                i * 37 % 100,
                i % 28 + 1
            )
        };
        (from..to).map(row).collect()
    };
    let text = |words: &str| {
        let (above, below) = (rows(0, 80), rows(80, 200));
        format!("name,score,email,day\n{above}\n{words}\n{below}")
    };
    // It may be a row.
    for words in [
        "Carl,absent,none,unknown",
        "Carl,absent,c,",
        "person,points,mail,date",
    ] {
        refused(&text(words));
    }
    // No header has the word for a value that is not there.
    for words in ["Carl,n/a,pending,unknown", "Carl,absent,nan,2026-01-01"] {
        assert_eq!(loose(&text(words)).rows.len(), 201, "{words}");
    }
    // A header that has a name again.
    for words in ["name,points,mail,date", "person,points,mail,day"] {
        let text = text(words);
        assert_eq!(loose(&text).format, Format::Parts, "{words}");
    }
    // Rows of other kinds, and those that begin again.
    let numbers = rows(80, 200).replace("2026-01-", "1");
    for below in [rows(0, 120), numbers] {
        let above = rows(0, 80);
        let text = format!("name,score,email,day\n{above}\nperson,points,mail,date\n{below}");
        assert_eq!(loose(&text).format, Format::Parts, "{below}");
    }
}

#[test]
fn rows_that_begin_again_below_a_comment_are_those_of_another_table() {
    let rows = |from: usize| (0..100).map(move |i| format!("host-{i},{}\n", from + i));
    let text = |other: &str, from: usize| {
        let below: String = rows(5_000).skip(from).collect();
        format!("host,load\n{}{other}{below}", rows(0).collect::<String>())
    };
    for other in ["# swap per host\n", "\n# swap per host\n", "Swap\n"] {
        refused(&text(other, 0));
        assert_eq!(loose(&text(other, 40)).rows.len(), 160);
    }
}

#[test]
fn titles_and_totals_stand_around_a_table() {
    for before in [
        "# exported 2026\n",
        "Invoices of November 2026\n",
        "Report;all\n\n",
        "# a\n# b\n",
    ] {
        for after in ["", "\nTotal;600", "\n\nTotal: 600\n", "\n... (truncated)"] {
            let text = format!("{before}{}{after}", table(";").join("\n"));
            if let Some(data) = read(&text) {
                assert_eq!(data.rows.len(), ROWS);
                continue;
            }
            let data = loose(&text);
            assert_eq!(data.rows.len(), ROWS);
            assert_eq!((data.text_before(), data.text_after()), (before, after));
            assert!(data.others.is_empty());
        }
    }
}

/// Rows of a join: a name occurs twice.
fn join(separator: &str) -> String {
    let row = |i: usize| format!("{i}|user {i}|{}|ok", i + 70).replace('|', separator);
    let header = "id|name|id|state".replace('|', separator);
    let rows: Vec<String> = std::iter::once(header).chain((0..9).map(row)).collect();
    rows.join("\n")
}

#[test]
fn a_name_that_occurs_twice_has_a_number() {
    let rule = "|---|---|---|---|";
    let markdown = format!("| {} |", join(" | ").replace('\n', " |\n| "));
    let markdown = markdown.replacen('\n', &format!("\n{rule}\n"), 1);
    let frame = "+-----+-----------+-----+---------+";
    let row = |row: &str| {
        let cells: Vec<&str> = row.split(',').collect();
        let [id, name, other, state] = cells[..] else {
            panic!("{row}")
        };
        format!("| {id:<3} | {name:<9} | {other:<3} | {state:<7} |")
    };
    let rows: Vec<String> = join(",").lines().map(row).collect();
    let (header, rows) = (&rows[0], rows[1..].join("\n"));
    let boxed = format!("{frame}\n{header}\n{frame}\n{rows}\n{frame}\n");
    let rule = "---  ---------  ---  -------";
    let columns = format!("{header}\nrule\n{rows}").replace(" | ", "  ");
    let columns = columns
        .replace("| ", "")
        .replace(" |", "")
        .replace("rule", rule);
    for text in [join(","), join(";"), join("\t"), markdown, boxed, columns] {
        assert_eq!(read(&text), None, "{text}");
        let data = loose(&text);
        assert_eq!(
            value(&data)[8],
            json!({"id": 8, "name": "user 8", "id_2": 78, "state": "ok"}),
            "{text}"
        );
        let names = data.renamed.iter().map(|it| (&*it.name, &*it.key));
        assert_eq!(names.collect::<Vec<_>>(), [("id", "id_2")]);
    }
    // No other column has the name, whatever its case.
    let text = join(",").replace("name", "ID_2").replace("state", "id");
    let found = value(&loose(&text));
    assert_eq!(
        found[0],
        json!({"id": 0, "ID_2": "user 0", "id_3": 70, "id_4": "ok"})
    );
    refused(
        &join(",")
            .replacen("name", "id", 1)
            .replacen("state", "id", 1),
    );
}

#[test]
fn a_table_without_its_middle_has_the_rows_that_are_shown() {
    let row = |i: usize| format!("│ {i:>5} │ user {i:<4} │\n");
    let rows = |range: std::ops::Range<usize>| range.map(row).collect::<String>();
    let dots = "│     · │     ·     │\n".repeat(3);
    let text = format!(
        "┌───────┬───────────┐\n│  id   │   name    │\n│ int64 │  varchar  │\n├───────┼───────────┤\n{}{dots}{}└───────┴───────────┘\n  1200 rows (40 shown)  \n",
        rows(0..20),
        rows(1180..1200)
    );
    let data = loose(&text);
    assert_eq!((data.format, data.rows.len()), (Format::Box, 40));
    assert_eq!(value(&data)[20], json!({"id": 1180, "name": "user 1180"}));
    assert_eq!(others(&text, &data), [dots.trim_end()]);
    // Nothing says so, or the number is another one, or rows are left out in two places.
    refused(&text.replace("  1200 rows (40 shown)  \n", ""));
    refused(&text.replace("40 shown", "41 shown"));
    refused(&text.replace(" (40 shown)", ""));
    refused(&text.replace(&row(5), &dots));
}

#[test]
fn rows_with_bare_signs_between_their_cells() {
    let text = join("|");
    assert_eq!(read(&text), None);
    let data = loose(&text);
    assert_eq!((data.format, data.rows.len()), (Format::Box, 9));
    assert_eq!(value(&data)[8]["id_2"], json!(78));
    let quoted = text.replace("user 3", "\"user\"");
    assert_eq!(value(&loose(&quoted))[3]["name"], json!("\"user\""));
    assert_eq!(loose(&format!("{text}\n(9 rows)\n")).rows.len(), 9);
    refused(&format!("{text}\n(10 rows)\n"));
    // A cell with the sign, no header, a line that is no row.
    for (from, to) in [
        ("user 3", "us|er"),
        ("id|name|id|state\n", ""),
        ("3|user 3|73|ok\n", "words\n"),
    ] {
        refused(&text.replace(from, to));
    }
    // Text with lines of its own.
    let listing: String = (1..20).map(|at| format!("{at}|let a = b;\n")).collect();
    refused(&listing);
    refused(&"error | in a | line\n".repeat(9));
}

fn markdown() -> Vec<String> {
    let row = |i: usize| format!("| {i} | run \\| grep x{i} | {} |", i % 3);
    let header = ["| no | command | state |", "|---|:---|---:|"].map(str::to_owned);
    header.into_iter().chain((0..ROWS).map(row)).collect()
}

#[test]
fn lines_between_rows_of_markdown_are_no_rows() {
    for line in [
        "| 7 | a | b | c |",
        "| 7 | a | b",
        "<!-- edited by hand -->",
        "Total: 600",
    ] {
        let mut lines = markdown();
        lines.insert(9, line.to_owned());
        let text = format!("# Report\n\n{}\n\nThat is all.\n", lines.join("\n"));
        let data = loose(&text);
        assert_eq!(
            (data.format, data.rows.len()),
            (Format::MarkdownTable, ROWS)
        );
        assert_eq!(others(&text, &data), [line]);
        assert_eq!(&text[data.rows[7].clone()], lines[10]);
        assert_eq!(value(&data)[7]["command"], json!("run | grep x7"));
        assert_eq!(data.text_after(), "\n\nThat is all.\n");
    }
}

#[test]
fn the_last_row_above_a_closing_rule_is_a_row() {
    let mut lines = markdown();
    lines[9] = "| 7 | only |".to_owned();
    lines.push("|---|:---|---:|".to_owned());
    let text = lines.join("\n");
    let data = loose(&text);
    assert_eq!((data.rows.len(), data.others.len()), (ROWS, 0));
}

#[test]
fn rows_unlike_the_others_below_a_blank_line_are_no_rows_of_markdown() {
    let rows = |name: &str| {
        let rows = (0..100).map(|i| format!("| {name}{i} | {i} |\n"));
        rows.collect::<String>()
    };
    let head = format!("| name | n |\n|---|---|\n{}\n", rows("a"));
    assert_eq!(loose(&format!("{head}{}", rows("b"))).rows.len(), 200);
    refused(&format!("{head}| sum | 11175 |\n\n{}", rows("b")));
    refused(&format!("{head}{}", rows("b").replace(" |\n", "% |\n")));
}

#[test]
fn rows_of_markdown_may_lack_their_last_cells() {
    let mut lines = markdown();
    lines[9] = "| 7 | only |".to_owned();
    lines[12] = "| 10 |".to_owned();
    lines.insert(15, String::new());
    let text = lines.join("\n");
    let data = loose(&text);
    assert_eq!((data.rows.len(), data.others.len()), (ROWS, 0));
    let value = value(&data);
    assert_eq!(value[7], json!({"no": 7, "command": "only", "state": ""}));
    assert_eq!(value[10], json!({"no": 10, "command": "", "state": ""}));
}

#[test]
fn tables_of_markdown_in_doubt_are_refused() {
    let mut many = markdown();
    for at in [4, 8, 12, 16] {
        many.insert(at, "| 7 | a | b | c |".to_owned());
    }
    let two = format!("{0}\n\n{0}\n| a | b | c | d |\n", markdown().join("\n"));
    let few = format!("{}\nwords\n| 9 | a | b |\n", markdown()[..6].join("\n"));
    let prose = "Some words of a report.\n".repeat(12);
    let around = format!("{}\n\n{prose}", markdown().join("\n"));
    let other = format!(
        "{}\n\n| a | b |\n|---|---|\n| 1 | 2 | 3 |\n",
        markdown().join("\n")
    );
    for text in [many.join("\n"), few, around] {
        refused(&text);
    }
    let others = read_loosely(&other).map(|data| data.rows.len());
    assert!(others.is_none_or(|rows| rows == ROWS), "{others:?}");
    // The second header is no row.
    if let Some(data) = read_loosely(&two) {
        assert!(
            !data.json.contains("\"command\":\"command\""),
            "{}",
            data.json
        );
    }
}

#[test]
fn lines_between_json_lines_are_no_rows() {
    let row = |i: usize| json!({"t": i, "level": "info"}).to_string();
    let mut lines: Vec<String> = (0..ROWS).map(row).collect();
    lines.insert(5, "panic: out of range".to_owned());
    lines.push("{\"t\":20,\"lev".to_owned());
    let text = lines.join("\n");
    let data = loose(&text);
    assert_eq!((data.format, data.rows.len()), (Format::JsonLines, ROWS));
    assert_eq!(others(&text, &data), ["panic: out of range"]);
    assert_eq!(data.text_after(), "\n{\"t\":20,\"lev");
}

#[test]
fn tables_in_doubt_are_refused() {
    let mut many = table(",");
    for at in [3, 7, 11] {
        many.insert(at, "no row".to_owned());
    }
    let log = |i: usize| format!("worker started, pid {i}, host h{}, took {i} ms", i % 4);
    let prose = |i: usize| format!("Well, {} said, it was {i}, as ever.", i % 3);
    let code = |i: usize| format!("int a{i}, b{i}, c{i};");
    let lines = |line: &dyn Fn(usize) -> String| (0..40).map(line).collect::<Vec<_>>().join("\n");
    for text in [
        many.join("\n"),
        lines(&log),
        lines(&prose),
        lines(&code),
        table(",")[..6].join("\n") + "\nshort\n",
    ] {
        refused(&text);
    }
}

#[test]
fn pieces_have_the_names_above_them() {
    let csv = table(",").join("\n");
    let markdown = "| a | b |\n|---|---|\n| x | 1 |\n| y | 2 |\n| z | 3 |";
    let json = "[\n {\"id\": 1},\n {\"id\": 2}\n]";
    let names = |text: &str| {
        let data = loose(text);
        assert_eq!(data.format, Format::Parts, "{text}");
        let value = value(&data);
        let pieces = value.as_object().expect("an object");
        let rows = |it: &Value| it.as_array().map_or(0, Vec::len);
        let pieces = pieces
            .iter()
            .map(|(name, it)| format!("{name} {}", rows(it)));
        let mut pieces: Vec<String> = pieces.collect();
        pieces.sort();
        (pieces.join(", "), others(text, &data).join(", "))
    };
    for (text, pieces, between) in [
        (format!("{csv}\n\n{csv}\n"), "part 1 20, part 2 20", ""),
        (
            format!("# orders\n{csv}\n\n# refunds\n{csv}\n"),
            "orders 20, refunds 20",
            "",
        ),
        (
            format!("Report\n\n**A:**\n\n{markdown}\n\nWords.\n\n### A\n{markdown}\n\nMore words"),
            "A 3, part 2 3",
            "Words., ### A",
        ),
        (
            format!(
                "# A\n\n{markdown}\nTotal: 3\n| w | 4 |\n\n{markdown}\nTotal: 6\n\n{markdown}\nB\n\nC:\n{markdown}\nD\n{markdown}"
            ),
            "A 3, C 3, D 3, part 2 3, part 3 3",
            "Total: 3, | w | 4 |, Total: 6, B",
        ),
        (
            format!("### Pods\n```json\n{json}\n```\n\n### Nodes\n```json\n{json}\n```\n"),
            "Nodes 2, Pods 2",
            "",
        ),
        (
            format!("### Pods\n{json}\n\n### Nodes\n{json}"),
            "Nodes 2, Pods 2",
            "",
        ),
        (
            format!("{json}\n{json}\n{json}\n"),
            "part 1 2, part 2 2, part 3 2",
            "",
        ),
        (
            format!("Table:\n\n{markdown}\n\nRaw:\n{json}"),
            "Raw 2, Table 3",
            "",
        ),
    ] {
        let (found, lines) = names(&text);
        assert_eq!((&*found, &*lines), (pieces, between), "{text}");
    }
}

#[test]
fn pieces_are_named_by_the_lines_that_differ() {
    let keys = |text: &str| {
        let data = loose(text);
        assert_eq!(data.format, Format::Parts, "{text}");
        let value = value(&data);
        let keys = value.as_object().expect("an object").keys();
        // `serde_json` may sort them, or not.
        let mut keys: Vec<String> = keys.cloned().collect();
        keys.sort_unstable();
        keys.join(", ")
    };
    let rows = "PORT      STATE   SERVICE\n22/tcp    open    ssh\n80/tcp    closed  http\n443/tcp   closed  https\n";
    let nmap = |host: &str, extra: &str| {
        format!(
            "Nmap scan report for {host}\nHost is up (0.0000{}s latency).\n{extra}\n{rows}",
            host.len()
        )
    };
    let text = format!(
        "# Nmap 7.93 scan initiated Sun Nov 29\n{}\n{}\n{}\n# Nmap done\n",
        nmap("web-1 (10.0.0.1)", ""),
        nmap("10.0.0.2", "Not shown: 990 ports\n"),
        nmap("web-11 (10.0.0.11)", "")
    );
    assert_eq!(
        keys(&text),
        "Nmap scan report for 10.0.0.2, Nmap scan report for web-1 (10.0.0.1), Nmap scan report for web-11 (10.0.0.11)"
    );
    let data = loose(&text);
    let lines = others(&text, &data);
    assert_eq!(lines.len(), 3, "{lines:?}");
    // The header is directly below a line, and a note directly below the rows.
    let close = text
        .replace(").\n\n", ").\n")
        .replace("ports\n\n", "ports\n");
    let close = close.replace("https\n", "https\nMAC Address: 00:11 (Unknown)\n");
    assert_eq!(keys(&close), keys(&text));
    let data = loose(&close);
    let lines = others(&close, &data);
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert_eq!(lines[0], "MAC Address: 00:11 (Unknown)");
    let host = |host: &str, days: usize| format!("Host: {host}\nUptime: {days} days\n\n{rows}\n");
    let text = [host("a", 3), host("b", 4), host("c", 3)].concat();
    assert_eq!(keys(&text), "Host: a, Host: b, Host: c");
    let node = |node: &str| format!("## {node}\nSome words\n\n{rows}\n");
    assert_eq!(keys(&[node("a"), node("b")].concat()), "a, b");
    // Nothing tells them apart: the last line is the name, if there is one.
    let text = [host("a", 3), host("a", 4), host("a", 5)].concat();
    assert_eq!(
        keys(&text),
        "Uptime: 3 days, Uptime: 4 days, Uptime: 5 days"
    );
    // Headings are names.
    let text = format!("The report\n\n# A\n{rows}\nThe next\n\n# B\n{rows}\n");
    assert_eq!(keys(&text), "A, B");
}

#[test]
fn values_after_one_another_are_a_list() {
    let object = |i: usize| json!({"id": i, "tags": ["a", {"b": null}], "note": "x\ny {"});
    let list = |i: usize| json!([i, "some words", {"a": i}]);
    let mixed = |i: usize| if i % 3 == 1 { list(i) } else { object(i) };
    for (count, values) in [
        (2, &list as &dyn Fn(usize) -> Value),
        (3, &mixed),
        (9, &list),
        (90, &object),
    ] {
        let all: Vec<Value> = (0..count).map(values).collect();
        let lines: Vec<String> = all.iter().map(Value::to_string).collect();
        let mut texts = vec![lines.join("\n"), lines.join("\n\n"), lines.concat()];
        if count > 64 {
            let pretty = |value| serde_json::to_string_pretty(value).expect("JSON");
            texts.push(all.iter().map(pretty).collect::<Vec<_>>().join("\n"));
        }
        for text in texts {
            let data = read_loosely(&text).unwrap_or_else(|| panic!("nothing in {text:?}"));
            check(&text, &data);
            assert_eq!(value(&data), json!(all), "{text}");
        }
    }
}

#[test]
fn values_with_other_text_are_no_list() {
    let values = "[1,2]\n".repeat(90);
    for text in [
        format!("{values}words\n"),
        format!("{values}[1,2\n"),
        format!("{values}{{a}}\n"),
        "[1] one\n[2] two\n[3] three\n".to_owned(),
    ] {
        refused(&text);
    }
}

#[test]
fn pieces_with_much_between_them_are_refused() {
    let markdown = "| a | b |\n|---|---|\n| x | 1 |\n| y | 2 |\n| z | 3 |";
    let prose = "Some words of a report.\n".repeat(12);
    for text in [
        format!("{markdown}\n\n{prose}\n{markdown}\n"),
        format!("{markdown}\n\nWords.\n\n{markdown}\n\n{prose}"),
        format!("```\nlet a = 1;\n{markdown}\n```\n{markdown}\n"),
        "[\n {\"a\": [\n{\"id\": 1}\n, {]\n\n[{\"id\": 1}]\n\n[{\"id\": 1}]\n".to_owned(),
    ] {
        refused(&text);
    }
}

#[test]
fn yaml_may_have_comments_anchors_and_aliases() {
    let text = "# head\na:\n  b: &x\n    k: v # not w\n    url: \"a # b\"\n    frag: a#b\n  c: *x\n\
        d:\n  <<: *x\n  e: [*x, 'it # s'] # end\n  f: |\n    # text\n    more\n  # last\n  g: R&D\n";
    let rest: String = (0..8).map(|i| format!("h{i}:\n  i: 1\n  j: 2\n")).collect();
    let text = &format!("{text}{rest}");
    let data = loose(text);
    assert_eq!(data.format, Format::Yaml);
    let value = value(&data);
    let a = json!({"b": {"k": "v", "url": "a # b", "frag": "a#b"}, "c": "*x"});
    assert_eq!(value["a"], a);
    let d = json!({"<<": "*x", "e": ["*x", "it # s"], "f": "# text\nmore\n", "g": "R&D"});
    assert_eq!(value["d"], d);
    assert_eq!(value["h7"], json!({"i": 1, "j": 2}));
    let comments = ["# head", "# not w", "# end", "# last"];
    assert_eq!(others(text, &data), comments);
}

#[test]
fn several_documents_of_yaml_are_a_list() {
    let document = |i: usize| format!("kind: Pod\nspec:\n  id: {i}\n  names: [a, b]\n");
    let texts: Vec<String> = (0..80).map(document).collect();
    let expected = |count: usize| {
        let value = |i| json!({"kind": "Pod", "spec": {"id": i, "names": ["a", "b"]}});
        Value::Array((0..count).map(value).collect())
    };
    for count in [3, 80] {
        let plain = texts[..count].join("---\n");
        for text in [
            plain.clone(),
            format!("---\n{plain}"),
            format!("{plain}---\n"),
            format!(
                "# head\n---\n{}",
                texts[..count].join("---\n# Source: a.yaml\n")
            ),
            texts[..count].join("---\n# Nothing here.\n---\n"),
        ] {
            let data = loose(&text);
            assert_eq!(data.format, Format::Yaml, "{text}");
            assert_eq!(value(&data), expected(count), "{text}");
        }
    }
    refused(&texts[..2].join("---\n"));
    refused(&format!(
        "{}---\nwords of prose\n",
        texts[..3].join("---\n")
    ));
    refused("---\ntitle: a\ntags: b\n---\n# Head\n\nA: b\n---\nwords\n");
}

#[test]
fn yaml_keys_may_be_paths_with_parameters() {
    let path = |i: usize| format!("  /users{i}/{{id}}:\n    get: a{i}\n    put: b{i}\n");
    let text = format!("paths:\n{}", (0..5).map(path).collect::<String>());
    let data = read(&text).expect("YAML");
    let expected = json!({"get": "a3", "put": "b3"});
    assert_eq!(value(&data)["paths"]["/users3/{id}"], expected);
    refused(&text.replace("put: b3", "put: {/a{b: 1}"));
}

#[test]
fn comments_that_may_be_content_are_refused() {
    let rest = "b:\n  k: v\n  l: w\nc:\n  k: v\n  l: w\nd:\n  k: v # note\n  l: w\n";
    for text in [
        format!("a: \"quoted\n  # no comment\n  text\"\n{rest}"),
        format!("# Title\n\nSome words.\n{rest}"),
        "<a><b>x<!-- c --></b><b>y</b><b>z</b></a>".to_owned(),
        "<a><b><!-- c --></b><b>y</b><b>z</b></a>".to_owned(),
        "<a><b>x</b><b>y</b><b>z</b><!-- open </a>".to_owned(),
    ] {
        refused(&text);
    }
}
