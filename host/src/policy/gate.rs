//! `[tool.NAME]` and `[profile.NAME]`: which of the upstream's tools a client sees.

use std::path::PathBuf;

use toml::de::DeValue;

use super::code::Code;
use super::keys;
use super::names;
use super::pattern::{self, ToolPattern};
use super::raw::{self, Fields, Findings, Value};
use super::report::Finding;
use super::source::{Source, Span};

/// A table `[tool.NAME]`.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    /// The tool's name as written; with a `*`, a pattern of names.
    pub name: String,
    /// All of these needs must be met for the tool.
    pub needs: Vec<Need>,
    /// The client does not see the tool, regardless of its `needs`.
    pub hidden: bool,
    /// If the server has no tool of this name, clients get no tool at all.
    pub required: bool,
    /// The name in the header.
    pub span: Span,
}

impl ToolSpec {
    /// The pattern of names, if the table is for several tools.
    pub fn pattern(&self) -> Option<ToolPattern> {
        let pattern = self
            .name
            .contains('*')
            .then(|| ToolPattern::new(&self.name))?;
        pattern.ok()
    }
}

/// A requirement of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// A program on PATH.
    Program(String),
    /// An environment variable that is set.
    Variable(String),
    /// A file or folder, joined to the folder of filters.toml.
    File(PathBuf),
    /// One of these needs suffices.
    Any(Vec<Need>),
}

/// `[profile.NAME]`: a subset of the tools.
#[derive(Debug, Clone)]
pub struct ProfileSpec {
    /// The name for `--profile`.
    pub name: String,
    /// The available tools. Not empty.
    pub tools: Vec<ToolPattern>,
    /// The name in the header.
    pub span: Span,
    /// The places of the patterns.
    pub tool_spans: Vec<Span>,
}

const EXAMPLE: &str = "[\"bandit\"]";
const ALLOWED: &str = "a program's name, \"env:NAME\", \"file:PATH\", or a list of alternatives";

/// Reads the tables under `tool`.
pub(super) fn tools(
    value: &Value<'_>,
    source: &Source,
    findings: &mut Findings<'_>,
) -> Vec<ToolSpec> {
    let mut tools = Vec::new();
    for (name, span, fields) in named_tables(value, "tool", "a tool", findings) {
        fields.deny_unknown(&keys::TOOL.names(), findings);
        if name.starts_with('!') {
            let message = format!("{} is no tool", names::quote(name));
            let label = "allowed: a tool's name, or a pattern with `*`";
            let help = "a table for one tool counts before one for a pattern: [tool.NAME] with hidden = false";
            findings.push(Finding::error(span, message, label).help(help));
        }
        if let (true, Err(error)) = (name.contains('*'), ToolPattern::new(name)) {
            let label = "allowed: a tool's name, or a pattern with `*`";
            findings.push(Finding::error(span, error.to_string(), label));
        }
        let needs = fields.get("needs").map_or(&[][..], |value| {
            findings.filled_list(value, "`needs`", &format!("a list such as {EXAMPLE}"))
        });
        let needs = needs
            .iter()
            .filter_map(|item| need(item, source, true, findings))
            .collect();
        let flag = |key: &str, findings: &mut Findings<'_>| {
            let value = fields.get(key);
            let flag = value.and_then(|value| findings.boolean(value, &format!("`{key}`")));
            flag.unwrap_or(false)
        };
        tools.push(ToolSpec {
            name: name.to_owned(),
            needs,
            hidden: flag("hidden", findings),
            required: flag("required", findings),
            span,
        });
    }
    tools
}

/// Reports a tool that one file hides and another shows again: a table for one tool counts before one for a pattern.
/// Each table with the index of its file.
pub(super) fn check_hidden(tools: &[(usize, ToolSpec)], findings: &mut Findings<'_>) {
    let patterns: Vec<(usize, ToolPattern, Span)> = tools
        .iter()
        .filter(|(_, tool)| tool.hidden)
        .filter_map(|(file, tool)| Some((*file, tool.pattern()?, tool.span)))
        .collect();
    let shown = tools
        .iter()
        .filter(|(_, tool)| !tool.hidden && !tool.name.contains('*'));
    for (file, tool) in shown {
        let mut hiding = patterns.iter();
        let hiding = hiding.find(|(of, pattern, _)| of != file && pattern.matches(&tool.name));
        if let Some((_, _, span)) = hiding {
            let name = names::quote(&tool.name);
            let message = format!("another file hides the tool {name}");
            let label = "this table would show it again";
            let finding = Finding::error(tool.span, message, label).also(*span, "hidden here");
            let help = "write this table in the file that hides the tool";
            findings.push(finding.help(help).code(Code::RedactionOverridden));
        }
    }
}

/// Reports tools that a server must have, in a policy for several servers: each of them would have to have the tool.
pub(super) fn check_required(tools: &[ToolSpec], servers: usize, findings: &mut Findings<'_>) {
    if servers < 2 {
        return;
    }
    for tool in tools.iter().filter(|tool| tool.required) {
        let name = names::quote(&tool.name);
        let message = format!("the tool {name} is required, in a policy for {servers} servers");
        let label = "allowed with one server, whose tools it is about";
        let help = "give the server a policy of its own, or remove `required`";
        findings.push(Finding::error(tool.span, message, label).help(help));
    }
}

fn need(
    value: &Value<'_>,
    source: &Source,
    may_be_list: bool,
    findings: &mut Findings<'_>,
) -> Option<Need> {
    if let DeValue::Array(items) = value.get_ref()
        && may_be_list
        && !items.is_empty()
    {
        let any = items.iter();
        let any = any.filter_map(|item| need(item, source, false, findings));
        return Some(Need::Any(any.collect()));
    }
    let DeValue::String(text) = value.get_ref() else {
        findings.wrong_type(value, "a need", ALLOWED, None);
        return None;
    };
    let span: Span = value.span().into();
    let (kind, name) = match text.split_once(':') {
        None => ("", text.as_ref()),
        Some((kind, name)) => (kind, name),
    };
    let is_plain = !name.is_empty() && !name.chars().any(char::is_control);
    match kind {
        "" if is_plain && !name.contains(['/', ' ']) => Some(Need::Program(name.to_owned())),
        "env" if is_plain && !name.contains(['=', ' ']) => Some(Need::Variable(name.to_owned())),
        "file" if is_plain => Some(Need::File(source.resolve(name))),
        _ => {
            let message = format!(
                "{} is not a valid requirement of a tool",
                names::quote(text)
            );
            findings.push(Finding::error(span, message, format!("allowed: {ALLOWED}")));
            None
        }
    }
}

/// Reads the tables under `profile`.
pub(super) fn profiles(value: &Value<'_>, findings: &mut Findings<'_>) -> Vec<ProfileSpec> {
    let mut profiles = Vec::new();
    for (name, span, fields) in named_tables(value, "profile", "a profile", findings) {
        fields.deny_unknown(&keys::PROFILE.names(), findings);
        let Some(value) = fields.require("tools", keys::PROFILE.example("tools"), findings) else {
            continue;
        };
        let (tools, tool_spans) = pattern::read(value, "`tools`", findings);
        profiles.push(ProfileSpec {
            name: name.to_owned(),
            tools,
            span,
            tool_spans,
        });
    }
    profiles
}

/// Tables of tables: `[tool.NAME]`.
pub(super) fn named_tables<'t>(
    value: &'t Value<'t>,
    name: &str,
    what: &'static str,
    findings: &mut Findings<'_>,
) -> Vec<(&'t str, Span, Fields<'t>)> {
    let expected = format!("tables under headers [{name}.NAME]");
    let DeValue::Table(table) = value.get_ref() else {
        findings.wrong_type(value, &format!("`{name}`"), &expected, None);
        return Vec::new();
    };
    raw::entries(table)
        .into_iter()
        .filter_map(|entry| {
            let fields = findings.table(entry.value, what, &expected)?;
            Some((entry.key, entry.key_span, fields))
        })
        .collect()
}
