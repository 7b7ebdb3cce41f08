//! `[record]`: which calls `tamis run --record` stores, and how many.

use super::chains::Chains;
use super::code::Code;
use super::defaults::Unit;
use super::keys;
use super::names;
use super::raw::{Findings, Value};
use super::report::Finding;
use super::source::Span;
use super::{ChainSpec, StepSpec};

/// The calls that are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordSpec {
    /// The name of the chain that redacts recordings.
    pub redact: Option<String>,
    /// Most calls in a folder.
    pub calls: u64,
    /// Most bytes of these calls.
    pub bytes: u64,
}

/// Some days of an agent's work.
const CALLS: u64 = 10_000;
pub(super) const MOST_CALLS: u64 = 10_000_000;

/// The bytes of calls with results of 25 KB, which is much.
const BYTES: u64 = 256 << 20;
const LEAST_BYTES: u64 = 1 << 10;
const MOST_BYTES: u64 = 1 << 40;

impl Default for RecordSpec {
    fn default() -> RecordSpec {
        RecordSpec {
            redact: None,
            calls: CALLS,
            bytes: BYTES,
        }
    }
}

/// The step of a chain that would let a whole call be recorded when the step fails; none in a chain that
/// redacts.
pub fn step_that_passes(chain: &ChainSpec) -> Option<&StepSpec> {
    chain.steps.iter().find(|step| !step.redacts())
}

pub(super) fn read(value: &Value<'_>, chains: &Chains, findings: &mut Findings<'_>) -> RecordSpec {
    let mut record = RecordSpec::default();
    let Some(fields) = findings.table(value, "the recording", "a table [record]") else {
        return record;
    };
    fields.deny_unknown(&keys::RECORD.names(), findings);
    if let Some((name, span)) = fields
        .get("redact")
        .and_then(|value| findings.string(value, "`redact`", "a chain's name"))
    {
        check_chain(name, span, chains, findings);
        record.redact = Some(name.to_owned());
    }
    if let Some(value) = fields.get("calls") {
        record.calls = findings
            .calls(value, "`calls`", MOST_CALLS)
            .unwrap_or(CALLS);
    }
    if let Some(value) = fields.get("size") {
        record.bytes = size(value, findings).unwrap_or(BYTES);
    }
    record
}

fn check_chain(name: &str, span: Span, chains: &Chains, findings: &mut Findings<'_>) {
    let Some(chain) = chains.specs().find(|chain| chain.name == name) else {
        let known: Vec<&str> = chains.specs().map(|chain| chain.name.as_str()).collect();
        let message = format!("unknown chain {}", names::quote(name));
        findings.unknown(span, message, name, &known, Code::UnknownValue);
        return;
    };
    if let Some(step) = step_that_passes(chain) {
        let message = format!(
            "a step of chain {} would record calls whole if it fails",
            names::quote(name)
        );
        let label = "each step of a redacting chain must withhold a call if it fails";
        let finding = Finding::error(step.span, message, label)
            .also(span, "this chain redacts calls")
            .help("set `on-error = \"block\"`, and remove `shadow`");
        findings.push(finding.code(Code::RecordedWhole));
    }
}

/// Warns of chains that run on nothing: `on` is empty, and no recording uses them.
pub(super) fn warn_unbound(record: &RecordSpec, chains: &Chains, findings: &mut Findings<'_>) {
    for chain in chains.specs() {
        if chain.binding.on.is_empty() && record.redact.as_ref() != Some(&chain.name) {
            let message = format!("chain {} filters nothing", names::quote(&chain.name));
            let warning = Finding::warning(chain.span, message, "its `on` is empty");
            let help = "use such a chain in `[record] redact`, or with --record-chain";
            findings.push(warning.help(help).code(Code::ChainUnbound));
        }
    }
}

fn size(value: &Value<'_>, findings: &mut Findings<'_>) -> Option<u64> {
    let expected = format!(
        "a size from \"{}\" to \"{}\"",
        Unit::Size.show(LEAST_BYTES),
        Unit::Size.show(MOST_BYTES)
    );
    let (text, span) = findings.string(value, "`size`", &expected)?;
    match Unit::Size.parse(text) {
        Ok(bytes) if (LEAST_BYTES..=MOST_BYTES).contains(&bytes) => Some(bytes),
        Ok(_) => {
            findings.out_of_bounds(value, "`size`", &expected);
            None
        }
        Err(_) => {
            let label = format!("allowed: {expected}");
            findings.push(Finding::error(span, "`size` is not a size", label));
            None
        }
    }
}
