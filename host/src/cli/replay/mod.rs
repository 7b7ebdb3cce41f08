//! `tamis replay`: the effect of another policy on recorded calls.

mod report;
mod show;

use super::policy::{self, PolicyArguments};
use super::progress::Progress;
use crate::built_in;
use crate::chain::Chains;
use crate::cli::output;
use crate::policy::{Policy, ToolPattern};
use crate::recording::{self, Recorded};
use crate::replay::{Difference, Replay};
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::ExitCode;

/// Exit code for findings that `--deny` names.
const EXIT_DENIED: u8 = 1;

/// Runs recorded calls through a policy, and shows the differences.
///
/// `tamis run --record DIR` records calls. Without `--compare`, Tamis compares with the results that the server
/// sent. With it, Tamis compares with the results of the older policy. It shows tokens by tool, and which calls
/// change, are newly cut, or have a newly failing filter. It stores nothing and contacts no server.
///
/// Exit codes: 0 replayed, 1 Tamis found what `--deny` names, 2 a policy or a recorded call is broken.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis run --record calls --config filters.toml -- python3 server.py\n  tamis replay calls --config filters.toml\n  tamis replay calls --config new.toml --compare filters.toml\n  tamis replay calls --config new.toml --compare filters.toml --show get_issue\n  tamis replay calls --config new.toml --compare filters.toml --deny failed --json | jq '.changes[].file'"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: PolicyArguments,
    /// The folder of recorded calls, or one of its files.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The policy to compare with. Default: compare with the server's own results.
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Only calls of matching tools; `*` matches any characters.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    tool: Option<ToolPattern>,
    /// Show how one call differs: this file, or the first call of this tool that differs.
    #[arg(long, value_name = "TOOL|FILE")]
    show: Option<String>,
    /// List every call that differs, not only the first ones.
    #[arg(long, conflicts_with_all = ["show", "json"])]
    list: bool,
    /// Print one JSON object: all calls that differ, or the one to `--show`.
    #[arg(long)]
    json: bool,
    /// Fail if Tamis finds such a call.
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "show")]
    deny: Vec<Denied>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Denied {
    /// A call whose result differs in at least one byte.
    Changed,
    /// A call that is cut now, and was not cut then.
    Cut,
    /// A call in which a filter fails now and did not fail then, or that is withheld now.
    Failed,
}

fn pattern(text: &str) -> Result<ToolPattern, String> {
    ToolPattern::new(text).map_err(|error| error.to_string())
}

/// A finished replay, for the code that prints it.
struct Replayed<'a> {
    calls: &'a [Recorded],
    /// The differences of every call, in their order.
    found: Vec<Difference>,
    now: &'a Chains,
    then: Option<&'a Chains>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let calls = read(arguments)?;
    let sandbox = arguments.policy.sandbox()?;
    let load = |policy| Ok::<_, anyhow::Error>(policy::load(policy, &sandbox)?.without_pauses());
    let now = load(arguments.policy.read(None)?)?;
    let then = match &arguments.compare {
        None => None,
        Some(path) => Some(load(Policy::load(path, &built_in::names())?)?),
    };
    let replay = Replay::new(&calls, &now, then.as_ref());
    let named = match &arguments.show {
        Some(named) => show::named(&calls, named)?,
        None => show::Named::None,
    };
    if let show::Named::File(index) = named {
        let shown = show::one(arguments, &calls, &replay, index);
        match arguments.json {
            true => output::print_json(&shown)?,
            false => output::print_coloured(&shown)?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let progress = Progress::of_steps("replaying", calls.len() as u64);
    let found = replay.run(&|| progress.advance(1));
    drop(progress);
    if let show::Named::Tool(tool) = named {
        let of_tool = |difference: &&Difference| calls[difference.index].call.tool == tool;
        let mut of_tool = found.iter().filter(of_tool);
        let Some(first) = of_tool.find(|difference| difference.is_any()) else {
            bail!("no recorded call of {tool} differs: name a file to see one");
        };
        let shown = show::one(arguments, &calls, &replay, first.index);
        match arguments.json {
            true => output::print_json(&shown)?,
            false => output::print_coloured(&shown)?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let replayed = Replayed {
        calls: &calls,
        found,
        now: &now,
        then: then.as_ref(),
    };
    let text = if arguments.json {
        format!("{:#}\n", report::json(&replayed))
    } else {
        report::text(&replayed, arguments.list)
    };
    match arguments.json {
        true => output::print_json(&text)?,
        false => output::print_coloured(&text)?,
    }
    let is_denied = |difference: &Difference| {
        arguments.deny.iter().any(|denied| match denied {
            Denied::Changed => difference.changed,
            Denied::Cut => difference.is_newly_cut(),
            Denied::Failed => difference.is_newly_failed(),
        })
    };
    Ok(match replayed.found.iter().any(is_denied) {
        true => ExitCode::from(EXIT_DENIED),
        false => ExitCode::SUCCESS,
    })
}

fn read(arguments: &Arguments) -> Result<Vec<Recorded>> {
    let mut calls = recording::read(&arguments.folder)?;
    if let Some(pattern) = &arguments.tool {
        let mut tools: Vec<String> = calls
            .iter()
            .map(|recorded| recorded.call.tool.clone())
            .collect();
        calls.retain(|recorded| pattern.matches(&recorded.call.tool));
        if calls.is_empty() {
            tools.sort();
            tools.dedup();
            bail!(
                "--tool: no recorded call is of a tool that matches `{}`; recorded tools: {}",
                pattern.as_str(),
                tools.join(", ")
            );
        }
    }
    Ok(calls)
}

/// The shown name of a recorded call's file.
fn file_name(recorded: &Recorded) -> String {
    let name = recorded.path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
