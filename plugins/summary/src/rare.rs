//! What is rare in a column, and in which row it stands: the one row that failed, the one key that is missing.
//!
//! Owns what counts as rare besides values and numbers, and how a row is named. Refuses to know what else is
//! said of a column.

use crate::column::shown;
use crate::counted::rare_limit;
use crate::outline::{Outline, Step};
use crate::paper::{cut, one_line};
use crate::table::descend;
use crate::tally::Sort;

/// Characters of a rare value that is shown.
const SHOWN_CHARACTERS: usize = 100;
/// Rare values of a column that are shown.
const MOST: usize = 3;

/// The rows of a table: how one is named.
#[derive(Clone, Copy)]
pub struct Rows<'o, 'd> {
    pub outline: &'o Outline<'d>,
    pub row: usize,
}

impl Rows<'_, '_> {
    /// ` at [4711]`, or ` at .key` in a map.
    pub fn at(self, row: u32) -> String {
        match self.key(row) {
            Some(key) => format!(" at {key}"),
            None => format!(" at [{row}]"),
        }
    }

    /// The step to a row of a map: `.key`.
    fn key(self, row: u32) -> Option<String> {
        if self.outline.fields[self.row].step != Step::Entry {
            return None;
        }
        let map = self.outline.fields[self.outline.fields[self.row].parent].first;
        let (key, _) = map.members().nth(row as usize)?;
        let mut path = String::new();
        crate::outline::push_step(&mut path, Step::Member(self.outline.raw(key)));
        Some(cut(&path, SHOWN_CHARACTERS).into_owned())
    }

    /// The first row that has no value at the place `at`.
    pub fn first_without(self, at: usize) -> Option<u32> {
        let table = self.outline.fields[self.outline.fields[self.row].parent].first;
        let steps = self.outline.steps(self.row, at);
        let [above @ .., last] = &steps[..] else {
            return None;
        };
        let lacks = |row: tamis_sdk::Node<'_>| {
            let holder = descend(self.outline, row, above);
            holder.is_some_and(|holder| descend(self.outline, holder, &[*last]).is_none())
        };
        let is_list = table.kind() == tamis_sdk::NodeKind::Array;
        let place = if is_list {
            table.elements().position(lacks)
        } else {
            table.members().map(|(_, value)| value).position(lacks)
        };
        place.and_then(|place| u32::try_from(place).ok())
    }
}

/// What is rare in a column, worded, with the rows; values that are counted one by one are not in here.
pub fn told(rows: Rows<'_, '_>, at: usize, with_values: bool) -> Vec<(String, u32)> {
    let tally = &rows.outline.fields[at].tally;
    let mut told = Vec::new();
    let mut say = |what: String, row: u32| {
        let place = rows.at(row);
        told.push((format!("{what}{place}"), row));
    };
    if with_values {
        let (rare, is_form) = tally.counted.rare();
        for item in rare.iter().take(MOST) {
            let value = quoted(item.text);
            let first = if item.count == 1 { "" } else { ", first" };
            let what = if is_form { "like " } else { "" };
            let count = item.count;
            say(format!("{what}{value} {count}{first}"), item.row);
        }
        let seen = rare.len().min(MOST);
        let failing = tally
            .counted
            .failing()
            .filter(|(_, _, row)| rare.iter().take(seen).all(|item| item.row != *row));
        if let Some((count, text, row)) = failing {
            let text = cut(text, SHOWN_CHARACTERS);
            let looks = if count == 1 { "looks" } else { "look" };
            say(
                format!("{count} {looks} like errors, first {}", one_line(&text)),
                row,
            );
        }
    }
    told
}

/// How many values of a sort there are, and, where these are rare, the first of them.
pub fn of_sort(rows: Rows<'_, '_>, at: usize, sort: Sort) -> Option<(String, u32)> {
    let tally = &rows.outline.fields[at].tally;
    let (text, row) = tally.first(sort)?;
    if tally.of(sort) > rare_limit(tally.values()) {
        return None;
    }
    let value = match sort {
        Sort::Null | Sort::Empty => String::new(),
        _ => format!(" ({})", quoted(text)),
    };
    let first = if tally.of(sort) == 1 { "" } else { ", first" };
    Some((format!("{value}{first}{}", rows.at(row)), row))
}

fn quoted(text: &str) -> String {
    let shown = shown(text);
    let cut = cut(&shown, SHOWN_CHARACTERS);
    one_line(&cut).into_owned()
}
