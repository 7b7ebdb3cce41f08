//! Reports of linters, each in its form: all are counted, the gravest are told.

use crate::summary;

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

/// Every report is counted, and what counts them is told whole.
#[test]
fn all_reports_of_linters_are_counted() {
    let shellcheck: String = (0..180)
        .map(|at| {
            let file = ["ldd", "Makefile", "bin/run", "a.sh"][at % 4];
            let severity = ["note", "warning"][at % 2];
            format!("{file}:{at}:5: {severity}: {} [SC2086]\n", words(at))
        })
        .collect();
    let told = summary(&shellcheck);
    assert!(
        told.contains("180 reports of a compiler or linter: warning 90, note 90\n"),
        "{told}"
    );
    assert!(told.contains("by rule: SC2086 180\n"), "{told}");
    let flake: String = (0..1_600)
        .map(|at| {
            format!(
                "a/{}.py:{at}:61: E501 line too long ({} > 60)\n",
                words(at / 20).replace(' ', "_"),
                61 + at % 19
            )
        })
        .collect();
    // Lines like few others, which are told before what is around the reports.
    let rare = |at: usize| {
        let word = |by: usize| {
            (0..5).map(move |place| char::from(b'a' + ((at * by) >> (3 * place)) as u8 % 26))
        };
        let names: Vec<String> = (0..3 + at / 200)
            .map(|by| word((by + 1) * 7_919).collect())
            .collect();
        format!(
            "a/{}.py:{at}:61: E501 line too long ({} > 60)\n",
            names.join("/"),
            300 + at
        )
    };
    let flake: String = flake
        .split_inclusive('\n')
        .enumerate()
        .map(|(at, line)| match at % 200 {
            100 => rare(at + 1),
            _ => line.to_owned(),
        })
        .collect();
    let total = "1600  E501 line too long (75 > 60)";
    let told = summary(&format!("{flake}{total}\n"));
    assert!(told.contains("by rule: E501 1600\n"), "{told}");
    assert!(told.contains(&format!("1601: {total}\n")), "{told}");
}

#[test]
fn a_report_of_ruff_has_its_message() {
    let text: String = (0..60)
        .map(|at| {
            let words = words(at);
            format!("B020 Loop variable `{words}` overrides\n   --> src/a{at}.py:{at}:9\n    |\n{at} |     with raises(ValueError):\n    |          ^^^^\n    |\n\n")
        })
        .collect();
    let told = summary(&format!("{text}Found 60 errors.\n"));
    for part in [
        "60 reports of a compiler or linter\n",
        "\nsrc/a0.py\n 0:9 B020: Loop variable",
        ": Found 60 errors.\n",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains("look like failures"), "{told}");
}

#[test]
fn issues_of_bandit_by_severity() {
    let issue = |at: usize| {
        let (severity, confidence) = if at == 70 {
            ("High", "Low")
        } else {
            ("Low", "High")
        };
        format!(
            ">> Issue: [B101:assert_used] Use of assert.\n   Severity: {severity}   Confidence: {confidence}\n   CWE: CWE-703\n   More Info: https://a.b\n   Location: src/a.py:{at}:8\n{at}\t        assert error, \"error: {at}\"\n\n--------------------\n"
        )
    };
    let issues: String = (0..90).map(issue).collect();
    let text = format!(
        "Test results:\n{issues}\nRun metrics:\n\tTotal issues (by severity):\n\t\tLow: 89\n\t\tHigh: 1\n\tTotal issues (by confidence):\n\t\tLow: 1\n\t\tHigh: 89\nFiles skipped (0):\n"
    );
    let told = summary(&text);
    assert!(
        told.contains("90 reports of a compiler or linter: High 1, Low 89\n"),
        "{told}"
    );
    assert!(told.contains(" 70:8 High B101: Use of assert."), "{told}");
    assert!(
        !told.contains("High: 89") && !told.contains("failure"),
        "{told}"
    );
}

#[test]
fn a_mark_of_the_encoding_is_no_part_of_the_first_report() {
    let report = |at: usize| {
        format!(
            "src/a_{}.c:{at}:3: warning: {} [-Wunused]\n",
            at % 4,
            words(at)
        )
    };
    let told = summary(&format!(
        "\u{feff}{}",
        (0..180).map(report).collect::<String>()
    ));
    assert!(
        told.contains("180 reports of a compiler or linter: warning 180\n"),
        "{told}"
    );
    assert!(!told.contains('\u{feff}'), "{told}");
}

/// pylint shows code that is repeated below its reports, whose letters are severities.
#[test]
fn reports_of_pylint_with_code_below_them() {
    let mut text = String::new();
    for at in 1..=60 {
        let message = match at {
            41 => "E0602: Undefined variable 'total' (undefined-variable)",
            _ if at % 2 == 0 => "W0611: Unused import os (unused-import)",
            _ => "R1710: Either all return statements or none (inconsistent-return-statements)",
        };
        text += &format!("cart.py:{at}:0: {message}\n");
    }
    for at in 0..20 {
        text += &format!(
            "cart.py:1:0: R0801: Similar lines in 2 files\n==cart:[{at}:9]\n==user:[{at}:9]\ndef cart_{at}(a, b=[], *args):\n    l = {at}\n    if a == None:\n        return b (duplicate-code)\n"
        );
    }
    let told = summary(&text);
    for part in [
        "80 reports of a compiler or linter: error 1, warning 30, convention or refactor 49\n",
        "by rule: unused-import 30, inconsistent-return-statements 29, R0801 20, undefined-variable 1\n",
        "cart.py\n 41:0 error undefined-variable: Undefined variable 'total'\n",
    ] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
}

/// `mypy --pretty` wraps messages, and shows the code: a rule on a line of its own is that of the report.
#[test]
fn rules_of_mypy_below_their_reports() {
    let text: String = (1..=60)
        .map(|at| {
            let rule = if at % 3 == 0 { "\n[no-untyped-def]" } else { "  [no-untyped-def]" };
            let rule = if at == 50 { "\n    \"str\"; expected \"int\"  [arg-type]" } else { rule };
            format!("cart.py:{at}: error: Function is missing an annotation{rule}\n    def f{at}(a, b=[]):\n    ^~~~~~~~~\n")
        })
        .collect();
    let told = summary(&text);
    for part in [
        "60 reports of a compiler or linter: error 60\n",
        "by rule: no-untyped-def 59, arg-type 1\n",
        "cart.py\n 50 error arg-type: ",
    ] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
}

/// Commands of workflows are reports: the file, the line and the rule are their properties.
#[test]
fn commands_of_workflows_are_reports() {
    let text: String = (1..=60)
        .map(|at| {
            let (level, rule) = if at == 33 {
                ("error", "no-undef")
            } else {
                ("warning", "no-unused-vars")
            };
            format!(
                "::{level} file=src/cart.ts,line={at},endLine={at},col=7,title={rule}::{}\n",
                words(at)
            )
        })
        .collect();
    let told = summary(&text);
    let error = format!("src/cart.ts\n 33 error no-undef: {}\n", words(33));
    for part in [
        "60 reports of a compiler or linter: error 1, warning 59\n",
        "by rule: no-unused-vars 59, no-undef 1\n",
        &error,
    ] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
}

/// Among other lines, commands of workflows are failures if they are errors.
#[test]
fn errors_of_workflows_among_other_lines() {
    let mut lines: Vec<String> = (0..150)
        .map(|at| format!("step {at}: {}\n", words(at)))
        .collect();
    let error = "::error file=pw/mail.spec.ts,title=mail case 3,line=5,col=49::  2) mail case 3%0A%0A    refused";
    lines.insert(90, format!("{error}\n"));
    lines.insert(20, "::error::the cache is not there\n".to_owned());
    let told = summary(&lines.concat());
    for part in [
        "1 report of a compiler or linter: error 1\npw/mail.spec.ts\n 5 error: 2) mail case 3",
        "1 line that looks like a failure:\n21: ::error::the cache is not there\n",
    ] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
    // A log does not quote them.
    let log: String = (0..150)
        .map(|at| match at {
            90 => format!("{error}\n"),
            at => format!(
                "2026-11-20T10:{:02}:{:02}Z INFO {}\n",
                at / 60,
                at % 60,
                words(at)
            ),
        })
        .collect();
    let told = summary(&log);
    assert!(told.contains("mail case 3%0A"), "{told}");
}
