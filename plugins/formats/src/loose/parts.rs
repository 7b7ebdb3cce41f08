//! Several pieces of data in one text: tables of Markdown under headings, JSON in fences, blocks of CSV.
//!
//! Owns where a piece begins and ends, and its name: the heading above it. The data is an object of the pieces. Refuses
//! texts that have more between the pieces than around one piece of data.

use super::{Loose, ragged};
use crate::around::{
    FENCE, LONGEST_HEADER, MOST_BYTES, MOST_LINES, PrecedingLine, Refused, candidate,
};
use crate::columns;
use crate::json::push_quoted;
use crate::lines::{Line, line_above, line_at};
use crate::wrapper;
use crate::{Format, Found};
use memchr::memmem;
use std::ops::Range;

/// Most pieces of a text.
pub(super) const MOST_PIECES: usize = 64;

/// Longest name of a piece, in characters; and longest one of pieces whose names are alike.
const LONGEST_NAME: usize = 60;
const LONGEST_LIKE_NAME: usize = 120;

/// Most bytes of the rows above a note.
const MOST_NOTED: usize = 16 << 10;

/// Reads the pieces of a text; none if it has fewer than two. No piece begins at the places in `refused`.
pub(super) fn read(text: &str, start: usize, refused: &Refused) -> Option<Loose> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut renamed = Vec::new();
    let (mut first, mut end) = (start, start);
    // The lines with words since the last piece.
    let mut between: Vec<Range<usize>> = Vec::new();
    let (mut is_in_fence, mut before) = (false, PrecedingLine::Nothing);
    // Whether the last of these may name the next piece, and whether no heading or blank line is above it.
    let (mut may_name, mut is_below_piece) = (true, false);
    let mut at = start;
    let mut above: Option<Found> = None;
    while at < text.len() && at - end <= MOST_BYTES && between.len() <= MOST_LINES {
        let line = line_at(text, at);
        at = line.next;
        if line.text.starts_with(FENCE) {
            is_in_fence = !is_in_fence;
            before = match is_in_fence {
                true => PrecedingLine::Fence,
                false => PrecedingLine::Announces,
            };
            continue;
        }
        let may_begin = !line.is_blank() && (!is_in_fence || before == PrecedingLine::Fence);
        let piece = may_begin
            .then(|| piece(text, line, before, refused))
            .flatten();
        let Some(mut found) = piece else {
            // What begins inside of another value is no data.
            if super::is_value(line.text.as_bytes()) {
                return None;
            }
            before = match line.text.starts_with(['#', '*', '=']) {
                true => PrecedingLine::Announces,
                false => PrecedingLine::of(&line, before),
            };
            if line.text.contains(char::is_alphanumeric) {
                between.push(line.range());
                let announces = before == PrecedingLine::Announces && !wrapper::is_end(line.text);
                may_name = announces || !line.text.starts_with('|');
                is_below_piece &= !announces;
            }
            // A line between a piece and a blank line belongs to the piece.
            if line.is_blank() {
                may_name &= !is_below_piece;
                is_below_piece = false;
            }
            continue;
        };
        // Below a line that says what is left out, the header may be a row.
        let is_left_out = |line: &Range<usize>| wrapper::is_left_out(&text[line.clone()]);
        let is_header = columns::is_in_capitals(line.text) && columns::may_be_header(line.text);
        if !is_header && between.last().is_some_and(is_left_out) {
            return None;
        }
        let is_separated = matches!(found.format, Format::Csv | Format::Tsv);
        if let Some(above) = above.filter(|_| is_separated && between.is_empty())
            && ragged::may_go_on(text, &above, &found)
        {
            return None;
        }
        if pieces.len() == MOST_PIECES {
            return None;
        }
        if pieces.is_empty() {
            first = found.range.start;
            // A page has more tables: none is read in vain.
            if found.format == Format::MarkdownTable && has_many_tables(&text[at..]) {
                return None;
            }
        }
        pieces.push(Piece {
            json: std::mem::take(&mut found.json),
            above: std::mem::take(&mut between),
            may_name,
        });
        renamed.extend_from_slice(&found.renamed);
        end = found.range.end;
        at = line_at(text, end).next;
        before = PrecedingLine::Other;
        (may_name, is_below_piece) = (true, true);
        above = Some(found);
    }
    let (json, others) = object(text, pieces)?;
    Some(Loose {
        found: Found {
            format: Format::Parts,
            json,
            tape: Vec::new(),
            renamed,
            range: first..end,
            rows: Vec::new(),
        },
        others,
        last: None,
        next: None,
    })
}

/// Whether a text has more tables of Markdown than pieces are read.
fn has_many_tables(text: &str) -> bool {
    let rules = ["\n|-", "\n| -", "\n|:", "\n| :"].into_iter();
    let rules = rules.flat_map(|sign| memmem::find_iter(text.as_bytes(), sign));
    let is_below_header = |at: &usize| line_above(text, at + 1).starts_with('|');
    rules.filter(is_below_header).nth(MOST_PIECES).is_some()
}

/// A piece of data.
struct Piece {
    json: String,
    /// The lines with words between the piece before and this one.
    above: Vec<Range<usize>>,
    /// Whether the last of these may be its name.
    may_name: bool,
}

/// The object of the pieces, and the lines between them that are no names; none for fewer than two.
fn object(text: &str, pieces: Vec<Piece>) -> Option<(String, Vec<Range<usize>>)> {
    let titles = titles(text, &pieces);
    let mut json = String::from("{");
    let mut others = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (place, (piece, title)) in pieces.iter().zip(titles).enumerate() {
        let mut above = piece.above.clone();
        let title = title.filter(|(_, name)| !names.contains(name));
        let name = match title {
            Some((line, name)) => {
                above.remove(line);
                name
            }
            None => format!("part {}", place + 1),
        };
        if names.contains(&name) {
            return None;
        }
        if place > 0 {
            json.push(',');
            others.append(&mut above);
        }
        push_quoted(&mut json, &name);
        json.push(':');
        json.push_str(&piece.json);
        names.push(name);
    }
    json.push('}');
    (names.len() > 1).then_some((json, others))
}

/// For each piece, the place of the line above it that is its name, and the name: the last line, or, if some last line is no
/// heading, the line that begins with the same word above all pieces and differs: `Host: a` above `Uptime: 3 days`.
fn titles(text: &str, pieces: &[Piece]) -> Vec<Option<(usize, String)>> {
    let line = |line: &Range<usize>| &text[line.clone()];
    let is_heading = |piece: &Piece| {
        let last = piece.above.last().filter(|_| piece.may_name);
        last.is_some_and(|last| is_heading(line(last)))
    };
    if !pieces.iter().all(is_heading)
        && let Some([_, second]) = pieces.first_chunk()
    {
        for like in &second.above {
            if let Some(titles) = like_titles(text, pieces, first_word(line(like))) {
                return titles.into_iter().map(Some).collect();
            }
        }
    }
    let last = |piece: &Piece| {
        let place = piece
            .above
            .len()
            .checked_sub(1)
            .filter(|_| piece.may_name)?;
        Some((place, name(line(&piece.above[place]), LONGEST_NAME)?))
    };
    pieces.iter().map(last).collect()
}

/// For each piece, the last line above it that begins with a word; none if some piece has no such line, or two have the same.
fn like_titles(text: &str, pieces: &[Piece], word: &str) -> Option<Vec<(usize, String)>> {
    let mut titles: Vec<(usize, String)> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let is_like = |line: &Range<usize>| first_word(&text[line.clone()]) == word;
        let place = piece.above.iter().rposition(is_like)?;
        let name = name(&text[piece.above[place].clone()], LONGEST_LIKE_NAME)?;
        if titles.iter().any(|(_, known)| *known == name) {
            return None;
        }
        titles.push((place, name));
    }
    Some(titles)
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// Whether a line is written as a heading.
fn is_heading(line: &str) -> bool {
    line.starts_with(['#', '*', '=']) || line.trim_end().ends_with(':')
}

/// The piece that begins at a line. The line before may be words only if the piece has a sign of its own, or a header in
/// capitals.
fn piece(text: &str, line: Line<'_>, before: PrecedingLine, refused: &Refused) -> Option<Found> {
    let is_marked = line.text.starts_with(['|', '[', '{']);
    let is_header = || columns::is_in_capitals(line.text) && columns::may_be_header(line.text);
    if !is_marked && before.is_other() && !is_header() {
        return None;
    }
    let is_fenced = before == PrecedingLine::Fence;
    let end = match is_fenced {
        true => line.start + text[line.start..].find("\n```")?,
        false => text.len(),
    };
    let read = |end: usize| {
        if end == text.len() && refused.has(line.start) {
            return None;
        }
        // What is behind words on a line is no piece.
        let is_header = line.text.len() <= LONGEST_HEADER;
        let line_of_header = is_header.then_some(line);
        candidate(
            &text[..end],
            line.start,
            line_of_header,
            PrecedingLine::Announces,
            &mut Vec::new(),
        )
    };
    let without_note = || match is_header() {
        true => read(note_start(text, line)?),
        false => None,
    };
    let found = read(end).or_else(without_note)?;
    // A value after words, or a fence with more than the data, is no piece.
    let is_whole = !is_fenced || text[found.range.end..end].trim().is_empty();
    (found.range.start == line.start && is_whole).then_some(found)
}

/// Where a note begins that is directly below the rows under a header, and above a blank line: `MAC Address: 00:11`. No row
/// is written so.
fn note_start(text: &str, header: Line<'_>) -> Option<usize> {
    let is_note = |line: &str| {
        let is_key = |key: &str| {
            key.starts_with(|c: char| c.is_ascii_uppercase())
                && key.chars().all(|c| c.is_alphabetic() || c == ' ')
                && !key.contains("  ")
        };
        line.split_once(": ").is_some_and(|(key, _)| is_key(key))
    };
    let (mut line, mut notes) = (line_at(text, header.next), None);
    while line.start < text.len() && !line.is_blank() {
        if line.start - header.start > MOST_NOTED {
            return None;
        }
        match (is_note(line.text), notes) {
            (true, None) => notes = Some(line.start),
            (false, Some(_)) => return None,
            _ => {}
        }
        line = line_at(text, line.next);
    }
    notes
}

/// The name that a heading gives, if it has at most so many characters.
fn name(heading: &str, longest: usize) -> Option<String> {
    let signs = ['#', '*', ':', '=', '-', '_', '`', ' ', '\t'];
    let name = heading.trim_matches(signs);
    let is_short = !name.is_empty() && name.chars().count() <= longest;
    is_short.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_many_tables_is_no_text_in_parts() {
        let text = |tables: usize| {
            let table = |at: usize| {
                let rows: String = (0..4).map(|row| format!("| {row} | a |\n")).collect();
                format!("## Part {at}\n\n| Id | State |\n|---|:--|\n{rows}\n")
            };
            (0..tables).map(table).collect::<String>()
        };
        let pieces = |tables| read(&text(tables), 0, &Refused::default()).map(|it| it.others.len());
        assert_eq!(pieces(MOST_PIECES), Some(0));
        assert_eq!(pieces(MOST_PIECES + 1), None);
        let tables = text(MOST_PIECES + 1);
        assert!(has_many_tables(&tables) && !has_many_tables(&text(MOST_PIECES)));
        // Rules without a header above are no tables.
        assert!(!has_many_tables(&"|---|\n\n".repeat(200)));
    }
}
