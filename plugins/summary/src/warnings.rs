//! Lines of a document that warn its reader: `> [!WARNING]`, `**BREAKING CHANGE:** …`, `… DO NOT run it twice …`.
//!
//! Owns their words and signs. Refuses to know logs, in which such words are levels.

use crate::paper::{Paper, characters, cut, one_line};
use crate::trim::{is_blank, trim};
use std::borrow::Cow;

/// Most warnings that are shown.
const FEW: usize = 5;
/// Characters of a shown warning.
const SHOWN_CHARACTERS: usize = 200;

/// Labels of warnings, in capitals, the most urgent first.
const LABELS: [&str; 9] = [
    "BREAKING CHANGES",
    "BREAKING CHANGE",
    "BREAKING",
    "DANGER",
    "WARNING",
    "CAUTION",
    "ATTENTION",
    "IMPORTANT",
    "DEPRECATED",
];
/// Of these labels, so many are urgent.
const URGENT: usize = 4;
/// Signs before a label: of a quote, an item, a heading, bold text.
const BEFORE: [char; 9] = ['>', '-', '*', '_', '#', ' ', '\t', '+', '|'];
/// Signs of warnings at the beginning of a line.
const SIGNS: [&str; 4] = ["\u{26a0}", "\u{1f6a8}", "\u{26d4}", "\u{2757}"];
/// Words in capitals that forbid something.
const FORBIDS: [&str; 2] = ["DO NOT", "NEVER"];

/// The warnings of a document.
pub struct Warnings<'t> {
    count: usize,
    /// The first of each urgency, with their numbers from 1.
    urgent: Vec<(usize, &'t str)>,
    others: Vec<(usize, &'t str)>,
}

impl<'t> Warnings<'t> {
    pub fn of(lines: impl Iterator<Item = (usize, &'t str)>) -> Warnings<'t> {
        let mut found = Warnings {
            count: 0,
            urgent: Vec::new(),
            others: Vec::new(),
        };
        // The text of a label that stands alone is the next line.
        let mut label: Option<Urgency> = None;
        let mut in_fence = false;
        for (number, line) in lines {
            let start = trim(line);
            if start.starts_with("```") || start.starts_with("~~~") {
                in_fence = !in_fence;
                continue;
            }
            if in_fence || is_blank(line) {
                continue;
            }
            let warning = warning(start);
            let urgency = match (warning, label.take()) {
                (Some((urgency, true)), _) => {
                    label = Some(urgency);
                    continue;
                }
                (Some((urgency, false)), _) | (None, Some(urgency)) => urgency,
                (None, None) => continue,
            };
            found.count += 1;
            let list = match urgency {
                Urgency::Urgent => &mut found.urgent,
                Urgency::Other => &mut found.others,
            };
            if list.len() < FEW {
                list.push((number, line));
            }
        }
        found
    }

    pub fn tell(&self, paper: &mut Paper) {
        let mut shown: Vec<&(usize, &str)> = self.urgent.iter().chain(&self.others).collect();
        shown.truncate(FEW);
        shown.sort_unstable();
        let head = match (self.count, shown.len()) {
            (0, _) => return,
            (1, _) => "1 line that warns the reader:".to_owned(),
            (count, few) if few == count => format!("{count} lines that warn the reader:"),
            (count, few) => format!("{count} lines that warn the reader, {few} of them:"),
        };
        // The head is true only with all of these lines.
        let told: Vec<String> = shown
            .iter()
            .map(|(number, line)| {
                let line = from_warning(trim(line));
                format!("{number}: {}", one_line(&cut(&line, SHOWN_CHARACTERS)))
            })
            .collect();
        let needed: usize = told.iter().map(|line| characters(line) + 1).sum();
        if characters(&head) + 1 + needed > paper.left() {
            paper.line(&format!("lines that warn the reader: {}", self.count));
            return;
        }
        paper.line(&head);
        for line in told {
            paper.line(&line);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Urgency {
    Urgent,
    Other,
}

/// The urgency of a line that warns, and whether it is a label whose text is the next line.
fn warning(line: &str) -> Option<(Urgency, bool)> {
    let bytes = line.as_bytes();
    let first = bytes.first()?;
    // Most lines are sentences that begin with another letter.
    let may_begin = |byte: &u8| !byte.is_ascii_alphanumeric() || b"BDWCAIbdwcai".contains(byte);
    if may_begin(first)
        && let Some(found) = label(line)
    {
        return Some(found);
    }
    forbids(bytes).then_some((Urgency::Urgent, false))
}

/// A line that begins with a label or a sign of warnings.
fn label(line: &str) -> Option<(Urgency, bool)> {
    let rest = line.trim_start_matches(BEFORE);
    if let Some(rest) = SIGNS.iter().find_map(|sign| rest.strip_prefix(sign)) {
        let is_alone = !rest.chars().any(char::is_alphanumeric);
        let urgency = label(rest.trim_start_matches(|c: char| !c.is_alphanumeric()));
        return Some(match urgency {
            Some((urgency, _)) => (urgency, is_alone),
            None => (Urgency::Other, is_alone),
        });
    }
    // GitHub, MkDocs, Docusaurus, reStructuredText.
    let block = ["[!", "!!! ", "??? ", ":::", ".. "];
    let block = block.iter().find_map(|sign| rest.strip_prefix(sign));
    let name = block.unwrap_or(rest).trim_start();
    let is = |label: &str| {
        let start = name.get(..label.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(label))
    };
    let at = LABELS.iter().position(|label| is(label))?;
    let (name, after) = name.split_at(LABELS[at].len());
    let urgency = match at < URGENT {
        true => Urgency::Urgent,
        false => Urgency::Other,
    };
    if block.is_some() {
        let is_end = !after.starts_with(|c: char| c.is_alphanumeric());
        let text = after.trim_start_matches(|c: char| !c.is_alphanumeric());
        return is_end.then_some((urgency, text.is_empty()));
    }
    // `**Warning**`, `Warning:`, `WARNING -`. A sentence may begin with `Important`, and a heading is no warning.
    let is_marked = after.starts_with([':', '!']) || after.starts_with("**");
    let is_capital = name.bytes().all(|byte| !byte.is_ascii_lowercase());
    let is_dash = is_capital
        && [" - ", " \u{2013} ", " \u{2014} "]
            .iter()
            .any(|it| after.starts_with(it));
    if !is_marked && !is_dash {
        return None;
    }
    let text = after.trim_start_matches(|c: char| !c.is_alphanumeric());
    Some((urgency, text.is_empty()))
}

/// A line from the sentence that warns, if that is not at its beginning.
fn from_warning(line: &str) -> Cow<'_, str> {
    const EARLY: usize = SHOWN_CHARACTERS / 2;
    let at = FORBIDS.iter().filter_map(|word| line.find(word)).min();
    let Some(at) = at.filter(|at| *at > EARLY) else {
        return Cow::Borrowed(line);
    };
    let sentence = line[..at].rfind(". ").map_or(0, |end| end + 2);
    let near = line.floor_char_boundary(at - EARLY);
    Cow::Owned(format!("…{}", &line[sentence.max(near)..]))
}

/// Whether a line has one of [`FORBIDS`], and other words in small letters: in a heading or a constant all are capitals.
fn forbids(line: &[u8]) -> bool {
    let is_part =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let has = |word: &str| {
        memchr::memmem::find_iter(line, word).any(|at| {
            let before = at.checked_sub(1).and_then(|at| line.get(at));
            !is_part(before) && !is_part(line.get(at + word.len()))
        })
    };
    FORBIDS.iter().any(|word| has(word)) && line.iter().any(u8::is_ascii_lowercase)
}

#[cfg(test)]
#[path = "tests/warnings.rs"]
mod tests;
