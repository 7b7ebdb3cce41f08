//! `tamis check`: everything that can be known of a policy without serving.

use super::lookup;
use super::output;
use super::policy::PolicyArguments;
use super::progress::Progress;
use super::tools::ServerArguments;
use crate::built_in;
use crate::chain;
use crate::policy::{Code, Draft, Finding, Lock, Report, Severity, Source};
use anyhow::Result;
use serde_json::{Map, Value, json};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exit code when there are findings that a policy should not be served with.
const EXIT_FINDINGS: u8 = 1;

/// Checks a policy: the file, its plugins, their settings and grants, and the order of steps.
///
/// Shows every finding at its line, with what is allowed and how to fix it. Starts no server. Loads
/// plugins into their sandbox and asks them whether they accept their settings. Does not compile the
/// plugins of a project's filters.toml that you do not trust, and warns about each. With a server's
/// command or a list of its tools, Tamis also warns of names and patterns that fit no tool. docs/check.md
/// explains each code.
///
/// Exit codes: 0 no errors (warnings and notes are possible), 1 errors, or findings that --deny names,
/// 2 Tamis could not check.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis check                                 # the policy that `tamis run` would use\n  tamis check filters.toml --compile --deny warnings    # in CI\n  tamis check -- npx -y @modelcontextprotocol/server-filesystem .    # do its tools have these names?\n  tamis check filters.toml --allow grant-unused --json | jq '.findings[] | {line, code, message}'"
)]
pub(super) struct Arguments {
    /// The file. Default: the one that `tamis run` would use (--config, TAMIS_CONFIG, this project's if
    /// you trust it, your own).
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    policy: PolicyArguments,
    /// Also compile and check the plugins of a project's filters.toml that you do not trust. A process
    /// with bounded memory and time compiles them, within the default limits at most.
    #[arg(long)]
    compile: bool,
    /// Print one JSON object instead.
    #[arg(long)]
    json: bool,
    /// Also fail on these: `warnings`, `notes` (and warnings), or a code such as `chain-shadowed`. May
    /// be given several times.
    #[arg(long, value_name = "WHAT", value_parser = Denied::parse)]
    deny: Vec<Denied>,
    /// Leave out warnings and notes with this code. May be given several times.
    #[arg(long, value_name = "CODE", value_parser = code)]
    allow: Vec<Code>,
    #[command(flatten)]
    of: ServerArguments,
}

/// What makes a check fail beside errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Denied {
    Warnings,
    Notes,
    Code(Code),
}

impl Denied {
    fn parse(text: &str) -> Result<Denied, String> {
        match text {
            "warnings" => Ok(Denied::Warnings),
            "notes" => Ok(Denied::Notes),
            other => code(other)
                .map(Denied::Code)
                .map_err(|error| format!("{error}. It may also be `warnings` or `notes`")),
        }
    }

    fn is(self, finding: &Finding) -> bool {
        match self {
            Denied::Warnings => finding.severity == Severity::Warning,
            Denied::Notes => finding.severity != Severity::Error,
            Denied::Code(code) => finding.code == code,
        }
    }
}

fn code(text: &str) -> Result<Code, String> {
    let mut all = Code::ALL.into_iter();
    all.find(|code| code.name() == text).ok_or_else(|| {
        let known = Code::ALL.map(Code::name);
        match crate::policy::nearest_name(text, &known) {
            Some(near) => format!("unknown code `{text}`; did you mean `{near}`?"),
            None => format!("unknown code `{text}`; docs/check.md lists the codes"),
        }
    })
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let file = arguments.policy.path(arguments.file.as_deref());
    let source = match &file {
        Some(file) => Source::read(file),
        None => lookup::built_in(),
    };
    let report = match source {
        Ok(source) => Some(examine(arguments, source, file.as_deref())?),
        Err(error) => match error.downcast::<Report>() {
            Ok(report) => Some(report),
            Err(error) if arguments.json => {
                let file = file.unwrap_or_default().display().to_string();
                output::print_json(&format!("{}\n", unreadable(&file, &format!("{error:#}"))))?;
                return Ok(ExitCode::from(super::EXIT_ERROR));
            }
            Err(error) => return Err(error),
        },
    };
    let Some(report) = report else {
        return Ok(ExitCode::SUCCESS);
    };
    let kept = |finding: &Finding| {
        finding.severity == Severity::Error || !arguments.allow.contains(&finding.code)
    };
    let source = report.source().clone();
    let findings = report.into_findings().into_iter().filter(kept).collect();
    let report = Report::new(source, findings);
    let fails = |finding: &Finding| {
        finding.severity == Severity::Error || arguments.deny.iter().any(|it| it.is(finding))
    };
    let is_clean = !report.findings().iter().any(fails);
    if arguments.json {
        output::print_json(&format!("{:#}\n", json(&report, is_clean)))?;
    } else {
        output::print_coloured(&format!("{}\n", report.render(use_colour())))?;
    }
    Ok(if is_clean {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(EXIT_FINDINGS)
    })
}

fn examine(arguments: &Arguments, source: Source, file: Option<&Path>) -> Result<Report> {
    let mut draft = match Draft::parse(source, &built_in::names()) {
        Ok(draft) => draft,
        Err(report) => return Ok(report),
    };
    let mut sandbox = arguments.policy.sandbox()?;
    if let Some(file) = file {
        if !lookup::may_fetch(file) {
            draft = draft.without_fetching();
            // A file that was named with --config is one to be used as it is.
            if arguments.file.is_some() {
                draft = draft.compiled_by_default_limits();
                if !arguments.compile {
                    draft = draft.without_compiling();
                    // None is ever taken: a snapshot is compiled, too.
                    sandbox = sandbox.with_snapshots_later();
                }
            }
        }
        match Lock::of(file).map_err(anyhow::Error::downcast::<Report>) {
            Ok(None) => {}
            Ok(Some(lock)) => draft = draft.locked_by(lock),
            // Of plugins there is no more to say than that it is not known which they should be.
            Err(Ok(report)) => return Ok(report),
            Err(Err(error)) => return Err(error),
        }
    }
    if let Some(known) = arguments.of.known()? {
        draft = draft.with(|policy| known.findings(policy));
    }
    let _progress = Progress::of_compiling(&sandbox);
    Ok(chain::examine(&draft, &sandbox))
}

/// Colour on standard output: on a terminal, unless `NO_COLOR` says otherwise.
fn use_colour() -> bool {
    std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn json(report: &Report, is_clean: bool) -> Value {
    let source = report.source();
    let findings: Vec<Value> = report
        .findings()
        .iter()
        .map(|finding| finding_json(finding, source))
        .collect();
    json!({
        "file": source.path().display().to_string(),
        "ok": is_clean,
        "errors": report.count(Severity::Error),
        "warnings": report.count(Severity::Warning),
        "notes": report.count(Severity::Note),
        "findings": findings,
    })
}

pub(super) fn finding_json(finding: &Finding, source: &Source) -> Value {
    let mut value = json!({
        "severity": finding.severity.name(),
        "code": finding.code.name(),
        "message": finding.message,
        "label": finding.label,
        "help": finding.help,
    });
    if let Some(object) = value.as_object_mut() {
        if let Some(span) = finding.span {
            object.extend(place(source, span));
        }
        if let Some((span, label)) = &finding.also {
            let mut also = place(source, *span);
            also.insert("label".to_owned(), label.as_str().into());
            object.insert("also".to_owned(), also.into());
        }
    }
    value
}

/// Lines and columns count from 1, columns in characters; the end is after the last one.
fn place(source: &Source, span: crate::policy::Span) -> Map<String, Value> {
    let (line, column) = source.position(span.start);
    let (end_line, end_column) = source.position(span.end);
    let mut place = Map::new();
    let numbers = [
        ("line", line),
        ("column", column),
        ("end_line", end_line),
        ("end_column", end_column),
        ("start", span.start),
        ("end", span.end),
    ];
    for (name, number) in numbers {
        place.insert(name.to_owned(), number.into());
    }
    place
}

/// The same form for a file that could not be read at all.
fn unreadable(file: &str, error: &str) -> String {
    let finding = json!({
        "severity": Severity::Error.name(),
        "code": Code::FileUnreadable.name(),
        "message": error,
        "label": "",
        "help": null,
    });
    let report = json!({
        "file": file,
        "ok": false,
        "errors": 1,
        "warnings": 0,
        "notes": 0,
        "findings": [finding],
    });
    format!("{report:#}")
}
