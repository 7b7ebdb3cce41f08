//! The manifests of built-in filters. A new folder in `plugins/` adds a filter without other changes, a broken manifest
//! gets a clear error, and no source outside a filter's folder lists filters.

use crate::support::Folder;
use crate::support::manifests;
use crate::support::repository;
use std::fs;
use std::path::Path;
use std::process::Command;
use tamis::built_in::manifest::{self, Manifest};
use tamis::built_in::{self, ROLES, Role};

/// A new filter as a contributor writes it.
const HELLO: &str = r#"
[package]
name = "test-greeter"
description = "greets"
version.workspace = true
edition.workspace = true

[package.metadata.tamis]
roles = ["opens", "cuts"]
unless.cuts = { level = "low" }
acts-above = ["limit", "unit"]

[package.metadata.tamis.tests]
settings = { limit = 10 }

[lib]
crate-type = ["cdylib", "lib"]
"#;

fn names(manifests: &[Manifest]) -> Vec<&str> {
    manifests.iter().map(|it| it.name.as_str()).collect()
}

/// A copy of the manifests in a folder of its own.
fn copy() -> Folder {
    let copy = Folder::new();
    for entry in fs::read_dir(repository().join("plugins")).expect("the filters") {
        let folder = entry.expect("an entry").path();
        for file in ["Cargo.toml", "settings.schema.json"] {
            let name = folder.file_name().expect("a name").to_string_lossy();
            if let Ok(text) = fs::read(folder.join(file)) {
                copy.write(&format!("{name}/{file}"), text);
            }
        }
    }
    copy
}

#[test]
fn a_new_folder_is_a_new_filter_and_nothing_else_changes() {
    let plugins = copy();
    let before = manifest::read(plugins.path()).expect("manifests");
    assert_eq!(names(&before), built_in::names());

    plugins.write("test-greeter/Cargo.toml", HELLO);
    plugins.write("test-greeter/settings.schema.json", "{}");
    let mut after = manifest::read(plugins.path()).expect("manifests");
    let at = after.iter().position(|it| it.name == "test-greeter");
    let hello = after.remove(at.expect("the new filter"));
    assert_eq!(after, before);
    let row = hello.row("COMPONENT", Path::new("/in/schema.json"));
    assert_eq!(
        row.trim(),
        "BuiltIn { name: \"test-greeter\", summary: \"greets\", roles: &[Role::Opens, Role::Cuts, ], \
         unless: &[(Role::Cuts, \"level\", \"low\"), ], acts_above: &[\"limit\", \"unit\"], leaves_at_most: &[], \
         verbatim: &[], wasm: COMPONENT, settings: include_str!(\"/in/schema.json\") },"
    );

    fs::remove_dir_all(plugins.path().join("test-greeter")).expect("remove the filter");
    assert_eq!(manifest::read(plugins.path()).expect("manifests"), before);
}

#[test]
fn cargo_takes_a_new_folder_into_the_workspace() {
    let plugins = Folder::new();
    let workspace = fs::read(repository().join("plugins/Cargo.toml")).expect("a workspace");
    plugins.write("Cargo.toml", workspace);
    plugins.write("test-greeter/Cargo.toml", HELLO);
    plugins.write("test-greeter/src/lib.rs", "");
    let asked = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(plugins.path())
        .output()
        .expect("run cargo");
    assert!(
        asked.status.success(),
        "{}",
        String::from_utf8_lossy(&asked.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&asked.stdout).expect("metadata");
    assert_eq!(metadata["packages"][0]["name"], "test-greeter");
}

#[test]
fn a_broken_manifest_names_file_key_and_what_is_allowed() {
    let every_role: Vec<String> = ROLES.map(|(_, name, _)| format!("`{name}`")).into();
    let roles = every_role.join(", ");
    let unknown_role = format!("unknown variant `open`, expected one of {roles}");
    for (found, instead, expected) in [
        ("\"opens\", \"cuts\"", "\"open\"", vec![&*unknown_role]),
        (
            "\"opens\", \"cuts\"",
            "\"cuts\", \"opens\", \"cuts\"",
            vec!["`roles` names `cuts` twice"],
        ),
        (
            "roles = [\"opens\", \"cuts\"]",
            "",
            vec!["missing field `roles`"],
        ),
        (
            "roles =",
            "role =",
            vec!["unknown field `role`, expected one of `roles`, `unless`, `acts-above`"],
        ),
        (
            "settings =",
            "setting =",
            vec!["unknown field `setting`, expected one of `settings`, `small`"],
        ),
        (
            "unless.cuts",
            "unless.reads",
            vec!["`unless.reads` is about a role", "name `reads` in `roles`"],
        ),
        (
            "level = \"low\"",
            "",
            vec!["`unless.cuts` names 0 settings: allowed is one"],
        ),
        (
            "\"limit\", \"unit\"",
            "\"a\", \"b\", \"c\"",
            vec!["`acts-above` names 3 settings: allowed is one"],
        ),
        (
            "settings = { limit = 10 }",
            "calls = 0",
            vec!["`tests.calls` is 0: allowed is 1 or more"],
        ),
        (
            "description = \"greets\"",
            "",
            vec!["`package.description` is missing: the summary of the filter, one line"],
        ),
        (
            "\"greets\"",
            "\"a | b\"",
            vec![
                "`package.description` is \"a | b\"",
                "one line of text without `|`",
            ],
        ),
        (
            "name = \"test-greeter\"",
            "name = \"hallo\"",
            vec!["`package.name` is `hallo`: allowed is the name of the folder, `test-greeter`"],
        ),
        (
            "package.metadata.tamis",
            "package.metadata.tammis",
            vec!["unknown field `tammis`, expected `tamis`"],
        ),
        (
            "package.metadata.tamis",
            "profile.tamis",
            vec!["`package.metadata.tamis` is missing", "roles = []"],
        ),
    ] {
        let plugins = Folder::new();
        assert!(HELLO.contains(found), "{found}");
        let file = plugins.write("test-greeter/Cargo.toml", HELLO.replace(found, instead));
        plugins.write("test-greeter/settings.schema.json", "{}");
        let error = manifest::read(plugins.path()).expect_err(instead);
        let error = format!("{error:#}");
        for part in expected.into_iter().chain(file.to_str()) {
            assert!(error.contains(part), "no {part}\nin {error}");
        }
    }
    let plugins = Folder::new();
    plugins.write("test-greeter/Cargo.toml", HELLO);
    let error = manifest::read(plugins.path()).expect_err("no schema");
    assert!(
        error
            .to_string()
            .contains("test-greeter/settings.schema.json"),
        "{error}"
    );
}

#[test]
fn every_role_has_the_name_that_manifests_have() {
    #[derive(serde::Deserialize)]
    struct Named {
        role: Role,
    }
    for (role, name, _) in ROLES {
        let parsed: Named = toml::from_str(&format!("role = \"{name}\"")).expect(name);
        assert_eq!(parsed.role, role);
        assert_eq!(role.name(), name);
    }
}

#[test]
fn manifests_name_settings_that_their_filters_have() {
    for (name, schema) in built_in::settings() {
        let facts = &manifests::of(name).facts;
        let unless = facts.unless.values().flat_map(|settings| settings.keys());
        let sizes = facts.acts_above.iter().chain(&facts.leaves_at_most);
        for setting in unless.chain(sizes) {
            assert!(
                schema["properties"][setting].is_object(),
                "`{name}` has no setting `{setting}`"
            );
        }
    }
}

/// Most names of built-in filters in a source: more are a list to maintain by hand.
const MOST_NAMES: usize = 5;

/// Sources with more names for another reason.
const CHAINS: [&str; 1] = [
    // A chain of many filters, in order.
    "tests/relay/output_schemas.rs",
];

#[test]
fn no_list_of_filters_is_kept_by_hand() {
    let mut todo = [
        "host",
        "tests",
        "examples",
        "plugins/Cargo.toml",
        "Makefile",
    ]
    .map(|name| repository().join(name))
    .to_vec();
    let mut looked = 0;
    while let Some(path) = todo.pop() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if !matches!(&*name, "node_modules" | ".venv" | "target" | "cases") {
                let entries = fs::read_dir(&path).expect("a folder");
                todo.extend(entries.map(|entry| entry.expect("an entry").path()));
            }
            continue;
        }
        let is_source = [".rs", ".sh", ".mjs", ".py", "Makefile", "Cargo.toml"];
        let is_source = is_source.iter().any(|ending| name.ends_with(ending));
        if !is_source || CHAINS.iter().any(|chain| path.ends_with(chain)) {
            continue;
        }
        looked += 1;
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let named: Vec<&str> = built_in::names()
            .into_iter()
            .filter(|name| text.contains(&format!("\"{name}\"")))
            .collect();
        assert!(
            named.len() <= MOST_NAMES,
            "{} lists filters: {named:?}; ask `built_in` for those with a role, or a manifest",
            path.display()
        );
    }
    assert!(looked > 300, "only {looked} sources");
}
