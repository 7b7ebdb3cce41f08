//! `row-encoder`: writes repeated objects as one header and rows, so that each key occurs once.
//!
//! `tamis-rows` writes and restores the tables of the levels `table`, `exact` and `dense`. `plain` writes rows in a
//! shape that the settings describe. `text` handles texts that hold data. This module has the settings and the legend.

mod legend;
pub mod plain;
mod text;
mod tokens;

use plain::Plain;
use serde::Deserialize;
use tamis_rows::Options;
use tamis_sdk::{
    Call, Capability, Description, Document, Fidelity, Filter, Kind, Verdict, rewritten_json,
    rewritten_text,
};
use tokens::{spaces_surely_cost, surely_fewer, tokens};

/// The level of the tables, and its options.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    /// Level of the tables. `table`: they explain themselves. `exact`: fewer tokens, in a notation that a legend
    /// explains. `dense`: fewer still, but a line may depend on others. Prefixes are in the header, a cell that repeats
    /// the cell above is empty, and lists of objects have rows of their own. `plain`: the rows that `shape` describes,
    /// without the members that no column names.
    level: Level,
    /// For `exact`, `dense` and `plain`: gives the model a paragraph that says how to read the tables. Those of `table`
    /// need none.
    legend: bool,
    /// For `table`, `exact` and `dense`: shorter lists stay JSON; 2 or more.
    min_rows: u32,
    /// For `table`: also writes a text that holds data as a table: CSV, TSV, tables of Markdown, columns as programs
    /// print them, JSON with text around it, and other notations. The text around the data stays unchanged; the layout
    /// of the data is lost. Lines of one form become their form and values.
    texts: bool,
    /// For `plain`: the output, and its source in the document.
    shape: Option<plain::Settings>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Level {
    Table,
    Exact,
    Dense,
    Plain,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            level: Level::Table,
            legend: true,
            min_rows: 2,
            texts: true,
            shape: None,
        }
    }
}

/// The filter.
pub struct RowEncoder {
    legend: bool,
    /// Whether texts that hold data are encoded.
    texts: bool,
    encoding: Encoding,
}

enum Encoding {
    Tables(Options),
    Plain(Box<Plain>),
}

impl Filter for RowEncoder {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "row-encoder",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .wants(&[Capability::Tokens])
        .fidelity(Fidelity::Partial)
        .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        if settings.min_rows < 2 {
            return Err(format!(
                "`min-rows` is {}: a table has at least 2 rows",
                settings.min_rows
            ));
        }
        let tables = |level| {
            Encoding::Tables(Options {
                level,
                min_rows: settings.min_rows as usize,
            })
        };
        let encoding = match (settings.level, settings.shape) {
            (Level::Table, None) => tables(tamis_rows::Level::Table),
            (Level::Exact, None) => tables(tamis_rows::Level::Exact),
            (Level::Dense, None) => tables(tamis_rows::Level::Dense),
            (Level::Plain, Some(shape)) => Encoding::Plain(Box::new(Plain::configure(shape)?)),
            (Level::Plain, None) => {
                return Err("`level` is \"plain\", which writes what `shape` describes, and that is missing".to_owned());
            }
            (Level::Table | Level::Exact | Level::Dense, Some(_)) => {
                return Err("`shape` is for `level` = \"plain\"; the other levels find tables by themselves".to_owned());
            }
        };
        Ok(RowEncoder {
            legend: settings.legend,
            texts: settings.texts && settings.level == Level::Table,
            encoding,
        })
    }

    fn fidelity(&self) -> Fidelity {
        match self.encoding {
            Encoding::Tables(_) if self.texts => Fidelity::Equivalent,
            Encoding::Tables(_) => Fidelity::Exact,
            Encoding::Plain(_) => Fidelity::Partial,
        }
    }

    fn legend(&self) -> Option<String> {
        if !self.legend {
            return None;
        }
        match &self.encoding {
            Encoding::Tables(options) => legend::of_tables(options.level).map(str::to_owned),
            Encoding::Plain(plain) => Some(plain.legend()),
        }
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        let options = match &self.encoding {
            Encoding::Tables(options) => *options,
            Encoding::Plain(plain) => return plain.apply(document, call),
        };
        if document.kind() == Kind::Text {
            let encoded = self.texts.then(|| text::encode(document.text(), options));
            return Ok(encoded.flatten().unwrap_or(Verdict::Unchanged));
        }
        let tape = document.tape();
        if tape.is_empty() {
            return Ok(Verdict::Unchanged);
        }
        let text = document.text();
        let Some(encoded) = tamis_rows::encode(text, tape, options) else {
            return Ok(Verdict::Unchanged);
        };
        let (tables, compact_bytes) = (encoded.tables, encoded.compact_bytes);
        // The text outside of tables is compact JSON.
        let is_compact = text.len() == compact_bytes;
        let compact_is_fewer = spaces_surely_cost(text.len(), compact_bytes);
        if tables.count == 0 && compact_is_fewer {
            return Ok(rewritten_json(encoded.text));
        }
        if tables.count > 0
            && (surely_fewer(encoded.text.len(), compact_bytes)
                || (is_compact || compact_is_fewer)
                    && surely_fewer(tables.bytes, tables.json_bytes))
        {
            return Ok(rewritten_text(encoded.text));
        }
        let compact = if tables.count > 0 {
            let no_table = Options {
                min_rows: usize::MAX,
                ..options
            };
            tamis_rows::encode(text, tape, no_table)
        } else {
            None
        };
        // Of equals, the first, which needs no legend.
        let mut fewest = (tokens(text), None);
        for form in compact.into_iter().chain([encoded]) {
            let tokens = tokens(&form.text);
            if tokens < fewest.0 {
                fewest = (tokens, Some(form));
            }
        }
        Ok(match fewest.1 {
            None => Verdict::Unchanged,
            Some(form) if form.tables.count == 0 => rewritten_json(form.text),
            Some(form) => rewritten_text(form.text),
        })
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(RowEncoder);

#[cfg(test)]
mod tests;
