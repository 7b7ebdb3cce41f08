//! Write Tamis filters in Rust.
//!
//! A filter is a type with typed settings and one function, [`Filter::apply`]. [`export!`] makes a plugin from it. The
//! host makes a fresh instance for every document. So a filter has no state, except values in the session, which
//! require a grant.
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
//!     /// Key of the member to remove.
//!     key: String,
//! }
//!
//! impl Filter for DropMember {
//!     type Settings = Settings;
//!
//!     const SETTINGS_SCHEMA: &str = r#"{
//!         "type": "object",
//!         "properties": {"key": {"type": "string", "description": "Key of the member to remove."}},
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

#![warn(missing_docs)]

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
pub use paths::{Found, PathPositions, Paths};
pub use read_call::{read_call, thousands};
pub use template::Template;
pub use walk::{PlacedValue, Values};

/// Most levels of JSON that the host accepts.
pub const MAX_DEPTH: usize = 128;

/// A filter: its settings, and its effect on a document.
pub trait Filter: Sized + 'static {
    /// The settings. Add `#[serde(deny_unknown_fields)]`, so that a misspelled key is an error.
    type Settings: serde::de::DeserializeOwned;

    /// A JSON Schema (draft 2020-12) of the settings, with a description for every key. It is text because the code
    /// that generates it would be half of the plugin. With the feature `testing`, `testing::assert_schema` generates
    /// it from [`Filter::Settings`], and fails if the two differ.
    const SETTINGS_SCHEMA: &'static str = r#"{"type":"object"}"#;

    /// Describes this filter. Must not depend on anything.
    fn describe() -> Description;

    /// Takes the settings, at load and in each fresh instance. An error is for the operator: it names the key, the
    /// value found and the allowed values.
    fn configure(settings: Self::Settings) -> Result<Self, String>;

    /// Literals of which at least one occurs in the text of every document that this filter changes. The host skips the
    /// call if none occurs. Empty: the host always calls. A key or string may also be spelled with `\u` escapes, so a
    /// filter that decodes keys also names `\u`.
    fn triggers(&self) -> Vec<String> {
        Vec::new()
    }

    /// How much of a document survives with these settings.
    fn fidelity(&self) -> Fidelity {
        Self::describe().fidelity
    }

    /// How a model reads this filter's output, in a sentence of at most 60 tokens. The host sends it once a session,
    /// with the first result that the filter changed. It does not send it if that result is JSON of the same value
    /// ([`Fidelity::Exact`]).
    fn legend(&self) -> Option<String> {
        None
    }

    /// Filters one document. An error is for the operator, in one line.
    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String>;
}

/// Writes a message to the operator's log. Needs [`Capability::Log`]: without that grant, the host refuses a plugin
/// that calls this.
pub fn log(level: Level, message: &str) {
    host::log(level, message);
}

/// Number of o200k_base tokens of a text of at most 65536 bytes. A longer text ends the call as a failure. Needs
/// [`Capability::Tokens`].
pub fn tokens(text: &str) -> u32 {
    host::tokens(text)
}

/// Sets one member of the `_meta` of the document's result. Needs [`Capability::ResultMeta`]. `value` is JSON.
pub fn set_result_meta(key: &str, value: &str) -> Result<(), String> {
    host::set_result_meta(key, value)
}

/// Stores the document's whole result, as upstream sent it, and returns its names. `prefix`, at most 64 lower-case
/// letters, digits, `-` and `_`, begins the name of its file. None if no originals are stored. Needs
/// [`Capability::Original`].
pub fn keep_original(prefix: &str) -> Option<Kept> {
    host::keep_original(prefix)
}

/// The value that this filter set for a key with an earlier result of the session. None if it set none, and always
/// before [`Filter::apply`]. Needs [`Capability::Session`].
pub fn session_value(key: &str) -> Option<String> {
    host::session_value(key)
}

/// Sets a small value for later results of the session, if the host accepts this verdict. A key has at most 64 bytes, a
/// value at most 1024, and a session at most 64 keys. An empty value removes the key. Needs [`Capability::Session`].
pub fn set_session_value(key: &str, value: &str) -> Result<(), String> {
    host::set_session_value(key, value)
}
