//! `tamis man`: manual pages.

use super::output;
use anyhow::{Context, Result};
use clap::CommandFactory;
use std::path::PathBuf;
use std::process::ExitCode;

/// Prints Tamis's manual page, or writes that of each command into a folder.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  tamis man | man -l -\n  tamis man ~/.local/share/man/man1")]
pub(super) struct Arguments {
    /// The folder for `tamis.1`, `tamis-run.1` and so on. It must exist.
    folder: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    // As in the pages of a folder: `tamis help` has none.
    let mut command = super::Arguments::command().disable_help_subcommand(true);
    command.build();
    match &arguments.folder {
        Some(folder) => clap_mangen::generate_to(command, folder)
            .with_context(|| format!("write manual pages to {}", folder.display()))?,
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command)
                .render(&mut page)
                .context("write the manual page")?;
            output::print_data(&page)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
