//! One table of data, written after all of its rows are read.

/// Most columns of one cell.
const MOST_COLUMNS: usize = 64;

/// The rows of a table so far.
#[derive(Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
    /// Whether the first row has a heading cell.
    has_head: bool,
    /// Whether a row is open.
    is_in_row: bool,
    /// The number of columns of the open cell; none without an open cell.
    cell: Option<usize>,
    /// The text before the cell.
    pub around: String,
}

impl Table {
    pub fn begin_row(&mut self) {
        self.is_in_row = true;
        self.rows.push(Vec::new());
    }

    pub fn is_in_cell(&self) -> bool {
        self.cell.is_some()
    }

    pub fn begin_cell(&mut self, is_head: bool, columns: Option<&str>) {
        if !self.is_in_row {
            self.begin_row();
        }
        let columns = columns.and_then(|columns| columns.trim().parse().ok());
        self.cell = Some(columns.unwrap_or(1).clamp(1, MOST_COLUMNS));
        self.has_head |= is_head && self.rows.len() == 1;
    }

    pub fn end_cell(&mut self, text: &str) {
        let columns = self.cell.take().unwrap_or(1);
        if let Some(row) = self.rows.last_mut() {
            row.push(text.trim().to_owned());
            row.extend(std::iter::repeat_n(String::new(), columns - 1));
        }
    }

    pub fn end_row(&mut self) {
        self.is_in_row = false;
    }

    /// The lines of the table; none for a table without words.
    pub fn lines(mut self) -> Vec<String> {
        for row in &mut self.rows {
            while row.last().is_some_and(String::is_empty) {
                row.pop();
            }
        }
        if self.rows.first().is_some_and(Vec::is_empty) {
            self.has_head = false;
        }
        self.rows.retain(|row| !row.is_empty());
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        if columns == 0 {
            return Vec::new();
        }
        // Without a head, a table of Markdown has an empty one.
        if !self.has_head {
            self.rows.insert(0, Vec::new());
        }
        let mut lines = Vec::with_capacity(self.rows.len() + 1);
        for (place, mut row) in self.rows.into_iter().enumerate() {
            if place == 0 {
                row.resize(columns, String::new());
            }
            lines.push(format!("| {} |", row.join(" | ")));
            if place == 0 {
                lines.push(format!("|{}", "---|".repeat(columns)));
            }
        }
        lines
    }
}
