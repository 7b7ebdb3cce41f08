//! `tamis read`: an original, or a part of it, on the command line.

mod call;
mod list;

use crate::cli::output;
use crate::excerpt::{self, Cap, Original, Query};
use crate::mcp::read_tool::range;
use crate::store::{Limits, Reference, Store};
use anyhow::{Context, Result, anyhow};
use std::process::ExitCode;

/// Prints an original: a result as the server sent it, before a filter cut it.
///
/// REF is the reference in the note of a filtered result, or the arguments of a call of the read tool
/// as a filter writes them: '{"ref":"fl3zeusg3y6ua7uu","rows":"0:20"}'.
///
/// Without options, prints the whole result. The file behind it suits pagers and grep; `--file` prints
/// its path.
#[derive(clap::Args, Clone)]
#[command(
    after_help = "Examples:\n  tamis read fl3zeusg3y6ua7uu --path '$.data[*].name'\n  tamis read fl3zeusg3y6ua7uu --grep error\n  less \"$(tamis read fl3zeusg3y6ua7uu --file)\"\n  tamis read --list --json | jq -r '.[0].reference'"
)]
pub(super) struct Arguments {
    /// The reference.
    #[arg(value_name = "REF", required_unless_present = "list")]
    reference: Option<String>,
    /// List the stored originals, newest first.
    #[arg(long, conflicts_with_all = ["reference", "part", "path", "rows", "lines", "grep", "file"])]
    list: bool,
    /// Print JSON.
    #[arg(long, requires = "list")]
    json: bool,
    /// A part of the result: `content[0]`, `structuredContent`. Default: all text that is data.
    #[arg(long)]
    part: Option<String>,
    /// A JSON path.
    #[arg(long)]
    path: Option<String>,
    /// Rows of an array, from 0, end excluded: 20:40.
    #[arg(long, value_name = "FROM:TO", conflicts_with_all = ["lines", "grep"])]
    rows: Option<String>,
    /// Lines, from 1, end included: 1-80.
    #[arg(long, value_name = "FROM-TO", conflicts_with_all = ["path", "grep"])]
    lines: Option<String>,
    /// Only rows, leaves or lines that contain this text.
    #[arg(long, value_name = "PATTERN")]
    grep: Option<String>,
    /// Use the text as a regular expression.
    #[arg(long, requires = "grep")]
    regex: bool,
    /// Ignore case.
    #[arg(long, short, requires = "grep")]
    ignore_case: bool,
    /// Lines or rows to show around each match.
    #[arg(
        long,
        short = 'C',
        requires = "grep",
        default_value_t = 0,
        value_name = "N"
    )]
    context: u64,
    /// Print the path of the original's file.
    #[arg(long, conflicts_with_all = ["part", "path", "rows", "lines", "grep"])]
    file: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let directory = Store::default_directory()
        .ok_or_else(|| anyhow!("no home directory: set TAMIS_STATE_DIR"))?;
    let store = Store::open(&directory, Limits::default())?;
    let bytes = match &arguments.reference {
        None => {
            let list = list::originals(&store, &directory, arguments.json)?;
            output::print_either(&list, arguments.json)?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(call) if call.starts_with('{') => {
            let (reference, arguments) = call::arguments(arguments, call)?;
            original(&arguments, &store, &reference)?
        }
        Some(reference) => original(arguments, &store, reference)?,
    };
    output::print_data(&bytes)?;
    Ok(ExitCode::SUCCESS)
}

fn original(arguments: &Arguments, store: &Store, reference: &str) -> Result<Vec<u8>> {
    let reference: Reference = reference
        .parse()
        .with_context(|| format!("`{reference}` is not a reference"))?;
    let bytes = store.get(&reference)?;
    if arguments.file {
        return Ok(format!("{}\n", store.path(&reference).display()).into_bytes());
    }
    match arguments.query()? {
        None => Ok(bytes),
        Some(query) => part(arguments, &bytes, &query),
    }
}

fn part(arguments: &Arguments, bytes: &[u8], query: &Query) -> Result<Vec<u8>> {
    // A person's terminal has no cap.
    let cap = Cap {
        tokens: usize::MAX,
        counter: &str::len,
    };
    let excerpt = excerpt::read(&Original::new(bytes), arguments.part.as_deref(), query, cap)?;
    let mut output = excerpt.text.into_bytes();
    if !output.ends_with(b"\n") {
        output.push(b'\n');
    }
    Ok(output)
}

impl Arguments {
    /// None: the whole result, as it came.
    fn query(&self) -> Result<Option<Query>> {
        let path = self.path.clone();
        if let Some(pattern) = &self.grep {
            return Ok(Some(Query::Search {
                pattern: pattern.clone(),
                regex: self.regex,
                ignore_case: self.ignore_case,
                context: self.context,
                path,
            }));
        }
        if let Some(rows) = &self.rows {
            let (from, to) = range(rows, ':')
                .with_context(|| format!("--rows {rows}: expected 20:40, 20: or 20"))?;
            return Ok(Some(Query::Rows { path, from, to }));
        }
        if let Some(lines) = &self.lines {
            let (from, to) = range(lines, '-')
                .with_context(|| format!("--lines {lines}: expected 1-80, 80- or 80"))?;
            return Ok(Some(Query::Lines { from, to }));
        }
        match (path, &self.part) {
            (Some(path), _) => Ok(Some(Query::Path(path))),
            (None, Some(_)) => Ok(Some(Query::Whole)),
            (None, None) => Ok(None),
        }
    }
}
