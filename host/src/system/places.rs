//! The folders where Tamis keeps its data.
//!
//! Linux and macOS: as the XDG specification has it, which ignores relative paths. Windows: the folders that the
//! system names in `APPDATA` and `LOCALAPPDATA`.

use super::Platform;
use std::path::{Path, PathBuf};

/// Kinds of data, which systems keep in different places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Settings that a user writes.
    Config,
    /// Data that can be made again.
    Cache,
    /// Data that must outlive the process.
    State,
}

impl Place {
    /// The environment variable that names the folder for data of all programs.
    pub(crate) fn variable(self, platform: Platform) -> &'static str {
        match (platform, self) {
            (Platform::Windows, Place::Config) => "APPDATA",
            (Platform::Windows, _) => "LOCALAPPDATA",
            (_, Place::Config) => "XDG_CONFIG_HOME",
            (_, Place::Cache) => "XDG_CACHE_HOME",
            (_, Place::State) => "XDG_STATE_HOME",
        }
    }

    /// The folder of this program. None: the variable is not set, and no home is known.
    pub(crate) fn folder(
        self,
        platform: Platform,
        variable: impl Fn(&str) -> Option<PathBuf>,
        home: Option<&Path>,
    ) -> Option<PathBuf> {
        let named = variable(self.variable(platform)).filter(|path| path.is_absolute());
        let all = named.or_else(|| {
            Some(home?.join(match (platform, self) {
                (Platform::Windows, Place::Config) => "AppData/Roaming",
                (Platform::Windows, _) => "AppData/Local",
                (_, Place::Config) => ".config",
                (_, Place::Cache) => ".cache",
                (_, Place::State) => ".local/state",
            }))
        })?;
        let own = all.join("tamis");
        Some(match (platform, self) {
            // Both lie in one folder there.
            (Platform::Windows, Place::Cache) => own.join("cache"),
            (Platform::Windows, Place::State) => own.join("state"),
            _ => own,
        })
    }
}

/// The environment variable that names the user's home folder.
pub(crate) fn home_variable(platform: Platform) -> &'static str {
    match platform {
        Platform::Windows => "USERPROFILE",
        Platform::Linux | Platform::MacOs => "HOME",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The folder with a variable set.
    fn folder(place: Place, platform: Platform, set: &str, home: Option<&str>) -> Option<PathBuf> {
        let (name, value) = set.split_once('=').unwrap_or_default();
        let variable = |asked: &str| (asked == name).then(|| PathBuf::from(value));
        place.folder(platform, variable, home.map(Path::new))
    }

    #[test]
    fn each_system_has_its_own_folders() {
        let home = Some("/home/me");
        for (place, platform, set, expected) in [
            (Place::Config, Platform::Linux, "", "/home/me/.config/tamis"),
            (
                Place::Config,
                Platform::MacOs,
                "XDG_CONFIG_HOME=/xdg",
                "/xdg/tamis",
            ),
            (
                Place::Config,
                Platform::Windows,
                "",
                "/home/me/AppData/Roaming/tamis",
            ),
            (
                Place::Config,
                Platform::Windows,
                "APPDATA=/roaming",
                "/roaming/tamis",
            ),
            (Place::Cache, Platform::Linux, "", "/home/me/.cache/tamis"),
            (
                Place::Cache,
                Platform::Windows,
                "LOCALAPPDATA=/local",
                "/local/tamis/cache",
            ),
            (
                Place::State,
                Platform::Linux,
                "XDG_STATE_HOME=relative",
                "/home/me/.local/state/tamis",
            ),
            (
                Place::State,
                Platform::Windows,
                "",
                "/home/me/AppData/Local/tamis/state",
            ),
        ] {
            let found = folder(place, platform, set, home);
            assert_eq!(found.as_deref(), Some(Path::new(expected)), "{set}");
        }
        assert_eq!(folder(Place::State, Platform::Linux, "", None), None);
    }
}
