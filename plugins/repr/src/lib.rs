//! `repr`: converts lists, tuples and dicts as Python's `repr` prints them to JSON.
//!
//! `[{'id': 1, 'name': "it's", 'note': None}]` becomes `[{"id":1,"name":"it's","note":null}]`, as a whole document or
//! inside a string of a JSON document (`{"result":"[{'id': 1}]"}`). A text stays unchanged if JSON cannot express one
//! of its values. Examples are a set, bytes that are no text, `nan`, an object's `<…>`, a key that is no string, or a duplicate key.
//! `tamis-formats` parses the text. This module has the settings, and finds the texts.

use serde::Deserialize;
use tamis_formats::literal::{self, Options};
use tamis_sdk::{
    Call, Description, Document, Edits, Fidelity, Filter, Kind, MAX_DEPTH, NodeKind, Verdict,
};

/// The settings: which values and texts the filter converts.
#[derive(Deserialize, Clone)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Converts tuples to arrays. If false, a text with a tuple stays unchanged.
    tuples: bool,
    /// Also converts strings inside a document, and strings inside those, which may be JSON too.
    in_strings: bool,
    /// Minimum length of a converted string inside a document, in bytes without its escapes.
    min_bytes: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            tuples: true,
            in_strings: true,
            min_bytes: 16,
        }
    }
}

struct Repr {
    settings: Settings,
}

impl Repr {
    /// The JSON of a text that is one list, tuple or dict, nested at most `room` deep.
    fn json_of(&self, text: &str, room: usize) -> Option<String> {
        let options = Options {
            tuples: self.settings.tuples,
            in_strings: self.settings.in_strings,
            min_bytes: self.settings.min_bytes as usize,
        };
        literal::json_of(text, room, options)
    }
}

impl Filter for Repr {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "repr",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Equivalent)
        .idempotent()
        .prepares()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        Ok(Repr { settings })
    }

    fn triggers(&self) -> Vec<String> {
        // Spellings of Python that JSON does not have. The last is for a quote that a JSON string escapes.
        let mut triggers = vec!["'", "None", "True", "False", "("];
        if self.settings.in_strings {
            triggers.push("\\u");
        }
        triggers.into_iter().map(str::to_owned).collect()
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        if document.kind() == Kind::Text {
            let json = self.json_of(document.text(), MAX_DEPTH);
            return Ok(json.map_or(Verdict::Unchanged, tamis_sdk::rewritten_json));
        }
        let mut edits = Edits::new();
        if self.settings.in_strings {
            let text = document.text().as_bytes();
            for place in document.values() {
                let string = place.value;
                // Escapes only make a string longer than its text.
                if string.kind() != NodeKind::String
                    || string.len_bytes() - 2 < self.settings.min_bytes
                    || !literal::may_begin(text, string.start() as usize + 1)
                {
                    continue;
                }
                if let Some(said) = document.string(string)
                    && said.len() >= self.settings.min_bytes as usize
                    && let Some(json) = self.json_of(&said, MAX_DEPTH.saturating_sub(place.depth))
                {
                    edits.replace(string, &json);
                }
            }
        }
        Ok(edits.into())
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Repr);

#[cfg(test)]
mod tests;
