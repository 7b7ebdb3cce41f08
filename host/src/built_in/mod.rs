//! The filters that are part of Tamis. They are components like any other, embedded in the
//! binary by `build.rs`, which makes the table of them from their manifests.

pub mod manifest;
mod packed;
pub mod role;

pub(crate) use packed::Like;
pub use packed::Packed;
pub use role::{ROLES, Role, STAGES, Stage};

/// A filter that is part of Tamis.
pub struct BuiltIn {
    /// The name in steps.
    pub name: &'static str,
    /// The purpose of the filter, in one line.
    pub summary: &'static str,
    pub roles: &'static [Role],
    /// Roles that the filter does not have where a setting has a value: role, setting, value.
    pub unless: &'static [(Role, &'static str, &'static str)],
    /// The settings with the size up to which it leaves a document unchanged: an amount with its unit, or an
    /// amount and a unit. Empty: no such size is known.
    pub acts_above: &'static [&'static str],
    /// The settings with the size of the largest document that it leaves, in the same form.
    pub leaves_at_most: &'static [&'static str],
    /// Settings that it gets as written: code, and texts in which `${name}` is no environment variable.
    pub verbatim: &'static [&'static str],
    /// The component.
    pub wasm: Packed,
    /// The JSON Schema of its settings, as it describes them itself.
    pub settings: &'static str,
}

/// The component that others are compressed with.
static LIKE_OTHERS: Packed = include!(concat!(env!("OUT_DIR"), "/like_others.rs"));

/// The component that those are compressed with which recognise data, as it does.
static LIKE_FORMATS: Packed = include!(concat!(env!("OUT_DIR"), "/like_formats.rs"));

/// All of them, by name.
pub static FILTERS: &[BuiltIn] = include!(concat!(env!("OUT_DIR"), "/built_in_table.rs"));

/// A filter that does nothing, to compare others with.
pub static NO_OP: Packed = include!(concat!(env!("OUT_DIR"), "/no-op.rs"));

impl BuiltIn {
    /// Whether it has a role, with some settings at least.
    pub fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }
}

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

/// The filters with a role, by name.
pub fn with_role(role: Role) -> impl Iterator<Item = &'static BuiltIn> {
    FILTERS.iter().filter(move |filter| filter.has(role))
}
