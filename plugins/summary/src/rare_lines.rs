//! Lines that are like no other of a text.
//!
//! Owns what counts as rare: a line whose pattern few lines share, or that has more words than any
//! other which stand nowhere else. Refuses to know what lines mean.
//!
//! Words and patterns are counted in sketches of bounded size that may count too many and never too
//! few: a line that is told as rare is rare, however large the text.

use crate::words::{Sketch, Word, words};

/// In fewer lines than this nothing is rare.
const LEAST: usize = 40;
/// Lines that are looked at; of what comes after them nothing is said.
const MOST: usize = 2_000_000;
/// A word is part of a pattern if so many lines in a thousand have it, and at least [`LEAST_WORDS`].
const FREQUENT_PER_MILLE: usize = 1;
const LEAST_WORDS: u32 = 4;
/// A pattern is rare if it stands in no more lines than one of so many.
const ONE_OF: usize = 2_000;
/// More rare lines than one of so many are no rarity.
const RARE_ONE_OF: usize = 50;
const FEW: usize = 8;
/// Lines with the most words of their own: at most one of so many.
const OWN_WORDS_ONE_OF: usize = 1_000;
const MOST_OF_OWN_WORDS: usize = 5;
/// More words than this that stand nowhere else are not told apart.
const MOST_WORDS: usize = 15;

/// A line that is rare, by its number from 1.
#[derive(Clone, Copy)]
pub struct Rare<'t> {
    pub place: usize,
    pub line: &'t str,
    /// Words that stand nowhere else.
    own_words: u8,
}

impl Rare<'_> {
    /// How rare it is.
    pub fn own_words(&self) -> u8 {
        self.own_words
    }
}

/// Finds rare lines, in their order.
pub fn rare<'t>(
    lines: impl Iterator<Item = (usize, &'t str)> + Clone,
    count: usize,
    bytes: usize,
) -> Vec<Rare<'t>> {
    let mut found = Vec::new();
    if !(LEAST..=MOST).contains(&count) {
        return found;
    }
    let mut known = Sketch::for_bytes(bytes);
    for (_, line) in lines.clone() {
        words(line, |word| {
            if let Word::Letters(hash) = word {
                known.add(hash);
            }
        });
    }
    let frequent = LEAST_WORDS.max((count * FREQUENT_PER_MILLE / 1_000) as u32);
    let mut patterns = Sketch::for_bytes(bytes);
    let mut features: Vec<(u64, u8)> = Vec::with_capacity(count);
    let mut of_own_words = [0usize; MOST_WORDS + 1];
    for (_, line) in lines.clone() {
        let mut own_words = 0u8;
        let mut pattern = 0xcbf2_9ce4_8422_2325u64;
        let mut push = |value: u64| pattern = (pattern ^ value).wrapping_mul(0x0100_0000_01b3);
        words(line, |word| match word {
            Word::Letters(hash) => {
                let times = known.count(hash);
                own_words += u8::from(times == 1 && own_words < MOST_WORDS as u8);
                push(if times >= frequent { hash } else { 1 });
            }
            Word::Number | Word::Name(_) => push(2),
            Word::Sign(sign) => push(u64::from(sign) + 3),
        });
        // Blank lines are none.
        if !line.trim().is_empty() {
            patterns.add(pattern);
            of_own_words[usize::from(own_words)] += 1;
        }
        features.push((pattern, own_words));
    }
    let limit = (count / ONE_OF).max(1) as u32;
    let is_rare = |(place, line): &(usize, &str)| {
        let pattern = features.get(place - 1).map(|(pattern, _)| *pattern);
        !line.trim().is_empty() && pattern.is_some_and(|it| patterns.count(it) <= limit)
    };
    let of_patterns = lines.clone().filter(is_rare).count();
    let are_patterns = of_patterns > 0 && of_patterns <= FEW.max(count / RARE_ONE_OF);
    let most = (count / OWN_WORDS_ONE_OF).clamp(1, MOST_OF_OWN_WORDS);
    let least_words = least_words(&of_own_words, most);
    let has_own_words =
        |own_words: u8| least_words.is_some_and(|least| usize::from(own_words) >= least);
    for (place, line) in lines {
        let own_words = features
            .get(place - 1)
            .map_or(0, |(_, own_words)| *own_words);
        if are_patterns && is_rare(&(place, line)) || has_own_words(own_words) {
            // At most one of fifty lines, or of a thousand: few.
            found.push(Rare {
                place,
                line,
                own_words,
            });
        }
    }
    found
}

/// The number of own words from which on a line is rare: few lines have so many, and the others have far
/// fewer.
fn least_words(lines: &[usize; MOST_WORDS + 1], most: usize) -> Option<usize> {
    let mut least = None;
    let mut sum = 0;
    for number in (1..=MOST_WORDS).rev() {
        sum += lines[number];
        if sum > most {
            break;
        }
        let below = (0..number).rev().find(|below| lines[*below] > 0);
        let below = below.unwrap_or(0);
        if lines[number] > 0 && (2 * below <= number || below + 2 <= number) {
            least = Some(number);
        }
    }
    least
}
