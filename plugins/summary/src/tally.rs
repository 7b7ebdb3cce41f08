//! What the values of one column have in common, collected in one pass and in bounded memory.
//!
//! Owns the counting. Refuses to know where the values stand and how the counts are worded.

use crate::paper::characters;
use tamis_sdk::{Node, NodeKind};

/// Strings longer than this, in bytes, are not compared with one another, but for a constant.
const COMPARED_BYTES: usize = 200;

/// The values of a column. Texts are as the document spells them.
#[derive(Default)]
pub struct Tally<'d> {
    pub nulls: u32,
    pub booleans: u32,
    pub numbers: u32,
    pub strings: u32,
    pub arrays: u32,
    pub objects: u32,
    /// Strings with nothing in them.
    pub empty: u32,
    /// The smallest and the largest number, and where they were: value and spelling.
    pub range: Option<[(f64, &'d str); 2]>,
    /// The first and the last of the strings, as long as all of them begin with a date.
    pub dates: Option<[&'d str; 2]>,
    not_dates: bool,
    /// Characters of all strings, and of the longest.
    pub characters: u64,
    pub longest: usize,
    /// Elements or members of all containers, of the smallest and of the largest.
    pub children: u64,
    pub fewest: u32,
    pub most: u32,
    counts: Vec<(&'d str, u32)>,
    is_varied: bool,
}

impl<'d> Tally<'d> {
    /// Notes a value. `limit`: how many different ones are counted one by one.
    pub fn note(&mut self, node: Node<'d>, text: &'d str, limit: usize) {
        match node.kind() {
            NodeKind::Null => self.nulls += 1,
            NodeKind::False | NodeKind::True => self.booleans += 1,
            NodeKind::Number => self.number(text),
            NodeKind::String | NodeKind::Key => self.string(text),
            NodeKind::Array | NodeKind::Object => return self.container(node),
        }
        self.count(text, limit.max(1));
    }

    fn number(&mut self, text: &'d str) {
        self.numbers += 1;
        let Ok(value) = text.parse::<f64>() else {
            return;
        };
        match &mut self.range {
            None => self.range = Some([(value, text); 2]),
            Some([least, most]) => {
                if value < least.0 {
                    *least = (value, text);
                }
                if value > most.0 {
                    *most = (value, text);
                }
            }
        }
    }

    fn string(&mut self, quoted: &'d str) {
        let text = quoted.get(1..quoted.len() - 1).unwrap_or_default();
        let length = characters(text);
        self.strings += 1;
        self.empty += u32::from(text.is_empty());
        self.characters += length as u64;
        self.longest = self.longest.max(length);
        if self.not_dates || text.is_empty() {
            return;
        }
        if !begins_with_date(text) {
            self.not_dates = true;
            self.dates = None;
            return;
        }
        let [first, last] = self.dates.get_or_insert([text; 2]);
        if text < *first {
            *first = text;
        }
        if text > *last {
            *last = text;
        }
    }

    fn container(&mut self, node: Node<'_>) {
        if node.kind() == NodeKind::Array {
            self.arrays += 1;
        } else {
            self.objects += 1;
        }
        let children = node.children();
        let is_first = self.arrays + self.objects == 1;
        self.fewest = if is_first {
            children
        } else {
            self.fewest.min(children)
        };
        self.most = self.most.max(children);
        self.children += u64::from(children);
    }

    fn count(&mut self, text: &'d str, limit: usize) {
        if self.is_varied {
            return;
        }
        if let Some(known) = self.counts.iter_mut().find(|(known, _)| *known == text) {
            known.1 += 1;
        } else if self.counts.len() >= limit
            || (text.len() > COMPARED_BYTES && !self.counts.is_empty())
        {
            self.is_varied = true;
            self.counts = Vec::new();
        } else {
            self.counts.push((text, 1));
        }
    }

    /// How many values there were.
    pub fn values(&self) -> u32 {
        self.scalars() + self.arrays + self.objects
    }

    pub fn scalars(&self) -> u32 {
        self.nulls + self.booleans + self.numbers + self.strings
    }

    /// The different values with their numbers, in the order in which they came; none if there are
    /// too many, or if containers are among them.
    pub fn counts(&self) -> Option<&[(&'d str, u32)]> {
        let whole = !self.is_varied && self.arrays + self.objects == 0;
        (whole && !self.counts.is_empty()).then_some(&self.counts[..])
    }

    /// The value that all of them are, spelled as it is.
    pub fn constant(&self) -> Option<&'d str> {
        match self.counts()? {
            [(value, _)] => Some(value),
            _ => None,
        }
    }
}

/// `2025-01-31`, with anything after it.
fn begins_with_date(text: &str) -> bool {
    let Some(date) = text.as_bytes().first_chunk::<10>() else {
        return false;
    };
    date.iter().enumerate().all(|(place, byte)| match place {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    })
}
