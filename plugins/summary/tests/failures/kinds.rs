//! A line of a program that failed is shown in each kind of text, wherever it stands.

use crate::{among, summary, words};
use summary::Summary;
use tamis_sdk::testing::Bench;

/// What programs say, each line with the words that must be shown.
const FAILURES: [&str; 14] = [
    "Error from server (NotFound): pods \"web\" not found",
    "Unable to connect to the server: dial tcp 10.0.0.1:443: i/o timeout",
    "Error response from daemon: No such container: web",
    "npm ERR! code E404",
    "FATAL: role \"ada\" does not exist",
    "psql: error: connection to server at \"db\" failed",
    "panic: runtime error: index out of range [5] with length 3",
    "fatal: not a git repository",
    "cat: /etc/shadow: Permission denied",
    "bash: terrafrom: command not found",
    "ssh: connect to host db port 22: Connection refused",
    "An error occurred (AccessDenied) when calling the ListBuckets operation: no",
    "rpc error: code = Unavailable desc = no",
    "Killed",
];

/// A text of each kind, in lines.
fn kinds() -> Vec<(&'static str, Vec<String>)> {
    let each = |count: usize, part: &dyn Fn(usize) -> String| {
        let text: String = (0..count).map(part).collect();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let below = |head: &str, mut lines: Vec<String>| {
        lines.splice(0..0, head.lines().map(str::to_owned));
        lines
    };
    let word = |at: usize| words(at).split(' ').next().unwrap_or_default().to_owned();
    let row = |at: usize| {
        format!(
            "     {}.57%  {:<8} [.] {}\n",
            at % 9,
            word(at),
            word(at * 3 + 1)
        )
    };
    vec![
        (
            "comments above rows",
            below(
                "# To display a report\n#\n# Overhead  Command  Symbol\n# ........\n",
                each(300, &row),
            ),
        ),
        (
            "headings",
            each(90, &|at| {
                format!(
                    "## {} {at}\n\n{}, {}.\n\n",
                    word(at),
                    words(at),
                    words(at + 5)
                )
            }),
        ),
        (
            "code",
            each(150, &|at| {
                format!(
                    "def {}_{at}(a, b):\n    x = a + {at}\n    return x * b\n\n",
                    word(at)
                )
            }),
        ),
        (
            "prose",
            each(200, &|at| {
                format!("The {}, and the {}.\n", words(at), words(at + 3))
            }),
        ),
        (
            "page",
            below(
                "<!DOCTYPE html>\n<html><body>\n",
                each(200, &|at| {
                    format!("<div class=\"c\"><p>{}</p></div>\n", words(at))
                }),
            ),
        ),
        (
            "diff",
            each(60, &|at| {
                format!(
                    "diff --git a/{at}.rs b/{at}.rs\n--- a/{at}.rs\n+++ b/{at}.rs\n@@ -1,2 +1,2 @@\n fn a() {{\n-    old({at});\n+    new({at});\n"
                )
            }),
        ),
        (
            "commits",
            each(80, &|at| {
                format!(
                    "commit {:040x}\nAuthor: Ada <a@b.c>\nDate:   Mon Jan 1 10:00:00 2024 +0000\n\n    Change {} {at}\n\n",
                    at * 7_919 + 1,
                    words(at)
                )
            }),
        ),
        (
            "commits of a line",
            each(300, &|at| {
                format!("{:07x} Change {}\n", at * 7_919 + 0x3ce_b3ff, words(at))
            }),
        ),
        (
            "hits",
            each(300, &|at| {
                format!("src/{}.rs:{at}:    let x = {}();\n", word(at), word(at + 1))
            }),
        ),
        (
            "paths",
            each(500, &|at| {
                format!("src/{}/{}/{at}.rs\n", word(at), word(at * 5 + 2))
            }),
        ),
        (
            "listing",
            below(
                "total 400\n",
                each(200, &|at| {
                    format!(
                        "-rw-r--r-- 1 root root {:>6} Jan 12 10:{:02} {}{at}.txt\n",
                        at * 37,
                        at % 60,
                        word(at)
                    )
                }),
            ),
        ),
        (
            "log",
            each(300, &|at| {
                format!(
                    "2024-01-01T10:{:02}:{:02} INFO {} took {at} ms\n",
                    at / 60,
                    at % 60,
                    words(at)
                )
            }),
        ),
        (
            "reports",
            each(90, &|at| {
                format!(
                    "/srv/src/{}{at}.js\n  {at}:5  warning  Unexpected console statement  no-console\n  {at}:9  warning  A value is never used  no-unused-vars\n\n",
                    word(at)
                )
            }),
        ),
        (
            "columns",
            below(
                "NAME         READY   STATUS    AGE\n",
                each(300, &|at| {
                    format!(
                        "{:<12} 1/1     Running   {}d\n",
                        format!("{}-{at}", word(at)),
                        at % 50
                    )
                }),
            ),
        ),
        (
            "settings",
            each(120, &|at| {
                format!(
                    "[{}{at}]\nkey = {}\npath = /srv/{}\n\n",
                    word(at),
                    word(at + 1),
                    word(at + 2)
                )
            }),
        ),
        (
            "entries",
            each(150, &|at| {
                format!(
                    "- name: {}{at}\n  count: {at}\n  kind: {}\n",
                    word(at),
                    word(at + 1)
                )
            }),
        ),
        (
            "tests",
            each(300, &|at| {
                format!(
                    "tests/test_{}.py::test_{}_{at} PASSED [ {}%]\n",
                    word(at),
                    word(at + 1),
                    at / 3
                )
            }),
        ),
    ]
}

#[test]
fn a_failure_in_each_kind_of_text() {
    for (kind, lines) in kinds() {
        for failure in FAILURES {
            for place in [0, lines.len() / 2, lines.len()] {
                let mut lines = lines.clone();
                lines.insert(place, failure.to_owned());
                let text = lines.join("\n") + "\n";
                let told = summary(&text);
                let shown = failure.get(..40).unwrap_or(failure);
                assert!(
                    told.contains(shown),
                    "{kind}, line {}: no {shown:?} in\n{told}",
                    place + 1
                );
            }
        }
    }
}

#[test]
fn sentences_and_code_with_the_words_of_programs_are_no_failures() {
    for line in [
        "An error occurred, so the order is sent again, and the cart stays.",
        "Unable to connect to the server? Look at the address of the host first.",
        "The connection to the server is closed, and the list is empty, then.",
        "Killed processes are counted, and the order of the list stays.",
        "For a file: there is no such file or directory, and nothing is read.",
        "The message ends in: Permission denied",
    ] {
        let prose = |at: usize| {
            let (first, second) = (words(at * at), words(at * 13 + at * at / 5));
            format!("It was the {first}, and then {second}.")
        };
        let applied = Bench::<Summary>::new("{}").apply(&among(prose, line));
        let told = applied.text();
        assert!(!told.contains("failure"), "{told}");
    }
}
