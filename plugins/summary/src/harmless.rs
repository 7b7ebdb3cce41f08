//! Lines that look like failures and are none: the output of tests that passed, and failures that a play ignores.
//!
//! Owns the lines at which the tests of `go test -v` and the tasks of Ansible begin and end. Refuses to know the shapes
//! of failures.

/// Most lines of a failing test that are its messages.
const MESSAGES: usize = 4;

/// What is known of the lines before a line.
pub enum End<'t> {
    /// The lines of these sorts, each with its number of lines, are the output of a test that passed.
    Passed(Vec<(usize, usize)>),
    /// These lines are what a test says of its failure.
    Failed(Vec<(usize, &'t str)>),
    /// The lines of these sorts are of a task whose failure is ignored.
    Ignored(Vec<(usize, usize)>),
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
    sorts: Vec<(usize, usize)>,
    messages: Vec<(usize, &'t str)>,
}

impl<'t> Harmless<'t> {
    /// Reads the next line, and tells what it says of those before.
    pub fn next(&mut self, place: usize, line: &'t str) -> Option<End<'t>> {
        let first = line.as_bytes().first().copied().unwrap_or_default();
        if matches!(first, b' ' | b'\t' | 0) {
            if !self.test.is_empty() && is_message(line) {
                if self.messages.len() == MESSAGES {
                    self.messages.remove(0);
                }
                self.messages.push((place, line));
            }
            return None;
        }
        let end = match first {
            b'=' => {
                self.begins(line);
                return None;
            }
            b'-' => self.ends(line),
            b'.' if line == "...ignoring" && !self.host.is_empty() => {
                Some(End::Ignored(std::mem::take(&mut self.sorts)))
            }
            b'f' if self.is_of_same_host(line) => return None,
            _ => None,
        };
        if end.is_some() || !self.host.is_empty() || self.has_passed && first != b'-' {
            let has_passed = matches!(end, Some(End::Passed(_)));
            *self = Harmless {
                has_passed,
                ..Harmless::default()
            };
        }
        if first == b'f' {
            self.host = host(line).unwrap_or_default();
        }
        end
    }

    /// Notes that the last line looks like a failure of this sort. Returns whether its test has passed.
    pub fn note(&mut self, sort: usize, line: &str) -> bool {
        let is_indented = line.starts_with([' ', '\t']);
        if self.has_passed && is_indented {
            return true;
        }
        let is_outcome = line.trim_start().starts_with("--- ") || line.starts_with("FAIL");
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
            *self = Harmless {
                test: test.unwrap_or_default(),
                ..Harmless::default()
            };
        }
    }

    /// `--- PASS: TestCart (0.04s)`
    fn ends(&mut self, line: &'t str) -> Option<End<'t>> {
        let (outcome, rest) = line.strip_prefix("--- ")?.split_once(": ")?;
        let is_same = rest.split(' ').next() == Some(self.test) && !self.test.is_empty();
        match outcome {
            _ if !is_same => None,
            "PASS" | "SKIP" => Some(End::Passed(std::mem::take(&mut self.sorts))),
            "FAIL" => Some(End::Failed(std::mem::take(&mut self.messages))),
            _ => None,
        }
    }

    fn is_of_same_host(&self, line: &str) -> bool {
        !self.host.is_empty() && host(line) == Some(self.host)
    }
}

fn root(test: &str) -> &str {
    test.split('/').next().unwrap_or(test)
}

/// The host of a task that failed: `web-05` of `fatal: [web-05]: FAILED! => …` or `failed: [web-05] (item=a) => …`.
fn host(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("fatal: [")
        .or_else(|| line.strip_prefix("failed: ["))?;
    rest.split_once(']').map(|(host, _)| host)
}

/// Whether a line is a message of a test of Go: `    split_test.go:44: got 3, want 4`.
pub fn is_message(line: &str) -> bool {
    let line = line.trim_start();
    line.split_once(".go:").is_some_and(|(file, rest)| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest[digits..].starts_with(": ") && !file.contains(' ')
    })
}
