//! The file's `[[chain]]` tables: patterns, steps, names.

use std::collections::HashMap;

use toml::de::DeValue;

use super::code::Code;
use super::conditions;
use super::effect;
use super::filters::{self, Filters};
use super::keys;
use super::limits::Limits;
use super::names;
use super::pattern::{self, ToolPattern};
use super::raw::{self, Fields, Findings, Value};
use super::reach::{self, BindingSpans};
use super::report::Finding;
use super::settings::{self, SettingSpans, Settings};
use super::source::Span;
use super::surface::{Binding, Surface};
use super::{
    Audience, Blocks, ChainSpec, FilterRef, Guard, InputSchema, OnError, Origins, StepSpec,
    Structured,
};
use crate::built_in::{self, BuiltIn, Role};

#[derive(Default)]
pub(super) struct Chains {
    declared: Vec<Declared>,
}

/// A chain, possibly with mistakes. A policy is made only from a file in which all chains are correct.
struct Declared {
    spec: ChainSpec,
    /// The name, or the header if the chain has no name.
    name_span: Span,
    /// The places of the spec's patterns.
    spans: BindingSpans,
}

impl Chains {
    pub(super) fn into_specs(self) -> Vec<ChainSpec> {
        self.declared.into_iter().map(|chain| chain.spec).collect()
    }

    /// In the order of the file.
    pub(super) fn specs(&self) -> impl Iterator<Item = &ChainSpec> {
        self.declared.iter().map(|chain| &chain.spec)
    }

    /// Reads one `[[chain]]`.
    pub(super) fn declare(
        &mut self,
        fields: Fields<'_>,
        filters: &mut Filters<'_>,
        findings: &mut Findings<'_>,
    ) {
        fields.deny_unknown(&keys::CHAIN.names(), findings);
        let name = fields
            .get("name")
            .and_then(|value| findings.string(value, "`name`", "a name"));
        if let Some((name, span)) = name {
            names::check_title(name, span, "a chain's name", findings);
        }
        let (binding, spans) = read_binding(fields, findings);
        effect::chain_keys(fields, &binding.on, findings);
        let steps = match fields.require("steps", keys::CHAIN.example("steps"), findings) {
            // Without steps, what the chain gets passes.
            Some(value) => findings.list(value, "`steps`", "a list of filters"),
            None => &[],
        };
        let shadow = fields
            .get("shadow")
            .and_then(|value| findings.boolean(value, "`shadow`"))
            .unwrap_or(false);
        let steps: Vec<StepSpec> = steps
            .iter()
            .filter_map(|value| read_step(value, shadow, filters, findings))
            .collect();
        let structured = fields.get("structured").and_then(|value| {
            let expected = "text, keep or rewrite";
            findings.choice(value, "structured", expected, &Structured::ALL)
        });
        let blocks = fields
            .get("blocks")
            .and_then(|value| findings.choice(value, "blocks", "each or merge", &Blocks::ALL));
        let guard = fields
            .get("guard")
            .and_then(|value| findings.choice(value, "guard", "bytes or tokens", &Guard::ALL));
        let audience = fields.get("audience").and_then(|value| {
            findings.choice(value, "audience", "enforce or keep", &Audience::ALL)
        });
        let input_schema = fields.get("input-schema").and_then(|value| {
            findings.choice(value, "input-schema", "short or keep", &InputSchema::ALL)
        });
        let only_redacts = |it: &Surface| matches!(it, Surface::Message | Surface::Arguments);
        let steps = match binding.on.iter().any(only_redacts) {
            true => steps_on_messages(steps, filters, findings),
            false => openers_block(steps, filters, findings),
        };
        if steps.is_empty() && binding.on != [Surface::Result] && findings.errors() == 0 {
            let span = fields
                .get("steps")
                .map_or(fields.span, |it| it.span().into());
            let message = "a chain without steps has no effect here";
            let label = "allowed with on = [\"result\"]: results of the tools pass";
            let finding = Finding::error(span, message, label);
            findings.push(finding.code(Code::KeyWithoutEffect));
        }
        check_structured(fields, structured, &steps, findings);
        let default = format!("chain {}", self.declared.len() + 1);
        self.declared.push(Declared {
            spec: ChainSpec {
                name: name.map_or(default, |(name, _)| name.to_owned()),
                binding,
                steps,
                structured,
                blocks: blocks.unwrap_or_default(),
                guard: guard.unwrap_or_default(),
                audience,
                input_schema: input_schema.unwrap_or_default(),
                tool_spans: spans.tools.clone(),
                structured_span: fields.get("structured").map(|value| value.span().into()),
                span: fields.span,
            },
            name_span: name.map_or(fields.span, |(_, span)| span),
            spans,
        });
    }

    /// Reports duplicate names, including the default names of chains.
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
            let help = "a chain without a name is named by its position: `chain 1`, `chain 2`";
            let finding = finding.also(*first, "first here").help(help);
            findings.push(finding.code(Code::DuplicateName));
        }
    }

    pub(super) fn warn_unreachable(&self, findings: &mut Findings<'_>) {
        let chains = self.declared.iter();
        let places: Vec<reach::BoundPatterns<'_>> = chains
            .map(|chain| reach::BoundPatterns {
                chain: &chain.spec.name,
                binding: &chain.spec.binding,
                spans: &chain.spans,
            })
            .collect();
        for warning in reach::warnings(&places) {
            findings.push(warning);
        }
    }
}

/// The steps of a chain that gets whole messages or arguments: they withhold them if they fail.
fn steps_on_messages(
    mut steps: Vec<StepSpec>,
    filters: &Filters<'_>,
    findings: &mut Findings<'_>,
) -> Vec<StepSpec> {
    for step in &mut steps {
        let built_in = match &step.filter {
            FilterRef::BuiltIn(name) => built_in::find(name),
            FilterRef::Plugin(_) => None,
        };
        // A message of another form is no message any more.
        let fits = |it: &BuiltIn| {
            let keeps_form = [Role::Redacts, Role::Cleans, Role::Edits];
            keeps_form.into_iter().any(|role| it.has(role)) && !it.has(Role::Cuts)
        };
        if let Some(filter) = built_in.filter(|it| !fits(it)) {
            let message = format!("`{}` cannot run on messages and arguments", filter.name);
            let label = "it would change their form";
            let help =
                "put it in a chain that is bound to results; such a chain runs after this one";
            let finding = Finding::error(step.span, message, label).help(help);
            findings.push(finding.code(Code::StepOnMessages));
        }
        // That a step with `redact` blocks is said where it is read.
        let is_said = built_in.is_some_and(|it| it.has(Role::Redacts));
        match step.origins.on_error {
            Some(span) if step.on_error == OnError::Pass && !is_said => {
                findings.push(passes(span, filters.name(&step.filter)));
            }
            _ => step.on_error = OnError::Block,
        }
    }
    steps
}

/// The steps of a chain, of which those that uncover content for a step that redacts withhold it if they fail: what
/// stays covered is not found.
fn openers_block(
    mut steps: Vec<StepSpec>,
    filters: &Filters<'_>,
    findings: &mut Findings<'_>,
) -> Vec<StepSpec> {
    let Some(last) = steps.iter().rposition(StepSpec::redacts) else {
        return steps;
    };
    for step in &mut steps[..last] {
        let FilterRef::BuiltIn(name) = &step.filter else {
            continue;
        };
        let uncovers = |it: &BuiltIn| it.has(Role::Cleans) || it.has(Role::Opens);
        if !built_in::find(name).is_some_and(uncovers) {
            continue;
        }
        match step.origins.on_error {
            Some(span) if step.on_error == OnError::Pass => {
                findings.push(passes(span, filters.name(&step.filter)));
            }
            _ => step.on_error = OnError::Block,
        }
    }
    steps
}

/// A step that redacts, and says that it passes what it could not redact.
fn passes(span: Span, filter: &str) -> Finding {
    let message = format!("`{filter}` would pass content unredacted if it fails");
    let label = "allowed in a step that redacts: \"block\"";
    let finding = Finding::error(span, message, label).help("remove this key");
    finding.code(Code::RedactionPasses)
}

/// A step that blocks is there to hide things, and `structuredContent` says what the text says.
fn check_structured(
    fields: Fields<'_>,
    structured: Option<Structured>,
    steps: &[StepSpec],
    findings: &mut Findings<'_>,
) {
    let Some(step) = steps.iter().find(|step| step.redacts()) else {
        return;
    };
    if let Some(value) = fields.get("structured")
        && matches!(structured, Some(Structured::Keep | Structured::Rewrite))
    {
        let message = "`structuredContent` would show what a step of this chain redacts";
        let span = Span::from(value.span());
        let finding = Finding::error(span, message, "allowed with such a step: \"text\"");
        let finding = finding.also(step.span, "this step has `on-error = \"block\"`");
        findings.push(finding.code(Code::StructuredShowsHidden));
    }
}

/// Reads the binding of a chain, and the places of its patterns.
fn read_binding(fields: Fields<'_>, findings: &mut Findings<'_>) -> (Binding, BindingSpans) {
    let on = match fields.get("on") {
        None => vec![Surface::Result],
        // An empty one binds the chain to nothing: `[record]` may name it.
        Some(value) => findings
            .list(
                value,
                "`on`",
                "a list of result, instructions, description, prompt, resource, history, or [\"*\"] or [\"arguments\"]",
            )
            .iter()
            .filter_map(|item| findings.choice(item, "on", "a kind of output", &Surface::ALL))
            .collect(),
    };
    let has = |surface| on.contains(&surface);
    if has(Surface::Message) && on.len() > 1 {
        let span = fields
            .get("on")
            .map_or(fields.span, |value| value.span().into());
        let label = "`\"*\"` stands alone: it already means every message";
        let finding = Finding::error(span, "`on` names `\"*\"` and more", label);
        let help =
            "for steps that run only on some output, write a second chain: it runs after this one";
        findings.push(finding.help(help).code(Code::KeyWithoutEffect));
    }
    if has(Surface::Arguments) && on.len() > 1 {
        let span = fields
            .get("on")
            .map_or(fields.span, |value| value.span().into());
        let label = "`\"arguments\"` stands alone: what its chain would change is not sent";
        let finding = Finding::error(span, "`on` names `\"arguments\"` and more", label);
        let help = "for what a server answers, write a second chain";
        findings.push(finding.help(help).code(Code::KeyWithoutEffect));
    }
    let named_by_tool = [
        Surface::Result,
        Surface::Description,
        Surface::History,
        Surface::Arguments,
    ];
    let (tools, tool_spans) = if named_by_tool.into_iter().any(has) {
        match fields.require("tools", keys::CHAIN.example("tools"), findings) {
            Some(value) => pattern::read(value, "`tools`", findings),
            None => Default::default(),
        }
    } else {
        deny_unused(fields, "tools", "result", findings);
        Default::default()
    };
    let mut others = |key: &'static str, surface: Surface| {
        if !has(surface) {
            deny_unused(fields, key, surface.name(), findings);
            return Default::default();
        }
        match fields.get(key) {
            Some(value) => pattern::read(value, &format!("`{key}`"), findings),
            None => (
                ToolPattern::new("*").into_iter().collect(),
                vec![fields.span],
            ),
        }
    };
    let (prompts, prompt_spans) = others("prompts", Surface::Prompt);
    let (resources, resource_spans) = others("resources", Surface::Resource);
    let spans = BindingSpans {
        tools: tool_spans,
        prompts: prompt_spans,
        resources: resource_spans,
        on: vec![
            fields
                .get("on")
                .map_or(fields.span, |value| value.span().into()),
        ],
    };
    let conditions = conditions::read(fields, &on, findings);
    let binding = Binding {
        on,
        tools,
        prompts,
        resources,
        conditions,
    };
    (binding, spans)
}

/// Reports patterns for a kind of output that the chain is not bound to.
fn deny_unused(fields: Fields<'_>, key: &str, surface: &str, findings: &mut Findings<'_>) {
    if let Some(value) = fields.get(key) {
        let message = format!("`{key}` has no effect in this chain");
        let label = format!("`on` lacks \"{surface}\"");
        let finding = Finding::error(Span::from(value.span()), message, label);
        findings.push(finding.code(Code::KeyWithoutEffect));
    }
}

/// `shadow`: the chain's, which is that of a step that does not say.
fn read_step(
    value: &Value<'_>,
    shadow: bool,
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
                origins: Origins::default(),
                shadow,
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
        .require("filter", keys::STEP.example("filter"), findings)
        .and_then(|value| findings.string(value, "`filter`", "a filter's name"));
    let filter = named.and_then(|(name, span)| filters.find(name, span, findings));
    // The rest is read in any case: it has mistakes of its own.
    let (limits, on_error) = match &filter {
        Some(filter) => filters.behaviour(filter),
        None => (Limits::default(), OnError::Pass),
    };
    let redacts = matches!(
        (&filter, on_error),
        (Some(FilterRef::BuiltIn(_)), OnError::Block)
    );
    let (limits, on_error, origins) = filters::behaviour(fields, limits, on_error, findings);
    if let (true, OnError::Pass, Some(span), Some((name, _))) =
        (redacts, on_error, origins.on_error, named)
    {
        findings.push(passes(span, name));
    }
    let own_shadow = fields
        .get("shadow")
        .and_then(|value| findings.boolean(value, "`shadow`"));
    let own = keys::STEP.names();
    let entries: Vec<raw::Entry<'_>> = raw::entries(table)
        .into_iter()
        .filter(|entry| !own.contains(&entry.key))
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
        origins,
        shadow: own_shadow.unwrap_or(shadow),
        span,
    })
}

/// `on_error = "block"` would be a setting of the filter, and nothing would be blocked.
fn warn_near_miss(entry: &raw::Entry<'_>, findings: &mut Findings<'_>) {
    let letters = |text: &str| names::fold(text).replace('-', "");
    let own = keys::STEP.names().into_iter();
    let mut same = own.filter(|own| letters(own) == letters(entry.key));
    if let Some(own) = same.next() {
        let message = format!(
            "{} is passed to the filter as a setting",
            names::quote(entry.key)
        );
        let label = format!("did you mean `{own}`?");
        let warning = Finding::warning(entry.key_span, message, label);
        findings.push(warning.code(Code::SettingsNearMiss));
    }
}
