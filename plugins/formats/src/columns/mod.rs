//! Columns by position: in all lines, each column has its own range of characters.
//!
//! Owns the search for such columns: characters that are blank in all lines separate them. A rule under the header
//! (`---- ------`) gives them exactly. Lists of processes, whose wide cells push others aside, are read by their words.
//! Layout is the blanks, and a rule without gaps. Refuses tables without a header, and columns with ambiguous names.

mod cells;
mod doubts;
mod ranges;

use crate::around::MOST_LINES;
use crate::boxes::may_go_on;
use crate::lines::{Line, is_made_of, line_at};
use crate::table::{FEWEST_ROWS, Header, Table, are_types, is_left_out, is_name};
use crate::words::{self, has_pair};
use crate::wrapper::{self, Sign};
use crate::{Format, Found, csv};
use cells::cells;
use doubts::{FirstCells, Order};
pub(crate) use ranges::part;
use ranges::{Ranges, WIDEST, ink};
use std::ops::Range;

/// Whether a line may be a header: names, with two blanks between some of them, or in capitals. A sign may be a word of
/// a name: `CPU %`, `USAGE / LIMIT`.
pub(crate) fn may_be_header(line: &str) -> bool {
    line.len() <= WIDEST
        && (has_pair(line, b' ') || is_in_capitals(line))
        && line.split_whitespace().nth(1).is_some()
        && !line.trim_start().starts_with(SIGNS)
        && line.split_whitespace().all(|word| {
            is_name(word) || matches!(word.as_bytes(), [sign] if SIGNS.contains(&char::from(*sign)))
        })
}

/// Whether a line may be a header with names that are numbers, as years are: `      2023   2024`. The first column has no name,
/// or the columns have one in common.
fn may_have_numbers(line: &str) -> bool {
    let mut words = line.split_whitespace();
    line.len() <= WIDEST
        && has_pair(line, b' ')
        && !line.starts_with(csv::is_digit)
        && words.clone().any(is_number_or_dots)
        && words.all(|word| is_number_or_dots(word) || is_name(word))
}

/// Whether columns by position may begin at a line.
pub(crate) fn may_begin(line: &str) -> bool {
    may_be_header(line) || may_have_numbers(line) || in_comment(line).is_some()
}

/// The header that a comment is: `# Name        Version   Build`.
fn in_comment(line: &str) -> Option<&str> {
    let header = line.strip_prefix("# ")?;
    (has_pair(header, b' ') && !header.starts_with(' ') && may_be_header(header)).then_some(header)
}

/// Whether a line is a comment without words: a rule below the names in a comment.
fn is_bare_comment(line: &str) -> bool {
    line.starts_with('#')
        && line
            .bytes()
            .all(|it| matches!(it, b'#' | b'.' | b'-' | b'=' | b' '))
}

/// The name and the cells of columns that pandas leaves out.
const DOTS: &str = "...";

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

/// Whether a line stands for rows that are left out: `..   ...    ...`.
pub(crate) fn stands_for_rows(line: &str) -> bool {
    line.starts_with("..") && is_left_out(&line.split_ascii_whitespace().collect::<Vec<_>>())
}

/// Whether a line tells the type of the values above it, which have no header.
fn is_below_series(line: &str) -> bool {
    line.starts_with("dtype: ") || line.starts_with("Name: ") && line.contains(", dtype: ")
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
    // Most lines begin with a letter.
    if line.bytes().find(|byte| *byte != b' ') != Some(0xe2) {
        return false;
    }
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
    // The types of columns stay before the rows.
    if let Some((types, first_row)) = below_types(text, second) {
        return positions(text, header, first_row, Shown::Types(types));
    }
    if is_rule(second.text) {
        let mut spans = spans(second.text);
        spans.last_mut()?.end = usize::MAX;
        // The rule of a simple table of reStructuredText is below its rows too.
        let is_row = |line: &Line<'_>| line.text.trim_end() != second.text.trim_end();
        let all = || lines(text, second.next).take_while(is_row);
        let are_joined = vec![false; spans.len()];
        let ranges = Ranges { spans, are_joined };
        let count = rows(&all, |_| Some(ranges.spans.clone()));
        let table = table(text, header, &mut all().take(count), &ranges, Rule::Drawn);
        // Where the rule only underlines names, cells may be wider.
        return table.or_else(|| {
            let is_under_names = ink_ends(header.text).eq(ink_ends(second.text));
            (is_under_names && may_be_header(header.text))
                .then(|| positions(text, header, second.next, Shown::Lines))
                .flatten()
        });
    }
    if !may_begin(header.text) {
        return None;
    }
    let is_comment = header.text.starts_with('#') && is_bare_comment(second.text);
    let first_row = match is_unbroken_rule(second.text) || is_comment {
        true => second.next,
        false => header.next,
    };
    processes(text, header).or_else(|| positions(text, header, first_row, Shown::Names))
}

/// The number of types of columns, which are below the names, or below dashes under these, and the start of the rows below.
fn below_types(text: &str, second: Line<'_>) -> Option<(usize, usize)> {
    let dashes = || second.text.split_ascii_whitespace();
    let are_dashes = dashes().count() > 1 && dashes().all(|word| word == "---");
    let types = match are_dashes {
        true => line_at(text, second.next),
        false => second,
    };
    let first = types.text.split_ascii_whitespace().next()?;
    are_types(&[first]).then_some(())?;
    // `datetime[ns, UTC]` is one type.
    let line = types.text.replace(", ", ",");
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_sure = |word: &&str| {
        *word == "str" || word.starts_with('<') || word.bytes().any(|byte| byte.is_ascii_digit())
    };
    let are_sure = are_dashes || words.iter().any(is_sure);
    (are_sure && are_types(&words)).then_some((words.len(), types.next))
}

/// The table under a header, whose rows begin at `first_row`. `sign`: what shows that it is one.
fn positions(text: &str, header: Line<'_>, first_row: usize, sign: Shown) -> Option<Found> {
    let index = index_name(text, header, first_row).filter(|_| sign == Shown::Names);
    let (index, first_row) = index.unwrap_or(("", first_row));
    let types = match sign {
        Shown::Types(types) => Some(types),
        _ => None,
    };
    // The first rows show whether to continue.
    let first = || lines(text, first_row).take(FEWEST_ROWS);
    let rule = Rule::Positions { index, sign };
    let ranges = ranges::of(header, types, first())?;
    table(text, header, &mut first(), &ranges, rule)?;
    // They are looked at several times.
    let found: Vec<Line<'_>> = lines(text, first_row).collect();
    let all = || found.iter().copied();
    let count = rows(&all, |count| {
        Some(ranges::of(header, types, all().take(count))?.spans)
    });
    let all = || all().take(count);
    let ranges = ranges::of(header, types, all())?;
    let first = &ranges.spans[0];
    let is_index = || part(header.text, first.clone()).trim().is_empty();
    if header.text.starts_with(' ') && is_index() && has_levels(&all, first) {
        return None;
    }
    // Below a drawn line, a cell may continue in the next row.
    let is_rich = is_line(line_at(text, header.next).text);
    let spans = &ranges.spans;
    let goes_on = |line: Line<'_>| cells(line.text, spans).is_none_or(|row| may_go_on(&row));
    if is_rich && all().any(goes_on) {
        return None;
    }
    table(text, header, &mut all(), &ranges, rule)
}

/// Whether the first column is several levels of an index, as pandas writes those without names: some lines lack the outer
/// one, and the inner one is in line in all others.
fn has_levels<'t, L: Iterator<Item = Line<'t>>>(
    all: &impl Fn() -> L,
    first: &Range<usize>,
) -> bool {
    let lacks = |line: &Line<'t>| line.text.starts_with(' ');
    let inner = |line: Line<'t>| line.text.chars().position(|c| c != ' ');
    let inner = all().filter(lacks).filter_map(inner).min();
    let Some(inner) = inner.filter(|inner| *inner < first.end) else {
        return false;
    };
    let begins = |line: Line<'t>| {
        let part = part(line.text, inner - 1..inner + 1);
        part.starts_with(' ') && !part.ends_with(' ')
    };
    let mut whole = all().filter(|line| !lacks(line)).peekable();
    whole.peek().is_some() && whole.all(begins)
}

/// The number of rows among `all` lines, without those of another program below them: these reach over the gaps between
/// columns, or have few of the cells that each row has (`Killed`). `spans`: the columns of so many lines.
fn rows<'t, L: Iterator<Item = Line<'t>>>(
    all: &impl Fn() -> L,
    spans: impl Fn(usize) -> Option<Vec<Range<usize>>>,
) -> usize {
    const FEWEST_COLUMNS: usize = 3;
    let mut count = all().count();
    for _ in 0..MOST_LINES {
        let last = count.checked_sub(1).and_then(|last| all().nth(last));
        let last = last.filter(|line| count > FEW && !has_gap(line.text));
        let Some(last) = last else { break };
        let is_count = is_count(last.text, count - 1);
        let fewest = if is_count { 2 } else { FEWEST_COLUMNS };
        let spans = spans(count - 1).filter(|spans| spans.len() >= fewest);
        let Some(spans) = spans else { break };
        let filled = |line: Line<'_>| {
            let row = cells(line.text, &spans)?;
            Some(row.iter().filter(|cell| !cell.is_empty()).count())
        };
        let mut others = all().take(count - 1);
        let is_number = |line: Line<'_>| line.text.starts_with(csv::is_digit);
        let is_row = match filled(last) {
            Some(1) if is_count => false,
            None => !others.all(|line| has_gap(line.text)),
            Some(1) if is_number(last) && all().take(count).all(is_number) => true,
            Some(own) => others.any(|line| filled(line).is_none_or(|it| it < 2 * own || it < 3)),
        };
        if is_row {
            break;
        }
        count -= 1;
    }
    count
}

/// Whether a line says that there are so many rows: `250 rows`.
fn is_count(line: &str, count: usize) -> bool {
    let (number, word) = line.trim().split_once(' ').unwrap_or_default();
    number.parse() == Ok(count) && word.chars().all(char::is_alphabetic)
}

/// Whether a line has two blanks between words.
fn has_gap(line: &str) -> bool {
    has_pair(line.trim(), b' ')
}

/// The name of the first column in a line of its own below the others, as pandas writes that of an index, and the start
/// of the next line.
fn index_name<'t>(text: &'t str, header: Line<'_>, at: usize) -> Option<(&'t str, usize)> {
    let line = line_at(text, at);
    let name = line.text.trim_end();
    let first = line_at(text, line.next);
    // Blanks fill up all lines of pandas, and the columns may have a name in common, above that of the index.
    let lengths = [header.text.len(), line.text.len(), first.text.len()];
    let is_filled_up = name.len() < line.text.len() && lengths == [line.text.len(); 3];
    let above = header.text.as_bytes().get(..name.len() + 1)?;
    let is_above_index = above.iter().all(|it| *it == b' ');
    let is_above_number = first.text.starts_with(csv::is_digit);
    let is_index_name = is_filled_up || is_above_number && is_above_index;
    (is_index_name && !name.contains(' ') && is_name(name)).then_some((name, line.next))
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
        let Some(row) = cells(line.text) else {
            // A message of another program below the rows.
            let is_message = table.rows() > FEW && !has_gap(line.text);
            is_message.then_some(())?;
            break;
        };
        table.push(&row, line.range())?;
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

/// Where the words of a line end.
fn ink_ends(line: &str) -> impl Iterator<Item = usize> {
    let bytes = line.as_bytes();
    let is_end = |at: &usize| bytes[*at] != b' ' && bytes.get(at + 1).is_none_or(|it| *it == b' ');
    (0..bytes.len()).filter(is_end)
}

/// What gives the columns of a table.
#[derive(Clone, Copy, PartialEq)]
enum Rule<'t> {
    /// A rule under the header.
    Drawn,
    /// The positions of cells. `index`: the name of the first column, if it is below the others.
    Positions { index: &'t str, sign: Shown },
}

/// What a header is shown by.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Shown {
    /// Its names.
    Names,
    /// Lines under the names.
    Lines,
    /// So many types of columns, which are below the names. Both stay before the rows.
    Types(usize),
}

/// One row of so many is an exception.
const FEW: usize = 8;

/// Whether a name is a number, or stands for columns that are left out.
fn is_number_or_dots(name: &str) -> bool {
    name == DOTS || !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// The table of these lines.
fn table<'t>(
    text: &'t str,
    header: Line<'t>,
    lines: &mut dyn Iterator<Item = Line<'t>>,
    ranges: &Ranges,
    rule: Rule<'t>,
) -> Option<Found> {
    let Ranges { spans, are_joined } = ranges;
    let mut names = cells(header.text, spans)?;
    names[0] = names[0].strip_prefix("# ").unwrap_or(names[0]);
    let places: Vec<Range<usize>> = spans
        .iter()
        .map(|span| ink(header.text, span.clone()).unwrap_or_default())
        .collect();
    let sign = match rule {
        Rule::Drawn => None,
        Rule::Positions { sign, .. } => Some(sign),
    };
    let kind = match rule {
        Rule::Drawn => Header::Ruled,
        Rule::Positions { index, .. } if names[0].is_empty() || !index.is_empty() => {
            names[0] = index;
            match names[1..].iter().any(|name| is_number_or_dots(name)) {
                true => Header::Numbered,
                false => csv::header(index),
            }
        }
        Rule::Positions { .. } => Header::Likely,
    };
    let mut table = Table::new(names.iter().copied(), text.len() - header.start, kind)?;
    // Names that are numbers need a first column that numbers the rows, or a name below the others.
    let are_counted = || {
        (0..)
            .zip(&names[1..])
            .all(|(at, name): (usize, _)| name.parse() == Ok(at))
    };
    let has_number = || {
        names[1..]
            .iter()
            .any(|name| name.starts_with(csv::is_digit))
    };
    let needs_numbers =
        kind == Header::Numbered && names[0].is_empty() && has_number() && !are_counted();
    let mut least = 0;
    // Names with wide gaps inside belong to several columns.
    if names.iter().any(|name| has_pair(name, b' ')) {
        return None;
    }
    let mut last = header;
    // The filled cells that each row has.
    let mut fewest = spans.len();
    // Cells with as many words as their name could be cells of as many columns.
    let is_merged = |(name, is_joined): (&&str, &bool)| name.contains(' ') && !is_joined;
    let mut merged: Vec<bool> = names.iter().zip(are_joined).map(is_merged).collect();
    let mut order = vec![Order::default(); spans.len()];
    let mut first_cells = FirstCells::new(spans.len());
    for line in lines {
        let row = cells(line.text, spans)?;
        let is_ascii = words::is_ascii(line.text);
        // The cells of a line of ASCII have all of it but blanks.
        let has_all = is_ascii || is_made_of(line.text, &row);
        if !has_all || is_left_out(&row) || is_below_series(line.text) {
            return None;
        }
        // A wide cell reaches into the next column, and the next cell is behind it there. The same to the left.
        let is_cut = |(names, cells): (&[&str], &[&str])| {
            let has_gap = || cells.iter().any(|cell| has_gap(without_day(cell)));
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
        if matches!(kind, Header::Indexed | Header::Numbered) && filled == 1 {
            return None;
        }
        let is_other = |(name, cell): (&&str, &&str)| *name == DOTS && *cell != DOTS;
        if kind == Header::Numbered && names.iter().zip(&row).any(is_other) {
            return None;
        }
        if needs_numbers {
            let number: usize = row[0].parse().ok()?;
            let is_first = table.rows() == 0;
            (number >= least && (!is_first || number < 2)).then_some(())?;
            least = number + 1;
        }
        first_cells.note(line.text, &row, filled);
        for ((order, place), cell) in order.iter_mut().zip(&places).zip(&row) {
            order.note((line.text, is_ascii), cell, place);
        }
        fewest = fewest.min(filled);
        table.push(&row, line.range())?;
        last = line;
    }
    if goes_on(text, last.next, fewest, |line| cells(line, spans))
        || is_below_series(line_at(text, last.next).text)
    {
        return None;
    }
    // Lines of another program between the rows, and the rest of cells above.
    let is_right = order[0].is_right_but_for(first_cells.words.len());
    if first_cells.have_others(table.rows(), is_right) {
        return None;
    }
    // Words that belong to other columns, and cells that push others aside.
    let is_out_of_order = |(place, order): (usize, &Order)| {
        // The last cells may be sentences, but not below several names.
        let is_text = place + 1 == spans.len() && !names[place].contains(' ');
        order.is_pushed() || !is_text && !are_joined[place] && order.has_gaps(table.rows())
    };
    let is_doubtful = || merged.contains(&true) || order.iter().enumerate().any(is_out_of_order);
    let is_certain = || {
        sign > Some(Shown::Names)
            || kind == Header::Numbered
            || is_in_capitals(header.text)
            || table.has_header()
    };
    if rule != Rule::Drawn && (is_doubtful() || !is_certain()) {
        return None;
    }
    let start = match sign {
        Some(Shown::Types(_)) => table.first_row()?,
        _ => header.start,
    };
    table.finish(Format::Columns, start..last.end())
}

/// A cell without its beginning that is a month and a day of one digit, before a time: `Jan  9 10:22`.
fn without_day(cell: &str) -> &str {
    match cell.as_bytes() {
        [
            b'A'..=b'Z',
            b'a'..=b'z',
            b'a'..=b'z',
            b' ',
            b' ',
            b'1'..=b'9',
            b' ',
            b'0'..=b'2',
            b'0'..=b'9',
            b':',
            ..,
        ] => &cell[5..],
        _ => cell,
    }
}

/// How many bytes are between two cells of a line.
fn gap(cells: &[&str]) -> usize {
    let end = cells[0].as_ptr() as usize + cells[0].len();
    (cells[1].as_ptr() as usize).wrapping_sub(end)
}

#[cfg(test)]
mod tests {
    use super::ranges::mark;
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
