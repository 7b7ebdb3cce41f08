//! The lines of a text without the line numbers that a tool added, and without other beginnings of all lines (`prefix`).
//!
//! Owns the recognition of line numbers. Refuses to know kinds of lines.

mod prefix;

use crate::fences::Fences;
use crate::forms::Forms;
use crate::patterns::Patterns;
use crate::search::has;
use crate::signs::{self, All, Filled, Line, Lines, Signs, Texts};
use prefix::Prefix;
use std::cell::OnceCell;

/// Most lines without a number before and after a numbered block: `Contents of a.rs:`.
const AROUND: usize = 4;
/// Fewest numbered lines of a block.
const LEAST: usize = 5;

/// Shorter lines are not examined for progress.
const WRITTEN_OVER: usize = 400;

/// Lines whose positions are stored, so that they are found once. Later lines are searched each time.
const KEPT: usize = 1 << 20;

/// A text and the numbering of its lines, if a tool wrote one.
pub struct Source<'t> {
    text: &'t str,
    /// The lines without such numbers.
    lines: Lines<'t>,
    prefix: Option<Prefix<'t>>,
    forms: OnceCell<Forms>,
    patterns: OnceCell<Patterns<'t>>,
}

/// A block of numbered lines, by their numbers in the text, from 1.
#[derive(Clone, Copy)]
pub struct Numbered {
    first: usize,
    last: usize,
    /// Each number equals the line's number in the text, so no note is needed.
    is_place: bool,
}

impl<'t> Source<'t> {
    pub fn of(text: &'t str) -> Source<'t> {
        let mut lines = signs::split(text, KEPT);
        lines.numbered = match numbered(lines.all()) {
            Some((block, _)) => vec![block],
            None => numbered_in_fences(&lines),
        };
        if !lines.numbered.is_empty() || memchr::memchr(b'\r', text.as_bytes()).is_some() {
            for line in &mut lines.filled {
                let text = without_number(line.number as usize, line.text, &lines.numbered);
                if text.len() < line.text.len() {
                    *line = Line::new(line.number, text);
                }
            }
            lines.filled.retain(|line| !line.text.is_empty());
        }
        // A note about it must be true of all lines.
        let prefix = match lines.rest.is_empty() {
            true => Prefix::take(text, &mut lines),
            false => None,
        };
        Source {
            text,
            lines,
            prefix,
            forms: OnceCell::new(),
            patterns: OnceCell::new(),
        }
    }

    /// Each line with its number in the text, from 1, without the number that a tool added.
    pub fn lines(&self) -> All<'_, 't> {
        self.lines.all()
    }

    /// The lines after the first ones, of which there are so many.
    pub fn lines_after(&self, number: usize) -> All<'_, 't> {
        self.lines.all_after(number)
    }

    /// The lines that are not empty, each with its signs.
    pub fn filled(&self) -> Filled<'_, 't> {
        self.lines.filled()
    }

    /// All signs that lines have, and perhaps others.
    pub fn signs(&self) -> Signs {
        self.lines.signs
    }

    /// The same; none, if none of them has one of these signs.
    pub fn filled_with(&self, any: Signs) -> Filled<'_, 't> {
        self.lines.filled_with(any)
    }

    /// The texts of these.
    pub fn filled_texts(&self) -> impl Iterator<Item = &'t str> + Clone + use<'t, '_> {
        self.filled().map(|(_, line)| line.text)
    }

    /// The text as it is.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The number of lines.
    pub fn count(&self) -> usize {
        self.lines.count()
    }

    /// The lines without numbers.
    pub fn texts(&self) -> Texts<'_, 't> {
        Texts(self.lines())
    }

    /// The forms of the lines.
    #[inline(never)]
    pub fn forms(&self) -> &Forms {
        let lines = || self.lines.all().map(|(_, line)| line);
        self.forms.get_or_init(|| Forms::of(lines(), self.count()))
    }

    /// The patterns of the lines.
    pub fn patterns(&self) -> &Patterns<'t> {
        self.patterns.get_or_init(|| {
            let size = (self.count(), self.text.len());
            Patterns::of(self.filled(), self.forms(), size)
        })
    }

    /// Whether the lines are read without the times that they begin with.
    pub fn is_timed(&self) -> bool {
        self.prefix.as_ref().is_some_and(Prefix::has_times)
    }

    /// A line with its beginning, if that is one of several names.
    pub fn named(&self, line: &'t str) -> &'t str {
        let at = line.as_ptr().addr().checked_sub(self.text.as_ptr().addr());
        let has_names = self.prefix.as_ref().is_some_and(Prefix::has_names);
        let before = at.filter(|_| has_names).and_then(|at| self.text.get(..at));
        let start = before.map_or(0, |before| before.rfind('\n').map_or(0, |end| end + 1));
        let whole = before.and_then(|before| self.text.get(start..before.len() + line.len()));
        whole.unwrap_or(line)
    }

    /// A note for the reader about the beginnings that the lines are read without; none if they are as they are.
    pub fn note_of_prefix(&self) -> Option<String> {
        self.prefix.as_ref().map(Prefix::note)
    }

    /// A note for the reader about two numberings; none if one suffices.
    pub fn note(&self) -> Option<String> {
        let block = self.lines.numbered.iter().find(|block| !block.is_place)?;
        let line = self.text.lines().nth(block.first - 1)?;
        let (own, ..) = number(line)?;
        let place = block.first;
        // Another block of the text may have the same numbers.
        let above = place
            .checked_sub(2)
            .and_then(|at| self.text.lines().nth(at));
        let is_in_fence = above.is_some_and(|line| line.starts_with("```"));
        Some(match self.lines.numbered.len() {
            1 if !is_in_fence => format!(
                "the text numbers its own lines: its {own} is line {place} here, and `lines` takes the number here"
            ),
            _ => format!(
                "blocks of code number their own lines: line {place} here is {own} of its block, and `lines` takes the number here"
            ),
        })
    }
}

/// The blocks of code between fences whose lines a tool numbered.
fn numbered_in_fences(lines: &Lines<'_>) -> Vec<Numbered> {
    let is_fence = |line: &Line<'_>| line.signs.have(Signs::TICK) && line.text.starts_with("```");
    if !lines.signs.have(Signs::TICK) || !lines.filled.iter().any(is_fence) {
        return Vec::new();
    }
    let blocks = Fences::of(lines.filled()).into_blocks();
    let inside = |(first, last): (usize, usize)| {
        let lines = lines.all_after(first).take(last - 1 - first);
        // After a colon, numbers are data, too.
        numbered(lines).filter(|(_, sign)| *sign != ':')
    };
    blocks.filter_map(inside).map(|(block, _)| block).collect()
}

/// The block of lines that a tool numbered: each of its non-blank lines has the next number, before the same sign.
fn numbered<'t>(lines: impl Iterator<Item = (usize, &'t str)> + Clone) -> Option<(Numbered, char)> {
    let mut block: Option<(Numbered, u64, char, usize)> = None;
    let mut after = 0;
    for (at, (place, line)) in lines.clone().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match (number(line), block.as_mut()) {
            (Some((own, sign, _)), None) => {
                let is_place = own == place as u64;
                let first = Numbered {
                    first: place,
                    last: place,
                    is_place,
                };
                block = Some((first, own, sign, 1));
            }
            (Some((own, sign, _)), Some((found, last, first_sign, count)))
                if after == 0 && own == last.saturating_add(1) && sign == *first_sign =>
            {
                *last = own;
                *count += 1;
                found.last = place;
                found.is_place &= own == place as u64;
            }
            (None, None) if at < AROUND => {}
            (_, Some(_)) if after < AROUND => after += 1,
            _ => return None,
        }
    }
    let (found, _, sign, count) = block?;
    let may_be_table = sign == '|' || sign == '\t' && !found.is_place;
    let is_table = || may_be_table && are_rows(lines.clone(), found, sign, count);
    (count >= LEAST && !is_table()).then_some((found, sign))
}

/// Whether the numbered lines are rows of a table whose first column counts them: `7|paid|12.50`, as `sqlite3` writes.
fn are_rows<'t>(
    lines: impl Iterator<Item = (usize, &'t str)>,
    block: Numbered,
    sign: char,
    count: usize,
) -> bool {
    let lines = lines.skip_while(|(place, _)| *place < block.first);
    let lines = lines.take(block.last + 1 - block.first);
    let mut cells = lines
        .filter_map(|(_, line)| number(line))
        .map(|(.., rest)| rest.matches(sign).count());
    let first = cells.next().unwrap_or_default();
    // In code, few lines have the sign.
    first > 0 && (1 + cells.filter(|cells| *cells == first).count()) * 10 >= count * 9
}

/// A line without the number that a tool added. Of a line that was written over, as progress is, the last state.
pub fn without_number<'t>(place: usize, line: &'t str, numbered: &[Numbered]) -> &'t str {
    let line = match line.len() > WRITTEN_OVER && line.contains('\r') {
        true => line
            .trim_end_matches('\r')
            .rsplit('\r')
            .next()
            .unwrap_or(line),
        false => line,
    };
    let block = numbered.partition_point(|block| block.last < place);
    let is_numbered = numbered
        .get(block)
        .is_some_and(|block| block.first <= place);
    let rest = is_numbered.then(|| number(line)).flatten();
    rest.map_or(line, |(.., rest)| rest)
}

/// The number before a line, the sign after the number, and the line: `  12→`, `12:`, `12 |`, `12` and a tab.
fn number(line: &str) -> Option<(u64, char, &str)> {
    let start = line.trim_start();
    let rest = start.trim_start_matches(|c: char| c.is_ascii_digit());
    let own = start[..start.len() - rest.len()].parse().ok()?;
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let sign = rest
        .chars()
        .next()
        .filter(|c| matches!(c, '\t' | '→' | '|' | ':'))?;
    let rest = &rest[sign.len_utf8()..];
    // A row of a table: its first cell is a number.
    if sign == '|' && has(rest, " | ") {
        return None;
    }
    // A tab or an arrow ends the number. After `:` and `|`, tools write a blank.
    let rest = match sign {
        ':' | '|' => rest.strip_prefix(' ').unwrap_or(rest),
        _ => rest,
    };
    Some((own, sign, rest))
}

#[cfg(test)]
#[path = "tests/source.rs"]
mod tests;
