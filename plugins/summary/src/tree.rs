//! Trees: rows that hold rows like themselves under one key, as folders and threads do.
//!
//! Owns how the two uppermost levels are told, and how many are below.

use crate::column::shown;
use crate::outline::{Outline, Step, push_step};
use crate::paper::{Paper, cut, listed};
use tamis_sdk::{Node, NodeKind};

/// Characters of what a row is called.
const LABEL_CHARACTERS: usize = 40;

/// The key under which the rows of a table hold others.
fn branch_key<'d>(outline: &Outline<'d>, at: usize) -> Option<Step<'d>> {
    let row = outline.rows(at)?;
    let field = &outline.fields[at];
    if field.levels > 1 {
        return Some(field.step);
    }
    let children = outline.fields[row].children.iter();
    children
        .map(|child| &outline.fields[*child])
        .find(|child| child.levels > 1)
        .map(|child| child.step)
}

/// The path to what the largest row of a tree holds, from the tree.
pub fn largest_branch(outline: &Outline<'_>, at: usize) -> Option<String> {
    let key = branch_key(outline, at)?;
    let rows = outline.fields[at].first.elements().enumerate();
    // Of equals the first.
    let (place, _) =
        rows.max_by_key(|(place, row)| (row.len_bytes(), std::cmp::Reverse(*place)))?;
    let mut path = format!("[{place}]");
    push_step(&mut path, key);
    Some(path)
}

/// The rows of a tree with what is directly in them, each with the number of all below; empty if the
/// table is no tree, or its rows have no names.
pub fn told(outline: &Outline<'_>, at: usize, room: usize) -> String {
    let Some(Step::Member(branches)) = branch_key(outline, at) else {
        return String::new();
    };
    let array = outline.fields[at].first;
    let row = outline.rows(at).unwrap_or(at);
    let name = outline.fields[row].children.iter().find_map(|child| {
        let field = &outline.fields[*child];
        let is_name =
            field.tally.strings > 0 && field.tally.characters < 60 * u64::from(field.tally.strings);
        let varies = field.tally.constant().is_none() || field.tally.values() == 1;
        match field.step {
            Step::Member(key) if is_name && varies => Some(key),
            _ => None,
        }
    });
    let Some(name) = name else {
        return String::new();
    };
    let tree = Tree {
        outline,
        name,
        branches,
    };
    let mut paper = Paper::new(room);
    paper.cut_line(" by row, with the number below:");
    let rows = array.elements().enumerate().collect::<Vec<_>>();
    let leaves: Vec<String> = rows
        .iter()
        .filter(|(_, row)| tree.below(*row) == 0)
        .map(|(_, row)| tree.called(*row))
        .collect();
    let branches = rows.iter().filter(|(_, row)| tree.below(*row) > 0);
    let count = branches.clone().count().max(1);
    let width = (room / (count + 1)).max(120);
    let lines = branches.map(|(place, row)| {
        let inside: Vec<String> = tree.inside(*row).map(|child| tree.called(child)).collect();
        let line = format!(" [{place}] {}: ", tree.called(*row));
        let width = width.saturating_sub(line.chars().count() + 12);
        format!("{line}{}", listed(&inside, width))
    });
    let mut upper = Paper::new(paper.left() * 3 / 4);
    upper.list(lines, "rows");
    paper.paste(&upper);
    if !leaves.is_empty() {
        let width = paper.left().saturating_sub(40);
        paper.cut_line(&format!(" with none: {}", listed(&leaves, width)));
    }
    paper.text().trim_end().to_owned()
}

struct Tree<'o, 'd> {
    outline: &'o Outline<'d>,
    name: &'d str,
    branches: &'d str,
}

impl<'d> Tree<'_, 'd> {
    fn member(&self, row: Node<'d>, key: &str) -> Option<Node<'d>> {
        let mut members = row.members();
        members
            .find(|(name, _)| self.outline.raw(*name) == key)
            .map(|(_, value)| value)
    }

    fn inside(&self, row: Node<'d>) -> impl Iterator<Item = Node<'d>> {
        let branches = self.member(row, self.branches);
        branches.into_iter().flat_map(Node::elements)
    }

    /// Rows at any depth below one.
    fn below(&self, row: Node<'d>) -> usize {
        let Some(branches) = self.member(row, self.branches) else {
            return 0;
        };
        let mut count = 0;
        let mut at = branches.following();
        while let Some(node) = at.filter(|node| node.index() < branches.next_index()) {
            let is_branch = node.kind() == NodeKind::Key && self.outline.raw(node) == self.branches;
            count += match node.following() {
                Some(value) if is_branch => value.children() as usize,
                _ => 0,
            };
            at = node.following();
        }
        count + branches.children() as usize
    }

    fn called(&self, row: Node<'d>) -> String {
        let name = self.member(row, self.name);
        let name = name.map_or("(no name)".into(), |name| shown(self.outline.raw(name)));
        let name = cut(&name, LABEL_CHARACTERS);
        match self.below(row) {
            0 => name.into_owned(),
            below => format!("{name} {below}"),
        }
    }
}
