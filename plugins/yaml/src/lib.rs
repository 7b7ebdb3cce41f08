//! `yaml`: converts YAML with a table to JSON, for later steps.
//!
//! JSON is not shorter than YAML by itself. This filter is for chains whose later steps write tables. So it converts
//! only YAML with a table (a list of maps with similar keys, or a map of them), and its output may be larger.
//!
//! `tamis-formats` parses the YAML, and proves that no value is lost. This module has the settings, and finds the
//! texts.

use serde::Deserialize;
use tamis_formats::yaml::{self, Wanted};
use tamis_sdk::{
    Call, Description, Document, Edits, Fidelity, Filter, Kind, MAX_DEPTH, NodeKind, Verdict,
};

/// The settings: which texts the filter converts.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Minimum number of lines of a text that is converted, including blank lines.
    min_lines: u32,
    /// Minimum number of maps in one list that make a table (in one map: at least 4). 0: also converts YAML without a
    /// table.
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
    /// The JSON of a text that passes all tests for YAML.
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
        // A map of two members has a key at the beginning of a line, and a colon after it. The last two triggers are
        // for JSON strings that escape the line break or the colon.
        let triggers = [": ", ":\n", ":\r", ":\\", "\\u"];
        triggers.map(str::to_owned).to_vec()
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        if document.kind() == Kind::Text {
            let json = self.json_of(document.text(), MAX_DEPTH);
            return Ok(json.map_or(Verdict::Unchanged, tamis_sdk::rewritten_json));
        }
        // A text as servers wrap it in JSON: the only member of the document.
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
