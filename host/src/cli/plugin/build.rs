//! `tamis plugin build`: a project becomes a plugin.

use crate::authoring::project;
use crate::cli::output;
use anyhow::Result;
use std::path::PathBuf;
use std::process::ExitCode;

/// Builds a filter's project, and writes NAME.wasm into its folder: a small component.
///
/// A project is in Rust (it has a Cargo.toml), TypeScript (a filter.ts), JavaScript (a filter.js), Python (an
/// app.py), Go (a filter.go) or C (a filter.c). For Rust, wasm32-unknown-unknown gives the smallest and fastest plugin, because such a
/// filter needs no WASI. Use wasm32-wasip1 or wasm32-wasip2 if a library needs WASI.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis plugin build\n  tamis plugin build filters/house-style --target wasm32-wasip2"
)]
pub(super) struct Arguments {
    /// The project.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// The target for Rust [default: wasm32-unknown-unknown].
    #[arg(long, value_parser = ["wasm32-unknown-unknown", "wasm32-wasip1", "wasm32-wasip2"])]
    target: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let built = project::build(&arguments.folder, arguments.target.as_deref())?;
    let text = format!("{}: {} bytes\n", built.path.display(), built.bytes);
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
