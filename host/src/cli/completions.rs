//! `tamis completions`: the shell's completions for `tamis`.

use super::output;
use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;
use std::process::ExitCode;

/// Prints a script that completes Tamis's commands and options in a shell.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis completions bash > ~/.local/share/bash-completion/completions/tamis\n  tamis completions zsh > \"${fpath[1]}/_tamis\"\n  tamis completions fish > ~/.config/fish/completions/tamis.fish"
)]
pub(super) struct Arguments {
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut script = Vec::new();
    let mut command = super::Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "tamis", &mut script);
    output::print_data(&script)?;
    Ok(ExitCode::SUCCESS)
}
