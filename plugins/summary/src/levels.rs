//! Logs: the number of lines of each level, the time span, and the times of errors.
//!
//! Owns the spelling of levels and times in a line. Refuses to know the message.

use crate::counts::Counts;
use crate::dates::Span;
use crate::paper::{Paper, cut};
use crate::words::eight;
use tamis_formats::words::{self, LOW};

/// Fewest lines with a level in a log.
const LEAST: usize = 3;
/// Bytes of a line in which a level begins.
const LEVEL_BYTES: usize = 120;
/// Errors are counted by day, hour or minute: the finest of these with at most this many groups.
const MOST_TIMES: usize = 8;
/// Characters of a time up to the day, the hour, the minute: `2026-11-20T08:01`.
const OF_DATE: [usize; 3] = [10, 13, 16];
/// The same for a time without a date: `08:01:14`.
const OF_TIME: [usize; 3] = [2, 4, 5];

/// The levels of a log. The first are errors.
const LEVELS: [&str; 14] = [
    "EMERGENCY",
    "ALERT",
    "FATAL",
    "CRITICAL",
    "SEVERE",
    "ERROR",
    "WARNING",
    "WARN",
    "NOTICE",
    "NOTE",
    "INFO",
    // Consoles of browsers, and PostgreSQL.
    "LOG",
    "DEBUG",
    "TRACE",
];
const ERRORS: usize = 6;
/// Short spellings, which count only if they are marked.
const SHORT: [(&str, &str); 10] = [
    ("EMERG", "EMERGENCY"),
    ("FTL", "FATAL"),
    ("CRT", "CRITICAL"),
    ("CRIT", "CRITICAL"),
    ("ERR", "ERROR"),
    ("WRN", "WARN"),
    ("INF", "INFO"),
    ("DBG", "DEBUG"),
    ("TRC", "TRACE"),
    ("VERBOSE", "TRACE"),
];

/// The spellings of all levels, with their indexes, and whether they are short.
static SPELLINGS: [(Spelling, usize, bool); LEVELS.len() + SHORT.len()] = {
    let mut spellings = [((0, 0), 0, false); LEVELS.len() + SHORT.len()];
    let mut at = 0;
    while at < spellings.len() {
        let is_short = at < SHORT.len();
        let (name, level) = match is_short {
            true => SHORT[at],
            false => (LEVELS[at - SHORT.len()], LEVELS[at - SHORT.len()]),
        };
        let mut place = 0;
        while !is_same(LEVELS[place], level) {
            place += 1;
        }
        spellings[at] = (spelling(first_eight(name), name.len()), place, is_short);
        at += 1;
    }
    spellings
};

/// The first eight letters of a word, in lower case, and its length: no two levels have the same.
type Spelling = (u64, usize);

const fn spelling(eight: u64, length: usize) -> Spelling {
    let inside = if length < 8 {
        (1 << (8 * length)) - 1
    } else {
        u64::MAX
    };
    ((eight | (LOW * 0x20)) & inside, length)
}

const fn first_eight(name: &str) -> u64 {
    let (mut eight, mut at) = (0, 0);
    while at < name.len() && at < 8 {
        eight |= (name.as_bytes()[at] as u64) << (8 * at);
        at += 1;
    }
    eight
}

const fn is_same(one: &str, other: &str) -> bool {
    first_eight(one) == first_eight(other) && one.len() == other.len()
}

/// The description of a log.
pub struct Log<'t> {
    counts: [usize; LEVELS.len()],
    /// Lines with a time and without a level.
    others: usize,
    /// The times of the first and the last line with a time.
    times: Option<[&'t str; 2]>,
    /// The times, while all begin with a date with the year first.
    span: Span<'t>,
    has_others: bool,
    errors: [Counts<'t>; 3],
    /// The numbers, from 1, of the first lines of each level.
    first: [[usize; FEW_OF_LEVEL]; LEVELS.len()],
}

/// A level is rare if at most so many lines have it, and at most one line in [`RARE_LEVEL`].
const FEW_OF_LEVEL: usize = 4;
const RARE_LEVEL: usize = 20;

/// The levels of a text; none if the text is no log.
pub fn of<'t>(lines: impl Iterator<Item = &'t str>) -> Option<Log<'t>> {
    let mut found = Log {
        counts: [0; LEVELS.len()],
        others: 0,
        times: None,
        span: Span::default(),
        has_others: false,
        errors: [Counts::new(), Counts::new(), Counts::new()],
        first: [[0; FEW_OF_LEVEL]; LEVELS.len()],
    };
    let mut all = 0usize;
    for line in lines {
        all += 1;
        let time = time(line);
        let level = level_after(line, time);
        if let Some(time) = time {
            let [first, _] = found.times.unwrap_or([time; 2]);
            found.times = Some([first, time]);
            found.has_others |= !begins_with_year(time);
            if !found.has_others {
                found.span.note(time);
            }
        }
        let Some(level) = level else {
            found.others += usize::from(time.is_some());
            continue;
        };
        if let Some(place) = found.first[level].get_mut(found.counts[level]) {
            *place = all;
        }
        found.counts[level] += 1;
        let Some(time) = time else { continue };
        if level < ERRORS {
            let lengths = if has_date(time) { OF_DATE } else { OF_TIME };
            for (counts, length) in found.errors.iter_mut().zip(lengths) {
                // Hours before and after noon have one name.
                let is_half = length != OF_DATE[0] && time.ends_with(['M', 'm']);
                let part = time.get(..length).filter(|_| !is_half);
                counts.add(part.unwrap_or(time));
            }
        }
    }
    let total: usize = found.counts.iter().sum();
    (total >= LEAST && total * 5 >= all).then_some(found)
}

impl Log<'_> {
    /// The numbers, from 1, of the lines whose level few lines have.
    pub fn of_rare_levels(&self) -> Vec<usize> {
        let total: usize = self.counts.iter().sum();
        let levels = self.counts.iter().zip(&self.first);
        let rare =
            levels.filter(|(count, _)| **count <= FEW_OF_LEVEL && **count * RARE_LEVEL <= total);
        let mut lines: Vec<usize> = rare
            .flat_map(|(count, first)| first[..*count].to_vec())
            .collect();
        lines.sort_unstable();
        lines
    }

    pub fn tell(&self, paper: &mut Paper) {
        let said: Vec<String> = LEVELS
            .iter()
            .zip(self.counts)
            .filter(|(_, count)| *count > 0)
            .map(|(level, count)| format!("{level} {count}"))
            .collect();
        let mut said = said;
        if self.others > 0 {
            said.push(format!("none of these {}", self.others));
        }
        // Times in other forms, and of several zones, are taken in their order.
        let dates = self.span.ends().filter(|_| !self.has_others);
        let times = dates.or(self.times).filter(|[first, last]| first != last);
        let times = times.map_or(String::new(), |[first, last]| {
            format!("; from {} to {}", cut(first, 40), cut(last, 40))
        });
        paper.cut_line(&format!("levels: {}{times}", said.join(", ")));
        let fits = |counts: &&Counts<'_>| {
            counts
                .len()
                .is_ok_and(|count| (2..=MOST_TIMES).contains(&count))
        };
        if let Some(counts) = self.errors.iter().rev().find(fits) {
            let said: Vec<String> = counts
                .items
                .iter()
                .map(|(time, count)| format!("{time} {count}"))
                .collect();
            paper.cut_line(&format!("errors by time: {}", said.join(", ")));
        }
    }
}

/// Whether a line has the level of an error, in capitals.
pub fn is_error(line: &str) -> bool {
    level(line).is_some_and(|level| {
        let is_short = || SHORT.iter().any(|(short, _)| line.contains(short));
        level < ERRORS && (line.contains(LEVELS[level]) || is_short())
    })
}

/// Whether a text has a level that is no error: what follows is about other things.
pub fn is_plain(text: &str) -> bool {
    level(text).is_some_and(|level| level >= ERRORS && LEVELS[level] != "LOG")
}

/// Whether a text begins with a date with the year first: `2026-11-20`, `2026/11/20`.
fn begins_with_year(text: &str) -> bool {
    let year = text.as_bytes().first_chunk::<5>();
    year.is_some_and(|[year @ .., sign]| {
        matches!(sign, b'-' | b'/') && year.iter().all(u8::is_ascii_digit)
    })
}

/// Where a part of a line ends.
fn end_of(line: &str, part: &str) -> usize {
    part.as_ptr().addr() + part.len() - line.as_ptr().addr()
}

/// The index of the level that a line names first: in capitals, in brackets, or as `level=info`.
pub fn level(line: &str) -> Option<usize> {
    level_after(line, time(line))
}

/// The same after the time of the line: a time has no level.
fn level_after(line: &str, time: Option<&str>) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut at = time.map_or(0, |time| end_of(line, time));
    while at < bytes.len().min(LEVEL_BYTES) {
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        let word = &bytes[start..at];
        let before = start.checked_sub(1).map(|at| bytes[at]);
        let is_marked = matches!(before, Some(b'[' | b'=' | b'"' | b'<' | b'('));
        let is_label = bytes.get(at) == Some(&b':');
        let is_marked = is_marked || bytes.get(at) == Some(&b']');
        // `errors: 0` and `ERROR 0` are counts, not levels. `LOG` alone is a word.
        let is_marked = is_marked || is_label && word == b"LOG";
        let least = if is_marked { 3 } else { 4 };
        if !(least..=9).contains(&word.len())
            || !is_marked && !word.iter().all(u8::is_ascii_uppercase)
        {
            continue;
        }
        let spelling = spelling(eight(bytes, start), word.len());
        let mut known = SPELLINGS.iter();
        let known = known.find(|(known, ..)| *known == spelling);
        let place =
            known.and_then(|(_, place, is_short)| (is_marked || !is_short).then_some(*place));
        if place.is_some() {
            return place;
        }
    }
    None
}

fn is_word(byte: u8) -> bool {
    // Every line is examined: a look is quicker than three comparisons.
    static WORD: [bool; 256] = {
        let mut is_word = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            is_word[byte] = (byte as u8).is_ascii_alphanumeric() || byte == b'_' as usize;
            byte += 1;
        }
        is_word
    };
    WORD[usize::from(byte)]
}

/// Whether a line begins with a time.
pub fn has_time(line: &str) -> bool {
    time(line).is_some()
}

/// Whether a text has digits where `form` has zeros, and the signs of `form`: `0000-00-00`.
pub fn is_of_form(text: &[u8], form: &[u8]) -> bool {
    text.len() == form.len()
        && text.iter().zip(form).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            sign => byte == sign,
        })
}

/// A line without the number that a search put before it: `51:2026-11-20T08:00:00Z …`.
fn without_place(line: &str) -> &str {
    if begins_with_year(line) {
        return line;
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let Some(after) = rest
        .strip_prefix([':', '-'])
        .filter(|_| rest.len() < line.len())
    else {
        return line;
    };
    let after = after.trim_start_matches(['[', '(', ' ', '"']);
    let begins = |form: &[u8]| {
        let start = after.as_bytes().get(..form.len());
        start.is_some_and(|start| is_of_form(start, form))
    };
    // Two digits may be the hours of a time.
    let is_place = line.len() - rest.len() != 2;
    if begins(b"0000-00-00") || begins(b"0000/00/00") || is_place && begins(b"00:00:00") {
        after
    } else {
        line
    }
}

/// The bytes of a time.
static TIME: [bool; 256] = {
    let mut is_time = [false; 256];
    let signs = b"0123456789-:.,/TZ+";
    let mut at = 0;
    while at < signs.len() {
        is_time[signs[at] as usize] = true;
        at += 1;
    }
    is_time
};

/// The time at the beginning of a line: `2026-11-20T08:00:00.637Z`, `2026-11-20 08:00:00,637`, `[08:00:00]`.
fn time(line: &str) -> Option<&str> {
    let start = without_place(line).trim_start_matches(['[', '(', ' ', '"']);
    if !start.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let length = |text: &str| {
        let bytes = text.as_bytes();
        let is_other = |byte: &u8| !TIME[usize::from(*byte)];
        bytes.iter().position(is_other).unwrap_or(bytes.len())
    };
    let first = length(start);
    let mut end = first;
    // A date, a blank, a time.
    if let Some(rest) = start[first..].strip_prefix(' ')
        && !start.as_bytes()[..first].contains(&b':')
    {
        end += 1 + length(rest);
    }
    // `04:03:00 PM`
    let half = start.get(end..end + 3).unwrap_or_default();
    if matches!(half, " AM" | " PM" | " am" | " pm")
        && !start[end + 3..].starts_with(|c: char| c.is_alphanumeric())
    {
        end += half.len();
    }
    let time = start[..end].trim_end_matches([',', ':', '-', '.', ' ']);
    let is_long = (8..=40).contains(&time.len());
    (is_long && words::count(time.as_bytes(), b':') >= 2).then_some(time)
}

fn has_date(time: &str) -> bool {
    time.get(..10).is_some_and(|date| {
        date.bytes()
            .filter(|byte| matches!(byte, b'-' | b'/'))
            .count()
            == 2
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (line, expected) in [
            (
                "2026-11-20T08:00:00.637Z INFO x",
                Some("2026-11-20T08:00:00.637Z"),
            ),
            (
                "2026-11-20 08:00:00,637 INFO x",
                Some("2026-11-20 08:00:00,637"),
            ),
            ("[08:00:01] INFO x", Some("08:00:01")),
            (
                "11/21/2026 04:03:00 PM INFO x",
                Some("11/21/2026 04:03:00 PM"),
            ),
            ("04:03:00 AMBER x", Some("04:03:00")),
            ("INFO x", None),
            ("2026 INFO", None),
        ] {
            assert_eq!(time(line), expected, "{line}");
        }
    }

    #[test]
    fn levels() {
        for (line, expected) in [
            ("08:00 ERROR x", Some("ERROR")),
            ("[error] x", Some("ERROR")),
            ("level=warn x", Some("WARN")),
            ("an error", None),
        ] {
            assert_eq!(level(line).map(|at| LEVELS[at]), expected, "{line}");
        }
    }
}

#[cfg(test)]
#[path = "tests/levels.rs"]
mod told;
