//! Mistakes in a policy, shown at their place in the file.
//!
//! Owns the form of a message: file, line and column, the underlined text, what was found, what is allowed.
//! Does not know the checks, so later stages (loading plugins, asking filters about their settings) report in
//! the same form.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::code::Code;
use super::source::{Source, Span};
use crate::printable;

/// Most findings that are shown in full; of the rest, only the number. A file with more is not TOML that a
/// person wrote.
const SHOWN: usize = 100;

/// How bad a finding is; the worst comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The policy cannot be used.
    Error,
    /// The policy can be used, but probably does not do what the operator intended.
    Warning,
    /// The policy can be used; the finding may be useful.
    Note,
}

impl Severity {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A mistake, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether the policy can be used.
    pub severity: Severity,
    /// The kind of mistake.
    pub code: Code,
    /// The text to underline; `None` for the file as a whole.
    pub span: Option<Span>,
    /// The mistake, in one line.
    pub message: String,
    /// Short text under the underline: found, allowed. May be empty.
    pub label: String,
    /// A second, related place, and its own short text.
    pub also: Option<(Span, String)>,
    /// How to fix it.
    pub help: Option<String>,
}

impl Finding {
    /// A mistake that makes the policy unusable.
    pub fn error(
        span: impl Into<Option<Span>>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Finding {
        Finding {
            severity: Severity::Error,
            code: Code::InvalidValue,
            span: span.into(),
            message: message.into(),
            label: label.into(),
            also: None,
            help: None,
        }
    }

    /// A probable mistake that is allowed.
    pub fn warning(
        span: impl Into<Option<Span>>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Finding {
        Finding {
            severity: Severity::Warning,
            ..Finding::error(span, message, label)
        }
    }

    /// A fact that may be useful, and is possibly intended.
    pub fn note(
        span: impl Into<Option<Span>>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Finding {
        Finding {
            severity: Severity::Note,
            ..Finding::error(span, message, label)
        }
    }

    /// Sets the kind of finding; without this call, it is an invalid value.
    #[must_use]
    pub fn code(self, code: Code) -> Finding {
        Finding { code, ..self }
    }

    /// Adds how to fix it.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Finding {
        Finding {
            help: Some(help.into()),
            ..self
        }
    }

    /// Adds a second place, such as the first of two equal names.
    #[must_use]
    pub fn also(self, span: Span, label: impl Into<String>) -> Finding {
        Finding {
            also: Some((span, label.into())),
            ..self
        }
    }
}

/// All findings about one file, in the order of the file.
///
/// `Display` is plain text of several lines; [`Report::render`] can colour it.
#[derive(Debug, Clone)]
pub struct Report {
    source: Source,
    findings: Vec<Finding>,
}

impl Report {
    /// Sorts the findings in the order of the file. Spans that do not fit the file are cut to it.
    pub fn new(source: Source, mut findings: Vec<Finding>) -> Report {
        // Those of the file as a whole come first. The sort is stable: findings of one place stay in
        // the order in which they were made.
        findings.sort_by_key(|finding| finding.span.map(|span| span.start));
        // A step that several chains have by its list's name is found in each.
        let mut known = HashSet::new();
        findings.retain(|finding| {
            known.insert((
                finding.span,
                finding.code,
                finding.message.clone(),
                finding.also.clone(),
            ))
        });
        Report { source, findings }
    }

    /// The file.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The findings, in the order of the file.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The findings, in the order of the file.
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    /// Whether the policy is unusable.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// The number of findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }

    /// The text, with colours for a terminal that shows them, or without.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let path = printable::line(&self.source.path().display().to_string());
        let mut text = String::new();
        for finding in self.findings.iter().take(SHOWN) {
            let finding = printed(finding);
            let places = CitedParts::of(&finding, &self.source);
            text.push_str(&renderer.render(&[group(&finding, &path, &places)]));
            text.push_str("\n\n");
        }
        if self.findings.len() > SHOWN {
            let more = self.findings.len() - SHOWN;
            text.push_str(&format!("... and {more} more\n\n"));
        }
        text.push_str(&self.summary(&path));
        text
    }

    fn summary(&self, path: &str) -> String {
        let counts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
            .into_iter()
            .map(|severity| (severity.name(), self.count(severity)))
            .filter_map(|(noun, count)| match count {
                0 => None,
                1 => Some(format!("1 {noun}")),
                count => Some(format!("{count} {noun}s")),
            })
            .collect();
        if counts.is_empty() {
            return format!("{path}: no errors");
        }
        format!("{path}: {}", counts.join(", "))
    }
}

impl std::error::Error for Report {}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.render(false))
    }
}

/// A finding whose text no terminal obeys: it cites plugins and files. (The renderer itself escapes
/// the lines of the file.)
fn printed(finding: &Finding) -> Finding {
    let text = |text: &String| printable::lines(text).into_owned();
    Finding {
        message: text(&finding.message),
        label: text(&finding.label),
        also: finding
            .also
            .as_ref()
            .map(|(span, label)| (*span, text(label))),
        help: finding.help.as_ref().map(text),
        ..finding.clone()
    }
}

/// A part of a file: the path for messages, the text, and the part on its first line.
struct CitedPart<'s> {
    path: String,
    text: &'s str,
    range: Range<usize>,
}

impl<'s> CitedPart<'s> {
    fn of(span: Span, source: &'s Source) -> CitedPart<'s> {
        let file = source.file_at(span.start);
        CitedPart {
            path: printable::line(&file.path().display().to_string()),
            text: file.text(),
            range: within_line(file.text(), source.local(span)),
        }
    }
}

/// The places of a finding.
struct CitedParts<'s> {
    main: Option<CitedPart<'s>>,
    also: Option<CitedPart<'s>>,
}

impl<'s> CitedParts<'s> {
    fn of(finding: &Finding, source: &'s Source) -> CitedParts<'s> {
        let also = finding.also.as_ref();
        CitedParts {
            main: finding.span.map(|span| CitedPart::of(span, source)),
            also: also.map(|(span, _)| CitedPart::of(*span, source)),
        }
    }
}

fn group<'a>(finding: &'a Finding, path: &'a str, places: &'a CitedParts<'a>) -> Group<'a> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(&finding.message);
    let mut group = Group::with_title(title.id(finding.code.name()));
    let also = places.also.as_ref();
    let also = also.zip(finding.also.as_ref().map(|(_, label)| label.as_str()));
    match &places.main {
        None => group = group.element(Origin::path(path)),
        Some(main) => {
            let same = also.filter(|(also, _)| also.path == main.path);
            group = cite(group, main, &finding.label, same);
        }
    }
    // A place in another file is cited by itself.
    let apart = |(also, _): &(&CitedPart<'_>, &str)| {
        let main = places.main.as_ref();
        main.is_some_and(|main| main.path != also.path)
    };
    if let Some((also, label)) = also.filter(apart) {
        group = cite(group, also, label, None);
    }
    match &finding.help {
        Some(help) => group.element(Level::HELP.message(help)),
        None => group,
    }
}

fn cite<'a>(
    group: Group<'a>,
    place: &'a CitedPart<'a>,
    label: &'a str,
    also: Option<(&'a CitedPart<'a>, &'a str)>,
) -> Group<'a> {
    let (text, main) = (place.text, &place.range);
    // Only the lines concerned: the renderer looks at all that it is given, for every finding.
    let first = also.map_or(main.start, |(also, _)| main.start.min(also.range.start));
    let last = also.map_or(main.end, |(also, _)| main.end.max(also.range.end));
    let start = line_start(text, first);
    let end = line_end(text, last);
    let lines = &text[start..end];
    // Carriage returns at the ends of lines are invisible.
    let shift = |at: usize| at - start - text[start..at].matches("\r\n").count();
    let shift = |range: &Range<usize>| shift(range.start)..shift(range.end);
    let main = annotation(AnnotationKind::Primary, shift(main), label);
    let mut snippet = Snippet::source(lines.replace("\r\n", "\n"))
        .path(place.path.as_str())
        .line_start(line_number(text, start))
        .annotation(main);
    if let Some((also, label)) = also {
        let range = shift(&also.range);
        snippet = snippet.annotation(annotation(AnnotationKind::Context, range, label));
    }
    group.element(snippet)
}

fn annotation<'a>(
    kind: AnnotationKind,
    range: Range<usize>,
    label: &'a str,
) -> annotate_snippets::Annotation<'a> {
    kind.span(range).label((!label.is_empty()).then_some(label))
}

/// The part of a span that is on its first line: a table over many lines is known by its first.
fn within_line(text: &str, span: Span) -> Range<usize> {
    let start = text.floor_char_boundary(span.start);
    let end = text.floor_char_boundary(span.end).max(start);
    let line = text[start..end].lines().next().unwrap_or("");
    start..start + line.len()
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    let rest = text[at..].lines().next().unwrap_or("");
    at + rest.len()
}

fn line_number(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}
