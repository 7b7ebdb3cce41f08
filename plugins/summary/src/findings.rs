//! Lines of a text that stand out: failures, and lines unlike all others, ranked by importance.
//!
//! Owns the order of lines, and the grouping of lines of one sort. Refuses to know the shapes of failures, and what
//! makes a line rare.

use crate::encoded;
use crate::excerpts;
use crate::harmless::{End, Harmless};
use crate::hashing::{Map, START, hash, mixed};
use crate::kinds;
use crate::known_lines;
use crate::levels;
use crate::log_words::{self, Notable};
use crate::odd_values::{self, Scope};
use crate::order;
use crate::paper::{Paper, characters, cut, one_line};
use crate::quoted_code;
use crate::rare_lines::{self, Rare};
use crate::search::has;
use crate::shapes::{self, Shape, Shapes, Strictness};
use crate::signs::{Line, Signs};
use crate::source::Source;
use crate::trim::{trim, trim_end, trim_start};
use crate::words::{each_value_with_names, pattern_with_names, word_or_number};
use tamis_formats::words as bytes;

/// Most sorts of lines. Lines of other sorts are only counted.
const SORTS: usize = 256;
/// Characters of a shown line: of a failure, of another, of a rare one.
const FAILURE_CHARACTERS: usize = 600;
const LINE_CHARACTERS: usize = 240;
const RARE_CHARACTERS: usize = 200;
/// Lines of a sort that are shown each, if they differ in more than their place.
const FEW: usize = 4;
/// Most rare lines that are shown.
const RARE: usize = 8;
/// Lines that any first call reads.
const FIRST: usize = 5;
/// Most totals of test runs that are shown: the last ones.
const TOTALS: usize = 3;
/// Lines at the end of a text that may tell what came of the work.
const NEAR_END: usize = 30;
/// Characters of the line that counts the omitted lines.
const REST: usize = 48;
/// Characters for rare lines after failures.
const OTHERS: usize = 320;
/// Fewer sorts are no crowd.
const CROWD: usize = 8;
/// Most words of a line that are compared with those of others.
const WORDS: usize = 64;
/// The signs of lines that tell something without a word of failures.
const NOTABLE: Signs = Signs::MARK.or(Signs::COMMA).or(Signs::ANGLE);
/// The signs of lines that quote code.
const QUOTED: Signs = Signs::QUOTE
    .or(Signs::COMMA)
    .or(Signs::BAR)
    .or(Signs::OTHER);
/// Rows of marks are no failures if more than one line in so many is such a row.
const MATRIX_SHARE: usize = 4;
/// A sort is unlike the others if at most one in so many shares its frequent words.
const UNLIKE_ONE_OF: usize = 8;

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

/// The places of a sort's harmless lines in [`Sort::harmless`].
const PASSED: usize = 0;
const IGNORED: usize = 1;

/// The lines of a text that stand out.
pub struct Findings<'t> {
    /// Lines that have a shape of failures.
    count: usize,
    sorts: Vec<Sort<'t>>,
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

/// The texts of a line between its tags.
fn texts(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = bytes::place_from(text.as_bytes(), 0, |bytes| bytes.are(b'<'));
        rest = text.get(end + 1..);
        let part = &text[..end];
        let tag = bytes::place_from(part.as_bytes(), 0, |bytes| bytes.are(b'>'));
        Some(part.get(tag + 1..).unwrap_or(part))
    })
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
    /// Examines the lines that do not belong to the kind of the text, as `owned` tells.
    pub fn of(
        source: &Source<'t>,
        (count, bytes): (usize, usize),
        search: Search<'_>,
        owned: impl Fn(usize, &str) -> bool,
    ) -> Findings<'t> {
        let mut found = Findings {
            count: 0,
            sorts: Vec::new(),
            others: 0,
            totals: Vec::new(),
            rare: Vec::new(),
            parts: Map::default(),
            are_all_rare: true,
            harmless: [(0, None); 2],
        };
        let (mut rare, mut lone) = (Vec::new(), Vec::new());
        if search.rare {
            (rare, found.are_all_rare, lone) =
                rare_lines::rare(filled(source), source.patterns(), (count, bytes), true);
            // Lines of bytes are all unlike each other.
            let before = rare.len();
            rare.retain(|rare| !encoded::is_line(rare.line));
            found.are_all_rare &= rare.len() == before;
        }
        add(source, lone, &mut rare);
        if let Some(scope) = search.values {
            add(source, odd_places(source, scope), &mut rare);
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
        for (place, Line { text, signs, .. }) in source.filled() {
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
            let shape = if search.has_tags {
                let found = texts(line).filter_map(|text| Some((shapes.next(text)?, text)));
                let worst = found.min_by_key(|(shape, _)| *shape);
                line = worst.map_or(line, |(_, text)| text);
                worst.map(|(shape, _)| shape)
            } else {
                let shape = shapes.next(line).or(is_error.then_some(Shape::Word));
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
            let shape = shape.filter(|_| !may_quote || !quoted_code::is_in(line));
            match harmless.next(place, line) {
                Some(End::Failed) => messages.extend_from_slice(&harmless.messages),
                Some(End::Passed) => found.note_harmless(PASSED, &harmless.sorts),
                Some(End::Ignored) => found.note_harmless(IGNORED, &harmless.sorts),
                None => {}
            }
            let is_near_end = place + NEAR_END > count;
            // Nearly all lines end here.
            let says_nothing = shape.is_none() && shapes.marks() == 0 && is_rare.is_none();
            if says_nothing && !is_near_end && !signs.have(NOTABLE) && !line.starts_with('T') {
                continue;
            }
            let is_totals = search.strictness == Strictness::Open
                && (shapes.is_totals(line)
                    || is_near_end && shapes::is_outcome(line) && is_alone(source, place));
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
                false => source.patterns().with_names(place, line),
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

    /// Forgets the rare lines, by number and text, that `is_told` refuses.
    pub fn retain_rare(&mut self, is_told: impl Fn(usize, &str) -> bool) {
        self.rare.retain(|rare| is_told(rare.place, rare.line));
    }

    /// Of a text of settings with a value that few others of its key have, forgets comments, and values of keys that have
    /// many: of many names and descriptions, all are rare.
    #[inline(never)]
    pub fn forget_usual_settings(&mut self, source: &Source<'t>) {
        /// So many different values of a key are many.
        const MANY: usize = 8;
        /// So many rare lines are all shown.
        const SETTINGS: usize = 8;
        if self.rare.iter().all(Rare::is_rare_by_words) {
            return;
        }
        let is_comment = |line: &str| line.starts_with(['#', ';']);
        let (mut settings, mut others) = (0, 0);
        // The different values of each key.
        let mut keys: Map<&str, Vec<u64>> = Map::default();
        for line in source.texts().map(trim).filter(|line| !line.is_empty()) {
            let Some((key, value)) = setting(line) else {
                // Sections, and lists in several lines.
                let is_part = is_comment(line) || line.starts_with(['[', ']', '{', '}']);
                others += usize::from(!is_part);
                continue;
            };
            settings += 1;
            let values = keys.entry(key).or_default();
            let value = hash(value.as_bytes());
            if values.len() < MANY && !values.contains(&value) {
                values.push(value);
            }
        }
        if settings <= 2 * others {
            return;
        }
        let is_usual = |line: &str| {
            setting(line).is_some_and(|(key, value)| {
                let values = keys.get(key).map_or(0, Vec::len);
                values == MANY && !value.is_empty()
            })
        };
        let is_odd = |rare: &Rare<'_>| {
            let line = trim(rare.line);
            !rare.is_rare_by_words() || !is_comment(line) && !is_usual(line)
        };
        if self.rare.len() > SETTINGS {
            self.rare.retain(is_odd);
        }
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
        let failure = self
            .sorts
            .iter()
            .filter(|sort| Some(sort.shape) == best)
            .map(|sort| sort.first.0)
            .min();
        failure.or_else(|| {
            // The first lines are the first page's.
            let rarest = self
                .rare
                .iter()
                .max_by_key(|rare| (rare.place > FIRST, rare.own_words()));
            rarest.map(|rare| rare.place)
        })
    }

    /// Writes failures, then totals, then rare lines without those, by number and text, that `is_told`.
    pub fn tell(&self, paper: &mut Paper, is_told: impl Fn(usize, &str) -> bool) {
        self.tell_failures(paper);
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
        tell_rare(&rare, &self.parts, self.are_all_rare, paper);
    }

    fn tell_failures(&self, paper: &mut Paper) {
        if self.sorts.is_empty() {
            return;
        }
        let (count, sorts) = (self.count, self.sorts.len());
        let head = if count == 1 {
            "1 line that looks like a failure:".to_owned()
        } else if sorts == 1 {
            format!("{count} lines that look like failures, of one sort:")
        } else if sorts == count {
            format!("{count} lines that look like failures:")
        } else if self.others > 0 {
            format!("{count} lines that look like failures, of more than {sorts} sorts:")
        } else {
            format!("{count} lines that look like failures, of {sorts} sorts:")
        };
        if !paper.line(&head) {
            return;
        }
        // The most important shape first, and of these the first, the last, the second, …
        let alone = self.unlike_others();
        let mut order: Vec<usize> = Vec::with_capacity(sorts);
        for shape in [Shape::Failure, Shape::Detail, Shape::Word] {
            let of_shape = (0..sorts).filter(|at| self.sorts[*at].shape == shape);
            // The worst first, whatever their place, then one of the crowd, and those unlike it.
            let (worst, all): (Vec<usize>, Vec<usize>) =
                of_shape.partition(|at| is_critical(self.sorts[*at].first.1));
            order.extend(worst);
            let (alone, all): (Vec<usize>, Vec<usize>) = all.into_iter().partition(|at| alone[*at]);
            order.extend(all.first());
            order.extend(alone);
            order.extend(all.get(1..).and_then(|rest| rest.last()));
            let middle = 1..all.len().saturating_sub(1);
            order.extend(all.get(middle).unwrap_or_default());
        }
        // Lines that do not look like failures need room, too.
        let others = if self.rare.is_empty() {
            0
        } else {
            OTHERS.min(paper.left() / 4)
        };
        let mut left = paper.left() - others;
        let mut shown: Vec<(usize, String)> = Vec::new();
        for at in order {
            let line = told(&self.sorts[at]);
            let needed = characters(&line) + 1;
            let rest = if shown.len() + 1 < sorts { REST } else { 0 };
            if needed + rest > left {
                break;
            }
            left -= needed;
            let place = shown.partition_point(|(known, _)| *known < at);
            shown.insert(place, (at, line));
        }
        if shown.is_empty() {
            // The most important line, as much as fits.
            let best = self.sorts.iter().min_by_key(|sort| sort.shape);
            if let Some(sort) = best {
                paper.cut_line(&told(sort));
            }
            return;
        }
        let left_out: usize = count
            - shown
                .iter()
                .map(|(at, _)| self.sorts[*at].count)
                .sum::<usize>();
        for (_, line) in &shown {
            paper.line(line);
        }
        if left_out > 0 {
            paper.cut_line(&format!(" and {left_out} more such lines"));
        }
    }

    fn tell_harmless(&self, paper: &mut Paper) {
        let whys = [
            "of tests that passed",
            "of tasks whose failures are ignored",
        ];
        for ((count, first), why) in self.harmless.iter().zip(whys) {
            let Some((place, line)) = first else { continue };
            let line = cut(line.trim(), LINE_CHARACTERS / 2);
            let lines = match count {
                1 => "1 line that looks like a failure is".to_owned(),
                count => format!("{count} lines that look like failures are"),
            };
            paper.cut_line(&format!(
                "{lines} {why}, first {place}: {}",
                one_line(&line)
            ));
        }
    }

    /// Whether each sort is unlike most others: of many that differ in a name each, few have other words.
    fn unlike_others(&self) -> Vec<bool> {
        let count = self.sorts.len();
        if count < CROWD {
            return vec![false; count];
        }
        let each_word = |line: &str, each: &mut dyn FnMut(u64)| {
            each_value_with_names(trim(line), &mut |value| {
                if let Some(word) = word_or_number(value) {
                    each(word);
                }
            });
        };
        let mut frequent: Map<u64, usize> = Map::default();
        for sort in &self.sorts {
            let mut seen: Vec<u64> = Vec::new();
            each_word(sort.first.1, &mut |word| {
                if seen.len() < WORDS && !seen.contains(&word) {
                    seen.push(word);
                }
            });
            for word in seen {
                *frequent.entry(word).or_default() += 1;
            }
        }
        let many = (count / UNLIKE_ONE_OF).max(2);
        let form = |sort: &Sort<'t>| {
            let mut form = START;
            each_word(sort.first.1, &mut |word| {
                if frequent.get(&word).is_some_and(|count| *count > many) {
                    form = mixed(form, word);
                }
            });
            form
        };
        let forms: Vec<u64> = self.sorts.iter().map(form).collect();
        let mut alike: Map<u64, usize> = Map::default();
        for (form, sort) in forms.iter().zip(&self.sorts) {
            *alike.entry(*form).or_default() += sort.count;
        }
        let is_few = |form: &u64| alike[form] * UNLIKE_ONE_OF <= self.count;
        let unlike: Vec<bool> = forms.iter().map(is_few).collect();
        // If many are unlike others, there is no crowd.
        match unlike.iter().filter(|it| **it).count() * 2 > count {
            true => vec![false; count],
            false => unlike,
        }
    }
}

/// `parts`: where the rare part of some begins. `are_all`: no other lines are like few others.
fn tell_rare(rare: &[Rare<'_>], parts: &Map<usize, usize>, are_all: bool, paper: &mut Paper) {
    let count = rare.len();
    let head = |shown: usize| match count {
        _ if !are_all => format!("{shown} of many lines that are like few others:"),
        1 => "1 line that is like few others:".to_owned(),
        _ if shown == count => format!("{count} lines that are like few others:"),
        _ => format!("{count} lines that are like few others, the {shown} rarest:"),
    };
    let longest = characters(&head(0)) + 1;
    if count == 0 || paper.left() < longest {
        return;
    }
    // The rarest lines that fit, in the order of the text.
    let mut order = rare_sorts(rare);
    order::least_first(&mut order, |sort| sort.first.place as i64);
    order::most_first(&mut order, |sort| sort.first.own_words() as i64);
    // Lines with rare words need room, too.
    let others = order.iter().filter(|it| !it.first.is_rare_by_words());
    let others = others.count();
    let words = order.len() - others;
    let room = RARE - words.min(RARE / 2);
    order.drain(others.min(room)..others);
    order.truncate(RARE);
    let mut left = paper.left() - longest;
    let (mut told, mut shown) = (Vec::new(), 0);
    for RareSort { first, count, last } in order {
        let reserve = if count == 1 { 12 } else { REST };
        let limit = RARE_CHARACTERS.min(left.saturating_sub(reserve));
        let at = parts.get(&first.place).copied().unwrap_or_default();
        let line = excerpts::around(trim(first.line), at, limit);
        let place = match count {
            1 => first.place.to_string(),
            count => format!("{} ({count} times, last {last})", first.place),
        };
        let line = format!("{place}: {}", one_line(&line));
        let needed = characters(&line) + 1;
        // The number before a line takes part of the room.
        if limit < 8 {
            break;
        }
        left -= needed;
        shown += count;
        let at = told.partition_point(|(place, _)| *place < first.place);
        told.insert(at, (first.place, line));
    }
    if told.is_empty() {
        return;
    }
    paper.line(&head(shown));
    for (_, line) in told {
        paper.line(&line);
    }
}

/// The rare lines. Several with equal words, which are rare together, are one sort.
fn rare_sorts<'t>(all: &[Rare<'t>]) -> Vec<RareSort<'t>> {
    let mut sorts: Vec<RareSort<'t>> = Vec::new();
    let mut known: Map<u64, usize> = Map::default();
    for rare in all {
        let next = sorts.len();
        let at = match rare.is_rare_by_words() {
            true => *known.entry(pattern_with_names(rare.line)).or_insert(next),
            false => next,
        };
        match sorts.get_mut(at) {
            Some(sort) => (sort.count, sort.last) = (sort.count + 1, rare.place),
            None => sorts.push(RareSort {
                first: *rare,
                count: 1,
                last: rare.place,
            }),
        }
    }
    // Two are shown each.
    let pairs: Vec<RareSort<'t>> = sorts.extract_if(.., |sort| sort.count == 2).collect();
    for pair in pairs {
        let rest = all.iter().filter(|it| it.place == pair.last);
        for rare in std::iter::once(&pair.first).chain(rest) {
            sorts.push(RareSort {
                first: *rare,
                count: 1,
                last: rare.place,
            });
        }
    }
    sorts
}

/// The lines that are not empty.
fn filled<'t>(source: &Source<'t>) -> impl Iterator<Item = (usize, &'t str)> + Clone {
    source.filled().map(|(place, line)| (place, line.text))
}

/// The lines with a value that stands out, by their numbers from 1 and in order.
#[inline(never)]
pub fn odd_places(source: &Source<'_>, scope: Scope) -> Vec<usize> {
    let pattern = |place: usize| source.patterns().of_line(place);
    odd_values::lines(source.text(), source.filled(), scope, &pattern)
}

/// More are not rare.
const CANDIDATES: usize = 4;

/// Texts of one line each as the lines of one.
fn joined<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut text = Vec::new();
    for line in texts {
        bytes::append(&mut text, line.as_bytes());
        text.push(b'\n');
    }
    text.pop();
    String::from_utf8(text).unwrap_or_default()
}

/// Of texts of one line each, those whose words few share, by their numbers from 1, the rarest first; none, if there are
/// more than a few.
pub fn rare_words<'t>(texts: impl ExactSizeIterator<Item = &'t str>) -> Vec<usize> {
    let count = texts.len();
    let text = joined(texts);
    places_of_rare_words(&Source::of(&text), (count, text.len()))
}

/// The same of the lines of a text. `size`: how many lines, and bytes.
fn places_of_rare_words(source: &Source<'_>, size: (usize, usize)) -> Vec<usize> {
    let (mut rare, ..) = rare_lines::rare(filled(source), source.patterns(), size, false);
    if rare.len() > CANDIDATES {
        return Vec::new();
    }
    order::most_first(&mut rare, |rare| rare.own_words() as i64);
    rare.iter().map(|rare| rare.place).collect()
}

/// The rarest of texts of one line each, by their numbers from 1, at most `most`: those with a value that stands out,
/// then those whose words few share.
pub fn rare_places<'t>(texts: impl ExactSizeIterator<Item = &'t str>, most: usize) -> Vec<usize> {
    let count = texts.len();
    let text = joined(texts);
    let source = Source::of(&text);
    let mut places = odd_places(&source, Scope::All);
    if places.len() > CANDIDATES {
        places.clear();
    }
    let may_be_log = kinds::may_be_log(source.texts(), count);
    let log = may_be_log.then(|| levels::of(source.texts())).flatten();
    let levels = log.map_or_else(Vec::new, |log| log.of_rare_levels());
    places.retain(|place| !levels.contains(place));
    places.splice(..0, levels.into_iter().take(CANDIDATES));
    let rare = places_of_rare_words(&source, (count, text.len()));
    let rare: Vec<usize> = rare.into_iter().filter(|it| !places.contains(it)).collect();
    places.extend(rare);
    places.truncate(most);
    places
}

/// Rare lines with equal words.
struct RareSort<'t> {
    first: Rare<'t>,
    count: usize,
    last: usize,
}

/// The first line of what two branches have in one place.
const CONFLICT: &str = "<<<<<<< ";

/// The key and the value of a setting that a line is: `enabled = false`, `optional=true`.
pub fn setting(line: &str) -> Option<(&str, &str)> {
    let at = bytes::place_from(line.as_bytes(), 0, |bytes| bytes.are(b'='));
    let (key, value) = (trim_end(&line[..at]), line.get(at + 1..)?);
    let is_key = |byte: u8| levels::is_word(byte) || matches!(byte, b'-' | b'.');
    (!key.is_empty() && key.bytes().all(is_key)).then(|| (key, trim_start(value)))
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

/// Whether a failure says of itself that it is a critical one.
fn is_critical(line: &str) -> bool {
    ["ritical", "CRITICAL", "FATAL", "anic"]
        .iter()
        .any(|word| has(line, word))
}

/// Whether few lines are like this one.
fn is_alone(source: &Source<'_>, place: usize) -> bool {
    let patterns = source.patterns();
    let pattern = patterns.of_line(place);
    pattern.is_none_or(|at| patterns.all[at].count <= TOTALS)
}

/// A line of a sort, and the number of such lines; all of them, if they are few and differ.
fn told(sort: &Sort<'_>) -> String {
    let limit = match sort.shape {
        Shape::Failure => FAILURE_CHARACTERS,
        _ => LINE_CHARACTERS,
    };
    let shown = |line: &str| {
        let line = cut(line.trim(), limit);
        one_line(&line).into_owned()
    };
    let (place, line) = sort.first;
    let are_same = sort.lines.iter().all(|(_, it)| it.trim() == line.trim());
    if sort.count <= FEW && !are_same {
        let lines = sort.lines.iter();
        let lines = lines.map(|(place, line)| format!("{place}: {}", shown(line)));
        return lines.collect::<Vec<_>>().join("\n");
    }
    let line = shown(line);
    match sort.count {
        1 => format!("{place}: {line}"),
        2 => format!("{place}, {}: {line}", sort.last),
        count => format!("{place} ({count} times, last {}): {line}", sort.last),
    }
}

#[cfg(test)]
#[path = "tests/findings.rs"]
mod tests;
