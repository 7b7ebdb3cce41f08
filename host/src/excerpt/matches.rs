//! The written form of the values that a path matched: the header has the path, and each line has the part that
//! differs.
//!
//! Owns the lines. Refuses to know how a path is matched.
//!
//! ```text
//! $.items[*].owner.login        [0]: "ann"
//! $.items[*]['id','state']      [0]: 17 | "open"
//! $.**.id                       $.items[0].id: 17
//! ```

use super::path::Path;
use super::view::{DocumentView, Locator};

pub(super) struct Matches<'v> {
    view: &'v DocumentView<'v>,
    path: &'v Path,
    /// The matches of one line each.
    lines: Vec<Vec<u32>>,
}

impl<'v> Matches<'v> {
    pub(super) fn new(view: &'v DocumentView<'v>, path: &'v Path, nodes: Vec<u32>) -> Matches<'v> {
        let lines = match path.last_names() {
            None => nodes.into_iter().map(|node| vec![node]).collect(),
            Some(_) => {
                // Members of one object are one line.
                let mut locator = Locator::new(view);
                let mut lines: Vec<Vec<u32>> = Vec::new();
                let mut last = None;
                for node in nodes {
                    let holder = locator.holder(node);
                    match lines.last_mut().filter(|_| last == Some(holder)) {
                        Some(line) => line.push(node),
                        None => lines.push(vec![node]),
                    }
                    last = Some(holder);
                }
                lines
            }
        };
        Matches { view, path, lines }
    }

    pub(super) fn len(&self) -> u64 {
        self.lines.len() as u64
    }

    /// The lines after the first `skipped`.
    pub(super) fn from(&self, skipped: usize) -> impl Iterator<Item = String> + '_ {
        let mut locator = Locator::new(self.view);
        self.lines
            .iter()
            .skip(skipped)
            .map(move |line| self.line(&mut locator, line))
    }

    fn line(&self, locator: &mut Locator<'_>, nodes: &[u32]) -> String {
        let Some(tape) = self.view.tape() else {
            return String::new();
        };
        let Some(&first) = nodes.first() else {
            return String::new();
        };
        let label = match self.path.open_steps() {
            Some(open) => locator.label(first, &open),
            None => {
                let holder = locator
                    .holder(first)
                    .filter(|_| self.path.last_names().is_some());
                locator.path(holder.unwrap_or(first))
            }
        };
        let shown = |node: u32| self.view.on_one_line(tape.node(node));
        let values = match self.path.last_names() {
            None => shown(first).into_owned(),
            Some(names) => {
                // In the order that was asked for; of one that is not there, nothing.
                let cells = names.iter().map(|name| {
                    let own = nodes.iter().rev().find(|&&node| {
                        // A member's key stands before its value.
                        let key = tape.node(node - 1);
                        self.view.string(key) == *name
                    });
                    own.map(|&node| shown(node)).unwrap_or_default()
                });
                cells.collect::<Vec<_>>().join(" | ")
            }
        };
        format!("{label}: {values}\n")
    }
}
