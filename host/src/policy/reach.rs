//! Chains and patterns that no tool can come to, since an earlier chain takes it first.

use std::collections::HashMap;

use super::names;
use super::pattern::ToolPattern;
use super::report::Finding;
use super::source::Span;

/// A chain's patterns and where each of them is.
#[derive(Clone, Copy)]
pub(super) struct Place<'c> {
    pub(super) chain: &'c str,
    pub(super) tools: &'c [ToolPattern],
    pub(super) spans: &'c [Span],
}

/// Patterns up to which this is looked at: every one is held against every earlier one with a `*`, and
/// a warning is not worth seconds.
const MAX_PATTERNS: usize = 2_000;

/// Warns of every chain, and of every single pattern, that is covered by those before it.
pub(super) fn warnings<'c>(chains: impl Iterator<Item = Place<'c>>) -> Vec<Finding> {
    let mut earlier = Earlier::default();
    let mut warnings = Vec::new();
    let mut seen = 0;
    for place in chains {
        seen += place.tools.len();
        if seen > MAX_PATTERNS {
            break;
        }
        let covered: Vec<(&ToolPattern, Span, Taken<'_>)> = place
            .tools
            .iter()
            .zip(place.spans)
            .filter_map(|(pattern, span)| Some((pattern, *span, earlier.cover(pattern)?)))
            .collect();
        // A chain of which nothing is left is one mistake, not one for each pattern.
        let whole = covered.len() == place.tools.len();
        let reported = if whole { 1 } else { covered.len() };
        for (pattern, span, taken) in covered.into_iter().take(reported) {
            let message = if whole {
                format!("chain {} is never used", names::quote(place.chain))
            } else {
                format!(
                    "pattern {} never gets a tool",
                    names::quote(pattern.as_str())
                )
            };
            let label = "every tool that fits here has its chain already";
            let first = format!("chain {} comes first", names::quote(taken.chain));
            let help = "the first chain that fits a tool is its chain: put the wider pattern last";
            let warning = Finding::warning(span, message, label).help(help);
            warnings.push(warning.also(taken.span, first));
        }
        earlier.add(place);
    }
    warnings
}

/// The chain that takes a pattern's tools.
#[derive(Clone, Copy)]
struct Taken<'c> {
    chain: &'c str,
    span: Span,
}

#[derive(Default)]
struct Earlier<'c> {
    literal: HashMap<&'c str, Taken<'c>>,
    wild: Vec<(&'c ToolPattern, Taken<'c>)>,
}

impl<'c> Earlier<'c> {
    fn cover(&self, pattern: &ToolPattern) -> Option<Taken<'c>> {
        let same = self.literal.get(pattern.as_str()).copied();
        let wild = || self.wild.iter().find(|(wide, _)| wide.covers(pattern));
        same.or_else(|| wild().map(|(_, taken)| *taken))
    }

    fn add(&mut self, place: Place<'c>) {
        for (pattern, span) in place.tools.iter().zip(place.spans) {
            let taken = Taken {
                chain: place.chain,
                span: *span,
            };
            if pattern.as_str().contains('*') {
                self.wild.push((pattern, taken));
            } else {
                self.literal.entry(pattern.as_str()).or_insert(taken);
            }
        }
    }
}
