//! Findings as one JSON object (`--format json`).

use crate::policy::{Finding, Report, Severity, Source, Span};
use serde_json::{Map, Value, json};

/// The object that docs/check.md describes. `is_clean`: whether the exit code is 0.
pub(super) fn object(report: &Report, is_clean: bool) -> Value {
    let source = report.source();
    let findings: Vec<Value> = report
        .findings()
        .iter()
        .map(|finding| finding_json(finding, source))
        .collect();
    json!({
        "file": source.path().display().to_string(),
        "ok": is_clean,
        "errors": report.count(Severity::Error),
        "warnings": report.count(Severity::Warning),
        "notes": report.count(Severity::Note),
        "findings": findings,
    })
}

pub fn finding_json(finding: &Finding, source: &Source) -> Value {
    let mut value = json!({
        "severity": finding.severity.name(),
        "code": finding.code.name(),
        "message": finding.message,
        "label": finding.label,
        "help": finding.help,
    });
    if let Some(object) = value.as_object_mut() {
        if let Some(span) = finding.span {
            object.extend(place(source, span));
        }
        if let Some((span, label)) = &finding.also {
            let mut also = place(source, *span);
            also.insert("label".to_owned(), label.as_str().into());
            object.insert("also".to_owned(), also.into());
        }
    }
    value
}

/// Lines and columns count from 1, columns in characters; the end is after the last one. Offsets are those of the
/// file.
fn place(source: &Source, span: Span) -> Map<String, Value> {
    let (line, column) = source.position(span.start);
    let (end_line, end_column) = source.position(span.end);
    let mut place = Map::new();
    let file = source.path_at(span.start).display().to_string();
    place.insert("file".to_owned(), file.into());
    let span = source.local(span);
    let numbers = [
        ("line", line),
        ("column", column),
        ("end_line", end_line),
        ("end_column", end_column),
        ("start", span.start),
        ("end", span.end),
    ];
    for (name, number) in numbers {
        place.insert(name.to_owned(), number.into());
    }
    place
}
