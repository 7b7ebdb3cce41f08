//! Valid parts of a policy that have no effect: keys, chains that do the same as another, tools that no chain
//! matches.

use std::collections::{BTreeMap, HashMap};

use super::chains::Chains;
use super::code::Code;
use super::names;
use super::raw::{Fields, Findings};
use super::report::Finding;
use super::source::Span;
use super::surface::Surface;
use super::{ChainSpec, ToolSpec};

/// Most tools that are compared with every chain, and with every name in a chain for the nearest: a note is not
/// worth seconds.
const LOOKED_INTO: usize = 200;

/// Keys of a chain that concern results of tools.
const OF_RESULTS: [&str; 5] = [
    "structured",
    "blocks",
    "audience",
    "input-schema",
    "pin-tools",
];

/// Warns of keys that concern results, in a chain that gets none.
pub(super) fn chain_keys(fields: Fields<'_>, on: &[Surface], findings: &mut Findings<'_>) {
    if on.is_empty() || on.contains(&Surface::Result) {
        return;
    }
    for key in OF_RESULTS {
        if let Some(value) = fields.get(key) {
            let message = format!("`{key}` has no effect in this chain");
            let label = "it applies to results of tools, and `on` lacks \"result\"";
            let warning = Finding::warning(Span::from(value.span()), message, label);
            findings.push(warning.code(Code::KeyWithoutEffect));
        }
    }
}

/// Warns of keys of `[session]` that have an effect only with `calls`.
pub(super) fn session_keys(fields: Fields<'_>, findings: &mut Findings<'_>) {
    if fields.get("calls").is_some() {
        return;
    }
    for key in ["window", "limit-text"] {
        if let Some(value) = fields.get(key) {
            let message = format!("`{key}` has no effect without `calls`");
            let label = "Tamis does not count calls";
            let warning = Finding::warning(Span::from(value.span()), message, label);
            let help = "for example: calls = 10";
            findings.push(warning.help(help).code(Code::KeyWithoutEffect));
        }
    }
}

/// Notes chains with the same effect, and chains that only record their changes.
pub(super) fn chains(chains: &Chains, findings: &mut Findings<'_>) {
    let mut known: HashMap<String, &ChainSpec> = HashMap::new();
    for chain in chains.specs() {
        if !chain.steps.is_empty() && chain.steps.iter().all(|step| step.shadow) {
            let message = format!("chain {} changes nothing", names::quote(&chain.name));
            let note = Finding::note(chain.span, message, "all of its steps have `shadow = true`");
            findings.push(note.code(Code::ChainShadowMode));
        }
        match known.get(&effect_key(chain)) {
            None => {
                known.insert(effect_key(chain), chain);
            }
            Some(first) => {
                let (one, other) = (names::quote(&first.name), names::quote(&chain.name));
                let message = format!("chains {one} and {other} do the same");
                let note = Finding::note(chain.span, message, "the second");
                let help = "use one chain with the patterns of both";
                let note = note.also(first.span, "the first").help(help);
                findings.push(note.code(Code::ChainDuplicate));
            }
        }
    }
}

/// Notes the output that the first redacting chain does not get, if no chain gets every message.
pub(super) fn redaction(chains: &Chains, findings: &mut Findings<'_>) {
    let redacts = |chain: &&ChainSpec| {
        let on = &chain.binding.on[..];
        chain.redacts() && !on.is_empty() && on != [Surface::Arguments]
    };
    let is_bound = |chain: &ChainSpec| chain.binding.on.contains(&Surface::Message);
    if chains.specs().any(is_bound) {
        return;
    }
    let Some(chain) = chains.specs().find(redacts) else {
        return;
    };
    let on = chain.binding.on.iter().map(|on| on.name());
    let on = on.collect::<Vec<_>>().join(", ");
    let name = names::quote(&chain.name);
    let message = format!("chain {name} redacts only a part of what servers send");
    let label = format!("it redacts {on}; errors, lists, `_meta` and notifications pass");
    let help = "to redact every message: on = [\"*\"]; `tamis explain --surfaces` lists what each chain gets";
    let note = Finding::note(chain.span, message, label).help(help);
    findings.push(note.code(Code::RedactionReach));
}

/// The effect of a chain, without the tools that it is bound to.
fn effect_key(chain: &ChainSpec) -> String {
    let steps: Vec<_> = chain
        .steps
        .iter()
        .map(|step| {
            // Their order in the file does not matter.
            let settings: BTreeMap<_, _> = step.settings.iter().collect();
            (
                &step.filter,
                settings,
                step.limits,
                step.on_error,
                step.shadow,
            )
        })
        .collect();
    let ChainSpec {
        binding,
        structured,
        blocks,
        guard,
        audience,
        input_schema,
        pin_tools,
        ..
    } = chain;
    let on = (&binding.on, &binding.conditions);
    let results = (structured, blocks, guard, audience, input_schema, pin_tools);
    format!("{:?}", (on, steps, results))
}

/// Notes a policy that filters nothing: its author may expect the default policy to hold beside it.
pub(super) fn no_chain(chains: &Chains, findings: &mut Findings<'_>) {
    if chains.specs().next().is_some() {
        return;
    }
    let message = "the policy has no chain: all results pass unchanged";
    let help = "the default policy holds only without a filters.toml; `tamis init -- SERVER` writes its chains for your server";
    let note = Finding::note(None, message, "").help(help);
    findings.push(note.code(Code::NoChain));
}

/// Notes tools that the file names and no chain matches, or that a chain waits for in vain.
pub(super) fn tools(tools: &[ToolSpec], chains: &Chains, findings: &mut Findings<'_>) {
    let bound = || chains.specs().map(|chain| &chain.binding);
    let literals: Vec<&str> = bound()
        .flat_map(|binding| &binding.tools)
        .map(|pattern| pattern.as_str())
        .filter(|pattern| !pattern.contains(['*', '!']))
        .collect();
    // If no result is filtered, notes about one tool are useless.
    if !bound().any(|binding| binding.on.contains(&Surface::Result)) {
        return;
    }
    let one = tools.iter().filter(|tool| !tool.name.contains('*'));
    for tool in one.take(LOOKED_INTO) {
        let name = names::quote(&tool.name);
        let is_named = literals.contains(&tool.name.as_str());
        if tool.hidden && is_named {
            let message = format!("a chain names the hidden tool {name}");
            let note = Finding::note(tool.span, message, "no client can call it");
            findings.push(note.code(Code::ToolHidden));
        }
        let fits = |binding: &super::Binding| binding.names(Surface::Result, &tool.name);
        if tool.hidden || is_named || bound().any(fits) {
            continue;
        }
        match names::nearest(&tool.name, &literals) {
            Some(near) => {
                let message = format!("no chain matches the tool {name}");
                let label = format!("did you mean `{near}`, as in a chain?");
                let warning = Finding::warning(tool.span, message, label);
                findings.push(warning.code(Code::ToolUnknown));
            }
            None => {
                let message = format!("no chain matches the tool {name}");
                let label = "its results pass unchanged";
                let note = Finding::note(tool.span, message, label);
                findings.push(note.code(Code::ToolWithoutChain));
            }
        }
    }
}
