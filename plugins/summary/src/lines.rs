//! The summary of a text: its kind, lines that stand out, its parts, the first lines and the last.
//!
//! Owns the order and the room of these. Important content may use all the room. The first and the last lines, and
//! repeated patterns, have a small share. Refuses to know how a kind of text is recognised.

use crate::blocks;
use crate::catalogs;
use crate::certificates;
use crate::comments;
use crate::diagnostics::{self, Reports};
use crate::encoded;
use crate::findings::{Findings, Search, setting};
use crate::kinds::{self, Kind};
use crate::number_rows::NumberRows;
use crate::odd_values::{self, Scope};
use crate::page_tables::PageTables;
use crate::paper::{Paper, characters, cut, one_line};
use crate::quoted_code;
use crate::remarks;
use crate::repeated;
use crate::source::Source;
use crate::trim::is_blank;
use crate::warnings::Warnings;
use std::cell::LazyCell;
use tamis_formats::{Sixteen, as_shown, words};

/// Lines shown from the start and the end.
const HEAD: usize = 5;
const TAIL: usize = 3;
/// The same for a text of a known kind.
const HEAD_OF_KIND: usize = 2;
const TAIL_OF_KIND: usize = 2;
/// Most rare lines of a diff that are told.
const RARE_OF_DIFF: usize = 2;
/// A text of at most this many lines is shown by their beginnings.
const FEW_LINES: usize = 8;
/// One in this many characters of a text is its share of a summary, if no line stands out.
pub const SHARE: usize = 40;
/// The least share: 120 tokens.
const LEAST_CHARACTERS: usize = 480;

/// A text with the analysis that a summary needs.
pub struct Reading<'t> {
    text: &'t str,
    source: Source<'t>,
    count: usize,
    characters: usize,
    kind: Kind<'t>,
    reports: Option<Reports<'t>>,
    findings: Findings<'t>,
    /// Of texts in no form of their own.
    tables: Option<PageTables>,
    /// Rows of numbers without a header, which all lines are.
    numbers: Option<NumberRows<'t>>,
    /// Of prose and Markdown.
    warnings: Option<Warnings<'t>>,
    /// The first of rows from the largest number to the smallest, from 1.
    first_ranked: Option<usize>,
}

/// Writes the summary of a text to `paper`. `cell`: characters of the longest line that is shown whole. Returns the first
/// and the last of the lines to look at first, if some stand out.
pub fn tell(text: &str, cell: usize, paper: &mut Paper) -> Option<(usize, usize)> {
    let plain = as_shown(text);
    let reading = Reading::inside(&plain, None);
    reading.tell(cell, paper);
    reading.point()
}

impl<'t> Reading<'t> {
    /// Analyses a text in a string of a document. `path`: of the string, if calls can ask for it.
    pub fn inside(text: &'t str, path: Option<String>) -> Reading<'t> {
        let mut reading = Reading::of(text);
        let tables = reading.tables.take().zip(path);
        reading.tables = tables.map(|(tables, path)| tables.inside(path));
        reading
    }

    /// Analyses a text without escape sequences.
    pub fn of(text: &'t str) -> Reading<'t> {
        let source = Source::of(text);
        let count = source.count();
        let reports = diagnostics::of(source.filled_with(diagnostics::SIGNS));
        let kind = Kind::of(text, &source, count, reports.as_ref());
        // Code, prose and hits of a search only quote reports.
        let reports = reports.filter(|_| {
            matches!(
                kind,
                Kind::Reports | Kind::Log(_) | Kind::Repeated | Kind::Plain
            )
        });
        let first_ranked = match kind {
            Kind::Ranked(_) => true,
            _ => kind.odd_values().is_some(),
        }
        .then(|| odd_values::first_ranked(source.lines()))
        .flatten();
        // Sections of settings are code to a reader, and records to a search.
        let has_settings = matches!(kind, Kind::Code(_)) && are_settings(&source);
        let mut search = Search {
            strictness: kind.strictness(),
            has_tags: matches!(kind, Kind::Markup { .. }),
            rare: has_settings || kind.has_rare_lines(&source, count),
            values: kind.odd_values().or(has_settings.then_some(Scope::Keys)),
            lines: match &kind {
                Kind::Log(log) => log.of_rare_levels(),
                Kind::Table(ragged) => ragged.clone(),
                Kind::Repeated | Kind::Plain if catalogs::is_one(&source) => {
                    catalogs::unfinished(&source)
                }
                Kind::Repeated | Kind::Plain => kinds::not_pinned(&source),
                _ => Vec::new(),
            },
            errors: match &kind {
                Kind::Log(log) => log.error_lines(),
                _ => &[],
            },
            notable: matches!(kind, Kind::Plain | Kind::Repeated | Kind::Table(_)),
        };
        let may_own = reports.is_some() || kind.may_own();
        let numbers = match &kind {
            Kind::Table(_) | Kind::Repeated | Kind::Plain => NumberRows::of(source.lines(), count),
            _ => None,
        };
        if let Some(numbers) = &numbers {
            search.lines.extend(numbers.odd());
            search.lines.sort_unstable();
            search.lines.dedup();
        }
        let owned = |number: usize, line: &str| {
            let reports = reports.as_ref();
            reports.is_some_and(|reports| reports.owns(number, line)) || kind.owns(number, line)
        };
        let owned = may_own.then_some(&owned as &dyn Fn(usize, &str) -> bool);
        let mut findings = Findings::of(&source, (count, text.len()), search, owned);
        if has_settings || matches!(kind, Kind::Repeated | Kind::Plain) {
            findings.forget_usual_settings(&source);
        }
        if let Kind::Diff(diff) = &kind {
            findings.retain_rare(|place, _| !diff.is_of_page(place));
            // The room belongs to the files and the hunks.
            findings.keep_rarest(RARE_OF_DIFF);
        }
        if let Some(first) = first_ranked {
            // Of comments before the rows, the last has the names of columns.
            findings.retain_rare(|place, line| place + 3 >= first || !is_comment(line));
        }
        if let Kind::Repeated | Kind::Plain = kind {
            let are_comments = LazyCell::new(|| remarks::are_comments(source.lines()));
            findings.retain_rare(|_, line| {
                !line.trim_start().starts_with('#') || comments::is_failing(line) || !*are_comments
            });
        }
        if let Kind::Headings(_) = kind {
            // Headings are told as such, and fences and rules say nothing.
            let has_words = |line: &str| line.contains(char::is_alphanumeric);
            findings.retain_rare(|_, line| !line.starts_with('#') && has_words(line));
        }
        let is_document = matches!(kind, Kind::Headings(_) | Kind::Prose);
        let warnings = is_document.then(|| Warnings::of(&source.lines().collect::<Vec<_>>()));
        if let Some(warnings) = &warnings {
            findings.retain_rare(|place, _| !warnings.shows(place));
        }
        let may_be_page = matches!(
            kind,
            Kind::Headings(_)
                | Kind::Prose
                | Kind::Plain
                | Kind::Repeated
                | Kind::Table(_)
                | Kind::Markup { .. }
        );
        let tables = may_be_page.then(|| PageTables::of(text)).flatten();
        if let Some(tables) = &tables {
            findings.retain_rare(|place, line| !tables.is_frame(place, line));
        }
        Reading {
            tables,
            numbers,
            text,
            source,
            count,
            characters: characters(text),
            kind,
            reports,
            findings,
            warnings,
            first_ranked,
        }
    }

    /// The name of the largest table in a page.
    pub fn table(&self) -> Option<&str> {
        self.tables.as_ref().map(PageTables::main)
    }

    /// The number of lines.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of characters of a text, which is known if it is this one.
    pub fn characters_of(&self, text: &str) -> usize {
        match std::ptr::eq(text, self.text) {
            true => self.characters,
            false => characters(text),
        }
    }

    /// Whether a model asked for exactly the lines of such a text, and nothing in it failed.
    pub fn is_explicit(&self) -> bool {
        // An outline is asked for as code is.
        let is_outline =
            || matches!(self.kind, Kind::Table(_)) && quoted_code::are_symbols(self.source.texts());
        (self.kind.is_explicit() || is_outline())
            && self.reports.is_none()
            && self.findings.count() == 0
            && !self.is_packed()
    }

    pub fn has_failures(&self) -> bool {
        self.findings.count() > 0
    }

    /// Whether the text has long runs without blanks: encoded data, or minified code.
    fn is_packed(&self) -> bool {
        const BLANK_ONE_OF: usize = 24;
        let blanks = |bytes: Sixteen| bytes.are_one_of([b' ', b'\t', b'\n', 0x0c, b'\r']);
        let blanks = words::count_bits(self.text.as_bytes(), blanks);
        blanks * BLANK_ONE_OF < self.text.len()
    }

    /// The first and last of the lines to look at first; none if no line stands out.
    #[inline(never)]
    pub fn point(&self) -> Option<(usize, usize)> {
        const AROUND: usize = 10;
        if self.count <= FEW_LINES {
            return None;
        }
        // A failure is more important than warnings.
        let has_failures = self.has_failures();
        let reports = self.reports.as_ref();
        let report = reports.filter(|reports| reports.has_errors() || !has_failures);
        let report = report.map(Reports::first);
        let lost = || match &self.kind {
            Kind::Plan(plan) => plan.point(),
            Kind::Hits(hits) => hits.point(self.source.lines()),
            _ => None,
        };
        let place = report.or_else(|| self.findings.point()).or_else(lost)?;
        // Another call reads the first page.
        (self.findings.count() > 0 || self.reports.is_some() || place > HEAD).then_some((
            place.saturating_sub(AROUND).max(1),
            (place + AROUND).min(self.count),
        ))
    }

    /// Writes what stands out, for a text whose beginning and end are shown elsewhere.
    pub fn tell_point(&self, cell: usize, paper: &mut Paper) {
        match self.kind {
            Kind::Plain | Kind::Prose | Kind::Repeated => {
                if let Some(note) = self.source.note_of_prefix() {
                    paper.cut_line(&note);
                }
                self.tell_findings(&|_| false, paper);
            }
            _ => self.tell(cell, paper),
        }
    }

    /// Writes only lines that stand out. `is_told`: whether a line is told elsewhere, by its number.
    #[inline(never)]
    fn tell_findings(&self, is_told: &dyn Fn(usize) -> bool, paper: &mut Paper) {
        let mut said = Vec::new();
        if let Some(reports) = &self.reports {
            // Warnings are less important than other failures.
            let least = (self.characters / SHARE).max(LEAST_CHARACTERS);
            let mut told = Paper::new(paper.left() * 3 / 4);
            said = reports.tell(&mut told, least);
            paper.paste(&told);
        }
        let has_blocks = matches!(self.kind, Kind::Plain | Kind::Repeated | Kind::Headings(_));
        let block = |number, line: &str| {
            let title = blocks::title(&self.source, number, line);
            title.filter(|_| has_blocks)
        };
        let is_told = |number, line: &str| {
            let reports = self.reports.as_ref();
            is_told(number)
                || reports.is_some_and(|it| it.owns(number, line) && it.say(&said, number))
        };
        self.findings.tell(paper, is_told, &block);
        if let Some(warnings) = &self.warnings {
            let mut told = Paper::new(paper.left() / 2);
            warnings.tell(&mut told);
            paper.paste(&told);
        }
    }

    /// Writes the lines that stand out, in at most `room` characters, without the rows of tables that their descriptions
    /// tell. Returns these descriptions, if such lines are rows.
    fn tell_beside_tables(&self, cell: usize, room: usize, paper: &mut Paper) -> Option<Paper> {
        let tables = self.tables.as_ref();
        let is_row = |number| tables.is_some_and(|tables| tables.has_row(number));
        let mut found = Paper::new(room);
        self.tell_findings(&is_row, &mut found);
        let mut rows = self.findings.rare();
        let tables = tables.filter(|_| rows.any(|(number, _)| is_row(number)));
        let told = tables.map(|tables| {
            let used = room - found.left();
            let mut told = Paper::new((paper.left() - used) / 3);
            tables.tell(cell, &mut told);
            let rare = self.findings.rare().filter(|(number, line)| {
                let above = self.source.lines_after(number.saturating_sub(2)).next();
                let above = above.map_or("", |(_, line)| line);
                tables.is_told(told.text(), (*number, line), above)
            });
            let rare: Vec<usize> = rare.map(|(number, _)| number).collect();
            let left = paper.left() - characters(told.text());
            found = Paper::new(room.min(left));
            self.tell_findings(&|number| rare.contains(&number), &mut found);
            told
        });
        paper.paste(&found);
        told
    }

    /// Writes the summary to `paper`.
    pub fn tell(&self, cell: usize, paper: &mut Paper) {
        let all = paper.left();
        let budget = (self.characters / SHARE).max(LEAST_CHARACTERS).min(all);
        let notes = [self.source.note(), self.source.note_of_prefix()];
        for note in notes.into_iter().flatten() {
            paper.cut_line(&note);
        }
        if !self.has_failures()
            && let Some(told) = encoded::told(self.text)
        {
            paper.cut_line(&told);
            return;
        }
        if self.reports.is_none()
            && let Some(certificates) = certificates::of(self.source.lines())
        {
            if self.has_failures() {
                let mut found = Paper::new(paper.left() * 2 / 3);
                self.tell_findings(&|_| false, &mut found);
                paper.paste(&found);
            }
            certificates.tell(self.source.lines(), paper);
            return;
        }
        if self.count <= FEW_LINES && !matches!(self.kind, Kind::Markup { .. }) {
            self.tell_few(cell, paper, budget);
            return;
        }
        let tables = (self.tables.as_ref(), cell);
        // A log's counts come before its errors. Failures of tests come before everything.
        if let Kind::Log(_) = self.kind {
            self.kind.tell(&self.source, tables, paper);
            self.tell_findings(&|_| false, paper);
        } else {
            let has_parts = !matches!(
                self.kind,
                Kind::Plain | Kind::Prose | Kind::Repeated | Kind::Table(_) | Kind::Reports
            );
            let room = if has_parts {
                paper.left() * 2 / 3
            } else {
                // The line that counts all of a linter's reports needs room, too.
                let after = match self.kind {
                    Kind::Reports => {
                        self.kind
                            .told_outside(&self.source, self.count, self.reports.as_ref(), "")
                    }
                    _ => None,
                };
                let after = after.map_or(0, |told| characters(&told) + 1);
                paper.left() - after.min(paper.left() / 8)
            };
            let told_tables = self.tell_beside_tables(cell, room, paper);
            let is_bounded = matches!(
                self.kind,
                Kind::Headings(_) | Kind::Paths(_) | Kind::Counts | Kind::Ranked(_)
            );
            let room = if is_bounded {
                // A list of parts is a guide and may be incomplete.
                paper.left().min(budget.max(all / 2))
            } else {
                paper.left()
            };
            let reports = self.reports.as_ref();
            let above = paper.text();
            let outside = self
                .kind
                .told_outside(&self.source, self.count, reports, above);
            if let Some(told) = outside {
                told.lines().for_each(|line| paper.cut_line(line));
            }
            if let Some(numbers) = &self.numbers {
                numbers.tell(paper);
            }
            // A page of HTML is told with its tables.
            if !matches!(self.kind, Kind::Markup { .. })
                && let (Some(of_page), _) = tables
            {
                let told = told_tables.filter(|told| characters(told.text()) <= paper.left());
                let told = told.unwrap_or_else(|| {
                    let mut told = Paper::new(paper.left() / 3);
                    of_page.tell(cell, &mut told);
                    told
                });
                paper.paste(&told);
            }
            let mut parts = Paper::new(room.min(paper.left()));
            self.kind.tell(&self.source, tables, &mut parts);
            paper.paste(&parts);
        }
        let used = all - paper.left();
        let room = budget.saturating_sub(used);
        let room = match self.kind {
            // A page of few headings has its first lines.
            Kind::Headings(_) => room.max((2 * LEAST_CHARACTERS).saturating_sub(used)),
            _ => room,
        };
        self.decorate(cell, paper, room);
    }

    /// Writes repeated patterns, the first lines and the last, in at most `room` characters.
    fn decorate(&self, cell: usize, paper: &mut Paper, room: usize) {
        /// So many lines that differ only in numbers are parts of records.
        const REPEATED: usize = 4;
        let wide = 2 * cell;
        let (head, tail) = match self.kind {
            // Their parts describe these kinds.
            Kind::Snapshot
            | Kind::Diff(_)
            | Kind::Plan(_)
            | Kind::Commits(_)
            | Kind::CommitLines
            | Kind::Counts
            | Kind::Hits(_)
            | Kind::Ranked(_)
            | Kind::Status(_)
            | Kind::Markup { .. } => return,
            Kind::Plain | Kind::Prose | Kind::Table(_) | Kind::Headings(_) => (HEAD, TAIL),
            // Levels with times, failures and patterns describe a log.
            Kind::Log(_) => (1, 1),
            _ => (HEAD_OF_KIND, TAIL_OF_KIND),
        };
        let mut room = Paper::new(room.min(paper.left()));
        // The last line often has the outcome of a run: it gets room first, and is shown last.
        let mut last: Vec<String> = Vec::new();
        let mut left = (room.left() / 3).max(wide.min(room.left() * 2 / 3));
        // A line shown above is not shown again.
        let is_told = |number: usize| {
            let number = number.to_string();
            let is_it = |line: &str| match line.strip_prefix(&number) {
                Some(rest) if rest.starts_with(": ") => true,
                // The first of several failures.
                Some(rest) => rest.starts_with(" (") && rest.contains(" times, last "),
                None => false,
            };
            paper.text().lines().any(is_it)
        };
        // In a page, headings told above, lines of each record, rules and blank lines are between the lines.
        let is_page = matches!(self.kind, Kind::Headings(_));
        let lines = |after| {
            let lines = self.source.lines_after(after);
            let says = |line: &str| !line.starts_with('#') && line.contains(char::is_alphanumeric);
            let repeats = |number| {
                let patterns = self.source.patterns();
                let pattern = patterns.of_line(number);
                pattern.is_some_and(|at| patterns.all[at].count >= REPEATED)
            };
            lines.filter(move |(number, line)| !is_page || says(line) && !repeats(*number))
        };
        let count = if is_page {
            lines(0).count()
        } else {
            self.count
        };
        let before = count.saturating_sub(tail);
        let all = match is_page {
            true => (0, before),
            false => (before, 0),
        };
        let all: Vec<(usize, &str)> = lines(all.0)
            .skip(all.1)
            .filter(|(number, _)| !is_told(*number))
            .collect();
        for (number, line) in all.into_iter().rev() {
            // A count below a title that is not shown may be any count.
            if self.reports.is_some() && line.starts_with([' ', '\t']) {
                continue;
            }
            let Some(line) = shown(number, line, wide) else {
                continue;
            };
            let needed = characters(&line) + 1;
            if needed > left {
                break;
            }
            left -= needed;
            last.push(line);
        }
        let reserve: usize = last.iter().map(|line| characters(line) + 1).sum::<usize>() + 12;
        if matches!(self.kind, Kind::Plain | Kind::Repeated | Kind::Log(_)) {
            let mut patterns = Paper::new(room.left().saturating_sub(reserve) * 2 / 3);
            repeated::tell_repeated(&self.source, paper.text(), &mut patterns);
            room.paste(&patterns);
        }
        let mut first = Paper::new(room.left().saturating_sub(reserve));
        // Comments before the first rows say less, and of rows in their order, the first say most.
        let skipped = match self.kind {
            Kind::Plain | Kind::Repeated | Kind::Table(_) => {
                let lines = self.source.texts();
                let comments = lines.take_while(|line| is_comment(line)).count();
                let comments = comments * usize::from(self.count - comments >= head);
                self.first_ranked.map_or(comments, |first| first - 1)
            }
            _ => 0,
        };
        let tail = count.saturating_sub(if is_page { tail } else { 0 });
        let all = lines(0).take(tail).skip(skipped).take(head);
        for (number, line) in all.filter(|(number, _)| !is_told(*number)) {
            let Some(line) = shown(number, line, wide) else {
                continue;
            };
            if !first.line(&line) {
                break;
            }
        }
        if !first.is_empty() {
            room.line("lines:");
            room.paste(&first);
        }
        if !last.is_empty() {
            room.line("…");
        }
        for line in last.iter().rev() {
            room.line(line);
        }
        paper.paste(&room);
    }

    fn tell_few(&self, cell: usize, paper: &mut Paper, budget: usize) {
        let wide = 2 * cell;
        self.tell_findings(&|_| false, &mut *paper);
        let left = paper.left().min(budget);
        let room = left / (self.count.max(1) + 1);
        for (number, line) in self.source.lines() {
            if let Some(line) = shown(number, line, room.min(6 * cell).saturating_sub(8)) {
                paper.cut_line(&line);
            }
        }
        // No call reads the end of a line.
        let last = self.text.trim_end().lines().last().unwrap_or_default();
        let end = last.char_indices().rev().nth(wide);
        if let Some((at, _)) = end.filter(|(at, _)| *at > 6 * cell) {
            paper.cut_line(&format!("ends: …{}", one_line(&last[at..])));
        }
    }
}

/// Whether most lines of a text, and most of the first ones, are settings that are not indented.
fn are_settings(source: &Source<'_>) -> bool {
    const FIRST: usize = 64;
    let (mut all, mut settings) = (0, 0);
    for line in source.filled_texts().filter(|line| !is_blank(line)) {
        all += 1;
        settings += usize::from(setting(line).is_some());
        if all == FIRST && settings * 2 <= all {
            return false;
        }
    }
    settings * 2 > all
}

/// Whether a line before the first rows is a comment, or blank.
fn is_comment(line: &str) -> bool {
    line.starts_with('#') || line.trim().is_empty()
}

/// A line with its number, as the read tool's search writes it; none if the line is blank.
fn shown(number: usize, line: &str, limit: usize) -> Option<String> {
    let line = line.trim_end();
    let text = cut(line, limit);
    (!line.is_empty()).then(|| format!("{number}: {}", one_line(&text)))
}
