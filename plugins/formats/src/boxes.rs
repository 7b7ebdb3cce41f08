//! Tables with lines of signs between their columns.
//!
//! Owns two forms: that of `psql`, with a rule under its header (`----+----`), and those with a frame (`+---+`,
//! `┌───┐`). Layout is the padding of cells and the rules. The rule gives the bounds of a cell, so that a cell may
//! contain signs. Refuses cells on more than one line.

use crate::lines::{Line, is_made_of, line_at};
use crate::table::{Header, Table};
use crate::{Format, Found};

/// Most signs of a rule.
const WIDEST: usize = 4_096;

/// Whether a line is the rule under a header of `psql`.
pub(crate) fn is_psql_rule(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b'-' | b'+')) && line.contains("-+-")
}

/// Reads a table of `psql` whose header begins at `at`.
pub(crate) fn read_psql(text: &str, at: usize) -> Option<Found> {
    let header = line_at(text, at);
    let rule = line_at(text, header.next);
    if !is_psql_rule(rule.text) || rule.text.len() > WIDEST {
        return None;
    }
    let places: Vec<usize> = rule.text.match_indices('+').map(|(at, _)| at).collect();
    let width = rule.text.len();
    let names = parts(header.text, &places, false)?;
    let mut table = Table::new(
        names.iter().map(|name| name.trim()),
        text.len() - at,
        Header::Ruled,
    )?;
    let mut last = rule;
    while last.next < text.len() {
        let line = line_at(text, last.next);
        let Some(row) = parts(line.text, &places, false) else {
            break;
        };
        // A sign at the end of a cell means that the cell continues in the next line.
        let (end, others) = row.split_last()?;
        let goes_on = |part: &&str| !part.ends_with(' ');
        if others.iter().any(goes_on)
            || line.text.chars().count() >= width && end.ends_with(['+', '.', ':'])
        {
            return None;
        }
        push(&mut table, &row, None, line)?;
        last = line;
    }
    let after = line_at(text, last.next).text;
    let count = after
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(" row"));
    if count.is_some_and(|(count, _)| count.parse() != Ok(table.rows())) {
        return None;
    }
    table.finish(Format::Box, at..last.end())
}

/// Reads a table in a frame whose first rule begins at `at`.
pub(crate) fn read_frame(text: &str, at: usize) -> Option<Found> {
    let top = line_at(text, at);
    let places = crossings(top.text)?;
    let (first, inner) = places.split_first()?;
    let (_, inner) = inner.split_last()?;
    if *first != 0 {
        return None;
    }
    let header = line_at(text, top.next);
    let names = parts(header.text, inner, true)?;
    let mut table = Table::new(
        names.iter().map(|name| name.trim()),
        text.len() - at,
        Header::Ruled,
    )?;
    let mut line = line_at(text, header.next);
    // Types of columns are in the second line: they stay before the rows.
    let mut start = at;
    if crossings(line.text).is_none() {
        parts(line.text, inner, true)?;
        line = line_at(text, line.next);
        start = line.next;
    }
    if crossings(line.text)? != places {
        return None;
    }
    let (mut rules, mut last) = (0, line);
    loop {
        let line = line_at(text, last.next);
        if crossings(line.text).is_some() {
            rules += 1;
        } else if let Some(row) = parts(line.text, inner, true) {
            let is_padded = |part: &&str| part.starts_with(' ') && part.ends_with(' ');
            if !row.iter().all(is_padded) {
                return None;
            }
            // A continued row has nothing in the first column.
            if row[0].trim().is_empty() {
                return None;
            }
            let sign: String = line.text.chars().take(1).collect();
            push(&mut table, &row, Some(&sign), line)?;
        } else {
            break;
        }
        last = line;
        if last.next >= text.len() {
            break;
        }
    }
    // One rule at the end, or one after each row.
    if rules != 1 && rules != table.rows() {
        return None;
    }
    table.finish(Format::Box, start..last.end())
}

/// Adds a row, if its cells with signs between them equal the line. `frame`: the sign at both ends.
fn push(table: &mut Table, row: &[&str], frame: Option<&str>, line: Line<'_>) -> Option<()> {
    let cells: Vec<&str> = row.iter().map(|part| part.trim_matches(' ')).collect();
    let sign = frame.unwrap_or("|");
    let inside = cells.iter().enumerate();
    let inside = inside.flat_map(|(place, cell)| [if place > 0 { sign } else { "" }, cell]);
    let pieces: Vec<&str> = frame.into_iter().chain(inside).chain(frame).collect();
    if !is_made_of(line.text, &pieces) {
        return None;
    }
    table.push(&cells, line.range())
}

/// The parts of a line between the signs at these positions, counted in characters; with a frame, without the sign at
/// each end. None if a position has another character.
fn parts<'t>(line: &'t str, places: &[usize], framed: bool) -> Option<Vec<&'t str>> {
    let is_sign = |c: char| matches!(c, '|' | '│' | '┃' | '║');
    let mut wanted = places.iter().peekable();
    let mut parts = Vec::with_capacity(places.len() + 1);
    let mut start = 0;
    let line = if framed { line.trim_end() } else { line };
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
    for (place, c) in line.chars().enumerate() {
        match c {
            '-' | '=' | '─' | '━' | '═' if place > 0 => {}
            '+' | '\u{2500}'..='\u{257f}' if place <= WIDEST => places.push(place),
            _ => return None,
        }
    }
    (places.len() > 2).then_some(places)
}
