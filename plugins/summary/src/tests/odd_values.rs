//! The lines with a value that stands out, against a plain count.

use super::*;
use proptest::prelude::*;

fn odd(line: impl Fn(usize) -> String, count: usize) -> Vec<usize> {
    let all: Vec<String> = (1..=count).map(line).collect();
    lines(
        (&all.join("\n"), Signs::ALL),
        (1..).zip(all.iter().map(String::as_str)),
        Scope::All,
        None,
    )
}

#[test]
fn few_lines_have_another_number() {
    let of = |others: &'static [usize], count: usize| {
        odd(
            |at| format!("x={at} errors={}", u8::from(others.contains(&at))),
            count,
        )
    };
    assert!(of(&[], ODD_ONE_OF).is_empty());
    for place in 1..=ODD_ONE_OF {
        let others = vec![place].leak();
        assert_eq!(of(others, ODD_ONE_OF), [place]);
        // The rest are too few, and 1 is not far from 0 alone.
        assert!(of(others, ODD_ONE_OF - 1).is_empty());
    }
    assert!(
        of(&[3, 8], ODD_ONE_OF).is_empty(),
        "two of forty lines are many"
    );
    assert_eq!(of(&[3, 8], 2 * ODD_ONE_OF), [3, 8]);
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

#[test]
fn few_lines_have_another_word_under_a_key() {
    let of = |form: fn(&str) -> String| odd(|at| form(if at == 17 { "down" } else { "up" }), 60);
    for form in [
        |state: &str| format!("{{\"id\": \"a\", \"status\": \"{state}\", \"b\": 1}}"),
        |state: &str| format!("{{\"id\":\"a\",\"status\":\"{state}\",\"b\":1}}"),
        |state: &str| format!("status={state}"),
        |state: &str| format!("status = {state}"),
        |state: &str| format!("- **Status**: {state}"),
        |state: &str| format!("**Status:** {state}"),
    ] {
        assert_eq!(of(form), [17], "{}", form("up"));
    }
    // The lines of a browser neither begin nor end with digits.
    let of_browser = odd(
        |at| {
            let status = if at == 17 {
                "[401] Unauthorized"
            } else {
                "[200] OK"
            };
            format!("[GET] https://a.example.com/{at}.js => {status}")
        },
        60,
    );
    assert_eq!(of_browser, [17]);
}

#[test]
fn keys_before_a_colon_without_a_blank_have_values() {
    let event = |at: usize| {
        let odd = |name: &'static str, usual: &'static str| if at == 139 { name } else { usual };
        match at % 5 {
            0 => "BEGIN:VEVENT".to_owned(),
            1 => format!("UID:{at}@x"),
            2 => format!(
                "SUMMARY:{} {}",
                ["pepper", "cargo", "ember"][at % 3],
                at % 7
            ),
            3 => format!("DTSTART;TZID=UTC:20260501T{at:06}"),
            _ => format!("STATUS;X=1:{}", odd("CANCELLED", "CONFIRMED")),
        }
    };
    assert_eq!(odd(event, 350), [139]);
    // Usual values may be two.
    let state = |at: usize| match at {
        77 => "STATUS:CANCELLED",
        _ => ["STATUS:CONFIRMED", "STATUS:TENTATIVE"][at % 2],
    };
    assert_eq!(odd(|at| state(at).to_owned(), 120), [77]);
    let state = |at: usize| state(at).replace("STATUS:", "state=");
    assert_eq!(odd(|at| format!("w{at} {}", state(at)), 120), [77]);
    for other in ["http://a/b", "a:b", "12:30", "Status:A", "A/B:c"] {
        let of = |at: usize| other.replace('b', ["b", "c"][usize::from(at == 50)]);
        let found = odd(|at| format!("{} x{at}", of(at)), 20);
        assert_eq!(found, [0; 0], "{other}");
    }
}

#[test]
fn few_series_of_a_metric_have_another_value() {
    let of = |value: &'static str| {
        let value = move |at: usize| {
            if at == 17 {
                value.to_owned()
            } else {
                "1".to_owned()
            }
        };
        odd(
            move |at| {
                format!(
                    "up{{instance=\"10.0.0.{at}:9090\",job=\"a b\"}} {}",
                    value(at)
                )
            },
            24,
        )
    };
    assert_eq!(of("0"), [17]);
    assert_eq!(of("NaN"), [17]);
    assert_eq!(of("1"), [0; 0]);
    let numbers = |at: usize| match at {
        17 => "a_total{code=\"200\"} NaN".to_owned(),
        _ => format!("a_total{{code=\"200\"}} {}", at * at),
    };
    assert_eq!(odd(numbers, 24), [17]);
    // One of a few is not rare.
    let few = |at: usize| format!("up{{i=\"{at}\"}} {}", usize::from(at != 3));
    assert_eq!(odd(few, 5), [0; 0]);
}

#[test]
fn few_lines_have_an_address_of_another_network() {
    let of =
        |at: usize, other: &'static str, usual: &'static str| [usual, other][usize::from(at == 33)];
    let listening = |at: usize| {
        let host = of(at, "0.0.0.0", "127.0.0.1");
        format!("tcp 0 0 {host}:{} 0.0.0.0:* LISTEN", 6_000 + at * 3)
    };
    assert_eq!(odd(listening, 90), [33]);
    let peers = |at: usize| format!("peer={}.{}.{}", of(at, "203.0", "10.0"), at % 4, at % 30);
    assert_eq!(odd(peers, 90), [33]);
    // Where networks differ, none stands out.
    let all = |at: usize| format!("peer={}.0.{}.{}", at * 7 % 200, at % 4, at % 30);
    assert!(odd(all, 90).is_empty());
}

#[test]
fn in_sections_only_values_with_keys_are_compared() {
    let all: Vec<String> = (0..30)
        .map(|at| match (at / 2, at % 2) {
            (9, 0) => "- **Status**: regressed".to_owned(),
            (_, 0) => "- **Status**: open".to_owned(),
            (5, _) => "an other sentence here".to_owned(),
            _ => "a longer sentence here".to_owned(),
        })
        .chain((0..10).map(|_| "- **Status**: open".to_owned()))
        .collect();
    let found = lines(
        (&all.join("\n"), Signs::ALL),
        (1..).zip(all.iter().map(String::as_str)),
        Scope::Keys,
        None,
    );
    assert_eq!(found, [19]);
}

#[test]
fn ranked_rows_are_found_between_other_lines() {
    let rows = |count: usize| (0..count).map(move |at| format!("{}.5% fn{at}", 90 - 4 * at));
    let of = |lines: Vec<String>| first_ranked((1..).zip(lines.iter().map(String::as_str)));
    let between = |rows: Vec<String>| {
        let header = ["# 12 samples", "", "Overhead  Symbol"].map(str::to_owned);
        let total = ["total".to_owned()];
        header
            .into_iter()
            .chain(rows)
            .chain(total)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(between(rows(20).collect())), Some(4));
    assert_eq!(of(between(rows(15).collect())), None, "few rows");
    let mut rising: Vec<String> = rows(20).collect();
    rising.reverse();
    assert_eq!(of(between(rising)), None);
    let mut mixed: Vec<String> = rows(20).collect();
    mixed.swap(7, 8);
    assert_eq!(of(between(mixed)), None);
    let equal = (0..20).map(|at| format!("7 fn{at}")).collect();
    assert_eq!(of(between(equal)), None, "numbers that do not fall");
    let zeros = (0..20).map(|at| format!("0 fn{at}")).collect();
    assert_eq!(of(between(zeros)), None);
    let to_zero = (0..20).map(|at| format!("{} fn{at}", 19 - at)).collect();
    assert_eq!(of(between(to_zero)), Some(4));
}

/// Pattern 0 at place 3 and pattern 1 at place 2 are two series, and so are the second share of a line and its first
/// time.
#[test]
fn numbers_of_other_places_are_not_compared() {
    let of = |at: usize| match at {
        1 => "user with id 9000000 done".to_owned(),
        _ => format!("shop sold {} of them today", 10 + at),
    };
    let all: Vec<String> = (1..=60).map(of).collect();
    let text = all.join("\n");
    let source = Source::of(&text);
    let found = lines(
        (&text, Signs::ALL),
        (1..).zip(all.iter().map(String::as_str)),
        Scope::All,
        Some(&source),
    );
    assert_eq!(found, [0; 0]);
    let of = |at: usize| match at {
        1 => "7 ms 3% 50000%".to_owned(),
        _ => format!("{at} ms 3%"),
    };
    assert_eq!(odd(of, 60), [0; 0]);
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
        if count >= ODD_ONE_OF && expected.len() <= FEW.min(count / ODD_ONE_OF) && is_known {
            prop_assert_eq!(found, expected);
        } else {
            prop_assert!(found.iter().all(|line| expected.contains(line)) || count < ODD_ONE_OF || !is_known);
        }
    }
}

#[test]
fn words_are_counted_as_they_are_read() {
    for length in 0..70 {
        for line in [
            "ab c ".repeat(length),
            format!("{} b", "a".repeat(length)),
            format!("{}a  b", " ".repeat(length)),
        ] {
            assert!(has_words_alone(Line::from(&*line)), "{line:?}");
            let mut words = Words::of_text(&line, std::iter::once(&*line));
            words.read(&*line);
            // Only the first words of a line are read.
            let read = words.words.len().min(SHORT + 1);
            assert_eq!(count_of_words(&line).min(SHORT + 1), read, "{line:?}");
        }
    }
    for other in ["a 1", "a: b", "a=b", "\"a\"", "a\tb", "\u{e9} b", "a\r"] {
        assert!(!has_words_alone(Line::from(other)), "{other:?}");
    }
}

#[test]
fn a_line_is_read_for_its_other_keys_where_the_first_has_no_usual_value() {
    const LETTERS: [&str; 8] = ["q", "w", "e", "r", "t", "y", "u", "i"];
    let name = |at: usize| {
        format!(
            "{}{}{}",
            LETTERS[at % 8],
            LETTERS[at / 8 % 8],
            LETTERS[at / 64]
        )
    };
    let of = |last: &'static str| {
        odd(
            move |at| match at {
                1..=80 => format!("count = {at}"),
                81..=160 => format!("name = {}", name(at)),
                200 => format!("name = {} {last}", name(at)),
                _ => format!("name = {} sort=plain", name(at)),
            },
            240,
        )
    };
    assert_eq!(of("sort=odd"), [200]);
    assert!(of("sort=plain").is_empty());
}
