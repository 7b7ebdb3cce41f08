//! Lists of amounts and names: `du`, `uniq -c`, `wc`, `find -printf '%s %p'`, and the entries of archives and trees with
//! their sizes, as `tar -tv`, `find -ls` and `git ls-tree -l` print them.
//!
//! Owns these forms, and which entries are told: the largest, and how many are the smallest. Refuses to know tables with a
//! header. Numbers that only count lines, times and ids are no amounts.

use crate::failure_words;
use crate::hits;
use crate::line_values::amount;
use crate::order;
use crate::paper::{Paper, REST, characters, cut, one_line, some};
use crate::shapes::{Shapes, Strictness};
use crate::trim::{is_blank, trim, trim_end, trim_start};

/// Fewest entries of a list.
const LEAST: usize = 12;
/// The largest is at least so many times the smallest. Times of a day and years are closer to each other.
const SPREAD: f64 = 2.0;
/// Entries that are told.
const TOLD: usize = 24;
/// The same, if each has a line of its own.
const TOLD_LINES: usize = 12;
const NAME_CHARACTERS: usize = 120;
/// Most numbers between the amount and a name: `wc` has lines, words, characters, bytes and the longest line.
const NUMBERS: usize = 4;
/// Fewest plain words of a text: states and levels are fewer.
const OF_TEXT: usize = 64;
/// Names that are compared with each other.
const COMPARED: usize = 64;
const LINE_CHARACTERS: usize = 160;
/// Characters for the number of other entries, and for the smallest.
const ROOM_FOR_LEAST: usize = 2 * NAME_CHARACTERS;

/// A line of a list.
#[derive(Clone, Copy)]
struct Entry<'t> {
    line: &'t str,
    /// In the smallest unit.
    value: f64,
    /// The kind of the unit.
    kind: usize,
    /// Certainly an amount.
    is_size: bool,
    /// The amount as it is written.
    amount: &'t str,
    name: &'t str,
}

/// A list of amounts and names.
pub struct Ranked {
    entries: usize,
    /// More numbers between the amount and the name of each entry.
    numbers: usize,
    /// Whether names are words without blanks, so that no word of theirs reports a failure.
    has_words: bool,
    /// Names are the words of a text, of which some are words of failures.
    are_of_text: bool,
}

/// The next word of a text, and the rest after blanks.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let end = text.bytes().position(|byte| is_blank(&byte))?;
    let blanks = text.as_bytes()[end..]
        .iter()
        .take_while(|byte| is_blank(byte));
    Some((&text[..end], &text[end + blanks.count()..]))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn begins_with_digit(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_digit)
}

/// Whether a word has the rights of a file: `-rw-r--r--`.
fn is_mode(word: &str) -> bool {
    matches!(word.len(), 10 | 11)
        && word.starts_with(['-', 'd', 'l', 'h', 'c', 'b', 's', 'p'])
        && word[1..].bytes().all(|byte| b"rwx-sStT+.".contains(&byte))
}

/// The size and the name in `-rw-r--r-- root/root 3381 2026-11-29 02:46 src/a.rs` of tar.
fn archived(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = next_word(line).filter(|(mode, _)| is_mode(mode))?;
    let (_, rest) = next_word(rest).filter(|(owner, _)| owner.contains('/'))?;
    let (size, rest) = next_word(rest).filter(|(size, _)| is_number(size))?;
    let (_, rest) = next_word(rest).filter(|(date, _)| date.contains('-'))?;
    let (_, name) = next_word(rest).filter(|(time, _)| time.contains(':'))?;
    Some((size, name))
}

/// The size and the name in what follows the first number of `5309813 4 -rw-r--r-- 1 root root 445 Nov 29 02:46 src/a.rs` of
/// find, and of `100644 blob 7aed687a 578 src/a.rs` of git.
fn stored(rest: &str) -> Option<(&str, &str)> {
    // Most names are looked at no further.
    if !rest.starts_with("blob ") && !begins_with_digit(rest) {
        return None;
    }
    let (word, mut rest) = next_word(rest)?;
    if word == "blob" {
        rest = next_word(rest)?.1;
        return next_word(rest).filter(|(size, _)| is_number(size));
    }
    let is_blocks = is_number(word);
    rest = next_word(rest)
        .filter(|(mode, _)| is_blocks && is_mode(mode))?
        .1;
    for _ in ["links", "owner", "group"] {
        rest = next_word(rest)?.1;
    }
    let (size, mut rest) = next_word(rest).filter(|(size, _)| is_number(size))?;
    for _ in ["month", "day", "time"] {
        rest = next_word(rest)?.1;
    }
    Some((size, rest))
}

fn of_line(all: &str) -> Option<Entry<'_>> {
    let line = trim_start(all);
    let (amount_of, name, is_size) = match line.as_bytes().first()? {
        b'0'..=b'9' => {
            let (word, rest) = next_word(line)?;
            match stored(rest) {
                Some((size, name)) => (size, name, true),
                None => (word, rest, false),
            }
        }
        b'-' | b'd' | b'l' | b'h' => {
            let (size, name) = archived(line)?;
            (size, name, true)
        }
        _ => return None,
    };
    let name = trim(name);
    let word = amount_of.as_bytes();
    // `007` is a code, and `1.` and `(5` begin other things. `du -h` of macOS writes `0B`.
    let is_code = word.len() > 1 && word[0] == b'0' && word[1].is_ascii_digit();
    let is_whole =
        matches!(word.last(), Some(last) if last.is_ascii_alphanumeric() || *last == b'%');
    if is_code || !is_whole || name.is_empty() {
        return None;
    }
    let (value, kind) = amount(word)?;
    Some(Entry {
        line: all,
        value,
        kind,
        is_size: is_size || kind > 0,
        amount: amount_of,
        name,
    })
}

impl<'t> Entry<'t> {
    /// Whether `uniq -c` wrote the line: the number ends at the seventh character or later, and one blank follows.
    fn is_count(&self) -> bool {
        const PLACE: usize = 7;
        let before = self.line.len() - trim_start(self.line).len();
        let end = before + self.amount.len();
        let rest = self.line.get(end..).unwrap_or_default();
        !self.is_after_others()
            && end >= PLACE
            && (end == PLACE || before == 0)
            && rest.starts_with(' ')
            && !rest[1..].starts_with(' ')
    }

    /// Whether the amount is not the line's first word.
    fn is_after_others(&self) -> bool {
        !std::ptr::eq(self.amount.as_ptr(), trim_start(self.line).as_ptr())
    }

    /// Whether it may be a page with the status of its answer: `404 https://example.org/a`, `200 /a`.
    fn is_page(&self) -> bool {
        (100.0..600.0).contains(&self.value)
            && self.amount.len() == 3
            && (self.name.contains("://") || self.name.starts_with('/'))
    }

    /// How many numbers are before the name.
    fn numbers(&self) -> usize {
        let (mut rest, mut count) = (self.name, 0);
        while begins_with_digit(rest)
            && let Some((word, after)) = next_word(rest)
            && is_number(word)
        {
            (rest, count) = (after, count + 1);
        }
        count
    }

    /// The name after so many numbers.
    fn after(&self, numbers: usize) -> &'t str {
        (0..numbers).fold(self.name, |name, _| {
            next_word(name).map_or(name, |(_, rest)| rest)
        })
    }
}

/// Whether a line may be an entry.
pub fn may_be(line: &str) -> bool {
    of_line(line).is_some()
}

/// Whether a line is an entry, or a comment before them.
pub fn has(line: &str) -> bool {
    line.starts_with('#') || may_be(line)
}

/// The list that most lines are; none if the text is none.
pub fn of<'t>(lines: impl Iterator<Item = &'t str>) -> Option<Ranked> {
    let (mut all, mut entries, mut words) = (0usize, 0usize, 0usize);
    let (mut least, mut most) = (f64::INFINITY, 0f64);
    // Steps between entries: to more, and to the same.
    let (mut rising, mut level) = (0usize, 0usize);
    let (mut sizes, mut counts) = (0usize, 0usize);
    let (mut after_others, mut pages, mut plain) = (0usize, 0usize, 0usize);
    let (mut last, mut kind, mut numbers) = (f64::NAN, None, usize::MAX);
    let mut are_whole = true;
    let mut first: Vec<&str> = Vec::new();
    let mut amounts: Vec<&str> = Vec::new();
    for line in lines.filter(|line| !is_blank(line)) {
        all += 1;
        let Some(entry) = of_line(line) else {
            // A rule is that of a table.
            let is_rule =
                || line.len() >= 16 && line.bytes().all(|byte| matches!(byte, b'-' | b'='));
            if may_have_amount(line) || is_rule() {
                return None;
            }
            continue;
        };
        entries += 1;
        after_others += usize::from(entry.is_after_others());
        pages += usize::from(entry.is_page());
        let is_plain = entry.name.bytes().all(|byte| byte.is_ascii_lowercase());
        plain += usize::from(is_plain);
        // `du -h` writes 0 without a unit.
        if entry.value > 0.0 && *kind.get_or_insert(entry.kind) != entry.kind {
            return None;
        }
        are_whole &= entry.value.fract() == 0.0;
        rising += usize::from(entry.value > last);
        level += usize::from(entry.value == last);
        last = entry.value;
        (least, most) = (least.min(entry.value), most.max(entry.value));
        sizes += usize::from(entry.is_size);
        counts += usize::from(entry.is_count());
        if numbers > 0 {
            numbers = numbers.min(entry.numbers());
        }
        let name = entry.after(numbers);
        words += usize::from(memchr::memchr2(b' ', b'\t', name.as_bytes()).is_none());
        if first.len() < COMPARED {
            first.push(name);
            amounts.push(entry.amount);
        }
    }
    // Sizes of folders are seldom equal, and few states are common.
    let are_pages = pages == entries && !are_different(&amounts);
    // Numbers of lines, processes and times rise.
    let rises = if are_whole { rising } else { rising + level };
    let are_most = |count: usize| count * 10 >= entries * 9;
    let is_list = entries >= LEAST
        && entries * 10 >= all * 9
        && most >= SPREAD * least
        && most > least
        // Another number of a line is no size.
        && (after_others == 0 || after_others == entries)
        && !are_pages
        && (are_most(sizes) || !are_most(rises));
    let has_words = are_most(words);
    // The first numbers of a table's rows are not what matters, unless they order them. Its other cells are alike.
    let has_names = || {
        first.iter().filter(|name| is_number(name)).count() * 10 < first.len() * 9
            || numbers == 0 && are_most(counts)
    };
    let are_entries = || {
        are_most(sizes)
            || are_most(counts)
            || rising == 0
            || has_words && numbers <= NUMBERS && has_names() && are_different(&first)
    };
    (is_list && are_entries()).then_some(Ranked {
        entries,
        numbers,
        has_words,
        are_of_text: plain >= OF_TEXT && are_most(plain),
    })
}

/// Whether a line that is no entry begins with a number, or has the rights of a file with a size: it may be the largest.
fn may_have_amount(line: &str) -> bool {
    let line = trim_start(line);
    line.starts_with(|c: char| c.is_ascii_digit())
        || line.starts_with(['-', 'd', 'l', 'h'])
            && next_word(line).is_some_and(|(mode, _)| is_mode(mode))
}

/// Whether a name is a word of failures, a level or a class.
fn reports(name: &str) -> bool {
    Shapes::new(Strictness::Open).next(name).is_some()
        || failure_words::is_failure(name, failure_words::marks(name))
}

/// Whether a name is of a file: it has a folder, or an ending.
fn is_of_file(name: &str) -> bool {
    let is_ending = |(name, ending): (&str, &str)| {
        !name.is_empty()
            && (1..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    name.contains('/') || name.rsplit_once('.').is_some_and(is_ending)
}

/// Whether a name begins with a word of failures: `FAIL:tests/a.py`, `[ERROR]/a`.
fn has_label(name: &str) -> bool {
    let (label, _) = name.split_once([':', ']', '|', '=']).unwrap_or_default();
    !label.is_empty() && reports(label.trim_start_matches('['))
}

/// Whether most names are of one entry.
fn are_different(names: &[&str]) -> bool {
    let is_new = |at: &usize| !names[..*at].contains(&names[*at]);
    (0..names.len()).filter(is_new).count() * 10 >= names.len() * 9
}

impl Ranked {
    /// Whether a line is an entry whose name is a word that reports no failure: of a file, or of a text.
    pub fn owns(&self, line: &str) -> bool {
        of_line(line).is_some_and(|entry| {
            let name = entry.after(self.numbers);
            let is_plain = || name.bytes().all(|byte| byte.is_ascii_lowercase());
            !name.contains(' ')
                && (is_of_file(name) && !has_label(name)
                    || self.are_of_text && is_plain()
                    || !reports(name))
        })
    }

    /// Whether lines unlike all others may be information: names are sentences.
    pub fn has_rare_lines(&self) -> bool {
        !self.has_words
    }

    /// Describes the list: the largest entries, and the smallest amount.
    pub fn tell<'t>(
        &self,
        lines: impl Iterator<Item = (usize, &'t str)> + Clone,
        paper: &mut Paper,
    ) {
        let name_of = |entry: &Entry<'t>| entry.after(self.numbers);
        let entries = lines.filter_map(|(number, line)| Some((of_line(line)?, number)));
        let names = entries.clone().map(|(entry, _)| name_of(&entry));
        let base = hits::base(names.filter(|name| name.contains('/')));
        let mut top: Vec<(Entry<'t>, usize)> = Vec::new();
        let mut least: Option<(Entry<'t>, usize)> = None;
        for (entry, number) in entries {
            match &mut least {
                Some((it, count)) if it.value == entry.value => *count += 1,
                Some((it, _)) if it.value < entry.value => {}
                _ => least = Some((entry, 1)),
            }
            top.push((entry, number));
            if top.len() == 8 * TOLD {
                largest_first(&mut top);
            }
        }
        largest_first(&mut top);
        let without = match base.is_empty() {
            true => String::new(),
            false => format!("; names without {}", cut(base, 200)),
        };
        let amounts = match self.numbers {
            0 => "an amount",
            _ => "numbers",
        };
        let entries = some(self.entries, "lines");
        if !paper.line(&format!("{entries} of {amounts} and a name{without}")) {
            return;
        }
        let short = |entry: &Entry<'t>| {
            let name = name_of(entry);
            // The folder itself has its whole name.
            let rest = name.strip_prefix(base).filter(|rest| !rest.is_empty());
            let name = rest.unwrap_or(name);
            one_line(&cut(name, NAME_CHARACTERS)).into_owned()
        };
        let figures = |entry: &Entry<'t>| {
            let more = &entry.name[..entry.name.len() - name_of(entry).len()];
            let more: String = more
                .split_ascii_whitespace()
                .map(|word| format!(" {word}"))
                .collect();
            format!("{}{more}", entry.amount)
        };
        let by = match self.numbers {
            0 => "",
            _ => " by the first",
        };
        let left = self.entries;
        let rest = ROOM_FOR_LEAST.min(paper.left() / 3);
        if self.has_words {
            let mut said = format!("the largest{by}:");
            let room = (paper.left() - rest).saturating_sub(REST);
            let mut shown = 0;
            for (entry, _) in &top {
                let sign = if shown == 0 { "" } else { "," };
                let item = format!("{sign} {} {}", short(entry), figures(entry));
                if characters(&said) + characters(&item) > room {
                    break;
                }
                said.push_str(&item);
                shown += 1;
            }
            if shown > 0 && shown < left {
                said.push_str(&format!(", and {} more", left - shown));
            }
            if shown > 0 {
                paper.cut_line(&said);
            }
        } else {
            top.truncate(TOLD_LINES);
            paper.cut_line(&format!("the largest{by}:"));
            let line = |(entry, number): &(Entry<'t>, usize)| {
                let line = cut(trim_end(entry.line), LINE_CHARACTERS);
                format!("{number}: {}", one_line(&line))
            };
            let unshown = paper.fitting(top.iter(), line, rest);
            let others = left - top.len() + unshown;
            paper.count_rest(others, "lines");
        }
        if let Some((entry, count)) = least.filter(|_| left > TOLD_LINES) {
            let first = match count {
                1 => String::new(),
                _ => format!(" in {}, first", some(count, "lines")),
            };
            let name = short(&entry);
            paper.cut_line(&format!("the smallest{by}: {}{first} {name}", entry.amount));
        }
    }
}

/// Keeps the largest entries, those first. Equal ones stay in their order.
fn largest_first(top: &mut Vec<(Entry<'_>, usize)>) {
    // Bits of numbers that are not negative are in their order.
    order::most_first(top, |(entry, _)| entry.value.to_bits() as i64);
    top.truncate(TOLD);
}

#[cfg(test)]
#[path = "tests/ranked.rs"]
mod tests;
