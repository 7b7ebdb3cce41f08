//! Odd numbers against a plain count of all lines.

use super::*;
use proptest::prelude::*;

/// The lines with an odd number, in order.
fn odd(numbers: &[u64]) -> Vec<usize> {
    let mut found = Numbers::of(1, &numbers[..1]);
    for (line, number) in (2..).zip(&numbers[1..]) {
        found.note(line, &[*number]);
    }
    let mut lines: Vec<usize> = found.odd().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn few_lines_have_another_number() {
    let mut numbers = vec![7; LEAST];
    assert!(odd(&numbers).is_empty());
    for place in [0, 1, 2, 20, LEAST - 1] {
        numbers[place] = 9;
        assert_eq!(odd(&numbers), [place + 1]);
        assert!(odd(&numbers[..LEAST - 1]).is_empty(), "too few lines");
        numbers[place] = 7;
    }
    (numbers[3], numbers[8]) = (8, 9);
    assert!(odd(&numbers).is_empty(), "two of forty lines are many");
    numbers.resize(2 * LEAST, 7);
    assert_eq!(odd(&numbers), [4, 9]);
}

proptest! {
    /// Lines that are told are odd, and all odd lines are told together.
    #[test]
    fn odd_lines_are_those_without_the_usual_number(
        others in prop::collection::btree_map(0usize..200, 1u64..4, 0..8),
        count in 1usize..200,
    ) {
        let numbers: Vec<u64> = (0..count).map(|at| others.get(&at).copied().unwrap_or(0)).collect();
        let expected: Vec<usize> = (1..).zip(&numbers).filter(|(_, it)| **it != 0).map(|(line, _)| line).collect();
        let found = odd(&numbers);
        // If both of the first lines are odd, no number is usual.
        let is_known = numbers.iter().take(2).filter(|it| **it != 0).count() < 2;
        if count >= LEAST && expected.len() <= FEW.min(count / ODD_ONE_OF) && is_known {
            prop_assert_eq!(found, expected);
        } else if count >= LEAST && is_known {
            prop_assert!(found.is_empty());
        }
    }
}
