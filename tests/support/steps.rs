//! Built-in filters as steps with which each of them does something on the tests' documents.

use tamis::built_in;

/// Settings of the filters that do nothing without.
pub const SETTINGS: &[(&str, &str)] = &[
    (
        "cap",
        r#"caps = [
            { path = "data.rows", first = 3 },
            { path = "rows", last = 5 },
            { path = "rows.*.note", bytes = 200 },
        ]"#,
    ),
    (
        "jq",
        r#"program = "del(.. | .note?, .tags?) | walk(if type == \"array\" then .[:5] else . end)""#,
    ),
    ("reshape", r#"drop = ["data.cursor", "**.tags", "hint"]"#),
];

/// A step of a chain, in TOML, with the one that it prepares for.
pub fn step(name: &str) -> String {
    let settings = SETTINGS.iter().find(|(filter, _)| *filter == name);
    let settings = settings.map_or(String::new(), |(_, settings)| format!(", {settings}"));
    // Time limits are not what the tests are about, and machines are busy.
    let limits = "limits = { time = \"10s\" }";
    let step = format!("{{ filter = \"{name}\", {limits}{settings} }}");
    // What these make is for a later step to make smaller.
    if matches!(name, "repr" | "yaml") {
        return format!("{step}, {{ filter = \"row-encoder\", {limits} }}");
    }
    step
}

#[test]
fn settings_are_of_filters_that_there_are() {
    for (name, _) in SETTINGS {
        assert!(
            built_in::find(name).is_some(),
            "there is no filter `{name}`"
        );
    }
}
