//! What tools say of failures in forms of their own is told first, and what passed, or was ignored, is no failure.

mod linters;
mod plays;
mod test_runs;

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

/// Texts of a page stand between tags.
#[test]
fn a_failure_in_the_text_of_a_page_is_told() {
    let rest: String = (0..160)
        .map(|at| format!("<p>Words of paragraph {at}, at some length to fill the page.</p>\n"))
        .collect();
    let page =
        |failure: &str| format!("<!DOCTYPE html><html><body>\n{failure}\n{rest}</body></html>");
    for (failure, told) in [
        (
            "<p class=err>ERROR: settlement failed</p><p>Words</p>",
            "ERROR: settlement failed",
        ),
        (
            "<div>Traceback (most recent call last):<br>ValueError: lost</div>",
            "ValueError: lost",
        ),
        (
            "<li>Build 37</li><li>FAILED: lint step</li>",
            "FAILED: lint step",
        ),
    ] {
        assert_failures(&page(failure), &[&format!("2: {told}")]);
    }
    assert_no_failure(&page(
        "<p title='ERROR: x'>FAILED</p><!-- nothing --><p>Words</p>",
    ));
}
