//! `tamis apply`: runs a chain on a file and prints the outcome.

use super::output;
use super::policy::{PolicyArguments, read_input};
use super::receipts;
use crate::dry_run::{self, Call, Input};
use crate::policy::{Piece, Surface};
use crate::store::Reference;
use anyhow::{Result, bail};
use memchr::memmem;
use std::path::PathBuf;
use std::process::ExitCode;

/// Exit code when a filter that must run failed, so that the document is withheld.
const EXIT_WITHHELD: u8 = 3;

/// Runs a tool's chain on one result, and prints what the client would get.
///
/// The input is a tool's result as MCP has it (`{"content":[…]}`). Any other JSON or text counts as one
/// text block. The input may also be a call recorded by `tamis run --record`, which contains the tool,
/// the arguments and the server.
///
/// Exit codes: 0 done, 2 an error, 3 withheld.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis apply --config filters.toml --tool lens_explain --explain < result.json\n  tamis apply -c filters.toml -t lens_explain --json result.json | jq .steps"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: PolicyArguments,
    /// The tool whose chain to run. A recorded call contains the name.
    #[arg(long, short, value_name = "NAME")]
    tool: Option<String>,
    /// The call's arguments, for filters that read them. Default: those of a recorded call, else {}.
    #[arg(long, value_name = "JSON")]
    arguments: Option<String>,
    /// The server's name, for filters that read it. Default: that of a recorded call, else none.
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// Print a table of the steps to standard error: outcome, bytes, tokens, time.
    #[arg(long)]
    explain: bool,
    /// Print one JSON object instead: the steps, and the output as a string.
    #[arg(long, conflicts_with = "explain")]
    json: bool,
    /// The file with the result. Default, or `-`: standard input.
    input: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    check_arguments(arguments.arguments.as_deref())?;
    let input = Input::new(read_input(arguments.input.as_deref())?)?;
    let recorded = input.call.as_ref().map(|call| &call.tool);
    let Some(tool) = arguments.tool.as_ref().or(recorded) else {
        bail!("name the tool of this result: --tool NAME (a recorded call contains the name)");
    };
    let chains = arguments.policy.load()?;
    let server = input.server(arguments.server.as_deref());
    let Some(redacted) = dry_run::redacted(&chains, server, None, &input).input else {
        return withheld();
    };
    let arguments_of = input.arguments(arguments.arguments.as_deref());
    let piece = Piece {
        server: Some(server),
        arguments: Some(arguments_of),
        client: Some(input.client_name()),
        result: Some(redacted.facts()),
        ..Piece::new(Surface::Result, tool)
    };
    let Some(chain) = chains.find(&piece) else {
        if chains.redacts_messages(server) {
            output::print_data(&redacted.bytes)?;
            return Ok(ExitCode::SUCCESS);
        }
        output::tell(format_args!(
            "tamis: no chain matches the tool `{tool}`: its results pass byte for byte"
        ));
        output::print_data(&input.bytes)?;
        return Ok(ExitCode::SUCCESS);
    };
    let call = Call {
        server,
        surface: Surface::Result,
        name: tool,
        arguments: arguments_of,
        client: input.client(&chains.policy().clients),
        session: None,
    };
    let output = dry_run::run(chain, &chains.policy().read_tool, &call, &redacted);
    let emitted = output.bytes.as_deref();
    if arguments.json {
        let report = receipts::json(chain, &output.documents, emitted);
        output::print_json(&format!("{report:#}\n"))?;
    } else {
        output::print_data(emitted.unwrap_or_default())?;
    }
    if arguments.explain {
        output::tell(format_args!(
            "{}",
            receipts::table(&chain.name, &output.documents, Some(&chains))
        ));
    }
    let reference = Reference::of(&redacted.bytes).to_string();
    if emitted.is_some_and(|text| memmem::find(text, reference.as_bytes()).is_some()) {
        output::tell(format_args!(
            "tamis: `apply` stores no original, so {reference} cannot be read here; with `tamis run` it can"
        ));
    }
    if output.withheld {
        return withheld();
    }
    Ok(ExitCode::SUCCESS)
}

fn withheld() -> Result<ExitCode> {
    output::tell(format_args!(
        "tamis: withheld: a redacting step (`on-error = \"block\"`) failed, or could not check the whole result"
    ));
    Ok(ExitCode::from(EXIT_WITHHELD))
}

/// Checks `--arguments`: a JSON object, as in a call.
pub(super) fn check_arguments(arguments: Option<&str>) -> Result<()> {
    let Some(arguments) = arguments else {
        return Ok(());
    };
    let value = serde_json::from_str::<serde_json::Value>(arguments);
    if !value.is_ok_and(|object| object.is_object()) {
        bail!("--arguments is not a JSON object: {arguments}");
    }
    Ok(())
}
