//! A bench for a filter's own tests, which run natively, without WebAssembly. Needs the feature `testing`.
//!
//! ```
//! # use tamis_sdk::{Call, Description, Document, Filter, Paths, Verdict, rewritten_json};
//! # struct KeepPath(Paths);
//! # #[derive(serde::Deserialize)]
//! # struct Settings { keep: String }
//! # impl Filter for KeepPath {
//! #     type Settings = Settings;
//! #     fn describe() -> Description {
//! #         Description::new("keep-path", "1.0.0", "shows the value of one path")
//! #     }
//! #     fn configure(settings: Settings) -> Result<Self, String> {
//! #         Paths::parse([settings.keep]).map(KeepPath)
//! #     }
//! #     fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
//! #         let found = document.root().and_then(|root| self.0.find_one(document, root));
//! #         Ok(found.map_or(Verdict::Unchanged, |found| {
//! #             rewritten_json(document.raw(found.value).into_owned())
//! #         }))
//! #     }
//! # }
//! use serde_json::json;
//! use tamis_sdk::testing::Bench;
//!
//! let bench = Bench::<KeepPath>::new(json!({"keep": "data.items"})).tool("search");
//! let applied = bench.apply(r#"{"data":{"items":[1,2]},"noise":3}"#);
//! assert_eq!(applied.text(), "[1,2]");
//! assert!(!bench.apply("no JSON").changed);
//!
//! let refusal = Bench::<KeepPath>::refusal(json!({"keep": "data..items"}));
//! assert!(refusal.expect("an error").contains("data..items"));
//! ```

mod bench;
pub(crate) mod host;
mod recorded;

use crate::Filter;
use schemars::JsonSchema;

pub use bench::{Applied, Bench, Function};
pub use recorded::{Saving, recorded, recorded_in};

/// Checks that the file at `path`, a filter's [`SETTINGS_SCHEMA`](Filter::SETTINGS_SCHEMA), matches its settings type.
/// With `TAMIS_BLESS=1` in the environment, it writes the file again.
///
/// # Panics
///
/// If they differ, or the file cannot be written.
///
/// # Examples
///
/// ```
/// use schemars::JsonSchema;
/// use tamis_sdk::{Call, Description, Document, Filter, Verdict, testing::assert_schema};
///
/// #[derive(serde::Deserialize, JsonSchema)]
/// struct Settings {
///     /// Most bytes of a string.
///     most_bytes: u32,
/// }
///
/// struct Shorten;
///
/// impl Filter for Shorten {
///     type Settings = Settings;
///     // In a file of its own: include_str!("../settings.schema.json")
///     const SETTINGS_SCHEMA: &str = r#"{
///         "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Settings", "type": "object",
///         "properties": {"most_bytes": {"description": "Most bytes of a string.",
///             "type": "integer", "format": "uint32", "minimum": 0}},
///         "required": ["most_bytes"]
///     }"#;
/// #    fn describe() -> Description {
/// #        Description::new("shorten", "1.0.0", "shortens strings")
/// #    }
/// #    fn configure(_settings: Settings) -> Result<Self, String> {
/// #        Ok(Shorten)
/// #    }
/// #    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
/// #        Ok(Verdict::Unchanged)
/// #    }
///     // describe, configure, apply
/// }
///
/// # if std::env::var_os("TAMIS_BLESS").is_some() {
/// #     return; // nothing is written for an example
/// # }
/// assert_schema::<Shorten>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
/// # struct Other;
/// # impl Filter for Other {
/// #    type Settings = Settings;
/// #    fn describe() -> Description {
/// #        Description::new("other", "1.0.0", "has another schema")
/// #    }
/// #    fn configure(_settings: Settings) -> Result<Self, String> {
/// #        Ok(Other)
/// #    }
/// #    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
/// #        Ok(Verdict::Unchanged)
/// #    }
/// # }
/// # assert!(std::panic::catch_unwind(|| assert_schema::<Other>("other.json")).is_err());
/// ```
pub fn assert_schema<F>(path: &str)
where
    F: Filter,
    F::Settings: JsonSchema,
{
    let schema = schemars::schema_for!(F::Settings);
    let expected = format!("{:#}\n", schema.as_value());
    if std::env::var_os("TAMIS_BLESS").is_some() {
        std::fs::write(path, expected).unwrap_or_else(|error| panic!("write {path}: {error}"));
    } else {
        // The order of keys depends on the other dependencies of the project.
        let said: serde_json::Value =
            serde_json::from_str(F::SETTINGS_SCHEMA).expect("the schema is JSON");
        assert_eq!(
            &said,
            schema.as_value(),
            "{path} is not the schema of the settings: run the test with TAMIS_BLESS=1, and read what it writes"
        );
    }
}
