//! Data of pandas that is printed without a header of its own: a series, and a frame whose index has several levels.
//!
//! Owns their forms. A cell of an outer level that is as above is empty in the text, and repeated in the data. Refuses a
//! series without its type below it, and one whose index may be more than one column.

use super::Loose;
use crate::columns::{self, part};
use crate::lines::{Line, is_made_of, line_above, line_at};
use crate::table::{Header, Table, is_name};
use crate::{Format, Found};
use std::ops::Range;

/// How the last line below a series begins.
const ENDS: [&str; 3] = ["dtype: ", "Name: ", "Categories ("];

/// Blanks between the index and the values of a series. The sign of a number may take one.
const GAP: usize = 3;

/// Most levels of an index.
const MOST_LEVELS: usize = 8;

/// What is written to the values of a series that has no name.
const NO_NAME: &str = "value";

/// Reads the series or the frame at `at`.
pub(super) fn read(text: &str, at: usize) -> Option<Loose> {
    let frame = || Some(Loose::of(frame(text, at)?, Vec::new()));
    series(text, at).or_else(frame)
}

/// The name of a series that the line below its values has, if it is such a line: `Name: total, Length: 400, dtype: int64`.
fn name_below(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("Name: ");
    let (name, rest) = match rest {
        Some(rest) => rest.rsplit_once(", dtype: ")?,
        None => (NO_NAME, line.strip_prefix("dtype: ")?),
    };
    let name = name.split(", Length: ").next()?;
    (!rest.contains(' ')).then_some(name)
}

fn series(text: &str, at: usize) -> Option<Loose> {
    let body = text.trim_end();
    let last = &body[memchr::memrchr(b'\n', body.as_bytes()).map_or(0, |end| end + 1)..];
    let is_below = ENDS.iter().any(|end| last.starts_with(end));
    is_below.then_some(())?;
    let first = line_at(text, at);
    let (mut lines, mut dots, mut line) = (Vec::new(), Vec::new(), first);
    let name = loop {
        if line.is_blank() {
            return None;
        }
        if let Some(name) = name_below(line.text) {
            break name;
        }
        // A line of dots stands for values that are left out.
        match line
            .text
            .split_ascii_whitespace()
            .all(|word| word.starts_with(".."))
        {
            true => dots.push(line.range()),
            false => lines.push(line),
        }
        line = line_at(text, line.next);
    };
    // The names of the levels are on a line of their own, above the index.
    let below = gaps(lines.get(1..)?)?;
    let names = first.text.trim_end();
    let gap = below.last()?.clone();
    let is_row = |line: &str| {
        let (index, value) = (part(line, gap.clone()), part(line, gap.end..usize::MAX));
        index.trim().is_empty() && !value.trim().is_empty()
    };
    let is_named = !is_row(names);
    // Nothing begins at a line between the names, or the first row, and the others.
    let above = line_above(text, at);
    let are_names = || {
        let starts = word_starts(names);
        let levels = || {
            starts[1..]
                .iter()
                .copied()
                .eq(below[..below.len() - 1].iter().map(|gap| gap.end))
        };
        is_name_of_index(names) && (below.len() == 1 && !names.contains("  ") || levels())
    };
    if is_named && !are_names() || is_row(above) || is_name_of_index(above) {
        return None;
    }
    let (names, rows, gaps) = match is_named {
        true if below.len() == 1 => (vec![names], &lines[1..], below),
        true => (names.split_ascii_whitespace().collect(), &lines[1..], below),
        false => (vec![""], &lines[..], gaps(&lines)?),
    };
    let levels = names.len();
    // The last gap is before the values.
    let (last, inner) = gaps.split_last()?;
    if last.len() < GAP || inner.len() + 1 != levels {
        return None;
    }
    let mut names: Vec<&str> = names;
    names.push(name);
    let mut table = Table::new(names, text.len() - at, Header::Ruled)?;
    let mut above: Vec<&str> = vec![""; levels];
    let mut end = at;
    for line in rows {
        let mut from = 0;
        let mut cells = Vec::with_capacity(levels + 1);
        for gap in inner.iter().chain([last]) {
            cells.push(part(line.text, from..gap.start).trim());
            from = gap.end;
        }
        cells.push(part(line.text, from..usize::MAX).trim());
        if !is_made_of(line.text, &cells) || cells[levels].is_empty() {
            return None;
        }
        for level in 0..levels {
            let is_as_above = cells[level].is_empty() && level + 1 < levels;
            if is_as_above {
                cells[level] = above[level];
            }
            (!cells[level].is_empty()).then_some(())?;
            above[level] = cells[level];
        }
        table.push(&cells, line.range())?;
        end = line.end();
    }
    (dots.len() < 2).then_some(())?;
    Some(Loose::of(table.finish(Format::Columns, at..end)?, dots))
}

/// A frame below the names of its columns and, on a line of their own, those of the levels of its index.
fn frame(text: &str, at: usize) -> Option<Found> {
    let header = line_at(text, at);
    let levels = line_at(text, header.next);
    let starts = word_starts(levels.text);
    let width = levels.text.trim_end().len();
    let is_above = header.text.as_bytes().get(..width + 1)?;
    if !(2..=MOST_LEVELS).contains(&starts.len())
        || starts[0] != 0
        || header.text.len() != levels.text.len()
        || !header.text.is_ascii()
        || !levels.text.is_ascii()
        || !is_above.iter().all(|byte| *byte == b' ')
        || !levels.text.split_ascii_whitespace().all(is_name)
    {
        return None;
    }
    let mut whole = format!("{}{}", &levels.text[..width], &header.text[width..]);
    let mut above = String::new();
    let mut lines = Vec::new();
    let mut line = line_at(text, levels.next);
    while !line.is_blank() {
        let mut row = line.text.to_owned();
        // A name may have two words.
        let is_apart = |start: &usize| part(line.text, start - 1..*start).trim().is_empty();
        starts[1..].iter().all(is_apart).then_some(())?;
        for level in starts.windows(2) {
            let cell = level[0]..level[1];
            if part(&row, cell.clone()).trim().is_empty() {
                let (before, after) = (part(&row, 0..cell.start), part(&row, cell.end..usize::MAX));
                row = [before, part(&above, cell), after].concat();
            }
        }
        whole.push('\n');
        whole.push_str(&row);
        above = row;
        lines.push(line);
        line = line_at(text, line.next);
    }
    whole.push('\n');
    let found = columns::read(&whole, 0)?;
    let names = levels.text.split_ascii_whitespace().count();
    // Each line is a row, and each level a column.
    let last = lines.get(found.rows.len().checked_sub(1)?)?;
    let first = whole.find('\n')? + 1;
    if found.rows.first()?.start != first || found.json.matches("\":").count() < names {
        return None;
    }
    Some(Found {
        range: at..last.end(),
        rows: lines[..found.rows.len()].iter().map(Line::range).collect(),
        ..found
    })
}

/// Whether a line may have the names of levels of an index.
fn is_name_of_index(line: &str) -> bool {
    !line.trim().is_empty() && line.split_ascii_whitespace().all(is_name)
}

/// Where the words of a line begin.
fn word_starts(line: &str) -> Vec<usize> {
    let bytes = line.as_bytes();
    let is_start = |at: &usize| bytes[*at] != b' ' && (*at == 0 || bytes[*at - 1] == b' ');
    (0..bytes.len())
        .filter(is_start)
        .take(MOST_LEVELS + 1)
        .collect()
}

/// The characters, in runs of two and more behind the first, that are blank in all lines.
#[inline(never)]
fn gaps(lines: &[Line<'_>]) -> Option<Vec<Range<usize>>> {
    let mut are_inked: Vec<bool> = Vec::new();
    for line in lines {
        for (place, c) in line.text.chars().enumerate() {
            if place == are_inked.len() {
                are_inked.push(false);
            }
            are_inked[place] |= c != ' ';
        }
    }
    let mut gaps: Vec<Range<usize>> = Vec::new();
    for (place, is_inked) in are_inked.iter().enumerate().skip(1) {
        match gaps.last_mut() {
            _ if *is_inked => {}
            Some(gap) if gap.end == place => gap.end += 1,
            _ => gaps.push(place..place + 1),
        }
    }
    gaps.retain(|gap| gap.len() > 1 && gap.end < are_inked.len());
    (!are_inked.is_empty()).then_some(gaps)
}
