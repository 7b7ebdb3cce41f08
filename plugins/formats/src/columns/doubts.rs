//! Signs that lines between the rows are none, or that cells stand in columns of others.
//!
//! Owns what is counted of cells. Refuses to know where columns are.

use super::{FEW, has_gap};
use crate::words::has_pair;
use std::ops::Range;

/// How the cells of a column are in line with its name.
#[derive(Clone, Default)]
pub(super) struct Order {
    cells: usize,
    /// Those that begin where the name does, and that begin before it.
    at_start: usize,
    before_start: usize,
    /// The same for the end.
    at_end: usize,
    behind_end: usize,
    /// Those with a gap inside, as between columns.
    gaps: usize,
}

impl Order {
    /// `is_ascii`: all characters of the line are bytes.
    pub(super) fn note(&mut self, (line, is_ascii): (&str, bool), cell: &str, name: &Range<usize>) {
        if cell.is_empty() {
            return;
        }
        self.cells += 1;
        self.gaps += usize::from(has_pair(cell, b' '));
        if !is_ascii {
            return;
        }
        let start = cell.as_ptr() as usize - line.as_ptr() as usize;
        let end = start + cell.len();
        self.at_start += usize::from(start == name.start);
        self.before_start += usize::from(start < name.start);
        self.at_end += usize::from(end == name.end);
        self.behind_end += usize::from(end > name.end);
    }

    /// Whether a few cells are out of the line that the others are in.
    pub(super) fn is_pushed(&self) -> bool {
        let is_line = |count: usize| count * FEW >= self.cells * (FEW - 1);
        let of_left = is_line(self.at_start) && self.before_start > 0;
        let of_right = is_line(self.at_end) && self.behind_end > 0 && !is_line(self.at_start);
        of_left || of_right
    }

    /// Whether all cells but so many end where the name does, and not all begin where it does.
    pub(super) fn is_right_but_for(&self, count: usize) -> bool {
        count > 0 && self.at_end + count == self.cells && self.at_start < self.at_end
    }

    /// Whether half of the cells have a gap inside.
    pub(super) fn has_gaps(&self, rows: usize) -> bool {
        self.gaps * 2 > rows
    }
}

/// The first cells of rows, which show whether a line with one cell is a row.
pub(super) struct FirstCells<'t> {
    /// The lone cells that are words, and the number of those that are not in the first column.
    pub(super) words: Vec<&'t str>,
    inner: usize,
    /// The rows that are written as a sentence, and the most cells that words of one fill.
    sentences: usize,
    most_of_sentence: usize,
    /// The other rows without a gap that lack cells, the most cells that one fills, and the fewest of rows with a gap.
    joined: usize,
    most_of_joined: usize,
    fewest_of_apart: usize,
    /// The number of columns, and the filled cells that each other row has.
    columns: usize,
    fewest: usize,
    /// First cells of other rows: all are filled, some have blanks, are of letters alone, begin with a capital.
    are_filled: bool,
    have_blanks: bool,
    have_letters: bool,
    have_capitals: bool,
}

impl<'t> FirstCells<'t> {
    pub(super) fn new(columns: usize) -> FirstCells<'t> {
        FirstCells {
            words: Vec::new(),
            inner: 0,
            sentences: 0,
            most_of_sentence: 0,
            joined: 0,
            most_of_joined: 0,
            fewest_of_apart: columns,
            columns,
            fewest: columns,
            are_filled: true,
            have_blanks: false,
            have_letters: false,
            have_capitals: false,
        }
    }

    /// Notes the cells of the next row, so many of which are filled.
    pub(super) fn note(&mut self, line: &str, row: &[&'t str], filled: usize) {
        let first = row[0];
        match filled {
            1 if first.is_empty() => self.inner += 1,
            _ if first.contains(' ') && !has_gap(line) => {
                self.sentences += 1;
                self.most_of_sentence = self.most_of_sentence.max(filled);
            }
            1 => self.words.push(first),
            _ => {
                if filled < self.columns && !has_gap(line) {
                    self.joined += 1;
                    self.most_of_joined = self.most_of_joined.max(filled);
                } else {
                    self.fewest_of_apart = self.fewest_of_apart.min(filled);
                }
                self.fewest = self.fewest.min(filled);
                self.are_filled &= !first.is_empty();
                self.have_blanks |= first.contains(' ');
                self.have_letters |= is_of_letters(first);
                self.have_capitals |= first.starts_with(|c: char| c.is_ascii_uppercase());
            }
        }
    }

    /// Whether some lines of so many are no rows: a few that another program wrote, or the rest of cells above.
    /// `are_right`: only lone cells are not in line with the end of the name.
    pub(super) fn have_others(&self, rows: usize, are_right: bool) -> bool {
        /// What shells and systems say in a word.
        const SAID: [&str; 8] = [
            "killed",
            "terminated",
            "aborted",
            "failed",
            "hangup",
            "logout",
            "done",
            "error",
        ];
        let are_few = |count: usize| count > 0 && count * FEW <= rows;
        let is_other = |word: &&str| {
            let letters = word.trim_end_matches(['.', '!']);
            let begins_capital = word.starts_with(|c: char| c.is_ascii_uppercase());
            are_right
                || word.starts_with(['^', '['])
                || is_of_letters(letters) && !self.have_letters
                || begins_capital && !self.have_capitals
                || SAID.iter().any(|said| said.eq_ignore_ascii_case(letters))
        };
        let are_whole = self.fewest > 2 || self.fewest == self.columns;
        // A row may lack a cell, and be without a gap by chance.
        let are_joined = are_few(self.joined) && self.most_of_joined + 1 < self.fewest_of_apart;
        are_joined
            || are_whole
                && (are_few(self.sentences)
                    && self.most_of_sentence < self.fewest
                    && !self.have_blanks
                    || are_few(self.words.len()) && self.words.iter().any(is_other)
                    || self.inner > 0 && self.fewest > 2 && self.are_filled)
    }
}

/// Whether a text has only letters.
fn is_of_letters(text: &str) -> bool {
    !text.is_empty() && text.chars().all(char::is_alphabetic)
}
