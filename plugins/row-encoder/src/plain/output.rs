//! The encoded document: keys, headers, rows, maps and `@`.
//!
//! Owns the layout and the exact limit. It removes whole groups, the last first, and of a single group its rows, until
//! the count is within the limit. A binary search finds how many stay, so the host counts only a few times.

use tamis_sdk::quote;

use super::budget::Limits;
use super::lists::Set;
use super::rows::{Filled, Kind};

/// The parts of an encoded document.
pub struct Output<'p> {
    /// Members at the beginning, each as `"key":value`.
    pub keys: Vec<String>,
    /// Column names, joined; none if no rows need them.
    pub header: Option<String>,
    /// The definitions of each group's strings of rows.
    pub sets: &'p [Set],
    /// Keys of the maps that the document has, by number.
    pub maps: Vec<Option<&'p str>>,
    pub groups: Vec<Filled>,
    /// Whether rows are already missing.
    pub truncated: bool,
}

impl Output<'_> {
    /// The JSON as far as it fits, and whether rows are missing.
    pub fn fit(&self, limits: &Limits) -> (String, bool) {
        let all = self.choices() - 1;
        let whole = self.json(all);
        if limits.holds(&whole) {
            return (whole, self.truncated);
        }
        // If no other choice fits, the first is taken; `all` does not fit.
        let (mut fits, mut too_large) = (0, all);
        let mut best = None;
        while fits + 1 < too_large {
            let middle = fits + (too_large - fits) / 2;
            let json = self.json(middle);
            if limits.holds(&json) {
                (fits, best) = (middle, Some(json));
            } else {
                too_large = middle;
            }
        }
        (best.unwrap_or_else(|| self.json(0)), true)
    }

    /// The number of possible outputs, from the smallest to the whole: no groups, then one row of the first group, two,
    /// and so on, then the first two groups, three, and so on. Rows beside the keys are always present, if only empty.
    fn choices(&self) -> usize {
        self.of_the_first() + self.groups.len().saturating_sub(1) + 1
    }

    /// The number of choices, beyond none, that the first group gives.
    fn of_the_first(&self) -> usize {
        self.groups.first().map_or(0, |group| match group.kind {
            Kind::Top => group.count(),
            Kind::Named | Kind::Map(_) => group.count().max(1),
        })
    }

    /// The number of groups of a choice and, for one group, of its rows.
    fn choice(&self, number: usize) -> (usize, usize) {
        let first = self.of_the_first();
        let top = self
            .groups
            .first()
            .is_some_and(|group| group.kind == Kind::Top);
        match number {
            0 => (usize::from(top), 0),
            _ if number <= first => (1, number),
            _ => (1 + number - first, usize::MAX),
        }
    }

    fn json(&self, choice: usize) -> String {
        let (groups, rows) = self.choice(choice);
        let truncated = self.truncated || choice + 1 < self.choices();
        let groups = &self.groups[..groups.min(self.groups.len())];
        let mut json = Object::new();
        for key in &self.keys {
            json.member(key);
        }
        let named = groups.iter().filter(|group| group.kind == Kind::Named);
        let top = groups.iter().find(|group| group.kind == Kind::Top);
        if (top.is_some() || self.maps.iter().any(Option::is_some))
            && let Some(header) = &self.header
        {
            json.member(&pair("h", header));
        }
        if let Some(group) = top {
            self.push_sets(&mut json, group, rows);
        }
        for group in named {
            let mut inner = Object::new();
            if let Some(header) = &self.header {
                inner.member(&pair("h", header));
            }
            self.push_sets(&mut inner, group, rows);
            json.member(&format!("{}:{}", quote(&group.name), inner.close()));
        }
        for (number, key) in self.maps.iter().enumerate() {
            let Some(key) = key else { continue };
            let mut inner = Object::new();
            for group in groups
                .iter()
                .filter(|group| group.kind == Kind::Map(number))
            {
                for set in &group.sets {
                    inner.member(&pair(&group.name, set.first(rows)));
                }
            }
            json.member(&format!("{}:{}", quote(key), inner.close()));
        }
        if truncated {
            json.member(r#""@":{"t":true}"#);
        }
        json.close()
    }

    /// The first `left` rows of a group, each set under its key.
    fn push_sets(&self, json: &mut Object, group: &Filled, mut left: usize) {
        for (set, rows) in self.sets.iter().zip(&group.sets) {
            json.member(&pair(&set.key, rows.first(left)));
            left = left.saturating_sub(rows.count());
        }
    }
}

fn pair(key: &str, text: &str) -> String {
    format!("{}:{}", quote(key), quote(text))
}

/// A JSON object that is being written.
struct Object(String);

impl Object {
    fn new() -> Self {
        Object("{".to_owned())
    }

    fn member(&mut self, member: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(member);
    }

    fn close(mut self) -> String {
        self.0.push('}');
        self.0
    }
}
