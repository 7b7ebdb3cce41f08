//! Findings as workflow commands of GitHub Actions (`--format github`): one line each.

use crate::cli::places::from_here;
use crate::policy::{Finding, Report, Severity, Source};

/// A line for each finding; empty if Tamis found nothing.
pub(super) fn commands(report: &Report) -> String {
    let source = report.source();
    let findings = report.findings().iter();
    findings.map(|finding| command(finding, source)).collect()
}

fn command(finding: &Finding, source: &Source) -> String {
    let name = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let path = source.path_at(finding.span.map_or(0, |span| span.start));
    let file = property(&from_here(path).display().to_string());
    let mut properties = format!("file={file}");
    if let Some(span) = finding.span {
        // A table over many lines is known by its first: GitHub shows no columns of several lines.
        let first = source.slice(span).lines().next().unwrap_or_default();
        let (line, column) = source.position(span.start);
        let (_, end) = source.position(span.start + first.len());
        properties += &format!(",line={line},col={column},endColumn={end}");
    }
    let title = property(&format!("Tamis ({})", finding.code.name()));
    let message = data(&message(finding, source));
    format!("::{name} {properties},title={title}::{message}\n")
}

fn message(finding: &Finding, source: &Source) -> String {
    let mut text = finding.message.clone();
    if !finding.label.is_empty() {
        text += &format!("\n{}", finding.label);
    }
    if let Some((span, label)) = &finding.also {
        let (line, _) = source.position(span.start);
        let path = source.path_at(span.start);
        let other = match finding.span.map(|span| source.path_at(span.start)) == Some(path) {
            true => String::new(),
            false => format!("{}, ", from_here(path).display()),
        };
        text += &format!("\n{other}line {line}: {label}");
    }
    if let Some(help) = &finding.help {
        text += &format!("\nhelp: {help}");
    }
    text
}

/// Text after `::`. A line break would end the command, and the next line could be another.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property's value, which ends at a comma or colon.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Span;

    #[test]
    fn nothing_in_a_finding_ends_its_command() {
        let source = Source::new("a,b:c%.toml", "one = 1\n[x]\ny = 2\n").expect("text");
        let table = Span::from(8..17);
        let finding = Finding::warning(table, "100 % wrong\r\n::stop-commands::x", "a, b: c")
            .also(Span::from(0..3), "first")
            .help("fix");
        let report = Report::new(source, vec![finding]);
        assert_eq!(
            commands(&report),
            "::warning file=a%2Cb%3Ac%25.toml,line=2,col=1,endColumn=4,title=Tamis (invalid-value)::100 %25 wrong%0D%0A::stop-commands::x%0Aa, b: c%0Aline 1: first%0Ahelp: fix\n"
        );
    }
}
