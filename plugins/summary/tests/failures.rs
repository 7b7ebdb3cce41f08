//! A failure is shown in whatever text it stands, and what passed is not told as a failure.

use serde_json::{Value, json};
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

/// What programs say of failures in logs without levels, and what they say of others.
const SAID: [&str; 58] = [
    "Segmentation fault (core dumped)",
    "killed by signal 9",
    "received SIGSEGV, stopping",
    "panic: runtime error: index out of range",
    "OOMKilled",
    "out of memory: killed process 812",
    "cannot allocate memory",
    "permission denied while opening /etc/shadow",
    "connection refused",
    "connection reset by peer",
    "write: broken pipe",
    "request timed out after 30s",
    "node web-3 is unreachable",
    "could not connect to redis",
    "unable to open file",
    "unexpected EOF",
    "deadlock detected, transaction rolled back",
    "checksum mismatch for block 88",
    "the hook returned non-zero",
    "NullPointerException",
    "got java.io.IOException while it read",
    "net::ERR_CONNECTION_REFUSED",
    "HTTP 503 from upstream",
    "response code 500",
    "the answer had status 502",
    "ORA-00942: table or view does not exist",
    "SQLSTATE[42S02]",
    "E11000 duplicate key",
    "assertion `x > 0' not met",
    "alert: intrusion detected",
    "database is down",
    "disk quota exceeded",
    "corrupt page 8",
    "lost quorum",
    "Verbindung fehlgeschlagen: Fehler 12",
    "échec de la connexion",
    "une erreur de lecture",
    "ошибка соединения",
    "сбой диска",
    "连接失败",
    "发生错误",
    "エラーが発生しました",
    "接続に失敗しました",
    "فشل الاتصال",
    "حدث خطأ",
    "hubo un error al leer",
    "ocorreu um erro ao abrir",
    "errore di rete",
    "un fallo de red",
    "falló la copia",
    "uma falha de rede",
    "CRITICAL temperature 98C",
    "ValueError: not a number",
    "exited with code 137",
    "undefined is not a function",
    "stack overflow",
    "data loss suspected",
    "no space left on device",
];
/// What may go wrong.
const NOTED: [&str; 16] = [
    "WARN queue length 9000",
    "suspicious login from 1.2.3.4",
    "unauthorized: token revoked",
    "service degraded: 2 of 5 replicas",
    "payment declined",
    "rejected by policy",
    "throttled",
    "circuit breaker open",
    "failover to replica",
    "invalid argument",
    "rollback of migration 41",
    "deprecated API used",
    "retrying (attempt 5 of 5)",
    "giving up",
    "license expires tomorrow",
    "job CANCELLED",
];

/// A minute of a day, as logs write it.
fn minute(at: usize) -> String {
    format!("2026-11-28T{:02}:{:02}:00Z", 6 + at / 60, at % 60)
}

#[test]
fn a_failure_in_a_log_without_levels() {
    // No two lines are alike, in sentences and in other words.
    let sentence = |at: usize| format!("{} The {}, and {}.", minute(at), words(at), words(at + 31));
    let plain = |at: usize| format!("{} {}", minute(at), words(at));
    let syslog = |at: usize| {
        let minute = &minute(at)[11..19];
        format!("Nov 28 {minute} web app[7]: The {}, and so on.", words(at))
    };
    for said in SAID.into_iter().chain(NOTED) {
        let line = format!("{} {said}", minute(151));
        assert_found(&among(sentence, &line), &line);
        assert_found(&among(plain, &line), &line);
        let of_syslog = format!("Nov 28 {} web app[7]: {said}", &minute(151)[11..19]);
        assert_found(&among(syslog, &of_syslog), &of_syslog);
    }
    for said in SAID {
        let line = format!("{} {said}", minute(151));
        let summary = summary(&among(plain, &line));
        assert!(
            summary.contains("1 line that looks like a failure:"),
            "{summary}"
        );
    }
}

#[test]
fn words_of_failures_in_a_log_that_tell_of_none() {
    let plain = |at: usize| format!("{} {}", minute(at), words(at));
    for said in [
        "0 errors",
        "no error",
        "error handling is on",
        "ended without errors",
        "0 Fehler",
        "keine Fehler gefunden",
        "fehlerfrei beendet",
        "aucune erreur",
        "sans erreur",
        "sin error de red",
        "ningún error de red",
        "nessun errore",
        "без ошибок",
        "нет ошибки",
        "没有错误",
        "エラーなし",
        "SQLSTATE[00000]",
        "HTTP 200 from upstream",
        "HTTP 5000 requests",
        "status 5.25",
        "status code: 204",
        "no deadlock detected",
        "0 corrupt pages",
        "corrupt pages: 0",
        "not corrupted",
        "ERR_NONE=0",
        "class ValueError loaded",
        "unreachable: 0",
        "no data loss",
        "src/ValueError.java compiled",
    ] {
        let line = format!("{} {said}", minute(151));
        let text = among(plain, &line);
        let applied = Bench::<Summary>::new("{}").apply(&text);
        let told = applied.text();
        assert!(!told.contains("failure"), "{said}: {told}");
    }
}

#[test]
fn sentences_about_failures_are_no_failures() {
    let prose = |at: usize| {
        let (first, second) = (words(at * at), words(at * 13 + at * at / 5));
        format!("It was the {first}, and then {second}.")
    };
    for said in [
        "A program could not connect, because the connection was reset by peer, as the book says.",
        "Where the network is unreachable, a NullPointerException, as we know, is no surprise to us.",
        "In German, the word for an error is Fehler, and in French, of course, it is erreur.",
    ] {
        let text = among(prose, said);
        let applied = Bench::<Summary>::new("{}").apply(&text);
        assert!(!applied.text().contains("failure"), "{}", applied.text());
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
fn a_message_unlike_the_others_of_a_column() {
    let document = rows(200, |at| {
        let message = match at {
            111 => "ERROR: connection refused by db-3".to_owned(),
            at => format!("{} {at}", words(at)),
        };
        json!({"id": at, "message": message})
    });
    let summary = summary(&Value::Array(document).to_string());
    assert!(
        summary.contains("ERROR: connection refused by db-3"),
        "{summary}"
    );
}

#[test]
fn the_package_that_fails() {
    let ok = |at: usize| format!("ok  \texample.com/shop/internal/p{at}\t0.{:03}s", at % 900);
    let failed = "FAIL\texample.com/shop/internal/token\t1.202s";
    assert_found(&among(ok, failed), &failed.replace('\t', " "));
}

#[test]
fn a_request_that_the_server_failed() {
    let request = |code: u32| {
        move |at: usize| {
            format!(
                "10.0.0.{} - - [05/Jan/2026:10:{:02}:00 +0000] \"GET /api/items/{at} HTTP/1.1\" {code} {} \"-\" \"curl\"",
                at % 250,
                at % 60,
                at * 7
            )
        }
    };
    let failed = request(502)(151);
    assert_found(&among(request(200), &failed), &failed);
    let plain = |code: u32| move |at: usize| format!("GET /api/items/{at} {code} {} ms", at % 9);
    assert_found(&among(plain(200), &plain(503)(151)), &plain(503)(151));
}

#[test]
fn the_state_of_a_container() {
    let field = |at: usize| format!("    {}: {}", words(at).replace(' ', "-"), at % 3);
    for line in [
        "Reason: OOMKilled",
        "Reason: CrashLoopBackOff",
        "Exit Code:    137",
    ] {
        assert_found(&among(field, &format!("      {line}")), line);
    }
}

#[test]
fn what_passed_is_no_failure() {
    let text = among(
        |at| format!("  ✓ fails when {} ({at} ms)", words(at)),
        "  ✕ refunds once",
    );
    let summary = summary(&text);
    assert!(
        summary.contains("1 line that looks like a failure:\n152: ✕ refunds once"),
        "{summary}"
    );
    let text = among(
        |at| format!("{} PASSED", words(at)),
        "thread 'a' panicked at src/a.rs:4:5:\nthe order is lost",
    );
    let summary = self::summary(&text);
    let found = summary
        .lines()
        .skip_while(|line| !line.contains("look like"))
        .take(3);
    let found: Vec<&str> = found.collect();
    assert!(found[0].starts_with("2 lines"), "{summary}");
    assert_eq!(found[2], "153: the order is lost");
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
fn columns_of_digests_and_ids_are_no_commits_and_no_paths() {
    for line in [
        "a1b2c3d4e5f6   nginx:latest   \"/docker\"   2 days ago   Up 2 days   80/tcp   web",
        "d41d8cd98f00b204e9800998ecf8427e  src/main.rs",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  src/main.rs",
        "68c764cc68c764cc68c764cc68c764cc68c764cc\trefs/heads/main",
        "2da15e20 T main",
    ] {
        let text = (0..600)
            .map(|at| format!("{line}{at}\n"))
            .collect::<String>();
        let summary = summary(&text);
        assert!(
            !summary.contains("commits") && !summary.contains(" paths"),
            "{summary}"
        );
    }
}

#[test]
fn ids_of_rows_are_no_line_numbers() {
    let row = |at: usize| format!(" {} | open | {}\n", 1_000 + at, words(at));
    let text = (0..300).map(row).collect::<String>();
    let summary = summary(&text);
    assert!(!summary.contains("numbers its own lines"), "{summary}");
}

fn rows(count: usize, row: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..count).map(row).collect()
}

#[test]
fn errors_beside_data_are_told() {
    let edges = rows(
        150,
        |at| json!({"i": at, "title": words(at), "a": {"login": "x"}}),
    );
    let error = json!({
        "message": "Something went wrong while executing your query",
        "locations": [{"line": 2, "column": 3}], "path": ["search", "edges", 53],
        "extensions": {"code": "TIMEOUT"}
    });
    for count in [1, 3] {
        let errors = vec![error.clone(); count];
        let document = json!({
            "data": {"search": {"issueCount": 150, "pageInfo": {"hasNextPage": true, "endCursor": "x"}, "edges": edges}},
            "errors": errors
        });
        let summary = summary(&document.to_string());
        for part in ["Something went wrong", "TIMEOUT"] {
            assert!(
                summary.contains(part) || part == "TIMEOUT" && count == 1,
                "{part}: {summary}"
            );
        }
    }
}

#[test]
fn members_that_are_left_out_are_counted() {
    let member = |at: usize| {
        (
            format!("key_{at}"),
            if at.is_multiple_of(2) {
                json!(at)
            } else {
                json!(words(at))
            },
        )
    };
    let document: serde_json::Map<String, Value> = (0..400).map(member).collect();
    let summary = summary(&Value::Object(document).to_string());
    let told = summary
        .lines()
        .filter(|line| line.starts_with("key_"))
        .count();
    let more: usize = summary
        .lines()
        .filter_map(|line| {
            line.strip_prefix(" and ")?
                .split(' ')
                .next()?
                .parse::<usize>()
                .ok()
        })
        .sum();
    assert_eq!(told + more, 400, "{summary}");
}

#[test]
fn the_one_button_among_links() {
    let text = (0..400)
        .map(|at| match at {
            300 => "  - alert [ref=e300]: Payment failed\n".to_owned(),
            301 => "  - button \"Retry payment\" [disabled] [ref=e301]\n".to_owned(),
            at => format!("  - link \"{}\" [ref=e{}]\n", words(at), at * 7 % 1_000),
        })
        .collect::<String>();
    let summary = summary(&text);
    for part in ["Payment failed", "\"Retry payment\" disabled e301"] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
}

#[test]
fn numbers_in_strings_keep_their_range_beside_other_strings() {
    let document = rows(240, |at| {
        let total = match at {
            200 => "1000000.00".to_owned(),
            203 => "NaN".to_owned(),
            at => format!("{}.{:02}", 10 + at % 80, at % 100),
        };
        json!({"id": at, "total": total, "name": words(at)})
    });
    let summary = summary(&Value::Array(document).to_string());
    let part =
        r#"239 decimals "10.00".."89.79", but "1000000.00" at [200], 1 other ("NaN") at [203]"#;
    assert!(summary.contains(part), "{part}: {summary}");
}

#[test]
fn a_value_in_lists_of_some_rows_is_not_called_missing() {
    let document = rows(100, |at| {
        let author = json!({"name": words(at), "id": at});
        let author = if at % 3 == 0 {
            json!([author, author])
        } else {
            author
        };
        json!({"title": words(at * 3), "author": author})
    });
    let summary = summary(&Value::Array(document).to_string());
    assert!(!summary.contains("(missing)"), "{summary}");
    assert!(
        summary.contains("66 objects, 34 lists of 2, 68 in all"),
        "{summary}"
    );
}

#[test]
fn a_page_of_rows_begins_after_those_that_are_shown() {
    let wide = |at: usize| {
        let members = (0..40).map(|column| {
            (
                format!("column_{column}"),
                json!(format!("{} {at}", words(at + column))),
            )
        });
        Value::Object(members.collect())
    };
    let summary = summary(&Value::Array(rows(100, wide)).to_string());
    let shown = summary.lines().find_map(|line| {
        line.trim()
            .strip_prefix("first ")?
            .split(':')
            .next()?
            .parse::<usize>()
            .ok()
    });
    let from = summary
        .split("\"rows\":\"")
        .nth(1)
        .and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
    assert_eq!(from, Some(shown.unwrap_or(0)), "{summary}");
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
fn what_is_in_a_bad_state() {
    let section = |at: usize, state: &str| {
        let kept = words(at);
        format!("## Host {at}\n\n- **Owner:** {kept}\n- **Status:** {state}\n\n")
    };
    let page = |bad: &str| -> String {
        (0..90)
            .map(|at| section(at, if at == 57 { bad } else { "ok" }))
            .collect()
    };
    for (bad, shown) in [
        ("unreachable", "289: - **Status:** unreachable"),
        ("❌ failed", "289: - **Status:** ❌ failed"),
    ] {
        let summary = summary(&page(bad));
        assert!(summary.contains(shown), "{summary}");
    }
    let settings = |at: usize| format!("{}={}", words(at).replace(' ', ""), at % 7);
    for line in ["ActiveState=failed", "master_link_status:down"] {
        assert_found(&among(settings, line), line);
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
fn what_looks_like_commits_hits_or_paths_hides_no_failure() {
    let epoch = |at: usize| format!("17320939{:02} INFO {}", at % 100, words(at));
    let shortfile = |at: usize| format!("shop{}.go:{}: {}", at % 20, at + 7, words(at));
    let valid = |at: usize| format!("checking session/vendor_{at}.yaml ... valid");
    let tree = |at: usize| format!("│ ├── part-{at}@1.{at}.0");
    for (text, line) in [
        (
            among(epoch, "1732094891 ERROR dial tcp: connection refused"),
            "1732094891 ERROR dial tcp: connection refused",
        ),
        (
            among(
                shortfile,
                "ledger.go:88: error: dial tcp: connection refused",
            ),
            "ledger.go:88: error: dial tcp: connection refused",
        ),
        (
            among(valid, "checking session/tax.yaml ... FAILED"),
            "checking session/tax.yaml ... FAILED",
        ),
        (
            among(tree, "│ ├── UNMET DEPENDENCY react-dom@^18.2.0"),
            "│ ├── UNMET DEPENDENCY react-dom@^18.2.0",
        ),
    ] {
        assert_found(&text, line);
        let summary = summary(&text);
        for kind in [" commits", " paths"] {
            assert!(!summary.contains(kind), "{summary}");
        }
    }
}

#[test]
fn prose_that_wraps_before_a_word_of_failures_reports_none() {
    const WORDS: &str = "ledger order writer budget planner schema router queue chapter reader \
        parser index page editor signature record branch cluster mirror garden window harbour \
        letter bridge season village market river painter sailor teacher forest mountain island";
    let all: Vec<&str> = WORDS.split_whitespace().collect();
    let word = |at: usize| {
        let mixed = (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        all[mixed as usize % all.len()]
    };
    let line = |at: usize| {
        let [a, b, c, d] = [4 * at, 4 * at + 1, 4 * at + 2, 4 * at + 3].map(word);
        match at % 9 {
            4 => format!("error of the {a} that the {b} spends, which {c} and {d} rarely see."),
            2 => format!("Nobody asks the {a} or the {b}; only the {c} does. A {d} is not enough."),
            _ => format!("while the {a} of the {b} comes first, and the {c} follows every {d} of"),
        }
    };
    let text: String = (0..300).map(|at| line(at) + "\n").collect();
    let summary = summary(&text);
    assert!(!summary.contains("failure"), "{summary}");
}

#[test]
fn a_log_lasts_from_its_first_time_to_its_last() {
    let text: String = (0..300)
        .map(|at| {
            let level = if (100..140).contains(&at) {
                "Warning"
            } else {
                "System"
            };
            format!(
                "2026-11-20T{:02}:{:02}:00.1Z 58 [{level}] [Server] {}\n",
                9 + at / 60,
                at % 60,
                words(at)
            )
        })
        .collect();
    let told =
        "WARNING 40, none of these 260; from 2026-11-20T09:00:00.1Z to 2026-11-20T13:59:00.1Z";
    let summary = summary(&text);
    assert!(
        !summary.contains("levels") || summary.contains(told),
        "{summary}"
    );
}

#[test]
fn a_failure_among_hits_in_a_log() {
    let line = |at: usize, level: &str| {
        format!(
            "2026-11-20T08:{:02}:{:02}Z {level} order {at} is {}",
            at / 60,
            at % 60,
            words(at)
        )
    };
    let odd = line(151, "ERROR");
    let hits = |before: fn(usize) -> String| {
        among(|at| before(at) + &line(at, "INFO"), &(before(151) + &odd))
    };
    for before in [
        |at: usize| format!("app.log:{}:", at + 51),
        |at: usize| format!("logs/app.log-{}-", at + 51),
        |at: usize| format!("{}:", 3 * at + 51),
    ] {
        // Context has a hit beside it.
        let text = hits(before)
            .replacen("log-80-", "log:80:", 1)
            .replacen("log-90-", "log:90:", 1)
            .replacen("log-95-", "log:95:", 1);
        assert_found(&text, &(before(151) + &odd));
    }
    // The number before a time is no part of it.
    let summary = summary(&hits(|at| format!("{}:", 3 * at + 51)));
    assert!(
        summary.contains("from 2026-11-20T08:00:00Z to"),
        "{summary}"
    );
    // Failures were searched for: each is a hit.
    let text: String = (0..300)
        .map(|at| format!("app.log:{at}:{}\n", line(at, "ERROR")))
        .collect();
    let summary = self::summary(&text);
    assert!(
        summary.contains("300 lines found") && !summary.contains("failure"),
        "{summary}"
    );
}

#[test]
fn a_number_that_no_other_line_has() {
    type Line = fn(usize, u32) -> String;
    let lines: [Line; 5] = [
        |at, odd| {
            format!(
                "08:{:02}:{:02} INFO batch {at} done items={} errors={odd} rejected=0",
                at / 60,
                at % 60,
                at % 7
            )
        },
        |at, odd| {
            format!(
                "worker {at}: replicas=3 ready={} shard={}",
                3 - odd.min(1),
                at % 11
            )
        },
        |at, odd| format!("{{name: \"svc-{at}\", \"restarts\": {odd}, took: {at}ms"),
        |at, odd| format!("pool {at} {}: lost: {odd}", words(0)),
        |at, odd| format!("disk {at}: delta=-{odd} used={at}"),
    ];
    for line in lines {
        assert_found(&among(|at| line(at, 0), &line(151, 7)), &line(151, 7));
        // Where numbers differ, none of them is odd.
        let text: String = (0..300).map(|at| line(at, at as u32 % 5) + "\n").collect();
        let summary = summary(&text);
        assert!(!summary.contains("like few others"), "{summary}");
    }
}

#[test]
fn a_date_far_from_those_of_the_other_lines() {
    type Line = fn(usize, &str) -> String;
    let lines: [Line; 4] = [
        |at, date| {
            format!(
                "{}.example.org  issuer=R3  notAfter={date}  san={}",
                words(at),
                at % 4
            )
        },
        |at, date| format!("{} host-{at} expires=\"{date}\"", words(at)),
        |at, date| format!("host-{at} is up; renewed: {date}, by {}", words(at)),
        |at, date| format!("host-{at} R3 {date} in use"),
    ];
    for line in lines {
        let usual = |at: usize| line(at, &format!("2026-09-{:02}", 1 + at % 27));
        assert_found(
            &among(usual, &line(151, "2026-05-01")),
            &line(151, "2026-05-01"),
        );
        // Where dates are spread, none of them is odd.
        let spread = |at: usize| line(at, &format!("20{:02}-09-{:02}", 10 + at % 17, 1 + at % 27));
        let text: String = (0..300).map(|at| spread(at) + "\n").collect();
        let summary = summary(&text);
        assert!(!summary.contains("like few others"), "{summary}");
    }
    // The days of a log are in order.
    let day = |at: usize| format!("2026-09-{:02} {} by {at}", 1 + at / 290, words(at));
    let summary = summary(&(0..300).map(|at| day(at) + "\n").collect::<String>());
    assert!(!summary.contains("like few others"), "{summary}");
}

#[test]
fn a_word_under_a_key_that_no_other_line_has() {
    type Line = fn(usize, &str) -> String;
    let lines: [Line; 3] = [
        |at, state| {
            format!(
                "got {{\"service\": \"{}-{at}\", \"mode\": \"{state}\"}}",
                words(at)
            )
        },
        |at, state| format!("{} mode={state} shard {at}", words(at)),
        |at, state| format!("{} mode: {state}, shard {at}", words(at)),
    ];
    for line in lines {
        assert_found(
            &among(|at| line(at, "live"), &line(151, "drained")),
            &line(151, "drained"),
        );
    }
    // Sections of Markdown with equal fields.
    let sections: Vec<String> = (0..36)
        .map(|at| {
            let state = if at == 17 { "regressed" } else { "unresolved" };
            let users = if at == 24 { 48_123 } else { 10 + at * 7 % 30 };
            format!(
                "## {at}. [SHOP-{at}](https://tracker.example.com/issues/SHOP-{at})\n\n{}\n\n- **Status**: {state}\n- \
                 **Users**: {users}\n- **Culprit**: {}\n",
                words(at),
                words(at + 3)
            )
        })
        .collect();
    let summary = summary(&format!("# Issues in acme/shop\n\n{}", sections.join("\n")));
    for told in ["- **Status**: regressed", "- **Users**: 48123"] {
        assert!(summary.contains(told), "{summary}");
    }
    assert!(!summary.contains("unresolved"), "{summary}");
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
fn a_row_with_another_number_of_cells() {
    let line = |at: usize| format!("{at},{},{},{}", at * 7 % 50, at * 3 % 9, words(at));
    for odd in ["151,17,6", "151,17,6,page item,4"] {
        assert_found(&among(line, odd), odd);
    }
    // Commas in cells are none of the table's.
    let text: String = (0..300)
        .map(|at| {
            if at % 9 == 0 {
                format!("{},\"a, b\"\n", line(at))
            } else {
                line(at) + "\n"
            }
        })
        .collect();
    let summary = summary(&text);
    assert!(!summary.contains("like few others"), "{summary}");
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
fn a_request_that_failed_in_a_browser() {
    let line = |at: usize, status: &str| {
        let path = words(at).replace(' ', "/");
        format!("[GET] https://shop.example.com/{path}.js => {status}")
    };
    for status in ["[401] Unauthorized", "[503] Service Unavailable"] {
        let odd = line(151, status);
        let summary = summary(&among(|at| line(at, "[200] OK"), &odd));
        let told = format!("1 line that looks like a failure:\n152: {odd}");
        assert!(summary.contains(&told), "{summary}");
    }
    let summary = summary(&among(
        |at| line(at, "[200] OK"),
        &line(151, "[304] Not Modified"),
    ));
    assert!(!summary.contains("failure"), "{summary}");
}

#[test]
fn the_first_rows_of_a_report_by_weight() {
    let rows: String = (0..90)
        .map(|at| {
            let share = 31.4 / f64::from(at + 1);
            format!(
                "{share:>9.2}%  shopd  libc.so.6  [.] {}_{at}\n",
                words(at as usize).replace(' ', "_")
            )
        })
        .collect();
    let header = "# To display the header, use --header\n#\n# Samples: 81K of event 'cycles'\n#\n# Overhead  Command  Symbol\n#\n";
    let summary = summary(&format!("{header}{rows}"));
    let first = rows.lines().next().unwrap_or_default();
    assert!(summary.contains(&format!("7: {first}")), "{summary}");
    assert!(!summary.contains("To display"), "{summary}");
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
fn a_state_in_a_table_of_a_page() {
    let row = |at: usize| match at {
        133 => "<tr><td>job-133</td><td><span class=\"s\">failed</span></td></tr>\n".to_owned(),
        at => format!("<tr><td>job-{at}</td><td>ok</td></tr>\n"),
    };
    let rows: String = (0..300).map(row).collect();
    let text = format!(
        "<!DOCTYPE html><html><head><title>Jobs</title></head><body><table><tr><th>Job</th><th>State</th></tr>{rows}</table></body></html>"
    );
    let told = summary(&text);
    assert!(told.contains("row 135: job-133 | failed\n"), "{told}");
    let told = summary(&text.replace(">ok<", ">failed<"));
    assert!(!told.contains("row 135"), "{told}");
}

#[test]
fn rows_that_number_themselves_are_no_numbered_lines() {
    let text: String = (1..300)
        .map(|at| format!("{at}|{}|{at}.5\n", words(at)))
        .collect();
    let summary = summary(&text);
    assert!(
        summary.contains(&format!("1: 1|{}|1.5", words(1))),
        "{summary}"
    );
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

#[test]
fn a_cross_after_a_time_marks_a_failure() {
    let time = |at: usize| format!("12:{:02}:{:02}", at / 60, at % 60);
    for cross in ["❌", "✗", "✘", "✖", "✕"] {
        for before in [
            format!("{} ", time(151)),
            format!("[{}] ", time(151)),
            format!("2026-05-20T{}.123Z ", time(151)),
            format!("2026-05-20 {} INFO [deploy] ", time(151)),
        ] {
            let odd = format!("{before}{cross} {} is not there", words(151));
            let line =
                |at: usize| format!("{} ✓ {}", before.replace("12:02:31", &time(at)), words(at));
            let text = among(line, &odd);
            let summary = summary(&text);
            let told = format!("1 line that looks like a failure:\n152: {odd}\n");
            assert!(summary.contains(&told), "{told:?} is not shown:\n{summary}");
        }
    }
    // A sign among words is one of them.
    for odd in [
        "12:02:31 page ❌ item is not there",
        "12:02 ✗ 3 pages of the item",
        // Nothing failed.
        "12:02:31 INFO [lint] ✖ 0 problems (0 errors and 0 warnings)",
        "12:02:31 INFO [lint] ✖ 0 errors",
        "12:02:31 ❌ Skipped (no page has it)",
    ] {
        let text = among(|at| format!("{} {}", time(at), words(at)), odd);
        let summary = summary(&text);
        assert!(!summary.contains("looks like a failure"), "{summary}");
    }
    for odd in [
        "12:02:31 ✖ 0 of 3 pages are ready",
        "12:02:31 ✖ 0 errors, 3 failed",
        "12:02:31 ✖ skipped pages are not read",
    ] {
        let text = among(|at| format!("{} {}", time(at), words(at)), odd);
        let summary = summary(&text);
        assert!(summary.contains("looks like a failure"), "{summary}");
    }
}

#[test]
fn a_cross_before_a_count_of_zero_marks_no_failure() {
    for (odd, is_failure) in [
        ("✖ 0 errors and 0 warnings", false),
        ("  ✗ 0 failed, 12 passed", false),
        ("✖ 0 problems (0 errors, 0 warnings)", false),
        ("✗ 0", false),
        ("✗ Skipped (no page has it)", false),
        ("✗ not selected: item", false),
        ("✖ 0 errors, 2 failed", true),
        ("✖ 3 problems (0 errors, 3 warnings)", true),
        ("✗ 0 pages of an item", true),
        ("✗ skipped pages are not read", true),
        ("✗ not selected pages are read", true),
    ] {
        let summary = summary(&among(|at| format!("page {at} {}", words(at)), odd));
        let is_told = summary.contains("looks like a failure");
        assert_eq!(is_told, is_failure, "{odd}: {summary}");
    }
}

#[test]
fn crosses_of_a_matrix_are_no_failures() {
    let mark = |is: bool| if is { '✓' } else { '✗' };
    let row = |at: usize, first: bool| {
        let others = [mark(at % 3 == 1), mark(at % 2 == 1)];
        format!(
            "{} {} {}  {}\n",
            mark(first),
            others[0],
            others[1],
            words(at)
        )
    };
    let matrix: String = (0..200).map(|at| row(at, at % 5 < 3)).collect();
    let told = summary(&matrix);
    assert!(!told.contains("look like failures"), "{told}");
    // Where few have a cross, and in a report of tests, each is one.
    let few: String = (0..200).map(|at| row(at, at % 50 != 7)).collect();
    let told = summary(&few);
    assert!(
        told.contains("4 lines that look like failures:\n8: ✗"),
        "{told}"
    );
    let report: String = (0..200)
        .map(|at| format!("  {} {}\n", mark(at % 5 > 3), words(at)))
        .collect();
    let told = summary(&report);
    assert!(told.contains("160 lines that look like failures"), "{told}");
}

#[test]
fn parameters_and_their_types_are_no_failures() {
    let code = |odd: &str| {
        let line = |at: usize| match at % 40 {
            13 => format!("{}-{odd}", 5_000 + at),
            _ => format!("{}:    def add_{at}(self, amount):", 5_000 + at),
        };
        (0..300).map(|at| line(at) + "\n").collect::<String>()
    };
    for odd in [
        "    exception: BaseException,",
        "    error: str = \"\",",
        "    errors: list[str] | None,",
        "    failure: Optional[str])",
        "    def __post_init__(self, encoding: str, errors: str) -> None:",
        "    def exception(self, exception: BaseException) -> None:",
        "def _load_exceptions() -> dict[type[Exception], type[httpx.HTTPError]]:",
    ] {
        let told = summary(&code(odd));
        assert!(!told.contains("like a failure"), "{odd}:\n{told}");
        assert!(!told.contains("like failures"), "{odd}:\n{told}");
        let rows = (0..160).map(|at| match at {
            31 => json!({"at": at, "line": odd}),
            _ => json!({"at": at, "line": format!("    def add_{at}(self, amount, of_the_order, and_its_book):")}),
        });
        let told = summary(&Value::Array(rows.collect()).to_string());
        assert!(!told.contains("like errors"), "{odd}:\n{told}");
        assert!(!told.contains("like an error"), "{odd}:\n{told}");
    }
    for odd in [
        "error: string expected",
        "error: timeout, the order is lost",
        "errors: strange, the order is lost",
        "exception: BaseException",
        "define: failed, error: none of them is there",
        "default app error: str, the order is lost",
    ] {
        assert_found(&among(words, odd), odd);
    }
}

#[test]
fn what_a_program_exits_with_under_a_condition_is_no_failure() {
    for line in [
        "Exit with non-zero code (1) if there are any hints.",
        "It exits with code 2 when the list of parts is empty.",
    ] {
        let page: String = (0..240)
            .map(|at| {
                format!(
                    "## The option {at}\n\nIt sets the {} of the page.\n\n",
                    words(at)
                )
            })
            .collect();
        let told = summary(&format!("# Options\n\n{page}{line}\n"));
        assert!(!told.contains("like a failure"), "{line}:\n{told}");
    }
    for line in [
        "the step exited with code 2 if that says anything",
        "make: the recipe failed with exit code 1 when it ran the tests",
        "exit status 3 when the tests ran",
        "the step ended with exit code 4 when it ran the tests",
        "exit with code 1",
    ] {
        assert_found(&among(words, line), line);
        let told = summary(&among(words, line));
        assert!(told.contains("looks like a failure"), "{line}:\n{told}");
    }
}

#[test]
fn levels_of_lints_are_no_levels_of_a_log() {
    let lints = (0..66).map(|at| match at % 6 {
        0 => format!("lint_number_{at}_of_the_list_of_all_lints_that_count = \"deny\"\n"),
        1 => format!("lint_number_{at}_of_the_list_of = {{ level = \"warn\", priority = -1 }}\n"),
        _ => format!("lint_number_{at}_of_the_list_of_all_lints_that_count = \"warn\"\n"),
    });
    let told = summary(&format!(
        "[workspace.lints.clippy]\n{}",
        lints.collect::<String>()
    ));
    assert!(!told.contains("levels:"), "{told}");
}

#[test]
fn members_that_say_what_is_wrong_come_first() {
    let rows = |of: Value| {
        let row = |at: usize| {
            let mut row = json!({"client": format!("10.1.0.9:{}", 50_000 + at), "packets": at % 7, "syn": 2 + usize::from(at == 55),
                "ack": usize::from(at != 55), "rst": usize::from(at == 55), "fin": usize::from(at != 55), "kept": usize::from(at == 55),
                "why": if at == 55 { "reset" } else { "active" }, "state": if at == 55 { "closed" } else { "active" }});
            let (row_of, of) = (row.as_object_mut(), of.as_object().cloned());
            if let (Some(row), Some(of)) = (row_of, of) {
                row.extend(of);
            }
            row
        };
        (0..160).map(row).collect::<Vec<_>>()
    };
    let text = json!({
        "file": "/srv/data/network/captures/of/the/day/net.pcap",
        "analysed": "2026-11-28T09:03:57.728739",
        "total_packets": 1399,
        "packets_found": 399,
        "filter": {"server_ip": null, "server_port": null},
        "summary": {"total": 80, "good_handshakes": 0, "failed_handshakes": 80, "reset": 1, "checksum_errors": 0, "normal": 79},
        "issues": ["1 connection that ended early", "80 handshakes without an end"],
        "problems": [],
        "missing": null,
        "connections": rows(json!({"handshake_completed": false})),
    });
    let told = summary(&text.to_string());
    for part in [
        "summary.failed_handshakes: 80\n",
        "issues: [\"1 connection that ended early\",\"80 handshakes without an end\"]",
        " constant: handshake_completed=false\n",
    ] {
        assert!(told.contains(part), "{part:?} is not told:\n{told}");
    }
    for part in ["problems", "missing", "checksum_errors"] {
        assert!(!told.contains(part), "{part:?} is told:\n{told}");
    }
    for flag in ["ok", "healthy", "isReady", "valid", "success"] {
        let of = |value: bool| summary(&json!(rows(json!({ flag: value }))).to_string());
        let (bad, good) = (of(false), of(true));
        assert!(bad.contains(&format!(" constant: {flag}=false\n")), "{bad}");
        assert!(
            !good.contains(&format!("\n constant: {flag}=true\n {}", "state")),
            "{good}"
        );
    }
}

#[test]
fn a_page_of_many_headings_is_told_by_its_records() {
    let task = |at: usize| {
        let more = if at == 33 {
            " BLOCKED by the legal department."
        } else {
            ""
        };
        format!(
            "### Migrate module {at}\n\n**ID:** `{}`\n\n**Description:** Move module {at} to the new build.{more}\n\n\n\n**Dependencies:** none\n\n**Creation Time:** Sun Nov 29 2026\n\n\n",
            words(at).replace(' ', "-")
        )
    };
    let tasks: String = (0..60).map(task).collect();
    let told = summary(&format!(
        "\n# Dashboard\n\n## Status\n\n- **pending**: 59 tasks\n- **active**: 1 task\n\n{tasks}"
    ));
    for expected in [
        "62 headings:\n",
        ": - **pending**: 59 tasks\n",
        "BLOCKED by the legal department.\n",
        "(60 such headings)\n",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

#[test]
fn code_that_mentions_a_failure_is_none() {
    let symbol = |at: usize| {
        format!(
            "s,lib/a.js::f{at}#function,f{at},function,function f{at}(),{at},{at},,{}\n",
            if at == 9 { "request aborted" } else { "a step" }
        )
    };
    let outline: String = (0..60).map(symbol).collect();
    let applied = Bench::<Summary>::new("{}").apply(&format!("#TOOL/1 file=lib/a.js\n\n{outline}"));
    assert!(!applied.changed, "{}", applied.text());
    let found = |at: usize| {
        let name = words(at).replace(' ', "_");
        format!(
            "  {{\n    \"text\": \"function {name}() {{\\n  let err = new Error('Request aborted');\\n  callback(err);\\n}}\",\n    \"line\": {at}\n  }},\n"
        )
    };
    let matches: String = (0..200).map(found).collect();
    let told = summary(&format!("Found 200 matches.\n\nMatches:\n[\n{matches}]\n"));
    assert!(
        !told.contains("like a failure") && !told.contains("like failures"),
        "{told}"
    );
}

#[test]
fn a_long_line_is_shown_with_the_part_that_others_lack() {
    let sentence = |at: usize| {
        format!(
            "In chapter {} part {} we describe how to mount unit {at}. Tighten the bolts with {} Nm and check the level. ",
            at / 7,
            at % 7,
            at % 9
        )
    };
    let line = |at: usize| {
        let own = if at == 41 {
            "Warning: never open the valve under pressure. "
        } else {
            ""
        };
        format!("{}{own}{}\n", sentence(at).repeat(3), sentence(at))
    };
    let told = summary(&(0..90).map(line).collect::<String>());
    assert!(
        told.contains("Warning: never open the valve under pressure."),
        "{told}"
    );
}
