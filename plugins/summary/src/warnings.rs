//! Lines of a document that warn its reader: `> [!WARNING]`, `**BREAKING CHANGE:** …`, `… DO NOT run it twice …`.
//!
//! Owns their words and signs. Refuses to know logs, in which such words are levels.

use crate::fences::Fences;
use crate::order;
use crate::paper::{Paper, characters, cut, one_line};
use crate::search::find;
use crate::trim::trim;
use std::borrow::Cow;

/// Most warnings that are shown.
const FEW: usize = 5;
/// Characters of a shown warning.
const SHOWN_CHARACTERS: usize = 200;
/// Lines after a label that stands alone in which its text begins.
const AFTER_LABEL: usize = 2;

/// Labels of warnings, in capitals. Of two that begin alike, the longer one is first.
const LABELS: [&str; 29] = [
    "BREAKING CHANGES",
    "BREAKING CHANGE",
    "BREAKING",
    "DANGER",
    "WARNING",
    "CAUTION",
    "ATTENTION",
    "ACHTUNG",
    "WARNUNG",
    "VORSICHT",
    "GEFAHR",
    "AVERTISSEMENT",
    "ADVERTENCIA",
    "ATENCI\u{f3}N",
    "Atenci\u{f3}n",
    "PELIGRO",
    "ATTENZIONE",
    "AVVERTENZA",
    "ATEN\u{c7}\u{c3}O",
    "Aten\u{e7}\u{e3}o",
    "PERIGO",
    "ВНИМАНИЕ",
    "Внимание",
    "警告",
    "注意",
    "주의",
    "تحذير",
    "IMPORTANT",
    "DEPRECATED",
];
/// A bit for each first byte of the labels, by its last six bits: it rules out most lines.
const FIRST: u64 = {
    let (mut bits, mut at) = (0, 0);
    while at < LABELS.len() {
        bits |= 1 << ((LABELS[at].as_bytes()[0] | 0x20) & 63);
        at += 1;
    }
    bits
};
/// So many of the labels are urgent.
const URGENT: usize = 27;
/// Signs before a label: of a quote, an item, a heading, bold text.
const BEFORE: [char; 8] = ['>', '-', '*', '_', '#', ' ', '\t', '+'];
/// Blanks before a colon, as French has them.
const BLANKS: [char; 3] = [' ', '\u{a0}', '\u{202f}'];
/// Signs of warnings at the beginning of a line.
const SIGNS: [&str; 4] = ["\u{26a0}", "\u{1f6a8}", "\u{26d4}", "\u{2757}"];
/// Beginnings of blocks with a label, in GitHub, MkDocs, Docusaurus and reStructuredText.
const BLOCKS: [&str; 5] = ["[!", "!!! ", "??? ", ":::", ".. "];
/// Words in capitals that forbid something.
const FORBIDS: &str = "DO NOT";
/// The same of words in bold letters, as they are spelled in small ones.
const BOLD_FORBIDS: [&str; 4] = ["never", "do not", "don't", "must not"];

/// The warnings of a document.
pub struct Warnings<'t> {
    count: usize,
    /// The first different ones of each urgency, with their numbers from 1.
    urgent: Vec<(usize, &'t str)>,
    others: Vec<(usize, &'t str)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Urgency {
    Urgent,
    Other,
}

/// The beginning of a line that warns.
#[derive(Clone, Copy)]
struct Label {
    urgency: Urgency,
    /// The text is on the next lines.
    stands_alone: bool,
}

impl<'t> Warnings<'t> {
    pub fn of(lines: &[(usize, &'t str)]) -> Warnings<'t> {
        let mut found = Warnings {
            count: 0,
            urgent: Vec::new(),
            others: Vec::new(),
        };
        let mut fences = Fences::of(lines.iter().copied());
        // A label that stands alone, and how many lines ago.
        let mut open: Option<(Urgency, usize)> = None;
        for &(number, line) in lines {
            let start = trim(line);
            if fences.contain(number) {
                open = None;
                continue;
            }
            if let Some(label) = label(start) {
                open = label.stands_alone.then_some((label.urgency, 0));
                if !label.stands_alone {
                    found.push(label.urgency, number, line);
                }
                continue;
            }
            if forbids(start).is_some() {
                found.push(Urgency::Urgent, number, line);
                open = None;
                continue;
            }
            let Some((urgency, age)) = open else { continue };
            let text = without(start, &['>', ' ']);
            let has_text = text.contains(char::is_alphabetic);
            let is_other = text.starts_with(['#', '|', '!', '<']);
            if has_text && !is_other {
                found.push(urgency, number, line);
                // The next item of a list belongs to the label.
                let is_item = text.starts_with(['-', '*', '+']);
                open = is_item.then_some((urgency, AFTER_LABEL));
            } else {
                let goes_on = !has_text && !is_other && age < AFTER_LABEL;
                open = goes_on.then_some((urgency, age + 1));
            }
        }
        found
    }

    fn push(&mut self, urgency: Urgency, number: usize, line: &'t str) {
        self.count += 1;
        let list = match urgency {
            Urgency::Urgent => &mut self.urgent,
            Urgency::Other => &mut self.others,
        };
        let is_new = || list.iter().all(|(_, known)| trim(known) != trim(line));
        if list.len() < FEW && is_new() {
            list.push((number, line));
        }
    }

    /// The warnings that are shown, in order: the urgent ones before others.
    fn shown(&self) -> Vec<(usize, &'t str)> {
        let mut shown: Vec<_> = self.urgent.iter().chain(&self.others).copied().collect();
        shown.truncate(FEW);
        order::least_first(&mut shown, |(number, _)| *number as i64);
        shown
    }

    /// Whether a line is among those that are shown, by its number.
    pub fn shows(&self, number: usize) -> bool {
        self.shown().iter().any(|(shown, _)| *shown == number)
    }

    pub fn tell(&self, paper: &mut Paper) {
        if self.count == 0 {
            return;
        }
        let shown = self.shown();
        let told: Vec<String> = shown
            .iter()
            .map(|(number, line)| {
                let line = from_warning(trim(line));
                format!("{number}: {}", one_line(&cut(&line, SHOWN_CHARACTERS)))
            })
            .collect();
        // The head says how many lines follow, so that these must fit.
        for few in (1..=told.len()).rev() {
            let head = match self.count {
                1 => "1 line that warns the reader:".to_owned(),
                count if few == count => format!("{count} lines that warn the reader:"),
                count => format!("{count} lines that warn the reader, {few} of them:"),
            };
            let lines = std::iter::once(&head).chain(&told[..few]);
            if lines
                .clone()
                .map(|line| characters(line) + 1)
                .sum::<usize>()
                <= paper.left()
            {
                lines.for_each(|line| {
                    paper.line(line);
                });
                return;
            }
        }
        paper.line(&format!("lines that warn the reader: {}", self.count));
    }
}

/// A line without these signs at its beginning.
fn without<'t>(line: &'t str, signs: &[char]) -> &'t str {
    line.trim_start_matches(signs)
}

/// The label or the sign of warnings that a line begins with.
#[inline(never)]
fn label(line: &str) -> Option<Label> {
    let rest = without(line, &BEFORE);
    if let Some(rest) = SIGNS.iter().find_map(|sign| rest.strip_prefix(sign)) {
        let rest = without(rest, &['\u{fe0f}', ' ', '*', '_']);
        let alone = Label {
            urgency: Urgency::Other,
            stands_alone: !rest.contains(char::is_alphanumeric),
        };
        // A sign may have a legend: `⚠ = partial`.
        let is_legend = rest.starts_with(['=', ':', '|']);
        return named(rest).or((!is_legend).then_some(alone));
    }
    let block = BLOCKS.iter().find_map(|sign| rest.strip_prefix(sign));
    let Some(block) = block else {
        return named(rest);
    };
    let (urgency, after) = name(block.trim_start())?;
    let is_end = !after.starts_with(char::is_alphanumeric);
    is_end.then_some(Label {
        urgency,
        stands_alone: !after.contains(char::is_alphanumeric),
    })
}

/// A label with signs after it: `**Warning**`, `Warning:`, `WARNING -`. A sentence may begin with `Important`, and in
/// small letters it is a name of something.
fn named(text: &str) -> Option<Label> {
    let (urgency, after) = name(text).filter(|_| !text.starts_with(char::is_lowercase))?;
    let plain = after.strip_prefix("**").unwrap_or(after);
    let is_bold = plain.len() < after.len();
    let is_capital = !text[..text.len() - after.len()].contains(char::is_lowercase);
    let is_dash = || {
        let dashes = [" - ", " \u{2013} ", " \u{2014} "];
        (is_bold || is_capital) && dashes.iter().any(|dash| plain.starts_with(dash))
    };
    let is_end = || (is_bold || is_capital) && plain.trim().is_empty();
    (plain.trim_start_matches(BLANKS).starts_with([':', '：']) || is_dash() || is_end()).then(
        || Label {
            urgency,
            stands_alone: !plain.contains(char::is_alphanumeric),
        },
    )
}

/// The urgency of the label that a text begins with, and what follows it.
fn name(text: &str) -> Option<(Urgency, &str)> {
    let has = |name: &str| {
        let start = text.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    let first = text.bytes().next()? | 0x20;
    if FIRST >> (first & 63) & 1 == 0 {
        return None;
    }
    let is_label = |name: &str| name.as_bytes()[0] | 0x20 == first && has(name);
    let at = LABELS.iter().position(|name| is_label(name))?;
    let urgency = if at < URGENT {
        Urgency::Urgent
    } else {
        Urgency::Other
    };
    Some((urgency, &text[LABELS[at].len()..]))
}

/// The place of [`FORBIDS`] in a sentence: in a heading or a constant all letters are capitals, and a value has quotes.
fn forbids(line: &str) -> Option<usize> {
    let is_part = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_`\"'".contains(byte))
    };
    let bytes = line.as_bytes();
    let bold = bold_forbids(line);
    if bold.is_some() {
        return bold;
    }
    // Few lines of prose have its first letter as a capital.
    memchr::memchr(FORBIDS.as_bytes()[0], bytes)?;
    let mut places = line.match_indices(FORBIDS).map(|(at, _)| at);
    places
        .find(|at| {
            let before = at.checked_sub(1).and_then(|at| bytes.get(at));
            !is_part(before) && !is_part(bytes.get(at + FORBIDS.len()))
        })
        .filter(|_| bytes.iter().any(u8::is_ascii_lowercase))
}

/// The place of words in bold letters that forbid something.
#[inline(never)]
fn bold_forbids(line: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        from += 2 + find(&line[from..], "**")?;
        let rest = &line.as_bytes()[from..];
        let forbids = |words: &str| {
            let start = rest.get(..words.len());
            let after = rest.get(words.len()..).unwrap_or_default();
            // The sentence goes on. The name of a choice ends: `**Never**: no limit`.
            let after = after.strip_prefix(b"**").unwrap_or(after);
            start.is_some_and(|start| start.eq_ignore_ascii_case(words.as_bytes()))
                && matches!(after, [b' ', b'a'..=b'z', ..])
        };
        if BOLD_FORBIDS.iter().any(|words| forbids(words)) {
            return Some(from - 2);
        }
    }
}

/// A long line from the sentence that warns, if that is not at its beginning.
fn from_warning(line: &str) -> Cow<'_, str> {
    /// Bytes of a sentence before the words that forbid.
    const BEFORE_WORDS: usize = SHOWN_CHARACTERS / 2;
    let is_whole = characters(line) <= SHOWN_CHARACTERS || label(line).is_some();
    let Some(at) = forbids(line).filter(|at| !is_whole && *at > BEFORE_WORDS) else {
        return Cow::Borrowed(line);
    };
    let sentence = line[..at].rfind(". ").map_or(0, |end| end + 2);
    let near = line.floor_char_boundary(at - BEFORE_WORDS);
    // Not inside a word.
    let near = line[near..at]
        .find(' ')
        .map_or(at, |blank| near + blank + 1);
    match sentence.max(near) {
        0 => Cow::Borrowed(line),
        from => Cow::Owned(format!("…{}", &line[from..])),
    }
}

#[cfg(test)]
#[path = "tests/warnings.rs"]
mod tests;
