//! What tools say of failures in forms of their own is told first, and what passed, or was ignored, is no failure.

use summary::Summary;
use tamis_sdk::testing::Bench;

fn summary(text: &str) -> String {
    let applied = Bench::<Summary>::new("{}").apply(text);
    assert!(applied.changed, "not summarised: {text:.200}");
    applied.text().to_owned()
}

const WORDS: [&str; 13] = [
    "marble", "lumen", "velvet", "quartz", "harbor", "indigo", "raven", "cargo", "pepper", "onyx",
    "sable", "timber", "zephyr",
];

fn word(at: usize) -> &'static str {
    WORDS[(at * 7 + at / 13 * 5) % WORDS.len()]
}

/// Lines of a program that has nothing to say.
fn quiet(lines: usize) -> String {
    (0..lines)
        .map(|at| {
            format!(
                "[{at:04}] processed {} records={}\n",
                word(at),
                at * 37 % 991
            )
        })
        .collect()
}

/// The lines between the head of failures and the next part.
fn failures(summary: &str) -> Vec<&str> {
    let is_head =
        |line: &&str| line.contains(" that look like ") || line.contains(" that looks like ");
    let lines = summary.lines().skip_while(|line| !is_head(line)).skip(1);
    lines
        .take_while(|line| line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(": "))
        .collect()
}

#[track_caller]
fn assert_failures(text: &str, parts: &[&str]) {
    let summary = summary(text);
    let failures = failures(&summary);
    for part in parts {
        let is_told = failures.iter().any(|line| line.contains(part));
        assert!(is_told, "{part:?} is no failure:\n{summary}");
    }
}

#[track_caller]
fn assert_no_failure(text: &str) {
    let summary = summary(text);
    assert!(
        !summary.contains("look like a failure") && !summary.contains("looks like"),
        "{summary}"
    );
    assert!(failures(&summary).is_empty(), "{summary}");
}

#[test]
fn what_checkers_of_memory_find_is_a_failure() {
    for line in [
        "SUMMARY: AddressSanitizer: heap-use-after-free /src/cart.c:120:9 in cart_total",
        "==4411== Invalid read of size 8",
        "==4411== Conditional jump or move depends on uninitialised value(s)",
        "==4411== 4,096 bytes in 1 blocks are definitely lost in loss record 41 of 41",
        "==4411==    definitely lost: 4,096 bytes in 1 blocks",
        "==4411== ERROR SUMMARY: 2 errors from 2 contexts (suppressed: 0 from 0)",
        "WARNING: ThreadSanitizer: data race (pid=4411)",
        "==12==WARNING: MemorySanitizer: use-of-uninitialized-value",
        "/src/math.cc:88:14: runtime error: signed integer overflow: 2147483647 + 1",
        "dpkg: error processing package postgresql-15 (--configure):",
        "E: Sub-process /usr/bin/dpkg returned an error code (1)",
        "rsync error: some files could not be transferred (code 23) at main.c(1338)",
    ] {
        let text = format!("{}{line}\n{}", quiet(200), quiet(150));
        assert_failures(&text, &[line.trim()]);
    }
}

#[test]
fn checkers_of_memory_that_find_nothing_tell_no_failure() {
    let text = format!(
        "{}==9== LEAK SUMMARY:\n==9==    definitely lost: 0 bytes in 0 blocks\n==9==    indirectly lost: 0 bytes in 0 blocks\n==9==    still reachable: 9,112 bytes in 90 blocks\n==9== \n==9== ERROR SUMMARY: 0 errors from 0 contexts (suppressed: 0 from 0)\n",
        quiet(300)
    );
    assert_no_failure(&text);
}

#[test]
fn the_first_frames_of_a_checker_are_details() {
    let reachable: String = (0..30)
        .map(|at| format!("==9== {at} bytes in 2 blocks are still reachable in loss record {at} of 41\n==9==    at 0x50{at:04X}: {0}_{0} ({0}.c:{at})\n==9== \n", word(at)))
        .collect();
    let text = format!(
        "{0}==9== Invalid write of size 4\n==9==    at 0x109A3C: cart_free (cart.c:88)\n==9==    by 0x109B00: main (main.c:20)\n==9==  Address 0x4a5c0 is 0 bytes inside a block of size 64 free'd\n==9== \n{0}",
        reachable
    );
    assert_failures(&text, &["Invalid write of size 4", "cart_free (cart.c:88)"]);
    assert_eq!(failures(&summary(&text)).len(), 3, "{}", summary(&text));
    let text = format!(
        "{}=================================================================\n==18==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x5\nREAD of size 8 at 0x60 thread T3\n    #0 0xb58028 in cart_total /src/cart.c:120:9\n    #1 0x3789a1 in main /src/main.c:4:6\n\n{}",
        quiet(200),
        quiet(20)
    );
    assert_failures(
        &text,
        &[
            "ERROR: AddressSanitizer",
            "#0 0xb58028 in cart_total /src/cart.c:120:9",
        ],
    );
}

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

fn play(odd: &str) -> String {
    let task = |at: usize| {
        let hosts: String = (0..8).map(|host| format!("ok: [web-0{host}]\n")).collect();
        format!("TASK [{} : install {at}] ****\n{hosts}\n", word(at))
    };
    let tasks: String = (0..30).map(task).collect();
    format!(
        "PLAY [web] *****\n\n{tasks}{odd}\n{tasks}PLAY RECAP ****\nweb-05                     : ok=30   changed=9    unreachable=0    failed=0    skipped=0    rescued=0    ignored=1   \n"
    )
}

#[test]
fn failures_that_ansible_ignores() {
    for failure in [
        "fatal: [web-05]: FAILED! => {\"changed\": false, \"msg\": \"non-zero return code\", \"rc\": 1}\n",
        "failed: [web-05] (item=a) => {\"msg\": \"one\", \"rc\": 1}\nfailed: [web-05] (item=b) => {\"msg\": \"two\", \"rc\": 1}\n",
        "fatal: [web-05]: FAILED! => changed=false\n  msg: non-zero return code\n  stderr: 'ls: cannot access a: No such file or directory'\n",
    ] {
        let task = "TASK [check the process] ****\nok: [web-04]\n";
        let ignored = summary(&play(&format!(
            "{task}{failure}...ignoring\nok: [web-06]\n"
        )));
        assert!(failures(&ignored).is_empty(), "{ignored}");
        assert!(ignored.contains("ignored"), "{ignored}");
        assert!(
            ignored.contains(&format!(": {}", failure.lines().next().unwrap())),
            "{ignored}"
        );
        assert_failures(
            &play(&format!("{task}{failure}ok: [web-06]\n")),
            &[failure.lines().next().unwrap()],
        );
    }
    let other = "TASK [check] ****\nfatal: [web-04]: FAILED! => {\"msg\": \"it is lost\"}\nfatal: [web-05]: FAILED! => {\"msg\": \"no matter\"}\n...ignoring\n";
    let told = summary(&play(other));
    assert!(
        told.contains("1 line that looks like a failure:\n"),
        "{told}"
    );
    assert!(failures(&told)[0].contains("it is lost"), "{told}");
}

#[test]
fn failures_of_items_that_ansible_ignores() {
    let failed = |host: usize, item: &str| {
        format!(
            "failed: [web-0{host}] (item={item}) => {{\"msg\": \"{item} is lost\", \"rc\": 1}}\n"
        )
    };
    let ok = "ok: [web-01] => (item=c)\n";
    let one = failed(1, "a") + &failed(1, "b") + ok;
    let two = failed(1, "a") + &failed(2, "a") + &failed(1, "b") + ok;
    for (items, ignoring) in [(&one, 1), (&two, 2)] {
        let task = "TASK [install] ****\n";
        let ignored = summary(&play(&format!(
            "{task}{items}{}",
            "...ignoring\n".repeat(ignoring)
        )));
        assert!(failures(&ignored).is_empty(), "{ignored}");
        assert!(
            ignored.contains("are of tasks whose failures are ignored"),
            "{ignored}"
        );
        let text = play(&format!(
            "{task}{items}{}",
            "...ignoring\n".repeat(ignoring - 1)
        ));
        assert_failures(&text, &["failed: [web-01] (item=a)", "b is lost"]);
    }
}

#[test]
fn an_exception_belongs_to_the_failure_after_it() {
    let exception = "An exception occurred during task execution. To see the full traceback, use -vvv. The error was: KeyError: 'x'\n";
    let fatal = "fatal: [web-05]: FAILED! => {\"msg\": \"Unexpected failure\"}\n";
    let task = "TASK [check] ****\nok: [web-01]\n";
    let told = summary(&play(&format!("{task}{exception}{fatal}...ignoring\n")));
    assert!(failures(&told).is_empty(), "{told}");
    let text = play(&format!("{task}{exception}{fatal}"));
    assert_failures(&text, &["The error was: KeyError", "Unexpected failure"]);
}

#[test]
fn what_a_failure_of_ansible_in_yaml_says_is_told() {
    let failure = |host: usize, what: &str| {
        format!(
            "fatal: [web-0{host}]: FAILED! => changed=true \n  cmd: /opt/{what}.sh\n  msg: |-\n    {what} ended\n  stderr: |-\n    the {what} is locked\n  stdout: ''\n"
        )
    };
    let text = play(&format!(
        "TASK [a] ****\n{}...ignoring\n\nTASK [b] ****\n{}",
        failure(3, "stock"),
        failure(5, "ledger")
    ));
    assert_failures(&text, &["fatal: [web-05]", "the ledger is locked"]);
    let told = summary(&text);
    let failures = failures(&told);
    assert!(
        !failures.iter().any(|line| line.contains("stock")),
        "{told}"
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
fn warnings_of_kubernetes_are_told() {
    let normal: String = (0..120)
        .map(|at| {
            format!(
                "  Normal   Starting   {}m   kubelet  Node node-7 status is now: {}\n",
                at % 60,
                word(at)
            )
        })
        .collect();
    let text = format!(
        "Name:  node-7\nEvents:\n  Type     Reason  Age  From  Message\n  ----     ------  ---  ----  -------\n{normal}  Warning  EvictionThresholdMet  4m (x12 over 9m)  kubelet  Attempting to reclaim memory\n{normal}"
    );
    assert_failures(&text, &["Warning  EvictionThresholdMet"]);
}

#[test]
fn frames_after_the_name_of_a_service() {
    let info: String = (0..120).map(|at| format!("api-1     | 2024-06-11 10:00:{:02}.962  INFO 1 --- [nio-8080] c.s.Api : GET /v1/{} 9ms\n", at % 60, word(at))).collect();
    let library: String = (0..30)
        .map(|at| {
            format!(
                "api-1     | \tat org.springframework.{0}.{0}.run(App.java:{at}) ~[spring.jar:6]\n",
                word(at)
            )
        })
        .collect();
    let text = format!(
        "{info}api-1     | 2024-06-11 10:02:31.101 ERROR 1 --- [nio-8080] o.a.c.C : Servlet.service() threw exception\napi-1     | \napi-1     | java.lang.NullPointerException: Cannot invoke \"Item.sku()\"\napi-1     | \tat com.shop.Cart.total(Cart.java:88) ~[app.jar:na]\n{library}api-1     | \t... 12 more\n{info}"
    );
    assert_failures(
        &text,
        &[
            "NullPointerException",
            "at com.shop.Cart.total(Cart.java:88)",
        ],
    );
    let told = summary(&text);
    assert!(!told.contains("org.springframework"), "{told}");
}

#[test]
fn the_rarest_of_many_rare_lines_are_told() {
    let common: String = (0..300)
        .map(|at| format!("copied {} to the store in {at} ms\n", word(at)))
        .collect();
    let rare: String = (0..30)
        .map(|at| {
            let (a, b) = (char::from(b'a' + at % 26), char::from(b'a' + at / 26));
            format!("module {a}{b}{a}x loads\n")
        })
        .collect();
    let odd = "replica of shard payments lags behind its primary by hours";
    let text = format!("{common}{rare}{odd}\n{common}");
    let told = summary(&text);
    assert!(told.contains(&format!(": {odd}")), "{told}");
}

#[test]
fn ids_of_digits_alone_are_no_numbers() {
    let rows: String = (0..90)
        .map(|at| {
            let id = match at {
                48 => "654072452481".to_owned(),
                at => format!("{:x}b1d88c3f2{:02x}", 10 + at % 6, at),
            };
            let status = if at == 40 {
                "Exited (1) 2 hours ago"
            } else {
                "Up 3 weeks"
            };
            format!(
                "{id:<12}   {:<20}   {status:<24}   0.0.0.0:{}->80/tcp   {}-{at}\n",
                format!("reg.io/{}:1.{at}", word(at)),
                8_000 + at,
                word(at)
            )
        })
        .collect();
    let text = format!(
        "{:<15}{:<23}{:<27}{:<23}NAMES\n{rows}",
        "CONTAINER ID", "IMAGE", "STATUS", "PORTS"
    );
    let told = summary(&text);
    assert!(told.contains("Exited (1) 2 hours ago 1 at [40]"), "{told}");
    assert!(!told.contains("number"), "{told}");
    // A number among words is told.
    let rows: Vec<_> = (0..60)
        .map(|at| match at {
            30 => serde_json::json!({"name": "a name of the row", "value": 1_234_567}),
            _ => serde_json::json!({"name": "a name of the row", "value": "pending"}),
        })
        .collect();
    let told = summary(
        &serde_json::json!(rows)
            .to_string()
            .replace("a name", &"a name".repeat(9)),
    );
    assert!(told.contains("1234567 1 at [30]"), "{told}");
}

#[test]
fn what_is_told_as_a_report_is_not_told_again_as_rare() {
    let built: String = (0..200)
        .map(|at| {
            format!(
                "[{at}/300] Building CXX object core.dir/{}{at}.cc.o\n",
                word(at)
            )
        })
        .collect();
    let text = format!(
        "{built}/src/net.cc:88:5: error: use of undeclared identifier 'tls'\n   88 |     tls::init();\n      |     ^\n{built}"
    );
    let told = summary(&text);
    assert!(
        told.contains("1 report of a compiler or linter: error 1\n"),
        "{told}"
    );
    assert_eq!(told.matches("undeclared identifier").count(), 1, "{told}");
    assert!(!told.contains("tls::init"), "{told}");
}

#[test]
fn a_head_of_patterns_has_patterns_below_it() {
    for lines in 10..120 {
        let text: String = (0..lines)
            .map(|at| {
                let name = format!("{0}-{0}-{0}", word(at));
                format!("{at:04} {name} wrote the records of the shard to {name} and {name} and then to the others of it\n")
            })
            .collect();
        let applied = Bench::<Summary>::new("{}").apply(&text);
        let told = applied.text();
        let mut lines = told
            .lines()
            .skip_while(|line| !line.contains("first and last line:"));
        let (head, next) = (lines.next(), lines.next());
        assert!(
            head.is_none() || next.is_some_and(|next| next.contains("x ")),
            "{told}"
        );
    }
}

#[test]
fn a_line_of_other_words_among_lines_that_all_differ() {
    let name = |at: usize| {
        format!(
            "{}/{}/{}/page{at}.html",
            word(at),
            word(at / 3),
            word(at / 2)
        )
    };
    let copied: String = (0..300)
        .map(|at| match at {
            122 => "*deleting   config/production.env\n".to_owned(),
            at => format!(">f.st...... {}\n", name(at)),
        })
        .collect();
    let text = format!(
        "sending incremental file list\n{copied}\nsent 91,220,118 bytes  received 5,118 bytes  7,298,018.88 bytes/sec\ntotal size is 1,882,811,220  speedup is 20.64\n"
    );
    let told = summary(&text);
    assert!(
        told.contains("124: *deleting   config/production.env"),
        "{told}"
    );
}

#[test]
fn a_call_reads_around_a_rare_line_below_the_first() {
    let progress: String = (0..150)
        .map(|at| {
            format!(
                "Progress: resolved {}, reused {at}, added {}\n",
                at * 9,
                at * 7
            )
        })
        .collect();
    let text = format!(
        "Lockfile is up to date, so the resolution step is skipped entirely\n{progress}the peer react was not found\n{progress}"
    );
    let told = summary(&text);
    assert!(told.contains("\"lines\":\"142-162\""), "{told}");
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

#[test]
fn some_of_many_rare_lines_are_not_called_all() {
    let line = |at: usize| match at % 9 {
        0 => format!(
            "plugin {}{at} loaded module {} {}\n",
            word(at),
            word(at * 7 + 3),
            word(at * 11 + 5)
        ),
        _ => format!(
            "connection {at} from 10.0.0.{} closed after {} bytes\n",
            at % 250,
            at * 7
        ),
    };
    let mut lines: Vec<String> = (0..500).map(line).collect();
    lines[333] = "certificate for api.example.com expires tomorrow\n".to_owned();
    let told = summary(&lines.concat());
    let is_rare = |line: &&str| line.contains("like few others");
    let head = told.lines().find(is_rare).unwrap_or_default();
    assert!(told.contains("expires tomorrow"), "{told}");
    assert!(
        head.is_empty() || head.contains(" of many lines "),
        "{told}"
    );
}

#[test]
fn an_odd_value_of_one_of_many_equal_failures_is_told() {
    let text: String = (0..300)
        .map(|at| {
            let server = [3, 99][usize::from(at == 150)];
            format!("2024/05/01 10:{:02}:{:02} [error] 31#31: *{at} connect() failed (111: Connection refused) while connecting to upstream, client: 10.0.0.{}, upstream: \"http://10.1.0.{server}:8080/api\"\n", at / 60, at % 60, at % 20)
        })
        .collect();
    let told = summary(&text);
    assert!(
        told.contains("\n151: 2024/05/01 10:02:30 [error]"),
        "{told}"
    );
    assert!(told.contains("1 line that is like few others:\n"), "{told}");
}
