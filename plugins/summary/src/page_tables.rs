//! Tables of Markdown in a text that is otherwise prose.
//!
//! Owns which of them are told, and that each has its lines. Refuses to know how a table is described. The read tool
//! finds the same tables under the same names.

use crate::order;
use crate::outline::Outline;
use crate::paper::{Paper, some};
use crate::table::{self, Style};
use tamis_formats::PageTable;
use tamis_sdk::{Document, MAX_DEPTH};

/// Fewest rows of a table that is told: a smaller one is part of the prose.
const LEAST_ROWS: usize = 8;
/// Most tables that are told.
const TOLD: usize = 3;
/// Most different values of a column that are counted one by one.
const DISTINCT: usize = 9;

/// The tables of a text.
pub struct PageTables {
    document: Document,
    /// Those with enough rows, with their places in the document, the largest first.
    tables: Vec<(usize, PageTable)>,
}

impl PageTables {
    pub fn of(text: &str) -> Option<PageTables> {
        let (json, tables) = tamis_formats::tables_of_page(text)?;
        let mut tables: Vec<_> = tables.into_iter().enumerate().collect();
        tables.retain(|(_, table)| table.rows >= LEAST_ROWS);
        order::most_first(&mut tables, |(_, table)| table.rows as i64);
        let document = Document::nested(json, MAX_DEPTH).filter(|_| !tables.is_empty())?;
        Some(PageTables { document, tables })
    }

    /// The name of the largest.
    pub fn main(&self) -> &str {
        &self.tables[0].1.name
    }

    /// Describes the largest tables, each in its share of the paper.
    pub fn tell(&self, cell: usize, paper: &mut Paper) {
        let Some(root) = self.document.root() else {
            return;
        };
        let outline = Outline::of(self.document.text(), root, DISTINCT);
        let told = self.tables.len().min(TOLD);
        let share = paper.left() / told;
        for (place, of_page) in &self.tables[..told] {
            let mut part = Paper::new(share.min(paper.left()));
            let (first, last) = of_page.lines.clone().into_inner();
            part.cut_line(&format!("table in lines {first}-{last}:"));
            if let Some(at) = outline.fields[0].children.get(*place) {
                table::tell(&outline, *at, Style { rows: 1, cell }, &mut part);
            }
            paper.paste(&part);
        }
        let more = self.tables.len() - told;
        if more > 0 {
            paper.cut_line(&format!("and {}", some(more, "more tables")));
        }
    }
}
