//! Texts that hold data: CSV, a table of Markdown, JSON after a sentence. And lines of one form (`lines`).
//!
//! Owns the replacement of the data by a table. `tamis-formats` recognises the data, and proves it. The text around the
//! table stays unchanged, and the table can be restored to the JSON that the text is read as.

mod lines;

use crate::tokens::tokens;
use std::borrow::Cow;
use tamis_formats::Data;
use tamis_rows::Options;
use tamis_sdk::{Document, MAX_DEPTH, Verdict, rewritten_json, rewritten_text};

/// A text whose layout a reader may know is changed only if that saves this percentage of its tokens.
const WORTH_PERCENT: u64 = 5;

/// The same for lines of one form, which are no data: readers know their usual form.
const LINES_WORTH_PERCENT: u64 = 20;

/// A text with its data as a table, or as compact JSON, or with lines of one form as values. None if the text has
/// neither, or the encoding saves little.
pub(crate) fn encode(text: &str, options: Options) -> Option<Verdict> {
    match tamis_formats::read(text) {
        Some(data) => of_data(text, data, options),
        None if tamis_formats::holds_own_tables(text) => None,
        None => {
            let form = lines::encode(text).filter(|form| form.len() < text.len())?;
            is_worth(&form, text, LINES_WORTH_PERCENT).then(|| rewritten_text(form))
        }
    }
}

/// Whether a form of a text saves this percentage of its tokens.
fn is_worth(form: &str, text: &str, percent: u64) -> bool {
    tokens(form) * 100 <= tokens(text) * (100 - percent)
}

fn of_data(text: &str, data: Data<'_>, options: Options) -> Option<Verdict> {
    let (before, after) = (data.text_before(), data.text_after());
    let json = match tamis_formats::without_spelled_characters(&data.json) {
        Cow::Owned(written) => Document::nested(written, MAX_DEPTH)?,
        Cow::Borrowed(_) if data.tape.is_empty() => Document::nested(data.json, MAX_DEPTH)?,
        Cow::Borrowed(_) => Document::indexed(data.json, data.tape),
    };
    let form = |options: Options| {
        let encoded = tamis_rows::encode(json.text(), json.tape(), options);
        let (written, tables) = match &encoded {
            Some(encoded) => (&*encoded.text, encoded.tables.count),
            None => (json.text(), 0),
        };
        ([before, written, after].concat(), tables)
    };
    let compact = Options {
        min_rows: usize::MAX,
        ..options
    };
    let shorter = [form(compact), form(options)]
        .into_iter()
        .filter(|(form, _)| form.len() < text.len());
    let counted = shorter.map(|(form, tables)| (tokens(&form), form, tables));
    let (_, form, tables) = counted.min_by_key(|(tokens, ..)| *tokens)?;
    if !is_worth(&form, text, WORTH_PERCENT) {
        return None;
    }
    let is_json = tables == 0 && before.trim().is_empty() && after.trim().is_empty();
    Some(if is_json {
        rewritten_json(form)
    } else {
        rewritten_text(form)
    })
}

#[cfg(test)]
mod tests;
