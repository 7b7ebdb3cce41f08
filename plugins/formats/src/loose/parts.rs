//! Several pieces of data in one text: tables of Markdown under headings, JSON in fences, blocks of CSV.
//!
//! Owns where a piece begins and ends, and its name: the heading above it. The data is an object of the pieces. Refuses
//! texts that have more between the pieces than around one piece of data.

use super::{Loose, ragged};
use crate::around::{FENCE, MOST_BYTES, MOST_LINES, PrecedingLine, candidate};
use crate::json::push_quoted;
use crate::lines::{Line, line_at};
use crate::{Format, Found};
use std::ops::Range;

/// Most pieces of a text.
pub(super) const MOST_PIECES: usize = 64;

/// Longest name of a piece, in characters.
const LONGEST_NAME: usize = 60;

/// Reads the pieces of a text; none if it has fewer than two.
pub(super) fn read(text: &str, start: usize) -> Option<Loose> {
    let mut json = String::from("{");
    let (mut others, mut renamed) = (Vec::new(), Vec::new());
    let mut names: Vec<String> = Vec::new();
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
        let piece = may_begin.then(|| piece(text, line, before)).flatten();
        let Some(found) = piece else {
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
                let announces = before == PrecedingLine::Announces;
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
        let is_separated = matches!(found.format, Format::Csv | Format::Tsv);
        if let Some(above) = above.filter(|_| is_separated && between.is_empty())
            && ragged::may_go_on(text, &above, &found)
        {
            return None;
        }
        let title = between.last().filter(|_| may_name);
        let title = title.map(|line| &text[line.clone()]);
        let name = name(title.unwrap_or_default()).filter(|name| !names.contains(name));
        let name = match name {
            Some(name) => {
                between.pop();
                name
            }
            None => format!("part {}", names.len() + 1),
        };
        if names.len() == MOST_PIECES || names.contains(&name) {
            return None;
        }
        match names.is_empty() {
            true => first = found.range.start,
            false => {
                json.push(',');
                others.append(&mut between);
            }
        }
        between.clear();
        push_quoted(&mut json, &name);
        json.push(':');
        json.push_str(&found.json);
        names.push(name);
        renamed.extend_from_slice(&found.renamed);
        end = found.range.end;
        at = line_at(text, end).next;
        before = PrecedingLine::Other;
        (may_name, is_below_piece) = (true, true);
        above = Some(found);
    }
    json.push('}');
    (names.len() > 1).then_some(Loose {
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

/// The piece that begins at a line. The line before may be words only if the piece has a sign of its own.
fn piece(text: &str, line: Line<'_>, before: PrecedingLine) -> Option<Found> {
    let is_marked = line.text.starts_with(['|', '[', '{']);
    if !is_marked && before == PrecedingLine::Other {
        return None;
    }
    let is_fenced = before == PrecedingLine::Fence;
    let end = match is_fenced {
        true => line.start + text[line.start..].find("\n```")?,
        false => text.len(),
    };
    let found = candidate(
        &text[..end],
        line.start,
        Some(line),
        PrecedingLine::Announces,
    )?;
    // A value after words, or a fence with more than the data, is no piece.
    let is_whole = !is_fenced || text[found.range.end..end].trim().is_empty();
    (found.range.start == line.start && is_whole).then_some(found)
}

/// The name that a heading gives, if it is short.
fn name(heading: &str) -> Option<String> {
    let signs = ['#', '*', ':', '=', '-', '_', '`', ' ', '\t'];
    let name = heading.trim_matches(signs);
    let is_short = !name.is_empty() && name.chars().count() <= LONGEST_NAME;
    is_short.then(|| name.to_owned())
}
