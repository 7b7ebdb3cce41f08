//! `yaml`: YAML that holds a table becomes JSON, for the steps after it to take.
//!
//! JSON is no shorter than YAML by itself: this filter is for a chain that goes on with tables, so it
//! takes only what holds one (a list of maps with like keys, or a map of them), and may grow.
//!
//! `tamis-formats` reads the YAML, and proves that nothing is lost that it says. This is what an operator may
//! set, and where the text stands.

use serde::Deserialize;
use tamis_formats::yaml::{self, Wanted};
use tamis_sdk::{
    Call, Description, Document, Edits, Fidelity, Filter, Kind, MAX_DEPTH, NodeKind, Verdict,
};

/// Which texts are taken for YAML.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Smallest number of lines that a text needs to be taken for YAML, blank ones included.
    min_lines: u32,
    /// Smallest number of maps, in one list, that make a table (in one map: at least 4). 0: YAML
    /// without a table becomes JSON too.
    min_rows: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            min_lines: 6,
            min_rows: 3,
        }
    }
}

struct Yaml {
    settings: Settings,
}

impl Yaml {
    /// The JSON for a text that is YAML by all tests.
    fn json_of(&self, text: &str, room: usize) -> Option<String> {
        let wanted = Wanted {
            min_lines: self.settings.min_lines as usize,
            min_rows: self.settings.min_rows as usize,
        };
        yaml::json_of(text, room, wanted)
    }
}

impl Filter for Yaml {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "yaml",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Equivalent)
        .idempotent()
        .prepares()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        if settings.min_rows == 1 {
            return Err("`min-rows` is 1: a table has at least 2 rows; 0 asks for none".to_owned());
        }
        Ok(Yaml { settings })
    }

    fn triggers(&self) -> Vec<String> {
        // A map of two members has a key at the beginning of a line, and a colon after it.
        // The last two are for JSON strings, with the line break or the colon as an escape.
        let triggers = [": ", ":\n", ":\r", ":\\", "\\u"];
        triggers.map(str::to_owned).to_vec()
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        if document.kind() == Kind::Text {
            let json = self.json_of(document.text(), MAX_DEPTH);
            return Ok(json.map_or(Verdict::Unchanged, tamis_sdk::rewritten_json));
        }
        // A text as servers put it into JSON: one member, and that is all of the document.
        let mut edits = Edits::new();
        if let Some(root) = document.root()
            && root.children() == 1
            && let Some((_, text)) = root.members().next()
            && text.kind() == NodeKind::String
            && let Some(said) = document.string(text)
            && let Some(json) = self.json_of(&said, MAX_DEPTH - 1)
        {
            edits.replace(text, &json);
        }
        Ok(edits.into())
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Yaml);

#[cfg(test)]
mod tests;
