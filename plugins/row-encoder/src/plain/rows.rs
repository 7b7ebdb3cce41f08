//! Rows as text, made only within the budget.
//!
//! Groups are filled in order. An estimate stops this early. A group that certainly does not fit is not made. Of a
//! first group that is too large alone, only rows that may fit are made. [`super::output`] counts exactly, and decides
//! how many rows stay.

use super::budget::Limits;
use super::cell::{Cell, Field, push_escaped};
use super::lists::Group;
use super::path::{Unfit, Walk};

/// Rows of one string.
#[derive(Default)]
pub struct Rows {
    text: String,
    /// The end of each row in the text.
    ends: Vec<usize>,
}

impl Rows {
    /// The number of rows.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The first rows, joined by newlines.
    pub fn first(&self, count: usize) -> &str {
        match count.min(self.count()) {
            0 => "",
            count => &self.text[..self.ends[count - 1]],
        }
    }
}

/// The position of a group in the output.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// The rows beside the keys.
    Top,
    /// An object of its own.
    Named,
    /// A member of the map with this number.
    Map(usize),
}

/// A group whose rows are text.
pub struct Filled {
    pub kind: Kind,
    pub name: String,
    pub sets: Vec<Rows>,
}

impl Filled {
    /// Number of rows in all of its sets.
    pub fn count(&self) -> usize {
        self.sets.iter().map(Rows::count).sum()
    }
}

/// Fills groups within a budget.
pub struct Filling<'p> {
    columns: &'p [&'p Field],
    roots: &'p [String],
    limits: &'p Limits,
    /// Bytes of a group without its name and its rows.
    frame_bytes: usize,
    /// Whether some row had each column.
    seen: Vec<bool>,
    rows: usize,
    bytes: usize,
    /// The groups that fit, by the estimate.
    pub groups: Vec<Filled>,
    /// Whether something did not fit.
    pub cut: bool,
}

impl<'p> Filling<'p> {
    /// `keys_bytes`: size of the output before the first group.
    pub fn new(
        columns: &'p [&'p Field],
        roots: &'p [String],
        limits: &'p Limits,
        keys_bytes: usize,
        frame_bytes: usize,
    ) -> Self {
        Filling {
            columns,
            roots,
            limits,
            frame_bytes,
            seen: vec![false; columns.len()],
            rows: 0,
            bytes: keys_bytes,
            groups: Vec::new(),
            cut: false,
        }
    }

    /// Writes the rows of a group, unless an earlier one did not fit.
    pub fn add(&mut self, walk: &Walk<'_>, kind: Kind, group: Group) -> Result<(), Unfit> {
        if self.cut {
            return Ok(());
        }
        let first = self.groups.is_empty();
        let before = (self.rows, self.bytes);
        let mut filled = Filled {
            kind,
            name: group.name,
            sets: Vec::with_capacity(group.sets.len()),
        };
        self.bytes += filled.name.len() + self.frame_bytes;
        // A group without rows takes room too.
        self.cut = !first && !self.limits.may_hold(self.rows, self.bytes);
        for places in group.sets {
            let mut rows = Rows::default();
            for at in places {
                if !self.limits.may_hold(self.rows + 1, self.bytes) {
                    self.cut = true;
                    break;
                }
                let start = rows.text.len();
                if start > 0 || rows.count() > 0 {
                    rows.text.push('\n');
                }
                self.push_row(walk, at, &mut rows.text)?;
                rows.ends.push(rows.text.len());
                self.rows += 1;
                self.bytes += rows.text.len() - start;
            }
            filled.sets.push(rows);
        }
        if self.cut && !first {
            (self.rows, self.bytes) = before;
        } else {
            self.groups.push(filled);
        }
        Ok(())
    }

    fn push_row(&mut self, walk: &Walk<'_>, at: u32, text: &mut String) -> Result<(), Unfit> {
        let mut has_any = false;
        for (number, column) in self.columns.iter().enumerate() {
            if number > 0 {
                text.push('|');
            }
            let cell = column.cell(walk, at, self.roots)?;
            if !matches!(cell, Cell::Missing) {
                self.seen[number] = true;
                has_any |= !column.is_fixed();
            }
            push_escaped(text, cell.text());
        }
        // An object without any of the columns is no row of this table, and would be lost in it.
        if has_any { Ok(()) } else { Err(Unfit) }
    }

    /// Whether no row has some required column.
    pub fn lacks_a_column(&self) -> bool {
        let mut columns = self.columns.iter().zip(&self.seen);
        self.rows > 0 && columns.any(|(column, seen)| !seen && !column.optional)
    }
}
