//! Chooses the filters.toml of a command: the named one, else the trusted one of the current project, else the
//! user's own, else the one that is part of Tamis. If the project's was trusted and is not now, none is used:
//! every command gets the same error ([`Lapsed`]).

use crate::built_in;
use crate::policy::{Policy, Source};
use crate::project;
use crate::shell;
use crate::state::State;
use crate::system::{Place, Platform, files, home_variable};
use crate::trust::{self, Found, Lapsed, Records, Standing};
use anyhow::{Result, anyhow, bail};
use std::path::{Path, PathBuf};

/// The default policy.
pub(super) const DEFAULT: &str = include_str!("default.toml");

/// A policy, and why it is this one.
pub(super) struct Chosen {
    pub(super) policy: Policy,
    /// The file in words, for a log: `/p/filters.toml (this project's, trusted)`.
    pub(super) what: String,
    /// Whether Tamis found the file, and nobody named it.
    pub(super) is_found: bool,
}

/// Reads the policy. A file that was named needs no trust.
pub(super) fn policy(named: Option<&Path>) -> Result<Policy> {
    Ok(choose(named, false)?.policy)
}

/// Chooses and reads the policy. `must_be_file`: refuses the one that is part of Tamis (`--require-policy`).
///
/// # Errors
///
/// The file cannot be used, or is required and missing. Or the project's was trusted and is not now: then the
/// error downcasts to [`Lapsed`].
pub(super) fn choose(named: Option<&Path>, must_be_file: bool) -> Result<Chosen> {
    let names = built_in::names();
    let chosen = |policy: Policy, why: &str, is_found| {
        let file = shell::word(policy.source.path());
        let what = format!("{file} ({why})");
        // A line at `info` is a filtered call; proxies name a file that was found in any case.
        tracing::debug!("the policy is {what}");
        Chosen {
            policy,
            what,
            is_found,
        }
    };
    if let Some(path) = named {
        return Ok(chosen(Policy::load(path, &names)?, "named", false));
    }
    let mut instead = None;
    match project_policy()? {
        Found::Trusted {
            policy,
            passed_over,
        } => {
            if let Some(path) = passed_over {
                let file = shell::word(path);
                tracing::warn!(
                    "{file} is not used, because you do not trust it; Tamis uses the trusted one above it. Check the file (tamis check {file}), then trust it (tamis trust {file})"
                );
            }
            let (policy, had_servers) = policy.without_servers();
            if had_servers {
                let file = shell::word(policy.source.path());
                tracing::warn!(
                    "[server.NAME], [serve] and [state] of this project's filters.toml are ignored: they take effect only if you name the file (--config {file})"
                );
            }
            return Ok(chosen(policy, "this project's, trusted", true));
        }
        Found::Lapsed(lapsed) => return Err(lapsed.into()),
        Found::Untrusted(path) => instead = Some(shell::word(path)),
        Found::Nothing => {}
    }
    let own = user_file();
    if let Some(file) = &instead {
        let used = match (&own, must_be_file) {
            (Some(_), _) => "Tamis uses your own",
            (None, false) => "Tamis uses its default policy",
            (None, true) => "Tamis uses none",
        };
        tracing::warn!(
            "this project's filters.toml is not used, because you do not trust it, and {used}. Check the file (tamis check {file}), then trust it (tamis trust {file})"
        );
    }
    match own {
        Some(path) => Ok(chosen(Policy::load(&path, &names)?, "your own", true)),
        None if must_be_file => {
            let file = instead.map_or_else(
                || "name it with --config, or write one (tamis init)".to_owned(),
                |file| format!("check this project's file (tamis check {file}), then trust it (tamis trust {file})"),
            );
            Err(anyhow!(
                "no trusted policy here, and --require-policy allows no other: {file}"
            ))
        }
        None => {
            let policy = Policy::parse(self::built_in()?, &names)?;
            Ok(Chosen {
                policy,
                what: "the default policy, which is part of Tamis".to_owned(),
                is_found: false,
            })
        }
    }
}

/// The text of the policy that is part of Tamis.
pub(super) fn built_in() -> Result<Source> {
    tracing::info!("no filters.toml: Tamis uses its default policy");
    Ok(Source::new("(default policy)", DEFAULT)?)
}

/// The file that [`policy`] would use, or refuse to run without, if one exists: for commands that look at it
/// and use nothing.
pub(super) fn in_force(named: Option<&Path>) -> Option<PathBuf> {
    if let Some(path) = named {
        return Some(path.to_owned());
    }
    match project_policy() {
        Ok(Found::Trusted { policy, .. }) => Some(policy.source.path().to_owned()),
        Ok(Found::Lapsed(Lapsed { path, .. })) => Some(path),
        Ok(Found::Untrusted(_) | Found::Nothing) => user_file(),
        // The trusted one, which is broken.
        Err(_) => in_project(),
    }
}

/// The file that a proxy follows: the one that [`policy`] would use, or where the user's own would be.
pub(super) fn place(named: Option<&Path>) -> Option<PathBuf> {
    in_force(named).or_else(user_file_place)
}

/// The file that records the trust in a filters.toml: when it is written, more may have changed than the file.
/// None: no state directory.
pub(super) fn record_of(path: &Path) -> Option<PathBuf> {
    let path = trust::absolute(path).ok()?;
    Some(records()?.ok()?.file(&path))
}

/// The file that a command is about that looks at a policy and does not use it: trusted or not.
pub(super) fn file(named: Option<&Path>) -> Result<PathBuf> {
    let named = named.map(Path::to_owned);
    let Some(path) = named.or_else(in_project).or_else(user_file) else {
        bail!(
            "no filters.toml in this project, and none of your own: name the file, as in `tamis lock FILE`"
        );
    };
    Ok(path)
}

/// Whether a registry may be asked for the plugins of this file. Not for a project's that is not trusted, also where
/// it was named: `tamis check FILE` is how one looks at it first.
pub(super) fn may_fetch(path: &Path) -> bool {
    matches!(standing(path), None | Some(Standing::Trusted(_)))
}

/// Whether a project's filters.toml is trusted; none if it is no project's.
pub(super) fn standing(path: &Path) -> Option<Standing> {
    if !is_projects(path) {
        return None;
    }
    let path = trust::absolute(path).ok()?;
    let standing = records().and_then(|records| {
        let records = records.ok()?;
        trust::standing(&path, &records, &built_in::names()).ok()
    });
    Some(standing.unwrap_or(Standing::Untrusted))
}

/// Reads a file that a command looks at. A project's includes only files of the project.
pub(super) fn source(path: &Path) -> Result<Source> {
    let source = Source::read(path)?;
    Ok(match is_projects(path) {
        true => source.within(&project::root(path.parent().unwrap_or(Path::new("")))),
        false => source,
    })
}

/// Whether commands in its folder find the file as their project's.
fn is_projects(path: &Path) -> bool {
    let path = trust::absolute(path).ok();
    path.is_some_and(|path| path.parent().and_then(found_in).as_ref() == Some(&path))
}

/// The project's filters.toml, trusted or not.
pub(super) fn in_project() -> Option<PathBuf> {
    found_in(&folder()?)
}

/// The project's filters.toml that was trusted and has changed or is missing.
pub(super) fn lapsed_in_project() -> Option<PathBuf> {
    match project_policy() {
        Ok(Found::Lapsed(Lapsed { path, .. })) => Some(path),
        _ => None,
    }
}

/// The filters.toml that commands in a folder find, trusted or not. The folder's path has no links.
pub(super) fn found_in(folder: &Path) -> Option<PathBuf> {
    let found = trust::find(folder, home().as_deref())?;
    // In the folder where the user's own is, it is no project's.
    (user_file_absolute().as_ref() != Some(&found)).then_some(found)
}

/// Looks at the project of the current folder.
fn project_policy() -> Result<Found> {
    let Some(folder) = folder() else {
        // Where nothing was ever trusted, nothing is lost.
        return Ok(match records().map(|records| records?.list()) {
            None => Found::Nothing,
            Some(Ok(trusted)) if trusted.is_empty() => Found::Nothing,
            Some(_) => Found::Lapsed(Lapsed {
                path: trust::NAME.into(),
                changes: vec![trust::Change::new(
                    trust::Changed::Policy,
                    "the current folder is missing, or cannot be read",
                )],
            }),
        });
    };
    trust::project_policy(
        &folder,
        home().as_deref(),
        user_file_absolute().as_deref(),
        records().as_ref(),
        &built_in::names(),
    )
}

fn folder() -> Option<PathBuf> {
    files::real_path(std::env::current_dir().ok()?).ok()
}

fn home() -> Option<PathBuf> {
    std::env::home_dir().and_then(|home| files::real_path(home).ok())
}

/// The user's own policy, if it is there.
fn user_file() -> Option<PathBuf> {
    user_file_place().filter(|path| path.exists())
}

fn user_file_absolute() -> Option<PathBuf> {
    user_file().and_then(|path| trust::absolute(&path).ok())
}

/// The path of the user's own policy, whether it exists or not.
fn user_file_place() -> Option<PathBuf> {
    let variable = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let system = Platform::here();
    let home = variable(home_variable(system));
    let folder = Place::Config.folder(system, variable, home.as_deref())?;
    Some(folder.join("filters.toml"))
}

/// The records of this user's trusted files; none without a home.
pub(super) fn records() -> Option<Result<Records>> {
    Some(State::find().ok()?.trusted())
}
