//! The file's `[[chain]]` tables: patterns, steps, names.

use super::code::Code;
use super::conditions;
use super::effect;
use super::filters::Filters;
use super::keys;
use super::names;
use super::pattern::{self, ToolPattern};
use super::raw::{Fields, Findings};
use super::reach::{self, BindingSpans};
use super::report::Finding;
use super::resolve::File;
use super::source::Span;
use super::steps::Lists;
use super::surface::{Binding, Surface};
use super::unredacted;
use super::{
    Audience, Blocks, ChainSpec, FilterRef, Guard, InputSchema, OnError, PinTools, StepSpec,
    Structured,
};
use crate::built_in::{self, BuiltIn, Role};

pub(super) struct Chains {
    /// The chains in the order of the files; after [`Chains::put_in_order`], in the order in which they count.
    pub(super) declared: Vec<Declared>,
    /// The index of the file that includes each file.
    pub(super) by: Vec<Option<usize>>,
}

/// A chain, possibly with mistakes. A policy is made only from a file in which all chains are correct.
pub(super) struct Declared {
    pub(super) spec: ChainSpec,
    /// The name, or the header if the chain has no name.
    pub(super) name_span: Span,
    /// The places of the spec's patterns.
    pub(super) spans: BindingSpans,
    /// Index of its file.
    pub(super) file: usize,
    /// Whether it has a name of its own.
    pub(super) is_named: bool,
    /// A file that includes it may override it, though it redacts.
    pub(super) overridable: bool,
    /// A file that includes it has another chain of its name.
    pub(super) replaced: bool,
}

impl Chains {
    pub(super) fn of(files: &[File<'_>]) -> Chains {
        Chains {
            declared: Vec::new(),
            by: files.iter().map(|file| file.by).collect(),
        }
    }

    pub(super) fn into_specs(self) -> Vec<ChainSpec> {
        self.declared.into_iter().map(|chain| chain.spec).collect()
    }

    /// The chains in the order in which they count.
    pub(super) fn specs(&self) -> impl Iterator<Item = &ChainSpec> {
        self.declared.iter().map(|chain| &chain.spec)
    }

    /// Reads one `[[chain]]`.
    pub(super) fn declare<'t>(
        &mut self,
        file: &File<'t>,
        fields: Fields<'t>,
        lists: &mut Lists<'t>,
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
            // Without steps, the chain passes its documents.
            Some(value) => findings.list(value, "`steps`", "a list of filters"),
            None => &[],
        };
        let shadow = fields
            .get("shadow")
            .and_then(|value| findings.boolean(value, "`shadow`"))
            .unwrap_or(false);
        let mut all = match self.runs_prefix(file.index, fields, &binding.on, lists, findings) {
            Runs::All => lists.prefix(None, fields.span, findings),
            Runs::Others => lists.prefix(Some(file.index), fields.span, findings),
            Runs::Nothing => Vec::new(),
        };
        all.extend(lists.of_chain(steps, shadow, filters, findings));
        let steps = all;
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
        let pin_tools = fields
            .get("pin-tools")
            .and_then(|value| findings.choice(value, "pin-tools", "never or used", &PinTools::ALL));
        let only_redacts =
            |surface: &Surface| matches!(surface, Surface::Message | Surface::Arguments);
        let steps = match binding.on.iter().any(only_redacts) {
            true => steps_on_messages(steps, filters, findings),
            false => openers_block(steps, filters, findings),
        };
        if steps.is_empty() && binding.on != [Surface::Result] && findings.errors() == 0 {
            let span = fields
                .get("steps")
                .map_or(fields.span, |value| value.span().into());
            let message = "a chain without steps has no effect here";
            let label = "allowed with on = [\"result\"]: results of the tools pass";
            let finding = Finding::error(span, message, label);
            findings.push(finding.code(Code::KeyWithoutEffect));
        }
        check_structured(fields, structured, &steps, findings);
        let overridable = overridable(fields, &steps, findings);
        let of_file = self
            .declared
            .iter()
            .filter(|chain| chain.file == file.index);
        let number = of_file.count() + 1;
        let default = match file.is_included() {
            false => format!("chain {number}"),
            true => format!("chain {number} of {}", file.source.path().display()),
        };
        self.declared.push(Declared {
            file: file.index,
            is_named: name.is_some(),
            overridable,
            replaced: false,
            spec: ChainSpec {
                name: name.map_or(default, |(name, _)| name.to_owned()),
                binding,
                steps,
                structured,
                blocks: blocks.unwrap_or_default(),
                guard: guard.unwrap_or_default(),
                audience,
                input_schema: input_schema.unwrap_or_default(),
                pin_tools: pin_tools.unwrap_or_default(),
                tool_spans: spans.tools.clone(),
                structured_span: fields.get("structured").map(|value| value.span().into()),
                span: fields.span,
            },
            name_span: name.map_or(fields.span, |(_, span)| span),
            spans,
        });
    }

    /// The prefixes that a chain runs: none on messages and arguments, which only some filters can run on, and
    /// none bound to nothing.
    fn runs_prefix(
        &self,
        file: usize,
        fields: Fields<'_>,
        on: &[Surface],
        lists: &Lists<'_>,
        findings: &mut Findings<'_>,
    ) -> Runs {
        let is_apart = |on: &Surface| matches!(on, Surface::Message | Surface::Arguments);
        let may_run = !on.is_empty() && !on.iter().any(is_apart);
        let value = fields.get("prefix");
        let runs = value.and_then(|value| match value.get_ref().is_array() {
            true => {
                let help = "move the list above the first table of the file: there it is the prefix of each chain";
                let (what, allowed) = ("`prefix` of a chain", "true or false");
                findings.wrong_type(value, what, allowed, Some(help.to_owned()));
                None
            }
            false => findings.boolean(value, "`prefix`"),
        });
        if let Some(value) = value {
            let label = "chains bound to every message, to arguments or to nothing never run it";
            let label = match (may_run, runs, lists.has_prefix()) {
                (false, ..) => Some(label),
                (true, Some(false), false) => Some("no file has a prefix"),
                _ => None,
            };
            if let Some(label) = label {
                let message = "`prefix` has no effect in this chain";
                let warning = Finding::warning(Span::from(value.span()), message, label);
                findings.push(warning.code(Code::KeyWithoutEffect));
            }
        }
        match (may_run, runs, value) {
            (false, ..) => Runs::Nothing,
            (true, Some(false), Some(value)) => {
                let redacting = lists.redacting_prefix_of_another(file);
                let redacting = redacting.filter(|(of, _)| self.includes(file, *of));
                if let Some((_, span)) = redacting {
                    let message = "this chain would leave out steps that redact";
                    let label = "the prefix of an included file redacts, so every chain runs it";
                    let finding = Finding::error(Span::from(value.span()), message, label);
                    let finding = finding.also(span, "this prefix").help("remove this key");
                    findings.push(finding.code(Code::RedactionOverridden));
                }
                Runs::Others
            }
            _ => Runs::All,
        }
    }

    pub(super) fn warn_unreachable(&self, findings: &mut Findings<'_>) {
        let chains = self.declared.iter();
        let places: Vec<reach::BoundPatterns<'_>> = chains
            .map(|chain| reach::BoundPatterns {
                chain: &chain.spec.name,
                binding: &chain.spec.binding,
                spans: &chain.spans,
                file: chain.file,
                redacts: chain.spec.redacts(),
            })
            .collect();
        let warnings = reach::warnings(&places).into_iter();
        for finding in warnings.chain(unredacted::notes(&places)) {
            findings.push(finding);
        }
    }
}

/// The prefixes that a chain runs.
enum Runs {
    All,
    /// The redacting chains of other files.
    Others,
    Nothing,
}

/// Reads whether a file that includes the chain may override it.
fn overridable(fields: Fields<'_>, steps: &[StepSpec], findings: &mut Findings<'_>) -> bool {
    let Some(value) = fields.get("overridable") else {
        return false;
    };
    let overridable = findings.boolean(value, "`overridable`").unwrap_or(false);
    if overridable && !steps.iter().any(StepSpec::redacts) {
        let message = "`overridable` has no effect in this chain";
        let label = "files that include this one may override every chain that does not redact";
        let warning = Finding::warning(Span::from(value.span()), message, label);
        findings.push(warning.code(Code::KeyWithoutEffect));
    }
    overridable
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
        let fits = |filter: &BuiltIn| {
            let keeps_form = [Role::Redacts, Role::Cleans, Role::Edits];
            keeps_form.into_iter().any(|role| filter.has(role)) && !filter.has(Role::Cuts)
        };
        if let Some(filter) = built_in.filter(|filter| !fits(filter)) {
            let message = format!("`{}` cannot run on messages and arguments", filter.name);
            let label = "it would change their form";
            let help =
                "put it in a chain that is bound to results; such a chain runs after this one";
            let finding = Finding::error(step.span, message, label).help(help);
            findings.push(finding.code(Code::StepOnMessages));
        }
        // That a step with `redact` blocks is said where it is read.
        let is_said = built_in.is_some_and(|filter| filter.has(Role::Redacts));
        match step.origins.on_error {
            Some(span) if step.on_error == OnError::Pass && !is_said => {
                findings.push(passes(span, filters.name(&step.filter)));
            }
            _ => step.on_error = OnError::Block,
        }
    }
    steps
}

/// The steps of a chain. Those that uncover content for a step that redacts withhold the result if they fail:
/// otherwise the redacting step would miss the content.
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
        let uncovers = |filter: &BuiltIn| filter.has(Role::Cleans) || filter.has(Role::Opens);
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

/// An error for a step that redacts but passes content if it fails.
pub(super) fn passes(span: Span, filter: &str) -> Finding {
    let message = format!("`{filter}` would pass content unredacted if it fails");
    let label = "allowed in a step that redacts: \"block\"";
    let finding = Finding::error(span, message, label).help("remove this key");
    finding.code(Code::RedactionPasses)
}

/// A step that blocks redacts, and `structuredContent` repeats the text.
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
