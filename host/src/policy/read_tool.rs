//! `[read-tool]`: the tool with which a model reads originals.

use super::code::Code;
use super::keys;
use super::names;
use super::raw::{self, Findings, Value};
use super::report::Finding;
use super::source::Span;
use toml::de::DeValue;

/// The read tool's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadTool {
    /// The tool's name.
    pub name: String,
    /// Most tokens of one answer.
    pub cap_tokens: usize,
    /// Whether it is in the list of tools; if not, Tamis still answers its calls.
    pub listed: bool,
}

/// A screenful, so that too wide a question costs little.
const CAP_TOKENS: usize = 2_000;
pub(super) const LEAST_CAP: i128 = 200;
pub(super) const MOST_CAP: i128 = 100_000;

impl Default for ReadTool {
    fn default() -> ReadTool {
        ReadTool {
            name: "tamis_read".to_owned(),
            cap_tokens: CAP_TOKENS,
            listed: true,
        }
    }
}

pub(super) fn read(value: &Value<'_>, findings: &mut Findings<'_>) -> ReadTool {
    let mut read_tool = ReadTool::default();
    let Some(fields) = findings.table(value, "the read tool", "a table [read-tool]") else {
        return read_tool;
    };
    fields.deny_unknown(&keys::READ_TOOL.names(), findings);
    if let Some((name, span)) = fields
        .get("name")
        .and_then(|value| findings.string(value, "`name`", "a tool's name"))
    {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if name.is_empty() || name.len() > names::MAX_NAME || !name.chars().all(plain) {
            let message = format!("{} is not a tool's name", names::quote(name));
            let label = "allowed: 1 to 64 letters, digits, `_`, `-` and `.`";
            findings.push(Finding::error(span, message, label));
        }
        name.clone_into(&mut read_tool.name);
    }
    if let Some(value) = fields.get("cap") {
        read_tool.cap_tokens = read_cap(value, findings);
    }
    if let Some(value) = fields.get("listed") {
        read_tool.listed = findings.boolean(value, "`listed`").unwrap_or(true);
    }
    read_tool
}

fn read_cap(value: &Value<'_>, findings: &mut Findings<'_>) -> usize {
    let expected = format!("a number of tokens from {LEAST_CAP} to {MOST_CAP}");
    let DeValue::Integer(number) = value.get_ref() else {
        findings.wrong_type(value, "`cap`", &expected, None);
        return CAP_TOKENS;
    };
    let number = raw::integer(number).filter(|number| (LEAST_CAP..=MOST_CAP).contains(number));
    match number {
        Some(number) => number as usize,
        None => {
            let span: Span = value.span().into();
            let label = format!("allowed: {expected}");
            let finding = Finding::error(span, "`cap` is out of bounds", label);
            findings.push(finding.code(Code::OutOfRange));
            CAP_TOKENS
        }
    }
}
