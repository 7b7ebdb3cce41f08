//! Forms of reports that one tool has: pylint, mypy where it wraps messages, and commands of workflows.
//!
//! Owns these forms. Refuses to know the others, and how reports are told (`diagnostics`).

use crate::diagnostics::Severity;
use crate::search::split;

/// The severity, the code and the message of pylint: `W0611: Unused import os (unused-import)`.
pub fn of_pylint(text: &str) -> Option<(Severity, &str, &str)> {
    let (code, said) = (text.get(..5)?, text.get(5..)?.strip_prefix(": ")?);
    let severity = match code.as_bytes()[0] {
        b'F' | b'E' => Severity::Error,
        b'W' => Severity::Warning,
        b'C' | b'R' => Severity::Style,
        b'I' => Severity::Note,
        _ => return None,
    };
    let is_code = code[1..].bytes().all(|byte| byte.is_ascii_digit());
    is_code.then_some((severity, code, said.trim_end()))
}

/// The message of pylint, and the name of its rule in parentheses.
pub fn pylint_rule(said: &str) -> Option<(&str, &str)> {
    let (message, rule) = said.strip_suffix(')')?.rsplit_once(" (")?;
    let is_sign = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
    let is_rule = rule.len() > 2 && rule.bytes().all(is_sign);
    is_rule.then_some((message, rule))
}

/// The rule at the end of a wrapped message of mypy: `[arg-type]`, `"x"; expected "y"  [arg-type]`.
pub fn rule_below(line: &str) -> Option<&str> {
    let (said, rule) = line.trim_end().strip_suffix(']')?.rsplit_once('[')?;
    let is_end = said.is_empty() || said.ends_with("  ");
    let is_sign = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
    (is_end && rule.len() > 2 && rule.bytes().all(is_sign)).then_some(rule)
}

/// The severity, the file, the line, the rule and the message in a command for GitHub's workflows:
/// `::error file=a.ts,line=3,title=no-undef::'a' is not defined`.
pub fn of_workflow(line: &str) -> Option<(Severity, &str, &str, &str, &str)> {
    let (severity, rest) = [
        ("::error ", Severity::Error),
        ("::warning ", Severity::Warning),
        ("::notice ", Severity::Note),
    ]
    .into_iter()
    .find_map(|(start, severity)| Some((severity, line.strip_prefix(start)?)))?;
    let (properties, message) = split(rest, "::")?;
    let property = |name: &str| {
        let mut all = properties.split(',').filter_map(|it| it.split_once('='));
        all.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    let file = property("file")?;
    let place = property("line").unwrap_or_default();
    let rule = property("title").filter(|title| !title.contains(' '));
    let message = message.trim();
    (!message.is_empty()).then(|| (severity, file, place, rule.unwrap_or_default(), message))
}
