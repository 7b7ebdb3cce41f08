//! `unwrap`: replaces a string that holds JSON by that JSON.
//!
//! `{"result":"{\"id\":1}"}` becomes `{"result":{"id":1}}`, down to the innermost string. The JSON inside is copied as
//! it is spelled (numbers, order and duplicates of keys) and only loses its escapes. A string that does not parse
//! stays. The host's own grammar decides, so that one odd string never makes the host refuse all edits.
//!
//! `{"name":"Zo\u00eb"}` becomes `{"name":"Zoë"}`: a character takes the place of its escape, if JSON allows it and a
//! reader sees it.
//!
//! A string that nests deeper than `depth` stays whole, rather than losing its outer layers. So filtering twice equals
//! filtering once.

use serde::Deserialize;
use std::borrow::Cow;
use tamis_formats::without_spelled_characters;
use tamis_sdk::{
    Call, Description, Document, Edits, Fidelity, Filter, Kind, MAX_DEPTH, Node, NodeKind, Verdict,
};

/// The settings: which strings are unwrapped, and how deep.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Maximum number of levels of strings inside strings that are unwrapped, 1 to 16. A string that nests deeper stays
    /// whole.
    #[cfg_attr(test, schemars(range(min = 1, max = 16)))]
    depth: u32,
    /// Minimum length of an unwrapped string: bytes between its quotes, as they are spelled.
    min_bytes: u32,
    /// Keys whose strings are unwrapped, also in lists under them; none: all keys.
    only: Vec<String>,
    /// Keys whose strings stay, also in lists under them.
    except: Vec<String>,
    /// Writes characters in place of their escapes, in all strings: `ë` for `\u00eb`, `/` for `\/`. If false, escapes
    /// stay as the server wrote them.
    characters: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            depth: 3,
            min_bytes: 16,
            only: Vec::new(),
            except: Vec::new(),
            characters: true,
        }
    }
}

struct Unwrap {
    settings: Settings,
}

/// The string has JSON in more layers than `depth`.
struct TooDeep;

/// The position of a string.
#[derive(Clone, Copy)]
struct Context {
    /// Containers around it, including those of the documents around it.
    depth: usize,
    /// Strings around it.
    layers: u32,
    /// Whether the key above a string without its own key is to be unwrapped.
    named: bool,
}

const WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

impl Unwrap {
    fn is_named(&self, document: &Document, key: Option<Node<'_>>, outside: bool) -> bool {
        let Some(key) = key else { return outside };
        let listed = |names: &[String]| names.iter().any(|name| document.key_is(key, name));
        !listed(&self.settings.except)
            && (self.settings.only.is_empty() || listed(&self.settings.only))
    }

    /// JSON without the escapes that it does not need; none if it has none of these, or if they stay.
    fn in_characters(&self, json: &str) -> Option<String> {
        match without_spelled_characters(json) {
            Cow::Owned(written) if self.settings.characters => Some(written),
            _ => None,
        }
    }

    /// Finds the strings of `document` that hold JSON, each with its replacement.
    fn find<'t>(
        &self,
        document: &'t Document,
        context: Context,
        mut found: impl FnMut(Node<'t>, String),
    ) -> Result<(), TooDeep> {
        let text = document.text().as_bytes();
        for place in document.values() {
            let string = place.value;
            let first = text.get(string.start() as usize + 1);
            if string.kind() != NodeKind::String
                || string.len_bytes() - 2 < self.settings.min_bytes
                || !matches!(first, Some(b'{' | b'[' | b'\\' | b' '))
            {
                continue;
            }
            let context = Context {
                depth: context.depth + place.depth,
                named: self.is_named(document, place.key, context.named),
                ..context
            };
            if !context.named {
                continue;
            }
            let Some(said) = document.string(string) else {
                continue;
            };
            match self.open(&said, context) {
                Ok(Some(json)) => found(string, json),
                Ok(None) => {}
                // In the document itself this string stays. Inside a string, that string stays.
                Err(TooDeep) if context.layers == 0 => {}
                Err(TooDeep) => return Err(TooDeep),
            }
        }
        Ok(())
    }

    /// The object or array in a string, with its own strings unwrapped.
    fn open(&self, said: &str, context: Context) -> Result<Option<String>, TooDeep> {
        let said = said.trim_matches(WHITESPACE);
        if !said.starts_with(['{', '[', '"']) {
            return Ok(None);
        }
        let Some(room) = MAX_DEPTH.checked_sub(context.depth) else {
            return Ok(None);
        };
        let Some(inner) = Document::nested(said.to_owned(), room) else {
            return Ok(None);
        };
        let Some(root) = inner.root() else {
            return Ok(None);
        };
        if context.layers >= self.settings.depth {
            return Err(TooDeep);
        }
        let context = Context {
            layers: context.layers + 1,
            ..context
        };
        if root.kind() == NodeKind::String {
            // A string in a string of JSON; any other quoted word stays.
            return match inner.string(root) {
                Some(said) => self.open(&said, context),
                None => Ok(None),
            };
        }
        let mut found = Vec::new();
        self.find(&inner, context, |string, json| found.push((string, json)))?;
        Ok(Some(with_opened(said, &found)))
    }
}

/// A text with JSON in the places of strings, which are in order.
fn with_opened(text: &str, found: &[(Node<'_>, String)]) -> String {
    let mut opened = String::with_capacity(text.len());
    let mut copied = 0;
    for (string, json) in found {
        opened.push_str(&text[copied..string.start() as usize]);
        opened.push_str(json);
        copied = string.end() as usize;
    }
    opened.push_str(&text[copied..]);
    opened
}

impl Filter for Unwrap {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "unwrap",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Equivalent)
        .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        if !(1..=16).contains(&settings.depth) {
            return Err(format!(
                "`depth` is {}: it counts strings inside strings, 1 to 16",
                settings.depth
            ));
        }
        let both = |name: &&String| settings.except.contains(name);
        if let Some(name) = settings.only.iter().find(both) {
            return Err(format!(
                "`only` and `except` both hold \"{name}\": a key can be in one of them"
            ));
        }
        Ok(Unwrap { settings })
    }

    fn triggers(&self) -> Vec<String> {
        // Beginnings of a string that may hold an object or array. The last two are for whitespace before it, and for
        // an escaped bracket.
        let mut triggers = vec!["\"{", "\"[", "\"\\", "\" "];
        if self.settings.characters {
            triggers.extend(["\\u", "\\/"]);
        }
        triggers.into_iter().map(str::to_owned).collect()
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        let context = Context {
            depth: 0,
            layers: 0,
            named: self.settings.only.is_empty(),
        };
        if document.kind() == Kind::Text {
            let text = document.text().trim_matches(WHITESPACE);
            if !text.starts_with('"') || !context.named {
                return Ok(Verdict::Unchanged);
            }
            // The quotes are no layer: the text itself is not a string of another document.
            let string = Document::nested(text.to_owned(), 0);
            let said = string.as_ref().and_then(|string| {
                let root = string.root()?;
                string.string(root)
            });
            let Some(said) = said else {
                return Ok(Verdict::Unchanged);
            };
            return Ok(match self.open(&said, context) {
                Ok(Some(json)) => {
                    tamis_sdk::rewritten_json(self.in_characters(&json).unwrap_or(json))
                }
                _ => Verdict::Unchanged,
            });
        }
        let mut found = Vec::new();
        // At this level nothing is too deep: such strings stay.
        let _ = self.find(document, context, |string, json| found.push((string, json)));
        let opened = match found.is_empty() {
            true => Cow::Borrowed(document.text()),
            false => Cow::Owned(with_opened(document.text(), &found)),
        };
        if let Some(written) = self.in_characters(&opened) {
            return Ok(tamis_sdk::rewritten_json(written));
        }
        let mut edits = Edits::new();
        for (string, json) in &found {
            edits.replace(*string, json);
        }
        Ok(edits.into())
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Unwrap);

#[cfg(test)]
mod tests;
