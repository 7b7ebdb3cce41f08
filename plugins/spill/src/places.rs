//! The paths of settings in a document: `errors`, `data.errors`, `data."a.b"`, `data.*`.
//!
//! The paths are those of all filters. But a summary has one field for each, so they lead to one member, and a star
//! stands for the members of one object.

use tamis_sdk::{Document, Node, Paths};

const EVERY: &str = "*";

/// Keys that lead to a value, from the document's root.
pub struct Path {
    keys: Vec<String>,
}

impl Path {
    /// Parses a path of a setting. `every`: whether its last key may be `*`.
    pub fn parse(setting: &str, text: &str, every: bool) -> Result<Path, String> {
        if every && matches!(text, EVERY | "$.*" | "$[*]") {
            let keys = vec![EVERY.to_owned()];
            return Ok(Path { keys });
        }
        let ends = [".*", "[*]"].iter().find_map(|end| text.strip_suffix(end));
        let inside = ends.filter(|_| every);
        let paths = Paths::parse([inside.unwrap_or(text)]);
        let paths = paths.map_err(|why| format!("`{setting}`: {why}"))?;
        let Some(keys) = paths.keys() else {
            let allowed = match every {
                true => "keys, and `*` at the end",
                false => "keys alone",
            };
            return Err(format!(
                "`{setting}` has {text:?}: allowed are {allowed}, as in data.status"
            ));
        };
        let mut keys: Vec<String> = keys.into_iter().map(str::to_owned).collect();
        keys.extend(inside.map(|_| EVERY.to_owned()));
        Ok(Path { keys })
    }

    /// Whether the path stands for every value of an object.
    pub fn is_every(&self) -> bool {
        self.name() == EVERY
    }

    /// Its last key.
    pub fn name(&self) -> &str {
        self.keys.last().map_or("", String::as_str)
    }

    /// The whole path, as one name.
    pub fn long_name(&self) -> String {
        self.keys.join("_")
    }

    /// The value at the path. Of duplicate keys, the last counts, as for JSON readers.
    pub fn find<'d>(&self, document: &Document, root: Node<'d>) -> Option<Node<'d>> {
        follow(document, root, &self.keys)
    }

    /// The values at the path, with their names.
    pub fn find_all<'d>(&self, document: &Document, root: Node<'d>) -> Vec<(String, Node<'d>)> {
        let Some((name, way)) = self.keys.split_last() else {
            return Vec::new();
        };
        let Some(object) = follow(document, root, way) else {
            return Vec::new();
        };
        if name != EVERY {
            let found = follow(document, object, &self.keys[way.len()..]);
            return found
                .map(|value| (name.clone(), value))
                .into_iter()
                .collect();
        }
        let named = object.members().filter_map(|(key, value)| {
            let name = document.string(key)?;
            Some((name.into_owned(), value))
        });
        named.collect()
    }
}

fn follow<'d>(document: &Document, from: Node<'d>, keys: &[String]) -> Option<Node<'d>> {
    keys.iter().try_fold(from, |object, name| {
        let members = object.members();
        let named = members.filter(|(key, _)| document.key_is(*key, name));
        named.last().map(|(_, value)| value)
    })
}
