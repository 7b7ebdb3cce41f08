//! `null-stripper`: removes members without a value (`null`, `[]`, `{}`, `""`) from JSON objects.
//!
//! A member with a duplicate key stays: readers take the last one, and must not find another there. Elements of arrays
//! stay, because their index has a meaning. An object without its removed members counts as empty, so that filtering
//! twice equals filtering once.

use serde::Deserialize;
use std::collections::HashMap;
use tamis_sdk::{Call, Description, Document, Edits, Fidelity, Filter, Node, NodeKind, Verdict};

/// The settings: which values are empty, at which depth, and the exceptions.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Values that count as empty. An array or object is empty if its brackets contain nothing.
    empty: Vec<Empty>,
    /// Number of levels of objects that are filtered: 1 is only the outermost object; 0 is all.
    depth: u32,
    /// Keys whose members always stay.
    keep: Vec<String>,
    /// Keys whose members are removed if they are null, but stay if they are otherwise empty.
    null_only: Vec<String>,
}

/// An empty value.
#[derive(Deserialize, Clone, Copy, PartialEq)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
enum Empty {
    #[serde(rename = "null")]
    Null,
    #[serde(rename = "[]")]
    Array,
    #[serde(rename = "{}")]
    Object,
    #[serde(rename = "\"\"")]
    String,
}

impl Empty {
    const ALL: [Empty; 4] = [Empty::Null, Empty::Array, Empty::Object, Empty::String];

    fn literal(self) -> &'static str {
        match self {
            Empty::Null => "null",
            Empty::Array => "[]",
            Empty::Object => "{}",
            Empty::String => "\"\"",
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            empty: Empty::ALL.to_vec(),
            depth: 0,
            keep: vec!["success".to_owned()],
            null_only: vec!["data".to_owned()],
        }
    }
}

struct NullStripper {
    settings: Settings,
    empty: [bool; 4],
}

/// The count in the tape for a container with this many children or more.
const UNCOUNTED: u32 = 0xff_ffff;

/// An object around the current node.
struct OpenObject<'t> {
    object: Node<'t>,
    fingerprints: Option<KeyFingerprints>,
    /// The keys of an object with many members, with their counts; made at the first use.
    keys: Option<HashMap<String, u32>>,
    /// The key of this object, if it is a member.
    key: Option<Node<'t>>,
    /// Index of the first node after the object.
    next: u32,
    members: u32,
    removed: u32,
    /// The number of earlier edits. The edits inside are discarded if the object is removed as a whole.
    edits_before: usize,
}

/// Up to this many members, comparing each with each is cheaper than a table.
const FEW_MEMBERS: u32 = 64;

/// Fingerprints of an object's keys, as bits: their lengths, first and last bytes. They usually prove without
/// comparisons that no key occurs twice.
#[derive(Clone, Copy)]
struct KeyFingerprints {
    /// Fingerprints of more than one key; all, if a key has escapes.
    repeated: u64,
}

impl KeyFingerprints {
    fn of(text: &[u8], object: Node<'_>) -> KeyFingerprints {
        let (mut seen, mut repeated) = (0u64, 0u64);
        for (key, _) in object.members() {
            let bit = Self::bit(text, key);
            repeated |= if key.is_escaped() {
                u64::MAX
            } else {
                seen & bit
            };
            seen |= bit;
        }
        KeyFingerprints { repeated }
    }

    fn bit(text: &[u8], key: Node<'_>) -> u64 {
        let byte = |at: u32| text.get(at as usize).copied().map_or(0, u32::from);
        let fingerprint = key.len_bytes() * 7 + byte(key.start() + 1) * 5 + byte(key.end() - 2) * 3;
        1 << (fingerprint % 64)
    }
}

impl OpenObject<'_> {
    /// Whether this object has a key more than once, without its escapes.
    fn has_twice(&mut self, document: &Document, key: Node<'_>) -> bool {
        let object = self.object;
        let text = document.text().as_bytes();
        let fingerprints = self
            .fingerprints
            .get_or_insert_with(|| KeyFingerprints::of(text, object));
        if fingerprints.repeated & KeyFingerprints::bit(text, key) == 0 {
            return false;
        }
        if self.members <= FEW_MEMBERS {
            return object.members().any(|(other, _)| {
                if other.index() == key.index() {
                    return false;
                }
                if other.is_escaped() || key.is_escaped() {
                    return document.string(other) == document.string(key);
                }
                other.len_bytes() == key.len_bytes() && document.raw(other) == document.raw(key)
            });
        }
        let keys = self.keys.get_or_insert_with(|| {
            let mut keys = HashMap::new();
            for (key, _) in object.members() {
                let said = document.string(key).unwrap_or_default().into_owned();
                *keys.entry(said).or_insert(0) += 1;
            }
            keys
        });
        let said = document.string(key).unwrap_or_default();
        keys.get(&*said).is_none_or(|times| *times > 1)
    }
}

impl NullStripper {
    /// The kind of an empty value, if that kind counts.
    fn empty(&self, value: Node<'_>) -> Option<Empty> {
        let empty = match value.kind() {
            NodeKind::Null => Empty::Null,
            NodeKind::Array if value.len_bytes() == 2 => Empty::Array,
            NodeKind::Object if value.len_bytes() == 2 => Empty::Object,
            NodeKind::String if value.len_bytes() == 2 => Empty::String,
            _ => return None,
        };
        self.empty[empty as usize].then_some(empty)
    }

    fn stays(&self, document: &Document, key: Node<'_>, empty: Empty) -> bool {
        let named = |names: &[String]| names.iter().any(|name| document.key_is(key, name));
        named(&self.settings.keep) || (empty != Empty::Null && named(&self.settings.null_only))
    }
}

impl Filter for NullStripper {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "null-stripper",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Equivalent)
        .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        if settings.empty.is_empty() {
            return Err(r#"`empty` is an empty list, so there is nothing to remove: name at least one of "null", "[]", "{}", "\"\"""#.to_owned());
        }
        let mut empty = [false; 4];
        for kind in &settings.empty {
            empty[*kind as usize] = true;
        }
        Ok(NullStripper { settings, empty })
    }

    fn triggers(&self) -> Vec<String> {
        let literal = |kind: &Empty| kind.literal().to_owned();
        self.settings.empty.iter().map(literal).collect()
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        let Some(root) = document.root() else {
            return Ok(Verdict::Unchanged);
        };
        let depth = match self.settings.depth {
            0 => usize::MAX,
            depth => depth as usize,
        };
        let mut edits = Edits::new();
        let mut open: Vec<OpenObject> = Vec::new();
        let mut key = None;
        let mut cursor = Some(root);
        loop {
            let index = cursor.map_or(u32::MAX, Node::index);
            while let Some(object) = open.pop_if(|object| object.next <= index) {
                let emptied = object.removed == object.members && object.removed > 0;
                if emptied
                    && object.members < UNCOUNTED
                    && self.empty[Empty::Object as usize]
                    && let Some(key) = object.key
                    && !self.stays(document, key, Empty::Object)
                    && let Some(parent) = open.last_mut()
                    && !parent.has_twice(document, key)
                {
                    edits.truncate(object.edits_before);
                    edits.remove(key);
                    parent.removed += 1;
                }
            }
            let Some(node) = cursor else {
                return Ok(edits.into());
            };
            cursor = node.following();
            match node.kind() {
                NodeKind::Key => {
                    let Some(value) = cursor else { continue };
                    key = Some(node);
                    if let Some(empty) = self.empty(value)
                        && !self.stays(document, node, empty)
                        && let Some(object) = open.last_mut()
                        && !object.has_twice(document, node)
                    {
                        edits.remove(node);
                        object.removed += 1;
                        cursor = node.next();
                        key = None;
                    } else if value.next_index() == value.index() + 1 {
                        // The container is empty.
                        cursor = value.following();
                        key = None;
                    }
                }
                NodeKind::Object if open.len() >= depth => {
                    cursor = node.next();
                    key = None;
                }
                NodeKind::Object => open.push(OpenObject {
                    object: node,
                    fingerprints: None,
                    keys: None,
                    key: key.take(),
                    next: node.next_index(),
                    members: node.children(),
                    removed: 0,
                    edits_before: edits.len(),
                }),
                _ => key = None,
            }
        }
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(NullStripper);

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_is_that_of_the_settings() {
        tamis_sdk::testing::assert_schema::<super::NullStripper>(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/settings.schema.json"
        ));
    }
}
