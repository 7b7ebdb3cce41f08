//! Lines before, between and after the parts of a kind of text: other programs wrote them.
//!
//! Owns their places and what is said of them. Refuses to know what belongs to a kind.

use crate::paper::{cut, one_line};
use crate::trim::is_blank;

/// Most blocks of such lines whose places are stored. All later lines count as such lines.
const BLOCKS: usize = 1_024;
/// Characters of the first and the last of these lines.
const SHOWN_CHARACTERS: usize = 120;

/// The lines that do not belong to the kind of a text.
#[derive(Default)]
pub struct Outside<'t> {
    count: usize,
    ends: Option<[(usize, &'t str); 2]>,
    /// The first and the last line of each block.
    blocks: Vec<(usize, usize)>,
    has_more: bool,
}

/// A line with its number.
fn shown((number, line): (usize, &str)) -> String {
    let line = cut(line.trim(), SHOWN_CHARACTERS);
    format!("{number}: {}", one_line(&line))
}

/// Whether a line is told in a text with its number.
fn is_told((number, _): (usize, &str), above: &str) -> bool {
    let place = format!("{number}: ");
    above.lines().any(|line| line.starts_with(&place))
}

/// Whether a line says something: a rule and a fence do not.
fn has_words(line: &str) -> bool {
    line.contains(char::is_alphanumeric) && !line.starts_with("```")
}

impl<'t> Outside<'t> {
    /// The lines of a text that are no parts of its kind.
    pub fn of(
        lines: impl Iterator<Item = (usize, &'t str)>,
        is_part: impl Fn(&str) -> bool,
    ) -> Outside<'t> {
        let mut outside = Outside::default();
        lines
            .filter(|(_, line)| has_words(line) && !is_part(line))
            .for_each(|(number, line)| outside.note(number, line));
        outside
    }

    /// The first line and the last of a text of `count` lines, if they are no parts of its kind. `which`: which of them may
    /// be told; `above`: what is told already.
    pub fn at_ends(
        lines: impl Iterator<Item = (usize, &'t str)> + Clone,
        count: usize,
        which: [bool; 2],
        above: &str,
        is_part: impl Fn((usize, &'t str)) -> bool,
    ) -> Option<String> {
        /// Lines at an end: a part must be among them, else the text is not of the kind there.
        const LOOKED_AT: usize = 9;
        let end = |lines: &[(usize, &'t str)]| {
            let part = lines.iter().position(|line| is_part(*line))?;
            let line = lines[..part].iter().find(|(_, line)| has_words(line));
            line.copied()
        };
        let head: Vec<_> = lines.clone().take(LOOKED_AT).collect();
        let mut tail: Vec<_> = lines
            .skip(count.saturating_sub(LOOKED_AT).max(head.len()))
            .collect();
        tail.reverse();
        let head = end(&head).filter(|_| which[0]);
        let tail = end(&tail).filter(|_| which[1]);
        let ends = [("before", head), ("after", tail)];
        let told = ends
            .into_iter()
            .filter_map(|(side, line)| Some((side, line?)))
            .filter(|(_, line)| !is_told(*line, above));
        let told: Vec<String> = told
            .map(|(side, line)| format!("{side}: {}", shown(line)))
            .collect();
        (!told.is_empty()).then(|| told.join("\n"))
    }

    /// The last line of a document of `count` lines, if it is a paragraph that says what the document lacks, or how to read
    /// on: `> Note: the index is 41 days old`, `Showing 40 of 912 results`.
    pub fn notice(
        lines: impl Iterator<Item = (usize, &'t str)>,
        count: usize,
        above: &str,
    ) -> Option<String> {
        /// The last lines that are examined.
        const LOOKED_AT: usize = 6;
        const NOTICES: [&str; 12] = [
            "displaying",
            "found",
            "more",
            "next",
            "note",
            "only",
            "page",
            "results",
            "showing",
            "shown",
            "total",
            "truncated",
        ];
        let mut last: Option<(usize, &str)> = None;
        let mut is_apart = false;
        for line in lines.skip(count.saturating_sub(LOOKED_AT)) {
            let is_rule = !has_words(line.1);
            if !is_rule {
                last = is_apart.then_some(line);
            }
            is_apart = is_rule;
        }
        let last = last.filter(|line| !is_told(*line, above))?;
        let text = last.1.trim_start_matches(|c: char| !c.is_alphanumeric());
        let end = text.find(|c: char| !c.is_ascii_alphabetic());
        let first = text[..end.unwrap_or(text.len())].to_ascii_lowercase();
        NOTICES
            .contains(&&*first)
            .then(|| format!("after: {}", shown(last)))
    }

    /// Those before the first part, if they are more than a heading.
    pub fn before(
        lines: impl Iterator<Item = (usize, &'t str)>,
        is_part: impl Fn(&str) -> bool,
    ) -> Option<String> {
        const FEWEST: usize = 8;
        let mut outside = Outside::default();
        lines
            .take_while(|(_, line)| !is_part(line))
            .filter(|(_, line)| has_words(line))
            .for_each(|(number, line)| outside.note(number, line));
        let [first, last] = outside.ends?.map(shown);
        let count = outside.count;
        (count >= FEWEST)
            .then(|| format!("{count} lines before are of another form:\n{first}\n{last}"))
    }

    /// Notes the next of these lines. `number`: its own, from 1.
    pub fn note(&mut self, number: usize, line: &'t str) {
        if is_blank(line) {
            return;
        }
        self.count += 1;
        let [first, _] = self.ends.unwrap_or([(number, line); 2]);
        self.ends = Some([first, (number, line)]);
        let is_full = self.blocks.len() == BLOCKS;
        match self.blocks.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ if is_full => self.has_more = true,
            _ => self.blocks.push((number, number)),
        }
    }

    pub fn contains(&self, number: usize) -> bool {
        let at = self.blocks.partition_point(|(first, _)| *first <= number);
        let is_later = self.has_more && at == self.blocks.len();
        at > 0 && (number <= self.blocks[at - 1].1 || is_later)
    }

    /// How many lines they are, the first, and the last; none if `above` shows them all.
    pub fn told(&self, above: &str) -> Option<String> {
        let is_told = |line: &(usize, &str)| is_told(*line, above);
        let ends = self.ends?;
        if self.count <= ends.len() && ends.iter().all(is_told) {
            return None;
        }
        let [first, last] = ends.map(shown);
        Some(match self.count {
            1 => format!("1 line is of another form:\n{first}"),
            2 => format!("2 lines are of another form:\n{first}\n{last}"),
            count => {
                format!(
                    "{count} lines are of another form, the first and the last:\n{first}\n{last}"
                )
            }
        })
    }
}
