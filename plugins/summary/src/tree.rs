//! Trees: rows that hold rows of the same kind under one key, as folders and threads do.
//!
//! Owns the definition of a tree, its number of rows, and the description of its two uppermost levels. Refuses to know
//! the rows of one level, which are an ordinary table.

use crate::order;
use crate::outline::{Outline, Step, push_step};
use crate::paper::{Paper, characters, cut, listed, names_some};
use crate::tally::Tally;
use crate::values::shown;
use tamis_sdk::{Node, NodeKind};

/// Characters of a row's name.
const LABEL_CHARACTERS: usize = 40;
/// The same of a value that a single row has.
const ONLY_CHARACTERS: usize = 100;
/// Most members whose values are counted at all levels.
const COUNTED_MEMBERS: usize = 24;
/// Most different values of a member that is described.
const DIFFERENT: usize = 6;
/// The only row with a value is named among at least so many.
const RARE_ONE_OF: u32 = 20;

/// The key under which the rows of the table at `at` hold rows of the same kind, through several levels.
pub fn branch<'d>(outline: &Outline<'d>, at: usize) -> Option<&'d str> {
    let row = outline.rows(at)?;
    let fields = &outline.fields;
    if fields[row].step != Step::Each {
        return None;
    }
    let is_filled = |at: usize| fields[at].tally.children > 0 && fields[at].tally.arrays > 0;
    let is_inside = |row: usize, key: &str| {
        let mut children = fields[row].children.iter().copied();
        let array = children.find(|child| fields[*child].step == Step::Member(key));
        array.is_some_and(is_filled)
    };
    let keys = |row: usize| {
        let steps = fields[row].children.iter().map(|child| fields[*child].step);
        steps.collect::<Vec<_>>()
    };
    fields[row].children.iter().find_map(|child| {
        let Step::Member(key) = fields[*child].step else {
            return None;
        };
        is_filled(*child).then_some(())?;
        let below = outline.rows(*child)?;
        let (own, others) = (keys(row), keys(below));
        let known = others.iter().filter(|step| own.contains(step)).count();
        let is_alike = known > 0 && 2 * known >= others.len() && 3 * known >= own.len();
        let is_same = fields[at].step == Step::Member(key) && 3 * known >= 2 * own.len();
        let is_deep = is_same || is_inside(below, key);
        (is_alike && is_deep).then_some(key)
    })
}

/// A tree: the rows of a table, and all rows below them.
pub struct Tree<'o, 'd> {
    outline: &'o Outline<'d>,
    rows: Node<'d>,
    branches: &'d str,
    /// The key of the rows' names, if they have names.
    name: Option<&'d str>,
}

impl<'o, 'd> Tree<'o, 'd> {
    /// The tree at the table `at`, if the table is one.
    pub fn of(outline: &'o Outline<'d>, at: usize) -> Option<Tree<'o, 'd>> {
        let branches = branch(outline, at)?;
        let row = outline.rows(at)?;
        let name = outline.fields[row].children.iter().find_map(|child| {
            let field = &outline.fields[*child];
            let is_name = field.tally.strings > 0
                && field.tally.characters < 60 * u64::from(field.tally.strings);
            let varies = field.tally.constant().is_none() || field.tally.values() == 1;
            match field.step {
                Step::Member(key) if is_name && varies => Some(key),
                _ => None,
            }
        });
        Some(Tree {
            outline,
            rows: outline.fields[at].first,
            branches,
            name,
        })
    }

    /// The number of rows at all levels, and the number of levels.
    pub fn size(&self) -> String {
        let (mut rows, mut deepest) = (0, 0);
        self.each(self.rows, 1, &mut |_, level| {
            rows += 1;
            deepest = deepest.max(level);
        });
        let mut key = String::new();
        push_step(&mut key, Step::Member(self.branches));
        let key = key.trim_start_matches('.');
        format!(", {rows} with all {deepest} levels of {key}")
    }

    /// The path from the tree to the content of its largest row.
    pub fn largest_branch(&self) -> Option<String> {
        let rows = self.rows.elements().enumerate();
        let rows = rows.filter(|(_, row)| self.inside(*row).next().is_some());
        // Of equals, the first.
        let (place, _) =
            rows.max_by_key(|(place, row)| (row.len_bytes(), std::cmp::Reverse(*place)))?;
        let mut path = format!("[{place}]");
        push_step(&mut path, Step::Member(self.branches));
        Some(path)
    }

    /// The rows with their direct content, each with the number of rows below, and values of members at all levels.
    pub fn told(&self, room: usize) -> Paper {
        let mut paper = Paper::new(room);
        let mut levels = self.all_levels();
        let is_placed = |[with, without]: &[String; 2]| with.len() > without.len();
        order::most_first(&mut levels, |lines| i64::from(is_placed(lines)));
        for lines in &levels {
            // A quarter of the room is for the names.
            let names = self.name.map_or(0, |_| room / 4);
            let left = paper.left().saturating_sub(names);
            let fits = |line: &&String| characters(line) < left.min(room / 3);
            let line = lines.iter().find(fits);
            if is_placed(lines) && line != Some(&lines[0]) {
                paper.want(&lines[0], 0);
            }
            if let Some(line) = line {
                paper.line(line);
            }
        }
        let Some(name) = self.name else {
            return paper;
        };
        const HEAD: &str = " by row, with the number below:";
        /// Characters of a line that tells how many do not fit.
        const REST: usize = 40;
        let left = paper.left().saturating_sub(HEAD.len() + 1) * 3 / 4;
        let rows = self.rows.elements().enumerate().collect::<Vec<_>>();
        let below: Vec<usize> = rows.iter().map(|(_, row)| self.below(*row)).collect();
        let leaves: Vec<String> = rows
            .iter()
            .zip(&below)
            .filter(|(_, below)| **below == 0)
            .map(|((_, row), _)| self.called(name, *row))
            .collect();
        let branches = rows.iter().zip(&below).filter(|(_, below)| **below > 0);
        let count = branches.clone().count().max(1);
        let width = (room / (count + 1)).max(120);
        let width = width.min(left.saturating_sub(REST));
        let told = |((place, row), _): (&(usize, Node<'d>), &usize)| {
            let (place, row) = (*place, *row);
            let inside: Vec<String> = self
                .inside(row)
                .map(|child| self.called(name, child))
                .collect();
            let line = format!(" [{place}] {}: ", self.called(name, row));
            let width = width.saturating_sub(characters(&line) + 12);
            let inside = listed(&inside, width);
            (format!("{line}{inside}"), names_some(&inside))
        };
        // Rows with none below say more than numbers alone.
        let has_names = leaves.is_empty() || branches.clone().any(|branch| told(branch).1);
        let mut upper = Paper::new(left);
        upper.list(branches, |branch| told(branch).0, "rows");
        let is_told = has_names && upper.text().starts_with(" [");
        if is_told {
            paper.cut_line(HEAD);
            paper.paste(&upper);
        }
        if !leaves.is_empty() {
            let width = paper.left().saturating_sub(40);
            let what = if is_told {
                "with none"
            } else {
                "rows with none below"
            };
            paper.cut_list(&format!(" {what}: "), &listed(&leaves, width));
        }
        paper
    }

    /// Members at all levels: ` type at all levels: file 322, directory 80`, and the places of values that stand out:
    /// ` ms at all levels 1..29, but 8123 at [2].children[1]`. Each line with these places, and without them.
    fn all_levels(&self) -> Vec<[String; 2]> {
        let mut tallies: Vec<(&str, Tally<'_>)> = Vec::new();
        let mut number = 0;
        self.each(self.rows, 1, &mut |row, _| {
            number += 1;
            for (key, value) in row.members() {
                let key = self.outline.raw(key);
                let known = tallies.iter().position(|(known, _)| *known == key);
                let place = match known {
                    Some(place) => place,
                    None if tallies.len() < COUNTED_MEMBERS => {
                        tallies.push((key, Tally::default()));
                        tallies.len() - 1
                    }
                    None => continue,
                };
                let text = self.outline.raw(value);
                tallies[place].1.note(value, text, number - 1);
            }
        });
        let told = tallies.iter().filter_map(|(key, tally)| {
            let mut path = String::new();
            push_step(&mut path, Step::Member(key));
            let path = path.trim_start_matches('.');
            let told = |place: &dyn Fn(u32) -> String| {
                let values = counts(tally, place).or_else(|| range(key, tally, place));
                let values = values.or_else(|| only(tally, number, place));
                values.map(|values| format!(" {path} at all levels{values}"))
            };
            let without_places = told(&|_| String::new())?;
            Some([told(&|row| self.place(row))?, without_places])
        });
        told.collect()
    }

    /// ` at [2].children[1]`: the path of a row by its number from 0, in the order of the document.
    fn place(&self, number: u32) -> String {
        let mut path = String::new();
        self.find(self.rows, &mut { number }, &mut path);
        format!(" at {path}")
    }

    /// Appends the path of the row that comes after `left` others in a list and below. Returns whether the list has it.
    fn find(&self, list: Node<'d>, left: &mut u32, path: &mut String) -> bool {
        let length = path.len();
        for (at, row) in list.elements().enumerate() {
            path.push_str(&format!("[{at}]"));
            if *left == 0 {
                return true;
            }
            *left -= 1;
            if let Some(list) = self.branch(row) {
                push_step(path, Step::Member(self.branches));
                if self.find(list, left, path) {
                    return true;
                }
            }
            path.truncate(length);
        }
        false
    }

    /// Calls `see` for each row of a list and every row below, with its level.
    fn each(&self, list: Node<'d>, level: u32, see: &mut dyn FnMut(Node<'d>, u32)) {
        for row in list.elements() {
            see(row, level);
            if let Some(list) = self.branch(row) {
                self.each(list, level + 1, see);
            }
        }
    }

    fn member(&self, row: Node<'d>, key: &str) -> Option<Node<'d>> {
        let mut members = row.members();
        members
            .find(|(name, _)| self.outline.raw(*name) == key)
            .map(|(_, value)| value)
    }

    fn branch(&self, row: Node<'d>) -> Option<Node<'d>> {
        let branch = self.member(row, self.branches)?;
        (branch.kind() == NodeKind::Array).then_some(branch)
    }

    fn inside(&self, row: Node<'d>) -> impl Iterator<Item = Node<'d>> {
        self.branch(row).into_iter().flat_map(Node::elements)
    }

    /// The number of rows below a row.
    fn below(&self, row: Node<'d>) -> usize {
        let mut count = 0;
        if let Some(list) = self.branch(row) {
            self.each(list, 1, &mut |_, _| count += 1);
        }
        count
    }

    fn called(&self, name: &str, row: Node<'d>) -> String {
        let name = self.member(row, name);
        let name = name.map_or("(no name)".into(), |name| shown(self.outline.raw(name)));
        let name = cut(&name, LABEL_CHARACTERS);
        match self.below(row) {
            0 => name.into_owned(),
            below => format!("{name} {below}"),
        }
    }
}

/// The different values with their numbers, if they are few, and the place of one that a single row has.
fn counts(tally: &Tally<'_>, place: &dyn Fn(u32) -> String) -> Option<String> {
    let counts = tally.counts();
    let counts = counts.filter(|counts| (2..=DIFFERENT).contains(&counts.len()))?;
    let mut sorted: Vec<_> = counts.iter().collect();
    order::most_first(&mut sorted, |item| i64::from(item.count));
    let all: u32 = sorted.iter().map(|item| item.count).sum();
    let told = sorted.iter().map(|item| {
        let value = shown(item.text);
        let value = cut(&value, LABEL_CHARACTERS);
        if item.count == 1 && all >= RARE_ONE_OF {
            format!("{value} 1{}", place(item.row))
        } else {
            format!("{value} {}", item.count)
        }
    });
    Some(format!(": {}", told.collect::<Vec<_>>().join(", ")))
}

/// The value that a single one of many rows has, and its place.
fn only(tally: &Tally<'_>, rows: u32, place: &dyn Fn(u32) -> String) -> Option<String> {
    let [item] = tally.counts()? else {
        return None;
    };
    let is_only = item.count == 1 && tally.values() == 1 && rows >= RARE_ONE_OF;
    let value = || cut(&shown(item.text), ONLY_CHARACTERS).into_owned();
    is_only.then(|| format!(": only 1 has ({}){}", value(), place(item.row)))
}

/// The range of numbers, if one of them is far from all others. Numbers that name another row have none.
fn range(key: &str, tally: &Tally<'_>, place: &dyn Fn(u32) -> String) -> Option<String> {
    let is_name = key.trim_matches('"').to_ascii_lowercase().ends_with("id");
    if is_name || tally.numbers + tally.nulls != tally.values() {
        return None;
    }
    let ([from, to], alone) = tally.range.range()?;
    let mut told = format!(" {}..{}", shown(from.text), shown(to.text));
    for one in &alone {
        told.push_str(&format!(", but {}{}", shown(one.text), place(one.row)));
    }
    (!alone.is_empty()).then_some(told)
}

#[cfg(test)]
#[path = "tests/tree.rs"]
mod tests;
