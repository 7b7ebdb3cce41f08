//! Failures in logs: without levels, and among lines of one form.

use summary::Summary;
use tamis_sdk::testing::Bench;

use crate::{among, assert_found, summary, words};

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
