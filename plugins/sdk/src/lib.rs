//! Write Tamis filters in Rust.
//!
//! A filter is a type with typed settings and one function, [`Filter::apply`]. [`export!`] makes a
//! plugin of it. The host makes a fresh instance for every document, so a filter keeps no state but what
//! it is granted to keep in the session.
//!
//! ```
//! use tamis_sdk::{Call, Description, Document, Edits, Fidelity, Filter, Verdict};
//!
//! /// Removes the top-level member that the settings name.
//! struct DropMember {
//!     settings: Settings,
//! }
//!
//! #[derive(serde::Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct Settings {
//!     /// Key of the member that goes.
//!     key: String,
//! }
//!
//! impl Filter for DropMember {
//!     type Settings = Settings;
//!
//!     const SETTINGS_SCHEMA: &str = r#"{
//!         "type": "object",
//!         "properties": {"key": {"type": "string", "description": "Key of the member that goes."}},
//!         "required": ["key"],
//!         "additionalProperties": false
//!     }"#;
//!
//!     fn describe() -> Description {
//!         Description::new("drop-member", "1.0.0", "removes one top-level member")
//!             .fidelity(Fidelity::Partial)
//!     }
//!
//!     fn configure(settings: Settings) -> Result<Self, String> {
//!         Ok(DropMember { settings })
//!     }
//!
//!     fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
//!         let mut edits = Edits::new();
//!         if let Some(root) = document.root() {
//!             for (key, _value) in root.members() {
//!                 if document.key_is(key, &self.settings.key) {
//!                     edits.remove(key);
//!                 }
//!             }
//!         }
//!         Ok(edits.into())
//!     }
//! }
//!
//! tamis_sdk::export!(DropMember);
//! # fn main() {}
//! ```
//!
//! Build it as a `cdylib` for `wasm32-unknown-unknown`, `wasm32-wasip1` or `wasm32-wasip2`.

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod bump;
mod call;
mod characters;
mod description;
mod document;
mod edits;
mod glob;
#[doc(hidden)]
pub mod guest;
mod host;
mod json;
mod paths;
mod read_call;
mod template;
#[cfg(feature = "testing")]
pub mod testing;
mod walk;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use bump::Bump;
pub use call::{Call, Part, Surface};
pub use characters::{Character, Characters, characters, cut_string};
pub use description::{Capability, Description};
pub use document::{Document, Elements, Kind, Members, Node, NodeKind};
pub use edits::{Edits, Splices, rewritten_json, rewritten_text};
pub use glob::Glob;
pub use guest::bindings::exports::tamis::filter::filter::Verdict;
pub use guest::bindings::tamis::filter::log::Level;
pub use guest::bindings::tamis::filter::original::Kept;
pub use guest::bindings::tamis::filter::types::{Fidelity, Growth};
pub use json::{push_quoted, quote, unquote};
pub use paths::{Found, Paths, Places};
pub use read_call::{read_call, thousands};
pub use template::Template;
pub use walk::{Place, Values};

/// How deep the host lets JSON nest.
pub const MAX_DEPTH: usize = 128;

/// A filter: settings, and what it does to a document.
pub trait Filter: Sized + 'static {
    /// What the operator may set. Put `#[serde(deny_unknown_fields)]` on it, so that a misspelled
    /// key is an error.
    type Settings: serde::de::DeserializeOwned;

    /// A JSON Schema (draft 2020-12) of the settings, with a description for every key. It is text
    /// and not made by the plugin, since the code that makes it would be half of the plugin; with
    /// the feature `testing`, [`testing::assert_schema`] makes it of [`Filter::Settings`] and holds
    /// the two together.
    const SETTINGS_SCHEMA: &'static str = r#"{"type":"object"}"#;

    /// What this filter is. Must not depend on anything.
    fn describe() -> Description;

    /// Takes the settings, at load and in each fresh instance. An error is for the operator: it
    /// names the key, what was found and what is allowed.
    fn configure(settings: Self::Settings) -> Result<Self, String>;

    /// Literals of which at least one occurs in the text of every document that this filter
    /// changes, so that the host may leave the call out; empty: always call. A key or string may
    /// also be spelled with `\u` escapes: a filter that decodes keys names `\u` too.
    fn triggers(&self) -> Vec<String> {
        Vec::new()
    }

    /// How much of a document survives with these settings, where they matter.
    fn fidelity(&self) -> Fidelity {
        Self::describe().fidelity
    }

    /// How a model reads what this filter writes, in a sentence of at most 60 tokens. The host sends it
    /// once a session, with the first result that the filter wrote, unless that is JSON of the same value
    /// ([`Fidelity::Exact`]).
    fn legend(&self) -> Option<String> {
        None
    }

    /// Filters one document. An error is for the operator, in one line.
    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String>;
}

/// Writes a message to the operator's log. Needs [`Capability::Log`]: a plugin that calls this and
/// is not granted it is refused when it is loaded.
pub fn log(level: Level, message: &str) {
    host::log(level, message);
}

/// Number of o200k_base tokens of a text of at most 65536 bytes; a longer one ends the call as a
/// failure. Needs [`Capability::Tokens`].
pub fn tokens(text: &str) -> u32 {
    host::tokens(text)
}

/// Sets one member of the `_meta` of the result that the document is part of. Needs
/// [`Capability::ResultMeta`]. `value` is JSON.
pub fn set_result_meta(key: &str, value: &str) -> Result<(), String> {
    host::set_result_meta(key, value)
}

/// Keeps the result that the document is part of, as upstream sent it, and says how to name it.
/// `prefix`, at most 64 lower-case letters, digits, `-` and `_`, begins the name of its file. None
/// where nothing is kept. Needs [`Capability::Original`].
pub fn keep_original(prefix: &str) -> Option<Kept> {
    host::keep_original(prefix)
}

/// What this filter set for a key while it filtered an earlier result of the session; none if nothing
/// was, and always before [`Filter::apply`]. Needs [`Capability::Session`].
pub fn session_value(key: &str) -> Option<String> {
    host::session_value(key)
}

/// Sets a small value for later results of the session, if this verdict is accepted: a key of at most
/// 64 bytes, a value of at most 1024, at most 64 keys; an empty value removes the key. Needs
/// [`Capability::Session`].
pub fn set_session_value(key: &str, value: &str) -> Result<(), String> {
    host::set_session_value(key, value)
}
