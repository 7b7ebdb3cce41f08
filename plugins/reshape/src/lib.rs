//! `reshape`: selects, drops, renames and previews members of JSON by their paths.
//!
//! A path is keys joined by dots, from the root: `llm_hint` is a member of the root, and `data.callers.*.source_code` a
//! member of each element of `callers` in `data` (see [`Paths`]). One walk applies all rules of a step. Content without
//! a rule keeps its bytes.

mod preview;

use preview::Preview;
use serde::Deserialize;
use std::collections::BTreeMap;
use tamis_sdk::{
    Call, Capability, Description, Document, Edits, Fidelity, Filter, Level, Node, NodeKind,
    PathPositions, Paths, Verdict, quote,
};

/// The settings: which members stay, are dropped, renamed or shortened. Paths are keys joined by dots, from the root.
/// `*` is any key or element, `**` any number of levels. Write a key with a dot in double quotes.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Paths to keep: everything else is removed, except the members that lead to them. Empty: everything stays. A
    /// document with none of these paths stays unchanged.
    keep: Vec<String>,
    /// Paths of members and elements to remove; stronger than `keep`.
    drop: Vec<String>,
    /// New keys of members, by their paths. A member keeps its key if the new one already exists.
    rename: BTreeMap<String, String>,
    /// Strings that are cut to their beginning, by their paths.
    preview: BTreeMap<String, Preview>,
}

/// The use of a path.
enum Rule {
    Keep,
    Drop,
    Rename(String),
    Preview(Preview),
}

struct Reshape {
    paths: Paths,
    /// By the index of their paths.
    rules: Vec<Rule>,
    keeps: bool,
}

/// The combined rules for one value.
#[derive(Default)]
struct Verdicts<'r> {
    is_kept: bool,
    is_dropped: bool,
    name: Option<&'r str>,
    preview: Option<&'r Preview>,
}

impl Reshape {
    fn verdicts(&self, places: PathPositions) -> Verdicts<'_> {
        let mut verdicts = Verdicts::default();
        for path in self.paths.ends(places) {
            match &self.rules[path] {
                Rule::Keep => verdicts.is_kept = true,
                Rule::Drop => verdicts.is_dropped = true,
                Rule::Rename(name) => verdicts.name = Some(name),
                Rule::Preview(preview) => verdicts.preview = Some(preview),
            }
        }
        verdicts
    }
}

/// One walk over a document.
struct Walk<'a> {
    filter: &'a Reshape,
    document: &'a Document,
    edits: Edits,
    /// New keys so far in each object, by its node.
    given: Vec<(u32, &'a str)>,
    /// The reason why the first rename failed.
    refusal: Option<String>,
}

impl<'a> Walk<'a> {
    /// Walks a container, at most as deep as the document, which has at most 128 levels. Returns whether something
    /// inside stays. With `is_kept`, everything stays that is not dropped.
    fn inside(&mut self, container: Node<'_>, places: PathPositions, is_kept: bool) -> bool {
        let mut holds = is_kept;
        if container.kind() == NodeKind::Array {
            for (place, value) in container.elements().enumerate() {
                holds |= self.child(container, None, value, (places, place), is_kept);
            }
        } else {
            for (key, value) in container.members() {
                holds |= self.child(container, Some(key), value, (places, 0), is_kept);
            }
        }
        holds
    }

    /// Filters one member or element. Returns whether it stays, or something inside it.
    fn child(
        &mut self,
        container: Node<'_>,
        key: Option<Node<'_>>,
        value: Node<'_>,
        (places, place): (PathPositions, usize),
        is_kept: bool,
    ) -> bool {
        let filter = self.filter;
        let places = filter.paths.step(places, self.document, key, place);
        let verdicts = filter.verdicts(places);
        let handle = key.unwrap_or(value);
        if verdicts.is_dropped {
            self.edits.remove(handle);
            return false;
        }
        let is_kept = is_kept || verdicts.is_kept;
        let before = self.edits.len();
        let holds = if places.is_nowhere() {
            is_kept
        } else {
            self.inside(value, places, is_kept)
        };
        if !holds {
            self.edits.truncate(before);
            self.edits.remove(handle);
            return false;
        }
        let mut name = verdicts.name;
        if let Some(preview) = verdicts.preview
            && value.kind() == NodeKind::String
        {
            if let Some(head) = preview.of(&self.document.raw(value)) {
                self.edits.replace(value, &head);
            }
            name = preview.name.as_deref().or(name);
        }
        if let (Some(key), Some(name)) = (key, name) {
            self.rename(container, key, name);
        }
        true
    }

    fn rename(&mut self, object: Node<'_>, key: Node<'_>, name: &'a str) {
        let document = self.document;
        if document.key_is(key, name) {
            return;
        }
        let said = document.string(key);
        let is_other = |(other, _): &(Node<'_>, Node<'_>)| other.index() != key.index();
        let is_taken = object.members().filter(is_other).any(|(other, _)| {
            document.key_is(other, name) || said.is_some() && document.string(other) == said
        });
        if is_taken || self.given.contains(&(object.index(), name)) {
            self.refusal.get_or_insert_with(|| {
                format!(
                    "`rename`: {} stays: the object that holds it has {} already, or has it twice",
                    document.raw(key),
                    quote(name)
                )
            });
            return;
        }
        self.given.push((object.index(), name));
        self.edits.rename(key, name);
    }
}

impl Filter for Reshape {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "reshape",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .wants(&[Capability::Log])
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        let keeps = !settings.keep.is_empty();
        let mut rules = Vec::new();
        let mut paths = Vec::new();
        let mut add = |path: String, rule| {
            paths.push(path);
            rules.push(rule);
        };
        for path in settings.keep {
            add(path, Rule::Keep);
        }
        for path in settings.drop {
            add(path, Rule::Drop);
        }
        for (path, name) in settings.rename {
            if name.is_empty() {
                return Err(format!(
                    "`rename`: the new key of `{path}` is empty: name a key"
                ));
            }
            add(path, Rule::Rename(name));
        }
        for (path, preview) in settings.preview {
            if preview.lines.unwrap_or(0) == 0 && preview.chars.unwrap_or(0) == 0 {
                return Err(format!(
                    "`preview`: `{path}` says neither `lines` nor `chars`: give at least one of them, 1 or more"
                ));
            }
            if preview.lines == Some(0) || preview.chars == Some(0) {
                return Err(format!(
                    "`preview`: `{path}` has a limit of 0: allowed are 1 and more; `drop` is for what goes whole"
                ));
            }
            if preview.name.as_deref() == Some("") {
                return Err(format!("`preview`: `as` of `{path}` is empty: name a key"));
            }
            add(path, Rule::Preview(preview));
        }
        if paths.is_empty() {
            return Err(
                "nothing to do: give at least one of `keep`, `drop`, `rename`, `preview`"
                    .to_owned(),
            );
        }
        Ok(Reshape {
            paths: Paths::parse(&paths)?,
            rules,
            keeps,
        })
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        let Some(root) = document.root() else {
            return Ok(Verdict::Unchanged);
        };
        let mut walk = Walk {
            filter: self,
            document,
            edits: Edits::new(),
            given: Vec::new(),
            refusal: None,
        };
        let start = self.paths.start();
        if !walk.inside(root, start, !self.keeps) {
            // None of the paths to keep is present, for example in an error. The document is not emptied.
            walk.edits.truncate(0);
            walk.given.clear();
            walk.inside(root, start, true);
        }
        if let Some(refusal) = &walk.refusal {
            tamis_sdk::log(Level::Warn, refusal);
        }
        Ok(walk.edits.into())
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Reshape);

#[cfg(test)]
mod tests;
