//! The output of `tamis test`: lines for a person, JSON objects, or XML.

use super::junit::Junit;
use crate::cases::{Case, Failure, Outcome, Suite, Untested, report};
use crate::cli::output;
use crate::diff::Diff;
use crate::policy::{Code, Finding, Report, Severity};
use crate::tokens;
use anstyle::{AnsiColor, Style};
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// A form of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum Format {
    /// For people: a line for each test, and each failure with its difference.
    Text,
    /// One JSON object a line: `test` for each test, `untested` for each step without one, `summary`.
    Json,
    /// JUnit XML, which most CI systems show.
    Junit,
}

/// The number of tests of each kind.
#[derive(Default)]
pub(in crate::cli) struct Counts {
    pub(in crate::cli) passed: usize,
    pub(in crate::cli) failed: usize,
    pub(in crate::cli) blessed: usize,
    pub(in crate::cli) filtered_out: usize,
    pub(in crate::cli) untested: usize,
}

pub(in crate::cli) struct Printer<W> {
    out: W,
    format: Format,
    colour: bool,
    /// Codes of the warnings that are failures.
    pub(in crate::cli) denied: Vec<Code>,
    pub(in crate::cli) counts: Counts,
    /// The messages of failed tests, for the end.
    failures: String,
    /// Findings of steps that no test exercises, for the end.
    reports: String,
    /// The whole output in the form of JUnit, for the end.
    junit: Junit,
}

impl<W: Write> Printer<W> {
    pub(in crate::cli) fn new(out: W, format: Format) -> Printer<W> {
        Printer {
            out,
            format,
            colour: format == Format::Text && super::super::has_colour(&std::io::stdout()),
            denied: Vec::new(),
            counts: Counts::default(),
            failures: String::new(),
            reports: String::new(),
            junit: Junit::default(),
        }
    }

    /// Whether a warning with this code is a failure.
    pub(in crate::cli) fn denies(&self, code: Code) -> bool {
        self.denied.contains(&code)
    }

    pub(in crate::cli) fn begin(
        &mut self,
        count: usize,
        filtered_out: usize,
        of: &Path,
    ) -> Result<()> {
        self.counts.filtered_out = filtered_out;
        if self.format != Format::Text {
            return Ok(());
        }
        let noun = if count == 1 { "test" } else { "tests" };
        self.line(&format!("running {count} {noun} of {}", of.display()))
    }

    pub(in crate::cli) fn test(
        &mut self,
        suite: &Suite,
        case: &Case,
        outcome: &Outcome,
    ) -> Result<()> {
        let (denied, remarks): (Vec<Finding>, Vec<Finding>) = suite
            .remarks(case, outcome)
            .into_iter()
            .partition(|remark| self.denies(remark.code));
        let passed = outcome.passed() && denied.is_empty();
        let (status, colour) = match (passed, outcome.blessed) {
            (false, _) => ("failed", AnsiColor::Red),
            (true, true) => ("blessed", AnsiColor::Yellow),
            (true, false) => ("ok", AnsiColor::Green),
        };
        match (passed, outcome.blessed) {
            (false, _) => self.counts.failed += 1,
            (true, true) => self.counts.blessed += 1,
            (true, false) => self.counts.passed += 1,
        }
        if self.format == Format::Junit {
            self.junit.test(suite, case, outcome, &denied);
            self.junit.remarks(suite, &remarks);
            return Ok(());
        }
        let output = outcome.output.as_deref().unwrap_or_default();
        let (before, after) = (count(&outcome.input), count(output));
        if self.format == Format::Json {
            let mut object = object(suite, case, outcome, status, (before, after));
            if let Some(failures) = object["failures"].as_array_mut() {
                let message = |finding: &Finding| json!({"message": in_one_line(finding)});
                failures.extend(denied.iter().map(message));
            }
            object["warnings"] = remarks.iter().map(in_one_line).collect();
            return self.line(&object.to_string());
        }
        let word = if passed { status } else { "FAILED" };
        let shown = self.paint(colour, word);
        let saved = match before == after {
            true => format!("{before} tokens"),
            false => format!("{before} → {after} tokens"),
        };
        let name = &case.spec.name;
        self.line(&format!("test {name} ... {shown} ({saved})"))?;
        if !outcome.passed() {
            let message = report::failure(suite, case, outcome, self.colour);
            self.failures += &format!("\n---- {name} ----\n{message}");
        }
        // Denied, so they are errors.
        let denied = denied.into_iter().map(|remark| Finding {
            severity: Severity::Error,
            ..remark
        });
        let remarks: Vec<Finding> = denied.chain(remarks).collect();
        if !remarks.is_empty() {
            let report = Report::new(suite.source().clone(), remarks);
            self.reports += &format!("\n{}\n", report.render(self.colour));
        }
        Ok(())
    }

    pub(in crate::cli) fn written(&mut self, path: &Path) -> Result<()> {
        match self.format {
            Format::Text => self.line(&format!("wrote {}", path.display())),
            Format::Json => self.line(&json!({"type": "written", "path": path}).to_string()),
            Format::Junit => {
                output::tell(format_args!("wrote {}", path.display()));
                Ok(())
            }
        }
    }

    pub(in crate::cli) fn untested(&mut self, suite: &Suite, steps: Vec<Untested>) -> Result<()> {
        self.counts.untested += steps.len();
        if self.format == Format::Junit {
            let is_denied = self.denies(Code::StepUntested);
            self.junit.untested(suite, &steps, is_denied);
            return Ok(());
        }
        if self.format == Format::Json {
            for step in steps {
                let object = json!({
                    "type": "untested",
                    "chain": step.chain,
                    "step": step.step + 1,
                    "filter": step.filter,
                    "why": step.why,
                    "file": suite.source().path_at(step.span.start),
                    "line": report::line_of(suite.source(), step.span.start),
                });
                self.line(&object.to_string())?;
            }
            return Ok(());
        }
        // For a policy without any test, another message says so.
        if !steps.is_empty() && !suite.cases.is_empty() {
            let of_chains = steps.chunk_by(|one, next| one.chain == next.chain);
            let findings: Vec<Finding> = of_chains.filter_map(Untested::finding).collect();
            let report = Report::new(suite.source().clone(), findings);
            self.reports += &format!("\n{}\n", report.render(self.colour));
        }
        Ok(())
    }

    pub(in crate::cli) fn end(&mut self) -> Result<()> {
        let Counts {
            passed,
            failed,
            blessed,
            filtered_out,
            untested,
        } = self.counts;
        if self.format == Format::Junit {
            return self.xml();
        }
        if self.format == Format::Json {
            let summary = json!({
                "type": "summary",
                "passed": passed,
                "failed": failed,
                "blessed": blessed,
                "filtered_out": filtered_out,
                "untested_steps": untested,
            });
            return self.line(&summary.to_string());
        }
        if !self.failures.is_empty() {
            let failures = std::mem::take(&mut self.failures);
            self.line(&format!("\nfailures:\n{}", failures.trim_end_matches('\n')))?;
        }
        let reports = std::mem::take(&mut self.reports);
        write!(self.out, "{reports}").map_err(output::failed)?;
        if passed + failed + blessed + filtered_out == 0 {
            return self.line("no tests found: a test is a [[test]] table in filters.toml, or a folder with an input.json; `tamis test --help` shows one");
        }
        let (word, colour) = match failed {
            0 => ("ok", AnsiColor::Green),
            _ => ("FAILED", AnsiColor::Red),
        };
        let word = self.paint(colour, word);
        let mut summary = format!("\ntest result: {word}. {passed} passed; {failed} failed");
        for (count, what) in [
            (blessed, "blessed"),
            (filtered_out, "filtered out"),
            (untested, "steps untested"),
        ] {
            if count > 0 {
                summary += &format!("; {count} {what}");
            }
        }
        self.line(&summary)
    }

    /// Prints that the tests could not run, in the forms that have a place for it. `of`: their file or folder.
    pub(in crate::cli) fn broken(&mut self, of: &Path, errors: &[anyhow::Error]) -> Result<()> {
        if self.format != Format::Junit {
            return Ok(());
        }
        for error in errors {
            self.junit.broken(of, error);
        }
        self.xml()
    }

    fn xml(&mut self) -> Result<()> {
        let xml = self.junit.xml();
        self.line(xml.trim_end())
    }

    fn paint(&self, colour: AnsiColor, word: &str) -> String {
        let style = if self.colour {
            colour.on_default()
        } else {
            Style::new()
        };
        format!("{style}{word}{style:#}")
    }

    fn line(&mut self, text: &str) -> Result<()> {
        writeln!(self.out, "{text}")
            .and_then(|()| self.out.flush())
            .map_err(output::failed)
    }
}

/// A finding without its place.
pub(super) fn in_one_line(finding: &Finding) -> String {
    format!("{}: {}", finding.message, finding.label)
}

fn count(bytes: &[u8]) -> u32 {
    tokens::count(&String::from_utf8_lossy(bytes))
}

fn object(
    suite: &Suite,
    case: &Case,
    outcome: &Outcome,
    status: &str,
    (before, after): (u32, u32),
) -> Value {
    let failures: Vec<Value> = outcome
        .failures
        .iter()
        .map(|reason| failure(reason, outcome))
        .collect();
    let receipts = outcome
        .documents
        .iter()
        .flat_map(|document| &document.receipts);
    let steps: Vec<Value> = receipts
        .map(|receipt| json!({"filter": receipt.filter, "outcome": receipt.outcome.name()}))
        .collect();
    let (file, line) = match (case.folder.as_deref(), case.spec.span) {
        (Some(folder), _) => (folder, None),
        (None, span) => {
            let source = suite.source();
            let line = span.map(|span| report::line_of(source, span.start));
            let path = span.map_or(source.path(), |span| source.path_at(span.start));
            (path, line)
        }
    };
    json!({
        "type": "test",
        "name": case.spec.name,
        "status": status,
        "path": file,
        "line": line,
        "chain": outcome.chain,
        "withheld": outcome.withheld,
        "bytes_before": outcome.input.len(),
        "bytes_after": outcome.output.as_ref().map_or(0, Vec::len),
        "tokens_before": before,
        "tokens_after": after,
        "steps": steps,
        "failures": failures,
        "output": match outcome.passed() {
            true => None,
            false => outcome.output.as_deref().map(String::from_utf8_lossy),
        },
    })
}

fn failure(failure: &Failure, outcome: &Outcome) -> Value {
    match failure {
        Failure::Other(message) => json!({"message": message}),
        Failure::NoGolden(path) => {
            json!({"message": "the expected output is missing", "expected_in": path})
        }
        Failure::Golden { place, expected } => {
            let output = outcome.output.as_deref().unwrap_or_default();
            json!({
                "message": "the output differs from the expected output",
                "expected_in": place,
                "diff": Diff::new(expected, output).render(false),
            })
        }
    }
}
