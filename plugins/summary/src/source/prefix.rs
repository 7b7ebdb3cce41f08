//! Beginnings that runners of jobs and tools add to all lines of a text: `2026-11-29T03:04:05.1234567Z `, `web-1  | `,
//! `[stdout] `, `#12 1.234 `, blanks.
//!
//! Owns their forms, and whether the lines are read without them: only if that tells more. Refuses to know kinds of texts.
//!
//! A look at the first lines decides for most texts that no such beginning exists.

use crate::diagnostics::{self, Reports};
use crate::levels;
use crate::search::{begins, has};
use crate::shapes;
use crate::signs::{Line, Lines};
use crate::trim::{is_blank, trim_end};

/// Fewest lines of a text with such beginnings.
const LEAST: usize = 5;
/// Lines that are looked at first.
const FIRST: usize = 16;
/// Most parts of a beginning: names, a time, a text.
const PARTS: usize = 3;
/// Most different names of programs, and of jobs and their steps.
const NAMES: usize = 8;
const JOBS: usize = 256;
/// Most bytes of a beginning that is the same text.
const LONGEST: usize = 80;
/// Characters of a beginning that is shown.
const SHOWN: usize = 40;

/// A beginning of lines.
pub struct Prefix<'t> {
    parts: Vec<Part<'t>>,
    /// The names, in the order of the text.
    names: Vec<&'t str>,
    /// The times of the first line and of the last.
    times: Option<[&'t str; 2]>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part<'t> {
    /// `2026-11-29T03:04:05.1234567Z `, `[03:04:05] `, `Nov 29 03:04:05 `.
    Time,
    /// The name of a program: `web-1  | `, `[pod/web-7d9f/app] `.
    Name,
    /// Two names before a time: a job and its step.
    Job,
    /// A step of a build, and the seconds since it began, in most lines: `#12 1.234 `.
    Step,
    /// The same text.
    Same(&'t str),
}

impl<'t> Prefix<'t> {
    /// Finds the beginning of all lines but a few, if the lines tell more without it, and takes it from them.
    pub fn take(text: &str, lines: &mut Lines<'t>) -> Option<Prefix<'t>> {
        let mut parts = parts(lines);
        while !parts.is_empty() {
            let mut prefix = Prefix {
                parts: parts.clone(),
                names: Vec::new(),
                times: None,
            };
            let without = prefix.without(lines);
            if let Some(without) =
                without.filter(|without| prefix.tells_more(text, [lines, without]))
            {
                lines.filled = without.filled;
                return Some(prefix);
            }
            // The first lines alone may have the last part, or it is a part of what a program wrote.
            parts.pop();
        }
        None
    }

    /// The lines without the beginning, which a few lines may lack; none if more do, or if they have many names.
    fn without(&mut self, lines: &Lines<'t>) -> Option<Lines<'t>> {
        /// One line in so many may have another beginning.
        const OTHERS_ONE_OF: usize = 10;
        let (mut all, mut others) = (0usize, 0usize);
        let mut without = Vec::with_capacity(lines.filled.len());
        for line in &lines.filled {
            let text = line.text;
            if is_blank(text) {
                without.push(*line);
                continue;
            }
            all += 1;
            let mut rest = text;
            for part in &self.parts {
                let Some((own, after)) = part.split(rest) else {
                    (rest, others) = (text, others + 1);
                    break;
                };
                rest = after;
                if *part == Part::Time {
                    let [first, _] = self.times.unwrap_or([own; 2]);
                    self.times = Some([first, own]);
                }
                let most = match part {
                    Part::Name => NAMES,
                    Part::Job | Part::Step => JOBS,
                    _ => continue,
                };
                // Most lines have the name of the line before.
                let is_known = self.names.last() == Some(&own) || self.names.contains(&own);
                if !is_known {
                    let is_level = || levels::has_level(&format!("[{own}] "));
                    if self.names.len() == most || *part == Part::Name && is_level() {
                        return None;
                    }
                    self.names.push(own);
                }
            }
            // The beginning has signs of its own.
            if !rest.is_empty() {
                without.push(Line::new(line.number, rest));
            }
            if others * OTHERS_ONE_OF > all.max(lines.filled.len()) {
                return None;
            }
        }
        (others * OTHERS_ONE_OF <= all && self.names.len() * 2 <= all).then(|| lines.with(without))
    }

    /// Whether the lines tell more without the beginning: reports of compilers and linters, or totals of tests. Levels of a
    /// log are told with their times.
    fn tells_more(&self, text: &str, [with, without]: [&Lines<'t>; 2]) -> bool {
        /// Fewer reports of a line each are told as failures, with their lines.
        const REPORTS: usize = 3;
        let reports = |lines: &Lines<'t>| diagnostics::of(lines.filled_with(diagnostics::SIGNS));
        let found = reports(without);
        let is_long = |reports: &Reports<'_>| {
            let (first, file) = (reports.first(), reports.first_file());
            let line = without.all_after(first - 1).next();
            line.is_none_or(|(_, line)| !has(line, file))
        };
        let has_more = found.as_ref().is_some_and(|found| {
            let before = || reports(with).map_or(0, |reports| reports.count());
            (found.count() >= REPORTS || is_long(found)) && found.count() > before()
        });
        let found = found.map_or(0, |reports| reports.count());
        let are_cells = || {
            let rows = without.filled.iter().filter(|line| has(line.text, " | "));
            rows.count() * 2 > without.count()
        };
        let is_alone = || matches!(self.parts[..], [Part::Name]) && self.names.len() == 1;
        let is_program = || is_alone() && !are_cells();
        let texts = without.filled.iter().map(|line| line.text);
        if !has_more && !shapes::has_totals(text, texts) && !is_program() {
            return false;
        }
        let log = levels::of(with.all().map(|(_, line)| line));
        // A runner marks some reports with their levels.
        log.is_none_or(|log| has_more && log.count() <= 2 * found)
    }

    /// Whether lines have a time: a program wrote them, if in sentences.
    pub fn has_times(&self) -> bool {
        self.parts.contains(&Part::Time) || self.parts.contains(&Part::Step)
    }

    /// Whether lines have different names.
    pub fn has_names(&self) -> bool {
        self.names.len() > 1
    }

    /// A note for the reader about the beginning.
    pub fn note(&self) -> String {
        let shown = |text: &str| text.chars().take(SHOWN).collect::<String>();
        let names = || {
            let names = self.names.iter().take(NAMES);
            let names: Vec<String> = names.map(|name| shown(name)).collect();
            let more = match self.names.len() - names.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            names.join(", ").replace('\t', " / ") + &more
        };
        let told = |part: &Part<'t>| match part {
            Part::Time => match self.times {
                Some([first, last]) if first != last => {
                    format!(
                        "a time (the first {}, the last {})",
                        shown(first),
                        shown(last)
                    )
                }
                _ => "a time".to_owned(),
            },
            Part::Name | Part::Job => format!("a name ({})", names()),
            Part::Step => format!("a step ({}) and seconds", names()),
            Part::Same(text) if is_blank(text) => "blanks".to_owned(),
            Part::Same(text) => format!("`{}`", shown(text).trim_end()),
        };
        let told: Vec<String> = self.parts.iter().map(told).collect();
        let except = match self.has_names() {
            true => " except in failures",
            false => "",
        };
        format!(
            "lines begin with {}, left out below{except}",
            told.join(" and ")
        )
    }
}

impl<'t> Part<'t> {
    /// This part of a line, without its signs, and what follows.
    fn split(self, line: &'t str) -> Option<(&'t str, &'t str)> {
        match self {
            Part::Time => time(line),
            Part::Name => name(line),
            Part::Job => job(line),
            Part::Step => step(line),
            Part::Same(text) => match line.strip_prefix(text) {
                Some(rest) => Some((text, rest)),
                // An editor removes blanks at the end of a line.
                None => (trim_end(text) == trim_end(line)).then_some((text, "")),
            },
        }
    }
}

/// The parts of the beginning that most of the first lines have.
fn parts<'t>(lines: &Lines<'t>) -> Vec<Part<'t>> {
    let mut parts = Vec::new();
    let first = lines
        .filled
        .iter()
        .map(|line| line.text)
        .filter(|line| !is_blank(line));
    let mut first: Vec<&str> = first.take(FIRST).collect();
    if first.len() < LEAST {
        return parts;
    }
    while parts.len() < PARTS {
        let known = [Part::Time, Part::Job, Part::Name, Part::Step];
        let have = |part: &Part<'t>| {
            let others = first.iter().filter(|line| part.split(line).is_none());
            others.count() * 4 <= first.len()
        };
        let known = known.into_iter().filter(|part| !parts.contains(part));
        let part = { known }.find(have);
        let part = part.or_else(|| same(&first, parts.is_empty()));
        let Some(part) = part else { break };
        let rest = first.iter().filter_map(|line| part.split(line));
        first = rest.map(|(_, rest)| rest).collect();
        // A log is told with its times.
        let levels = first.iter().filter(|line| levels::is_plain(line)).count();
        if part == Part::Time && levels * 2 > first.len() {
            break;
        }
        parts.push(part);
        // A text after a text is not another part.
        if matches!(part, Part::Same(_)) {
            break;
        }
    }
    parts
}

/// The text that all of these lines begin with, if it ends as such texts do: `remote: `, `host app[8]: `. If it is the
/// first part, signs and blanks, too: `| `.
fn same<'t>(lines: &[&'t str], is_first: bool) -> Option<Part<'t>> {
    /// Some tools indent all that they write by less.
    const LEAST_BLANKS: usize = 3;
    let (first, others) = lines.split_first()?;
    // Of most texts, the first lines begin with different letters.
    let length = |line: &&str| {
        let pairs = first.bytes().zip(line.bytes());
        pairs.take_while(|(one, other)| one == other).count()
    };
    // A line that has nothing behind the text may have lost its blank.
    let others = others.iter().filter(|line| line.len() > 2);
    let length = others.map(length).min()?.min(LONGEST);
    let common = first.get(..length)?;
    let blanks = common.len() - common.trim_start_matches([' ', '\t']).len();
    if blanks > 0 {
        let is_added = is_first && (blanks >= LEAST_BLANKS || common.starts_with('\t'));
        return is_added.then_some(Part::Same(&common[..blanks]));
    }
    let mut signs = ["| ", "+ ", "> ", "│ "].iter();
    if let Some(sign) = signs.find(|sign| common.starts_with(**sign)) {
        return is_first.then_some(Part::Same(&common[..sign.len()]));
    }
    let ends = [": ", "] ", " | "];
    let end = ends
        .iter()
        .filter_map(|end| Some(common.find(end)? + end.len()));
    let text = &common[..end.min()?];
    let is_name = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[');
    (is_name && !levels::has_level(text)).then_some(Part::Same(text))
}

/// A line without one blank before it.
fn after_blank(rest: &str) -> Option<&str> {
    match rest.is_empty() {
        true => Some(rest),
        false => rest.strip_prefix(' '),
    }
}

/// The time that a line begins with, and what follows after one blank.
fn time(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    let start = line.strip_prefix(['[', '(']).unwrap_or(line);
    let has = |form: &[u8]| {
        let start = start.as_bytes().get(..form.len());
        start.is_some_and(|start| levels::is_of_form(start, form))
    };
    let end = if has(b"0000-00-00T00:00:00") || has(b"0000-00-00 00:00:00") || has(b"00:00:00") {
        let rest = levels::after_time(start)?;
        start.len() - rest.len()
    } else if has_month(start) {
        "Nov 29 03:04:05".len()
    } else {
        return None;
    };
    let rest = &start[end..];
    let rest = match start.len() < line.len() {
        true => rest.strip_prefix([']', ')'])?,
        false => rest,
    };
    let rest = after_blank(rest)?;
    // GitLab tells the stream: `01O `, `01E+`.
    let rest = match rest.as_bytes() {
        [b'0'..=b'9', b'0'..=b'9', b'O' | b'E', b' ' | b'+', ..] => &rest[4..],
        _ => rest,
    };
    Some((&start[..end], rest))
}

/// Whether a text begins with a time as syslog writes it: `Nov 29 03:04:05`.
fn has_month(text: &str) -> bool {
    let Some((month, rest)) = text.split_at_checked(3) else {
        return false;
    };
    const FORM: &[u8] = b" 00 00:00:00";
    let rest = rest.as_bytes().get(..FORM.len()).unwrap_or_default();
    let is_it = match rest {
        [b' ', b' ', rest @ ..] => levels::is_of_form(rest, &FORM[2..]),
        rest => levels::is_of_form(rest, FORM),
    };
    is_it && crate::dates::is_month(month)
}

/// The name of a program that a line begins with, and what follows.
fn name(line: &str) -> Option<(&str, &str)> {
    let is_name = |text: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
        text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(is_part)
    };
    let (name, rest) = match line.strip_prefix('[') {
        // In capitals, a word is a level or a verb.
        Some(rest) => {
            let (name, rest) = rest.split_once(']')?;
            name.contains(|c: char| c.is_ascii_lowercase())
                .then_some((name, rest))?
        }
        None => {
            let (name, rest) = line.split_once(' ')?;
            (name, rest.trim_start_matches(' ').strip_prefix('|')?)
        }
    };
    (name.len() <= LONGEST && is_name(name)).then_some(())?;
    Some((name, after_blank(rest)?))
}

/// The job and the step that a line begins with, each before a tab, if a time follows.
fn job(line: &str) -> Option<(&str, &str)> {
    let tabs = memchr::memchr_iter(b'\t', line.as_bytes());
    let at = tabs.take(2).nth(1)?;
    let rest = line.get(at + 1..)?;
    time(rest)?;
    Some((&line[..at], rest))
}

/// The step that a line begins with, and what follows, without the seconds.
fn step(line: &str) -> Option<(&str, &str)> {
    /// What BuildKit tells of a step itself.
    const OWN: [&str; 8] = [
        "[",
        "CACHED",
        "DONE ",
        "ERROR",
        "sha256:",
        "transferring ",
        "extracting ",
        "exporting ",
    ];
    let (number, rest) = line.strip_prefix('#')?.split_once(' ')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number(number).then_some(())?;
    if begins(rest, &OWN) {
        return Some((number, rest));
    }
    let seconds = rest.split(' ').next()?;
    let (whole, part) = seconds.split_once('.')?;
    (is_number(whole) && is_number(part)).then_some(())?;
    Some((number, after_blank(&rest[seconds.len()..])?))
}

#[cfg(test)]
#[path = "../tests/prefix.rs"]
mod tests;
