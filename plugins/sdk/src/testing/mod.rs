//! A bench for a filter's own tests, which run natively, without WebAssembly. Needs the feature `testing`.
//!
//! ```ignore
//! let mut bench = Bench::<MyFilter>::new(json!({"keep": ["id"]})).tool("search");
//! assert_eq!(bench.apply(r#"{"id":1,"noise":2}"#).text(), r#"{"id":1}"#);
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
