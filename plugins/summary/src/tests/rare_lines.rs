//! The measures that make a line rare, at their limits.

use super::*;
use crate::source::Source;

/// The numbers of the lines that are rare.
fn places(text: &str) -> Vec<usize> {
    let source = Source::of(text);
    let count = text.lines().count();
    rare(source.lines(), source.patterns(), (count, text.len()), true)
        .0
        .iter()
        .map(|rare| rare.place)
        .collect()
}

fn among(count: usize, others: &[&str]) -> String {
    others
        .iter()
        .map(|line| format!("{line}\n"))
        .collect::<String>()
        + &"x y z\n".repeat(count - others.len())
}

/// Lines of the same words, each with its own sign.
const SIGNS: [&str; 9] = [
    "x,y", "x;y", "x:y", "x/y", "x|y", "x=y", "x+y", "x*y", "x#y",
];

#[test]
fn few_lines_have_a_pattern_of_their_own() {
    assert_eq!(places(&among(LEAST, &SIGNS[..1])), [1]);
    assert!(places(&among(LEAST - 1, &SIGNS[..1])).is_empty());
    assert_eq!(places(&among(100, &SIGNS[..8])).len(), 8);
    assert!(places(&among(100, &SIGNS)).is_empty(), "they are many");
    assert!(places(&among(224, &SIGNS)).is_empty());
    assert_eq!(places(&among(225, &SIGNS)).len(), 9);
    // A rare pattern may have one of 30 lines, and five at most.
    assert!(places(&among(59, &["x,y", "x,y"])).is_empty());
    assert_eq!(places(&among(60, &["x,y", "x,y"])), [1, 2]);
    assert_eq!(places(&among(3_999, &["x,y", "x,y"])), [1, 2]);
    assert!(places(&among(149, &["x,y"; 5])).is_empty());
    assert_eq!(places(&among(150, &["x,y"; 5])).len(), 5);
    assert!(places(&among(9_000, &["x,y"; 6])).is_empty());
    // Where pairs are many, what occurs once is rare all the same.
    let pairs = SIGNS[..8].iter().flat_map(|sign| [*sign; 2]);
    let once = pairs.chain([SIGNS[8]]).collect::<Vec<_>>();
    assert_eq!(places(&among(100, &once)), [17]);
}

#[test]
fn a_pair_of_words_that_occurs_once_by_chance_is_not_rare() {
    const SHOPS: [&str; 5] = ["north", "south", "east", "west", "lake"];
    const STATES: [&str; 5] = ["open", "shut", "sold", "held", "lost"];
    // All pairs occur so often, but one.
    let text = |often: usize, last: &str| {
        let pairs = SHOPS.map(|shop| STATES.map(|state| format!("{shop} {state}\n")));
        let others: String = pairs.as_flattened()[1..]
            .iter()
            .map(|pair| pair.repeat(often))
            .collect();
        format!("{others}north open\n{last}")
    };
    assert!(places(&text(4, "")).is_empty());
    assert_eq!(places(&text(4, "north burnt\n")), [98]);
    assert_eq!(places(&text(8, "")), [193], "all others are frequent");
    // The same of a name that five lines have, where others have more.
    let text = |others: usize| {
        let name = |name: &str, times: usize| format!("{name} open\n").repeat(times);
        let all = SHOPS[1..].iter().map(|shop| name(shop, others));
        name(SHOPS[0], 5) + &all.collect::<String>() + &name("x", 100)
    };
    assert!(places(&text(12)).is_empty());
    assert_eq!(places(&text(30)), [1, 2, 3, 4, 5]);
}

#[test]
fn blanks_before_a_line_count_and_those_after_it_do_not() {
    assert_eq!(places(&among(60, &["", "   x y z", ""])), [2]);
    assert!(places(&among(60, &["x y z   ", "   ", "\t", "x y z\r"])).is_empty());
    assert!(places(&among(59, &[" x y z", "  x y z"])).is_empty(), "two");
}

#[test]
fn words_that_few_lines_have_are_no_part_of_a_pattern() {
    let text = |times: usize| {
        let known = vec!["x known z"; times];
        among(100, &known) + "x other z\n"
    };
    // A unique word makes the last line rare.
    assert_eq!(places(&text(1)), [1, 101], "two have a word of their own");
    assert_eq!(places(&text(2)), [1, 2, 101]);
    assert_eq!(places(&text(4)), [101]);
}

#[test]
fn a_line_with_very_many_words_of_its_own_is_rare() {
    let word = |at: usize| format!("{}{}", char::from(b'g' + at as u8), "hij");
    for count in [MOST_WORDS - 1, MOST_WORDS, MOST_WORDS + 1, MOST_WORDS + 4] {
        let own: Vec<String> = (0..count).map(word).collect();
        assert_eq!(places(&among(60, &[&own.join(" ")])), [1], "{count}");
    }
}

#[test]
fn words_of_their_own_are_far_more_than_others_have() {
    let least = |lines: &[(usize, usize)], most: usize| {
        let mut of_own_words = [0; MOST_WORDS + 1];
        for (number, count) in lines {
            of_own_words[*number] = *count;
        }
        least_words(&of_own_words, most)
    };
    assert_eq!(least(&[(0, 99), (5, 1)], 1), Some(5));
    assert_eq!(least(&[(0, 99), (5, 2)], 1), None, "they are many");
    assert_eq!(least(&[(0, 99), (1, 1)], 1), Some(1));
    assert_eq!(least(&[(1, 99), (2, 1)], 1), Some(2), "twice as many");
    assert_eq!(least(&[(2, 99), (3, 1)], 1), None);
    assert_eq!(least(&[(2, 99), (4, 1)], 1), Some(4));
    assert_eq!(least(&[(3, 99), (4, 1)], 1), None);
    assert_eq!(least(&[(3, 99), (5, 1)], 1), Some(5), "two more");
    assert_eq!(least(&[(3, 99), (14, 1), (15, 1)], 2), Some(14));
    assert_eq!(least(&[(3, 99), (14, 1), (15, 1)], 1), None);
    assert_eq!(least(&[(3, 99), (5, 1), (9, 1)], 2), Some(5));
    assert_eq!(least(&[(0, 99)], 1), None);
}
