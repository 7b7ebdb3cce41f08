//! `tamis run`: the proxy in front of one server, over standard input and output.

use super::policy::PolicyArguments;
use crate::ledger::{self, Ledger};
use crate::mcp::gate::Gate;
use crate::mcp::receipts::Receipts;
use crate::mcp::rewriter::Rewriter;
use crate::mcp::stdio::{self, Options};
use crate::store::Store;
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
    /// Show the client only the tools of this profile (`[profile.NAME]` in the policy).
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
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
    let gate = Gate::new(chains.policy(), arguments.profile.as_deref())?;
    let ledger = (!chains.is_empty()).then(open_ledger).flatten();
    let mut rewriter = Rewriter::new(chains, server, store).with_gate(gate);
    if let Some(ledger) = &ledger {
        rewriter = rewriter.with_receipts(Receipts::new(ledger.clone()));
    }
    let rewriter = Arc::new(rewriter);
    let ended = stdio::run(&arguments.command, rewriter, &Options::default());
    if let Some(ledger) = ledger {
        ledger.close();
    }
    match ended {
        Ok(code) => Ok(ExitCode::from(code)),
        Err(error) => {
            eprintln!("tamis: {error}");
            Ok(ExitCode::from(error.exit_code()))
        }
    }
}

/// Without a ledger the proxy works all the same; nobody learns what it saved.
fn open_ledger() -> Option<Ledger> {
    let directory = Store::default_directory()?;
    Ledger::open(&directory, ledger::Limits::default())
        .inspect_err(|error| tracing::warn!("what is saved is not noted: {error}"))
        .ok()
}

fn program_name(command: &[OsString]) -> String {
    let program = command.first().map(Path::new).and_then(Path::file_name);
    program.unwrap_or_default().to_string_lossy().into_owned()
}
