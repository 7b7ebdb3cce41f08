//! Lines of a text that stand out: failures, and lines unlike all others, ranked by importance.
//!
//! Owns the order of lines, and the grouping of lines of one sort. Refuses to know the shapes of failures, and what
//! makes a line rare.

mod failures;
mod rare;
mod settings;

use crate::encoded;
use crate::excerpts;
use crate::harmless::{End, Harmless};
use crate::hashing::Map;
use crate::known_lines;
use crate::log_words::{self, Notable};
use crate::odd_values::Scope;
use crate::order;
use crate::paper::{Paper, cut, one_line};
use crate::quoted_code;
use crate::rare_lines::{self, Rare};
use crate::rare_texts;
use crate::search::has;
use crate::shapes::{self, Shape, Shapes, Strictness};
use crate::signs::{Line, Signs};
use crate::source::Source;
use crate::trim::{trim, trim_start};
use crate::words::{self, pattern_with_names};
use std::cell::OnceCell;
use std::ops::Range;
use tamis_formats::words as bytes;

pub use settings::setting;

/// Whether another teller owns a line: its number and text.
type IsOwned<'f> = &'f dyn Fn(usize, &str) -> bool;

/// Most sorts of lines. Lines of other sorts are only counted.
const SORTS: usize = 256;
/// Characters of a shown line: of a failure, of another, of a rare one.
const FAILURE_CHARACTERS: usize = 600;
const LINE_CHARACTERS: usize = 240;
const RARE_CHARACTERS: usize = 200;
/// Lines of a sort that are shown each, if they differ in more than their place.
const FEW: usize = 4;
/// Characters of the line that counts the omitted lines.
const REST: usize = 48;
/// Lines that any first call reads.
const FIRST: usize = 5;
/// Most totals of test runs that are shown: the last ones.
const TOTALS: usize = 3;
/// Lines at the end of a text that may tell what came of the work.
const NEAR_END: usize = 30;
/// The signs of lines that tell something without a word of failures.
const NOTABLE: Signs = Signs::MARK.or(Signs::COMMA).or(Signs::ANGLE);
/// The signs of lines that quote code.
const QUOTED: Signs = Signs::QUOTE
    .or(Signs::COMMA)
    .or(Signs::BAR)
    .or(Signs::OTHER);
/// Forms of lines of which facts are stored.
const FORMS: usize = 32;
/// Rows of marks are no failures if more than one line in so many is such a row.
const MATRIX_SHARE: usize = 4;

/// Lines that are equal except for words with digits.
struct Sort<'t> {
    shape: Shape,
    count: usize,
    first: (usize, &'t str),
    last: usize,
    /// The first of them, up to [`FEW`].
    lines: Vec<(usize, &'t str)>,
    /// Those in the output of tests that passed, and those of tasks whose failures are ignored.
    harmless: [usize; 2],
}

impl<'t> Sort<'t> {
    fn of(shape: Shape, place: usize, line: &'t str) -> Sort<'t> {
        Sort {
            shape,
            count: 1,
            first: (place, line),
            last: place,
            lines: vec![(place, line)],
            harmless: [0; 2],
        }
    }
}

/// What a line tells by its form, whatever its digits.
#[derive(Clone, Copy, Default)]
struct OfForm {
    /// The number of the first line of the form.
    first: usize,
    /// As [`words::may_have_names`] and [`shapes::has_count`] tell.
    may_have_names: bool,
    has_count: bool,
}

/// The same of the forms of lines. A later one takes the place of an earlier one.
#[derive(Default)]
struct OfForms([OfForm; FORMS]);

impl OfForms {
    fn of(&mut self, source: &Source<'_>, place: usize, line: Line<'_>) -> OfForm {
        let first = source.forms().before(place).unwrap_or(place);
        let known = &mut self.0[first % FORMS];
        if known.first != first {
            *known = OfForm {
                first,
                may_have_names: words::may_have_names(line),
                has_count: shapes::has_count(line.text),
            };
        }
        *known
    }
}

/// The places of a sort's harmless lines in [`Sort::harmless`].
const PASSED: usize = 0;
const IGNORED: usize = 1;

/// Finds the line that names the block of a line, by its number and text.
pub type Block<'b, 't> = &'b dyn Fn(usize, &str) -> Option<(usize, &'t str)>;

/// The lines of a text that stand out.
pub struct Findings<'t> {
    /// Lines of the text.
    lines: usize,
    /// Lines that have a shape of failures.
    count: usize,
    sorts: Vec<Sort<'t>>,
    /// Whether each sort is unlike most others, once it is known.
    unlike: OnceCell<Vec<bool>>,
    /// Lines whose sort is unknown, because there are too many sorts.
    others: usize,
    totals: Vec<(usize, &'t str)>,
    /// Lines that few others resemble, and that do not look like failures.
    rare: Vec<Rare<'t>>,
    /// Where the rare part of long rare lines begins, by their numbers.
    parts: Map<usize, usize>,
    /// No other lines are like few others.
    are_all_rare: bool,
    /// The number and the first of the lines that look like failures and are none, as in [`Sort::harmless`].
    harmless: [(usize, Option<(usize, &'t str)>); 2],
}

/// The lines to look for in a text.
pub struct Search<'s> {
    pub strictness: Strictness,
    /// The lines have tags, between which failures are looked for.
    pub has_tags: bool,
    /// Look for rare lines too.
    pub rare: bool,
    /// Look for lines with odd values too, among these.
    pub values: Option<Scope>,
    /// Other lines that are rare, by their numbers, in order.
    pub lines: Vec<usize>,
    /// Lines with the level of an error, by their numbers, in order.
    pub errors: &'s [usize],
    /// Look for lines with words of what may go wrong, too, which are rare.
    pub notable: bool,
}

/// Calls `each` with the texts of a line between its tags.
fn each_text<'t>(line: &'t str, mut each: impl FnMut(&'t str)) {
    let bytes = line.as_bytes();
    let (mut from, mut is_behind_tag) = (0, false);
    for at in (0..bytes.len()).step_by(16) {
        let (next, before) = bytes::sixteen(bytes, at);
        let opens = next.are(b'<') >> before;
        let mut signs = next.are(b'>') >> before | opens;
        while signs != 0 {
            let sign = at + signs.trailing_zeros() as usize;
            if opens & signs & signs.wrapping_neg() != 0 {
                // Most tags directly follow another.
                each(if from < sign { &line[from..sign] } else { "" });
                (from, is_behind_tag) = (sign + 1, false);
            } else if !is_behind_tag {
                (from, is_behind_tag) = (sign + 1, true);
            }
            signs &= signs - 1;
        }
    }
    each(&line[from..]);
}

/// Adds lines that are rare for another reason than their words. `odd`: their numbers, in order.
fn add<'t>(source: &Source<'t>, odd: Vec<usize>, rare: &mut Vec<Rare<'t>>) {
    const MOST: usize = 64;
    if odd.len() > MOST {
        return;
    }
    let mut lines = source.lines();
    for place in odd {
        let at = rare.partition_point(|rare| rare.place < place);
        let known = rare.get_mut(at).filter(|rare| rare.place == place);
        if let Some(known) = known {
            // A setting's word is a better reason than its rare words.
            let value = setting(trim(known.line)).map(|(_, value)| value);
            if value.is_some_and(|value| value.starts_with(char::is_alphabetic)) {
                *known = Rare::of(place, known.line);
            }
        } else if let Some((place, line)) = lines.find(|(number, _)| *number == place) {
            rare.insert(at, Rare::of(place, line));
        }
    }
}

impl<'t> Findings<'t> {
    /// Examines the lines that do not belong to the kind of the text, as `owned` tells; all, if it is none.
    pub fn of(
        source: &Source<'t>,
        (count, bytes): (usize, usize),
        search: Search<'_>,
        owned: Option<IsOwned<'_>>,
    ) -> Findings<'t> {
        let owned = |place, line: &str| owned.is_some_and(|owned| owned(place, line));
        let mut found = Findings {
            lines: count,
            count: 0,
            sorts: Vec::new(),
            unlike: OnceCell::new(),
            others: 0,
            totals: Vec::new(),
            rare: Vec::new(),
            parts: Map::default(),
            are_all_rare: true,
            harmless: [(0, None); 2],
        };
        let (mut rare, mut lone) = (Vec::new(), Vec::new());
        if search.rare {
            (rare, found.are_all_rare, lone) = rare_lines::rare(
                rare_texts::filled(source),
                source.patterns(),
                (count, bytes),
                true,
            );
            // Lines of bytes are all unlike each other.
            let before = rare.len();
            rare.retain(|rare| !encoded::is_line(rare.line));
            found.are_all_rare &= rare.len() == before;
        }
        add(source, lone, &mut rare);
        if let Some(scope) = search.values {
            add(source, rare_texts::odd_places(source, scope), &mut rare);
        }
        add(source, search.lines, &mut rare);
        let mut rare = rare.into_iter();
        let mut next_rare = rare.next();
        let mut errors = search.errors.iter().copied();
        let mut next_error = errors.next();
        let mut known: Map<u64, usize> = Map::default();
        let mut shapes = Shapes::new(search.strictness);
        let mut harmless = Harmless::default();
        let mut messages: Vec<(usize, &'t str)> = Vec::new();
        let mut marked: Vec<(usize, &'t str)> = Vec::new();
        let mut odd: Vec<(usize, Rare<'t>)> = Vec::new();
        let mut notable = Notable::default();
        let mut says_why = None;
        let mut last = 0;
        let mut forms = OfForms::default();
        for (place, whole) in source.filled() {
            let Line { text, signs, .. } = whole;
            // Empty lines may end what is open, and say nothing else.
            for place in last + 1..place {
                if shapes.is_idle() && !harmless.is_open() {
                    break;
                }
                if !owned(place, "") {
                    shapes.next("");
                    harmless.next(place, "");
                }
            }
            last = place;
            let is_rare = next_rare.filter(|it| it.place == place);
            if is_rare.is_some() {
                next_rare = rare.next();
            }
            let is_error = next_error == Some(place);
            if is_error {
                next_error = errors.next();
            }
            let mut line = text;
            if owned(place, line) {
                found.rare.extend(is_rare);
                continue;
            }
            let is_near_end = place + NEAR_END > count;
            let is_usual = !(is_near_end
                || is_error
                || is_rare.is_some()
                || signs.have(NOTABLE.or(Signs::OTHER))
                || line.starts_with('T'));
            // A part of a word of failures has four bytes.
            let is_short = signs == Signs::NONE && line.len() < 4;
            if is_short && is_usual && shapes.is_idle() && !harmless.reads(line) {
                shapes.pass();
                continue;
            }
            let shape = if search.has_tags {
                let mut worst: Option<(Shape, &str)> = None;
                each_text(line, |text| {
                    if text.is_empty() && shapes.is_idle() {
                        return shapes.pass();
                    }
                    if let Some(shape) = shapes.next(text)
                        && worst.is_none_or(|(worst, _)| shape < worst)
                    {
                        worst = Some((shape, text));
                    }
                });
                line = worst.map_or(line, |(_, text)| text);
                worst.map(|(shape, _)| shape)
            } else {
                let shape = shapes.next(line);
                // Nearly all lines end here.
                let says_nothing = shape.is_none() && shapes.marks() == 0;
                if says_nothing && is_usual && !harmless.reads(line) {
                    continue;
                }
                let shape = shape.or(is_error.then_some(Shape::Word));
                let is_open = search.strictness == Strictness::Open && !shapes.is_in_stack();
                let may_be_told = is_open && (shapes.marks() != 0 || signs.have(Signs::OTHER));
                let is_told = || may_be_told && log_words::is_failure(line, shapes.marks());
                shape.or_else(|| is_told().then_some(Shape::Word))
            };
            // A line that pytest marks stands above what it says of it; others are quoted.
            let mut is_quoted = || {
                line.starts_with('>')
                    && !*says_why.get_or_insert_with(|| has(source.text(), "\nE   "))
            };
            let shape = shape.filter(|shape| *shape != Shape::Detail || !is_quoted());
            let may_quote = signs.have(QUOTED);
            let shape = shape.filter(|_| {
                !may_quote
                    || !quoted_code::is_in(Line {
                        text: line,
                        ..whole
                    })
            });
            match harmless.next(place, line) {
                Some(End::Failed) => messages.extend_from_slice(&harmless.messages),
                Some(End::Passed) => found.note_harmless(PASSED, &harmless.sorts),
                Some(End::Ignored) => found.note_harmless(IGNORED, &harmless.sorts),
                None => {}
            }
            let says_nothing = shape.is_none() && shapes.marks() == 0 && is_rare.is_none();
            if says_nothing && !is_near_end && !signs.have(NOTABLE) && !line.starts_with('T') {
                continue;
            }
            let is_totals = search.strictness == Strictness::Open
                && (shapes.is_totals(line, || match search.has_tags {
                    true => shapes::has_count(line),
                    false => forms.of(source, place, whole).has_count,
                }) || is_near_end && shapes::is_outcome(line) && is_alone(source, place));
            if shape.is_none() && !is_totals && !shapes.is_in_stack() {
                let is_notable = is_rare.is_none()
                    && (search.rare && is_notable(line) || line.starts_with(CONFLICT));
                found
                    .rare
                    .extend(is_rare.or_else(|| is_notable.then(|| Rare::of(place, line))));
                if search.notable && is_rare.is_none() && !is_notable {
                    notable.note((place, line), shapes.marks());
                }
            }
            if is_totals {
                if found.totals.len() == TOTALS {
                    found.totals.remove(0);
                }
                found.totals.push((place, line));
            }
            let Some(shape) = shape else { continue };
            if shape == Shape::Failure && known_lines::is_row_of_marks(line) {
                marked.push((place, line));
                continue;
            }
            found.count += 1;
            let pattern = match search.has_tags {
                true => pattern_with_names(line),
                false => source.patterns().with_names(place, line, || {
                    forms.of(source, place, whole).may_have_names
                }),
            };
            let at = known.get(&pattern).copied().unwrap_or(found.sorts.len());
            if let Some(sort) = found.sorts.get_mut(at) {
                sort.count += 1;
                sort.last = place;
                if sort.lines.len() < FEW {
                    sort.lines.push((place, line));
                }
            } else if at < SORTS {
                known.insert(pattern, at);
                found.sorts.push(Sort::of(shape, place, line));
            } else {
                found.others += 1;
                continue;
            }
            if harmless.note(at, line) {
                found.note_harmless(PASSED, &[(at, 1)]);
            }
            let is_odd = |rare: &Rare<'_>| !rare.is_rare_by_words();
            odd.extend(is_rare.filter(is_odd).map(|rare| (at, rare)));
        }
        found.add_odd(odd);
        for place in notable.few(count) {
            add(source, vec![place], &mut found.rare);
        }
        // Where many lines are rows of marks, the text is a table of what is and what is not.
        if marked.len() * MATRIX_SHARE < count {
            messages.append(&mut marked);
        }
        found.add_messages(messages, &known);
        found.forget_harmless();
        let long = found.rare.iter().map(|rare| (rare.place, trim(rare.line)));
        found.parts = excerpts::places(source.texts(), long, RARE_CHARACTERS);
        let Findings { totals, sorts, .. } = &mut found;
        totals.retain(|(place, _)| !sorts.iter().any(|sort| sort.first.0 == *place));
        // Of several programs, the name tells which one failed.
        let lines = sorts.iter_mut().flat_map(|sort| {
            let first = std::iter::once(&mut sort.first);
            first.chain(&mut sort.lines)
        });
        for (_, line) in lines.chain(totals) {
            *line = source.named(line);
        }
        found
    }

    /// Adds lines with an odd value that look like failures, each with its sort, if the line of the sort that is shown is
    /// another one.
    #[inline(never)]
    fn add_odd(&mut self, odd: Vec<(usize, Rare<'t>)>) {
        for (at, rare) in odd {
            let sort = &self.sorts[at];
            if sort.count > FEW && sort.first.0 != rare.place && sort.harmless == [0; 2] {
                self.rare.push(rare);
            }
        }
    }

    /// Notes that lines of sorts, each with its number, are harmless.
    #[inline(never)]
    fn note_harmless(&mut self, why: usize, sorts: &[(usize, usize)]) {
        for (at, lines) in sorts {
            self.sorts[*at].harmless[why] += lines;
        }
    }

    /// Takes the sorts away of which all lines are harmless.
    #[inline(never)]
    fn forget_harmless(&mut self) {
        let Findings {
            sorts, harmless, ..
        } = self;
        let gone = |sort: &Sort<'_>| sort.harmless.iter().sum::<usize>() == sort.count;
        sorts.retain(|sort| {
            let is_gone = gone(sort);
            for ((count, first), lines) in harmless.iter_mut().zip(sort.harmless) {
                if is_gone && lines > 0 {
                    *count += lines;
                    first.get_or_insert(sort.first);
                }
            }
            !is_gone
        });
        let left = sorts.iter().map(|sort| sort.count).sum::<usize>();
        self.count = left + self.others;
    }

    /// Adds what failing tests say, which needs no word of failures. `known`: the sorts of lines that look like failures,
    /// by their patterns. A line of a sort whose other lines are harmless is a sort of its own.
    #[inline(never)]
    fn add_messages(&mut self, messages: Vec<(usize, &'t str)>, known: &Map<u64, usize>) {
        let mut new = Vec::new();
        for (place, line) in messages {
            let at = known.get(&pattern_with_names(line));
            let Some(sort) = at.and_then(|at| self.sorts.get_mut(*at)) else {
                new.push((place, line));
                continue;
            };
            let harmless = sort.harmless.iter().sum::<usize>();
            if sort.count > 1 && harmless + 1 == sort.count {
                sort.count -= 1;
                new.push((place, line));
            } else {
                sort.shape = Shape::Failure;
            }
        }
        for (place, line) in new {
            if self.sorts.len() < SORTS {
                let at = self.sorts.partition_point(|sort| sort.first.0 < place);
                self.sorts.insert(at, Sort::of(Shape::Failure, place, line));
                self.rare.retain(|rare| rare.place != place);
            } else {
                self.others += 1;
            }
        }
    }

    /// The rare lines, by number and text.
    pub fn rare(&self) -> impl Iterator<Item = (usize, &'t str)> {
        self.rare.iter().map(|rare| (rare.place, rare.line))
    }

    /// Forgets the rare lines, by number and text, that `is_told` refuses.
    pub fn retain_rare(&mut self, is_told: impl Fn(usize, &str) -> bool) {
        self.rare.retain(|rare| is_told(rare.place, rare.line));
    }

    /// Forgets all rare lines but the rarest, at most so many.
    pub fn keep_rarest(&mut self, most: usize) {
        let mut rarest = self.rare.clone();
        order::most_first(&mut rarest, |rare| rare.own_words() as i64);
        rarest.truncate(most);
        self.are_all_rare &= rarest.len() == self.rare.len();
        self.retain_rare(|place, _| rarest.iter().any(|rare| rare.place == place));
    }

    /// Lines that have a shape of failures.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The line to look at first; none if no line stands out.
    pub fn point(&self) -> Option<usize> {
        let best = self.sorts.iter().map(|sort| sort.shape).min();
        let unlike = self.unlike_others();
        // The one that is unlike a crowd tells more than the crowd.
        let is_one = unlike.iter().filter(|is_unlike| **is_unlike).count() == 1;
        let failure = self
            .sorts
            .iter()
            .zip(unlike)
            .filter(|(sort, _)| Some(sort.shape) == best)
            // A total tells that there is a failure, not which.
            .map(|(sort, is_unlike)| {
                let is_of_crowd = is_one && !is_unlike;
                (is_total(sort.first.1), is_of_crowd, sort.first.0)
            })
            .min();
        let failure = failure.map(|(.., place)| place);
        failure.or_else(|| {
            let ends = self.ends();
            // Of several, the first is shown.
            let rarest = self.rare.iter().rev();
            let rarest = rarest.max_by_key(|rare| {
                (
                    ends.contains(&rare.place),
                    rare.place > FIRST,
                    rare.own_words(),
                )
            });
            rarest.map(|rare| rare.place)
        })
    }

    /// The lines between those at the beginning and at the end of the text that are rare together: a head and a foot tell
    /// less than a rare line among others.
    fn ends(&self) -> Range<usize> {
        let mut places = self.rare.iter().map(|rare| rare.place);
        let head = places.try_fold(0, |end, place| match place <= end + FIRST {
            true => Ok(place),
            false => Err(end),
        });
        let mut places = self.rare.iter().rev().map(|rare| rare.place);
        let foot = places.try_fold(self.lines + 1, |start, place| {
            match place + FIRST >= start {
                true => Ok(place),
                false => Err(start),
            }
        });
        head.unwrap_or_else(|end| end) + 1..foot.unwrap_or_else(|start| start)
    }

    /// Writes failures, then totals, then rare lines without those, by number and text, that `is_told`. `block`: the line
    /// that names the block of a line.
    pub fn tell(
        &self,
        paper: &mut Paper,
        is_told: impl Fn(usize, &str) -> bool,
        block: Block<'_, 't>,
    ) {
        self.tell_failures(block, paper);
        self.tell_harmless(paper);
        if !self.totals.is_empty() && self.count > 0 {
            paper.line("totals:");
        }
        for (place, line) in &self.totals {
            let line = cut(line.trim(), LINE_CHARACTERS);
            paper.cut_line(&format!("{place}: {}", one_line(&line)));
        }
        let rare = self.rare.iter();
        let rare = rare.filter(|rare| !is_told(rare.place, rare.line));
        let rare: Vec<Rare<'_>> = rare.copied().collect();
        let shown = (&rare[..], self.point());
        rare::tell_rare(shown, &self.parts, self.are_all_rare, block, paper);
    }
}

/// The first line of what two branches have in one place.
const CONFLICT: &str = "<<<<<<< ";

/// Whether a line begins as one that counts failures: `Total: 58 (LOW: 40, CRITICAL: 1)`.
fn is_total(line: &str) -> bool {
    let line = trim_start(line);
    line.starts_with("Total") || line.starts_with("Summary")
}

/// Whether a line names a thing that would be lost: `# aws_db_instance.main must be replaced`,
/// `+ 1a2b3c4...9f8e7d6 main -> main (forced update)`.
fn is_notable(line: &str) -> bool {
    let line = trim_start(line);
    match line.as_bytes() {
        [b'#', ..] => line.ends_with(" must be replaced") || line.ends_with(" will be destroyed"),
        [b'+', ..] => line.ends_with("(forced update)"),
        [b'-', ..] => line.starts_with("- [deleted]"),
        _ => false,
    }
}

/// Whether few lines are like this one.
fn is_alone(source: &Source<'_>, place: usize) -> bool {
    let patterns = source.patterns();
    let pattern = patterns.of_line(place);
    pattern.is_none_or(|at| patterns.all[at].count <= TOTALS)
}

#[cfg(test)]
#[path = "tests/findings.rs"]
mod tests;
