//! Things of one kind, counted in bounded memory.

use crate::hashing::Map;
use crate::paper::{cut, listed};

/// Different things that are counted; those that come later are left out.
const COUNTED: usize = 2_048;
/// Characters of a thing that is listed.
const SHOWN_CHARACTERS: usize = 90;

/// Things that are counted, in the order in which they came.
pub struct Counts<'t> {
    pub items: Vec<(&'t str, u32)>,
    places: Map<&'t str, usize>,
    /// How many came when there was no room for another.
    others: u32,
}

impl<'t> Counts<'t> {
    pub fn new() -> Counts<'t> {
        Counts {
            items: Vec::new(),
            places: Map::default(),
            others: 0,
        }
    }

    pub fn add(&mut self, item: &'t str) {
        if let Some(&place) = self.places.get(item) {
            self.items[place].1 += 1;
        } else if self.items.len() < COUNTED {
            self.places.insert(item, self.items.len());
            self.items.push((item, 1));
        } else {
            self.others += 1;
        }
    }

    /// How many different things there are; where there are too many to count, fewer than there are.
    pub fn len(&self) -> Result<usize, usize> {
        if self.others == 0 {
            Ok(self.items.len())
        } else {
            Err(self.items.len())
        }
    }

    pub fn total(&self) -> u32 {
        self.items.iter().map(|(_, count)| count).sum::<u32>() + self.others
    }

    /// The most frequent first; of equals the one that came first.
    pub fn sorted(&self) -> Vec<(&'t str, u32)> {
        let mut sorted = self.items.clone();
        sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        sorted
    }

    pub fn listed(&self, room: usize) -> String {
        let said: Vec<String> = self
            .sorted()
            .iter()
            .map(|(item, count)| format!("{} {count}", cut(item, SHOWN_CHARACTERS)))
            .collect();
        listed(&said, room)
    }
}

#[cfg(test)]
#[path = "tests/counts.rs"]
mod tests;
