//! The columns of a table, and their descriptions.
//!
//! Owns which places are columns, and what a description has. Refuses to know how many columns fit.

use crate::counted::{Item, rare_limit};
use crate::grouped;
use crate::headers::CELLS;
use crate::order;
use crate::outline::{Outline, Step};
use crate::paper::{cut, one_line};
use crate::rare_rows::{self, Odd, Rows};
use crate::row_medians;
use crate::table::descend;
use crate::tally::Sort;
use crate::telling;
use crate::tree;
use crate::values::{
    is_address, push_lists, push_scalars, said_by_counts, said_by_most, said_by_range, shown,
};
use tamis_sdk::Node;

pub struct Column {
    pub field: usize,
    /// The path in a row: `customer.id`, `items[*].sku`.
    pub path: String,
    /// The title that the document gives the column, if it is not the path.
    title: Option<String>,
    /// The column is in a list inside the row, so a row has any number of its values.
    pub is_inner: bool,
}

impl Column {
    /// The values of a table that has no columns.
    pub fn whole(row: usize) -> Column {
        Column {
            field: row,
            path: String::new(),
            title: None,
            is_inner: false,
        }
    }

    /// The name in a description: the path, and the title if the column has one.
    pub fn label(&self) -> String {
        match &self.title {
            Some(title) => format!("{} {title}", self.path),
            None => self.path.clone(),
        }
    }

    /// The name in a header.
    pub fn name(&self) -> &str {
        match &self.title {
            Some(title) => title,
            None if self.path.is_empty() => "value",
            None => &self.path,
        }
    }
}

/// The columns of the rows at `row`: every scalar inside, at any depth, and every list. Rows of scalars are one column
/// without a name.
pub fn columns(outline: &Outline<'_>, row: usize) -> Vec<Column> {
    let mut columns = Vec::new();
    let branch = tree::branch(outline, outline.fields[row].parent);
    collect(outline, (row, branch), row, false, &mut columns);
    let names = outline.place_names(row).or_else(|| outline.cell_names(row));
    let Some(names) = names else { return columns };
    for column in &mut columns {
        let steps = outline.steps(row, column.field);
        let (Some(Step::Place(place)), start) = (match steps[..] {
            [Step::Member(CELLS), place, _, ..] => (Some(place), "].v"),
            [place, ..] => (Some(place), "]"),
            [] => (None, ""),
        }) else {
            continue;
        };
        if let Some(name) = names.get(place as usize) {
            let rest = column.path.split_once(start).map_or("", |(_, rest)| rest);
            column.title = Some(format!("{}{rest}", one_line(name)));
        }
    }
    columns
}

/// `from`: the row, and the key of its rows of the same kind.
fn collect(
    outline: &Outline<'_>,
    from: (usize, Option<&str>),
    at: usize,
    is_inner: bool,
    to: &mut Vec<Column>,
) {
    let row = from.0;
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
            title: None,
            is_inner,
        });
    }
    if at != row && is_told && is_alone(outline, at) {
        return;
    }
    // Nested rows of the same kind are described as a tree.
    if at != row
        && field.parent == row
        && matches!((field.step, from.1), (Step::Member(key), Some(branch)) if key == branch)
    {
        return;
    }
    for &child in field.children.iter().filter(|child| !rare.contains(child)) {
        let step = outline.fields[child].step;
        let is_list = matches!(step, Step::Each | Step::Entry);
        let elements = &outline.fields[child].tally;
        if is_list && elements.objects + elements.arrays == 0 {
            // Scalar elements are described with their list. An object is no list.
            if step == Step::Entry {
                to.push(Column {
                    field: child,
                    path: outline.path(row, child),
                    title: None,
                    is_inner: true,
                });
            }
            continue;
        }
        collect(outline, from, child, is_inner || is_list, to);
    }
}

/// Members that few of many objects at a place have. Such keys are data, not columns.
fn rare(outline: &Outline<'_>, at: usize) -> Vec<usize> {
    const MANY: usize = 8;
    let field = &outline.fields[at];
    let mut rare: Vec<usize> = field
        .children
        .iter()
        .copied()
        .filter(|child| {
            let child = &outline.fields[*child];
            matches!(child.step, Step::Member(_)) && 4 * child.holders < field.tally.objects
        })
        .collect();
    order::least_first(&mut rare, |child| i64::from(outline.fields[*child].holders));
    if rare.len() > MANY { rare } else { Vec::new() }
}

/// Whether the arrays at a place are rows whose elements are columns.
fn has_places(outline: &Outline<'_>, at: usize) -> bool {
    let children = &outline.fields[at].children;
    let is_place = |child: &usize| matches!(outline.fields[*child].step, Step::Place(_));
    !children.is_empty() && children.iter().all(is_place)
}

fn is_partly_null(outline: &Outline<'_>, at: usize) -> bool {
    outline.fields[at].tally.nulls > 0 || missing(outline, at) > 0
}

/// How many holders lack the value.
fn missing(outline: &Outline<'_>, at: usize) -> u32 {
    let field = &outline.fields[at];
    let holder = &outline.fields[field.parent];
    let holders = match field.step {
        Step::Member(_) => holder.tally.objects,
        Step::Place(_) => holder.tally.arrays - outline.fields[holder.parent].header_rows,
        _ => return 0,
    };
    holders.saturating_sub(field.holders)
}

/// How many rows lack the value of a column. Rows that have a list above it do not count: the list is described.
fn missing_rows(outline: &Outline<'_>, row: usize, at: usize) -> u32 {
    let field = &outline.fields[at];
    let mut others = field.holders + outline.fields[outline.fields[row].parent].header_rows;
    let mut place = at;
    while place != row {
        let above = outline.fields[place].parent;
        if matches!(outline.fields[place].step, Step::Member(_)) {
            others += outline.fields[above].tally.arrays;
        }
        place = above;
    }
    outline.fields[row].tally.values().saturating_sub(others)
}

/// The first row that lacks the value of a column; titles and a header above the rows are none.
fn first_without(rows: Rows<'_, '_>, at: usize) -> Option<u32> {
    let outline = rows.outline;
    let table = &outline.fields[outline.fields[rows.row].parent];
    let first = table.header_rows;
    if first == 0 {
        return rows.first_without(at);
    }
    if !outline.may_look_at(2 * table.first.children() as usize) {
        return None;
    }
    let steps = outline.steps(rows.row, at);
    let mut below = (first..).zip(table.first.elements().skip(first as usize));
    let lacks = |(_, row): &(u32, Node<'_>)| descend(outline, *row, &steps).is_none();
    Some(below.find(lacks)?.0)
}

/// How many rows could have the value of a column, or elements of the list around it.
fn items(outline: &Outline<'_>, row: usize, at: usize) -> u32 {
    let is_item =
        |at: usize| at == row || matches!(outline.fields[at].step, Step::Each | Step::Entry);
    let mut place = at;
    while !is_item(place) {
        place = outline.fields[place].parent;
    }
    let items = outline.fields[place].tally.values();
    match place == at {
        true => items,
        false => items - outline.fields[outline.fields[place].parent].header_rows,
    }
}

/// Whether only one of many has a short object, so that its description has all of it.
fn is_alone(outline: &Outline<'_>, at: usize) -> bool {
    const SHORT: u64 = 160;
    if outline.fields[at].bytes > SHORT {
        return false;
    }
    let tally = &outline.fields[at].tally;
    let missing = missing(outline, at);
    tally.values() == 1 && missing > 0 && 1 <= rare_limit(1 + missing)
}

/// The description of a column.
pub struct Told {
    /// Empty if the name suffices.
    pub text: String,
    pub is_constant: bool,
    /// The row of the rarest value, if one is rare.
    pub odd: Option<u32>,
    /// Where in that row the value is: `.specs[37]` for a value in a list, or empty.
    pub inner: String,
    /// This value looks like a failure.
    pub is_failing: bool,
    /// The row is no surer than [`Odd`] tells.
    pub is_weak: bool,
}

/// Describes a column of the rows at `row`.
pub fn described(outline: &Outline<'_>, row: usize, column: &Column, cell: usize) -> Told {
    let field = &outline.fields[column.field];
    let tally = &field.tally;
    const ONE_OF: u32 = 20;
    let rows = Rows { outline, row };
    let mut out = column.label();
    let missing = missing(outline, column.field);
    let name = out.len();
    // What few rows have that failed is no more usual because it is the only value.
    let is_failure = |constant: &str| {
        let are_few = outline.fields[row].tally.values() >= ONE_OF * tally.values();
        let are_few = are_few || column.is_inner && tally.values() == 1;
        if !are_few || tally.strings != tally.values() || telling::is_nothing(constant) {
            return false;
        }
        let list = outline.fields[field.parent].step;
        let key = field.step.key().or(list.key()).unwrap_or_default();
        let is_message = telling::is_message(key) || telling::names_failure(key);
        is_message || telling::is_partial(key, constant) || telling::is_failing(constant)
    };
    let constant = tally.constant().filter(|_| missing == 0);
    if let Some(constant) = constant.filter(|constant| !is_failure(constant)) {
        out.push('=');
        out.push_str(&cut(&shown(constant), cell));
        // What holds the value may itself be missing.
        let (values, items) = (tally.values(), items(outline, row, column.field));
        let rows = outline.fields[row].tally.values();
        let of = match (column.is_inner, values) {
            (true, _) if values < items => format!("of {items}"),
            (true, _) if values < rows => "in all".to_owned(),
            (false, 1) if values < items => "row".to_owned(),
            (false, _) if values < items => "rows".to_owned(),
            _ => String::new(),
        };
        if !of.is_empty() {
            out.push_str(&format!(" ({values} {of})"));
        }
        return Told {
            text: out,
            is_constant: true,
            odd: None,
            inner: String::new(),
            is_failing: false,
            is_weak: false,
        };
    }
    let missing = match missing {
        1.. if !column.is_inner => missing_rows(outline, row, column.field),
        _ => missing,
    };
    let is_few = missing > 0 && tally.values() <= rare_limit(tally.values() + missing);
    let is_alone = is_few && tally.values() == 1;
    let mut odd = Odd::default();
    let counted = match constant {
        Some(constant) => {
            let text = rare_rows::value(outline, field.first);
            let (first, inner) = match tally.values() {
                1 => ("", rows.inner(column.field, constant, field.first_row)),
                _ => (", first", String::new()),
            };
            let place = rows.at(field.first_row);
            let said = format!("{text} {}{first}{place}{inner}", tally.values());
            odd.add_failing(field.first_row);
            odd.is_in(field.first_row, inner);
            Some(said)
        }
        None => said_by_counts(rows, column.field, &mut odd),
    };
    let is_counted = counted.is_some();
    if let Some(counts) = counted {
        out.push_str(": ");
        out.push_str(&counts);
    } else if !is_alone {
        if let Some(medians) = row_medians::said(rows, column.field, &mut odd) {
            out.push_str(": ");
            out.push_str(row_medians::told(medians).trim_end());
        }
        push_scalars(&mut out, rows, column.field, &mut odd);
        let is_first = out.len() == name;
        let lists = (cell, is_first);
        push_lists(&mut out, rows, column.field, lists, &mut odd);
        if odd.rows.is_empty() {
            let by_name = grouped::said(rows, column, &mut odd);
            out.push_str(&by_name.unwrap_or_default());
        }
    }
    let mut rest = Vec::new();
    let mut of_sort = |sort: Sort, name: &str, rest: &mut Vec<String>| {
        if tally.of(sort) > 0 {
            let place = rare_rows::of_sort(rows, column.field, sort);
            odd.rows.extend(place.iter().map(|(_, row)| *row));
            let place = place.map_or(String::new(), |(place, _)| place);
            rest.push(format!("{name} {}{place}", tally.of(sort)));
        }
    };
    if !is_counted && !is_alone {
        of_sort(Sort::Null, "null", &mut rest);
        // A list that other rows have as null: `warnings: ["…"]`.
        let (lists, values) = (tally.arrays, tally.values());
        if lists <= rare_limit(values) && lists + tally.nulls == values {
            of_sort(Sort::Array, "list", &mut rest);
        }
        // The empty text is not told as if it were the most frequent one.
        let as_frequent =
            |item: &Item<'_>| item.count >= tally.empty && item.text.len() > "\"\"".len();
        let is_most = out.len() > name
            || tally.empty <= rare_limit(tally.values())
            || !tally.counts().unwrap_or_default().iter().any(as_frequent);
        if is_most {
            of_sort(Sort::Empty, "\"\"", &mut rest);
        }
    }
    let names_failure = matches!(field.step, Step::Member(key) if telling::names_failure(key));
    let are_all = tally.objects + tally.strings == tally.values() && tally.empty == 0;
    // In a list, the name of what failed says more than the beginning of an object.
    let may_be_failures =
        !is_few && !is_counted || is_few && column.is_inner && tally.objects == tally.values();
    let failures = (names_failure
        && are_all
        && may_be_failures
        && missing > 0
        && telling::is_rare_failure(outline, column))
    .then(|| rows.failures(column.field))
    .flatten();
    let are_failures = failures.is_some();
    if are_failures {
        rest.extend(failures);
        odd.add_failing(field.first_row);
        let inner = rows.inner(column.field, outline.raw(field.first), field.first_row);
        odd.is_in(field.first_row, inner);
    } else if is_few {
        let inner = rows.inner(column.field, outline.raw(field.first), field.first_row);
        let place = format!("{}{inner}", rows.at(field.first_row));
        odd.is_in(field.first_row, inner);
        rest.push(if is_alone {
            let value = rare_rows::value(outline, field.first);
            format!("only 1 has ({value}){place}")
        } else {
            format!("only {} has, first{place}", tally.values())
        });
        if telling::is_rare_failure(outline, column) {
            odd.add_failing(field.first_row);
        } else {
            odd.add(field.first_row);
        }
    }
    if missing > 0 && !are_failures {
        let is_rare = missing <= rare_limit(tally.values() + missing);
        let is_told = is_rare && !column.is_inner;
        let without = is_told.then(|| first_without(rows, column.field)).flatten();
        let first = if missing == 1 { "" } else { ", first" };
        let place = without.map_or(String::new(), |row| format!("{first}{}", rows.at(row)));
        odd.rows.extend(without);
        let inner = (is_rare && column.is_inner).then(|| rows.first_lacking(column.field));
        let place = inner.flatten().map_or(place, |(row, inner)| {
            odd.add(row);
            odd.is_in(row, inner.clone());
            format!("{first}{}{inner}", rows.at(row))
        });
        rest.push(format!("missing {missing}{place}"));
    }
    if !is_counted && !is_alone {
        rest.append(&mut rare_rows::texts(rows, column.field, &mut odd));
    }
    for part in rest {
        out.push_str(if out.len() == name { ": " } else { ", " });
        out.push_str(&part);
    }
    let mut rare = rare(outline, column.field);
    if !rare.is_empty() {
        let is_failure = |child: usize| matches!(outline.fields[child].step, Step::Member(key) if telling::names_failure(key));
        order::most_first(&mut rare, |child| i64::from(is_failure(*child)));
        let some: Vec<String> = rare
            .iter()
            .take(3)
            .map(|child| {
                let path = outline.path(column.field, *child);
                if !is_failure(*child) {
                    return path;
                }
                let child = &outline.fields[*child];
                odd.add_failing(child.first_row);
                let value = rare_rows::value(outline, child.first);
                let first = if child.holders == 1 { "" } else { ", first" };
                let place = rows.at(child.first_row);
                format!("{path} {} ({value}){first}{place}", child.holders)
            })
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
        out.clear();
    }
    let (is_failing, is_weak) = (odd.is_failing, odd.is_weak);
    let first = odd.first();
    Told {
        text: out,
        is_constant: false,
        odd: first.as_ref().map(|(row, _)| *row),
        inner: first.map_or(String::new(), |(_, inner)| inner),
        is_failing,
        is_weak,
    }
}

/// The rows of rare values, of those that are found quickly.
pub fn odd(outline: &Outline<'_>, row: usize, column: &Column) -> Odd {
    let tally = &outline.fields[column.field].tally;
    let (rows, mut odd) = (Rows { outline, row }, Odd::default());
    if said_by_counts(rows, column.field, &mut odd).is_none() {
        said_by_range(rows, column.field, &tally.range, &mut odd);
        said_by_most(rows, column.field, &mut odd);
    }
    odd.is_failing |= tally.counted.failing().is_some();
    odd
}

/// Whether a column distinguishes rows: a scalar that each row has.
pub fn is_cell(outline: &Outline<'_>, column: &Column) -> bool {
    let tally = &outline.fields[column.field].tally;
    // The members of most rows are columns of their own.
    let is_whole = column.path.is_empty() && 2 * tally.objects > tally.values();
    !column.is_inner
        && !is_whole
        && rare(outline, column.field).is_empty()
        && (tally.constant().is_none() || missing(outline, column.field) > 0)
        && (tally.scalars() > tally.nulls || tally.arrays > 0)
}

/// Whether the values are addresses or long texts, which describe a row badly.
pub fn is_heavy(outline: &Outline<'_>, column: &Column) -> bool {
    let tally = &outline.fields[column.field].tally;
    is_address(outline, column.field)
        || tally.arrays > 0
        || tally.characters > 120 * u64::from(tally.strings.max(1))
}

#[cfg(test)]
#[path = "tests/column.rs"]
mod tests;
