//! Texts that hold data: CSV, a table of Markdown, JSON after a sentence.
//!
//! Owns how the table takes the data's place. `tamis-formats` says what the data is, and proves it. The way back:
//! what stands around the table is as it was, and the table is restored to the JSON that the text is read as.

use tamis_rows::Options;
use tamis_sdk::{Document, MAX_DEPTH, Verdict, rewritten_json, rewritten_text};

/// A text with its data as a table. None if it holds no data, or if the table costs as many tokens.
pub(crate) fn encode(text: &str, options: Options) -> Option<Verdict> {
    let data = tamis_formats::read(text)?;
    let (before, after) = (data.text_before(), data.text_after());
    let json = Document::nested(data.json, MAX_DEPTH)?;
    let encoded = tamis_rows::encode(json.text(), json.tape(), options);
    let (written, tables) = match &encoded {
        Some(encoded) => (&*encoded.text, encoded.tables),
        None => (json.text(), 0),
    };
    let whole = [before, written, after].concat();
    if !tamis_rows::pays(&whole, text) {
        return None;
    }
    let is_json = tables == 0 && before.trim().is_empty() && after.trim().is_empty();
    Some(if is_json {
        rewritten_json(whole)
    } else {
        rewritten_text(whole)
    })
}

#[cfg(test)]
mod tests;
