//! The shapes of single lines: forms of tools, words, and their near misses.

use super::*;
use crate::failure_words::{
    ANYWHERE, ERROR, EXCEPTION, EXIT, MAKE, NO_PHRASE, OF_LOG, PARTS, PHRASE, PHRASES, TOTALS,
    UNDEFINED, has_word, is_none,
};
use crate::known_lines::{has_class, has_exit_code, is_compiler_error};
use proptest::prelude::*;

#[track_caller]
fn assert_each(is: impl Fn(&str) -> bool, these: &[&str], others: &[&str]) {
    for line in these {
        assert!(is(line), "{line}");
    }
    for line in others {
        assert!(!is(line), "{line}");
    }
}

#[test]
fn errors_of_compilers_have_a_place() {
    assert_each(
        is_compiler_error,
        &[
            "a.c:3:5: error: x",
            "a.c:3:5: fatal error: x",
            "a.ts(3,5): error TS2322: x",
            "a.ts:3:5 - error TS2322: x",
            "a:3: error x",
        ],
        &[
            "a.c:3:5: warning: x",
            "a.c: error: x",
            "a b.c:3:5: error: x",
            "a.c:3:5: errors: x",
            "a.c:3:5: error",
            "a.c:3:5 error: x",
            "error: x",
            "3 errors",
        ],
    );
}

#[test]
fn codes_of_programs_that_ended() {
    assert_each(
        has_exit_code,
        &[
            "exited with code 2",
            "exit status 1",
            "exit code: 137",
            "Exit code=3",
            "job exited with non-zero status (9).",
            "exit status -1",
        ],
        &[
            "exited with code 0",
            "exit status 0.",
            "exit code x",
            "exit 2",
            "the exit of 2 codes",
            "status 2",
            "exit code",
        ],
    );
}

#[test]
fn lines_that_tell_of_the_failure_before() {
    assert_each(
        is_detail,
        &[
            "Detail: x",
            "DETAIL: x",
            "Hint: x",
            "HINT: x",
            "Expected: 1",
            "expected 1",
            "Received: 2",
            "received 2",
            "Actual: 2",
            "actual 2",
            "left: 1",
            "right: 2",
            "assert a == b",
            "got: 1",
            "want: 2",
            "reason: x",
            "message: x",
            "= note: x",
            "= help: x",
            "at: x",
            "error: x",
            "operator: x",
        ],
        &[
            "detail",
            "it was expected",
            "note: x",
            "left 1",
            "",
            "message x",
        ],
    );
}

#[test]
fn rows_of_tables_and_of_changes() {
    assert_each(
        is_row,
        &[
            "| a | b |",
            "a | b | c",
            " src/a.rs | 3 ++-",
            "a.png | Bin 0 -> 1 bytes",
            "|",
        ],
        &["a | b", "a", "", "a|b|c", "src/a.rs | Binary"],
    );
}

#[test]
fn totals_of_tests() {
    assert_each(
        is_totals,
        &[
            "test result: ok.",
            "Tests: 3",
            "Tests run: 3",
            "# pass 3",
            "# fail 0",
            "Test Suites: 1",
            "  3 passed",
            "3 passing",
            "3 failing",
            "3 failed, 1",
            "3 failed in 1 s",
            "3 failures, 1",
        ],
        &[
            "it passed",
            "the 3rd passed",
            "3 failed",
            "# passes 3",
            "test results: x",
            "",
            "Tests were run",
        ],
    );
    let long = |length: usize| format!("3 passed{}", "x".repeat(length - 8));
    assert!(is_totals(&long(200)) && !is_totals(&long(201)));
}

#[test]
fn exceptions_are_called_by_their_class() {
    let long = |length: usize| "a".repeat(length);
    assert_each(
        is_exception,
        &[
            "ValueError: x",
            "app.errors.Stop",
            "a_b: c",
            "é",
            &long(119),
        ],
        &["", "9a: b", "a b: c", ": c", "a-b: c", &long(120)],
    );
    assert_each(
        has_class,
        &["ValueError: x", "app.MyException: x", "AError: x"],
        &[
            "ValueError",
            "ValueError:x",
            "Error: x",
            "Value: x",
            "my ValueError: x",
            "ValueErrors: x",
        ],
    );
}

#[test]
fn words_of_failures() {
    assert_each(
        has_word,
        &[
            "it FAILED",
            "error",
            "Error at start",
            "ERROR",
            "x [error] y",
            "level=error x",
            "\"error\" x",
            "<error> x",
            "the error: x",
            "a test failed",
            "it panicked",
            "was aborted",
            "an error[1]",
            "see ValueError: x",
            "see MyException: y",
            "3 failed",
            "1.0 FAILED",
            "12 the error: 3",
            "fatal: x",
            "a critical: x",
            "severe: x",
            "traceback: x",
            "panic: x",
            "fails to start",
        ],
        &[
            "",
            "fine",
            "an error in text",
            "the errors of all",
            "an error:: x",
            "the Error:: 0",
            "x_error: y",
            "x-error: y",
            "x.error: y",
            "x/error: y",
            "error_x",
            "error-x",
            "error.x",
            "error/x",
            "error(x)",
            "an errors2 x",
            "0 failed",
            "no error: x",
            "No errors",
            "error: 0",
            "errors=0",
            "error: none",
            "error: null",
            "12 tests",
            "0 errors: x",
            "(0 failed",
            "the Error of x",
            "see ValueError here",
            "see Error::x",
            "xError",
        ],
    );
}

#[test]
fn counts_of_nothing() {
    let none = |line: &str, word: &str| {
        let start = line.find(word).expect("the word");
        is_none(line.as_bytes(), start, start + word.len())
    };
    for line in [
        "0 failed",
        "00 failed",
        "a 0 failed",
        "(0 failed",
        "[0 failed",
        "1,0 failed",
        "a;0 failed",
        "a\t0 failed",
        "no failed",
        "No failed",
        "with no failed",
        "failed: 0",
        "failed=0",
        "failed : 0",
        "failed: 00,",
        "failed: none",
        "failed=null",
        "0  failed",
    ] {
        assert!(none(line, "failed"), "{line}");
    }
    for line in [
        "failed",
        "10 failed",
        "case_0 failed",
        "1.0 failed",
        "x0 failed",
        "-0 failed",
        "piano failed",
        "failed 0",
        "failed: 1",
        "failed: 0.5",
        "failed: 10",
        "failed:",
        "failed: no",
        "failed; 0",
        "1 failed",
    ] {
        assert!(!none(line, "failed"), "{line}");
    }
}

#[test]
fn what_a_line_may_be_is_seen_by_four_letters() {
    let all = ERROR | EXCEPTION | EXIT | MAKE | UNDEFINED | TOTALS;
    for (line, expected) in [
        ("an Error", ERROR),
        ("an exception", EXCEPTION),
        ("Exit", EXIT),
        ("a: *** b", MAKE),
        ("undefined", UNDEFINED),
        ("3 passed", TOTALS),
        ("a failure", TOTALS),
        ("3 PASSED, a FAILURE", 0),
        ("words", 0),
    ] {
        assert_eq!(marks(line) & all, expected, "{line}");
    }
}

#[test]
fn beginnings_that_tools_write() {
    let open = |line: &str| Shapes::new(Strictness::Open).next(line);
    for line in [
        "--- FAIL: a",
        "AssertionError",
        "BUILD FAILED",
        "Caused by: x",
        "CONFLICT (content): x",
        "Detail: x",
        "DETAIL: x",
        "Exception in thread main",
        "E   x",
        "Error: x",
        "ERROR: x",
        "ERROR x",
        "FAIL a",
        "FAIL: a",
        "FAIL\ta",
        "FAILED a",
        "FAILED: a",
        "FATAL: x",
        "FATAL x",
        "Segmentation fault",
        "Suppressed: x",
        "error: x",
        "error[1]: x",
        "error x",
        "fatal: x",
        "fatal error: x",
        "npm ERR! x",
        "npm error x",
        "not ok 1",
        "panic: x",
        "thread 'a' panicked at b",
        "test a ... FAILED",
        "\u{25cf} a",
        "\u{2715} a",
        "\u{2717} a",
        "\u{2718} a",
        "\u{d7} a",
        "\u{274c} a",
        "make: *** [a] Error",
        "make: *** No rule to make x",
        "a.o: undefined reference to `b'",
    ] {
        assert_eq!(open(line), Some(Shape::Failure), "{line}");
    }
    for line in [
        "E   + a",
        "E   - a",
        "E   ? a",
        ">    a",
        "----> a",
        "  --> a.rs:1:1",
    ] {
        assert_eq!(open(line), Some(Shape::Detail), "{line}");
    }
    for line in [
        "--- PASS: a",
        "BUILD PASSED",
        "  E   x",
        "  Error x of",
        "  >    a",
        "thread 'a' began",
        "test a ... ok",
        "\u{2713} a",
        "a *** b",
        "not ok 1 # SKIP x",
        "the E   x",
        "--> a.rs:1:1",
        "  panic x",
    ] {
        let shape = open(line);
        assert!(
            !matches!(shape, Some(Shape::Failure | Shape::Detail)),
            "{line}: {shape:?}"
        );
    }
}

proptest! {
    #[test]
    fn parts_of_words_are_found_wherever_they_are(text in "[a-zé* ]{0,9}", part in 0..PARTS.len(), cut in 0usize..5, is_upper: bool) {
        let known = str::from_utf8(PARTS[part].0).expect("letters");
        let at = text.char_indices().nth(cut).map_or(text.len(), |(at, _)| at);
        let line = format!("{}{known}{}", &text[..at], &text[at..]);
        let line = if is_upper { line.to_uppercase() } else { line };
        for line in [&line, &text] {
            // Letters differ in five bits. So do the signs of a part.
            let of = |window: &[u8]| {
                let is = |part: &[u8; 4]| window.iter().zip(part).all(|(a, b)| a & 31 == b & 31);
                let is_lower = window.iter().all(|byte| byte & 32 != 0);
                let marks = PARTS.iter().filter(|(part, _)| is(part)).fold(0, |all, (_, marks)| all | marks);
                if is_lower { marks } else { marks & !TOTALS }
            };
            let expected = line.as_bytes().windows(4).fold(0, |all, window| all | of(window));
            // A part of a phrase counts wherever it is.
            let found = match marks(line) {
                marks if marks & (NO_PHRASE | OF_LOG) != 0 => marks & !(NO_PHRASE | OF_LOG) | PHRASE,
                marks => marks,
            };
            prop_assert_eq!(found, expected, "{}", line);
        }
    }

    #[test]
    fn phrases_are_found_wherever_they_are(before in "[a-zé* ]{0,20}", after in "[a-zé* ]{0,20}", phrase in 0..PHRASES.len()) {
        let line = format!("{before}{}{after}", PHRASES[phrase]);
        let mark = if phrase < ANYWHERE { PHRASE } else { OF_LOG };
        prop_assert!(marks(&line) & mark != 0, "{}", line);
    }
}

const STARTS: [&str; 56] = [
    "E   ",
    "Caused by: ",
    ">    ",
    "Segmentation fault",
    "",
    "  ",
    "panic: ",
    "Traceback (most recent call last):\n",
    "Failures:\n",
    "1) ",
    "2 failing",
    "at a.b",
    "ERROR x",
    "Thread 1 Crashed",
    "stdout | ",
    "goroutine 1",
    "java.lang.Error: ",
    "12:00 fatal: ",
    "x",
    "\"",
    "Warning  BackOff  4m",
    "- ",
    "- ❌ ",
    "* ● ",
    "** (EXIT",
    "--> ",
    "}",
    "[error] ",
    "[x] ",
    "(fail) ",
    "# fail 1 ",
    "== ",
    "==44== Invalid read of size 4",
    "| ",
    "● ",
    "× ",
    "été ",
    "имя ",
    "失 ",
    "│ ",
    "! [a]",
    "... ",
    "/srv/a.go:3 +0x4",
    "Stack trace:\n",
    "web app[1]: Traceback (most recent call last):\n",
    "+ Exception Group Traceback (most recent call last):\n",
    "42 - slow (Timeout)",
    "1) test adds (CartTest)",
    "test a::b ... FAILED",
    "thread 'a' panicked at ",
    "AssertionError",
    "fail: a [1]",
    "fatal error: ",
    "rsync error: ",
    "dpkg: error ",
    "error ",
];
const ENDS: [&str; 11] = [
    "",
    ":",
    ")",
    "]",
    " | FAIL |",
    " error",
    " timed out",
    "(FooTest)",
    " [E]",
    "[✘]",
    " sec",
];

proptest! {
    /// Of lines that begin and end plainly, only the words are looked at.
    #[test]
    fn plain_lines_have_the_shapes_that_others_have(lines in prop::collection::vec((0..4usize, 0..STARTS.len(), "[a-z0-9 .,]{0,12}", 0..ENDS.len()), 1..12)) {
        let (mut shapes, mut others) = (Shapes::new(Strictness::Open), Shapes::new(Strictness::Open));
        let lines = lines.iter().map(|(blanks, start, text, end)| {
            format!("{}{}{text}{}", ["", "", "  ", "\t"][*blanks], STARTS[*start], ENDS[*end])
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        for line in text.lines() {
            others.is_idle = false;
            prop_assert_eq!(shapes.next(line), others.next(line), "{} of {}", line, text);
            prop_assert_eq!(shapes.is_in_stack(), others.is_in_stack());
            prop_assert_eq!(shapes.marks & TOTALS, others.marks & TOTALS);
        }
    }
}

fn shapes_of(text: &str) -> Vec<Option<Shape>> {
    let mut shapes = Shapes::new(Strictness::Open);
    text.lines().map(|line| shapes.next(line)).collect()
}

/// A traceback ends, whatever stands before its lines, and other lines are not hidden by it.
#[test]
fn tracebacks_end_after_their_exception() {
    use Shape::{Detail, Failure, Word};
    let plain = "Traceback (most recent call last):\n  File \"/app/db.py\", line 41, in q\n    run()\nValueError: no\nINFO: well\n";
    let expected = [Some(Word), Some(Detail), Some(Detail), Some(Failure), None];
    assert_eq!(shapes_of(plain), expected);
    for before in ["web-03 app[1]: ", "api-1  | ", "Nov 20 10:00:00 a b[7]: "] {
        let text: String = plain
            .lines()
            .map(|line| format!("{before}{line}\n"))
            .collect();
        assert_eq!(shapes_of(&text), expected, "{text}");
        let mut shapes = Shapes::new(Strictness::Open);
        for line in text.lines().chain(["another: program"]) {
            shapes.next(line);
        }
        assert!(!shapes.is_in_stack(), "{text}");
    }
    // Only the first line has the words of the log.
    let logged = format!("2026-11-20 10:00:00 ERROR {plain}");
    assert_eq!(shapes_of(&logged), expected);
    let group = "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/db.py\", line 41, in q\n  |     run()\n  | ExceptionGroup: two of them (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"/app/tenants.py\", line 88, in read\n    |     read()\n    | KeyError: 'x'\n    +------------------------------------\nINFO:app:well\n";
    let found = shapes_of(group);
    assert_eq!(found[..4], expected[..4]);
    assert_eq!(found[5..9], expected[..4]);
    assert_eq!(found[10], None, "{found:?}");
    // No exception follows.
    let cut = "Traceback (most recent call last):\n  File \"/app/db.py\", line 41, in q\nINFO: well\nINFO: and good\n";
    assert_eq!(shapes_of(cut), [Some(Word), Some(Detail), None, None]);
}

#[test]
fn failing_tests_have_numbers_after_a_heading() {
    use Shape::Failure;
    let rspec = "Failures:\n\n  1) Cart sums items\n     Failure/Error: expect(total).to eq(3)\n\n       expected: 3\n            got: 2\n\nFinished in 2 seconds\n\n  1) of a list\n";
    let found = shapes_of(rspec);
    assert_eq!(found[2..4], [Some(Failure), Some(Failure)]);
    assert!(found[5].is_some() && found[6].is_some());
    assert_eq!(found.last(), Some(&None));
    let phpunit =
        "There were 2 failures:\n\n1) App\\CartTest::testSum\nFailed asserting that 4 matches 3.\n";
    assert_eq!(shapes_of(phpunit)[2], Some(Failure));
}

#[test]
fn answers_of_servers_names_of_columns_and_places_of_tex() {
    let is = |line: &str| shapes_of(line)[0].is_some();
    assert_each(
        is,
        &[
            "< HTTP/2 403",
            "< HTTP/1.1 500 Internal Server Error",
            "HTTP/1.1 404 Not Found",
            "a CREATE_FAILED b",
        ],
        &[
            "< HTTP/2 200",
            "> GET / HTTP/1.1",
            "ID#  UPDATED  WHEN_FAILED RAW_VALUE",
            "HTTP/2 4030",
        ],
    );
    let tex = "! Undefined control sequence.\nl.412 \\includegrphics\n";
    assert_eq!(shapes_of(tex), [Some(Shape::Failure), Some(Shape::Detail)]);
}

proptest! {
    #[test]
    fn a_line_has_the_shape_that_a_whole_look_finds(
        start in prop::sample::select(vec![
            "", "at ", "dpkg: ", "e: ", "error: ", "error[", "fail: ", "fatal: ", "npm ERR! ", "not ok ", "panic: ",
            "rsync error: ", "stdout | ", "thread ", "test ", "AssertionError", "BUILD FAILED", "Caused by: ",
            "CONFLICT (", "Cell In[", "Detail: ", "DETAIL: ", "Segmentation fault", "Suppressed: ", "SUMMARY: ",
            "Thread ", "Uncaught ", "Unhandled ", "WARNING: DATA RACE", "Warning  ", "There were ", "Stack trace:",
        ]),
        cut in 0usize..12,
        rest in "[a-zA-Z]{0,4}[ :.0-9a-z]{0,12}( panicked at | Crashed:|Sanitizer: |\\.kt:|\\.\\.\\. FAILED)?[a-z:)]{0,3}",
    ) {
        for line in [format!("{start}{rest}"), format!("{}{rest}", &start[..cut.min(start.len())])] {
            for strictness in [Strictness::Open, Strictness::Strict] {
                let whole = Shapes::new(strictness).read(&line, None);
                prop_assert_eq!(Shapes::new(strictness).next(&line), whole, "{}", line);
            }
            let mut shapes = Shapes::new(Strictness::Open);
            let is_failure = shapes.read(&line, None).is_some();
            let numbers = if shapes.marks != 0 { Report::Number } else { Report::Nothing };
            prop_assume!(!line.is_empty());
            prop_assert_eq!(report(&line), if is_failure { Report::Failure } else { numbers }, "{}", line);
        }
    }
}
