//! Lines unlike all other lines of a text.
//!
//! Owns the definition of rare: few lines share the pattern of the line, or it has more unique words than others.
//! Refuses to know the meaning of lines.
//!
//! Tables of bounded size count words and patterns. A count may be too high and never too low. So a line that is called
//! rare is rare, however large the text.

use crate::hashing;
use crate::patterns::{Pattern, Patterns};
use crate::trim::{is_blank, is_indented, trim};
use crate::words::{self, Tallies, seldom, word_of};

/// Fewer lines than this contain no rare line.
const LEAST: usize = 40;
/// Most lines that are examined.
const MOST: usize = 2_000_000;
/// A word is part of a pattern if this many lines in a thousand have it, and at least [`LEAST_WORDS`].
const FREQUENT_PER_MILLE: usize = 1;
const LEAST_WORDS: u32 = 4;
/// The share of lines that a rare pattern has at most: one in this many.
const ONE_OF: usize = 2_000;
/// The share of rare lines at most: one in this many.
const RARE_ONE_OF: usize = 25;
const FEW: usize = 8;
/// If more are rare, those with at least so many unique words are.
const LEAST_OF_A_CROWD: usize = 3;
/// More rare lines than one in so many are no crowd, but all lines differ.
const CROWD_ONE_OF: usize = 4;
/// In longer texts, no header is a crowd.
const MOST_WITH_LONE: usize = 500;
/// The share of lines with the most unique words at most: one in this many.
const OWN_WORDS_ONE_OF: usize = 1_000;
const LEAST_OF_OWN_WORDS: usize = 2;
const MOST_OF_OWN_WORDS: usize = 5;
/// The share of a rare pattern's lines in a short text: one in this many, and at most so many.
const PAIRS_ONE_OF: usize = 30;
const MOST_OF_A_PATTERN: usize = 5;
/// A pattern without unique words is not rare, if many lines have such patterns with more lines, up to so many times.
/// Pairs are no sign of this.
const SOMETIMES: usize = 4;
const PAIR: usize = 2;
/// Higher counts of unique words are treated as this count.
const MOST_WORDS: usize = 15;
/// The first and the last lines of a text: a title and an outcome have words of their own, and hide no line between them.
const HEAD: usize = 5;
const FOOT: usize = 3;

/// Room for each pattern, so that the table is nearly empty.
const ROOM_OF_A_PATTERN: usize = 16;
/// Approximate bytes of text for each different word.
const BYTES_OF_A_WORD: usize = 8;

/// The number of lines by their unique words.
type Counts = [usize; MOST_WORDS + 1];

/// A rare line, and its number from 1.
#[derive(Clone, Copy)]
pub struct Rare<'t> {
    pub place: usize,
    pub line: &'t str,
    /// The number of unique words.
    own_words: u8,
}

impl<'t> Rare<'t> {
    /// A line that is rare for another reason than its words.
    pub fn of(place: usize, line: &'t str) -> Rare<'t> {
        Rare {
            place,
            line,
            own_words: u8::MAX,
        }
    }

    pub fn is_rare_by_words(&self) -> bool {
        self.own_words < u8::MAX
    }

    /// The number of unique words: the more, the rarer.
    pub fn own_words(&self) -> u8 {
        self.own_words
    }
}

/// The measures that make a line rare.
#[derive(Clone, Copy)]
struct Feature {
    /// The hash of the pattern, in which only frequent words count.
    pattern: u64,
    own_words: u8,
}

impl Feature {
    /// Notes the value of the line's next word and sign.
    #[inline]
    fn note(&mut self, value: u64, known: &Tallies, frequent: u32) {
        let mut value = value;
        if let Some(word) = word_of(value) {
            let times = known.count(word);
            self.own_words += u8::from(times == 1 && self.own_words < MOST_WORDS as u8);
            if times < frequent {
                value = seldom(value);
            }
        }
        self.pattern = hashing::mixed(self.pattern, value);
    }

    /// The feature of a line, which differs if blanks are before it.
    fn indented(self, is_indented: bool) -> Feature {
        Feature {
            pattern: hashing::mixed(self.pattern, u64::from(is_indented)),
            ..self
        }
    }
}

/// Finds rare lines, in order. Lines of one pattern have the same words, so one lookup suffices. `own_words`: a line
/// with more words of its own than others is rare, too. Returns whether these are all lines that are rare, and the numbers
/// of those whose neighbours are not rare, if they are few of a crowd: a long header is a crowd.
pub fn rare<'t>(
    lines: impl Iterator<Item = (usize, &'t str)> + Clone,
    patterns: &Patterns<'t>,
    (count, bytes): (usize, usize),
    own_words: bool,
) -> (Vec<Rare<'t>>, bool, Vec<usize>) {
    let (mut found, mut lone) = (Vec::new(), Vec::new());
    if !(LEAST..=MOST).contains(&count) {
        return (found, true, lone);
    }
    // The lines without a pattern, which a text with few patterns lacks.
    let most = if patterns.are_full() { count } else { 0 };
    let others = || {
        let lines = lines.clone().take(most);
        lines.filter(|(place, line)| patterns.of_line(*place).is_none() && !is_blank(line))
    };
    let mut known = Tallies::with_room(bytes / BYTES_OF_A_WORD);
    for pattern in &patterns.all {
        let times = u32::try_from(pattern.count).unwrap_or(u32::MAX);
        patterns.values(pattern, |value| {
            if let Some(word) = word_of(value) {
                known.add(word, times);
            }
        });
    }
    for (_, line) in others() {
        words::each_value(trim(line), &mut |value| {
            if let Some(word) = word_of(value) {
                known.add(word, 1);
            }
        });
    }
    let frequent = LEAST_WORDS.max((count * FREQUENT_PER_MILLE / 1_000) as u32);
    let none = Feature {
        pattern: hashing::START,
        own_words: 0,
    };
    let of_patterns: Vec<[Feature; 2]> = patterns
        .all
        .iter()
        .map(|pattern| {
            let mut feature = none;
            patterns.values(pattern, |value| feature.note(value, &known, frequent));
            [feature.indented(false), feature.indented(true)]
        })
        .collect();
    // Lines of one pattern, and of one indentation, are counted at once.
    let of_others: Vec<Feature> = others()
        .map(|(_, line)| {
            let mut feature = none;
            words::each_value(trim(line), &mut |value| {
                feature.note(value, &known, frequent);
            });
            feature.indented(is_indented(line))
        })
        .collect();
    let all = || {
        let of_patterns = patterns.all.iter().zip(&of_patterns);
        let of_patterns = of_patterns.flat_map(|(pattern, [plain, indented])| {
            [
                (pattern.count - pattern.indented, *plain),
                (pattern.indented, *indented),
            ]
        });
        of_patterns.chain(of_others.iter().map(|feature| (1, *feature)))
    };
    let is_end = |pattern: &Pattern<'_>| {
        let (place, _) = pattern.first;
        pattern.count == 1 && (place <= HEAD || place + FOOT > count)
    };
    let mut of_ends = [0usize; MOST_WORDS + 1];
    for (pattern, [feature, _]) in patterns.all.iter().zip(&of_patterns) {
        of_ends[usize::from(feature.own_words)] += usize::from(is_end(pattern));
    }
    // Most lines share few patterns.
    let different = patterns.all.len() + of_others.len();
    let mut counts = Tallies::with_room((2 * count).min(ROOM_OF_A_PATTERN * different));
    let mut of_own_words = [0usize; MOST_WORDS + 1];
    for (times, feature) in all().filter(|(times, _)| *times > 0) {
        counts.add(feature.pattern, u32::try_from(times).unwrap_or(u32::MAX));
        of_own_words[usize::from(feature.own_words)] += times;
    }
    let few = FEW.max(count / RARE_ONE_OF);
    // The same odd line may occur twice, or more often in a long text, if all lines like it are few together.
    let least = (count / ONE_OF).max(1) as u32;
    let most = least.max((count / PAIRS_ONE_OF).clamp(1, MOST_OF_A_PATTERN) as u32);
    // Lines by how many more than the least share their pattern.
    let mut lines_of = [0usize; MOST_OF_A_PATTERN];
    // Those that share it least, by the number of their own words.
    let mut rare_with = [0usize; MOST_WORDS + 1];
    // The lines without unique words by how many share their pattern, in multiples of the least.
    let mut usual_of = [0usize; MOST_OF_A_PATTERN * SOMETIMES + 1];
    for (times, feature) in all().filter(|(times, _)| *times > 0) {
        let of_pattern = counts.count(feature.pattern);
        let more = of_pattern.saturating_sub(least) as usize;
        if let Some(lines) = lines_of.get_mut(more) {
            *lines += times;
        }
        if more == 0 {
            rare_with[usize::from(feature.own_words)] += times;
        }
        let multiple = of_pattern.div_ceil(least) as usize;
        if feature.own_words == 0
            && let Some(lines) = usual_of.get_mut(multiple)
        {
            *lines += times;
        }
    }
    let lines_up_to = |limit: &u32| lines_of[..=(limit - least) as usize].iter().sum::<usize>();
    let mut limits = (least..=most).rev();
    let mut limit = limits.find(|limit| (1..=few).contains(&lines_up_to(limit)));
    // Of many pairs of words, some occur once by chance.
    let are_by_chance = |limit: u32| {
        let limit = limit.div_ceil(least) as usize;
        let often = limit.max(PAIR) + 1..=limit * SOMETIMES;
        usual_of[often].iter().sum::<usize>() > few
    };
    let is_less = |limit: &u32| {
        *limit > least && (lines_of[(limit - least) as usize] == 0 || are_by_chance(*limit))
    };
    while let Some(above) = limit.filter(is_less) {
        limit = Some(above - 1);
    }
    let crowded = limit.unwrap_or(least);
    let is_rare = |feature: &Feature| counts.count(feature.pattern) <= crowded;
    // Of a crowd, those with the most words of their own, and those among lines that are not rare.
    let mut least_of_pattern = [limit.map(|limit| usize::from(are_by_chance(limit))); 2];
    if limit.is_none() && lines_up_to(&least) > 0 {
        let with_at_least = |words: &usize, rare: &Counts| rare[*words..].iter().sum::<usize>();
        // Where all lines differ, the longest do most.
        let are_few = lines_up_to(&least) * CROWD_ONE_OF <= count;
        let most = if are_few {
            MOST_WORDS
        } else {
            LEAST_OF_A_CROWD
        };
        let numbers = LEAST_OF_A_CROWD..=most;
        least_of_pattern = with_and_without(&rare_with, &of_ends, |rare| {
            numbers
                .clone()
                .find(|words| (1..=few).contains(&with_at_least(words, rare)))
        });
        if are_few && own_words && count <= MOST_WITH_LONE {
            let (mut is_after_others, mut last) = (false, None);
            let mut others = of_others.iter();
            for (place, line) in lines.clone().filter(|(_, line)| !is_blank(line)) {
                let feature = match patterns.of_line(place) {
                    Some(pattern) => Some(&of_patterns[pattern][usize::from(is_indented(line))]),
                    None => others.next(),
                };
                let is_of_crowd = feature.is_some_and(is_rare);
                if !is_of_crowd {
                    lone.extend(last);
                }
                last = (is_of_crowd && is_after_others).then_some(place);
                is_after_others = !is_of_crowd;
            }
            if lone.len() > few {
                lone.clear();
            }
        }
    }
    let most = (count / OWN_WORDS_ONE_OF).clamp(LEAST_OF_OWN_WORDS, MOST_OF_OWN_WORDS);
    let least_words = match own_words {
        true => with_and_without(&of_own_words, &of_ends, |lines| least_words(lines, most)),
        false => [None; 2],
    };
    // Of a crowd, only these are told.
    let are_all = limit.is_some() || lines_up_to(&least) == 0;
    if least_of_pattern == [None; 2] && least_words == [None; 2] {
        return (found, are_all, lone);
    }
    let stands_out = |feature: &Feature, is_inside: bool| {
        let own_words = usize::from(feature.own_words);
        let has = |least: &[Option<usize>; 2]| {
            least[usize::from(is_inside)].is_some_and(|least| own_words >= least)
        };
        has(&least_of_pattern) && is_rare(feature) || has(&least_words)
    };
    let are_rare: Vec<[bool; 2]> = patterns
        .all
        .iter()
        .zip(&of_patterns)
        .map(|(pattern, features)| {
            let is_inside = !is_end(pattern);
            features.each_ref().map(|it| stands_out(it, is_inside))
        })
        .collect();
    if of_others.is_empty() && !are_rare.iter().flatten().any(|is_rare| *is_rare) {
        return (found, are_all, lone);
    }
    let mut of_others = of_others.into_iter();
    for (place, line) in lines {
        let own_words = match patterns.of_line(place) {
            Some(pattern) => {
                let is_indented = usize::from(is_indented(line));
                if !are_rare[pattern][is_indented] {
                    continue;
                }
                of_patterns[pattern][is_indented].own_words
            }
            None if is_blank(line) => continue,
            None => match of_others.next() {
                Some(feature) if stands_out(&feature, true) => feature.own_words,
                _ => continue,
            },
        };
        // Few: at most one in twenty-five lines, or in a thousand.
        found.push(Rare {
            place,
            line,
            own_words,
        });
    }
    (found, are_all, lone)
}

/// What is found of lines, and without some of them; the same, if nothing is found without these.
fn with_and_without(
    lines: &Counts,
    some: &Counts,
    find: impl Fn(&Counts) -> Option<usize>,
) -> [Option<usize>; 2] {
    let without = std::array::from_fn(|words| lines[words].saturating_sub(some[words]));
    let with = find(lines);
    [with, find(&without).or(with)]
}

/// The number of unique words that makes a line rare: few lines have it, and the others have far fewer.
fn least_words(lines: &Counts, most: usize) -> Option<usize> {
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

#[cfg(test)]
#[path = "tests/rare_lines.rs"]
mod tests;
