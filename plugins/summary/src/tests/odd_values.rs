//! Numbers with their keys and units, and those that stand out against a plain count.

use super::*;
use proptest::prelude::*;

fn found(line: &str) -> Vec<(Option<&str>, f64, usize)> {
    let mut all = Vec::new();
    let mut words = Words::default();
    words.read(line);
    words.keyed(line, |found| all.push((found.key, found.value, found.kind)));
    all
}

#[test]
fn numbers_have_a_key_or_a_unit() {
    for (line, expected) in [
        ("errors=7", (Some("errors"), 7.0, 0)),
        ("a errors: 7, b", (Some("errors"), 7.0, 0)),
        ("{\"errors\":7}", (Some("errors"), 7.0, 0)),
        ("{'errors': -7.5}", (Some("errors"), -7.5, 0)),
        ("{\"errors\":7,\"b\":\"c\"}", (Some("errors"), 7.0, 0)),
        ("took=48112ms x", (Some("took"), 48.112, 2)),
        ("exit-code=\"3\"", (Some("exit-code"), 3.0, 0)),
        ("a.js  4,312.77 kB", (None, 4_312_770.0, 3)),
        ("load 98%", (None, 98.0, 1)),
        ("✓ renders (5 ms)", (None, 0.005, 2)),
        ("in 2.5s.", (None, 2.5, 2)),
    ] {
        assert_eq!(found(line), [expected], "{line}");
    }
    for line in [
        "2026-11-20T08:00:14.637Z INFO x",
        "08:00:14 x",
        "a.rs:3:5: x",
        "src/a.rs:12",
        "version 1.2.3",
        "id abc123 7",
        "=7",
        "7=7",
        "key=12abc",
        "12 msg",
        "3s/op",
        "",
    ] {
        assert_eq!(found(line), [], "{line}");
    }
}

fn odd(line: impl Fn(usize) -> String, count: usize) -> Vec<usize> {
    let all: Vec<String> = (1..=count).map(line).collect();
    lines((1..).zip(all.iter().map(String::as_str)))
}

#[test]
fn few_lines_have_another_number() {
    let of = |others: &'static [usize], count: usize| {
        odd(
            |at| format!("x={at} errors={}", u8::from(others.contains(&at))),
            count,
        )
    };
    assert!(of(&[], LEAST).is_empty());
    for place in 1..=LEAST {
        let others = vec![place].leak();
        assert_eq!(of(others, LEAST), [place]);
        // The rest are too few, and 1 is not far from 0 alone.
        assert!(of(others, LEAST - 1).is_empty());
    }
    assert!(of(&[3, 8], LEAST).is_empty(), "two of forty lines are many");
    assert_eq!(of(&[3, 8], 2 * LEAST), [3, 8]);
}

#[test]
fn a_number_is_far_from_all_others() {
    let of = |far: &'static str| {
        odd(
            move |at| match at {
                17 => format!("a{at}.js {far}"),
                at => format!("a{at}.js {}.5 kB", 10 + at * 7 % 80),
            },
            30,
        )
    };
    assert_eq!(of("4,312.77 kB"), [17]);
    assert_eq!(of("4.3 MB"), [17]);
    assert!(of("91 kB").is_empty());
    // Each place of a line has its own numbers.
    let two = odd(
        |at| {
            format!(
                "a{at}.js {} kB, gzip {} kB",
                at % 9,
                if at == 5 { 900 } else { 90 + at % 7 }
            )
        },
        30,
    );
    assert_eq!(two, [5]);
}

proptest! {
    /// Lines that are told are odd, and all odd lines are told together.
    #[test]
    fn odd_lines_are_those_without_the_usual_number(
        others in prop::collection::btree_map(1usize..200, 1u64..4, 0..8),
        count in 1usize..200,
    ) {
        let number = |at: usize| others.get(&at).copied().unwrap_or(0);
        let expected: Vec<usize> = (1..=count).filter(|at| number(*at) != 0).collect();
        let found = odd(|at| format!("k={}", number(at)), count);
        // If both of the first lines are odd, no number is usual.
        let is_known = number(1) == 0 || number(2) == 0;
        if count >= LEAST && expected.len() <= FEW.min(count / ODD_ONE_OF) && is_known {
            prop_assert_eq!(found, expected);
        } else {
            prop_assert!(found.iter().all(|line| expected.contains(line)) || count < LEAST || !is_known);
        }
    }
}
