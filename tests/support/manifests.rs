//! The manifests of built-in filters for tests, and a step with which each filter changes a document.

use std::path::Path;
use std::sync::LazyLock;
use tamis::built_in::manifest::{self, Manifest};
use tamis::built_in::{self, Role};

static MANIFESTS: LazyLock<Vec<Manifest>> = LazyLock::new(|| {
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins");
    manifest::read(&plugins).unwrap_or_else(|error| panic!("{error:#}"))
});

/// The manifest of a built-in filter.
pub fn of(name: &str) -> &'static Manifest {
    let manifest = MANIFESTS.iter().find(|manifest| manifest.name == name);
    manifest.unwrap_or_else(|| panic!("no manifest of `{name}`"))
}

/// Whether one of these filters has a role.
pub fn has_role(names: &[&str], role: Role) -> bool {
    names
        .iter()
        .any(|name| of(name).facts.roles.contains(&role))
}

/// The settings of a filter for documents of a few lines, as JSON.
pub fn small_settings(name: &str) -> String {
    let tests = &of(name).facts.tests;
    let settings = tests.small.as_ref().unwrap_or(&tests.settings);
    serde_json::to_string(settings).expect("settings are JSON")
}

/// A step of a chain, in TOML, with the step that it prepares for.
pub fn step(name: &str) -> String {
    let settings: String = of(name)
        .facts
        .tests
        .settings
        .iter()
        .map(|(key, value)| format!(", {key} = {value}"))
        .collect();
    // The tests are not about time limits, and machines may be busy.
    let limits = "limits = { time = \"10s\" }";
    let step = format!("{{ filter = \"{name}\", {limits}{settings} }}");
    if !has_role(&[name], Role::Parses) {
        return step;
    }
    // A later step makes the output of these smaller.
    let mut tables = built_in::with_role(Role::Tabulates);
    let tables = tables.next().expect("a filter that makes tables").name;
    format!("{step}, {{ filter = \"{tables}\", {limits} }}")
}
