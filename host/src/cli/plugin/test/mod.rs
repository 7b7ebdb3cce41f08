//! `tamis plugin test`: runs a filter on hostile documents, and checks its promises.

mod again;
mod cases;

use super::subject::{SettingsArguments, Subject};
use crate::authoring::{self, Broken, KEEPS_STATE, Tried};
use crate::cli::output::{self, Printed};
use crate::cli::policy::SandboxArguments;
use crate::sandbox::{CallError, Plugin};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A filter that hangs need not do so on every document.
const MOST_TIMEOUTS: usize = 3;

/// The warning about a filter that changed nothing: its promises were not tested.
const NONE_CHANGED: &str = "it changed none of the documents, so its promises are not tested: name one that it changes with `--document FILE`, give it other settings with `--settings`, or add cases (`--cases`)";

/// Exit code when something does not hold.
const EXIT_FAILED: u8 = 1;

/// Tests a plugin with hostile documents, and checks its promises.
///
/// The documents are empty, huge, deep, almost JSON, with odd characters or duplicate keys, and so on; others contain
/// the plugin's triggers as text, as keys and in strings.
/// Each call has the default limits of a step, and five seconds. A call may leave the document
/// unchanged, change it, or return an error. It must not crash, run out of time or memory, or break a
/// promise of the plugin: `idempotent`, `exact`, its triggers, and the same answer to the same call.
/// Tamis warns of a plugin that keeps state in memory, because each call has a fresh instance.
///
/// With `--document`, Tamis uses your own documents instead, or calls saved by `tamis run
/// --save-failures`, with the settings and limits that they had.
///
/// Also runs folders of cases: `input.json` or `input.txt`, the expected output in `expected.json` or
/// `expected.txt`, and optionally `settings.json`, `arguments.json` and `test.toml`. They are in the
/// folder of `--cases`, else in `cases` or `tests` of the plugin's project.
///
/// Exit codes: 0 all tests passed, 1 a test failed, 2 the plugin cannot be loaded or refuses its
/// settings.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis plugin test house-style.wasm\n  tamis plugin test house-style.wasm --settings '{\"limit\": 10}' --save-failures failed\n  tamis plugin test house-style.wasm --document saved/*.json      # does it still fail?\n  tamis plugin test house-style.wasm --cases cases --bless\n  tamis plugin test null-stripper --json | jq -r 'select(.state == \"failed\").document'"
)]
pub(super) struct Arguments {
    /// A .wasm file (component or core module), or a built-in filter's name.
    plugin: PathBuf,
    #[command(flatten)]
    settings: SettingsArguments,
    /// Test with this text or JSON instead of the hostile documents, or with a call saved by `tamis run
    /// --save-failures`. May be given several times, and takes several files.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "save_failures")]
    document: Vec<PathBuf>,
    /// Run the cases in this folder and below [default: `cases` or `tests` in the plugin's project].
    #[arg(long, value_name = "FOLDER", conflicts_with = "document")]
    cases: Option<PathBuf>,
    /// Update the expected outputs of the cases, and test nothing else. Read them before you commit
    /// them.
    #[arg(long, conflicts_with_all = ["document", "save_failures"])]
    bless: bool,
    /// Write each document that fails a test to this folder, as NAME.txt.
    #[arg(long, value_name = "DIR")]
    save_failures: Option<PathBuf>,
    /// Print one JSON object a line: one for each document, then a `summary`.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArguments,
}

#[derive(Default)]
struct Counts {
    documents: usize,
    /// The number of documents that were made of its triggers.
    with_triggers: usize,
    changed: usize,
    refused: usize,
    failed: usize,
    grown: usize,
    keeps_state: usize,
    slow: usize,
    timed_out: usize,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let subject = Subject::open(&arguments.plugin)?;
    let sandbox = arguments.sandbox.open()?;
    let plugin = subject.load(&sandbox)?;
    if !arguments.document.is_empty() {
        return again::run(arguments, &subject, &plugin);
    }
    let passed = arguments.bless || try_hostile(arguments, &plugin)?;
    let of_cases = cases::run(arguments, &plugin, &sandbox)?;
    Ok(match of_cases {
        ExitCode::SUCCESS if !passed => ExitCode::from(EXIT_FAILED),
        code => code,
    })
}

/// Whether all holds.
fn try_hostile(arguments: &Arguments, plugin: &Plugin) -> Result<bool> {
    let filter = arguments.settings.configure(plugin, &authoring::limits())?;
    let mut documents = authoring::documents();
    let hostile = documents.len();
    documents.extend(authoring::with_triggers(filter.triggers()));
    let mut out = Printed::stdout(arguments.json);
    let mut counts = Counts::default();
    for tried in authoring::try_all(&filter, &documents) {
        let failed = counts.add(&tried);
        if failed && let Some(folder) = &arguments.save_failures {
            save(folder, &tried)?;
        }
        let text = if arguments.json {
            format!("{}\n", as_json(&tried, failed))
        } else {
            in_words(&tried, failed)
        };
        out.write_all(text.as_bytes()).map_err(output::failed)?;
        counts.timed_out += usize::from(tried.timed_out());
        if counts.timed_out == MOST_TIMEOUTS {
            tracing::warn!(
                "{MOST_TIMEOUTS} calls ran out of time: the other documents are not tested"
            );
            break;
        }
    }
    counts.with_triggers = counts.documents.saturating_sub(hostile);
    let summary = if arguments.json {
        format!("{}\n", counts.as_json())
    } else {
        counts.in_words(&plugin.description().name)
    };
    out.write_all(summary.as_bytes()).map_err(output::failed)?;
    Ok(counts.failed == 0)
}

impl Counts {
    /// Whether something does not hold for it.
    fn add(&mut self, tried: &Tried) -> bool {
        let failed = tried.failed();
        self.documents += 1;
        self.changed += usize::from(tried.after.is_some());
        self.refused += usize::from(tried.refused.is_some());
        self.failed += usize::from(failed);
        self.slow += usize::from(tried.is_slow() && !failed);
        let has_grown = |broken: &Broken| matches!(broken, Broken::Grown { .. });
        self.grown += usize::from(tried.broken.iter().any(has_grown));
        self.keeps_state += usize::from(tried.keeps_state());
        failed
    }

    fn in_words(&self, name: &str) -> String {
        let of_triggers = match self.with_triggers {
            0 => String::new(),
            count => format!(" and {count} with its triggers"),
        };
        let mut text = format!(
            "{name}: {} hostile documents{of_triggers}: {} changed, {} refused in words, {} failed",
            self.documents - self.with_triggers,
            self.changed,
            self.refused,
            self.failed
        );
        if self.grown > 0 {
            text += &format!(
                "; {} changes would be discarded, because the documents did not become smaller",
                self.grown
            );
        }
        if self.slow > 0 {
            text += &format!(
                "; {} took longer than a step has by default (`limits = {{ time = \"…\" }}`)",
                self.slow
            );
        }
        text.push('\n');
        for warning in self.warnings() {
            text += &format!("warning: {warning}\n");
        }
        text
    }

    /// Warnings for the author that are no failures.
    fn warnings(&self) -> Vec<&'static str> {
        let none_changed = (self.changed == 0).then_some(NONE_CHANGED);
        let keeps_state = (self.keeps_state > 0).then_some(KEEPS_STATE);
        keeps_state.into_iter().chain(none_changed).collect()
    }

    fn as_json(&self) -> Value {
        json!({"summary": {
            "documents": self.documents,
            "with_triggers": self.with_triggers,
            "changed": self.changed,
            "refused": self.refused,
            "failed": self.failed,
            "grown": self.grown,
            "keeps_state": self.keeps_state,
            "slow": self.slow,
            "warnings": self.warnings(),
        }})
    }
}

/// The results that are worth a line: failures and refusals.
fn in_words(tried: &Tried, failed: bool) -> String {
    let mut text = String::new();
    if failed {
        let bytes = tried.before.text().len();
        text += &format!("FAILED  {} ({bytes} bytes)\n", tried.name);
        for broken in tried.broken.iter().filter(|broken| !broken.is_mended()) {
            text += &format!("        {broken}\n");
        }
        text += &help(tried);
    }
    if let Some(words) = &tried.refused {
        text += &format!("refused {}: {words}\n", tried.name);
    }
    text
}

/// The fix for a failed call, in a line of its own.
fn help(tried: &Tried) -> String {
    let remedy = tried.call_error().and_then(CallError::remedy);
    remedy.map_or_else(String::new, |remedy| format!("        help: {remedy}\n"))
}

fn as_json(tried: &Tried, failed: bool) -> Value {
    let state = match (failed, &tried.refused, &tried.after) {
        (true, ..) => "failed",
        (_, Some(_), _) => "refused",
        (_, _, Some(_)) => "changed",
        _ => "unchanged",
    };
    let broken: Vec<String> = tried.broken.iter().map(ToString::to_string).collect();
    json!({
        "document": tried.name,
        "state": state,
        "bytes": tried.before.text().len(),
        "bytes_after": tried.after.as_ref().map(|after| after.text().len()),
        "us": tried.time.as_micros() as u64,
        "refused": tried.refused,
        "broken": broken,
        "help": tried.call_error().and_then(CallError::remedy),
    })
}

fn save(folder: &Path, tried: &Tried) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    let file = folder.join(format!("{}.txt", tried.name));
    std::fs::write(&file, tried.before.text().as_bytes())
        .with_context(|| format!("write {}", file.display()))
}
