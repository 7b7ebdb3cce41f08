//! `tamis explain`: the treatment of a tool's output, and the place of each setting of it.

mod account;
mod steps;
mod surfaces;
mod text;

use super::policy::{PolicyArguments, read_input};
use super::receipts;
use crate::chain::Chains;
use crate::cli::output;
use crate::diff::Diff;
use crate::dry_run::{self, Call, Input, Output};
use crate::mcp::gate::Gate;
use crate::policy::{Piece, Surface};
use account::Account;
use anyhow::{Result, bail};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Shows which chain filters a tool's output, why, and with which settings, limits and grants.
///
/// Shows for each value where it comes from: a line of filters.toml, the plugin, or the default. With
/// `--input` it also shows what each step does to a result, and how the result differs afterwards.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis explain lens_explain --config filters.toml\n  tamis explain lens_explain -c filters.toml --input result.json\n  tamis explain review --on prompt\n  tamis explain --surfaces\n  tamis explain lens_explain --json | jq '.chain.steps[].settings'"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: PolicyArguments,
    /// The tool. For other kinds of output: the prompt's name, or the resource's URI. `--on
    /// instructions` needs none.
    #[arg(value_name = "TOOL")]
    name: Option<String>,
    /// The kind of output: result, instructions, description, prompt, resource, history, arguments, or * (every message).
    #[arg(long, value_name = "SURFACE", default_value = "result", value_parser = surface)]
    on: Surface,
    /// Show the parts of a server's output for a client, and the chains that redact and filter each.
    #[arg(long, conflicts_with_all = ["name", "on", "client", "profile", "input"])]
    surfaces: bool,
    /// The name of a client, to show its model's view.
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
    /// Use this profile, as `tamis run --profile` does.
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Also run the chain on this result, or on that of this recorded call, which contains the tool's
    /// name. `-`: standard input.
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The call's arguments, for filters that read them. Default: those of a recorded call, else {}.
    #[arg(long, value_name = "JSON", requires = "input")]
    arguments: Option<String>,
    /// The server's name, for filters that read it. Default: that of a recorded call, else none.
    #[arg(long, value_name = "NAME", requires = "input")]
    server: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

fn surface(text: &str) -> Result<Surface, String> {
    let found = Surface::ALL.into_iter().find(|(name, _)| *name == text);
    found.map(|(_, surface)| surface).ok_or_else(|| {
        let names = Surface::ALL.map(|(name, _)| name);
        format!("allowed: {}", names.join(", "))
    })
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.surfaces {
        return surfaces::run(&arguments.policy, arguments.json);
    }
    let input = match &arguments.input {
        Some(path) => Some(Input::new(read_input(Some(path))?)?),
        None => None,
    };
    let recorded = input.as_ref().and_then(|input| input.call.as_ref());
    let name = match (&arguments.name, arguments.on) {
        (Some(name), _) => name.as_str(),
        (None, Surface::Instructions | Surface::Message) => "",
        (None, surface) => match recorded {
            Some(call) if surface == Surface::Result => call.tool.as_str(),
            _ => bail!(
                "a name is required: tamis explain NAME --on {} (only instructions have no name)",
                surface.name()
            ),
        },
    };
    super::apply::check_arguments(arguments.arguments.as_deref())?;
    let chains = arguments.policy.load()?;
    let gate = Gate::new(chains.policy(), arguments.profile.as_deref())?;
    let account = Account::new(
        &chains,
        arguments.on,
        name,
        &gate,
        arguments.client.as_deref(),
    );
    let colour = !arguments.json && super::has_colour(&std::io::stdout());
    let text = if arguments.json {
        let mut object = account.json();
        if let Some(input) = &input {
            object["run"] = run_as_json(&chains, arguments, name, input);
        }
        format!("{object:#}\n")
    } else {
        let mut text = text::render(&account, colour);
        if let Some(input) = &input {
            text += &run_as_text(&chains, arguments, name, input, colour);
        }
        text
    };
    match arguments.json {
        true => output::print_json(&text)?,
        false => output::print_coloured(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The outcome for an input.
enum Ran {
    /// The chains for every message withhold it.
    Withheld,
    /// No chain of its own matches: the output of the chains for every message.
    Alone(Vec<u8>),
    Chain(std::sync::Arc<crate::chain::Chain>, Output),
}

fn dry_run(chains: &Chains, arguments: &Arguments, name: &str, input: &Input) -> Ran {
    let server = input.server(arguments.server.as_deref());
    let Some(redacted) = dry_run::redacted(chains, server, None, input).input else {
        return Ran::Withheld;
    };
    let piece = Piece {
        server: Some(server),
        arguments: Some(input.arguments(arguments.arguments.as_deref())),
        client: Some(arguments.client.as_deref().unwrap_or(input.client_name())),
        result: Some(redacted.facts()),
        ..Piece::new(arguments.on, name)
    };
    let found = chains.find(&piece);
    let Some(chain) = found.filter(|_| arguments.on != Surface::Message) else {
        return Ran::Alone(redacted.bytes.clone());
    };
    let call = Call {
        server,
        surface: arguments.on,
        name,
        arguments: input.arguments(arguments.arguments.as_deref()),
        client: input.client(&chains.policy().clients),
        session: None,
    };
    let output = dry_run::run(chain, &chains.policy().read_tool, &call, &redacted);
    Ran::Chain(chain.clone(), output)
}

const WITHHELD: &str = "Withheld: a redacting step failed, or could not check the whole result.";

fn run_as_json(
    chains: &Chains,
    arguments: &Arguments,
    name: &str,
    input: &Input,
) -> serde_json::Value {
    match dry_run(chains, arguments, name, input) {
        Ran::Withheld => json!({"output": null, "withheld": true}),
        Ran::Alone(bytes) => json!({"output": String::from_utf8_lossy(&bytes), "withheld": false}),
        Ran::Chain(chain, output) => {
            let bytes = output.bytes.as_deref();
            let mut object = receipts::json(&chain, &output.documents, bytes);
            object["withheld"] = output.withheld.into();
            object["diff"] = Diff::new(&input.bytes, bytes.unwrap_or_default())
                .render(false)
                .into();
            object
        }
    }
}

fn run_as_text(
    chains: &Chains,
    arguments: &Arguments,
    name: &str,
    input: &Input,
    colour: bool,
) -> String {
    let (mut text, bytes, withheld) = match dry_run(chains, arguments, name, input) {
        Ran::Withheld => return format!("\n{WITHHELD}\n"),
        Ran::Alone(bytes) if bytes == input.bytes => {
            return "\nThis input passes byte for byte.\n".to_owned();
        }
        Ran::Alone(bytes) => (String::new(), Some(bytes), false),
        Ran::Chain(chain, output) => {
            let table = receipts::table(&chain.name, &output.documents, Some(chains));
            (format!("\n{table}\n"), output.bytes, output.withheld)
        }
    };
    if withheld || bytes.is_none() {
        text += &format!("\n{WITHHELD}\n");
    }
    let Some(bytes) = bytes else {
        return text;
    };
    if bytes == input.bytes {
        text += "\nThe output equals the input.\n";
        return text;
    }
    let diff = Diff::new(&input.bytes, &bytes);
    text += "\n- before\n+ after\n";
    if !diff.note.is_empty() {
        text += &format!("({})\n", diff.note);
    }
    text + &diff.render(colour)
}
