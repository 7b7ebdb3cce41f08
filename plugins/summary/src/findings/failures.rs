//! Lines that look like failures, as a summary shows them: a line of each sort, the most important sorts first.
//!
//! Owns the order of sorts where not all fit. Refuses to know the shapes of failures.

use super::rare::push_title;
use super::{Block, FAILURE_CHARACTERS, FEW, Findings, LINE_CHARACTERS, REST, Sort};
use crate::causes::with_cause;
use crate::frames;
use crate::hashing::{Map, START, mixed};
use crate::paper::{Paper, characters, cut, one_line};
use crate::search::has;
use crate::shapes::Shape;
use crate::trim::trim;
use crate::words::{FRAME, each_value_with_names, word_or_number};

/// Characters for rare lines after failures.
const OTHERS: usize = 320;
/// Fewer sorts are no crowd.
const CROWD: usize = 8;
/// Most words of a line that are compared with those of others.
const WORDS: usize = 64;
/// Most words of a line that are read for this.
const LONGEST: usize = 1 << 10;
/// A sort is unlike the others if at most one in so many shares its frequent words.
const UNLIKE_ONE_OF: usize = 8;

impl<'t> Findings<'t> {
    /// `block`: the line that names the block of a line.
    pub(super) fn tell_failures(&self, block: Block<'_, 't>, paper: &mut Paper) {
        if self.sorts.is_empty() {
            return;
        }
        let (count, sorts) = (self.count, self.sorts.len());
        let head = if count == 1 {
            "1 line that looks like a failure:".to_owned()
        } else if sorts == 1 {
            format!("{count} lines that look like failures, of one sort:")
        } else if sorts == count {
            format!("{count} lines that look like failures:")
        } else if self.others > 0 {
            format!("{count} lines that look like failures, of more than {sorts} sorts:")
        } else {
            format!("{count} lines that look like failures, of {sorts} sorts:")
        };
        if !paper.line(&head) {
            return;
        }
        // The most important shape first, and of these the first, the last, the second, …
        let alone = self.unlike_others();
        let mut order: Vec<usize> = Vec::with_capacity(sorts);
        for shape in [Shape::Failure, Shape::Detail, Shape::Word] {
            let of_shape = (0..sorts).filter(|at| self.sorts[*at].shape == shape);
            // The worst first, whatever their place, then one of the crowd, and those unlike it.
            let (worst, all): (Vec<usize>, Vec<usize>) =
                of_shape.partition(|at| is_critical(self.sorts[*at].first.1));
            order.extend(worst);
            let (alone, all): (Vec<usize>, Vec<usize>) = all.into_iter().partition(|at| alone[*at]);
            order.extend(all.first());
            order.extend(alone);
            order.extend(all.get(1..).and_then(|rest| rest.last()));
            let middle = 1..all.len().saturating_sub(1);
            order.extend(all.get(middle).unwrap_or_default());
        }
        // Lines that do not look like failures need room, too.
        let others = if self.rare.is_empty() {
            0
        } else {
            OTHERS.min(paper.left() / 4)
        };
        let mut left = paper.left() - others;
        let mut shown: Vec<(usize, String)> = Vec::new();
        for at in order {
            let line = told(&self.sorts[at]);
            let needed = characters(&line) + 1;
            let rest = if shown.len() + 1 < sorts { REST } else { 0 };
            if needed + rest > left {
                break;
            }
            left -= needed;
            let place = shown.partition_point(|(known, _)| *known < at);
            shown.insert(place, (at, line));
        }
        if shown.is_empty() {
            // The most important line, as much as fits.
            let best = self.sorts.iter().min_by_key(|sort| sort.shape);
            if let Some(sort) = best {
                paper.cut_line(&told(sort));
            }
            return;
        }
        let left_out: usize = count
            - shown
                .iter()
                .map(|(at, _)| self.sorts[*at].count)
                .sum::<usize>();
        for (at, mut line) in shown {
            let Sort { shape, first, .. } = &self.sorts[at];
            // What a tool reports of a failure names it.
            if count == 1 && *shape == Shape::Word {
                push_title(block(first.0, first.1), &mut line, &mut left);
            }
            paper.line(&line);
        }
        if left_out > 0 {
            paper.cut_line(&format!(" and {left_out} more such lines"));
        }
    }

    pub(super) fn tell_harmless(&self, paper: &mut Paper) {
        let whys = [
            "of tests that passed",
            "of tasks whose failures are ignored",
        ];
        for ((count, first), why) in self.harmless.iter().zip(whys) {
            let Some((place, line)) = first else { continue };
            let line = cut(line.trim(), LINE_CHARACTERS / 2);
            let lines = match count {
                1 => "1 line that looks like a failure is".to_owned(),
                count => format!("{count} lines that look like failures are"),
            };
            paper.cut_line(&format!(
                "{lines} {why}, first {place}: {}",
                one_line(&line)
            ));
        }
    }

    /// Whether each sort is unlike most others: of many that differ in a name each, few have other words.
    pub(super) fn unlike_others(&self) -> &[bool] {
        self.unlike.get_or_init(|| self.compare_sorts())
    }

    fn compare_sorts(&self) -> Vec<bool> {
        let count = self.sorts.len();
        if count < CROWD {
            return vec![false; count];
        }
        let words_of = |sort: &Sort<'t>| {
            let line = trim(sort.first.1);
            // Frames are alike, whatever their names.
            if frames::call(line).is_some() {
                return vec![FRAME];
            }
            let mut words: Vec<u64> = Vec::new();
            each_value_with_names(line, &mut |value| {
                words.extend(word_or_number(value).filter(|_| words.len() < LONGEST));
            });
            words
        };
        let words: Vec<Vec<u64>> = self.sorts.iter().map(words_of).collect();
        let mut frequent: Map<u64, usize> = Map::default();
        for words in &words {
            let mut seen: Vec<u64> = Vec::new();
            for word in words {
                if seen.len() < WORDS && !seen.contains(word) {
                    seen.push(*word);
                }
            }
            for word in seen {
                *frequent.entry(word).or_default() += 1;
            }
        }
        let many = (count / UNLIKE_ONE_OF).max(2);
        let is_frequent = |word: &&u64| frequent.get(word).is_some_and(|count| *count > many);
        let form = |words: &Vec<u64>| {
            let words = words.iter().filter(is_frequent);
            words.fold(START, |form, word| mixed(form, *word))
        };
        let forms: Vec<u64> = words.iter().map(form).collect();
        let mut alike: Map<u64, usize> = Map::default();
        for (form, sort) in forms.iter().zip(&self.sorts) {
            *alike.entry(*form).or_default() += sort.count;
        }
        let is_few = |form: &u64| alike[form] * UNLIKE_ONE_OF <= self.count;
        let unlike: Vec<bool> = forms.iter().map(is_few).collect();
        // If many are unlike others, there is no crowd.
        match unlike.iter().filter(|it| **it).count() * 2 > count {
            true => vec![false; count],
            false => unlike,
        }
    }
}

/// Whether a failure says of itself that it is a critical one.
fn is_critical(line: &str) -> bool {
    ["ritical", "CRITICAL", "FATAL", "anic"]
        .iter()
        .any(|word| has(line, word))
}

/// A line of a sort, and the number of such lines; all of them, if they are few and differ.
fn told(sort: &Sort<'_>) -> String {
    let limit = match sort.shape {
        Shape::Failure => FAILURE_CHARACTERS,
        _ => LINE_CHARACTERS,
    };
    let shown = |line: &str| {
        let line = with_cause(line.trim(), limit);
        one_line(&line).into_owned()
    };
    let (place, line) = sort.first;
    let are_same = sort.lines.iter().all(|(_, it)| it.trim() == line.trim());
    if sort.count <= FEW && !are_same {
        let lines = sort.lines.iter();
        let lines = lines.map(|(place, line)| format!("{place}: {}", shown(line)));
        return lines.collect::<Vec<_>>().join("\n");
    }
    let line = shown(line);
    match sort.count {
        1 => format!("{place}: {line}"),
        2 => format!("{place}, {}: {line}", sort.last),
        count => format!("{place} ({count} times, last {}): {line}", sort.last),
    }
}
