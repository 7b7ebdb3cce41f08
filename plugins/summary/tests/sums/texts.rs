//! Kinds of texts.

use super::Family;

/// `count` lines that `line` writes.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| line(at) + "\n").collect()
}

/// A line of words of no known kind.
fn words(at: usize) -> String {
    let first = [
        "apples", "pears", "plums", "figs", "dates", "limes", "kiwis", "grapes", "nuts", "mint",
        "rye",
    ];
    format!(
        "{} and so on {} for the rest of it",
        first[(at * 7) % 11],
        at * at
    )
}

/// 60 lines of words, of which `other` writes `n`.
fn among(n: usize, other: impl Fn(usize) -> String) -> String {
    lines(60, |at| {
        if at % 3 == 1 && at / 3 < n {
            other(at)
        } else {
            words(at)
        }
    })
}

pub const FAMILIES: &[Family] = &[
    ("one line of n times 200 characters", 4..=24, |n| {
        "word after word, ok ".repeat(n * 10)
    }),
    ("n long lines", 1..=14, |n| {
        lines(n, |at| {
            format!("{at} {}", "words of a line ".repeat(100 / n + 3))
        })
    }),
    ("n times 10 lines of words", 1..=20, |n| {
        lines(n * 10, words)
    }),
    (
        "n times 10 lines that begin with one of n words",
        1..=14,
        |n| {
            lines(n * 10, |at| {
                format!(
                    "{} some more text {}",
                    [
                        "get", "put: x", "- new", "cut=1", "list(", "go", "try", "up", "in", "on"
                    ][at % n.min(10)],
                    "abc".repeat(at % 7)
                )
            })
        },
    ),
    ("n different lines, over and over", 1..=9, |n| {
        lines(80, |at| {
            format!(
                "step {at} of kind {} is done {}",
                "abcdefghij".get(at % n..=at % n).unwrap_or(""),
                "and more ".repeat(at % n)
            )
        })
    }),
    ("errors of n sorts", 0..=20, |n| {
        let sorts = [
            "ERROR it failed",
            "error: no such file",
            "it has failed 3 times",
            "x panicked at y",
            "ValueError: bad",
            "a.Exception: no",
            "error[E0425]: no",
            "[error] stop",
            "level=error msg",
            "errors were found",
            "Fatal end",
            "an error occurred",
            "no_error: fine",
            "error.log: read",
            "0 errors",
            "Errors: 3",
            "critical",
            "FAILURE",
            "traceback",
            "panic!",
        ];
        among(n, |at| format!("{} {at}", sorts[(at / 3) % 20]))
    }),
    ("n lines with a level", 0..=20, |n| {
        among(n, |at| {
            let level = [
                "INFO",
                "WARN",
                "ERROR",
                "DEBUG",
                "[info]",
                "level=warn",
                "TRACE",
                "NOTICE",
            ][at % 8];
            format!(
                "2025-01-02 {level} api - request {at} served in {} ms",
                at * 3
            )
        })
    }),
    ("levels far into a line", 0..=6, |n| {
        lines(40, |at| format!("{} INFO it is {at}", "x".repeat(112 + n)))
    }),
    ("n lines of places", 0..=20, |n| {
        lines(40, |at| {
            if at < 2 * n {
                format!("src/part_{}.rs:{}:  let x;", at / 5, at * 3 + 1)
            } else {
                words(at)
            }
        })
    }),
    ("n lines of paths", 0..=20, |n| {
        lines(40, |at| {
            if at < 40 - n / 3 {
                format!(
                    "/srv/app/{}/file{at}.{}",
                    ["src", "src/a", "src/b", "doc"][at % 4],
                    ["rs", "md", "x y"][at % 3]
                )
            } else {
                words(at)
            }
        })
    }),
    ("n times 3 paths in one folder", 1..=20, |n| {
        lines(n * 3, |at| {
            format!(
                "src/modules/of/the/whole/thing/file_number_{at}{}",
                ["", ".rs", ".tar.gz"][at % 3]
            )
        })
    }),
    ("paths in n folders", 1..=24, |n| {
        lines(120, |at| {
            format!("folder {}/inside {}/file {at}.txt", at % n, at % (n * 2))
        })
    }),
    ("a diff of n files", 0..=24, |n| {
        lines(n, |at| {
            format!(
                "diff --git a/src/f{at}.rs b/src/f{at}.rs\nindex 1..2 100644\n--- a/src/f{at}.rs\n+++ b/src/f{at}.rs\n@@ -1,3 +1,4 @@\n context\n-old {at}\n+new {at}\n{}",
                "+another\n".repeat(at % 4)
            )
        }) + &lines(20, words)
    }),
    ("a diff of n files without their headers", 0..=24, |n| {
        lines(n, |at| {
            format!(
                "--- a/src/f{at}.rs\told\n+++ b/src/f{at}.rs\tnew\n@@ -1,3 +1,4 @@\n context\n-old {at}\n+new {at}\n{}",
                "-gone\n".repeat(at % 4)
            )
        }) + &lines(20, words)
    }),
    ("n headings", 0..=24, |n| {
        lines(n, |at| {
            format!("{} Part {at}\n\n{}\n", "#".repeat(1 + at % 7), words(at))
        }) + &lines(30, words)
    }),
    ("n headings in a fence", 0..=12, |n| {
        lines(n, |at| format!("# Part {at}"))
            + "```\n"
            + &lines(n, |at| format!("# not {at}"))
            + "~~~\n"
            + &lines(40, words)
    }),
    ("n definitions", 0..=24, |n| {
        let before = [
            "fn",
            "pub fn",
            "def",
            "class",
            "  async def",
            "export function",
            "    private static class",
            "            fn",
            "impl",
            "type",
        ];
        lines(n, |at| {
            format!("{} thing_{at}(x) {{\n    body {at}\n}}", before[at % 10])
        }) + &lines(30, words)
    }),
    ("n definitions with numbers before them", 0..=12, |n| {
        lines(40, |at| {
            let mark = ["→", ":", " |", "\t"][at % 4];
            let text = if at < n {
                format!("fn step_{at}()")
            } else {
                words(at)
            };
            format!("{:>4}{mark} {text}", at + 1)
        })
    }),
    ("lines with blanks and signs", 0..=12, |n| {
        lines(50, |at| match at % (n + 2) {
            0 => String::new(),
            1 => "   \t ".to_owned(),
            2 => "é🦀 ".repeat(40),
            3 => "\u{7}bell \u{1b}[1mbold\u{1b}[0m".to_owned(),
            _ => format!("  {}", words(at)),
        })
    }),
    ("a text of n characters about the limit", 0..=12, |n| {
        let limit = [1000, 2500, 6000, 500][n % 4];
        format!("{}{}", "é".repeat(n % 3), "a b c d e ".repeat(700))
            .chars()
            .take(limit + n / 2 - 3)
            .collect()
    }),
    ("a last line about as long as is shown", 0..=19, |n| {
        let cell = [10, 24, 25, 60, 200][n % 5];
        format!(
            "{}\n{}",
            "words of a line ".repeat(500),
            "x".repeat(8 * cell + n / 5 - 1)
        )
    }),
];
