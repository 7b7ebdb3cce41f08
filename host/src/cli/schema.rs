//! `tamis schema`: the JSON Schema of filters.toml.

use super::output;
use crate::built_in;
use crate::policy;
use anyhow::Result;
use std::process::ExitCode;

/// Prints the JSON Schema of filters.toml, with the settings of the built-in filters.
///
/// Editors complete and check TOML with it. For taplo, and Even Better TOML in VS Code, name it in the
/// file's first line:
///
///   #:schema ./filters.schema.json
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tamis schema > filters.schema.json")]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments) -> Result<ExitCode> {
    let schema = policy::schema(&built_in::settings());
    output::print_json(&format!("{schema:#}\n"))?;
    Ok(ExitCode::SUCCESS)
}
