//! The file's `[[chain]]` tables: patterns, steps, names.

use std::collections::HashMap;

use toml::de::DeValue;

use super::filters::{self, Filters};
use super::limits::Limits;
use super::names;
use super::pattern::{PatternError, ToolPattern};
use super::raw::{self, Fields, Findings, Value};
use super::reach;
use super::report::Finding;
use super::settings::{self, SettingSpans, Settings};
use super::source::Span;
use super::{ChainSpec, OnError, StepSpec, Structured};

/// Keys of a step that are Tamis's; every other is a setting of the filter.
const STEP_KEYS: [&str; 3] = ["filter", "limits", "on-error"];

#[derive(Default)]
pub(super) struct Chains {
    declared: Vec<Declared>,
}

/// A chain, whole or not: the policy is made only of a file in which all are whole.
struct Declared {
    spec: ChainSpec,
    /// The name, or the header where there is none.
    name_span: Span,
    /// Where each of the spec's patterns is.
    tool_spans: Vec<Span>,
}

impl Chains {
    pub(super) fn into_specs(self) -> Vec<ChainSpec> {
        self.declared.into_iter().map(|chain| chain.spec).collect()
    }

    /// Reads one `[[chain]]`.
    pub(super) fn declare(
        &mut self,
        fields: Fields<'_>,
        filters: &mut Filters<'_>,
        findings: &mut Findings<'_>,
    ) {
        fields.deny_unknown(&["name", "tools", "steps", "structured"], findings);
        let name = fields
            .get("name")
            .and_then(|value| findings.string(value, "`name`", "a name"));
        if let Some((name, span)) = name {
            check_name(name, span, findings);
        }
        let (tools, tool_spans) = match fields.require("tools", "[\"*\"]", findings) {
            Some(value) => read_tools(value, findings),
            None => Default::default(),
        };
        let steps = match fields.require("steps", "[\"null-stripper\"]", findings) {
            Some(value) => findings.filled_list(value, "`steps`", "a list of filters"),
            None => &[],
        };
        let steps = steps
            .iter()
            .filter_map(|value| read_step(value, filters, findings))
            .collect();
        let structured = fields.get("structured").and_then(|value| {
            findings.choice(value, "structured", "text or keep", &Structured::ALL)
        });
        let default = format!("chain {}", self.declared.len() + 1);
        self.declared.push(Declared {
            spec: ChainSpec {
                name: name.map_or(default, |(name, _)| name.to_owned()),
                tools,
                steps,
                structured,
                span: fields.span,
            },
            name_span: name.map_or(fields.span, |(_, span)| span),
            tool_spans,
        });
    }

    /// Reports names that are there twice, those that chains have by default included.
    pub(super) fn check_names(&self, findings: &mut Findings<'_>) {
        let mut taken: HashMap<&str, Span> = HashMap::new();
        for chain in &self.declared {
            let name = chain.spec.name.as_str();
            let Some(first) = taken.get(name) else {
                taken.insert(name, chain.name_span);
                continue;
            };
            let message = format!("two chains have the name {}", names::quote(name));
            let finding = Finding::error(chain.name_span, message, "again");
            let help = "a chain without a name is called by its place: `chain 1`, `chain 2`";
            findings.push(finding.also(*first, "first here").help(help));
        }
    }

    pub(super) fn warn_unreachable(&self, findings: &mut Findings<'_>) {
        let places = self.declared.iter().map(|chain| reach::Place {
            chain: &chain.spec.name,
            tools: &chain.spec.tools,
            spans: &chain.tool_spans,
        });
        for warning in reach::warnings(places) {
            findings.push(warning);
        }
    }
}

fn check_name(name: &str, span: Span, findings: &mut Findings<'_>) {
    let length = name.chars().count();
    if name.trim().is_empty() || length > names::MAX_NAME || name.chars().any(char::is_control) {
        let label = "allowed: 1 to 64 characters on one line";
        let message = format!("{} is not a chain's name", names::quote(name));
        findings.push(Finding::error(span, message, label));
    }
}

fn read_tools(value: &Value<'_>, findings: &mut Findings<'_>) -> (Vec<ToolPattern>, Vec<Span>) {
    let mut tools = (Vec::new(), Vec::new());
    for item in findings.filled_list(value, "`tools`", "a list of tool patterns") {
        let Some((text, span)) = findings.string(item, "a pattern", "a tool's name") else {
            continue;
        };
        let pattern = match ToolPattern::new(text) {
            Ok(pattern) => pattern,
            Err(error) => {
                let label = "allowed: a tool's name, in which `*` stands for any characters";
                let finding = Finding::error(span, error.to_string(), label);
                findings.push(match error {
                    PatternError::Empty => finding.help("`*` alone fits every tool"),
                    PatternError::TooLong | PatternError::Blank => finding,
                });
                continue;
            }
        };
        if let Some(special) = pattern.looks_special() {
            let message = format!("`{special}` stands for itself in a pattern");
            let label = "fits only a tool that has it in its name";
            let help = "only `*` is special; for several tools, list several patterns";
            findings.push(Finding::warning(span, message, label).help(help));
        }
        tools.0.push(pattern);
        tools.1.push(span);
    }
    tools
}

fn read_step(
    value: &Value<'_>,
    filters: &mut Filters<'_>,
    findings: &mut Findings<'_>,
) -> Option<StepSpec> {
    let table = match value.get_ref() {
        DeValue::String(name) => {
            let span = value.span().into();
            let filter = filters.find(name, span, findings)?;
            let (limits, on_error) = filters.behaviour(&filter);
            return Some(StepSpec {
                filter,
                settings: Settings::new(),
                setting_spans: SettingSpans::default(),
                limits,
                on_error,
                span,
            });
        }
        DeValue::Table(table) => table,
        _ => {
            findings.wrong_type(value, "a step", "\"name\" or { filter = \"name\" }", None);
            return None;
        }
    };
    let fields = Fields::new(table, value.span().into(), "a step");
    let named = fields
        .require("filter", "\"null-stripper\"", findings)
        .and_then(|value| findings.string(value, "`filter`", "a filter's name"));
    let filter = named.and_then(|(name, span)| filters.find(name, span, findings));
    // The rest is read in any case: it has mistakes of its own.
    let (limits, on_error) = match &filter {
        Some(filter) => filters.behaviour(filter),
        None => (Limits::default(), OnError::Pass),
    };
    let (limits, on_error) = filters::behaviour(fields, limits, on_error, findings);
    let entries: Vec<raw::Entry<'_>> = raw::entries(table)
        .into_iter()
        .filter(|entry| !STEP_KEYS.contains(&entry.key))
        .inspect(|entry| warn_near_miss(entry, findings))
        .collect();
    let (settings, setting_spans) = settings::read(&entries, findings);
    let (_, span) = named?;
    Some(StepSpec {
        filter: filter?,
        settings,
        setting_spans,
        limits,
        on_error,
        span,
    })
}

/// `on_error = "block"` would be a setting of the filter, and nothing would be blocked.
fn warn_near_miss(entry: &raw::Entry<'_>, findings: &mut Findings<'_>) {
    let letters = |text: &str| names::fold(text).replace('-', "");
    if let Some(own) = STEP_KEYS
        .iter()
        .find(|own| letters(own) == letters(entry.key))
    {
        let message = format!(
            "{} goes to the filter as a setting",
            names::quote(entry.key)
        );
        let label = format!("did you mean `{own}`?");
        findings.push(Finding::warning(entry.key_span, message, label));
    }
}
