//! Rows of numbers without a header: `1764000000,20.1,55,0`, as loggers and instruments write them, and rows in which some
//! columns are words: `17|anna|2026-03-01|40`, as clients of databases do.
//!
//! Owns what such rows are, the range of each column, and the rows with an odd number. Refuses rows under a header, which
//! are data, and text between rows.

use crate::dates::days;
use crate::extremes::Extremes;
use crate::paper::{Paper, some};
use crate::trim::trim;

/// Fewest rows, and most columns.
const LEAST: usize = 30;
const COLUMNS: usize = 32;
/// Fewest columns of rows with words, and of those the numbers and dates.
const COLUMNS_WITH_WORDS: usize = 4;
const NUMBERS: usize = 2;
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
    /// The different numbers; one more than are counted.
    values: Vec<Value<'t>>,
}

/// A number of a column.
struct Value<'t> {
    number: f64,
    /// As its first line spells it.
    text: &'t str,
    count: usize,
    first: usize,
}

/// Rows of numbers.
pub struct NumberRows<'t> {
    rows: usize,
    columns: Vec<Column<'t>>,
    /// The columns of words, as bits.
    words: u32,
    /// Lines that have another number of cells, or a cell that is no number.
    others: Vec<usize>,
}

/// Most digits of a number that is read as a whole number and a power of ten: both are exact.
const DIGITS: usize = 15;
const POWERS: [f64; DIGITS + 1] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

/// A cell as a number.
#[inline(never)]
fn number(cell: &str) -> Option<f64> {
    let is_number = cell
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let number = is_number.then(|| cell.parse().ok()).flatten();
    number.filter(|number: &f64| number.is_finite())
}

/// A number, which words and a missing number are not, and where its cell begins and ends in a line.
type Cell = (f64, usize, usize);

/// Reads the cells of a row. `words`: the columns, as bits, whose cells may be words. False if another one is no number, or
/// there are more than `most`.
fn read(line: &str, separator: u8, most: usize, words: u32, row: &mut Vec<Cell>) -> bool {
    let bytes = line.as_bytes();
    let is_blank = separator == b' ';
    let ends = |byte: u8| byte == separator || is_blank && byte == b'\t';
    row.clear();
    let mut at = 0;
    loop {
        while let Some(byte) = bytes.get(at)
            && (*byte == b' ' || is_blank && *byte == b'\t')
        {
            at += 1;
        }
        if is_blank && at == bytes.len() {
            return true;
        }
        let start = at;
        let is_negative = bytes.get(at) == Some(&b'-');
        at += usize::from(is_negative);
        let (first, mut whole, mut point) = (at, 0_u64, None);
        let is_plain = loop {
            match bytes.get(at) {
                Some(digit @ b'0'..=b'9') => {
                    whole = whole.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
                }
                Some(b'.') if point.is_none() => point = Some(at),
                Some(other) => break ends(*other),
                None => break true,
            }
            at += 1;
        };
        let digits = at - first - usize::from(point.is_some());
        let number = if is_plain && (1..=DIGITS).contains(&digits) {
            let size = match point {
                Some(point) => whole as f64 / POWERS[at - point - 1],
                None => whole as f64,
            };
            if is_negative { -size } else { size }
        } else {
            at += bytes[at..]
                .iter()
                .position(|byte| ends(*byte))
                .unwrap_or(bytes.len() - at);
            let cell = trim(&line[start..at]);
            let is_word =
                words >> row.len().min(COLUMNS - 1) & 1 > 0 || words > 0 && cell.is_empty();
            match number(cell) {
                Some(number) => number,
                None if words > 0 => match days(cell.as_bytes()) {
                    Some(days) => days,
                    None if is_word => f64::NAN,
                    None => return false,
                },
                None => return false,
            }
        };
        if row.len() == most {
            return false;
        }
        row.push((number, start, at));
        if at == bytes.len() {
            return true;
        }
        at += 1;
    }
}

impl<'t> NumberRows<'t> {
    /// `lines`: with their numbers from 1, `count` of them.
    pub fn of(
        mut lines: impl Iterator<Item = (usize, &'t str)>,
        count: usize,
    ) -> Option<NumberRows<'t>> {
        let (_, first) = lines.by_ref().next()?;
        let is_in = |separator: &&u8| first.as_bytes().contains(*separator);
        let separator = *b"|,;\t ".iter().find(is_in)?;
        // Two numbers with a comma between them may be one: `1,234`, `20,5`.
        let fewest = if separator == b',' { 3 } else { 2 };
        let mut row = Vec::new();
        if count < LEAST {
            return None;
        }
        let mut words = 0;
        if !read(first, separator, COLUMNS, words, &mut row) {
            // The bars of a table are its frame.
            let may_have_words = separator != b' ' && !first.starts_with('|');
            if !may_have_words || !read(first, separator, COLUMNS, u32::MAX, &mut row) {
                return None;
            }
            let are_numbers = row.iter().map(|(number, ..)| !number.is_nan());
            let numbers = are_numbers.clone().filter(|it| *it).count();
            if row.len() < COLUMNS_WITH_WORDS || numbers < NUMBERS {
                return None;
            }
            let bits = (0..).zip(are_numbers);
            words = bits.fold(0, |words, (at, it)| words | u32::from(!it) << at);
        }
        let width = row.len();
        if width < fewest {
            return None;
        }
        let column = |_| Column {
            range: Extremes::default(),
            values: Vec::new(),
        };
        let mut found = NumberRows {
            rows: 0,
            columns: (0..width).map(column).collect(),
            words,
            others: Vec::new(),
        };
        for (place, line) in std::iter::once((1, first)).chain(lines) {
            if !read(line, separator, width, words, &mut row) || row.len() < width {
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
            for (at, (column, cell)) in found.columns.iter_mut().zip(&row).enumerate() {
                if words >> at & 1 == 0 && !cell.0.is_nan() {
                    column.note(*cell, line, place);
                }
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
        let columns = match self.words {
            0 => some(self.columns.len(), "numbers"),
            _ => some(self.columns.len(), "cells"),
        };
        let told = self.columns.iter().enumerate();
        let told = told.filter_map(|(at, column)| Some(format!(" [{at}] {}", column.told()?)));
        let head = format!("{rows} of {columns} each, by place in the row:");
        if paper.line(&head) {
            paper.list(told, |line| line, "columns");
        }
    }
}

impl<'t> Column<'t> {
    #[inline]
    fn note(&mut self, (number, start, end): Cell, line: &'t str, place: usize) {
        let text = || trim(&line[start..end]);
        if !self.range.counts(number) {
            let row = u32::try_from(place).unwrap_or(u32::MAX);
            self.range.note(number, text(), row);
        }
        if self.values.len() > DIFFERENT {
            return;
        }
        match self.values.iter_mut().find(|it| it.number == number) {
            Some(known) => known.count += 1,
            None => self.values.push(Value {
                number,
                text: text(),
                count: 1,
                first: place,
            }),
        }
    }

    /// The numbers that hardly any row has where nearly all have one, with their counts and first lines.
    fn rare(&self) -> impl Iterator<Item = &Value<'t>> {
        let counts = self.values.iter().map(|value| value.count);
        let (most, all) = (
            counts.clone().max().unwrap_or_default(),
            counts.sum::<usize>(),
        );
        let are_few = self.values.len() <= DIFFERENT && (all - most) * USUAL_ALL_BUT <= all;
        let values = self.values.iter().filter(move |_| are_few);
        values.filter(move |value| value.count < most)
    }

    /// The lines with a rare number, or one far from all others.
    fn odd(&self) -> Vec<usize> {
        let alone = self.range.range().map_or(Vec::new(), |(_, alone)| alone);
        let alone = alone.into_iter().map(|one| one.row as usize);
        self.rare().map(|value| value.first).chain(alone).collect()
    }

    /// `20.0..20.6`, `55, but 0 in line 312`.
    fn told(&self) -> Option<String> {
        let ([from, to], alone) = self.range.range()?;
        let rare: Vec<_> = self.rare().collect();
        if let Some(usual) = self.values.iter().max_by_key(|value| value.count)
            && !rare.is_empty()
        {
            let rare = rare.iter().map(|value| match value.count {
                1 => format!(", but {} in line {}", value.text, value.first),
                count => format!(
                    ", but {} {count} times, first in line {}",
                    value.text, value.first
                ),
            });
            return Some(format!("{}{}", usual.text, rare.collect::<String>()));
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
    fn odd_numbers_of_rows_with_words() {
        let text = rows(200, |at| {
            let name = ["anna", "boris", "chen"][at % 3];
            let (year, paid) = (
                if at == 71 { 1970 } else { 2026 },
                if at % 9 == 5 {
                    String::new()
                } else {
                    at.to_string()
                },
            );
            format!("{at}|{name}|{year}-01-{:02}|{paid}", 1 + at % 28)
        });
        let found = of(&text).expect("rows");
        assert_eq!(found.odd(), [72]);
        let mut paper = Paper::new(900);
        found.tell(&mut paper);
        assert_eq!(
            paper.text(),
            "200 rows of 4 cells each, by place in the row:\n [0] 0..199\n [2] 2026-01-01..2026-01-28, but 1970-01-16 in line 72\n [3] 0..199\n"
        );
        let text = text.replace("\n5|chen|", "\nfive|chen|");
        assert_eq!(of(&text).expect("rows").odd(), [6, 72]);
        let text = text.replace("\n7|", "\n7|or|");
        assert_eq!(of(&text).expect("rows").odd(), [6, 8, 72]);
        // A number and words, and words of another number of cells.
        assert!(of(&rows(90, |at| format!("{at}|a|b|c"))).is_none());
        let text = |at: usize| format!("{at}, {at}, word{}, too", ", and".repeat(at % 2));
        assert!(of(&rows(90, text)).is_none());
    }

    #[test]
    fn other_lines_are_no_rows_of_numbers() {
        for text in [
            rows(90, |at| format!("{at},word,{at}")),
            format!("id,n\n{}", rows(90, |at| format!("{at},{at}"))),
            rows(90, |at| at.to_string()),
            // Thousands, and decimals.
            rows(90, |at| format!("{},{}", 1 + at, 100 + at)),
            rows(90, |at| format!("20,{at}")),
            rows(20, |at| format!("{at} {at}")),
            rows(90, |at| format!("{at},{at}{}", ",1".repeat(at % 2))),
            rows(90, |at| format!("2026-11-01,{at}")),
        ] {
            assert!(of(&text).is_none(), "{text:.60}");
        }
        assert!(of(&rows(90, |at| format!("{at}\t-{at}.5 "))).is_some());
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        for number in [
            "0",
            "-0",
            "7",
            "-12.50",
            ".5",
            "5.",
            "0.1",
            "123456789012345",
            "1234567890.12345",
            "9007199254740993",
            "0.30000000000000004",
            "-1e-7",
            "+3",
            "1E5",
        ] {
            for separator in [";", " ", "\t"] {
                let line = format!("{number}{separator} {number} {separator}1");
                let mut row = Vec::new();
                assert!(
                    read(&line, separator.as_bytes()[0], 3, 0, &mut row),
                    "{line:?}"
                );
                let row = row
                    .iter()
                    .map(|(number, start, end)| (*number, trim(&line[*start..*end])));
                let one = (number.parse().expect("a number"), number);
                assert_eq!(row.collect::<Vec<_>>(), [one, one, (1.0, "1")], "{line:?}");
            }
        }
        for none in ["", "-", ".", "1.2.3", "--1", "inf", "1e999", "0x1", "1 2"] {
            assert!(
                !read(&format!("1,{none},2"), b',', 3, 0, &mut Vec::new()),
                "{none}"
            );
        }
        assert!(!read("1,2,3,4", b',', 3, 0, &mut Vec::new()));
    }
}
