//! Which of the lines between rows that are no rows are shown.
//!
//! Owns their order: first those with a failing state that most of them lack, then those with a word or a number that no other of them has.
//! Refuses to know the columns of their cells: nobody does.

use crate::counts::Counts;
use crate::hashing::Map;
use crate::telling;

/// The places of at most so many of these lines, in their order, each text once.
pub fn shown(lines: &[&str], most: usize) -> Vec<usize> {
    // Comments may repeat.
    let mut known: Map<&str, usize> = Map::default();
    let mut shown: Vec<usize> = (0..lines.len()).collect();
    shown.retain(|at| known.insert(lines[*at], *at).is_none());
    if shown.len() <= most {
        return shown;
    }
    let forms: Vec<String> = shown.iter().map(|at| form(lines[*at])).collect();
    let mut counts = Counts::new();
    forms
        .iter()
        .for_each(|form| words(form).for_each(|word| counts.add(word)));
    let few = shown.len() as u32 / 2;
    let rank = |word: &str| match counts.count(word) {
        count if count <= few && telling::is_failing_state(word) => 0,
        1 => 1,
        _ => 2,
    };
    let ranks = forms.iter().map(|form| words(form).map(rank).min());
    let ranks: Vec<i32> = ranks.map(Option::unwrap_or_default).collect();
    let mut first = Vec::new();
    for rank in 0..=2 {
        first.extend((0..ranks.len()).filter(|place| ranks[*place] == rank));
    }
    first.truncate(most);
    let mut place = 0..;
    shown.retain(|_| place.next().is_some_and(|place| first.contains(&place)));
    shown
}

/// A line with each digit as any other: numbers of one length are alike.
fn form(line: &str) -> String {
    line.replace(|c: char| c.is_ascii_digit(), "0")
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split([',', ';', '|', '\t', ' ', '"', '{', '}', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_unlike_the_others_come_first() {
        let mut lines = ["host-11,5,up,x", "host-12,6,up,y"].repeat(6);
        assert_eq!(shown(&lines, 4), [0, 1]);
        let texts: Vec<String> = (0..12).map(|i| format!("host-{},5,up", i + 11)).collect();
        lines = texts.iter().map(String::as_str).collect();
        assert_eq!(shown(&lines, 4), [0, 1, 2, 3]);
        (lines[6], lines[8], lines[10]) =
            ("host-99,-5,up", "host-99,5,quarantined", "host-99,50000,up");
        assert_eq!(shown(&lines, 4), [0, 6, 8, 10]);
        assert_eq!(shown(&lines, 1), [8]);
        let mut lines = ["2,broken", "4,broken", "6,broken", "7,dead"];
        assert_eq!(shown(&lines, 1), [3]);
        lines[3] = "-7,broken";
        assert_eq!(shown(&lines, 1), [3]);
    }
}
