//! Runs of tests: failing ones are told first, and the output of those that passed is no failure.

use super::*;

/// A run of `go test -v` whose passing tests write of errors.
fn go(failing: &str) -> String {
    let passing = |at: usize| {
        let name = word(at);
        format!(
            "=== RUN   Test{name}{at}\n    {name}_test.go:{}: retry {at} after expected error: deadline exceeded\n--- PASS: Test{name}{at} (0.04s)\n",
            at * 13 % 300
        )
    };
    let passing = |all: std::ops::Range<usize>| all.map(passing).collect::<String>();
    format!(
        "{}{failing}{}FAIL\nFAIL\texample.com/cache\t4.118s\n",
        passing(0..120),
        passing(120..180)
    )
}

#[test]
fn errors_of_passing_tests_of_go_do_not_hide_the_failing_one() {
    let text = go(
        "=== RUN   TestSplit\n    split_test.go:44: got 3, want 4\n--- FAIL: TestSplit (0.00s)\n",
    );
    let summary = summary(&text);
    let failures = failures(&summary);
    assert_eq!(
        failures[0], "362: split_test.go:44: got 3, want 4",
        "{summary}"
    );
    assert_eq!(failures[1], "363: --- FAIL: TestSplit (0.00s)", "{summary}");
    assert!(
        summary.contains("180 lines that look like failures are of tests that passed"),
        "{summary}"
    );
}

#[test]
fn a_failing_test_of_go_keeps_the_lines_of_its_parts() {
    let text = go(
        "=== RUN   TestA\n=== RUN   TestA/one\n=== RUN   TestA/two\n    a_test.go:9: error: the second is lost\n--- FAIL: TestA (0.00s)\n    --- PASS: TestA/one (0.00s)\n    --- FAIL: TestA/two (0.00s)\n",
    );
    assert_failures(
        &text,
        &[
            "a_test.go:9: error: the second is lost",
            "--- FAIL: TestA/two",
        ],
    );
}

#[test]
fn lines_of_parallel_tests_belong_to_the_test_that_is_named() {
    let text = go(
        "=== RUN   TestA\n=== PAUSE TestA\n=== RUN   TestB\n=== PAUSE TestB\n=== CONT  TestA\n    a_test.go:9: error: A is lost\n=== CONT  TestB\n    b_test.go:9: no failure yet\n--- PASS: TestB (0.00s)\n=== CONT  TestA\n    a_test.go:12: A is gone\n--- FAIL: TestA (0.00s)\n",
    );
    assert_failures(
        &text,
        &["a_test.go:9: error: A is lost", "a_test.go:12: A is gone"],
    );
}

#[test]
fn a_ruler_ends_no_test() {
    let text = go(
        "=== RUN   TestA\n    a_test.go:9: error: one\n==================\n    a_test.go:10: error: two\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    b_test.go:9: error: lost\n--- FAIL: TestB (0.00s)\n",
    );
    let told = summary(&text);
    assert!(
        !failures(&told)
            .iter()
            .any(|line| line.contains("a_test.go")),
        "{told}"
    );
}

/// Runs in which a test passes, and lines before its end are not of it, or a process ended in the middle of it.
#[test]
fn lines_of_a_crash_are_of_no_test_that_passed() {
    let passing = |at: usize| format!("=== RUN   Test{at}\n--- PASS: Test{at} (0.00s)\n");
    let runs = [
        "=== RUN   TestNew\nERROR lost\nFAIL\tshop/ledger\t0.412s\n=== RUN   TestNew\n--- PASS: TestNew (0.01s)\n",
        "=== RUN   TestNew\nERROR lost\n=== RUN   TestNew\n--- PASS: TestNew (0.01s)\n",
        "=== RUN   TestNew\nWARNING: DATA RACE\nERROR lost\n--- PASS: TestNew (0.01s)\nFAIL\n",
        "--- PASS: TestNew (0.01s)\n    ERROR lost\n--- FAIL: TestOld (1.00s)\n",
        "[ RUN      ] Inst/Pay.Settles\nERROR lost\nSegmentation fault\n[ RUN      ] Inst/Pay.Settles\n[       OK ] Inst/Pay.Settles (1 ms)\n",
        "[ RUN      ] Inst/Pay.Settles\nERROR lost\n[ RUN      ] Inst/Ship.Sends\n[       OK ] Inst/Ship.Sends (1 ms)\n",
        "Test Case '-[A b]' started.\nERROR lost\nTest Case '-[A b]' started.\nTest Case '-[A b]' passed (0.010 seconds).\n",
        "[INFO] Running com.shop.P\nERROR lost\n[ERROR] The forked VM terminated\n[INFO] Running com.shop.P\n[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in com.shop.P\n",
        "[INFO] Running com.shop.P\n[INFO] Running com.shop.Q\nERROR lost\n[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in com.shop.Q\n",
        "thread 'a::b' panicked at a.rs:1:1:\nERROR lost\nerror: test failed, to rerun pass `-p one`\ntest a::b ... ok\n",
        "thread 'a::b' panicked at a.rs:1:1:\nERROR lost\nrunning 1 test\ntest a::b ... ok\n",
        "thread 'a::b' panicked at a.rs:1:1:\nmust be positive\nERROR lost\ntest a::b - should panic ... ok\n",
        "thread 'main' panicked at a.rs:1:1:\nERROR lost\ntest main ... ok\n",
        "Cart > reads a/b STANDARD_ERROR\n    ERROR lost\n\nCart > reads a/c PASSED\n\nCart > reads a/b FAILED\n",
        "PASS src/a.test.ts (5.9 s)\n  \u{25cf} Test suite failed to run\n    ERROR lost\n",
        "PASS src/a.test.ts (5.9 s)\n  console.error\n    npm ERR! code ELIFECYCLE\n    ERROR lost\n",
        "PASS src/a.test.ts (5.9 s)\n  ✓ adds (2 ms)\n  ✕ ERROR lost\n",
        "===== PASSES =====\n___ test_a ___\nINTERNALERROR> KeyError: 'a'\nERROR lost\n===== 3 passed in 3.21s =====\n",
    ];
    for run in runs {
        let before: String = (0..120).map(passing).collect();
        let text = format!(
            "{before}{run}{}",
            (120..240).map(passing).collect::<String>()
        );
        assert_failures(&text, &["ERROR lost"]);
    }
}

#[test]
fn marks_after_the_names_of_tests() {
    let passing: String = (0..200)
        .map(|at| format!("  {}{at}\n    fails when it must [✔]\n", word(at)))
        .collect();
    let text = format!(
        "{passing}  Price\n    rounds half even [✘]\n{passing}\nFailures:\n\n  test/PriceSpec.hs:31:14: \n  1) Price rounds half even\n       expected: 2\n        but got: 3\n\n401 examples, 1 failure\n"
    );
    let summary = summary(&text);
    let failures = failures(&summary);
    assert_eq!(failures[0], "402: rounds half even [✘]", "{summary}");
    assert!(
        failures.contains(&"807: expected: 2") || summary.contains(": expected: 2"),
        "{summary}"
    );
    assert!(
        !summary.contains("[✔]\n") || !failures.iter().any(|line| line.contains("[✔]")),
        "{summary}"
    );
}

#[test]
fn failing_tests_of_exunit_and_minitest() {
    let passing: String = (0..200)
        .map(|at| format!("  * test fails when {} {at} (1.6ms) [L#{at}]\n", word(at)))
        .collect();
    let failing = "\n  1) test rounds half even (Shop.PriceTest)\n     test/price_test.exs:31\n     Assertion with == failed\n     code:  assert Price.round(2.5) == 2\n     left:  3\n     right: 2\n     stacktrace:\n       test/price_test.exs:32: (test)\n\n";
    let text =
        format!("{passing}{failing}{passing}\nFinished in 1.2 seconds\n401 tests, 1 failure\n");
    assert_failures(
        &text,
        &[
            "1) test rounds half even (Shop.PriceTest)",
            "left:  3",
            "code:  assert Price.round(2.5) == 2",
        ],
    );
    let raised = "\n  2) test pays (Shop.PayTest)\n     test/pay_test.exs:31\n     ** (RuntimeError) the card is gone\n";
    assert_failures(
        &format!("{passing}{raised}\n401 tests, 1 failure\n"),
        &[
            "2) test pays (Shop.PayTest)",
            "** (RuntimeError) the card is gone",
        ],
    );
    let passing: String = (0..200)
        .map(|at| format!("{0}Test#test_{0}{at} = 0.00 s = .\n", word(at)))
        .collect();
    let text = format!(
        "{passing}\n  1) Failure:\nPriceTest#test_half [/app/test/price_test.rb:31]:\nExpected: 2\n  Actual: 3\n\n201 runs, 300 assertions, 1 failures, 0 errors, 0 skips\n"
    );
    assert_failures(
        &text,
        &[
            "PriceTest#test_half [/app/test/price_test.rb:31]:",
            "Actual: 3",
        ],
    );
}

#[test]
fn what_a_test_of_vitest_writes_is_no_failure_of_it() {
    let passing: String = (0..120).map(|at| format!(" ✓ src/{0}{at}.spec.ts  (2 tests) {at}ms\nstdout | src/{0}{at}.spec.ts > {0} > logs\nError: expected in test\n\n", word(at))).collect();
    let text = format!(
        "{passing} ❯ src/money.spec.ts  (12 tests | 1 failed) 31ms\n   × money > rounds half even\n{passing}\n⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯\n\n FAIL  src/money.spec.ts > money > rounds half even\nAssertionError: expected 3 to be 4\n\n Test Files  1 failed | 240 passed (241)\n"
    );
    let summary = summary(&text);
    let call = summary.lines().last().unwrap();
    assert!(call.contains("\"lines\":\"472-492\""), "{summary}");
    assert_failures(
        &text,
        &[
            "× money > rounds half even",
            "FAIL  src/money.spec.ts",
            "AssertionError: expected 3 to be 4",
        ],
    );
}

/// The output of tests with one that fails: `passing` of each test, by its number, and `failing` among them.
fn run(passing: impl Fn(usize) -> String, failing: &str, end: &str) -> String {
    let part = |from: usize| (from..from + 40).map(&passing).collect::<String>();
    format!("{}{failing}{}{end}", part(0), part(40))
}

#[test]
fn output_of_passing_tests_is_no_failure() {
    let runs = [
        // Jest.
        (
            run(
                |at| {
                    format!(
                        "PASS src/{}{at}.test.ts\n  console.error\n    Error: {} failed\n\n      at run (src/a.ts:3:5)\n\n",
                        word(at),
                        word(at)
                    )
                },
                "FAIL src/money.test.ts\n  ● money › rounds\n\n    Expected: 2\n    Received: 3\n\n",
                "Tests:       1 failed, 80 passed, 81 total\n",
            ),
            ["FAIL src/money.test.ts", "● money › rounds", "Received: 3"],
        ),
        // Gradle.
        (
            run(
                |at| {
                    format!(
                        "{0}Test > logs{at}() STANDARD_ERROR\n    12:00:01 ERROR com.shop.A - {0} is lost\n    java.lang.IllegalStateException: {0}\n\n{0}Test > logs{at}() PASSED\n\n",
                        word(at)
                    )
                },
                "MoneyTest > rounds() STANDARD_ERROR\n    12:00:01 ERROR com.shop.A - money is lost\n\nMoneyTest > rounds() FAILED\n    org.opentest4j.AssertionFailedError: expected: <2> but was: <3>\n\n",
                "81 tests completed, 1 failed\n",
            ),
            [
                "MoneyTest > rounds() FAILED",
                "expected: <2> but was: <3>",
                "money is lost",
            ],
        ),
        // Surefire.
        (
            run(
                |at| {
                    format!(
                        "[INFO] Running com.shop.{0}{at}Test\n12:00:01 [main] ERROR com.shop.A - {0} is lost\n[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in com.shop.{0}{at}Test\n",
                        word(at)
                    )
                },
                "[INFO] Running com.shop.MoneyTest\n12:00:01 [main] ERROR com.shop.A - money is gone\n[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! - in com.shop.MoneyTest\n",
                "[ERROR] Tests run: 400, Failures: 1, Errors: 0, Skipped: 0\n",
            ),
            [
                "<<< FAILURE! - in com.shop.MoneyTest",
                "money is gone",
                "Tests run: 400",
            ],
        ),
        // XCTest.
        (
            run(
                |at| {
                    format!(
                        "Test Case '-[ShopTests.A test{at}]' started.\nerror: {} is lost\nTest Case '-[ShopTests.A test{at}]' passed (0.001 seconds).\n",
                        word(at)
                    )
                },
                "Test Case '-[ShopTests.Money testRounds]' started.\nerror: money is gone\nTest Case '-[ShopTests.Money testRounds]' failed (0.120 seconds).\n",
                "Test Suite 'All tests' failed at 2024-01-01 00:00:02.000.\n",
            ),
            [
                "'-[ShopTests.Money testRounds]' failed",
                "money is gone",
                "'All tests' failed",
            ],
        ),
        // googletest.
        (
            run(
                |at| {
                    format!(
                        "[ RUN      ] A.adds{at}\nERROR: {} is lost\n[       OK ] A.adds{at} (0 ms)\n",
                        word(at)
                    )
                },
                "[ RUN      ] Money.rounds\nmoney_test.cc:31: Failure\n[  FAILED  ] Money.rounds (0 ms)\n",
                "[  PASSED  ] 80 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Money.rounds\n",
            ),
            [
                "[  FAILED  ] Money.rounds",
                "money_test.cc:31: Failure",
                "1 test, listed below",
            ],
        ),
        // libtest with --nocapture.
        (
            run(
                |at| {
                    format!(
                        "thread 'a::{0}_{at}' panicked at src/a.rs:{at}:5:\n{0} is lost\ntest a::{0}_{at} - should panic ... ok\n",
                        word(at)
                    )
                },
                "thread 'money::rounds' panicked at src/money.rs:88:9:\nmoney is gone\ntest money::rounds ... FAILED\n",
                "test result: FAILED. 80 passed; 1 failed; 0 ignored\n",
            ),
            [
                "'money::rounds' panicked",
                "money is gone",
                "test money::rounds ... FAILED",
            ],
        ),
    ];
    for (text, parts) in &runs {
        assert_failures(text, parts);
        let told = summary(text);
        assert!(told.contains(" of tests that passed, first "), "{told}");
        let is_harmless = |line: &&str| {
            line.contains(" is lost")
                && !line.contains("money")
                && !line.contains(" passed, first ")
        };
        assert!(!failures(&told).iter().any(is_harmless), "{told}");
    }
}

#[test]
fn output_of_passing_tests_in_a_report_of_pytest_is_no_failure() {
    let passes: String = (0..60)
        .map(|at| format!("____ test_{0}_{at} ____\n---- Captured log call ----\nERROR    shop:a.py:{at} {0} is lost\nValueError: no {0}\n", word(at)))
        .collect();
    let report = |title: &str| {
        format!(
            "==== FAILURES ====\n____ test_rounds ____\nE       assert 3 == 2\n==== {title} ====\n{passes}==== short test summary info ====\nFAILED tests/a.py::test_rounds - assert 3 == 2\n==== 1 failed, 60 passed in 2.1s ====\n"
        )
    };
    assert_failures(
        &report("PASSES"),
        &["E       assert 3 == 2", "FAILED tests/a.py::test_rounds"],
    );
    let told = summary(&report("PASSES"));
    assert!(
        told.contains("120 lines that look like failures are of tests that passed"),
        "{told}"
    );
    // The output of tests that failed is shown.
    assert!(!summary(&report("ERRORS")).contains("of tests that passed"));
}

#[test]
fn a_list_of_what_to_test_is_no_failure() {
    let steps: String = (0..200)
        .map(|at| format!("step {at} of the plan for {}\n", word(at)))
        .collect();
    let text = format!("{steps}  1) test the build (CI)\n  2) test the release (Windows)\n{steps}");
    assert_no_failure(&text);
}

#[test]
fn a_failure_after_the_lines_of_a_test_that_passed_is_one() {
    let text = go(
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    a_test.go:9: error: retried once\n\n  error: the disk is full\n",
    );
    assert_failures(&text, &["error: the disk is full"]);
    let told = summary(&text);
    assert!(!told.contains("retried once"), "{told}");
}

#[test]
fn a_failing_line_among_equal_ones_of_tests_that_passed_counts_once() {
    let test = |at: usize, outcome: &str| {
        format!(
            "=== RUN   TestThing{at}\n    thing_test.go:{}: error: connection refused (expected)\n--- {outcome}: TestThing{at} (0.01s)\n",
            at + 10
        )
    };
    let text: String = (0..90)
        .map(|at| test(at, if at == 47 { "FAIL" } else { "PASS" }))
        .collect();
    let told = summary(&format!("{text}FAIL\nFAIL example.com/x 1.2s\n"));
    for part in [
        "4 lines that look like failures:\n143: ",
        "89 lines that look like failures are of tests that passed, first 2: ",
    ] {
        assert!(told.contains(part), "{part:?} is not told:\n{told}");
    }
}

/// What `ctest` says of a test that did not end, or did not begin, is a failure as that of one that failed.
#[test]
fn tests_of_ctest_that_did_not_pass() {
    let mut text: String = (1..=60)
        .map(|at| match at {
            31 => "31/60 Test #31: suite.slow .......................***Timeout   1.02 sec\n".to_owned(),
            44 => "44/60 Test #44: suite.crash ......................***Exception: SegFault  0.11 sec\n".to_owned(),
            50 => "50/60 Test #50: suite.later ......................***Skipped   0.00 sec\n".to_owned(),
            at => format!("{at}/60 Test #{at}: suite.case_{at} .....................   Passed    0.01 sec\n"),
        })
        .collect();
    text += "\n95% tests passed, 3 tests failed out of 60\n\nThe following tests FAILED:\n\t 31 - suite.slow (Timeout)\n\t 44 - suite.crash (SEGFAULT)\n\t 60 - suite.missing (Not Run)\n";
    let told = summary(&text);
    for part in [
        "7 lines that look like failures:\n31: 31/60 Test #31: suite.slow ",
        "\n44: 44/60 Test #44: suite.crash ",
        "\n65: 31 - suite.slow (Timeout)\n66: 44 - suite.crash (SEGFAULT)\n67: 60 - suite.missing (Not Run)\n",
    ] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
    assert!(
        told.contains("1 line that is like few others:\n50: 50/60 Test #50: "),
        "{told}"
    );
}

/// A part of a test that failed, and a test that should have failed, fail the run.
#[test]
fn parts_of_tests_and_tests_that_should_fail() {
    for line in [
        "SUBFAILED(k=3) tests/test_price.py::TestPrice::test_all - AssertionErro...",
        "SUBFAILED[k is 3] tests/test_price.py::test_all - assert 3 == 4",
        "UNEXPECTED SUCCESS: test_xf (test_cart.TestCart.test_xf)",
    ] {
        let mut text: String = (0..120)
            .map(|at| {
                format!(
                    "tests/test_{}.py::TestOfTheCart::test_{at} PASSED\n",
                    at % 7
                )
            })
            .collect();
        text.push_str(line);
        text.push_str("\nran all in 1.13s\n");
        let told = summary(&text);
        let expected = format!("1 line that looks like a failure:\n121: {line}\n");
        assert!(told.contains(&expected), "{told}");
    }
}
