//! The forms of lines: lines that are equal except for their digits have one form.
//!
//! Owns which lines have the form of an earlier one, so that what depends on the form alone is found once. Refuses to know
//! what that is.

use crate::hashing::{START, mixed};
use crate::words::sixteen;
use tamis_formats::Sixteen;

/// Lines after which forms are not looked for if too few lines have the form of an earlier one.
const TRIED: usize = 128;
/// One in so many lines.
const ONE_OF: usize = 8;
/// Most lines whose forms are found.
const MOST: usize = 1 << 16;
/// Shorter lines are read as quickly as their form.
const LEAST_BYTES: usize = 8;
/// Most forms that are known at once. A later one takes the place of an earlier one.
const SLOTS: usize = 1 << 12;

/// The forms of a text's lines.
pub struct Forms {
    /// The number of the first line of the same form, for the first lines.
    first: Vec<u32>,
}

impl Forms {
    pub fn of<'t>(lines: impl Iterator<Item = &'t str>, count: usize) -> Forms {
        let mut first = Vec::with_capacity(count.min(MOST));
        // The newest allocation, so that it is freed.
        let mut slots = vec![(0u64, 0u32); count.next_power_of_two().min(SLOTS)];
        let mut found = 0;
        for (line, number) in lines.take(MOST).zip(1..) {
            let mut earliest = number;
            if line.len() >= LEAST_BYTES {
                let form = form(line.as_bytes());
                let place = form as usize & (slots.len() - 1);
                match slots[place] {
                    (known, at) if known == form => (earliest, found) = (at, found + 1),
                    _ => slots[place] = (form, number),
                }
            }
            first.push(earliest);
            if first.len().is_multiple_of(TRIED) && found * ONE_OF < first.len() {
                break;
            }
        }
        Forms { first }
    }

    /// The number of an earlier line of the same form as the line with this number, if one is known.
    #[inline]
    pub fn before(&self, number: usize) -> Option<usize> {
        let first = *self.first.get(number - 1)? as usize;
        (first < number).then_some(first)
    }
}

/// A hash of a line in which all digits are equal.
pub fn form(line: &[u8]) -> u64 {
    let add = |hash, bytes: Sixteen| {
        let [low, high] = bytes.without_digits();
        mixed(mixed(hash, low), high)
    };
    let hash = mixed(START, line.len() as u64);
    let (blocks, rest) = line.as_chunks::<16>();
    let hash = blocks
        .iter()
        .fold(hash, |hash, block| add(hash, Sixteen::of(block)));
    match line.last_chunk() {
        _ if rest.is_empty() => hash,
        // The last sixteen bytes overlap those before.
        Some(last) => add(hash, Sixteen::of(last)),
        None => add(hash, sixteen(line, 0).0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_of_one_form_differ_in_digits_alone(lines in prop::collection::vec("[ab1-3]{0,3}[é ]{0,2}[0-9a]{0,20}", 1..80)) {
            // Twice, so that many lines are known.
            let lines: Vec<&str> = lines.iter().chain(&lines).map(String::as_str).collect();
            let forms = Forms::of(lines.iter().copied(), lines.len());
            let plain = |line: &str| line.replace(|c: char| c.is_ascii_digit(), "0");
            for (number, line) in (1..).zip(&lines) {
                if let Some(before) = forms.before(number) {
                    prop_assert!(before < number);
                    prop_assert_eq!(plain(lines[before - 1]), plain(line));
                }
            }
        }
    }

    #[test]
    fn lines_are_found_again() {
        let lines = ["took 12 ms of 40", "took 99 ms of 10", "took 9 ms of 10"];
        let forms = Forms::of(lines.into_iter(), lines.len());
        assert_eq!(
            [1, 2, 3, 4].map(|line| forms.before(line)),
            [None, Some(1), None, None]
        );
    }
}
