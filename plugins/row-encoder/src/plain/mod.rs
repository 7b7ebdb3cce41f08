//! The level `plain`: writes repeated objects as one header and one string of rows, in a shape that the settings
//! describe.
//!
//! Owns the order of the work. It checks the settings once. Then it searches each document for lists ([`lists`]),
//! writes rows within the budget ([`rows`]), and lays them out and counts them ([`output`]). Knows no tool: names,
//! paths and grouping come from [`Settings`].
//!
//! A document that the settings do not fit passes unchanged, and so does one that would not become shorter. Plain rows
//! do not distinguish null, missing and the empty string, nor `1` and `"1"`. They have only the values that columns
//! name.

mod budget;
mod cell;
mod legend;
mod lists;
mod output;
mod path;
mod rows;
mod settings;
mod short;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};
use std::collections::HashSet;
use tamis_sdk::{Call, Document, Verdict, quote, rewritten_json};

use budget::Limits;
use cell::{Cell, Field};
use lists::{GroupBy, Mentioned, Set};
use output::Output;
use path::{Path, Unfit, Walk};
use rows::{Filling, Kind};
use settings::Detail;
pub use settings::Settings;

/// Checked settings.
pub struct Plain {
    keys: Vec<Field>,
    columns: Vec<Field>,
    detail: Option<Detail>,
    sets: Vec<Set>,
    group_by: Option<GroupBy>,
    maps: Vec<RowMap>,
    roots: Roots,
    budget: settings::Budget,
    truncated: Vec<Path>,
}

/// A checked [`settings::RowMap`].
struct RowMap {
    rows: Set,
    group_by: GroupBy,
    mentioned: Option<Mentioned>,
}

/// A checked [`settings::RelativeTo`].
struct Roots {
    document: Vec<Path>,
    arguments: Vec<String>,
    directories: Vec<String>,
}

/// A document in its new form.
pub struct Shaped {
    /// The whole new document.
    pub json: String,
    /// Whether the output lacks rows of the document: the budget cut them, or nothing refers to them.
    pub cut: bool,
}

impl Plain {
    /// Checks settings. The error is one line for the operator.
    pub fn configure(settings: Settings) -> Result<Plain, String> {
        let levels: &[String] = settings
            .detail
            .as_ref()
            .map_or(&[], |detail| &detail.levels);
        if let Some(detail) = &settings.detail
            && !levels.contains(&detail.default)
        {
            return Err(format!(
                "`detail.default` is {:?}: `detail.levels` has {levels:?}",
                detail.default
            ));
        }
        let field = |field: short::Or<settings::Field>| Field::new(field.0, levels);
        let keys: Vec<_> = settings
            .keys
            .into_iter()
            .map(field)
            .collect::<Result<_, _>>()?;
        let columns: Vec<_> = settings
            .columns
            .into_iter()
            .map(field)
            .collect::<Result<_, _>>()?;
        let sets = settings.rows.into_iter().map(|set| Set::new(set.0));
        let sets: Vec<Set> = sets.collect::<Result<_, _>>()?;
        let maps = settings.maps.into_iter().map(RowMap::new);
        let maps: Vec<RowMap> = maps.collect::<Result<_, _>>()?;
        if keys.is_empty() && sets.is_empty() && maps.is_empty() {
            return Err(
                "`shape` has neither `keys` nor `rows` nor `maps`: nothing would come out"
                    .to_owned(),
            );
        }
        if columns.is_empty() != (sets.is_empty() && maps.is_empty()) {
            return Err(
                "`columns` and `rows` (or `maps`) go together: one without the other says nothing"
                    .to_owned(),
            );
        }
        let needed = |column: &Field| column.detail == 0 && !column.optional && !column.is_fixed();
        if !columns.is_empty() && !columns.iter().any(needed) {
            return Err("`columns` has none that every answer needs: one has to be without `optional`, `value` and a `detail` above the least".to_owned());
        }
        if settings.group_by.is_some() && sets.is_empty() {
            return Err("`group-by` groups `rows`, and there are none".to_owned());
        }
        let names = keys.iter().map(|key| &key.name);
        let names = names.chain(sets.iter().map(|set| &set.key));
        different(names.chain(maps.iter().map(|map| &map.rows.key)), "key")?;
        different(columns.iter().map(|column| &column.name), "column")?;
        for key in &keys {
            lists::checked_key(key.name.clone())?;
        }
        let paths = |paths: &settings::Paths| {
            let paths = paths.list().iter().map(|path| Path::parse(path));
            paths.collect::<Result<Vec<_>, _>>()
        };
        Ok(Plain {
            roots: Roots {
                document: paths(&settings.relative_to.document)
                    .map_err(|error| format!("`relative-to.document`: {error}"))?,
                arguments: settings.relative_to.argument.list().to_vec(),
                directories: settings.relative_to.directory.list().to_vec(),
            },
            group_by: settings.group_by.map(GroupBy::new).transpose()?,
            truncated: paths(&settings.truncated)
                .map_err(|error| format!("`truncated`: {error}"))?,
            detail: settings.detail,
            budget: settings.budget,
            keys,
            columns,
            sets,
            maps,
        })
    }

    /// The legend for the output.
    pub fn legend(&self) -> String {
        legend::legend(self)
    }

    /// Encodes a result.
    pub fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        Ok(match self.shape(document, call) {
            Some(shaped) => rewritten_json(shaped.json),
            None => Verdict::Unchanged,
        })
    }

    /// The document in its new form. None if the settings do not fit it, if it would not become shorter, or if it is an
    /// error, which has another form.
    pub fn shape(&self, document: &Document, call: &Call) -> Option<Shaped> {
        if call.is_error() {
            return None;
        }
        let arguments = serde_json::from_str(call.arguments()).unwrap_or_default();
        let shaped = self.encode(document, &arguments).ok()?;
        (shaped.json.len() < document.len_bytes() as usize).then_some(shaped)
    }

    fn encode(&self, document: &Document, arguments: &Map<String, Value>) -> Result<Shaped, Unfit> {
        let root = document.root().ok_or(Unfit)?;
        let mut walk = Walk::new(document, root);
        let level = self.level(arguments);
        let roots = self.roots.of(&walk, arguments)?;
        let limits = Limits::of(&self.budget, arguments);

        let shown = |fields: &'_ [Field]| -> Vec<usize> {
            let fields = fields.iter().enumerate();
            let shown = fields.filter(|(_, field)| field.detail <= level);
            shown.map(|(number, _)| number).collect()
        };
        let mut keys = Vec::new();
        for number in shown(&self.keys) {
            keys.extend(self.keys[number].member(&walk, &roots)?);
        }
        let columns: Vec<&Field> = shown(&self.columns)
            .into_iter()
            .map(|it| &self.columns[it])
            .collect();
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let header = (!columns.is_empty()).then(|| names.join("|"));

        let mut cut = false;
        let mut groups = Vec::new();
        if !self.sets.is_empty() {
            let sets: Vec<&Set> = self.sets.iter().collect();
            if let Some(group_by) = &self.group_by {
                let named = group_by.groups(&mut walk, &sets, &roots)?.ok_or(Unfit)?;
                let taken = |name: &str| name == "@" || name == "h" || self.has_key(name);
                if named.is_empty() || named.iter().any(|group| taken(&group.name)) {
                    return Err(Unfit);
                }
                groups.extend(named.into_iter().map(|group| (Kind::Named, group)));
            } else {
                let group = lists::ungrouped(&mut walk, &sets)?.ok_or(Unfit)?;
                groups.push((Kind::Top, group));
            }
        }
        let mut maps = Vec::new();
        for (number, map) in self.maps.iter().enumerate() {
            let found = map.group_by.groups(&mut walk, &[&map.rows], &roots)?;
            maps.push(found.is_some().then_some(map.rows.key.as_str()));
            let mut found = found.unwrap_or_default();
            if let Some(mentioned) = &map.mentioned {
                cut |= mentioned.keep(&walk, &mut found)?;
            }
            groups.extend(found.into_iter().map(|group| (Kind::Map(number), group)));
        }
        if keys.is_empty() && groups.is_empty() {
            return Err(Unfit);
        }

        let keys_bytes = keys.iter().map(String::len).sum();
        let frame_bytes = header.as_ref().map_or(0, String::len);
        let mut filling = Filling::new(&columns, &roots, &limits, keys_bytes, frame_bytes);
        for (kind, group) in groups {
            filling.add(&walk, kind, group)?;
        }
        if filling.lacks_a_column() {
            return Err(Unfit);
        }
        let output = Output {
            keys,
            header,
            sets: &self.sets,
            maps,
            truncated: filling.cut || self.was_truncated(&walk)?,
            groups: filling.groups,
        };
        let (json, truncated) = output.fit(&limits);
        Ok(Shaped {
            json,
            cut: cut || truncated,
        })
    }

    fn has_key(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key.name == name)
            || self.maps.iter().any(|map| map.rows.key == name)
    }

    /// Index of the level of detail that a call asks for.
    fn level(&self, arguments: &Map<String, Value>) -> usize {
        let Some(detail) = &self.detail else { return 0 };
        let place = |name: &str| detail.levels.iter().position(|level| level == name);
        let asked = arguments.get(&detail.argument).and_then(Value::as_str);
        asked
            .and_then(place)
            .or_else(|| place(&detail.default))
            .unwrap_or(0)
    }

    /// Whether upstream marks its answer as cut.
    fn was_truncated(&self, walk: &Walk<'_>) -> Result<bool, Unfit> {
        let mut truncated = false;
        for path in &self.truncated {
            walk.values(Walk::ROOT, path, &mut |node| {
                truncated |= node.kind() == tamis_sdk::NodeKind::True;
                !truncated
            })?;
        }
        Ok(truncated)
    }
}

impl Field {
    /// The field as a member of the root. None if it is null or, for an optional field, missing.
    fn member(&self, walk: &Walk<'_>, roots: &[String]) -> Result<Option<String>, Unfit> {
        let value = match self.cell(walk, Walk::ROOT, roots)? {
            Cell::Missing if !self.optional => return Err(Unfit),
            Cell::Missing | Cell::Null => return Ok(None),
            Cell::Text(text) => quote(&text),
            Cell::Json(json) => json.into_owned(),
        };
        Ok(Some(format!("{}:{value}", quote(&self.name))))
    }
}

impl RowMap {
    fn new(map: settings::RowMap) -> Result<RowMap, String> {
        let rows = Set::new(settings::RowSet {
            about: map.about.or_else(|| Some(map.key.clone())),
            key: map.key,
            from: map.from,
            when: map.when,
            sort_by: None,
        })?;
        Ok(RowMap {
            rows,
            group_by: GroupBy::new(map.group_by)?,
            mentioned: map.mentioned.map(Mentioned::new).transpose()?,
        })
    }
}

impl Roots {
    /// The directories that this document's paths are relative to.
    fn of(&self, walk: &Walk<'_>, arguments: &Map<String, Value>) -> Result<Vec<String>, Unfit> {
        let mut roots = Vec::new();
        for path in &self.document {
            let mut found = None;
            walk.values(Walk::ROOT, path, &mut |node| {
                found = Some(node);
                false
            })?;
            if let Some(node) = found {
                roots.push(cell::cell_of(walk.document(), node)?.text().to_owned());
            }
        }
        let arguments = self.arguments.iter().filter_map(|name| arguments.get(name));
        let arguments = arguments.filter_map(Value::as_str);
        roots.extend(arguments.filter(|it| is_absolute(it)).map(str::to_owned));
        roots.extend(self.directories.iter().cloned());
        Ok(roots)
    }
}

/// Whether a path is absolute. A call for `src` gets `src/main.rs`, which is short enough.
fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.get(1..2) == Some(":") || path.contains("://")
}

fn different<'n>(names: impl Iterator<Item = &'n String>, what: &str) -> Result<(), String> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!(
                "two {what}s are called \"{name}\": each needs a name of its own"
            ));
        }
    }
    Ok(())
}
