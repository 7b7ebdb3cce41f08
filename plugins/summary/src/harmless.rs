//! Lines that look like failures and are none: the output of tests that passed, and failures that a play ignores.
//!
//! Owns which lines belong to a test. Refuses to know how tools mark tests (`test_marks`), the tasks of Ansible (`plays`)
//! and the shapes of failures.

use crate::plays::{Play, Said, may_begin};
use crate::search::{begins, has, split};
use crate::test_marks::{self, Mark, ends_all, mark};
use crate::trim::trim_start;

/// Most lines of a failing test that are its messages.
const MESSAGES: usize = 4;

/// What a line says of those before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// [`Harmless::sorts`] are the output of a test that passed.
    Passed,
    /// [`Harmless::messages`] are what a test or a task says of its failure.
    Failed,
    /// [`Harmless::sorts`] are of a task whose failure is ignored.
    Ignored,
}

/// The indented lines after a mark that are of its test, too.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum After {
    #[default]
    Nothing,
    /// A test of Go that passed: messages, until a blank line.
    Test,
    /// A file of Jest: until a line that is not indented.
    File,
}

/// The test or the task that lines belong to.
#[derive(Default)]
pub struct Harmless<'t> {
    /// The test without its parts: `TestCart` of `TestCart/adds`.
    test: &'t str,
    play: Play<'t>,
    after: After,
    /// Sorts of lines that look like failures, each with its number of lines.
    pub sorts: Vec<(usize, usize)>,
    /// Messages of the test, the last ones.
    pub messages: Vec<(usize, &'t str)>,
    /// The last line ended the test.
    is_over: bool,
    /// Another test has begun and not ended, so lines may be of either.
    is_unclear: bool,
    /// Of a test that panics, the number of the line with its message.
    message: Option<usize>,
    /// The number of the last line.
    place: usize,
}

impl<'t> Harmless<'t> {
    /// Reads the next line, and tells what it says of those before.
    #[inline]
    pub fn next(&mut self, place: usize, line: &'t str) -> Option<End> {
        if self.reads(line) {
            self.read(place, line)
        } else {
            None
        }
    }

    /// Whether a line has an effect.
    #[inline]
    pub fn reads(&self, line: &str) -> bool {
        self.is_open() || test_marks::may_be(line)
    }

    /// Whether a line before has an effect on the next one.
    #[inline]
    pub fn is_open(&self) -> bool {
        !self.test.is_empty() || self.after != After::Nothing || self.play.is_open()
    }

    #[inline(never)]
    fn read(&mut self, place: usize, line: &'t str) -> Option<End> {
        self.place = place;
        if std::mem::take(&mut self.is_over) {
            self.close();
        }
        if !self.play.is_open() && ends_all(line) {
            self.close();
            self.after = After::Nothing;
            return None;
        }
        let first = line.as_bytes().first().copied().unwrap_or_default();
        if matches!(first, b' ' | b'\t' | 0) {
            self.read_inside(place, line, first == 0);
        } else {
            self.after = After::Nothing;
            if self.play.is_open() || may_begin(line) {
                return self.read_play(line);
            }
        }
        let is_of_go = first == b'-';
        let mark = mark(line)?;
        self.message = matches!(mark, Mark::Panics(_)).then_some(place + 1);
        match mark {
            Mark::PassedFile => {
                self.close();
                self.after = After::File;
                None
            }
            Mark::GoesOn(test) if test == self.test => None,
            Mark::Begins(test) | Mark::Panics(test) | Mark::GoesOn(test) => {
                let is_unclear = !self.test.is_empty() && !line.starts_with("===");
                self.close();
                (self.test, self.is_unclear) = (test, is_unclear);
                None
            }
            Mark::Ends(test, _) if test != self.test => {
                // Tests of Go that run side by side have a line of their own before they go on.
                if !is_of_go {
                    self.close();
                }
                None
            }
            Mark::Ends(_, has_passed) => {
                self.is_over = true;
                if has_passed && is_of_go {
                    self.after = After::Test;
                }
                Some(if has_passed { End::Passed } else { End::Failed })
            }
        }
    }

    /// Reads a line that is indented or blank.
    fn read_inside(&mut self, place: usize, line: &'t str, is_blank: bool) {
        if !self.test.is_empty() && is_message(line) {
            if self.messages.len() == MESSAGES {
                self.messages.remove(0);
            }
            self.messages.push((place, line));
        }
        if is_blank && self.after == After::Test {
            self.after = After::Nothing;
        }
        if self.play.is_open() {
            self.play.read_inside(place, line);
        }
    }

    #[inline(never)]
    fn read_play(&mut self, line: &'t str) -> Option<End> {
        self.is_over = true;
        match self.play.read(line, self.sorts.len()) {
            Said::Ignored(first) => {
                self.sorts.drain(..first);
                Some(End::Ignored)
            }
            Said::Over => {
                self.messages = std::mem::take(&mut self.play).messages;
                Some(End::Failed)
            }
            Said::Nothing => {
                self.is_over = false;
                None
            }
        }
    }

    fn close(&mut self) {
        (self.test, self.is_unclear) = ("", false);
        self.sorts.clear();
        self.messages.clear();
    }

    /// Notes that the last line looks like a failure of this sort. Returns whether its test has passed.
    #[inline(never)]
    pub fn note(&mut self, sort: usize, line: &str) -> bool {
        let is_indented = line.starts_with([' ', '\t']);
        let is_after = match self.after {
            After::Nothing => false,
            After::Test => is_message(line) || line.starts_with("        "),
            After::File => true,
        };
        // A test that failed is no output of one that passed, whatever its file is marked with.
        let is_failed_test = || begins(trim_start(line), &["✕ ", "✗ ", "✘ ", "✖ ", "× ", "❌"]);
        if is_after && is_indented && !is_failed_test() {
            return true;
        }
        // Other tests that run at the same time write their own lines.
        let is_later = self.message.is_some_and(|message| self.place > message);
        if self.is_unclear || is_later && !is_indented {
            return false;
        }
        let is_of_play = self.play.is_open();
        let is_outcome = || trim_start(line).starts_with("--- ") || line.starts_with("FAIL");
        if is_of_play || !self.test.is_empty() && !self.is_over && !is_outcome() {
            let known = self.sorts.iter_mut().find(|(known, _)| *known == sort);
            match known.filter(|_| !is_of_play) {
                Some((_, lines)) => *lines += 1,
                None => self.sorts.push((sort, 1)),
            }
        }
        false
    }
}

/// Whether a line is a message of a test of Go: `    split_test.go:44: got 3, want 4`.
pub fn is_message(line: &str) -> bool {
    let line = trim_start(line);
    split(line, ".go:").is_some_and(|(file, rest)| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest[digits..].starts_with(": ") && !file.contains(' ')
    })
}

/// Whether a line names an extension of a certificate that must be understood: `X509v3 Basic Constraints: critical`.
pub fn is_extension(line: &str) -> bool {
    trim_start(line).starts_with("X509v3 ")
}

/// Whether a package manager names a dependency that need not be installed.
pub fn is_optional(line: &str) -> bool {
    has(line, "UNMET OPTIONAL DEPENDENCY")
}
