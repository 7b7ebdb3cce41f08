//! Shapes of lines that report a failure, by the tools that write them.
//!
//! Owns these shapes, and which of them follow another. Refuses to know which are shown, and the words (`failure_words`).
//!
//! A word such as `failed` counts only if it reports a failure: `0 failed`, `errors: 0` and a row of a table do not.

use crate::checkers;
use crate::failure_words::{self, TOTALS, WORD, has_bad_condition, has_bad_state, marks};
use crate::frames::{self, Frame};
use crate::harmless;
use crate::known_lines::{is_exception, known};
use crate::levels;
use crate::search::{Beginnings, begins, find, has as part, split};
use crate::traceback::Traceback;
use crate::trim::trim_start;
use tamis_formats::{Sixteen, words};

/// How important a line is to a failure. The first shape is the most important.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Shape {
    /// The failure: an exception with its message, the name of a test, an error of a compiler.
    Failure,
    /// The place and the expectation: frames of the program, places, values.
    Detail,
    /// A line with a word of failures.
    Word,
}

/// The shapes that count in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Every shape.
    Open,
    /// Shapes that prose, code and tables do not have by chance.
    Strict,
}

/// Lines after a panic that belong to it.
const AFTER_PANIC: u8 = 4;
/// Lines after a failure in which `Detail:` and the like belong to it.
const AFTER_FAILURE: u8 = 8;

/// Reads lines in order, and finds the shape of each.
pub struct Shapes {
    strictness: Strictness,
    traceback: Traceback,
    after_panic: u8,
    after_failure: u8,
    /// After `2 failing` of mocha: `1) cart`, and the test's name on the next line.
    after_failing: bool,
    /// The least indentation of the name.
    after_number: Option<usize>,
    /// Lines after any line of a failure in which frames may stand after the words of a log.
    after_any: u8,
    /// Lines that a test of Vitest wrote: `stdout | a.spec.ts > logs`.
    in_output: bool,
    /// A process stands before the last line: `==4411== `.
    is_of_process: bool,
    /// A frame's code follows.
    after_own_frame: bool,
    in_stack: bool,
    /// What the words of the last line may be, as in [`marks`].
    marks: u16,
    /// No line before has an effect on the next one.
    is_idle: bool,
}

/// The first bytes of lines that have a shape only by a word of failures, by their last bytes, or by their beginning
/// ([`begins_a_shape`]).
static PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let bytes =
        b"0123456789abcdefghijklmnopqrstuvwxyzABCDGHIJKLMNOPQRSTUVWXYZ{}[]()\"'`_#|.,;$%&?@^~\\+";
    let mut at = 0;
    while at < bytes.len() {
        plain[bytes[at] as usize] = true;
        at += 1;
    }
    // Those of letters that are not of ASCII, but no signs.
    let mut at = 0xc4;
    while at < 0xf0 {
        plain[at] = at != 0xe2;
        at += 1;
    }
    plain
};

/// Whether a line without blanks before it begins and ends so that it has a shape only by a word of failures.
#[inline]
fn is_plain(start: &str) -> bool {
    let bytes = start.as_bytes();
    let Some((first, rest)) = bytes.split_first() else {
        return false;
    };
    let may_end_a_shape = match rest {
        [.., b')'] => first.is_ascii_digit(),
        // The first line of a traceback may stand behind the words of a log.
        [.., b':'] => matches!(first, b'0'..=b'9' | b'S' | b'T') || bytes.ends_with(b"t):"),
        [.., before, b']'] => matches!(before, b'E' | 0x80..),
        _ => false,
    };
    let is_plain = match (first, rest) {
        // Items of lists, without a mark.
        (b'-' | b'*', [b' ', next, ..]) => next.is_ascii(),
        _ => PLAIN[usize::from(*first)],
    };
    is_plain && !may_end_a_shape && !begins_a_shape(bytes)
}

/// Whether a line of no other line's shape begins as one that has a shape without a word of failures: a frame, output of
/// a test, or a line of a tool (`known_lines`).
#[inline]
fn begins_a_shape(line: &[u8]) -> bool {
    matches!(
        line,
        [b'a', b't', b' ', ..]
            | [b'e', b':', ..]
            | [b'n', b'p' | b'o', b'm' | b't', ..]
            | [b's', b't', b'd', ..]
            | [b'B', b'U', ..]
            | [b'C', b'a' | b'O' | b'e', ..]
            | [b'D', b'e' | b'E', ..]
            | [b'K', b'i', b'l', ..]
            | [b'S', b'e' | b'u' | b'U', ..]
            | [b'T', b'h', ..]
            | [b'U', b'n', ..]
            | [b'W', b'A', ..]
    )
}

/// What a text reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Report {
    /// A line reports a failure.
    Failure,
    /// No failure, but another number may be one: `0 failed`.
    Number,
    /// No failure, whatever its numbers are.
    Nothing,
}

/// Reads the lines of a text.
pub fn report(text: &str) -> Report {
    let breaks = |bytes: Sixteen| bytes.are(b'\n');
    if !words::has_any_of(text.as_bytes(), breaks) {
        return report_of_line(text);
    }
    let mut shapes = Shapes::new(Strictness::Open);
    let mut report = Report::Nothing;
    for line in text.lines() {
        if shapes.next(line).is_some() {
            return Report::Failure;
        }
        // Without words of failures, digits mean nothing.
        if shapes.marks != 0 || shapes.in_stack && marks(line) != 0 {
            report = Report::Number;
        }
    }
    report
}

/// Reads a line.
pub fn report_of_line(line: &str) -> Report {
    // Most are plain, and without a word of failures.
    let known = is_plain(line).then(|| marks(line));
    match known {
        Some(0) => return Report::Nothing,
        Some(marks) if marks & WORD == 0 => return Report::Number,
        _ => {}
    }
    let mut shapes = Shapes::new(Strictness::Open);
    if shapes.read(line, known).is_some() {
        Report::Failure
    } else if shapes.marks != 0 {
        Report::Number
    } else {
        Report::Nothing
    }
}

/// Whether a text has a line that reports a failure.
pub fn is_failure(text: &str) -> bool {
    report(text) == Report::Failure
}

impl Shapes {
    pub fn new(strictness: Strictness) -> Shapes {
        Shapes {
            strictness,
            traceback: Traceback::default(),
            after_panic: 0,
            after_failure: 0,
            after_failing: false,
            after_number: None,
            after_any: 0,
            in_output: false,
            is_of_process: false,
            after_own_frame: false,
            in_stack: false,
            marks: 0,
            is_idle: true,
        }
    }

    /// Reads a line without a shape.
    #[inline]
    pub fn pass(&mut self) {
        (self.is_of_process, self.marks) = (false, 0);
    }

    /// The shape of the next line.
    pub fn next(&mut self, line: &str) -> Option<Shape> {
        if self.is_idle && line.is_empty() {
            self.pass();
            return None;
        }
        let start = trim_start(line);
        // An event of Kubernetes is indented.
        let is_plain = is_plain(start) && (start.len() == line.len() || !start.starts_with('W'));
        let marks = (self.is_idle && (is_plain || start.is_empty())).then(|| marks(start));
        if let Some(marks) = marks.filter(|marks| marks & WORD == 0) {
            self.is_of_process = false;
            self.marks = marks;
            return None;
        }
        let shape = self.read(line, marks);
        self.is_idle = !self.in_stack
            && !self.in_output
            && !self.after_failing
            && !self.after_own_frame
            && self.after_number.is_none()
            && self.after_panic | self.after_failure | self.after_any == 0
            && self.traceback.is_idle();
        shape
    }

    /// The same. `known`: the marks of the line, if they are known.
    fn read(&mut self, line: &str, known: Option<u16>) -> Option<Shape> {
        let inside = checkers::without_process(self.traceback.inside(line));
        self.is_of_process = inside.len() < line.len() && line.starts_with("==");
        let start = trim_start(inside);
        let may_be_frame = self.traceback.is_open()
            || self.in_stack
            || self.after_failure > 0
            || self.strictness == Strictness::Open;
        let frame = frames::frame(start).filter(|_| may_be_frame);
        // Of the words of a frame, only those of totals count.
        self.marks = match frame {
            Some(_) => u16::from(has_count(start)) * TOTALS,
            None => known.unwrap_or_else(|| marks(start)),
        };
        if self.traceback.is_ruler(start) {
            self.in_stack = true;
            return None;
        }
        if start.is_empty() {
            self.after_panic = 0;
            self.after_own_frame = false;
            self.in_output = false;
            if self.is_of_process {
                self.after_failure = 0;
                self.in_stack = false;
            }
            return None;
        }
        let indent = inside.len() - start.len();
        let mut shape = self.shape(line, (start, frame), indent);
        if indent == 0 && start.starts_with("std") {
            self.in_output |= begins(start, &["stdout | ", "stderr | "]);
        }
        if self.in_output && shape == Some(Shape::Failure) {
            shape = Some(Shape::Word);
        }
        self.after_any = match shape {
            Some(Shape::Failure | Shape::Word) => AFTER_FAILURE,
            None if self.in_stack => self.after_any,
            _ => self.after_any.saturating_sub(1),
        };
        self.after_failure = match shape {
            Some(Shape::Failure) => AFTER_FAILURE,
            _ => self.after_failure.saturating_sub(1),
        };
        shape
    }

    fn shape(
        &mut self,
        line: &str,
        (start, frame): (&str, Option<Frame>),
        indent: usize,
    ) -> Option<Shape> {
        if self.traceback.begins(line, start) {
            self.after_own_frame = false;
            return Some(Shape::Word);
        }
        if let Some(frame) = frame {
            self.after_own_frame = frame == Frame::Own && start.starts_with("File \"");
            self.in_stack = true;
            return (frame == Frame::Own).then_some(Shape::Detail);
        }
        let has_frames = self.after_any > 0 || self.in_stack;
        if has_frames && !self.traceback.is_open() {
            if let Some(frame) = frames::after_sign(line) {
                self.in_stack = true;
                let is_first = self.after_any > 0;
                return (frame == Frame::Own && is_first).then_some(Shape::Detail);
            }
            if let Some(frame) = checkers::frame(start).filter(|_| indent > 0) {
                self.in_stack = true;
                let is_first = self.after_failure > 0;
                return (frame == Frame::Own && is_first).then_some(Shape::Detail);
            }
        }
        if self
            .after_number
            .take()
            .is_some_and(|least| indent >= least)
        {
            return Some(Shape::Failure);
        }
        if self.is_of_process && start.starts_with("ERROR SUMMARY: ") && checkers::is_nothing(start)
        {
            return None;
        }
        if self.is_of_process && checkers::is_finding(start, true) {
            return Some(Shape::Failure);
        }
        // RSpec and PHPUnit: `1) name` follows.
        self.after_failing |= start == "Failures:"
            || start.starts_with("There w") && part(start, " failure") && start.ends_with(':');
        self.after_failing &= !start.starts_with("Finished in ");
        let digits = start.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            self.after_failing |= start[digits..].starts_with(" failing");
            let name = start[digits..].strip_prefix(") ");
            // Minitest, and ExUnit.
            let is_alone = matches!(name, Some("Failure:" | "Error:"));
            let module = name
                .and_then(|name| name.strip_suffix(')'))
                .and_then(|name| name.rsplit_once(" ("));
            let is_test = indent > 0
                && module.is_some_and(|(name, module)| {
                    begins(name, &["test ", "property ", "doctest "])
                        && module.starts_with(|c: char| c.is_ascii_uppercase())
                        && module.ends_with("Test")
                        && !module.contains(' ')
                });
            if name.is_some() && self.after_failing || is_alone {
                self.after_number = Some(usize::from(!is_alone));
            }
            if self.after_number.is_some() || is_test {
                return Some(Shape::Failure);
            }
        }
        if self.after_panic > 0 {
            self.after_panic -= 1;
            if start.starts_with("note:") || start.starts_with("stack backtrace") {
                self.after_panic = 0;
                return None;
            }
            let has_passed = start.ends_with(" PASSED") || start.ends_with(" ok");
            if self.after_panic == AFTER_PANIC - 1 && !has_passed {
                return Some(Shape::Failure);
            }
            if indent > 0 || is_detail(start) {
                return Some(Shape::Detail);
            }
            self.after_panic = 0;
        }
        if self.after_own_frame {
            self.after_own_frame = false;
            if indent > 0 && self.traceback.is_open() {
                return Some(Shape::Detail);
            }
        }
        if self.traceback.ends(start, indent) && is_exception(start) && !levels::is_plain(start) {
            return Some(Shape::Failure);
        }
        // `Thread 7 Crashed:`. Its first frame follows.
        if start.starts_with("Thread ") && part(start, " Crashed:") {
            self.after_panic = AFTER_PANIC;
            return Some(Shape::Failure);
        }
        let was_in_stack = std::mem::take(&mut self.in_stack);
        if was_in_stack && start.starts_with("... ") {
            self.in_stack = true;
            return None;
        }
        let is_strict = self.strictness == Strictness::Strict;
        let shape = known(line, start, indent, self.marks, is_strict).or_else(|| {
            let is_message = || indent > 0 && harmless::is_message(start);
            let follows = self.after_failure > 0 && (is_detail(start) || is_message())
                || self.after_any > 0 && !is_strict && is_of_comparison(start);
            follows.then_some(Shape::Detail)
        });
        if let Some(shape) = shape {
            if part(start, "panicked at") {
                self.after_panic = AFTER_PANIC;
            }
            return Some(shape);
        }
        if self.marks & WORD == 0 {
            return None;
        }
        if has_bad_state(start) {
            return Some(Shape::Word);
        }
        if is_strict {
            return None;
        }
        if has_bad_condition(start) {
            return Some(Shape::Word);
        }
        // `✓ fails when it must`.
        let has_passed = begins(start, &["✓ ", "✔ ", "√ ", "☑ ", "ok "]) || start.ends_with("[✔]");
        let has_level = || levels::is_error(line);
        let is_failure = failure_words::is_failure(line, self.marks) || has_level();
        // `# Error codes`
        let is_heading = start.trim_start_matches('#').starts_with(' ') && start.starts_with('#');
        let is_failure =
            is_failure && !is_heading && !has_passed && (!is_row(start) || has_level());
        is_failure.then_some(Shape::Word)
    }

    /// What the words of the last line may be, as in `failure_words`.
    pub fn marks(&self) -> u16 {
        self.marks
    }

    /// Whether no line before has an effect on the next one.
    pub fn is_idle(&self) -> bool {
        self.is_idle
    }

    /// Whether the last line belongs to a stack of frames.
    pub fn is_in_stack(&self) -> bool {
        self.in_stack || self.traceback.is_open()
    }

    /// Whether the last line has the totals of a test run: `2 failed, 182 passed`, `test result: ok. 3 passed`, `# fail
    /// 1`. `has_count`: tells whether the line [has a count](has_count).
    pub fn is_totals(&self, line: &str, has_count: impl FnOnce() -> bool) -> bool {
        (self.marks & TOTALS != 0 || line.starts_with("Test")) && are_totals(line, has_count)
    }
}

/// Whether a line has one of the two values that a test compared.
fn is_of_comparison(start: &str) -> bool {
    static VALUES: Beginnings<7> = Beginnings::of([
        "Expected: ",
        "expected: ",
        "Actual: ",
        "actual: ",
        "But was: ",
        "but was: ",
        "Received: ",
    ]);
    VALUES.begin(start)
}

/// Whether a line gives details of the failure before it.
fn is_detail(start: &str) -> bool {
    static WORDS: Beginnings<24> = Beginnings::of([
        "Detail:",
        "DETAIL:",
        "Hint:",
        "HINT:",
        "Expected",
        "expected",
        "Received",
        "received",
        "Actual",
        "actual",
        "left:",
        "right:",
        "assert",
        "got:",
        "but got:",
        "code:  ",
        "want:",
        "reason:",
        "message:",
        "= note:",
        "= help:",
        "at: ",
        "error: ",
        "operator:",
    ]);
    WORDS.begin(start)
        // The place of an error of TeX.
        || start.starts_with("l.") && start[2..].starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a line is a row of a table, or of a list of changes (`src/error.rs | 3 ++-`), which only names things.
fn is_row(start: &str) -> bool {
    if memchr::memchr(b'|', start.as_bytes()).is_none() {
        return false;
    }
    if start.starts_with('|') && start.trim_end().ends_with('|') {
        return true;
    }
    let is_change = |cell: &str| {
        let cell = cell.trim();
        let rest = cell.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_drawn = rest.bytes().all(|byte| matches!(byte, b' ' | b'+' | b'-'));
        rest.len() < cell.len() && is_drawn || cell.starts_with("Bin ")
    };
    let second = split(start, " | ").map(|(_, second)| second);
    second.is_some_and(|second| part(second, " | ") || is_change(second))
}

/// Whether a line near the end of a text tells what came of the work: `Plan: 1 to add, 39 to change, 1 to destroy.`,
/// `14 vulnerabilities (3 low, 11 moderate)`, `Success: no issues found in 212 source files`.
pub fn is_outcome(line: &str) -> bool {
    const LONGEST: usize = 200;
    /// Words of a part before and after its number.
    const WORDS: usize = 7;
    let line = line.trim();
    if line.is_empty() || line.len() > LONGEST {
        return false;
    }
    let starts = [
        "Success",
        "BUILD SUCC",
        "Apply complete",
        "All checks passed",
        "Everything up-to-date",
        // PostgreSQL's `EXPLAIN ANALYZE`.
        "Planning Time: ",
        "Execution Time: ",
    ];
    if begins(line, &starts) {
        return true;
    }
    // `Found 11 errors.`, as linters end.
    const FOUND: [&str; 5] = [" error", " problem", " issue", " warning", " diagnostic"];
    let found = line.strip_prefix("Found ").unwrap_or_default();
    let things = found.trim_start_matches(|c: char| c.is_ascii_digit());
    if things.len() < found.len() && begins(things, &FOUND) {
        return true;
    }
    // Two numbers of things, and few other parts.
    if !words::has_sign(line, b",(;") {
        return false;
    }
    let is_count = |part: &&str| {
        let words: Vec<&str> = part.split_ascii_whitespace().take(WORDS + 1).collect();
        let number = words
            .iter()
            .position(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let next = number.and_then(|at| words.get(at + 1));
        words.len() <= WORDS
            && next.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
    };
    let parts = line
        .split([',', '(', ';'])
        .filter(|part| !part.trim().is_empty());
    let counts = parts.clone().filter(is_count).count();
    counts >= 2 && counts * 2 > parts.count()
}

/// Whether one of a text's lines has the totals of a test run, as a line that stands alone.
pub fn has_totals<'t>(text: &str, mut lines: impl Iterator<Item = &'t str>) -> bool {
    // Most texts have no count.
    let has_count = has_count(text);
    lines.any(|line| {
        let may_be = has_count || trim_start(line).starts_with(['T', 't', '#']);
        let is_it = || line.starts_with("Test") || marks(line) & TOTALS != 0;
        may_be && is_it() && is_totals(line)
    })
}

/// Whether a line has the totals of a test run, in the words of test tools.
fn is_totals(line: &str) -> bool {
    are_totals(line, || has_count(line))
}

fn are_totals(line: &str, has_count: impl FnOnce() -> bool) -> bool {
    let line = line.trim();
    if line.len() > 200 {
        return false;
    }
    const STARTS: [&str; 6] = [
        "test result: ",
        "Tests: ",
        "Tests run: ",
        "# pass ",
        "# fail ",
        "Test Suites: ",
    ];
    begins(line, &STARTS)
        || has_count()
            && [
                " passed",
                " flaky",
                " passing",
                " failing",
                " failed,",
                " failed in",
                " failures,",
            ]
            .iter()
            .any(|word| {
                find(line, word)
                    .is_some_and(|at| line[..at].ends_with(|c: char| c.is_ascii_digit()))
            })
}

/// Whether a line has a digit before a blank and two letters that totals begin with.
#[inline(never)]
pub fn has_count(line: &str) -> bool {
    let line = line.as_bytes();
    let mut at = 0;
    while at + 3 < line.len() {
        let (bytes, before) = words::sixteen(line, at);
        // Few words begin with such a letter.
        let places = bytes.are(b' ') >> before & bytes.are_one_of([b'f', b'p']) >> (before + 1);
        if places != 0 {
            let digits = bytes.between(b'0', b'9') >> before;
            let second = bytes.are_one_of([b'a', b'l']) >> before;
            if digits << 1 & places & second >> 2 != 0 {
                return true;
            }
        }
        // The last three of these bytes are the first of the next ones.
        at += 13;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure_words::FAILURES;

    #[test]
    fn each_word_of_failures_is_marked_wherever_it_stands() {
        let others = [
            "Error",
            "Exception",
            "exit",
            "Exit",
            ": *** [",
            ": *** No rule",
            "undefined",
        ];
        for word in FAILURES.iter().chain(&others) {
            for before in ["", "a", "ab", "12:"] {
                let line = format!("{before}{word}");
                assert!(marks(&line) & WORD != 0, "{line}");
                assert!(marks(&line.to_uppercase()) & WORD != 0, "{line}");
            }
        }
        for line in ["1 passed", "12 passing", "# pass 3", "12 failing"] {
            assert!(marks(line) != 0, "{line}");
        }
        assert_eq!(marks("request 12 took 3 ms"), 0);
    }

    fn shapes(text: &str) -> Vec<Option<Shape>> {
        let mut shapes = Shapes::new(Strictness::Open);
        text.lines().map(|line| shapes.next(line)).collect()
    }

    #[test]
    fn lines_that_fail() {
        for line in [
            "Caused by: org.postgresql.util.PSQLException: ERROR: duplicate key",
            "  Detail: Key (order_id)=(1) already exists.",
            "src/a.ts(3,5): error TS2322: Type 'a'",
            "src/a.ts:3:5 - error TS2322: Type 'a'",
            "main.c:3:5: error: expected ';'",
            "main.c:3:5: fatal error: no such file",
            "Main.java:3: error: cannot find symbol",
            "not ok 3 - refunds twice",
            "--- FAIL: TestRefund (0.00s)",
            "FAIL\texample.com/shop\t0.1s",
            "FAILED tests/a.py::b - assert 1 == 2",
            "E   assert 200 == 409",
            "  ● cart › adds",
            "npm ERR! code ELIFECYCLE",
            "npm error code ELIFECYCLE",
            "error[E0308]: mismatched types",
            "make: *** [all] Error 2",
            "process exited with code 2",
            "Error: Process completed with exit code 1.",
            "exit status 1",
            "thread 'main' panicked at src/main.rs:3:5:",
            "panic: runtime error: index out of range",
            "test a::b ... FAILED",
            "fatal: not a git repository",
        ] {
            assert_eq!(shapes(line), [Some(Shape::Failure)], "{line}");
        }
    }

    #[test]
    fn lines_that_do_not_fail() {
        for line in [
            "0 failed",
            "182 passed, 0 failed in 3 s",
            "errors: 0",
            "failures=0",
            "Errors: 0, Warnings: 3",
            "no errors found",
            "| error | 3 |",
            " src/error.rs | 3 ++-",
            "process exited with code 0",
            "exit status 0",
            "not ok 3 - later # TODO",
            "src/error.rs",
            "error_count is fine",
            "an error may occur here",
        ] {
            assert_eq!(shapes(line), [None], "{line}");
        }
        for line in ["10 failed", "case_0 FAILED", "1.0 FAILED"] {
            assert_eq!(shapes(line), [Some(Shape::Word)], "{line}");
        }
    }

    #[test]
    fn a_traceback_of_python() {
        let text = "Traceback (most recent call last):\n  File \"/srv/app/run.py\", line 9, in main\n    go()\n  File \"/usr/lib/python3.12/x.py\", line 2, in y\n    z()\nKeyError: 'a'\nafter";
        assert_eq!(
            shapes(text),
            [
                Some(Shape::Word),
                Some(Shape::Detail),
                Some(Shape::Detail),
                None,
                None,
                Some(Shape::Failure),
                None
            ]
        );
    }

    #[test]
    fn a_panic_and_its_message() {
        let text = "thread 'a' panicked at src/a.rs:3:5:\nassertion `left == right` failed\n  left: 1\n right: 2\nnote: run with\n\nok";
        let found = shapes(text);
        assert_eq!(found[..2], [Some(Shape::Failure); 2]);
        assert_eq!(found[2..4], [Some(Shape::Detail); 2]);
        assert_eq!(found[4..], [None; 3]);
    }

    #[test]
    fn totals() {
        for line in [
            "=== 2 failed, 182 passed in 14.83s ===",
            "test result: FAILED. 3 passed; 1 failed;",
            "Tests:       1 failed, 3 total",
            "# fail 1",
            "  12 passing (3s)",
        ] {
            assert!(is_totals(line), "{line}");
        }
        assert!(!is_totals("the bill was passed"));
    }
}

#[cfg(test)]
#[path = "tests/shapes.rs"]
mod forms;
