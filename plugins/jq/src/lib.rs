//! `jq`: runs the operator's own jq program on documents, for what no built-in filter does.
//!
//! Owns the settings, and what becomes of a program's outputs. How a program is compiled and run is in
//! [`program`], what it may call in [`library`], how documents become its values in [`read`] and its
//! values documents in [`write`]. The language is jaq's, a jq in Rust.

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

/// A jq program, and what becomes of what it gives.
#[derive(Deserialize, Clone)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Settings {
    /// The program. `.` is the document; `$call` is an object with the call's `server`, `tool`,
    /// `surface`, `part`, `index`, `is_error` and `arguments`.
    program: String,
    /// Whether documents of text are given to the program too, each as one string. Otherwise they
    /// stay as they are.
    #[serde(default)]
    raw_input: bool,
    /// What the program's outputs become.
    #[serde(default)]
    output: Output,
    /// What a program without an output means.
    #[serde(default)]
    no_output: NoOutput,
    /// What becomes of an object that has a key twice. No value of jq's can have that.
    #[serde(default)]
    duplicate_keys: DuplicateKeys,
}

/// What a program's outputs become.
#[derive(Deserialize, Clone, Copy, Default, PartialEq)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Output {
    /// One output is the document, several are a JSON array.
    #[default]
    Json,
    /// Each output is a line of JSON, as `jq -c` prints them.
    Lines,
    /// As lines, and a string stands for itself, as `jq -r` prints it.
    Raw,
}

/// What a program without an output means.
#[derive(Deserialize, Clone, Copy, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum NoOutput {
    /// The filter fails, and the step's `on-error` decides.
    #[default]
    Error,
    /// The document stays as it is.
    Unchanged,
    /// The document becomes an empty text.
    Empty,
}

/// What becomes of an object that has a key twice.
#[derive(Deserialize, Clone, Copy, Default, PartialEq)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum DuplicateKeys {
    /// The filter fails: nothing goes without a word.
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
    /// The program's outputs as a document, none for no output.
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
        // What a program makes larger is meant to be so: it may well hide something.
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
