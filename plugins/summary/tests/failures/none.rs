//! What looks like a failure, a commit or a number of a line, and is none.

use serde_json::{Value, json};
use summary::Summary;
use tamis_sdk::testing::Bench;

use crate::{among, assert_found, summary, words};

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
fn a_quoted_line_is_no_marked_one() {
    let quoted = |at: usize| format!(">     from lib_{at} import {}", words(at));
    let told = summary(&(0..200).map(|at| quoted(at) + "\n").collect::<String>());
    assert!(!told.contains("look like failures"), "{told}");
    // pytest marks the line that failed, and says why below it.
    let passed: String = (0..200)
        .map(|at| format!("step {at} {}\n", words(at)))
        .collect();
    let marked =
        format!("{passed}>       assert total(cart) == 12\nE       assert 11 == 12\n{passed}");
    let told = summary(&marked);
    assert!(
        told.contains("201: >       assert total(cart) == 12"),
        "{told}"
    );
}

#[test]
fn extensions_of_certificates_and_optional_dependencies_are_no_failures() {
    let field = |at: usize| format!("        {} Policy: {}", words(at), at * 7);
    let told = summary(&among(field, "            X509v3 Key Usage: critical"));
    assert!(!told.contains("like a failure"), "{told}");
    let tree = |at: usize| format!("│ ├── part-{at}@1.{at}.0");
    let told = summary(&among(
        tree,
        "│ ├── UNMET OPTIONAL DEPENDENCY esbuild@>=3.4.0",
    ));
    assert!(!told.contains("like a failure"), "{told}");
}

#[test]
fn counted_words_are_no_failures_and_counted_messages_are() {
    let counted = |at: usize| format!("    {:>3} {}", 900 - at * 2, words(at).replace(' ', "_"));
    let told = summary(&among(counted, "     63 failing"));
    assert!(
        !told.contains("totals:") && !told.contains("failure"),
        "{told}"
    );
    let message = |at: usize| format!("    {:>3} served {}", 900 - at * 2, words(at));
    assert_found(
        &among(message, "    640 ERROR no space left on device"),
        "640 ERROR no space left on device",
    );
}
