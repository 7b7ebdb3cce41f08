//! Parts of long lines: those with the words that other lines lack.
//!
//! Owns where such a part begins. Refuses to know which lines are shown.

use crate::hashing::Map;
use crate::paper::{CUT, characters, cut};
use std::borrow::Cow;

/// Most long lines that are examined.
const LINES: usize = 64;
/// Fewest letters of a word that tells lines apart.
const LETTERS: usize = 4;
/// Most lines that may have such a word.
const FEW: u32 = 2;
/// Characters shown before the word, and at least after it.
const BEFORE: usize = 40;
const AFTER: usize = 60;

/// Where the first word begins that hardly any other line has, for each of these lines of more than `limit` bytes, by their
/// numbers. Lines whose beginning has such a word are not among them.
pub fn places<'t>(
    all: impl Iterator<Item = &'t str>,
    lines: impl Iterator<Item = (usize, &'t str)>,
    limit: usize,
) -> Map<usize, usize> {
    let long: Vec<(usize, &str)> = lines
        .filter(|(_, line)| line.len() > limit)
        .take(LINES)
        .collect();
    let mut found = Map::default();
    if long.is_empty() {
        return found;
    }
    // The lines with each word, and the last of them.
    let mut counts: Map<&str, (u32, usize)> = Map::default();
    for (_, word) in long.iter().flat_map(|(_, line)| words(line)) {
        counts.insert(word, (0, 0));
    }
    for (number, line) in (1..).zip(all) {
        for (_, word) in words(line) {
            if let Some((count, last)) = counts.get_mut(word).filter(|(_, last)| *last != number) {
                (*count, *last) = (*count + 1, number);
            }
        }
    }
    for (number, line) in long {
        let rare = words(line).find(|(_, word)| counts[word].0 <= FEW);
        if let Some((at, _)) = rare {
            found.insert(number, at);
        }
    }
    found
}

/// The words of a line that tell it apart from others, and where they begin. Words with digits tell nothing.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let words = line.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| word.len() >= LETTERS && !word.bytes().any(|byte| byte.is_ascii_digit()))
        .map(|word| (word.as_ptr().addr() - line.as_ptr().addr(), word))
}

/// At most `limit` characters of a line: its beginning, or the part around the byte `at` if that has it not.
pub fn around(line: &str, at: usize, limit: usize) -> Cow<'_, str> {
    let before = line.get(..at).unwrap_or_default();
    if characters(line) <= limit || characters(before) + AFTER <= limit || limit < BEFORE + AFTER {
        return cut(line, limit);
    }
    let from = before.char_indices().rev().nth(BEFORE);
    let from = from.map_or(0, |(from, _)| from);
    // From the next word on.
    let blank = before[from..]
        .find(' ')
        .map_or(from, |blank| from + blank + 1);
    Cow::Owned(format!("{CUT}{}", cut(&line[blank..], limit - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_of_a_long_line_that_others_lack() {
        let usual = "We check the level of the unit, and then the bolts. ".repeat(8);
        let line = format!("{usual}Warning: never open the valve. {usual}");
        let all = [usual.as_str(), &usual, &usual, &line, "short"];
        let places = places(
            all.into_iter(),
            [(4, line.as_str()), (5, "short")].into_iter(),
            200,
        );
        assert_eq!(places.get(&4), Some(&usual.len()));
        assert_eq!(places.len(), 1);
        let part = around(&line, usual.len(), 120);
        assert!(
            part.starts_with("…level of the unit, and then the bolts. Warning: never open"),
            "{part}"
        );
        assert!(characters(&part) <= 120 && part.ends_with('…'));
        assert_eq!(around("short", 2, 120), "short");
        assert_eq!(around(&line, 10, 120), cut(&line, 120));
        let wide = format!("{}Warnung: {}", "ä".repeat(300), "ö".repeat(90));
        assert!(around(&wide, 600, 120).contains("Warnung"));
    }
}
