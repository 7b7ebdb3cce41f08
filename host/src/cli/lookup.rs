//! Which filters.toml a command uses: the one that was named, else the trusted one of the project that
//! it runs in, else the user's own, else the one that is part of Tamis.

use crate::built_in;
use crate::policy::{Policy, Source};
use crate::shell;
use crate::store::Store;
use crate::trust::{self, Records, Standing};
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// The policy where there is none.
pub(super) const DEFAULT: &str = include_str!("default.toml");

/// Reads the policy. A file that was named needs no trust.
pub(super) fn policy(named: Option<&Path>) -> Result<Policy> {
    if let Some(path) = named {
        return Policy::load(path, &built_in::names());
    }
    if let Some(path) = in_project()
        && let Some(policy) = trusted(&path)?
    {
        return Ok(policy);
    }
    match own() {
        Some(path) => Policy::load(&path, &built_in::names()),
        None => {
            let names = built_in::names();
            Ok(Policy::parse(self::built_in()?, &names)?)
        }
    }
}

/// The text of the policy that is part of Tamis.
pub(super) fn built_in() -> Result<Source> {
    tracing::info!("there is no filters.toml: the built-in policy is used");
    Ok(Source::new("(built-in policy)", DEFAULT)?)
}

/// The file that [`policy`] would use, if there is one: for commands that look at it and use nothing.
pub(super) fn in_force(named: Option<&Path>) -> Option<PathBuf> {
    let is_trusted = |path: &PathBuf| matches!(trusted(path), Ok(Some(_)) | Err(_));
    let named = named.map(Path::to_owned);
    named
        .or_else(|| in_project().filter(is_trusted))
        .or_else(own)
}

/// The file that a proxy follows: the one that [`policy`] would use, or where the user's own would be.
pub(super) fn place(named: Option<&Path>) -> Option<PathBuf> {
    in_force(named).or_else(own_place)
}

/// The file that a command is about that looks at a policy and does not use it: trusted or not.
pub(super) fn file(named: Option<&Path>) -> Result<PathBuf> {
    let named = named.map(Path::to_owned);
    let Some(path) = named.or_else(in_project).or_else(own) else {
        bail!(
            "there is no filters.toml in this project, and none of your own: name the file, as in `tamis lock FILE`"
        );
    };
    Ok(path)
}

/// Whether a registry may be asked for the plugins of this file. Not for a project's that is not trusted, also where
/// it was named: `tamis check FILE` is how one looks at it first.
pub(super) fn may_fetch(path: &Path) -> bool {
    let Ok(path) = trust::absolute(path) else {
        return true;
    };
    if path.parent().and_then(found_in).as_ref() != Some(&path) {
        return true;
    }
    let standing = records().and_then(|records| {
        let records = records.ok()?;
        trust::standing(&path, &records, &built_in::names()).ok()
    });
    matches!(standing, Some(Standing::Trusted(_)))
}

/// The project's filters.toml, trusted or not.
pub(super) fn in_project() -> Option<PathBuf> {
    found_in(&std::env::current_dir().ok()?.canonicalize().ok()?)
}

/// The filters.toml that commands in a folder find, trusted or not. The folder's path has no links.
pub(super) fn found_in(folder: &Path) -> Option<PathBuf> {
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    let found = trust::find(folder, home.as_deref())?;
    // In the folder where the user's own is, it is no project's.
    let is_own = own().and_then(|own| trust::absolute(&own).ok()) == Some(found.clone());
    (!is_own).then_some(found)
}

/// The user's own policy, if it is there.
fn own() -> Option<PathBuf> {
    own_place().filter(|path| path.exists())
}

/// Where the user's own policy is or would be.
fn own_place() -> Option<PathBuf> {
    let variable = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let directory =
        variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")))?;
    Some(directory.join("tamis/filters.toml"))
}

/// The records of what this user trusts; none where there is no home to keep them in.
pub(super) fn records() -> Option<Result<Records>> {
    Some(Records::in_directory(&Store::default_directory()?))
}

/// The policy of a project, if it is trusted; else one warning says what to do.
fn trusted(path: &Path) -> Result<Option<Policy>> {
    let standing = match records() {
        None => Ok(Standing::Untrusted),
        Some(records) => {
            records.and_then(|records| trust::standing(path, &records, &built_in::names()))
        }
    };
    let file = shell::word(path);
    match standing {
        Ok(Standing::Trusted(policy)) => return Ok(Some(*policy)),
        Ok(Standing::Untrusted) => tracing::warn!(
            "this project's filters.toml is not used, since it is not trusted: look at it (tamis check {file}), then trust it (tamis trust {file})"
        ),
        Ok(Standing::Changed(changes)) => tracing::warn!(
            "this project's filters.toml is not used, since it changed after it was trusted ({}): look at it (tamis check {file}), then trust it anew (tamis trust {file})",
            shell::printable(&changes.join(", "))
        ),
        // A trusted file that cannot be used is an error, as it is for a file that was named.
        Err(error) if error.is::<crate::policy::Report>() => return Err(error),
        Err(error) => tracing::warn!(
            "this project's filters.toml is not used, since it cannot be told whether it is trusted: {error:#}"
        ),
    }
    Ok(None)
}
