//! Chains and patterns that never match, because an earlier one matches first.

use std::collections::HashMap;

use super::code::Code;
use super::conditions::Conditions;
use super::names;
use super::pattern::ToolPattern;
use super::report::{Finding, Severity};
use super::source::Span;
use super::surface::{Binding, Surface};

/// A chain's patterns and their places.
#[derive(Clone, Copy)]
pub(super) struct BoundPatterns<'c> {
    pub(super) chain: &'c str,
    pub(super) binding: &'c Binding,
    pub(super) spans: &'c BindingSpans,
    /// Index of the chain's file.
    pub(super) file: usize,
    /// Whether the chain redacts.
    pub(super) redacts: bool,
}

/// The places of a binding's patterns, in their order; for implicit patterns, the chain's header.
#[derive(Default)]
pub(super) struct BindingSpans {
    pub(super) tools: Vec<Span>,
    pub(super) prompts: Vec<Span>,
    pub(super) resources: Vec<Span>,
    /// The place of a binding to the instructions, which have no name.
    pub(super) on: Vec<Span>,
}

/// Most patterns for which this is checked: every pattern is compared with every earlier one with a `*`, and a
/// warning is not worth seconds.
const MAX_PATTERNS: usize = 2_000;

/// A place that nothing comes to, on some of the surfaces that its chain is bound to.
struct Dead<'c> {
    chain: usize,
    span: Span,
    /// The pattern, or none: all of the chain.
    pattern: Option<&'c ToolPattern>,
    taken: Taken<'c>,
    surfaces: Vec<Surface>,
}

/// Warns of every chain, and of every single pattern, that earlier ones cover.
pub(super) fn warnings(chains: &[BoundPatterns<'_>]) -> Vec<Finding> {
    let everything = ToolPattern::new("*");
    let everything: Vec<ToolPattern> = everything.into_iter().collect();
    let mut dead: Vec<Dead<'_>> = Vec::new();
    let mut seen = 0;
    for surface in surfaces_by_name() {
        let mut earlier = Earlier::default();
        for (index, place) in chains.iter().enumerate() {
            if !place.binding.on.contains(&surface) {
                continue;
            }
            let (patterns, spans) = place.patterns(surface, &everything);
            seen += patterns.len();
            if seen > MAX_PATTERNS {
                return told(&dead, chains);
            }
            for found in earlier.take(index, *place, patterns, spans) {
                let same = |known: &&mut Dead<'_>| {
                    (known.chain, known.span, known.pattern)
                        == (found.chain, found.span, found.pattern)
                };
                match dead.iter_mut().find(same) {
                    Some(known) => known.surfaces.push(surface),
                    None => dead.push(Dead {
                        surfaces: vec![surface],
                        ..found
                    }),
                }
            }
        }
    }
    told(&dead, chains)
}

/// The kinds of output of which each piece has one chain. (Every chain that is bound to messages runs.)
pub(super) fn surfaces_by_name() -> impl Iterator<Item = Surface> {
    let all = Surface::ALL.into_iter().map(|(_, surface)| surface);
    all.filter(|surface| *surface != Surface::Message)
}

/// Whether a chain leaves no output that its patterns match to later chains. It leaves output that does not fit
/// the conditions, or is an exception.
pub(super) fn takes_all(binding: &Binding, patterns: &[ToolPattern]) -> bool {
    binding.conditions == Conditions::default() && !patterns.iter().any(ToolPattern::excepts)
}

/// Warnings about chains that get nothing. A file's chain may replace one that the file includes, unless that
/// one redacts: this is intended, and no warning.
fn told(dead: &[Dead<'_>], chains: &[BoundPatterns<'_>]) -> Vec<Finding> {
    let is_meant = |dead: &&Dead<'_>| {
        let place = &chains[dead.chain];
        place.file > dead.taken.file && !place.redacts
    };
    let mistaken = dead.iter().filter(|dead| !is_meant(dead));
    mistaken.map(|dead| dead.warning(chains)).collect()
}

impl<'c> BoundPatterns<'c> {
    /// The chain's patterns for a surface, and their places.
    pub(super) fn patterns<'p>(
        &self,
        surface: Surface,
        everything: &'p [ToolPattern],
    ) -> (&'p [ToolPattern], &'c [Span])
    where
        'c: 'p,
    {
        match surface {
            Surface::Instructions | Surface::Message => (everything, &self.spans.on),
            Surface::Prompt => (&self.binding.prompts, &self.spans.prompts),
            Surface::Resource => (&self.binding.resources, &self.spans.resources),
            Surface::Result | Surface::Description | Surface::History | Surface::Arguments => {
                (&self.binding.tools, &self.spans.tools)
            }
        }
    }
}

impl Dead<'_> {
    fn warning(&self, chains: &[BoundPatterns<'_>]) -> Finding {
        let BoundPatterns {
            chain,
            binding,
            file,
            ..
        } = chains[self.chain];
        let (mut message, code) = match self.pattern {
            None => {
                let message = format!("chain {} is never used", names::quote(chain));
                (message, Code::ChainShadowed)
            }
            Some(pattern) => {
                let pattern = names::quote(pattern.as_str());
                let message = format!("pattern {pattern} never matches a tool");
                (message, Code::PatternShadowed)
            }
        };
        if self.surfaces.len() < binding.on.len() {
            let surfaces: Vec<&str> = self.surfaces.iter().map(|surface| surface.name()).collect();
            message += &format!(" on {}", names::list(&surfaces));
        }
        let label = "every tool that matches already has a chain";
        let label = match self.surfaces.first() {
            Some(Surface::Instructions) => "the server's instructions already have a chain",
            Some(Surface::Prompt) => "every prompt that matches already has a chain",
            Some(Surface::Resource) => "every resource that matches already has a chain",
            _ => label,
        };
        let help = match file == self.taken.file {
            true => "Tamis uses the first chain that matches: put the wider pattern last",
            // Chains of an included file come first only where it redacts.
            false if file < self.taken.file => {
                "an included file's chain that redacts comes first; that file can allow others before it with `overridable = true`, or redact with on = [\"*\"], which leaves room for other chains"
            }
            false => "the included file allows this: it has `overridable = true`",
        };
        let mut warning = Finding::warning(self.span, message, label).help(help);
        let mut code = code;
        if file > self.taken.file {
            warning.severity = Severity::Note;
            code = Code::RedactionOverridden;
        }
        let first = format!("chain {} comes first", names::quote(self.taken.chain));
        warning.also(self.taken.span, first).code(code)
    }
}

/// The chain that takes a pattern's tools.
#[derive(Clone, Copy)]
struct Taken<'c> {
    chain: &'c str,
    span: Span,
    file: usize,
}

#[derive(Default)]
struct Earlier<'c> {
    literal: HashMap<&'c str, Taken<'c>>,
    wild: Vec<(&'c ToolPattern, Taken<'c>)>,
}

impl<'c> Earlier<'c> {
    /// The part of a chain that earlier chains cover; from now on, this chain covers the rest.
    fn take(
        &mut self,
        chain: usize,
        place: BoundPatterns<'c>,
        patterns: &'c [ToolPattern],
        spans: &'c [Span],
    ) -> Vec<Dead<'c>> {
        let mut dead: Vec<Dead<'_>> = patterns
            .iter()
            .zip(spans)
            .filter(|(pattern, _)| !pattern.excepts())
            .filter_map(|(pattern, span)| {
                Some(Dead {
                    chain,
                    span: *span,
                    pattern: Some(pattern),
                    taken: self.cover(pattern)?,
                    surfaces: Vec::new(),
                })
            })
            .collect();
        // A chain of which nothing is left is one mistake, not one for each pattern.
        if dead.len() == patterns.iter().filter(|pattern| !pattern.excepts()).count() {
            dead.truncate(1);
            for entry in &mut dead {
                entry.pattern = None;
            }
        }
        let takes_all = takes_all(place.binding, patterns);
        for (pattern, span) in patterns.iter().zip(spans).filter(|_| takes_all) {
            let taken = Taken {
                chain: place.chain,
                span: *span,
                file: place.file,
            };
            if pattern.as_str().contains('*') {
                self.wild.push((pattern, taken));
            } else {
                self.literal.entry(pattern.as_str()).or_insert(taken);
            }
        }
        dead
    }

    fn cover(&self, pattern: &ToolPattern) -> Option<Taken<'c>> {
        let same = self.literal.get(pattern.as_str()).copied();
        let wild = || self.wild.iter().find(|(wide, _)| wide.covers(pattern));
        same.or_else(|| wild().map(|(_, taken)| *taken))
    }
}

/// Patterns of a list that another pattern of the same list makes redundant.
pub(super) fn repeats(patterns: &[ToolPattern], spans: &[Span]) -> Vec<Finding> {
    let mut notes = Vec::new();
    let patterns = &patterns[..patterns.len().min(MAX_PATTERNS)];
    for (index, (pattern, span)) in patterns.iter().zip(spans).enumerate() {
        // Of two that are the same, the second is the needless one.
        let mut others = patterns.iter().zip(spans).enumerate();
        let covering = others.find(|(other, (wide, _))| {
            let is_first = pattern != *wide || *other < index;
            let may_cover = wide.as_str().contains('*') || pattern == *wide;
            *other != index && is_first && may_cover && wide.covers(pattern)
        });
        if let Some((_, (wide, wide_span))) = covering {
            let quoted = names::quote(pattern.as_str());
            let message = format!("pattern {quoted} is redundant");
            let note = Finding::note(*span, message, "matches nothing that the other does not");
            let also = format!(
                "{} matches everything that this pattern matches",
                names::quote(wide.as_str())
            );
            notes.push(note.also(*wide_span, also).code(Code::PatternShadowed));
        }
    }
    notes
}
