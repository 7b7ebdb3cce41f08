//! The rows of a matrix whose numbers are unlike those of all other rows.
//!
//! Owns the median of a row: the lower one of two in the middle, so that it is a number of the document. Refuses to know
//! which medians are far from the others (`extremes`).

use crate::amounts::number;
use crate::extremes::Extremes;
use crate::outline::Step;
use crate::rare_rows::{Odd, Rows};
use crate::table::descend;
use crate::values::short_number;
use tamis_sdk::{Node, NodeKind};

/// Most numbers of a matrix that is examined.
const NUMBERS: u32 = 100_000;

/// `0.05..0.2, but 0.93 at .Seq27`: the medians of rows, if some are far from all others. `at`: the numbers in the map that
/// each row has, or is.
pub fn said<'d>(rows: Rows<'_, 'd>, at: usize, odd: &mut Odd) -> Option<String> {
    let outline = rows.outline;
    let tally = &outline.fields[at].tally;
    let steps = outline.steps(rows.row, at);
    let (Step::Entry, above) = steps.split_last()? else {
        return None;
    };
    let is_alike = tally.numbers + tally.nulls == tally.values() && tally.numbers <= NUMBERS;
    if !is_alike || above.contains(&Step::Entry) || above.contains(&Step::Each) {
        return None;
    }
    let mut numbers = Vec::new();
    let mut median = |row: Node<'d>| {
        let map = descend(outline, row, above)?;
        if !outline.may_look_at(1 + map.children() as usize) {
            return None;
        }
        numbers.clear();
        numbers.extend(map.members().filter_map(|(_, value)| {
            let text = outline.raw(value);
            Some((number(text)?, text))
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
        let found = medians.range().filter(|_| outline.may_look_at(1));
        found.map_or(Vec::new(), |(ends, alone)| match alone.is_empty() {
            true => Vec::new(),
            false => ends.iter().chain(&alone).map(|it| it.row).collect(),
        })
    });
    let [from, to, alone @ ..] = &told[..] else {
        return None;
    };
    let mut median = |row: u32| Some(short_number(median(rows.node(row)?)?.1));
    let mut said = format!("{}..{}", median(*from)?, median(*to)?);
    for row in alone {
        said.push_str(&format!(", but {}{}", median(*row)?, rows.at(*row)));
    }
    odd.rows.extend(alone);
    Some(said)
}
