//! Lines that look like failures and are none: the output of tests that passed, and failures that a play ignores.
//!
//! Owns the lines at which the tests of `go test -v` and the tasks of Ansible begin and end. Refuses to know the shapes
//! of failures.

use crate::search::split;
use crate::trim::trim_start;

/// Most lines of a failing test that are its messages.
const MESSAGES: usize = 4;

/// What a line says of those before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// [`Harmless::sorts`] are the output of a test that passed.
    Passed,
    /// [`Harmless::messages`] are what a test says of its failure.
    Failed,
    /// [`Harmless::sorts`] are of a task whose failure is ignored.
    Ignored,
}

/// The test or the task that lines belong to.
#[derive(Default)]
pub struct Harmless<'t> {
    /// The test without its parts: `TestCart` of `TestCart/adds`.
    test: &'t str,
    /// The host of a task that failed: `fatal: [web-05`.
    host: &'t str,
    /// The last test passed, and indented lines after it are its own.
    has_passed: bool,
    /// Sorts of lines that look like failures, each with its number of lines.
    pub sorts: Vec<(usize, usize)>,
    /// Messages of the test, the last ones.
    pub messages: Vec<(usize, &'t str)>,
    /// The last line ended the test or the task.
    is_over: bool,
}

impl<'t> Harmless<'t> {
    /// Reads the next line, and tells what it says of those before.
    #[inline]
    pub fn next(&mut self, place: usize, line: &'t str) -> Option<End> {
        let is_open = !self.test.is_empty() || !self.host.is_empty();
        let may_begin = matches!(line.as_bytes().first(), Some(b'=' | b'f'));
        if is_open || may_begin || self.has_passed {
            self.read(place, line)
        } else {
            None
        }
    }

    #[inline(never)]
    fn read(&mut self, place: usize, line: &'t str) -> Option<End> {
        if std::mem::take(&mut self.is_over) {
            self.close();
        }
        let first = line.as_bytes().first().copied().unwrap_or_default();
        if matches!(first, b' ' | b'\t' | 0) {
            if !self.test.is_empty() && is_message(line) {
                if self.messages.len() == MESSAGES {
                    self.messages.remove(0);
                }
                self.messages.push((place, line));
            }
            // What a test wrote after its outcome ends before a blank line.
            self.has_passed &= first != 0;
            return None;
        }
        let end = match first {
            b'=' => {
                self.begins(line);
                return None;
            }
            b'-' => self.ends(line),
            b'.' if line == "...ignoring" && !self.host.is_empty() => Some(End::Ignored),
            b'f' if self.is_of_same_host(line) => return None,
            _ => None,
        };
        if end.is_some() {
            self.is_over = true;
        } else if !self.host.is_empty() || self.has_passed {
            self.close();
        }
        self.has_passed = end == Some(End::Passed);
        if first == b'f' {
            self.host = host(line).unwrap_or_default();
        }
        end
    }

    fn close(&mut self) {
        (self.test, self.host) = ("", "");
        self.sorts.clear();
        self.messages.clear();
    }

    /// Notes that the last line looks like a failure of this sort. Returns whether its test has passed.
    #[inline(never)]
    pub fn note(&mut self, sort: usize, line: &str) -> bool {
        let is_indented = line.starts_with([' ', '\t']);
        if self.has_passed && is_indented {
            return true;
        }
        let is_outcome = trim_start(line).starts_with("--- ") || line.starts_with("FAIL");
        let is_open = !self.test.is_empty() && !is_outcome || !self.host.is_empty();
        if is_open {
            match self.sorts.iter_mut().find(|(known, _)| *known == sort) {
                Some((_, lines)) => *lines += 1,
                None => self.sorts.push((sort, 1)),
            }
        }
        false
    }

    /// `=== RUN   TestCart/adds`
    fn begins(&mut self, line: &'t str) {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("===") {
            return;
        }
        let is_known = matches!(words.next(), Some("RUN" | "CONT" | "NAME" | "PAUSE"));
        let test = words.next().map(root).filter(|_| is_known);
        if test.is_some_and(|test| test != self.test) {
            self.close();
            self.has_passed = false;
            self.test = test.unwrap_or_default();
        }
    }

    /// `--- PASS: TestCart (0.04s)`
    fn ends(&self, line: &str) -> Option<End> {
        let (outcome, rest) = split(line.strip_prefix("--- ")?, ": ")?;
        let is_same = !self.test.is_empty()
            && rest
                .strip_prefix(self.test)
                .is_some_and(|rest| rest.starts_with(' '));
        match outcome {
            _ if !is_same => None,
            "PASS" | "SKIP" => Some(End::Passed),
            "FAIL" => Some(End::Failed),
            _ => None,
        }
    }

    fn is_of_same_host(&self, line: &str) -> bool {
        !self.host.is_empty() && host(line) == Some(self.host)
    }
}

fn root(test: &str) -> &str {
    split(test, "/").map_or(test, |(root, _)| root)
}

/// The host of a task that failed: `web-05` of `fatal: [web-05]: FAILED! => …` or `failed: [web-05] (item=a) => …`.
fn host(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("fatal: [")
        .or_else(|| line.strip_prefix("failed: ["))?;
    split(rest, "]").map(|(host, _)| host)
}

/// Whether a line is a message of a test of Go: `    split_test.go:44: got 3, want 4`.
pub fn is_message(line: &str) -> bool {
    let line = trim_start(line);
    split(line, ".go:").is_some_and(|(file, rest)| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest[digits..].starts_with(": ") && !file.contains(' ')
    })
}
