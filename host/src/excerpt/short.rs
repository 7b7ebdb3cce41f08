//! JSON in the shortest form that loses nothing: lists of similar objects as tables, the rest without
//! whitespace.

use std::borrow::Cow;

use super::view::{DocumentView, Part};
use crate::document::Tape;
use tamis_rows::{Level, Options};

/// A longer document is shown as the server sent it: every page of the short form encodes all of it.
const LONGEST_BYTES: usize = 4 << 20;

/// Lists of fewer objects stay JSON.
const MIN_ROWS: usize = 2;

/// The document in its shortest form; none if it already has that form.
pub(super) fn of(view: &DocumentView<'_>) -> Option<DocumentView<'static>> {
    if view.text().len() > LONGEST_BYTES || view.tape().is_none() {
        return None;
    }
    let written = view.in_characters().map(|mut written| {
        written.part = view.part.in_form("JSON without escapes");
        written
    });
    encoded(written.as_ref().unwrap_or(view), &view.part).or(written)
}

/// A document with tables, or without whitespace; none if it is already shortest.
fn encoded(view: &DocumentView<'_>, part: &Part) -> Option<DocumentView<'static>> {
    let text = view.text();
    // The tape that filters get: a text that nests deeper stays unchanged.
    let tape = Tape::build(text).ok()?;
    let options = Options {
        level: Level::Table,
        min_rows: MIN_ROWS,
    };
    let encoded = tamis_rows::encode(text, tape.words(), options)?;
    let form = match encoded.tables.count {
        0 => "compact JSON",
        1 => "a table",
        _ => "tables",
    };
    let part = part.in_form(form);
    Some(DocumentView::of_text(Cow::Owned(encoded.text), part))
}
