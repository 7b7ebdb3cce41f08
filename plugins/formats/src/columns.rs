//! Columns by position: in all lines, each column has its own range of characters.
//!
//! Owns the search for such columns: characters that are blank in all lines separate them. A rule under the header
//! (`---- ------`) gives them exactly. Lists of processes, whose wide cells push others aside, are read by their words.
//! Layout is the blanks, and a rule without gaps. Refuses tables without a header, and columns with ambiguous names.

use crate::around::MOST_LINES;
use crate::boxes::may_go_on;
use crate::lines::{Line, is_made_of, line_at};
use crate::table::{FEWEST_ROWS, Header, Table, is_name};
use crate::wrapper::{self, Sign};
use crate::{Format, Found, csv, words};
use std::ops::Range;

/// Longest line of a table, in characters.
const WIDEST: usize = 2_048;

/// Whether a line may be a header: names, with two blanks between some of them, or in capitals. A sign may be a word of
/// a name: `CPU %`, `USAGE / LIMIT`.
pub(crate) fn may_be_header(line: &str) -> bool {
    line.len() <= WIDEST
        && (line.contains("  ") || is_in_capitals(line))
        && line
            .split("  ")
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .count()
            > 0
        && line.split_whitespace().count() > 1
        && !line.trim_start().starts_with(SIGNS)
        && line.split_whitespace().all(|word| {
            is_name(word) || matches!(word.as_bytes(), [sign] if SIGNS.contains(&char::from(*sign)))
        })
}

/// Signs that may be words of names.
const SIGNS: [char; 4] = ['/', '%', '#', '&'];

/// Whether a line is a rule that gives the columns.
pub(crate) fn is_rule(line: &str) -> bool {
    line.len() <= WIDEST
        && line
            .bytes()
            .all(|byte| matches!(byte, b'-' | b'=' | b'+' | b' '))
        && line.contains(['=', ' '])
        && spans(line).len() > 1
}

/// Whether a line is a rule without gaps, below a header or above totals.
pub(crate) fn is_unbroken_rule(line: &str) -> bool {
    const LEAST: usize = 10;
    let line = line.trim_end();
    line.len() >= LEAST
        && (line.bytes().all(|byte| byte == b'-')
            || line.bytes().all(|byte| byte == b'=')
            || is_line(line))
}

/// Whether a line is a drawn one, as `rich` writes it below a header.
pub(crate) fn is_line(line: &str) -> bool {
    const FEWEST: usize = 4;
    let line = line.trim_matches(' ');
    let is_sign = |sign: char| line.chars().all(|c| c == sign);
    line.starts_with(['─', '━', '═'])
        && line.chars().count() >= FEWEST
        && (is_sign('─') || is_sign('━') || is_sign('═'))
}

/// The columns of a rule.
fn spans(rule: &str) -> Vec<Range<usize>> {
    let gap = if rule.contains('=') { '-' } else { ' ' };
    let mut spans = Vec::new();
    let mut at = 0;
    for run in rule.split([gap, ' ']) {
        if !run.is_empty() {
            spans.push(at..at + run.len());
        }
        at += run.len() + 1;
    }
    spans
}

/// Whether all letters of a line are capitals.
pub(crate) fn is_in_capitals(line: &str) -> bool {
    line.chars().any(|c| c.is_ascii_uppercase()) && !line.chars().any(char::is_lowercase)
}

/// Reads a table whose header begins at `at`.
pub(crate) fn read(text: &str, at: usize) -> Option<Found> {
    let header = line_at(text, at);
    let second = line_at(text, header.next);
    if is_rule(second.text) {
        let mut spans = spans(second.text);
        spans.last_mut()?.end = usize::MAX;
        // The rule of a simple table of reStructuredText is below its rows too.
        let is_row = |line: &Line<'_>| line.text.trim_end() != second.text.trim_end();
        let rows = lines(text, second.next).take_while(is_row);
        let table = table(text, header, rows, &spans, Rule::Drawn);
        // Where the rule only underlines names, cells may be wider.
        return table.or_else(|| {
            let is_under_names = ink_ends(header.text).eq(ink_ends(second.text));
            (is_under_names && may_be_header(header.text))
                .then(|| positions(text, header, second.next))
                .flatten()
        });
    }
    if !may_be_header(header.text) {
        return None;
    }
    let first_row = match is_unbroken_rule(second.text) {
        true => second.next,
        false => header.next,
    };
    positions(text, header, first_row).or_else(|| processes(text, header))
}

/// The table under a header, whose rows begin at `first_row`.
fn positions(text: &str, header: Line<'_>, first_row: usize) -> Option<Found> {
    let index = index_name(text, header, first_row);
    let (index, first_row) = index.unwrap_or(("", first_row));
    // The first rows show whether to continue.
    let first = || lines(text, first_row).take(FEWEST_ROWS);
    let rule = Rule::Positions { index };
    table(text, header, first(), &columns(header, first())?, rule)?;
    let spans = columns(header, lines(text, first_row))?;
    // Below a drawn line, a cell may continue in the next row.
    let is_rich = is_line(line_at(text, header.next).text);
    let goes_on = |line: Line<'_>| cells(line.text, &spans).is_none_or(|row| may_go_on(&row));
    if is_rich && lines(text, first_row).any(goes_on) {
        return None;
    }
    table(text, header, lines(text, first_row), &spans, rule)
}

/// The name of the first column in a line of its own below the others, as pandas writes that of an index, and the start
/// of the next line.
fn index_name<'t>(text: &'t str, header: Line<'_>, at: usize) -> Option<(&'t str, usize)> {
    let line = line_at(text, at);
    let name = line.text.trim_end();
    // Blanks fill it up, or it is unlike what is below it.
    let is_filled_up =
        name.len() < line.text.len() && line.text.len() >= header.text.trim_end().len();
    let is_above_index = header
        .text
        .as_bytes()
        .get(..name.len() + 1)?
        .iter()
        .all(|it| *it == b' ');
    let is_above_number = line_at(text, line.next).text.starts_with(csv::is_digit);
    let is_index_name = (is_filled_up || is_above_number) && is_above_index && !name.contains(' ');
    (is_index_name && is_name(name)).then_some((name, line.next))
}

/// The list of processes under a header, as `ps` prints it: no cell is empty, and only the last one has blanks.
fn processes<'t>(text: &'t str, header: Line<'t>) -> Option<Found> {
    /// Times of more than one word.
    const SEVERAL_WORDS: [&str; 2] = ["STARTED", "LSTART"];
    const FEWEST_COLUMNS: usize = 4;
    let names: Vec<&str> = header.text.split_ascii_whitespace().collect();
    let pid = names.iter().position(|name| *name == "PID")?;
    let is_last = |name: &&str| matches!(*name, "COMMAND" | "CMD");
    if names.len() < FEWEST_COLUMNS
        || names.iter().position(is_last) != Some(names.len() - 1)
        || names.iter().any(|name| SEVERAL_WORDS.contains(name))
    {
        return None;
    }
    let percents: Vec<usize> = (0..names.len())
        .filter(|at| names[*at].starts_with('%'))
        .collect();
    let mut table = Table::new(
        names.iter().copied(),
        text.len() - header.start,
        Header::Likely,
    )?;
    let cells = |line: &'t str| {
        let mut cells = Vec::with_capacity(names.len());
        let mut rest = line.trim();
        for _ in 1..names.len() {
            let (cell, after) = rest.split_once(' ')?;
            cells.push(cell);
            rest = after.trim_start();
        }
        cells.push(rest);
        let is_pid = cells[pid].bytes().all(|byte| byte.is_ascii_digit());
        let is_number = |at: &usize| cells[*at].parse::<f64>().is_ok();
        let is_row = is_pid && percents.iter().all(is_number) && !line.contains('\t');
        (is_row && is_made_of(line, &cells)).then_some(cells)
    };
    let mut last = header;
    for line in lines(text, header.next) {
        table.push(&cells(line.text)?, line.range())?;
        last = line;
    }
    if goes_on(text, last.next, names.len(), cells) {
        return None;
    }
    table.finish(Format::Columns, header.start..last.end())
}

/// The lines from `at` on, up to a blank one, a rule, or one of another program.
fn lines(text: &str, at: usize) -> Lines<'_> {
    Lines { text, at }
}

#[derive(Clone)]
struct Lines<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Iterator for Lines<'t> {
    type Item = Line<'t>;

    fn next(&mut self) -> Option<Line<'t>> {
        let line = line_at(self.text, self.at);
        self.at = line.next;
        let is_rule =
            is_unbroken_rule(line.text) || is_rule(line.text) && line.text.contains("---");
        let is_end = line.is_blank() || is_rule || wrapper::below(line.text).is_some();
        (!is_end).then_some(line)
    }
}

/// Whether the lines below the rows, the first of which is at `at`, may be rows too. `cells`: those of a line, if it is
/// written as a row. `fewest`: the cells that each row has, at least.
fn goes_on<'t>(
    text: &'t str,
    at: usize,
    fewest: usize,
    cells: impl Fn(&'t str) -> Option<Vec<&'t str>>,
) -> bool {
    let mut line = line_at(text, at);
    if wrapper::below(line.text).is_none() {
        return false;
    }
    for _ in 0..MOST_LINES {
        let sign = wrapper::below(line.text);
        let filled = cells(line.text).map_or(0, |cells| {
            cells.iter().filter(|cell| !cell.is_empty()).count()
        });
        // One cell, as a row with nothing but a name has it, may be such a line.
        let is_doubtful = match sign {
            Some(Sign::Sure) => filled > 1 && !wrapper::is_left_out(line.text),
            _ => filled > 0,
        };
        if is_doubtful && filled >= fewest {
            return true;
        }
        if line.next >= text.len() {
            break;
        }
        line = line_at(text, line.next);
    }
    false
}

/// A column of characters.
struct Column {
    /// The characters that its cells and its name take.
    range: Range<usize>,
    /// Those of its name.
    name: Range<usize>,
    has_cells: bool,
    /// Where words without a name above them begin. They belong to its cells, or to those of the next column.
    beyond: Option<usize>,
}

/// The columns under a header, separated by characters that are blank in all lines.
fn columns<'t>(
    header: Line<'t>,
    lines: impl Iterator<Item = Line<'t>> + Clone,
) -> Option<Vec<Range<usize>>> {
    let mut in_header = [0; WIDEST / 16];
    let mut in_rows = [0; WIDEST / 16];
    let mut width = mark(header.text, &mut in_header)?;
    let mut has_signs = true;
    for line in lines.clone() {
        width = width.max(mark(line.text, &mut in_rows)?);
        has_signs &= !line.text.starts_with(char::is_alphanumeric);
    }
    // Each run of characters with ink, that of the header in it, and whether a row has some.
    let mut runs: Vec<(Range<usize>, Range<usize>, bool)> = Vec::new();
    let mut is_open = false;
    for place in 0..width {
        let is_marked = |marks: &Marks| marks[place / 16] >> (place % 16) & 1 == 1;
        let (head, row) = (is_marked(&in_header), is_marked(&in_rows));
        if !head && !row {
            is_open = false;
            continue;
        }
        if !is_open {
            runs.push((place..place, 0..0, false));
            is_open = true;
        }
        let (run, name, has_cells) = runs.last_mut()?;
        run.end = place + 1;
        if head {
            name.start = if Range::is_empty(name) {
                place
            } else {
                name.start
            };
            name.end = place + 1;
        }
        *has_cells |= row;
    }
    // A sign before the first cell of some rows: `● a.service  loaded  failed`.
    if let [(sign, no_name, _), (first, name, _), ..] = &mut runs[..]
        && has_signs
        && Range::is_empty(no_name)
        && !Range::is_empty(name)
        && *sign == (0..1)
        && first.start == 2
    {
        first.start = 0;
        runs.remove(0);
    }
    let mut columns: Vec<Column> = Vec::new();
    for (range, name, has_cells) in runs {
        let gap = columns.last().map(|last| range.start - last.range.end);
        let touches_index = columns.len() == 1
            && columns[0].name.is_empty()
            && columns[0].beyond.is_none()
            && gap == Some(1);
        match columns.last_mut() {
            // The words of an index are one blank apart, its column and the next one are two.
            Some(last) if name.is_empty() && last.name.is_empty() => match gap {
                Some(1) => last.range.end = range.end,
                _ if last.beyond.is_some() => return None,
                _ => {
                    last.beyond = Some(range.start);
                    last.range.end = range.end;
                }
            },
            // Cells with blanks inside.
            Some(last) if name.is_empty() => {
                last.beyond.get_or_insert(range.start);
                last.range.end = range.end;
                last.has_cells |= has_cells;
            }
            // A name of two words whose second word has no cells under it.
            Some(last)
                if !has_cells && gap == Some(1) && last.has_cells && !last.name.is_empty() =>
            {
                last.range.end = range.end;
                last.name.end = name.end;
            }
            None if name.is_empty() && range.start > 0 => return None,
            _ if touches_index => return None,
            // The first column has a name in the next line, or none.
            _ => columns.push(Column {
                range,
                name,
                has_cells,
                beyond: None,
            }),
        }
    }
    if columns.len() < 2 {
        return None;
    }
    // A word before a name could belong to it as well.
    let is_doubtful =
        |pair: &[Column]| !pair[0].has_cells && pair[1].range.start - pair[0].range.end < 2;
    if columns.windows(2).any(is_doubtful) {
        return None;
    }
    for at in 1..columns.len() {
        if let Some(beyond) = columns[at - 1].beyond
            && is_of_next(&columns[at - 1], &columns[at], beyond, lines.clone())?
        {
            columns[at].range.start = beyond;
        }
    }
    let starts = columns.iter().map(|column| column.range.start);
    let ends = starts.clone().skip(1).chain([usize::MAX]);
    Some(starts.zip(ends).map(|(start, end)| start..end).collect())
}

/// Whether words that begin at `beyond`, between two columns' names, belong to the cells of the second one. None if
/// that is in doubt. They are one blank from the cell that they belong to, and more from the other one. The other rows
/// show on which side the cells of each column are in line with its name.
fn is_of_next<'t>(
    one: &Column,
    next: &Column,
    beyond: usize,
    lines: impl Iterator<Item = Line<'t>>,
) -> Option<bool> {
    if one.name.is_empty() {
        return Some(true);
    }
    let (mut is_near_one, mut is_near_next) = (false, false);
    let (mut sides, mut next_sides) = (Sides::default(), Sides::default());
    for line in lines {
        let line = line.text;
        let cell = ink(line, one.range.start..beyond);
        let next_cell = ink(line, next.range.clone());
        if let Some(between) = ink(line, beyond..next.range.start) {
            let is_near = cell.is_some_and(|cell| between.start - cell.end == 1);
            let next_is_near = next_cell.is_some_and(|cell| cell.start - between.end == 1);
            is_near_one |= is_near && !next_is_near;
            is_near_next |= next_is_near && !is_near;
            continue;
        }
        if let Some(cell) = cell {
            sides.note(line, cell, &one.name);
        }
        if let Some(cell) = next_cell {
            next_sides.note(line, cell, &next.name);
        }
    }
    let next_is_right = next_sides.are(false, true);
    let by_sides = match sides.in_line {
        Some((false, true)) if next_is_right => Some(true),
        Some((true, true)) if next_is_right => Some(true),
        Some((true, true)) if next_sides.are(true, false) => Some(false),
        Some((true, false)) if !(next_is_right && next_sides.have_blanks) => Some(false),
        Some((false, false)) if !next_is_right => Some(false),
        _ => None,
    };
    match (is_near_one, is_near_next, by_sides) {
        (true, true, _) => None,
        (false, false, _) => by_sides,
        (_, _, Some(is_next)) if is_next != is_near_next => None,
        _ => Some(is_near_next),
    }
}

/// On which sides all cells of a column are in line with its name.
#[derive(Default)]
struct Sides {
    /// The left, and the right. None without cells.
    in_line: Option<(bool, bool)>,
    have_blanks: bool,
}

impl Sides {
    /// Notes the characters of one more cell.
    fn note(&mut self, line: &str, cell: Range<usize>, name: &Range<usize>) {
        // A sign may be before it.
        let is_apart = ink(line, name.start.saturating_sub(1)..name.start).is_none();
        let first = ink(line, name.start..cell.end).map(|cell| cell.start);
        let is_left = is_apart && first == Some(name.start);
        let is_right = cell.end == name.end;
        let (left, right) = self.in_line.unwrap_or((true, true));
        self.in_line = Some((left && is_left, right && is_right));
        let is_one_word = |cell: &str| !cell.contains(' ');
        self.have_blanks |= !line.get(cell).is_some_and(is_one_word);
    }

    fn are(&self, left: bool, right: bool) -> bool {
        self.in_line == Some((left, right))
    }
}

/// Where the words of a line end.
fn ink_ends(line: &str) -> impl Iterator<Item = usize> {
    let bytes = line.as_bytes();
    let is_end = |at: &usize| bytes[*at] != b' ' && bytes.get(at + 1).is_none_or(|it| *it == b' ');
    (0..bytes.len()).filter(is_end)
}

/// The characters from the first to the last one that is not blank in a part of a line.
fn ink(line: &str, part: Range<usize>) -> Option<Range<usize>> {
    if line.is_ascii() {
        let start = part.start.min(line.len());
        let bytes = &line.as_bytes()[start..part.end.min(line.len()).max(start)];
        let first = bytes.iter().position(|byte| *byte != b' ')?;
        let last = bytes.iter().rposition(|byte| *byte != b' ')?;
        return Some(start + first..start + last + 1);
    }
    let chars = line.chars().enumerate().take(part.end).skip(part.start);
    let mut inked = chars.filter(|(_, c)| *c != ' ').map(|(place, _)| place);
    let first = inked.next()?;
    Some(first..inked.last().unwrap_or(first) + 1)
}

/// The characters of lines that are not blank, a bit each.
type Marks = [u32; WIDEST / 16];

/// Marks the characters of a line that are not blank, and returns their number. What is beyond the marks belongs to the
/// last column. None for tabs.
fn mark(line: &str, marks: &mut Marks) -> Option<usize> {
    if line.is_ascii() {
        let width = line.len().min(WIDEST);
        for (mark, at) in marks.iter_mut().zip((0..width).step_by(16)) {
            let (bytes, before) = words::sixteen(&line.as_bytes()[..width], at);
            if bytes.are(b'\t') >> before != 0 {
                return None;
            }
            let inside = (1 << (width - at).min(16)) - 1;
            *mark |= !bytes.are(b' ') >> before & inside;
        }
        return Some(width);
    }
    let mut width = 0;
    for (place, c) in line.chars().take(WIDEST).enumerate() {
        if c == '\t' {
            return None;
        }
        marks[place / 16] |= u32::from(c != ' ') << (place % 16);
        width = place + 1;
    }
    Some(width)
}

/// What gives the columns of a table.
#[derive(Clone, Copy, PartialEq)]
enum Rule<'t> {
    /// A rule under the header.
    Drawn,
    /// The positions of cells. `index`: the name of the first column, if it is below the others.
    Positions { index: &'t str },
}

/// The table of these lines.
fn table<'t>(
    text: &'t str,
    header: Line<'t>,
    lines: impl Iterator<Item = Line<'t>>,
    spans: &[Range<usize>],
    rule: Rule<'t>,
) -> Option<Found> {
    let mut names = cells(header.text, spans)?;
    let kind = match rule {
        Rule::Drawn => Header::Ruled,
        Rule::Positions { index } if names[0].is_empty() => {
            names[0] = index;
            csv::header(index)
        }
        Rule::Positions { index: "" } => Header::Likely,
        // Below the names is a row.
        Rule::Positions { .. } => return None,
    };
    let mut table = Table::new(names.iter().copied(), text.len() - header.start, kind)?;
    // Names with wide gaps inside belong to several columns.
    if names.iter().any(|name| name.contains("  ")) {
        return None;
    }
    let mut last = header;
    // The filled cells that each row has.
    let mut fewest = spans.len();
    // Cells with as many words as their name could be cells of as many columns.
    let mut merged: Vec<bool> = names.iter().map(|name| name.contains(' ')).collect();
    for line in lines {
        let row = cells(line.text, spans)?;
        if !is_made_of(line.text, &row) {
            return None;
        }
        // A wide cell reaches into the next column, and the next cell is behind it there. The same to the left.
        let is_cut = |(names, cells): (&[&str], &[&str])| {
            let has_gap = || cells.iter().any(|cell| cell.contains("  "));
            gap(cells) == 1 && gap(names) > 1 && has_gap()
        };
        if names.windows(2).zip(row.windows(2)).any(is_cut) {
            return None;
        }
        // A first cell that repeats its column's name may be a second header.
        if rule != Rule::Drawn && row.first() == names.first() {
            return None;
        }
        for ((is_merged, name), cell) in merged.iter_mut().zip(&names).zip(&row) {
            *is_merged = *is_merged && name.split(' ').count() == cell.split_whitespace().count();
        }
        let filled = row.iter().filter(|cell| !cell.is_empty()).count();
        // It may be the name of the column, or of the rows below it.
        if kind == Header::Indexed && filled == 1 {
            return None;
        }
        fewest = fewest.min(filled);
        table.push(&row, line.range())?;
        last = line;
    }
    if goes_on(text, last.next, fewest, |line| cells(line, spans)) {
        return None;
    }
    let is_certain = rule == Rule::Drawn || is_in_capitals(header.text) || table.has_header();
    if merged.contains(&true) || !is_certain {
        return None;
    }
    table.finish(Format::Columns, header.start..last.end())
}

/// How many bytes are between two cells of a line.
fn gap(cells: &[&str]) -> usize {
    let end = cells[0].as_ptr() as usize + cells[0].len();
    (cells[1].as_ptr() as usize).wrapping_sub(end)
}

/// The cells of a line, separated by blanks.
fn cells<'t>(line: &'t str, spans: &[Range<usize>]) -> Option<Vec<&'t str>> {
    let mut cells = Vec::with_capacity(spans.len());
    if line.is_ascii() {
        return cells_of_ascii(line, spans, &mut cells).map(|()| cells);
    }
    let mut spans = spans.iter();
    let mut span = spans.next()?;
    let (mut start, mut is_inside) = (0, false);
    let mut before = ' ';
    for (place, (at, c)) in line.char_indices().enumerate() {
        if is_inside && place >= span.end {
            cells.push(line[start..at].trim());
            span = spans.next()?;
            is_inside = false;
        }
        if !is_inside && place == span.start {
            if place > 0 && before != ' ' {
                return None;
            }
            (start, is_inside) = (at, true);
        }
        if !is_inside && c != ' ' {
            return None;
        }
        before = c;
    }
    if is_inside {
        cells.push(line[start..].trim());
    } else {
        cells.push("");
    }
    // A line may lack its last cells.
    cells.extend(spans.map(|_| ""));
    Some(cells)
}

/// The same for a line whose characters are bytes.
fn cells_of_ascii<'t>(
    line: &'t str,
    spans: &[Range<usize>],
    cells: &mut Vec<&'t str>,
) -> Option<()> {
    let are_blank = |from: usize, to: usize| line.as_bytes()[from..to].iter().all(|it| *it == b' ');
    let mut at = 0;
    for span in spans {
        let start = span.start.min(line.len());
        let is_apart = start == 0 || start == line.len() || are_blank(start - 1, start);
        if !is_apart || !are_blank(at, start) {
            return None;
        }
        at = span.end.min(line.len());
        // A line may lack its last cells.
        cells.push(line[start..at].trim());
    }
    (at == line.len()).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_line_has_the_cells_of_one_that_is_not_of_ascii(line in "[ab ]{0,40}", widths in prop::collection::vec(0usize..9, 1..10), is_open: bool) {
            let mut spans = Vec::new();
            let mut at = 0;
            for width in widths.chunks(2) {
                let start = at + width[0];
                at = start + 1 + width.get(1).copied().unwrap_or_default();
                spans.push(start..at);
            }
            if is_open && let Some(last) = spans.last_mut() {
                last.end = usize::MAX;
            }
            let other = line.replace('a', "é");
            prop_assume!(!other.is_ascii());
            let plain = |cell: &&str| cell.replace('é', "a");
            let expected = cells(&other, &spans).map(|cells| cells.iter().map(plain).collect::<Vec<_>>());
            prop_assert_eq!(cells(&line, &spans).map(|cells| cells.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()), expected);
            let (mut one, mut two) = ([0; WIDEST / 16], [0; WIDEST / 16]);
            prop_assert_eq!(mark(&line, &mut one), mark(&other, &mut two));
            prop_assert_eq!(one, two);
        }
    }

    #[test]
    fn wide_lines_are_marked_up_to_the_widest() {
        for line in ["ab ".repeat(WIDEST), "é ".repeat(WIDEST)] {
            let mut marks = [0; WIDEST / 16];
            assert_eq!(mark(&format!("{line}\t"), &mut marks), Some(WIDEST));
            assert_eq!(mark(&format!("a\t{line}"), &mut marks), None);
        }
    }
}
