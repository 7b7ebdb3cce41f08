//! `tamis plugin bench`: the costs of a filter's call, by the size of the document.

use super::document::{self, Given};
use super::subject::{SettingsArguments, Subject};
use crate::authoring::{self, Measured};
use crate::built_in;
use crate::cli::output;
use crate::cli::policy::SandboxArguments;
use crate::policy::Grants;
use crate::sandbox::{Plugin, Sandbox};
use anyhow::{Context, Result};
use comfy_table::{CellAlignment, Table, presets};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Documents of rows that are measured, unless files are named.
const SIZES: [usize; 5] = [1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20];

/// Measures the cost of a plugin's call: time compared with a filter that does nothing, fuel, and
/// memory.
///
/// Time is the median of calls, each in a fresh instance, alternating with the other filter: compare
/// the ratio, not the microseconds. Fuel is about one for each instruction, and the same on every
/// machine: check it in CI.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis plugin bench house-style.wasm\n  tamis plugin bench house-style.wasm --settings '{\"limit\": 10}' --document answer.json\n  tamis plugin bench null-stripper --json | jq .fuel"
)]
pub(super) struct Arguments {
    /// A .wasm file (component or core module), or a built-in filter's name.
    plugin: PathBuf,
    #[command(flatten)]
    settings: SettingsArguments,
    /// Measure with this text or JSON, or with a call saved by `tamis run --save-failures`, instead of
    /// rows. May be given several times.
    #[arg(long, value_name = "FILE")]
    document: Vec<PathBuf>,
    /// Print one JSON object a line, times in microseconds.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let subject = Subject::open(&arguments.plugin)?;
    let sandbox = arguments.sandbox.open()?;
    let limits = authoring::limits();
    let plugin = subject.load(&sandbox)?;
    let counting = subject.load(&Sandbox::counting_fuel().compiled_by_this_program()?)?;
    let no_op = sandbox
        .load(
            "no-op",
            &built_in::NO_OP.unpack(),
            Grants::default(),
            &limits,
        )
        .and_then(|plugin| plugin.configure("{}", &limits))
        .context("the filter that does nothing")?;
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["document", "µs", "no-op µs", "fuel", "memory KiB"]);
    let mut lines = String::new();
    for given in documents(arguments, &subject, &plugin)? {
        let filter = |plugin| given.filter(plugin, &arguments.settings, &limits);
        let (filter, counting) = (filter(&plugin)?, filter(&counting)?);
        let measured = authoring::measure(&filter, &counting, &no_op, &given.document)
            .with_context(|| format!("{} on {}", subject.name, given.name))?;
        lines += &format!("{}\n", as_json(&given.name, &measured));
        table.add_row([
            given.name,
            micros(measured.time),
            micros(measured.no_op),
            measured.fuel.to_string(),
            (measured.memory_bytes / 1024).to_string(),
        ]);
    }
    for index in 1..=4 {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let text = if arguments.json {
        lines
    } else {
        format!("{}\n", table.trim_fmt())
    };
    output::print_either(&text, arguments.json)?;
    Ok(ExitCode::SUCCESS)
}

fn documents(arguments: &Arguments, subject: &Subject, plugin: &Plugin) -> Result<Vec<Given>> {
    if arguments.document.is_empty() {
        let of_rows = |bytes: usize| Given {
            name: format!("rows, {} KB", bytes >> 10),
            document: Measured::document(bytes),
            saved: None,
        };
        return Ok(SIZES.map(of_rows).into());
    }
    let files = arguments.document.iter();
    let given: Result<Vec<Vec<Given>>> = files
        .map(|path| document::read(path, subject, plugin))
        .collect();
    Ok(given?.into_iter().flatten().collect())
}

fn micros(time: std::time::Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e6)
}

fn as_json(name: &str, measured: &Measured) -> serde_json::Value {
    let us = |time: std::time::Duration| (time.as_secs_f64() * 1e7).round() / 10.0;
    json!({
        "document": name,
        "bytes": measured.bytes,
        "us": us(measured.time),
        "no_op_us": us(measured.no_op),
        "fuel": measured.fuel,
        "memory_bytes": measured.memory_bytes,
        "rounds": measured.rounds,
    })
}
