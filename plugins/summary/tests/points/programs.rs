//! The point of what programs print: traces, tests, compilers, commits, hits, listings.

use serde_json::json;
use summary::Summary;
use tamis_sdk::testing::Bench;

use crate::{assert_hides, assert_shows, hash, lines, place};

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

#[test]
fn the_largest_of_sizes_and_counts_in_any_order() {
    let size = |at: usize| format!("{}\t./target/{}", 4 + at * 37 % 90, hash(at));
    let text = lines(150, size) + "88213\t./target/cache.bin\n" + &lines(150, size);
    assert_shows(
        &text,
        &[
            "301 lines of an amount and a name; names without ./target/",
            "the largest: cache.bin 88213, ",
            "the smallest: 4 in 4 lines, first ",
        ],
    );
    let entry = |at: usize| {
        format!(
            "-rw-r--r-- root/root {:>9} 2026-11-29 02:46 src/{}.rs",
            300 + at * 37 % 900,
            hash(at)
        )
    };
    let text = lines(90, entry) + "-rw-r--r-- root/root  73400320 2026-11-29 02:46 src/dump.sql\n";
    assert_shows(&text, &["the largest: dump.sql 73400320, "]);
}

#[test]
fn all_that_a_plan_destroys() {
    let resource = |at: usize| {
        let action = match at {
            60..66 => "will be destroyed",
            _ => "will be updated in-place",
        };
        format!(
            "  # queue.{0} {action}\n  ~ resource \"queue\" \"{0}\" {{\n      ~ depth = {at} -> {1}\n    }}\n",
            hash(at),
            at + 1
        )
    };
    let text = format!(
        "Terraform will perform the following actions:\n\n{}\nPlan: 0 to add, 84 to change, 6 to destroy.\n",
        lines(90, resource)
    );
    let destroyed: Vec<String> = (60..66)
        .map(|at| {
            let name = format!("queue.{}", hash(at));
            let comment = format!("# {name} will be destroyed");
            format!("{} {name}", place(&text, &comment))
        })
        .collect();
    assert_shows(
        &text,
        &[
            "Plan: 0 to add, 84 to change, 6 to destroy.\n",
            "plan for 90 resources, by line:\n",
            &format!("will be destroyed 6: {}\n", destroyed.join(", ")),
            ", and 76 more\n",
            &format!(
                "\"lines\":\"{}-",
                place(&text, &format!("queue.{} will", hash(60))) - 10
            ),
        ],
    );
}

#[test]
fn crates_that_are_there_twice() {
    let tree = |at: usize| {
        let root = format!("crate_{} v{}.0.0\n", hash(at / 2), at % 2 + 1);
        let uses = lines(5, |by| {
            format!("├── {} v0.{by}.{at} (*)", hash(9 * at + by))
        });
        format!("{root}{uses}└── {} v1.0.{at}\n", hash(at))
    };
    let text: String = (0..60).map(|at| tree(at) + "\n").collect();
    let first = format!("crate_{0} v1.0.0/ 6, crate_{0} v2.0.0/ 6, ", hash(0));
    assert_shows(
        &text,
        &[&format!(
            "60 trees of 360 entries; the line above each, and how many are below: {first}"
        )],
    );
}

#[test]
fn the_end_of_a_certificate() {
    let bytes = lines(40, |at| {
        format!(
            "                {:02x}:9b:a9:ab:bf:61:4a:97:af:2f:97:66:9a:74:5f:",
            at
        )
    });
    let text = format!(
        "Certificate:\n    Data:\n        Signature Algorithm: sha256WithRSAEncryption\n        Issuer: O = Example, CN = Root\n        Validity\n            Not Before: May  5 09:37:37 2026 GMT\n            Not After : May  5 09:37:37 2027 GMT\n        Subject: CN = api.example.org\n{bytes}        X509v3 extensions:\n            X509v3 Key Usage: critical\n                Certificate Sign, CRL Sign\n{bytes}"
    );
    assert_shows(
        &text,
        &["\n7: Not After : May  5 09:37:37 2027 GMT\n8: Subject: CN = api.example.org\n"],
    );
}

#[test]
fn commits_in_a_format_of_their_own() {
    let commit = |at: usize| {
        format!(
            "{}|Ada|ada@example.org|1732{:06}|fix the {} of orders",
            hash(at),
            900_000 - at,
            hash(3 * at)
        )
    };
    assert_shows(&lines(90, commit), &["90 commits:\n"]);
}
