//! `jq`: runs the operator's own jq program on documents, for tasks without a built-in filter.
//!
//! Owns the settings, and the use of a program's outputs. [`program`] compiles and runs a program, [`library`] has its
//! functions, [`read`] converts documents to its values and [`write`] its values to documents. The language is jaq's, a
//! jq in Rust.

mod delete;
mod library;
mod program;
mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::program::Program;
use jaq_json::Val;
use serde::Deserialize;
use tamis_sdk::{
    Call, Capability, Description, Document, Fidelity, Filter, Kind, Verdict, rewritten_json,
    rewritten_text,
};

/// The settings: a jq program, and the use of its outputs.
#[derive(Deserialize, Clone)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Settings {
    /// The program. `.` is the document; `$call` is an object with the call's `server`, `tool`,
    /// `surface`, `part`, `index`, `is_error` and `arguments`.
    program: String,
    /// Also gives documents of text to the program, each as one string. Otherwise they stay unchanged.
    #[serde(default)]
    raw_input: bool,
    /// The document made from the program's outputs.
    #[serde(default)]
    output: Output,
    /// The meaning of a program run without an output.
    #[serde(default)]
    no_output: NoOutput,
    /// The treatment of an object with a duplicate key, which no jq value can have.
    #[serde(default)]
    duplicate_keys: DuplicateKeys,
}

/// The document made from a program's outputs.
#[derive(Deserialize, Clone, Copy, Default, PartialEq)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Output {
    /// One output is the document, several are a JSON array.
    #[default]
    Json,
    /// Each output becomes a line of JSON, as `jq -c` prints it.
    Lines,
    /// Each output becomes a line. A string is written without quotes, as `jq -r` prints it.
    Raw,
}

/// The meaning of a program run without an output.
#[derive(Deserialize, Clone, Copy, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum NoOutput {
    /// The filter fails, and the step's `on-error` decides.
    #[default]
    Error,
    /// The document stays unchanged.
    Unchanged,
    /// The document becomes an empty text.
    Empty,
}

/// The treatment of an object with a duplicate key.
#[derive(Deserialize, Clone, Copy, Default, PartialEq)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum DuplicateKeys {
    /// The filter fails, so that no member is lost silently.
    #[default]
    Error,
    /// The last of them counts, as in jq.
    Last,
}

struct Jq {
    settings: Settings,
    program: Program,
}

impl Jq {
    /// The document made from the program's outputs; none without output.
    fn document(&self, outputs: &[Val]) -> Result<Option<(Kind, String)>, String> {
        let mut text = String::new();
        let kind = match (outputs, self.settings.output) {
            ([], _) => return Ok(None),
            ([Val::TStr(string)], Output::Raw) => {
                write::raw(&mut text, string);
                Kind::Text
            }
            ([only], _) => {
                write::json(&mut text, only)?;
                Kind::Json
            }
            (several, Output::Json) => {
                for (index, value) in several.iter().enumerate() {
                    text.push(if index == 0 { '[' } else { ',' });
                    write::element(&mut text, value)?;
                }
                text.push(']');
                Kind::Json
            }
            (several, style) => {
                for (index, value) in several.iter().enumerate() {
                    if index > 0 {
                        text.push('\n');
                    }
                    match value {
                        Val::TStr(string) if style == Output::Raw => write::raw(&mut text, string),
                        value => write::json(&mut text, value)?,
                    }
                }
                Kind::Text
            }
        };
        Ok(Some((kind, text)))
    }
}

impl Filter for Jq {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "jq",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .wants(&[Capability::Log])
        // Compiling a program takes longer than running it on a small document.
        .snapshot()
        // A larger result is on purpose: the program may redact.
        .may_grow()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        let program = Program::compile(&settings.program)?;
        Ok(Jq { settings, program })
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        let kind = document.kind();
        let input = match kind {
            Kind::Json => read::document(document, self.settings.duplicate_keys)?,
            Kind::Text if self.settings.raw_input => Val::utf8_str(document.text().to_owned()),
            Kind::Text => return Ok(Verdict::Unchanged),
        };
        let outputs = self.program.run(input, call)?;
        let Some((new_kind, text)) = self.document(&outputs)? else {
            return match self.settings.no_output {
                NoOutput::Unchanged => Ok(Verdict::Unchanged),
                NoOutput::Empty => Ok(rewritten_text(String::new())),
                NoOutput::Error => Err(
                    "the program gave no output: give one (`.` for the document as it is), or say what that means with `no-output`"
                        .to_owned(),
                ),
            };
        };
        if new_kind == kind && text == document.text() {
            return Ok(Verdict::Unchanged);
        }
        Ok(match new_kind {
            Kind::Json => rewritten_json(text),
            Kind::Text => rewritten_text(text),
        })
    }
}

tamis_sdk::export!(Jq);
