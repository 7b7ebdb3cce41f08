//! The facts about servers, and the tests that can be made of them.

use super::chains::{Finding, Measure};
use super::fixture::Fixtures;
use super::listing::Listing;
use super::page::Test;
use super::plan::Names;
use super::results::{self, Sample};
use super::sources::Candidate;
use crate::chain::Chains;
use crate::dry_run::Output;
use crate::policy::{Piece, ResultFacts, Surface};
use crate::tokens;
use anyhow::Result;

/// The facts about the servers.
pub(super) struct Survey {
    pub(super) listing: Listing,
    pub(super) samples: Vec<Sample>,
    /// The measurements of each tool with results.
    pub(super) findings: Vec<Option<Finding>>,
    /// The servers that are left out, and why.
    pub(super) failed: Vec<(Candidate, String)>,
}

/// The result of which a chain saves the most.
struct Best<'a> {
    sample: &'a Sample,
    output: Output,
    saved: u64,
}

/// How tests are made.
pub(super) struct Tests<'a> {
    /// The chains from this one on get a test.
    pub(super) first: usize,
    /// Whether a test names its server.
    pub(super) names_servers: bool,
    /// Whether results may be written to files.
    pub(super) writes: bool,
    pub(super) names: &'a mut Names,
}

impl Survey {
    /// A test for each chain with results. Writes the results that the tests read, if they have no files.
    pub(super) fn tests(
        &self,
        chains: &Chains,
        how: Tests<'_>,
        fixtures: &mut Fixtures<'_>,
    ) -> Result<Vec<Test>> {
        let mut best: Vec<Option<Best<'_>>> = chains.iter().map(|_| None).collect();
        for sample in &self.samples {
            let server = &self.listing.server(sample.tool).name;
            let tool = &self.listing.tools[sample.tool].name;
            let has_file = fixtures.within(sample.file.as_deref()).is_some();
            let can_be_named = !tool.is_empty() && (has_file || how.writes);
            let arguments = sample.arguments();
            let index = chains.policy().chain_for(&Piece {
                server: Some(server),
                arguments: Some(&arguments),
                client: Some(""),
                result: Some(ResultFacts::of(&sample.result)),
                ..Piece::new(Surface::Result, tool)
            });
            let is_wanted = can_be_named && !results::is_error(&sample.result);
            let Some(index) = index.filter(|index| is_wanted && *index >= how.first) else {
                continue;
            };
            let server = if how.names_servers { server } else { "" };
            let Some(output) = run(chains, index, server, tool, sample) else {
                continue;
            };
            let (before, after) = output.tokens();
            let saved = before.saturating_sub(after);
            if best[index].as_ref().is_none_or(|best| saved > best.saved) {
                best[index] = Some(Best {
                    sample,
                    output,
                    saved,
                });
            }
        }
        let mut tests = Vec::new();
        for best in best.into_iter().flatten() {
            let server = self.listing.server(best.sample.tool).name.clone();
            let tool = self.listing.tools[best.sample.tool].name.clone();
            let result = &best.sample.result;
            let input_file = match fixtures.within(best.sample.file.as_deref()) {
                Some(path) => path,
                None => fixtures.write(&tool, result)?,
            };
            let count = |bytes: &[u8]| u64::from(tokens::count(&String::from_utf8_lossy(bytes)));
            tests.push(Test {
                name: how
                    .names
                    .take(&format!("{tool}, as it answered"))
                    .or_else(|| how.names.take("a result")),
                server: how.names_servers.then_some(server),
                tokens_before: count(result),
                tokens_after: count(best.output.bytes.as_deref().unwrap_or_default()),
                word: word(&best.output),
                arguments: best.sample.arguments.clone(),
                tool,
                input_file,
            });
        }
        Ok(tests)
    }

    /// Sum over all results of tools that a chain is written for.
    pub(super) fn total(&self, wanted: &[bool]) -> Option<Measure> {
        let findings = self.findings.iter().zip(wanted);
        let measures = findings
            .filter(|(_, wanted)| **wanted)
            .filter_map(|(finding, _)| Some(finding.as_ref()?.measure()));
        measures.reduce(|sum, next| Measure {
            results: sum.results + next.results,
            before: sum.before + next.before,
            after: sum.after + next.after,
            cut: sum.cut + next.cut,
            uncut: sum.uncut + next.uncut,
        })
    }
}

/// The outcome of a chain for a result. None: a filter failed, so a test of it would.
fn run(chains: &Chains, index: usize, server: &str, tool: &str, sample: &Sample) -> Option<Output> {
    let chain = chains.get(index)?;
    let output = sample.filtered(chains, chain, server, tool);
    let mut receipts = output
        .documents
        .iter()
        .flat_map(|document| &document.receipts);
    let has_failed = receipts.any(|receipt| receipt.outcome.is_failure());
    (!has_failed).then_some(output)
}

/// A word of the input that is also in the output, for a test to look for.
fn word(output: &Output) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let is_telling = |word: &&str| {
        (5..=40).contains(&word.chars().count()) && word.chars().any(char::is_alphabetic)
    };
    output.documents.iter().find_map(|document| {
        let before = &document.receipts.first()?.before;
        let after = document.receipts.last()?.after.text();
        let mut words = before.text().split(|c| !is_part(c)).filter(is_telling);
        words.find(|word| after.contains(*word)).map(str::to_owned)
    })
}
