//! Logs: the number of lines of each level, the time span, and the times of errors.
//!
//! Owns the spelling of levels as words and of times in a line. Refuses to know the message, and what marks are (`level_marks`).
//!
//! A level in capitals or in brackets counts by itself. A letter, a number or a small word at the place of a level ([`mark`])
//! counts only if five of six lines have one, so that `E` is no error among the directions of wind.

use crate::counts::Counts;
use crate::dates::{self, Span};
use crate::level_marks::{is_link, mark};
use crate::options;
use crate::paper::{Paper, cut};
use crate::search::has;
use crate::words::{between, eight, sixteen};
use tamis_formats::words::{self, HIGH, LOW};

/// Fewest lines with a level in a log.
const LEAST: usize = 3;
/// Bytes of the longest level.
const LONGEST_LEVEL: usize = 9;
/// Bytes of a line in which a level begins.
pub const LEVEL_BYTES: usize = 120;
/// Errors are counted by day, hour or minute: the finest of these with at most this many groups.
const MOST_TIMES: usize = 8;
/// Characters of a time up to the day, the hour, the minute: `2026-11-20T08:01`.
const OF_DATE: [usize; 3] = [10, 13, 16];
/// The same for a time without a date: `08:01:14`.
const OF_TIME: [usize; 3] = [2, 4, 5];

/// The levels of a log. The first are errors.
const LEVELS: [&str; 15] = [
    "EMERGENCY",
    "PANIC",
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
const ERRORS: usize = 7;
/// Short spellings, which count only if they are marked.
const SHORT: [(&str, &str); 17] = [
    ("EMERG", "EMERGENCY"),
    ("DPANIC", "PANIC"),
    ("FTL", "FATAL"),
    ("FATA", "FATAL"),
    ("CRT", "CRITICAL"),
    ("CRIT", "CRITICAL"),
    ("ERR", "ERROR"),
    ("ERRO", "ERROR"),
    ("EROR", "ERROR"),
    ("WRN", "WARN"),
    ("INF", "INFO"),
    ("DBG", "DEBUG"),
    ("DBUG", "DEBUG"),
    ("DEBU", "DEBUG"),
    ("DEBG", "DEBUG"),
    ("TRC", "TRACE"),
    ("VERBOSE", "TRACE"),
];

/// The spellings of all levels, with their indexes, and whether they are short.
static SPELLINGS: [(Spelling, usize, bool); LEVELS.len() + SHORT.len()] = {
    let mut spellings = [((0, 0), 0, false); LEVELS.len() + SHORT.len()];
    let mut at = 0;
    while at < spellings.len() {
        // Most words are found among the first: the least levels.
        let is_short = at >= LEVELS.len();
        let (name, level) = if is_short {
            SHORT[at - LEVELS.len()]
        } else {
            let level = LEVELS[LEVELS.len() - 1 - at];
            (level, level)
        };
        spellings[at] = (
            spelling(first_eight(name), name.len()),
            index(level),
            is_short,
        );
        at += 1;
    }
    spellings
};

/// The first letters of levels by their lengths, a bit for each letter: they rule out most words.
static FIRST_LETTERS: [u32; 16] = {
    let mut letters = [0; 16];
    let mut at = 0;
    while at < SPELLINGS.len() {
        let (first, length) = SPELLINGS[at].0;
        letters[length] |= 1 << (first & 0x1f);
        at += 1;
    }
    letters
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

/// The index of a level.
pub const fn index(level: &str) -> usize {
    let mut at = 0;
    while !is_same(LEVELS[at], level) {
        at += 1;
    }
    at
}

const fn is_same(one: &str, other: &str) -> bool {
    first_eight(one) == first_eight(other) && one.len() == other.len()
}

/// The description of a log.
pub struct Log<'t> {
    /// The times of the first and the last line with a time.
    times: Option<[&'t str; 2]>,
    /// The times, while all begin with a date with the year first.
    span: Span<'t>,
    has_others: bool,
    levels: Levels<'t>,
}

/// The levels of a log's lines.
struct Levels<'t> {
    counts: [usize; LEVELS.len()],
    /// Lines with a time and without a level.
    others: usize,
    errors: [Counts<'t>; 3],
    /// The numbers, from 1, of the first lines of each level.
    first: [[usize; FEW_OF_LEVEL]; LEVELS.len()],
    /// The numbers, from 1, of the lines with the level of an error that is marked as one.
    error_lines: Vec<usize>,
}

/// The levels of a log if marks are levels, too.
struct Marked<'t> {
    levels: Levels<'t>,
    counts: [usize; LEVELS.len()],
    /// Lines that have a mark or should, and those of them with a time.
    lines: usize,
    timed: usize,
}

/// Lines after which marks are no levels if too few lines have one.
const TRIED: usize = 64;

/// A level is rare if at most so many lines have it, and at most one line in [`RARE_LEVEL`].
const FEW_OF_LEVEL: usize = 4;
const RARE_LEVEL: usize = 20;

/// The levels of a text; none if the text is no log.
pub fn of<'t>(lines: impl Iterator<Item = &'t str>) -> Option<Log<'t>> {
    let mut found = Log {
        times: None,
        span: Span::default(),
        has_others: false,
        levels: Levels::new(),
    };
    let mut marked = Some(Marked {
        levels: Levels::new(),
        counts: [0; LEVELS.len()],
        lines: 0,
        timed: 0,
    });
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
                found.span.note_line(time);
            }
        }
        if time.is_some() || level.is_some() {
            found.levels.note(all, time, level);
        }
        if let Some(marks) = &mut marked {
            marks.note(all, (line, time), level);
            if all.is_multiple_of(TRIED) && !marks.are_frequent(2) {
                marked = None;
            }
        }
    }
    found.span.settle();
    if let Some(marks) = marked.filter(Marked::are_levels) {
        found.levels = marks.levels;
    }
    let total: usize = found.levels.counts.iter().sum();
    (total >= LEAST && total * 5 >= all).then_some(found)
}

impl<'t> Levels<'t> {
    fn new() -> Levels<'t> {
        Levels {
            counts: [0; LEVELS.len()],
            others: 0,
            errors: [Counts::new(), Counts::new(), Counts::new()],
            first: [[0; FEW_OF_LEVEL]; LEVELS.len()],
            error_lines: Vec::new(),
        }
    }

    /// Notes a line: its number, its time, its level, and whether that is marked as one.
    #[inline(never)]
    fn note(&mut self, number: usize, time: Option<&'t str>, level: Option<Found>) {
        let Some((level, is_marked, _)) = level else {
            self.others += usize::from(time.is_some());
            return;
        };
        if let Some(place) = self.first[level].get_mut(self.counts[level]) {
            *place = number;
        }
        self.counts[level] += 1;
        if level >= ERRORS {
            return;
        }
        // Words in capitals are looked at with all that may be failures.
        if is_marked {
            self.error_lines.push(number);
        }
        let Some(time) = time else { return };
        let lengths = if has_date(time) { OF_DATE } else { OF_TIME };
        for (counts, length) in self.errors.iter_mut().zip(lengths) {
            // Hours before and after noon have one name.
            let is_half = length != OF_DATE[0] && time.trim_end_matches('.').ends_with(['M', 'm']);
            let part = time.get(..length).filter(|_| !is_half);
            counts.add(part.unwrap_or(time));
        }
    }
}

impl<'t> Marked<'t> {
    /// Notes a line with its time, whose level is `level`. Of a level and a mark, the graver one counts, but a mark counts
    /// more than a `level=error` of the message, and a number less than what the program itself wrote: some systems give
    /// one number to all that it writes.
    fn note(
        &mut self,
        number: usize,
        (line, time): (&'t str, Option<&'t str>),
        level: Option<Found>,
    ) {
        let mark = mark(line, time);
        if mark.is_some() || level.is_none() {
            self.lines += 1;
            self.timed += usize::from(time.is_some());
        }
        let Some((mark, is_number)) = mark else {
            return self.levels.note(number, time, level);
        };
        self.counts[mark] += 1;
        let counts = level.is_none_or(|(level, _, start)| {
            let before = &line.as_bytes()[..start];
            match mark < level {
                true => !is_number || !is_own(before),
                false => mark > level && is_pair(before) && !is_own(before),
            }
        });
        let counted = if counts { Some((mark, true, 0)) } else { level };
        self.levels.note(number, time, counted);
    }

    /// Whether all lines but one in so many have a mark. Those with another level may have none, and where most have a
    /// time, those without go on with the line before.
    fn are_frequent(&self, one_in: usize) -> bool {
        let lines = match self.timed * 2 > self.lines {
            true => self.timed,
            false => self.lines,
        };
        let marks: usize = self.counts.iter().sum();
        marks > 0 && marks * one_in >= lines * (one_in - 1)
    }

    /// Whether the marks are levels: nearly all lines have one, there are several, a third are of one level, and not nearly
    /// all are errors. Of letters that are something else, each is as frequent as the others.
    fn are_levels(&self) -> bool {
        let levels = self.counts.iter().filter(|count| **count > 0).count();
        let marks: usize = self.counts.iter().sum();
        let most = self.counts.iter().max().map_or(0, |most| most * 3);
        let errors: usize = self.counts[..ERRORS].iter().sum();
        self.are_frequent(6) && levels > 1 && most >= marks && errors * 10 < marks * 9
    }
}

impl Log<'_> {
    /// The number of lines with a level.
    pub fn count(&self) -> usize {
        self.levels.counts.iter().sum()
    }

    /// The numbers, from 1, of the lines whose level few lines have.
    pub fn of_rare_levels(&self) -> Vec<usize> {
        let Levels { counts, first, .. } = &self.levels;
        let total: usize = counts.iter().sum();
        let levels = counts.iter().zip(first);
        let rare =
            levels.filter(|(count, _)| **count <= FEW_OF_LEVEL && **count * RARE_LEVEL <= total);
        let mut lines: Vec<usize> = rare
            .flat_map(|(count, first)| first[..*count].to_vec())
            .collect();
        lines.sort_unstable();
        lines
    }

    /// The level and the number, from 1, of the first warning, if no line has a graver level and warnings are not rare.
    pub fn first_warning(&self) -> Option<(&'static str, usize)> {
        let Levels { counts, first, .. } = &self.levels;
        let has_errors = counts[..ERRORS].iter().any(|count| *count > 0);
        let warnings = ERRORS..ERRORS + 2;
        let level = warnings.max_by_key(|level| counts[*level])?;
        let total: usize = counts.iter().sum();
        let is_rare = counts[level] <= FEW_OF_LEVEL && counts[level] * RARE_LEVEL <= total;
        (!has_errors && !is_rare).then(|| (LEVELS[level], first[level][0]))
    }

    /// The numbers, from 1, of the lines with the level of an error that is marked as one.
    pub fn error_lines(&self) -> &[usize] {
        &self.levels.error_lines
    }

    pub fn tell(&self, paper: &mut Paper) {
        let Levels {
            counts,
            others,
            errors,
            ..
        } = &self.levels;
        let said: Vec<String> = LEVELS
            .iter()
            .zip(counts)
            .filter(|(_, count)| **count > 0)
            .map(|(level, count)| format!("{level} {count}"))
            .collect();
        let mut said = said;
        if *others > 0 {
            said.push(format!("none of these {others}"));
        }
        // Times in other forms are taken in their order. That of zones with names is unknown.
        let ends = self.span.ends().filter(|_| !self.has_others);
        let (from, to) = match ends.is_none() && self.span.has_zones() {
            true => ("first line", ", last"),
            false => ("from", " to"),
        };
        let times = ends.or(self.times).filter(|[first, last]| first != last);
        let times = times.map_or(String::new(), |[first, last]| {
            format!("; {from} {}{to} {}", cut(first, 40), cut(last, 40))
        });
        paper.cut_line(&format!("levels: {}{times}", said.join(", ")));
        let fits = |counts: &&Counts<'_>| {
            counts
                .len()
                .is_ok_and(|count| (2..=MOST_TIMES).contains(&count))
        };
        // An hour of one zone is none of another.
        let counts = errors.iter().rev().find(fits);
        if let Some(counts) = counts.filter(|_| !self.span.has_zones()) {
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
        let is_short = || SHORT.iter().any(|(short, _)| has(line, short));
        level < ERRORS && (has(line, LEVELS[level]) || is_short())
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
pub fn end_of(line: &str, part: &str) -> usize {
    part.as_ptr().addr() + part.len() - line.as_ptr().addr()
}

/// Whether a line has a level of any form.
pub fn has_level(line: &str) -> bool {
    let time = time(line);
    level_after(line, time).is_some() || mark(line, time).is_some()
}

/// The index of the level that a word of so many bytes spells.
#[inline(never)]
pub fn place_of_word(line: &[u8], start: usize, length: usize, is_marked: bool) -> Option<usize> {
    let first = line.get(start).map_or(0, |byte| byte & 0x1f);
    if FIRST_LETTERS[length & 15] >> first & 1 == 0 {
        return None;
    }
    let spelling = spelling(eight(line, start), length);
    let mut known = SPELLINGS.iter();
    let known = known.find(|(known, ..)| *known == spelling);
    known.and_then(|(_, place, is_short)| (is_marked || !is_short).then_some(*place))
}

/// The index of the level that a line names first: in capitals, in brackets, or as `level=info`.
fn level(line: &str) -> Option<usize> {
    level_after(line, time(line)).map(|(level, ..)| level)
}

/// A level in a line, whether signs mark it as a level, and where it begins.
type Found = (usize, bool, usize);

/// The same after the time of the line, since a time has no level.
#[inline(never)]
fn level_after(line: &str, time: Option<&str>) -> Option<Found> {
    let bytes = line.as_bytes();
    let mut at = time.map_or(0, |time| end_of(line, time));
    // Whether the byte before the next ones is part of a word, and whether it may mark one.
    let (mut is_in_word, mut is_sign) = (0, 0);
    while at < bytes.len().min(LEVEL_BYTES) {
        let (next, before) = sixteen(bytes, at);
        let all = next.between(b'A', b'Z');
        let signs = next.between(b'"', b'(') | next.between(b'<', b'=') | next.are(b'[');
        let words = next.lower().between(b'a', b'z') | next.between(b'0', b'9') | next.are(b'_');
        let ends = next.are(b']') >> before;
        let (words, capitals, signs) = (words >> before, all >> before, signs >> before);
        // Words in capitals or after a sign; all of them, if a sign after one marks it.
        let mut starts = words & !(words << 1 | is_in_word);
        let last = words >> 15;
        if ends == 0 {
            // The last word may go on, so the sign after it is not known.
            let open = 1_u32 << 31 >> (starts | 1).leading_zeros();
            let open = open * last;
            starts &= capitals | signs << 1 | is_sign | open;
        }
        (is_in_word, is_sign) = (last, signs >> 15);
        while starts != 0 {
            let from = starts.trailing_zeros() as usize;
            starts &= starts - 1;
            let start = at + from;
            if start >= LEVEL_BYTES {
                return None;
            }
            let mut end = start + (words >> from).trailing_ones() as usize;
            if end == at + 16 {
                let rest = bytes[end..].iter().take(LONGEST_LEVEL);
                end += rest.take_while(|byte| is_word(**byte)).count();
            }
            let word = &bytes[start..end];
            let before = start.checked_sub(1).map(|at| bytes[at]);
            let after = bytes.get(end).copied();
            let is_capital = || match end <= at + 16 {
                true => (capitals >> from).trailing_ones() as usize >= word.len(),
                false => word.iter().all(u8::is_ascii_uppercase),
            };
            if before == Some(b'[') && is_link(bytes, start, end) {
                continue;
            }
            let is_marked = match before {
                Some(b'[' | b'=') => true,
                // `dbg_macro = "warn"` is a setting.
                Some(b'"') => after == Some(b'"') && !bytes[..start - 1].ends_with(b" = "),
                Some(b'<') => after == Some(b'>'),
                Some(b'(') => after == Some(b')'),
                _ => false,
            };
            // `ERRO[0012] …`
            let is_marked = is_marked
                || after == Some(b']')
                || after == Some(b'[') && is_capital()
            // `errors: 0` and `ERROR 0` are counts, not levels. `LOG` alone is a word.
                || after == Some(b':') && word == b"LOG";
            // `ERROR=0` is a value.
            let is_capital = || after != Some(b'=') && is_capital();
            let least = if is_marked { 3 } else { 4 };
            if !(least..=LONGEST_LEVEL).contains(&word.len()) || !is_marked && !is_capital() {
                continue;
            }
            // `--log-level=error` is no level of the line. Most levels have another sign before them.
            let may_be_value = match before {
                Some(b'=' | b'"') => true,
                Some(b' ') => start > 1 && bytes[start - 2].is_ascii_lowercase(),
                _ => false,
            };
            if let Some(place) = place_of_word(bytes, start, word.len(), is_marked)
                && !(may_be_value && options::is_value(bytes, start))
            {
                return Some((place, is_marked, start));
            }
        }
        at += 16;
    }
    None
}

/// Whether a level, with this text before it, is that of a pair: `level=error`.
fn is_pair(before: &[u8]) -> bool {
    matches!(before, [.., b'='] | [.., b'=', b'"'])
}

/// Whether a level, with this text before it, begins what a program wrote, or is one of the pairs that do. Names in
/// brackets and a time may be before it: `app[8]: [main] level=error …`, `app[8]: 2026-11-20 08:00:00 INFO …`.
#[inline(never)]
fn is_own(before: &[u8]) -> bool {
    let mut rest = match before {
        _ if is_pair(before) => {
            let first = before.split(|byte| *byte == b'=').next();
            let first = first.unwrap_or_default();
            let key = first.iter().rposition(|byte| *byte == b' ');
            &first[..key.map_or(0, |key| key + 1)]
        }
        // `{"level":"info"`
        [.., b'"', b':', b'"'] => return true,
        [rest @ .., b'[' | b'(' | b'<' | b'"'] => rest,
        _ => before,
    };
    loop {
        let is_sign = |byte: &&u8| **byte == b' ' || TIME[usize::from(**byte)];
        let signs = rest.iter().rev().take_while(is_sign).count();
        let (others, signs) = rest.split_at(rest.len() - signs);
        let is_end = |pair: &[u8; 2]| matches!(pair, b": " | b"- ");
        if others.is_empty() || signs.array_windows().any(is_end) {
            return true;
        }
        let open = others.iter().rposition(|byte| *byte == b'[');
        let Some(open) = open.filter(|_| others.ends_with(b"]")) else {
            return false;
        };
        rest = &others[..open];
    }
}

pub fn is_word(byte: u8) -> bool {
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

/// Whether a line begins with a time, or with one that has the name of a month: `Nov 20 08:00:00 …`,
/// `[20/Nov/2026:08:00:00 +0000] …`.
pub fn begins_with_time(line: &str) -> bool {
    /// Bytes in which the hours, minutes and seconds of such a time are.
    const LONGEST: usize = 28;
    has_time(line) || {
        // Few lines have a colon there.
        let head = &line.as_bytes()[..line.len().min(LONGEST)];
        let at = memchr::memchr(b':', head).and_then(|colon| {
            // The first may follow the year: `20/Nov/2026:08:00:00`.
            let mut places = [colon + 1, colon.saturating_sub(2)].into_iter();
            places.find(|at| {
                let part = line.as_bytes().get(*at..at + 8);
                part.is_some_and(|part| is_of_form(part, b"00:00:00"))
            })
        });
        let date = at.and_then(|at| line.get(..at)).unwrap_or_default();
        date.contains(|c: char| c.is_ascii_digit())
            && date
                .split(|c: char| !c.is_ascii_alphabetic())
                .any(dates::is_month)
    }
}

/// What follows the time at the beginning of a line.
pub fn after_time(line: &str) -> Option<&str> {
    time(line).map(|time| &line[end_of(line, time)..])
}

/// Whether a text has digits where `form` has zeros, and the signs of `form`: `0000-00-00`.
pub fn is_of_form(text: &[u8], form: &[u8]) -> bool {
    text.len() == form.len()
        && text.iter().zip(form).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            sign => byte == sign,
        })
}

/// A text without the signs at its beginning, which are of ASCII and no letters.
#[inline(never)]
pub fn after<'t>(text: &'t str, signs: &[u8]) -> &'t str {
    // A search for one of so few takes longer than a look at each. No letter is one.
    let is_sign = |byte: &u8| !byte.is_ascii_alphabetic() && signs.iter().any(|sign| sign == byte);
    &text[text.bytes().take_while(is_sign).count()..]
}

/// A text without the digits at its beginning.
#[inline(never)]
pub fn after_digits(text: &str) -> &str {
    &text[text.bytes().take_while(u8::is_ascii_digit).count()..]
}

/// A line without the number that a search put before it: `51:2026-11-20T08:00:00Z …`.
fn without_place(line: &str) -> &str {
    if begins_with_year(line) {
        return line;
    }
    let rest = after_digits(line);
    let Some(rest) = rest
        .strip_prefix([':', '-'])
        .filter(|_| rest.len() < line.len())
    else {
        return line;
    };
    let inside = after(rest, b"[( \"");
    let begins = |form: &[u8]| {
        let start = inside.as_bytes().get(..form.len());
        start.is_some_and(|start| is_of_form(start, form))
    };
    // Two digits may be the hours of a time.
    let is_place = line.len() - rest.len() != 3;
    if begins(b"0000-00-00") || begins(b"0000/00/00") || is_place && begins(b"00:00:00") {
        inside
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
#[inline(never)]
fn time(line: &str) -> Option<&str> {
    // Most lines begin with a letter.
    if line.as_bytes().first().is_none_or(u8::is_ascii_alphabetic) {
        return None;
    }
    let start = after(without_place(line), b"[( \"");
    if !start.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let length = |text: &str| {
        let is_letter = |part, letter: u8| !words::has_any(part ^ (LOW * u64::from(letter)));
        let is_time = |part: u64| {
            // The signs and the digits of times follow one another.
            between(part, b'+', b':') & !part | is_letter(part, b'T') | is_letter(part, b'Z')
        };
        let end = words::position(text.as_bytes(), |part| !is_time(part) & HIGH);
        end.unwrap_or(text.len())
    };
    let first = length(start);
    let mut end = first;
    // A date, a blank, a time.
    if let Some(rest) = start[first..].strip_prefix(' ')
        && memchr::memchr(b':', &start.as_bytes()[..first]).is_none()
    {
        end += 1 + length(rest);
    }
    // `04:03:00 PM`
    if let Some((_, rest)) = dates::half(&start[end..]) {
        return is_time(&start[..end]).then_some(&start[..start.len() - rest.len()]);
    }
    let is_sign = |byte: &&u8| matches!(byte, b',' | b':' | b'-' | b'.' | b' ');
    let signs = start.as_bytes()[..end].iter().rev().take_while(is_sign);
    let time = &start[..end - signs.count()];
    is_time(time).then(|| &start[..time.len() + zone(time, &start[time.len()..])])
}

/// The length of the zone after a blank, after a time with a date: ` -0800`, ` UTC`.
#[inline(never)]
fn zone(time: &str, rest: &str) -> usize {
    const NAMES: &str = "UTC GMT PST PDT MST MDT CST CDT EST EDT CET CEST EET EEST MSK IST JST BST";
    let [b' ', first @ (b'+' | b'-' | b'A'..=b'Z'), ..] = rest.as_bytes() else {
        return 0;
    };
    let is_part = |byte: &u8| is_word(*byte) || *byte == b':';
    let length = rest.bytes().skip(2).take_while(is_part).count();
    let zone = &rest[1..length + 2];
    let is_it = match (first, zone.as_bytes()) {
        // `+1234` and `+0030` are amounts.
        (
            b'+' | b'-',
            [
                _,
                tens @ b'0'..=b'1',
                ones @ b'0'..=b'9',
                b'0'..=b'5',
                b'0' | b'5',
            ]
            | [
                _,
                tens @ b'0'..=b'1',
                ones @ b'0'..=b'9',
                b':',
                b'0'..=b'5',
                b'0' | b'5',
            ],
        ) => {
            let hours = (tens & 1) * 10 + (ones & 15);
            let minutes = &zone[zone.len() - 2..];
            hours < 15 && (minutes == "00" || hours > 0 && matches!(minutes, "30" | "45"))
        }
        // Most words are levels. `GMT+1` is another zone than `GMT`, and `CET-17` is none.
        (_, [_, _, .., b'T' | b'C' | b'K']) => {
            let next = rest.as_bytes().get(length + 2);
            !matches!(next, Some(b'+' | b'-' | b'/')) && has(NAMES, zone)
        }
        _ => false,
    };
    usize::from(is_it && has_date(time)) * (length + 2)
}

/// Whether bytes of a time are one: they have hours, minutes and seconds.
fn is_time(bytes: &str) -> bool {
    (8..=40).contains(&bytes.len()) && words::count(bytes.as_bytes(), b':') >= 2
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
            (
                "[2026-11-20 04:03:00PM] INFO x",
                Some("2026-11-20 04:03:00PM"),
            ),
            (
                "2026-11-20, 04:03:00 p.m.: x",
                Some("2026-11-20, 04:03:00 p.m."),
            ),
            ("04:03:00\u{202f}PM INFO x", Some("04:03:00\u{202f}PM")),
            ("INFO x", None),
            ("2026 INFO", None),
        ] {
            assert_eq!(time(line), expected, "{line}");
        }
    }

    #[test]
    fn times_with_the_name_of_a_month() {
        for line in [
            "Nov 20 08:00:00 web app[7]: x",
            "[20/Nov/2026:08:00:00 +0000] x",
            "<13>Nov 20 08:00:00 web x",
            "Fri Nov 20 08:00:00 2026 x",
            "2026-11-20T08:00:00Z x",
        ] {
            assert!(begins_with_time(line), "{line}");
        }
        for line in [
            "Nov 20: x",
            "a: 20 08:00:00",
            "web 20 08:00:00 x",
            "In May, 12: we go",
            "",
        ] {
            assert!(!begins_with_time(line), "{line}");
        }
    }

    #[test]
    fn levels() {
        for (line, expected) in [
            ("08:00 ERROR x", Some("ERROR")),
            ("[error] x", Some("ERROR")),
            ("level=warn x", Some("WARN")),
            ("an error", None),
            ("See [[error 490]].", None),
            ("See [[note]].", None),
            ("See [[NOTE 7|it]] and [[error]].", None),
            ("See [note 7](notes/7.md).", None),
            ("See [error](https://example.com).", None),
            ("See [it][error 7].", None),
            ("[[ERROR]] x", Some("ERROR")),
            ("[[error] x]", Some("ERROR")),
            ("[error 7] x", Some("ERROR")),
            ("[main][error 7] x", Some("ERROR")),
            ("[error](main) x", Some("ERROR")),
        ] {
            assert_eq!(level(line).map(|at| LEVELS[at]), expected, "{line}");
        }
    }

    /// Lines are looked at in parts of sixteen bytes.
    #[test]
    fn levels_are_found_wherever_they_are() {
        for (word, expected) in [
            ("ERROR x", Some("ERROR")),
            ("EMERGENCY", Some("EMERGENCY")),
            ("[warn] x", Some("WARN")),
            ("level=warn", Some("WARN")),
            (" \"info\",", Some("INFO")),
            (" = \"info\",", None),
            ("<error>", Some("ERROR")),
            ("(error)", Some("ERROR")),
            ("(error", None),
            ("error] x", Some("ERROR")),
            ("ERRO[0012]", Some("ERROR")),
            ("LOG: x", Some("LOG")),
            ("ERROR=0", None),
            ("xERROR", None),
            ("ERRORS", None),
            ("error", None),
        ] {
            for before in 0..LEVEL_BYTES - 16 {
                let line = format!("{} {word}", "é".repeat(before / 2));
                assert_eq!(level(&line).map(|at| LEVELS[at]), expected, "{line}");
                let line = format!("{}, {word}", "x_1".repeat(before / 3));
                assert_eq!(level(&line).map(|at| LEVELS[at]), expected, "{line}");
            }
            assert_eq!(level(&format!("{} {word}", "x".repeat(LEVEL_BYTES))), None);
        }
    }
}

#[cfg(test)]
#[path = "tests/levels.rs"]
mod told;
