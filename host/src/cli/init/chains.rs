//! Chains that a tool could have, and the savings of each for its results.
//!
//! The chain of the built-in policy is the base. Others differ from it by a step or two. These go into a
//! starter only if they were seen to save: nothing here is guessed.

use super::results::Sample;
use crate::built_in::{self, Role};
use crate::cases;
use crate::chain::{self, Chains};
use crate::cli::lookup;
use crate::file_text::reads;
use crate::policy::{Policy, ResultFacts, Source};
use crate::sandbox::Sandbox;
use anyhow::Result;

/// The least saving of another step after the base, in per cent: each step is one more thing to understand.
const WORTH_PERCENT: u64 = 3;

/// The least saving in tokens, for tools whose results are small.
const WORTH_TOKENS: u64 = 20;

/// Without it, the chain for calls that read a file is for all calls.
const FILES_CONDITION: &str = "when = { reads-file = true }\n";

/// A change to the base.
struct Idea {
    /// A line of `steps`; empty: a step is removed, and none added.
    line: &'static str,
    place: Insertion,
}

enum Insertion {
    First,
    After(&'static str),
    /// A step is removed, and the line comes before the summary.
    Instead(&'static str),
}

/// Changes to the base that may help. Of those with the same `Instead` one is taken, the first of the best.
///
/// Lists that lost different members make poor tables, and a cut list cannot be made smaller any more. So
/// `null-stripper` takes the place of the step that makes tables, in front of the summary.
const IDEAS: [Idea; 4] = [
    Idea {
        line: r#""blob",                                        # base64 becomes a line and the call that reads it"#,
        place: Insertion::First,
    },
    Idea {
        line: r#""pending-to-meta",                             # a block of pending work becomes a count"#,
        place: Insertion::After("\"repr\""),
    },
    // Trees and lists of paths are smaller as such than as tables.
    Idea {
        line: "",
        place: Insertion::Instead("row-encoder"),
    },
    Idea {
        line: r#""null-stripper",                               # members that are null, [], {} or "" go"#,
        place: Insertion::Instead("row-encoder"),
    },
];

/// The base, and the chains that come of the ideas.
pub(super) struct Workshop<'a> {
    sandbox: &'a Sandbox,
    /// The built-in policy from its chain on.
    base: Vec<String>,
    /// The base, then the base with each idea alone.
    chains: Chains,
    /// The base without the step that cuts.
    uncut: Chains,
    /// The chain for calls that read a file, for any call.
    files: Chains,
}

/// The effect of a chain on the results of a tool, in tokens that a model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Measure {
    pub(super) results: usize,
    pub(super) before: u64,
    pub(super) after: u64,
    /// Results from which something was cut.
    pub(super) cut: usize,
    /// After a chain that cuts nothing.
    pub(super) uncut: u64,
}

/// The sums of some results.
#[derive(Default)]
struct Sum {
    /// Tokens.
    before: u64,
    after: u64,
    /// Results that were cut.
    cut: usize,
    /// Results that a summary stands for.
    summaries: usize,
}

/// The measurements for a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// The savings with the base.
    pub(super) base: Measure,
    /// A better chain: its lines, and its effect.
    pub(super) own: Option<(Vec<String>, Measure)>,
}

impl Finding {
    /// The savings with the chain that the tool gets.
    pub(super) fn measure(&self) -> Measure {
        self.own.as_ref().map_or(self.base, |(_, measure)| *measure)
    }
}

impl Measure {
    pub(super) fn saved_percent(&self) -> f64 {
        if self.before == 0 {
            return 0.0;
        }
        100.0 * (1.0 - self.after as f64 / self.before as f64)
    }
}

impl<'a> Workshop<'a> {
    pub(super) fn new(sandbox: &'a Sandbox) -> Result<Workshop<'a>> {
        let base = base();
        let alone = (0..IDEAS.len()).map(|idea| with(&base, &[idea]));
        let all: Vec<Vec<String>> = std::iter::once(base.clone()).chain(alone).collect();
        Ok(Workshop {
            sandbox,
            chains: load(&all, sandbox)?,
            uncut: load(&[without_cut(&base)], sandbox)?,
            files: load_text(&of_files().replace(FILES_CONDITION, ""), sandbox)?,
            base,
        })
    }

    /// The sum with the default policy: results of calls that read a file have a chain of their own. `is_cut`: with its
    /// cuts.
    fn base_sum(&self, is_cut: bool, server: &str, tool: &str, samples: &[&Sample]) -> Sum {
        let reads_file = |sample: &&Sample| {
            ResultFacts::of(&sample.result).reads_file(reads(tool, &sample.arguments()))
        };
        let (files, others): (Vec<&Sample>, Vec<&Sample>) =
            samples.iter().copied().partition(reads_file);
        let chains = if is_cut { &self.chains } else { &self.uncut };
        let mut sum = run(chains, 0, server, tool, &others);
        let of_files = run(&self.files, 0, server, tool, &files);
        sum.before += of_files.before;
        sum.after += match is_cut {
            true => of_files.after,
            false => of_files.before,
        };
        if is_cut {
            sum.cut += of_files.cut;
            sum.summaries += of_files.summaries;
        }
        sum
    }

    /// The base as lines of filters.toml.
    pub(super) fn base(&self) -> &[String] {
        &self.base
    }

    /// Measures the base on the results of a tool, and whether another chain does better.
    pub(super) fn find_out(
        &self,
        server: &str,
        tool: &str,
        samples: &[&Sample],
    ) -> Result<Finding> {
        let base = self.base_sum(true, server, tool, samples);
        let helps = |other: &Sum| {
            let saved = base.after.saturating_sub(other.after);
            // Less is easy where more is cut.
            other.summaries <= base.summaries
                && saved >= WORTH_TOKENS
                && saved * 100 >= base.after * WORTH_PERCENT
        };
        let mut ideas: Vec<usize> = Vec::new();
        let mut instead: Option<(usize, u64)> = None;
        for (index, idea) in IDEAS.iter().enumerate() {
            let sum = run(&self.chains, 1 + index, server, tool, samples);
            if !helps(&sum) {
                continue;
            }
            match idea.place {
                Insertion::Instead(_) if instead.is_none_or(|(_, best)| sum.after < best) => {
                    instead = Some((index, sum.after));
                }
                Insertion::Instead(_) => {}
                _ => ideas.push(index),
            }
        }
        ideas.extend(instead.map(|(index, _)| index));
        let finding = Finding {
            base: base.measure(samples, &self.base_sum(false, server, tool, samples)),
            own: None,
        };
        if ideas.is_empty() {
            return Ok(finding);
        }
        let lines = with(&self.base, &ideas);
        let chains = load(std::slice::from_ref(&lines), self.sandbox)?;
        let own = run(&chains, 0, server, tool, samples);
        if !helps(&own) {
            return Ok(finding);
        }
        let uncut = load(&[without_cut(&lines)], self.sandbox)?;
        let own = own.measure(samples, &run(&uncut, 0, server, tool, samples));
        Ok(Finding {
            own: Some((lines, own)),
            ..finding
        })
    }
}

impl Sum {
    fn measure(&self, samples: &[&Sample], uncut: &Sum) -> Measure {
        Measure {
            results: samples.len(),
            before: self.before,
            after: self.after,
            cut: self.cut,
            uncut: uncut.after,
        }
    }
}

/// The built-in policy from its first chain on, without its name and its tools.
fn base() -> Vec<String> {
    let (_, last) = parts_of_default();
    let lines = last.lines().map(str::to_owned);
    let of_the_chain =
        |line: &String| !line.starts_with("name = ") && !line.starts_with("tools = ");
    lines.filter(of_the_chain).collect()
}

/// The chain of the default policy for calls that read a file, with its comment.
pub(super) fn of_files() -> &'static str {
    let (before, _) = parts_of_default();
    let begins = before
        .rfind("\n\n# ")
        .map_or(0, |blank| blank + "\n\n".len());
    before[begins..].trim_end()
}

/// The default policy before the header of its last chain, which is for all that no other is for, and after it.
fn parts_of_default() -> (&'static str, &'static str) {
    let parts = lookup::DEFAULT.rsplit_once("[[chain]]\n");
    parts.unwrap_or_default()
}

/// The base with these ideas.
fn with(base: &[String], ideas: &[usize]) -> Vec<String> {
    let mut lines = base.to_vec();
    for idea in ideas.iter().map(|index| &IDEAS[*index]) {
        let at = |what: &str, lines: &[String]| lines.iter().position(|line| line.contains(what));
        let line = format!("  {}", idea.line);
        match idea.place {
            Insertion::First => {
                if let Some(at) = at("steps = [", &lines) {
                    lines.insert(at + 1, line);
                }
            }
            Insertion::After(step) => {
                if let Some(at) = at(step, &lines) {
                    lines.insert(at + 1, line);
                }
            }
            Insertion::Instead(step) => {
                let summary = lines.iter().position(|line| names(line, Role::Summarizes));
                if let (Some(old), Some(summary)) = (at(step, &lines), summary) {
                    lines.remove(old);
                    if !idea.line.is_empty() {
                        lines.insert(summary, line);
                    }
                }
            }
        }
    }
    lines
}

fn without_cut(lines: &[String]) -> Vec<String> {
    let cuts = |line: &String| names(line, Role::Cuts) || names(line, Role::Offloads);
    lines.iter().filter(|line| !cuts(line)).cloned().collect()
}

/// Whether a line names a filter with a role.
fn names(line: &str, role: Role) -> bool {
    built_in::with_role(role).any(|filter| line.contains(&format!("\"{}\"", filter.name)))
}

fn load(chains: &[Vec<String>], sandbox: &Sandbox) -> Result<Chains> {
    let mut text = String::new();
    for lines in chains {
        text += "[[chain]]\ntools = [\"*\"]\n";
        text += &lines.join("\n");
        text += "\n\n";
    }
    load_text(&text, sandbox)
}

fn load_text(text: &str, sandbox: &Sandbox) -> Result<Chains> {
    let source = Source::new("(chains to be tried)", text)?;
    let mut policy = Policy::parse(source, &built_in::names())?;
    cases::unhurried(&mut policy);
    chain::load(policy, sandbox)
}

fn run(chains: &Chains, index: usize, server: &str, tool: &str, samples: &[&Sample]) -> Sum {
    let mut sum = Sum::default();
    let Some(chain) = chains.get(index) else {
        return sum;
    };
    for sample in samples {
        let output = sample.filtered(chains, chain, server, tool);
        let (before, after) = output.tokens();
        sum.before += before;
        sum.after += after;
        sum.cut += usize::from(output.changed && output.cut);
        let mut receipts = output
            .documents
            .iter()
            .flat_map(|document| &document.receipts);
        let is_summary = |filter: &str| {
            built_in::find(filter).is_some_and(|filter| filter.has(Role::Summarizes))
        };
        sum.summaries +=
            usize::from(receipts.any(|receipt| receipt.cut && is_summary(&receipt.filter)));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_for_files_has_its_comment_and_its_condition() {
        let files = of_files();
        assert!(
            files.starts_with("# ") && files.contains(FILES_CONDITION),
            "{files}"
        );
        assert_eq!(files.matches("[[chain]]").count(), 1, "{files}");
    }

    #[test]
    fn every_idea_changes_the_base() {
        let base = base();
        for (index, Idea { line, .. }) in IDEAS.iter().enumerate() {
            let lines = with(&base, &[index]);
            assert_ne!(lines, base, "{line}");
            let has = |found: &&String| found.trim() == *line;
            let expected = usize::from(!line.is_empty());
            assert_eq!(lines.iter().filter(has).count(), expected, "{lines:#?}");
        }
        assert!(without_cut(&base).len() < base.len());
    }
}
