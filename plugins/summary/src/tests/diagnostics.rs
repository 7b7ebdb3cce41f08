//! Each form of a report, and its near misses.

use super::*;
use crate::paper::Paper;

type Parts<'t> = (&'t str, &'t str, &'static str, &'t str, &'t str);

fn parts<'t>(report: &Report<'t>) -> Parts<'t> {
    let severity = match report.severity {
        Severity::Error => "error",
        Severity::Unknown => "",
        Severity::Warning => "warning",
        Severity::Style => "style",
        Severity::Note => "note",
    };
    let Report {
        file,
        place,
        rule,
        message,
        ..
    } = report;
    (file, place, severity, rule, message)
}

fn reports(text: &str) -> Option<Reports<'_>> {
    of((1..).zip(text.lines()))
}

#[test]
fn reports_of_one_line() {
    for (line, expected) in [
        (
            "src/a.c:31:7: error: expected ';'",
            ("src/a.c", "31:7", "error", "", "expected ';'"),
        ),
        (
            "a.c:3: fatal error: no x.h",
            ("a.c", "3", "error", "", "no x.h"),
        ),
        (
            "a.c:3:5: note: declared here",
            ("a.c", "3:5", "note", "", "declared here"),
        ),
        (
            "a.c:3:5: info: declared here",
            ("a.c", "3:5", "note", "", "declared here"),
        ),
        (
            "a.c:3:5: warning: unused 'x' [-Wunused]",
            ("a.c", "3:5", "warning", "-Wunused", "unused 'x'"),
        ),
        (
            "a.c:3:5: Warning: see [the docs]",
            ("a.c", "3:5", "warning", "", "see [the docs]"),
        ),
        (
            "app/a.py:3: error: no such [arg-type]",
            ("app/a.py", "3", "error", "arg-type", "no such"),
        ),
        (
            "a.ts(3,5): error TS2322: no type",
            ("a.ts", "3,5", "error", "TS2322", "no type"),
        ),
        (
            "a.cs(3,5-9): Error CS1: no type",
            ("a.cs", "3,5-9", "error", "CS1", "no type"),
        ),
        (
            "src/a.ts:3:5 - error TS2322: no type",
            ("src/a.ts", "3:5", "error", "TS2322", "no type"),
        ),
        (
            "a.py:3:5: E501 line too long",
            ("a.py", "3:5", "", "E501", "line too long"),
        ),
        (
            "a.py:3:5: E501: line too long",
            ("a.py", "3:5", "", "E501", "line too long"),
        ),
        (
            "./a.go:3:5: undefined: x",
            ("./a.go", "3:5", "error", "", "undefined: x"),
        ),
    ] {
        let found = of_line(line);
        assert_eq!(found.as_ref().map(parts), Some(expected), "{line}");
    }
    for line in [
        "./a.go:3: undefined: x",
        "a.rs:3:5: undefined: x",
        "12:30:01 error: x",
        "9a.c:3:5: error: x",
        "word:3:5: error: x",
        "a b.c:3:5: error: x",
        "a.:3:5: error: x",
        "a.c:3:5:error: x",
        "a.c:3:5: error",
        "a.c:3:5: errors: x",
        "a.c:3:5: error lower: x",
        "a.c:x: error: y",
        "a.c: error: y",
        "a.c(x): error: y",
        "a.c(3;5): error: y",
        "a.c(): error: y",
        "a.c(3) error: y",
        "a.c",
    ] {
        assert!(of_line(line).is_none(), "{line}");
    }
}

#[test]
fn rows_below_a_file() {
    let below = |file, start| below_file(file, start);
    for (start, expected) in [
        (
            "3:17  error  'a' is not defined  no-undef",
            ("a.js", "3:17", "error", "no-undef", "'a' is not defined"),
        ),
        (
            "3:17  warning  too long",
            ("a.js", "3:17", "warning", "", "too long"),
        ),
        (
            "3:17  ✖  Unexpected empty block    block-no-empty",
            (
                "a.js",
                "3:17",
                "error",
                "block-no-empty",
                "Unexpected empty block",
            ),
        ),
        (
            "3:17  ⚠  Unknown word",
            ("a.js", "3:17", "warning", "", "Unknown word"),
        ),
    ] {
        assert_eq!(below("a.js", start).as_ref().map(parts), Some(expected));
        assert!(below("", start).is_none(), "no file: {start}");
    }
    for start in [
        "x:17  error  a  b",
        "3:x  error  a  b",
        "3:  error  a  b",
        ":17  error  a  b",
        "317  error  a  b",
        "3:17  hint  a  b",
        "3:17  error: a",
        "3:17  x  a",
        "3:17 D400 First line should end with a period",
        "3:17",
    ] {
        assert!(below("a.js", start).is_none(), "{start}");
    }
    let ruff = "a/b.py:\n    1:8 F401 [*] `os` imported but unused\n  116:9 B020 Loop variable\n\nFound 2 errors.\n";
    let found = reports(ruff).expect("reports");
    let all: Vec<Parts<'_>> = found.reports.iter().map(parts).collect();
    let expected = [
        ("a/b.py", "1:8", "", "F401", "[*] `os` imported but unused"),
        ("a/b.py", "116:9", "", "B020", "Loop variable"),
    ];
    assert_eq!(all, expected);
}

#[test]
fn reports_with_code_around_them_fill_a_text() {
    let report = |at: usize| {
        format!(
            "src/a.js:{at}:7 lint/style/useTemplate  FIXABLE  ━━━━━━\n\n  i Use a template.\n  \n    {at} │ const a\n     │       ^\n  \n  i Unsafe fix: a template.\n\n"
        )
    };
    let text: String = (1..5).map(report).collect();
    let lines = || (1..).zip(text.lines());
    let found = reports(&text).expect("reports");
    assert_eq!(found.count(), 4);
    assert!(found.fill(lines(), text.lines().count()));
    assert!(lines().all(|(at, line)| !line.ends_with('━') || found.owns(at, line)));
    // Prose that quotes some.
    let more = text.clone() + &"A sentence about them.\n".repeat(60);
    assert!(!found.fill((1..).zip(more.lines()), more.lines().count()));
}

#[test]
fn rules_have_letters_and_then_digits() {
    for word in ["E501", "TS2322", "CPY001", "C1", "ABCDEFGH1", "E123456"] {
        assert!(is_rule(word), "{word}");
    }
    for word in [
        "",
        "E",
        "501",
        "ABCDEFGHI1",
        "E1234567",
        "e501",
        "E5a",
        "E-1",
    ] {
        assert!(!is_rule(word), "{word}");
    }
}

#[test]
fn paths_have_a_dot_or_a_slash() {
    let long = |length: usize| format!("{}.c", "a".repeat(length - 2));
    for path in ["a.c", "src/a", "./a", "/a/b", &long(399)] {
        assert!(is_path(path), "{path}");
    }
    for text in [
        "",
        "/a",
        "abc",
        "9a.c",
        "src/",
        "end.",
        "a b.c",
        "\"a.c\"",
        "'a.c",
        "(a.c",
        "<a.c",
        "a|b.c",
        "a,b.c",
        &long(400),
    ] {
        assert!(!is_path(text), "{text}");
    }
}

#[test]
fn places_end_files() {
    assert_eq!(file_and_place("src/a.rs:3:5 "), ("src/a.rs", "3:5"));
    assert_eq!(file_and_place(r"C:\a.rs:3:5"), (r"C:\a.rs", "3:5"));
    assert_eq!(file_and_place("src/a.rs"), ("src/a.rs", ""));
    assert_eq!(file_and_place("src/a.rs:"), ("src/a.rs:", ""));
}

#[test]
fn a_report_of_rustc_has_its_place_and_its_label_below() {
    let text = "warning: unused import\n --> src/b.rs:1:5\n  |\n1 | use a;\n  |     ^ unused\n  |     ^ not this one\n\nerror[E0308]: mismatched types\nmore\n  --> src/a.rs:3:5\n   |\n   |     --- here\n3  |     a(1);\n   |       ^ expected `u32`\n\nerror: aborting due to 1 previous error\n\n  --> src/c.rs:1:1\n";
    let found = reports(text).expect("reports");
    let all: Vec<_> = found.reports.iter().map(parts).collect();
    assert_eq!(
        all,
        [
            ("src/b.rs", "1:5", "warning", "", "unused import"),
            ("src/a.rs", "3:5", "error", "E0308", "mismatched types"),
        ]
    );
    let labels: Vec<_> = found
        .reports
        .iter()
        .map(|it| (it.number, it.label))
        .collect();
    assert_eq!(labels, [(1, "unused"), (8, "expected `u32`")]);
    assert_eq!((found.count(), found.first()), (2, 8));
    for (number, line) in (1..).zip(text.lines()) {
        let start = line.trim_start();
        let is_source = start.starts_with("--> ") || start.starts_with("| ");
        let is_numbered = line.starts_with("1 |");
        let is_report = [1, 8].contains(&number);
        let owns = found.owns(number, line);
        assert_eq!(owns, is_source || is_numbered || is_report, "{line}");
    }
    for line in ["= note: x", "= help: x", "::: src/a.rs:1:1", "17 | x"] {
        assert!(found.owns(40, line), "{line}");
    }
    for line in ["17 x", "note: x", "abc | x"] {
        assert!(!found.owns(40, line), "{line}");
    }
    for near in ["error[E1: x", "error x", "errors: x", "warn: x"] {
        assert!(rustc(near).is_none(), "{near}");
    }
    // Its place is this many lines below.
    let has_place = |lines: usize| {
        let text = format!("error: a\n{} --> a.rs:1:1\n", "b\n".repeat(lines));
        reports(&text).is_some()
    };
    assert!(has_place(3) && !has_place(4));
    assert!(reports("error: a\n\n --> a.rs:1:1\n").is_none());
}

#[test]
fn the_first_error_is_where_to_look() {
    let warning = "a.c:1:1: warning: w\n";
    let error = "a.c:2:2: error: e\n";
    for (text, first) in [
        (warning.repeat(3), 1),
        (warning.repeat(2) + error + error + warning, 3),
        (error.repeat(2), 1),
    ] {
        assert_eq!(reports(&text).expect("reports").first(), first, "{text}");
    }
}

fn told(text: &str, room: usize, least: usize) -> String {
    let mut paper = Paper::new(room);
    reports(text).expect("reports").tell(&mut paper, least);
    paper.text().to_owned()
}

#[test]
fn reports_are_told_by_severity_and_file() {
    let same: String = (1..=7)
        .map(|at| format!("b.c:{at}:1: warning: w [-Wx]\n"))
        .collect();
    let text = format!(
        "a.c:1:1: note: n\n{same}a.c:2:2: error: e\na.c:3:3: error: f\nc.c:4:4: error: g\n"
    );
    assert_eq!(
        told(&text, 1_000, 1_000),
        "11 reports of a compiler or linter: error 3, warning 7, note 1\na.c\n 2:2 error: e\n 3:3 error: f\nc.c\n 4:4 error: g\nb.c\n 1:1, 2:1, 3:1, 4:1 and 3 more warning -Wx: w\na.c\n 1:1 note: n\n"
    );
    // Reports other than errors get less room.
    let told_less = told(&text, 1_000, 120);
    assert!(told_less.ends_with(" 4:4 error: g\n and 8 more reports\n"));
    // Six places are named.
    let six: String = (1..=6)
        .map(|at| format!("b.c:{at}:1: warning: w\n"))
        .collect();
    assert!(told(&six, 1_000, 100).contains(" 1:1, 2:1, 3:1, 4:1, 5:1, 6:1 warning: w\n"));
    let rules = "a.py:1:1: E501 a\na.py:2:1: E501 b\na.py:3:1: F401 c\n";
    assert_eq!(
        told(rules, 1_000, 100),
        "3 reports of a compiler or linter\nby rule: E501 2, F401 1\na.py\n 1:1 E501: a\n 2:1 E501: b\n 3:1 F401: c\n"
    );
}

#[test]
fn what_does_not_fit_is_counted_and_all_in_all_is_within_the_room() {
    let text: String = (1..=40)
        .map(|at| {
            format!(
                "a.c:{at}:1: {}: message {at}\n",
                if at % 4 == 0 { "error" } else { "warning" }
            )
        })
        .collect();
    for room in [160, 300, 600, 900] {
        let told = told(&text, room, room / 3);
        assert!(told.chars().count() <= room, "{room}: {told}");
        let shown = told
            .lines()
            .filter(|line| line.contains(": message "))
            .count();
        let rest = format!(" and {} more reports\n", 40 - shown);
        assert!(told.ends_with(&rest), "{room}: {told}");
        let errors = told
            .lines()
            .filter(|line| line.contains(" error: "))
            .count();
        assert!(shown == errors || errors == 10, "errors come first: {told}");
    }
}

#[test]
fn rules_have_a_third_of_the_room() {
    let text: String = (1..=60)
        .map(|at| format!("a.py:{at}:1: E{}: message\n", 100 + at))
        .collect();
    for room in [200, 400, 800] {
        let told = told(&text, room, room);
        let rules = told.lines().find(|line| line.starts_with("by rule: "));
        let characters = rules.expect("rules").chars().count();
        let left = room - "60 reports of a compiler or linter\n".len();
        assert!(
            characters <= left / 3 && characters + 40 > left / 3,
            "{room}: {told}"
        );
    }
}

#[test]
fn files_without_an_ending() {
    let text = "Makefile:3:5: error: no rule\n\
                ldd:3:5: warning: quote this [SC2086]\n\
                bin/deploy:7:1: note: see this [SC1090]\n\
                Dockerfile:3 DL3008 warning: Pin versions\n\
                src/a.sh:1:2: style: use this [SC2006]\n";
    let found = reports(text).expect("reports");
    let all: Vec<Parts<'_>> = found.reports.iter().map(parts).collect();
    assert_eq!(
        all,
        [
            ("Makefile", "3:5", "error", "", "no rule"),
            ("ldd", "3:5", "warning", "SC2086", "quote this"),
            ("bin/deploy", "7:1", "note", "SC1090", "see this"),
            ("Dockerfile", "3", "warning", "DL3008", "Pin versions"),
            ("src/a.sh", "1:2", "note", "SC2006", "use this"),
        ]
    );
    for line in [
        "word:3:5: error: x",
        "Word:3: error: x",
        "Word:3:5: x [a]",
        "a b:3:5: error: x [y]",
    ] {
        assert!(of_line(line).is_none(), "{line}");
    }
}

#[test]
fn reports_of_several_lines() {
    let ruff = "B020 Loop variable `a` overrides\n  --> a/b.py:116:9\n   |\n11 |     a = 1\n   |     ^\n\n\
                F401 [*] `os` imported but unused\n --> a/b.py:1:8\n  |\n\n\
                invalid-syntax: Expected `)`\n --> a/c.py:9:1\n\nFound 3 errors.\n";
    let biome = "src/a.js:3:7 lint/correctness/noUnusedVariables  FIXABLE  ━━━━━━\n\n  ! This variable is unused.\n\n    1 │ const a\n\n\
                 src/a.js:9:1 parse ━━━━━━━━━\n\n  × Expected a token.\n";
    let oxlint = "  ⚠ eslint(no-unused-vars): Variable 'x' is unused.\n   ╭─[src/a.js:3:7]\n 2 │ \n 3 │ const x\n   ╰────\n\
                  \n  × typescript(ban): No.\n   ,-[src/b.ts:4:1]\n";
    for (text, expected) in [
        (
            ruff,
            vec![
                ("a/b.py", "116:9", "", "B020", "Loop variable `a` overrides"),
                ("a/b.py", "1:8", "", "F401", "[*] `os` imported but unused"),
                ("a/c.py", "9:1", "", "invalid-syntax", "Expected `)`"),
            ],
        ),
        (
            biome,
            vec![
                (
                    "src/a.js",
                    "3:7",
                    "warning",
                    "lint/correctness/noUnusedVariables",
                    "This variable is unused.",
                ),
                ("src/a.js", "9:1", "error", "parse", "Expected a token."),
            ],
        ),
        (
            oxlint,
            vec![
                (
                    "src/a.js",
                    "3:7",
                    "warning",
                    "no-unused-vars",
                    "Variable 'x' is unused.",
                ),
                ("src/b.ts", "4:1", "error", "ban", "No."),
            ],
        ),
    ] {
        let found = reports(text).expect("reports");
        let all: Vec<Parts<'_>> = found.reports.iter().map(parts).collect();
        assert_eq!(all, expected, "{text}");
    }
    let rustc = "error[E1]: a\n  --> a.rs:1:1\n\nnote: b\n  --> b.rs:1:1\n  --> c.rs:1:1\n";
    assert_eq!(reports(rustc).expect("a report").count(), 1);
}

#[test]
fn reports_of_bandit_have_its_severities() {
    let issue = |severity: &str, confidence: &str, line: usize| {
        format!(
            ">> Issue: [B101:assert_used] Use of assert detected.\n   Severity: {severity}   Confidence: {confidence}\n   CWE: CWE-703 (https://cwe.mitre.org)\n   More Info: https://bandit.readthedocs.io\n   Location: a/b.py:{line}:8\n212\t    assert x, \"error: none\"\n\n----\n"
        )
    };
    let text = issue("Low", "High", 3) + &issue("High", "Low", 9) + &issue("Medium", "High", 12);
    let found = reports(&text).expect("reports");
    let mut paper = Paper::new(1_000);
    found.tell(&mut paper, 0);
    let told = paper.text();
    assert!(told.contains(": High 1, Medium 1, Low 1\n"), "{told}");
    assert!(told.contains(" 9:8 High B101: Use of assert"), "{told}");
    for (number, line) in (1..).zip(text.lines()) {
        let is_part = !line.is_empty() && line != "----";
        assert_eq!(found.owns(number, line), is_part, "{line}");
    }
    let mixed = text.clone() + "a/b.c:3:5: warning: x\n";
    let mut paper = Paper::new(1_000);
    reports(&mixed).expect("reports").tell(&mut paper, 0);
    assert!(paper.text().contains("error 1, warning 2, note 1"));
}
