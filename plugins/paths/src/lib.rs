//! `paths`: writes directories that paths share only once.
//!
//! It takes texts with one path a line (with or without `[FILE]` and `[DIR]`), and hits of the form `path:line:text`.
//! In JSON, it takes lists of strings at any place, and trees of objects as directory listings have them. Order and
//! number of the paths stay, and [`restore`] returns the input. A list stays unchanged if it would not become smaller
//! by a margin.

mod hits;
mod json;
mod list;
mod restore;
mod tree;

pub use restore::restore;

use serde::Deserialize;
use tamis_sdk::{
    Call, Description, Document, Edits, Fidelity, Filter, Kind, MAX_DEPTH, NodeKind, Verdict,
};

/// The settings: which kinds are encoded, from which size, and the keys of a tree's objects.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Minimum number of paths (or hits, or nodes of a tree) that are encoded.
    min_paths: u32,
    /// Percentage of its bytes that a list or tree must save, 0 to 90.
    #[cfg_attr(test, schemars(range(max = 90)))]
    margin: u32,
    /// Encodes texts with one path a line.
    lists: bool,
    /// Encodes lines of the form `path:line:text`.
    hits: bool,
    /// Encodes lists of strings in JSON.
    json_lists: bool,
    /// Encodes trees: a whole document, or its only member.
    trees: bool,
    /// Keys and words of a tree's objects.
    tree: TreeKeys,
}

/// Keys of a tree's objects, and the two words for the kinds of nodes.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct TreeKeys {
    /// Key of the name.
    pub name: String,
    /// Key of the node's kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// Key of the list of nodes in a directory.
    pub children: String,
    /// The word for a file.
    pub file: String,
    /// The word for a directory.
    pub directory: String,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            min_paths: 5,
            margin: 10,
            lists: true,
            hits: true,
            json_lists: true,
            trees: true,
            tree: TreeKeys::default(),
        }
    }
}

impl Default for TreeKeys {
    fn default() -> Self {
        let [name, kind, children, file, directory] =
            ["name", "type", "children", "file", "directory"].map(str::to_owned);
        TreeKeys {
            name,
            kind,
            children,
            file,
            directory,
        }
    }
}

struct Paths {
    settings: Settings,
}

impl Paths {
    /// The encoding, if it is smaller than `bytes` by the margin.
    fn smaller(&self, encoded: Option<String>, bytes: usize) -> Option<String> {
        let kept = 100 - u64::from(self.settings.margin);
        encoded.filter(|encoded| {
            encoded.len() < bytes && encoded.len() as u64 * 100 <= bytes as u64 * kept
        })
    }

    /// Encodes a text as a list of paths or of hits.
    fn text(&self, text: &str) -> Option<String> {
        let fewest = self.settings.min_paths as usize;
        let list = self.settings.lists.then(|| list::encode(text, fewest));
        self.smaller(list.flatten(), text.len()).or_else(|| {
            let hits = self.settings.hits.then(|| hits::encode(text, fewest));
            self.smaller(hits.flatten(), text.len())
        })
    }

    /// Encodes lists of strings anywhere in a document.
    fn lists(&self, document: &Document, edits: &mut Edits) {
        // A list that looks like output of this filter could not be distinguished from its output.
        let mut objects = document.values().map(|place| place.value);
        if objects.any(|object| json::looks_encoded(document, object)) {
            return;
        }
        for place in document.values() {
            let array = place.value;
            let size = (
                self.settings.min_paths as usize,
                MAX_DEPTH.saturating_sub(place.depth),
            );
            let list = json::encode_list(document, array, size);
            if let Some(json) = self.smaller(list, array.len_bytes() as usize) {
                edits.replace(array, &json);
            }
        }
    }
}

impl Filter for Paths {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "paths",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Exact)
        .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        if settings.min_paths < 2 {
            return Err(format!(
                "`min-paths` is {}: it takes at least 2 to share a directory",
                settings.min_paths
            ));
        }
        if settings.margin > 90 {
            return Err(format!(
                "`margin` is {}: it is a percentage, 0 to 90",
                settings.margin
            ));
        }
        let TreeKeys {
            name,
            kind,
            children,
            file,
            directory,
        } = &settings.tree;
        if name == kind || kind == children || name == children || file == directory {
            return Err(
                "`tree` has the same word twice: its three keys differ, as do `file` and `directory`"
                    .to_owned(),
            );
        }
        Ok(Paths { settings })
    }

    fn triggers(&self) -> Vec<String> {
        // A JSON string may spell any of them with escapes.
        let mut triggers = vec!["/", "[FILE] ", "[DIR] ", "\\u"];
        if self.settings.trees {
            // Every node of a tree has these.
            let TreeKeys {
                file, directory, ..
            } = &self.settings.tree;
            triggers.extend([&**file, &**directory]);
        }
        triggers.into_iter().map(str::to_owned).collect()
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        if document.kind() == Kind::Text {
            let text = self.text(document.text());
            return Ok(text.map_or(Verdict::Unchanged, tamis_sdk::rewritten_text));
        }
        let Some(root) = document.root() else {
            return Ok(Verdict::Unchanged);
        };
        let only = root.members().next().filter(|_| root.children() == 1);
        let value = only.map_or(root, |(_, value)| value);
        let encoded = match value.kind() {
            NodeKind::String => document.string(value).and_then(|said| self.text(&said)),
            NodeKind::Array | NodeKind::Object if self.settings.trees => {
                let fewest = self.settings.min_paths as usize;
                json::encode_tree(document, value, &self.settings.tree, fewest)
            }
            _ => None,
        };
        let Some(text) = encoded else {
            let mut edits = Edits::new();
            if self.settings.json_lists {
                self.lists(document, &mut edits);
            }
            return Ok(edits.into());
        };
        if only.is_none() {
            let text = self.smaller(Some(text), root.len_bytes() as usize);
            return Ok(text.map_or(Verdict::Unchanged, tamis_sdk::rewritten_text));
        }
        let mut edits = Edits::new();
        let quoted = Some(tamis_sdk::quote(&text));
        if let Some(quoted) = self.smaller(quoted, value.len_bytes() as usize) {
            edits.replace(value, &quoted);
        }
        Ok(edits.into())
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Paths);

#[cfg(test)]
mod tests;
