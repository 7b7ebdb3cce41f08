//! Tables with lines of signs between their columns.
//!
//! Owns three forms: that of `psql`, with a rule under its header (`----+----`), those with a frame (`+---+`, `┌───┐`,
//! `|---+---|`), and rows without blanks around their signs (`7|paid`). Layout is the padding of cells and the rules. The rule gives the bounds of a cell, so that a cell may
//! contain signs. Refuses cells on more than one line, except those of `psql`.

use crate::lines::{Line, line_above, line_at};
use crate::loose::ROWS_FOR_OTHER;
use crate::table::{Header, Table, are_types, is_left_out};
use crate::{Format, Found, csv, words};
use std::ops::Range;

/// Where the rule of a table without a frame crosses the lines between columns.
const CROSSES: [char; 4] = ['+', '┼', '┿', '╋'];

/// Most signs of a rule.
const WIDEST: usize = 4_096;

/// Most lines between two rows that are none.
const MOST_BETWEEN: usize = 4;

/// Whether a line is the rule under a header of `psql`, or of a table of `rich` without a frame.
pub(crate) fn is_psql_rule(line: &str) -> bool {
    match line.as_bytes() {
        [b'-' | b'+', ..] => {
            line.bytes().all(|byte| matches!(byte, b'-' | b'+')) && line.contains("-+-")
        }
        [0xe2, ..] => {
            let is_sign = |c| matches!(c, '─' | '━' | '┼' | '╶' | '╴' | '╺' | '╸' | '┿' | '╋');
            line.chars().all(is_sign) && line.contains(CROSSES)
        }
        _ => false,
    }
}

/// Reads a table of `psql` whose header begins at `at`, and notes the lines between and below its rows that are none. None if
/// `others` is, and there are such lines.
pub(crate) fn read_psql(
    text: &str,
    at: usize,
    mut others: Option<&mut Vec<Range<usize>>>,
) -> Option<Found> {
    let header = line_at(text, at);
    let rule = line_at(text, header.next);
    if !is_psql_rule(rule.text) || rule.text.len() > WIDEST {
        return None;
    }
    let places = crosses(rule.text);
    let width = rule.text.chars().count();
    // Cells of several lines have no sign at their end.
    let is_rich = !rule.text.is_ascii();
    let sign = header.text.chars().nth(*places.first()?)?.to_string();
    let sign = sign.as_str();
    let names = parts(header.text, &places, false)?;
    let mut table = Table::new(
        names.iter().map(|name| name.trim()),
        text.len() - at,
        Header::Ruled,
    )?;
    let (mut last, mut end, mut needs_count) = (rule, rule.end(), false);
    while last.next < text.len() {
        let line = line_at(text, last.next);
        let Some(row) = parts(line.text, &places, false) else {
            if !goes_on_below(text, line, &places) {
                break;
            }
            // Of a row whose cells go on below, the next line is none of its own.
            let is_open = ["+|", ".|"].iter().any(|it| line.text.contains(it));
            let others = others.as_mut().filter(|_| !is_open)?;
            others.push(line.range());
            (others.len() * ROWS_FOR_OTHER <= table.rows().max(ROWS_FOR_OTHER)).then_some(())?;
            last = line;
            continue;
        };
        // A sign at the end of a cell means that the cell continues in the next line.
        let (after, before) = row.split_last()?;
        let goes_on = |part: &&str| !part.ends_with(' ');
        let is_open = before.iter().any(goes_on)
            || line.text.chars().count() >= width && after.ends_with(['+', '.', ':']);
        last = line;
        // How wide a line is that wide characters make shorter is unknown.
        needs_count |= is_open
            || !is_rich
                && after.ends_with(['+', '.', ':'])
                && parts_at(line.text, &places, false).is_none();
        if is_open {
            last = push_lines(&mut table, text, &row, (&places, width), line)?;
        } else if is_rich && may_go_on(&row) {
            return None;
        } else {
            push(&mut table, &row, (sign, None), line)?;
        }
        end = last.end();
    }
    let after = line_at(text, last.next);
    let count = after
        .text
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(" row"))
        .map(|(count, _)| count.parse::<usize>().ok());
    let left_out = others.as_ref().map_or(0, |others| others.len());
    let counts = table.rows()..=table.rows() + left_out;
    // A sign at the end may be that of a text: only the number of rows tells.
    if count.is_none() && needs_count
        || count.is_some_and(|count| !count.is_some_and(|count| counts.contains(&count)))
    {
        return None;
    }
    // It may be a row that is cut.
    if let Some(others) = others
        && count.is_none()
        && !after.is_blank()
        && !is_note(after.text)
    {
        others.push(after.range());
    }
    table.finish(Format::Box, at..end)
}

/// Where the rule of a table without a frame crosses the lines between columns, in characters.
fn crosses(rule: &str) -> Vec<usize> {
    let signs = (0..).zip(rule.chars());
    let crosses = signs.filter(|(_, sign)| CROSSES.contains(sign));
    crosses.map(|(place, _)| place).collect()
}

/// Whether a table goes on below a line that is no row: another program wrote it, or it is blank.
fn goes_on_below(text: &str, line: Line<'_>, places: &[usize]) -> bool {
    let mut other = line;
    for _ in 0..MOST_BETWEEN {
        let below = line_at(text, other.next);
        let is_end = is_note(other.text) && !other.is_blank();
        if is_end || is_psql_rule(below.text) || below.start >= text.len() {
            return false;
        }
        if parts(below.text, places, false).is_some() {
            // The header of another table.
            return !is_psql_rule(line_at(text, below.next).text);
        }
        other = below;
    }
    false
}

/// Whether the table of `psql` with this rule goes on below the blank line at `at`.
pub(crate) fn goes_on(rule: &str, text: &str, at: usize) -> bool {
    rule.len() <= WIDEST && goes_on_below(text, line_at(text, at), &crosses(rule))
}

/// Adds a row of `psql` whose cells have several lines, and returns the last of them. Where a line of a cell ends, it has
/// `+`; where it is only too long, `.`, and the next line begins with `.`.
fn push_lines<'t>(
    table: &mut Table,
    text: &'t str,
    first: &[&str],
    (places, width): (&[usize], usize),
    line: Line<'t>,
) -> Option<Line<'t>> {
    let mut cells: Vec<(String, char)> = vec![(String::new(), '+'); first.len()];
    let (mut row, mut last) = (first.to_vec(), line);
    loop {
        let is_whole = last.text.chars().count() >= width;
        let count = row.len();
        for (at, (part, (cell, open))) in row.iter().zip(&mut cells).enumerate() {
            let end = part.chars().next_back().unwrap_or(' ');
            let is_sign = matches!(end, '+' | '.') && (at + 1 < count || is_whole);
            // A blank before `.` is one of the text.
            let inside = match is_sign {
                true if end == '.' => &part[..part.len() - 1],
                true => part[..part.len() - 1].trim_end(),
                false if end == ' ' || at + 1 == count => part.trim_end(),
                false => return None,
            };
            match *open {
                '.' => cell.push_str(inside.strip_prefix('.')?),
                '+' => {
                    cell.push_str(if cell.is_empty() { "" } else { "\n" });
                    cell.push_str(inside.strip_prefix(' ').unwrap_or(inside));
                }
                _ if inside.is_empty() => {}
                _ => return None,
            }
            *open = if is_sign { end } else { ' ' };
        }
        if cells.iter().all(|(_, open)| *open == ' ') {
            break;
        }
        last = line_at(text, last.next);
        row = parts(last.text, places, false)?;
    }
    for (cell, _) in &cells {
        table.cell(cell.trim());
    }
    table.end_row(line.start..last.end())?;
    Some(last)
}

/// Whether a line is a rule of an org table: `|----+----|`.
pub(crate) fn is_org_rule(line: &str) -> bool {
    line.starts_with("|-") && line.contains("-+-") && crossings(line).is_some()
}

/// Reads a table in a frame whose first rule begins at `at`. A table of org may begin with its header.
pub(crate) fn read_frame(text: &str, at: usize) -> Option<Found> {
    let (found, gap) = read_frame_with_gap(text, at)?;
    gap.is_none().then_some(found)
}

/// The same for a table some rows of which are left out: with the range of the lines in their place.
pub(crate) fn read_frame_with_gap(text: &str, at: usize) -> Option<(Found, Option<Range<usize>>)> {
    // A rule inside of a frame begins none.
    if line_above(text, at).starts_with(is_sign) {
        return None;
    }
    let top = line_at(text, at);
    let outer = crossings(top.text);
    let is_open = outer.is_none() && !is_plain_rule(top.text);
    let header = match is_open {
        true => top,
        false => line_at(text, top.next),
    };
    let mut line = line_at(text, header.next);
    let mut types: Vec<Line<'_>> = Vec::new();
    let places = loop {
        if let Some(places) = crossings(line.text) {
            break places;
        }
        // Polars writes one without crossings.
        if let Some(outer) = outer.as_ref().filter(|_| is_double_rule(line.text)) {
            break outer.clone();
        }
        // Types of columns are in the second line, or below dashes there: they stay before the rows.
        if types.len() == MOST_TYPES || types.len() == 1 && !are_dashes(types[0].text) {
            return None;
        }
        types.push(line);
        line = line_at(text, line.next);
    };
    let is_org = line.text.starts_with('|');
    if outer.is_some_and(|outer| outer != places) || is_open && !is_org {
        return None;
    }
    let (first, inner) = places.split_first()?;
    let (_, inner) = inner.split_last()?;
    if *first != 0 {
        return None;
    }
    let names = parts(header.text, inner, true)?;
    let mut table = Table::new(
        names.iter().map(|name| name.trim()),
        text.len() - at,
        Header::Ruled,
    )?;
    let mut start = at;
    if let Some(types) = types.last() {
        let cells = parts(types.text, inner, true)?;
        let cells: Vec<&str> = cells.iter().map(|cell| cell.trim()).collect();
        // Names may have two lines, too.
        let is_duckdb =
            |cell: &&str| cell.starts_with(|c: char| c.is_ascii_lowercase() || c == '…');
        let is_drawn = !top.text.is_ascii() && cells.iter().all(is_duckdb);
        (is_drawn || are_types(&cells)).then_some(())?;
        start = line.next;
    }
    let (mut rules, mut last) = (0, line);
    let mut gap: Option<Range<usize>> = None;
    let mut is_rule = false;
    loop {
        let line = line_at(text, last.next);
        is_rule = if crossings(line.text).is_some() || is_plain_rule(line.text) {
            rules += 1;
            true
        } else if let Some(row) = parts(line.text, inner, true) {
            let is_padded = |part: &&str| part.starts_with(' ') && part.ends_with(' ');
            if !row.iter().all(is_padded) {
                return None;
            }
            // A continued row has nothing in the first column.
            if row[0].trim().is_empty() {
                return None;
            }
            if is_left_out(&row) {
                let start = gap.as_ref().map_or(line.start, |gap| gap.start);
                if gap.is_some_and(|gap| gap.end != last.end()) {
                    return None;
                }
                gap = Some(start..line.end());
                last = line;
                continue;
            }
            let sign = |place: usize| line.text.chars().skip(place).take(1).collect::<String>();
            let (outer, inner) = (sign(0), sign(inner[0]));
            push(&mut table, &row, (&inner, Some(&outer)), line)?;
            false
        } else {
            break;
        };
        last = line;
        if last.next >= text.len() {
            break;
        }
    }
    // One rule at the end, or one after each row.
    let is_closed = rules == 1 && is_rule || rules == table.rows() + usize::from(gap.is_some());
    if !is_closed && (!is_org || rules > 0) {
        return None;
    }
    let note = line_at(text, last.next).text;
    let rows = table.rows();
    let is_told = match counts(note).or_else(|| shape_above(text, at, rows)) {
        Some((all, None)) => all == rows && gap.is_none(),
        Some((_, Some(shown))) => shown == rows && gap.is_some(),
        // `duckdb` counts the rows that it leaves out, and others do not.
        None => gap
            .as_ref()
            .is_none_or(|gap| !text[gap.clone()].contains('·')),
    };
    let found = table.finish(Format::Box, start..last.end())?;
    is_told.then_some((found, gap))
}

/// Most lines of types between the names and the rule.
const MOST_TYPES: usize = 2;

/// Whether a line has dashes between its signs, as polars writes them above the types of columns.
fn are_dashes(line: &str) -> bool {
    line.contains("---") && line.chars().all(|c| matches!(c, '-' | ' ') || is_sign(c))
}

/// Whether a line is a rule in a frame without crossings: `+======+`.
fn is_double_rule(line: &str) -> bool {
    let inside = line
        .trim_end()
        .strip_prefix('+')
        .and_then(|it| it.strip_suffix('+'));
    inside.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte == b'='))
}

/// The number of rows that a note below a table has, and of those that are shown: `1200 rows (40 shown)`.
fn counts(note: &str) -> Option<(usize, Option<usize>)> {
    let note = note.trim_start_matches(['│', ' ']);
    let (count, rest) = note.split_once(" row")?;
    let shown = rest.split_once('(').and_then(|(_, rest)| {
        let (shown, _) = rest.split_once(" shown)")?;
        shown.parse().ok()
    });
    Some((count.parse().ok()?, shown))
}

/// The number of rows in the shape that polars writes above a table, and of those that are shown, if they are fewer:
/// `shape: (1_200, 3)`.
fn shape_above(text: &str, at: usize, shown: usize) -> Option<(usize, Option<usize>)> {
    let above = text[..at].trim_end();
    let line = &above[above.rfind('\n').map_or(0, |at| at + 1)..];
    let (rows, _) = line.strip_prefix("shape: (")?.split_once(',')?;
    let rows = rows.replace('_', "").parse().ok()?;
    Some((rows, (rows > shown).then_some(shown)))
}

/// Whether a line is a note below a table.
pub(crate) fn is_note(line: &str) -> bool {
    let is_end = |c| matches!(c, '╵' | ' ');
    counts(line).is_some() || line.starts_with(is_end) && line.chars().all(is_end)
}

/// Whether a line is a rule in a frame without crossings: `+------+`.
fn is_plain_rule(line: &str) -> bool {
    let line = line.trim_end();
    let inside = line.strip_prefix('+').and_then(|it| it.strip_suffix('+'));
    inside.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte == b'-'))
}

/// Whether a line is a rule in a frame.
pub(crate) fn is_frame_rule(line: &str) -> bool {
    crossings(line).is_some() || is_plain_rule(line)
}

/// Whether a frame begins at a line: a rule above a line in a frame.
pub(crate) fn begins_frame(text: &str, at: usize) -> bool {
    let top = line_at(text, at);
    crossings(top.text).is_some() && line_at(text, top.next).text.starts_with(is_sign)
}

/// Whether a row may be the rest of the one above it: only one of its cells has words.
pub(crate) fn may_go_on(row: &[&str]) -> bool {
    let filled = row.iter().filter(|cell| !cell.trim().is_empty());
    row[0].trim().is_empty() || filled.count() == 1
}

/// Reads rows whose cells have `|` between them and nothing else, as `sqlite3` prints them, under a header at `at`.
pub(crate) fn read_list(text: &str, at: usize) -> Option<Found> {
    let header = line_at(text, at);
    let is_bare = |cell: &str| !cell.starts_with(' ') && !cell.ends_with(' ');
    if !header.text.contains('|') || !header.text.split('|').all(is_bare) {
        return None;
    }
    let first = header.text.split('|').next()?;
    let mut table = Table::new(header.text.split('|'), text.len() - at, csv::header(first))?;
    let mut last = header;
    while last.next < text.len() {
        let line = line_at(text, last.next);
        if line.is_blank() {
            break;
        }
        // `psql` counts the rows below them.
        let count = line.text.strip_prefix('(').and_then(counts);
        if line.next == text.len() && count.is_some() {
            (count?.0 == table.rows()).then_some(())?;
            break;
        }
        for cell in line.text.split('|') {
            table.cell(cell);
        }
        table.end_row(line.range())?;
        last = line;
    }
    table.has_header().then_some(())?;
    table.finish(Format::Box, at..last.end())
}

/// Adds a row of the parts of a line, if the signs between them are the same. `signs`: the sign, and that at both ends.
fn push(
    table: &mut Table,
    row: &[&str],
    signs: (&str, Option<&str>),
    line: Line<'_>,
) -> Option<()> {
    let (sign, outer) = signs;
    let is_before = |part: &str, sign: &str| {
        let end = part.as_ptr().addr() + part.len() - line.text.as_ptr().addr();
        line.text[end..].starts_with(sign)
    };
    let (last, others) = row.split_last()?;
    let is_framed = |outer| line.text.starts_with(outer) && is_before(last, outer);
    if !others.iter().all(|part| is_before(part, sign)) || !outer.is_none_or(is_framed) {
        return None;
    }
    row.iter()
        .for_each(|part| table.cell(words::without(part, b" ")));
    table.end_row(line.range())
}

/// Whether a character is a sign between cells.
fn is_sign(c: char) -> bool {
    matches!(c, '|' | '│' | '┃' | '║' | '┆')
}

/// The parts of a line between the signs at these positions, counted in characters; with a frame, without the sign at
/// each end. Where wide characters move the signs, the line has as many as there are positions. None otherwise.
fn parts<'t>(line: &'t str, places: &[usize], framed: bool) -> Option<Vec<&'t str>> {
    parts_at(line, places, framed).or_else(|| match framed || line.is_ascii() {
        true => None,
        false => parts_between(line, places.len()),
    })
}

/// The parts of a line between so many signs with blanks around them.
fn parts_between(line: &str, count: usize) -> Option<Vec<&str>> {
    let parts: Vec<&str> = line.split(is_sign).collect();
    let (last, before) = parts.split_last()?;
    let is_padded = |part: &&str| part.starts_with(' ') && part.ends_with(' ');
    let is_row = before.len() == count && before.iter().all(is_padded) && last.starts_with(' ');
    is_row.then_some(parts)
}

/// The parts of a line between the signs at these positions.
fn parts_at<'t>(line: &'t str, places: &[usize], framed: bool) -> Option<Vec<&'t str>> {
    let mut wanted = places.iter().peekable();
    let mut parts = Vec::with_capacity(places.len() + 1);
    let mut start = 0;
    let line = if framed { line.trim_end() } else { line };
    if line.is_ascii() && line.len() <= WIDEST {
        let is_sign = |at: usize| line.as_bytes().get(at) == Some(&b'|');
        start = usize::from(framed);
        if framed && !(is_sign(0) && line.len() > 1 && is_sign(line.len() - 1)) {
            return None;
        }
        for place in places {
            parts.push(line.get(start..*place).filter(|_| is_sign(*place))?);
            start = place + 1;
        }
        parts.push(line.get(start..line.len() - usize::from(framed))?);
        return Some(parts);
    }
    for (place, (at, c)) in line.char_indices().enumerate() {
        if place > WIDEST {
            return None;
        }
        if framed && place == 0 {
            if !is_sign(c) {
                return None;
            }
            start = c.len_utf8();
        } else if wanted.peek() == Some(&&place) {
            if !is_sign(c) {
                return None;
            }
            parts.push(&line[start..at]);
            start = at + c.len_utf8();
            wanted.next();
        }
    }
    if wanted.peek().is_some() {
        return None;
    }
    let rest = &line[start..];
    parts.push(if framed {
        rest.strip_suffix(is_sign)?
    } else {
        rest
    });
    Some(parts)
}

/// The positions of the crossings in a rule, counted in characters; none if a line is no rule.
fn crossings(line: &str) -> Option<Vec<usize>> {
    let line = line.trim_end();
    let mut places = Vec::new();
    // In org, the rule ends at the frame.
    let is_org = line.starts_with("|-") && line.ends_with("-|");
    for (place, c) in line.chars().enumerate() {
        match c {
            '|' if is_org && (place == 0 || place + 1 == line.len()) => places.push(place),
            '-' | '=' | '─' | '━' | '═' | '╌' | '┄' | '┈' if place > 0 => {}
            '+' | '\u{2500}'..='\u{257f}' if place <= WIDEST => places.push(place),
            _ => return None,
        }
    }
    (places.len() > 2).then_some(places)
}
