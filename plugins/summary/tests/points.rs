//! The point of a text is shown: generated results of the kinds that tools send, and the parts that their summaries
//! must show.

use serde_json::json;
use summary::Summary;
use tamis_sdk::testing::Bench;

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| line(at) + "\n").collect()
}

fn summary(text: &str) -> String {
    let applied = Bench::<Summary>::new("{}").apply(text);
    assert!(applied.changed, "not summarised: {text:.200}");
    applied.text().to_owned()
}

/// Asserts that the summary of a text has every part of `expected`.
#[track_caller]
fn assert_shows(text: &str, expected: &[&str]) {
    let summary = summary(text);
    for part in expected {
        assert!(summary.contains(part), "{part:?} is not shown:\n{summary}");
    }
}

#[track_caller]
fn assert_hides(text: &str, unexpected: &[&str]) {
    let summary = summary(text);
    for part in unexpected {
        assert!(!summary.contains(part), "{part:?} is shown:\n{summary}");
    }
}

/// The number of the line with a part.
#[track_caller]
fn place(text: &str, part: &str) -> usize {
    let at = text.lines().position(|line| line.contains(part));
    at.expect("the line is there") + 1
}

#[test]
fn a_traceback_of_python_among_a_log() {
    let log = lines(300, |at| {
        format!(
            "2026-01-02T10:{:02}:{:02}Z INFO  app.api request {at} served",
            at / 60,
            at % 60
        )
    });
    let trace = "2026-01-02T10:05:00Z ERROR app.pay settlement failed for order 77\nTraceback (most recent call last):\n  File \"/srv/app/pay.py\", line 88, in settle\n    post(order)\n  File \"/usr/lib/python3.12/site-packages/lib/x.py\", line 4, in call\n    raise\nValueError: amount must be positive, got -4\n";
    let text = format!("{log}{trace}{log}");
    assert_shows(
        &text,
        &[
            "ERROR 1, INFO 600",
            "302: Traceback",
            "File \"/srv/app/pay.py\", line 88, in settle",
            "307: ValueError: amount must be positive, got -4",
            "\"lines\":\"297-317\"",
        ],
    );
    assert_hides(&text, &["site-packages"]);
}

#[test]
fn a_traceback_in_a_notebook() {
    let output = lines(300, |at| {
        format!("row {at} of the table was read in {} ms", at % 7)
    });
    let trace = "---------------------------------------------------------------------------\nValueError                                Traceback (most recent call last)\nCell In[2], line 5\n      3 def post(order):\n----> 4     raise ValueError(order)\nFile /usr/lib/python3.12/site-packages/a.py:3, in b(c)\nValueError: amount must be positive\n";
    assert_shows(
        &format!("{output}{trace}"),
        &["ValueError: amount must be positive", "Cell In[2], line 5"],
    );
}

#[test]
fn a_trace_of_java() {
    let library = |from: usize| {
        lines(30, move |at| {
            format!(
                "\tat org.springframework.web.Filter{from}.call(Filter.java:{})",
                at + 10
            )
        })
    };
    let text = format!(
        "Exception in thread \"main\" org.example.DataException: could not execute\n{}\tat com.example.shop.Refunds.refund(Refunds.java:88)\n{}Caused by: org.postgresql.util.PSQLException: ERROR: duplicate key\n  Detail: Key (id)=(4) already exists.\n{}\t... 61 more\n",
        library(1),
        library(2),
        library(3)
    );
    assert_shows(
        &text,
        &[
            "1: Exception in thread \"main\" org.example.DataException: could not execute",
            "at com.example.shop.Refunds.refund(Refunds.java:88)",
            "Caused by: org.postgresql.util.PSQLException: ERROR: duplicate key",
            "Detail: Key (id)=(4) already exists.",
        ],
    );
    assert_hides(&text, &["Filter2.call"]);
}

#[test]
fn failing_tests_of_pytest() {
    let passed = lines(180, |at| {
        format!(
            "tests/test_{}.py::test_case_{at} PASSED   [ {}%]",
            at % 4,
            at / 2
        )
    });
    let text = format!(
        "{passed}tests/test_pay.py::test_refund FAILED   [100%]\n\n=== FAILURES ===\n>       assert r.status == 409\nE       assert 200 == 409\n\ntests/test_pay.py:31: AssertionError\n=== short test summary info ===\nFAILED tests/test_pay.py::test_refund - assert 200 == 409\n=== 1 failed, 180 passed in 4.1s ===\n"
    );
    assert_shows(
        &text,
        &[
            "FAILED tests/test_pay.py::test_refund - assert 200 == 409",
            "E       assert 200 == 409",
            "1 failed, 180 passed",
        ],
    );
}

#[test]
fn failing_tests_of_other_tools() {
    for (passed, failed, expected) in [
        (
            "ok 7 - adds",
            "not ok 201 - refunds twice",
            "not ok 201 - refunds twice",
        ),
        (
            "test pay::adds ... ok",
            "test pay::refund ... FAILED\n\nthread 'pay::refund' panicked at src/pay.rs:9:5:\nassertion `left == right` failed\n  left: 1\n right: 2\n\ntest result: FAILED. 200 passed; 1 failed",
            "panicked at src/pay.rs:9:5",
        ),
        (
            "--- PASS: TestAdds (0.00s)",
            "--- FAIL: TestRefund (0.00s)\n    pay_test.go:31: expected 409, got 200\nFAIL\texample.com/shop\t0.1s",
            "--- FAIL: TestRefund",
        ),
        (
            "  ✓ adds an order to the cart (3 ms)",
            "  ● Cart › refunds twice\n\n    Expected: 409\n    Received: 200\n\nTests:       1 failed, 200 passed, 201 total",
            "● Cart › refunds twice",
        ),
        (
            "PASS src/pages/cart.test.ts",
            "FAIL src/pages/refund.test.ts",
            "FAIL src/pages/refund.test.ts",
        ),
    ] {
        let text = format!("{}{failed}\n", lines(500, |_| passed.to_owned()));
        assert_shows(&text, &[expected]);
    }
    // Each test by its name.
    let text = lines(300, |at| {
        let outcome = if at % 75 == 3 { "FAILED" } else { "PASSED" };
        format!("tests/test_{}.py::test_case_{at} {outcome}", at % 4)
    });
    assert_shows(
        &text,
        &[
            "test_case_3 FAILED",
            "test_case_78 FAILED",
            "test_case_153 FAILED",
            "test_case_228 FAILED",
        ],
    );
    let text = lines(200, |_| "test a ... ok".to_owned())
        + "test result: ok. 200 passed; 0 failed\n"
        + &" ".repeat(3_000);
    assert_shows(&text, &["test result: ok. 200 passed; 0 failed"]);
    assert_hides(&text, &["look like failures"]);
}

#[test]
fn errors_of_compilers() {
    let compiling = lines(150, |at| format!("   Compiling crate_{at} v1.{at}.0"));
    let warnings = lines(14, |at| {
        format!(
            "warning: unused variable: `tmp_{at}`\n  --> src/batch_{at}.rs:2{at}:9\n   |\n2{at} |     let tmp_{at} = 1;\n   |         ^^^^^ help: prefix it\n"
        )
    });
    let error = "error[E0308]: mismatched types\n  --> src/report.rs:57:31\n   |\n57 |     let total: Decimal = sum(&rows);\n   |                -------   ^^^^^^^^^^ expected `Decimal`, found `f64`\n\n";
    let text = format!(
        "{compiling}{warnings}{error}{compiling}error: could not compile `shop` (bin \"shop\") due to 1 previous error\n"
    );
    assert_shows(
        &text,
        &[
            "error 1, warning 14",
            "src/report.rs\n 57:31 error E0308: mismatched types (expected `Decimal`, found `f64`)",
            "error: could not compile `shop`",
        ],
    );
    for (line, expected) in [
        (
            "src/a.ts(3,5): error TS2322: Type 'string' is not assignable.",
            "src/a.ts\n 3,5 error TS2322: Type 'string' is not assignable.",
        ),
        (
            "src/pay.c:31:7: error: expected ';' before 'return'",
            "src/pay.c\n 31:7 error: expected ';' before 'return'",
        ),
        (
            "Main.java:12: error: cannot find symbol",
            "Main.java\n 12 error: cannot find symbol",
        ),
        ("npm ERR! code ELIFECYCLE", "npm ERR! code ELIFECYCLE"),
        (
            "make: *** [Makefile:3: all] Error 2",
            "make: *** [Makefile:3: all] Error 2",
        ),
        ("Error: Process completed with exit code 2.", "exit code 2."),
        ("Command exited with code 137", "exited with code 137"),
    ] {
        let text = format!("{compiling}{line}\n{compiling}");
        assert_shows(&text, &[expected]);
    }
}

#[test]
fn reports_of_linters() {
    let rows = |from: usize| {
        lines(20, move |at| {
            let (severity, message, rule) = if at == 3 {
                ("error  ", "'document' is not defined", "no-undef")
            } else {
                ("warning", "No magic number: 0", "no-magic-numbers")
            };
            format!("  {:>3}:17  {severity}  {message:<40}  {rule}", at + from)
        })
    };
    let text = format!(
        "\n/srv/app/src/facts.js\n{}\n/srv/app/src/cart.js\n{}\n\u{2716} 40 problems (2 errors, 38 warnings)\n\n",
        rows(1),
        rows(50)
    ) + &lines(30, |_| {
        "npm notice there is a newer version of npm".to_owned()
    });
    assert_shows(
        &text,
        &[
            "40 reports of a compiler or linter: error 2, warning 38",
            "no-magic-numbers 38, no-undef 2",
            "/srv/app/src/facts.js\n 4:17 error no-undef: 'document' is not defined",
            "/srv/app/src/cart.js\n 53:17 error no-undef",
        ],
    );
    let ruff = lines(90, |at| {
        format!(
            "app/routing.py:{}:{}: E501 Line too long ({} > 88)",
            at + 1,
            at % 9 + 1,
            at + 89
        )
    });
    assert_shows(
        &ruff,
        &[
            "90 reports of a compiler or linter",
            "app/routing.py\n 1:1 E501: Line too long (89 > 88)",
        ],
    );
}

#[test]
fn numbers_that_are_no_line_numbers_stay() {
    let log = lines(200, |at| {
        format!("12:{:02}:{:02} INFO served {at}", at / 60, at % 60)
    }) + "13:04:33 ERROR no route to db\n";
    assert_shows(&log, &["201: 13:04:33 ERROR no route to db"]);
}

#[test]
fn lines_that_a_tool_numbered_are_told_in_one_numbering() {
    let code = lines(400, |at| {
        format!(
            "{:>6}\u{2192}{}",
            at + 200,
            if at % 20 == 0 {
                format!("fn step_{at}() {{")
            } else {
                format!("    let a{at} = b({at});")
            }
        )
    });
    let summary = summary(&code);
    assert!(summary.contains("its 200 is line 1 here"), "{summary}");
    assert!(summary.contains("\n21: fn step_20()"), "{summary}");
}

#[test]
fn what_is_no_failure() {
    let commits = lines(60, |at| {
        format!(
            "commit {at:040x}\nAuthor: A <a@example.com>\nDate:   Sun Nov 22 18:37:25 2026 +0000\n\n    Fix: {at} checks failed before, 0 failed now\n\n src/error.rs | 3 ++-\n 1 file changed\n"
        )
    });
    let table = lines(120, |at| {
        format!("| {at} | failed | error: none | a row of a table that has words |")
    });
    let counts = lines(170, |at| {
        format!("/srv/app/src/error_{at}.rs:{}", at % 9 + 1)
    });
    let passed = lines(200, |at| {
        format!("suite {at}: 12 passed, 0 failed, errors: 0")
    });
    for text in [&commits, &table, &counts, &passed] {
        assert_hides(text, &["look like failures", "looks like a failure"]);
    }
    assert_shows(&counts, &["170 lines of the form file:count"]);
    assert_hides(&counts, &["by ending"]);
    let toml = lines(300, |at| match at % 5 {
        0 => "# what it is for".to_owned(),
        1 => format!("[package.part{at}]"),
        4 => String::new(),
        _ => format!("key_{at} = \"a value of some length that takes room\""),
    });
    assert_hides(&toml, &["headings"]);
}

#[test]
fn a_snapshot_of_a_page() {
    let items = lines(60, |at| {
        let from = 10 + at * 5;
        format!(
            "    - article [ref=e{from}]:\n      - heading \"Item {at}\" [level=2] [ref=e{}]\n      - paragraph [ref=e{}]: In stock.\n      - button \"Add to cart\" [ref=e{}]\n      - link \"Details\" [ref=e{}] [cursor=pointer]:\n        - /url: /item/{at}",
            from + 1,
            from + 2,
            from + 3,
            from + 4
        )
    });
    let text = format!(
        "### Page\n- Page URL: http://127.0.0.1/shop\n```yaml\n- generic [ref=e1]:\n  - banner [ref=e2]:\n    - textbox \"Search\" [ref=e3]\n    - checkbox \"In stock\" [checked] [ref=e4]\n  - main [ref=e5]:\n{items}  - button \"Pay now\" [disabled] [ref=e999]\n```\n"
    );
    assert_shows(
        &text,
        &[
            "Page URL: http://127.0.0.1/shop",
            "button 61: \"Pay now\" disabled e999, \"Add to cart\" 60\u{d7} e13 to e308 in steps of 5",
            "textbox 1: \"Search\" e3",
            "checkbox 1: \"In stock\" checked e4",
            "link 60: \"Details\" 60\u{d7} e14 to e309 in steps of 5",
            "heading 60: \"Item 0\" to \"Item 59\" by 1, 60\u{d7} e11 to e306",
            "main 1: e5",
        ],
    );
    let devtools = format!(
        "# take_snapshot response\nuid=1_0 RootWebArea \"Shop\"\n{}  uid=1_900 button \"Pay now\" focusable\n",
        lines(150, |at| format!(
            "  uid=1_{} StaticText \"some words of the page {at}\"\n  uid=1_{} link \"Page {}\"",
            2 * at + 1,
            2 * at + 2,
            at * at
        ))
    );
    assert_shows(
        &devtools,
        &[
            "button 1: \"Pay now\" 1_900",
            "link 150: ",
            "\"Page 0\" 1_2",
        ],
    );
}

#[test]
fn a_diff_that_is_large() {
    let files = lines(40, |at| {
        format!(
            "diff --git a/src/f{at}.rs b/src/f{at}.rs\n--- a/src/f{at}.rs\n+++ b/src/f{at}.rs\n@@ -1,3 +1,3 @@ fn part_{at}()\n context\n-old {at}\n+new {at}\n context\n@@ -90,2 +90,140 @@\n context\n{} context",
            lines(138, |line| format!("+    added line {line} of file {at}"))
        )
    });
    assert_shows(
        &files,
        &[
            "diff: 40 files, 80 hunks, +5560 -40",
            "1: src/f0.rs +139 -1",
            "4: @@ -1,3 +1,3 @@ fn part_0()\n context\n-old 0\n+new 0\n context",
        ],
    );
}

/// An abbreviated hash, as git makes them.
fn hash(at: usize) -> String {
    let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{:07x}", mixed >> 36)
}

#[test]
fn commits_of_a_log() {
    let text = lines(60, |at| {
        format!(
            "commit {:040x}\nAuthor: A <a@example.com>\nDate:   Sun Nov 22 18:{at:02}:25 2026 +0000\n\n    Subject number {at}\n\n src/a.rs | 3 ++-\n 1 file changed, 2 insertions(+)\n",
            at + (1 << 28)
        )
    });
    assert_shows(
        &text,
        &[
            "60 commits",
            "Sun Nov 22 2026:",
            "18:00:25 Subject number 0",
        ],
    );
    let short = lines(150, |at| {
        format!("{} Subject of the commit number {at}", hash(at))
    });
    assert_shows(
        &short,
        &[
            "150 commits:",
            &format!("{} Subject of the commit number 0", hash(0)),
        ],
    );
}

#[test]
fn reverts_among_many_commits() {
    let subject = |at: usize| match at {
        211 => "Revert \"Cache the ledger\"".to_owned(),
        _ => format!("Tidy part {at} of the ledger"),
    };
    let short = lines(400, |at| format!("{} {}", hash(at), subject(at)));
    let expected = format!("reverts: {} Revert \"Cache the ledger\"", hash(211));
    assert_shows(&short, &["400 commits", &expected]);
    let commit = |at: usize| {
        format!(
            "commit {:040x}\nAuthor: A <a@example.com>\nDate:   Sun Nov 22 18:00:25 2026 +0000\n\n    {}\n\n    Revert \"is\" a word.\n",
            at + (1 << 28),
            subject(at)
        )
    };
    let expected = format!(
        "reverts: {:.8} Revert \"Cache the ledger\"\n",
        format!("{:040x}", 211 + (1 << 28))
    );
    assert_shows(&lines(400, commit), &["400 commits", &expected]);
    let usual = lines(400, |at| format!("{} Tidy part {at}", hash(at)));
    assert_hides(&usual, &["reverts"]);
}

#[test]
fn words_that_begin_like_code_are_none() {
    for name in [
        "fix/cart",
        "final",
        "done-cart",
        "elsewhere",
        "returned",
        "exception",
    ] {
        let text = lines(150, |at| {
            let gone = if at == 88 { ": gone" } else { "" };
            let name = format!("{name}-{at}");
            format!("  {name:<28} 0a1b2c{at:03} [origin/{name}{gone}] Tidy the cart")
        });
        assert_shows(&text, &[&format!("89: {name}-88"), ": gone]"]);
    }
}

#[test]
fn dates_with_a_time_that_are_far_from_all_others() {
    let of = |line: fn(usize) -> String, odd: &str| {
        let text = lines(300, |at| match at {
            140 => odd.to_owned(),
            _ => line(at),
        });
        assert_shows(&text, &[&format!("141: {odd}")]);
    };
    of(
        |at| {
            let month = ["Jan", "Mar", "Jun", "Oct", "Dec"][at % 5];
            format!(
                "notAfter={month} {:2} 08:17:{:02} 202{} GMT",
                1 + at % 28,
                at % 60,
                7 + at % 2
            )
        },
        "notAfter=Nov 28 08:17:58 2019 GMT",
    );
    of(
        |at| {
            let month = ["Jan", "Mar", "Jun", "Oct", "Dec"][at % 5];
            let day = 1 + at % 28;
            format!(
                "site{at}: expires: {month} {day} 08:17:58 202{} GMT",
                7 + at % 2
            )
        },
        "site140: expires: Nov 28 08:17:58 2019 GMT",
    );
    of(
        |at| {
            format!(
                "job {at} last=2026-{:02}-{:02}T08:00:{:02}Z",
                1 + at % 12,
                1 + at % 28,
                at % 60
            )
        },
        "job 140 last=2019-11-28T08:17:58Z",
    );
    // The times of a log go on after midnight.
    let log = lines(300, |at| {
        let (day, seconds) = if at < 298 {
            (27, 86_102 + at)
        } else {
            (28, at - 298)
        };
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        format!(
            "time=2026-11-{day}T{hour:02}:{minute:02}:{second:02}Z level=info msg=\"served {at}\""
        )
    });
    assert_hides(&log, &["like few others"]);
}

#[test]
fn one_of_a_dozen_records_has_another_number() {
    let disk = |at: usize| {
        let pending = if at == 7 { 184 } else { 0 };
        let hours = 10_000 + at * 711 % 9_000;
        format!(
            "=== /dev/sd{} ===\n  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -       0\n  9 Power_On_Hours          0x0032   100   100   000    Old_age   Always       -       {hours}\n197 Current_Pending_Sector  0x0032   100   100   010    Old_age   Always       -       {pending}\n198 Offline_Uncorrectable   0x0032   100   100   010    Old_age   Always       -       0\n199 UDMA_CRC_Error_Count    0x0032   100   100   010    Old_age   Always       -       0\n",
            char::from(b'a' + at as u8)
        )
    };
    let text = lines(12, disk);
    let place = place(&text, "184");
    assert_shows(
        &text,
        &[&format!("{place}: 197 Current_Pending_Sector"), "184"],
    );
}

#[test]
fn a_state_among_equal_lines_is_shown_below_a_long_header() {
    let header = "Cluster name: hacluster\nStatus of pacemakerd: 'Pacemaker is running'\n  * 24 nodes configured\n  * 120 resource instances configured\n\nNode List:\n  * Online: [ n0 n1 n2 ]\n  * OFFLINE: [ n17 ]\n\nFull List of Resources:\n";
    let rows = lines(120, |at| {
        let state = match at {
            66 => "Stopped".to_owned(),
            _ => format!("Started n{}", at % 24),
        };
        format!("  * vip_{at} (ocf::heartbeat:IPaddr2): {state}")
    });
    let text = format!("{header}{rows}");
    let point = format!("{}: * vip_66 ", place(&text, "Stopped"));
    assert_shows(&text, &[&point, "\"lines\":\"67-87\""]);
}

#[test]
fn a_few_numbers_among_sizes_have_a_place() {
    let rows = lines(150, |at| {
        let free = match at {
            23 | 40 | 77 | 101 | 149 => "0".to_owned(),
            _ => format!("{}G", 7 + at % 90),
        };
        format!("/dev/sd{at:<8} {free:>5} /srv/data{at}")
    });
    let text = format!("Filesystem      Avail Mounted on\n{rows}");
    assert_shows(
        &text,
        &["Avail: 5 numbers 0, first at [23], 145 strings 7G..96G"],
    );
}

#[test]
fn totals_below_a_rule_are_told() {
    let rows = lines(120, |at| {
        let name = format!("src/app/mod_{at}.py");
        format!(
            "{name:<40} {:>5} {:>6} {:>5}%",
            100 + at,
            at % 9,
            91 + at % 9
        )
    });
    let rule = "-".repeat(70);
    let header = "Name                                     Stmts   Miss  Cover";
    let text = format!(
        "{header}\n{rule}\n{rows}{rule}\n{:<40} 19140    480    97%\n",
        "TOTAL"
    );
    assert_shows(&text, &["after: TOTAL ", " 19140    480    97%\n"]);
}

#[test]
fn ids_without_digits_by_chance_are_no_rare_values() {
    let rows = |other: &str| {
        let row = |at: usize| {
            let end = ["7f3a", "b21c", "0e9d", "4c4c"][at % 4];
            let end = if at == 31 { "fddb" } else { end };
            let name = if at == 90 {
                other.to_owned()
            } else {
                format!("{}-{end}", hash(at))
            };
            json!({"id": name, "load": at % 17 + 20})
        };
        json!((0..400).map(row).collect::<Vec<_>>()).to_string()
    };
    assert_hides(&rows("0a1b2c3-7f3a"), &["fddb", "rare"]);
    assert_shows(
        &rows("dead-letters"),
        &["rare: like dead-letters 1 at [90]"],
    );
}

#[test]
fn hits_of_a_search() {
    let text = lines(90, |at| {
        format!(
            "/srv/app/src/part_{}.rs:{}:    pub fn new_{at}(path: &Path) -> Self {{",
            at / 3,
            at * 7 + 1
        )
    });
    assert_shows(
        &text,
        &[
            "90 lines found, in 30 files, all in /srv/app/src/",
            "part_0.rs\n 1: pub fn new_0(path: &Path) -> Self {",
        ],
    );
    let headed = lines(30, |at| {
        format!(
            "src/part_{at}.rs\n3:    let a = open({at}).unwrap();\n17:    let b = close({at}).unwrap();\n\n{}",
            ""
        )
    });
    let headed = headed
        + &lines(60, |at| {
            format!("src/other_{at}.rs\n5:    let words = of_some_length({at}).unwrap();\n")
        });
    assert_shows(
        &headed,
        &[
            "120 lines found, in 90 files",
            "part_0.rs\n 3: let a = open(0).unwrap();",
        ],
    );
}

#[test]
fn listings_of_directories() {
    let marked = lines(300, |at| {
        if at % 10 == 0 {
            format!("[DIR] src/part_{}", at / 10)
        } else {
            format!("[FILE] src/part_{}/file_{at}.rs", at / 10)
        }
    });
    assert_shows(
        &marked,
        &["300 paths: 30 directories, 270 files", ".rs 270"],
    );
    let long = "/srv/app/src:\ntotal 300\n".to_owned()
        + &lines(90, |at| {
            format!(
                "{}  3 root root {:>5} Nov 22 20:00 {}",
                if at < 20 { "drwxr-xr-x" } else { "-rw-r--r--" },
                at * 11,
                if at < 20 {
                    format!("folder_{at}")
                } else {
                    format!("file_{at}.rs")
                }
            )
        });
    assert_shows(
        &long,
        &[
            "/srv/app/src: 20 directories, 70 files",
            "folder_0/",
            "file_20.rs 220",
        ],
    );
    let tree = ".\n".to_owned()
        + &lines(20, |at| {
            format!(
                "\u{251c}\u{2500}\u{2500} part_{at}\n{}",
                lines(12, |file| format!(
                    "\u{2502}   \u{251c}\u{2500}\u{2500} file_{file}_of_the_part.rs"
                ))
            )
            .trim_end()
            .to_owned()
        });
    assert_shows(&tree, &["tree of 260 entries", "part_0/ 12"]);
}

#[test]
fn pages_of_html_and_xml() {
    let rows = lines(80, |at| {
        format!(
            "<tr><td>{at}</td><td>Item {at}</td><td><a href=\"/item/{at}\">Details</a></td></tr>"
        )
    });
    let html = format!(
        "<!doctype html><html><head><title>Desk shop</title><style>a{{}}</style></head><body><h1>All <b>items</b></h1><form><input name=\"q\"><button>Go</button></form><table><tr><th>Id</th><th>Name</th><th>Link</th></tr>{rows}</table></body></html>"
    );
    assert_shows(
        &html,
        &[
            "HTML, title: Desk shop",
            "1 heading, 1 table, 80 links, 1 form",
            "table of 81 rows, 3 columns: Id, Name, Link",
            "h1 All items",
            "input q, button Go",
        ],
    );
    let xml = format!(
        "<?xml version=\"1.0\"?>\n<feed>\n{}</feed>\n",
        lines(90, |at| format!(
            "<entry><title>Entry {at}</title><id>{at}</id></entry>"
        ))
    );
    // Entries without text between them are data.
    assert_shows(&xml, &["Summary of XML", "$.feed.entry: 90 rows"]);
    let mixed = xml.replace("</feed>", "<note>see <b>this</b> first</note></feed>");
    assert_shows(
        &mixed,
        &["XML <feed>, 273 elements", "entry 90, title 90, id 90"],
    );
}

#[test]
fn the_last_epoch_of_a_training() {
    let text = lines(400, |at| {
        format!(
            "epoch {at}/400 loss={:.4} acc=0.{at:03}",
            2.3 / (at + 1) as f64
        )
    });
    assert_shows(
        &text,
        &[
            "400x 1..400: epoch 0/400",
            "400: epoch 399/400 loss=0.0057 acc=0.399",
        ],
    );
}

#[test]
fn an_error_among_progress() {
    let text = lines(220, |at| {
        format!("Downloading layer {at}/220 ({}%)", at * 83 / 220)
    }) + "Error: manifest unknown: tag v2.4 not found in registry.example/shop\n\nProcess 18485 has finished\n";
    assert_shows(
        &text,
        &[
            "221: Error: manifest unknown: tag v2.4 not found in registry.example/shop",
            "\"lines\":\"211-223\"",
        ],
    );
}

#[test]
fn texts_that_were_asked_for_stay_whole() {
    let bench = Bench::<Summary>::new("{}");
    let code = lines(120, |at| {
        format!("pub fn step_{at}(input: &str) -> usize {{\n    input.len() + {at}\n}}")
    });
    let subjects = [
        "a policy",
        "the filter",
        "each chain",
        "an operator",
        "the model",
    ];
    let prose = lines(90, |at| {
        let (one, two) = (subjects[at % 5], subjects[at / 5 % 5]);
        let rest = ["and", "or", "but", "so"][at / 25];
        format!("This page says how {one} is written, {rest} that {two} leaves most of a result.")
    });
    let diff = format!(
        "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1,1 +1,120 @@\n context\n{}",
        lines(119, |at| format!("+    let value_{at} = read({at})?;"))
    );
    for text in [&code[..4_900], &prose[..4_900], &diff] {
        assert!(!bench.apply(text).changed, "{}", bench.apply(text).text());
        let in_json = json!({"path": "a.rs", "content": text}).to_string();
        assert!(
            !bench.apply(&in_json).changed,
            "{}",
            bench.apply(&in_json).text()
        );
    }
    for text in [code.repeat(4), prose.repeat(4), diff.repeat(4)] {
        assert!(bench.apply(&text).changed);
    }
    let none = Bench::<Summary>::new(json!({"whole": 0}));
    assert!(none.apply(&code[..4_900]).changed);
    let log = lines(120, |at| {
        format!(
            "12:00:{:02} INFO request {at} was served by the api",
            at % 60
        )
    });
    assert!(bench.apply(&log).changed);
}

#[test]
fn the_range_that_was_asked_for_is_named() {
    let code = lines(900, |at| format!("pub fn step_{at}() {{ body({at}); }}"));
    let bench = Bench::<Summary>::new("{}")
        .arguments(json!({"path": "a.rs", "offset": 100, "length": 900}));
    let summary = bench.apply(&code).text().to_owned();
    assert!(
        summary.contains("(asked for: offset 100, length 900)"),
        "{summary}"
    );
}

#[test]
fn what_stands_out_in_the_middle_of_an_error_is_shown() {
    let noise = lines(300, |at| {
        format!("step {at}: copied part-{at}.parquet (37 KB)")
    });
    let text = format!(
        "job failed\n{noise}ValueError: amount must be positive, got -4\n{noise}cleaning up\n"
    );
    let summary = Bench::<Summary>::new("{}")
        .is_error(true)
        .apply(&text)
        .text()
        .to_owned();
    let number = place(&text, "ValueError");
    assert!(
        summary.contains(&format!("{number}: ValueError: amount must be positive")),
        "{summary}"
    );
    assert!(
        summary.starts_with("job failed\n") && summary.contains("cleaning up"),
        "{summary}"
    );
}

#[test]
fn budgets_follow_the_original() {
    let text = |count: usize| {
        lines(count, |at| {
            format!("step {at}: copied part-{at}.parquet (37 KB)")
        })
    };
    let small = summary(&text(200)).chars().count();
    let large = summary(&text(40_000)).chars().count();
    assert!(small <= 800, "{small}");
    assert!(large <= 2_000, "{large}");
}

#[test]
fn the_first_call_for_a_text_in_json_reads_the_lines_around_the_point() {
    let log = lines(2_000, |at| match at {
        1_711 => "2026-11-01T10:22:15 ERROR [pool] no connection after 30000 ms".to_owned(),
        at => format!(
            "2026-11-01T10:{:02}:{:02} INFO [http] request {at} is served",
            at / 60 % 60,
            at % 60
        ),
    });
    let text = serde_json::json!({"file": {"ranges": [{"content": log, "first": 1}]}}).to_string();
    let path = r#""path":"$.file.ranges[0].content","lines":"1702-1722""#;
    assert_shows(&text, &["1712: ", path]);
    // Of a list of lines, too.
    let list: Vec<&str> = log.lines().collect();
    let text = serde_json::json!({ "output": list }).to_string();
    assert_shows(
        &text,
        &["1712: ", r#""path":"$.output","lines":"1702-1722""#],
    );
    let plain = lines(300, |at| {
        format!(
            "request {at} is served in {} ms by the server of the shop",
            at % 9
        )
    });
    let text = serde_json::json!({"content": plain}).to_string();
    assert_shows(&text, &[r#""path":"$.content","lines":"1-80""#]);
}

#[test]
fn all_definitions_of_a_schema_are_counted() {
    let schema = lines(160, |at| {
        format!(
            "type Entity{at} {{\n  id: ID!\n  owner: Author\n}}\n\ninput Entity{at}Input {{\n  name: String!\n}}\n"
        )
    });
    let others = "scalar Date\n\nunion Found = Entity0 | Entity1\n\ninterface Node {\n  id: ID!\n}\n\nenum Sort {\n  UP\n}\n\ndirective @auth(role: String) on OBJECT\n\nextend type Entity0 {\n  more: Int\n}\n\nextend input Entity0Input @auth {\n  more: Int\n}\n\nscalar Url @specifiedBy(url: \"a\")\n\nschema {\n  query: Query\n}\n";
    assert_shows(&format!("{schema}{others}"), &["329 definitions:"]);
}

#[test]
fn rows_that_do_not_fit_have_their_titles() {
    let rows = |count: usize| {
        let rows = (0..count).map(|at| {
            let hash = |at: usize| format!("{:016x}", (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)).repeat(3);
            let (hash, parent) = (hash(at), hash(at + 1));
            let subject = format!("Part {at} of the work, {} which took a long while to write", "very ".repeat(at % 9));
            let body = (at % 30 == 7).then(|| "words ".repeat(40));
            json!({"hash": hash, "short": hash[..7], "author": "a person", "mail": "person@mail.example",
                "time": 1_795_871_119 - 1_000 * at, "subject": subject, "body": body,
                "parents": [parent]})
        });
        json!({"success": true, "commits": rows.collect::<Vec<_>>()}).to_string()
    };
    assert_shows(&rows(60), &["first by subject: Part 0 of the work, "]);
}

#[test]
fn a_list_in_a_cell_shows_its_text() {
    let title = |at: usize| {
        json!([{"type": "text", "annotations": {"bold": false, "color": "default"},
            "text": {"content": format!("Task {at}"), "link": null}, "plain_text": format!("Task {at}")}])
    };
    let rows: Vec<_> = (0..60)
        .map(|at| json!({"done": at % 2 == 0, "title": title(at), "url": format!("https://notes.example/{at}")}))
        .collect();
    assert_shows(&json!({ "results": rows }).to_string(), &["[…Task 0…]"]);
}

#[test]
fn a_verb_in_a_title_is_no_failure() {
    let rows: Vec<_> = (0..120)
        .map(|at| {
            let words = ["A service", "Another part", "The page"][at % 3];
            json!({"subject": match at {
                26 => "A service that nobody asked for is asked by all, until one fails: the first burst of calls".to_owned(),
                at => format!("{words} {} work in place {at} of the {}", ["has", "does", "is"][at % 3], "long ".repeat(at % 7)),
            }, "time": at})
        })
        .collect();
    assert_hides(
        &json!({ "commits": rows }).to_string(),
        &["looks like an error"],
    );
}

#[test]
fn an_error_that_is_data_is_told_as_data() {
    let errors: Vec<_> = (0..120)
        .map(|at| {
            let message = if at == 70 {
                "unknown sku ZX-9"
            } else {
                "must be > 0"
            };
            json!({"loc": ["body", "items", at, "qty"], "msg": message, "type": "value_error"})
        })
        .collect();
    let json = serde_json::to_string_pretty(&json!({ "errors": errors })).expect("JSON");
    for text in [json.clone(), format!("Error: {json}")] {
        let applied = Bench::<Summary>::new("{}").is_error(true).apply(&text);
        let summary = applied.text();
        let point = "msg: must be > 0 119, unknown sku ZX-9 1 at [70]";
        assert!(summary.contains(point), "{summary}");
        assert!(
            !text.starts_with("Error") || summary.contains("before: Error:"),
            "{summary}"
        );
    }
    // A long message keeps its beginning.
    let message = format!("the first words {}", "and more of them ".repeat(400));
    let applied = Bench::<Summary>::new("{}")
        .is_error(true)
        .apply(&json!({"error": message}).to_string());
    assert!(
        applied
            .text()
            .starts_with("{\"error\":\"the first words and more"),
        "{}",
        applied.text()
    );
}

#[test]
fn rows_of_a_tree_are_shown_if_they_are_announced() {
    let file = |name: String, folder: &str| {
        json!({"name": name, "path": format!("/tmp/data/proj{folder}/{name}"), "type": "file", "size": 200 + name.len() * 7,
            "size_readable": format!("{}.00 B", 200 + name.len() * 7), "modified": "2026-11-28T13:09:08.868Z"})
    };
    let files: Vec<_> = (0..80)
        .map(|at| file(format!("module_{at}.ts"), "/src"))
        .collect();
    let names = [
        "Cargo.toml",
        "NOTES.md",
        "docker-compose.yaml",
        "package.json",
    ];
    let mut children: Vec<_> = names
        .iter()
        .map(|name| file((*name).to_owned(), ""))
        .collect();
    children.push(
        json!({"name": "src", "path": "/tmp/data/proj/src", "type": "directory", "size": 4096,
        "size_readable": "4.00 KB", "modified": "2026-11-28T13:09:08.868Z", "children": files}),
    );
    let tree = json!({"tree": {"name": "proj", "path": "/tmp/data/proj", "type": "directory", "size": 4096,
        "size_readable": "4.00 KB", "modified": "2026-11-28T13:09:08.868Z", "children": children},
        "total_items": 38, "truncated": false, "depth": 5, "ready": true, "as_of": "2026-11-28T13:09:08.868Z"});
    assert_shows(&tree.to_string(), &[" rows with none below: Cargo.toml, "]);
    assert_hides(&tree.to_string(), &["by row"]);
}

#[test]
fn an_empty_text_is_not_told_as_if_it_were_the_most_frequent_one() {
    let row = |at: usize| {
        json!({"file": format!("src/mod{}.ts", at % 7), "context": [
            {"text": format!("export function fn{at}() {{"), "is_match": false},
            {"text": "", "is_match": false},
            {"text": "}", "is_match": false},
            {"text": format!("  // TODO: check {at}"), "is_match": true},
        ]})
    };
    let rows: Vec<_> = (0..100).map(row).collect();
    assert_shows(&json!(rows).to_string(), &["context[*].is_match: "]);
    assert_hides(&json!(rows).to_string(), &["\"\" 100"]);
    // If all others are rarer, it is the most frequent one.
    let rows: Vec<_> = (0..100)
        .map(|at| match at {
            5 => json!({"file": "src/mod5.ts", "context": [{"text": "x", "is_match": false}, {"text": "", "is_match": false}]}),
            _ => row(at),
        })
        .collect();
    assert_shows(&json!(rows).to_string(), &["context[*].text: \"\" 100"]);
}

#[test]
fn words_in_bold_letters_that_forbid_something_warn_the_reader() {
    let sections = |bold: &str| {
        lines(120, |at| {
            let last = if at == 62 { bold } else { "" };
            format!(
                "## Section {at}\n\nText about retries and back-off in case of an overload of the service. Text about retries and back-off.{last}\n"
            )
        })
    };
    for bold in [
        " **Never** retry a POST without a key.",
        " You **must not** retry a POST without a key.",
        " **Do not retry a POST** without a key.",
    ] {
        let text = sections(bold);
        let place = place(&text, "a key");
        assert_shows(
            &text,
            &[
                "1 line that warns the reader:\n",
                &format!("{place}: "),
                "without a key.",
            ],
        );
    }
    for bold in [
        " **Nevertheless** it works.",
        " **600** requests never fail.",
        "\n\n- **Never**: no limit.",
        " ** never **",
    ] {
        assert_hides(&sections(bold), &["warns the reader"]);
    }
}

#[test]
fn the_first_frame_of_a_thread_that_crashed() {
    let frames = |thread: usize| {
        let name = |at: usize| ["wait_auth", "settle_entry", "wait_media"][(thread + at + 2) % 3];
        lines(10, |at| {
            format!(
                "{at}   ledgerd   0x{:016x} {} + {}",
                0xda6f_1b9a * (at + 7 * thread + 1),
                name(at),
                at * 31 % 97
            )
        })
    };
    for crashed in [
        "Thread 7 Crashed:",
        "Thread 7 Crashed:: Dispatch queue: com.apple.main-thread",
    ] {
        let threads: String = (0..12)
            .map(|thread| {
                let head = if thread == 7 {
                    crashed.to_owned()
                } else {
                    format!("Thread {thread}:")
                };
                format!("{head}\n{}\n", frames(thread))
            })
            .collect();
        let text = format!(
            "Process:         ledgerd [4411]\nException Type:  EXC_BAD_ACCESS (SIGSEGV)\n\n{threads}"
        );
        let place = place(&text, crashed) + 1;
        let frame = format!("{place}: 0   ledgerd ");
        assert_shows(&text, &[crashed, &frame]);
    }
}
