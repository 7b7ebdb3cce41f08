//! The account of one piece of output: its chain, the reasons for it, and its form for each client.

use super::steps::{self, ExplainedStep};
use crate::cases::report::line_of;
use crate::chain::{Chain, Chains};
use crate::mcp::clients::{self, Client};
use crate::mcp::gate::Gate;
use crate::mcp::rewriter::structured_for;
use crate::policy::{
    self, Audience, ChainSpec, Piece, Policy, Sees, Span, Structured, Surface, ToolPattern,
};
use serde_json::{Map, Value, json};

/// The whole account. The forms for people and for machines are made from it.
pub(super) struct Account {
    pub(super) name: String,
    pub(super) surface: Surface,
    /// The file of the policy.
    pub(super) file: String,
    /// Every chain of the policy, in order, and whether it fits.
    pub(super) candidates: Vec<Candidate>,
    /// The chain that is used; none: the output passes byte for byte.
    pub(super) chain: Option<Used>,
    /// Whether the client sees the tool; none for output that is no tool's.
    pub(super) visibility: Option<Visibility>,
}

/// A chain of the policy.
pub(super) struct Candidate {
    pub(super) name: String,
    pub(super) place: String,
    pub(super) verdict: Fit,
    /// Patterns that fit, or all that do not.
    pub(super) patterns: Vec<String>,
    /// The surfaces that it is bound to.
    pub(super) on: Vec<&'static str>,
    /// Its conditions, as filters.toml has them.
    pub(super) conditions: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// The chain gets every message, before the chain that is used.
    First,
    /// The first that fits.
    Used,
    /// The chain fits, and comes too late.
    Later,
    /// Its conditions do not hold.
    OtherConditions,
    /// No pattern fits.
    NoPattern,
    /// The chain is for other kinds of output.
    OtherSurface,
}

impl Fit {
    pub(super) fn name(self) -> &'static str {
        match self {
            Fit::First => "runs-first",
            Fit::Used => "used",
            Fit::Later => "comes-later",
            Fit::OtherConditions => "conditions-do-not-hold",
            Fit::NoPattern => "no-pattern-fits",
            Fit::OtherSurface => "not-bound-to-this",
        }
    }
}

/// The chain that is used.
pub(super) struct Used {
    pub(super) name: String,
    pub(super) place: String,
    pub(super) steps: Vec<ExplainedStep>,
    pub(super) hides: bool,
    pub(super) may_cut: bool,
    pub(super) blocks: &'static str,
    pub(super) guard: &'static str,
    /// For results: the treatment of `structuredContent`, by client.
    pub(super) structured: Option<Shape>,
}

/// The form of a result for clients.
pub(super) struct Shape {
    /// The chain's own word, with its place.
    pub(super) declared: Option<(&'static str, String)>,
    /// The chain's treatment of blocks for the user alone.
    pub(super) audience: Option<&'static str>,
    pub(super) clients: Vec<ClientView>,
}

/// The form of a result for one client.
pub(super) struct ClientView {
    /// A pattern, or the name that was asked for.
    pub(super) client: String,
    /// The part that its model reads; none: unknown.
    pub(super) sees: Option<&'static str>,
    pub(super) structured: &'static str,
    pub(super) user_blocks_left_out: bool,
}

/// Whether a tool is listed.
pub(super) struct Visibility {
    /// Why it is not, in the words that a model gets.
    pub(super) refusal: Option<String>,
    /// The name of every profile, and whether the tool is part of it.
    pub(super) profiles: Vec<(String, bool)>,
}

impl Account {
    pub(super) fn new(
        chains: &Chains,
        surface: Surface,
        name: &str,
        gate: &Gate,
        client: Option<&str>,
    ) -> Account {
        let policy = chains.policy();
        let piece = Piece {
            client,
            ..Piece::new(surface, name)
        };
        let used = policy.chain_for(&piece);
        let candidates = policy.chains.iter().enumerate();
        let candidates = candidates
            .map(|(index, spec)| candidate(policy, spec, &piece, used == Some(index)))
            .collect();
        let chain = used.and_then(|index| {
            let chain = chains.get(index)?;
            Some(describe(
                chains,
                &policy.chains[index],
                chain,
                surface,
                client,
            ))
        });
        let is_tool = matches!(surface, Surface::Result | Surface::Description);
        Account {
            name: name.to_owned(),
            surface,
            file: policy.source.path().display().to_string(),
            candidates,
            chain,
            visibility: is_tool.then(|| visibility(policy, gate, name)),
        }
    }

    /// The account for machines.
    pub(super) fn json(&self) -> Value {
        let candidate = |candidate: &Candidate| {
            json!({
                "chain": candidate.name,
                "at": candidate.place,
                "verdict": candidate.verdict.name(),
                "patterns": candidate.patterns,
                "on": candidate.on,
                "conditions": candidate.conditions,
            })
        };
        let visibility = |visibility: &Visibility| {
            let profiles = visibility.profiles.iter();
            let profiles: Map<String, Value> = profiles
                .map(|(name, part)| (name.clone(), (*part).into()))
                .collect();
            json!({"refusal": visibility.refusal, "profiles": profiles})
        };
        json!({
            "name": self.name,
            "on": self.surface.name(),
            "file": self.file,
            "candidates": self.candidates.iter().map(candidate).collect::<Vec<_>>(),
            "chain": self.chain.as_ref().map(Used::json),
            "visibility": self.visibility.as_ref().map(visibility),
        })
    }
}

impl Used {
    fn json(&self) -> Value {
        let shape = |shape: &Shape| {
            let clients = shape.clients.iter().map(|client| {
                json!({
                    "client": client.client,
                    "sees": client.sees,
                    "structured": client.structured,
                    "blocks_for_the_user_left_out": client.user_blocks_left_out,
                })
            });
            json!({
                "structured": shape.declared.as_ref().map(|(value, _)| value),
                "structured_at": shape.declared.as_ref().map(|(_, place)| place),
                "audience": shape.audience,
                "clients": clients.collect::<Vec<_>>(),
            })
        };
        json!({
            "name": self.name,
            "at": self.place,
            "steps": self.steps.iter().map(ExplainedStep::json).collect::<Vec<_>>(),
            "hides": self.hides,
            "may_cut": self.may_cut,
            "blocks": self.blocks,
            "guard": self.guard,
            "shape": self.structured.as_ref().map(shape),
        })
    }
}

fn candidate(policy: &Policy, spec: &ChainSpec, piece: &Piece<'_>, is_used: bool) -> Candidate {
    let (surface, name) = (piece.surface, piece.name);
    let patterns = spec.binding.patterns(surface);
    let fits = spec.binding.names(surface, name);
    let fit = spec.binding.fit(piece);
    let verdict = match (spec.binding.on.contains(&surface), fits) {
        // All of them run.
        (true, _) if surface == Surface::Message => Fit::Used,
        (false, _) if spec.binding.on.contains(&Surface::Message) => Fit::First,
        (false, _) => Fit::OtherSurface,
        (true, false) => Fit::NoPattern,
        (true, true) if fit == policy::Fit::No => Fit::OtherConditions,
        (true, true) if is_used => Fit::Used,
        (true, true) => Fit::Later,
    };
    let shown: Vec<&ToolPattern> = patterns
        .iter()
        .filter(|pattern| !fits || pattern.matches(name))
        .collect();
    Candidate {
        name: spec.name.clone(),
        place: place(policy, spec.span),
        verdict,
        patterns: shown
            .iter()
            .map(|pattern| pattern.as_str().to_owned())
            .collect(),
        on: spec.binding.on.iter().map(|on| on.name()).collect(),
        conditions: spec.binding.conditions.listed(),
    }
}

fn describe(
    chains: &Chains,
    spec: &ChainSpec,
    chain: &Chain,
    surface: Surface,
    client: Option<&str>,
) -> Used {
    let policy = chains.policy();
    Used {
        name: spec.name.clone(),
        place: place(policy, spec.span),
        steps: steps::describe(policy, spec, chain),
        hides: chain.hides(),
        may_cut: chain.may_cut(),
        blocks: spelled(&crate::policy::Blocks::ALL, spec.blocks),
        guard: spelled(&crate::policy::Guard::ALL, spec.guard),
        structured: (surface == Surface::Result).then(|| shape(chains, spec, chain, client)),
    }
}

/// The form of a result for clients.
fn shape(chains: &Chains, spec: &ChainSpec, chain: &Chain, client: Option<&str>) -> Shape {
    let policy = chains.policy();
    let own = &policy.clients;
    // Without a store nothing is left out, unless the chain redacts anyway.
    let may_leave_out = chains.may_cut() || chain.hides();
    let view = |client: String, sees: Option<Sees>, heeds: Option<bool>| ClientView {
        client,
        sees: sees.map(|sees| spelled(&Sees::ALL, sees)),
        structured: spelled(&Structured::ALL, structured_for(chain, sees, false)),
        user_blocks_left_out: match chain.audience {
            Some(audience) => audience == Audience::Enforce,
            None => heeds == Some(false) && may_leave_out,
        },
    };
    let clients = match client {
        Some(name) => {
            let client = Client {
                name: name.to_owned(),
                version: String::new(),
            };
            let known = client.spec(own);
            let (sees, heeds) = (
                known.map(|client| client.sees),
                known.map(|client| client.heeds_audience),
            );
            vec![view(name.to_owned(), sees, heeds)]
        }
        None => clients::known(own)
            .map(|client| {
                let name = client.name.as_str().to_owned();
                view(name, Some(client.sees), Some(client.heeds_audience))
            })
            .chain([view("any other".to_owned(), None, None)])
            .collect(),
    };
    Shape {
        declared: spec
            .structured
            .zip(spec.structured_span)
            .map(|(value, span)| (spelled(&Structured::ALL, value), place(policy, span))),
        audience: spec.audience.map(|choice| spelled(&Audience::ALL, choice)),
        clients,
    }
}

fn visibility(policy: &Policy, gate: &Gate, name: &str) -> Visibility {
    let part_of = |tools: &[ToolPattern]| tools.iter().any(|pattern| pattern.matches(name));
    let profiles = policy.profiles.iter();
    Visibility {
        refusal: gate.refusal(name),
        profiles: profiles
            .map(|profile| (profile.name.clone(), part_of(&profile.tools)))
            .collect(),
    }
}

/// A value as filters.toml has it.
pub(super) fn spelled<T: PartialEq>(all: &[(&'static str, T)], value: T) -> &'static str {
    let mut all = all.iter();
    all.find(|(_, listed)| *listed == value)
        .map_or("", |(name, _)| name)
}

/// A place in the policy, as editors take it.
pub(super) fn place(policy: &Policy, span: Span) -> String {
    let path = policy.source.path_at(span.start).display();
    format!("{path}:{}", line_of(&policy.source, span.start))
}
