//! Output that an included chain would redact, and that a chain of the file which includes it takes first.
//!
//! Only a chain with `overridable = true` can lose output in this way. `reach` reports patterns that lose all of it.

use super::code::Code;
use super::conditions::Conditions;
use super::names;
use super::pattern::ToolPattern;
use super::reach::{self, BoundPatterns};
use super::report::Finding;
use super::source::Span;
use super::surface::Surface;

/// Most pairs of patterns that are compared: a note is not worth seconds.
const MOST_PAIRS: usize = 10_000;

/// Most patterns that a note names.
const MOST_SHOWN: usize = 3;

/// A chain and its patterns for one kind of output.
struct Side<'c> {
    chain: &'c BoundPatterns<'c>,
    patterns: &'c [ToolPattern],
    spans: &'c [Span],
}

/// A pattern of a chain, and its place.
type Placed<'c> = (&'c ToolPattern, Span);

/// Notes each pattern of a chain that takes a part of the output that a later, included chain redacts.
pub(super) fn notes(chains: &[BoundPatterns<'_>]) -> Vec<Finding> {
    let everything: Vec<ToolPattern> = ToolPattern::new("*").into_iter().collect();
    let mut notes = Vec::new();
    let mut pairs = 0;
    for (index, later) in chains.iter().enumerate().filter(|(_, chain)| chain.redacts) {
        let may_take = |chain: &&BoundPatterns<'_>| {
            chain.file < later.file && !chain.redacts && !are_apart(chain, later)
        };
        for earlier in chains[..index].iter().filter(may_take) {
            for surface in reach::surfaces_by_name() {
                let [Some(earlier), Some(later)] =
                    [earlier, later].map(|chain| Side::of(chain, surface, &everything))
                else {
                    continue;
                };
                pairs += earlier.patterns.len() * later.patterns.len();
                if pairs > MOST_PAIRS {
                    return notes;
                }
                for taking in earlier.placed() {
                    let lost = later.placed();
                    let lost =
                        lost.filter(|placed| takes_part(&earlier, &later, taking.0, placed.0));
                    notes.extend(note(&earlier, &later, taking, &lost.collect::<Vec<_>>()));
                }
            }
        }
    }
    notes
}

impl<'c> Side<'c> {
    /// A chain and its patterns for a kind of output. None: it is not bound to this kind of output.
    fn of(
        chain: &'c BoundPatterns<'c>,
        surface: Surface,
        everything: &'c [ToolPattern],
    ) -> Option<Side<'c>> {
        let (patterns, spans) = chain.patterns(surface, everything);
        chain.binding.on.contains(&surface).then_some(Side {
            chain,
            patterns,
            spans,
        })
    }

    /// The patterns that are no exceptions.
    fn placed(&self) -> impl Iterator<Item = Placed<'c>> + use<'c> {
        let all = self.patterns.iter().zip(self.spans.iter().copied());
        all.filter(|(pattern, _)| !pattern.excepts())
    }

    /// Whether an exception covers a pattern.
    fn excepts(&self, pattern: &ToolPattern) -> bool {
        let mut patterns = self.patterns.iter();
        patterns.any(|other| other.excludes(pattern.as_str()))
    }
}

/// Whether two chains never get the same output, because of their conditions.
fn are_apart(one: &BoundPatterns<'_>, other: &BoundPatterns<'_>) -> bool {
    let (one, other) = (&one.binding.conditions, &other.binding.conditions);
    let errors = one.errors.zip(other.errors);
    if errors.is_some_and(|(one, other)| one != other) {
        return true;
    }
    let have_both = !one.servers.is_empty() && !other.servers.is_empty();
    let has_common =
        |server: &ToolPattern| other.servers.iter().any(|other| server.overlaps(other));
    have_both && !one.servers.iter().any(has_common)
}

/// Whether a pattern of the earlier chain takes output from a pattern of the later one, but not all.
fn takes_part(
    earlier: &Side<'_>,
    later: &Side<'_>,
    taking: &ToolPattern,
    losing: &ToolPattern,
) -> bool {
    let is_excepted =
        [earlier, later].map(|side| side.excepts(taking) || side.excepts(losing)) != [false, false];
    let takes_all =
        reach::takes_all(earlier.chain.binding, earlier.patterns) && taking.covers(losing);
    taking.overlaps(losing) && !takes_all && !is_excepted
}

/// The note about a pattern. None: the earlier chain's pattern takes nothing.
fn note(
    earlier: &Side<'_>,
    later: &Side<'_>,
    (taking, span): Placed<'_>,
    lost: &[Placed<'_>],
) -> Option<Finding> {
    let (_, of_later) = *lost.first()?;
    let [first, redacting] = [earlier, later].map(|side| names::quote(side.chain.chain));
    let message = format!("chain {first} comes before chain {redacting}, which redacts");
    let mut label = "what matches this is no longer redacted".to_owned();
    if !lost.iter().any(|(losing, _)| losing.covers(taking)) {
        let shown = lost.iter().take(MOST_SHOWN);
        let mut shown: Vec<String> = shown
            .map(|(pattern, _)| names::quote(pattern.as_str()))
            .collect();
        if lost.len() > MOST_SHOWN {
            shown.push(format!("{} more", lost.len() - MOST_SHOWN));
        }
        label = format!(
            "what also matches {} is no longer redacted",
            shown.join(" or ")
        );
    }
    if earlier.chain.binding.conditions != Conditions::default() {
        label += ", if the conditions of this chain hold";
    }
    let help = "the included file allows this: it has `overridable = true`; to redact here too, add the steps of that chain that redact to this one";
    let finding = Finding::note(span, message, label)
        .also(
            of_later,
            format!("chain {redacting} redacts what matches this"),
        )
        .help(help);
    Some(finding.code(Code::RedactionOverridden))
}
