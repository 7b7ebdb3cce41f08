//! Rare lines as a summary shows them.
//!
//! Owns their order, and which of them are one sort. Refuses to know what makes a line rare.

use super::{Block, RARE_CHARACTERS, REST};
use crate::excerpts;
use crate::hashing::Map;
use crate::order;
use crate::paper::{Paper, characters, cut, one_line};
use crate::rare_lines::Rare;
use crate::trim::trim;
use crate::words::pattern_with_names;

/// Most rare lines that are shown.
const RARE: usize = 8;
/// Characters of the line that names the block of one.
const TITLE_CHARACTERS: usize = 80;

/// Rare lines with equal words.
struct RareSort<'t> {
    first: Rare<'t>,
    count: usize,
    last: usize,
}

/// `point`: the line that is shown in any case, since a call leads to it. `parts`: where the rare part of some begins.
/// `are_all`: no other lines are like few others. `block`: the line that names the block of a line.
pub fn tell_rare<'t>(
    (rare, point): (&[Rare<'t>], Option<usize>),
    parts: &Map<usize, usize>,
    are_all: bool,
    block: Block<'_, 't>,
    paper: &mut Paper,
) {
    let count = rare.len();
    let head = |shown: usize, are_rarest: bool| match count {
        _ if !are_all => format!("{shown} of many lines that are like few others:"),
        1 => "1 line that is like few others:".to_owned(),
        _ if shown == count => format!("{count} lines that are like few others:"),
        _ if are_rarest => format!("{count} lines that are like few others, the {shown} rarest:"),
        _ => format!("{count} lines that are like few others, {shown} of them:"),
    };
    let longest = characters(&head(0, true)) + 1;
    if count == 0 || paper.left() < longest {
        return;
    }
    // The rarest lines that fit, in the order of the text.
    let mut order = rare_sorts(rare);
    order::least_first(&mut order, |sort| sort.first.place as i64);
    order::most_first(&mut order, |sort| sort.first.own_words() as i64);
    // Lines with rare words need room, too.
    let others = order.iter().filter(|it| !it.first.is_rare_by_words());
    let others = others.count();
    let words = order.len() - others;
    let room = RARE - words.min(RARE / 2);
    order.drain(others.min(room)..others);
    let place = order.iter().position(|it| Some(it.first.place) == point);
    if let Some(at) = place {
        order[..=at].rotate_right(1);
    }
    order.truncate(RARE);
    let mut left = paper.left() - longest;
    let (mut told, mut shown) = (Vec::<(Rare<'_>, usize, String)>::new(), 0);
    for RareSort { first, count, last } in order {
        let reserve = if count == 1 { 12 } else { REST };
        let limit = RARE_CHARACTERS.min(left.saturating_sub(reserve));
        let at = parts.get(&first.place).copied().unwrap_or_default();
        let line = excerpts::around(trim(first.line), at, limit);
        let place = match count {
            1 => first.place.to_string(),
            count => format!("{} ({count} times, last {last})", first.place),
        };
        let line = format!("{place}: {}", one_line(&line));
        let needed = characters(&line) + 1;
        // The number before a line takes part of the room.
        if limit < 8 {
            break;
        }
        left -= needed;
        shown += count;
        let at = told.partition_point(|(rare, ..)| rare.place < first.place);
        told.insert(at, (first, count, line));
    }
    if told.is_empty() {
        return;
    }
    let are_rarest = place.is_none_or(|at| at < told.len());
    paper.line(&head(shown, are_rarest));
    // One line that is told names the block of those below it.
    let mut last = 0;
    for (rare, count, mut line) in told {
        if count == 1 {
            let title = block(rare.place, rare.line).filter(|(title, _)| *title > last);
            push_title(title, &mut line, &mut left);
        }
        last = rare.place;
        paper.line(&line);
    }
}

/// Writes the line that names a block below a line of it, if `left` characters suffice.
pub fn push_title(title: Option<(usize, &str)>, line: &mut String, left: &mut usize) {
    let Some((number, title)) = title else { return };
    let title = cut(trim(title), TITLE_CHARACTERS);
    let title = format!("\n below {number}: {}", one_line(&title));
    if let Some(rest) = left.checked_sub(characters(&title)) {
        *left = rest;
        line.push_str(&title);
    }
}

/// The rare lines. Several with equal words, which are rare together, are one sort.
fn rare_sorts<'t>(all: &[Rare<'t>]) -> Vec<RareSort<'t>> {
    let mut sorts: Vec<RareSort<'t>> = Vec::new();
    let mut known: Map<u64, usize> = Map::default();
    for rare in all {
        let next = sorts.len();
        let at = match rare.is_rare_by_words() {
            true => *known.entry(pattern_with_names(rare.line)).or_insert(next),
            false => next,
        };
        match sorts.get_mut(at) {
            Some(sort) => (sort.count, sort.last) = (sort.count + 1, rare.place),
            None => sorts.push(RareSort {
                first: *rare,
                count: 1,
                last: rare.place,
            }),
        }
    }
    // Two are shown each.
    let pairs: Vec<RareSort<'t>> = sorts.extract_if(.., |sort| sort.count == 2).collect();
    for pair in pairs {
        let rest = all.iter().filter(|it| it.place == pair.last);
        for rare in std::iter::once(&pair.first).chain(rest) {
            sorts.push(RareSort {
                first: *rare,
                count: 1,
                last: rare.place,
            });
        }
    }
    sorts
}
