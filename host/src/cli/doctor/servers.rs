//! Starts the servers of the configurations as their clients do, and lists their tools.

use super::clients::Listed;
use super::{Arguments, Check};
use crate::cli::client_server::{self, Variables};
use crate::cli::clients;
use crate::cli::progress::Progress;
use crate::install::Launch;
use crate::mcp::inquiry::{Failure, Inquiry, Start};
use crate::system::files;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const ABOUT: &str = "server";

/// Most servers that are started.
const MOST: usize = 100;

/// A server that is to be started, and the names that clients have for it.
struct Candidate {
    names: Vec<String>,
    start: Result<Start, String>,
}

/// Starts each server once, however many clients have it.
pub(super) fn check(arguments: &Arguments, listed: &[Listed]) -> Result<Vec<Check>> {
    let home = clients::home()?;
    let here = std::env::current_dir()
        .and_then(files::real_path)
        .context("look at the current folder")?;
    let mut checks = Vec::new();
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut not_started = Vec::new();
    for one in listed {
        let name = format!("{} ({})", one.server.name(), one.client);
        if !is_used(one, &here) {
            continue;
        }
        if arguments.no_start || one.project.is_some() && !arguments.project {
            not_started.push(name);
            continue;
        }
        let Some(start) = start_of(one, &home, &here) else {
            continue;
        };
        let same = |other: &&mut Candidate| start.is_ok() && other.start == start;
        match candidates.iter_mut().find(same) {
            Some(other) => other.names.push(name),
            None => candidates.push(Candidate {
                names: vec![name],
                start,
            }),
        }
    }
    if candidates.len() > MOST {
        let more = candidates.split_off(MOST).len();
        checks.push(Check::note(
            ABOUT,
            format!("not started: {more} servers more than the {MOST} that Tamis starts"),
        ));
    }
    let progress = Progress::of_steps("starting servers", candidates.len() as u64);
    for candidate in &candidates {
        checks.push(ask(candidate, Duration::from_secs(arguments.timeout))?);
        progress.advance(1);
    }
    drop(progress);
    if !not_started.is_empty() && !arguments.no_start {
        let names = not_started.join(", ");
        checks.push(
            Check::note(ABOUT, format!("not started: {names}"))
                .with_fix("tamis doctor --project starts those of this project, whose files others may have written"),
        );
    }
    Ok(checks)
}

/// Whether the client starts it here: it is on, and for this project if it is for one.
fn is_used(listed: &Listed, here: &Path) -> bool {
    let of_project = listed.server.project().map(|project| {
        let folder = files::real_path(project);
        folder.is_ok_and(|folder| here.starts_with(folder))
    });
    !listed.server.details.is_off && of_project.unwrap_or(true)
}

/// How it is started; none if the client reaches it over the network.
fn start_of(listed: &Listed, home: &Path, here: &Path) -> Option<Result<Start, String>> {
    let environment = |name: &str| std::env::var(name).ok();
    let folder: PathBuf = listed.project.clone().unwrap_or_else(|| here.to_owned());
    let variables = Variables {
        home,
        folder: &folder,
        environment: &environment,
    };
    let server = &listed.server;
    match &server.launch {
        Launch::Remote(_) => None,
        Launch::Unclear(why) => Some(Err(why.clone())),
        Launch::Stdio(stdio) => Some(client_server::local(
            &stdio.line(),
            &server.details,
            &variables,
        )),
    }
}

/// Starts a server, and lists its tools. An error: a signal ended the wait.
fn ask(candidate: &Candidate, patience: Duration) -> Result<Check, Failure> {
    let names = candidate.names.join(", ");
    let start = match &candidate.start {
        Ok(start) => start,
        Err(why) => return Ok(Check::problem(ABOUT, format!("{names}: {why}"))),
    };
    let begun = Instant::now();
    let tools = Inquiry::begin(start, patience).and_then(|mut inquiry| inquiry.tools());
    let seconds = begun.elapsed().as_secs_f64();
    match tools {
        Ok(tools) => {
            let count = match tools.len() {
                1 => "1 tool".to_owned(),
                many => format!("{many} tools"),
            };
            Ok(Check::ok(
                ABOUT,
                format!("{names}: {count} after {seconds:.1} s"),
            ))
        }
        Err(error @ Failure::Interrupted(_)) => Err(error),
        Err(error) => Ok(Check::problem(ABOUT, format!("{names}: {error}"))),
    }
}
