//! Landmarks of a text: headings of Markdown, or definitions of code, with their line numbers.

use crate::paper::{Paper, cut, one_line};

/// Fewer than this are none.
const LEAST: usize = 3;
/// Landmarks that are told; of a text with more only the number is known.
const MOST: usize = 20_000;
/// A tool may say a few lines of its own before the first heading.
const PREAMBLE: usize = 4;
/// Characters of a landmark.
const SHOWN_CHARACTERS: usize = 90;

/// What a text has.
#[derive(PartialEq, Eq)]
pub enum Landmarks {
    Headings,
    Definitions,
}

/// Headings of Markdown, or definitions of code, with their line numbers. In code a line that begins with
/// `#` is a comment.
pub fn told<'t>(
    lines: impl Iterator<Item = (usize, &'t str)>,
    is_code: bool,
    paper: &mut Paper,
) -> Option<Landmarks> {
    let mut headings: Vec<(usize, usize, &str)> = Vec::new();
    let mut definitions: Vec<(usize, usize, &str)> = Vec::new();
    let mut in_fence = false;
    let mut after_blank = true;
    let mut all = (0usize, 0usize);
    for (number, line) in lines {
        if line.starts_with("```") || line.starts_with("~~~") {
            in_fence = !in_fence;
            continue;
        }
        if in_fence {
            continue;
        }
        let marks = line.len() - line.trim_start_matches('#').len();
        if (1..=6).contains(&marks) && line[marks..].starts_with(' ') {
            // A comment stands above the line that it is about.
            if after_blank || number <= PREAMBLE {
                all.0 += 1;
                if headings.len() < MOST {
                    headings.push((marks, number, line));
                }
            }
            continue;
        }
        after_blank = line.trim().is_empty();
        if is_definition(line) {
            let indent = line.len() - line.trim_start().len();
            all.1 += 1;
            if definitions.len() < MOST {
                definitions.push((indent, number, line));
            }
        }
    }
    if is_code {
        headings.clear();
        all.0 = 0;
    }
    let (what, found, all) = if all.1 > all.0 {
        ("definitions", definitions, all.1)
    } else {
        ("headings", headings, all.0)
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
    let (count, total) = (shown.clone().count(), all);
    let of = if found.len() < total {
        format!("{total} {what}, of the first {}:", found.len())
    } else if count < total {
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

/// Whether the lines outside of fences are such as code and settings have: assignments, ends of statements
/// and blocks, names of sections.
pub fn looks_like_code<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let (mut all, mut code) = (0usize, 0usize);
    let mut in_fence = false;
    for line in lines {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_fence = !in_fence;
        } else if !in_fence && !line.is_empty() && !line.starts_with("# ") {
            all += 1;
            code += usize::from(is_code(line));
        }
    }
    code * 20 >= all * 7 && code > 0
}

fn is_code(line: &str) -> bool {
    if line.starts_with(['|', '>', '!']) || line.starts_with("- ") || line.starts_with("* ") {
        return false;
    }
    let ends = line.ends_with([';', '{', '}', '(', '[', ']']) || line.ends_with("),");
    let is_section = line.starts_with('[') && line.ends_with(']');
    let begins = [
        "//", "/*", "#!", "import ", "from ", "use ", "return", "if ", "else", "elif ", "for ",
        "while ", "let ", "const ", "var ", "def ", "class ", "async ", "await ", "self.", "this.",
        "@", "export ", "fi", "done", "echo ", "set ", "\"", "try:", "except", "raise ", "assert ",
    ]
    .iter()
    .any(|word| line.starts_with(word));
    let is_assignment = line.split_once('=').is_some_and(|(name, _)| {
        let name = name.trim_end();
        !name.is_empty() && !name.contains(' ')
    });
    // `name: value,` and `name: str,` of calls and signatures.
    let is_part = line.ends_with(',') && !line.contains(". ");
    ends || is_section || begins || is_assignment || is_part
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
