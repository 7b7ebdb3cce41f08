//! `tamis init`: a filters.toml to start from, made of what a server has.

mod chains;
mod fixture;
mod page;
mod results;

use super::policy::SandboxArguments;
use crate::built_in;
use crate::dry_run::{self, Call, Input, Output};
use crate::mcp::inquiry::{Failure, Inquiry, ServerName, Tool};
use crate::policy::{Policy, Source, Surface};
use crate::sandbox::Sandbox;
use crate::shell;
use crate::{chain, tokens};
use anyhow::{Context, Result, anyhow, bail};
use chains::{Finding, Measure, Workshop};
use page::{Page, Test};
use results::Sample;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Writes a commented filters.toml to start from, for the tools that a server has.
///
/// Starts the server as `tamis run` does, and asks it for its tools. The file has the chain of the built-in policy,
/// and names every tool with what the server says of it. Where there are results, it says what the
/// chain makes of them, measured in tokens by running it; a tool that another chain serves better gets
/// that; and one result becomes a `[[test]]`. Nothing is called without `--call`.
///
/// Exit codes: 0 done, 2 an error: nothing is written.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis init -- npx -y @modelcontextprotocol/server-filesystem .\n  tamis init --results recorded/ -- uvx mcp-server-git\n  tamis init --call -o everything.toml -- npx -y @modelcontextprotocol/server-everything\n  tamis init -o - -- my-server | less"
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
    /// Results that tools gave: files named by their tools (list_users.json, list_users-2.json), and folders of
    /// such files. Each holds a result as MCP has it, or what a tool said as JSON or text.
    #[arg(long, alias = "from-results", value_name = "PATH", num_args = 1..)]
    results: Vec<PathBuf>,
    /// Call the tools that need no arguments and that the server itself declares to be read-only, to have
    /// results of them. Tamis cannot check that word.
    #[arg(long)]
    call: bool,
    /// How long to wait for each answer of the server.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Write over a file that is there.
    #[arg(long)]
    force: bool,
    /// Print what was found out as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArguments,
    /// The server's command and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// What there is to know of a server.
struct Survey {
    server: ServerName,
    tools: Vec<Tool>,
    samples: Vec<Sample>,
    /// Of each tool, where there are results of it.
    findings: Vec<Option<Finding>>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    arguments.check()?;
    let (server, tools, called) = match ask(arguments) {
        Err(error) => match error.downcast_ref::<Failure>() {
            Some(Failure::Interrupted(signal)) => {
                eprintln!("tamis: interrupted; nothing is written");
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
    let (text, test) = survey.write_page(arguments, &workshop, &sandbox)?;
    if arguments.is_to_stdout() {
        super::install::print(&text)?;
    } else {
        arguments.write(&text)?;
    }
    if arguments.json {
        let report = survey.json(arguments, test.as_ref());
        super::install::print(&format!("{report:#}\n"))?;
    } else {
        eprint!("{}", survey.account(arguments, test.as_ref()));
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
            bail!("there is no folder {}", shell::word(folder));
        }
        Ok(())
    }

    fn is_there(&self) -> anyhow::Error {
        anyhow!(
            "{} is there already: --force writes over it, -o FILE names another, `-o -` prints",
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
            return crate::file::replace(&self.output, text.as_bytes(), 0o644).with_context(writing);
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
    eprintln!("tamis: starting {}", line.join(" "));
    let patience = Duration::from_secs(arguments.timeout);
    let mut inquiry = Inquiry::start(&arguments.command, patience)?;
    let tools = inquiry.tools()?;
    if tools.is_empty() {
        bail!("the server lists no tools, so there is nothing to filter");
    }
    let called = if arguments.call {
        call(&mut inquiry, &tools)?
    } else {
        Vec::new()
    };
    Ok((inquiry.server.clone(), tools, called))
}

/// Calls every tool that may be called.
fn call(inquiry: &mut Inquiry, tools: &[Tool]) -> Result<Vec<Sample>, Failure> {
    let mut samples = Vec::new();
    let harmless = |(_, tool): &(usize, &Tool)| tool.read_only == Some(true) && !tool.needs_arguments;
    let harmless: Vec<(usize, &Tool)> = tools.iter().enumerate().filter(harmless).collect();
    if harmless.is_empty() {
        eprintln!("tamis: nothing is called: no tool is declared read-only and needs no arguments");
    }
    for (index, tool) in harmless {
        let name = shell::printable(&tool.name);
        eprintln!("tamis: calling {name}");
        match inquiry.call(&tool.name) {
            Ok(result) if results::is_error(&result) => {
                eprintln!("tamis: {name} answered with an error, which is left out");
            }
            Ok(result) => samples.push(results::called(index, result)),
            Err(error @ (Failure::Silent { .. } | Failure::Refused { .. })) => {
                eprintln!("tamis: {name} is left out: {error}");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(samples)
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

impl Survey {
    /// The text, and its test. Writes the result that the test reads where it has no file.
    fn write_page(
        &self,
        arguments: &Arguments,
        workshop: &Workshop<'_>,
        sandbox: &Sandbox,
    ) -> Result<(String, Option<Test>)> {
        let page = |test| Page {
            server: &self.server,
            tools: &self.tools,
            findings: &self.findings,
            base: workshop.base(),
            test,
        };
        let parse = |text: &str| {
            let source = Source::new(&*arguments.output, text)?;
            Policy::parse(source, &built_in::names())
        };
        let text = page(None).text();
        let mut policy = parse(&text)?;
        crate::cases::unhurried(&mut policy);
        let chains = chain::load(policy, sandbox)?;
        let Some(test) = self.test(arguments, &chains)? else {
            return Ok((text, None));
        };
        let text = page(Some(&test)).text();
        parse(&text)?;
        Ok((text, Some(test)))
    }

    /// A test of the result of which a chain saves the most.
    fn test(&self, arguments: &Arguments, chains: &chain::Chains) -> Result<Option<Test>> {
        let mut best: Option<(&Sample, Output, u64)> = None;
        for sample in &self.samples {
            let tool = &self.tools[sample.tool].name;
            let may_be_named = arguments.is_to_stdout()
                && fixture::within(arguments.folder(), sample.file.as_deref()).is_none();
            if tool.is_empty() || results::is_error(&sample.result) || may_be_named {
                continue;
            }
            let Some(chain) = chains.find(Surface::Result, tool) else {
                continue;
            };
            let call = Call {
                server: "",
                surface: Surface::Result,
                name: tool,
                arguments: "{}",
            };
            chain.forget_faults();
            let input = Input::new(sample.result.as_slice());
            let output = dry_run::run(chain, &chains.policy().read_tool, &call, &input);
            let (before, after) = output.tokens();
            let saved = before.saturating_sub(after);
            let has_failed = output
                .documents
                .iter()
                .flat_map(|it| &it.receipts)
                .any(|it| it.outcome.is_failure());
            if !has_failed && best.as_ref().is_none_or(|(.., most)| saved > *most) {
                best = Some((sample, output, saved));
            }
        }
        let Some((sample, output, _)) = best else {
            return Ok(None);
        };
        let tool = self.tools[sample.tool].name.clone();
        let folder = arguments.folder();
        let input_file = match fixture::within(folder, sample.file.as_deref()) {
            Some(path) => path,
            None => fixture::write(folder, &tool, &sample.result)?,
        };
        let count = |bytes: &[u8]| u64::from(tokens::count(&String::from_utf8_lossy(bytes)));
        Ok(Some(Test {
            tokens_before: count(&sample.result),
            tokens_after: count(output.bytes.as_deref().unwrap_or_default()),
            word: word(&output),
            tool,
            input_file,
        }))
    }

    /// Sum over all results.
    fn total(&self) -> Option<Measure> {
        let measures = self.findings.iter().flatten().map(Finding::measure);
        measures.reduce(|sum, it| Measure {
            results: sum.results + it.results,
            before: sum.before + it.before,
            after: sum.after + it.after,
            cut: sum.cut + it.cut,
            uncut: sum.uncut + it.uncut,
        })
    }

    /// What was found out and what to do next, for a person.
    fn account(&self, arguments: &Arguments, test: Option<&Test>) -> String {
        let mut text = String::new();
        let file = shell::word(&arguments.output);
        let tools = match self.tools.len() {
            1 => "1 tool".to_owned(),
            tools => format!("{tools} tools"),
        };
        if !arguments.is_to_stdout() {
            text += &format!("written: {file}, for {tools}\n");
        }
        match self.total() {
            Some(total) => text += &format!("expected, from {}\n", page::account(total)),
            None => {
                text += "what it saves is not known: there are no results of the tools (--results, --call)\n";
            }
        }
        if let Some(test) = test {
            text += &format!(
                "its test reads {}: look at it before you share it\n",
                shell::word(arguments.folder().join(&test.input_file))
            );
        }
        if arguments.is_to_stdout() {
            return text;
        }
        let line: Vec<String> = arguments.command.iter().map(shell::word).collect();
        let whole = arguments.output.canonicalize();
        let whole = shell::word(whole.as_ref().unwrap_or(&arguments.output));
        text += &format!("\nnext:\n  tamis check {file}\n");
        if test.is_some() {
            text += &format!("  tamis test {file}\n");
        }
        text + &format!(
            "  tamis install --config {whole}   # in front of the servers that your clients have; or by hand, in place of the server's command:\n  tamis run --config {whole} -- {}\n",
            line.join(" ")
        )
    }

    fn json(&self, arguments: &Arguments, test: Option<&Test>) -> Value {
        let measure = |measure: Measure| {
            json!({
                "results": measure.results,
                "tokens_before": measure.before,
                "tokens_after": measure.after,
                "cut": measure.cut,
                "tokens_uncut": measure.uncut,
            })
        };
        let tools = self.tools.iter().zip(&self.findings).map(|(tool, finding)| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "read_only": tool.read_only,
                "destructive": tool.destructive,
                "own_chain": finding.as_ref().is_some_and(|it| it.own.is_some()),
                "measured": finding.as_ref().map(|it| measure(it.measure())),
            })
        });
        json!({
            "file": arguments.output,
            "server": {"name": self.server.name, "version": self.server.version},
            "tools": tools.collect::<Vec<_>>(),
            "total": self.total().map(measure),
            "encoding": tokens::ENCODING,
            "test": test.map(|test| json!({"tool": test.tool, "input_file": test.input_file})),
        })
    }
}

/// A word of what came that is in what goes out, for a test to look for.
fn word(output: &Output) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let is_telling = |word: &&str| {
        (5..=40).contains(&word.chars().count()) && word.chars().any(char::is_alphabetic)
    };
    output.documents.iter().find_map(|document| {
        let before = &document.receipts.first()?.before;
        let after = document.receipts.last()?.after.text();
        let mut words = before.text().split(|c| !is_part(c)).filter(is_telling);
        words.find(|word| after.contains(*word)).map(str::to_owned)
    })
}
