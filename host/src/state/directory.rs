//! Where the state directory is.

use super::StateError;
use crate::private::STATE_DIR_VARIABLE;
use crate::system::{Place, Platform, home_variable};
use std::env;
use std::path::PathBuf;

/// `TAMIS_STATE_DIR`, else `tamis` in `XDG_STATE_HOME`, else `~/.local/state/tamis`. On Windows: `tamis\state` in
/// `LOCALAPPDATA`.
pub(super) fn find() -> Result<PathBuf, StateError> {
    find_by(|name| env::var_os(name).map(PathBuf::from), env::home_dir())
}

fn find_by(
    variable: impl Fn(&str) -> Option<PathBuf>,
    home: Option<PathBuf>,
) -> Result<PathBuf, StateError> {
    let named = variable(STATE_DIR_VARIABLE);
    if let Some(named) = named.as_ref().filter(|path| !path.as_os_str().is_empty()) {
        return Ok(named.clone());
    }
    let system = Platform::here();
    if let Some(folder) = Place::State.folder(system, &variable, home.as_deref()) {
        return Ok(folder);
    }
    let shown = |value: Option<PathBuf>| match value {
        None => "is not set".to_owned(),
        Some(value) if value.as_os_str().is_empty() => "is empty".to_owned(),
        Some(value) => format!("is the relative path `{}`", value.display()),
    };
    let of_all = Place::State.variable(system);
    Err(StateError::None {
        looked: format!(
            "{STATE_DIR_VARIABLE} {}, {of_all} {}, and this user has no home directory ({})",
            shown(named),
            shown(variable(of_all)),
            home_variable(system)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The directory with these variables set.
    fn find(set: &[(&str, &str)], home: Option<&str>) -> Result<PathBuf, String> {
        let variable = |name: &str| {
            let found = set.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| PathBuf::from(value))
        };
        find_by(variable, home.map(PathBuf::from)).map_err(|error| error.to_string())
    }

    #[test]
    fn the_directory_comes_from_the_environment() {
        let all = [("TAMIS_STATE_DIR", "/tamis"), ("XDG_STATE_HOME", "/xdg")];
        let home = Some("/home/me");
        assert_eq!(find(&all, home), Ok("/tamis".into()));
        assert_eq!(find(&all[1..], home), Ok("/xdg/tamis".into()));
        assert_eq!(
            find(&[("TAMIS_STATE_DIR", ""), all[1]], home),
            Ok("/xdg/tamis".into())
        );
        assert_eq!(
            find(&[("XDG_STATE_HOME", "relative")], home),
            Ok("/home/me/.local/state/tamis".into())
        );
        assert_eq!(find(&[], home), Ok("/home/me/.local/state/tamis".into()));
    }

    #[test]
    fn without_any_the_error_says_what_was_looked_at() {
        for (set, looked) in [
            (
                &[][..],
                "TAMIS_STATE_DIR is not set, XDG_STATE_HOME is not set",
            ),
            (
                &[("TAMIS_STATE_DIR", ""), ("XDG_STATE_HOME", "state")],
                "TAMIS_STATE_DIR is empty, XDG_STATE_HOME is the relative path `state`",
            ),
        ] {
            let error = find(set, None).expect_err("there is no home");
            let expected = format!(
                "no state directory: {looked}, and this user has no home directory (HOME). Set TAMIS_STATE_DIR to a directory that only you can write to"
            );
            assert_eq!(error, expected);
        }
    }
}
