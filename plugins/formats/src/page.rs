//! Tables of Markdown in a text that is otherwise prose: a page with headings, a report. Those of HTML are in [`html`], and
//! those of a dump of a database in [`dump`], and those of several queries in [`results`].
//!
//! Owns their names: that of the heading above, as one word. Refuses to know what the rest of the page says.

use crate::lines::{Line, line_at};
use crate::markdown;
use crate::table::{ALWAYS_BYTES, FEWEST_ROWS, MOST_GROWTH, is_name};
use crate::words;
use crate::{Format, Renamed, dump, html, results};
use std::ops::RangeInclusive;

/// Most tables of a page; later ones are left out.
pub(crate) const MOST_TABLES: usize = 1_024;
/// Longest name, in characters.
const LONGEST_NAME: usize = 40;
/// The name of a table without a heading.
const UNNAMED: &str = "rows";
/// Names that a query uses for something else, and words of SQL.
const TAKEN: &str = " lines tables document add all alter and as autoincrement between case check collate commit constraint create default deferrable delete desc distinct drop else escape except exists foreign from group having if in index insert intersect into is isnull join like limit not nothing notnull null on or order primary references returning select set table then to transaction union unique update using values when where ";

/// A table of a page.
#[derive(Debug, PartialEq, Eq)]
pub struct PageTable {
    /// The notation of the page.
    pub format: Format,
    /// A word.
    pub name: String,
    /// Its rows, without the header.
    pub rows: usize,
    /// Its lines, header included, from 1.
    pub lines: RangeInclusive<usize>,
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where the tags of a table of HTML are that are none of its rows: those that begin an element or end a list, and its
    /// end tag.
    pub tags: Vec<usize>,
    /// Lines between or below the rows that are none, from 1.
    pub others: Vec<usize>,
    /// The rows, as a list.
    pub json: String,
    /// The tape of that JSON, as `wit/filter.wit` describes it.
    pub tape: Vec<u32>,
    /// Columns with the name of one before them.
    pub renamed: Vec<Renamed>,
}

/// The tables of a page, in order.
pub fn tables_of_page(text: &str) -> Vec<PageTable> {
    if html::has_tables(text) {
        return html::tables(text);
    }
    let mut tables = of_markdown(text);
    if tables.is_empty() {
        tables = dump::tables(text);
    }
    if tables.is_empty() {
        tables = results::tables(text);
    }
    match tables.is_empty() && html::is_part(text) {
        true => html::tables(text),
        false => tables,
    }
}

/// Most bytes of JSON for the tables of a page; later tables are left out.
pub(crate) fn most_bytes(text: &str) -> usize {
    (text.len() * MOST_GROWTH).max(ALWAYS_BYTES)
}

/// The tables of Markdown, in order.
fn of_markdown(text: &str) -> Vec<PageTable> {
    let mut tables: Vec<PageTable> = Vec::new();
    // The rule of a table has one.
    if memchr::memchr(b'|', text.as_bytes()).is_none() {
        return tables;
    }
    let (mut heading, mut before) = ("", None::<Line<'_>>);
    let mut is_in_fence = false;
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut number = 0;
    let mut room = most_bytes(text);
    while at < text.len() && tables.len() < MOST_TABLES {
        let line = line_at(text, at);
        (at, number) = (line.next, number + 1);
        // Most lines begin with a letter.
        let body = match line.text.as_bytes().first() {
            Some(b' ') => line.text.trim_start_matches(' '),
            _ => line.text,
        };
        is_in_fence ^= body.starts_with("```") || body.starts_with("~~~");
        let above = before.replace(line);
        if !is_in_fence {
            heading = heading_of(body, above).unwrap_or(heading);
        }
        let Some(header) = above.filter(|_| markdown::columns_of_rule(line.text).is_some()) else {
            continue;
        };
        let (end, is_sure) = block_end(text, header, line);
        let lines = words::count(&text.as_bytes()[at..end], b'\n');
        // All of the block was looked at: no line is read for two tables.
        let may_be_table = is_sure && lines + 1 >= FEWEST_ROWS;
        let is_unnamed = markdown::is_unnamed(header.text);
        let read = match is_unnamed {
            true => markdown::read_unnamed,
            false => markdown::read,
        };
        let found = may_be_table.then(|| read(&text[..end], header.start));
        let found = found.flatten();
        before = None;
        let first = number - 1;
        number += lines;
        at = end;
        if let Some(found) = found {
            let Some(left) = room.checked_sub(found.json.len()) else {
                break;
            };
            room = left;
            tables.push(PageTable {
                format: Format::MarkdownTable,
                name: name_of(heading, &tables),
                rows: found.rows.len(),
                lines: first..=first + 1 + usize::from(is_unnamed) + found.rows.len(),
                start: header.start,
                tags: Vec::new(),
                others: Vec::new(),
                json: found.json,
                tape: found.tape,
                renamed: found.renamed,
            });
        }
    }
    tables
}

/// The end of the lines below a row of dashes that may be rows: before a line without a cell's sign, before the row of
/// dashes that closes the table, or before the header of the next table. And whether that is sure.
fn block_end(text: &str, header: Line<'_>, dashes: Line<'_>) -> (usize, bool) {
    let is_framed = markdown::is_rule_above(text, header.start, dashes);
    let mut line = line_at(text, dashes.next);
    let mut at = dashes.next;
    while at < text.len() {
        if !has_sign(line) || is_framed && line.text == dashes.text {
            break;
        }
        let below = line_at(text, line.next);
        if line.next < text.len() && markdown::columns_of_rule(below.text).is_some() {
            let is_closed = is_framed && below.text == dashes.text;
            match is_closed || rows_below(text, below) == 0 {
                // The line is the last row, above a row of dashes.
                true => at = line.next,
                false => return (at, is_header(text, line, header, below)),
            }
            break;
        }
        at = line.next;
        line = below;
    }
    (at, true)
}

/// Whether a line has a sign between cells.
fn has_sign(line: Line<'_>) -> bool {
    memchr::memchr(b'|', line.text.as_bytes()).is_some()
}

/// How many lines below a row of dashes may be rows; of many, only a few count.
fn rows_below(text: &str, dashes: Line<'_>) -> usize {
    let mut next = dashes.next;
    let lines = std::iter::from_fn(|| {
        let line = line_at(text, next);
        next = line.next;
        (!line.text.is_empty()).then_some(line)
    });
    let rows = lines.take(FEWEST_ROWS);
    rows.take_while(|line| has_sign(*line)).count()
}

/// Whether a line above a row of dashes is surely the header of the next table, and no row above totals.
fn is_header(text: &str, line: Line<'_>, header: Line<'_>, dashes: Line<'_>) -> bool {
    let has_name = || {
        let cells = markdown::row(line.text).unwrap_or_default();
        cells.iter().any(|cell| is_name(cell))
    };
    line.text.trim_end() == header.text.trim_end()
        || has_name() && rows_below(text, dashes) >= FEWEST_ROWS
}

/// The heading that a line is, or that it underlines.
fn heading_of<'t>(line: &'t str, above: Option<Line<'t>>) -> Option<&'t str> {
    if !line.starts_with(['#', '=', '-']) {
        return None;
    }
    let rest = line.trim_start_matches('#');
    if rest.starts_with(' ') && (1..=6).contains(&(line.len() - rest.len())) {
        return Some(rest.trim_matches(['#', ' ']));
    }
    let sign = line
        .chars()
        .next()
        .filter(|sign| matches!(sign, '=' | '-'))?;
    let is_rule = line.len() >= 3 && line.trim_end().trim_matches(sign).is_empty();
    let above = above?.text.trim();
    (is_rule && !above.is_empty()).then_some(above)
}

/// The words of a heading as a name that no other table has.
pub(crate) fn name_of(heading: &str, tables: &[PageTable]) -> String {
    let words = heading.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut name: String = words.join("_").chars().take(LONGEST_NAME).collect();
    let lower = name.to_ascii_lowercase();
    if name.is_empty() {
        name = UNNAMED.to_owned();
    } else if name.starts_with(|c: char| c.is_numeric())
        || lower.starts_with("sqlite_")
        || TAKEN.contains(&format!(" {lower} "))
    {
        name.insert_str(0, "table_");
    }
    let mut own = name.clone();
    // SQL does not tell upper from lower case.
    let is_taken = |own: &str| tables.iter().any(|it| it.name.eq_ignore_ascii_case(own));
    if is_taken(&own) {
        // As a rule, the next number after those of tables with this name. A page may have many.
        let is_of_name = |it: &&PageTable| {
            let begins = it.name.get(..name.len());
            let rest = it.name.get(name.len()..).unwrap_or_default();
            begins.is_some_and(|begins| begins.eq_ignore_ascii_case(&name))
                && rest
                    .bytes()
                    .all(|byte| byte == b'_' || byte.is_ascii_digit())
        };
        let mut count = tables.iter().filter(is_of_name).count();
        while is_taken(&own) {
            count += 1;
            own = format!("{name}_{count}");
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: usize) -> String {
        let rows = (0..rows).map(|row| format!("| {row} | a |\n"));
        format!("| Id | State |\n|---|---|\n{}", rows.collect::<String>())
    }

    #[test]
    fn tables_have_the_names_of_their_headings() {
        let text = format!(
            "# A page\n\n{}\n## Open incidents (2026)\nwords\n{}\nmore | words\n## 2nd\n{}\n# Lines\n{}",
            table(3),
            table(4),
            table(2),
            table(3),
        );
        let tables = tables_of_page(&text);
        let found: Vec<_> = tables
            .iter()
            .map(|table| (&*table.name, table.rows, table.lines.clone()))
            .collect();
        assert_eq!(
            found,
            [
                ("A_page", 3, 3..=7),
                ("Open_incidents_2026", 4, 11..=16),
                ("table_Lines", 3, 26..=30)
            ]
        );
        let json = &tables[0].json;
        assert!(json.starts_with(r#"[{"Id":0,"State":"a"},"#), "{json}");
    }

    #[test]
    fn names_differ() {
        let text = format!("{0}\n{0}\n# ROWS\n{0}\n", table(3));
        let tables = tables_of_page(&text);
        let names: Vec<_> = tables.iter().map(|table| &*table.name).collect();
        assert_eq!(names, ["rows", "rows_2", "ROWS_3"]);
        assert_eq!(tables_of_page("# A\n\nwords\n---\n| a |\n"), []);
        for (heading, name) in [
            ("## Order", "table_Order"),
            (" ## sqlite master #", "table_sqlite_master"),
            ("Jobs\n----", "Jobs"),
            ("# Jobs\n\n```sh\n# install\n```", "Jobs"),
            ("# Jobs\n\n#123 was fixed:", "Jobs"),
        ] {
            let text = format!("\u{feff}{heading}\n\n{}", table(3));
            assert_eq!(tables_of_page(&text)[0].name, name, "{heading}");
        }
    }

    #[test]
    fn a_row_above_a_closing_rule_is_a_row() {
        let rule = "------|---------|---\n";
        let rows: String = (1..=9)
            .map(|at| format!(" m{at}.js |   83.33 | {at}\n"))
            .collect();
        let framed = format!("{rule}File  | % Stmts | Lines\n{rule}{rows}{rule}");
        for after in ["", "Tests: 9\n", "\nTests: 9 | 3\n"] {
            let text = format!("PASS a\n\n{framed}{after}");
            let tables = tables_of_page(&text);
            let found: Vec<_> = tables
                .iter()
                .map(|it| (it.rows, it.lines.clone()))
                .collect();
            assert_eq!(found, [(9, 4..=14)], "{text}");
        }
        let text = format!("{framed}{framed}");
        let tables = tables_of_page(&text);
        let lines: Vec<_> = tables.iter().map(|it| it.lines.clone()).collect();
        assert_eq!(lines, [2..=12, 15..=25]);
        // Without a rule above the header, and with pipes around the rows.
        let text = format!("A\n\n{}|---|---|\nwords\n", table(9));
        assert_eq!(tables_of_page(&text)[0].rows, 9);
        // A row above totals, or the header of a small table.
        let text = format!("A\n\n{}|---|---|\n| 45 | b |\nwords\n", table(9));
        assert_eq!(tables_of_page(&text), []);
    }

    #[test]
    fn a_table_ends_before_the_next_one() {
        let text = format!("{0}{0}", table(4));
        let tables = tables_of_page(&text);
        let lines: Vec<_> = tables.iter().map(|table| table.lines.clone()).collect();
        assert_eq!(lines, [1..=6, 7..=12]);
    }

    #[test]
    fn no_line_is_read_for_two_tables() {
        let pairs: String = (0..200_000).map(|at| format!("c{at}|d\n-|-\n")).collect();
        assert_eq!(tables_of_page(&format!("{pairs}a|b|c\n")), []);
        let rows = "a|b\n".repeat(200_000);
        assert_eq!(tables_of_page(&format!("a|b\n-|-\n{rows}a|b|c\n")), []);
    }

    #[test]
    fn a_row_of_data_below_an_empty_header_is_none_of_names() {
        for row in [
            |at: usize| format!("| {at} | echo | ok |\n"),
            |at: usize| format!("| setting.{at} | value | x |\n"),
            |_: usize| "| juliet | echo | ok |\n".to_owned(),
        ] {
            let rows: String = (0..9).map(row).collect();
            let text = format!("# Costs\n\n|  |  |  |\n| --- | --- | --- |\n{rows}\nwords\n");
            assert_eq!(tables_of_page(&text), []);
        }
    }

    #[test]
    fn names_may_be_in_the_row_below_an_empty_header() {
        let rows: String = (0..6)
            .map(|at| format!("| T{at} | Ann | {at} |\n"))
            .collect();
        let text = format!(
            "# Costs\n\n|  |  |  |\n| --- | --- | --- |\n| Id | Owner | Cost |\n{rows}\nwords\n"
        );
        let tables = tables_of_page(&text);
        assert_eq!(tables.len(), 1, "{tables:?}");
        assert_eq!((tables[0].rows, tables[0].lines.clone()), (6, 3..=11));
        assert!(
            tables[0]
                .json
                .starts_with("[{\"Id\":\"T0\",\"Owner\":\"Ann\",\"Cost\":"),
            "{}",
            tables[0].json
        );
    }
}
