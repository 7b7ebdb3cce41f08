//! `tamis tools`: the tools of a server, each with its chains, and findings about tools that the server does
//! not have.
//!
//! Owns the ways to list the tools of a server, for `tamis check` too.

use super::policy::{PolicyArguments, read_input};
use crate::chain::Chains;
use crate::cli::output;
use crate::mcp::gate::Gate;
use crate::mcp::inquiry::{Inquiry, Tool};
use crate::policy::{Finding, Piece, Policy, Report, ServerTools, Surface};
use crate::printable;
use crate::shell;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Exit code when a name or pattern of the policy fits no tool.
const EXIT_UNMATCHED: u8 = 1;

/// Shows each tool of a server with the chains that its results may have, and the hidden tools.
///
/// Also shows the names and patterns of filters.toml that fit no tool of the server. Starts the server and
/// lists its tools, but calls none.
///
/// Exit codes: 0 every name fits a tool, 1 a name fits none, 2 Tamis could not find out.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis tools -- npx -y @modelcontextprotocol/server-filesystem .\n  tamis tools --config filters.toml --tools tools.json\n  tamis tools --json -- my-server | jq '.tools[] | select(.chains == [])'"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: PolicyArguments,
    #[command(flatten)]
    of: ServerArguments,
    /// Use this profile, as `tamis run --profile` does.
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// The source of the list of tools.
#[derive(clap::Args)]
pub(super) struct ServerArguments {
    /// A file with the tools: the result of `tools/list`, a list of tools, or a list of names. `-`: standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    tools: Option<PathBuf>,
    /// The server's name, for chains with `servers`. Default: the name of its program.
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// The server's command and its arguments. Tamis starts it, and lists its tools.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// How long to wait for each answer of a server.
const PATIENCE: Duration = Duration::from_secs(60);

/// The tools of a server.
pub(super) struct Known {
    pub(super) server: Option<String>,
    pub(super) names: Vec<String>,
}

impl ServerArguments {
    /// The tools that the command line names. None: it names none.
    pub(super) fn known(&self) -> Result<Option<Known>> {
        if let Some(file) = &self.tools {
            let text = read_input(Some(file))?;
            let value: Value = serde_json::from_slice(&text)
                .with_context(|| format!("read {}", file.display()))?;
            let names = names_in(&value).with_context(|| {
                format!(
                    "read {}: allowed: the result of `tools/list`, or a list of tools or names",
                    file.display()
                )
            })?;
            let server = self.server.clone();
            return Ok(Some(Known { server, names }));
        }
        let Some(program) = self.command.first() else {
            return Ok(None);
        };
        let line: Vec<String> = self.command.iter().map(shell::word).collect();
        output::tell(format_args!("tamis: starting {}", line.join(" ")));
        let tools = Inquiry::start(&self.command, PATIENCE)?.tools()?;
        let file = || {
            Path::new(program)
                .file_name()
                .map(|word| word.to_string_lossy().into_owned())
        };
        Ok(Some(Known {
            server: self.server.clone().or_else(file),
            names: tools.into_iter().map(|Tool { name, .. }| name).collect(),
        }))
    }
}

impl Known {
    /// The policy's findings about tools that the server does not have.
    pub(super) fn findings(&self, policy: &Policy) -> Vec<Finding> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        policy.unmatched(&[ServerTools {
            server: self.server.as_deref(),
            tools: names,
        }])
    }
}

/// The names of tools in a list, in a result of `tools/list`, or in its frame.
fn names_in(value: &Value) -> Option<Vec<String>> {
    let list = match value {
        Value::Array(list) => list,
        Value::Object(_) => [&value["tools"], &value["result"]["tools"]]
            .into_iter()
            .find_map(Value::as_array)?,
        _ => return None,
    };
    let name = |tool: &Value| tool.as_str().or(tool["name"].as_str()).map(str::to_owned);
    list.iter().map(name).collect()
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Some(known) = arguments.of.known()? else {
        bail!("name the server: `tamis tools -- COMMAND`, or a file with its tools: --tools FILE");
    };
    let chains = arguments.policy.load()?;
    let policy = chains.policy();
    let gate = Gate::new(policy, arguments.profile.as_deref())?;
    let rows: Vec<Row> = known
        .names
        .iter()
        .map(|name| Row::new(&chains, &gate, &known, name))
        .collect();
    let findings = known.findings(policy);
    let is_clean = findings.is_empty();
    let report = Report::new(policy.source.clone(), findings);
    if arguments.json {
        let unmatched: Vec<Value> = report
            .findings()
            .iter()
            .map(|finding| super::check::json::finding_json(finding, &policy.source))
            .collect();
        let rows: Vec<Value> = rows.iter().map(Row::json).collect();
        let object = json!({"server": known.server, "tools": rows, "unmatched": unmatched});
        output::print_json(&format!("{object:#}\n"))?;
    } else {
        output::print_coloured(&table(&rows))?;
        if !is_clean {
            let colour = super::has_colour(&std::io::stdout());
            output::print_coloured(&format!("\n{}\n", report.render(colour)))?;
        }
    }
    Ok(match is_clean {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(EXIT_UNMATCHED),
    })
}

/// A tool of the server.
struct Row {
    name: String,
    /// Why clients do not see it.
    refusal: Option<String>,
    /// The chains that its results may have, with their conditions.
    chains: Vec<String>,
    /// The chain of its description.
    description: Option<String>,
}

impl Row {
    fn new(chains: &Chains, gate: &Gate, known: &Known, name: &str) -> Row {
        let piece = |surface| Piece {
            server: known.server.as_deref(),
            ..Piece::new(surface, name)
        };
        let policy = chains.policy();
        let describe_chain = |index: usize| {
            let chain = &policy.chains[index];
            let conditions = chain.binding.conditions.listed();
            match conditions.is_empty() {
                true => chain.name.clone(),
                false => format!("{} ({})", chain.name, conditions.join(", ")),
            }
        };
        Row {
            name: name.to_owned(),
            refusal: gate.refusal(name),
            chains: policy
                .chains_for(&piece(Surface::Result))
                .map(describe_chain)
                .collect(),
            description: policy
                .chain_for(&piece(Surface::Description))
                .map(describe_chain),
        }
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "refusal": self.refusal,
            "chains": self.chains,
            "description_chain": self.description,
        })
    }
}

fn table(rows: &[Row]) -> String {
    let mut lines = vec![["tool", "for clients", "chains of its results"].map(str::to_owned)];
    lines.extend(rows.iter().map(|row| {
        let listed = match row.refusal {
            Some(_) => "hidden",
            None => "listed",
        };
        let mut chains = row.chains.join(", ");
        if chains.is_empty() {
            chains = "none: they pass".to_owned();
        }
        if let Some(chain) = &row.description {
            chains += &format!("; its description: {chain}");
        }
        [
            printable::line(&row.name),
            listed.to_owned(),
            printable::line(&chains),
        ]
    }));
    let width = |column: usize| {
        lines
            .iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let (first, second) = (width(0), width(1));
    let lines = lines
        .iter()
        .map(|[tool, listed, chains]| format!("{tool:first$}  {listed:second$}  {chains}\n"));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_each_form_of_a_list() {
        let names = || Some(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(names_in(&json!(["a", {"name": "b"}])), names());
        assert_eq!(
            names_in(&json!({"tools": [{"name": "a"}, {"name": "b"}]})),
            names()
        );
        assert_eq!(
            names_in(&json!({"id": 1, "result": {"tools": ["a", "b"]}})),
            names()
        );
        for other in [json!({}), json!(1), json!([1]), json!({"tools": 1})] {
            assert_eq!(names_in(&other), None, "{other}");
        }
    }
}
