//! Data in a text that another program wraps: below the command that a shell echoes, in tags, in a fence, above the code
//! with which the command ended.
//!
//! Owns the lines that are taken off at both ends. The text between them is read as if it stood alone. Refuses tags and
//! fences that are not closed.

use super::left_out::may_begin_table;
use crate::around::{FENCE, MOST_BYTES};
use crate::lines::line_at;
use crate::wrapper::{self, Sign};
use crate::{Data, Format};
use std::ops::Range;

/// Most lines that are taken off at each end.
const MOST_WRAPPERS: usize = 6;

/// Reads the data between the lines of another program; none if the text has no such lines.
pub(crate) fn read(text: &str) -> Option<Data<'_>> {
    let bare = inside(text, is_output);
    // A heading may name a piece of the text.
    let below_heading = || inside(text, |line| is_output(line) || wrapper::is_above(line));
    let read = |range: Range<usize>| {
        let inside = &text[range.clone()];
        let data = may_be_data(inside)
            .then(|| crate::read_bare(inside))
            .flatten();
        Some((data?, range))
    };
    let found = bare.clone().and_then(read);
    let (data, inside) = found.or_else(|| {
        below_heading()
            .filter(|it| Some(it) != bare.as_ref())
            .and_then(read)
    })?;
    let before = &text[..data.before.end + inside.start];
    // A row of one cell may be such a line.
    let may_be_row = |line| wrapper::below(line) == Some(Sign::Likely);
    let is_doubtful = data.format == Format::Columns && text[inside.end..].lines().any(may_be_row);
    if is_doubtful {
        return None;
    }
    let moved = |range: Range<usize>| range.start + inside.start..range.end + inside.start;
    Some(Data {
        text,
        before: 0..before.len(),
        after: data.after.start + inside.start..text.len(),
        rows: data.rows.into_iter().map(moved).collect(),
        others: data.others.into_iter().map(moved).collect(),
        ..data
    })
}

/// Whether a text may be data by its first line.
fn may_be_data(text: &str) -> bool {
    let line = line_at(text, 0).text;
    let is_entry = || {
        let key = line.trim_start_matches("- ").split_once(':');
        key.is_some_and(|(key, value)| {
            !key.is_empty()
                && !key.trim_matches('"').contains(' ')
                && (value.is_empty() || value.starts_with(' '))
        })
    };
    let is_value = super::is_value(line.as_bytes());
    is_value || line.starts_with("<?") || line == "---" || is_entry() || may_begin_table(text)
}

/// Whether a line above data tells of an output, and names nothing. Below a line that says what is left out, the first
/// row may be any.
fn is_output(line: &str) -> bool {
    line.starts_with(FENCE)
        || wrapper::tag_of_file(line).is_some()
        || wrapper::below(line) == Some(Sign::Sure) && !wrapper::is_left_out(line)
}

/// The range of a text without the lines of another program at both ends.
fn inside(text: &str, is_above: impl Fn(&str) -> bool) -> Option<Range<usize>> {
    let start = start(text, is_above);
    let end = end(text, start);
    let (before, after) = (&text[..start], &text[end..]);
    let fences = |text: &str| text.lines().filter(|line| line.starts_with(FENCE)).count();
    let mut around = before.lines().chain(after.lines());
    let are_tags = around.any(|line| wrapper::tag_of_file(line).is_some());
    let is_whole = fences(before) % 2 == fences(after) % 2
        && (!are_tags || wrapper::are_around(before, after, wrapper::tag_of_file));
    (end > start && end - start < text.len() && is_whole).then_some(start..end)
}

/// Where the lines at the beginning end.
fn start(text: &str, is_above: impl Fn(&str) -> bool) -> usize {
    let mut at = 0;
    for _ in 0..MOST_WRAPPERS {
        let line = line_at(text, at);
        let is_taken = is_above(line.text) || line.is_blank() && at > 0;
        if !is_taken || line.next > MOST_BYTES {
            break;
        }
        at = line.next;
    }
    // `Output:` would be a key of YAML.
    let line = line_at(text, at);
    let below = line_at(text, line.next).text;
    let is_title = line.text.trim_end().ends_with(':') && !below.starts_with([' ', '-', '\t']);
    if at > 0 && is_title { line.next } else { at }
}

/// Where the lines at the end begin.
fn end(text: &str, start: usize) -> usize {
    let mut end = text.len();
    for _ in 0..MOST_WRAPPERS {
        let above = text[start..end].trim_end();
        let line = &above[above.rfind('\n').map_or(0, |at| at + 1)..];
        if line.len() == above.len() || wrapper::below(line).is_none() {
            break;
        }
        end = start + above.len() - line.len();
    }
    end
}
