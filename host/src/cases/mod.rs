//! Tests of a policy: inputs, and the expected outputs of its chains.
//!
//! A test is a `[[test]]` in filters.toml or a folder (`folder`). The same code runs those of operators
//! (`tamis test`) and those of Tamis itself (`tests/cases/apply`). Refuses to know how results are printed.

mod bless;
mod folder;
mod judge;
mod plugin;
mod remarks;
pub mod report;
mod texts;

use crate::chain::{self, Chain, Chains, Receipt};
use crate::dry_run::{self, Call, Input};
use crate::mcp::clients::Client;
use crate::mcp::gate::Gate;
use crate::mcp::shape::FilteredDocument;
use crate::policy::{
    ClientSpec, Code, Finding, Given, Piece, Policy, Report, Source, Span, StepSpec, TestSpec,
    ToolPattern,
};
use crate::sandbox::Sandbox;
use anyhow::Result;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use bless::bless;
pub use folder::gather;
pub use plugin::{Tested, has_cases, of_plugin};

/// The time of a filter in a test: machines that run tests are busy, and the tests do not measure
/// time.
const TIME: Duration = Duration::from_secs(20);

/// A policy and its tests.
pub struct Suite {
    chains: Chains,
    /// The tests, in the order of the file, then by folder.
    pub cases: Vec<Case>,
    /// How long each step may take where it is no test, by chain.
    times: Vec<Vec<Duration>>,
    /// A step that fails fails its test, even if the test expects it.
    strict: bool,
}

/// One test.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its inputs and expectations.
    pub spec: TestSpec,
    /// The folder that it is; none: a `[[test]]` of the policy.
    pub folder: Option<PathBuf>,
}

/// The outcome of a test.
#[derive(Debug)]
pub struct Outcome {
    /// The chain that ran; none where the tool has none.
    pub chain: Option<String>,
    /// Index of that chain in the policy.
    index: Option<usize>,
    /// The input.
    pub input: Vec<u8>,
    /// The output; none if it was withheld without a notice.
    pub output: Option<Vec<u8>>,
    /// Whether the output was withheld.
    pub withheld: bool,
    /// The effect of each step on each document.
    pub documents: Vec<FilteredDocument>,
    /// The receipts of steps that get every message of a server, by the index of their chain.
    on_message: Vec<(usize, Vec<Receipt>)>,
    /// Why the test failed; empty if it passed.
    pub failures: Vec<Failure>,
    /// Whether the expected output was written again.
    pub blessed: bool,
    /// How long the test took.
    pub time: Duration,
}

/// A reason why a test failed.
#[derive(Debug)]
pub enum Failure {
    /// The output is not the expected one.
    Golden {
        /// The file or table with the expected one.
        place: String,
        expected: Vec<u8>,
    },
    /// The file with the expected output is not there.
    NoGolden(PathBuf),
    /// Anything else, in one line.
    Other(String),
}

/// A step that no test has do anything.
#[derive(Debug)]
pub struct Untested {
    /// Its chain.
    pub chain: String,
    /// Place in the chain, from 0.
    pub step: usize,
    /// Its filter.
    pub filter: String,
    /// Its name in the file.
    pub span: Span,
    /// Why it left the documents of all tests unchanged, if that is known.
    pub why: Option<String>,
}

impl Outcome {
    /// Whether everything was as it should be.
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }
}

impl Suite {
    /// Loads a policy to test it. Its `[[test]]` tables are the first cases.
    ///
    /// # Errors
    ///
    /// A [`Report`] of input files that are not there, or of filters that do not load.
    pub fn new(mut policy: Policy, sandbox: &Sandbox) -> Result<Suite> {
        let tests = policy.tests.iter().cloned();
        let cases: Vec<Case> = tests.map(|spec| Case { spec, folder: None }).collect();
        let missing: Vec<Finding> = cases.iter().filter_map(missing_input).collect();
        if !missing.is_empty() {
            return Err(Report::new(policy.source, missing).into());
        }
        let times = remarks::times(&policy);
        unhurried(&mut policy);
        let chains = chain::load(policy, sandbox)?;
        Ok(Suite {
            chains,
            cases,
            times,
            strict: false,
        })
    }

    /// For tests of one filter, which must not fail: a document that stays since the filter failed is not
    /// the expected one.
    #[must_use]
    fn of_one_filter(self) -> Suite {
        Suite {
            strict: true,
            ..self
        }
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        self.chains.policy()
    }

    /// The file that the policy is in.
    pub fn source(&self) -> &Source {
        &self.policy().source
    }

    /// Runs one of the cases.
    pub fn run(&self, case: &Case) -> Outcome {
        let start = Instant::now();
        let outcome = self.outcome(case);
        Outcome {
            time: start.elapsed(),
            ..outcome
        }
    }

    fn outcome(&self, case: &Case) -> Outcome {
        let spec = &case.spec;
        let mut failures = Vec::new();
        let input = match read(&spec.input) {
            Ok(input) => input,
            Err(error) => {
                failures.push(Failure::Other(format!("{error:#}")));
                Input {
                    bytes: Vec::new(),
                    call: None,
                }
            }
        };
        let (index, name) = self.choose(spec, &input, &mut failures);
        let chain = index.and_then(|index| self.chains.get(index));
        let chain = chain.filter(|chain| chain.has_steps());
        let mut outcome = Outcome {
            chain: chain.map(|chain| chain.name.clone()),
            index,
            output: Some(input.bytes.clone()),
            input: input.bytes.clone(),
            withheld: false,
            documents: Vec::new(),
            on_message: Vec::new(),
            failures,
            blessed: false,
            time: Duration::ZERO,
        };
        if let (Some(expected), Some(tool)) = (spec.expect.hidden, &spec.tool) {
            // Without a profile, so no profile can be unknown.
            let gate = Gate::new(self.policy(), None).unwrap_or_default();
            let refusal = gate.refusal(tool);
            if refusal.is_some() != expected {
                let why = refusal.unwrap_or_else(|| format!("clients see the tool `{tool}`"));
                outcome
                    .failures
                    .push(Failure::Other(format!("`hidden = {expected}`: {why}")));
            }
        }
        let is_about_list = spec.expect.hidden.is_some() && input.bytes.is_empty();
        if !outcome.passed() || is_about_list {
            return outcome;
        }
        let redacted = match (spec.chain, &spec.tool) {
            // A test of one chain by its name is about this chain alone.
            (Some(_), None) => Some(Cow::Borrowed(&input)),
            _ => {
                let server = input.server(spec.server.as_deref());
                let run = || dry_run::redacted(&self.chains, server, None, &input);
                let mut redacted = run();
                let again = || run().receipts;
                remarks::time_messages_again(&self.times, &mut redacted.receipts, again);
                outcome.on_message = redacted.receipts;
                redacted.input
            }
        };
        match (&redacted, chain) {
            (Some(input), Some(chain)) => self.filter(chain, spec, &name, input, &mut outcome),
            (Some(input), None) => outcome.output = Some(input.bytes.clone()),
            (None, _) => {
                outcome.output = None;
                outcome.withheld = true;
            }
        }
        judge::judge(&spec.expect, &mut outcome);
        if self.strict && spec.expect.golden.is_some() {
            outcome.failures.extend(judge::failed_steps(&outcome));
        }
        outcome
    }

    fn filter(
        &self,
        chain: &Arc<Chain>,
        spec: &TestSpec,
        name: &str,
        input: &Input,
        outcome: &mut Outcome,
    ) {
        // The filter's faults in earlier tests do not count in this one.
        chain.forget_faults();
        let call = Call {
            server: input.server(spec.server.as_deref()),
            surface: spec.surface,
            name,
            arguments: input.arguments(spec.arguments.as_deref()),
            client: self.client(spec, input),
            session: None,
        };
        let run = || dry_run::run(chain, &self.policy().read_tool, &call, input);
        let mut output = run();
        let times = outcome.index.map(|index| self.times[index].as_slice());
        remarks::time_again(times.unwrap_or_default(), &mut output, run);
        outcome.output = output.bytes;
        outcome.withheld = output.withheld;
        outcome.documents = output.documents;
    }

    /// The facts about the client in the test.
    fn client<'a>(&'a self, spec: &TestSpec, input: &Input) -> Option<&'a ClientSpec> {
        let own = &self.policy().clients;
        let Some(name) = &spec.client else {
            return input.client(own);
        };
        let client = Client {
            name: name.clone(),
            version: String::new(),
        };
        client.spec(own)
    }

    /// The chain to run, and the tool's name for filters.
    fn choose(
        &self,
        spec: &TestSpec,
        input: &Input,
        failures: &mut Vec<Failure>,
    ) -> (Option<usize>, String) {
        let policy = self.policy();
        let chain_for = |name: &str| {
            policy.chain_for(&Piece {
                server: Some(input.server(spec.server.as_deref())),
                arguments: Some(input.arguments(spec.arguments.as_deref())),
                client: Some(spec.client.as_deref().unwrap_or(input.client_name())),
                result: Some(input.facts()),
                ..Piece::new(spec.surface, name)
            })
        };
        let Some(named) = spec.chain else {
            let name = spec.tool.clone().unwrap_or_default();
            return (chain_for(&name), name);
        };
        let chain = &policy.chains[named];
        let Some(tool) = &spec.tool else {
            return (
                Some(named),
                example_of(chain.binding.patterns(spec.surface)),
            );
        };
        let bound = chain_for(tool);
        if bound != Some(named) {
            let found = match bound {
                Some(index) => format!("the chain `{}`", policy.chains[index].name),
                None => "no chain".to_owned(),
            };
            failures.push(Failure::Other(format!(
                "`{tool}` has {found}, not `{}`",
                chain.name
            )));
        }
        (Some(named), tool.clone())
    }

    /// The steps that did nothing in any of the outcomes, each once, in the first chain that has it.
    pub fn untested<'o>(&self, outcomes: impl Iterator<Item = &'o Outcome>) -> Vec<Untested> {
        let chains = &self.policy().chains;
        let mut seen: Vec<Vec<bool>> = chains
            .iter()
            .map(|chain| vec![false; chain.steps.len()])
            .collect();
        let mut reasons: HashMap<(usize, usize), Reason> = HashMap::new();
        let mut note = |chain: usize, receipts: &[Receipt]| {
            let name = &chains[chain].name;
            for (step, receipt) in receipts.iter().enumerate().take(seen[chain].len()) {
                // A step that hides things does its work where it withholds, too.
                seen[chain][step] |=
                    matches!(receipt.outcome, chain::Outcome::Edited) || receipt.withheld;
                let why = self.chains.why_unchanged(name, step, receipt);
                let reason = reasons.entry((chain, step)).or_default();
                reason.add(receipt.before.text().len(), why);
            }
        };
        for outcome in outcomes {
            for (chain, receipts) in &outcome.on_message {
                note(*chain, receipts);
            }
            for document in &outcome.documents {
                outcome
                    .index
                    .into_iter()
                    .for_each(|chain| note(chain, &document.receipts));
            }
        }
        // The same step in several chains is one step to test.
        let same = |step: &StepSpec| {
            let settings: BTreeMap<_, _> = step.settings.iter().collect();
            (step.filter.clone(), format!("{settings:?}"))
        };
        let mut known: HashSet<_> = chains
            .iter()
            .zip(&seen)
            .flat_map(|(chain, seen)| chain.steps.iter().zip(seen))
            .filter(|(_, seen)| **seen)
            .map(|(step, _)| same(step))
            .collect();
        let mut untested = Vec::new();
        for (number, chain) in chains.iter().enumerate() {
            for (index, step) in chain.steps.iter().enumerate() {
                if known.insert(same(step)) {
                    untested.push(Untested {
                        chain: chain.name.clone(),
                        step: index,
                        filter: self.policy().filter_name(&step.filter).to_owned(),
                        span: step.span,
                        why: reasons
                            .remove(&(number, index))
                            .and_then(|reason| reason.known),
                    });
                }
            }
        }
        untested
    }
}

/// Why a step left several documents unchanged.
#[derive(Default)]
struct Reason {
    /// Bytes of the largest document.
    bytes: usize,
    /// The reason for that document.
    known: Option<String>,
    /// For one of the documents, no reason is known.
    is_open: bool,
}

impl Reason {
    fn add(&mut self, bytes: usize, why: Option<String>) {
        self.is_open |= why.is_none();
        if self.is_open {
            self.known = None;
        } else if self.known.is_none() || bytes > self.bytes {
            (self.bytes, self.known) = (bytes, why);
        }
    }
}

impl Untested {
    /// The step's effect, and its reason if known.
    pub fn label(&self) -> String {
        let why = self.why.iter().map(|why| format!(": {why}"));
        "changes nothing in any test".to_owned() + &why.collect::<String>()
    }

    /// A finding of the policy: one for all such steps of a chain, at the place of the first. None: no such
    /// step.
    pub fn finding(of_chain: &[Untested]) -> Option<Finding> {
        let first = of_chain.first()?;
        let chain = &first.chain;
        if of_chain.len() == 1 {
            let message = format!(
                "no test exercises step {} of chain `{chain}`",
                first.step + 1
            );
            return Some(
                Finding::warning(first.span, message, first.label()).code(Code::StepUntested),
            );
        }
        let filters: Vec<String> = of_chain
            .iter()
            .map(|step| format!("`{}`", step.filter))
            .collect();
        let message = format!(
            "no test exercises {} steps of chain `{chain}`: {}",
            of_chain.len(),
            filters.join(", ")
        );
        let label = "the first of those that change nothing in any test";
        Some(Finding::warning(first.span, message, label).code(Code::StepUntested))
    }
}

/// Gives every filter the time that it has in tests.
pub fn unhurried(policy: &mut Policy) {
    for step in policy.chains.iter_mut().flat_map(|chain| &mut chain.steps) {
        step.limits.time = step.limits.time.max(TIME);
    }
}

/// A tool that a chain is bound to, if one is named in full.
fn example_of(patterns: &[ToolPattern]) -> String {
    let named = patterns.iter().map(|pattern| pattern.as_str());
    let mut literal = named.filter(|pattern| !pattern.contains('*'));
    literal.next().unwrap_or("tool").to_owned()
}

fn missing_input(case: &Case) -> Option<Finding> {
    let Given::File { path, span } = &case.spec.input else {
        return None;
    };
    if path.is_file() {
        return None;
    }
    let message = format!("{} does not exist", path.display());
    let finding = Finding::error(*span, message, "the test's input");
    Some(finding.help("a relative path starts at the folder of filters.toml"))
}

fn read(given: &Given) -> Result<Input> {
    match given {
        Given::Text { text, .. } | Given::Json { text, .. } => Input::new(text.as_str()),
        Given::File { path, .. } => Input::read(path),
    }
}

/// Whether a file or folder is a test by itself.
pub fn is_case(folder: &Path) -> bool {
    folder::input_of(folder).is_some()
}
