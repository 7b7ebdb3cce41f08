//! The names of tables in a query.
//!
//! Owns the choice between lists with the same key. Refuses to know how lists are found.

use std::collections::{HashMap, HashSet};

use super::finder::Finder;
use super::tables::{DOCUMENT, ROWS, Table, TableKind, with_dots, without_control};
use super::{LINES, TABLES};

impl Finder<'_> {
    /// Of lists with the same key, the largest is called by the key alone, and one outside of rows before those in rows.
    pub(super) fn name_tables(&mut self) {
        let mut keys: HashMap<String, Vec<usize>> = HashMap::new();
        let wanted: Vec<String> = self.tables.iter().map(|table| self.key(table)).collect();
        for (place, key) in wanted.iter().enumerate() {
            if self.tables[place].kind != TableKind::Document {
                keys.entry(key.to_ascii_lowercase())
                    .or_default()
                    .push(place);
            }
        }
        let mut taken: HashSet<String> = HashSet::new();
        // A list that is the document has this name, too.
        let is_list = |(table, key): (&Table, &String)| {
            table.path == "$" && table.kind == TableKind::Outer && !table.is_of_lists && key != ROWS
        };
        let has_rows = self.tables.iter().zip(&wanted).any(is_list);
        let is_free = |name: &str, taken: &HashSet<String>| {
            let name = name.to_ascii_lowercase();
            let is_own = matches!(&*name, DOCUMENT | TABLES | LINES) || has_rows && name == ROWS;
            !is_own && !taken.contains(&name) && !name.starts_with("sqlite_")
        };
        let mut owners = Vec::new();
        for (key, places) in &keys {
            if !is_free(key, &taken) {
                continue;
            }
            // A list goes before a table of several.
            let is_list = |place: &&usize| !self.tables[**place].is_of_lists;
            let has_list = places.iter().any(|place| is_list(&place));
            let lists = || places.iter().filter(|place| !has_list || is_list(place));
            let has_outer = lists().any(|place| self.tables[*place].kind == TableKind::Outer);
            let able = lists().filter(|place| !has_outer || self.is_like_outer(**place));
            let owner =
                able.max_by_key(|place| (self.tables[**place].bytes, std::cmp::Reverse(**place)));
            if let Some(&owner) = owner {
                self.tables[owner].name.clone_from(&wanted[owner]);
                owners.push((owner, key));
            }
        }
        taken.extend(owners.iter().map(|(_, key)| (*key).clone()));
        for (place, key) in wanted.iter().enumerate() {
            let table = &self.tables[place];
            let has_name = !table.name.is_empty();
            let is_alone = keys
                .get(&key.to_ascii_lowercase())
                .is_none_or(|places| places.len() == 1);
            if table.kind == TableKind::Document || has_name && is_alone {
                continue;
            }
            let (long, _) = with_dots(&table.path);
            let long = without_control(long.trim_start_matches(['$', '.']));
            if has_name {
                if !long.is_empty() && is_free(&long, &taken) {
                    taken.insert(long.to_ascii_lowercase());
                    self.tables[place].alias = Some(long);
                }
                continue;
            }
            let mut name = match long.is_empty() {
                true => key.clone(),
                false => long,
            };
            let mut number = 2;
            while !is_free(&name, &taken) {
                name = format!("{key}_{number}");
                number += 1;
            }
            taken.insert(name.to_ascii_lowercase());
            self.tables[place].name = name;
        }
        for (owner, key) in owners {
            let others = keys[key].iter().filter(|place| **place != owner);
            self.tables[owner].others = others
                .map(|place| self.tables[*place].name.clone())
                .collect();
        }
    }

    /// The last key of a table's path, and `rows` without one. The path of a part of the document ends in the part's
    /// name.
    fn key(&self, table: &Table) -> String {
        let own = format!("{}{}", self.view.within, table.path.trim_start_matches('$'));
        let (own, last) = with_dots(&own);
        match own[last..].trim_start_matches('$') {
            "" => ROWS.to_owned(),
            // SQLite reserves these names.
            key if key.to_ascii_lowercase().starts_with("sqlite_") => format!("_{key}"),
            key => without_control(key),
        }
    }

    /// Whether a table is outside of rows, or in the only row of another that is.
    fn is_like_outer(&self, place: usize) -> bool {
        let table = &self.tables[place];
        if table.kind == TableKind::Outer {
            return true;
        }
        let ends = table.path.rmatch_indices("[*]").map(|(end, _)| end);
        let mut parents = ends.filter_map(|end| self.places.get(&table.path[..end]));
        parents.next().is_some_and(|parent| {
            self.tables[*parent].rows.len() == 1 && self.is_like_outer(*parent)
        })
    }
}
