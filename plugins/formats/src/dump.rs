//! Tables in a dump of PostgreSQL: the rows between `COPY public.users (id, email) FROM stdin;` and `\.`.
//!
//! Owns their bounds and columns. A table has the name that the dump gives it. Cells stay as the dump spells them: `\N` is
//! a value that is null. Refuses the statements around them.

use crate::lines::{Line, line_at};
use crate::page::{MOST_TABLES, PageTable, most_bytes, name_of};
use crate::table::{FEWEST_ROWS, Header, Table};
use crate::{Format, Found, words};

/// What a dump, or a part of one, begins with.
const BEGINNINGS: [&str; 5] = ["--", "COPY ", "SET ", "CREATE ", "\\restrict "];
/// The end of the line above the rows, and the line below them.
const ABOVE: &str = " FROM stdin;";
const BELOW: &str = "\\.";

/// The tables of a dump, in order; none of another text.
pub(crate) fn tables(text: &str) -> Vec<PageTable> {
    let mut tables = Vec::new();
    let start = text.trim_start();
    if !BEGINNINGS.iter().any(|known| start.starts_with(known)) {
        return tables;
    }
    let mut room = most_bytes(text);
    let (mut at, mut number) = (0, 1);
    while at < text.len() && tables.len() < MOST_TABLES {
        let head = line_at(text, at);
        let first = number;
        (at, number) = (head.next, number + 1);
        let Some((name, columns)) = head_of(head.text) else {
            continue;
        };
        let (rows, end, is_table) = rows_below(text, at, columns.len());
        // No line is read for two tables.
        let found = is_table.then(|| table(&text[..end], head, &columns));
        (at, number) = (end, number + rows);
        let Some(found) = found.flatten() else {
            continue;
        };
        let Some(left) = room.checked_sub(found.json.len()) else {
            break;
        };
        room = left;
        tables.push(PageTable {
            format: Format::Tsv,
            name: name_of(name, &tables),
            rows,
            lines: first..=first + rows,
            start: head.start,
            tags: Vec::new(),
            others: Vec::new(),
            json: found.json,
            tape: found.tape,
            renamed: found.renamed,
        });
    }
    tables
}

/// The name and the columns in the line above rows.
fn head_of(line: &str) -> Option<(&str, Vec<&str>)> {
    let head = line.strip_prefix("COPY ")?.strip_suffix(ABOVE)?;
    let (name, columns) = head.split_once(" (")?;
    let columns = columns.strip_suffix(')')?.split(", ");
    let columns = columns.map(|column| column.trim_matches('"')).collect();
    Some((name.rsplit('.').next().unwrap_or(name), columns))
}

/// How many lines from `at` on have so many cells, where the next line begins, and whether they are all rows of a table.
fn rows_below(text: &str, mut at: usize, columns: usize) -> (usize, usize, bool) {
    let mut rows = 0;
    let is_all = loop {
        let line = line_at(text, at);
        // A dump may be cut, also inside a row.
        if line.text == BELOW || at == text.len() {
            break true;
        }
        if words::count(line.text.as_bytes(), b'\t') + 1 != columns {
            break line.end() == text.len();
        }
        (at, rows) = (line.next, rows + 1);
    };
    (rows, at, is_all && rows >= FEWEST_ROWS)
}

/// The table below a head, up to the end of the text. All lines have as many cells as there are columns.
fn table(text: &str, head: Line<'_>, columns: &[&str]) -> Option<Found> {
    let len = text.len() - head.start;
    let mut table = Table::new(columns.iter().copied(), len, Header::Ruled)?;
    let mut at = head.next;
    while at < text.len() {
        let line = line_at(text, at);
        line.text.split('\t').for_each(|cell| table.cell(cell));
        table.end_row(line.range())?;
        at = line.next;
    }
    table.finish(Format::Tsv, head.start..text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(name: &str, rows: usize) -> String {
        let rows = (0..rows).map(|row| format!("{row}\tuser{row}@example.com\t\\N\n"));
        format!(
            "COPY public.{name} (id, \"order\", deleted_at) FROM stdin;\n{}\\.\n",
            rows.collect::<String>()
        )
    }

    #[test]
    fn tables_of_a_dump_have_their_names_rows_and_lines() {
        let text = format!(
            "--\n-- PostgreSQL database dump\n--\n\n{}\n\n{}\n{}SELECT 1;\n",
            copy("users", 4),
            copy("few", 2),
            copy("\"order\"", 3)
        );
        let tables = tables(&text);
        let found: Vec<_> = tables
            .iter()
            .map(|table| (&*table.name, table.rows, table.lines.clone()))
            .collect();
        assert_eq!(
            found,
            [("users", 4, 5..=9), ("table_order", 3, 18..=21)],
            "{text}"
        );
        let first = r#"[{"id":0,"order":"user0@example.com","deleted_at":"\\N"},"#;
        assert!(tables[0].json.starts_with(first), "{}", tables[0].json);
        for (number, line) in (1..).zip(text.lines()) {
            assert_eq!(line.starts_with("3\t"), number == 9, "{line}");
        }
    }

    #[test]
    fn a_dump_may_begin_or_end_inside() {
        let whole = copy("users", 9);
        let cut = whole.split_inclusive('\n').take(7).collect::<String>();
        assert_eq!(tables(&cut)[0].rows, 6);
        assert_eq!(tables(&whole)[0].lines, 1..=10);
        assert_eq!(tables(&format!("words\n{whole}")), []);
        assert_eq!(tables("COPY a FROM stdin;\n1\n2\n3\n\\.\n"), []);
        // Rows with other numbers of cells.
        assert_eq!(tables(&whole.replace("5\tuser5", "5user5")), []);
    }

    #[test]
    fn a_dump_may_be_cut_inside_a_row() {
        let whole = copy("users", 9);
        let end = whole.len() - "\\.\n".len();
        let last = whole[..end - 1].rfind('\n').expect("rows") + 1;
        for cut in [last + 1, last + 5, end - 1] {
            let rows = 8 + usize::from(cut == end - 3 || cut == end - 1);
            assert_eq!(tables(&whole[..cut])[0].rows, rows, "{cut}");
        }
        // The last line has its end, and other cells.
        assert_eq!(tables(&format!("{}9\t9\n", &whole[..end])), []);
    }

    #[test]
    fn a_table_may_follow_one_that_is_none() {
        let cut = copy("users", 9).replace("\\.\n", "");
        let text = format!("{cut}{}", copy("orders", 4));
        let found = tables(&text);
        assert_eq!(
            (&*found[0].name, found[0].lines.clone()),
            ("orders", 11..=15)
        );
        assert_eq!(found.len(), 1);
    }
}
