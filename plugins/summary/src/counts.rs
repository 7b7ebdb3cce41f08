//! Counts of items of one kind, in bounded memory.

use crate::hashing::{Places, hash, same};
use crate::order;
use crate::paper::{cut, listed};

/// Most different items that are counted. Later ones are left out.
const COUNTED: usize = 2_048;
/// Characters of a listed item.
const SHOWN_CHARACTERS: usize = 90;

/// Counted items, in order of their first occurrence.
pub struct Counts<'t> {
    pub items: Vec<(&'t str, u32)>,
    /// The places of the items, by their hashes.
    places: Places,
    /// Items that came after there was no more room.
    others: u32,
    /// The place of the last item, which is often the next one, too.
    last: usize,
}

impl<'t> Counts<'t> {
    pub fn new() -> Counts<'t> {
        Counts {
            items: Vec::new(),
            places: Places::default(),
            others: 0,
            last: 0,
        }
    }

    pub fn add(&mut self, item: &'t str) {
        self.add_times(item, 1);
    }

    pub fn add_times(&mut self, item: &'t str, times: u32) {
        if let Some((last, count)) = self.items.get_mut(self.last)
            && same(*last, item)
        {
            *count += times;
            return;
        }
        let hash = hash(item.as_bytes());
        if let Some(place) = self.places.get(hash) {
            self.items[place].1 += times;
            self.last = place;
        } else if self.items.len() < COUNTED {
            self.last = self.items.len();
            self.places.insert(hash, self.items.len());
            self.items.push((item, times));
        } else {
            self.others += times;
        }
    }

    /// How often an item was added; 0 if there was no room.
    pub fn count(&self, item: &str) -> u32 {
        let place = self.places.get(hash(item.as_bytes()));
        place.map_or(0, |at| self.items[at].1)
    }

    /// The number of different items. Err: a lower bound, because there were too many to count.
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

    /// Most frequent first; of equals, the first to occur.
    pub fn sorted(&self) -> Vec<(&'t str, u32)> {
        let mut sorted = self.items.clone();
        order::most_first(&mut sorted, |(_, count)| i64::from(*count));
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
