//! Texts that hold data (CSV, YAML, JSON after a sentence, …), summarised as data.
//!
//! Owns the choice of these texts, and the description of the text around the data. Refuses to know the notations, and
//! how data is summarised. The read tool recognises the same texts, so paths lead into them.

use crate::paper::{cut, one_line};
use crate::shapes;
use tamis_formats::Data;
use tamis_sdk::{Document, MAX_DEPTH};

/// Characters shown of the text before and after the data.
const AROUND_CHARACTERS: usize = 120;
/// A fence around data, on a line of its own.
const FENCE: &str = "```";
/// With this many rows or fewer, the lines are clearer than columns.
const FEW_ROWS: usize = 3;

/// The data of a text.
pub struct TextData<'t> {
    data: Data<'t>,
    pub document: Document,
}

/// The data of a text; none if it is plain text, or if the text around the data reports a failure.
pub fn of(text: &str) -> Option<TextData<'_>> {
    let mut data = tamis_formats::read(text)?;
    let is_small = data.format.is_table() && data.rows.len() <= FEW_ROWS;
    if is_small || shapes::is_failure(data.text_before()) || shapes::is_failure(data.text_after()) {
        return None;
    }
    let (json, tape) = (
        std::mem::take(&mut data.json),
        std::mem::take(&mut data.tape),
    );
    let document = match tape.is_empty() {
        true => Document::nested(json, MAX_DEPTH)?,
        false => Document::indexed(json, tape),
    };
    let root = document.root()?;
    (root.children() > 0).then_some(())?;
    Some(TextData { data, document })
}

impl TextData<'_> {
    /// The kind of data, for the first line: `CSV, 385 rows`.
    pub fn title(&self) -> String {
        let format = self.data.format;
        match self.data.rows.len() {
            0 => format.to_string(),
            rows => format!("{format}, {rows} rows"),
        }
    }

    /// The description of the text around the data: a line for each side that has words.
    pub fn around(&self) -> Vec<String> {
        let sides = [
            ("before", self.data.text_before()),
            ("after", self.data.text_after()),
        ];
        let told = sides.into_iter().filter_map(|(side, text)| {
            let lines = text.lines().filter(|line| !line.starts_with(FENCE));
            let text = lines.collect::<Vec<_>>().join(" ");
            let text = text.trim();
            let text = cut(text, AROUND_CHARACTERS);
            let has_words = text.chars().any(char::is_alphanumeric);
            has_words.then(|| format!("{side}: {}", one_line(&text)))
        });
        told.collect()
    }
}
