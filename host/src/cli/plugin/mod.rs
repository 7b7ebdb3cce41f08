//! `tamis plugin`: for those who write filters.

mod bench;
mod build;
mod document;
mod inspect;
mod keygen;
mod new;
mod profile;
mod pull;
mod push;
mod sign;
pub(super) mod signed;
mod subject;
mod test;
mod verify;
mod wit;

use anyhow::Result;
use std::process::ExitCode;

/// Creates, builds, inspects, tests, measures, shares and signs your own filters.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis plugin new house-style\n  tamis plugin build house-style\n  tamis plugin inspect house-style.wasm\n  tamis plugin test house-style.wasm --settings '{\"limit\": 10}'\n  tamis plugin bench house-style.wasm\n  tamis plugin profile house-style.wasm --document answer.json\n  tamis plugin push house-style.wasm registry.example/team/house-style:0.1.0\n  tamis plugin pull registry.example/team/house-style:0.1.0\n  tamis plugin keygen team\n  tamis plugin sign house-style.wasm --key team.key\n  tamis plugin verify house-style.wasm --key team.pub\n  tamis plugin wit --package tamis-filter.wasm"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    New(new::Arguments),
    Build(build::Arguments),
    Inspect(inspect::Arguments),
    Test(test::Arguments),
    Bench(bench::Arguments),
    Profile(profile::Arguments),
    Push(push::Arguments),
    Pull(pull::Arguments),
    Keygen(keygen::Arguments),
    Sign(sign::Arguments),
    Verify(verify::Arguments),
    Wit(wit::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.command {
        Command::New(arguments) => new::run(arguments),
        Command::Build(arguments) => build::run(arguments),
        Command::Inspect(arguments) => inspect::run(arguments),
        Command::Test(arguments) => test::run(arguments),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Profile(arguments) => profile::run(arguments),
        Command::Push(arguments) => push::run(arguments),
        Command::Pull(arguments) => pull::run(arguments),
        Command::Keygen(arguments) => keygen::run(arguments),
        Command::Sign(arguments) => sign::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Wit(arguments) => wit::run(arguments),
    }
}
