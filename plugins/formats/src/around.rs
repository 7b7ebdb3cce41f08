//! The text around data: a sentence or a heading before it, a count after it, a fence.
//!
//! Owns the positions where data may begin, and the notations to try there. Only the first lines are examined, and the
//! text around data is short, so a text of another kind is refused at once. Refuses texts with more than one piece of
//! data.

use crate::json::{MAX_DEPTH, Open, is_cut_inside};
use crate::lines::{Line, line_at};
use crate::{
    Data, Format, Found, boxes, columns, csv, json_text, literal, markdown, own, stanzas, wrapper,
    xml, yaml,
};
use std::cell::LazyCell;
use std::ops::Range;

/// Most lines, and most bytes, of the text before the data and after it.
pub(crate) const MOST_LINES: usize = 9;
pub(crate) const MOST_BYTES: usize = 2_000;

/// Longest header, so that a text of one line is not searched for its end.
pub(crate) const LONGEST_HEADER: usize = 4_096;

/// Words before a value on the same line, if it is a long one.
const LONGEST_WORDS: usize = 256;

/// The text around the data may have at most this many bytes for each byte of data.
const MOST_AROUND: usize = 3;

/// The shortest text with data.
const FEWEST_BYTES: usize = 16;

pub(crate) const FENCE: &str = "```";

/// Where [`candidate`] found no data in a text, whatever the line before announces: nobody need look there again.
#[derive(Default)]
pub(crate) struct Refused {
    places: Vec<usize>,
    /// Where JSON begins that the end of the text cuts, and the lists and objects that are open there, the inner ones first.
    cut: Option<(usize, Vec<Open>)>,
}

impl Refused {
    pub(crate) fn has(&self, at: usize) -> bool {
        self.places.contains(&at)
    }

    /// The lists and objects that are open at the end of the text, of JSON at `at` that is cut there; empty if it is not known
    /// to be.
    pub(crate) fn cut_at(&self, at: usize) -> &[Open] {
        let cut = self.cut.as_ref().filter(|(start, _)| *start == at);
        cut.map_or(&[], |(_, open)| open)
    }
}

/// Reads the data in a text, and notes in `refused` where none is.
pub(crate) fn read<'t>(text: &'t str, refused: &mut Refused) -> Option<Data<'t>> {
    if text.len() < FEWEST_BYTES {
        return None;
    }
    let mut before = PrecedingLine::Nothing;
    // A mark of the encoding stands before the data.
    let mut at = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    // Where the fence is closed that the lines here are in.
    let mut fence: Option<usize> = None;
    for _ in 0..MOST_LINES {
        if at >= text.len() || at > MOST_BYTES {
            return None;
        }
        let window = &text.as_bytes()[at..text.len().min(at + LONGEST_HEADER)];
        let has_end = window.len() < LONGEST_HEADER || window.contains(&b'\n');
        let line = has_end.then(|| line_at(text, at));
        if line.is_some_and(|line| own::is_above_rows(line.text)) {
            return None;
        }
        let is_unclosed = before == PrecedingLine::Fence && fence.is_none();
        let inside = &text[..fence.unwrap_or(text.len())];
        let mut cut = Vec::new();
        if !is_unclosed && let Some(found) = candidate(inside, at, line, before, &mut cut) {
            return data(text, found, fence.is_some());
        }
        if fence.is_none() && !cut.is_empty() {
            refused.cut = Some((at, cut));
        }
        if fence.is_none() && !is_unclosed && !before.is_other() {
            refused.places.push(at);
        }
        let line = line?;
        // Below such a line, nothing is data: see `data`.
        if is_markup(line.text) {
            return None;
        }
        before = PrecedingLine::of(&line, before);
        at = line.next;
        if before == PrecedingLine::Fence {
            fence = match fence {
                Some(end) if line.start > end => None,
                _ => fence_end(text, at),
            };
        }
    }
    None
}

/// Whether a line begins with a tag of a page, a comment, or a document type, and is no tag by itself.
fn is_markup(line: &str) -> bool {
    line.starts_with('<') && !line.starts_with("<?") && wrapper::tag(line).is_none()
}

/// The line before the data.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum PrecedingLine {
    Nothing,
    /// The line announces the data after it.
    Announces,
    Fence,
    /// The line has words, and may not be the upper part of a header.
    Words,
    Other,
}

impl PrecedingLine {
    pub(crate) fn of(line: &Line<'_>, before: PrecedingLine) -> PrecedingLine {
        let text = line.text.trim_end();
        if text.starts_with(FENCE) {
            PrecedingLine::Fence
        } else if text.is_empty() && before == PrecedingLine::Nothing {
            PrecedingLine::Nothing
        } else if text.is_empty()
            || text.ends_with(':')
            || text == "#"
            || columns::is_line(text)
            || wrapper::is_above(text)
        {
            PrecedingLine::Announces
        } else if wrapper::are_words(text) {
            PrecedingLine::Words
        } else {
            PrecedingLine::Other
        }
    }

    /// Whether only data that is surely no more words may follow.
    pub(crate) fn is_other(self) -> bool {
        matches!(self, PrecedingLine::Words | PrecedingLine::Other)
    }
}

/// The data that begins at this line. None for `line`: it is too long for a header. `cut` gets the lists and objects that are
/// open at the end of the text, if that cuts JSON which begins here.
pub(crate) fn candidate(
    text: &str,
    at: usize,
    line: Option<Line<'_>>,
    before: PrecedingLine,
    cut: &mut Vec<Open>,
) -> Option<Found> {
    // Lists and objects may be long, and begin anywhere.
    match text.as_bytes().get(at)? {
        b'[' | b'{' => {
            let json = json_text::read_or_open(text, at, cut);
            let is_cut = cut
                .first()
                .is_some_and(|inner| is_cut_inside(text.as_bytes(), inner.next, cut.len()));
            if is_cut && cut.len() < MAX_DEPTH {
                return None;
            }
            cut.clear();
            let repr = || literal::read(text, at);
            return json
                .or_else(repr)
                .or_else(|| json_text::read_with_nan(text, at));
        }
        b'(' => return literal::read(text, at),
        b'<' => return xml::read(text, at).or_else(|| behind_tag(text, at)),
        b'\n' | b'\r' | b'`' => return None,
        _ => {}
    }
    let Some(line) = line else {
        let words = &text[at..text.ceil_char_boundary(at + LONGEST_WORDS)];
        return inside(text, at, words);
    };
    if line.next >= text.len() {
        return inside(text, at, line.text);
    }
    let near = text.ceil_char_boundary(line.next + LONGEST_HEADER);
    let second = text[line.next..near].split_once('\n');
    let second = second.map_or("", |(second, _)| second.trim_end_matches('\r'));
    match text.as_bytes()[at] {
        b'|' => {
            if boxes::is_org_rule(second) || boxes::is_org_rule(line.text) {
                return boxes::read_frame(text, at);
            }
            if let Some(found) = markdown::read(text, at) {
                return Some(found);
            }
        }
        b'+' => return boxes::read_frame(text, at),
        0xe2 => {
            if let Some(found) = boxes::read_frame(text, at) {
                return Some(found);
            }
        }
        _ => {}
    }
    if boxes::is_psql_rule(second) {
        return boxes::read_psql(text, at, None);
    }
    if text.as_bytes()[at] != b'|'
        && markdown::columns_of_rule(second).is_some()
        && let Some(found) = markdown::read(text, at)
    {
        return Some(found);
    }
    if columns::is_rule(second) {
        return columns::read(text, at);
    }
    if before.is_other() {
        let is_header = before == PrecedingLine::Words
            && columns::is_in_capitals(line.text)
            && columns::may_be_header(line.text);
        let table = is_header.then(|| columns::read(text, at)).flatten();
        return table.or_else(|| inside(text, at, line.text));
    }
    let is_whole = before != PrecedingLine::Announces;
    separated(text, at, line, second)
        .or_else(|| {
            let found = stanzas::key_length(line.text).and_then(|_| stanzas::read(text, at))?;
            let documents = (at == 0).then(|| yaml::read_nested(text)).flatten();
            documents.or(Some(found))
        })
        .or_else(|| is_whole.then(|| yaml::read(text, at)).flatten())
        .or_else(|| {
            columns::may_begin(line.text)
                .then(|| columns::read(text, at))
                .flatten()
        })
        .or_else(|| inside(text, at, line.text))
}

/// The position of the closing fence around data at `at`: near the end of the text.
fn fence_end(text: &str, at: usize) -> Option<usize> {
    let near = text.len().saturating_sub(MOST_BYTES + FENCE.len()).max(at);
    let near = text.ceil_char_boundary(near);
    text[near..].find("\n```").map(|end| near + end)
}

/// CSV or TSV whose first two lines have the same number of cells.
fn separated(text: &str, at: usize, line: Line<'_>, second: &str) -> Option<Found> {
    [b'\t', b',', b';'].into_iter().find_map(|separator| {
        let sign = char::from(separator);
        let is_there = line.text.contains(sign) && second.contains(sign);
        is_there.then(|| csv::read(text, at, separator)).flatten()
    })
}

/// A value after a colon or an arrow in a line: `Result: {"id":1}`, `web01 | SUCCESS => {"ping":"pong"}`.
fn inside(text: &str, at: usize, line: &str) -> Option<Found> {
    let after = |line: &str, sign: &str| {
        let mut ends = line.match_indices(sign).map(|(at, _)| at + sign.len());
        ends.find(|end| line[*end..].starts_with(['[', '{']))
    };
    let colon = after(line, ": ");
    // A colon after an arrow is one of the value.
    let arrow = after(&line[..colon.unwrap_or(line.len())], "=> ");
    let read = |start| json_text::read(text, start).or_else(|| literal::read(text, start));
    [arrow, colon]
        .into_iter()
        .flatten()
        .find_map(|end| read(at + end))
}

/// JSON behind a tag on the same line, up to the tag that closes the element: `<output>[{"id":1}]</output>`.
fn behind_tag(text: &str, at: usize) -> Option<Found> {
    let window = &text[at..text.floor_char_boundary(at + LONGEST_WORDS)];
    let name = wrapper::opened_by(window)?;
    let start = at + name.len() + "<>".len();
    let is_value = matches!(text.as_bytes().get(start)?, b'[' | b'{');
    let near = text.ceil_char_boundary(text.len().saturating_sub(MOST_BYTES).max(start));
    let end = near + text[near..].rfind(&format!("</{name}>"))?;
    is_value
        .then(|| json_text::read(&text[..end], start))
        .flatten()
}

/// The lines directly above a table of Markdown and below it that repeat its row of dashes, with their line breaks.
fn rules_around<'t>(text: &'t str, range: &Range<usize>) -> (&'t str, &'t str) {
    let dashes = line_at(text, line_at(text, range.start).next);
    let above = text[..range.start].trim_end().len();
    let opening = match markdown::is_rule_above(text, range.start, dashes) {
        true => above - dashes.text.trim_end().len(),
        false => range.start,
    };
    let below = line_at(text, line_at(text, range.end).next);
    let closing = match below.text == dashes.text {
        true => below.end(),
        false => range.end,
    };
    (&text[opening..range.start], &text[range.end..closing])
}

/// Whether a fence in the text after data may hold more data, or is not closed. `is_fenced`: the data is in a fence.
fn has_more_fences(after: &str, is_fenced: bool) -> bool {
    let fences = after.matches(FENCE).count();
    // What a program wrote to standard error may be in a fence below.
    let has_signs = || {
        let mut others = after.lines().filter(|line| !line.starts_with(FENCE));
        others.any(|line| line.contains(['[', '{', '|', ',', ';', '\t']))
    };
    fences % 2 != usize::from(is_fenced) || fences > 1 && has_signs()
}

/// The data with the text around it, if that text is not also data.
fn data<'t>(text: &'t str, found: Found, is_fenced: bool) -> Option<Data<'t>> {
    let Found {
        format,
        json,
        tape,
        renamed,
        range,
        rows,
    } = found;
    let (above, after) = (&text[..range.start], &text[range.end..]);
    let are_tags = LazyCell::new(|| wrapper::are_around(above, after, wrapper::tag));
    let rules = (format == Format::MarkdownTable).then(|| rules_around(text, &range));
    let (opening, closing) = rules.unwrap_or_default();
    let above = above.strip_suffix(opening).unwrap_or(above);
    let after = after.strip_prefix(closing).unwrap_or(after);
    let first = line_at(text, line_at(text, range.end).next).text;
    let around = range.start + text[range.end..].trim().len();
    let is_row = |line: &str| {
        line.starts_with('{')
            || is_markup(line)
            || line.starts_with('<')
                && wrapper::tag(line).is_some()
                && format != Format::Columns
                && !*are_tags
            || line.starts_with("[{")
            || line.starts_with('|') && line.ends_with('|')
            || markdown::columns_of_rule(line).is_some()
            || line.contains('\t')
    };
    // Text directly after a table could be another row. The reader of columns has tried each line as one.
    let is_parted = first.trim().is_empty()
        || format == Format::Columns
        || markdown::columns_of_rule(first).is_some()
        || first.starts_with(['(', '`'])
        || columns::is_unbroken_rule(first)
        || columns::is_rule(first)
        || wrapper::below(first).is_some()
        || format == Format::Box
            && (text[..range.end].ends_with(['+', '┘', '┛', '╯', '╝'])
                || first.starts_with(|c: char| c.is_ascii_digit())
                || boxes::is_note(first))
        || !format.is_table();
    // Of columns, the beginning of a fence may be cut.
    let is_end_of_fence = format == Format::Columns && !is_fenced && after.trim() == FENCE;
    let is_closed = after.trim_start().starts_with(['`', '(']) || wrapper::below(first).is_some();
    if around > MOST_BYTES.min(range.len() * MOST_AROUND)
        || !is_parted
        || after.trim().lines().count() > MOST_LINES
        || after.lines().any(is_row)
        || above.lines().any(is_row)
        || is_fenced && !is_closed && !format.is_table()
        || !is_end_of_fence && has_more_fences(after, is_fenced)
    {
        return None;
    }
    Some(Data {
        text,
        format,
        json,
        tape,
        before: 0..range.start,
        after: range.end..text.len(),
        rows,
        others: Vec::new(),
        renamed,
        last: None,
        next: None,
    })
}
