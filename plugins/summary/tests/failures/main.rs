//! A failure is shown in whatever text it stands, and what passed is not told as a failure.

mod kinds;
mod logs;
mod none;
mod rows;

use summary::Summary;
use tamis_sdk::testing::Bench;

fn summary(text: &str) -> String {
    let applied = Bench::<Summary>::new("{}").apply(text);
    assert!(applied.changed, "not summarised: {text:.200}");
    applied.text().to_owned()
}

/// Plain words, as programs write them about their work.
fn words(at: usize) -> String {
    const WORDS: [&str; 12] = [
        "page", "item", "cart", "list", "order", "view", "render", "mount", "alpha", "beta",
        "delta", "gamma",
    ];
    let word = |by: usize| WORDS[(at * by + at / 7 + by) % WORDS.len()];
    format!(
        "{} {} {} {} {} {}",
        word(1),
        word(5),
        word(7),
        word(11),
        word(3),
        word(2)
    )
}

/// Lines among which one differs, the 152nd of 300.
fn among(line: impl Fn(usize) -> String, odd: &str) -> String {
    (0..300)
        .map(|at| match at {
            151 => format!("{odd}\n"),
            at => line(at) + "\n",
        })
        .collect()
}

#[track_caller]
fn assert_found(text: &str, line: &str) {
    let (summary, shown) = (summary(text), format!("152: {line}"));
    assert!(
        summary.contains(&shown),
        "{shown:?} is not shown:\n{summary}"
    );
}

#[test]
fn a_failure_among_lines_of_plain_words() {
    for line in [
        "[ERROR] Uncaught TypeError: Cannot read properties of undefined (reading 'id')",
        "Uncaught TypeError: x is not a function",
        "CRITICAL out of disk",
        "2026-01-05 10:00:00 ERROR the order is lost",
        "level=error msg=lost",
        "FAILURE: Build failed with an exception.",
        "[FAIL] the order is paid twice",
        "CMake Error at CMakeLists.txt:12 (message):",
        "the order is paid twice FAILED",
        "main.c: undefined reference to `pay'",
        "cp: cannot stat 'a': No such file or directory",
        "bash: ./a: Permission denied",
        "curl: (7) Connection refused",
        "timed out waiting for the condition",
        "! Undefined control sequence.",
    ] {
        assert_found(&among(words, line), line);
        let marked = |at: usize| format!("[LOG] {}", words(at));
        assert_found(&among(marked, line), line);
    }
}

#[test]
fn a_failing_test_among_percentages() {
    let passed = |at: usize| {
        format!(
            "tests/test_shop.py::test_{} PASSED [ {}%]",
            words(at).replace(' ', "_"),
            at / 3
        )
    };
    let failed = "tests/test_shop.py::test_refund_is_rounded FAILED [ 48%]";
    assert_found(&among(passed, failed), failed);
}

#[test]
fn a_failure_among_outcomes_in_brackets() {
    for (passed, failed) in [
        ("[  OK  ] Started {}.", "[FAILED] Failed to start billing."),
        ("    {} [✔]", "    refunds once FAILED [1]"),
        ("{} | PASS |", "Refunds Once | FAIL |"),
        ("00:10 +12: {}", "00:10 +12 -1: refunds once [E]"),
        (
            "10:00:01 1 of 261 OK created {} [SELECT 7 in 0.7s]",
            "10:00:02 2 of 261 FAIL 3 unique_orders [in 0.2s]",
        ),
        (
            "//shop/{}:test PASSED in 0.4s",
            "//shop/refund:test FAILED in 3.2s",
        ),
        (
            "2026-01-05T10:00:00.0010000Z added {}",
            "2026-01-05T10:00:41.2380000Z a.ts:57:11 - error TS2554: Expected 2 arguments.",
        ),
    ] {
        let text = among(|at| passed.replace("{}", &words(at)), failed);
        assert_found(&text, failed.trim());
    }
}

#[test]
fn the_package_that_fails() {
    let ok = |at: usize| format!("ok  \texample.com/shop/internal/p{at}\t0.{:03}s", at % 900);
    let failed = "FAIL\texample.com/shop/internal/token\t1.202s";
    assert_found(&among(ok, failed), &failed.replace('\t', " "));
}

#[test]
fn failures_of_one_sort_keep_their_names() {
    let text = (0..300)
        .map(|at| match at {
            120 | 220 => format!("FAIL example.com/shop/internal/token{at} 1.{at}s\n"),
            at => format!("{} done\n", words(at)),
        })
        .collect::<String>();
    let summary = summary(&text);
    for at in [120, 220] {
        let line = format!(
            "{}: FAIL example.com/shop/internal/token{at} 1.{at}s",
            at + 1
        );
        assert!(summary.contains(&line), "{summary}");
    }
}

#[test]
fn reports_of_golangci_lint_are_counted() {
    let text: String = (0..100)
        .map(|at| {
            format!(
                "internal/a{at}.go:{}:5: Error return value of `f` is not checked (errcheck)\n",
                at + 1
            )
        })
        .collect();
    let summary = summary(&text);
    assert!(
        summary.contains("100 reports of a compiler or linter\n"),
        "{summary}"
    );
}

#[test]
fn failures_in_the_words_of_many_programs() {
    for line in [
        "Deployment of the shop to web4 failed.",
        "stack shop-1: CREATE_FAILED",
        "shop.close: error",
        "order (error)",
        "E1120 09:01:30.123456       1 controller.go:173] Reconciler returned",
        "[09:01:30 ERR] the month cannot be closed",
        "2026/11/20 09:01:00 [emerg] 7#7: still could not bind()",
        "[2026-11-20T09:01:00+00:00] app.ALERT: the month cannot be closed",
        "api-1 | 2026-11-20T09:01:10Z Error: connect ECONNREFUSED 10.0.3.4:5432",
        "2026-11-20 09:01:10 | ERROR    | shop.tax:close:12 - the month cannot be closed",
        "✖ refunds once (3.12ms)",
        "PATCH /api/refund/4 500 12.120 ms - 88",
        "./run.sh: line 12:  4412 Segmentation fault      (core dumped) ./close",
        "deploy/tax.sh: line 41: kubectl: command not found",
        "ssh: connect to host web4 port 22: No route to host",
        "web41 : ok=12 changed=3 unreachable=1 failed=0",
        "! [rejected]        main -> main (non-fast-forward)",
        "Severity: critical",
        "probe of backend-60 answered unhealthy",
    ] {
        assert_found(&among(words, line), line);
    }
}

#[test]
fn odd_lines_do_not_hide_each_other() {
    let name = |at: usize| words(at).split(' ').next().unwrap_or_default().to_owned();
    // Of one form, and of two.
    for odd in [
        ["answered stale"; 3],
        ["is drained by hand", "answered stale", "answered stale"],
    ] {
        let text: String = (0..200)
            .map(|at| match at {
                60 | 120 | 180 => format!("probe of {} {}\n", name(at), odd[at / 60 - 1]),
                at => format!("probe of {} answered fresh after {at} ms\n", name(at)),
            })
            .collect();
        let summary = summary(&text);
        for number in ["61: ", "121: ", "181: "] {
            assert!(summary.contains(number), "{number} of {odd:?}:\n{summary}");
        }
    }
}

#[test]
fn what_runs_after_a_diff_or_a_log_is_of_another_program() {
    let commits: String = (0..3)
        .map(|at| {
            format!(
                "commit {:040x}\nAuthor: A <a@example.com>\nDate:   Fri Nov 2{at} 09:12:40 2026 +0000\n\n    Subject {at}\n\n",
                0xeee6_5f53_u64 + at
            )
        })
        .collect();
    let diff: String = (0..30)
        .map(|at| {
            format!("diff --git a/src/f{at}.py b/src/f{at}.py\n--- a/src/f{at}.py\n+++ b/src/f{at}.py\n@@ -1,2 +1,2 @@\n part\n-old {at}\n+new {at}\n")
        })
        .collect();
    for before in [commits, diff] {
        let passed: String = (0..180)
            .map(|at| format!("    ✔ {}\n", words(at)))
            .collect();
        let text = format!(
            "{before}\n  cart\n{passed}\n  180 passing (2s)\n  1 failing\n\n  1) cart\n       refunds twice:\n\n      AssertionError [ERR_ASSERTION]: 10 == 12\n      at Context.<anonymous> (test/refund.js:44:12)\n"
        );
        let summary = summary(&text);
        for part in [
            "AssertionError [ERR_ASSERTION]: 10 == 12",
            "1 failing",
            "1) cart",
            "refunds twice:",
            "are of another form",
        ] {
            assert!(summary.contains(part), "{part}:\n{summary}");
        }
    }
}

#[test]
fn a_condition_that_does_not_hold() {
    let described = |condition: &str| {
        let volumes: String = (0..400)
            .map(|at| {
                format!(
                    "    {}-{at}:\n      Type:  ConfigMap\n",
                    words(at).replace(' ', "-")
                )
            })
            .collect();
        format!(
            "Name:  checkout\nConditions:\n  Type            Status  Reason\n  ----            ------  ------\n  {condition}\n  \
             Initialized     True    \n Volumes:\n{volumes}"
        )
    };
    for condition in [
        "Available       False   MinimumReplicasUnavailable",
        "Ready           Unknown NodeStatusUnknown",
        "DiskPressure    True    KubeletHasDiskPressure",
    ] {
        let summary = summary(&described(condition));
        let told = format!("1 line that looks like a failure:\n5: {condition}");
        assert!(summary.contains(&told), "{summary}");
    }
    for condition in [
        "Available       True    MinimumReplicasAvailable",
        "DiskPressure    False   KubeletHasNoDiskPressure",
        "Optional        False   whatever it says",
    ] {
        let summary = summary(&described(condition));
        assert!(!summary.contains("failure"), "{summary}");
    }
}

#[test]
fn a_failure_unlike_a_crowd_of_failures() {
    let crowd = |at: usize| {
        let name = words(at).replace(' ', "-");
        format!(
            "2026-11-20T08:{:02}:{:02}Z ERROR upstream request timeout host={name} path=/{} after 30s",
            at / 60,
            at % 60,
            words(at + 3).replace(' ', "/")
        )
    };
    for odd in [
        "2026-11-20T08:02:31Z ERROR disk full: cannot write the ledger",
        "2026-11-20T08:02:31Z ERROR audit log could not be written, events are lost",
    ] {
        assert_found(&among(crowd, odd), odd);
    }
    // What is no failure is shown beside them.
    let odd = "2026-11-20T08:02:31Z INFO Accepted password for root from 45.155.205.9";
    assert_found(&among(crowd, odd), odd);
}

#[test]
fn a_call_reads_a_failure_unlike_a_crowd() {
    let crowd = |at: usize| {
        let name = words(at).replace(' ', "");
        format!("openat(AT_FDCWD, \"/usr/{name}.so\") = -1 ENOENT (No such file or directory)")
    };
    let odd = "write(7, \"WAL\", 4096) = -1 ENOSPC (No space left on device)";
    let text = among(crowd, odd);
    assert_found(&text, odd);
    let told = summary(&text);
    assert!(told.contains("\"lines\":\"142-162\""), "{told}");
}

#[test]
fn a_number_of_lines_with_equal_words() {
    let line = |at: usize, odd: u32| match at % 3 {
        0 => format!("Cleanup removed {} sessions, {odd} orders", at * 7 % 20),
        1 => format!("Consumer read {} records, lag {odd}", at * 5 % 90),
        _ => format!("{} of {}", words(at), at * 11 % 70),
    };
    for at in [150, 151] {
        let odd = line(at, 918_233);
        let text: String = (0..300)
            .map(|place| {
                if place == at {
                    format!("{odd}\n")
                } else {
                    line(place, 0) + "\n"
                }
            })
            .collect();
        let shown = format!("{}: {odd}", at + 1);
        assert!(
            summary(&text).contains(&shown),
            "{shown}:\n{}",
            summary(&text)
        );
    }
}

#[test]
fn a_line_of_a_blame_that_is_not_committed() {
    let line = |at: usize, hash: &str, author: &str| {
        format!(
            "{hash} src/a.py ({author} 2024-05-{:02} 10:11:12 +0200 {:>3}) {}",
            1 + at % 28,
            at + 1,
            words(at)
        )
    };
    let odd = line(151, "00000000", "Not Committed Yet");
    let text = among(
        |at| line(at, &format!("{:08x}", at * 0x0123_4567), "Ann Lee"),
        &odd,
    );
    assert_found(&text, &odd);
    assert!(!summary(&text).contains("commits"), "{}", summary(&text));
}

#[test]
fn lines_of_other_programs_round_commits_and_diffs() {
    let commits: String = (0..90)
        .map(|at| format!("commit {:040x}\nAuthor: A <a@b.c>\nDate:   Fri Nov 20 10:{:02}:00 2026 +0000\n\n    {}\n\n", at * 7919 + 1, at % 60, words(at)))
        .collect();
    let diff: String = (0..90)
        .map(|at| format!("diff --git a/src/f{at}.rs b/src/f{at}.rs\nindex 1234567..89abcde 100644\n--- a/src/f{at}.rs\n+++ b/src/f{at}.rs\n@@ -1,2 +1,2 @@\n a\n-b{at}\n+c{at}\n"))
        .collect();
    let merge: String = (0..90)
        .map(|at| format!("diff --cc src/f{at}.rs\nindex 123,456..789\n--- a/src/f{at}.rs\n+++ b/src/f{at}.rs\n@@@ -1,3 -1,3 +1,4 @@@\n  a\n- b{at}\n -c{at}\n++d{at}\n  e\n"))
        .collect();
    let other = "the hook of the repository changed two files";
    for part in [&commits, &diff, &merge] {
        let (kind, own) = match part.starts_with("commit") {
            true => ("90 commits", commits.lines().count()),
            false => ("90 files, 90 hunks", part.lines().count()),
        };
        for (text, place) in [
            (format!("{other}\n{part}"), 1),
            (format!("{part}{other}\n"), own + 1),
            (format!("{part}{other}\n{part}"), own + 1),
        ] {
            let summary = summary(&text);
            assert!(summary.contains(&format!("{place}: {other}")), "{summary}");
            assert!(
                summary.contains(kind) || text.len() > 2 * part.len(),
                "{summary}"
            );
        }
        let plain = summary(part);
        assert!(!plain.contains("of another form"), "{plain}");
        let text = format!("one thing\nand {other}\nthe end\n{part}");
        let summary = summary(&text);
        let expected =
            "3 lines are of another form, the first and the last:\n1: one thing\n3: the end\n";
        assert!(summary.contains(expected), "{summary}");
    }
    let summary = summary(&merge);
    assert!(summary.contains("+90 -180"), "{summary}");
}

#[test]
fn a_failure_with_words_of_what_did_not_happen() {
    for line in [
        "deploy    failed",
        "backup-rotate  Failed  nightly copy",
        "[INFO] BUILD FAILURE",
        "[INFO] checkout service FAILED",
        "worker error: No matching distribution found for left-pad",
        "worker error: none of the replicas are ready",
        "worker error: no-such-bucket",
        "worker error: no route for the order",
        "worker error: on this host nothing answers",
        "worker error: never reached the leader",
        "exit code 0 but failed",
        "connection refused: 0 of 3 replicas are up",
    ] {
        let summary = summary(&among(words, line));
        let expected = format!("1 line that looks like a failure:\n152: {line}\n");
        assert!(summary.contains(&expected), "{line}: {summary}");
    }
    for line in [
        "Errors  Files",
        "worker error: none",
        "worker Errors: None.",
        "worker errors: none found, going on",
        "0 of 41 checks failed",
        "[ 0 containers failed ]",
        "Failed requests:        0",
        "errors: No known data errors",
        "unhealthy: 0",
        "INFO the level ERROR is set",
    ] {
        let summary = summary(&among(words, line));
        assert!(
            !summary.contains("looks like a failure"),
            "{line}: {summary}"
        );
    }
}

/// Output of a program that failed, as a shell server sends it: what is told of it is what is told of the same output
/// otherwise, below its first lines.
#[test]
fn what_a_program_printed_before_it_failed() {
    let tell = |text: &str| {
        let applied = Bench::<Summary>::new("{}").is_error(true).apply(text);
        applied.text().to_owned()
    };
    let log: String = (0..200)
        .map(|at| format!("[{at}/200] compile src/{}.c\n", words(at).replace(' ', "_")))
        .collect();
    let output = format!(
        "make all\n{log}src/cart.c:88:5: error: 'total' undeclared\nTraceback (most recent call last):\n  File \"build.py\", line 7, in run\nRuntimeError: gcc exited with 1\n{log}make: *** [Makefile:12: all] Error 2\n"
    );
    for text in [
        output.clone(),
        serde_json::json!({"stdout": output, "stderr": "", "exit_code": 2}).to_string(),
    ] {
        let told = tell(&text);
        for part in [
            "RuntimeError: gcc exited with 1",
            "88:5 error: 'total' undeclared",
            "make: *** [Makefile:12: all] Error 2",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
    // No line is shown in part, and what follows the failures is no failure.
    let told = tell(&output);
    for line in told.lines().filter(|line| line.contains("compile src")) {
        assert!(output.contains(&format!("{line}\n")), "{line}: {told}");
    }
    assert!(told.contains("\n…\n["), "{told}");
    // A table with few words around is one.
    let rows: String = (0..120)
        .map(|at| {
            format!(
                "{at},{},{}\n",
                words(at),
                if at == 77 { "CrashLoop" } else { "Running" }
            )
        })
        .collect();
    let told = tell(&format!("Exit code 1\n\nid,name,state\n{rows}"));
    for part in ["CSV, 120 rows", "Exit code 1", "CrashLoop 1 at [77]"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn a_failure_in_xml_that_is_cut() {
    let case = |at: usize| {
        match at {
        77 => "<testcase name=\"test_77\"><failure message=\"boom at 77\">trace\nline</failure></testcase>\n".to_owned(),
        at => format!("<testcase classname=\"t.A\" name=\"test_{at}\" time=\"0.0{at}\"></testcase>\n"),
    }
    };
    let cases: String = (0..120).map(case).collect();
    let told = summary(&format!(
        "<testsuites>\n<testsuite name=\"a\">\n{cases}… 300 lines left out\n"
    ));
    assert!(
        told.contains("80: <testcase name=\"test_77\"><failure message=\"boom at 77\">trace\n"),
        "{told}"
    );
}
