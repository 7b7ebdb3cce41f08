//! The choice of places that become rows, with their groups and their order.
//!
//! Owns lists, conditions, sorting, grouping and the choice of rows by references. This module only names places.
//! [`super::rows`] writes rows, and decides how many.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::cell::{cell_of, relative};
use super::path::{At, Path, Unfit, Walk};
use super::settings::{self, Paths};
use super::short::Or;

/// Rows of one string, before they are grouped.
pub struct Set {
    /// Key in the output.
    pub key: String,
    /// The meaning of the rows.
    pub about: String,
    from: Vec<Path>,
    when: When,
    sort: Option<Sort>,
}

impl Set {
    pub fn new(set: settings::RowSet) -> Result<Set, String> {
        let key = checked_key(set.key)?;
        let mut paths = set.from.list().to_vec();
        if paths.is_empty() {
            paths.push(key.replace('\\', "\\\\").replace('.', "\\."));
        }
        let from = list_paths(&key, &paths)?;
        let last = from.first().and_then(Path::last_key);
        Ok(Set {
            about: set.about.unwrap_or_else(|| last.unwrap_or(&key).to_owned()),
            when: When::new(&set.when)?,
            sort: Sort::new(set.sort_by)?,
            from,
            key,
        })
    }

    /// Adds the rows below a place. False if none of the lists is present.
    fn find(&self, walk: &mut Walk<'_>, at: At, found: &mut Vec<At>) -> Result<bool, Unfit> {
        let mut there = false;
        let mut all = Vec::new();
        for path in &self.from {
            there |= walk.list(at, path, &mut all)?;
        }
        for row in all {
            if self.when.holds(walk, row)? {
                found.push(row);
            }
        }
        Ok(there)
    }
}

/// Checks that the encoding does not use a key of the output for itself.
pub fn checked_key(key: String) -> Result<String, String> {
    match key.as_str() {
        "" => Err("`key` is empty: name a key of the output".to_owned()),
        "h" | "@" => Err(format!(
            "`key` is \"{key}\", which the encoding uses itself: \"h\" is the header, \"@\" says what is missing"
        )),
        _ => Ok(key),
    }
}

fn list_paths(key: &str, paths: &[String]) -> Result<Vec<Path>, String> {
    let mut from = Vec::new();
    for text in paths {
        let path = Path::parse(text).map_err(|error| format!("`from` of `{key}`: {error}"))?;
        if !path.leads_to_lists() {
            return Err(format!(
                "`from` of `{key}` is \"{text}\": a list is searched from the top down, without ^ and @key"
            ));
        }
        from.push(path);
    }
    Ok(from)
}

/// Conditions on a row.
struct When(Vec<(Path, Vec<String>)>);

impl When {
    fn new(when: &BTreeMap<String, Or<Paths>>) -> Result<When, String> {
        let one = |(path, values): (&String, &Or<Paths>)| {
            let path = Path::parse(path).map_err(|error| format!("`when`: {error}"))?;
            Ok((path, values.list().to_vec()))
        };
        when.iter()
            .map(one)
            .collect::<Result<_, String>>()
            .map(When)
    }

    fn holds(&self, walk: &Walk<'_>, row: At) -> Result<bool, Unfit> {
        for (path, values) in &self.0 {
            if !text_at(walk, row, path)?.is_some_and(|text| values.contains(&text)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The first value at a path, as text; none if it is missing or null.
fn text_at(walk: &Walk<'_>, at: At, path: &Path) -> Result<Option<String>, Unfit> {
    let mut found = None;
    walk.values(at, path, &mut |node| {
        found = Some(node);
        false
    })?;
    let Some(node) = found else { return Ok(None) };
    let cell = cell_of(walk.document(), node)?;
    Ok((!cell.text().is_empty()).then(|| cell.text().to_owned()))
}

/// An order of rows.
struct Sort {
    by: Path,
    largest_first: bool,
}

impl Sort {
    fn new(by: Option<String>) -> Result<Option<Sort>, String> {
        let Some(by) = by else { return Ok(None) };
        let (path, largest_first) = match by.strip_prefix('-') {
            Some(path) => (path, true),
            None => (by.as_str(), false),
        };
        let by = Path::parse(path).map_err(|error| format!("`sort-by`: {error}"))?;
        Ok(Some(Sort { by, largest_first }))
    }

    /// Sorts rows. Equal rows keep their order, and rows without the value come last.
    fn sort(&self, walk: &Walk<'_>, rows: &mut [At]) -> Result<(), Unfit> {
        let mut keyed = Vec::with_capacity(rows.len());
        for row in rows.iter() {
            let text = text_at(walk, *row, &self.by)?;
            let number = text.as_deref().and_then(|text| text.parse::<f64>().ok());
            keyed.push((text, number, *row));
        }
        keyed.sort_by(|(a_text, a, _), (b_text, b, _)| {
            let present = a_text.is_none().cmp(&b_text.is_none());
            let order = match (a, b) {
                (Some(a), Some(b)) => a.total_cmp(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => a_text.cmp(b_text),
            };
            present.then(if self.largest_first {
                order.reverse()
            } else {
                order
            })
        });
        for (place, (_, _, row)) in rows.iter_mut().zip(keyed) {
            *place = row;
        }
        Ok(())
    }
}

/// Rows that belong together, one list for each set.
pub struct Group {
    pub name: String,
    pub sets: Vec<Vec<At>>,
}

/// A checked [`settings::GroupBy`].
pub struct GroupBy {
    within: Option<Path>,
    by: Path,
    relative: bool,
    /// The meaning of a group's name.
    pub about: String,
}

impl GroupBy {
    pub fn new(group: settings::GroupBy) -> Result<GroupBy, String> {
        let by = group
            .by
            .ok_or("`group-by` lacks `by`: the path of a group's name, or \"@key\"")?;
        let within = match group.within {
            Some(path) => list_paths("group-by", &[path])?.pop(),
            None => None,
        };
        let by = Path::parse(&by).map_err(|error| format!("`group-by`: {error}"))?;
        let about = by.last_key().unwrap_or("name").to_owned();
        Ok(GroupBy {
            within,
            about: group.about.unwrap_or(about),
            relative: group.relative,
            by,
        })
    }

    /// The groups of a document, in its order. None if the document has no such lists.
    pub fn groups(
        &self,
        walk: &mut Walk<'_>,
        sets: &[&Set],
        roots: &[String],
    ) -> Result<Option<Vec<Group>>, Unfit> {
        let mut groups = Groups::default();
        let mut there = false;
        let mut rows = Vec::new();
        if let Some(within) = &self.within {
            let mut containers = Vec::new();
            if !walk.list(Walk::ROOT, within, &mut containers)? {
                return Ok(None);
            }
            for container in containers {
                let group = groups.named(self.name(walk, container, roots)?, sets.len());
                for (number, set) in sets.iter().enumerate() {
                    rows.clear();
                    there |= set.find(walk, container, &mut rows)?;
                    groups.all[group].sets[number].extend(&rows);
                }
            }
            // An empty container counts as an answer. Containers without any of the lists do not.
            there |= groups.all.is_empty();
        } else {
            for (number, set) in sets.iter().enumerate() {
                rows.clear();
                there |= set.find(walk, Walk::ROOT, &mut rows)?;
                for row in &rows {
                    let group = groups.named(self.name(walk, *row, roots)?, sets.len());
                    groups.all[group].sets[number].push(*row);
                }
            }
        }
        for group in &mut groups.all {
            sort(walk, sets, &mut group.sets)?;
        }
        Ok(there.then_some(groups.all))
    }

    fn name(&self, walk: &Walk<'_>, at: At, roots: &[String]) -> Result<String, Unfit> {
        let name = text_at(walk, at, &self.by)?.ok_or(Unfit)?;
        Ok(if self.relative {
            relative(name.into(), roots).into_owned()
        } else {
            name
        })
    }
}

/// Groups by name, in order of their first occurrence.
#[derive(Default)]
struct Groups {
    all: Vec<Group>,
    places: HashMap<String, usize>,
}

impl Groups {
    fn named(&mut self, name: String, sets: usize) -> usize {
        if let Some(place) = self.places.get(&name) {
            return *place;
        }
        let place = self.all.len();
        self.places.insert(name.clone(), place);
        self.all.push(Group {
            name,
            sets: vec![Vec::new(); sets],
        });
        place
    }
}

fn sort(walk: &Walk<'_>, sets: &[&Set], rows: &mut [Vec<At>]) -> Result<(), Unfit> {
    for (set, rows) in sets.iter().zip(rows) {
        if let Some(sort) = &set.sort {
            sort.sort(walk, rows)?;
        }
    }
    Ok(())
}

/// All rows of a document as one group. None if the document has none of the lists.
pub fn ungrouped(walk: &mut Walk<'_>, sets: &[&Set]) -> Result<Option<Group>, Unfit> {
    let mut all = Vec::new();
    let mut there = false;
    for set in sets {
        let mut rows = Vec::new();
        there |= set.find(walk, Walk::ROOT, &mut rows)?;
        all.push(rows);
    }
    sort(walk, sets, &mut all)?;
    Ok(there.then_some(Group {
        name: String::new(),
        sets: all,
    }))
}

/// A checked [`settings::Mentioned`].
pub struct Mentioned {
    within: Vec<Path>,
    name: Path,
    at_least: usize,
    when: When,
    sort: Option<Sort>,
    first: usize,
}

impl Mentioned {
    pub fn new(mentioned: settings::Mentioned) -> Result<Mentioned, String> {
        if mentioned.within.list().is_empty() {
            return Err(
                "`mentioned` lacks `in`: the paths of the texts that mention rows".to_owned(),
            );
        }
        let parse =
            |text: &String| Path::parse(text).map_err(|error| format!("`mentioned`: {error}"));
        let within = mentioned.within.list().iter().map(parse);
        Ok(Mentioned {
            within: within.collect::<Result<_, _>>()?,
            name: parse(&mentioned.name)?,
            at_least: mentioned.at_least as usize,
            when: When::new(&mentioned.otherwise.when)?,
            sort: Sort::new(mentioned.otherwise.sort_by)?,
            first: mentioned.otherwise.first as usize,
        })
    }

    /// Removes rows that nothing mentions, and groups that become empty. True if it removed rows.
    pub fn keep(&self, walk: &Walk<'_>, groups: &mut Vec<Group>) -> Result<bool, Unfit> {
        let mut texts = Vec::new();
        for path in &self.within {
            walk.values(Walk::ROOT, path, &mut |node| {
                texts.push(node);
                true
            })?;
        }
        let mut words = HashSet::new();
        for node in texts {
            let text = cell_of(walk.document(), node)?;
            words.extend(words_of(text.text()).map(str::to_owned));
        }
        let all: Vec<At> = groups
            .iter()
            .flat_map(|group| group.sets.concat())
            .collect();
        let mut chosen = Vec::new();
        for row in &all {
            let name = text_at(walk, *row, &self.name)?.unwrap_or_default();
            if words_of(&name)
                .next()
                .is_some_and(|word| words.contains(word))
            {
                chosen.push(*row);
            }
        }
        if chosen.len() < self.at_least {
            chosen.clear();
            for row in &all {
                if self.when.holds(walk, *row)? {
                    chosen.push(*row);
                }
            }
            if let Some(sort) = &self.sort {
                sort.sort(walk, &mut chosen)?;
            }
            chosen.truncate(self.first);
        }
        let chosen: HashSet<At> = chosen.into_iter().collect();
        for rows in groups.iter_mut().flat_map(|group| &mut group.sets) {
            rows.retain(|row| chosen.contains(row));
        }
        groups.retain(|group| group.sets.iter().any(|rows| !rows.is_empty()));
        Ok(chosen.len() < all.len())
    }
}

/// The words of a piece of code.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
}
