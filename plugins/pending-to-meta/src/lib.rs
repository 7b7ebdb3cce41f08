//! `pending-to-meta`: replaces a block of pending work, with its imperative hint, by a count.
//!
//! `"_pending_annotations":{"nodes":[…],"count":3,"hint":"ACTION REQUIRED: …"}` becomes
//! `"_meta":{"unannotated_nodes":3}` in the same object.

use serde::Deserialize;
use tamis_sdk::{
    Call, Capability, Description, Document, Edits, Fidelity, Filter, Level, Node, NodeKind,
    Verdict,
};

/// The settings: which block is replaced, and the position of its count.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Key of the block.
    key: String,
    /// Name of the count that replaces the block.
    count_as: String,
    /// Position of the count: in the document, under `_meta` in the block's own object, or in the `_meta` of the MCP
    /// result, under `result-key`.
    place: Place,
    /// Key in the result's `_meta`, with a reverse-DNS prefix, for `place = "result"`.
    result_key: String,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Place {
    Document,
    Result,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            key: "_pending_annotations".to_owned(),
            count_as: "unannotated_nodes".to_owned(),
            place: Place::Document,
            result_key: "dev.tamis/unannotated_nodes".to_owned(),
        }
    }
}

struct PendingToMeta {
    settings: Settings,
}

const META: &str = "_meta";

impl PendingToMeta {
    /// The number of pending items: the block's `count`, else the length of its first list.
    fn count(document: &Document, block: Node<'_>) -> Option<u32> {
        if block.kind() == NodeKind::Array {
            return Some(block.children());
        }
        let said = block.members().find_map(|(key, value)| {
            (value.kind() == NodeKind::Number && document.key_is(key, "count"))
                .then(|| document.raw(value).parse().ok())
                .flatten()
        });
        said.or_else(|| {
            block
                .members()
                .find_map(|(_, value)| (value.kind() == NodeKind::Array).then(|| value.children()))
        })
    }

    /// Moves the block's count into the `_meta` of the object around the block. False if an existing `_meta` has no
    /// place for it.
    fn put_into_document(
        &self,
        document: &Document,
        edits: &mut Edits,
        object: Node<'_>,
        (key, block): (Node<'_>, Node<'_>),
        count: u32,
    ) -> bool {
        let name = &self.settings.count_as;
        let Some((_, meta)) = last_member(document, object, META) else {
            edits.rename(key, META);
            edits.replace(block, &format!("{{{}:{count}}}", tamis_sdk::quote(name)));
            return true;
        };
        if meta.kind() != NodeKind::Object {
            return false;
        }
        match last_member(document, meta, name) {
            // The old value may have edits inside.
            Some((_, old)) if matches!(old.kind(), NodeKind::Array | NodeKind::Object) => {
                return false;
            }
            Some((_, old)) => edits.replace(old, &count.to_string()),
            None => edits.append_member(meta, name, &count.to_string()),
        }
        edits.remove(key);
        true
    }
}

/// A member of an object by its key: the last of several, as JSON readers take it.
fn last_member<'t>(
    document: &Document,
    object: Node<'t>,
    name: &str,
) -> Option<(Node<'t>, Node<'t>)> {
    let members = object.members();
    members
        .filter(|(key, _)| document.key_is(*key, name))
        .last()
}

impl Filter for PendingToMeta {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "pending-to-meta",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .wants(&[Capability::Log, Capability::ResultMeta])
        .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        for (name, value) in [
            ("key", &settings.key),
            ("count-as", &settings.count_as),
            ("result-key", &settings.result_key),
        ] {
            if value.is_empty() {
                return Err(format!("`{name}` is an empty string: name a key"));
            }
        }
        if settings.key == META {
            return Err(format!(
                "`key` is \"{META}\", where the count goes: name the block that it is taken from"
            ));
        }
        if !settings.result_key.contains('/') || !settings.result_key.contains('.') {
            return Err(format!(
                "`result-key` is \"{}\": it needs a reverse-DNS prefix, such as com.example/count",
                settings.result_key
            ));
        }
        if is_reserved(&settings.result_key) {
            return Err(format!(
                "`result-key` is \"{}\": MCP reserves every prefix whose second label is `modelcontextprotocol` or `mcp`, or in which one of these stands before the last label",
                settings.result_key
            ));
        }
        Ok(PendingToMeta { settings })
    }

    fn triggers(&self) -> Vec<String> {
        // The key as JSON spells it, or any key with escapes.
        vec![self.settings.key.clone(), "\\".to_owned()]
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        let mut edits = Edits::new();
        let mut in_result: Option<u32> = None;
        let mut cursor = document.root();
        // The filter examines only the objects with such a key.
        let mut keys = document.keys_named(&self.settings.key).peekable();
        // Blocks ahead, the nearest last: blocks inside another one are removed with it.
        let mut blocks: Vec<Node<'_>> = Vec::new();
        while let Some(object) = cursor {
            let here = object.index();
            while keys.next_if(|key| key.index() <= here).is_some() {}
            let Some(key) = keys.peek() else { break };
            if object.next_index() <= key.index() {
                cursor = object.next();
                continue;
            }
            while blocks.pop_if(|block| block.index() < here).is_some() {}
            if blocks.pop_if(|block| block.index() == here).is_some() {
                cursor = object.next();
                continue;
            }
            cursor = object.following();
            let Some((key, block)) = last_member(document, object, &self.settings.key) else {
                continue;
            };
            let moved = match (Self::count(document, block), &self.settings.place) {
                (None, _) => false,
                (Some(count), Place::Document) => {
                    self.put_into_document(document, &mut edits, object, (key, block), count)
                }
                (Some(count), Place::Result) => {
                    in_result = Some(in_result.unwrap_or(0).saturating_add(count));
                    edits.remove(key);
                    true
                }
            };
            if moved {
                // If the key occurs twice, both members are removed.
                let named =
                    |(key, _): &(Node<'_>, Node<'_>)| document.key_is(*key, &self.settings.key);
                let all: Vec<_> = object.members().filter(named).collect();
                for (other, _) in all.iter().filter(|(other, _)| other.index() != key.index()) {
                    edits.remove(*other);
                }
                blocks.extend(all.iter().rev().map(|(_, block)| *block));
            } else {
                tamis_sdk::log(
                    Level::Warn,
                    &format!(
                        "`{}` stays as it is: it holds neither a `count` nor a list, or the `{META}` beside it has no place for one",
                        self.settings.key
                    ),
                );
            }
        }
        if let Some(count) = in_result {
            tamis_sdk::set_result_meta(&self.settings.result_key, &count.to_string())?;
        }
        Ok(edits.into())
    }
}

/// Whether a key's prefix is reserved by the protocol. The host refuses such a key; this check reports it before the
/// first result.
fn is_reserved(key: &str) -> bool {
    let labels: Vec<&str> = key
        .split('/')
        .next()
        .unwrap_or_default()
        .split('.')
        .collect();
    let names = ["modelcontextprotocol", "mcp"];
    let places = [Some(1), labels.len().checked_sub(2)];
    places.iter().flatten().any(|place| {
        let label = labels.get(*place).copied().unwrap_or_default();
        names.iter().any(|name| label.eq_ignore_ascii_case(name))
    })
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(PendingToMeta);

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_is_that_of_the_settings() {
        tamis_sdk::testing::assert_schema::<super::PendingToMeta>(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/settings.schema.json"
        ));
    }
}
