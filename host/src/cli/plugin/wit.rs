//! `tamis plugin wit`: the contract with plugins, for other tools.

use crate::authoring::contract;
use crate::cli::output;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::ExitCode;

/// Prints the contract between Tamis and plugins, or writes it as a WIT package.
///
/// A WIT package is a component that contains only types. Generators of bindings read it (`wit-bindgen`, `jco`,
/// `componentize-py`). `tamis plugin push` shares it in a registry, where `wkg` finds it.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis plugin wit > wit/deps/tamis-filter/filter.wit\n  tamis plugin wit --package tamis-filter.wasm\n  tamis plugin push tamis-filter.wasm registry.example/tamis/filter:0.1.0"
)]
pub(super) struct Arguments {
    /// Write the WIT package to this file.
    #[arg(long, value_name = "FILE")]
    package: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Some(path) = &arguments.package else {
        output::print(contract::TEXT)?;
        return Ok(ExitCode::SUCCESS);
    };
    let package = contract::package()?;
    std::fs::write(path, &package).with_context(|| format!("write {}", path.display()))?;
    output::print(&format!("{}: {} bytes\n", path.display(), package.len()))?;
    Ok(ExitCode::SUCCESS)
}
