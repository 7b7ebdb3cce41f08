//! `tamis stats`: the savings of the filters, from the ledger.

mod json;
mod names;
mod page;
mod table;

use super::progress::Progress;
use crate::cli::output;
use crate::hex;
use crate::ledger::{self, GroupBy, Question, Report, Since};
use crate::numbers::grouped;
use crate::policy::{Secret, is_postgres};
use crate::printable;
use crate::private::Unusable;
use crate::secrets;
use crate::state::State;
use anyhow::{Context, Result, bail};
use page::Page;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

/// Shows how many tokens the filters saved, minus those that models read back and those that Tamis adds to
/// every request.
///
/// `tamis run` records each call of a tool with a chain in a ledger: names, counts and times, never arguments
/// or texts. The ledger is `ledger.sqlite` in TAMIS_STATE_DIR, else in ~/.local/state/tamis.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis stats\n  tamis stats --by filter --since 7d\n  tamis stats --by day --since 2026-11-01 --server github\n  tamis stats --json | jq '.total.net_saved_tokens'\n  tamis stats --html report.html --since 30d"
)]
pub(super) struct Arguments {
    /// Group the calls by this.
    #[arg(long, value_enum, default_value_t = Rows::Tool, value_name = "WHAT")]
    by: Rows,
    /// Only calls since this time: 12h, 7d or 2w ago, or the day 2026-11-01.
    #[arg(long, value_name = "WHEN")]
    since: Option<Since>,
    /// Only calls of this server, by the name of `tamis run --server`.
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// Read the ledgers of all replicas of `tamis serve` in PostgreSQL instead: a URL, or an environment variable
    /// with one, such as '${TAMIS_POSTGRES_URL}'.
    #[arg(long, value_name = "URL")]
    from: Option<String>,
    /// Print the numbers as JSON.
    #[arg(long)]
    json: bool,
    /// Write a page with charts, by day, tool, filter and client, to this file; `-` is standard output.
    /// The page is one file that loads nothing and runs nothing.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "by"])]
    html: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Rows {
    Tool,
    Filter,
    Day,
    Client,
    Session,
}

impl Rows {
    fn group_by(self) -> GroupBy {
        match self {
            Rows::Tool => GroupBy::Tool,
            Rows::Filter => GroupBy::Filter,
            Rows::Day => GroupBy::Day,
            Rows::Client => GroupBy::Client,
            Rows::Session => GroupBy::Session,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Rows::Tool => "tool",
            Rows::Filter => "filter",
            Rows::Day => "day",
            Rows::Client => "client",
            Rows::Session => "session",
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (state, fetched);
    let directory = match &arguments.from {
        None => {
            state = State::find()?;
            state.directory()
        }
        Some(url) => {
            fetched = Fetched::new(url, arguments.since)?;
            &fetched.0
        }
    };
    if let Some(file) = &arguments.html {
        return write_page(arguments, directory, file);
    }
    let report = ask(arguments, directory, &[arguments.by])?;
    let report = report.and_then(|mut reports| reports.pop());
    let text = if arguments.json {
        let report = report.unwrap_or_default();
        format!("{:#}", json::json(arguments, &report))
    } else {
        match report.filter(|report| !report.servers.is_empty() || !report.is_empty()) {
            None => nothing_yet(directory),
            Some(report) if report.is_empty() => nothing_fits(arguments, &report),
            Some(report) => table::table(arguments, &report),
        }
    };
    output::print_either(&format!("{text}\n"), arguments.json)?;
    Ok(ExitCode::SUCCESS)
}

/// A ledger with the rows of all replicas, removed when it is dropped.
struct Fetched(PathBuf);

impl Fetched {
    fn new(url: &str, since: Option<Since>) -> Result<Fetched> {
        let secret = Secret::parse(url);
        secrets::note(
            secret
                .as_ref()
                .and_then(|secret| Some(secret.variable()?.to_owned())),
        );
        let url = match secret.map(|secret| secret.resolve()) {
            Some(Ok(url)) => url,
            Some(Err(variable)) => bail!("--from: the environment variable {variable} is not set"),
            None => bail!(
                "--from: allowed is a URL of PostgreSQL, or an environment variable with one, '${{NAME}}'"
            ),
        };
        if !is_postgres(&url) {
            bail!("--from: a URL of PostgreSQL begins with postgres://");
        }
        let name = format!(
            "tamis-stats-{}-{}",
            std::process::id(),
            hex::encode(&fetch_number())
        );
        let fetched = Fetched(std::env::temp_dir().join(name));
        ledger::fetch(&url, &fetched.0, since).context("read the ledger in PostgreSQL")?;
        Ok(fetched)
    }
}

impl Drop for Fetched {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A number that no other process has.
fn fetch_number() -> [u8; 8] {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish().to_le_bytes()
}

/// A report for each kind of rows. None: no ledger exists.
fn ask(arguments: &Arguments, directory: &Path, by: &[Rows]) -> Result<Option<Vec<Report>>> {
    let question = |rows: &Rows| Question {
        by: rows.group_by(),
        since: arguments.since,
        server: arguments.server.clone(),
    };
    let questions: Vec<Question> = by.iter().map(question).collect();
    let progress = Progress::of_steps("reading the ledger", questions.len() as u64);
    let reports = ledger::reports(directory, &questions, || progress.advance(1))
        .map_err(|error| Unusable::new(directory, format!("{:#}", anyhow::Error::from(error))))?;
    Ok(reports)
}

fn write_page(arguments: &Arguments, directory: &Path, file: &Path) -> Result<ExitCode> {
    let all = [Rows::Day, Rows::Tool, Rows::Filter, Rows::Client];
    let reports = ask(arguments, directory, &all)?;
    let reports = reports.and_then(|reports| <[Report; 4]>::try_from(reports).ok());
    let written = ledger::local_minute(SystemTime::now()).unwrap_or_default();
    let text = match reports {
        Some([day, ..]) if day.is_empty() && !day.servers.is_empty() => {
            page::nothing("Nothing matches", &nothing_fits(arguments, &day), &written)
        }
        Some([day, tool, filter, client]) if !day.is_empty() => {
            let page = Page {
                day,
                tool,
                filter,
                client,
                server: arguments.server.as_deref(),
                written: &written,
            };
            page.to_string()
        }
        _ => page::nothing("Nothing yet", &nothing_yet(directory), &written),
    };
    if file == Path::new("-") {
        output::print_data(text.as_bytes())?;
    } else {
        std::fs::write(file, text).with_context(|| format!("write {}", file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn nothing_yet(directory: &Path) -> String {
    format!(
        "No receipts yet in {}.\n`tamis run` and `tamis serve` write one for each call of a tool with a chain.",
        ledger::file(directory).display()
    )
}

fn nothing_fits(arguments: &Arguments, report: &Report) -> String {
    let mut text = "No receipts match.".to_owned();
    if let Some(server) = &arguments.server
        && !report.servers.contains(server)
    {
        let known = printable::line(&report.servers.join("`, `"));
        text += &format!(" None are of the server `{server}`; known servers: `{known}`.");
    } else if arguments.since.is_some() {
        text += " Older ones exist: leave out --since.";
    }
    text + &inexact(report).map_or_else(String::new, |note| format!("\n{note}"))
}

/// The losses in words, since a minus sign is easily missed.
fn lost(report: &Report) -> Option<String> {
    let net = report.total.net_saved_tokens();
    let mut lines = Vec::new();
    if net < 0 {
        lines.push(format!(
            "Lost: with Tamis, models received {} tokens more than without.",
            grouped(net.unsigned_abs())
        ));
    }
    let lost = report.lost;
    if lost.sessions > 0 {
        lines.push(format!(
            "Sessions that lost: {} of {}, {} tokens in total. To see each: tamis stats --by session",
            grouped(lost.sessions),
            grouped(lost.of),
            grouped(lost.tokens)
        ));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What the sums do not contain, or contain only nearly.
fn inexact(report: &Report) -> Option<String> {
    let mut lines = Vec::new();
    if report.estimated > 0 {
        lines.push(format!(
            "Receipts with estimated tokens, because they arrived too fast to count all: {}. Their sum is within 3 %.",
            grouped(report.estimated)
        ));
    }
    if report.dropped > 0 {
        lines.push(format!(
            "Receipts dropped, because they arrived too fast or could not be written: {}. No sum contains them.",
            grouped(report.dropped)
        ));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}
