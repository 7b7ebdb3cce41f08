//! `tamis plugin profile`: which of its functions a filter spends its time in.

use super::document;
use super::subject::{SettingsArguments, Subject};
use crate::authoring::{self, Measured, Profiled};
use crate::cli::output;
use crate::cli::policy::SandboxArguments;
use crate::policy::Limits;
use crate::sandbox::CallInfo;
use anyhow::{Context, Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Functions that the table has.
const SHOWN: usize = 12;

/// The document, unless one is named: rows, of so many bytes.
const SIZE: usize = 64 << 10;

/// Longest names that the table has, in characters.
const NAME_CHARACTERS: usize = 90;

/// A profile is taken under no hurry: of a call that loops for ever it has this much.
const TIME: Duration = Duration::from_secs(1);

/// Exit code when the call fails.
const EXIT_FAILED: u8 = 1;

/// Shows in which functions a plugin spends its time, and writes a profile for the Firefox profiler.
///
/// Tamis samples the stack of one call about every millisecond. It repeats a short call, in fresh
/// instances, for up to a second. `own` is the share of time in the function itself, `total` includes
/// the functions that it called. The profile does not contain time in the host (the document's text,
/// creating the instance): use `tamis plugin bench` for that. A longer call is stopped after a second,
/// and Tamis shows the profile until then.
///
/// Exit codes: 0 profiled, 1 profiled, and the call failed, 2 no profile.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis plugin profile house-style.wasm --document answer.json\n  tamis plugin profile house-style.wasm --document answer.json -o profile.json   # open it at https://profiler.firefox.com\n  tamis plugin profile jq --settings '{\"program\": \"map(.id)\"}' --json | jq -r '.functions[0].name'"
)]
pub(super) struct Arguments {
    /// A .wasm file (component or core module), or a built-in filter's name.
    plugin: PathBuf,
    #[command(flatten)]
    settings: SettingsArguments,
    /// Filter this text or JSON, or a call saved by `tamis run --save-failures` [default: 64 KB of
    /// rows].
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,
    /// Write the profile to this file, in the format of the Firefox profiler.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print all functions, as one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let subject = Subject::open(&arguments.plugin)?;
    let plugin = subject.load(&arguments.sandbox.open()?)?;
    let limits = Limits {
        time: TIME,
        ..authoring::limits()
    };
    let given = match &arguments.document {
        None => None,
        Some(path) => document::read(path, &subject, &plugin)?.into_iter().next(),
    };
    let profiled = match &given {
        None => {
            let filter = arguments.settings.configure(&plugin, &limits)?;
            let call = CallInfo::of_result("server", "tool");
            authoring::profile(&filter, &Measured::document(SIZE), &call)
        }
        Some(given) => {
            let filter = given.filter(&plugin, &arguments.settings, &limits)?;
            authoring::profile(&filter, &given.document, &given.call())
        }
    };
    let profiled = profiled.with_context(|| subject.name.clone())?;
    if let Some(path) = &arguments.output {
        std::fs::write(path, &profiled.profile.json)
            .with_context(|| format!("write {}", path.display()))?;
    }
    if profiled.functions.is_empty() && profiled.profile.failed.is_none() {
        bail!(
            "{}: no sample was taken in {} calls: the filter does almost nothing on this document; name a larger one with --document",
            subject.name,
            profiled.profile.calls
        );
    }
    let text = match arguments.json {
        true => format!("{:#}\n", as_json(&profiled)),
        false => in_words(&profiled, arguments),
    };
    output::print_either(&text, arguments.json)?;
    Ok(match &profiled.profile.failed {
        None => ExitCode::SUCCESS,
        Some(_) => ExitCode::from(EXIT_FAILED),
    })
}

fn in_words(profiled: &Profiled, arguments: &Arguments) -> String {
    let Profiled {
        profile, functions, ..
    } = profiled;
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["own", "total", "function"]);
    for hot in functions.iter().take(SHOWN) {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let mut name: String = hot.name.chars().take(NAME_CHARACTERS).collect();
        if name.len() < hot.name.len() {
            name.push('…');
        }
        table.add_row([percent(hot.own), percent(hot.total), name]);
    }
    for index in 0..2 {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let more = match functions.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("and {more} more functions\n"),
    };
    let mut text = format!("{}\n{more}\n", table.trim_fmt());
    let calls = match profile.calls {
        1 => "1 call".to_owned(),
        calls => format!("{calls} calls"),
    };
    text += &format!(
        "{} samples of {calls} in {} ms\n",
        profile.samples,
        profile.time.as_millis()
    );
    if let Some(error) = &profile.failed {
        text += &format!("the call failed; this is the profile until then: {error}\n");
    }
    if profiled.is_nameless {
        text += "the plugin contains no names of functions: build it without stripping them (Rust: `strip = \"debuginfo\"` in \
                 [profile.release], not `strip = true`; no `wasm-strip`, and `wasm-opt -g`)\n";
    }
    text += &match &arguments.output {
        Some(path) => format!(
            "{}: open https://profiler.firefox.com and load it there, it stays on this machine\n",
            path.display()
        ),
        None => "`-o profile.json` writes it for https://profiler.firefox.com\n".to_owned(),
    };
    text
}

fn as_json(profiled: &Profiled) -> serde_json::Value {
    let share = |share: f64| (share * 1e4).round() / 1e4;
    let functions: Vec<serde_json::Value> = profiled
        .functions
        .iter()
        .map(|hot| json!({"name": hot.name, "own": share(hot.own), "total": share(hot.total)}))
        .collect();
    json!({
        "samples": profiled.profile.samples,
        "calls": profiled.profile.calls,
        "ms": profiled.profile.time.as_millis() as u64,
        "failed": profiled.profile.failed.as_ref().map(ToString::to_string),
        "has_names": !profiled.is_nameless,
        "functions": functions,
    })
}
