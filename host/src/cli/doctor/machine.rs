//! The program, its folders, and the policy in force.

use super::Check;
use crate::chain;
use crate::cli::lookup;
use crate::cli::policy::SandboxArguments;
use crate::install;
use crate::policy::Report;
use crate::private;
use crate::sandbox::{CacheDir, Sandbox};
use crate::shell;
use crate::state::State;
use crate::store::StoreLimits;
use crate::system::files;
use crate::trust::Standing;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The program that runs, and the one that a shell would start.
pub(super) fn program() -> Check {
    const ABOUT: &str = "program";
    let this = match std::env::current_exe() {
        Ok(this) => this,
        Err(error) => return Check::problem(ABOUT, format!("its path is unknown: {error}")),
    };
    let version = env!("CARGO_PKG_VERSION");
    let here = format!("tamis {version}, {}", shell::word(&this));
    let name = this.file_name().map(PathBuf::from).unwrap_or_default();
    match on_path(&name) {
        Some(found) if is_same(&found, &this) => Check::ok(ABOUT, here),
        Some(other) => Check::note(
            ABOUT,
            format!(
                "{here}; a shell starts another one, {}",
                shell::word(&other)
            ),
        )
        .with_fix("remove the one that you do not want, or change the order of PATH"),
        None => {
            let folder = this.parent().map(shell::word).unwrap_or_default();
            Check::note(ABOUT, format!("{here}; its folder is not on PATH"))
                .with_fix(format!("add {folder} to PATH"))
        }
    }
}

/// The program that a shell starts for a name.
pub(super) fn on_path(name: &Path) -> Option<PathBuf> {
    install::on_path(name, std::env::var_os("PATH").as_deref())
}

pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    files::real_path(one).ok() == files::real_path(other).ok()
}

/// The folder with originals and the ledger. Opens both, as a proxy does.
pub(super) fn state() -> Check {
    const ABOUT: &str = "state";
    let opened = || -> Result<String> {
        let state = State::find()?;
        state.originals(StoreLimits::default())?;
        drop(state.ledger()?);
        Ok(shell::word(state.directory()))
    };
    match opened() {
        Ok(directory) => Check::ok(ABOUT, directory),
        Err(error) => Check::problem(
            ABOUT,
            format!("nothing is cut, or no savings are recorded: {error:#}"),
        ),
    }
}

/// The folder with compiled filters.
pub(super) fn cache() -> Check {
    const ABOUT: &str = "cache";
    let Some(directory) = private::cache_directory() else {
        return Check::note(
            ABOUT,
            "no folder for compiled filters, so each server compiles plugins again",
        )
        .with_fix("set HOME, or TAMIS_CACHE_DIR");
    };
    match Sandbox::new(Some(CacheDir::at(&directory))) {
        Ok(_) => Check::ok(ABOUT, shell::word(&directory)),
        Err(error) => Check::problem(
            ABOUT,
            format!("compiled filters are not cached, so servers start slowly: {error:#}"),
        ),
    }
}

/// The policy that a server would run with here.
pub(super) fn policy(named: Option<&Path>) -> Check {
    const ABOUT: &str = "policy";
    let file = || lookup::in_force(named).map(shell::word);
    let wrong = |error: &anyhow::Error| {
        let check = match error.downcast_ref::<Report>() {
            Some(report) => Check::problem(
                ABOUT,
                format!(
                    "{} cannot be used: {}",
                    shell::word(report.source().path()),
                    findings(report.findings().len())
                ),
            ),
            None => Check::problem(ABOUT, format!("{error:#}")),
        };
        match file() {
            Some(file) => check.with_fix(format!("tamis check {file} tells each line")),
            None => check,
        }
    };
    let loaded = || -> Result<Check> {
        // What it would log is in the checks.
        let silent = tracing::subscriber::NoSubscriber::default();
        let chosen = tracing::subscriber::with_default(silent, || lookup::choose(named, false))?;
        let sandbox = SandboxArguments::default().open()?;
        let chains = chain::load(chosen.policy, &sandbox)?;
        let count = match chains.policy().chains.len() {
            1 => "1 chain".to_owned(),
            many => format!("{many} chains"),
        };
        let what = format!("{}: {count}", chosen.what);
        let warnings = chains.warnings();
        Ok(match warnings.findings().len() {
            0 => Check::ok(ABOUT, what),
            some => {
                let file = file().unwrap_or_default();
                Check::note(ABOUT, format!("{what}, {}", findings(some)))
                    .with_fix(format!("tamis check {file} tells each line"))
            }
        })
    };
    loaded()
        .context("load the policy")
        .unwrap_or_else(|error| wrong(&error))
}

fn findings(count: usize) -> String {
    match count {
        1 => "1 finding".to_owned(),
        many => format!("{many} findings"),
    }
}

/// This project's filters.toml, if it is there and not used.
pub(super) fn project() -> Option<Check> {
    let path = lookup::in_project()?;
    let file = shell::word(&path);
    match lookup::standing(&path)? {
        Standing::Untrusted => Some(
            Check::note(
                "policy",
                format!("{file} is this project's, and not used: you do not trust it"),
            )
            .with_fix(format!("tamis check {file}, then tamis trust {file}")),
        ),
        _ => None,
    }
}
