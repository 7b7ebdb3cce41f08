//! A survey of a whole text before any of it is written: objections, and the tables of data.

use crate::element::Element;
use crate::tokens::{self, Attribute, Tag, Token};

/// The facts that the writer needs before it begins.
pub struct Survey {
    /// For each table, in order: whether it becomes a table of Markdown.
    pub tables: Vec<bool>,
}

/// Marks of templates, which do not occur in a rendered page.
const TEMPLATES: [&str; 4] = ["{{", "{%", "<%", "${"];

/// Marks of Markdown, which do not occur in a part of a page.
const MARKDOWN: [&str; 6] = ["```", "](", "\n# ", "\n## ", "\n### ", "\n- "];

#[derive(Default)]
struct Surveyor {
    is_fragment: bool,
    is_doubtful: bool,
    /// Whether a word occurs outside the title.
    has_words: bool,
    is_in_title: bool,
    /// The number of `pre` and `code` around the text.
    code: usize,
    tables: Vec<TableCounts>,
    /// Indices of the tables around the text.
    open: Vec<usize>,
}

struct TableCounts {
    is_data: bool,
    rows: usize,
    cells: usize,
    most_cells: usize,
}

/// Reads a whole text. None if it is not certainly HTML, or has no words to show.
pub fn survey(html: &str, is_fragment: bool) -> Option<Survey> {
    let mut surveyor = Surveyor {
        is_fragment,
        ..Surveyor::default()
    };
    let read = tokens::read(html, &mut |token| surveyor.take(&token));
    let is_sure = read.is_ok() && !surveyor.is_doubtful && surveyor.has_words;
    is_sure.then(|| Survey {
        tables: surveyor.tables.iter().map(TableCounts::is_table).collect(),
    })
}

impl Surveyor {
    fn take(&mut self, token: &Token<'_>) {
        match token {
            Token::Start(tag) => self.start(tag),
            Token::End(element) => self.end(*element),
            Token::Text(text) => self.text(text),
        }
    }

    fn start(&mut self, tag: &Tag) {
        match tag.element {
            Element::Title => self.is_in_title = true,
            Element::Pre | Element::Code | Element::TextArea => self.code += 1,
            Element::Table => {
                // Nested tables are for layout.
                self.is_no_data();
                self.open.push(self.tables.len());
                self.tables.push(TableCounts {
                    is_data: !matches!(tag.get(Attribute::Role), Some("presentation" | "none")),
                    rows: 0,
                    cells: 0,
                    most_cells: 0,
                });
                return;
            }
            Element::Row => {
                if let Some(table) = self.table() {
                    table.rows += 1;
                    table.cells = 0;
                }
            }
            Element::Cell { .. } => {
                if let Some(table) = self.table() {
                    table.cells += 1;
                    table.most_cells = table.most_cells.max(table.cells);
                }
            }
            _ => {}
        }
        if tag.element.is_large() {
            self.is_no_data();
        }
    }

    fn end(&mut self, element: Element) {
        match element {
            Element::Title => self.is_in_title = false,
            Element::Pre | Element::Code | Element::TextArea => {
                self.code = self.code.saturating_sub(1);
            }
            Element::Table => drop(self.open.pop()),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let is_word = text.contains(|letter: char| letter.is_alphanumeric());
        self.has_words |= is_word && !self.is_in_title;
        if self.code > 0 {
            return;
        }
        let has = |marks: &[&str]| marks.iter().any(|mark| text.contains(mark));
        self.is_doubtful |= has(&TEMPLATES) || self.is_fragment && has(&MARKDOWN);
    }

    fn table(&mut self) -> Option<&mut TableCounts> {
        self.open.last().map(|place| &mut self.tables[*place])
    }

    fn is_no_data(&mut self) {
        if let Some(table) = self.table() {
            table.is_data = false;
        }
    }
}

impl TableCounts {
    fn is_table(&self) -> bool {
        self.is_data && self.rows > 1 && self.most_cells > 1
    }
}
