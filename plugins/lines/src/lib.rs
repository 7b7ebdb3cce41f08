//! `lines`: keeps, drops, replaces and counts the lines of a text, and marks the omissions.
//!
//! Owns the choice of texts: a text document, and strings of JSON. The lines of a text stream through four stages.
//! [`sieve`] selects by patterns, [`replace`] changes parts of lines, [`repeats`] counts equal lines, [`ends`] keeps
//! the first and the last and writes the text. No stage stores more lines than its setting says. A text that would not
//! become shorter stays unchanged.
//!
//! Marks of an earlier run pass all stages and do not count as lines, so a second run changes nothing.

mod ends;
mod line;
mod repeats;
mod replace;
mod settings;
mod sieve;
#[cfg(test)]
mod tests;

use crate::ends::Ends;
use crate::line::{Line, dropped_mark};
use crate::repeats::{Equal, Repeats};
use crate::settings::{Marks, Rules, Settings};
use crate::sieve::Sieve;
use tamis_sdk::{
    Call, Description, Document, Edits, Fidelity, Filter, Node, NodeKind, Verdict, quote,
    rewritten_text,
};

/// Most growth of a text's lines by replacements, in bytes: times its size, and more. Later stages may still make the
/// text shorter.
const GROWTH_TIMES: usize = 16;
const GROWTH_BYTES: usize = 64 << 10;

/// The filter.
pub struct Lines {
    rules: Rules,
}

impl Lines {
    /// The text with fewer lines; none if it would not become shorter.
    fn shorter<'t>(&self, text: &'t str) -> Option<String> {
        let rules = &self.rules;
        let mut sieve = Sieve::new(rules);
        let mut repeats = Repeats::new(rules.equal);
        let mut ends = Ends::new(rules.limits, text);
        let mut growth = text
            .len()
            .saturating_mul(GROWTH_TIMES)
            .saturating_add(GROWTH_BYTES);
        let mut is_grown = false;
        let counted = &mut |line| ends.push(line);
        let kept = &mut |mut line: Line<'t>| {
            if let Some(replace) = &rules.replace
                && !line.is_mark()
                && !is_grown
            {
                is_grown = replace.apply(&mut line.text, &mut growth).is_err();
            }
            repeats.push(line, counted);
        };
        let counts = rules.equal != Equal::Never;
        for line in text.split_inclusive('\n') {
            sieve.push(Line::read(line, counts), kept);
        }
        sieve.finish(kept);
        repeats.finish(counted);
        if is_grown {
            return None;
        }
        let Sieve { dropped, total, .. } = sieve;
        // A text without any remaining lines always gets a mark.
        let is_marked = dropped > 0 && (rules.marks == Marks::End || dropped == total);
        let last_mark = is_marked.then(|| dropped_mark(dropped, total));
        let new = ends.finish(total, last_mark);
        (new.len() < text.len()).then_some(new)
    }

    fn json(&self, document: &Document, root: Node<'_>) -> Verdict {
        let mut edits = Edits::new();
        match &self.rules.members {
            Some(paths) => {
                let found = paths.find(document, root);
                let mut strings: Vec<Node<'_>> = found.iter().map(|found| found.value).collect();
                strings.sort_unstable_by_key(|node| node.index());
                // Two paths may lead to one string.
                strings.dedup_by_key(|node| node.index());
                for node in strings {
                    if node.kind() == NodeKind::String {
                        self.string(document, node, &mut edits);
                    }
                }
            }
            None => {
                let mut cursor = Some(root);
                while let Some(node) = cursor {
                    cursor = node.following();
                    if node.kind() == NodeKind::String && has_line_break(document, node) {
                        self.string(document, node, &mut edits);
                    }
                }
            }
        }
        edits.into()
    }

    /// Edits a string if it becomes shorter. A string that is not Unicode stays.
    fn string(&self, document: &Document, node: Node<'_>, edits: &mut Edits) {
        let text = document.string(node);
        if let Some(new) = text.and_then(|text| self.shorter(&text)) {
            let new = quote(&new);
            if new.len() < node.len_bytes() as usize {
                edits.replace(node, &new);
            }
        }
    }
}

/// Whether a string of JSON has a line break, which is always written as an escape.
fn has_line_break(document: &Document, node: Node<'_>) -> bool {
    if !node.is_escaped() {
        return false;
    }
    let raw = document.raw(node);
    (raw.contains("\\n") || raw.contains("\\u000"))
        && document
            .string(node)
            .is_some_and(|text| text.contains('\n'))
}

impl Filter for Lines {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "lines",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .snapshot()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        let rules = settings.check()?;
        Ok(Lines { rules })
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        if let Some(root) = document.root() {
            return Ok(self.json(document, root));
        }
        let new = self.shorter(document.text());
        Ok(new.map_or(Verdict::Unchanged, rewritten_text))
    }
}

tamis_sdk::export!(Lines);
