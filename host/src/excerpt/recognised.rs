//! Texts that contain data (CSV, YAML, JSON after a sentence, …), read as that data for questions about data.
//!
//! Owns which questions are about data. Refuses to know the notations: this module and the filters use the same
//! recogniser.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::items;
use super::question::Question;
use super::selection::main_array;
use super::view::DocumentView;
use crate::document::Tape;
use tamis_formats::{Data, Format, PageTable};

/// A longer text is read as a text.
const LONGEST_BYTES: usize = 16 << 20;
/// If a text's lines are longer than this on average, a search does not show lines.
const LONG_LINE_BYTES: usize = 1_000;

/// The document that answers a question about a text; none if that is the text itself.
pub(super) fn of(view: &DocumentView<'_>, question: &Question) -> Option<DocumentView<'static>> {
    match question {
        Question::Path(_) | Question::Sql { .. } => view_or_page(view),
        Question::Rows { path, .. }
        | Question::Lines { path, .. }
        | Question::Search { path, .. }
            if path.is_some() =>
        {
            view_or_page(view)
        }
        Question::Whole | Question::Lines { .. } => None,
        // Items and lines come back unchanged, but for what a terminal does not show.
        Question::Rows { .. } => {
            let is_drawn = matches!(tamis_formats::as_shown(view.text()), Cow::Owned(_));
            let is_data = is_drawn || items_of(view).is_none();
            is_data.then(|| view_of(view)).flatten()
        }
        Question::Search { pattern, .. } => {
            let text = view.text();
            let has_long_lines = text.len() > LONG_LINE_BYTES * (text.lines().count() + 1);
            // Otherwise finds in the text around the data would be missing.
            let is_in_data =
                |data: &Data<'_>| data.texts_outside().all(|outside| !pattern.is_in(outside));
            (has_long_lines && items_of(view).is_none())
                .then(|| view_if(view, is_in_data))
                .flatten()
        }
    }
}

/// The items of a text that is a list in another notation, unless it holds data with another number of rows: a path and
/// a range of rows count the same. `[…, ... 880 more items]` has no item `... 880 more items`.
pub(super) fn items_of(view: &DocumentView<'_>) -> Option<Vec<Range<usize>>> {
    let found = items::of(view.text())?;
    let is_same = |data: DocumentView<'_>| {
        let rows = main_array(data.tape()?, data.root()?)?;
        Some(data.count(rows) == found.len() as u64)
    };
    let is_whole = view_of(view).and_then(is_same).unwrap_or(true);
    is_whole.then_some(found)
}

/// The data of a text as a document, where the text is one.
pub(super) fn view_of(view: &DocumentView<'_>) -> Option<DocumentView<'static>> {
    view_if(view, |_| true)
}

/// The data of a text, or the tables of a page.
pub(super) fn view_or_page(view: &DocumentView<'_>) -> Option<DocumentView<'static>> {
    view_of(view).or_else(|| page_of(view))
}

/// The tables of Markdown in a text that is otherwise prose, or of HTML in a page, as one document.
fn page_of(view: &DocumentView<'_>) -> Option<DocumentView<'static>> {
    if view.tape().is_some() || view.text().len() > LONGEST_BYTES {
        return None;
    }
    let text = tamis_formats::as_shown(view.text());
    let mut tables = tamis_formats::tables_of_page(&text);
    let format = tables.first()?.format;
    // A query has room for so many: the largest.
    tables.sort_by_key(|table| std::cmp::Reverse(table.rows));
    // A name is a word: it needs no escapes.
    let member = |table: &PageTable| format!("\"{}\":{}", table.name, table.json);
    let members: Vec<String> = tables.iter().map(member).collect();
    let json = format!("{{{}}}", members.join(","));
    let mut others: Vec<usize> = tables
        .iter()
        .flat_map(|it| it.others.iter().copied())
        .collect();
    others.sort_unstable();
    let part = view.part.in_form(format).lacking(no_rows(&others));
    let mut page = DocumentView::of_text(Cow::Owned(json), part);
    page.within.clone_from(&view.within);
    page.is_of_texts = is_of_texts(format);
    Some(page)
}

fn view_if(
    view: &DocumentView<'_>,
    accepts: impl Fn(&Data<'_>) -> bool,
) -> Option<DocumentView<'static>> {
    if view.tape().is_some() {
        return None;
    }
    let Read {
        json,
        tape,
        format,
        others,
    } = read(view.text(), accepts)?;
    let lacks = match format == Format::Yaml && has_aliases(view.text()) {
        true => ALIASES.to_owned(),
        false => no_rows(&others),
    };
    let part = view.part.in_form(format).lacking(lacks);
    let mut data = match tape.is_empty() {
        true => DocumentView::of_text(Cow::Owned(json), part),
        false => DocumentView::of_table(json, Tape::from_words(tape), part),
    };
    data.within.clone_from(&view.within);
    data.is_of_texts = is_of_texts(format);
    Some(data)
}

/// What is not read of YAML.
const ALIASES: &str = "aliases (`*name`) are texts here, and `<<` adds no members";

/// Whether a text of YAML has aliases of its values.
pub(super) fn has_aliases(text: &str) -> bool {
    let name_of = |after| str::split(after, char::is_whitespace).next();
    let anchors: HashSet<&str> = text.split(" &").skip(1).filter_map(name_of).collect();
    let has_one = |line: &str| {
        let alias = line.split_once(": *").or_else(|| line.split_once("- *"));
        alias.is_some_and(|(_, name)| anchors.contains(name.trim_end()))
    };
    !anchors.is_empty() && text.lines().any(has_one)
}

/// The data of a text as JSON, and its notation.
pub(super) fn data(text: &str) -> Option<(String, Format)> {
    let read = read(text, |_| true)?;
    Some((read.json, read.format))
}

/// Whether the numbers of a notation are texts that are spelled like numbers.
pub(super) fn is_of_texts(format: Format) -> bool {
    !matches!(
        format,
        Format::Json
            | Format::CutJson
            | Format::Documents
            | Format::JsonLines
            | Format::Repr
            | Format::ReprLines
    )
}

/// The data of a text.
struct Read {
    json: String,
    /// Empty if it was not made with the JSON.
    tape: Vec<u32>,
    format: Format,
    /// Lines between the rows of a table that are none, from 1.
    others: Vec<usize>,
}

fn read(text: &str, accepts: impl Fn(&Data<'_>) -> bool) -> Option<Read> {
    if text.len() > LONGEST_BYTES {
        return None;
    }
    let text = tamis_formats::as_shown(text);
    let data = tamis_formats::read_loosely(&text).filter(accepts)?;
    let others = match data.format.is_table() {
        true => line_numbers(&text, &data.others),
        false => Vec::new(),
    };
    Some(Read {
        json: data.json,
        tape: data.tape,
        format: data.format,
        others,
    })
}

/// The numbers of the lines with which these ranges begin.
fn line_numbers(text: &str, ranges: &[Range<usize>]) -> Vec<usize> {
    let mut starts: Vec<usize> = ranges.iter().map(|range| range.start).collect();
    starts.sort_unstable();
    let (mut at, mut number) = (0, 1);
    let number_of = |start: usize| {
        number += text[at..start].matches('\n').count();
        at = start;
        number
    };
    starts.into_iter().map(number_of).collect()
}

/// What the header of an answer says of lines that no row has.
fn no_rows(lines: &[usize]) -> String {
    const NAMED: usize = 5;
    let named: Vec<String> = lines.iter().take(NAMED).map(usize::to_string).collect();
    match (&named[..], lines.len() - named.len()) {
        ([], _) => String::new(),
        ([line], _) => format!("line {line} is no row"),
        ([named @ .., last], 0) => {
            format!("lines {} and {last} are no rows", named.join(", "))
        }
        (named, more) => format!("lines {} and {more} more are no rows", named.join(", ")),
    }
}
