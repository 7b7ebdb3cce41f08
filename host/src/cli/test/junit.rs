//! Results of tests as JUnit XML (`--format junit`), the form that most CI systems show.
//!
//! Collects the tests, because the file begins with their numbers. A suite is a policy, and its name is the path of
//! its filters.toml.

use super::printer::in_one_line;
use crate::cases::{Case, Failure, Outcome, Suite, Untested, report};
use crate::cli::places::from_here;
use crate::policy::{Code, Finding, Report};
use crate::printable;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// The report of a run.
#[derive(Default)]
pub(super) struct Junit {
    suites: Vec<Tests>,
}

/// The tests of a policy.
struct Tests {
    /// The path of the policy's file.
    file: String,
    tests: Vec<Test>,
    /// Warnings about steps: those that no test exercises, and those that took too long or failed.
    warnings: String,
}

struct Test {
    name: String,
    /// The file or folder that the test is in.
    file: String,
    line: Option<usize>,
    time: Duration,
    problem: Option<Problem>,
}

struct Problem {
    kind: Kind,
    /// The message, in one line.
    message: String,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A test failed.
    Failed,
    /// `--deny` found a warning of this kind.
    Denied(Code),
    /// Tamis could not run tests.
    Broken,
}

impl Junit {
    /// A test, which failed if any of its warnings is denied.
    pub(super) fn test(
        &mut self,
        suite: &Suite,
        case: &Case,
        outcome: &Outcome,
        denied: &[Finding],
    ) {
        let (file, line) = match (&case.folder, case.spec.span) {
            (Some(folder), _) => (folder.as_path(), None),
            (None, span) => {
                let source = suite.source();
                let line = span.map(|span| report::line_of(source, span.start));
                let path = span.map_or(source.path(), |span| source.path_at(span.start));
                (path, line)
            }
        };
        let of_failures = (!outcome.passed()).then(|| Problem {
            kind: Kind::Failed,
            message: summary(&outcome.failures),
            text: report::failure(suite, case, outcome, false),
        });
        let of_denied = denied.first().map(|first| Problem {
            kind: Kind::Denied(first.code),
            message: in_one_line(first),
            text: Report::new(suite.source().clone(), denied.to_vec()).render(false),
        });
        let problem = match (of_failures, of_denied) {
            (Some(failed), Some(denied)) => Some(Problem {
                text: failed.text + "\n" + &denied.text,
                ..failed
            }),
            (failed, denied) => failed.or(denied),
        };
        let test = Test {
            name: case.spec.name.clone(),
            file: shown(file),
            line,
            time: outcome.time,
            problem,
        };
        self.of(suite.source().path()).tests.push(test);
    }

    /// The remarks on a test, as warnings.
    pub(super) fn remarks(&mut self, suite: &Suite, remarks: &[Finding]) {
        let source = suite.source();
        let tests = self.of(source.path());
        for remark in remarks {
            let line = remark
                .span
                .map_or(1, |span| report::line_of(source, span.start));
            let message = in_one_line(remark);
            let _ = writeln!(tests.warnings, "{}:{line}: warning: {message}", tests.file);
        }
    }

    /// Steps that no test exercises: a failed test each if they are denied, else a warning.
    pub(super) fn untested(&mut self, suite: &Suite, steps: &[Untested], is_denied: bool) {
        // In a policy without any test, a warning for each step says nothing new.
        if suite.cases.is_empty() && !is_denied {
            return;
        }
        let source = suite.source();
        let tests = self.of(source.path());
        for step in steps {
            let (number, chain, filter) = (step.step + 1, &step.chain, &step.filter);
            let line = report::line_of(source, step.span.start);
            let file = shown(source.path_at(step.span.start));
            let message =
                format!("no test exercises step {number} (`{filter}`) of chain `{chain}`");
            if !is_denied {
                let _ = writeln!(tests.warnings, "{file}:{line}: warning: {message}");
                continue;
            }
            let text = format!("{file}:{line}\nthe step {}\n", step.label());
            tests.tests.push(Test {
                name: format!("a test exercises step {number} (`{filter}`) of chain `{chain}`"),
                file,
                line: Some(line),
                time: Duration::ZERO,
                problem: Some(Problem {
                    kind: Kind::Denied(Code::StepUntested),
                    message,
                    text,
                }),
            });
        }
    }

    /// An error because of which no test ran. `of`: the file or folder of the tests.
    pub(super) fn broken(&mut self, of: &Path, error: &anyhow::Error) {
        let mut file = shown(of);
        let mut line = None;
        let mut message = format!("{error:#}");
        let mut text = message.clone();
        if let Some(report) = error.downcast_ref::<Report>() {
            let source = report.source();
            file = shown(source.path());
            if let Some(first) = report.findings().first() {
                message.clone_from(&first.message);
                line = first.span.map(|span| source.position(span.start).0);
                if let Some(span) = first.span {
                    file = shown(source.path_at(span.start));
                }
            }
            text = report.render(false);
        }
        let problem = Problem {
            kind: Kind::Broken,
            message,
            text,
        };
        let test = Test {
            name: "the tests can run".to_owned(),
            file: file.clone(),
            line,
            time: Duration::ZERO,
            problem: Some(problem),
        };
        self.of(Path::new(&file)).tests.push(test);
    }

    fn of(&mut self, file: &Path) -> &mut Tests {
        let file = shown(file);
        let index = self.suites.iter().position(|suite| suite.file == file);
        let index = index.unwrap_or_else(|| {
            self.suites.push(Tests {
                file,
                tests: Vec::new(),
                warnings: String::new(),
            });
            self.suites.len() - 1
        });
        &mut self.suites[index]
    }

    /// The report as XML.
    pub(super) fn xml(&self) -> String {
        let all = || self.suites.iter().flat_map(|suite| &suite.tests);
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let _ = writeln!(xml, "<testsuites name=\"tamis test\"{}>", counts(all()));
        for suite in &self.suites {
            let name = attribute(&suite.file);
            let counts = counts(suite.tests.iter());
            let _ = writeln!(xml, "  <testsuite name=\"{name}\"{counts}>");
            for test in &suite.tests {
                write_test(&mut xml, test, &name);
            }
            if !suite.warnings.is_empty() {
                let warnings = text(&suite.warnings);
                let _ = writeln!(xml, "    <system-out>{warnings}</system-out>");
            }
            xml.push_str("  </testsuite>\n");
        }
        xml + "</testsuites>\n"
    }
}

fn write_test(xml: &mut String, test: &Test, class: &str) {
    let _ = write!(
        xml,
        "    <testcase name=\"{}\" classname=\"{class}\" file=\"{}\"",
        attribute(&test.name),
        attribute(&test.file),
    );
    if let Some(line) = test.line {
        let _ = write!(xml, " line=\"{line}\"");
    }
    let _ = write!(xml, " time=\"{}\"", seconds(test.time));
    let Some(problem) = &test.problem else {
        xml.push_str("/>\n");
        return;
    };
    let (element, kind) = match problem.kind {
        Kind::Failed => ("failure", "failed"),
        Kind::Denied(Code::StepUntested) => ("failure", "untested"),
        Kind::Denied(code) => ("failure", code.name()),
        Kind::Broken => ("error", "broken"),
    };
    let message = attribute(&problem.message);
    let text = text(&problem.text);
    let _ = writeln!(xml, ">");
    let _ = writeln!(
        xml,
        "      <{element} message=\"{message}\" type=\"{kind}\">{text}</{element}>"
    );
    xml.push_str("    </testcase>\n");
}

/// The attributes with the numbers of tests, and their time.
fn counts<'a>(tests: impl Iterator<Item = &'a Test>) -> String {
    let (mut all, mut failures, mut errors, mut time) = (0, 0, 0, Duration::ZERO);
    for test in tests {
        all += 1;
        time += test.time;
        match test.problem.as_ref().map(|problem| problem.kind) {
            Some(Kind::Broken) => errors += 1,
            Some(Kind::Failed | Kind::Denied(_)) => failures += 1,
            None => {}
        }
    }
    format!(
        " tests=\"{all}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" time=\"{}\"",
        seconds(time)
    )
}

fn seconds(time: Duration) -> String {
    format!("{:.6}", time.as_secs_f64())
}

fn shown(path: &Path) -> String {
    from_here(path).display().to_string()
}

/// The failures of a test in one line.
fn summary(failures: &[Failure]) -> String {
    let lines = failures.iter().map(|failure| match failure {
        Failure::Golden { .. } => "the output differs from the expected output".to_owned(),
        Failure::NoGolden(_) => "the expected output is missing".to_owned(),
        Failure::Other(message) => message.clone(),
    });
    lines.collect::<Vec<_>>().join("; ")
}

/// Text between tags.
fn text(text: &str) -> String {
    escape(text, |character| matches!(character, '\n' | '\t'))
}

/// Text between double quotes, where a reader takes line breaks for spaces unless they are references.
fn attribute(text: &str) -> String {
    escape(text, |_| false)
}

/// Escapes markup. A character that a terminal obeys becomes a reference; one that XML 1.0 does not allow at all is
/// spelled, as in all output of Tamis: `\u{1b}`.
fn escape(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ if stays(character) => escaped.push(character),
            _ if !is_xml(character) => escaped.extend(character.escape_unicode()),
            _ if printable::is_hidden(character) => {
                let _ = write!(escaped, "&#{};", u32::from(character));
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Whether a document of XML 1.0 may contain the character, as itself or as a reference.
fn is_xml(character: char) -> bool {
    matches!(character,
        '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup_or_obeyed_by_a_terminal() {
        let all: String = (0..=0x3000)
            .chain(0xfff0..=0x10010)
            .chain(0xe0000..=0xe0100)
            .filter_map(char::from_u32)
            .collect();
        for (escaped, stays) in [(text(&all), "\n\t"), (attribute(&all), "")] {
            let is_plain = |c: char| {
                stays.contains(c) || (is_xml(c) && !printable::is_hidden(c) && !"<>\"".contains(c))
            };
            assert!(escaped.chars().all(is_plain), "{escaped:?}");
        }
        assert_eq!(
            attribute("a<b> & \"c\"\n\u{0}\u{1b}\u{ffff}\u{202e}é\u{1f980}"),
            "a&lt;b&gt; &amp; &quot;c&quot;&#10;\\u{0}\\u{1b}\\u{ffff}&#8238;é\u{1f980}"
        );
        assert_eq!(text("]]>\n\r"), "]]&gt;\n&#13;");
    }
}
