//! Hits of a search: lines of files with their places, as `grep` and `rg` write them, and counts by file.
//!
//! Owns these forms. Refuses to know about room beyond its own.

use crate::counts::Counts;
use crate::levels;
use crate::order;
use crate::paper::{Paper, characters, cut, listed, names_some, one_line};
use crate::rare_texts::rare_words;
use crate::shapes;
use crate::trim::is_blank;
use std::cell::OnceCell;
use tamis_formats::words::has_any_of;

/// Fewest hits that make a list of hits.
const LEAST: usize = 3;
/// Most hits that may be shown; all are counted.
const MOST: usize = 4_096;
/// Characters of a long hit's line.
const LINE_CHARACTERS: usize = 200;
const SHORT_LINE_CHARACTERS: usize = 90;
/// The share of the room for hits, if not all fit. Counts get the rest.
const SHARE_OF_HITS: (usize, usize) = (3, 4);

/// A line of a file.
struct Hit<'t> {
    file: &'t str,
    place: &'t str,
    text: &'t str,
}

/// The hits of a search.
pub struct Hits<'t> {
    hits: Vec<Hit<'t>>,
    count: usize,
    files: Counts<'t>,
    /// The hits are below the names of their files.
    pub has_headings: bool,
    /// A failure in a hit is what was searched for, and not what a program reports.
    owns_failures: bool,
    /// The places of those that are unlike all others.
    rare: OnceCell<Vec<usize>>,
}

/// The file, the place and the text in `src/a.rs:3: text` or `src/a.rs:3:5:text`.
pub fn of_line(line: &str) -> Option<(&str, &str, &str)> {
    let colon = memchr::memchr(b':', line.as_bytes())?;
    let (file, rest) = (&line[..colon], &line[colon + 1..]);
    if !is_file(file) {
        return None;
    }
    let digits = digits(rest)?;
    let mut end = digits;
    let after = rest[end..].strip_prefix(':')?;
    // Context in a log: `app.log-51-2026-11-20T08:00:00Z`.
    if file.contains('-') && context(line).is_some_and(levels::has_time) {
        return None;
    }
    // A column.
    if let Some(column) = self::digits(after).filter(|column| after[*column..].starts_with(':')) {
        end += 1 + column;
    }
    let text = &rest[end + 1..];
    (!is_host(file, text)).then_some((file, &rest[..end], text))
}

/// The text of a line that is context of a hit: `src/a.rs-3- text`.
fn context(line: &str) -> Option<&str> {
    if line == "--" {
        return Some("");
    }
    if line.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    line.match_indices('-').take(9).find_map(|(at, _)| {
        let rest = &line[at + 1..];
        let text = rest[digits(rest)?..].strip_prefix('-')?;
        is_file(&line[..at]).then_some(text)
    })
}

/// Whether a line is context of a hit.
pub fn is_context(line: &str) -> bool {
    context(line).is_some()
}

/// The file and its number of hits in `src/a.rs:3`.
pub fn count_of_line(line: &str) -> Option<(&str, u64)> {
    let (file, count) = line.rsplit_once(':')?;
    let is_count = digits(count) == Some(count.len());
    let count = count.parse().ok()?;
    (is_count && is_file(file)).then_some((file, count))
}

fn is_file(file: &str) -> bool {
    file.len() < 400
        // `[20/May/2026:08:00:00 +0100]` is a time.
        && !levels::after(file, b"[").starts_with(|c: char| c.is_ascii_digit())
        && !has_any_of(file.as_bytes(), |bytes| {
            bytes.are_one_of([b' ', b':', b'"', b'(', b'{', b'<', b'|'])
        })
        && has_any_of(file.as_bytes(), |bytes| bytes.are_one_of([b'.', b'/']))
}

/// Whether a name is that of a host: what follows it is a port, and no number of a line. `notes.org` is a file, and so is
/// `acme.com` if programs would not have written the text after it: `acme.com:3:    server_name acme.com;`.
fn is_host(name: &str, text: &str) -> bool {
    const DOMAINS: [&str; 7] = ["com", "edu", "gov", "internal", "io", "lan", "net"];
    let (before, last) = name.rsplit_once('.').unwrap_or_default();
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_address = || name.split('.').count() == 4 && name.split('.').all(is_number);
    let is_domain = || DOMAINS.contains(&last) || last == "org" && before.contains('.');
    !before.is_empty()
        && !name.contains('/')
        && (is_address() || begins_with_one_blank(text) && is_domain())
}

fn begins_with_one_blank(text: &str) -> bool {
    matches!(text.as_bytes(), [b' ', second, ..] if *second != b' ')
}

fn digits(text: &str) -> Option<usize> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    (end > 0).then_some(end)
}

/// Whether a line may be a hit, or context of one.
pub fn may_be(line: &str) -> bool {
    digits(line).is_some() || of_line(line).is_some() || is_context(line)
}

/// The hits of a text of `count` lines, if most of these are.
pub fn of<'t>(lines: impl Iterator<Item = &'t str> + Clone, count: usize) -> Option<Hits<'t>> {
    let mut found = Hits {
        hits: Vec::new(),
        count: 0,
        files: Counts::new(),
        has_headings: false,
        owns_failures: true,
        rare: OnceCell::new(),
    };
    let (mut around, mut others) = (0, 0);
    for line in lines.clone() {
        if line.trim_ascii_start().is_empty() {
            continue;
        }
        if let Some((file, place, text)) = of_line(line) {
            found.push(file, place, text);
        } else if is_context(line) {
            around += 1;
        } else {
            others += 1;
            if others * 2 > count {
                break;
            }
        }
    }
    if found.count >= LEAST && found.count + around >= others {
        found.owns_failures = !found.may_be_a_log(around) && !found.are_of_logs();
        return Some(found);
    }
    below_headings(lines, count)
}

/// Hits below the names of their files: `src/a.rs`, then `3:text`, then a blank line. Or hits of one file that has no name,
/// with lines around them, which `grep -C` writes.
fn below_headings<'t>(lines: impl Iterator<Item = &'t str>, count: usize) -> Option<Hits<'t>> {
    let mut found = Hits {
        hits: Vec::new(),
        count: 0,
        files: Counts::new(),
        has_headings: true,
        owns_failures: true,
        rare: OnceCell::new(),
    };
    let (mut all, mut owned, mut around, mut last) = (0, 0, 0, 0u64);
    let mut file = Some("");
    for line in lines {
        if is_blank(line) {
            // A blank line after the first words of a tool ends no file.
            file = file.filter(|_| owned == 0);
            continue;
        }
        if line == "--" {
            continue;
        }
        if (all - owned) * 5 > count {
            return None;
        }
        all += 1;
        if let Some(end) = digits(line).filter(|end| line[*end..].starts_with([':', '-'])) {
            let Ok(place) = line[..end].parse::<u64>() else {
                continue;
            };
            // Places of a file rise. Other numbers are no places.
            if let Some(file) = file.filter(|_| place > last) {
                owned += 1;
                last = place;
                if line[end..].starts_with(':') {
                    found.push(file, &line[..end], &line[end + 1..]);
                } else {
                    around += 1;
                }
            }
        } else if is_file(line.trim_end()) {
            file = Some(line.trim_end());
            owned += 1;
            last = 0;
        }
    }
    // Numbered lines alone are no hits.
    let has_files = found.hits.iter().all(|hit| !hit.file.is_empty());
    found.owns_failures = !found.are_of_logs();
    let are_hits = has_files || found.is_of_one_file() && around * 2 >= found.count;
    (found.count >= LEAST && owned * 5 >= all * 4 && are_hits).then_some(found)
}

impl<'t> Hits<'t> {
    fn push(&mut self, file: &'t str, place: &'t str, text: &'t str) {
        self.count += 1;
        self.files.add(file);
        if self.hits.len() < MOST {
            self.hits.push(Hit { file, place, text });
        }
    }

    /// Whether all hits are of one file, whose name is unknown.
    fn is_of_one_file(&self) -> bool {
        self.files.items == [("", self.count as u32)]
    }

    /// Whether programs may have written the lines, with their places: a blank is before each text, and few texts are
    /// failures. Searches write lines as they are.
    fn may_be_a_log(&self, around: usize) -> bool {
        let has_one_blank = |hit: &&Hit<'_>| begins_with_one_blank(hit.text);
        let with_blank = self.hits.iter().filter(has_one_blank).count();
        around == 0 && with_blank * 20 >= self.hits.len() * 19 && self.fails_at_most_one_of(10)
    }

    /// Whether the hits are lines of logs, with their times, and were not searched for their failures.
    fn are_of_logs(&self) -> bool {
        let has_time = |hit: &&Hit<'_>| levels::has_time(hit.text);
        let with_time = self.hits.iter().filter(has_time).count();
        with_time * 10 >= self.hits.len() * 8 && self.fails_at_most_one_of(2)
    }

    /// Whether programs may have written the lines, so that what they say matters.
    pub fn may_be_of_programs(&self) -> bool {
        !self.owns_failures
    }

    /// Whether no hit was left out for its memory.
    pub fn are_all_known(&self) -> bool {
        self.hits.len() == self.count
    }

    fn fails_at_most_one_of(&self, few: usize) -> bool {
        let fails = |hit: &&Hit<'_>| shapes::is_failure(hit.text);
        self.hits.iter().filter(fails).count() * few <= self.hits.len()
    }

    /// Whether a line belongs to the hits, and is no failure of a program.
    pub fn owns(&self, line: &str) -> bool {
        let text = match of_line(line) {
            Some((.., text)) => Some(text),
            None => context(line).or_else(|| {
                let is_below = self.has_headings && line.starts_with(|c: char| c.is_ascii_digit());
                is_below.then_some(line)
            }),
        };
        text.is_some_and(|text| self.owns_failures || !shapes::is_failure(text))
    }

    /// Whether a line is a hit, a line around one, or the name of a file above its hits.
    pub fn has(&self, line: &str) -> bool {
        let is_below = || digits(line).is_some_and(|end| line[end..].starts_with([':', '-']));
        of_line(line).is_some()
            || is_context(line)
            || self.has_headings && (is_below() || is_file(line.trim_end()))
    }

    /// Writes the hits by file, as many as fit.
    pub fn tell(&self, paper: &mut Paper) {
        let base = base(self.files.items.iter().map(|(file, _)| *file));
        let (count, files) = (self.count, self.files.len());
        let files = files.map_or_else(
            |least| format!("more than {least}"),
            |files| files.to_string(),
        );
        let what = if base.is_empty() {
            String::new()
        } else {
            format!(", all in {}", cut(base, 200))
        };
        let place = match self.is_of_one_file() {
            true => " in one file; their numbers are of that file".to_owned(),
            false => format!(", in {files} files{what}"),
        };
        if !paper.line(&format!("{count} lines found{place}")) {
            return;
        }
        let whole = self.written(base, LINE_CHARACTERS, paper.left());
        let (lines, shown) = if whole.1 == self.count {
            whole
        } else {
            let room = paper.left() * SHARE_OF_HITS.0 / SHARE_OF_HITS.1;
            let short = self.written(base, SHORT_LINE_CHARACTERS, paper.left());
            if short.1 == self.count {
                short
            } else {
                self.written(base, SHORT_LINE_CHARACTERS, room)
            }
        };
        for line in lines {
            paper.line(&line);
        }
        if shown == self.count {
            return;
        }
        let rare = self.rare().iter().copied();
        let mut rare: Vec<usize> = rare.filter(|place| *place >= shown).collect();
        rare.retain(|place| {
            let hit = &self.hits[*place];
            let name = one_line(&hit.file[base.len()..]).into_owned();
            let text = cut(hit.text.trim(), LINE_CHARACTERS);
            let line = format!("rare: {name}:{}: {}", hit.place, one_line(&text));
            paper.line(&line)
        });
        let mut rest = Counts::new();
        for (place, hit) in self.hits.iter().enumerate().skip(shown) {
            if !rare.contains(&place) {
                rest.add(&hit.file[base.len()..]);
            }
        }
        let left_out = self.count - shown - rare.len();
        if left_out == 0 {
            return;
        }
        if !self.are_all_known() || self.is_of_one_file() {
            paper.cut_line(&format!(" and {left_out} more"));
            return;
        }
        let room = paper.left().saturating_sub(32);
        match rest.listed(room) {
            files if names_some(&files) => {
                paper.cut_line(&format!(" and {left_out} more: {files}"))
            }
            _ => paper.cut_line(&format!(" and {left_out} more")),
        }
    }

    /// The places of hits that are unlike all others. Those of programs are told as lines.
    fn rare(&self) -> &[usize] {
        const MOST_RARE: usize = 3;
        self.rare.get_or_init(|| {
            if !self.owns_failures || !self.are_all_known() {
                return Vec::new();
            }
            let texts = self.hits.iter().map(|hit| hit.text.trim());
            let mut rare = rare_words(texts);
            rare.truncate(MOST_RARE);
            rare.sort_unstable();
            rare.into_iter().map(|number| number - 1).collect()
        })
    }

    /// The number of the line of the first rare hit.
    pub fn point(&self, mut lines: impl Iterator<Item = (usize, &'t str)>) -> Option<usize> {
        let text = self.hits[*self.rare().first()?].text.as_ptr().addr();
        let is_in =
            |line: &str| (0..=line.len()).contains(&text.wrapping_sub(line.as_ptr().addr()));
        lines
            .find(|(_, line)| is_in(line))
            .map(|(number, _)| number)
    }

    /// The hits by file, in at most `room` characters, and their number.
    fn written(&self, base: &str, limit: usize, room: usize) -> (Vec<String>, usize) {
        let mut lines = Vec::new();
        let (mut used, mut at) = (0, 0);
        while let Some(first) = self.hits.get(at) {
            let same = self.hits[at..]
                .iter()
                .take_while(|hit| hit.file == first.file)
                .count();
            let name = one_line(&first.file[base.len()..]).into_owned();
            for (number, hit) in self.hits[at..at + same].iter().enumerate() {
                let text = cut(hit.text.trim(), limit);
                let (place, text) = (hit.place, one_line(&text));
                let line = match (same, number) {
                    (1, _) => format!("{name}:{place}: {text}"),
                    (_, 0) if !name.is_empty() => format!("{name}\n {place}: {text}"),
                    _ => format!(" {place}: {text}"),
                };
                used += characters(&line) + 1;
                if used > room {
                    return (lines, at + number);
                }
                lines.push(line);
            }
            at += same;
        }
        (lines, at)
    }
}

/// Whether most lines are files with the number of hits in each.
pub fn are_counts<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let (mut all, mut files) = (0usize, 0usize);
    for line in lines.filter(|line| !is_blank(line)) {
        all += 1;
        files += usize::from(count_of_line(line).is_some());
    }
    files >= LEAST && files * 10 >= all * 9
}

/// Describes a list of files with the number of hits in each. False if the text is no such list.
pub fn tell_counts<'t>(lines: impl Iterator<Item = &'t str> + Clone, paper: &mut Paper) -> bool {
    if !are_counts(lines.clone()) {
        return false;
    }
    let (mut files, mut sum) = (0usize, 0u64);
    let mut top: Vec<(u64, &str)> = Vec::new();
    for (file, count) in lines.filter_map(count_of_line) {
        files += 1;
        sum = sum.saturating_add(count);
        if top.len() < MOST {
            top.push((count, file));
        }
    }
    let base = base(top.iter().map(|(_, file)| *file));
    let what = if base.is_empty() || files > top.len() {
        String::new()
    } else {
        format!(", all in {}", cut(base, 200))
    };
    paper.cut_line(&format!(
        "{files} lines of the form file:count{what}; the counts sum up to {sum}"
    ));
    if files > top.len() {
        return true;
    }
    order::most_first(&mut top, |(count, _)| {
        i64::try_from(*count).unwrap_or(i64::MAX)
    });
    let said: Vec<String> = top
        .iter()
        .map(|(count, file)| format!("{} {count}", one_line(&file[base.len()..])))
        .collect();
    let room = paper.left().saturating_sub(20);
    paper.cut_list("by count: ", &listed(&said, room));
    true
}

/// The common folder of all paths, with the `/` at its end.
pub fn base<'t>(mut paths: impl Iterator<Item = &'t str>) -> &'t str {
    let Some(first) = paths.next() else { return "" };
    let mut common = first;
    for path in paths {
        let same = common.bytes().zip(path.bytes()).take_while(|(a, b)| a == b);
        common = &common[..common.floor_char_boundary(same.count())];
    }
    common.rfind('/').map_or("", |end| &common[..=end])
}

#[cfg(test)]
#[path = "tests/hits.rs"]
mod tests;
