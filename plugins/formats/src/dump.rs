//! Tables in a dump of PostgreSQL: the rows between `COPY public.users (id, email) FROM stdin;` and `\.`.
//!
//! Owns their bounds and columns. A table has the name that the dump gives it. Cells stay as the dump spells them: `\N` is
//! a value that is null. Refuses the statements around them.

use crate::lines::line_at;
use crate::page::{MOST_TABLES, PageTable, most_bytes, name_of};
use crate::table::{FEWEST_ROWS, Header, Table};
use crate::{Format, words};

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
    for (end, _) in text.match_indices(ABOVE) {
        if tables.len() == MOST_TABLES {
            break;
        }
        let start = text[..end].rfind('\n').map_or(0, |line| line + 1);
        if start < at {
            continue;
        }
        number += words::count(&text.as_bytes()[at..start], b'\n');
        at = start;
        let Some((found, next)) = table(text, start, &tables) else {
            continue;
        };
        let Some(left) = room.checked_sub(found.json.len()) else {
            break;
        };
        room = left;
        let lines = number..=number + found.rows;
        number += words::count(&text.as_bytes()[at..next], b'\n');
        at = next;
        tables.push(PageTable { lines, ..found });
    }
    tables
}

/// The table whose first line begins at `start`, its lines counted from that, and where the line below its rows begins.
fn table(text: &str, start: usize, known: &[PageTable]) -> Option<(PageTable, usize)> {
    let head = line_at(text, start);
    let (name, columns) = head
        .text
        .strip_prefix("COPY ")?
        .strip_suffix(ABOVE)?
        .split_once(" (")?;
    let columns = columns.strip_suffix(')')?.split(", ");
    let columns = columns.map(|column| column.trim_matches('"'));
    let mut table = Table::new(columns, text.len() - start, Header::Ruled)?;
    let mut line = line_at(text, head.next);
    while line.text != BELOW {
        // A dump may be cut.
        if line.start >= text.len() {
            break;
        }
        line.text.split('\t').for_each(|cell| table.cell(cell));
        table.end_row(line.range())?;
        line = line_at(text, line.next);
    }
    let rows = table.rows();
    if rows < FEWEST_ROWS {
        return None;
    }
    let next = line.start;
    let found = table.finish(Format::Tsv, start..next)?;
    let name = name.rsplit('.').next().unwrap_or(name);
    let page_table = PageTable {
        format: Format::Tsv,
        name: name_of(name, known),
        rows,
        lines: 0..=rows,
        start,
        json: found.json,
        renamed: found.renamed,
    };
    Some((page_table, next))
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
}
