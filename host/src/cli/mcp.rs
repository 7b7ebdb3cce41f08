//! `tamis mcp`: a server with the read tool alone.

use super::{lookup, store};
use crate::mcp::observe::Observer;
use crate::mcp::observe::receipts::Receipts;
use crate::mcp::read_server::ReadServer;
use crate::policy::ReadTool;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs an MCP server with one tool, which reads the originals stored by `tamis run`.
///
/// `tamis install` adds this server to a client as `tamis`, once for all servers that it wraps with
/// `tamis run --no-read-tool`, so the client lists the read tool once. The tool reads every original of
/// this user (`TAMIS_STATE_DIR`, else `~/.local/state/tamis`), whichever server the result came from.
/// Standard input and output carry MCP messages; the log goes to standard error.
///
/// Exit codes: 0 the client closed standard input, 2 an error, 128 plus the signal's number after a
/// signal.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis mcp\n  tamis mcp --config ~/filters.toml    # its [read-tool] names the tool\n  claude mcp add --scope user tamis -- tamis mcp"
)]
pub(super) struct Arguments {
    /// The policy whose `[read-tool]` to use. Default: the one that `tamis run` finds (see `tamis run
    /// --help`).
    #[arg(long, short, env = "TAMIS_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// List nothing and read nothing: `tamis serve` stands in front, and does both.
    #[arg(long, hide = true, conflicts_with = "config")]
    empty: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.empty {
        let settings = ReadTool {
            listed: false,
            ..ReadTool::default()
        };
        let code = ReadServer::new(settings, Vec::new(), None, Observer::default()).run();
        return Ok(ExitCode::from(code.context("serve no tool")?));
    }
    let policy = match lookup::policy(arguments.config.as_deref()) {
        Ok(policy) => policy,
        Err(error) => return super::run::closed(error),
    };
    let ledger = store::open_ledger();
    let mut observer = Observer::default();
    if let Some(ledger) = &ledger {
        observer = observer.with_receipts(Receipts::new(ledger.clone()).of_parent());
    }
    let server = ReadServer::new(policy.read_tool, policy.clients, store::open(), observer);
    let code = server.run().context("serve the read tool");
    drop(server);
    if let Some(ledger) = ledger {
        ledger.close();
    }
    Ok(ExitCode::from(code?))
}
