//! Tables as `psql` and `mysql` print them, in a text with other lines: the results of several queries.
//!
//! Owns their bounds and names: a table has the name that the line above it gives. Refuses to know the other lines.

use memchr::memmem;

use crate::boxes;
use crate::lines::{Line, line_at};
use crate::page::{MOST_TABLES, PageTable, most_bytes, name_of};
use crate::table::FEWEST_ROWS;
use crate::words;

/// The tables of a text, in order.
pub(crate) fn tables(text: &str) -> Vec<PageTable> {
    let mut tables: Vec<PageTable> = Vec::new();
    // Most texts have no rule.
    if memmem::find(text.as_bytes(), b"-+-").is_none() {
        return tables;
    }
    let mut room = most_bytes(text);
    let (mut at, mut number) = (0, 0);
    let (mut title, mut above) = ("", None::<Line<'_>>);
    while at < text.len() && tables.len() < MOST_TABLES {
        let line = line_at(text, at);
        (at, number) = (line.next, number + 1);
        let is_frame = boxes::begins_frame(text, line.start);
        let header = above.filter(|_| !is_frame && boxes::is_psql_rule(line.text));
        if !is_frame && header.is_none() {
            // Of two lines above a rule, the second one is the header.
            let is_title = |above: &Line<'_>| !above.text.trim().is_empty();
            title = above.filter(is_title).map_or(title, |above| above.text);
            above = Some(line);
            continue;
        }
        if is_frame && let Some(above) = above {
            title = if above.text.trim().is_empty() {
                title
            } else {
                above.text
            };
        }
        let start = header.unwrap_or(line).start;
        let first = number - usize::from(header.is_some());
        // A table ends before an empty line. All of these lines were looked at: none is read for two tables.
        let end_below = |at: usize| {
            let mut breaks = memchr::memchr_iter(b'\n', &text.as_bytes()[at..]);
            let is_above_empty = |end: &usize| {
                let below = &text.as_bytes()[at + end + 1..];
                matches!(below, [b'\n', ..] | [b'\r', b'\n', ..])
            };
            let end = breaks.find(is_above_empty);
            end.map_or(text.len(), |end| at + end + 1)
        };
        let mut end = end_below(line.start);
        while !is_frame && boxes::goes_on(line.text, text, end) {
            end = end_below(end + 1);
        }
        let mut others = Vec::new();
        let found = match is_frame {
            true => boxes::read_frame(&text[..end], start),
            false => boxes::read_psql(&text[..end], start, Some(&mut others)),
        };
        number += words::count(&text.as_bytes()[line.next.min(end)..end], b'\n');
        at = end;
        above = None;
        let name = name_of(name_in(std::mem::take(&mut title)), &tables);
        let Some(found) = found.filter(|found| found.rows.len() >= FEWEST_ROWS) else {
            continue;
        };
        let Some(left) = room.checked_sub(found.json.len()) else {
            break;
        };
        room = left;
        let mut counted = (start, first);
        let mut number_at = |at: usize| {
            counted.1 += words::count(&text.as_bytes()[counted.0..at], b'\n');
            counted.0 = at;
            counted.1
        };
        let others = others.iter().map(|other| number_at(other.start)).collect();
        let lines = words::count(&text.as_bytes()[start..found.range.end], b'\n');
        tables.push(PageTable {
            format: found.format,
            name,
            rows: found.rows.len(),
            lines: first..=first + lines,
            start,
            tags: Vec::new(),
            others,
            json: found.json,
            tape: found.tape,
            renamed: found.renamed,
        });
    }
    tables
}

/// What the line above a table calls it: `users` of `Table: users`, and of `mysql> SELECT * FROM users;`.
fn name_in(title: &str) -> &str {
    let lower = title.to_ascii_lowercase();
    let is_query = lower.contains("select ");
    let place = ["table ", "table: "]
        .iter()
        .find_map(|word| Some(lower.find(word)? + word.len()));
    let place = match lower.find(" from ").filter(|_| is_query) {
        Some(place) => Some(place + " from ".len()),
        None => place,
    };
    // The number of rows of the table before.
    if boxes::is_note(title) {
        return "";
    }
    let name = place.and_then(|place| title.get(place..)?.split_whitespace().next());
    name.map_or(title, |name| name.rsplit('.').next().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn psql(rows: usize) -> String {
        let rows: String = (0..rows)
            .map(|row| format!(" {row:2} | user{row}\n"))
            .collect();
        let count = rows.lines().count();
        format!(" id | name\n----+-------\n{rows}({count} rows)\n\n")
    }

    fn found(text: &str) -> Vec<(String, usize, std::ops::RangeInclusive<usize>)> {
        let tables = tables(text);
        tables
            .into_iter()
            .map(|it| (it.name, it.rows, it.lines))
            .collect()
    }

    #[test]
    fn results_have_the_names_above_them() {
        let text = format!(
            "users\n{}SELECT * FROM public.orders;\n{}{}",
            psql(9),
            psql(3),
            psql(4)
        );
        let names = [
            ("users", 9, 2..=12),
            ("orders", 3, 16..=20),
            ("rows", 4, 23..=28),
        ];
        let names = names.map(|(name, rows, lines)| (name.to_owned(), rows, lines));
        assert_eq!(found(&text), names);
        assert_eq!(found(&text.replace('\n', "\r\n")), names);
        let json = &tables(&text)[0].json;
        assert!(json.starts_with(r#"[{"id":0,"name":"user0"},"#), "{json}");
        let frame = "+----+------+\n| id | name |\n+----+------+\n|  1 | ann  |\n|  2 | bo   |\n|  3 | cy   |\n+----+------+\n3 rows in set (0.01 sec)\n\n";
        let text = format!("mysql> select * from users;\n{frame}Table: orders\n\n{frame}Bye\n");
        let names = [("users", 3, 2..=8), ("orders", 3, 13..=19)];
        let names = names.map(|(name, rows, lines)| (name.to_owned(), rows, lines));
        assert_eq!(found(&text), names);
        assert_eq!(found(&text.replace('\n', "\r\n")), names);
        assert_eq!(found("a\nb -+- c\n\n-+-\n"), []);
    }

    /// The number of rows, the lines, and those of them that are no rows.
    fn with_others(text: &str) -> Vec<(usize, std::ops::RangeInclusive<usize>, Vec<usize>)> {
        let tables = tables(text).into_iter();
        tables.map(|it| (it.rows, it.lines, it.others)).collect()
    }

    #[test]
    fn lines_between_rows_that_are_none_are_named() {
        let text = format!("users\n{}", psql(40));
        let lines: Vec<&str> = text.lines().collect();
        let with = |at: usize, more: &[&str]| {
            let all = [&lines[..at], more, &lines[at..]].concat();
            all.join("\n") + "\n"
        };
        for other in ["WARNING:  it is late", "", "  ", "NOTICE: a | b"] {
            let found = with_others(&with(20, &[other]));
            assert_eq!(found, [(40, 2..=44, vec![21])], "{other}");
        }
        let warnings = ["WARNING:  it is late", "DETAIL:  by a day", ""];
        assert_eq!(
            with_others(&with(30, &warnings)),
            [(40, 2..=46, vec![31, 32, 33])]
        );
        // A row that no position fits counts as one of all.
        let broken = text.replace(" 17 | user17", "17| user17");
        assert_eq!(with_others(&broken), [(39, 2..=43, vec![21])]);
        // More rows are said than there are.
        assert_eq!(with_others(&text.replace("(40 rows)", "(43 rows)")), []);
        // The last row is cut.
        let cut = text.find(" 30 | user30").expect("a row") + 3;
        assert_eq!(with_others(&text[..cut]), [(30, 2..=33, vec![34])]);
        // Nothing stands for a part of a table by itself.
        assert_eq!(crate::read(&broken), None);
        assert_eq!(crate::read(&with(20, &[""])), None);
        assert_eq!(crate::read(&with(41, &[""])), None);
    }

    #[test]
    fn rows_with_wide_characters_are_rows() {
        let mut rows: String = (0..9)
            .map(|row| format!(" {row:2} | name{row} | ok\n"))
            .collect();
        rows +=
            "  9 | Zoë \u{1f680} | ok\n 10 | \u{5c71}\u{7530}  | bad\n 11 | cafe\u{301}  | ok\n";
        let text = format!(" id | name  | state\n----+-------+------\n{rows}(12 rows)\n");
        let data = crate::read(&text).expect("a table");
        assert_eq!(data.rows.len(), 12);
        let last = "{\"id\":10,\"name\":\"\u{5c71}\u{7530}\",\"state\":\"bad\"}";
        assert!(data.json.contains(last), "{}", data.json);
        // The next line of their cells is no row.
        let open = |row: &str| text.replace(" 10 | \u{5c71}\u{7530}  | bad", row);
        let inside = open(" 10 | \u{5c71}\u{7530} +| bad\n    | \u{7530}    | ");
        let last = open(" 10 | \u{5c71}\u{7530}  | bad  +\n    | \u{7530}    | day");
        for text in [&inside, &last, &text.replace("| bad", "| bad.")] {
            let rows = text.replace("(12 rows)\n", "");
            assert_eq!(crate::read(&rows), None, "{rows}");
            assert_eq!(tables(&rows), [], "{rows}");
        }
        assert_eq!(tables(&inside), []);
        assert_eq!(tables(&last), []);
    }
}
