//! Tables of which a server left out rows, and says so: `... [output truncated, 74 more lines]` below the rows that are there,
//! or `…(2,012 chars omitted)…` between them.
//!
//! Owns the place of that line. The text is read without the line, and without the parts of rows beside it, as one table
//! under the names of the first rows. Refuses other data: what is left out may be the end of a list and the beginning of
//! another.

use crate::around::MOST_LINES;
use crate::lines::{Line, line_at};
use crate::table::is_name;
use crate::wrapper;
use crate::{Data, Format, boxes, columns};
use std::ops::Range;

/// Longest last line that is searched for a note, and most places in it.
const LONGEST: usize = 2_048;

/// Most lines that begin with a sign as a note does: rows begin otherwise.
const MOST_SIGNS: usize = 64;

/// What a note counts that may end within a row.
const PARTS_OF_ROWS: [&str; 3] = ["char", "byte", "token"];

/// Reads the table of a text with one such line.
pub(crate) fn read(text: &str) -> Option<Data<'_>> {
    if !may_begin_table(text) {
        return None;
    }
    let gap = gap(text)?;
    let joined = Joined::of(text, &gap)?;
    let data = crate::read_whole(&joined.text)?;
    let is_of_lines = data.format.is_table() && !matches!(data.format, Format::JsonLines);
    // A column for those that `duckdb` leaves out.
    if !is_of_lines || data.rows.is_empty() || data.json.contains("\"…\":") {
        return None;
    }
    let moved = |range: Range<usize>| joined.start(range.start)..joined.end(range.end);
    let rows: Vec<Range<usize>> = data.rows.into_iter().map(moved).collect();
    // All rows are on one side of the line only where it is the last one.
    let is_last = text[gap.below..].trim().is_empty();
    let last = rows.last()?.end;
    if !is_last && (last < gap.below || rows.first()?.start > gap.above) {
        return None;
    }
    let count = rows.iter().filter(|row| row.end <= gap.above).count();
    if !is_last && !are_alike(&data.tape, count) {
        return None;
    }
    let mut others: Vec<Range<usize>> = data.others.into_iter().map(moved).collect();
    let end = match is_last {
        true => last,
        false => joined.end(data.after.start),
    };
    others.extend(gap.lines.into_iter().filter(|line| line.start < end));
    others.sort_by_key(|line| line.start);
    Some(Data {
        text,
        before: 0..joined.start(data.before.end),
        after: end..text.len(),
        rows,
        others,
        ..data
    })
}

/// Whether one of the first lines may be the header of a table.
pub(super) fn may_begin_table(text: &str) -> bool {
    let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
    for _ in 0..MOST_LINES + MOST_LINES {
        let line = line_at(text, at);
        if line.next >= text.len() || line.text.len() > LONGEST {
            return false;
        }
        let second = line_at(text, line.next).text;
        let is_separated = |sign: char| {
            line.text.contains(sign) && second.contains(sign) && line.text.split(sign).all(is_cell)
        };
        let is_drawn = || boxes::is_frame_rule(line.text) || boxes::is_psql_rule(second);
        if line.text.starts_with(['|', '{', '('])
            || is_drawn()
            || columns::is_rule(second)
            || columns::may_begin(line.text)
            || [',', '\t', ';', '|'].into_iter().any(is_separated)
        {
            return true;
        }
        at = line.next;
    }
    false
}

/// Whether a text may be a name in the header of CSV.
fn is_cell(text: &str) -> bool {
    let text = text.trim().trim_matches('"');
    text.is_empty() || is_name(text)
}

/// The cells of a column on one side of the line.
#[derive(Clone, Copy, Default)]
struct Cells {
    rows: usize,
    filled: usize,
    numbers: usize,
}

/// Whether the rows of a table, the first `above` and those below them, may be of one table: no column has numbers, or any
/// cells, on one side only.
fn are_alike(tape: &[u32], above: usize) -> bool {
    /// Kinds of nodes, in the first word of each.
    const KINDS: u32 = 15;
    const NUMBER: u32 = 3;
    const KEY: u32 = 5;
    const OBJECT: u32 = 7;
    const FEW: usize = 3;
    let mut columns: Vec<[Cells; 2]> = Vec::new();
    let (mut row, mut column) = (0, 0);
    let nodes = tape.as_chunks::<4>().0;
    for [key, value] in nodes.array_windows() {
        match key[0] & KINDS {
            OBJECT => (row, column) = (row + 1, 0),
            KEY => {
                if column == columns.len() {
                    columns.push(Default::default());
                }
                let cells = &mut columns[column][usize::from(row > above)];
                cells.rows += 1;
                cells.filled += usize::from(
                    value[2] - value[1] > "\"\"".len() as u32 || value[0] & KINDS == NUMBER,
                );
                cells.numbers += usize::from(value[0] & KINDS == NUMBER);
                column += 1;
            }
            _ => {}
        }
    }
    let differ = |one: &Cells, other: &Cells| {
        let are_numbers = one.filled >= FEW && one.numbers == one.filled;
        let are_filled = one.rows >= FEW && one.filled == one.rows && other.rows >= FEW;
        are_numbers && other.filled > 0 && other.numbers == 0 || are_filled && other.filled == 0
    };
    let mut columns = columns.iter();
    columns.all(|[one, other]| !differ(one, other) && !differ(other, one))
}

/// Whether the last line is a part of a row and a note behind it, which no cell has: `7,pa<response clipped>`.
pub(crate) fn is_in_last_row(text: &str) -> bool {
    let body = text.trim_end();
    // A longer last line is not looked at.
    let near = body.floor_char_boundary(body.len().saturating_sub(LONGEST + 1));
    let line = body[near..].rfind('\n').map(|at| near + at + 1);
    let last = &body[line.unwrap_or(near)..];
    let note = last.find('<').filter(|at| *at > 0 && last.len() <= LONGEST);
    note.is_some_and(|at| wrapper::is_left_out(&last[at..]))
}

/// The place of what is left out.
struct Gap {
    /// The end of the last whole row above, and the start of the first one below.
    above: usize,
    below: usize,
    /// The line that says so, and parts of rows beside it.
    lines: Vec<Range<usize>>,
}

/// The only line that says that something is left out.
fn gap(text: &str) -> Option<Gap> {
    let is_sign = |byte: &u8| matches!(byte, b'.' | b'[' | b'(' | b'<' | b'-' | b'=' | b'*' | b'#');
    let may_be = |at: usize| {
        let first = text.as_bytes().get(at);
        first.is_some_and(|first| is_sign(first) || *first == 0xe2 && text[at..].starts_with('…'))
    };
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes());
    let mut notes = breaks
        .filter(|at| may_be(at + 1))
        .take(MOST_SIGNS)
        .map(|at| line_at(text, at + 1))
        .filter(|line| wrapper::is_left_out(line.text) || columns::stands_for_rows(line.text));
    let Some(note) = notes.next() else {
        return gap_at_end(text);
    };
    if notes.next().is_some() {
        return None;
    }
    let lower = note.text.to_ascii_lowercase();
    let is_in_row = PARTS_OF_ROWS.iter().any(|it| lower.contains(it));
    let mut lines = vec![note.range()];
    let (mut above, mut below) = (text[..note.start].trim_end().len(), note.next);
    below += blank_lines(&text[below..]);
    if is_in_row {
        let part = text[..above].rfind('\n')? + 1;
        lines.insert(0, part..above);
        above = text[..part].trim_end().len();
        let part = line_at(text, below);
        if !part.is_blank() {
            lines.push(part.range());
        }
        below = part.next;
    }
    Some(Gap {
        above,
        below,
        lines,
    })
}

/// The bytes of the blank lines at the beginning of a text.
fn blank_lines(text: &str) -> usize {
    let ink = text.len() - text.trim_start().len();
    text[..ink].rfind('\n').map_or(0, |at| at + 1)
}

/// A note behind the part of a row that is the last line.
fn gap_at_end(text: &str) -> Option<Gap> {
    let body = text.trim_end();
    let start = body.rfind('\n')? + 1;
    let last = &body[start..];
    let mut places = last.match_indices(['<', '[', '…', '.']);
    let is_note = |(at, _): (usize, &str)| wrapper::is_left_out(&last[at..]);
    if last.len() > LONGEST || !places.any(is_note) {
        return None;
    }
    Some(Gap {
        above: text[..start].trim_end().len(),
        below: text.len(),
        lines: std::iter::once(start..body.len()).collect(),
    })
}

/// The text without the gap.
struct Joined {
    text: String,
    /// The part above: so many bytes are the same.
    above: usize,
    /// Where the part below begins here, and in the whole text.
    below: usize,
    below_before: usize,
}

impl Joined {
    fn of(text: &str, gap: &Gap) -> Option<Joined> {
        let above = &text[..gap.above];
        let mut below = gap.below;
        let last = &above[above.rfind('\n')? + 1..];
        let mut lines = above.lines().rev();
        let rule = lines
            .find(|line| boxes::is_frame_rule(line))
            .unwrap_or_default();
        let mut joined = format!("{above}\n");
        if !rule.is_empty() {
            let is_grid = above
                .lines()
                .filter(|line| boxes::is_frame_rule(line))
                .count()
                > 2;
            let first = line_at(text, below);
            let is_end = first.is_blank();
            match (boxes::is_frame_rule(last), boxes::is_frame_rule(first.text)) {
                // Each row has a rule below it, or the last one.
                (false, false) if is_grid || is_end => {
                    joined += rule;
                    joined.push('\n');
                }
                (true, true) => below = first.next,
                _ => {}
            }
        }
        let (start, end) = (joined.len(), note_of_rows(&text[below..]));
        joined += &text[below..below + end];
        Some(Joined {
            text: joined,
            above: gap.above,
            below: start,
            below_before: below,
        })
    }

    /// The place in the whole text where something begins.
    fn start(&self, at: usize) -> usize {
        match at < self.below {
            true => at.min(self.above),
            false => at - self.below + self.below_before,
        }
    }

    /// The place in the whole text where something ends.
    fn end(&self, at: usize) -> usize {
        match at <= self.below {
            true => at.min(self.above),
            false => at - self.below + self.below_before,
        }
    }
}

/// Where the note at the end of a text begins that counts the rows, of which some are left out: `(130 rows)`.
fn note_of_rows(text: &str) -> usize {
    let body = text.trim_end();
    let start = body.rfind('\n').map_or(0, |at| at + 1);
    let is_note = |line: Line<'_>| boxes::is_note(line.text.trim_start_matches('('));
    match is_note(line_at(body, start)) {
        true => start,
        false => text.len(),
    }
}
