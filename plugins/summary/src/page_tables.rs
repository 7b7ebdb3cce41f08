//! Tables of Markdown or HTML in a text that is otherwise prose.
//!
//! Owns which of them are told, and that each has its lines. Refuses to know how a table is described. The read tool
//! finds the same tables under the same names.

use crate::data;
use crate::order;
use crate::outline::Outline;
use crate::paper::{Paper, some};
use crate::search::{begins, has, split};
use crate::table::{self, Style};
use tamis_formats::{Format, PageTable};
use tamis_sdk::{Document, quote};

/// Fewest rows of a table that is told: a smaller one is part of the prose.
const LEAST_ROWS: usize = 8;
/// Most tables that are told.
const TOLD: usize = 3;
/// Most small tables that are named.
const SMALL: usize = 4;
/// Most different values of a column that are counted one by one.
const DISTINCT: usize = 9;

/// The beginning of a description.
const HEAD: &str = "table in lines ";

fn head(table: &PageTable) -> String {
    let (first, last) = table.lines.clone().into_inner();
    let others = match &table.others[..] {
        [] => String::new(),
        [other] => format!(" without line {other}, which is no row"),
        [other, ..] => format!(
            " without {} lines that are no rows, {other} first",
            table.others.len()
        ),
    };
    format!("{HEAD}{first}-{last}{others}:")
}

/// `orders in lines 3-9`
fn named(table: &PageTable) -> String {
    let (first, last) = table.lines.clone().into_inner();
    format!("{} in lines {first}-{last}", table.name)
}

/// An object with a list for each table. Takes their tapes: nobody has to index the JSON again.
fn document(tables: &mut [PageTable]) -> Document {
    const KEY: u32 = 5;
    const OBJECT: u32 = 7;
    let mut json = String::from("{");
    let mut nodes = vec![[0; 4]];
    for table in &mut *tables {
        if json.len() > 1 {
            json.push(',');
        }
        let start = json.len() as u32;
        // A word without escapes.
        json.push_str(&quote(&table.name));
        let end = json.len() as u32;
        json.push(':');
        let (first_byte, first) = (json.len() as u32, nodes.len() as u32 + 1);
        let tape = std::mem::take(&mut table.tape);
        let tape = tape.as_chunks::<4>().0;
        nodes.push([KEY, start, end, first + tape.len() as u32]);
        let moved = tape.iter().map(|[head, start, end, next]| {
            [*head, start + first_byte, end + first_byte, next + first]
        });
        nodes.extend(moved);
        json.push_str(&table.json);
    }
    json.push('}');
    let head = OBJECT | (tables.len() as u32) << 8;
    nodes[0] = [head, 0, json.len() as u32, nodes.len() as u32];
    Document::indexed(json, nodes.into_flattened())
}

/// The tables of a text.
pub struct PageTables {
    /// Those that are told, the largest first: an object with a list for each.
    document: Document,
    told: Vec<PageTable>,
    /// How many others there are.
    more: usize,
    /// The names and the lines of those with few rows, worded.
    small: Vec<String>,
    /// The path of the text.
    path: String,
}

impl PageTables {
    pub fn of(text: &str) -> Option<PageTables> {
        let mut told = tamis_formats::tables_of_page(text);
        let small = told.extract_if(.., |table| table.rows < LEAST_ROWS);
        let small: Vec<String> = small.map(|table| named(&table)).collect();
        order::most_first(&mut told, |table| table.rows as i64);
        let more = told.len().saturating_sub(TOLD);
        told.truncate(TOLD);
        if told.is_empty() {
            return None;
        }
        let document = document(&mut told);
        Some(PageTables {
            document,
            told,
            more,
            small,
            path: "$".to_owned(),
        })
    }

    /// The same of a text in a string of a document.
    pub fn inside(self, path: String) -> PageTables {
        PageTables { path, ..self }
    }

    /// The name of the largest.
    pub fn main(&self) -> &str {
        &self.told[0].name
    }

    /// The table that begins at a byte, if it is told.
    pub fn at(&self, start: usize) -> Option<&PageTable> {
        self.told.iter().find(|table| table.start == start)
    }

    /// The table of a line, and the place of the row that the line is; none for a line that is no row.
    fn row_of(&self, number: usize) -> Option<(&PageTable, usize)> {
        let table = self.told.iter().find(|it| it.lines.contains(&number))?;
        let above = table.others.binary_search(&number).err()?;
        let inside = table
            .others
            .partition_point(|other| other <= table.lines.end());
        // A header has one line or two. Lines that are no rows may stand between rows.
        let row = (number + table.rows + inside - above).checked_sub(table.lines.end() + 1)?;
        Some((table, row))
    }

    /// Whether a line is a row of a table that is told, by its number.
    pub fn has_row(&self, number: usize) -> bool {
        self.row_of(number).is_some()
    }

    /// Whether a line only frames rows: a header, or what is around the tables of a dump.
    pub fn is_frame(&self, number: usize, line: &str) -> bool {
        let is_dump = self.told[0].format == Format::Tsv;
        let is_of_dump = || line == "\\." || begins(line, &["--", "COPY "]);
        let has = |it: &PageTable| it.lines.contains(&number) && !it.others.contains(&number);
        let is_of_table = || self.told.iter().any(has);
        !self.has_row(number) && (is_dump && is_of_dump() || is_of_table())
    }

    /// Whether descriptions of the tables tell a row: they have its place, and its words that the line above lacks.
    pub fn is_told(&self, told: &str, (number, line): (usize, &str), above: &str) -> bool {
        let Some((table, row)) = self.row_of(number) else {
            return false;
        };
        let described = split(told, &head(table)).map_or("", |(_, rest)| rest);
        let described = split(described, HEAD).map_or(described, |(first, _)| first);
        let words = line.split(|c: char| !c.is_alphanumeric());
        let has_digit = |word: &str| word.contains(|c: char| c.is_ascii_digit());
        let mut words = words.filter(|word| !word.is_empty() && !has_digit(word));
        has(described, &format!("[{row}]"))
            && words.all(|word| has(described, word) || has(above, word))
    }

    /// Their number.
    pub fn count(&self) -> usize {
        self.told.len()
    }

    /// Describes the largest tables, and how many others there are.
    pub fn tell(&self, cell: usize, paper: &mut Paper) {
        if let Some(outline) = self.outline() {
            paper.paste(&self.told_largest(&outline, cell, paper.left()));
        }
        if self.more > 0 {
            paper.cut_line(&format!("and {}", some(self.more, "more tables")));
        }
        // Many are a part of the prose.
        if (1..=SMALL).contains(&self.small.len()) {
            paper.line(&format!("small tables: {}", self.small.join(", ")));
        }
    }

    /// The outline of the largest tables.
    pub fn outline(&self) -> Option<Outline<'_>> {
        let root = self.document.root()?;
        Some(Outline::of(self.document.text(), root, DISTINCT).inside(&self.path))
    }

    /// The descriptions of the largest tables, each in its share of so many characters.
    pub fn told_largest(&self, outline: &Outline<'_>, cell: usize, room: usize) -> Paper {
        let mut paper = Paper::new(room);
        outline.look_again();
        let share = paper.left() / self.told.len();
        for (place, of_page) in self.told.iter().enumerate() {
            let mut part = Paper::new(share.min(paper.left()));
            part.cut_line(&head(of_page));
            if let Some(names) = data::renamed(&of_page.renamed) {
                part.cut_line(&names);
            }
            if let Some(at) = outline.fields[0].children.get(place) {
                table::tell(
                    outline,
                    *at,
                    Style {
                        rows: 1,
                        cell,
                        grown: 0,
                    },
                    &mut part,
                );
            }
            paper.paste(&part);
        }
        paper
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamis_sdk::MAX_DEPTH;

    #[test]
    fn the_tape_of_tables_is_that_of_their_json() {
        let rows: String = (0..9).map(|row| format!("| {row} | a\"b | |\n")).collect();
        let table = format!("| Id | State | No |\n|---|---|---|\n{rows}\n");
        let tables = PageTables::of(&format!("# One\n\n{table}# Two\n\n{table}")).expect("tables");
        let document = &tables.document;
        let read = Document::nested(document.text().to_owned(), MAX_DEPTH).expect("JSON");
        assert_eq!(document.tape(), read.tape(), "{}", document.text());
        assert_eq!(tables.count(), 2);
    }
}
