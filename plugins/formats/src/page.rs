//! Tables of Markdown in a text that is otherwise prose: a page with headings, a report.
//!
//! Owns their names: that of the heading above, as one word. Refuses to know what the rest of the page says.

use crate::json::push_quoted;
use crate::lines::{Line, line_at};
use crate::markdown;
use std::ops::RangeInclusive;

/// Most tables of a page; later ones are left out.
const MOST_TABLES: usize = 64;
/// Longest name, in characters.
const LONGEST_NAME: usize = 40;
/// The name of a table without a heading.
const UNNAMED: &str = "rows";
/// Names that a query uses for something else.
const TAKEN: [&str; 3] = ["lines", "tables", "document"];

/// A table of a page.
#[derive(Debug, PartialEq, Eq)]
pub struct PageTable {
    /// Its key in the page's JSON: a word.
    pub name: String,
    /// Its rows, without the header.
    pub rows: usize,
    /// Its lines, header included, from 1.
    pub lines: RangeInclusive<usize>,
}

/// The tables of a page as one object of JSON, and where they are. None of a page without tables.
pub fn tables_of_page(text: &str) -> Option<(String, Vec<PageTable>)> {
    let mut tables: Vec<PageTable> = Vec::new();
    let mut json = String::from("{");
    let (mut heading, mut before) = ("", None::<Line<'_>>);
    let (mut at, mut number) = (0, 0);
    while at < text.len() && tables.len() < MOST_TABLES {
        let line = line_at(text, at);
        (at, number) = (line.next, number + 1);
        if line.text.starts_with('#') {
            heading = line.text.trim_matches(['#', ' ']);
        }
        let above = before.replace(line);
        let Some(header) = above.filter(|_| markdown::columns_of_rule(line.text).is_some()) else {
            continue;
        };
        let Some(found) = markdown::read(text, header.start) else {
            continue;
        };
        let name = name_of(heading, &tables);
        if !tables.is_empty() {
            json.push(',');
        }
        push_quoted(&mut json, &name);
        json.push(':');
        json.push_str(&found.json);
        let last = number + found.rows.len();
        tables.push(PageTable {
            name,
            rows: found.rows.len(),
            lines: number - 1..=last,
        });
        (at, number) = (line_at(text, found.range.end).next, last);
        before = None;
    }
    json.push('}');
    (!tables.is_empty()).then_some((json, tables))
}

/// The words of a heading as a name that no other table has.
fn name_of(heading: &str, tables: &[PageTable]) -> String {
    let words = heading.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut name: String = words.join("_").chars().take(LONGEST_NAME).collect();
    if name.is_empty() {
        name = UNNAMED.to_owned();
    } else if name.starts_with(|c: char| c.is_numeric())
        || TAKEN.iter().any(|taken| taken.eq_ignore_ascii_case(&name))
    {
        name.insert_str(0, "table_");
    }
    let mut own = name.clone();
    let mut count = 2;
    // SQL does not tell upper from lower case.
    while tables.iter().any(|it| it.name.eq_ignore_ascii_case(&own)) {
        own = format!("{name}_{count}");
        count += 1;
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
        let (json, tables) = tables_of_page(&text).expect("tables");
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
        let start = r#"{"A_page":[{"Id":0,"State":"a"},"#;
        assert!(json.starts_with(start) && json.ends_with("}]}"), "{json}");
    }

    #[test]
    fn names_differ() {
        let text = format!("{0}\n{0}\n# ROWS\n{0}\n", table(3));
        let (_, tables) = tables_of_page(&text).expect("tables");
        let names: Vec<_> = tables.iter().map(|table| &*table.name).collect();
        assert_eq!(names, ["rows", "rows_2", "ROWS_3"]);
        assert_eq!(tables_of_page("# A\n\nwords\n---\n| a |\n"), None);
    }
}
