//! The clients' configurations that are here, for the commands that read them.

use crate::install::{self, Client, Configuration, Place, Platform, Surroundings, Unusable};
use crate::shell;
use crate::system::files;
use anyhow::{Context, Result};
use clap::ValueEnum;
use std::collections::HashSet;
use std::path::PathBuf;

/// The paths of configurations, and those without one.
pub(super) struct Search {
    pub(super) found: Vec<Found>,
    pub(super) missing: Vec<Place>,
}

/// A configuration that was found.
pub(super) struct Found {
    pub(super) place: Place,
    /// Or why it cannot be used.
    pub(super) read: Result<Configuration, Unusable>,
}

/// The user's home folder.
pub(super) fn home() -> Result<PathBuf> {
    std::env::home_dir()
        .and_then(|home| files::real_path(home).ok())
        .context("no home directory: set HOME")
}

/// Every configuration that is there, once, and the places where none is. No clients: all.
pub(super) fn find(clients: &[Client]) -> Result<Search> {
    let home = home()?;
    let folder = std::env::current_dir()
        .and_then(files::real_path)
        .context("look at the current folder")?;
    let around = Surroundings {
        platform: Platform::here(),
        home: &home,
        folder: &folder,
        variable: &|name| std::env::var_os(name),
    };
    let clients = match clients {
        [] => Client::value_variants(),
        clients => clients,
    };
    let mut seen = HashSet::new();
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for client in clients {
        for place in install::places(*client, &around) {
            let read = match Configuration::read(&place) {
                Ok(None) => {
                    missing.push(place);
                    continue;
                }
                Ok(Some(configuration)) => Ok(configuration),
                Err(error) => Err(error),
            };
            let path = read
                .as_ref()
                .map_or(&place.path, |configuration| &configuration.path)
                .clone();
            if seen.insert(path) {
                found.push(Found { place, read });
            }
        }
    }
    Ok(Search { found, missing })
}

/// Places, a line for each client.
pub(super) fn lines(places: &[Place]) -> String {
    let mut text = String::new();
    for client in Client::value_variants() {
        let of_client = places.iter().filter(|place| place.client == *client);
        let paths: Vec<String> = of_client.map(|place| shell::word(&place.path)).collect();
        if !paths.is_empty() {
            text += &format!("  {}: {}\n", client.title(), paths.join(", "));
        }
    }
    text
}
