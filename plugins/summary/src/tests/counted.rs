//! Counts of values against plain ones, and rare values among them.

use super::*;
use proptest::prelude::*;

type Plain<'t> = Vec<(&'t str, u32, u32)>;

/// Each value with its count and the row of its first, in order of their first occurrence.
fn plain(texts: &[String]) -> Plain<'_> {
    let mut found: Plain<'_> = Vec::new();
    for (row, text) in (0..).zip(texts) {
        match found.iter_mut().find(|(known, ..)| known == text) {
            Some((_, count, _)) => *count += 1,
            None => found.push((text, 1, row)),
        }
    }
    found
}

fn told<'t>(items: impl IntoIterator<Item = &'t Item<'t>>) -> Plain<'t> {
    let parts = items
        .into_iter()
        .map(|item| (item.text, item.count, item.row));
    parts.collect()
}

fn noted(texts: &[String]) -> Counted<'_> {
    let mut counted = Counted::default();
    (0..)
        .zip(texts)
        .for_each(|(row, text)| counted.note(text, row));
    counted
}

proptest! {
    #[test]
    fn values_are_counted_as_they_are(numbers in prop::collection::vec(0u32..250, 0..500), few in 1u32..250) {
        let texts: Vec<String> = numbers.iter().map(|number| format!("\"value {}\"", number % few)).collect();
        let counted = noted(&texts);
        prop_assert_eq!(told(counted.values().expect("not too many")), plain(&texts));
        prop_assert_eq!(counted.failing(), None);
    }

    #[test]
    fn what_is_rare_is_one_in_many_and_far_from_all_others(often in prop::collection::vec(1u32..400, 1..4), seldom in prop::collection::vec(1u32..4, 0..4)) {
        let texts: Vec<String> = often.iter().chain(&seldom).enumerate()
            .flat_map(|(at, count)| vec![format!("{at}"); *count as usize]).collect();
        let all = texts.len() as u32;
        let limit = rare_limit(all);
        let mut expected: Plain<'_> = plain(&texts).into_iter().filter(|(_, count, _)| *count <= limit).collect();
        let rows: u32 = expected.iter().map(|(_, count, _)| count).sum();
        let most = expected.iter().map(|(_, count, _)| *count).max();
        let next = plain(&texts).into_iter().map(|(_, count, _)| count).filter(|count| *count > limit).min();
        let is_clear = matches!((most, next), (Some(most), Some(next)) if next >= 8 * most);
        if !is_clear || rows * 20 > all {
            expected.clear();
        }
        expected.sort_by_key(|(_, count, _)| *count);
        let counted = noted(&texts);
        let (rare, is_form) = counted.rare();
        prop_assert!(!is_form);
        prop_assert_eq!(told(rare), expected);
    }
}

/// Messages with numbers, some of which report failures, some only with other numbers.
fn message() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "served ",
        "failed",
        " failed",
        "exit code ",
        "errors: ",
        "error",
        ": ",
        "at ",
        " of ",
        "-",
        "not ok ",
        "e1",
        "**",
        "line ",
        "0x",
        "\u{e9}",
        "ms",
        " ",
        ".",
    ]);
    let number = prop_oneof![
        Just("0".to_owned()),
        (0u32..1_200).prop_map(|number| number.to_string())
    ];
    let part = (words, prop_oneof![Just(String::new()), number]);
    prop::collection::vec(part, 1..5).prop_map(|parts| {
        let parts: Vec<String> = parts
            .iter()
            .map(|(word, number)| format!("{word}{number}"))
            .collect();
        format!("\"{}\"", parts.concat())
    })
}

proptest! {
    #[test]
    fn forms_and_failures_are_counted_one_by_one(messages in prop::collection::vec(message(), 1..60), order in prop::collection::vec(0usize..60, 0..300)) {
        // Enough different values first.
        let texts: Vec<String> = (0..=MOST).map(|at| format!("\"served {at}\""))
            .chain(order.iter().map(|at| messages[at % messages.len()].clone())).collect();
        let counted = noted(&texts);
        prop_assert!(counted.mode == Mode::Forms);
        let mut expected: Plain<'_> = Vec::new();
        for (row, text) in (0..).zip(&texts) {
            match expected.iter_mut().find(|(known, ..)| form(known) == form(text)) {
                Some((_, count, _)) => *count += 1,
                None => expected.push((text, 1, row)),
            }
        }
        prop_assert_eq!(told(&counted.items), expected);
        let failing: Vec<(u32, &str)> = (0..).zip(&texts)
            .filter(|(_, text)| text.len() >= LEAST_MESSAGE_BYTES)
            .map(|(row, text)| (row, &text[1..text.len() - 1]))
            .filter(|(_, text)| shapes::is_failure(text)).collect();
        prop_assert_eq!(counted.failing.count as usize, failing.len());
        prop_assert_eq!(counted.failing.first, failing.first().map(|(row, text)| (*text, *row)));
    }

    #[test]
    fn failures_are_counted_however_values_are_counted(messages in prop::collection::vec(message(), 1..60), order in prop::collection::vec(0usize..60, 20..300), others in prop_oneof![Just(0), Just(MOST)]) {
        let texts: Vec<String> = (0..others).map(|at| format!("\"served {at}\""))
            .chain(order.iter().map(|at| messages[at % messages.len()].clone())).collect();
        let counted = noted(&texts);
        let failing: Vec<(u32, &str)> = (0..).zip(&texts)
            .filter(|(_, text)| is_failing(text))
            .map(|(row, text)| (row, &text[1..text.len() - 1])).collect();
        let are_nearly_all = 10 * failing.len() > 9 * texts.len();
        let first = failing.first().filter(|_| !are_nearly_all);
        let expected = first.map(|(row, text)| (failing.len() as u32, *text, *row));
        prop_assert_eq!(counted.failing(), expected);
    }

    #[test]
    fn a_text_that_reports_nothing_reports_nothing_with_other_numbers(message in message(), other in "[0-9]{40}") {
        let mut digits = other.chars();
        let changed: String = message.chars().map(|c| match c {
            '0'..='9' => digits.next().unwrap_or('0'),
            c => c,
        }).collect();
        prop_assert!(differs_in_digits(&message, &changed));
        if shapes::report(&message) == Report::Nothing {
            prop_assert_eq!(shapes::report(&changed) == Report::Failure, false, "{} {}", message, changed);
        }
    }
}

#[test]
fn so_many_values_of_all_are_rare() {
    for (values, limit) in [(0, 0), (19, 0), (20, 1), (999, 1), (1_000, 2), (1_500, 3)] {
        assert_eq!(rare_limit(values), limit, "{values}");
    }
    for (counts, is) in [
        (&[1, 8][..], true),
        (&[1, 7], false),
        (&[2, 16, 40], true),
        (&[2, 15], false),
        (&[1, 2], false),
        (&[9], false),
        (&[], false),
    ] {
        assert_eq!(stands_out(counts.iter().copied(), 2), is, "{counts:?}");
    }
}

#[test]
fn values_that_nearly_all_differ_are_told_apart_by_their_form() {
    // The last text is the first value without room.
    let texts = |errors: usize, all: usize| -> Vec<String> {
        let text = |at: usize| match at {
            at if at % 40 == 7 && at / 40 < errors => format!("\"ERROR: no room {at}\""),
            at => format!("\"served request {at}\""),
        };
        (0..all).map(text).collect()
    };
    let at_most = texts(3, MOST);
    assert_eq!(noted(&at_most).values().map(<[_]>::len), Some(MOST));
    let more = texts(3, 1_000);
    let counted = noted(&more);
    assert!(counted.values().is_none());
    assert_eq!(counted.failing(), Some((3, "ERROR: no room 7", 7)));
    let forms = plain_forms(&counted);
    assert_eq!(
        forms,
        [
            ("\"served request 0\"", 997, 0),
            ("\"ERROR: no room 7\"", 3, 7)
        ]
    );
    // Of ten, one at least must be no error.
    for (all, errors, served) in [
        (1_000, 900, "served"),
        (1_000, 901, "served"),
        (200, 180, "x"),
    ] {
        let text = |at: u32| match at < errors {
            true => format!("\"FAILED: row {at}\""),
            false => format!("\"{served} {at}\""),
        };
        let texts: Vec<String> = (0..all).map(text).collect();
        let expected = (errors * 10 <= all * 9).then_some((errors, "FAILED: row 0", 0));
        assert_eq!(noted(&texts).failing(), expected, "{errors} of {all}");
    }
    // Among few values, a name is no error.
    for (name, expected) in [
        ("Critical path test", None),
        ("Failed to open", Some((1, "Failed to open", 3))),
        ("ERROR at open", Some((1, "ERROR at open", 3))),
    ] {
        let text = |at: usize| match at {
            3 => format!("\"{name}\""),
            _ => format!("\"served request {at}\""),
        };
        let texts: Vec<String> = (0..14).map(text).collect();
        assert_eq!(noted(&texts).failing(), expected);
    }
    // Short values, and values that are no text, are no messages.
    for short in ["\"ERROR:a\"", "99999999999"] {
        let mut texts = texts(0, 400);
        texts[300] = short.to_owned();
        assert_eq!(noted(&texts).failing(), None, "{short}");
    }
    let begins = |end: &str| format!("\"{}{end}\"", "w".repeat(FORM_BYTES));
    assert_eq!(form(&begins("a")), form(&begins("b")));
}

#[test]
fn forms_without_room_are_not_counted_as_another() {
    let word = |at: usize| -> String {
        [at / 26 % 26, at % 26]
            .iter()
            .map(|letter| char::from(b'a' + *letter as u8))
            .collect()
    };
    // 257 different values, of as many forms as there is room for but one, and then each form once more.
    let texts: Vec<String> = (0..MOST)
        .map(|at| format!("\"served {} 1\"", word(at)))
        .chain((0..MOST).map(|at| format!("\"served {} 2\"", word(at))))
        .chain(["\"sold out 1\"", "\"sold out 2\"", "\"sold out 3\""].map(str::to_owned))
        .collect();
    let counted = noted(&texts);
    assert!(counted.mode == Mode::Forms);
    assert_eq!(counted.items.len(), MOST);
    assert!(counted.items.iter().all(|item| item.count == 2));
}

fn plain_forms<'t>(counted: &'t Counted<'_>) -> Plain<'t> {
    told(&counted.items)
}

#[test]
fn values_of_which_most_come_again_stay_values() {
    // 256 values, each twice, and then new ones.
    let texts: Vec<String> = (0..2 * MOST)
        .map(|at| format!("v{}", at % MOST))
        .chain((0..9).map(|at| format!("w{at}")))
        .collect();
    let counted = noted(&texts);
    assert!(counted.values().is_none() && !counted.rare().1);
    assert_eq!(counted.items.len(), MOST);
}
