//! `tamis read`: an original, or a part of it, on the command line.

mod call;
mod list;

use crate::cli::output;
use crate::excerpt::{self, Cap, Original, Query, ReadRequest};
use crate::state::State;
use crate::store::{Reference, Store, StoreLimits};
use anyhow::{Context, Result, bail};
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
    after_help = "Examples:\n  tamis read fl3zeusg3y6ua7uu --path '$.data[*].name'\n  tamis read fl3zeusg3y6ua7uu --grep error\n  tamis read fl3zeusg3y6ua7uu --query 'SELECT state, count(*) FROM data GROUP BY state'\n  less \"$(tamis read fl3zeusg3y6ua7uu --file)\"\n  tamis read --list --json | jq -r '.[0].reference'"
)]
pub(super) struct Arguments {
    /// The reference.
    #[arg(value_name = "REF", required_unless_present = "list")]
    reference: Option<String>,
    /// List the stored originals, newest first.
    #[arg(long, conflicts_with_all = ["reference", "part", "path", "rows", "lines", "query", "grep", "file"])]
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
    #[arg(long, value_name = "FROM-TO", conflicts_with_all = ["grep"])]
    lines: Option<String>,
    /// A query in SQL over the tables of the result; `SELECT * FROM tables` lists them.
    #[arg(long, short, value_name = "SELECT", conflicts_with_all = ["rows", "lines", "grep"])]
    query: Option<String>,
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
    #[arg(long, conflicts_with_all = ["part", "path", "rows", "lines", "query", "grep"])]
    file: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let state = State::find()?;
    let store = state.originals(StoreLimits::default())?;
    let bytes = match &arguments.reference {
        None => {
            let list = list::originals(&store, state.directory(), arguments.json)?;
            output::print_either(&list, arguments.json)?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(call) if call.starts_with('{') => {
            let request = call::request(arguments, call)?;
            original(arguments, &store, &request)?
        }
        Some(reference) => original(arguments, &store, &arguments.request(reference))?,
    };
    output::print_data(&bytes)?;
    Ok(ExitCode::SUCCESS)
}

fn original(arguments: &Arguments, store: &Store, request: &ReadRequest) -> Result<Vec<u8>> {
    let reference = request.reference();
    let reference: Reference = reference
        .parse()
        .with_context(|| format!("`{reference}` is not a reference"))?;
    let bytes = store.get(&reference)?;
    if arguments.file {
        let Some(file) = store.file(&reference, "")? else {
            bail!("original `{reference}` is in no file on this machine: leave out --file");
        };
        return Ok(format!("{}\n", file.display()).into_bytes());
    }
    if !request.is_for_less() {
        return Ok(bytes);
    }
    // A person's terminal has no cap.
    let cap = Cap {
        tokens: usize::MAX,
        counter: &str::len,
    };
    let query = request.query(Query::Whole)?;
    let excerpt = excerpt::read(&Original::new(&bytes), request.part(), &query, cap)?;
    let mut output = excerpt.text.into_bytes();
    if let Query::Sql { .. } = query {
        // The names of the columns.
        let header = format!("{}\n", excerpt.header);
        output.splice(0..0, header.into_bytes());
    }
    if !output.ends_with(b"\n") {
        output.push(b'\n');
    }
    Ok(output)
}

impl Arguments {
    fn request(&self, reference: &str) -> ReadRequest {
        ReadRequest {
            reference: reference.to_owned(),
            part: self.part.clone(),
            path: self.path.clone(),
            rows: self.rows.clone(),
            lines: self.lines.clone(),
            search: self.grep.clone(),
            query: self.query.clone(),
            regex: Some(self.regex),
            cursor: None,
            is_case_sensitive: !self.ignore_case,
            context: self.context,
        }
    }
}
