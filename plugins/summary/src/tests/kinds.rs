//! The kinds of texts: exact shares, and the order in which kinds are tried.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_sample_tells_what_may_be(are in prop::collection::vec(any::<bool>(), 0..60), tenths in 1usize..=10) {
        let lines = are.iter().map(|is| if *is { "yes" } else { "no" }).collect();
        let found = are.iter().filter(|is| **is).count();
        let is = Sample { lines }.may_be(tenths, |line| line == "yes");
        prop_assert_eq!(is, found * 20 >= are.len() * tenths);
    }

    #[test]
    fn a_sample_is_about_so_many_lines(count in 0usize..4_000) {
        let text = "a\n\nb\n".repeat(count);
        let all = text.lines().count();
        let taken = Sample::of(text.lines(), all).lines.len();
        let full = 2 * count;
        let every = all / Sample::LINES + 1;
        prop_assert!(taken <= full);
        if every == 1 {
            prop_assert_eq!(taken, full);
        } else {
            let expected = full / every;
            prop_assert!(taken * 2 > expected && taken < expected * 2, "{} of {}", taken, full);
        }
    }
}

#[test]
fn rows_of_a_table_have_as_many_separators() {
    let is = |text: &str, rows: usize| separators(text, text.lines(), rows).is_some();
    for row in ["a|b|c\n", "a\tb\n", "a,b,c,d\n", "|a|b|\n"] {
        assert!(is(&row.repeat(6), 6), "{row}");
        assert!(!is(&row.repeat(5), 6), "{row}");
        assert!(is(&(row.repeat(8) + "x\n\nx\n"), 6), "{row}");
        assert!(!is(&(row.repeat(8) + "x\nx\nx\n"), 6), "{row}");
    }
    for row in ["a|b\n", "a,b,c\n", "a\n", "a;b;c;d\n"] {
        assert!(!is(&row.repeat(9), 6), "{row}");
    }
    let wide = |signs: usize| "a\t".repeat(signs) + "\n";
    assert!(is(&wide(63).repeat(6), 6) && !is(&wide(64).repeat(6), 6));
}

#[test]
fn sentences_are_of_words() {
    for line in [
        "This page says how a policy is written.",
        "\"We do\", she said, in-between the two.",
        "one two three four five six",
        "Wie s\u{fc}\u{df} die \u{c4}pfel hier alle sind",
        "one two three four five six seven eight 9 10",
    ] {
        assert!(is_sentence(line), "{line}");
    }
    for line in [
        "",
        "one two three four five",
        "one two three four 5 6",
        "a=1 b=2 c=3 d=4 e=5 f=6",
        "one two three four five six seven 8 9 10",
        "Wie s\u{fc}\u{df} die \u{c4}pfel sind",
    ] {
        assert!(!is_sentence(line), "{line}");
    }
    let sentence = "This page says how a policy is written.\n\n";
    let prose = |sentences: usize, others: usize| {
        let text = sentence.repeat(sentences) + &"x = 1\n\n".repeat(others);
        // Blank lines count for neither.
        is_prose(text.lines(), sentences + others)
    };
    assert!(prose(1, 0) && prose(3, 2) && !prose(2, 2) && !prose(2, 3) && !prose(0, 0));
}

#[track_caller]
fn assert_kind(text: &str, is: fn(&Kind<'_>) -> bool) {
    let count = text.lines().count();
    let source = Source::of(text);
    let kind = Kind::of(text, &source, count, None);
    assert!(is(&kind), "{text}");
}

/// An abbreviated hash, as git makes them.
fn hash(at: usize) -> String {
    let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{:07x}", mixed >> 36)
}

#[test]
fn each_kind_is_known() {
    let lines = |count: usize, line: fn(usize) -> String| {
        (0..count).map(|at| line(at) + "\n").collect::<String>()
    };
    assert_kind(&lines(20, |at| format!("- link \"a\" [ref=e{at}]")), |it| {
        matches!(it, Kind::Snapshot)
    });
    assert_kind(
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
        |it| matches!(it, Kind::Diff(_)),
    );
    assert_kind(
        &lines(20, |at| format!("{} Subject of the commit {at}", hash(at))),
        |it| matches!(it, Kind::CommitLines),
    );
    assert_kind(&lines(20, |at| format!("src/a{at}.rs:{at}")), |it| {
        matches!(it, Kind::Counts)
    });
    assert_kind(
        &lines(20, |at| format!("src/a.rs:{}: text", at + 1)),
        |it| matches!(it, Kind::Hits(_)),
    );
    assert_kind(&lines(20, |at| format!("src/part_{at}/a.rs")), |it| {
        matches!(it, Kind::Paths(_))
    });
    assert_kind(
        &lines(20, |at| format!("-rw-r--r-- 1 u g {at} Nov 22 20:00 a")),
        |it| matches!(it, Kind::Listing),
    );
    assert_kind(
        &lines(20, |at| format!("12:00:{at:02} INFO served")),
        |it| matches!(it, Kind::Log(_)),
    );
    assert_kind(&lines(20, |at| format!("a{at},b,c,d")), |it| {
        matches!(it, Kind::Table(_))
    });
    assert_kind(&lines(20, |at| format!("step {at} is done")), |it| {
        matches!(it, Kind::Repeated)
    });
    assert_kind(
        &lines(20, |at| {
            format!(
                "Of all {}, this one says how it is written",
                "abcdefghijklmnopqrst".chars().nth(at).unwrap_or(' ')
            )
        }),
        |it| matches!(it, Kind::Prose),
    );
}

#[test]
fn a_table_has_some_rows() {
    let rows = |count: usize| "a,b,c,d\n".repeat(count);
    assert_kind(&rows(ROWS), |kind| matches!(kind, Kind::Table(_)));
    assert_kind(&rows(ROWS - 1), |kind| !matches!(kind, Kind::Table(_)));
}

#[test]
fn records_stand_between_brackets() {
    let words = [
        "apples", "pears", "plums", "figs", "dates", "limes", "nuts", "mint", "rye", "kale",
    ];
    let text = |before: &str, after: &str| -> String {
        let line = |word: &&str| {
            format!(
                "{before}{word} of {}{after}\n",
                word.repeat(word.len() % 3 + 1)
            )
        };
        words.iter().map(line).collect()
    };
    assert_kind(&text("{", "}"), |kind| matches!(kind, Kind::Repeated));
    for text in [text("{", ""), text("", "}"), text("", "")] {
        assert_kind(&text, |kind| !matches!(kind, Kind::Repeated));
    }
}

#[test]
fn lines_belong_to_a_kind() {
    let lines = |line: fn(usize) -> String| (0..20).map(|at| line(at) + "\n").collect::<String>();
    let each: [(String, &[&str], &[&str]); 9] = [
        // A blank after each place: a log may have these lines, too.
        (
            lines(|at| format!("src/a.go:{}: text", at + 1)),
            &["src/b.go:7: text of it", "src/b.go-8- text"],
            &["src/b.go:7: error: of it", "src/b.go-8- failed"],
        ),
        (
            lines(|at| format!("src/a.rs:{}:text", at + 1)),
            &["src/b.rs:7: error: of it", "src/b.rs-8- failed"],
            &["error: of it", "12: error"],
        ),
        (
            lines(|at| {
                if at % 4 == 0 {
                    format!("src/a{at}.rs")
                } else {
                    format!("{at}: text of it")
                }
            }),
            &["12: error"],
            &["error: of it"],
        ),
        (
            lines(|at| format!("src/part_{at}/a.rs")),
            &["src/error.rs"],
            &["src/error here.rs", "error"],
        ),
        (
            lines(|at| format!("src/a{at}.rs:{at}")),
            &["src/error.rs:3"],
            &["error: 3 of them"],
        ),
        (
            lines(|at| format!("{} Subject of the commit {at}", hash(at))),
            &["2000001 Fix: it failed"],
            &["error: of it"],
        ),
        (
            lines(|at| format!("-rw-r--r-- 1 u g {at} Nov 22 20:00 a")),
            &["-rw-r--r-- 1 u g 7 Nov 22 20:00 error"],
            &["error: of it"],
        ),
        (
            lines(|at| format!("- link \"a\" [ref=e{at}]")),
            &["- link \"it failed\" [ref=e7]"],
            &["error: of it"],
        ),
        (
            lines(|at| format!("step {at} is done")),
            &[],
            &["step 7 failed"],
        ),
    ];
    for (text, own, others) in each {
        let source = Source::of(&text);
        let kind = Kind::of(&text, &source, 20, None);
        for line in own {
            assert!(kind.owns(1, line), "{line} in {text}");
        }
        for line in others {
            assert!(!kind.owns(1, line), "{line} in {text}");
        }
    }
}

#[test]
fn what_lines_begin_with() {
    let told = |text: &str| {
        let mut paper = Paper::new(300);
        leading_words(text.lines(), &mut paper);
        paper.text().to_owned()
    };
    let text = "get a\n".repeat(5) + &"  - put: b\n".repeat(3) + "\nother=c\n(x\n";
    assert_eq!(told(&text), "lines begin with: get 5, - put 3\n");
    assert_eq!(told("get a\nget b\nget c\n"), "", "all begin alike");
    assert_eq!(
        told("get a\nget b\nget c\nput d\n"),
        "lines begin with: get 3\n"
    );
    assert_eq!(told("a\nb\nc\nd\n"), "", "no word comes again");
    let rare = "get a\n".repeat(3) + &(0..30).map(|at| format!("w{at} x\n")).collect::<String>();
    assert_eq!(told(&rare), "", "most lines begin otherwise");
}

#[test]
fn patterns_that_repeat() {
    let repeated = |text: &str| is_repeated(&Source::of(text), text.lines().count());
    let step = |count: usize| {
        (0..count)
            .map(|at| format!("step {at} is done\n"))
            .collect::<String>()
    };
    let others = |count: usize| {
        ["alpha", "beta!", "gamma?", "delta;", "epsilon", "zeta."][..count].join("\n") + "\n"
    };
    assert!(repeated(&step(10)) && !repeated(&step(9)));
    assert!(repeated(&(step(9) + &others(6))) && !repeated(&(step(7) + &others(6))));
    let record = |count: usize| {
        let names = [
            "alpha", "beta", "gamma", "delta", "eta", "iota", "mu", "nu", "pi", "rho", "tau", "chi",
        ];
        names
            .iter()
            .take(count)
            .map(|name| format!("{{\"{name}\":true}}\n"))
            .collect::<String>()
    };
    assert!(repeated(&record(10)) && repeated(&(record(8) + &others(2))));
    assert!(!repeated(&(record(8) + &others(3))));
    assert!(
        !repeated(&(step(10) + &"\n".repeat(11))),
        "most lines are blank"
    );
    let mut paper = Paper::new(400);
    tell_repeated(
        &Source::of(&("x\n".to_owned() + &step(12) + "one\n")),
        "",
        &mut paper,
    );
    assert_eq!(
        paper.text(),
        "1 pattern of lines that repeats with other numbers; times, first and last line:\n12x 2..13: step 0 is done\n"
    );
}

#[test]
fn a_pattern_that_the_failures_count_is_not_told_again() {
    let lines = |name: &str| -> String {
        (0..12)
            .map(|n| format!("{name} {n}: ERROR no answer\n"))
            .collect()
    };
    let text = lines("left") + &lines("right");
    let told = |above: &str| {
        let mut paper = Paper::new(400);
        tell_repeated(&Source::of(&text), above, &mut paper);
        paper.text().to_owned()
    };
    let left = "1 (12 times, last 12): left 0: ERROR no answer\n";
    let right = "13 (12 times, last 24): right 0: ERROR no answer\n";
    assert_eq!(
        told(left),
        "2 patterns of lines that repeat with other numbers; besides those above, times, first and last line:\n12x 13..24: right 0: ERROR no answer\n"
    );
    assert_eq!(told(&(left.to_owned() + right)), "");
    // Another count is another fact.
    assert_eq!(
        told("1 (11 times, last 12): left").matches("12x").count(),
        2
    );
}
