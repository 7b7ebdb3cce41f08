//! Lines that repeat a pattern, and the words that lines begin with: what most lines of a text without another form are.
//!
//! Owns when lines repeat, and how they are told. Refuses to know the pattern of a line.

use crate::counts::Counts;
use crate::encoded;
use crate::order;
use crate::paper::{Paper, REST, characters, cut, listed, one_line};
use crate::patterns::{LEAST_BYTES, Pattern, Patterns, is_number};
use crate::signs::Signs;
use crate::source::Source;
use crate::trim::{trim, trim_start};
use tamis_formats::{Sixteen, words};

/// Most patterns of lines that are counted.
const COUNTED: usize = 2_048;
/// Characters of a repeated line.
const SHOWN_CHARACTERS: usize = 90;
/// Fewest lines that repeat.
const LEAST: usize = 3;

/// Whether most lines are records, or equal except for digits.
pub fn is_repeated(source: &Source<'_>, count: usize) -> bool {
    let repeated: usize = counted(source.patterns())
        .iter()
        .filter(|pattern| repeats(pattern))
        .map(|pattern| pattern.count)
        .sum();
    let patterns = source.patterns();
    let all = match patterns.are_full() {
        true => source
            .filled_texts()
            .filter(|line| trim(line).len() >= LEAST_BYTES)
            .count(),
        // Each line has one.
        false => {
            let long = patterns.all.iter().filter(|pattern| !pattern.is_short());
            long.map(|pattern| pattern.count).sum()
        }
    };
    let is_record = |line: &str| matches!(line.as_bytes(), [b'{' | b'[', rest @ .., b'}' | b']'] if rest.len() > 6);
    let lines = source.filled_with(Signs::BRACKET);
    let records =
        lines.filter(|(_, line)| line.signs.have(Signs::BRACKET) && is_record(trim(line.text)));
    let records = records.count();
    count >= 10 && (repeated * 10 >= all * 6 || records * 10 >= all * 8) && all * 2 >= count
}

/// Whether enough lines share a pattern. Short lines are alike by chance.
fn repeats(pattern: &Pattern<'_>) -> bool {
    pattern.count >= LEAST && !pattern.is_short()
}

/// The first patterns, up to the limit.
fn counted<'p, 't>(patterns: &'p Patterns<'t>) -> &'p [Pattern<'t>] {
    patterns.all.get(..COUNTED).unwrap_or(&patterns.all)
}

/// All lines that are one number, short ones too, as one pattern; none if they are all equal.
fn numbers<'t>(patterns: &[Pattern<'t>]) -> Option<Pattern<'t>> {
    let mut numbers = patterns.iter().filter(|it| is_number(it.first.1));
    let mut all = numbers.next()?.clone();
    let first = all.count;
    numbers.for_each(|it| all.join(it));
    (all.count > first && all.count >= LEAST).then_some(all)
}

/// Describes most lines: their common first words, and repeated patterns.
pub fn tell_repeated<'t>(source: &Source<'t>, above: &str, paper: &mut Paper) {
    const SHOWN: usize = 4;
    let found = counted(source.patterns());
    // If the room is full, later patterns are not counted.
    let is_complete = found.len() < COUNTED;
    // Lines of bytes are alike by chance.
    let is_told = |it: &&Pattern<'_>| repeats(it) && !encoded::is_line(it.first.1);
    let numbers = numbers(found);
    let is_told = |it: &&Pattern<'_>| is_told(it) && (numbers.is_none() || !is_number(it.first.1));
    let mut found: Vec<&Pattern<'_>> = found.iter().filter(is_told).chain(&numbers).collect();
    order::most_first(&mut found, |pattern| pattern.count as i64);
    if found.is_empty() || !is_complete {
        match first_words(source.patterns()) {
            Some(words) => tell_first_words(&words, paper),
            None => leading_words(source.filled_texts(), paper),
        }
        return;
    }
    let count = found.len();
    let (patterns, repeat) = if count == 1 {
        ("pattern", "repeats")
    } else {
        ("patterns", "repeat")
    };
    // The failures above say the same of their lines.
    let is_told = |pattern: &Pattern<'_>| {
        let Pattern {
            count, first, last, ..
        } = pattern;
        let label = format!("{} ({count} times, last {last}): ", first.0);
        above.lines().any(|line| line.starts_with(&label))
    };
    found.truncate(SHOWN);
    let all = found.len();
    found.retain(|pattern| !is_told(pattern));
    let besides = match found.len() {
        0 => return,
        left if left < all => "; besides those above, times",
        _ => "; times",
    };
    let head = format!(
        "{count} {patterns} of lines that {repeat} with other numbers{besides}, first and last line:"
    );
    // The head is useless alone.
    if paper.left() < characters(&head) + SHOWN_CHARACTERS {
        return;
    }
    let told = |pattern: &&Pattern<'_>| {
        let (number, line) = pattern.first;
        format!(
            "{}x {number}..{}: {}",
            pattern.count,
            pattern.last,
            one_line(&cut(line, SHOWN_CHARACTERS))
        )
    };
    let mut room = Paper::new(paper.left() - characters(&head) - 1);
    let omitted = room.fitting(found.iter(), told, REST);
    if room.is_empty() {
        return;
    }
    paper.line(&head);
    paper.paste(&room);
    let told = all - omitted;
    if told < count {
        paper.cut_line(&format!(" and {} more of them", count - told));
    }
}

/// Describes the first words of lines.
pub fn leading_words<'t>(lines: impl Iterator<Item = &'t str>, paper: &mut Paper) {
    let mut words = Counts::new();
    let lines = lines.map(trim_start).filter(|line| !line.is_empty());
    lines.for_each(|line| words.add(first_word(line)));
    tell_first_words(&words, paper);
}

/// The first words of the lines of patterns; none if not all lines of each have the same.
fn first_words<'t>(patterns: &Patterns<'t>) -> Option<Counts<'t>> {
    let mut words = Counts::new();
    for Pattern { first, count, .. } in &patterns.all {
        let word = first_word(first.1);
        // All numbers are alike in a pattern, also those of letters, and blanks after a dash.
        let is_number = |part: &str| {
            part.bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let mut parts = word.split(|c: char| !c.is_ascii_alphanumeric());
        let is_same = !word.starts_with('-')
            && !word.contains(|c: char| c.is_ascii_digit())
            && !parts.any(|part| !part.is_empty() && is_number(part));
        is_same.then_some(())?;
        words.add_times(word, *count as u32);
    }
    (!patterns.are_full()).then_some(words)
}

/// The first word of a line without blanks before it: `get`, `- name`.
#[inline]
fn first_word(line: &str) -> &str {
    let rest = line.strip_prefix("- ").unwrap_or(line);
    let ends = |bytes: Sixteen| bytes.are_one_of([b' ', b'\t', b':', b'=', b'(']);
    let end = words::place_from(rest.as_bytes(), 0, ends);
    &line[..line.len() - rest.len() + end]
}

/// Describes the first words, if they are few.
fn tell_first_words(words: &Counts<'_>, paper: &mut Paper) {
    if words.len().is_err() {
        return;
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
    let head = "lines begin with: ";
    let room = paper.left().saturating_sub(head.len() + 1);
    paper.cut_list(head, &listed(&said, room));
}
