//! `tamis stats`: what the filters saved, from the ledger.

use super::numbers::grouped;
use crate::ledger::{self, By, Question, Report, Row, Since};
use crate::store::Store;
use crate::tokens;
use anyhow::{Context, Result, anyhow};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Shows what the filters saved, net of what models read back.
///
/// `tamis run` notes each call whose tool has a chain in a ledger: names, counts and times, never
/// arguments or texts. It is `ledger.sqlite` in TAMIS_STATE_DIR, else in ~/.local/state/tamis.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis stats\n  tamis stats --by filter --since 7d\n  tamis stats --by day --since 2026-11-01 --server github\n  tamis stats --json | jq '.total.net_saved_tokens'"
)]
pub(super) struct Arguments {
    /// What a row stands for.
    #[arg(long, value_enum, default_value_t = Rows::Tool, value_name = "WHAT")]
    by: Rows,
    /// Only calls since then: 12h, 7d, 2w back from now, or the day 2026-11-01.
    #[arg(long, value_name = "WHEN")]
    since: Option<Since>,
    /// Only calls of this server, as `tamis run --server` names it.
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// Print the numbers as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Rows {
    Tool,
    Filter,
    Day,
    Client,
}

impl Rows {
    fn by(self) -> By {
        match self {
            Rows::Tool => By::Tool,
            Rows::Filter => By::Filter,
            Rows::Day => By::Day,
            Rows::Client => By::Client,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Rows::Tool => "tool",
            Rows::Filter => "filter",
            Rows::Day => "day",
            Rows::Client => "client",
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let directory = Store::default_directory()
        .ok_or_else(|| anyhow!("there is no home directory to look in: set TAMIS_STATE_DIR"))?;
    let question = Question {
        by: arguments.by.by(),
        since: arguments.since,
        server: arguments.server.clone(),
    };
    let report = ledger::report(&directory, &question)?;
    let text = if arguments.json {
        let report = report.unwrap_or_default();
        format!("{:#}", json(arguments, &report))
    } else {
        match report.filter(|report| !report.servers.is_empty() || !report.is_empty()) {
            None => nothing_yet(&directory),
            Some(report) if report.is_empty() => nothing_fits(arguments, &report),
            Some(report) => table(arguments, &report),
        }
    };
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{text}").context("write to standard output")?;
    Ok(ExitCode::SUCCESS)
}

fn nothing_yet(directory: &Path) -> String {
    format!(
        "No receipts yet in {}.\nThey come from `tamis run`, for each call of a tool that has a chain in filters.toml.",
        ledger::file(directory).display()
    )
}

fn nothing_fits(arguments: &Arguments, report: &Report) -> String {
    let mut text = "No receipts fit.".to_owned();
    if let Some(server) = &arguments.server
        && !report.servers.contains(server)
    {
        let known = report.servers.join("`, `");
        text += &format!(" There are none of the server `{server}`; there are some of `{known}`.");
    } else if arguments.since.is_some() {
        text += " There are older ones: leave out --since.";
    }
    text + &dropped(report).map_or_else(String::new, |note| format!("\n{note}"))
}

fn table(arguments: &Arguments, report: &Report) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header([
        arguments.by.name(),
        "calls",
        "tokens before",
        "after",
        "saved",
        "read back",
        "net saved",
        "failures",
    ]);
    for row in &report.rows {
        table.add_row(cells(name(arguments.by, row), row));
    }
    table.add_row(cells("all calls".to_owned(), &report.total));
    for index in 1..=7 {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text = format!(
        "{table}\nTokens are {}, of what the model reads. Read back: answers of tamis_read. Failures: calls in which a filter did not do its work.",
        tokens::ENCODING
    );
    if matches!(arguments.by, Rows::Filter) {
        text += "\nA filter gets what the one before it left. What was read back counts against the filter that cut the most.";
    }
    if report.total.withheld > 0 {
        text += &format!(
            "\nWithheld results: {}. Their tokens are in no sum.",
            grouped(report.total.withheld)
        );
    }
    text + &dropped(report).map_or_else(String::new, |note| format!("\n{note}"))
}

fn dropped(report: &Report) -> Option<String> {
    (report.dropped > 0).then(|| {
        format!(
            "Receipts dropped, since they came too fast or could not be written: {}. They are in no sum.",
            grouped(report.dropped)
        )
    })
}

fn name(by: Rows, row: &Row) -> String {
    match (&row.name, by) {
        (Some(name), _) => name.clone(),
        (None, Rows::Client) if row.calls > 0 => "(unnamed)".to_owned(),
        (None, _) => "(calls not in the ledger)".to_owned(),
    }
}

fn cells(name: String, row: &Row) -> [String; 8] {
    let percent = |percent: Option<f64>| {
        percent.map_or_else(|| "–".to_owned(), |percent| format!("{percent:.1} %"))
    };
    [
        name,
        grouped(row.calls),
        grouped(row.tokens_before),
        grouped(row.tokens_after),
        percent(row.saved_percent()),
        grouped(row.reread_tokens),
        percent(row.net_saved_percent()),
        grouped(row.failures),
    ]
}

/// The same for machines. Bytes and tokens are counts, times are in microseconds, or in milliseconds
/// since 1970 where they say so.
fn json(arguments: &Arguments, report: &Report) -> Value {
    let rows: Vec<Value> = report.rows.iter().map(row_json).collect();
    let mut total = row_json(&report.total);
    if let Some(total) = total.as_object_mut() {
        total.shift_remove("name");
    }
    json!({
        "by": arguments.by.name(),
        "encoding": tokens::ENCODING,
        "since_unix_ms": report.since_unix_ms,
        "server": arguments.server,
        "rows": rows,
        "total": total,
        "dropped": report.dropped,
    })
}

fn row_json(row: &Row) -> Value {
    let mut value = json!({
        "name": row.name,
        "calls": row.calls,
        "withheld": row.withheld,
        "failures": row.failures,
        "bytes_before": row.bytes_before,
        "bytes_after": row.bytes_after,
        "tokens_before": row.tokens_before,
        "tokens_after": row.tokens_after,
        "saved_tokens": row.saved_tokens(),
        "saved_percent": row.saved_percent(),
        "reads": row.reads,
        "reread_tokens": row.reread_tokens,
        "net_saved_tokens": row.net_saved_tokens(),
        "net_saved_percent": row.net_saved_percent(),
        "time_us": row.time.as_micros() as u64,
    });
    if !row.outcomes.is_empty() {
        let outcomes = row.outcomes.iter();
        let outcomes: Map<String, Value> = outcomes
            .map(|count| (count.outcome.clone(), count.documents.into()))
            .collect();
        value["outcomes"] = outcomes.into();
    }
    value
}
