//! The command line: one file a subcommand. Errors are printed here, once.

#[cfg(not(all(feature = "http", feature = "login")))]
mod absent;
mod apply;
mod ask;
mod check;
mod client_server;
mod clients;
mod compile_plugin;
mod completions;
#[cfg(feature = "http")]
mod connect;
mod diff;
mod doctor;
mod explain;
mod failures;
mod history;
mod hook;
mod init;
mod install;
mod lock;
mod log;
#[cfg(feature = "login")]
mod login;
mod lookup;
mod man;
mod mcp;
mod output;
mod outside;
mod places;
mod plugin;
mod policy;
mod progress;
mod publish;
mod read;
mod receipts;
mod recording;
mod reload;
mod replay;
mod run;
mod schema;
#[cfg(feature = "http")]
mod serve;
mod stats;
mod store;
mod test;
mod tools;
mod trust;
mod uninstall;
mod warm;

#[cfg(not(feature = "login"))]
use absent::login;
#[cfg(not(feature = "http"))]
use absent::{connect, serve};

use crate::policy::Report;
use crate::sandbox::CONTRACT_VERSION;
use clap::{Parser, Subcommand};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::LazyLock;

/// Exit code when Tamis itself cannot do its work: a broken filters.toml, an unreadable file.
const EXIT_ERROR: u8 = 2;

/// A proxy for MCP servers that filters the output of tools, in sandboxed WebAssembly, before a model
/// reads it.
#[derive(Parser)]
#[command(name = "tamis", version, long_version = LONG_VERSION.as_str(), about, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    log: log::LogArguments,
}

#[derive(Subcommand)]
enum Command {
    Init(init::Arguments),
    Run(run::Arguments),
    Mcp(mcp::Arguments),
    Serve(serve::Arguments),
    Connect(connect::Arguments),
    Login(login::Arguments),
    Logout(login::LogoutArguments),
    Apply(apply::Arguments),
    Check(check::Arguments),
    Schema(schema::Arguments),
    Explain(explain::Arguments),
    Tools(tools::Arguments),
    Test(test::Arguments),
    Replay(replay::Arguments),
    Read(read::Arguments),
    Stats(stats::Arguments),
    Hook(hook::Arguments),
    History(history::Arguments),
    Lock(lock::Arguments),
    Trust(trust::Arguments),
    Install(install::Arguments),
    Uninstall(uninstall::Arguments),
    Doctor(doctor::Arguments),
    Completions(completions::Arguments),
    Plugin(plugin::Arguments),
    Publish(publish::Arguments),
    Man(man::Arguments),
    CompilePlugin(compile_plugin::Arguments),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Err(error) = log::start(&arguments.log) {
        output::tell(format_args!("tamis: {error:#}"));
        return ExitCode::from(EXIT_ERROR);
    }
    let done = match arguments.command {
        Command::CompilePlugin(arguments) => compile_plugin::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Connect(arguments) => connect::run(&arguments),
        Command::Login(arguments) => login::run(&arguments),
        Command::Logout(arguments) => login::log_out(&arguments),
        Command::Apply(arguments) => apply::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Tools(arguments) => tools::run(&arguments),
        Command::Test(arguments) => test::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Read(arguments) => read::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Hook(arguments) => return hook::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
        Command::Plugin(arguments) => plugin::run(&arguments),
        Command::Publish(arguments) => publish::run(&arguments),
        Command::History(arguments) => history::run(&arguments),
        Command::Lock(arguments) => lock::run(&arguments),
        Command::Trust(arguments) => trust::run(&arguments),
        Command::Install(arguments) => install::run(&arguments),
        Command::Uninstall(arguments) => uninstall::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
    };
    match done {
        Ok(code) => code,
        // As with `tamis stats | head`: the reader has read enough.
        Err(error) if error.is::<output::Closed>() => ExitCode::from(EXIT_ERROR),
        Err(error) => {
            print_error(&error);
            ExitCode::from(EXIT_ERROR)
        }
    }
}

/// The text of `--version`: everything that a report of a problem needs. `-V` prints the first line alone.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("BUILD_COMMIT").unwrap_or("unknown: this is no released build");
    format!(
        "{}\ncommit {commit}\ncontract tamis:filter@{CONTRACT_VERSION}\ntarget {}",
        env!("CARGO_PKG_VERSION"),
        env!("BUILD_TARGET"),
    )
});

/// Colour on standard error.
fn use_colour() -> bool {
    has_colour(&std::io::stderr())
}

/// Whether to write colours there: on a terminal, unless `NO_COLOR` says otherwise.
fn has_colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn print_error(error: &anyhow::Error) {
    match error.downcast_ref::<Report>() {
        Some(report) if use_colour() => output::tell_coloured(&report.render(true)),
        Some(report) => output::tell(format_args!("{}", report.render(false))),
        None => output::tell(format_args!("tamis: {error:#}")),
    }
}
