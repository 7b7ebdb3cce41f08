//! Findings as SARIF 2.1.0 (`--format sarif`), with all that GitHub code scanning requires.
//!
//! Columns are UTF-16 code units: the viewers count in them, also those that do not read `columnKind`.

use crate::cli::places::from_here;
use crate::policy::{Code, Finding, Report, Source, Span};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A log with one run. `is_checked`: Tamis could read the file.
pub(super) fn log(report: &Report, is_checked: bool) -> Value {
    let source = report.source();
    let findings = report.findings().iter();
    let results: Vec<Value> = findings.map(|finding| result(finding, source)).collect();
    let driver = json!({
        "name": "Tamis",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": Code::ALL.map(rule).to_vec(),
    });
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "invocations": [{ "executionSuccessful": is_checked }],
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    })
}

/// A rule for each code, at the index that the code has in [`Code::ALL`].
fn rule(code: Code) -> Value {
    let about = code.about();
    json!({
        "id": code.name(),
        "shortDescription": { "text": about },
        "fullDescription": { "text": format!("{about}.") },
        "help": {
            "text": format!(
                "The message of each result says how to fix it. `tamis check --allow {}` leaves out warnings and notes with this code.",
                code.name()
            ),
        },
    })
}

fn result(finding: &Finding, source: &Source) -> Value {
    let mut result = json!({
        "ruleId": finding.code.name(),
        "ruleIndex": finding.code as usize,
        // SARIF has the same three words.
        "level": finding.severity.name(),
        "message": { "text": message(finding) },
        "locations": [{ "physicalLocation": location(source, finding.span) }],
    });
    if let (Some((span, label)), Some(object)) = (&finding.also, result.as_object_mut()) {
        let related = json!([{
            "physicalLocation": location(source, Some(*span)),
            "message": { "text": plain(label) },
        }]);
        object.insert("relatedLocations".to_owned(), related);
    }
    result
}

/// A place in the file. The file as a whole is its beginning: code scanning requires a region.
fn location(source: &Source, span: Option<Span>) -> Value {
    let span = span.unwrap_or(Span { start: 0, end: 0 });
    let file = source.file_at(span.start);
    let uri = uri(&from_here(file.path()));
    let local = source.local(span);
    let (start_line, start_column) = position(file.text(), local.start);
    let (end_line, end_column) = position(file.text(), local.end);
    json!({
        "artifactLocation": { "uri": uri },
        "region": {
            "startLine": start_line,
            "startColumn": start_column,
            "endLine": end_line,
            "endColumn": end_column,
        },
    })
}

/// Line and column of a byte, both from 1; columns in UTF-16 code units.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    let before = &before[line_start..];
    // Four bytes in UTF-8 are two units. Counted so, a file of one long line is not decoded for each finding.
    let pairs = before.bytes().filter(|byte| *byte >= 0xf0).count();
    (line, before.chars().count() + pairs + 1)
}

/// The mistake, the text at its place, and how to fix it. The first sentence is the title of an alert.
fn message(finding: &Finding) -> String {
    let mut text = format!("{}.", finding.message.trim_end_matches('.'));
    if !finding.label.is_empty() {
        text += &format!("\n{}", finding.label);
    }
    if let Some(help) = &finding.help {
        text += &format!("\nhelp: {help}");
    }
    plain(&text)
}

/// A text in which no reader finds a link (`[text](target)`) or a placeholder (`{0}`) that a policy wrote there: a
/// space separates their parts. SARIF has escapes for both, but many readers show the escapes.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    for (at, character) in text.char_indices() {
        let is_placeholder = || {
            let after = text[at..].trim_start_matches(|c: char| c.is_ascii_digit());
            character.is_ascii_digit() && after.starts_with('}')
        };
        if (before == ']' && character == '(') || (before == '{' && is_placeholder()) {
            shown.push(' ');
        }
        shown.push(character);
        before = character;
    }
    shown
}

/// A path as a reference: relative, or `file://…` if it is absolute.
fn uri(path: &Path) -> String {
    let mut uri = String::new();
    if path.is_absolute() {
        uri += "file://";
    }
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(*byte));
            }
            other => {
                let _ = write!(uri, "%{other:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_utf16_code_units() {
        let text = "a = 1\r\n\u{1f980}é = \"数\"\n";
        let at = |what| text.find(what).expect("it is in the text");
        assert_eq!(position(text, 0), (1, 1));
        assert_eq!(position(text, at("é")), (2, 3));
        assert_eq!(position(text, at("数")), (2, 8));
        assert_eq!(position(text, text.len()), (3, 1));
        assert_eq!(position(text, text.len() + 9), (3, 1));
    }

    #[test]
    fn paths_are_references() {
        assert_eq!(
            uri(Path::new("a b/é%:#?.toml")),
            "a%20b/%C3%A9%25%3A%23%3F.toml"
        );
        assert_eq!(uri(Path::new("/p/x.toml")), "file:///p/x.toml");
    }

    #[test]
    fn a_policy_writes_no_links_and_no_placeholders() {
        assert_eq!(
            plain("[a](https://b) {0} {12} {} {1b} {1 [[chain]]"),
            "[a] (https://b) { 0} { 12} {} {1b} {1 [[chain]]"
        );
    }
}
