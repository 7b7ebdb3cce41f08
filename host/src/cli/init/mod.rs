//! `tamis init`: a filters.toml to start from, made of what a server has.

mod chains;
mod fixture;
mod page;
mod results;
mod survey;

use super::policy::SandboxArguments;
use crate::cli::output;
use crate::mcp::inquiry::{Failure, Inquiry, ServerName, Tool};
use crate::printable;
use crate::shell;
use anyhow::{Context, Result, anyhow, bail};
use chains::{Finding, Workshop};
use results::Sample;
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use survey::Survey;

/// How much of a tool's error is shown, in characters.
const ERROR_SHOWN: usize = 300;

/// Writes a commented filters.toml for the tools of a server, as a start.
///
/// Starts the server as `tamis run` does, and lists its tools. The file contains the chain of the
/// default policy, and lists every tool with the server's description. If there are results, Tamis runs
/// the chain on them and writes the tokens before and after. A tool for which another chain saves more
/// gets that chain. For each chain one result becomes a `[[test]]`. Tamis calls no tool without `--try`
/// or `--call`.
///
/// Exit codes: 0 done, 2 an error: nothing is written.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis init -- npx -y @modelcontextprotocol/server-filesystem .\n  tamis init --try 'directory_tree={\"path\":\".\"}' -- npx -y @modelcontextprotocol/server-filesystem .\n  tamis init --results recorded/ -- uvx mcp-server-git\n  tamis init --call -o everything.toml -- npx -y @modelcontextprotocol/server-everything\n  tamis init -o - -- my-server | less"
)]
pub(super) struct Arguments {
    /// The file to write; `-`: standard output.
    #[arg(
        long,
        short,
        value_name = "FILE",
        default_value = crate::trust::NAME
    )]
    output: PathBuf,
    /// Results of tools: files named after their tools (list_users.json, list_users-2.json), and
    /// folders of such files. Each contains a result as MCP has it, or the output of a tool as JSON or
    /// text. Recorded calls may have any name.
    #[arg(long, alias = "from-results", value_name = "PATH", num_args = 1..)]
    results: Vec<PathBuf>,
    /// Call this tool with these arguments, to get a result. May be given several times.
    #[arg(long = "try", value_name = "TOOL=JSON", value_parser = trial)]
    trials: Vec<Trial>,
    /// Call the tools that need no arguments and that the server declares to be read-only, to get
    /// results. Tamis cannot verify what the server declares.
    #[arg(long)]
    call: bool,
    /// How long to wait for each answer of the server.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Overwrite an existing file.
    #[arg(long)]
    force: bool,
    /// Print the findings as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArguments,
    /// The server's command and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// A call that the operator asks for.
#[derive(Debug, Clone)]
struct Trial {
    tool: String,
    arguments: Map<String, Value>,
}

fn trial(text: &str) -> Result<Trial, String> {
    let (tool, arguments) = match text.split_once('=') {
        Some((tool, arguments)) => (tool, serde_json::from_str(arguments)),
        None => (text, Ok(Map::new())),
    };
    let arguments = arguments.map_err(|error| {
        format!(r#"a JSON object must follow the `=`, such as {{"path":"."}}: {error}"#)
    })?;
    Ok(Trial {
        tool: tool.to_owned(),
        arguments,
    })
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    arguments.check()?;
    let (server, tools, called) = match ask(arguments) {
        Err(error) => match error.downcast_ref::<Failure>() {
            Some(Failure::Interrupted(signal)) => {
                output::tell(format_args!("tamis: interrupted; nothing is written"));
                return Ok(ExitCode::from(128 + u8::try_from(*signal).unwrap_or(0)));
            }
            _ => return Err(error),
        },
        Ok(found) => found,
    };
    let mut samples = results::read(&arguments.results, &tools)?;
    samples.extend(called);
    let sandbox = arguments.sandbox.open()?;
    let workshop = Workshop::new(&sandbox)?;
    let findings = find_out(&workshop, &tools, &samples)?;
    let survey = Survey {
        server,
        tools,
        samples,
        findings,
    };
    let (text, tests) = survey.page(arguments, &workshop, &sandbox)?;
    if arguments.is_to_stdout() {
        output::print_data(text.as_bytes())?;
    } else {
        arguments.write(&text)?;
    }
    if arguments.json {
        let report = survey.json(&arguments.output, &tests);
        output::print_json(&format!("{report:#}\n"))?;
    } else {
        output::tell(format_args!(
            "{}",
            survey.account(arguments, &tests).trim_end()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn is_to_stdout(&self) -> bool {
        self.output == Path::new("-")
    }

    /// What can be known to go wrong before a server is started.
    fn check(&self) -> Result<()> {
        if self.is_to_stdout() {
            if self.json {
                bail!("--json and `-o -` both write to standard output: name a file");
            }
            return Ok(());
        }
        let path = shell::word(&self.output);
        if self.output.is_dir() {
            bail!("{path} is a folder: name the file, as in `-o {path}/filters.toml`");
        }
        if self.output.symlink_metadata().is_ok() && !self.force {
            return Err(self.is_there());
        }
        let folder = self.folder();
        if !folder.is_dir() {
            bail!("no folder {}", shell::word(folder));
        }
        Ok(())
    }

    fn is_there(&self) -> anyhow::Error {
        anyhow!(
            "{} already exists: --force overwrites it, -o FILE names another file, `-o -` prints",
            shell::word(&self.output)
        )
    }

    /// Where paths in the file start.
    fn folder(&self) -> &Path {
        match self.output.parent() {
            Some(folder) if !folder.as_os_str().is_empty() && !self.is_to_stdout() => folder,
            _ => Path::new("."),
        }
    }

    fn write(&self, text: &str) -> Result<()> {
        let writing = || format!("write {}", self.output.display());
        if self.force {
            return crate::file::replace(&self.output, text.as_bytes(), 0o644)
                .with_context(writing);
        }
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o644)
            .open(&self.output);
        match file {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(self.is_there()),
            file => file
                .and_then(|mut file| file.write_all(text.as_bytes()))
                .with_context(writing),
        }
    }
}

/// Asks the server what it has, and with `--call` its tools.
fn ask(arguments: &Arguments) -> Result<(ServerName, Vec<Tool>, Vec<Sample>)> {
    let line: Vec<String> = arguments.command.iter().map(shell::word).collect();
    output::tell(format_args!("tamis: starting {}", line.join(" ")));
    let patience = Duration::from_secs(arguments.timeout);
    let mut inquiry = Inquiry::start(&arguments.command, patience)?;
    let tools = inquiry.tools()?;
    if tools.is_empty() {
        bail!("the server lists no tools, so Tamis has nothing to filter");
    }
    let mut calls = Vec::new();
    for trial in &arguments.trials {
        let Some(index) = tools.iter().position(|tool| tool.name == trial.tool) else {
            bail!(
                "--try: the server has no tool `{}`; it has {}",
                printable::line(&trial.tool),
                results::names(&tools)
            );
        };
        calls.push((index, trial.arguments.clone()));
    }
    if arguments.call {
        calls.extend(harmless(&tools));
    }
    let mut samples = Vec::new();
    for (index, arguments) in calls {
        samples.extend(call(&mut inquiry, &tools[index], index, arguments)?);
    }
    Ok((inquiry.server.clone(), tools, samples))
}

/// The calls that need no arguments, and that the server says change nothing.
fn harmless(tools: &[Tool]) -> Vec<(usize, Map<String, Value>)> {
    let is_harmless =
        |(_, tool): &(usize, &Tool)| tool.read_only == Some(true) && !tool.needs_arguments;
    let harmless = tools.iter().enumerate().filter(is_harmless);
    let calls: Vec<_> = harmless.map(|(index, _)| (index, Map::new())).collect();
    if calls.is_empty() {
        output::tell(format_args!(
            "tamis: --call: no tool is declared read-only and needs no arguments (--try calls any)"
        ));
    }
    calls
}

/// None: the tool failed, and there may be more calls.
fn call(
    inquiry: &mut Inquiry,
    tool: &Tool,
    index: usize,
    arguments: Map<String, Value>,
) -> Result<Option<Sample>, Failure> {
    let name = printable::line(&tool.name);
    output::tell(format_args!("tamis: calling {name}"));
    match inquiry.call(&tool.name, &arguments) {
        Ok(result) if results::is_error(&result) => {
            let said = String::from_utf8_lossy(&result);
            let said: String = said.chars().take(ERROR_SHOWN).collect();
            output::tell(format_args!(
                "tamis: {name} is left out, since it answered with an error: {}",
                printable::line(&said)
            ));
            Ok(None)
        }
        Ok(result) => Ok(Some(results::called(index, arguments, result))),
        Err(error @ (Failure::Silent { .. } | Failure::Refused { .. })) => {
            output::tell(format_args!("tamis: {name} is left out: {error}"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn find_out(
    workshop: &Workshop<'_>,
    tools: &[Tool],
    samples: &[Sample],
) -> Result<Vec<Option<Finding>>> {
    let mut findings = Vec::new();
    for (index, tool) in tools.iter().enumerate() {
        let of_tool: Vec<&Sample> = samples.iter().filter(|it| it.tool == index).collect();
        if of_tool.is_empty() {
            findings.push(None);
            continue;
        }
        let mut finding = workshop.find_out(&tool.name, &of_tool)?;
        if !page::can_be_bound(tool) {
            finding.own = None;
        }
        findings.push(Some(finding));
    }
    Ok(findings)
}
