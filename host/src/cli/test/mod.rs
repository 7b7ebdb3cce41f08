//! `tamis test`: the tests of a policy.

mod junit;
pub(super) mod printer;

use super::policy::PolicyArguments;
use super::progress::Progress;
use crate::cases::{self, Case, Outcome, Suite};
use crate::cli::output::Printed;
use crate::policy::{Code, Finding, Report};
use crate::sandbox::Sandbox;
use anyhow::{Result, bail};
use printer::{Format, Printer};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exit code for a failed test, or for findings that `--deny` names.
const EXIT_FAILED: u8 = 1;

/// Runs the tests of a policy: its `[[test]]` tables, and folders of cases.
///
/// A test gives a chain an input, and states the whole output (`expect`, `expect-file`) or properties
/// of it (`contains`, `lacks`, `max-tokens`, `max-bytes`, `unchanged`, `withheld`). A folder with an
/// `input.json` or `input.txt` is a test too; the output must equal its `expected.json` or
/// `expected.txt`.
///
/// Also reports steps that change nothing in any test, and steps that would fail or do nothing in
/// service. With `--deny`, these fail.
///
/// Exit codes: 0 all tests passed, 1 a test failed, 2 the policy or a test is broken.
#[derive(clap::Args)]
#[command(
    after_help = "In filters.toml:\n  [[test]]\n  tool = \"lens_explain\"\n  input-file = \"fixtures/explain.json\"\n  contains = [\"source_preview\"]\n  lacks = [\"llm_hint\"]\n  max-tokens = 2000\n\nExamples:\n  tamis test filters.toml\n  tamis test filters.toml explain          # tests with `explain` in their names\n  tamis test filters.toml --bless          # update expected outputs\n  tamis test tests/cases --config filters.toml\n  tamis test filters.toml --deny untested --deny step-failed --deny step-no-original --format junit > tests.xml    # in CI\n  tamis test filters.toml --json | jq -r 'select(.status == \"failed\").name'"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: PolicyArguments,
    /// A filters.toml, a folder with one, or a folder of cases. Default: as for `--config`.
    path: Option<PathBuf>,
    /// Only tests whose name contains one of these.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Update expected outputs: files, and strings in filters.toml. Print each file that changed.
    #[arg(long)]
    bless: bool,
    /// Print the results in this form.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    format: Format,
    /// The same as `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Also fail if Tamis finds this. May be given several times.
    #[arg(long, value_enum, value_name = "WHAT")]
    deny: Vec<Denied>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Denied {
    /// A step that no test exercises.
    Untested,
    /// A step that took longer than its limit `time`. A busy machine can cause this.
    StepSlow,
    /// A step that failed in a test that passes.
    StepFailed,
    /// A step that cuts nothing, because its chain stores no original.
    StepNoOriginal,
}

impl Denied {
    /// The code of the warnings that this denies.
    fn code(self) -> Code {
        match self {
            Denied::Untested => Code::StepUntested,
            Denied::StepSlow => Code::StepSlow,
            Denied::StepFailed => Code::StepFailed,
            Denied::StepNoOriginal => Code::StepNoOriginal,
        }
    }
}

/// The suites of one run.
struct Found {
    /// The one of the policy that was named.
    main: Option<Suite>,
    /// All of that policy's tests are here, so that a step without one can be reported.
    is_complete: bool,
    /// The suites of folders with a filters.toml of their own.
    others: Vec<Suite>,
    /// The file or folder that they are from.
    of: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (path, names) = arguments.split()?;
    let sandbox = arguments.policy.sandbox()?;
    let progress = Progress::of_compiling(&sandbox);
    let found = find(arguments, path.as_deref(), &sandbox);
    drop(progress);
    let format = arguments.format();
    let mut printer = Printer::new(Printed::stdout(format == Format::Json), format);
    printer.denied = arguments.deny.iter().map(|denied| denied.code()).collect();
    let found = match found {
        Ok((found, errors)) if errors.is_empty() => found,
        Ok((_, errors)) => return broken(arguments, path.as_deref(), &errors, &mut printer),
        Err(error) => return broken(arguments, path.as_deref(), &[error], &mut printer),
    };
    run_all(arguments, &found, &names, &mut printer)?;
    let untested = printer.denies(Code::StepUntested) && printer.counts.untested > 0;
    if printer.counts.failed > 0 || untested {
        return Ok(ExitCode::from(EXIT_FAILED));
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows why the tests cannot run.
fn broken(
    arguments: &Arguments,
    path: Option<&Path>,
    errors: &[anyhow::Error],
    printer: &mut Printer<impl Write>,
) -> Result<ExitCode> {
    let of = arguments.policy.path(path);
    printer.broken(&of.unwrap_or_else(|| "filters.toml".into()), errors)?;
    for error in errors {
        super::print_error(error);
    }
    Ok(ExitCode::from(super::EXIT_ERROR))
}

impl Arguments {
    fn format(&self) -> Format {
        match self.json {
            true => Format::Json,
            false => self.format,
        }
    }

    /// The path and the names: a first word that is no path is a name.
    fn split(&self) -> Result<(Option<PathBuf>, Vec<String>)> {
        let Some(path) = &self.path else {
            return Ok((None, self.names.clone()));
        };
        if path.exists() {
            return Ok((Some(path.clone()), self.names.clone()));
        }
        let looks_like_a_path = path
            .extension()
            .is_some_and(|extension| extension == "toml")
            || path.components().count() > 1
            || !self.names.is_empty();
        match path.to_str().filter(|_| !looks_like_a_path) {
            Some(name) => Ok((None, vec![name.to_owned()])),
            None => bail!("no file or folder {}", path.display()),
        }
    }
}

fn find(
    arguments: &Arguments,
    path: Option<&Path>,
    sandbox: &Sandbox,
) -> Result<(Found, Vec<anyhow::Error>)> {
    let own = path.filter(|path| path.is_dir() && !cases::is_case(path));
    let own = own.map(|path| path.join("filters.toml"));
    let own = own.filter(|file| file.is_file());
    let folder = path.filter(|path| path.is_dir() && own.is_none());
    if let Some(folder) = folder {
        // Without `--config` the folders must have their own.
        let mut main = match arguments.policy.named() {
            Some(file) => {
                let mut suite = Suite::new(arguments.policy.read(Some(file))?, sandbox)?;
                suite.cases.clear();
                Some(suite)
            }
            None => None,
        };
        let (others, errors) = cases::gather(folder, main.as_mut(), sandbox);
        let of = folder.to_owned();
        let found = Found {
            main,
            is_complete: false,
            others,
            of,
        };
        return Ok((found, errors));
    }
    let policy = arguments.policy.read(own.as_deref().or(path))?;
    let folder = policy.test_folder.clone();
    let mut main = Suite::new(policy, sandbox)?;
    let (others, errors) = match folder {
        None => (Vec::new(), Vec::new()),
        Some((folder, _)) if folder.is_dir() => cases::gather(&folder, Some(&mut main), sandbox),
        Some((folder, span)) => {
            let message = format!("no folder {}", folder.display());
            let finding = Finding::error(span, message, "not found");
            let help = "a relative path starts at the folder of filters.toml";
            let report = Report::new(main.source().clone(), vec![finding.help(help)]);
            return Err(report.into());
        }
    };
    let of = main.source().path().to_owned();
    let found = Found {
        main: Some(main),
        is_complete: true,
        others,
        of,
    };
    Ok((found, errors))
}

fn run_all(
    arguments: &Arguments,
    found: &Found,
    names: &[String],
    printer: &mut Printer<impl Write>,
) -> Result<()> {
    let wanted =
        |case: &&Case| names.is_empty() || names.iter().any(|name| case.spec.name.contains(name));
    let suites = || found.main.iter().chain(&found.others);
    let all = suites().flat_map(|suite| &suite.cases).count();
    let chosen = suites().flat_map(|suite| &suite.cases).filter(wanted);
    let chosen = chosen.count();
    printer.begin(chosen, all - chosen, &found.of)?;
    for suite in suites() {
        let outcomes = run_suite(suite, wanted, arguments.bless, printer)?;
        let is_main = found
            .main
            .as_ref()
            .is_some_and(|main| std::ptr::eq(main, suite));
        if is_main && found.is_complete && names.is_empty() {
            let outcomes = outcomes.iter().map(|(_, outcome)| outcome);
            printer.untested(suite, suite.untested(outcomes))?;
        }
    }
    printer.end()
}

/// Runs the cases of a suite that are wanted.
pub(super) fn run_suite<'s>(
    suite: &'s Suite,
    wanted: impl Fn(&&Case) -> bool,
    bless: bool,
    printer: &mut Printer<impl Write>,
) -> Result<Vec<(&'s Case, Outcome)>> {
    let mut outcomes: Vec<(&Case, Outcome)> = Vec::new();
    for case in suite.cases.iter().filter(wanted) {
        let outcome = suite.run(case);
        if !bless {
            printer.test(suite, case, &outcome)?;
        }
        outcomes.push((case, outcome));
    }
    if bless {
        for path in cases::bless(suite, &mut outcomes)? {
            printer.written(&path)?;
        }
        for (case, outcome) in &outcomes {
            printer.test(suite, case, outcome)?;
        }
    }
    Ok(outcomes)
}
