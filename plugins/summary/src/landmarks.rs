//! Landmarks of a text: headings of Markdown, or definitions of code, with their line numbers.

use crate::paper::{Paper, cut, one_line};

/// Fewer than this are none.
const LEAST: usize = 3;
/// Characters of a landmark.
const SHOWN_CHARACTERS: usize = 90;

/// What a text has.
#[derive(PartialEq, Eq)]
pub enum Landmarks {
    Headings,
    Definitions,
}

/// Headings of Markdown, or definitions of code, with their line numbers.
pub fn told(text: &str, paper: &mut Paper) -> Option<Landmarks> {
    let mut headings: Vec<(usize, usize, &str)> = Vec::new();
    let mut definitions: Vec<(usize, usize, &str)> = Vec::new();
    let mut in_fence = false;
    for (number, line) in text.lines().enumerate() {
        let line = without_number(line);
        if line.starts_with("```") || line.starts_with("~~~") {
            in_fence = !in_fence;
            continue;
        }
        if in_fence {
            continue;
        }
        let marks = line.len() - line.trim_start_matches('#').len();
        if (1..=6).contains(&marks) && line[marks..].starts_with(' ') {
            headings.push((marks, number + 1, line));
        } else if is_definition(line) {
            let indent = line.len() - line.trim_start().len();
            definitions.push((indent, number + 1, line));
        }
    }
    let (what, found) = if definitions.len() > headings.len() {
        ("definitions", definitions)
    } else {
        ("headings", headings)
    };
    if found.len() < LEAST {
        return None;
    }
    // All levels if they fit, else the outer ones.
    let mut depths: Vec<usize> = found.iter().map(|(depth, ..)| *depth).collect();
    depths.sort_unstable();
    depths.dedup();
    let show = |number: &usize, line: &str| {
        let line = line.trim().trim_end_matches('{').trim_end();
        format!("{number}: {}", one_line(&cut(line, SHOWN_CHARACTERS)))
    };
    let room = paper.left().saturating_sub(60);
    let fits = |depth: usize| {
        let shown = found.iter().filter(|(its, ..)| *its <= depth);
        let size: usize = shown
            .map(|(_, number, line)| show(number, line).len() + 1)
            .sum();
        size <= room
    };
    let deepest = depths.iter().copied().rfind(|depth| fits(*depth));
    let deepest = deepest.unwrap_or(depths[0]);
    let shown = found.iter().filter(|(depth, ..)| *depth <= deepest);
    let (count, total) = (shown.clone().count(), found.len());
    let of = if count < total {
        format!("{count} of {total} {what}, the outer ones:")
    } else {
        format!("{total} {what}:")
    };
    paper.line(&of);
    paper.list(shown.map(|(_, number, line)| show(number, line)), what);
    Some(if what == "headings" {
        Landmarks::Headings
    } else {
        Landmarks::Definitions
    })
}

/// A line without the number that tools put before it: `  12→`, `12:`, `12 |`.
pub fn without_number(line: &str) -> &str {
    let start = line.trim_start();
    let rest = start.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == start.len() {
        return line;
    }
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let after = rest.strip_prefix(['\t', '→', '|', ':']);
    after.map_or(line, |after| after.strip_prefix(' ').unwrap_or(after))
}

/// Words that begin a definition, and those that may stand before.
const DEFINING: [&str; 16] = [
    "fn",
    "def",
    "class",
    "func",
    "function",
    "struct",
    "enum",
    "trait",
    "impl",
    "interface",
    "type",
    "module",
    "mod",
    "namespace",
    "record",
    "object",
];
const BEFORE: [&str; 12] = [
    "pub",
    "export",
    "default",
    "async",
    "public",
    "private",
    "protected",
    "static",
    "abstract",
    "final",
    "unsafe",
    "pub(crate)",
];

fn is_definition(line: &str) -> bool {
    let indent = line.len() - line.trim_start().len();
    if indent > 8 {
        return false;
    }
    let mut words = line.split_whitespace();
    let word = words
        .find(|word| !BEFORE.contains(word))
        .unwrap_or_default();
    let word = word.split('<').next().unwrap_or(word);
    if !DEFINING.contains(&word) || !words.next().is_some_and(starts_name) {
        return false;
    }
    let line = line.trim_end();
    line.contains(['(', '{', '=', '<']) || line.ends_with([':', ';', ')'])
}

fn starts_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '(' || c == '<')
}
