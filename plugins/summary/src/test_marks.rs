//! The lines at which test tools tell that a test begins, and what came of it.
//!
//! Owns these lines: of `go test -v`, googletest, XCTest, Surefire, Gradle, libtest, pytest and Jest. Refuses to know the
//! lines between them.

use crate::search::{Beginnings, begins, has, split};
use crate::trim::trim_start;

/// What a line tells of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark<'t> {
    /// The lines that follow are of this test. The process of one that begins again ended before its test did.
    Begins(&'t str),
    /// The same of a test that began before, or of a part of it.
    GoesOn(&'t str),
    /// The lines that follow up to the next that is not indented are the message of this test's panic.
    Panics(&'t str),
    /// This test is over, and has passed or not.
    Ends(&'t str, bool),
    /// The indented lines that follow are of a file whose tests passed.
    PassedFile,
}

/// What marks of a form tell.
#[derive(Clone, Copy)]
enum Form {
    Begins,
    GoesOn,
    Panics,
    Passed,
    Failed,
}

use Form::{Begins, Failed, GoesOn, Panics, Passed};

/// Marks with the name of a test between two texts: `--- PASS: TestCart (0.04s)`. A name of Go ends before `/`.
const FORMS: [(&str, &str, Form); 19] = [
    ("=== RUN   ", "", Begins),
    ("=== CONT  ", "", GoesOn),
    ("=== NAME  ", "", GoesOn),
    ("=== PAUSE ", "", GoesOn),
    ("--- PASS: ", " (", Passed),
    ("--- SKIP: ", " (", Passed),
    ("--- FAIL: ", " (", Failed),
    ("[ RUN      ] ", "", Begins),
    ("[       OK ] ", " (", Passed),
    ("[  SKIPPED ] ", " (", Passed),
    ("[  FAILED  ] ", " (", Failed),
    ("Test Case '", "' started", Begins),
    ("Test Case '", "' passed", Passed),
    ("Test Case '", "' failed", Failed),
    ("[INFO] Running ", "", Begins),
    ("thread '", "' ", Panics),
    ("test ", " - should panic ... ok", Passed),
    ("test ", " ... ok", Passed),
    ("test ", " ... FAILED", Failed),
];

/// Whether a line may be a mark or begin a failure of a play, by its first two bytes and its last one. This rules out
/// most lines.
#[inline]
pub fn may_be(line: &str) -> bool {
    matches!(
        line.as_bytes(),
        [b'=', b'=', ..]
            | [b'[', b' ' | b'I', ..]
            | [b't', b'h', ..]
            | [b'T', b'e', ..]
            | [b'P', b'A', ..]
            | [b'f', b'a', ..]
            | [b'A', b'n', ..]
            | [.., b'R' | b'T']
    )
}

/// The mark in a line.
#[inline(never)]
pub fn mark(line: &str) -> Option<Mark<'_>> {
    let first = line.as_bytes().first();
    // The first byte rules out most forms.
    let mut forms = FORMS
        .iter()
        .filter(|(start, ..)| start.as_bytes().first() == first);
    let of_form = forms.find_map(|(start, end, form)| {
        let rest = line.strip_prefix(start)?;
        let test = match end.is_empty() {
            true => rest,
            false => split(rest, end)?.0,
        };
        Some((test, *form))
    });
    let (test, form) = of_form.or_else(|| of_report(line))?;
    let root = split(test, "/").filter(|_| begins(line, &["===", "---"]));
    let (test, is_part) = root.map_or((test, false), |(root, _)| (root, true));
    Some(match form {
        Begins if !is_part => Mark::Begins(test),
        Begins | GoesOn => Mark::GoesOn(test),
        Panics => Mark::Panics(test),
        Passed if test.is_empty() => Mark::PassedFile,
        Passed => Mark::Ends(test, true),
        Failed => Mark::Ends(test, false),
    })
}

/// Whether a line, which is no mark, tells that the tests of a process are over, also in the middle of one, or that others
/// begin.
pub fn ends_all(line: &str) -> bool {
    static STARTS: Beginnings<22> = Beginnings::of([
        "panic: ",
        "fatal error: ",
        "fatal runtime error: ",
        "FAIL",
        "exit status ",
        "signal: ",
        "running ",
        "error: test failed",
        "error: process ",
        "WARNING: DATA RACE",
        "error Command ",
        "npm ERR!",
        "npm error ",
        "thread 'main' ",
        "INTERNALERROR",
        "[ERROR] ",
        "Segmentation fault",
        "Aborted",
        "Killed",
        "terminate called ",
        "*** ",
        "● ",
    ]);
    STARTS.begin(trim_start(line))
}

/// Marks of other forms.
fn of_report(line: &str) -> Option<(&str, Form)> {
    // A part of pytest's report: `===== PASSES =====`.
    if line.starts_with("====") && line.ends_with("===") && has(line, " ") {
        let is_passes = has(line, "= PASSES =");
        return Some(("PASSES", if is_passes { Begins } else { Passed }));
    }
    // `PASS src/cart.test.ts (5.1 s)`
    if let Some(file) = line.strip_prefix("PASS ") {
        let is_test = [".test.", ".spec.", "__tests__/"]
            .iter()
            .any(|part| has(file, part));
        return is_test.then_some(("", Passed));
    }
    // `[INFO] Tests run: 5, Failures: 0, Errors: 0, … - in com.shop.CartTest`
    if let Some((_, rest)) = split(line, "] Tests run: ") {
        let (counts, class) = split(rest, " in ")?;
        let has_passed = has(counts, ", Failures: 0, Errors: 0, ");
        return Some((class, if has_passed { Passed } else { Failed }));
    }
    // `CartTest > adds() STANDARD_ERROR`, `CartTest > adds() PASSED`
    let (test, outcome) = line.rsplit_once(' ')?;
    let form = match outcome {
        "STANDARD_ERROR" | "STANDARD_OUT" => GoesOn,
        "PASSED" | "SKIPPED" => Passed,
        "FAILED" => Failed,
        _ => return None,
    };
    has(test, " > ").then_some((test, form))
}
