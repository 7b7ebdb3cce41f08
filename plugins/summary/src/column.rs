//! The columns of a table, and what is said of each.
//!
//! Owns the wording of counts, ranges and lengths. Refuses to know how many columns have room.

use crate::outline::{Outline, Step};
use crate::paper::{CUT, cut, one_line};
use crate::tally::Tally;
use std::borrow::Cow;
use tamis_sdk::NodeKind;

/// Strings that are longer than this on average have their length told.
const LONG_CHARACTERS: u64 = 40;
/// Characters of a value in a list of counts.
const COUNTED_CHARACTERS: usize = 32;

pub struct Column {
    pub field: usize,
    /// Its path in a row: `customer.id`, `items[*].sku`.
    pub path: String,
    /// It is in a list inside the row: a row has any number of its values.
    pub is_inner: bool,
}

impl Column {
    /// What it is called in a header.
    pub fn name(&self) -> &str {
        if self.path.is_empty() {
            "value"
        } else {
            &self.path
        }
    }
}

/// The columns of the rows at `row`: every scalar inside, however deep, and every list. Rows that are
/// scalars are one column, without a name.
pub fn columns(outline: &Outline<'_>, row: usize) -> Vec<Column> {
    let mut columns = Vec::new();
    collect(outline, row, row, false, &mut columns);
    columns
}

fn collect(outline: &Outline<'_>, row: usize, at: usize, is_inner: bool, to: &mut Vec<Column>) {
    let field = &outline.fields[at];
    let has_own = field.tally.values() > field.tally.objects && !has_places(outline, at);
    let is_told = if at == row {
        has_own
    } else {
        has_own || field.children.is_empty() || is_partly_null(outline, at)
    };
    let rare = rare(outline, at);
    if is_told || !rare.is_empty() {
        to.push(Column {
            field: at,
            path: outline.path(row, at),
            is_inner,
        });
    }
    for &child in field.children.iter().filter(|child| !rare.contains(child)) {
        let step = outline.fields[child].step;
        let is_list = matches!(step, Step::Each | Step::Entry);
        // Elements that are scalars are told with their list.
        let elements = &outline.fields[child].tally;
        if is_list && elements.objects + elements.arrays == 0 {
            continue;
        }
        collect(outline, row, child, is_inner || is_list, to);
    }
}

/// Members that few of the objects at a place have, where there are many such: keys that are data,
/// and no columns.
fn rare(outline: &Outline<'_>, at: usize) -> Vec<usize> {
    const MANY: usize = 8;
    let field = &outline.fields[at];
    let rare: Vec<usize> = field
        .children
        .iter()
        .copied()
        .filter(|child| {
            let child = &outline.fields[*child];
            matches!(child.step, Step::Member(_)) && 4 * child.holders < field.tally.objects
        })
        .collect();
    if rare.len() > MANY { rare } else { Vec::new() }
}

/// Whether the arrays at a place are rows, of which each element is a column.
fn has_places(outline: &Outline<'_>, at: usize) -> bool {
    let children = &outline.fields[at].children;
    let is_place = |child: &usize| matches!(outline.fields[*child].step, Step::Place(_));
    !children.is_empty() && children.iter().all(is_place)
}

fn is_partly_null(outline: &Outline<'_>, at: usize) -> bool {
    outline.fields[at].tally.nulls > 0 || missing(outline, at) > 0
}

/// How often a value is not there in what could hold it.
fn missing(outline: &Outline<'_>, at: usize) -> u32 {
    let field = &outline.fields[at];
    let holder = &outline.fields[field.parent];
    match field.step {
        // A branch of a tree stands in more than one place.
        Step::Member(_) if field.levels == 0 => holder.tally.objects.saturating_sub(field.holders),
        _ => 0,
    }
}

/// What is worth saying of a column; empty if its name says enough. `distinct`: how many values are
/// counted one by one.
pub fn described(outline: &Outline<'_>, column: &Column, cell: usize) -> String {
    let field = &outline.fields[column.field];
    let tally = &field.tally;
    let mut out = column.path.clone();
    let missing = missing(outline, column.field);
    let name = out.len();
    if let Some(constant) = tally.constant().filter(|_| missing == 0) {
        out.push('=');
        out.push_str(&cut(&shown(constant), cell));
        return out;
    }
    let counted = said_by_counts(tally);
    let is_counted = counted.is_some();
    if let Some(counts) = counted {
        out.push_str(": ");
        out.push_str(&counts);
    } else {
        // How long addresses are says nothing.
        if !is_address(outline, column.field) {
            push_scalars(&mut out, tally);
        }
        push_lists(&mut out, outline, column.field, cell);
    }
    let mut rest = Vec::new();
    if !is_counted && tally.nulls > 0 {
        rest.push(format!("null {}", tally.nulls));
    }
    if !is_counted && tally.empty > 0 {
        rest.push(format!("\"\" {}", tally.empty));
    }
    if missing > 0 {
        rest.push(format!("missing {missing}"));
    }
    for part in rest {
        out.push_str(if out.len() == name { ": " } else { ", " });
        out.push_str(&part);
    }
    if field.levels > 1 {
        out.push_str(&format!(", a tree {} deep", field.levels));
    }
    let rare = rare(outline, column.field);
    if !rare.is_empty() {
        let some: Vec<String> = rare
            .iter()
            .take(3)
            .map(|child| outline.path(column.field, *child))
            .collect();
        let more = if field.is_incomplete { " or more" } else { "" };
        out.push_str(if out.len() == name { ": " } else { ", " });
        out.push_str(&format!(
            "{}{more} keys that few rows have: {}, …",
            rare.len(),
            some.join(", ")
        ));
    } else if field.is_incomplete {
        out.push_str(", more inside");
    }
    if out.len() == name {
        String::new()
    } else {
        out
    }
}

/// `open 31, closed 12`; none if there is no list of counts, or it would only repeat the values.
fn said_by_counts(tally: &Tally<'_>) -> Option<String> {
    let counts = tally.counts()?;
    let is_plain = counts
        .iter()
        .all(|(value, _)| value.len() <= 3 * COUNTED_CHARACTERS);
    if !is_plain || counts.iter().all(|(_, count)| *count == 1) {
        return None;
    }
    let mut sorted = counts.to_vec();
    // Of equals the one that came first.
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let said: Vec<String> = sorted
        .iter()
        .map(|(value, count)| format!("{} {count}", cut(&shown(value), COUNTED_CHARACTERS)))
        .collect();
    Some(said.join(", "))
}

fn push_scalars(out: &mut String, tally: &Tally<'_>) {
    let strings = u64::from(tally.strings - tally.empty);
    let kinds = [
        tally.booleans,
        tally.numbers,
        tally.strings,
        tally.arrays,
        tally.objects,
    ];
    let is_mixed = kinds.iter().filter(|count| **count > 0).count() > 1;
    let mut separator = if is_mixed { ": " } else { " " };
    let mut push = |part: String| {
        out.push_str(separator);
        out.push_str(&part);
        separator = ", ";
    };
    if is_mixed && tally.booleans > 0 {
        push(format!("{} booleans", tally.booleans));
    }
    if let Some([least, most]) = tally.range {
        let range = if least.1 == most.1 {
            short_number(least.1).into_owned()
        } else {
            format!("{}..{}", short_number(least.1), short_number(most.1))
        };
        if is_mixed {
            push(format!("{} numbers {range}", tally.numbers));
        } else {
            push(range);
        }
    }
    if let Some(mean) = tally.characters.checked_div(strings) {
        let mut said = match tally.dates {
            Some([first, last]) if first != last => {
                format!("{}..{}", cut(first, 40), cut(last, 40))
            }
            _ if mean > LONG_CHARACTERS || tally.longest as u64 > 4 * LONG_CHARACTERS => {
                let longest = tally.longest;
                if longest as u64 > 2 * mean {
                    format!("~{mean} chars, longest {longest}")
                } else {
                    format!("~{mean} chars")
                }
            }
            _ => String::new(),
        };
        if is_mixed {
            said = format!("{} strings {said}", tally.strings)
                .trim_end()
                .to_owned();
        }
        if !said.is_empty() {
            push(said);
        }
    }
}

fn push_lists(out: &mut String, outline: &Outline<'_>, at: usize, cell: usize) {
    let field = &outline.fields[at];
    let tally = &field.tally;
    if tally.arrays == 0 {
        return;
    }
    let each = match (tally.fewest, tally.most) {
        (fewest, most) if fewest == most => fewest.to_string(),
        (fewest, most) => format!("{fewest}..{most}"),
    };
    out.push_str(&format!("[] {each} each, {} in all", tally.children));
    let Some(elements) = outline.rows(at).map(|row| &outline.fields[row].tally) else {
        return;
    };
    if elements.objects + elements.arrays > 0 {
        return;
    }
    if let Some(constant) = elements.constant() {
        out.push_str(&format!(", all {}", cut(&shown(constant), cell)));
    } else if let Some(counts) = said_by_counts(elements) {
        out.push_str(&format!(": {counts}"));
    } else {
        let mut said = String::new();
        push_scalars(&mut said, elements);
        if !said.is_empty() {
            out.push(',');
            out.push_str(&said);
        }
    }
}

/// A scalar as it is shown among others: a string without its quotes, unless it could be taken for
/// something else.
pub fn shown(raw: &str) -> Cow<'_, str> {
    let Some(text) = raw
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
    else {
        return raw.into();
    };
    let is_like_another =
        matches!(text, "" | "null" | "true" | "false") || text.parse::<f64>().is_ok();
    // An escape stays as it is spelled: it is what keeps a cell on its line.
    if is_like_another || text.starts_with([' ', '"', '[', '{']) || text.ends_with(' ') {
        return raw.into();
    }
    one_line(text)
}

/// A number without most of its decimals, if it has many: cut and not rounded, so that it can be
/// searched for.
pub fn short_number(number: &str) -> Cow<'_, str> {
    const DECIMALS: usize = 4;
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match number.split_once('.') {
        Some((whole, decimals)) if decimals.len() > DECIMALS + 2 && is_plain(decimals) => {
            Cow::Owned(format!("{whole}.{}{CUT}", &decimals[..DECIMALS]))
        }
        _ => Cow::Borrowed(number),
    }
}

/// Whether a column tells rows apart: it is in each of them and a scalar.
pub fn is_cell(outline: &Outline<'_>, column: &Column) -> bool {
    let tally = &outline.fields[column.field].tally;
    !column.is_inner
        && rare(outline, column.field).is_empty()
        && (tally.constant().is_none() || missing(outline, column.field) > 0)
        && (tally.scalars() > tally.nulls || tally.arrays > 0)
}

/// Whether its values are addresses or long texts, which say little of a row.
pub fn is_heavy(outline: &Outline<'_>, column: &Column) -> bool {
    let tally = &outline.fields[column.field].tally;
    is_address(outline, column.field)
        || tally.arrays > 0
        || tally.characters > 120 * u64::from(tally.strings.max(1))
}

fn is_address(outline: &Outline<'_>, at: usize) -> bool {
    let first = outline.fields[at].first;
    first.kind() == NodeKind::String && outline.raw(first).starts_with("\"http")
}
