//! `tamis compile-plugin`: the process that compiles a plugin, which Tamis starts itself.

use crate::sandbox::{self, CodeOptions, CompileJob};
use anyhow::Result;
use std::process::ExitCode;
use std::time::Duration;

/// Compiles the plugin on standard input, in bounded memory and time. Tamis starts this command itself.
#[derive(clap::Args)]
#[command(hide = true)]
pub(super) struct Arguments {
    #[arg(long)]
    memory_bytes: u64,
    #[arg(long)]
    seconds: u64,
    #[arg(long)]
    threads: usize,
    #[arg(long)]
    fuel: bool,
    #[arg(long)]
    readable_state: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let job = CompileJob {
        memory_bytes: arguments.memory_bytes,
        time: Duration::from_secs(arguments.seconds),
        options: CodeOptions {
            counts_fuel: arguments.fuel,
            readable_state: arguments.readable_state,
        },
        threads: arguments.threads,
    };
    sandbox::compile_plugin(&job).map(|()| ExitCode::SUCCESS)
}
