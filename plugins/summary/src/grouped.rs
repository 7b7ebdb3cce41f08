//! Numbers that only a name beside them makes comparable: counts by status, values by metric.
//!
//! Owns which names these are, and that a number is compared with those of its name. Refuses to know what an outlier is.

use crate::column::Column;
use crate::extremes::Extremes;
use crate::outline::{Outline, Step};
use crate::paper::cut;
use crate::rare_rows::{Odd, Rows};
use crate::table::{descend, each_value};
use crate::telling::ends_in;
use crate::values::shown;
use std::ops::RangeInclusive;
use tamis_sdk::Node;

/// How many different names there may be, and the fewest numbers of each.
const NAMES: RangeInclusive<usize> = 2..=12;
const LEAST: u32 = 16;
/// Most names that are told, and most characters of each.
const TOLD: usize = 3;
const NAME_CHARACTERS: usize = 32;
/// The last words of keys of such numbers, and of such names, where both are members of a row.
const OF_NUMBERS: [&str; 4] = ["value", "val", "count", "amount"];
const OF_NAMES: [&str; 10] = [
    "metric",
    "measure",
    "measurement",
    "series",
    "sensor",
    "field",
    "stat",
    "unit",
    "status",
    "code",
];

/// `, by key: 500 0..3, but 861 at [37].buckets[2]`; none if no number is far from the others of its name.
pub fn said(rows: Rows<'_, '_>, column: &Column, odd: &mut Odd) -> Option<String> {
    let (outline, at) = (rows.outline, column.field);
    let tally = &outline.fields[at].tally;
    if tally.numbers != tally.values() || tally.numbers < LEAST * *NAMES.start() as u32 {
        return None;
    }
    let ends = |at: usize, words: &[&str]| {
        let key = outline.fields[at].step.key();
        key.is_some_and(|key| ends_in(key.trim_end_matches('"'), words))
    };
    if !column.is_inner && !ends(at, &OF_NUMBERS) || column.is_inner && !outline.is_narrow(at) {
        return None;
    }
    let is_name = |child: &&usize| {
        let beside = &outline.fields[**child].tally;
        **child != at
            && (column.is_inner || ends(**child, &OF_NAMES))
            && beside.strings + beside.numbers == tally.numbers
            && beside.counts().is_some_and(|counts| {
                NAMES.contains(&counts.len()) && counts.iter().all(|item| item.count >= LEAST)
            })
    };
    let holder = &outline.fields[outline.fields[at].parent];
    let name = holder.children.iter().find(is_name)?;
    let key = outline.fields[*name].step;
    let groups = groups(rows, at, key)?;
    let mut said = Vec::new();
    for (name, numbers) in &groups {
        if said.len() == TOLD {
            break;
        }
        let Some(([from, to], alone)) = numbers.range().filter(|(_, alone)| !alone.is_empty())
        else {
            continue;
        };
        let name = shown(name);
        let mut told = format!("{} {}..{}", cut(&name, NAME_CHARACTERS), from.text, to.text);
        for one in alone {
            let inner = rows.inner(at, one.text, one.row);
            told.push_str(&format!(", but {}{}{inner}", one.text, rows.at(one.row)));
            odd.add(one.row);
            odd.is_in(one.row, inner);
        }
        said.push(told);
    }
    let name = key.key().map(shown)?;
    (!said.is_empty()).then(|| format!(", by {name}: {}", said.join("; ")))
}

/// The numbers at the place `at` by the values of the member `key` beside them; none if the search takes too long.
#[inline(never)]
fn groups<'d>(
    rows: Rows<'_, 'd>,
    at: usize,
    key: Step<'d>,
) -> Option<Vec<(&'d str, Extremes<'d>)>> {
    let outline: &Outline<'d> = rows.outline;
    let table = &outline.fields[outline.fields[rows.row].parent];
    let steps = outline.steps(rows.row, at);
    let mut groups: Vec<(&str, Extremes<'d>)> = Vec::new();
    let members = table.first.members().map(|(_, value)| value);
    let elements = table.first.elements().chain(members);
    for (row, element) in (0..).zip(elements).skip(table.header_rows as usize) {
        each_value(
            outline,
            [element; 2],
            &steps,
            &mut |holder: Node<'d>, value| {
                let name = descend(outline, holder, &[key]);
                let (Some(name), Some(text)) = (name, value.map(|value| outline.raw(value))) else {
                    return;
                };
                let Ok(number) = text.parse() else { return };
                let name = outline.raw(name);
                let known = groups.iter().position(|(known, _)| *known == name);
                let place = known.unwrap_or(groups.len());
                if known.is_none() {
                    groups.push((name, Extremes::default()));
                }
                groups[place].1.note(number, text, row);
            },
        );
    }
    outline.may_look_at(1).then_some(groups)
}
