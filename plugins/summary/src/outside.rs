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

    /// The lines before the first part of a text of `count` lines, and after its last part: a few.
    pub fn around(
        lines: impl Iterator<Item = (usize, &'t str)> + Clone,
        count: usize,
        is_part: impl Fn((usize, &'t str)) -> bool,
    ) -> Outside<'t> {
        const FIRST: usize = 9;
        const LAST: usize = 3;
        let mut outside = Outside::default();
        let first = lines.clone().take(FIRST);
        first
            .take_while(|line| !is_part(*line))
            .filter(|(_, line)| has_words(line))
            .for_each(|(number, line)| outside.note(number, line));
        let last = lines.skip(count.saturating_sub(LAST).max(FIRST));
        let last: Vec<_> = last.collect();
        let end = last.iter().rposition(|line| is_part(*line));
        last[end.map_or(0, |end| end + 1)..]
            .iter()
            .filter(|(_, line)| has_words(line))
            .for_each(|(number, line)| outside.note(*number, line));
        outside
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
        let is_told = |(number, _): &(usize, &str)| {
            let place = format!("{number}: ");
            above.lines().any(|line| line.starts_with(&place))
        };
        let ends = self.ends?;
        if self.count <= ends.len() && ends.iter().all(is_told) {
            return None;
        }
        let [first, last] = ends.map(|(number, line)| {
            let line = cut(line.trim(), SHOWN_CHARACTERS);
            format!("{number}: {}", one_line(&line))
        });
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
