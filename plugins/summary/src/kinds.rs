//! Kinds of lines: which a text has, and how many of each.
//!
//! Each kind is looked for in one pass that keeps a bounded number of things; what a text is not (a
//! diff, a list of paths, a log) costs a look at each line and says nothing.

use crate::counts::Counts;
use crate::landmarks::{self, Landmarks};
use crate::paper::{Paper, cut, one_line};
use crate::paths;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// Different things of one kind that are counted; those that come later are left out.
const COUNTED: usize = 2_048;
/// Characters of a heading, a definition or a repeated line.
const SHOWN_CHARACTERS: usize = 90;
/// Fewer lines of a kind than this are no kind.
const LEAST: usize = 3;
/// A level is looked for in so many bytes of a line.
const LEVEL_BYTES: usize = 120;

/// What kinds of lines a text has.
pub struct Kinds {
    /// In words; empty if there is nothing to say.
    pub text: String,
    /// Lines that look like errors are what they look like: in code, they are not.
    pub has_errors: bool,
}

/// What kinds of lines a text has, in at most `room` characters.
pub fn told(text: &str, room: usize) -> Kinds {
    let mut paper = Paper::new(room);
    let done = |text: &str, has_errors: bool| Kinds {
        text: text.to_owned(),
        has_errors,
    };
    let paths = paths::told(text.lines(), room);
    if !paths.is_empty() {
        return done(&paths, false);
    }
    if diff(text, &mut paper) {
        return done(paper.text(), false);
    }
    let has_levels = levels(text, &mut paper);
    if has_levels {
        repeated(text, &mut paper);
        return done(paper.text(), true);
    }
    if places(text, &mut paper) {
        return done(paper.text(), false);
    }
    if let Some(landmarks) = landmarks::told(text, &mut paper) {
        return done(paper.text(), landmarks == Landmarks::Headings);
    }
    leading_words(text, &mut paper);
    repeated(text, &mut paper);
    done(paper.text(), true)
}

/// Files of a diff, with the lines that come and go.
fn diff(text: &str, paper: &mut Paper) -> bool {
    struct File<'t> {
        name: &'t str,
        line: usize,
        added: u32,
        removed: u32,
    }
    let has_headers = text.lines().any(|line| line.starts_with("diff --git "));
    let mut files: Vec<File<'_>> = Vec::new();
    let mut hunks = 0;
    // A header's own lines with `+++` and `---` are over where the first hunk begins.
    let mut in_header = false;
    for (number, line) in text.lines().enumerate() {
        let name = if has_headers {
            line.strip_prefix("diff --git ")
                .map(|names| names.rsplit(" b/").next().unwrap_or(names))
        } else {
            let is_file = line.starts_with("+++ ") && !line.starts_with("+++ +");
            is_file.then(|| line[4..].trim_start_matches("b/"))
        };
        if let Some(name) = name {
            in_header = has_headers;
            files.push(File {
                name: name.split('\t').next().unwrap_or(name),
                line: number + 1,
                added: 0,
                removed: 0,
            });
        } else if line.starts_with("@@") {
            in_header = false;
            hunks += 1;
        } else if let Some(file) = files.last_mut().filter(|_| !in_header) {
            file.added += u32::from(line.starts_with('+'));
            file.removed += u32::from(line.starts_with('-') && !line.starts_with("--- "));
        }
    }
    if files.is_empty() || hunks == 0 {
        return false;
    }
    let added: u32 = files.iter().map(|file| file.added).sum();
    let removed: u32 = files.iter().map(|file| file.removed).sum();
    let count = files.len();
    paper.line(&format!(
        "diff: {count} files, {hunks} hunks, +{added} -{removed}; by file, from line:"
    ));
    let items = files.iter().map(|file| {
        let name = one_line(file.name);
        format!("{}: {name} +{} -{}", file.line, file.added, file.removed)
    });
    paper.list(items, "files");
    true
}

/// Counts by file of lines such as `src/main.rs:12: …`, as grep and compilers write them.
fn places(text: &str, paper: &mut Paper) -> bool {
    let mut files = Counts::new();
    let mut lines = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        lines += 1;
        let Some((file, rest)) = line.split_once(':') else {
            continue;
        };
        let is_place = rest.starts_with(|c: char| c.is_ascii_digit())
            && !file.is_empty()
            && !file.contains(' ')
            && file.contains(['.', '/']);
        if is_place {
            files.add(file);
        }
    }
    let count = files.total() as usize;
    if count < LEAST || count * 2 < lines {
        return false;
    }
    let number = files.items.len();
    let room = paper.left().saturating_sub(60);
    let listed = files.listed(room);
    paper.cut_line(&format!(
        "{count} lines of the form file:line, {number} files: {listed}"
    ));
    true
}

/// Levels of a log: how they are spelled, in words of their own.
const LEVELS: [&str; 9] = [
    "FATAL", "CRITICAL", "ERROR", "WARNING", "WARN", "NOTICE", "INFO", "DEBUG", "TRACE",
];

fn levels(text: &str, paper: &mut Paper) -> bool {
    let mut counts = [0u32; LEVELS.len()];
    let mut lines = 0;
    for line in text.lines() {
        lines += 1;
        if let Some(level) = level(line) {
            counts[level] += 1;
        }
    }
    let total: u32 = counts.iter().sum();
    if (total as usize) < LEAST || total * 5 < lines {
        return false;
    }
    let said: Vec<String> = LEVELS
        .iter()
        .zip(counts)
        .filter(|(_, count)| *count > 0)
        .map(|(level, count)| format!("{level} {count}"))
        .collect();
    paper.cut_line(&format!("levels: {}", said.join(", ")));
    true
}

/// The level that a line names first: in capitals, or in brackets, or as `level=info`.
fn level(line: &str) -> Option<usize> {
    let head = &line[..line.floor_char_boundary(LEVEL_BYTES)];
    let mut words = head.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let mut at = 0;
    words.find_map(|word| {
        let start = at;
        at += word.len() + 1;
        if !(4..=8).contains(&word.len()) {
            return None;
        }
        let place = LEVELS
            .iter()
            .position(|level| level.eq_ignore_ascii_case(word))?;
        let is_capital = word.bytes().all(|byte| byte.is_ascii_uppercase());
        let before = head.as_bytes().get(start.wrapping_sub(1));
        let marked = matches!(before, Some(b'[' | b'=' | b'"' | b'<' | b'('));
        (is_capital || marked).then_some(place)
    })
}

/// What lines begin with, where that is a few words: `[FILE]`, `- button`.
fn leading_words(text: &str, paper: &mut Paper) {
    let mut words = Counts::new();
    for line in text.lines() {
        let line = line.trim_start();
        if line.is_empty() {
            continue;
        }
        let rest = line.strip_prefix("- ").unwrap_or(line);
        let end = rest.find([' ', '\t', ':', '=', '(']).unwrap_or(rest.len());
        words.add(&line[..line.len() - rest.len() + end]);
    }
    let top: Vec<(&str, u32)> = words.sorted().into_iter().take(8).collect();
    let covered: u32 = top.iter().map(|(_, count)| count).sum();
    let is_kind = |(word, count): &(&str, u32)| *count as usize >= LEAST && !word.is_empty();
    if top.len() < 2 || covered * 2 < words.total() || !top.iter().any(is_kind) {
        return;
    }
    let said: Vec<String> = top
        .iter()
        .filter(|top| is_kind(top))
        .map(|(word, count)| format!("{} {count}", one_line(&cut(word, 30))))
        .collect();
    paper.cut_line(&format!("lines begin with: {}", said.join(", ")));
}

/// Lines that are the same but for their digits.
fn repeated(text: &str, paper: &mut Paper) {
    const SHOWN: usize = 5;
    let mut known: HashMap<u64, usize, BuildHasherDefault<DefaultHasher>> = HashMap::default();
    let mut found: Vec<(u32, usize, &str)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.len() < 4 {
            continue;
        }
        let pattern = pattern(line);
        if let Some(&place) = known.get(&pattern) {
            found[place].0 += 1;
        } else if found.len() < COUNTED {
            known.insert(pattern, found.len());
            found.push((1, number + 1, line));
        }
    }
    found.sort_by_key(|(count, ..)| std::cmp::Reverse(*count));
    found.retain(|(count, ..)| *count as usize >= LEAST);
    if found.is_empty() {
        return;
    }
    let count = found.len();
    paper.line(&format!(
        "{count} patterns of lines that differ in digits alone; times and first line:"
    ));
    let items = found.iter().take(SHOWN).map(|(count, number, line)| {
        format!(
            "{count}x {number}: {}",
            one_line(&cut(line, SHOWN_CHARACTERS))
        )
    });
    paper.list(items, "of them");
}

/// A hash of a line with every run of digits as one.
pub fn pattern(line: &str) -> u64 {
    // FNV-1a.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut in_digits = false;
    for byte in line.bytes() {
        let is_digit = byte.is_ascii_digit();
        if !(is_digit && in_digits) {
            hash ^= u64::from(if is_digit { b'0' } else { byte });
            hash = hash.wrapping_mul(0x0100_0000_01b3);
        }
        in_digits = is_digit;
    }
    hash
}
