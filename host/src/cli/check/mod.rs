//! `tamis check`: finds all mistakes in a policy that show without serving.
//!
//! Owns the checks. Each form of the report for programs has a module.

mod github;
pub(super) mod json;
mod sarif;

use super::lookup;
use super::output;
use super::policy::PolicyArguments;
use super::progress::Progress;
use super::tools::ServerArguments;
use crate::built_in;
use crate::chain;
use crate::policy::{Code, Draft, Finding, Lock, Report, Severity, Source};
use crate::trust::Standing;
use anyhow::Result;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exit code for findings that must not be served with.
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
    after_help = "Examples:\n  tamis check                                 # the policy that `tamis run` would use\n  tamis check filters.toml --compile --deny warnings    # in CI\n  tamis check -- npx -y @modelcontextprotocol/server-filesystem .    # do its tools have these names?\n  tamis check filters.toml --compile --deny warnings --format github    # in GitHub Actions\n  tamis check filters.toml --format sarif > tamis.sarif\n  tamis check filters.toml --allow grant-unused --json | jq '.findings[] | {line, code, message}'"
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
    /// Print the findings in this form.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    format: Format,
    /// The same as `--format json`.
    #[arg(long, conflicts_with = "format")]
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

/// A form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people: each finding with its line of the file.
    Text,
    /// One JSON object.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Workflow commands: GitHub Actions shows each finding at its line of a pull request.
    Github,
}

impl Arguments {
    fn format(&self) -> Format {
        match self.json {
            true => Format::Json,
            false => self.format,
        }
    }
}

/// Findings that make a check fail in addition to errors.
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
    let format = arguments.format();
    let file = arguments.policy.path(arguments.file.as_deref());
    let source = match &file {
        // A file that was named with --config is used without trust.
        Some(file) if arguments.file.is_some() => lookup::source(file),
        Some(file) => Source::read(file),
        None => lookup::built_in(),
    };
    let report = match source {
        Ok(source) => examine(arguments, source, file.as_deref())?,
        Err(error) => match error.downcast::<Report>() {
            Ok(report) => report,
            Err(error) if format == Format::Text => return Err(error),
            Err(error) => {
                let report = unreadable(&file.unwrap_or_default(), &error)?;
                print(&report, format, Ending::Unreadable)?;
                return Ok(ExitCode::from(super::EXIT_ERROR));
            }
        },
    };
    let kept = |finding: &Finding| {
        finding.severity == Severity::Error || !arguments.allow.contains(&finding.code)
    };
    let source = report.source().clone();
    let findings = report.into_findings().into_iter().filter(kept).collect();
    let report = Report::new(source, findings);
    let fails = |finding: &Finding| {
        finding.severity == Severity::Error
            || arguments.deny.iter().any(|denied| denied.is(finding))
    };
    if report.findings().iter().any(fails) {
        print(&report, format, Ending::Findings)?;
        return Ok(ExitCode::from(EXIT_FINDINGS));
    }
    print(&report, format, Ending::Clean)?;
    Ok(ExitCode::SUCCESS)
}

/// How a check ended: each has an exit code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Clean,
    Findings,
    Unreadable,
}

fn print(report: &Report, format: Format, ending: Ending) -> Result<()> {
    match format {
        Format::Text => output::print_coloured(&format!("{}\n", report.render(use_colour()))),
        Format::Json => {
            let object = json::object(report, ending == Ending::Clean);
            output::print_json(&format!("{object:#}\n"))
        }
        Format::Sarif => {
            let log = sarif::log(report, ending != Ending::Unreadable);
            output::print_json(&format!("{log:#}\n"))
        }
        Format::Github => output::print(&github::commands(report)),
    }
}

/// The report about a file that Tamis cannot read.
fn unreadable(file: &Path, error: &anyhow::Error) -> Result<Report> {
    let finding = Finding::error(None, format!("{error:#}"), "").code(Code::FileUnreadable);
    Ok(Report::new(Source::new(file, "")?, vec![finding]))
}

fn examine(arguments: &Arguments, source: Source, file: Option<&Path>) -> Result<Report> {
    let mut draft = match Draft::parse(source, &built_in::names()) {
        Ok(draft) => draft,
        Err(report) => return Ok(report),
    };
    // A check runs no filter on anything, so no snapshot is worth compiling.
    let sandbox = arguments.policy.sandbox()?.with_snapshots_later();
    if let Some(file) = file {
        let standing = lookup::standing(file);
        // A file that was named with --config is used, trusted or not.
        if let Some(Standing::Changed(changes)) = &standing
            && (arguments.file.is_some() || arguments.policy.named().is_none())
        {
            draft = draft.with(|policy| changes.iter().map(|it| it.finding(policy)).collect());
        }
        if !matches!(standing, None | Some(Standing::Trusted(_))) {
            draft = draft.without_fetching();
            // A file that was named with --config is used without trust.
            if arguments.file.is_some() {
                draft = draft.compiled_by_default_limits();
                if !arguments.compile {
                    draft = draft.without_compiling();
                }
            }
        }
        match Lock::of(file).map_err(anyhow::Error::downcast::<Report>) {
            Ok(None) => {}
            Ok(Some(lock)) => draft = draft.locked_by(lock),
            // The lock file is broken, so the pinned plugins are unknown, and no plugin can be checked.
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
