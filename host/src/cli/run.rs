//! `tamis run`: the proxy in front of one server, over standard input and output.

use super::policy::PolicyArguments;
use crate::mcp::rewriter::Rewriter;
use crate::mcp::stdio::{self, Options};
use anyhow::Result;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Starts an MCP server and stands between it and the client.
///
/// This is what goes into a coding agent's MCP configuration in front of the server's own
/// command. Standard input and output carry MCP messages; the log goes to standard error.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  tamis run --config filters.toml -- npx -y @modelcontextprotocol/server-filesystem ."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: PolicyArguments,
    /// What filters and the log call the server. Default: the name of its program.
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// The server's command and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let chains = arguments.policy.load()?;
    let server = arguments
        .server
        .clone()
        .unwrap_or_else(|| program_name(&arguments.command));
    let store = chains.may_cut().then(super::store::open).flatten();
    let rewriter = Arc::new(Rewriter::new(chains, server, store));
    match stdio::run(&arguments.command, rewriter, &Options::default()) {
        Ok(code) => Ok(ExitCode::from(code)),
        Err(error) => {
            eprintln!("tamis: {error}");
            Ok(ExitCode::from(error.exit_code()))
        }
    }
}

fn program_name(command: &[OsString]) -> String {
    let program = command.first().map(Path::new).and_then(Path::file_name);
    program.unwrap_or_default().to_string_lossy().into_owned()
}
