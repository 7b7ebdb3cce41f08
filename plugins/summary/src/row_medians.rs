//! The rows of a matrix whose numbers are unlike those of all other rows.
//!
//! Owns the median of a row: the lower one of two in the middle, so that it is a number of the document. Refuses to know
//! which medians are far from the others (`extremes`).

use crate::extremes::Extremes;
use crate::outline::Step;
use crate::rare_rows::{Odd, Rows};
use crate::table::descend;
use crate::values::short_number;
use std::borrow::Cow;
use tamis_formats::amounts::number;
use tamis_sdk::{Node, NodeKind};

/// Most numbers of a matrix that is examined.
const NUMBERS: u32 = 100_000;

/// A row's list has at least so many numbers on average: the middle of a few says little.
const LIST: u32 = 8;

/// A median far from all others needs so many rows: it stands for many numbers.
const ROWS: u32 = 6;

/// The words before all numbers, as [`said`] tells the medians.
pub fn told(medians: String) -> String {
    format!("median by row {medians}; all ")
}

/// `0.05..0.2, but 0.93 at .Seq27`: the medians of rows, if some are far from all others. `at`: the numbers in the map, or
/// in the long list, that each row has, or is.
pub fn said<'d>(rows: Rows<'_, 'd>, at: usize, odd: &mut Odd) -> Option<String> {
    let outline = rows.outline;
    let tally = &outline.fields[at].tally;
    let steps = outline.steps(rows.row, at);
    let is_many = |step: &Step<'_>| matches!(step, Step::Entry | Step::Each);
    let (above, inside) = steps.split_at(steps.iter().position(is_many)?);
    let (first, inside) = inside.split_first()?;
    let is_list = *first == Step::Each;
    let count = tally
        .decimals()
        .map_or(tally.numbers, |it| it.count().max(tally.numbers));
    let rows_of_table = outline.fields[rows.row].tally.values();
    let is_alike = count + tally.nulls == tally.values() && count <= NUMBERS;
    let is_map_of_numbers = !is_list && inside.is_empty() && tally.numbers > 0;
    let is_long_list = is_list && count >= LIST * rows_of_table;
    let is_wide = !inside.is_empty() && !outline.is_narrow(at);
    if !is_alike || is_wide || !(is_map_of_numbers || is_long_list) || inside.iter().any(is_many) {
        return None;
    }
    let mut numbers = Vec::new();
    let mut median = |row: Node<'d>| {
        let map = descend(outline, row, above)?;
        if !outline.may_look_at(1 + map.children() as usize) {
            return None;
        }
        numbers.clear();
        let members = map.members().map(|(_, value)| value);
        numbers.extend(members.chain(map.elements()).filter_map(|value| {
            let text = outline.raw(descend(outline, value, inside)?);
            Some((number(text.trim_matches('"'))?, text))
        }));
        let middle = numbers.len().checked_sub(1)? / 2;
        let (_, median, _) =
            numbers.select_nth_unstable_by(middle, |(one, _), (other, _)| one.total_cmp(other));
        Some(*median)
    };
    let told = outline.once(at, || {
        let table = outline.fields[outline.fields[rows.row].parent].first;
        let mut medians = Extremes::default();
        let mut note = |row: u32, node: Node<'d>| {
            if let Some((value, text)) = median(node) {
                medians.note(value, text, row);
            }
        };
        match table.kind() {
            NodeKind::Object => (0..)
                .zip(table.members())
                .for_each(|(row, (_, node))| note(row, node)),
            _ => (0..)
                .zip(table.elements())
                .for_each(|(row, node)| note(row, node)),
        }
        let found = medians.range_with(ROWS).filter(|_| outline.may_look_at(1));
        found.map_or(Vec::new(), |(ends, alone)| match alone.is_empty() {
            true => Vec::new(),
            false => ends.iter().chain(&alone).map(|it| it.row).collect(),
        })
    });
    let [from, to, alone @ ..] = &told[..] else {
        return None;
    };
    let spelled = |text: &'d str| match text.starts_with('"') {
        true => Cow::Borrowed(text),
        false => short_number(text),
    };
    let mut median = |row: u32| Some(spelled(median(rows.node(row)?)?.1));
    let mut said = format!("{}..{}", median(*from)?, median(*to)?);
    for row in alone {
        said.push_str(&format!(", but {}{}", median(*row)?, rows.at(*row)));
    }
    odd.rows.extend(alone);
    Some(said)
}
