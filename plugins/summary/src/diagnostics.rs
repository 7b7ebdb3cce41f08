//! Reports of compilers and linters: place, severity, rule and message, by file.
//!
//! Owns the forms of reports. Refuses to know other failures.

use crate::counts::Counts;
use crate::forms_of_reports::{of_pylint, of_workflow, pylint_rule, rule_below};
use crate::hashing::Map;
use crate::order;
use crate::paper::{Paper, characters, cut, one_line};
use crate::search::split;
use crate::signs::{Line, Signs};
use crate::trim::{is_blank, trim_end, trim_start};
use tamis_formats::{Sixteen, words};

/// Most reports that are described; all are counted.
const MOST: usize = 4_096;
const MESSAGE_CHARACTERS: usize = 220;
/// Most lines between a report of rustc and its place.
const LINES_TO_PLACE: u8 = 3;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Error,
    /// The report has no severity: it is a linter's.
    Unknown,
    Warning,
    /// What pylint calls a convention or a refactoring.
    Style,
    Note,
}

/// A report.
struct Report<'t> {
    /// The line in the text, from 1.
    number: usize,
    severity: Severity,
    file: &'t str,
    place: &'t str,
    rule: &'t str,
    message: &'t str,
    /// The label of the place: `expected u32, found str`.
    label: &'t str,
}

impl Report<'_> {
    /// How many lines below a report may have its rule: `mypy --pretty` wraps long messages.
    fn lines_to_rule(&self) -> u8 {
        const LINES: u8 = 4;
        let is_wrapped = self.rule.is_empty()
            && self.severity == Severity::Error
            && self.file.ends_with(['y', 'i'])
            && (self.file.ends_with(".py") || self.file.ends_with(".pyi"));
        if is_wrapped { LINES } else { 0 }
    }
}

/// The rule and the message of a report.
pub type Said<'t> = (&'t str, &'t str);

/// The reports of a text.
pub struct Reports<'t> {
    reports: Vec<Report<'t>>,
    by_severity: [usize; 5],
    rules: Counts<'t>,
    /// The line of the first error, from 1, or else of the first report.
    first: usize,
    /// The names of severities, and whether they are bandit's.
    names: [&'static str; 5],
    is_of_bandit: bool,
    /// Those of several lines, with the code around them.
    framed: usize,
}

/// The names of severities, in their order: those of compilers, and bandit's.
const NAMES: [&str; 5] = ["error", "without severity", "warning", STYLE, "note"];
const BANDIT: [&str; 5] = ["High", "without severity", "Medium", STYLE, "Low"];
/// pylint has these names for its letters `C` and `R`.
const STYLE: &str = "convention or refactor";

/// The reports of a text; none if it has none. Empty lines may be left out.
pub fn of<'t>(lines: impl Iterator<Item = (usize, impl Into<Line<'t>>)>) -> Option<Reports<'t>> {
    let mut found = Reports {
        reports: Vec::new(),
        by_severity: [0; 5],
        rules: Counts::new(),
        first: 0,
        names: NAMES,
        is_of_bandit: false,
        framed: 0,
    };
    let mut framed = Framed::default();
    let mut last = (0, "");
    let mut file = "";
    // A report of rustc whose place is yet to come.
    let mut open: Option<(usize, Report<'t>, u8)> = None;
    let mut labelled = false;
    // The lines below a report of a Python checker without a rule, which may have the rule.
    let mut below = 0u8;
    // No line before has an effect on the next one.
    let mut is_idle = true;
    for (number, line) in lines {
        let line: Line<'t> = line.into();
        if is_idle && !may_report(line, found.reports.is_empty()) {
            last = (number, line.text);
            continue;
        }
        let (before, mut above) = std::mem::replace(&mut last, (number, line.text));
        let left_out = number - before - 1;
        if left_out > 0 {
            (open, above) = (None, "");
            below = below.saturating_sub(left_out.min(usize::from(u8::MAX)) as u8);
            framed.leave_out(left_out);
        }
        is_idle = below == 0 && framed.open.is_none() && (line.text.is_empty() || open.is_none());
        if is_idle && !may_report(line, found.reports.is_empty()) {
            open = None;
            continue;
        }
        is_idle = false;
        let line = without_mark(line.text);
        last.1 = line;
        let start = trim_start(line);
        if below > 0 {
            below -= 1;
            if let Some(rule) = rule_below(line) {
                found.name_last(rule);
                (below, last.1) = (0, "");
                continue;
            }
        }
        if open.is_none()
            && start.starts_with("--> ")
            && let Some(report) = above_place(above)
        {
            open = Some((number - 1, report, 0));
        }
        if let Some((at, report)) = framed.next(number, line, start) {
            found.framed += 1;
            found.push(at, report);
            continue;
        }
        if let Some((at, report, left)) = open.take() {
            if let Some(place) = start.strip_prefix("--> ") {
                let (file, place) = file_and_place(place);
                found.push(
                    at,
                    Report {
                        file,
                        place,
                        ..report
                    },
                );
                labelled = false;
                continue;
            }
            if left > 0 && !start.is_empty() {
                open = Some((at, report, left - 1));
            }
        }
        if let Some(report) = rustc(line) {
            open = Some((number, report, LINES_TO_PLACE));
            continue;
        }
        if !labelled
            && start.starts_with('|')
            && let Some((_, label)) = split(start, "^ ")
        {
            labelled = true;
            if let Some(report) = found.reports.last_mut() {
                report.label = label.trim();
            }
            continue;
        }
        if start.len() < line.len() {
            if let Some(report) = below_file(file, start) {
                found.push(number, report);
            }
        } else if let Some(report) = of_line(line) {
            below = report.lines_to_rule();
            found.push(number, report);
        } else if is_path(trim_end(line)) {
            // ruff writes a colon after it.
            file = trim_end(line).trim_end_matches(':');
        }
    }
    if framed.is_of_bandit {
        // Severities of two tools have other names.
        let is_mixed = framed.count != found.count();
        (found.is_of_bandit, found.names) = (true, if is_mixed { NAMES } else { BANDIT });
    }
    (!found.reports.is_empty()).then_some(found)
}

/// Signs of which the lines of reports have one.
pub const SIGNS: Signs = OF_REPORTS
    .or(Signs::BAR)
    .or(Signs::OF_PATHS)
    .or(Signs::BLANK);
/// Signs that no other lines have in most texts.
const OF_REPORTS: Signs = Signs::COLON
    .or(Signs::ANGLE)
    .or(Signs::MARK)
    .or(Signs::OTHER);

/// Whether a line may be of a report, or the name of a file that reports are below. `is_first`: no report is above.
#[inline]
fn may_report(line: Line<'_>, is_first: bool) -> bool {
    let Line { text, signs, .. } = line;
    let is_marked =
        || signs.have(Signs::BLANK) && text.starts_with(' ') && trim_start(text).starts_with('x');
    let may_be_path = || !signs.have(Signs::BLANK) || text.ends_with(' ');
    // Below no report, such a line is the row of a table.
    let is_row = || is_first && text.starts_with('|');
    signs.have(OF_REPORTS)
        || signs.have(Signs::BAR) && !is_row()
        || signs.have(Signs::OF_PATHS) && may_be_path()
        || is_marked()
}

/// A line without the mark that GitHub Actions puts before a report: `##[error]a.ts(3,5): error TS2322: …`.
fn without_mark(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("##[") else {
        return line;
    };
    let marks = ["error]", "warning]", "notice]"].iter();
    let mut rest = marks.filter_map(|mark| rest.strip_prefix(mark));
    rest.next().unwrap_or(line)
}

/// Reports of several lines: of bandit (`>> Issue: [B602:…] …`, `Severity: High   Confidence: High`, `Location: a.py:3:5`),
/// of miette and oxlint (`⚠ eslint(no-undef): …`, `╭─[a.js:3:5]`), and of biome (`a.js:3:5 lint/style/useConst ━━━`,
/// `✖ …`).
#[derive(Default)]
struct Framed<'t> {
    open: Option<(usize, Report<'t>, u8)>,
    is_of_bandit: bool,
    /// Reports of bandit.
    count: usize,
}

impl<'t> Framed<'t> {
    /// Lines from a report's first to its last.
    const LINES: u8 = 6;

    /// Counts empty lines.
    fn leave_out(&mut self, number: usize) {
        let open = self.open.take();
        let left = |left: u8| u8::try_from(usize::from(left).checked_sub(number)?).ok();
        self.open = open.and_then(|(at, report, lines)| Some((at, report, left(lines)?)));
    }

    /// Reads a line, and tells the report that it ends, with the number of its line.
    #[inline]
    fn next(
        &mut self,
        number: usize,
        line: &'t str,
        start: &'t str,
    ) -> Option<(usize, Report<'t>)> {
        // Most lines of any text begin with other bytes.
        let may_begin = matches!(start.as_bytes().first(), Some(b'>' | b'!' | b'x' | 0x80..))
            || line.ends_with('━');
        if self.open.is_none() && !may_begin {
            return None;
        }
        self.read(number, line, start)
    }

    #[inline(never)]
    fn read(
        &mut self,
        number: usize,
        line: &'t str,
        start: &'t str,
    ) -> Option<(usize, Report<'t>)> {
        let report = |severity, file, place, rule, message| Report {
            number: 0,
            severity,
            file,
            place,
            rule,
            message,
            label: "",
        };
        if let Some((at, mut report, left)) = self.open.take() {
            let is_of_bandit =
                line.starts_with("   ") && !report.rule.is_empty() && report.file.is_empty();
            if let Some(severity) = start.strip_prefix("Severity: ").filter(|_| is_of_bandit) {
                report.severity = match severity.split(' ').next() {
                    Some("High") => Severity::Error,
                    Some("Medium") => Severity::Warning,
                    Some("Low") => Severity::Note,
                    _ => Severity::Unknown,
                };
            } else if let Some(place) = start.strip_prefix("Location: ").filter(|_| is_of_bandit) {
                (report.file, report.place) = file_and_place(place);
                self.is_of_bandit = true;
                self.count += 1;
                return Some((at, report));
            } else if let Some(place) = frame(start) {
                (report.file, report.place) = file_and_place(place);
                return Some((at, report));
            } else if let Some((severity, message)) = marked(start)
                .or_else(|| Some((Severity::Note, start.strip_prefix("i ")?.trim())))
                .filter(|_| !report.file.is_empty())
            {
                (report.severity, report.message) = (severity, message);
                return Some((number, report));
            }
            if left > 0 && !start.starts_with(">> Issue: ") {
                self.open = Some((at, report, left - 1));
                return None;
            }
        }
        if let Some(issue) = start.strip_prefix(">> Issue: [") {
            let (rule, message) = issue.split_once("] ")?;
            let rule = rule.split_once(':').map_or(rule, |(rule, _)| rule);
            let report = report(Severity::Unknown, "", "", rule, message);
            self.open = Some((number, report, Self::LINES));
        } else if line.ends_with('━') {
            let (place, rest) = line.split_once(' ')?;
            let rule = rest.split(' ').next()?;
            let (file, place) = file_and_place(place);
            let is_it = is_path(file) && (rule.contains('/') || matches!(rule, "parse" | "format"));
            let report = report(Severity::Unknown, file, place, rule, "");
            self.open = is_it.then_some((number, report, Self::LINES));
        } else if line.len() > start.len() {
            let (severity, message) = marked(start)?;
            let (rule, message) = match message.split_once("): ") {
                Some((rule, message)) if !rule.contains(' ') && rule.contains('(') => {
                    (rule.split_once('(')?.1, message)
                }
                _ => ("", message),
            };
            let report = report(severity, "", "", rule, message);
            self.open = Some((number, report, Self::LINES));
        }
        None
    }
}

/// The severity that a sign gives a message: `× …`, `⚠ …`.
fn marked(start: &str) -> Option<(Severity, &str)> {
    let (sign, message) = start.split_once(' ')?;
    let severity = match sign {
        "×" | "✖" | "x" => Severity::Error,
        "⚠" | "!" => Severity::Warning,
        "☞" | "ℹ" => Severity::Note,
        _ => return None,
    };
    Some((severity, message.trim()))
}

/// The place in `╭─[a.js:3:5]` and `,-[a.js:3:5]`.
fn frame(start: &str) -> Option<&str> {
    let rest = start.strip_prefix(['╭', ','])?;
    let rest = rest.trim_start_matches(['─', '-']);
    rest.strip_prefix('[')?
        .split_once(']')
        .map(|(place, _)| place)
}

/// The report in `error[E0308]: mismatched types` or `warning: unused import`. Its place follows.
#[inline]
fn rustc(line: &str) -> Option<Report<'_>> {
    match line.as_bytes().first() {
        Some(b'e' | b'w') => report_of_rustc(line),
        _ => None,
    }
}

fn report_of_rustc(line: &str) -> Option<Report<'_>> {
    let (severity, rest) = if let Some(rest) = line.strip_prefix("error") {
        (Severity::Error, rest)
    } else {
        (Severity::Warning, line.strip_prefix("warning")?)
    };
    let (rule, rest) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => ("", rest),
    };
    let message = rest.strip_prefix(": ")?;
    Some(Report {
        number: 0,
        severity,
        file: "",
        place: "",
        rule,
        message,
        label: "",
    })
}

/// The report in a line that a place follows: `B020 Loop control variable …` of ruff, `[error] no-undef: …`, and any other
/// line right above `--> a.py:3:5`.
fn above_place(line: &str) -> Option<Report<'_>> {
    let is_detail = ["note: ", "help: ", "info: "]
        .iter()
        .any(|it| line.starts_with(it));
    if line.starts_with([' ', '\t', '|', '=', '-', '+']) || line.len() < 3 || is_detail {
        return None;
    }
    let (rule, message) = match line.split_once(' ') {
        // `F401 [*] …`: a fix is at hand. `invalid-syntax: …`
        Some((rule, message)) if is_rule(rule.trim_end_matches(':')) => {
            (rule.trim_end_matches(':'), message)
        }
        Some((rule, message)) if is_slug(rule) => (&rule[..rule.len() - 1], message),
        _ => ("", line),
    };
    Some(Report {
        number: 0,
        severity: Severity::Unknown,
        file: "",
        place: "",
        rule,
        message: message.trim(),
        label: "",
    })
}

/// Whether a word is the name of a rule, and a colon: `invalid-syntax:`, `no-undef:`.
fn is_slug(word: &str) -> bool {
    word.strip_suffix(':').is_some_and(|word| {
        word.contains('-')
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    })
}

/// The file and the position in `src/a.rs:3:5`.
fn file_and_place(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let colon = (0..bytes.len())
        .find(|at| bytes[*at] == b':' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit));
    colon.map_or((text, ""), |at| (&text[..at], text[at + 1..].trim_end()))
}

/// The report in a line. A file whose name has neither an ending nor a folder is less certain: `Makefile:3:5: error: …`,
/// `ldd:3:5: note: … [SC2086]`, `Dockerfile:3 DL3008 warning: …`.
fn of_line(line: &str) -> Option<Report<'_>> {
    let report = of_file(line)?;
    let is_capital = report.file.starts_with(|c: char| c.is_ascii_uppercase());
    let is_known = !report.rule.is_empty() || is_capital && report.place.contains(':');
    let is_certain = || report.severity != Severity::Unknown && is_known;
    (!is_name(report.file) || is_certain()).then_some(report)
}

/// The report in `a.c:3:5: error: …`, `a.ts(3,5): error TS2322: …`, `a.ts:3:5 - error TS2322: …` or `a.py:3:5: E501 …`.
fn of_file(line: &str) -> Option<Report<'_>> {
    if line.starts_with("::") {
        let (severity, file, place, rule, message) = of_workflow(line)?;
        return Some(Report {
            number: 0,
            severity,
            file,
            place,
            rule,
            message,
            label: "",
        });
    }
    // A time, in most lines of logs: no path begins with a digit.
    if line.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let signs = |bytes: Sixteen| bytes.are_one_of([b':', b'(']);
    let (file, rest) = line.split_at(words::place_from(line.as_bytes(), 0, signs));
    let (place, rest) = if let Some(rest) = rest.strip_prefix('(') {
        // A look at the file is quicker than a search.
        is_file(file).then(|| rest.split_once("): "))??
    } else {
        let end = rest
            .bytes()
            .position(|byte| !(byte.is_ascii_digit() || byte == b':'))?;
        let place = rest[1..end].trim_end_matches(':');
        let rest = &rest[end..];
        let rest = rest
            .strip_prefix(" - ")
            .or_else(|| rest.strip_prefix(' '))?;
        (place, rest)
    };
    let is_place = place.starts_with(|c: char| c.is_ascii_digit())
        && place
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b',' | b'-'));
    // Other shapes match `C:\a.cs(3,5)` and `file:///…`.
    if !is_place || !is_file(file) {
        return None;
    }
    let report = |severity, rule, message| {
        Some(Report {
            number: 0,
            severity,
            file,
            place,
            rule,
            message,
            label: "",
        })
    };
    if let Some((severity, after)) = severity(rest) {
        if let Some(message) = after.strip_prefix(':') {
            let message = message.trim();
            let (message, rule) = rule_at_end(message);
            return report(severity, rule, message);
        }
        let with_rule = after
            .strip_prefix(' ')
            .and_then(|after| after.split_once(':'));
        if let Some((rule, message)) = with_rule.filter(|(rule, _)| is_rule(rule)) {
            return report(severity, rule, message.trim());
        }
    }
    if let Some((severity, code, said)) = of_pylint(rest) {
        let (message, rule) = pylint_rule(said).unwrap_or((said, code));
        return report(severity, rule, message);
    }
    // golangci-lint: `a.go:3:5: Error return value is not checked (errcheck)`.
    if place.contains(':')
        && let Some((message, rule)) = linter_at_end(rest)
    {
        return report(Severity::Unknown, rule, message);
    }
    let (rule, message) = rest.split_once(' ')?;
    let rule = rule.trim_end_matches(':');
    if is_rule(rule) {
        let message = message.trim();
        // hadolint: `Dockerfile:3 DL3008 warning: Pin versions`.
        return match severity(message) {
            Some((severity, after)) if after.starts_with(": ") => {
                report(severity, rule, after[1..].trim())
            }
            _ => report(Severity::Unknown, rule, message),
        };
    }
    // The Go compiler: `./a.go:3:5: undefined: x`.
    (file.ends_with(".go") && place.contains(':')).then(|| report(Severity::Error, "", rest))?
}

/// The report in a row of eslint below its file: `3:17  error  'document' is not defined  no-undef`; of stylelint, with a sign:
/// `3:17  ✖  Unexpected empty block  block-no-empty`; of ruff, with a rule: `3:17 D400 First line should end with a period`.
fn below_file<'t>(file: &'t str, start: &'t str) -> Option<Report<'t>> {
    if file.is_empty() || !start.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (place, rest) = start.split_once(' ')?;
    let (line, column) = place.split_once(':')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(line) || !is_number(column) {
        return None;
    }
    let rest = rest.trim_start();
    let (severity, rule, message) = if let Some((severity, rest)) = severity(rest) {
        let (message, rule) = rule_in_last_column(rest.strip_prefix(' ')?.trim());
        (severity, rule, message)
    } else if !rest.is_ascii()
        && let Some((severity, rest)) = marked(rest)
    {
        let (message, rule) = rule_in_last_column(rest);
        (severity, rule, message)
    } else {
        let (rule, message) = rest.split_once(' ')?;
        let is_of_ruff = is_rule(rule) && file.ends_with(".py");
        is_of_ruff.then_some((Severity::Unknown, rule, message))?
    };
    Some(Report {
        number: 0,
        severity,
        file,
        place,
        rule: rule.trim(),
        message: message.trim(),
        label: "",
    })
}

/// The message and the rule after two blanks.
fn rule_in_last_column(text: &str) -> (&str, &str) {
    text.rsplit_once("  ").unwrap_or((text, ""))
}

fn severity(text: &str) -> Option<(Severity, &str)> {
    [
        ("fatal error", Severity::Error),
        ("error", Severity::Error),
        ("Error", Severity::Error),
        ("warning", Severity::Warning),
        ("Warning", Severity::Warning),
        ("note", Severity::Note),
        ("info", Severity::Note),
        ("style", Severity::Note),
    ]
    .into_iter()
    .find_map(|(word, severity)| Some((severity, text.strip_prefix(word)?)))
    .filter(|(_, rest)| rest.starts_with([':', ' ']))
}

/// Whether a word is a rule: `E501`, `TS2322`, `CPY001`.
fn is_rule(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = word.len() - digits.len();
    (1..=8).contains(&letters)
        && (1..=6).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The linter at the end of a message in parentheses: `(errcheck)`.
fn linter_at_end(text: &str) -> Option<(&str, &str)> {
    let (message, linter) = text.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
    let is_linter = (2..=24).contains(&linter.len())
        && linter
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_linter.then_some((message.trim_end(), linter))
}

/// The rule at the end of a message: `[-Wunused]`, `[arg-type]`.
fn rule_at_end(message: &str) -> (&str, &str) {
    let rule = message
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once(" ["));
    match rule {
        Some((message, rule)) if !rule.contains(' ') => (message.trim_end(), rule),
        _ => (message, ""),
    }
}

fn is_file(text: &str) -> bool {
    is_name(text) || is_path(text)
}

/// Whether a word may be the name of a file without an ending: `Makefile`, `bash-completion`.
fn is_name(text: &str) -> bool {
    text.len() < 100
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+'))
}

fn is_path(text: &str) -> bool {
    let signs = |bytes: Sixteen| bytes.are_one_of([b' ', b'"', b'\'', b'(', b'<', b'|', b',']);
    (3..400).contains(&text.len())
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.ends_with(['.', '/'])
        // Most lines have a blank.
        && !words::has_any_of(text.as_bytes(), signs)
        && words::has_any_of(text.as_bytes(), |bytes| bytes.are_one_of([b'.', b'/']))
}

/// Whether a line is one of a report of bandit's, after the first.
fn is_of_bandit(line: &str) -> bool {
    line.strip_prefix("   ").is_some_and(|line| {
        ["Severity: ", "CWE: ", "More Info: ", "Location: "]
            .iter()
            .any(|key| line.starts_with(key))
    })
}

/// So many reports of one rule are told as such.
const MANY: u32 = 40;
/// A rule is rare if at most one report in so many has it.
const RARE_RULE: u32 = 10;

impl<'t> Reports<'t> {
    fn push(&mut self, number: usize, report: Report<'t>) {
        let is_first_error =
            report.severity == Severity::Error && self.by_severity[Severity::Error as usize] == 0;
        if self.first == 0 || is_first_error {
            self.first = number;
        }
        self.by_severity[report.severity as usize] += 1;
        if !report.rule.is_empty() {
            self.rules.add(report.rule);
        }
        if self.reports.len() < MOST {
            self.reports.push(Report { number, ..report });
        }
    }

    /// Gives the last report a rule, which follows its message on a line of its own.
    fn name_last(&mut self, rule: &'t str) {
        self.rules.add(rule);
        // Later reports are only counted.
        let is_held = self.count() <= MOST;
        if let Some(report) = self.reports.last_mut().filter(|_| is_held) {
            report.rule = rule;
        }
    }

    pub fn count(&self) -> usize {
        self.by_severity.iter().sum()
    }

    /// Whether most of `lines` are reports, or code that is shown with them.
    pub fn fill(&self, lines: impl Iterator<Item = (usize, &'t str)>, count: usize) -> bool {
        const FEWEST: usize = 3;
        self.count() >= FEWEST
            && (self.count() * 2 >= count
                || self.framed >= FEWEST
                    && lines
                        .filter(|(at, line)| is_blank(line) || self.owns(*at, line))
                        .count()
                        * 2
                        >= count)
    }

    /// Whether a text of `count` lines is no code that quotes a report: many of its lines are reports.
    pub fn are_many(&self, count: usize) -> bool {
        const LEAST: usize = 10;
        const ONE_OF: usize = 8;
        self.count() >= LEAST && self.count() * ONE_OF >= count
    }

    /// Whether a line belongs to a report, so that nothing else describes it.
    pub fn owns(&self, number: usize, line: &str) -> bool {
        let start = trim_start(line);
        // Source that rustc shows with a report.
        let is_source = ["--> ", "| ", "= note:", "= help:", "::: "]
            .iter()
            .any(|sign| start.starts_with(sign));
        let after = start.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = after.starts_with(" | ")
            || after.starts_with(" │")
            || start.starts_with(['│', '·', '╰', '╭'])
            || line.ends_with('━')
            || self.is_of_bandit
                && (after.len() < start.len() && after.starts_with('\t') || is_of_bandit(line));
        is_source
            || is_numbered
            || self
                .reports
                .binary_search_by_key(&number, |report| report.number)
                .is_ok()
    }

    /// Whether a report is more than a warning.
    pub fn has_errors(&self) -> bool {
        let [errors, unknown, ..] = self.by_severity;
        errors + unknown > 0
    }

    /// The line of the first error, from 1, or else of the report that is told first.
    pub fn first(&self) -> usize {
        if self.has_errors() {
            return self.first;
        }
        let all = self.rules.total();
        let rank = |report: &&Report<'_>| self.rank(report.severity, report.rule, all);
        let told = self.reports.iter().min_by_key(rank);
        told.map_or(self.first, |report| report.number)
    }

    fn has_error(&self) -> bool {
        self.by_severity[Severity::Error as usize] > 0
    }

    /// By severity, then rare rules first. `all`: the reports with a rule.
    fn rank(&self, severity: Severity, rule: &str, all: u32) -> i64 {
        let count = self.rules.count(rule);
        let is_rare = count > 0 && count * RARE_RULE <= all;
        2 * severity as i64 + i64::from(!is_rare)
    }

    /// The file of that report.
    pub fn first_file(&self) -> &'t str {
        let mut reports = self.reports.iter();
        let first = self.first();
        let first = reports.find(|report| report.number == first);
        first.map_or("", |report| report.file)
    }

    /// Whether the reports that are told say what a line says, which [`Reports::owns`]: they have its rule and message.
    pub fn say(&self, told: &[Said<'t>], number: usize) -> bool {
        let report = self
            .reports
            .binary_search_by_key(&number, |report| report.number);
        report.map_or(!told.is_empty(), |at| {
            let report = &self.reports[at];
            told.contains(&(report.rule, report.message))
        })
    }

    /// Writes counts by severity and rule, then the reports by file, errors first. If there are errors, the other
    /// reports get at most `least` characters. Returns the reports that are told.
    pub fn tell(&self, paper: &mut Paper, least: usize) -> Vec<Said<'t>> {
        let all = paper.left();
        let count = self.count();
        let said: Vec<String> = self
            .names
            .iter()
            .zip(self.by_severity)
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        let are_plain = self.by_severity[Severity::Unknown as usize] == count;
        let said = if are_plain {
            String::new()
        } else {
            format!(": {}", said.join(", "))
        };
        let reports = if count == 1 { "report" } else { "reports" };
        paper.line(&format!("{count} {reports} of a compiler or linter{said}"));
        if self.rules.items.len() > 1 || self.rules.total() >= MANY {
            let room = (paper.left() / 3).saturating_sub(10);
            paper.cut_list("by rule: ", &self.rules.listed(room));
        }
        let spare = paper
            .left()
            .saturating_sub(least.saturating_sub(all - paper.left()));
        self.tell_reports(paper, spare)
    }

    /// Writes one line for reports with the same file, rule and message. `spare`: characters to leave for other content
    /// after reports that are not errors.
    fn tell_reports(&self, paper: &mut Paper, spare: usize) -> Vec<Said<'t>> {
        let has_errors = self.has_error();
        type Key<'t> = (Severity, &'t str, &'t str, &'t str);
        let mut groups: Vec<(Key<'_>, Vec<usize>)> = Vec::new();
        let mut known: Map<Key<'_>, usize> = Map::default();
        for (at, report) in self.reports.iter().enumerate() {
            let key = (report.severity, report.file, report.rule, report.message);
            let next = groups.len();
            let group = *known.entry(key).or_insert(next);
            if group == next {
                groups.push((key, Vec::new()));
            }
            groups[group].1.push(at);
        }
        // Then in the order of the text, so by file.
        let with_rule = self.rules.total();
        order::least_first(&mut groups, |((severity, _, rule, _), all)| {
            self.rank(*severity, rule, with_rule) << u32::BITS | all[0] as i64
        });
        const REST: usize = 32;
        let mut file = None;
        let mut shown = 0;
        let mut said = Vec::new();
        for ((severity, of, rule, message), all) in &groups {
            let mut lines = String::new();
            if file != Some(*of) {
                lines = format!("{}\n", one_line(&cut(of, 200)));
            }
            let places: Vec<&str> = all.iter().map(|at| self.reports[*at].place).collect();
            let places = if places.len() > 6 {
                format!("{} and {} more", places[..4].join(", "), places.len() - 4)
            } else {
                places.join(", ")
            };
            let severity = match severity {
                Severity::Unknown => String::new(),
                known => format!(" {}", self.names[*known as usize]),
            };
            let rule = if rule.is_empty() {
                String::new()
            } else {
                format!(" {rule}")
            };
            let message = cut(message, MESSAGE_CHARACTERS);
            lines.push_str(&format!(
                " {places}{severity}{rule}: {}",
                one_line(&message)
            ));
            let label = self.reports[all[0]].label;
            if !label.is_empty() {
                lines.push_str(&format!(" ({})", one_line(&cut(label, MESSAGE_CHARACTERS))));
            }
            let is_error = severity.is_empty() || severity[1..] == *self.names[0];
            let rest = if has_errors && !is_error {
                spare.max(REST)
            } else {
                REST
            };
            if characters(&lines) + 1 + rest > paper.left() || !paper.line(&lines) {
                break;
            }
            file = Some(of);
            let first = &self.reports[all[0]];
            said.push((first.rule, first.message));
            shown += all.len();
        }
        paper.count_rest(self.count() - shown, "reports");
        said
    }
}

#[cfg(test)]
#[path = "tests/diagnostics.rs"]
mod tests;
