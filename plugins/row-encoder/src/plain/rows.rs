//! Rows as text, made only as far as the budget reaches.
//!
//! Groups are filled one after the other. An estimate stops that early: a group that certainly does
//! not fit is not made, and of a first group that alone is too large only the rows that may fit. What
//! of it stays is for [`super::output`] to decide, which counts exactly.

use super::budget::Limits;
use super::cell::{Cell, Field, push_escaped};
use super::lists::Group;
use super::path::{Unfit, Walk};

/// Rows of one string.
#[derive(Default)]
pub struct Rows {
    text: String,
    /// Where each row ends in it.
    ends: Vec<usize>,
}

impl Rows {
    /// How many there are.
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

/// Where a group goes.
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
    /// Bytes that a group costs beside its name and its rows.
    frame_bytes: usize,
    /// Which columns some row had.
    seen: Vec<bool>,
    rows: usize,
    bytes: usize,
    /// The groups that fit, as far as can be told.
    pub groups: Vec<Filled>,
    /// Whether something did not fit.
    pub cut: bool,
}

impl<'p> Filling<'p> {
    /// `keys_bytes`: what stands in front of the first group.
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
        // What has none of the columns is not a row of this table, and would be lost in it.
        if has_any { Ok(()) } else { Err(Unfit) }
    }

    /// Whether a column that has to be there was in none of the rows.
    pub fn lacks_a_column(&self) -> bool {
        let mut columns = self.columns.iter().zip(&self.seen);
        self.rows > 0 && columns.any(|(column, seen)| !seen && !column.optional)
    }
}
