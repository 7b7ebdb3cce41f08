//! Texts with a random mix of lines of several kinds.

use super::Family;
use super::chance::Chance;

const FOLDERS: [&str; 7] = [
    "src",
    "src/app",
    "/srv/app/src",
    "tests",
    "node_modules/lib",
    "a b",
    "C:\\work\\src",
];
const ENDINGS: [&str; 8] = [".rs", ".py", ".ts", ".java", ".go", "", ".tar.gz", ".MD"];
const LEVELS: [&str; 10] = [
    "INFO",
    "WARN",
    "ERROR",
    "DEBUG",
    "[info]",
    "level=warn",
    "TRACE",
    "NOTICE",
    "info:",
    "[ERROR]",
];

fn path(chance: &mut Chance) -> String {
    format!(
        "{}/part_{}{}",
        chance.pick(&FOLDERS),
        chance.below(12),
        chance.pick(&ENDINGS)
    )
}

/// A line of one kind; `at` is its number.
type Line = fn(&mut Chance, usize) -> String;

const LINES: [(&str, Line); 22] = [
    ("words", |chance, _| {
        let count = chance.between(1, 14);
        chance.words(count)
    }),
    ("sentences", |chance, _| {
        let count = chance.between(4, 12);
        format!("This {} of it.", chance.words(count))
    }),
    ("log", |chance, at| {
        format!(
            "2026-03-02T10:{:02}:{:02}Z {} {} - {}",
            at / 60 % 60,
            at % 60,
            LEVELS[if chance.one_of(9) {
                chance.below(10)
            } else {
                0
            }],
            chance.pick(&["api", "db.pool", "scheduler"]),
            ["request served in 3 ms", "tick", "lease kept"][chance.below(3)]
        )
    }),
    ("steps", |chance, at| {
        format!(
            "step {at}/400: copied part-{at}.parquet ({} KB)",
            chance.below(90)
        )
    }),
    ("paths", |chance, _| path(chance)),
    ("marked paths", |chance, _| {
        format!(
            "{} {}",
            chance.pick(&["[DIR]", "[FILE]", "M ", "??", "A "]),
            path(chance)
        )
    }),
    ("hits", |chance, at| {
        format!(
            "{}:{}: let {} = open({at});",
            path(chance),
            chance.between(1, 900),
            chance.words(1)
        )
    }),
    ("counts", |chance, at| {
        format!("src/part_{at}.rs:{}", chance.below(30))
    }),
    ("reports", |chance, _| {
        format!(
            "{}:{}:{}: {} {}",
            path(chance),
            chance.between(1, 90),
            chance.between(1, 40),
            chance.pick(&[
                "error:",
                "warning:",
                "note:",
                "E501",
                "error TS2322:",
                "info"
            ]),
            chance.words(5)
        )
    }),
    ("rows", |chance, at| {
        format!(
            "| {at} | {} | {} | {}.5 |",
            chance.words(1),
            chance.words(2),
            chance.below(90)
        )
    }),
    ("commas", |chance, at| {
        format!(
            "{at},{},\"{}\",{}",
            chance.words(1),
            chance.words(2),
            chance.below(900)
        )
    }),
    ("columns", |chance, at| {
        format!(
            "{:<14}{:<10}{:>6}  {}",
            format!("pod-{at}"),
            "1/1",
            at % 90,
            chance.pick(&["Running", "Pending", "CrashLoopBackOff"])
        )
    }),
    ("settings", |chance, _| {
        format!(
            "{}.{} = {}",
            chance.words(1),
            chance.words(1),
            chance.below(10)
        )
    }),
    ("code", |chance, at| {
        let indent = " ".repeat(4 * chance.below(4));
        let starts = [
            "fn", "pub fn", "def", "class", "let", "return", "if", "import", "function", "}",
        ];
        format!(
            "{indent}{} thing_{at}({}) {{",
            starts[chance.below(10)],
            chance.words(1)
        )
    }),
    ("markdown", |chance, at| match chance.below(6) {
        0 => format!("{} Part {at}", "#".repeat(chance.between(1, 4))),
        1 => format!("- {}", chance.words(5)),
        2 => "```".to_owned(),
        3 => String::new(),
        4 => format!("{at}. {}", chance.words(4)),
        _ => chance.words(12),
    }),
    ("diff", |chance, at| match chance.below(9) {
        0 => format!(
            "diff --git a/src/f{at}.rs b/src/f{at}.rs\n--- a/src/f{at}.rs\n+++ b/src/f{at}.rs"
        ),
        1 => format!("@@ -{at},3 +{at},4 @@ fn part_{at}()"),
        2 | 3 => format!("-{}", chance.words(4)),
        4 | 5 => format!("+{}", chance.words(4)),
        _ => format!(" {}", chance.words(4)),
    }),
    ("commits", |chance, at| match chance.below(3) {
        0 => format!(
            "commit {:040x}\nAuthor: {} <a@example.com>\nDate:   Sun Nov 22 18:{:02}:25 2026 +0000\n\n    {}\n",
            at + (1 << 28),
            chance.words(1),
            at % 60,
            chance.words(5)
        ),
        1 => format!("{:07x} {}", at + (1 << 25), chance.words(6)),
        _ => format!(" src/f{at}.rs | {} ++--", chance.below(40)),
    }),
    ("tests", |chance, at| {
        let outcome = if chance.one_of(15) {
            "FAILED"
        } else {
            "PASSED"
        };
        match chance.below(3) {
            0 => format!("tests/test_{}.py::test_{at} {outcome}", at % 4),
            1 => format!(
                "test part::of_{at} ... {}",
                if outcome == "FAILED" { "FAILED" } else { "ok" }
            ),
            _ => format!(
                "{} {at} - does it",
                if outcome == "FAILED" { "not ok" } else { "ok" }
            ),
        }
    }),
    ("snapshot", |chance, at| {
        format!(
            "{}- {} \"{} {}\" [ref=e{at}]",
            "  ".repeat(chance.below(4)),
            chance.pick(&["button", "link", "heading", "textbox", "article", "img"]),
            chance.pick(&["Item", "Add to cart", "Details"]),
            chance.below(30)
        )
    }),
    ("listing", |chance, at| {
        format!(
            "{}  3 root root {:>5} Nov 22 20:00 {}",
            chance.pick(&["drwxr-xr-x", "-rw-r--r--", "lrwxrwxrwx"]),
            at * 11,
            ["file", "folder"][at % 2].to_owned() + &at.to_string()
        )
    }),
    ("tree", |chance, at| {
        format!(
            "{}\u{251c}\u{2500}\u{2500} {}_{at}{}",
            "\u{2502}   ".repeat(chance.below(3)),
            chance.pick(&["part", "file"]),
            chance.pick(&["", ".rs"])
        )
    }),
    ("numbered", |chance, at| {
        format!("{:>5}\t{}", at + 1, chance.words(6))
    }),
];

/// Lines that stand out, or nearly: each with the lines that follow it.
const RARE: [&str; 46] = [
    "Traceback (most recent call last):\n  File \"/srv/app/pay.py\", line 88, in settle\n    post(order)\n  File \"/usr/lib/python3.12/site-packages/x.py\", line 4, in call\n    raise\nValueError: amount must be positive, got -4",
    "During handling of the above exception, another exception occurred:\n\nKeyError: 'id'",
    "Exception in thread \"main\" org.example.DataException: could not execute\n\tat com.example.shop.Refunds.refund(Refunds.java:88)\n\tat org.springframework.web.Filter.call(Filter.java:1)\nCaused by: org.postgresql.util.PSQLException: ERROR: duplicate key\n\t... 61 more",
    "TypeError: x is not a function\n    at settle (/srv/app/pay.js:31:7)\n    at node:internal/modules/run:12:3",
    "thread 'main' panicked at src/pay.rs:9:5:\nassertion `left == right` failed\n  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1`",
    "panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.settle(0x1)\n\t/srv/app/pay.go:31 +0x1d",
    "error[E0308]: mismatched types\n  --> src/report.rs:57:31\n   |\n57 |     let total: Decimal = sum(&rows);\n   |                          ^^^^ expected `Decimal`, found `f64`",
    "warning: unused variable: `tmp`\n  --> src/batch.rs:21:9\n   |\n21 |     let tmp = 1;\n   |         ^^^ help: prefix it",
    "/srv/app/src/facts.js\n  12:17  error  'document' is not defined  no-undef\n  14:1  warning  No magic number: 0  no-magic-numbers\n\n\u{2716} 2 problems (1 error, 1 warning)",
    "src/pay.c:31:7: error: expected ';' before 'return'\n   31 |   x\n      |   ^",
    "Main.java:12: error: cannot find symbol",
    "npm ERR! code ELIFECYCLE",
    "make: *** [Makefile:3: all] Error 2",
    "Error: Process completed with exit code 2.",
    "Command exited with code 137",
    "Segmentation fault (core dumped)",
    "--- FAIL: TestRefund (0.00s)\n    pay_test.go:31: expected 409, got 200\nFAIL\texample.com/shop\t0.1s",
    "  \u{25cf} Cart \u{203a} refunds twice\n\n    Expected: 409\n    Received: 200\n\nTests:       1 failed, 200 passed, 201 total",
    "=== FAILURES ===\n>       assert r.status == 409\nE       assert 200 == 409\n\ntests/test_pay.py:31: AssertionError\n=== 1 failed, 180 passed in 4.1s ===",
    "test result: FAILED. 200 passed; 1 failed",
    "BUILD FAILED in 3s",
    "fatal: not a git repository",
    "curl: (7) Failed to connect to localhost port 80",
    "HTTP 503 Service Unavailable",
    "\"GET /orders HTTP/1.1\" 500 12",
    "Killed",
    "panic!",
    "0 errors, 0 warnings",
    "errors: none",
    "no error was found",
    "error_count = 0",
    "see error.log for more",
    "failed: 0",
    "status=error code=5",
    "{\"level\":\"error\",\"msg\":\"no disk\"}",
    "[ERROR] no disk",
    "<error>no disk</error>",
    "java.lang.IllegalStateException",
    "an Error: occurred::here",
    "CRITICAL out of memory",
    "the cache is stale, rebuilding the index now",
    "    deep inside of something else",
    "===========",
    "\u{1b}[31mred alert\u{1b}[0m",
    "password = hunter2",
    "",
];

/// Lines of up to two kinds, and some that stand out.
fn lines(chance: &mut Chance, first: usize) -> String {
    let count = [40, 70, 120, 220, 400][chance.below(5)];
    let second = chance.below(LINES.len());
    let seconds = [0, 0, 3, 10, 40][chance.below(5)];
    let rare = [0, 1, 2, 4, 12][chance.below(5)];
    let mut text = String::new();
    for at in 0..count {
        let kind = if chance.below(100) < seconds {
            second
        } else {
            first
        };
        if chance.below(count) < rare {
            text.push_str(RARE[chance.below(RARE.len())]);
        } else {
            text.push_str(&LINES[kind].1(chance, at));
        }
        text.push_str(if chance.one_of(60) { "\n\n" } else { "\n" });
    }
    if chance.one_of(3) {
        text.pop();
    }
    text
}

/// Many failures of few kinds.
fn failures(chance: &mut Chance) -> String {
    let kinds = chance.between(1, 5);
    let from = chance.below(RARE.len() - kinds);
    let count = chance.between(12, 60);
    let mut text = String::new();
    for at in 0..count {
        let failure = RARE[from + chance.below(kinds)];
        text.push_str(&failure.replace("31", &(at * 3 + 1).to_string()));
        text.push('\n');
        if chance.one_of(2) {
            text.push_str(&LINES[chance.below(5)].1(chance, at));
            text.push('\n');
        }
    }
    text
}

fn page(chance: &mut Chance) -> String {
    let count = chance.between(10, 60);
    let mut body = String::new();
    for at in 0..count {
        let words = chance.words(4);
        body.push_str(&match chance.below(9) {
            0 => format!("<h{0}>{words}</h{0}>\n", chance.between(1, 4)),
            1 => format!("<a href=\"/item/{at}\">{words}</a> "),
            2 => format!("<table><tr><th>Id</th><th>{words}</th></tr><tr><td>{at}</td><td>x</td></tr></table>"),
            3 => format!("<form><input name=\"q{at}\"><button type='submit'>{words}</button></form>"),
            4 => format!("<script>var a{at} = '<b>';</script>"),
            5 => format!("<ul><li>{words}</li><li class=x>{at}</li></ul>"),
            6 => format!("<!-- {words} -->"),
            _ => format!("<p>{words} <b>{at}</b> &amp; {words}</p>\n"),
        });
    }
    let title = chance.words(3);
    match chance.below(4) {
        0 => format!(
            "<?xml version=\"1.0\"?>\n<feed>{}</feed>",
            body.replace("<b>", "").replace("</b>", "")
        ),
        1 => format!("<html><body>{body}</body></html>"),
        _ => format!(
            "<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>"
        ),
    }
}

pub const FAMILIES: &[Family] = &[
    ("lines of each kind, and others among them", 0..=1319, |n| {
        lines(&mut Chance::of(10_000 + n), n % LINES.len())
    }),
    ("failures", 0..=319, |n| {
        failures(&mut Chance::of(20_000 + n))
    }),
    ("pages", 0..=159, |n| page(&mut Chance::of(30_000 + n))),
    ("lines of three kinds, one after the other", 0..=119, |n| {
        let mut chance = Chance::of(40_000 + n);
        let kinds: Vec<usize> = (0..3).map(|_| chance.below(LINES.len())).collect();
        kinds
            .into_iter()
            .map(|kind| lines(&mut chance, kind))
            .collect()
    }),
];
