//! The log of this process: on standard error alone, for people or as JSON.

use super::output::{Form, Printed};
use anyhow::{Result, anyhow};
use tracing_subscriber::EnvFilter;

/// The names of the levels, and `off`. Each includes those before it.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Options of every command.
#[derive(clap::Args)]
pub(super) struct LogArguments {
    /// Log level, on standard error: off, error, warn, info (a line for each filtered call), debug,
    /// trace. To see the log of a library, name it: tamis=info,wasmtime=debug.
    #[arg(
        long,
        global = true,
        env = "TAMIS_LOG",
        default_value = "warn",
        value_name = "LEVEL"
    )]
    log: String,
    /// Write the log as JSON, one object a line.
    #[arg(long, global = true)]
    log_json: bool,
}

/// Starts it, once in a process.
pub(super) fn start(arguments: &LogArguments) -> Result<()> {
    let is_json = arguments.log_json;
    let form = Form::of(is_json, super::use_colour());
    // Lines cite servers, plugins and files: see `output`.
    let log = tracing_subscriber::fmt()
        // It would say on standard error that standard error is closed, and panic.
        .log_internal_errors(false)
        .with_env_filter(filter(&arguments.log)?)
        .with_writer(move || Printed::new(std::io::stderr(), form));
    if is_json {
        log.json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .init();
    } else {
        log.with_ansi(super::use_colour()).with_target(false).init();
    }
    Ok(())
}

/// A level means Tamis's own lines: those of the compiler of filters are of use to its authors alone.
fn filter(text: &str) -> Result<EnvFilter> {
    let directives = if LEVELS.contains(&text.to_ascii_lowercase().as_str()) {
        format!("tamis={text}")
    } else if text.contains('=') {
        text.to_owned()
    } else {
        let near = crate::policy::nearest_name(text, &LEVELS);
        let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        return Err(anyhow!(
            "--log {text}: expected off, error, warn, info, debug or trace{near}"
        ));
    };
    EnvFilter::builder().parse(&directives).map_err(|error| {
        anyhow!("--log {text}: expected a level, or such as tamis=info,wasmtime=debug: {error}")
    })
}
