//! `tamis doctor`: what is wrong with Tamis on this machine, and the command that repairs it.

mod clients;
mod machine;
mod servers;

use super::output;
use crate::printable;
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;

/// Exit code when something is wrong.
const EXIT_WRONG: u8 = 1;

/// Tells what is wrong with Tamis on this machine, and how to repair it.
///
/// Looks at the program itself, its state directory and cache, the policy in force, and the configurations of your clients:
/// servers that run through a Tamis that is missing, and servers that do not start. Starts the servers of your own
/// configurations, as your clients do, and lists their tools; it calls none. Changes nothing.
///
/// Exit codes: 0 nothing is wrong (notes may be printed), 1 something is wrong, 2 Tamis could not find out.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  tamis doctor\n  tamis doctor --no-start\n  tamis doctor --json | jq '.checks[] | select(.status == \"problem\")'"
)]
pub(super) struct Arguments {
    /// The policy that the servers run with. Default: the one that a server started here would use.
    #[arg(long, short, env = "TAMIS_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Start no server.
    #[arg(long, conflicts_with = "project")]
    no_start: bool,
    /// Start the servers of this project's configurations, too. Others may have written these files: look at them first.
    #[arg(long)]
    project: bool,
    /// How long a server may take for each answer, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Ok,
    /// Nothing is wrong, but the user may want to know.
    Note,
    Problem,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Note => "note",
            Status::Problem => "problem",
        }
    }
}

/// What was found out about one thing.
#[derive(Debug, Clone)]
struct Check {
    status: Status,
    /// The kind of thing: `program`, `state`, `cache`, `policy`, `client`, `server`.
    about: &'static str,
    message: String,
    /// What repairs it.
    fix: Option<String>,
}

impl Check {
    fn ok(about: &'static str, message: impl Into<String>) -> Check {
        Check {
            status: Status::Ok,
            about,
            message: message.into(),
            fix: None,
        }
    }

    fn note(about: &'static str, message: impl Into<String>) -> Check {
        Check {
            status: Status::Note,
            ..Check::ok(about, message)
        }
    }

    fn problem(about: &'static str, message: impl Into<String>) -> Check {
        Check {
            status: Status::Problem,
            ..Check::ok(about, message)
        }
    }

    #[must_use]
    fn with_fix(self, fix: impl Into<String>) -> Check {
        Check {
            fix: Some(fix.into()),
            ..self
        }
    }

    /// Two lines at most: what was found, and what repairs it.
    fn lines(&self) -> String {
        let status = self.status.name();
        let message = printable::line(&self.message);
        let mut lines = format!("{status:7}  {:7}  {message}\n", self.about);
        if let Some(fix) = &self.fix {
            lines += &format!("{:18}repair: {}\n", "", printable::line(fix));
        }
        lines
    }

    fn json(&self) -> Value {
        let status = self.status.name();
        json!({"status": status, "about": self.about, "message": self.message, "repair": self.fix})
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut checks = vec![
        machine::program(),
        machine::state(),
        machine::cache(),
        machine::policy(arguments.config.as_deref()),
    ];
    checks.extend(machine::project());
    let found = clients::find()?;
    checks.extend(found.checks);
    checks.extend(servers::check(arguments, &found.servers)?);
    let count = |status| checks.iter().filter(|check| check.status == status).count();
    let (problems, notes) = (count(Status::Problem), count(Status::Note));
    if arguments.json {
        let checks: Vec<Value> = checks.iter().map(Check::json).collect();
        let report = json!({"checks": checks, "problems": problems, "notes": notes});
        output::print_json(&format!("{report:#}\n"))?;
    } else {
        let lines: String = checks.iter().map(Check::lines).collect();
        let problems = match problems {
            0 => "nothing is wrong".to_owned(),
            1 => "1 problem".to_owned(),
            many => format!("{many} problems"),
        };
        let notes = match notes {
            0 => String::new(),
            1 => ", 1 note".to_owned(),
            many => format!(", {many} notes"),
        };
        output::print_coloured(&format!("{lines}\n{problems}{notes}\n"))?;
    }
    Ok(match problems {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(EXIT_WRONG),
    })
}
