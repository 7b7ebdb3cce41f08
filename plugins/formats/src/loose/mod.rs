//! Texts that hold data with flaws: JSON that is cut, a table with lines that are no rows, several tables in one text,
//! comments, values that JSON lacks.
//!
//! Owns the choice of the reader. Nobody can restore such a text from its data, so only the summary and the read tool
//! read it like this. What is left out is a line of [`Loose::others`], or the text is refused. Only the first lines
//! are examined, as in [`crate::around`].

mod comments;
mod cut;
mod documents;
mod fields;
mod frames;
mod gap;
mod left_out;
mod parts;
mod ragged;
mod records;
mod wrapped;

use crate::around::{MOST_BYTES, MOST_LINES, Refused};
use crate::json::is_cut;
use crate::lines::line_at;
use crate::{Data, Format, Found, boxes, columns, literal, own};
use std::ops::Range;

/// Rows for each line that is no row, at least.
pub(crate) const ROWS_FOR_OTHER: usize = 8;

/// Longest words before a value on its line, in bytes.
const LONGEST_INTRODUCTION: usize = 200;

/// The result of reading one notation.
struct Loose {
    found: Found,
    /// Lines between the rows that are no rows.
    others: Vec<Range<usize>>,
    last: Option<String>,
    next: Option<String>,
}

impl Loose {
    /// Data that is not cut.
    fn of(found: Found, others: Vec<Range<usize>>) -> Loose {
        Loose {
            found,
            others,
            last: None,
            next: None,
        }
    }
}

/// Reads the data of a text that [`crate::around::read`] refuses, as it does at the places in `refused`.
pub(crate) fn read<'t>(text: &'t str, refused: &Refused) -> Option<Data<'t>> {
    if own::is_at_the_beginning(text) {
        return None;
    }
    let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
    // Nothing else has such a beginning.
    let cut = refused.cut_at(at);
    if !cut.is_empty() || is_cut(text.as_bytes(), at) {
        return data(text, cut::read(text, at, cut)?);
    }
    if let Some(loose) = comments::read_yaml(&text[at..]).filter(|_| at == 0) {
        return data(text, loose);
    }
    if let Some(loose) = documents::read(text, at).or_else(|| parts::read(text, at, refused)) {
        return data(text, loose);
    }
    let mut has_tag = false;
    for _ in 0..MOST_LINES {
        if at >= text.len() || at > MOST_BYTES {
            return None;
        }
        // Only the outer element is read.
        let is_tag = matches!(
            &text.as_bytes()[at..],
            [b'<', b'a'..=b'z' | b'A'..=b'Z', ..]
        );
        let is_inner = is_tag && has_tag;
        has_tag |= is_tag;
        let loose = match is_inner {
            true => None,
            false => candidate(text, at, refused),
        };
        let loose = loose
            .or_else(|| records::read(text, at))
            .or_else(|| frames::read(text, at));
        if let Some(loose) = loose {
            return data(text, loose);
        }
        // What begins inside of another value, or of a frame, is no data.
        if is_value(&text.as_bytes()[at..]) || boxes::begins_frame(text, at) {
            return None;
        }
        at += memchr::memchr(b'\n', &text.as_bytes()[at..])? + 1;
    }
    None
}

pub(crate) use left_out::{is_in_last_row as is_left_out_in_last_row, read as read_left_out};
pub(crate) use wrapped::read as read_wrapped;

/// Whether a line after data begins like a list or an object, or may be one more row, below a blank line.
pub(crate) fn may_go_on(data: &Data<'_>) -> bool {
    let is_separated = matches!(data.format, Format::Csv | Format::Tsv);
    let after = data.text_after();
    // `[1100 rows x 5 columns]` of pandas is no list.
    let is_count = |line: &str| line.ends_with(" columns]");
    is_separated && memchr::memchr3(b',', b';', b'\t', after.as_bytes()).is_some()
        || after
            .lines()
            .any(|line| is_value(line.as_bytes()) && !is_count(line))
}

/// The pieces of a text that [`crate::around::read`] takes for one table of columns, if another header is below it.
pub(crate) fn pieces<'t>(data: &Data<'t>) -> Option<Data<'t>> {
    let after = data.text_after();
    let own = line_at(data.source(), 0).text;
    let is_header =
        |line: &str| line == own || columns::is_in_capitals(line) && columns::may_be_header(line);
    if data.format != Format::Columns || !after.lines().any(is_header) {
        return None;
    }
    let start = data.text.len() - data.text.trim_start_matches('\u{feff}').len();
    self::data(
        data.text,
        parts::read(data.text, start, &Refused::default())?,
    )
}

/// Whether a text begins like a list or an object of JSON, unlike `[INFO]`.
fn is_value(text: &[u8]) -> bool {
    match text {
        [b'{', ..] | [b'['] => true,
        [b'[', next, ..] => matches!(
            next,
            b'"' | b'[' | b'{' | b'-' | b'0'..=b'9' | b' ' | b'\r' | b'\n'
        ),
        _ => false,
    }
}

/// The data that begins at the line at `at`.
fn candidate(text: &str, at: usize, refused: &Refused) -> Option<Loose> {
    let of_whole = |found: Found| Loose::of(found, Vec::new());
    let repr = |at| literal::read_with_opaque(text, at).map(of_whole);
    let cut = |at| cut::read(text, at, refused.cut_at(at));
    match text.as_bytes()[at] {
        b'{' => ragged::read_json_lines(text, at)
            .or_else(|| repr(at))
            .or_else(|| cut(at)),
        b'[' => repr(at).or_else(|| cut(at)),
        b'(' => repr(at),
        b'<' if !text[at..].starts_with("<html") => comments::read_xml(text, at),
        b'|' => ragged::read_markdown(text, at),
        b'#' => fields::read(text, at),
        b'<' | b'\n' | b'\r' | b'`' => None,
        b'a'..=b'z' | b'A'..=b'Z' if at == 0 => {
            let list = || boxes::read_list(text, at).map(of_whole);
            let rows = repr(at).or_else(|| ragged::read(text, at)).or_else(list);
            rows.or_else(|| {
                let start = value_start(text, at)?;
                repr(start).or_else(|| cut(start))
            })
        }
        0xe2 | b'+' => {
            let frame = boxes::read_frame_with_gap(text, at);
            let frame = frame.map(|(found, gap)| Loose::of(found, Vec::from_iter(gap)));
            frame.or_else(|| ragged::read(text, at))
        }
        _ => {
            let list = || boxes::read_list(text, at).map(of_whole);
            ragged::read(text, at).or_else(list)
        }
    }
}

/// The start of a list or an object after a colon: `Result: [{"id":1},`.
fn value_start(text: &str, at: usize) -> Option<usize> {
    let window = &text.as_bytes()[at..text.len().min(at + LONGEST_INTRODUCTION)];
    let line = window.split(|byte| *byte == b'\n').next()?;
    let is_value = |part: &[u8]| matches!(part, b": [" | b": {");
    Some(at + line.windows(3).position(is_value)? + 2)
}

/// The data with the text around it, if that text is short.
fn data(text: &str, loose: Loose) -> Option<Data<'_>> {
    let Loose {
        found,
        others,
        last,
        next,
    } = loose;
    let after = text[found.range.end..].trim();
    // The rest of a value that is cut may be long.
    let is_short = after.len() <= MOST_BYTES && after.lines().count() <= MOST_LINES;
    if !is_short && last.is_none() {
        return None;
    }
    Some(Data {
        text,
        format: found.format,
        json: found.json,
        tape: found.tape,
        before: 0..found.range.start,
        after: found.range.end..text.len(),
        rows: found.rows,
        others,
        renamed: found.renamed,
        last,
        next,
    })
}
