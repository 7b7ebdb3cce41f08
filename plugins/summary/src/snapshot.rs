//! Accessibility snapshots of pages: interactive elements, headings and landmarks.
//!
//! Owns the forms of Playwright (`- button "Save" [ref=e12]`) and Chrome DevTools (`uid=1_2 button "Save"`). Of the texts
//! of a page, it tells those that look like failures. Refuses to know the words of failures.

use crate::failure_words;
use crate::hashing::{Map, same as is_same};
use crate::levels::after;
use crate::order;
use crate::paper::{Paper, characters, cut, one_line};
use crate::search::{find, split};
use crate::shapes;
use crate::telling;
use crate::trim::{is_blank, trim, trim_start};
use crate::words::pattern;
use tamis_formats::words;

/// Fewest elements of a snapshot.
const LEAST: usize = 4;
/// Most elements that are described; all are counted.
const MOST: usize = 8_192;
/// Characters of an element's name.
const NAME_CHARACTERS: usize = 80;
/// Most lines shown before the first element: the page's address and title.
const BEFORE: usize = 6;
/// Fewest elements in equal steps that make a range.
const LEAST_RANGE: usize = 4;

/// Interactive roles, in the order of the summary.
const INTERACTIVE: [&str; 19] = [
    "button",
    "textbox",
    "searchbox",
    "combobox",
    "checkbox",
    "radio",
    "switch",
    "slider",
    "spinbutton",
    "listbox",
    "option",
    "tab",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "treeitem",
    "link",
    "file",
    "iframe",
];
const HEADING: &str = "heading";
const LANDMARKS: [&str; 12] = [
    "banner",
    "navigation",
    "main",
    "search",
    "form",
    "region",
    "complementary",
    "contentinfo",
    "dialog",
    "alertdialog",
    "alert",
    "status",
];
/// Those of them that tell the reader something.
const MESSAGES: [&str; 3] = ["dialog", "alertdialog", "alert"];
/// States that change the actions on an element.
const STATES: [&str; 8] = [
    "checked", "disabled", "expanded", "selected", "pressed", "required", "readonly", "invalid",
];

/// Roles whose name is text.
const TEXTS: [&str; 4] = ["cell", "gridcell", STATIC_TEXT, "paragraph"];
/// The role of a text, which newer snapshots leave out.
const STATIC_TEXT: &str = "StaticText";
/// Most texts that are shown because they look like failures. If more than one text in [`FAILING_ONE_OF`] does, the page
/// is about failures.
const FAILING: usize = 4;
const FAILING_ONE_OF: usize = 8;

/// An element of a page.
struct Element<'t> {
    role: &'t str,
    /// The name with its quotes; empty without a name.
    name: &'t str,
    reference: &'t str,
    states: String,
    /// The text of an alert or a status.
    text: &'t str,
}

/// Whether a line is an element, or one of its properties.
pub fn owns(line: &str) -> bool {
    let start = trim_start(line);
    start.starts_with("- ") || start.starts_with("uid=")
}

fn is_role(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn element(line: &str) -> Option<Element<'_>> {
    let start = trim_start(line);
    let (reference, rest) = match start.strip_prefix("uid=") {
        Some(rest) => rest.split_once(' ')?,
        None => ("", after(start.strip_prefix("- ")?, b"'\"")),
    };
    let signs = |part| words::has(part, b' ') | words::has(part, b':');
    let end = words::position(rest.as_bytes(), signs).unwrap_or(rest.len());
    let (role, rest) = match !reference.is_empty() && rest.starts_with('"') {
        // `uid=1_64 "All plans include support."`
        true => (STATIC_TEXT, rest),
        false => (&rest[..end], trim_start(&rest[end..])),
    };
    if !is_role(role) {
        return None;
    }
    let name_end = rest.strip_prefix('"').map_or(0, quoted_end);
    let (name, rest) = rest.split_at(name_end);
    if !reference.is_empty() {
        return Some(Element {
            role,
            name,
            reference,
            states: states(rest.split(' ')),
            text: "",
        });
    }
    let end = find(rest, "]:").unwrap_or(rest.len());
    let attributes = &rest[..end];
    let (before, after) = split(attributes, "[ref=")?;
    let (reference, others) = split(after, "]").unwrap_or((after, ""));
    let text = split(&rest[end..], "]: ").map_or("", |(_, text)| text);
    // Most elements have a reference alone.
    let states = match trim(before).is_empty() && trim(others).is_empty() {
        true => String::new(),
        false => states(attributes.split(['[', ']', ' '])),
    };
    Some(Element {
        role,
        name,
        reference,
        states,
        text,
    })
}

/// The text of a line: `- text: …`, `- paragraph [ref=e2]: …`, `- cell "…" [ref=e3]`. Elements that are shown by their
/// names have none.
fn text<'t>(line: &'t str, element: Option<&Element<'t>>) -> Option<&'t str> {
    let Some(element) = element else {
        let text = trim_start(line).strip_prefix("- text: ")?;
        return Some(trim(text));
    };
    let is_shown = || INTERACTIVE.contains(&element.role) || LANDMARKS.contains(&element.role);
    let text = match element.text {
        "" if TEXTS.contains(&element.role) => element.name,
        "" => return None,
        _ if is_shown() => return None,
        text => text,
    };
    let text = trim(text).trim_matches('"');
    (!text.is_empty()).then_some(text)
}

/// The texts of a page that look like failures.
#[derive(Default)]
struct Failing<'t> {
    texts: usize,
    count: usize,
    /// The first of them, with their lines' numbers from 1.
    first: Vec<(usize, &'t str)>,
}

impl<'t> Failing<'t> {
    fn note(&mut self, number: usize, text: &'t str) {
        self.texts += 1;
        let may_fail = || failure_words::marks(text) != 0;
        if telling::is_failing_state(text) || may_fail() && shapes::is_failure(text) {
            self.count += 1;
            if self.first.len() < FAILING {
                self.first.push((number, text));
            }
        }
    }

    fn tell(&self, paper: &mut Paper) {
        if self.count == 0 || self.count * FAILING_ONE_OF > self.texts {
            return;
        }
        let head = match self.count {
            1 => "1 text that looks like a failure:".to_owned(),
            count => format!("{count} texts that look like failures:"),
        };
        paper.line(&head);
        let mut rest = self.count;
        for (number, text) in &self.first {
            let text = cut(text, 2 * NAME_CHARACTERS);
            let is_shown = paper.line(&format!("{number}: {}", one_line(&text)));
            rest -= usize::from(is_shown);
        }
        if rest > 0 {
            paper.line(&format!(" and {rest} more"));
        }
    }
}

/// The end of a quoted text, after its last quote. `text` begins after the first.
fn quoted_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let plain = memchr::memchr2(b'"', b'\\', bytes);
    if let Some(at) = plain.filter(|at| bytes[*at] == b'"') {
        return at + 2;
    }
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        if byte == b'"' && !escaped {
            return at + 2;
        }
        escaped = byte == b'\\' && !escaped;
    }
    text.len() + 1
}

fn states<'t>(words: impl Iterator<Item = &'t str>) -> String {
    let mut out = String::new();
    for word in words {
        // The first letters of states.
        if !matches!(
            word.as_bytes(),
            [b'c' | b'd' | b'e' | b's' | b'p' | b'r' | b'i', ..]
        ) {
            continue;
        }
        let name = word.split('=').next().unwrap_or(word);
        if STATES.contains(&name) && !word.ends_with("=false") {
            out.push(' ');
            out.push_str(word);
        }
    }
    out
}

/// Whether a text of `count` lines is a snapshot.
pub fn is_snapshot<'t>(lines: impl Iterator<Item = &'t str>, count: usize) -> bool {
    let (mut all, mut owned, mut elements) = (0, 0, 0);
    for line in lines.filter(|line| !is_blank(line)) {
        all += 1;
        if owns(line) {
            owned += 1;
            // More lines cannot change the answer.
            let is_known = elements >= LEAST && elements * 3 >= count;
            elements += usize::from(!is_known && element(line).is_some());
        }
    }
    elements >= LEAST && owned * 10 >= all * 7 && elements * 3 >= all
}

/// A part of a role's description, and the number of its elements.
struct Told {
    role: usize,
    /// Single elements first, then ranges, then groups.
    rank: u8,
    text: String,
    elements: usize,
    /// The position on the page of the first element.
    at: usize,
}

/// Describes a snapshot on `paper`.
pub fn tell<'t>(lines: impl Iterator<Item = (usize, &'t str)> + Clone, paper: &mut Paper) {
    let before = lines
        .clone()
        .map(|(_, line)| line)
        .take_while(|line| element(line).is_none())
        .filter(|line| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with("```") && !line.starts_with('#')
        });
    for line in before.take(BEFORE) {
        let line = cut(line, 2 * NAME_CHARACTERS);
        paper.cut_line(&one_line(&line));
    }
    let mut roles = INTERACTIVE.to_vec();
    roles.push(HEADING);
    roles.extend(LANDMARKS);
    let mut counts = vec![0usize; roles.len()];
    let mut elements: Vec<(usize, Element<'t>)> = Vec::new();
    let mut all = 0usize;
    let mut failing = Failing::default();
    for (number, line) in lines {
        let element = element(line);
        if let Some(text) = text(line, element.as_ref()) {
            failing.note(number, text);
        }
        let Some(element) = element else { continue };
        all += 1;
        let Some(role) = roles.iter().position(|role| is_same(role, element.role)) else {
            continue;
        };
        counts[role] += 1;
        if elements.len() < MOST {
            elements.push((role, element));
        }
    }
    let interactive: usize = counts[..INTERACTIVE.len()].iter().sum();
    paper.line(&format!(
        "snapshot of a page: {all} elements, {interactive} of them interactive; refs in order of the page; left out: text"
    ));
    failing.tell(paper);
    let mut told = grouped(&elements);
    order::least_first(&mut told, |told| {
        // Messages and interactive roles first, headings last. A role of few elements first: the one button among links.
        let class = match told.role {
            role if role < INTERACTIVE.len() => 0,
            role if MESSAGES.contains(&roles[role]) => 0,
            role if role > INTERACTIVE.len() => 1,
            _ => 2,
        };
        let (count, rank) = if class == 2 {
            (0, 0)
        } else {
            (counts[told.role], told.rank)
        };
        // Bits of a rank, and of a place below `MOST`.
        const RANK: u32 = 2;
        const PLACE: u32 = MOST.ilog2();
        ((class << u32::BITS | count as i64) << RANK | i64::from(rank)) << PLACE | told.at as i64
    });
    // Room for each role's line, with its count and the number omitted.
    const OF_ROLE: usize = 36;
    let mut has_line = vec![false; roles.len()];
    let mut left = paper.left();
    let mut shown = vec![0usize; roles.len()];
    let mut texts: Vec<Vec<String>> = vec![Vec::new(); roles.len()];
    for role in (0..INTERACTIVE.len()).filter(|role| counts[*role] > 0) {
        has_line[role] = true;
        left = left.saturating_sub(OF_ROLE);
    }
    for told in told {
        let line = if has_line[told.role] { 0 } else { OF_ROLE };
        let needed = characters(&told.text) + 2 + line;
        if needed > left {
            continue;
        }
        left -= needed;
        has_line[told.role] = true;
        shown[told.role] += told.elements;
        texts[told.role].push(told.text);
    }
    for (at, role) in roles.iter().enumerate().filter(|(at, _)| counts[*at] > 0) {
        let rest = counts[at] - shown[at];
        let mut line = format!("{role} {}: {}", counts[at], texts[at].join(", "));
        if texts[at].is_empty() {
            line = format!("{role} {}", counts[at]);
        } else if rest > 0 {
            line.push_str(&format!(", and {rest} more"));
        }
        paper.cut_line(&line);
    }
}

/// Groups similar elements.
fn grouped(elements: &[(usize, Element<'_>)]) -> Vec<Told> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: Map<(usize, u64), usize> = Map::default();
    for (at, (role, element)) in elements.iter().enumerate() {
        let key = (*role, pattern(element.name) ^ pattern(&element.states));
        let next = groups.len();
        let group = *known.entry(key).or_insert(next);
        if group == next {
            groups.push(Vec::new());
        }
        groups[group].push(at);
    }
    let mut told = Vec::new();
    for group in groups {
        let all: Vec<&Element<'_>> = group.iter().map(|at| &elements[*at].1).collect();
        let role = elements[group[0]].0;
        if all.len() < LEAST_RANGE {
            told.extend(group.iter().zip(&all).map(|(at, element)| Told {
                role,
                rank: 0,
                text: whole(element),
                elements: 1,
                at: *at,
            }));
            continue;
        }
        match range(&all) {
            Some(text) => told.push(Told {
                role,
                rank: 1,
                text,
                elements: all.len(),
                at: group[0],
            }),
            None if all.iter().all(|element| element.name == all[0].name) => {
                told.extend(same(&all, role, group[0]));
            }
            None => told.extend(group.iter().zip(&all).map(|(at, element)| Told {
                role,
                rank: 3,
                text: whole(element),
                elements: 1,
                at: *at,
            })),
        }
    }
    told
}

/// The description of an element: `"Save" disabled e12`.
fn whole(element: &Element<'_>) -> String {
    let name = named(element);
    let text = if matches!(element.role, "alert" | "status" | "dialog" | "alertdialog") {
        element.text
    } else {
        ""
    };
    let text = cut(text, NAME_CHARACTERS);
    let mut told = name;
    told.push_str(&element.states);
    for part in [element.reference, &one_line(&text)] {
        told.push(' ');
        told.push_str(part);
    }
    match trim(&told) {
        trimmed if trimmed.len() < told.len() => trimmed.to_owned(),
        _ => told,
    }
}

fn named(element: &Element<'_>) -> String {
    let name = cut(element.name, NAME_CHARACTERS);
    one_line(&name).into_owned()
}

/// Describes elements of the same name: the name once, and the refs in parts that may fit separately.
fn same(all: &[&Element<'_>], role: usize, first: usize) -> Vec<Told> {
    const IN_A_PART: usize = 8;
    let parts = all.chunks(IN_A_PART);
    parts
        .enumerate()
        .map(|(at, part)| {
            let refs: Vec<&str> = part.iter().map(|element| element.reference).collect();
            let refs = refs.join(" ");
            let text = if at == 0 {
                format!("{}{} {refs}", named(all[0]), all[0].states)
            } else {
                format!("again {} {refs}", cut(&named(all[0]), 24))
            };
            Told {
                role,
                rank: 2,
                text,
                elements: part.len(),
                at: first + at,
            }
        })
        .collect()
}

/// A range: elements whose refs, and the numbers in whose names, rise by equal steps, in one line.
fn range(all: &[&Element<'_>]) -> Option<String> {
    let refs: Vec<(&str, i64)> = all
        .iter()
        .map(|element| number_at_end(element.reference))
        .collect::<Option<_>>()?;
    let step = steps(&refs)?;
    let (first, last, count) = (all[0], all[all.len() - 1], all.len());
    if all.iter().any(|element| element.states != first.states) {
        return None;
    }
    let refs = format!(
        "{} to {} in steps of {step}",
        first.reference, last.reference
    );
    if all.iter().all(|element| element.name == first.name) {
        return Some(format!("{}{} {count}× {refs}", named(first), first.states));
    }
    let names: Vec<(&str, i64)> = all
        .iter()
        .map(|element| number_at_end(element.name.trim_end_matches('"')))
        .collect::<Option<_>>()?;
    let by = steps(&names)?;
    Some(format!(
        "{} to {}{} by {by}, {count}× {refs}",
        named(first),
        named(last),
        first.states
    ))
}

/// The equal step between numbers with the same text before them.
fn steps(all: &[(&str, i64)]) -> Option<i64> {
    let step = all.get(1)?.1.checked_sub(all[0].1)?;
    let is_equal = all
        .windows(2)
        .all(|pair| pair[0].0 == pair[1].0 && pair[1].1.checked_sub(pair[0].1) == Some(step));
    (is_equal && step > 0).then_some(step)
}

/// The text and the number at the end of `f1e42`. None if the number begins with 0.
fn number_at_end(text: &str) -> Option<(&str, i64)> {
    let before = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &text[before.len()..];
    (digits == "0" || !digits.starts_with('0')).then_some(())?;
    Some((before, digits.parse().ok()?))
}

#[cfg(test)]
#[path = "tests/snapshot.rs"]
mod tests;
