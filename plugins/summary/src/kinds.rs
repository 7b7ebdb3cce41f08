//! The kind of a text by its lines. Each kind has its own form of summary.
//!
//! Owns the order in which kinds are tried, the lines that belong to a kind, and the kinds that a model asks for
//! explicitly. Refuses to know how a kind is summarised.
//!
//! One pass for each kind looks for it and stores a bounded number of things.

use crate::commits;
use crate::diagnostics::Reports;
use crate::diff::{self, Diff};
use crate::git_status::{self, Status};
use crate::hits::{self, Hits};
use crate::landmarks::{self, Landmarks, Sort};
use crate::levels::{self, Log};
use crate::listing;
use crate::markup;
use crate::odd_values::Scope;
use crate::outside::Outside;
use crate::page_tables::PageTables;
use crate::paper::{Paper, cut, one_line};
use crate::paths::{self, Paths};
use crate::plans::{self, Plan};
use crate::ranked::{self, Ranked};
use crate::remarks::are_comments;
use crate::repeated::is_repeated;
use crate::search::has;
use crate::shapes::Strictness;
use crate::signs::Signs;
use crate::snapshot;
use crate::source::Source;
use crate::trim::{is_blank, trim, trim_end};
use crate::words::{Classes, are_all, between, eight, sixteen};
use tamis_formats::Sixteen;
use tamis_formats::words::{self, HIGH, first_bytes};

/// Characters of the first warning of a log.
const WARNING_CHARACTERS: usize = 200;
/// Fewest rows of a table.
const ROWS: usize = 6;
/// Fewest commits of a list of commits.
const LEAST_COMMITS: usize = 2;
/// Fewest lines for rare lines of a diff or of hits.
const MANY_LINES: usize = 1_000;

/// The kind of a text.
pub enum Kind<'t> {
    Snapshot,
    /// Of Terraform.
    Plan(Box<Plan<'t>>),
    Diff(Diff<'t>),
    /// Commits with author, date and subject on lines of their own, and the lines of others.
    Commits(Outside<'t>),
    /// Commits on a line each.
    CommitLines,
    /// What `git status` prints.
    Status(Status<'t>),
    /// Most lines are reports of a compiler or linter.
    Reports,
    Counts,
    Hits(Hits<'t>),
    Paths(Paths<'t>),
    Listing,
    /// Amounts and names.
    Ranked(Ranked),
    Log(Box<Log<'t>>),
    /// A part of a page is a text that a model asks for.
    Markup {
        is_part: bool,
    },
    Headings(Landmarks<'t>),
    Code(Landmarks<'t>),
    /// Rows of a table. Those with another number of cells, by their numbers, if they are few.
    Table(Vec<usize>),
    /// Most lines repeat a pattern, as in records.
    Repeated,
    /// Sentences.
    Prose,
    Plain,
}

/// A sample of a text's lines: a text of a kind has lines of the kind in its sample.
struct Sample<'t> {
    lines: Vec<&'t str>,
}

impl<'t> Sample<'t> {
    /// Approximate number of lines.
    const LINES: usize = 128;

    fn of(mut lines: impl Iterator<Item = &'t str>, count: usize) -> Sample<'t> {
        // Lines may repeat at equal steps.
        let every = (count / Sample::LINES + 1) as u32;
        let is_taken =
            |at: &usize| ((*at as u32).wrapping_mul(0x9e37_79b1) >> 8).is_multiple_of(every);
        let places = (0..count).filter(is_taken);
        let mut next = 0;
        let lines = places.map_while(|at| {
            let left_out = at - std::mem::replace(&mut next, at + 1);
            lines.nth(left_out)
        });
        Sample {
            lines: lines.filter(|line| !is_blank(line)).collect(),
        }
    }

    /// Whether `is` may hold for this many tenths of a text. Half as many of the sample suffice.
    fn may_be(&self, tenths: usize, is: impl Fn(&str) -> bool) -> bool {
        let (all, mut found) = (self.lines.len(), 0);
        let is_enough = |found: usize| found * 20 >= all * tenths;
        for (at, line) in self.lines.iter().enumerate() {
            found += usize::from(is(line));
            if is_enough(found) || !is_enough(found + all - at - 1) {
                break;
            }
        }
        is_enough(found)
    }
}

/// Whether so many lines may be a log: some of a sample have a level.
pub fn may_be_log<'t>(lines: impl Iterator<Item = &'t str>, count: usize) -> bool {
    Sample::of(lines, count).may_be(2, levels::has_level)
}

/// Whether a line is a commit, or its changed files.
fn is_commit(line: &str) -> bool {
    commits::of_line(line).is_some() || commits::is_stat(line)
}

impl<'t> Kind<'t> {
    pub fn of(
        text: &str,
        source: &Source<'t>,
        count: usize,
        reports: Option<&Reports<'t>>,
    ) -> Kind<'t> {
        let lines = source.texts();
        let sample = Sample::of(lines.clone(), count);
        if sample.may_be(7, snapshot::owns) && snapshot::is_snapshot(lines.clone(), count) {
            return Kind::Snapshot;
        }
        if sample.may_be(1, plans::may_be)
            && let Some(plan) = plans::of(text, source.lines())
        {
            return Kind::Plan(Box::new(plan));
        }
        if source.signs().have(Signs::TICK)
            && has(text, "@@")
            && let Some(diff) = diff::of(source.lines())
        {
            return Kind::Diff(diff);
        }
        let mut may_be_commits = source.filled_with(commits::SIGNS);
        if may_be_commits.any(|(_, line)| commits::may_begin(line))
            && commits::count(lines.clone()) >= LEAST_COMMITS
        {
            return Kind::Commits(commits::outside(source.lines()));
        }
        if sample.may_be(9, is_commit) && commits::are_lines(lines.clone(), count) {
            return Kind::CommitLines;
        }
        if reports.is_some_and(|reports| reports.fill(source.lines(), count)) {
            return Kind::Reports;
        }
        if sample.may_be(5, git_status::may_be)
            && let Some(status) = git_status::of(source.lines())
        {
            return Kind::Status(status);
        }
        let is_count = |line: &str| hits::count_of_line(line).is_some();
        if sample.may_be(9, is_count) && hits::are_counts(lines.clone()) {
            return Kind::Counts;
        }
        if sample.may_be(5, hits::may_be)
            && let Some(hits) = hits::of(lines.clone(), count)
        {
            return Kind::Hits(hits);
        }
        let is_path = |line: &str| paths::path(line).is_some();
        if sample.may_be(9, is_path)
            && let Some(paths) = Paths::of(lines.clone())
        {
            return Kind::Paths(paths);
        }
        if sample.may_be(8, listing::may_be) && listing::form(lines.clone()).is_some() {
            return Kind::Listing;
        }
        if sample.may_be(2, levels::has_level)
            && let Some(log) = levels::of(lines.clone())
        {
            return Kind::Log(Box::new(log));
        }
        if sample.may_be(9, ranked::may_be)
            && let Some(ranked) = ranked::of(lines.clone())
        {
            return Kind::Ranked(ranked);
        }
        if markup::is_page(text) {
            let is_part = markup::is_fragment(text);
            return Kind::Markup { is_part };
        }
        if separators(text, sample.lines.iter().copied(), 1).is_some()
            && let Some(separators) = separators(text, source.filled_texts(), ROWS)
        {
            let lines = source.filled().map(|(number, line)| (number, line.text));
            return Kind::Table(ragged(lines, separators));
        }
        let repeats = || is_repeated(source, count);
        // `pylint` and `mypy --pretty` show code with their reports.
        let is_code = !reports.is_some_and(|reports| reports.are_many(count))
            && sample.may_be(2, |line| landmarks::is_code(trim(line)))
            && landmarks::looks_like_code(source.filled(), count)
            && !(sample.may_be(9, is_pin) && are_pins(source.filled_texts()));
        let landmarks = Landmarks::of(source.filled_with(landmarks::SIGNS), is_code);
        match landmarks.sort() {
            Some(Sort::Headings)
                if landmarks.divide()
                    && (landmarks.has_fences() || !are_comments(source.lines())) =>
            {
                Kind::Headings(landmarks)
            }
            Some(Sort::Definitions) if is_code || !repeats() => Kind::Code(landmarks),
            _ if repeats() => Kind::Repeated,
            _ if is_code => Kind::Code(landmarks),
            _ if source.is_timed() => Kind::Plain,
            _ if sample.may_be(5, is_sentence)
                && is_prose(source.filled_texts(), count)
                && !are_timed(source.filled_texts(), count) =>
            {
                Kind::Prose
            }
            _ => Kind::Plain,
        }
    }

    /// Describes the other lines: of other programs, or those that say that more was left out.
    /// `above`: what is told already.
    pub fn told_outside(
        &self,
        source: &Source<'t>,
        count: usize,
        reports: Option<&Reports<'t>>,
        above: &str,
    ) -> Option<String> {
        match self {
            Kind::Headings(_) => Outside::notice(source.lines(), count, above),
            Kind::Diff(diff) => diff.outside.told(above),
            Kind::Commits(outside) => outside.told(above),
            Kind::CommitLines => Outside::of(source.lines(), is_commit).told(above),
            Kind::Counts => {
                let is_count = |line: &str| hits::count_of_line(line).is_some();
                Outside::of(source.lines(), is_count).told(above)
            }
            Kind::Hits(hits) => Outside::of(source.lines(), |line| hits.has(line)).told(above),
            Kind::Ranked(_) => Outside::of(source.lines(), ranked::has).told(above),
            Kind::Listing => Outside::before(source.lines(), listing::may_be),
            Kind::Snapshot | Kind::Markup { .. } | Kind::Reports => {
                let is_part = |(number, line): (usize, &str)| match self {
                    Kind::Snapshot => line.starts_with([' ', '\t', '#']) || snapshot::owns(line),
                    Kind::Markup { .. } => memchr::memchr2(b'<', b'>', line.as_bytes()).is_some(),
                    _ => {
                        let is_owned = reports.is_some_and(|it| it.owns(number, line));
                        is_owned || line.starts_with([' ', '\t']) || !line.contains(' ')
                    }
                };
                // A page that is cut ends in its own text.
                let is_end = || source.text().trim_end().ends_with("</html>");
                let is_cut = || !is_end() && !has(source.text(), "</html>");
                let ends = match self {
                    Kind::Snapshot => [false, true],
                    Kind::Markup { .. } => [true, !is_cut()],
                    _ => [true, true],
                };
                Outside::at_ends(source.lines(), count, ends, above, is_part)
            }
            _ => None,
        }
    }

    /// Whether a line belongs to the kind, so that its content is no failure of the tool. `number`: its own, from 1.
    pub fn owns(&self, number: usize, line: &str) -> bool {
        match self {
            Kind::Snapshot => snapshot::owns(line),
            Kind::Diff(diff) => !diff.outside.contains(number),
            Kind::Commits(outside) => !outside.contains(number),
            Kind::CommitLines => is_commit(line),
            Kind::Counts => hits::count_of_line(line).is_some(),
            Kind::Hits(hits) => hits.owns(line),
            Kind::Status(status) => status.owns(line),
            Kind::Paths(_) => {
                memchr::memchr(b' ', line.as_bytes()).is_none() && paths::path(line).is_some()
            }
            Kind::Listing => listing::owns(line),
            Kind::Plan(_) => plans::is_sum(line),
            Kind::Ranked(ranked) => ranked.owns(line),
            _ => false,
        }
    }

    /// Whether lines may belong to the kind.
    pub fn may_own(&self) -> bool {
        !matches!(
            self,
            Kind::Reports
                | Kind::Log(_)
                | Kind::Markup { .. }
                | Kind::Headings(_)
                | Kind::Code(_)
                | Kind::Table(_)
                | Kind::Repeated
                | Kind::Prose
                | Kind::Plain
        )
    }

    /// How strictly failures are recognised in other lines.
    pub fn strictness(&self) -> Strictness {
        match self {
            Kind::Markup { .. } | Kind::Headings(_) | Kind::Code(_) | Kind::Prose => {
                Strictness::Strict
            }
            _ => Strictness::Open,
        }
    }

    /// Whether rare ones of `count` lines are information.
    pub fn has_rare_lines(&self, source: &Source<'t>, count: usize) -> bool {
        match self {
            Kind::Snapshot
            | Kind::Plan(_)
            | Kind::Commits(_)
            | Kind::CommitLines
            | Kind::Markup { .. }
            | Kind::Status(_) => false,
            // Records, each under a heading.
            Kind::Headings(_) => {
                // Blank lines are between their parts.
                let lines = source.filled_texts().filter(|line| !is_blank(line)).count();
                count >= MANY_LINES || is_repeated(source, lines)
            }
            Kind::Code(_) | Kind::Prose | Kind::Diff(_) | Kind::Counts | Kind::Reports => {
                count >= MANY_LINES
            }
            // Of hits of a search, the rare ones are told among them, unless there are too many.
            Kind::Hits(hits) => hits.may_be_of_programs() || !hits.are_all_known(),
            Kind::Ranked(ranked) => ranked.has_rare_lines(),
            _ => true,
        }
    }

    /// The values that may stand out: in what programs print about their work.
    pub fn odd_values(&self) -> Option<Scope> {
        match self {
            Kind::Log(_) | Kind::Repeated | Kind::Table(_) | Kind::Plain => Some(Scope::All),
            // `**Status**: regressed` under one of many equal headings.
            Kind::Headings(_) => Some(Scope::Keys),
            _ => None,
        }
    }

    /// Whether a model asked for exactly these lines: a file, a function, a diff, a page.
    pub fn is_explicit(&self) -> bool {
        matches!(
            self,
            Kind::Diff(_)
                | Kind::Headings(_)
                | Kind::Code(_)
                | Kind::Prose
                | Kind::Plain
                | Kind::Ranked(_)
                | Kind::Markup { is_part: true }
        )
    }

    /// Describes the parts of the kind, as many as fit. `tables`: those that are read as data, and characters of their cells.
    pub fn tell(
        &self,
        source: &Source<'t>,
        tables: (Option<&PageTables>, usize),
        paper: &mut Paper,
    ) {
        let lines = source.texts();
        match self {
            Kind::Snapshot => snapshot::tell(source.lines(), paper),
            Kind::Plan(plan) => plan.tell(paper),
            Kind::Diff(diff) => diff.tell(source.lines(), paper),
            Kind::Commits(_) => commits::tell(lines, paper),
            Kind::CommitLines => commits::tell_lines(lines, paper),
            Kind::Counts => {
                hits::tell_counts(lines, paper);
            }
            Kind::Hits(hits) => hits.tell(paper),
            Kind::Status(status) => status.tell(paper),
            Kind::Paths(paths) => {
                paths.tell(paper);
            }
            Kind::Listing => {
                listing::tell(lines, paper);
            }
            Kind::Ranked(ranked) => ranked.tell(source.lines(), paper),
            Kind::Log(log) => {
                log.tell(paper);
                if let Some((level, first)) = log.first_warning()
                    && let Some((number, line)) = source.lines().find(|it| it.0 == first)
                {
                    let line = cut(trim(line), WARNING_CHARACTERS);
                    paper.cut_line(&format!("first {level}: {number}: {}", one_line(&line)));
                }
            }
            Kind::Headings(landmarks) | Kind::Code(landmarks) => landmarks.tell(paper),
            Kind::Markup { .. } => {
                markup::tell(source.text(), tables, paper);
            }
            Kind::Reports | Kind::Table(_) | Kind::Repeated | Kind::Prose | Kind::Plain => {}
        }
    }
}

/// The separator of a text's lines that are the rows of a table, and its number in most of them.
fn separators<'t>(
    text: &str,
    lines: impl Iterator<Item = &'t str> + Clone,
    rows: usize,
) -> Option<(u8, usize)> {
    let signs = [(b'|', 2), (b'\t', 1), (b',', 3)];
    let signs = signs.into_iter();
    let mut signs = signs.filter(|(sign, _)| memchr::memchr(*sign, text.as_bytes()).is_some());
    signs.find_map(|(sign, least)| {
        let mut all = 0usize;
        let mut numbers = [0usize; 64];
        for line in lines.clone().filter(|line| !is_blank(line)) {
            all += 1;
            let number = count_of(line, sign);
            if number >= least && number < numbers.len() {
                numbers[number] += 1;
            }
        }
        let (usual, most) = (0..).zip(numbers).max_by_key(|(_, rows)| *rows)?;
        (most >= rows && most * 10 >= all * 8).then_some((sign, usual))
    })
}

fn count_of(line: &str, sign: u8) -> usize {
    words::count(line.as_bytes(), sign)
}

/// The rows of a table, by their numbers from 1, that have another number of separators; none if they are not rare.
fn ragged<'t>(
    lines: impl Iterator<Item = (usize, &'t str)> + Clone,
    (sign, usual): (u8, usize),
) -> Vec<usize> {
    const ONE_OF: usize = 40;
    const MOST: usize = 4;
    let rows = lines.filter(|(_, line)| !is_blank(line));
    let most = MOST.min(rows.clone().count() / ONE_OF);
    let others = rows.filter(|(_, line)| count_of(line, sign) != usual);
    let others: Vec<usize> = others.map(|(number, _)| number).take(most + 1).collect();
    if others.len() > most {
        Vec::new()
    } else {
        others
    }
}

/// Whether a line is a requirement of Python with its version: `requests==2.32.0`.
fn is_pin(line: &str) -> bool {
    let pin = line.split_once("==");
    pin.is_some_and(|(name, version)| {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._-[],".contains(&byte);
        !name.is_empty()
            && name.bytes().all(is_name)
            && version.starts_with(|c: char| c.is_ascii_digit())
    })
}

fn are_pins<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let (mut pins, mut all) = (0usize, 0usize);
    for line in lines.filter(|line| !is_blank(line)) {
        all += 1;
        pins += usize::from(is_pin(line));
    }
    pins * 10 >= all * 9
}

/// The lines, by their numbers from 1, of a list of requirements with versions that are of another form, if they are few:
/// `requests @ git+https://…`.
pub fn not_pinned(source: &Source<'_>) -> Vec<usize> {
    const FEW: usize = 4;
    /// One line in so many.
    const ONE_OF: usize = 40;
    /// Lines of which one is a requirement.
    const FIRST: usize = 16;
    if !source.texts().take(FIRST).any(is_pin) || !are_pins(source.texts()) {
        return Vec::new();
    }
    let is_other = |line: &str| !is_blank(line) && !line.starts_with('#') && !is_pin(line);
    let others = source.lines().filter(|(_, line)| is_other(line));
    let others: Vec<usize> = others.map(|(number, _)| number).take(FEW + 1).collect();
    match others.len() <= FEW.min(source.count() / ONE_OF) {
        true => others,
        false => Vec::new(),
    }
}

/// Whether most of `count` lines are prose: many words, nearly all of letters alone, and punctuation between them, which
/// the output of programs lacks.
fn is_prose<'t>(lines: impl Iterator<Item = &'t str>, count: usize) -> bool {
    let (mut others, mut sentences, mut punctuated) = (0usize, 0usize, 0usize);
    for line in lines.filter(|line| !is_blank(line)) {
        if is_sentence(line) {
            sentences += 1;
            punctuated += usize::from(is_punctuated(line));
        } else {
            others += 1;
        }
        if sentences * 2 > count || others * 2 >= count {
            break;
        }
    }
    sentences > others && punctuated * PUNCTUATED_ONE_OF >= sentences
}

/// Whether most of `count` lines begin with a time: a program wrote them, if in sentences.
fn are_timed<'t>(lines: impl Iterator<Item = &'t str>, count: usize) -> bool {
    lines.filter(|line| levels::begins_with_time(line)).count() * 2 > count
}

/// One in so many lines of prose has a comma or the end of a sentence.
const PUNCTUATED_ONE_OF: usize = 4;

fn is_punctuated(line: &str) -> bool {
    let line = trim_end(line);
    let (bytes, mut at) = (line.as_bytes(), 0);
    while at < bytes.len() {
        let (part, before) = sixteen(bytes, at);
        let signs = part.are_one_of([b'.', b',', b';', b'?', b'!']) >> before;
        // Behind the end of a line are zeros.
        let ends = part.are(b' ') >> before
            | u32::from(bytes.len() - at <= 16) << (bytes.len() - at).min(31);
        if signs & ends >> 1 != 0 {
            return true;
        }
        // The last of these bytes is the first of the next ones.
        at += 15;
    }
    false
}

fn is_sentence(line: &str) -> bool {
    /// Fewest words of a line of prose.
    const WORDS: usize = 6;
    let (mut all, mut of_letters) = (0usize, 0usize);
    let mut note = |word: &str, has_letters_alone: bool| {
        // Of most letters, a look in the tables of all scripts is not needed.
        let is_letter = |c: char| matches!(c, 'А'..='я' | '一'..='鿿') || c.is_alphabetic();
        let is_of_letters = || {
            let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
            let mut chars = word.chars();
            !word.is_empty() && chars.all(|c| is_letter(c) || matches!(c, '\'' | '-'))
        };
        all += 1;
        of_letters += usize::from(has_letters_alone || is_of_letters());
    };
    let bytes = line.as_bytes();
    let letters = |part| Classes::of(part).letters;
    let mut at = 0;
    while at < bytes.len() {
        let part = eight(bytes, at);
        let blanks = between(part, b'\t', b'\n') | between(part, 0x0c, b'\r');
        let blanks = blanks & HIGH & !part | words::has(part, b' ');
        let length = words::first(blanks);
        if length == 0 {
            at += 1;
            continue;
        }
        // Most words have few letters, and nothing else.
        let (end, has_letters_alone) = match length {
            8 => {
                let blanks = |bytes: Sixteen| bytes.are_one_of([b' ', b'\t', b'\n', 0x0c, b'\r']);
                let end = words::place_from(bytes, at + 8, blanks);
                (end, are_all(&bytes[at..end], letters))
            }
            _ => {
                let inside = first_bytes(length) & HIGH;
                (at + length, letters(part) & inside == inside)
            }
        };
        match &line[at..end] {
            word if has_letters_alone || word.is_ascii() => note(word, has_letters_alone),
            // Some white space is not of ASCII.
            words => words.split_whitespace().for_each(|word| note(word, false)),
        }
        at = end + 1;
    }
    all >= WORDS && of_letters * 10 >= all * 8
}

#[cfg(test)]
use crate::repeated::{leading_words, tell_repeated};
#[cfg(test)]
#[path = "tests/kinds.rs"]
mod tests;
