//! `stub`: reduces an old tool result to its outcome, its subject and its size.
//!
//! It is meant for past messages of a conversation (surface `history`), which a model has read and only needs to
//! remember. A stub has a flag, and the filter never changes a document with the flag.

use serde::Deserialize;
use tamis_sdk::{
    Call, Description, Document, Fidelity, Filter, Node, NodeKind, Verdict, quote, rewritten_json,
};

/// The settings: the parts of a stub.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Field with the outcome: `status` is "error" if it is false, null, zero or empty, otherwise "success". Without
    /// such a field, it is "unknown".
    success: String,
    /// Fields that the stub repeats, in this order, if they are present.
    keep: Vec<String>,
    /// Maximum number of characters of a repeated field. A longer field is cut to its beginning, as a string that ends
    /// with `…`. 0: no limit.
    longest: u32,
    /// Field that is counted, if it holds a list.
    list: String,
    /// Name of the count in the stub.
    count_as: String,
    /// Field that is collected from the elements of that list.
    collect: String,
    /// Name of the collected values in the stub, if any exist.
    collect_as: String,
    /// Maximum number of characters of a document that is not a JSON object.
    summary: u32,
    /// The field that marks a stub.
    flag: String,
    /// Leaves a document unchanged if it is no longer than its stub.
    only_smaller: bool,
}

const STATUS: &str = "status";
const SUMMARY: &str = "summary";

impl Default for Settings {
    fn default() -> Self {
        Settings {
            success: "success".to_owned(),
            keep: ["error", "message", "path"].map(str::to_owned).to_vec(),
            longest: 0,
            list: "results".to_owned(),
            count_as: "result_count".to_owned(),
            collect: "source".to_owned(),
            collect_as: "files".to_owned(),
            summary: 200,
            flag: "_compacted".to_owned(),
            only_smaller: false,
        }
    }
}

struct Stub {
    settings: Settings,
}

impl Stub {
    fn of_object(&self, document: &Document, object: Node<'_>) -> String {
        let settings = &self.settings;
        let status = match field(document, object, &settings.success) {
            None => "unknown",
            Some(value) if says_no(document, value) => "error",
            Some(_) => "success",
        };
        let mut stub = format!("{{{}:{}", quote(STATUS), quote(status));
        for name in &settings.keep {
            if let Some(value) = field(document, object, name) {
                push_member(&mut stub, name, &self.show(document, value));
            }
        }
        let list = field(document, object, &settings.list);
        if let Some(list) = list.filter(|list| list.kind() == NodeKind::Array) {
            let mut count = 0u64;
            let mut collected = String::new();
            for element in list.elements() {
                count += 1;
                let value = field(document, element, &settings.collect);
                let value = value.filter(|value| !is_nothing(*value));
                if let Some(value) = value {
                    if !collected.is_empty() {
                        collected.push(',');
                    }
                    collected.push_str(&self.show(document, value));
                }
            }
            push_member(&mut stub, &settings.count_as, &count.to_string());
            if !collected.is_empty() {
                push_member(&mut stub, &settings.collect_as, &format!("[{collected}]"));
            }
        }
        stub
    }

    fn of_anything(&self, document: &Document) -> String {
        let mut stub = format!("{{{}:\"unknown\"", quote(STATUS));
        let longest = self.settings.summary;
        let enough = longest.saturating_mul(4).min(document.len_bytes());
        let text = document.slice(0, enough);
        let summary = cut(&text, longest).unwrap_or(&text);
        push_member(&mut stub, SUMMARY, &quote(summary));
        stub
    }

    /// A value as it is spelled, or its beginning.
    fn show(&self, document: &Document, value: Node<'_>) -> String {
        let raw = document.raw(value);
        let longest = self.settings.longest;
        if longest == 0 {
            return raw.into_owned();
        }
        let said = document.string(value);
        match cut(said.as_deref().unwrap_or(&raw), longest) {
            Some(cut) => quote(&(cut.to_owned() + "…")),
            None => raw.into_owned(),
        }
    }
}

/// A member's value: the last of several with one key, as JSON readers take it.
fn field<'d>(document: &Document, object: Node<'d>, name: &str) -> Option<Node<'d>> {
    let members = object.members();
    let named = members.filter(|(key, _)| document.key_is(*key, name));
    named.last().map(|(_, value)| value)
}

fn push_member(stub: &mut String, name: &str, json: &str) {
    stub.push(',');
    stub.push_str(&quote(name));
    stub.push(':');
    stub.push_str(json);
}

/// The first `count` characters, if there are more.
fn cut(text: &str, count: u32) -> Option<&str> {
    let (end, _) = text.char_indices().nth(count as usize)?;
    Some(&text[..end])
}

/// Whether a value is null or empty.
fn is_nothing(value: Node<'_>) -> bool {
    match value.kind() {
        NodeKind::Null => true,
        NodeKind::String => value.len_bytes() == 2,
        NodeKind::Array | NodeKind::Object => value.children() == 0,
        _ => false,
    }
}

/// Whether a value is false in most languages.
fn says_no(document: &Document, value: Node<'_>) -> bool {
    match value.kind() {
        NodeKind::False => true,
        NodeKind::Number => {
            let number = document.raw(value);
            let digits = number.split(['e', 'E']).next().unwrap_or_default();
            !digits.contains(|it: char| ('1'..='9').contains(&it))
        }
        _ => is_nothing(value),
    }
}

impl Filter for Stub {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "stub",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .idempotent()
        // A short result gets a stub too, and its flag makes it longer.
        .may_grow()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        for (key, name) in [
            ("success", &settings.success),
            ("list", &settings.list),
            ("count-as", &settings.count_as),
            ("collect", &settings.collect),
            ("collect-as", &settings.collect_as),
            ("flag", &settings.flag),
        ] {
            if name.is_empty() {
                return Err(format!("`{key}` is an empty string: name a field"));
            }
        }
        let mut names = vec![STATUS, SUMMARY, &settings.flag];
        let kept = settings.keep.iter().map(|name| ("keep", name));
        let made = [
            ("count-as", &settings.count_as),
            ("collect-as", &settings.collect_as),
        ];
        for (key, name) in kept.chain(made) {
            if names.contains(&name.as_str()) {
                return Err(format!(
                    "`{key}` has {name:?}: the stub has a field of that name already"
                ));
            }
            names.push(name);
        }
        if [STATUS, SUMMARY].contains(&settings.flag.as_str()) {
            return Err(format!(
                "`flag` is {:?}: the stub has a field of that name already",
                settings.flag
            ));
        }
        Ok(Stub { settings })
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        let flag = &self.settings.flag;
        let object = document
            .root()
            .filter(|root| root.kind() == NodeKind::Object);
        let mut stub = match object {
            Some(object) => {
                let flagged = field(document, object, flag);
                if flagged.is_some_and(|value| value.kind() == NodeKind::True) {
                    return Ok(Verdict::Unchanged);
                }
                self.of_object(document, object)
            }
            None => self.of_anything(document),
        };
        push_member(&mut stub, flag, "true");
        stub.push('}');
        if self.settings.only_smaller && stub.len() >= document.len_bytes() as usize {
            return Ok(Verdict::Unchanged);
        }
        Ok(rewritten_json(stub))
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Stub);

#[cfg(test)]
mod tests;
