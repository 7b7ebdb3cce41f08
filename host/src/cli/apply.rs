//! `tamis apply`: a chain on a file, so that an operator sees what it does.

use super::explain;
use super::policy::{PolicyArguments, read_input};
use crate::chain::{Chain, Emission};
use crate::document::{Document, Kind};
use crate::mcp::read_tool;
use crate::mcp::shape::{self, CallContext, FilteredDocument, OutputSchema};
use crate::policy::{self, Audience, ReadTool, Structured};
use crate::sandbox::{CallInfo, Originals, Part, SessionView, Surface};
use crate::store::Reference;
use anyhow::{Context, Result, bail};
use memchr::memmem;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Exit code when a filter that must run failed, so that the document is withheld.
const EXIT_WITHHELD: u8 = 3;

/// Runs the chain of a tool on one result and prints what the client would get.
///
/// The input is a tool's result as MCP has it (`{"content":[…]}`), or any JSON or text, which
/// then counts as one text block. Exit codes: 0 done, 2 an error, 3 withheld.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis apply --config filters.toml --tool lens_explain --explain < result.json\n  tamis apply -c filters.toml -t lens_explain --json result.json | jq .steps"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: PolicyArguments,
    /// The tool whose chain to run.
    #[arg(long, short, value_name = "NAME")]
    tool: String,
    /// The call's arguments, which filters may look at.
    #[arg(long, value_name = "JSON", default_value = "{}")]
    arguments: String,
    /// What filters see as the server's name.
    #[arg(long, value_name = "NAME", default_value = "")]
    server: String,
    /// Print a table of the steps to standard error: outcome, bytes, tokens, time.
    #[arg(long)]
    explain: bool,
    /// Print one JSON object instead: the steps, and the output as a string.
    #[arg(long, conflicts_with = "explain")]
    json: bool,
    /// The result; `-` or nothing: standard input.
    input: Option<PathBuf>,
}

/// What the chain made of the input.
struct Output {
    /// None: it is withheld.
    bytes: Option<Vec<u8>>,
    withheld: bool,
    documents: Vec<FilteredDocument>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if !serde_json::from_str::<serde_json::Value>(&arguments.arguments)
        .is_ok_and(|it| it.is_object())
    {
        bail!("--arguments is not a JSON object: {}", arguments.arguments);
    }
    let chains = arguments.policy.load()?;
    let input = read_input(arguments.input.as_deref())?;
    let Some(chain) = chains.find(policy::Surface::Result, &arguments.tool) else {
        eprintln!(
            "tamis: no chain fits the tool `{}`: its results pass byte for byte",
            arguments.tool
        );
        print(&input)?;
        return Ok(ExitCode::SUCCESS);
    };
    let settings = chains.policy().read_tool.clone();
    let output = filter(chain, settings, arguments, &input);
    let emitted = output.bytes.as_deref();
    if arguments.json {
        let report = explain::json(chain, &output.documents, emitted);
        print(format!("{report:#}\n").as_bytes())?;
    } else {
        print(emitted.unwrap_or_default())?;
    }
    if arguments.explain {
        eprintln!("{}", explain::table(chain, &output.documents));
    }
    let reference = Reference::of(&input).to_string();
    if emitted.is_some_and(|it| memmem::find(it, reference.as_bytes()).is_some()) {
        eprintln!(
            "tamis: `apply` keeps nothing: {reference} can be read where `tamis run` has cut such a result"
        );
    }
    if output.withheld {
        eprintln!(
            "tamis: this is withheld: a filter that must see all of it (`on-error = \"block\"`) failed or could not"
        );
        return Ok(ExitCode::from(EXIT_WITHHELD));
    }
    Ok(ExitCode::SUCCESS)
}

fn filter(chain: &Chain, settings: ReadTool, arguments: &Arguments, input: &[u8]) -> Output {
    if is_result(input) {
        let call = CallContext {
            server: &arguments.server,
            surface: Surface::Result,
            name: &arguments.tool,
            arguments: &arguments.arguments,
            schema: OutputSchema::Unknown,
            session: None,
            enforces_audience: chain.audience == Some(Audience::Enforce),
            structured: chain.structured.unwrap_or(Structured::Text),
            // What the client would read, without storing anything.
            keep: Arc::new(move |result, _, _| {
                let reference = Reference::of(result);
                Ok(read_tool::names(&settings, &reference, Path::new("")))
            }),
        };
        let filtered = shape::filter_result(chain, &call, input);
        return Output {
            bytes: Some(
                filtered
                    .result
                    .map_or_else(|| input.to_vec(), String::into_bytes),
            ),
            withheld: filtered.withheld,
            documents: filtered.documents,
        };
    }
    let text = std::str::from_utf8(input);
    let run = match text {
        Ok(text) => chain.run(
            &Document::detect(text),
            &CallInfo {
                server: &arguments.server,
                tool: &arguments.tool,
                surface: Surface::Result,
                part: Part::Content,
                index: 0,
                is_error: false,
                sent: None,
                arguments: &arguments.arguments,
                session: None,
            },
            &Originals::none(),
        ),
        Err(_) => chain.run_unreadable("it is not Unicode", &SessionView::default()),
    };
    let bytes = match &run.emission {
        Emission::Unchanged => Some(input.to_vec()),
        Emission::Changed(document) => Some(document.text().as_bytes().to_vec()),
        Emission::Withheld => None,
    };
    Output {
        withheld: matches!(run.emission, Emission::Withheld),
        bytes,
        documents: vec![FilteredDocument {
            part: Part::Whole,
            index: 0,
            receipts: run.receipts,
        }],
    }
}

/// Whether the input is what MCP calls a tool's result.
fn is_result(input: &[u8]) -> bool {
    let Some(document) = std::str::from_utf8(input).ok().map(Document::detect) else {
        return false;
    };
    if document.kind() != Kind::Json {
        return false;
    }
    let Some(tape) = document.tape() else {
        return false;
    };
    tape.members(tape.root()).any(|(key, _)| {
        matches!(
            document.slice(key.start, key.end),
            "\"content\"" | "\"structuredContent\""
        )
    })
}

fn print(bytes: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(bytes)
        .and_then(|()| stdout.flush())
        .context("write to standard output")
}
