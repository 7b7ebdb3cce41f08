//! Errors of the TOML parser, in the form of our messages.
//!
//! The parser continues after an error, and reports consequences of that error too. This file drops
//! everything after a bracket that is never closed, and a second error at one place.

use std::collections::HashSet;

use toml::de::{DeTable, DeValue, Error};

use super::code::Code;
use super::names;
use super::report::Finding;
use super::source::{Source, Span};

/// Above this many errors, Tamis does not search for the other half of a mistake: each search walks through the
/// whole file.
const LOOKED_INTO: usize = 100;

/// Turns the parser's errors into findings. `root` is the tree that the parser could still build. It shows the
/// other half of a mistake.
pub(super) fn findings(source: &Source, root: &DeTable<'_>, errors: &[Error]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut places = HashSet::new();
    let mut unclosed_line: Option<usize> = None;
    for (index, error) in errors.iter().enumerate() {
        let root = (index < LOOKED_INTO).then_some(root);
        let brackets = root.and_then(|root| unclosed(source, root, error));
        let finding = finding(source, root, brackets, error);
        if let Some((opening, _)) = brackets {
            let line = line_end(source, opening);
            unclosed_line = Some(unclosed_line.map_or(line, |other| other.min(line)));
        }
        if places.insert(finding.span.map(|span| span.start)) {
            findings.push(finding.code(Code::Syntax));
        }
    }
    if let Some(end) = unclosed_line {
        findings.retain(|finding| finding.span.is_none_or(|span| span.start <= end));
    }
    findings
}

fn line_end(source: &Source, span: Span) -> usize {
    let local = source.local(span).start;
    let rest = source.text().get(local..).unwrap_or("");
    span.start + rest.find('\n').unwrap_or(rest.len())
}

fn finding(
    source: &Source,
    root: Option<&DeTable<'_>>,
    brackets: Option<(Span, Span)>,
    error: &Error,
) -> Finding {
    // The parser puts the problem and the expected text in one line.
    let message = error.message();
    let (wrong, expected) = message.split_once(", expected ").unwrap_or((message, ""));
    let span = error.span().map(Span::from);
    if wrong.contains("recursion") {
        return Finding::error(span, "nested too deep", "allowed: 80 levels");
    }
    if let Some((opening, end)) = brackets {
        let message = format!("not TOML: {wrong}");
        let still = format!("still open here, allowed: {expected}");
        return Finding::error(opening, message, "opened here").also(end, still);
    }
    let Some(span) = span else {
        return Finding::error(None, format!("not TOML: {message}"), "");
    };
    let text = source.slice(span);
    if wrong == "duplicate key" {
        let message = format!("duplicate key {}", names::quote(text));
        let finding = Finding::error(span, message, "again");
        return match root.and_then(|root| first_of(source, root, span)) {
            Some(first) => finding.also(first, "first here"),
            None => finding,
        };
    }
    let is_value = wrong == "string values must be quoted" || wrong.starts_with("invalid ");
    if is_value && text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        let label = "allowed: text in quotes, true, false";
        let help = format!("put it in quotes: \"{}\"", names::clip(text));
        return Finding::error(span, "text without quotes", label).help(help);
    }
    let (wrong, expected) = match (wrong, expected) {
        ("string values must be quoted", _) if text.is_empty() => {
            ("a value is missing", "text in quotes, a number, a list")
        }
        ("invalid basic string", "`\"`") => ("the text has no closing quote", "`\"`"),
        ("invalid literal string", "`'`") => ("the text has no closing quote", "`'`"),
        (wrong, "nothing") => (wrong, ""),
        other => other,
    };
    let label = match expected {
        "" => String::new(),
        expected => format!("allowed: {expected}"),
    };
    Finding::error(span, format!("not TOML: {wrong}"), label)
}

/// Calls `visit` for every table and array with its span; the root has none.
///
/// With a stack of its own: dotted keys in nested inline tables go deeper than ours might.
fn walk<'t>(root: &'t DeTable<'t>, mut visit: impl FnMut(Option<&'t DeTable<'t>>, Option<Span>)) {
    visit(Some(root), None);
    let mut open: Vec<_> = root.iter().map(|(_, value)| value).collect();
    while let Some(value) = open.pop() {
        match value.get_ref() {
            DeValue::Table(table) => {
                visit(Some(table), Some(value.span().into()));
                open.extend(table.iter().map(|(_, value)| value));
            }
            DeValue::Array(items) => {
                visit(None, Some(value.span().into()));
                open.extend(items.iter());
            }
            _ => {}
        }
    }
}

/// The place where the key at `again` first occurs in the same table.
fn first_of(source: &Source, root: &DeTable<'_>, again: Span) -> Option<Span> {
    let text = source.slice(again);
    let name = text.trim_matches(['"', '\'']);
    let mut best: Option<(usize, Span)> = None;
    walk(root, |table, span| {
        let Some((key, _)) = table.and_then(|table| table.get_key_value(name)) else {
            return;
        };
        let key = Span::from(key.span());
        let rank = match span.map(|span| (span, source.slice(span))) {
            // An inline table around the second key is the nearer, the later it begins.
            Some((span, text)) if text.starts_with('{') => {
                if span.start > again.start || span.end < again.end {
                    return;
                }
                span.start
            }
            // Of the tables with a header, the last one before the second key is still open there.
            None => key.start,
            Some((_, text)) if text.starts_with('[') => key.start,
            // A dotted key's table cannot be told apart from the others by its span.
            Some(_) => return,
        };
        if key.start < again.start && best.is_none_or(|(other, _)| rank > other) {
            best = Some((rank, key));
        }
    });
    best.map(|(_, key)| key)
}

/// The bracket that is never closed, and the place where the closing one is missing.
fn unclosed(source: &Source, root: &DeTable<'_>, error: &Error) -> Option<(Span, Span)> {
    let opener = if error.message().starts_with("unclosed array,") {
        '['
    } else if error.message().starts_with("unclosed inline table,") {
        '{'
    } else {
        return None;
    };
    let end = Span::from(error.span()?);
    let mut ending: Vec<Span> = Vec::new();
    walk(root, |_, span| {
        ending.extend(span.filter(|span| span.start < end.start && span.end == end.start));
    });
    ending.sort();
    // The innermost may be closed by the very last bracket, which then is missed around it.
    let before = source.slice(Span {
        start: source.start(),
        end: end.start,
    });
    let last = before.chars().next_back();
    if ending.last().is_some_and(|innermost| {
        let first = source.slice(*innermost).chars().next();
        matches!(
            (first, last),
            (Some('['), Some(']')) | (Some('{'), Some('}'))
        )
    }) {
        ending.pop();
    }
    let start = ending
        .into_iter()
        .rev()
        .find(|span| source.slice(*span).starts_with(opener))?
        .start;
    let opening = Span {
        start,
        end: start + 1,
    };
    Some((opening, end))
}
