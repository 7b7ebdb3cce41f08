//! `tamis init`: a filters.toml to start from, made for the tools of servers, or additions to one that exists.
//!
//! `sources` finds the servers, `round` asks them, `chains` and `survey` measure chains on results, `plan`
//! chooses the chains of a file, `page` writes them, `merge` reads a file that exists.

mod account;
mod arguments;
mod chains;
mod fixture;
mod listing;
mod merge;
mod page;
mod plan;
mod results;
mod round;
mod sources;
mod survey;

use crate::built_in;
use crate::cases;
use crate::chain::{self, Chains};
use crate::cli::install::EXIT_DECLINED;
use crate::cli::{lookup, output};
use crate::mcp::inquiry::Failure;
use crate::policy::{Policy, Source};
use crate::sandbox::Sandbox;
use crate::system::{Access, files};
use crate::trust;
use account::{Done, Merged};
use anyhow::{Context, Result};
use chains::{Finding, Workshop};
use fixture::Fixtures;
use listing::{Listing, is_exact};
use merge::{Existing, Standing};
use page::{Page, Test};
use plan::{Names, Planned};
use results::Sample;
use round::{Round, Signals};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use survey::{Survey, Tests};

pub(super) use arguments::Arguments;
use arguments::Trial;

/// Exit code when servers are left out.
const EXIT_LEFT_OUT: u8 = 1;

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    arguments.check()?;
    let sandbox = arguments.sandbox.open()?;
    let existing = match arguments.merge {
        true => Existing::read(&arguments.output, &sandbox)?,
        false => None,
    };
    let sources = sources::find(arguments)?;
    if !sources::confirm(&sources.candidates, arguments.yes)? {
        output::tell(format_args!("tamis: nothing is written"));
        return Ok(ExitCode::from(EXIT_DECLINED));
    }
    let signals = Signals::watch()?;
    let round = match round::ask(arguments, &sources.candidates, &signals) {
        Err(error) => match error.downcast_ref::<Failure>() {
            Some(Failure::Interrupted(signal)) => {
                output::tell(format_args!("tamis: interrupted; nothing is written"));
                return Ok(ExitCode::from(128 + u8::try_from(*signal).unwrap_or(0)));
            }
            _ => return Err(error),
        },
        Ok(round) => round,
    };
    let workshop = Workshop::new(&sandbox)?;
    let survey = survey(arguments, &workshop, round)?;
    let is_complete = survey.failed.is_empty() && sources.broken.is_empty();
    match existing {
        None => write_new(arguments, &workshop, &sandbox, survey)?,
        Some(existing) => add(arguments, &workshop, &sandbox, survey, &existing)?,
    }
    Ok(match is_complete {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(EXIT_LEFT_OUT),
    })
}

/// Measures chains on the results.
fn survey(arguments: &Arguments, workshop: &Workshop<'_>, round: Round) -> Result<Survey> {
    let Round {
        listing,
        samples: called,
        failed,
    } = round;
    let mut samples = results::read(&arguments.results, &listing)?;
    samples.extend(called);
    let findings = find_out(workshop, &listing, &samples)?;
    Ok(Survey {
        listing,
        samples,
        findings,
        failed,
    })
}

fn find_out(
    workshop: &Workshop<'_>,
    listing: &Listing,
    samples: &[Sample],
) -> Result<Vec<Option<Finding>>> {
    let mut of_tools: Vec<Vec<&Sample>> = listing.tools.iter().map(|_| Vec::new()).collect();
    for sample in samples {
        of_tools[sample.tool].push(sample);
    }
    let mut findings = Vec::new();
    for (index, of_tool) in of_tools.iter().enumerate() {
        if of_tool.is_empty() {
            findings.push(None);
            continue;
        }
        let tool = &listing.tools[index].name;
        let mut finding = workshop.find_out(server_in_tests(listing, index), tool, of_tool)?;
        if !is_exact(tool) {
            finding.own = None;
        }
        findings.push(Some(finding));
    }
    Ok(findings)
}

/// The server's name for filters in tests.
fn server_in_tests(listing: &Listing, tool: usize) -> &str {
    match listing.servers.len() {
        1 => "",
        _ => &listing.server(tool).name,
    }
}

/// Writes a file of its own.
fn write_new(
    arguments: &Arguments,
    workshop: &Workshop<'_>,
    sandbox: &Sandbox,
    mut survey: Survey,
) -> Result<()> {
    let wanted = vec![true; survey.listing.tools.len()];
    plan::settle(&survey.listing, &mut survey.findings, &wanted);
    let mut names = Names::new([plan::BASE_NAME]);
    let own = plan::chains_with_own_steps(&survey.listing, &survey.findings, &wanted, &mut names);
    let text = page_of(&survey, &own, &[]).text(workshop.base());
    let source = Source::new(&*arguments.output, text)?;
    let chains = load(Policy::parse(source, &built_in::names())?, sandbox)?;
    let mut fixtures = Fixtures::in_folder(arguments.folder());
    let how = Tests {
        first: 0,
        names_servers: survey.listing.servers.len() > 1,
        writes: !arguments.is_to_stdout(),
        names: &mut Names::default(),
    };
    let tests = survey.tests(&chains, how, &mut fixtures)?;
    let text = page_of(&survey, &own, &tests).text(workshop.base());
    let source = Source::new(&*arguments.output, &text)?;
    merge::test(merge::sound(source, sandbox, false)?, sandbox)?.none()?;
    if arguments.is_to_stdout() {
        output::print_data(text.as_bytes())?;
    } else {
        create(arguments, &text)?;
    }
    fixtures.keep(&tests);
    let done = Done {
        survey: &survey,
        merged: None,
        chains: &own,
        tests: &tests,
        wanted: &wanted,
        odd: &[],
    };
    report(arguments, &done)
}

/// Adds the missing chains and tests to a file.
fn add(
    arguments: &Arguments,
    workshop: &Workshop<'_>,
    sandbox: &Sandbox,
    mut survey: Survey,
    existing: &Existing,
) -> Result<()> {
    let standings = existing.standings(&survey.listing)?;
    let wanted: Vec<bool> = standings
        .iter()
        .map(|standing| *standing == Standing::Open)
        .collect();
    let has_chain: Vec<bool> = standings
        .iter()
        .map(|standing| matches!(standing, Standing::Chain(_)))
        .collect();
    let (listing, findings) = (&survey.listing, &mut survey.findings);
    plan::settle(listing, findings, &wanted);
    let old = &existing.policy;
    let mut names = Names::new(old.chains.iter().map(|chain| chain.name.as_str()));
    let own = plan::chains_with_own_steps(listing, findings, &wanted, &mut names);
    let base = workshop.base();
    let (rest, odd) = plan::rest(listing, findings, &wanted, &has_chain, base, &mut names)?;
    let merged = Merged {
        existing,
        standings: &standings,
        was_trusted: is_trusted(arguments),
    };
    let planned: Vec<_> = own.iter().chain(&rest).cloned().collect();
    if planned.is_empty() {
        let done = Done {
            survey: &survey,
            merged: Some(merged),
            chains: &[],
            tests: &[],
            wanted: &wanted,
            odd: &odd,
        };
        return report(arguments, &done);
    }
    let text = existing.with(&page_of(&survey, &own, &[]).addition(&rest, &wanted));
    let chains = load(existing.check(&text, sandbox)?, sandbox)?;
    let mut fixtures = Fixtures::in_folder(arguments.folder());
    let how = Tests {
        first: old.chains.len(),
        names_servers: true,
        writes: true,
        names: &mut Names::new(old.tests.iter().map(|test| test.name.as_str())),
    };
    let mut tests = survey.tests(&chains, how, &mut fixtures)?;
    let with =
        |tests: &[Test]| existing.with(&page_of(&survey, &own, tests).addition(&rest, &wanted));
    let mut text = with(&tests);
    let failed = merge::test(existing.check(&text, sandbox)?, sandbox)?;
    // A chain of the file for every message may leave other results than those that were measured.
    let count = tests.len();
    tests.retain(|test| !test.name.as_ref().is_none_or(|name| failed.has(name)));
    if tests.len() == count {
        failed.none()?;
    } else {
        text = with(&tests);
        merge::test(existing.check(&text, sandbox)?, sandbox)?.none()?;
    }
    existing.replace(&text)?;
    fixtures.keep(&tests);
    let done = Done {
        survey: &survey,
        merged: Some(merged),
        chains: &planned,
        tests: &tests,
        wanted: &wanted,
        odd: &odd,
    };
    report(arguments, &done)
}

fn page_of<'a>(survey: &'a Survey, own: &'a [Planned], tests: &'a [Test]) -> Page<'a> {
    Page {
        listing: &survey.listing,
        findings: &survey.findings,
        own,
        tests,
    }
}

fn load(mut policy: Policy, sandbox: &Sandbox) -> Result<Chains> {
    cases::unhurried(&mut policy);
    chain::load(policy, sandbox)
}

/// Whether the file is a project's, and trusted in this form.
fn is_trusted(arguments: &Arguments) -> bool {
    matches!(
        lookup::standing(&arguments.output),
        Some(trust::Standing::Trusted(_))
    )
}

fn create(arguments: &Arguments, text: &str) -> Result<()> {
    let writing = || format!("write {}", arguments.output.display());
    if arguments.force {
        return crate::file::replace(&arguments.output, text.as_bytes(), crate::file::Access::All)
            .with_context(writing);
    }
    let mut options = files::options(Access::All);
    let options = options.write(true).create_new(true);
    let file = options.open(&arguments.output);
    match file {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(arguments.is_there()),
        file => file
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .with_context(writing),
    }
}

fn report(arguments: &Arguments, done: &Done<'_>) -> Result<()> {
    if arguments.json {
        let report = done.json(&arguments.output);
        return output::print_json(&format!("{report:#}\n"));
    }
    output::tell(format_args!("{}", done.text(arguments).trim_end()));
    Ok(())
}
