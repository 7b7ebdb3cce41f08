//! What was found out about a server: as a filters.toml, in words, and for machines.

use super::chains::{Finding, Measure, Workshop};
use super::page::{self, Page, Test};
use super::results::{self, Sample};
use super::{Arguments, fixture};
use crate::built_in;
use crate::cases;
use crate::chain::{self, Chains};
use crate::dry_run::Output;
use crate::mcp::inquiry::{ServerName, Tool};
use crate::policy::{Piece, Policy, Source, Surface};
use crate::sandbox::Sandbox;
use crate::shell;
use crate::tokens;
use anyhow::Result;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What there is to know of a server.
pub(super) struct Survey {
    pub(super) server: ServerName,
    pub(super) tools: Vec<Tool>,
    pub(super) samples: Vec<Sample>,
    /// Of each tool, where there are results of it.
    pub(super) findings: Vec<Option<Finding>>,
}

/// The result of which a chain saves the most.
struct Best<'a> {
    sample: &'a Sample,
    output: Output,
    saved: u64,
}

impl Survey {
    /// The text of the file, and the tests in it. Writes the results that these read, where they have no files.
    pub(super) fn page(
        &self,
        arguments: &Arguments,
        workshop: &Workshop<'_>,
        sandbox: &Sandbox,
    ) -> Result<(String, Vec<Test>)> {
        let page = |tests| Page {
            server: &self.server,
            tools: &self.tools,
            findings: &self.findings,
            base: workshop.base(),
            tests,
        };
        let parse = |text: &str| {
            let source = Source::new(&*arguments.output, text)?;
            Policy::parse(source, &built_in::names())
        };
        let mut policy = parse(&page(&[]).text())?;
        cases::unhurried(&mut policy);
        let chains = chain::load(policy, sandbox)?;
        let tests = self.tests(arguments, &chains)?;
        let text = page(&tests).text();
        parse(&text)?;
        Ok((text, tests))
    }

    /// A test for each chain that there are results for.
    fn tests(&self, arguments: &Arguments, chains: &Chains) -> Result<Vec<Test>> {
        let folder = arguments.folder();
        let mut best: Vec<Option<Best<'_>>> = chains.iter().map(|_| None).collect();
        for sample in &self.samples {
            let tool = &self.tools[sample.tool].name;
            let has_file = fixture::within(folder, sample.file.as_deref()).is_some();
            let can_be_named = !tool.is_empty() && (has_file || !arguments.is_to_stdout());
            let index = chains
                .policy()
                .chain_for(&Piece::new(Surface::Result, tool));
            let Some(index) = index.filter(|_| can_be_named && !results::is_error(&sample.result))
            else {
                continue;
            };
            let Some(output) = run(chains, index, tool, sample) else {
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
        let best = best.into_iter().flatten();
        best.map(|best| self.test(folder, &best)).collect()
    }

    fn test(&self, folder: &Path, best: &Best<'_>) -> Result<Test> {
        let tool = self.tools[best.sample.tool].name.clone();
        let result = &best.sample.result;
        let input_file = match fixture::within(folder, best.sample.file.as_deref()) {
            Some(path) => path,
            None => fixture::write(folder, &tool, result)?,
        };
        let count = |bytes: &[u8]| u64::from(tokens::count(&String::from_utf8_lossy(bytes)));
        Ok(Test {
            tokens_before: count(result),
            tokens_after: count(best.output.bytes.as_deref().unwrap_or_default()),
            word: word(&best.output),
            arguments: best.sample.arguments.clone(),
            tool,
            input_file,
        })
    }

    /// Sum over all results.
    fn total(&self) -> Option<Measure> {
        let measures = self.findings.iter().flatten().map(Finding::measure);
        measures.reduce(|sum, it| Measure {
            results: sum.results + it.results,
            before: sum.before + it.before,
            after: sum.after + it.after,
            cut: sum.cut + it.cut,
            uncut: sum.uncut + it.uncut,
        })
    }

    /// What was found out and what to do next, for a person.
    pub(super) fn account(&self, arguments: &Arguments, tests: &[Test]) -> String {
        let mut text = String::new();
        let file = shell::word(&arguments.output);
        if !arguments.is_to_stdout() {
            let tools = match self.tools.len() {
                1 => "1 tool".to_owned(),
                tools => format!("{tools} tools"),
            };
            let _ = writeln!(text, "written: {file}, for {tools}");
        }
        match self.total() {
            Some(total) => {
                let _ = writeln!(text, "expected, from {}", page::account(total));
            }
            None => {
                text += "no savings measured, because Tamis has no results of these tools (--results, --try, --call)\n";
            }
        }
        let read: Vec<String> = tests
            .iter()
            .map(|test| shell::word(beside(arguments.folder(), &test.input_file)))
            .collect();
        if !read.is_empty() {
            let _ = writeln!(
                text,
                "its tests read {}: check the content before you share it",
                read.join(", ")
            );
        }
        if arguments.is_to_stdout() {
            return text;
        }
        let line: Vec<String> = arguments.command.iter().map(shell::word).collect();
        let whole = arguments.output.canonicalize();
        let whole = shell::word(whole.as_ref().unwrap_or(&arguments.output));
        let _ = writeln!(text, "\nnext:\n  tamis check {file}");
        if !tests.is_empty() {
            let _ = writeln!(text, "  tamis test {file}");
        }
        let _ = writeln!(
            text,
            "  tamis install --config {whole}\nor by hand, in your client's configuration in place of the server's command:\n  tamis run --config {whole} -- {}",
            line.join(" ")
        );
        text
    }

    pub(super) fn json(&self, file: &Path, tests: &[Test]) -> Value {
        let measure = |measure: Measure| {
            json!({
                "results": measure.results,
                "tokens_before": measure.before,
                "tokens_after": measure.after,
                "cut": measure.cut,
                "tokens_uncut": measure.uncut,
            })
        };
        let tools = self
            .tools
            .iter()
            .zip(&self.findings)
            .map(|(tool, finding)| {
                json!({
                    "name": tool.name,
                    "description": tool.description,
                    "read_only": tool.read_only,
                    "destructive": tool.destructive,
                    "own_chain": finding.as_ref().is_some_and(|it| it.own.is_some()),
                    "measured": finding.as_ref().map(|it| measure(it.measure())),
                })
            });
        let tests = tests
            .iter()
            .map(|test| json!({"tool": test.tool, "input_file": test.input_file}));
        json!({
            "file": file,
            "server": {"name": self.server.name, "version": self.server.version},
            "tools": tools.collect::<Vec<_>>(),
            "total": self.total().map(measure),
            "encoding": tokens::ENCODING,
            "tests": tests.collect::<Vec<_>>(),
        })
    }
}

/// What a chain makes of a result. None: a filter failed, so a test of it would.
fn run(chains: &Chains, index: usize, tool: &str, sample: &Sample) -> Option<Output> {
    let chain = chains.get(index)?;
    let output = sample.filtered(chains, chain, tool);
    let mut receipts = output.documents.iter().flat_map(|it| &it.receipts);
    let has_failed = receipts.any(|receipt| receipt.outcome.is_failure());
    (!has_failed).then_some(output)
}

/// A path in a folder, without a `./`.
fn beside(folder: &Path, inner: &str) -> PathBuf {
    if folder == Path::new(".") {
        return PathBuf::from(inner);
    }
    folder.join(inner)
}

/// A word of what came that is in what goes out, for a test to look for.
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
