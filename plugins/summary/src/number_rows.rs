//! Rows of numbers without a header: `1764000000,20.1,55,0`, as loggers and instruments write them.
//!
//! Owns what such rows are, the range of each column, and the rows with an odd number. Refuses rows under a header, which
//! are data, and text between rows.

use crate::extremes::Extremes;
use crate::paper::{Paper, some};
use crate::trim::trim;

/// Fewest rows, and most columns.
const LEAST: usize = 30;
const COLUMNS: usize = 64;
/// One row in so many may have a cell that is no number.
const OTHERS_ONE_OF: usize = 50;
/// Most rows with an odd number. More are nothing special.
const MOST_ODD: usize = 8;
/// Most different numbers of a column that are counted, and the share of the most frequent one that makes others odd: all
/// but one in so many.
const DIFFERENT: usize = 4;
const USUAL_ALL_BUT: usize = 50;

/// A column of numbers.
struct Column<'t> {
    range: Extremes<'t>,
    /// The different numbers, each with its count and the line of the first; one more than are counted.
    values: Vec<(&'t str, usize, usize)>,
}

/// Rows of numbers.
pub struct NumberRows<'t> {
    rows: usize,
    columns: Vec<Column<'t>>,
    /// Lines that have another number of cells, or a cell that is no number.
    others: Vec<usize>,
}

/// The cells of a row.
fn cells(line: &str, separator: u8) -> impl Iterator<Item = &str> {
    let is_blank = separator == b' ';
    let mut rest = Some(line);
    let cells = std::iter::from_fn(move || {
        let line = rest?;
        let end = line
            .bytes()
            .position(|byte| byte == separator || is_blank && byte == b'\t');
        rest = end.map(|end| &line[end + 1..]);
        Some(trim(&line[..end.unwrap_or(line.len())]))
    });
    cells.filter(move |cell| !is_blank || !cell.is_empty())
}

/// A cell as a number.
fn number(cell: &str) -> Option<f64> {
    let is_number = cell
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let number = is_number.then(|| cell.parse().ok()).flatten();
    number.filter(|number: &f64| number.is_finite())
}

impl<'t> NumberRows<'t> {
    /// `lines`: with their numbers from 1, `count` of them.
    pub fn of(
        mut lines: impl Iterator<Item = (usize, &'t str)>,
        count: usize,
    ) -> Option<NumberRows<'t>> {
        let (_, first) = lines.by_ref().next()?;
        let is_in = |separator: &&u8| first.as_bytes().contains(*separator);
        let separator = *b",;\t ".iter().find(is_in)?;
        let width = cells(first, separator).count();
        let are_numbers = cells(first, separator).all(|cell| number(cell).is_some());
        if count < LEAST || !are_numbers || !(2..=COLUMNS).contains(&width) {
            return None;
        }
        let column = |_| Column {
            range: Extremes::default(),
            values: Vec::new(),
        };
        let mut found = NumberRows {
            rows: 0,
            columns: (0..width).map(column).collect(),
            others: Vec::new(),
        };
        let mut row: Vec<(&str, f64)> = Vec::with_capacity(width);
        for (place, line) in std::iter::once((1, first)).chain(lines) {
            row.clear();
            let mut count_of_cells = 0;
            for cell in cells(line, separator) {
                count_of_cells += 1;
                row.extend(number(cell).map(|number| (cell, number)));
            }
            if row.len() < width || count_of_cells != width {
                // A blank line at the end is no row.
                if !trim(line).is_empty() {
                    found.others.push(place);
                }
                if found.others.len() * OTHERS_ONE_OF > count {
                    return None;
                }
                continue;
            }
            found.rows += 1;
            for (column, (cell, number)) in found.columns.iter_mut().zip(&row) {
                column.note(cell, *number, place);
            }
        }
        (found.rows >= LEAST).then_some(found)
    }

    /// The lines with an odd number, in order; none if they are many.
    pub fn odd(&self) -> Vec<usize> {
        let mut odd = self.others.clone();
        odd.extend(self.columns.iter().flat_map(Column::odd));
        odd.sort_unstable();
        odd.dedup();
        if odd.len() > MOST_ODD {
            odd.clear();
        }
        odd
    }

    /// Describes the columns, which are counted from 0.
    pub fn tell(&self, paper: &mut Paper) {
        let rows = some(self.rows, "rows");
        let columns = some(self.columns.len(), "numbers");
        let told = self.columns.iter().enumerate();
        let told = told.filter_map(|(at, column)| Some(format!(" [{at}] {}", column.told()?)));
        let head = format!("{rows} of {columns} each, by place in the row:");
        if paper.line(&head) {
            paper.list(told, |line| line, "columns");
        }
    }
}

impl<'t> Column<'t> {
    fn note(&mut self, cell: &'t str, number: f64, place: usize) {
        let row = u32::try_from(place).unwrap_or(u32::MAX);
        self.range.note(number, cell, row);
        if self.values.len() > DIFFERENT {
            return;
        }
        match self.values.iter_mut().find(|(known, ..)| *known == cell) {
            Some((_, count, _)) => *count += 1,
            None => self.values.push((cell, 1, place)),
        }
    }

    /// The numbers that hardly any row has where nearly all have one, with their counts and first lines.
    fn rare(&self) -> impl Iterator<Item = &(&'t str, usize, usize)> {
        let counts = self.values.iter().map(|(_, count, _)| *count);
        let (most, all) = (
            counts.clone().max().unwrap_or_default(),
            counts.sum::<usize>(),
        );
        let are_few = self.values.len() <= DIFFERENT && (all - most) * USUAL_ALL_BUT <= all;
        let values = self.values.iter().filter(move |_| are_few);
        values.filter(move |(_, count, _)| *count < most)
    }

    /// The lines with a rare number, or one far from all others.
    fn odd(&self) -> Vec<usize> {
        let alone = self.range.range().map_or(Vec::new(), |(_, alone)| alone);
        let alone = alone.into_iter().map(|one| one.row as usize);
        self.rare().map(|(.., place)| *place).chain(alone).collect()
    }

    /// `20.0..20.6`, `55, but 0 in line 312`.
    fn told(&self) -> Option<String> {
        let ([from, to], alone) = self.range.range()?;
        let rare: Vec<_> = self.rare().collect();
        if let Some((usual, ..)) = self.values.iter().max_by_key(|(_, count, _)| *count)
            && !rare.is_empty()
        {
            let rare = rare.iter().map(|(value, count, place)| match count {
                1 => format!(", but {value} in line {place}"),
                _ => format!(", but {value} {count} times, first in line {place}"),
            });
            return Some(format!("{usual}{}", rare.collect::<String>()));
        }
        let alone = alone
            .iter()
            .map(|one| format!(", but {} in line {}", one.text, one.row));
        let range = match from.text == to.text {
            true => from.text.to_owned(),
            false => format!("{}..{}", from.text, to.text),
        };
        Some(format!("{range}{}", alone.collect::<String>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<NumberRows<'_>> {
        NumberRows::of((1..).zip(text.lines()), text.lines().count())
    }

    fn rows(count: usize, row: impl Fn(usize) -> String) -> String {
        (0..count).map(|at| row(at) + "\n").collect()
    }

    #[test]
    fn odd_numbers_of_each_column() {
        let text = rows(200, |at| {
            let (wet, hot) = (
                if at == 71 { 0 } else { 55 },
                if at == 99 { 900 } else { 20 + at % 9 },
            );
            format!("{},{hot},{wet},{}", 1_764_000_000 + at * 60, at % 2)
        });
        let found = of(&text).expect("rows");
        assert_eq!(found.odd(), [72, 100]);
        let mut paper = Paper::new(900);
        found.tell(&mut paper);
        assert_eq!(
            paper.text(),
            "200 rows of 4 numbers each, by place in the row:\n [0] 1764000000..1764011940\n [1] 20..28, but 900 in line 100\n [2] 55, but 0 in line 72\n [3] 0..1\n"
        );
        // A cell that is no number, and one too few.
        let text = text.replace("\n1764000300,25,", "\n1764000300,nan,");
        assert_eq!(of(&text).expect("rows").odd(), [6, 72, 100]);
    }

    #[test]
    fn other_lines_are_no_rows_of_numbers() {
        for text in [
            rows(90, |at| format!("{at},word,{at}")),
            format!("id,n\n{}", rows(90, |at| format!("{at},{at}"))),
            rows(90, |at| at.to_string()),
            rows(20, |at| format!("{at} {at}")),
            rows(90, |at| format!("{at},{at}{}", ",1".repeat(at % 2))),
            rows(90, |at| format!("2026-11-01,{at}")),
        ] {
            assert!(of(&text).is_none(), "{text:.60}");
        }
        assert!(of(&rows(90, |at| format!("{at}\t-{at}.5 "))).is_some());
    }
}
