//! The characters of each column, found by those that are blank in all lines.
//!
//! Owns the doubts: a word between two names, a word of a name without cells below it, two words that may be one name. What
//! nothing decides is refused.

use crate::lines::Line;
use crate::words;
use std::ops::Range;

/// Longest line of a table, in characters.
pub(super) const WIDEST: usize = 2_048;

/// A column of characters.
struct Column {
    /// The characters that its cells and its name take.
    range: Range<usize>,
    /// Those of its name.
    name: Range<usize>,
    has_cells: bool,
    /// Where words without a name above them begin. They belong to its cells, or to those of the next column.
    beyond: Option<usize>,
    /// Its cells begin with a date that is not below its name.
    has_date: bool,
    /// Its cells have as many words as its name.
    is_joined: bool,
}

impl Column {
    fn of(range: Range<usize>, name: Range<usize>, has_cells: bool) -> Column {
        Column {
            range,
            name,
            has_cells,
            beyond: None,
            has_date: false,
            is_joined: false,
        }
    }
}

/// The columns of a table.
pub(super) struct Ranges {
    /// The characters of each.
    pub(super) spans: Vec<Range<usize>>,
    /// Whether the cells have as many words as the name, and are surely of one column.
    pub(super) are_joined: Vec<bool>,
}

/// The columns under a header, separated by characters that are blank in all lines. `types`: how many types of columns are
/// below the names.
pub(super) fn of<'t>(
    header: Line<'t>,
    types: Option<usize>,
    lines: impl Iterator<Item = Line<'t>> + Clone,
) -> Option<Ranges> {
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
            && gap == Some(1)
            && !are_signs(lines.clone(), range.start)
            && !are_counted(lines.clone(), &columns[0].range);
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
            None if name.is_empty() && range.start > 0 => {
                are_counted(lines.clone(), &range).then_some(())?;
                columns.push(Column::of(0..range.end, name, has_cells));
            }
            _ if touches_index => return None,
            // The first column has a name in the next line, or none.
            _ => columns.push(Column::of(range, name, has_cells)),
        }
    }
    join_words(&mut columns, header)?;
    // Cells behind an index are in line on the right.
    let is_frame = columns.first().is_some_and(|first| first.name.is_empty());
    for at in 1..columns.len() {
        if let Some(beyond) = columns[at - 1].beyond
            && is_of_next(
                &columns[at - 1],
                &columns[at],
                beyond,
                is_frame,
                lines.clone(),
            )?
        {
            columns[at].range.start = beyond;
            columns[at].has_date = {
                let mut lines = lines.clone();
                lines.any(|line| has_date_at(line.text, beyond))
            };
        }
    }
    match types {
        None => join_cells(&mut columns, header, lines)?,
        Some(types) => {
            let named = columns.iter().filter(|column| !column.name.is_empty());
            (named.count() == types).then_some(())?;
        }
    }
    let starts = columns.iter().map(|column| column.range.start);
    let ends = starts.clone().skip(1).chain([usize::MAX]);
    (columns.len() > 1).then(|| Ranges {
        spans: starts.zip(ends).map(|(start, end)| start..end).collect(),
        are_joined: columns.iter().map(|column| column.is_joined).collect(),
    })
}

/// Whether only signs of numbers are at a place: ` 0.5` above `-0.5`.
fn are_signs<'t>(mut lines: impl Iterator<Item = Line<'t>>, place: usize) -> bool {
    lines.all(|line| matches!(line.text.chars().nth(place), None | Some(' ' | '-')))
}

/// Whether the cells in a range number the rows, from 0 or 1 on.
fn are_counted<'t>(lines: impl Iterator<Item = Line<'t>>, range: &Range<usize>) -> bool {
    let number = |line: Line<'_>| -> Option<usize> {
        part(line.text, ink(line.text, range.clone())?).parse().ok()
    };
    let mut numbers = lines.map(number);
    let first = numbers.next().flatten().filter(|first| *first < 2);
    first.is_some_and(|first| (first + 1..).zip(numbers).all(|(at, it)| it == Some(at)))
}

/// The blanks between two columns, and between their names.
fn gaps(pair: &[Column]) -> (usize, usize) {
    let of = |one: &Range<usize>, other: &Range<usize>| other.start.saturating_sub(one.end);
    let names = match pair[0].name.is_empty() {
        true => usize::MAX,
        false => of(&pair[0].name, &pair[1].name),
    };
    (of(&pair[0].range, &pair[1].range), names)
}

/// Joins the words of names that have no cells below them: each is one blank from the name that it belongs to. None if that
/// is in doubt, as where columns are one blank apart.
fn join_words(columns: &mut Vec<Column>, header: Line<'_>) -> Option<()> {
    let mut is_joined = false;
    let mut at = 0;
    while at < columns.len() {
        if columns[at].has_cells || columns[at].name.is_empty() {
            at += 1;
            continue;
        }
        let is_near = |pair: Option<&[Column]>| pair.is_some_and(|pair| gaps(pair).1 == 1);
        let is_before = is_near(
            at.checked_sub(1)
                .and_then(|before| columns.get(before..=at)),
        );
        match (is_before, is_near(columns.get(at..at + 2))) {
            (true, true) => return None,
            (false, false) => {
                at += 1;
                continue;
            }
            (true, false) => at -= 1,
            (false, true) => {}
        }
        // `Mounted on` is one name wherever it is.
        let second = header.text.chars().nth(columns[at + 1].name.start)?;
        is_joined |= !second.is_lowercase() || !header.text.contains(char::is_uppercase);
        join(columns, at);
        // It has cells now, or needs another word.
        at = at.saturating_sub(usize::from(!columns[at].has_cells));
    }
    let is_doubtful = |pair: &[Column]| gaps(pair).0 < 2 && (is_joined || !pair[0].has_cells);
    (!columns.windows(2).any(is_doubtful)).then_some(())
}

/// Makes one column of the one at `at` and the next one.
fn join(columns: &mut Vec<Column>, at: usize) {
    let next = columns.remove(at + 1);
    let column = &mut columns[at];
    column.range.start = column.range.start.min(next.range.start);
    column.range.end = next.range.end;
    column.name.end = next.name.end;
    column.has_cells |= next.has_cells;
    column.beyond = column.beyond.or(next.beyond);
}

/// Joins two words of a name whose cells have two words, too: all of them one blank apart, as no other columns are. None if
/// they may be two columns as well.
fn join_cells<'t>(
    columns: &mut Vec<Column>,
    header: Line<'t>,
    lines: impl Iterator<Item = Line<'t>> + Clone,
) -> Option<()> {
    let is_one_name = |at: &usize| {
        gaps(&columns[*at..*at + 2]) == (1, 1)
            && are_two_words(&columns[*at..*at + 2], lines.clone())
    };
    let pairs: Vec<usize> = (0..columns.len().saturating_sub(1))
        .filter(is_one_name)
        .collect();
    if pairs.is_empty() {
        return Some(());
    }
    // An index, and a date before its time, may be one blank from another column anyway.
    let is_apart = |at: &usize| {
        let [one, next] = [&columns[*at], &columns[*at + 1]];
        let have_cells = one.has_cells && next.has_cells;
        !pairs.contains(at) && have_cells && !one.name.is_empty() && !next.has_date
    };
    let mut others = (0..columns.len() - 1).filter(is_apart);
    if others.any(|at| gaps(&columns[at..at + 2]).0 < 2) {
        // Two columns have two beginnings: `Use% Mounted on`.
        let is_second = |at: usize| {
            let second = header.text.chars().nth(columns[at + 1].name.start);
            second.is_some_and(char::is_lowercase)
        };
        let has_time = |at: usize| {
            let mut lines = lines.clone();
            lines.any(|line| {
                let [date, time] = [at, at + 1].map(|at| ink(line.text, columns[at].range.clone()));
                date.is_some_and(|date| has_time(line.text, &date, time.as_ref()))
            })
        };
        let is_doubtful = |at: usize| is_second(at) || has_time(at);
        return (!pairs.into_iter().any(is_doubtful)).then_some(());
    }
    for at in pairs.into_iter().rev() {
        join(columns, at);
        columns[at].is_joined = true;
    }
    Some(())
}

/// Whether the cells of two columns are one blank apart in each row, and those of one are all of one length. A day of one
/// digit has a blank before it: `Jan  9`.
fn are_two_words<'t>(pair: &[Column], lines: impl Iterator<Item = Line<'t>>) -> bool {
    let mut lengths = [(usize::MAX, 0); 2];
    let (mut ends, mut widest) = ((usize::MAX, 0), 0);
    for line in lines {
        let one = ink(line.text, pair[0].range.start..pair[1].range.start);
        let next = ink(line.text, pair[1].range.clone());
        let (one, next) = match (one, next) {
            (Some(one), Some(next)) if next.start <= one.end + 2 => (one, next),
            (None, None) => continue,
            _ => return false,
        };
        let gap = next.start - one.end;
        if gap == 2 && !begins_with_digit(line.text, &next) {
            return false;
        }
        widest = widest.max(gap);
        ends = (ends.0.min(next.end), ends.1.max(next.end));
        for (length, cell) in lengths.iter_mut().zip([one, next]) {
            *length = (length.0.min(cell.len()), length.1.max(cell.len()));
        }
    }
    let is_one_length = |(least, most): &(usize, usize)| least == most;
    match widest {
        2 => is_one_length(&lengths[0]) && is_one_length(&ends),
        _ => lengths.iter().any(is_one_length),
    }
}

/// Whether words that begin at `beyond`, between two columns' names, belong to the cells of the second one. None if
/// that is in doubt. They are one blank from the cell that they belong to, and more from the other one. The other rows
/// show on which side the cells of each column are in line with its name.
fn is_of_next<'t>(
    one: &Column,
    next: &Column,
    beyond: usize,
    is_frame: bool,
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
        // Words beyond the next column may be of the one after it.
        let next_end = next.beyond.unwrap_or(next.range.end);
        let next_cell = ink(line, next.range.start..next_end);
        if let Some(between) = ink(line, beyond..next.range.start) {
            let is_near = cell.is_some_and(|cell| between.start - cell.end == 1);
            let next_is_near = next_cell
                .as_ref()
                .is_some_and(|cell| cell.start - between.end == 1);
            let is_date = next_is_near && has_time(line, &between, next_cell.as_ref());
            is_near_one |= is_near && !next_is_near;
            is_near_next |= next_is_near && !is_near || is_date;
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
    let next_may_be_right =
        next_is_right || is_frame && next_sides.in_line.is_some_and(|(_, right)| right);
    let by_sides = match sides.in_line {
        Some((false, true)) if next_may_be_right => Some(true),
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

/// These characters of a line.
#[inline(never)]
pub(crate) fn part(line: &str, range: Range<usize>) -> &str {
    let is_ascii = line.is_ascii();
    let place = |number: usize| match is_ascii {
        true => number.min(line.len()),
        false => {
            let mut places = line.char_indices();
            places.nth(number).map_or(line.len(), |(at, _)| at)
        }
    };
    &line[place(range.start)..place(range.end)]
}

/// Whether the first word of a cell is one digit.
fn begins_with_digit(line: &str, cell: &Range<usize>) -> bool {
    matches!(
        part(line, cell.clone()).as_bytes(),
        [b'0'..=b'9'] | [b'0'..=b'9', b' ', ..]
    )
}

/// Characters of a date, and the blank behind it.
const LONGEST_DATE: usize = 11;

/// Whether a text is a date: `2024-01-31`.
fn is_date(text: &str) -> bool {
    matches!(text.as_bytes(), [.., b'-' | b'/', _, _, b'-' | b'/', _, _])
        && text.bytes().filter(u8::is_ascii_digit).count() + 2 == text.len()
}

/// Whether a date begins at a place of a line, and is a word.
fn has_date_at(line: &str, place: usize) -> bool {
    let rest = part(line, place..place + LONGEST_DATE);
    rest.split(' ').next().is_some_and(is_date)
}

/// Whether words in a line are a date, and the next ones a time: `2024-01-31 08:00:00`.
fn has_time(line: &str, date: &Range<usize>, time: Option<&Range<usize>>) -> bool {
    let date = part(line, date.clone());
    let time = part(line, time.cloned().unwrap_or_default());
    is_date(date)
        && matches!(
            time.as_bytes(),
            [b'0'..=b'2', b'0'..=b'9', b':', b'0'..=b'5', ..]
        )
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
        let is_left = cell.start == name.start;
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

/// The characters from the first to the last one that is not blank in a part of a line.
pub(super) fn ink(line: &str, part: Range<usize>) -> Option<Range<usize>> {
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
pub(super) type Marks = [u32; WIDEST / 16];

/// Marks the characters of a line that are not blank, and returns their number. What is beyond the marks belongs to the
/// last column. None for tabs.
pub(super) fn mark(line: &str, marks: &mut Marks) -> Option<usize> {
    if words::is_ascii(line) {
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
