//! The configurations of clients: whether they can be read, and whether the Tamis in them is there.

use super::Check;
use super::machine::{is_same, on_path};
use crate::cli::clients;
use crate::install::{Configuration, Inner, Launch, Place, Scope, Server, Stdio, Unusable};
use crate::shell;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// What the configurations say.
pub(super) struct Found {
    pub(super) checks: Vec<Check>,
    pub(super) servers: Vec<Listed>,
}

/// A server of a configuration.
pub(super) struct Listed {
    /// The client's name for people.
    pub(super) client: &'static str,
    /// The project whose file it is in.
    pub(super) project: Option<PathBuf>,
    pub(super) server: Server,
}

const ABOUT: &str = "client";

/// Reads every configuration that is there.
pub(super) fn find() -> Result<Found> {
    let this = std::env::current_exe().context("find out where this program is")?;
    let search = clients::find(&[])?;
    let mut found = Found {
        checks: Vec::new(),
        servers: Vec::new(),
    };
    for clients::Found { place, read } in search.found {
        let title = place.client.title();
        match read {
            Err(error) => found.checks.push(unreadable(&place, &error)),
            Ok(configuration) => {
                found.checks.extend(of_file(&place, &configuration, &this));
                let project = match &place.scope {
                    Scope::User => None,
                    Scope::Project(root) => Some(root.clone()),
                };
                let listed = configuration.servers.into_iter().map(|server| Listed {
                    client: title,
                    project: project.clone(),
                    server,
                });
                found.servers.extend(listed);
            }
        }
    }
    if found.checks.is_empty() {
        found.checks.push(Check::note(
            ABOUT,
            "no configuration of a client is here (tamis install --dry-run says where Tamis looks)",
        ));
    }
    Ok(found)
}

fn unreadable(place: &Place, error: &Unusable) -> Check {
    let file = described(place, &place.path);
    match error {
        Unusable::ByHand => Check::note(ABOUT, format!("{file}: {error}")),
        error => Check::problem(ABOUT, format!("{file}: {error}")),
    }
}

fn described(place: &Place, path: &Path) -> String {
    format!("{}, {}", place.client.title(), shell::word(path))
}

/// A line for the file, and one for each server whose Tamis is missing.
fn of_file(place: &Place, configuration: &Configuration, this: &Path) -> Vec<Check> {
    let program = this.to_string_lossy();
    let file = described(place, &configuration.path);
    // Those that the client starts.
    let local =
        |server: &&Server| matches!(server.launch, Launch::Stdio(_)) && !server.details.is_off;
    let is_reader = |server: &Server| matches!(&server.launch, Launch::Stdio(stdio) if stdio.is_reader(&program));
    let servers = configuration.servers.iter().filter(local);
    let (readers, servers): (Vec<&Server>, Vec<&Server>) =
        servers.partition(|server| is_reader(server));
    let bare: Vec<&str> = servers
        .iter()
        .filter(|server| !server.is_wrapped(&program))
        .map(|server| server.name())
        .collect();
    let client = clap::ValueEnum::to_possible_value(&place.client)
        .map(|value| value.get_name().to_owned())
        .unwrap_or_default();
    let mut checks = vec![match (servers.len(), bare.len()) {
        (0, _) => Check::ok(ABOUT, format!("{file}: no server that it starts")),
        (all, 0) => Check::ok(
            ABOUT,
            format!("{file}: {all} of {all} servers run through Tamis"),
        ),
        (all, some) => Check::note(
            ABOUT,
            format!(
                "{file}: {} of {all} servers run through Tamis; without it: {}",
                all - some,
                bare.join(", ")
            ),
        )
        .with_fix(format!("tamis install --client {client}")),
    }];
    for server in servers.into_iter().chain(readers) {
        let Launch::Stdio(stdio) = &server.launch else {
            continue;
        };
        let inner = stdio.inner(&program);
        if inner.is_some() || stdio.is_reader(&program) {
            checks.extend(of_tamis(&file, server.name(), stdio, inner.as_ref(), this));
        }
    }
    checks
}

/// What is wrong with the Tamis that a client starts.
fn of_tamis(
    file: &str,
    server: &str,
    stdio: &Stdio,
    inner: Option<&Inner<'_>>,
    this: &Path,
) -> Option<Check> {
    let renew = format!("tamis uninstall --server {server}, then tamis install");
    let command = Path::new(&stdio.command.value);
    let found = match command.is_absolute() {
        true => Some(command.to_owned()).filter(|path| path.is_file()),
        false => on_path(command),
    };
    let word = shell::word(command);
    match found {
        None if command.is_absolute() => Some(
            Check::problem(
                ABOUT,
                format!("{file}: `{server}` starts {word}, which is missing"),
            )
            .with_fix(renew),
        ),
        None => Some(
            Check::problem(
                ABOUT,
                format!("{file}: `{server}` starts `{word}`, which is not on PATH"),
            )
            .with_fix("put Tamis on the PATH that the client has"),
        ),
        Some(found) if !is_same(&found, this) => Some(
            Check::note(
                ABOUT,
                format!(
                    "{file}: `{server}` runs through another Tamis, {}",
                    shell::word(&found)
                ),
            )
            .with_fix(renew),
        ),
        Some(_) => {
            let config = inner?.config?;
            (!Path::new(config).is_file()).then(|| {
                Check::problem(
                    ABOUT,
                    format!(
                        "{file}: `{server}` runs with {}, which is missing",
                        shell::word(config)
                    ),
                )
                .with_fix(renew)
            })
        }
    }
}
