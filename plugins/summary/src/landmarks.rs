//! Landmarks of a text: headings of Markdown, or definitions of code, with their line numbers.
//!
//! Owns what a landmark is, and which are shown. Refuses to know which texts need them.

mod often;

use self::often::Often;
use crate::extremes::Extremes;
use crate::fences::Fences;
use crate::hashing::{Map, hash};
use crate::order;
use crate::paper::{Paper, REST, characters, cut, one_line};
use crate::search::{begins, has, split};
use crate::shapes;
use crate::signs::{Line, Signs};
use crate::trim::{trim, trim_end, trim_start};
use crate::words::{between, eight, pattern_with_names};
use std::borrow::Cow;
use tamis_formats::words::{self, HIGH};

/// Fewest landmarks that count.
const LEAST: usize = 3;
/// Most landmarks that are recorded. Of more, only the number is known.
const MOST: usize = 20_000;
/// Most lines that a tool adds before the first heading.
const PREAMBLE: usize = 4;
/// Most blanks before a definition.
const DEEPEST: usize = 8;
/// Fewest characters for landmarks of the level below those that all fit.
const LEAST_INNER: usize = 160;
/// Characters of a landmark.
const SHOWN_CHARACTERS: usize = 90;

/// A definition has a blank, an assignment its sign, and a heading its mark.
const OF_LANDMARKS: Signs = Signs::SPACE.or(Signs::EQUALS).or(Signs::MARK);
/// Signs of which a text with landmarks, or with fences, has one.
pub const SIGNS: Signs = OF_LANDMARKS.or(Signs::TICK).or(Signs::TILDE);

/// The sort of a text's landmarks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Headings,
    Definitions,
}

/// A heading or a definition.
struct Landmark<'t> {
    /// The number of marks before a heading, or of blanks before a definition.
    depth: usize,
    number: usize,
    line: &'t str,
}

/// The headings of a text, or its definitions, whichever are more.
pub struct Landmarks<'t> {
    sort: Sort,
    found: Vec<Landmark<'t>>,
    count: usize,
    /// The text has blocks of code.
    has_fences: bool,
}

impl<'t> Landmarks<'t> {
    /// Finds both sorts. In code, a line that begins with `#` is a comment. Empty lines may be left out.
    pub fn of(
        lines: impl Iterator<Item = (usize, impl Into<Line<'t>>)> + Clone,
        is_code: bool,
    ) -> Landmarks<'t> {
        let mut fences = Fences::of(lines.clone());
        let new = |sort| Landmarks {
            sort,
            found: Vec::new(),
            count: 0,
            has_fences: !fences.is_empty(),
        };
        let (mut headings, mut definitions) = (new(Sort::Headings), new(Sort::Definitions));
        let mut after_blank = true;
        let mut last = 0;
        for (number, line) in lines {
            let is_after_empty = std::mem::replace(&mut last, number) + 1 < number;
            after_blank |= is_after_empty && !fences.contain(number - 1);
            if fences.contain(number) {
                continue;
            }
            let Line {
                text: line, signs, ..
            } = line.into();
            if !signs.have(OF_LANDMARKS) {
                after_blank = line.is_empty();
                continue;
            }
            let marks = line.bytes().take_while(|byte| *byte == b'#').count();
            if (1..=6).contains(&marks) && line[marks..].starts_with(' ') {
                // A comment is directly above the line that it describes.
                if !is_code && (after_blank || number <= PREAMBLE) {
                    headings.push(marks, number, line);
                }
                continue;
            }
            let start = trim_start(line);
            after_blank = start.is_empty();
            let indent = line.len() - start.len();
            let is_assigned =
                || signs.have(Signs::EQUALS) && is_assigned(start, signs.have(Signs::ANGLE));
            if indent <= DEEPEST && (is_definition(start) || is_assigned()) {
                definitions.push(indent, number, line);
            }
        }
        if definitions.count > headings.count {
            definitions
        } else {
            headings
        }
    }

    fn push(&mut self, depth: usize, number: usize, line: &'t str) {
        self.count += 1;
        if self.found.len() < MOST {
            self.found.push(Landmark {
                depth,
                number,
                line,
            });
        }
    }

    /// The sort of the landmarks; none if there are few.
    pub fn sort(&self) -> Option<Sort> {
        (self.found.len() >= LEAST).then_some(self.sort)
    }

    /// Whether headings divide a text: comments above all other lines do not.
    pub fn divide(&self) -> bool {
        let is_below = self.found.last().is_some_and(|last| last.number > PREAMBLE);
        is_below || self.has_fences
    }

    pub fn has_fences(&self) -> bool {
        self.has_fences
    }

    /// Writes landmarks with their line numbers: all levels if they fit, else the outer ones.
    pub fn tell(&self, paper: &mut Paper) {
        let (found, total) = (&self.found, self.count);
        let what = match self.sort() {
            None => return,
            Some(Sort::Headings) => "headings",
            Some(Sort::Definitions) => "definitions",
        };
        let mut has_depth = [false; DEEPEST + 1];
        found.iter().for_each(|it| has_depth[it.depth] = true);
        let depths = has_depth.iter().enumerate();
        let mut depths = depths.filter(|(_, has)| **has).map(|(depth, _)| depth);
        let room = paper.left().saturating_sub(60);
        let has_all = found.len() == total;
        let is_short_of_room = || found.iter().map(|it| it.told_bytes() + 1).sum::<usize>() > room;
        let is_long = has_all && is_short_of_room();
        if let Some(sorts) = often::of(found).filter(|_| is_long) {
            let different = sorts.len();
            paper.line(&format!(
                "{total} {what}, {different} different; times, first and last line:"
            ));
            paper.list(sorts.into_iter(), Often::told, what);
            return;
        }
        let rare = if is_long { rare(found) } else { Vec::new() };
        let told: Vec<String> = rare.iter().map(|it| it.told()).collect();
        let once = format!("{what} that occur once: {}", told.join(", "));
        let room = match rare.len() {
            0 => room,
            _ => room.saturating_sub(characters(&once) + 1),
        };
        let fits = |depth: usize| {
            let mut left = room;
            let mut shown = found.iter().filter(|it| it.depth <= depth);
            shown.all(|it| {
                let needed = it.told_bytes() + 1;
                let fits = needed <= left;
                left = left.saturating_sub(needed);
                fits
            })
        };
        let outermost = depths.clone().next().unwrap_or_default();
        let mut all = depths.clone();
        let deepest = depths.rfind(|depth| fits(*depth)).unwrap_or(outermost);
        // The one title of a page says little: the level below it, as much as fits.
        let number = found.iter().filter(|it| it.depth <= deepest).count();
        let below = all.find(|depth| *depth > deepest);
        let deepest = below.filter(|_| number == 1).unwrap_or(deepest);
        let of_depth = |depth: usize| found.iter().filter(move |it| it.depth <= depth);
        let bytes = |depth: usize| of_depth(depth).map(|it| it.told_bytes() + 1).sum::<usize>();
        // Where the outer headings leave most of the room, it has inner ones: those in a row at once, if all fit then.
        let is_short = what == "headings"
            && of_depth(deepest).count() < found.len()
            && 2 * bytes(deepest) < room;
        let inner = has_depth.iter().enumerate().skip(deepest + 1);
        let mut inner = inner.filter(|(_, has)| **has).map(|(depth, _)| depth);
        let fits_in_runs = |depth: &usize| {
            let runs = told_runs(of_depth(*depth), what);
            runs.iter().map(|(_, told)| length(told)).sum::<usize>() <= room
        };
        let next = inner.clone().next();
        let deeper = inner.rfind(fits_in_runs).filter(|_| is_short);
        let deepest = deeper.unwrap_or(deepest);
        // Else as many of the next level as fit.
        let mut left = room.saturating_sub(bytes(deepest) + 2 * REST);
        let limit = next.filter(|_| is_short && deeper.is_none() && left >= LEAST_INNER);
        let is_shown = |it: &&Landmark<'_>| {
            let needed = it.told_bytes() + 1;
            let is_inner = limit == Some(it.depth) && needed <= left;
            left = if is_inner {
                left - needed
            } else if limit == Some(it.depth) {
                0
            } else {
                left
            };
            is_inner || it.depth <= deepest
        };
        let shown: Vec<&Landmark<'_>> = found.iter().filter(is_shown).collect();
        let count = shown.len();
        let of = if found.len() < total {
            format!("{total} {what}, of the first {}:", found.len())
        } else if count < total && limit.is_some() {
            format!("{count} of {total} {what}, the outer ones and the first of the next level:")
        } else if count < total {
            format!("{count} of {total} {what}, the outer ones:")
        } else {
            format!("{total} {what}:")
        };
        let place = |number: usize| shown.binary_search_by_key(&number, |it| it.number);
        if rare.iter().any(|it| place(it.number).is_err()) {
            paper.cut_line(&once);
        }
        paper.line(&of);
        if limit.is_some() || deeper.is_none() && fits(deepest) {
            paper.list(shown.into_iter(), Landmark::told, what);
        } else {
            tell_runs(shown.into_iter(), what, paper);
        }
    }
}

/// The few landmarks that occur once where nearly all others of their level occur often: `### Security` among many
/// `### Fixed`.
#[inline(never)]
fn rare<'l, 't>(found: &'l [Landmark<'t>]) -> Vec<&'l Landmark<'t>> {
    /// Each of the others occurs so often on average.
    const OFTEN: usize = 8;
    const MOST: usize = 3;
    let mut rare: Vec<&Landmark<'_>> = Vec::new();
    for depth in 0..=DEEPEST {
        let mut known: Map<u64, (usize, &Landmark<'_>)> = Map::default();
        let mut count = 0;
        for landmark in found.iter().filter(|it| it.depth == depth) {
            count += 1;
            let text = hash(trim(landmark.line).as_bytes());
            known.entry(text).or_insert((0, landmark)).0 += 1;
        }
        if known.len() * OFTEN <= count {
            let lone = known.values().filter(|(times, _)| *times == 1);
            rare.extend(lone.map(|(_, it)| *it));
        }
    }
    if rare.len() > MOST {
        return Vec::new();
    }
    order::least_first(&mut rare, |it| it.number as i64);
    rare
}

/// Most landmarks of a run that are told besides the first and the last.
const STANDING_OUT: usize = 4;

/// Whether each of a run has a number that few have or that is far from all others, or reports a failure that not all do.
#[inline(never)]
fn standing_out(run: &[&Landmark<'_>]) -> Vec<bool> {
    let is_failure = |it: &&Landmark<'_>| {
        let line = trim_start(it.line);
        shapes::is_failure(&line[line.bytes().take_while(|byte| *byte == b'#').count()..])
    };
    let mut odd: Vec<bool> = run.iter().map(is_failure).collect();
    if !odd.contains(&false) {
        odd.fill(false);
    }
    // The lines differ only in numbers: the first of each line, the second, …
    let mut ends = vec![0; run.len()];
    let mut numbers = vec![""; run.len()];
    loop {
        for (at, it) in run.iter().enumerate() {
            numbers[at] = next_number(it.line, &mut ends[at]);
        }
        if numbers.contains(&"") {
            break;
        }
        note_rare(&numbers, &mut odd);
        note_extreme(&numbers, &mut odd);
    }
    odd
}

/// Marks the numbers that are far from all others.
#[inline(never)]
fn note_extreme(numbers: &[&str], odd: &mut [bool]) {
    let mut extremes = Extremes::default();
    for (at, number) in (0..).zip(numbers) {
        extremes.note(number.parse().unwrap_or_default(), number, at);
    }
    for extreme in extremes.range().into_iter().flat_map(|(_, alone)| alone) {
        odd[extreme.row as usize] = true;
    }
}

/// The next number of a line from `at` on, which is moved to its end. Empty after the last one.
#[inline(never)]
fn next_number<'t>(line: &'t str, at: &mut usize) -> &'t str {
    let digits = |from: usize, are: bool| {
        let rest = line.as_bytes()[from..].iter();
        from + rest.take_while(|byte| byte.is_ascii_digit() == are).count()
    };
    let start = digits(*at, false);
    *at = digits(start, true);
    &line[start..*at]
}

/// Marks the texts that are not as most are, if they are few: at most half beside 0, else one in 16.
#[inline(never)]
fn note_rare(texts: &[&str], odd: &mut [bool]) {
    // A text that more than half are is left over when each is taken together with another one.
    let (mut usual, mut left) = ("", 0);
    for text in texts {
        match *text == usual {
            true => left += 1,
            false if left == 0 => (usual, left) = (*text, 1),
            false => left -= 1,
        }
    }
    let others = texts.iter().filter(|text| **text != usual).count();
    let one_of = if usual == "0" { 2 } else { 16 };
    if others * one_of <= texts.len() {
        for (odd, text) in odd.iter_mut().zip(texts) {
            *odd |= *text != usual;
        }
    }
}

/// The lines that tell a run: its first and its last landmark, and those that stand out.
#[inline(never)]
fn told_run(run: &[&Landmark<'_>], what: &str) -> Vec<String> {
    let ([first, ..], [.., last]) = (run, run) else {
        return Vec::new();
    };
    let (from, to) = (first.told(), last.told());
    let mut told = vec![format!("{from} … {to} ({} such {what})", run.len())];
    let mut more = 0;
    for (it, is_odd) in run.iter().zip(standing_out(run)) {
        if is_odd && told.len() <= STANDING_OUT {
            told.push(format!(" {}", it.told()));
        } else if is_odd {
            more += 1;
        }
    }
    if more > 0 {
        told.push(format!(" and {more} more like these"));
    }
    told
}

/// The lines of landmarks, of which those in a row that differ only in numbers are told by the first and the last. Each
/// with the number of landmarks.
fn told_runs<'l, 't: 'l>(
    shown: impl Iterator<Item = &'l Landmark<'t>>,
    what: &str,
) -> Vec<(usize, Vec<String>)> {
    /// Fewer are told each.
    const LEAST: usize = 4;
    let mut runs: Vec<Vec<&Landmark<'_>>> = Vec::new();
    let mut last = None;
    for landmark in shown {
        let form = Some((landmark.depth, pattern_with_names(landmark.line)));
        match runs.last_mut().filter(|_| form == last) {
            Some(run) => run.push(landmark),
            None => runs.push(vec![landmark]),
        }
        last = form;
    }
    let told = |run: &Vec<&Landmark<'_>>| match &run[..] {
        run if run.len() >= LEAST => told_run(run, what),
        _ => run.iter().map(|landmark| landmark.told()).collect(),
    };
    runs.iter().map(|run| (run.len(), told(run))).collect()
}

/// Characters of lines, with their ends.
fn length(lines: &[String]) -> usize {
    lines.iter().map(|line| characters(line) + 1).sum()
}

/// Writes landmarks, of which those in a row are told at once.
fn tell_runs<'l, 't: 'l>(
    shown: impl Iterator<Item = &'l Landmark<'t>>,
    what: &str,
    paper: &mut Paper,
) {
    let mut left = 0;
    for (count, told) in told_runs(shown, what) {
        if left > 0 || length(&told) + REST + what.len() > paper.left() {
            left += count;
        } else {
            told.iter().for_each(|line| _ = paper.line(line));
        }
    }
    paper.count_rest(left, what);
}

impl Landmark<'_> {
    #[inline(never)]
    fn told(&self) -> String {
        format!("{}: {}", self.number, one_line(&self.shown()))
    }

    fn told_bytes(&self) -> usize {
        let digits = self.number.ilog10() as usize + 1;
        digits + ": ".len() + self.shown().len()
    }

    fn shown(&self) -> Cow<'_, str> {
        let line = trim_end(trim(self.line).trim_end_matches('{'));
        cut(line, SHOWN_CHARACTERS)
    }
}

/// Whether lines outside of fences, of `count` in all, look like code or settings: assignments, ends of statements and
/// blocks, names of sections.
pub fn looks_like_code<'t>(
    lines: impl Iterator<Item = (usize, impl Into<Line<'t>>)> + Clone,
    count: usize,
) -> bool {
    let (mut others, mut code) = (0usize, 0usize);
    let mut fences = Fences::of(lines.clone());
    for (number, line) in lines {
        let line = trim(line.into().text);
        if !fences.contain(number) && !line.is_empty() && !line.starts_with("# ") {
            if is_code(line) {
                code += 1;
            } else {
                others += 1;
            }
            if code * 20 >= count * 7 || others * 20 > count * 13 {
                break;
            }
        }
    }
    code * 13 >= others * 7 && code > 0
}

/// Beginnings of lines of code.
fn beginnings(first: u8) -> &'static [&'static str] {
    match first {
        b'/' => &["// ", "///", "//!", "/*"],
        b'#' => &["#!"],
        b'@' => &["@"],
        b'"' => &["\""],
        b'a' => &["async ", "await ", "assert "],
        b'c' => &["const ", "class "],
        b'd' => &["def ", "done"],
        b'e' => &["else", "elif ", "export ", "echo ", "except"],
        b'f' => &["from ", "for ", "fi"],
        b'i' => &["import ", "if "],
        b'l' => &["let "],
        b'r' => &["return", "raise "],
        b's' => &["self.", "set "],
        b't' => &["this.", "try:"],
        b'u' => &["use "],
        b'v' => &["var "],
        b'w' => &["while "],
        _ => &[],
    }
}

/// Whether a line looks like code.
pub fn is_code(line: &str) -> bool {
    if line.starts_with(['|', '>', '!']) || line.starts_with("- ") || line.starts_with("* ") {
        return false;
    }
    // `test_a PASSED [ 48%]` ends in brackets that belong to no name.
    let is_index = || {
        let open = line.rfind('[').unwrap_or_default();
        !line[..open].ends_with(' ') && !has(&line[..open], ": ")
    };
    let ends = matches!(
        line.as_bytes().last(),
        Some(b';' | b'{' | b'}' | b'(' | b'[')
    ) || line.ends_with("),")
        || line.ends_with(']') && is_index();
    let begins = || {
        let first = line.as_bytes().first();
        let mut words = first.map_or(&[][..], |first| beginnings(*first)).iter();
        words.any(|word| {
            line.strip_prefix(word)
                .is_some_and(|rest| ends_word(word, rest))
        })
    };
    let is_assignment = || {
        let name = split(line, "=").map(|(name, _)| name.trim_end());
        // `up{instance="10.0.0.5:9090"} 1` is a measured value.
        let is_sign = |byte| matches!(byte, b' ' | b'{');
        let name = name.filter(|name| !name.is_empty() && !name.bytes().any(is_sign));
        // A line of a log has several: `time=… status=504 err="…"`.
        let is_pair = |word: &&[u8]| memchr::memchr(b'=', word).is_some_and(|at| at > 0);
        let bytes = line.as_bytes();
        let pairs = bytes.split(|byte| *byte == b' ').filter(is_pair);
        let is_one = words::count(bytes, b'=') == 1;
        name.is_some_and(|name| is_one || name.contains('(') || pairs.take(2).count() < 2)
    };
    // `name: value,` and `name: str,` in calls and signatures.
    let is_part = || line.ends_with(',') && !has(line, ". ");
    ends || begins() || is_assignment() || is_part()
}

/// Whether a word that begins a line of code ends there: `fi` does not in `fix/cart-7`.
fn ends_word(word: &str, rest: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/');
    !word.ends_with(char::is_alphabetic) || !rest.starts_with(is_letter)
}

/// Words that begin a definition, and words that may precede them.
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
const BEFORE: [&str; 13] = [
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
    "extend",
];
/// Words that begin other definitions of a schema of GraphQL.
const OF_SCHEMA: [&str; 5] = ["input", "union", "scalar", "directive", "schema"];

/// All these words.
const WORDS: [&str; DEFINING.len() + BEFORE.len() + OF_SCHEMA.len()] = {
    let others = DEFINING.len() + BEFORE.len();
    let mut words = [""; DEFINING.len() + BEFORE.len() + OF_SCHEMA.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = if at < DEFINING.len() {
            DEFINING[at]
        } else if at < others {
            BEFORE[at - DEFINING.len()]
        } else {
            OF_SCHEMA[at - others]
        };
        at += 1;
    }
    words
};

/// The first two letters of these words: a bit of the second for each first. This rules out most lines.
static FIRST_LETTERS: [u32; 32] = {
    let mut letters = [0; 32];
    let mut at = 0;
    while at < WORDS.len() {
        let [first, second, ..] = WORDS[at].as_bytes() else {
            panic!("a word has two letters");
        };
        letters[(*first & 31) as usize] |= 1 << (*second & 31);
        at += 1;
    }
    letters
};

/// Of each letter, the numbers of small letters that those of these words begin with which begin with it, a bit each: more
/// than eight are taken for eight.
static LENGTHS: [u16; 32] = {
    let mut lengths = [0; 32];
    let mut at = 0;
    while at < WORDS.len() {
        let word = WORDS[at].as_bytes();
        let mut letters = 0;
        while letters < word.len() && letters < 8 && word[letters].is_ascii_lowercase() {
            letters += 1;
        }
        lengths[(word[0] & 31) as usize] |= 1 << letters;
        at += 1;
    }
    lengths
};

/// Whether a line begins a definition. `line`: without leading blanks.
pub fn is_definition(line: &str) -> bool {
    let [first @ b'a'..=b'z', second @ b'a'..=b'z', ..] = line.as_bytes() else {
        return false;
    };
    if FIRST_LETTERS[usize::from(first & 31)] & 1 << (second & 31) == 0 {
        return false;
    }
    let part = eight(line.as_bytes(), 0);
    let letters = words::first(!(between(part, b'a', b'z') & !part) & HIGH);
    if LENGTHS[usize::from(first & 31)] & 1 << letters == 0 {
        return false;
    }
    let mut words = line.split_whitespace();
    let word = words
        .find(|word| !BEFORE.contains(word))
        .unwrap_or_default();
    if OF_SCHEMA.contains(&word) {
        return is_of_schema(word, words.next(), words.next());
    }
    let word = word.split('<').next().unwrap_or(word);
    if !DEFINING.contains(&word) || !words.next().is_some_and(starts_name) {
        return false;
    }
    let line = line.trim_end();
    line.contains(['(', '{', '=', '<']) || line.ends_with([':', ';', ')'])
}

/// Whether a line of JavaScript gives a name to a function or a class: `res.status = function status(code) {`,
/// `export const a = async (b) => {`. `line`: without leading blanks. `has_angle`: it has a `>`, or may have one.
fn is_assigned(line: &str, has_angle: bool) -> bool {
    let bytes = line.as_bytes();
    let is_alone = |at: usize| bytes[..at].ends_with(b" ") && bytes[at + 1..].starts_with(b" ");
    let mut at = 0;
    loop {
        at = words::place_from(bytes, at, |part| part.are(b'='));
        if at >= bytes.len() {
            return false;
        }
        if is_alone(at) {
            break;
        }
        at += 1;
    }
    let (name, value) = (&line[..at - 1], &line[at + 2..]);
    // Few values have an arrow, or begin with one of these.
    let has_arrow = || has_angle && has(value, "=>");
    let may_begin = matches!(value.as_bytes().first(), Some(b'a' | b'f' | b'c'));
    if !(may_begin && begins(value, &["async ", "function", "class"]) || has_arrow()) {
        return false;
    }
    let mut words = name
        .split(' ')
        .skip_while(|word| matches!(*word, "export" | "const" | "let" | "var"));
    let name = words.next().unwrap_or_default();
    let name = match name.strip_suffix(':') {
        // A type follows.
        Some(name) => name,
        None if words.next().is_some() => return false,
        None => name,
    };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '#');
    if name.is_empty() || name.starts_with(|c: char| c.is_numeric()) || !name.chars().all(is_part) {
        return false;
    }
    let value = trim_end(value);
    let (is_async, value) = match value.strip_prefix("async ") {
        Some(value) => (true, value),
        None => (false, value),
    };
    let after = |word: &str| value.strip_prefix(word);
    if let Some(rest) = after("function") {
        return rest.starts_with(['(', ' ', '*']) && rest.contains('(');
    }
    if let Some(rest) = after("class") {
        return rest.starts_with([' ', '{']) && rest.ends_with('{');
    }
    let rest = match after("(") {
        Some("") => return is_async,
        Some(inside) => {
            let mut open = 1;
            let close = inside.bytes().position(|byte| {
                open += i32::from(byte == b'(') - i32::from(byte == b')');
                open == 0
            });
            let Some(close) = close else { return false };
            &inside[close + 1..]
        }
        None => value.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$')),
    };
    // The type of the result is before the arrow.
    let is_typed = || rest.starts_with(": ") && has(rest, " => ");
    rest.len() < value.len() && (rest.starts_with(" =>") || is_typed())
}

/// Whether a word of [`OF_SCHEMA`], with the next two, begins a definition: `input A {`, `union A = B | C`, `scalar A`.
fn is_of_schema(word: &str, name: Option<&str>, next: Option<&str>) -> bool {
    let first = |word: Option<&str>| word.and_then(|word| word.bytes().next()).unwrap_or(0);
    let (name, next) = (first(name), first(next));
    let after_name = match word {
        "directive" => return name == b'@',
        "schema" => return matches!(name, b'{' | b'@') && (next == 0) == (name == b'{'),
        "input" => b'{',
        "union" => b'=',
        _ => 0,
    };
    name.is_ascii_uppercase() && (next == after_name || next == b'@')
}

fn starts_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '(' || c == '<')
}

#[cfg(test)]
#[path = "tests/landmarks.rs"]
mod tests;
