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
//!
//! // In its tests, with the feature `testing`:
//! # fn main() {
//! let bench = tamis_sdk::testing::Bench::<DropMember>::new(r#"{"key":"noise"}"#);
//! assert_eq!(bench.apply(r#"{"id":7,"noise":[1]}"#).text(), r#"{"id":7}"#);
//! # }
//! ```
//!
//! Build it as a `cdylib` for `wasm32-unknown-unknown`, `wasm32-wasip1` or `wasm32-wasip2`.
//!
//! The examples below run a function on a document with `testing::Bench::of`, which calls it as the host calls
//! [`Filter::apply`]. The type `Bump`, an allocator for short calls, exists for `wasm32-unknown-unknown` only:
//!
//! ```
//! #[cfg(all(target_family = "wasm", target_os = "unknown"))]
//! #[global_allocator]
//! static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();
//! ```
//!
//! # Features
//!
//! - `nested` reads JSON that stands in a string of a document: `Document::nested`.
//! - `testing` is for a filter's own tests: the module `testing`.

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
/// A filter's answer about a document.
///
/// # Examples
///
/// A filter makes a verdict from [`Edits`], from [`Splices`], or with [`rewritten_json`] and [`rewritten_text`]:
///
/// ```
/// use tamis_sdk::{Splices, Verdict, rewritten_text, testing::Bench};
///
/// let bench = Bench::of(|document, _call| {
///     let mut splices = Splices::new();
///     match document.text() {
///         "" => return Ok(rewritten_text("no output".to_owned())),
///         text if text.starts_with("ok ") => splices.replace(0, 3, ""),
///         _ => {}
///     }
///     Ok(splices.into()) // `Verdict::Unchanged` without splices
/// });
/// assert_eq!(bench.apply("").text(), "no output");
/// assert_eq!(bench.apply("ok 7").text(), "7");
/// assert!(!bench.apply("7").changed);
/// # assert!(matches!(Splices::new().into(), Verdict::Unchanged));
/// ```
///
/// # In the contract
///
pub use guest::bindings::exports::tamis::filter::filter::Verdict;
/// How important a message to the operator is.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Level, Verdict, log, testing::Bench};
///
/// let bench = Bench::of(|_document, call| {
///     let level = if call.is_error() { Level::Warn } else { Level::Debug };
///     log(level, call.tool());
///     Ok(Verdict::Unchanged)
/// });
/// assert_eq!(bench.apply("ok").log, ["debug: tool"]);
/// assert_eq!(bench.is_error(true).apply("broken").log, ["warn: tool"]);
/// ```
///
/// # In the contract
///
pub use guest::bindings::tamis::filter::log::Level;
/// The names of an original that [`keep_original`] stored.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{keep_original, rewritten_text, testing::Bench};
///
/// let bench = Bench::of(|_document, _call| {
///     let kept = keep_original("page").ok_or("no originals are stored")?;
///     let path = kept.path.as_deref().unwrap_or("no file");
///     Ok(rewritten_text(format!("{} | {} | {path}", kept.reference, kept.call)))
/// });
/// assert_eq!(
///     bench.apply("a long page").text(),
///     "abcdefghij234567 | tamis_read {\"ref\":\"abcdefghij234567\"} | /originals/page_abcdefghij234567.json"
/// );
/// ```
///
/// # In the contract
///
pub use guest::bindings::tamis::filter::original::Kept;
/// How much of a document survives: a filter's promise.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Description, Fidelity};
///
/// let description = Description::new("sort-keys", "1.0.0", "sorts the members of objects")
///     .fidelity(Fidelity::Exact); // the result is JSON of the same value
/// # assert_eq!(tamis_sdk::guest::description(description, "{}").fidelity, Fidelity::Exact);
/// ```
///
/// # In the contract
///
pub use guest::bindings::tamis::filter::types::Fidelity;
/// How a document may grow: [`Description::may_grow`] and [`Description::prepares`] set it.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Description, Growth};
///
/// let description = Description::new("name-codes", "1.0.0", "adds the names of error codes")
///     .may_grow(); // `Growth::Lasting`
/// # assert_eq!(tamis_sdk::guest::description(description, "{}").growth, Growth::Lasting);
/// ```
///
/// # In the contract
///
pub use guest::bindings::tamis::filter::types::Growth;
pub use json::{push_quoted, quote, unquote};
pub use paths::{Found, PathPositions, Paths};
pub use read_call::{read_call, thousands};
pub use template::Template;
pub use walk::{PlacedValue, Values};

/// Most levels of JSON that the host accepts.
pub const MAX_DEPTH: usize = 128;

/// A filter: its settings, and its effect on a document.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Call, Description, Document, Edits, Fidelity, Filter, NodeKind, Verdict};
///
/// #[derive(serde::Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Settings {
///     #[serde(default)]
///     zeros: bool,
/// }
///
/// struct DropNulls {
///     zeros: bool,
/// }
///
/// impl Filter for DropNulls {
///     type Settings = Settings;
///
///     const SETTINGS_SCHEMA: &str = r#"{"type":"object","properties":{
///         "zeros":{"type":"boolean","description":"Whether members that are 0 are removed, too."}
///     },"additionalProperties":false}"#;
///
///     fn describe() -> Description {
///         Description::new("drop-nulls", "1.0.0", "removes members that are null")
///             .fidelity(Fidelity::Partial)
///             .idempotent()
///     }
///
///     fn configure(settings: Settings) -> Result<Self, String> {
///         Ok(DropNulls { zeros: settings.zeros })
///     }
///
///     fn triggers(&self) -> Vec<String> {
///         let zero = self.zeros.then_some("0");
///         ["null"].into_iter().chain(zero).map(str::to_owned).collect()
///     }
///
///     fn fidelity(&self) -> Fidelity {
///         if self.zeros { Fidelity::Partial } else { Fidelity::Equivalent }
///     }
///
///     fn legend(&self) -> Option<String> {
///         self.zeros.then(|| "A count that is not shown is 0.".to_owned())
///     }
///
///     fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
///         let mut edits = Edits::new();
///         for (key, value) in document.root().into_iter().flat_map(|root| root.members()) {
///             let is_zero = || self.zeros && document.raw(value) == "0";
///             if value.kind() == NodeKind::Null || is_zero() {
///                 edits.remove(key);
///             }
///         }
///         Ok(edits.into())
///     }
/// }
///
/// tamis_sdk::export!(DropNulls);
///
/// # fn main() {
/// use tamis_sdk::testing::Bench;
///
/// let bench = Bench::<DropNulls>::new("{}");
/// assert_eq!(bench.apply(r#"{"a":null,"b":0}"#).text(), r#"{"b":0}"#);
/// assert_eq!((bench.triggers(), bench.legend()), (vec!["null".to_owned()], None));
///
/// let bench = Bench::<DropNulls>::new(r#"{"zeros":true}"#);
/// assert_eq!(bench.apply(r#"{"a":null,"b":0}"#).text(), "{}");
/// assert_eq!(bench.triggers(), ["null", "0"]);
/// assert_eq!(bench.legend().as_deref(), Some("A count that is not shown is 0."));
///
/// assert!(Bench::<DropNulls>::refusal(r#"{"zeroes":true}"#).is_some());
/// # assert_eq!(DropNulls { zeros: false }.fidelity(), Fidelity::Equivalent);
/// # assert_eq!(DropNulls { zeros: true }.fidelity(), Fidelity::Partial);
/// # }
/// ```
pub trait Filter: Sized + 'static {
    /// The settings. Add `#[serde(deny_unknown_fields)]`, so that a misspelled key is an error.
    ///
    /// [Example](Filter#examples).
    type Settings: serde::de::DeserializeOwned;

    /// A JSON Schema (draft 2020-12) of the settings, with a description for every key. It is text because the code
    /// that generates it would be half of the plugin. With the feature `testing`, `testing::assert_schema` generates
    /// it from [`Filter::Settings`], and fails if the two differ.
    ///
    /// [Example](Filter#examples).
    const SETTINGS_SCHEMA: &'static str = r#"{"type":"object"}"#;

    /// Describes this filter. Must not depend on anything.
    ///
    /// [Example](Filter#examples).
    fn describe() -> Description;

    /// Takes the settings, at load and in each fresh instance. An error is for the operator: it names the key, the
    /// value found and the allowed values.
    ///
    /// [Example](Filter#examples).
    fn configure(settings: Self::Settings) -> Result<Self, String>;

    /// Literals of which at least one occurs in the text of every document that this filter changes. The host skips the
    /// call if none occurs. Empty: the host always calls. A key or string may also be spelled with `\u` escapes, so a
    /// filter that decodes keys also names `\u`.
    ///
    /// [Example](Filter#examples).
    fn triggers(&self) -> Vec<String> {
        Vec::new()
    }

    /// Bytes of the shortest text that this filter changes. The host skips the call for a shorter one. 0: the host
    /// always calls.
    ///
    /// # Examples
    ///
    /// ```
    /// use tamis_sdk::{Call, Description, Document, Filter, Verdict, rewritten_text};
    ///
    /// struct FirstBytes;
    ///
    /// impl Filter for FirstBytes {
    ///     type Settings = serde::de::IgnoredAny;
    ///
    ///     fn describe() -> Description {
    ///         Description::new("first-bytes", "1.0.0", "leaves the first 100 bytes of ASCII")
    ///     }
    ///
    ///     fn configure(_settings: Self::Settings) -> Result<Self, String> {
    ///         Ok(FirstBytes)
    ///     }
    ///
    ///     fn least_bytes(&self) -> u32 {
    ///         101
    ///     }
    ///
    ///     fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
    ///         let first = document.text().get(..100);
    ///         Ok(first.map_or(Verdict::Unchanged, |first| rewritten_text(first.to_owned())))
    ///     }
    /// }
    ///
    /// # fn main() {
    /// use tamis_sdk::testing::Bench;
    ///
    /// let bench = Bench::<FirstBytes>::new("{}");
    /// assert_eq!(bench.least_bytes(), 101);
    /// assert_eq!(bench.apply(&"a".repeat(101)).text().len(), 100);
    /// # }
    /// ```
    fn least_bytes(&self) -> u32 {
        0
    }

    /// How much of a document survives with these settings.
    ///
    /// [Example](Filter#examples).
    fn fidelity(&self) -> Fidelity {
        Self::describe().fidelity
    }

    /// How a model reads this filter's output, in a sentence of at most 60 tokens. The host sends it once a session,
    /// with the first result that the filter changed. It does not send it if that result is JSON of the same value
    /// ([`Fidelity::Exact`]).
    ///
    /// [Example](Filter#examples).
    fn legend(&self) -> Option<String> {
        None
    }

    /// Filters one document. An error is for the operator, in one line.
    ///
    /// [Example](Filter#examples).
    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String>;
}

/// Writes a message to the operator's log. Needs [`Capability::Log`]: without that grant, the host refuses a plugin
/// that calls this.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Level, Verdict, log, testing::Bench};
///
/// let bench = Bench::of(|document, call| {
///     log(Level::Info, &format!("{}: {} bytes", call.tool(), document.len_bytes()));
///     Ok(Verdict::Unchanged)
/// });
/// assert_eq!(bench.tool("search").apply("[1,2]").log, ["info: search: 5 bytes"]);
/// ```
pub fn log(level: Level, message: &str) {
    host::log(level, message);
}

/// Number of o200k_base tokens of a text of at most 65536 bytes. A longer text ends the call as a failure. Needs
/// [`Capability::Tokens`].
///
/// # Examples
///
/// ```
/// use tamis_sdk::{rewritten_text, testing::Bench, tokens};
///
/// // Shows the first lines, of at most three tokens.
/// let bench = Bench::of(|document, _call| {
///     let mut used = 0;
///     let fits = |line: &&str| {
///         used += tokens(line);
///         used <= 3
///     };
///     let lines: Vec<&str> = document.text().lines().take_while(fits).collect();
///     Ok(rewritten_text(lines.join("\n")))
/// });
/// assert_eq!(bench.apply("hello world\nhello\nhello").text(), "hello world\nhello");
/// ```
pub fn tokens(text: &str) -> u32 {
    host::tokens(text)
}

/// Sets one member of the `_meta` of the document's result. Needs [`Capability::ResultMeta`]. `value` is JSON.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Verdict, set_result_meta, testing::Bench};
///
/// let bench = Bench::of(|document, _call| {
///     let count = document.root().map_or(0, |root| root.children());
///     set_result_meta("com.example/count", &count.to_string())?;
///     Ok(Verdict::Unchanged)
/// });
/// let applied = bench.apply(r#"["a","b"]"#);
/// assert_eq!(applied.result_meta, [("com.example/count".to_owned(), "2".to_owned())]);
/// ```
pub fn set_result_meta(key: &str, value: &str) -> Result<(), String> {
    host::set_result_meta(key, value)
}

/// Stores the document's whole result, as upstream sent it, and returns its names. `prefix`, at most 64 lower-case
/// letters, digits, `-` and `_`, begins the name of its file. None if no originals are stored. Needs
/// [`Capability::Original`].
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Verdict, keep_original, rewritten_text, testing::Bench};
///
/// let bench = Bench::of(|document, _call| {
///     let Some(kept) = keep_original("log") else {
///         return Ok(Verdict::Unchanged); // nothing stores what would be cut
///     };
///     let first = document.text().lines().next().unwrap_or_default();
///     Ok(rewritten_text(format!("{first}\n[the rest: {}]", kept.call)))
/// });
/// let applied = bench.apply("one\ntwo\nthree");
/// assert_eq!(applied.text(), "one\n[the rest: tamis_read {\"ref\":\"abcdefghij234567\"}]");
/// assert_eq!(applied.kept, ["log"]);
/// assert!(!bench.keeps(false).apply("one\ntwo\nthree").changed);
/// ```
pub fn keep_original(prefix: &str) -> Option<Kept> {
    host::keep_original(prefix)
}

/// The value that this filter set for a key with an earlier result of the session. None if it set none, and always
/// before [`Filter::apply`]. Needs [`Capability::Session`].
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Verdict, rewritten_text, session_value, set_session_value, testing::Bench};
///
/// let bench = Bench::of(|document, call| {
///     if session_value(call.tool()).as_deref() == Some(document.text()) {
///         return Ok(rewritten_text("the same as before".to_owned()));
///     }
///     set_session_value(call.tool(), document.text()).ok(); // not for a long text
///     Ok(Verdict::Unchanged)
/// })
/// .in_one_session();
/// assert_eq!(bench.apply("3 tests failed").text(), "3 tests failed");
/// assert_eq!(bench.apply("3 tests failed").text(), "the same as before");
/// assert_eq!(bench.apply("2 tests failed").text(), "2 tests failed");
/// ```
pub fn session_value(key: &str) -> Option<String> {
    host::session_value(key)
}

/// Sets a small value for later results of the session, if the host accepts this verdict. A key has at most 64 bytes, a
/// value at most 1024, and a session at most 64 keys. An empty value removes the key. Needs [`Capability::Session`].
///
/// # Examples
///
/// ```
/// use tamis_sdk::{rewritten_text, session_value, set_session_value, testing::Bench};
///
/// let bench = Bench::of(|document, _call| {
///     let earlier = session_value("results").and_then(|number| number.parse().ok());
///     let number = earlier.unwrap_or(0) + 1;
///     set_session_value("results", &number.to_string())?;
///     Ok(rewritten_text(format!("{number}: {}", document.text())))
/// })
/// .in_one_session();
/// assert_eq!(bench.apply("ok").text(), "1: ok");
/// assert_eq!(bench.apply("ok").text(), "2: ok");
///
/// let too_long = Bench::of(|_document, _call| {
///     set_session_value("value", &"x".repeat(1025))?;
///     Ok(rewritten_text("stored".to_owned()))
/// });
/// assert!(too_long.try_apply("ok").is_err());
/// ```
pub fn set_session_value(key: &str, value: &str) -> Result<(), String> {
    host::set_session_value(key, value)
}
