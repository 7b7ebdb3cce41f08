//! The failures and rare lines that fit, and counts of the others.

use super::*;
use crate::paper::characters;
use proptest::prelude::*;

fn told(text: &str, rare: bool, room: usize) -> String {
    let source = Source::of(text);
    let search = Search {
        strictness: Strictness::Open,

        has_tags: false,
        rare,
        values: None,
        lines: Vec::new(),
        errors: &[],
        notable: false,
    };
    let findings = Findings::of(&source, (text.lines().count(), text.len()), search, None);
    let mut paper = Paper::new(room);
    findings.tell(&mut paper, |_, _| false, &|_, _| None);
    assert_eq!(characters(paper.text()) + paper.left(), room);
    paper.text().to_owned()
}

/// A word without digits for each number.
fn word(number: usize) -> String {
    let letter = |at: usize| char::from(b'g' + (at % 20) as u8);
    [letter(number / 20), letter(number), letter(number / 400)]
        .iter()
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn the_first_the_last_and_the_next_sorts_have_room_first(
        sorts in prop::collection::vec((1usize..4, 0usize..30), 1..9), room in 0usize..420
    ) {
        let line = |at: usize| format!("ERROR {} {}", word(at), "z".repeat(sorts[at].1));
        let mut text = String::new();
        // The positions of each sort's lines.
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); sorts.len()];
        for turn in 0..3 {
            for at in (0..sorts.len()).filter(|at| sorts[*at].0 > turn) {
                text.push_str(&format!("{}\n", line(at)));
                places[at].push(text.lines().count());
            }
        }
        let count = text.lines().count();
        let told_of = |at: usize| {
            let (first, last) = (places[at][0], *places[at].last().expect("a place"));
            let text = line(at).trim_end().to_owned();
            match places[at].len() {
                1 => format!("{first}: {text}\n"),
                2 => format!("{first}, {last}: {text}\n"),
                times => format!("{first} ({times} times, last {last}): {text}\n"),
            }
        };
        let head = if count == 1 {
            "1 line that looks like a failure:\n".to_owned()
        } else if sorts.len() == 1 {
            format!("{count} lines that look like failures, of one sort:\n")
        } else if sorts.len() == count {
            format!("{count} lines that look like failures:\n")
        } else {
            format!("{count} lines that look like failures, of {} sorts:\n", sorts.len())
        };
        let mut expected = String::new();
        if head.len() <= room {
            let mut left = room - head.len();
            let last = sorts.len() - 1;
            let order: Vec<usize> = [0, last].into_iter().take(sorts.len()).chain(1..last.max(1)).collect();
            let mut shown = Vec::new();
            for at in order {
                let rest = if shown.len() + 1 < sorts.len() { REST } else { 0 };
                if told_of(at).len() + rest > left {
                    break;
                }
                left -= told_of(at).len();
                shown.push(at);
            }
            shown.sort_unstable();
            expected.push_str(&head);
            for at in &shown {
                expected.push_str(&told_of(*at));
            }
            let left_out = count - shown.iter().map(|at| places[*at].len()).sum::<usize>();
            if shown.is_empty() {
                let mut paper = Paper::new(left);
                paper.cut_line(told_of(0).trim_end());
                expected.push_str(paper.text());
            } else if left_out > 0 {
                expected.push_str(&format!(" and {left_out} more such lines\n"));
            }
        }
        prop_assert_eq!(told(&text, false, room), expected);
    }

    #[test]
    fn the_rarest_lines_have_room_first(lengths in prop::collection::vec(1usize..5, 1..4), room in 0usize..200) {
        let mut text = "of the same words as any line\n".repeat(1_000 * lengths.len());
        let line = |at: usize| (0..lengths[at] + 3).map(|own| word(40 * at + own + 1) + " ").collect::<String>();
        for at in 0..lengths.len() {
            text.insert_str(0, &format!("{}\n", line(at).trim_end()));
        }
        // The last was written first.
        let place = |at: usize| lengths.len() - at;
        let count = lengths.len();
        let head = |shown: usize| match count {
            1 => "1 line that is like few others:\n".to_owned(),
            _ if shown == count => format!("{count} lines that are like few others:\n"),
            _ => format!("{count} lines that are like few others, the {shown} rarest:\n"),
        };
        let mut expected = String::new();
        if head(0).len() <= room {
            let mut left = room - head(0).len();
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by_key(|at| (std::cmp::Reverse(lengths[*at]), place(*at)));
            let mut shown = Vec::new();
            for at in order {
                let limit = left.saturating_sub(12);
                let cut = cut(line(at).trim_end(), limit).into_owned();
                let cut = format!("{}: {cut}\n", place(at));
                if characters(&cut) > left || limit < 8 {
                    break;
                }
                left -= characters(&cut);
                shown.push((place(at), cut));
            }
            shown.sort_unstable();
            // Without a line, the heading would say nothing.
            let heading = if shown.is_empty() { String::new() } else { head(shown.len()) };
            expected = heading + &shown.into_iter().map(|(_, line)| line).collect::<String>();
        }
        prop_assert_eq!(told(&text, true, room), expected);
    }
}

#[test]
fn of_very_many_sorts_the_first_are_known() {
    let lines = |sorts: usize| {
        (0..sorts)
            .map(|at| format!("ERROR {}\n", word(at)))
            .collect::<String>()
    };
    let head = |text: &str| told(text, false, 300).lines().next().map(str::to_owned);
    let twice = |sorts: usize| lines(sorts) + "ERROR ggg\n";
    assert_eq!(
        head(&twice(SORTS)).as_deref(),
        Some("257 lines that look like failures, of 256 sorts:")
    );
    assert_eq!(
        head(&twice(SORTS + 1)).as_deref(),
        Some("258 lines that look like failures, of more than 256 sorts:")
    );
}

#[test]
fn the_last_totals_are_told() {
    let text = "2 passed, 0 failed\n3 passed, 0 failed\n4 passed, 0 failed\n5 passed, 0 failed\n";
    assert_eq!(
        told(text, false, 300),
        "2: 3 passed, 0 failed\n3: 4 passed, 0 failed\n4: 5 passed, 0 failed\n"
    );
}

#[test]
fn a_failure_is_told_at_more_length_than_a_word() {
    let long = "z".repeat(900);
    for (line, characters_of_it) in [
        (format!("ValueError: {long}"), FAILURE_CHARACTERS),
        (format!("of it failed {long}"), LINE_CHARACTERS),
    ] {
        let told = told(&line, false, 2_000);
        let line = told
            .lines()
            .nth(1)
            .and_then(|line| line.strip_prefix("1: "));
        assert_eq!(line.map(characters), Some(characters_of_it), "{told}");
    }
}

proptest! {
    #[test]
    fn texts_of_a_line_are_those_between_its_tags(line in "[a <>é]{0,40}") {
        let expected = line.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
        let expected: Vec<&str> = expected.collect();
        prop_assert_eq!(texts(&line).collect::<Vec<_>>(), expected);
    }
}
