//! `tamis schema`: the JSON Schema of filters.toml.

use crate::built_in;
use crate::policy;
use anyhow::{Context, Result};
use std::io::Write;
use std::process::ExitCode;

/// Prints the JSON Schema of filters.toml, with the settings of the built-in filters.
///
/// Editors complete and check TOML with it. With taplo, and with Even Better TOML in VS Code, name it in
/// the file's first line:
///
///   #:schema ./filters.schema.json
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tamis schema > filters.schema.json")]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments) -> Result<ExitCode> {
    let schema = policy::schema(&built_in::settings());
    writeln!(std::io::stdout(), "{schema:#}").context("write to standard output")?;
    Ok(ExitCode::SUCCESS)
}
