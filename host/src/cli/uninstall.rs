//! `tamis uninstall`: undoes `tamis install`.

use super::install::EXIT_DECLINED;
use super::output;
use super::{EXIT_ERROR, ask, diff};
use crate::install::{Install, Undone};
use crate::printable;
use crate::shell;
use crate::state::State;
use anyhow::{Result, bail};
use serde_json::json;
use std::process::ExitCode;

/// Removes Tamis from the servers that `tamis install` wrapped.
///
/// If a configuration is unchanged since `tamis install`, restores it byte for byte. If it changed, restores
/// only the commands of the wrapped servers, and leaves the rest. Removes the server `tamis` that `tamis
/// install` added when its list has no wrapped server any more. Servers that you wrapped by hand stay.
///
/// Exit codes: 0 done, 1 you answered no, 2 an error: a configuration could not be read or written.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis uninstall --dry-run\n  tamis uninstall --server github --yes"
)]
pub(super) struct Arguments {
    /// Only servers with this name. May be given several times.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    server: Vec<String>,
    /// Show the changes, and write nothing.
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Do not ask.
    #[arg(long, short)]
    yes: bool,
    /// Print the servers and the changes as JSON.
    #[arg(long)]
    json: bool,
}

/// A configuration, and the plan for undoing in it.
struct Plan {
    install: Install,
    undone: Result<Undone>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let installs = State::find()?.installs();
    let listed = installs.list()?;
    for name in &arguments.server {
        if !listed
            .iter()
            .any(|install| install.servers().contains(&name.as_str()))
        {
            bail!(
                "`tamis install` wrapped no server `{}`",
                printable::line(name)
            );
        }
    }
    let chosen = |name: &str| {
        arguments.server.is_empty() || arguments.server.iter().any(|server| server == name)
    };
    let plans: Vec<Plan> = listed
        .into_iter()
        .filter(|install| install.servers().into_iter().any(chosen))
        .map(|install| Plan {
            undone: installs.plan(&install, &chosen),
            install,
        })
        .collect();
    if plans.is_empty() {
        output::print_coloured(if arguments.json {
            "[]\n"
        } else {
            "`tamis install` has changed nothing.\n"
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.json {
        let plans: Vec<_> = plans.iter().map(Plan::report).collect();
        output::print_json(&format!("{:#}\n", json!(plans)))?;
    } else {
        for plan in &plans {
            output::print_coloured(&plan.words())?;
        }
    }
    let mut failed = plans.iter().any(|plan| plan.undone.is_err());
    let changes = plans
        .iter()
        .any(|plan| plan.undone.as_ref().is_ok_and(changes));
    if !arguments.dry_run {
        if changes && !ask::confirm("Remove Tamis from these servers?", arguments.yes)? {
            output::tell(format_args!("tamis: nothing is changed"));
            return Ok(ExitCode::from(EXIT_DECLINED));
        }
        for Plan { install, undone } in plans {
            let Ok(undone) = undone else {
                continue;
            };
            let path = shell::word(&install.path);
            if let Err(error) = installs.undo(install, undone) {
                output::tell(format_args!("tamis: {path} is not changed: {error:#}"));
                failed = true;
            } else if !arguments.json {
                output::print_coloured(&format!("done: {path}\n"))?;
            }
        }
    }
    Ok(if failed {
        ExitCode::from(EXIT_ERROR)
    } else {
        ExitCode::SUCCESS
    })
}

fn changes(undone: &Undone) -> bool {
    undone.found != undone.text
}

impl Plan {
    fn words(&self) -> String {
        let mut text = format!(
            "{}: {}\n",
            self.install.client,
            shell::word(&self.install.path)
        );
        let undone = match &self.undone {
            Err(error) => {
                return text + &format!("  skipped: {}\n", printable::line(&format!("{error:#}")));
            }
            Ok(undone) => undone,
        };
        let (Some(found), Some(after)) = (&undone.found, &undone.text) else {
            return text + "  the file is missing; its record is deleted too\n";
        };
        if !changes(undone) {
            return text + "  Tamis wraps none of its servers any more\n";
        }
        let names = printable::line(&undone.servers.join(", "));
        text += &match undone.exact {
            true => format!("  {names}: the file is restored\n"),
            false => format!("  {names}: the file was changed since; the rest of it stays\n"),
        };
        text + &diff::lines(found, after)
    }

    fn report(&self) -> serde_json::Value {
        let Install { path, client, .. } = &self.install;
        match &self.undone {
            Err(error) => json!({"client": client, "path": path, "error": format!("{error:#}")}),
            Ok(undone) => json!({
                "client": client,
                "path": path,
                "gone": undone.found.is_none(),
                "exact": undone.exact,
                "servers": undone.servers,
            }),
        }
    }
}
