//! Asking each server in turn.

use super::listing::{Asked, Listing, shown};
use super::results::{self, Sample};
use super::sources::Candidate;
use super::{Arguments, Trial};
use crate::cli::output;
use crate::mcp::inquiry::{Failure, Inquiry, Tool};
use crate::shell;
use crate::system::signals::{self, HANGUP, INTERRUPT, TERMINATE};
use anyhow::{Result, anyhow, bail};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// How much of a tool's error is shown, in characters.
const ERROR_SHOWN: usize = 300;

/// Most tools of all servers together.
const TOOLS: usize = 50_000;

/// The servers' answers.
pub(super) struct Round {
    pub(super) listing: Listing,
    pub(super) samples: Vec<Sample>,
    /// The servers that gave no answer, and why.
    pub(super) failed: Vec<(Candidate, String)>,
}

/// A server that listed its tools, and is still there to be called.
struct Answered<'c> {
    candidate: &'c Candidate,
    inquiry: Option<Inquiry>,
    asked: Asked,
    tools: Vec<Tool>,
    /// Results with the tool's place in its server's list.
    samples: Vec<(usize, Map<String, Value>, Vec<u8>)>,
    /// Why it is left out after all.
    failure: Option<String>,
}

/// Signals that arrive while no server is waited for.
pub(super) struct Signals {
    seen: Arc<AtomicUsize>,
    ends: Arc<AtomicBool>,
}

impl Signals {
    /// Notes signals from now on.
    pub(super) fn watch() -> Result<Signals> {
        let signals = Signals {
            seen: Arc::default(),
            ends: Arc::default(),
        };
        let ending = [HANGUP, INTERRUPT, TERMINATE];
        signals::note(&ending, &signals.seen, &signals.ends)?;
        Ok(signals)
    }

    fn check(&self) -> Result<(), Failure> {
        match self.seen.load(Ordering::SeqCst) {
            0 => Ok(()),
            signal => Err(Failure::Interrupted(i32::try_from(signal).unwrap_or(0))),
        }
    }

    /// From now on a signal ends the process at once: no server runs that must be ended first.
    fn end_at_once(&self) -> Result<(), Failure> {
        self.ends.store(true, Ordering::SeqCst);
        self.check()
    }
}

/// Asks the servers for their tools, and the tools for results.
pub(super) fn ask(
    arguments: &Arguments,
    candidates: &[Candidate],
    signals: &Signals,
) -> Result<Round> {
    let mut failed = Vec::new();
    let mut answered: Vec<Answered<'_>> = Vec::new();
    let calls_tools = arguments.call || !arguments.trials.is_empty();
    for (index, candidate) in candidates.iter().enumerate() {
        signals.check()?;
        let count = match candidates.len() {
            1 => String::new(),
            all => format!("[{}/{all}] ", index + 1),
        };
        let name = candidate.described();
        match &candidate.words {
            Some(words) => {
                let words: Vec<String> = words.iter().map(shell::word).collect();
                let words = words.join(" ");
                let words = words.strip_prefix("-- ").unwrap_or(&words);
                output::tell(format_args!("tamis: {count}starting {words}"));
            }
            // Arguments in a configuration may hold secrets.
            None => output::tell(format_args!("tamis: {count}asking {name}")),
        }
        let known: usize = answered.iter().map(|server| server.tools.len()).sum();
        match list(arguments, candidate) {
            Ok((_, tools)) if known + tools.len() > TOOLS => {
                let why = format!("with its tools there would be more than {TOOLS}");
                output::tell(format_args!("tamis: {count}{name} is left out: {why}"));
                failed.push((candidate.clone(), why));
            }
            Ok((inquiry, tools)) => {
                let asked = Asked {
                    title: candidate.title.clone(),
                    name: candidate.name.clone(),
                    is_named: candidate.is_named,
                    origins: candidate.origins.clone(),
                    words: candidate.words.clone(),
                    says: inquiry.server.clone(),
                };
                answered.push(Answered {
                    candidate,
                    inquiry: calls_tools.then_some(inquiry),
                    asked,
                    tools,
                    samples: Vec::new(),
                    failure: None,
                });
            }
            Err(Refusal::Interrupted(signal)) => return Err(Failure::Interrupted(signal).into()),
            // For a single server, its error is the whole report.
            Err(Refusal::Failed(error)) if candidates.len() == 1 => {
                return Err(match candidate.words {
                    Some(_) => error,
                    None => error.context(format!("ask {name}")),
                });
            }
            Err(Refusal::Failed(error)) => {
                let why = format!("{error:#}");
                output::tell(format_args!("tamis: {count}{name} is left out: {why}"));
                failed.push((candidate.clone(), why));
            }
        }
    }
    if answered.is_empty() {
        bail!("no server listed its tools: the lines above say why");
    }
    let listing = listing(&answered);
    if listing.tools.is_empty() {
        bail!(match answered.len() {
            1 => "the server lists no tools, so Tamis has nothing to filter",
            _ => "the servers list no tools, so Tamis has nothing to filter",
        });
    }
    let calls = calls(arguments, &listing)?;
    for (tool, call_arguments) in calls {
        signals.check()?;
        let server = listing.of[tool];
        let of_one = &mut answered[server];
        let first = listing.tools_of(server).next().unwrap_or(0);
        let Some(inquiry) = &mut of_one.inquiry else {
            continue;
        };
        let place = tool - first;
        match call(inquiry, &of_one.tools[place], &call_arguments) {
            Ok(None) => {}
            Ok(Some(result)) => of_one.samples.push((place, call_arguments, result)),
            Err(error @ Failure::Interrupted(_)) => return Err(error.into()),
            Err(error) if candidates.len() == 1 => return Err(error.into()),
            Err(error) => {
                let name = of_one.candidate.described();
                output::tell(format_args!("tamis: {name} is left out: {error}"));
                of_one.failure = Some(error.to_string());
                of_one.inquiry = None;
            }
        }
    }
    let round = finished(answered, failed);
    if round.listing.tools.is_empty() {
        bail!("no server is left: the lines above say why");
    }
    signals.end_at_once()?;
    Ok(round)
}

/// Why a server has no list.
enum Refusal {
    Interrupted(i32),
    Failed(anyhow::Error),
}

fn list(arguments: &Arguments, candidate: &Candidate) -> Result<(Inquiry, Vec<Tool>), Refusal> {
    let failed = |failure: Failure| match failure {
        Failure::Interrupted(signal) => Refusal::Interrupted(signal),
        other => Refusal::Failed(other.into()),
    };
    let start = candidate.start.as_ref();
    let start = start.map_err(|why| Refusal::Failed(anyhow!("{why}")))?;
    let patience = Duration::from_secs(arguments.timeout);
    let mut inquiry = Inquiry::begin(start, patience).map_err(failed)?;
    let tools = inquiry.tools().map_err(failed)?;
    Ok((inquiry, tools))
}

fn listing(answered: &[Answered<'_>]) -> Listing {
    let mut listing = Listing::default();
    for one in answered {
        listing.add(one.asked.clone(), one.tools.clone());
    }
    listing
}

/// The round after all servers have ended.
fn finished(answered: Vec<Answered<'_>>, mut failed: Vec<(Candidate, String)>) -> Round {
    let mut listing = Listing::default();
    let mut samples = Vec::new();
    for one in answered {
        if let Some(why) = one.failure {
            failed.push((one.candidate.clone(), why));
            continue;
        }
        let first = listing.tools.len();
        for (place, arguments, result) in one.samples {
            samples.push(results::called(first + place, arguments, result));
        }
        listing.add(one.asked, one.tools);
    }
    Round {
        listing,
        samples,
        failed,
    }
}

/// The calls that are to be made, by the indexes of their tools.
fn calls(arguments: &Arguments, listing: &Listing) -> Result<Vec<(usize, Map<String, Value>)>> {
    let mut calls = Vec::new();
    for trial in &arguments.trials {
        calls.push((target(trial, listing)?, trial.arguments.clone()));
    }
    if arguments.call {
        calls.extend(harmless(listing));
    }
    Ok(calls)
}

/// The tool that is meant: by its name, or by that of its server too, with a colon between them.
fn target(trial: &Trial, listing: &Listing) -> Result<usize> {
    let mut fitting = listing.named(&trial.tool);
    if fitting.is_empty() {
        let tools = listing.tools.iter().enumerate();
        let of_server = tools.filter(|(index, tool)| {
            let server = listing.server(*index);
            [&server.title, &server.name].into_iter().any(|name| {
                let rest = trial.tool.strip_prefix(name.as_str());
                rest.and_then(|rest| rest.strip_prefix(':')) == Some(&tool.name)
            })
        });
        fitting = of_server.map(|(index, _)| index).collect();
    }
    let name = shown(&trial.tool);
    match (&fitting[..], &listing.servers[..]) {
        ([tool], _) => Ok(*tool),
        ([], [_]) => bail!(
            "--try: the server has no tool `{name}`; it has {}",
            listing.names()
        ),
        ([], _) => bail!(
            "--try: no server has a tool `{name}`; the tools are {}",
            listing.names()
        ),
        (several, _) => {
            let servers = several.iter().map(|server| listing.server(*server).shown());
            let servers: Vec<String> = servers.collect();
            bail!(
                "--try: several servers have a tool `{name}` ({}): write SERVER:TOOL, as in {}:{name}",
                servers.join(", "),
                servers[0]
            )
        }
    }
}

/// The calls that need no arguments, and that the servers say change nothing.
fn harmless(listing: &Listing) -> Vec<(usize, Map<String, Value>)> {
    let is_harmless =
        |(_, tool): &(usize, &Tool)| tool.read_only == Some(true) && !tool.needs_arguments;
    let harmless = listing.tools.iter().enumerate().filter(is_harmless);
    let calls: Vec<_> = harmless.map(|(index, _)| (index, Map::new())).collect();
    if calls.is_empty() {
        output::tell(format_args!(
            "tamis: --call: no tool is declared read-only and needs no arguments (--try calls any)"
        ));
    }
    calls
}

/// Calls a tool. None: it failed, and more calls may follow.
fn call(
    inquiry: &mut Inquiry,
    tool: &Tool,
    arguments: &Map<String, Value>,
) -> Result<Option<Vec<u8>>, Failure> {
    let name = shown(&tool.name);
    output::tell(format_args!("tamis: calling {name}"));
    match inquiry.call(&tool.name, arguments) {
        Ok(result) if results::is_error(&result) => {
            let error = String::from_utf8_lossy(&result);
            let error: String = error.chars().take(ERROR_SHOWN).collect();
            output::tell(format_args!(
                "tamis: {name} is left out, since it answered with an error: {}",
                crate::printable::line(&error)
            ));
            Ok(None)
        }
        Ok(result) => Ok(Some(result)),
        Err(error @ (Failure::Silent { .. } | Failure::Refused { .. })) => {
            output::tell(format_args!("tamis: {name} is left out: {error}"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
