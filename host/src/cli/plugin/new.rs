//! `tamis plugin new`: a project to begin with.

use crate::authoring::project;
use crate::shell;
use anyhow::{Context, Result};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Makes a folder with a filter that works, its tests, and a policy that uses it.
///
/// The filter is in Rust, and keeps the first lines of a long text: change it. The SDK is put beside it, so
/// that nothing of Tamis has to be fetched.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis plugin new house-style\n  tamis plugin new house-style --dir filters/house-style"
)]
pub(super) struct Arguments {
    /// The filter's name: lower-case letters, digits and hyphens.
    name: String,
    /// Where to put it [default: a folder of that name, here].
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let name = &arguments.name;
    let folder = arguments.dir.clone().unwrap_or_else(|| name.into());
    let files = project::create(name, &folder)?;
    let mut text = format!("{name}: a filter to begin with\n");
    for file in files {
        text += &format!("  {}\n", file.display());
    }
    text += &format!(
        "next:\n  cd {}\n  tamis plugin build\n  tamis test filters.toml\n  tamis plugin test {name}.wasm\n",
        shell::word(&folder)
    );
    std::io::stdout()
        .write_all(text.as_bytes())
        .context("write to standard output")?;
    Ok(ExitCode::SUCCESS)
}
