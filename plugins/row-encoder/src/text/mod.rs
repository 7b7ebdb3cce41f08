//! Texts that hold data: CSV, a table of Markdown, JSON after a sentence.
//!
//! Owns how the table takes the data's place. `tamis-formats` says what the data is, and proves it. The way back:
//! what stands around the table is as it was, and the table is restored to the JSON that the text is read as.

use crate::tokens::tokens;
use tamis_rows::Options;
use tamis_sdk::{Document, MAX_DEPTH, Verdict, rewritten_json, rewritten_text};

/// A text whose layout a reader may know is changed only if that saves so many percent of its tokens.
const WORTH_PERCENT: u64 = 5;

/// A text with its data as a table, or as compact JSON. None if it holds no data, or if that saves little.
pub(crate) fn encode(text: &str, options: Options) -> Option<Verdict> {
    let data = tamis_formats::read(text)?;
    let (before, after) = (data.text_before(), data.text_after());
    let json = Document::nested(data.json, MAX_DEPTH)?;
    let form = |options: Options| {
        let encoded = tamis_rows::encode(json.text(), json.tape(), options);
        let (written, tables) = match &encoded {
            Some(encoded) => (&*encoded.text, encoded.tables),
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
    let (fewest, form, tables) = counted.min_by_key(|(tokens, ..)| *tokens)?;
    if fewest * 100 > tokens(text) * (100 - WORTH_PERCENT) {
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
