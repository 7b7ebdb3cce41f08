//! The filters that are part of Tamis. They are components like any other, embedded in the
//! binary by `build.rs`.

/// A filter that is part of Tamis.
pub struct BuiltIn {
    /// What steps call it by.
    pub name: &'static str,
    /// The component.
    pub wasm: &'static [u8],
    /// The JSON Schema of its settings, as it describes them itself.
    pub settings: &'static str,
}

/// All of them, by name.
pub const FILTERS: &[BuiltIn] = include!(concat!(env!("OUT_DIR"), "/built_in_table.rs"));

/// A filter that does nothing: what others are measured beside.
pub const NO_OP: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/no-op.wasm"));

/// Their names, for the policy to check steps against.
pub fn names() -> Vec<&'static str> {
    FILTERS.iter().map(|filter| filter.name).collect()
}

/// The JSON Schemas of their settings.
pub fn settings() -> Vec<(&'static str, serde_json::Value)> {
    let parsed = |filter: &BuiltIn| serde_json::from_str(filter.settings).unwrap_or_default();
    let filters = FILTERS.iter();
    filters
        .map(|filter| (filter.name, parsed(filter)))
        .collect()
}

/// The filter of a name.
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    FILTERS.iter().find(|filter| filter.name == name)
}
