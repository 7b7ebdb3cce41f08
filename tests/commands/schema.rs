//! The published JSON Schema of filters.toml: it equals the program's output, accepts every policy of this repository,
//! and refuses broken ones as far as a schema can. `TAMIS_BLESS=1` writes `docs/filters.schema.json` again.

use crate::support::repository;
use jsonschema::Validator;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use tamis::built_in;
use tamis::policy::{Policy, Source, TABLES};

fn schema() -> Value {
    tamis::policy::schema(&built_in::settings())
}

fn validator() -> Validator {
    jsonschema::validator_for(&schema()).expect("a schema")
}

/// A policy as JSON, as an editor's language server sees it; none if it is not TOML.
fn json(toml: &str) -> Option<Value> {
    let table: toml::Table = toml::from_str(toml.trim_start_matches('\u{feff}')).ok()?;
    serde_json::to_value(table).ok()
}

fn complaints(validator: &Validator, toml: &str) -> Vec<String> {
    let value = json(toml).unwrap_or_else(|| panic!("not TOML:\n{toml}"));
    let errors = validator.iter_errors(&value);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

fn folders(folder: &str) -> Vec<PathBuf> {
    let folder = repository().join(folder);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a folder").path().join("filters.toml"))
        .filter(|path| path.exists())
        .collect();
    files.sort();
    files
}

#[test]
fn the_published_schema_is_what_the_program_prints() {
    let output = Command::new(env!("CARGO_BIN_EXE_tamis"))
        .arg("schema")
        .output()
        .expect("run tamis");
    assert!(output.status.success(), "{output:?}");
    let path = repository().join("docs/filters.schema.json");
    if std::env::var_os("TAMIS_BLESS").is_some() {
        std::fs::write(&path, &output.stdout).expect("write the schema");
    }
    let published = std::fs::read(&path).unwrap_or_default();
    assert!(
        published == output.stdout,
        "run the test with TAMIS_BLESS=1"
    );
}

#[test]
fn it_is_a_schema_of_the_draft_that_it_names() {
    let schema = schema();
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    assert!(jsonschema::meta::is_valid(&schema));
}

#[test]
fn every_policy_that_is_one_fits() {
    let mut files = folders("examples");
    files.extend(folders("tests/cases/apply"));
    files.push(repository().join("host/src/cli/default.toml"));
    let mut policies: Vec<(String, String)> = files
        .iter()
        .map(|path| {
            (
                path.display().to_string(),
                std::fs::read_to_string(path).expect("a policy"),
            )
        })
        .collect();
    let mut pages = vec![
        "README.md".to_owned(),
        "docs/filters-toml.md".to_owned(),
        "docs/first-steps.md".to_owned(),
        "docs/guide.md".to_owned(),
        "docs/testing.md".to_owned(),
    ];
    pages.extend(
        built_in::names()
            .iter()
            .map(|name| format!("plugins/{name}/README.md")),
    );
    for page in pages {
        let text = std::fs::read_to_string(repository().join(&page)).expect("a page");
        for block in text.split("```toml\n").skip(1) {
            let block = block.split("```").next().unwrap_or_default();
            // A page may show only a step, or indent its example.
            let is_file = block.lines().any(|line| line.trim_start().starts_with('['));
            let is_file = is_file && !block.trim_start().starts_with("[tamis]");
            let policy = match is_file {
                true => block.to_owned(),
                false => format!("[[chain]]\ntools = [\"*\"]\nsteps = [\n{block}]\n"),
            };
            policies.push((page.clone(), policy));
        }
    }
    let validator = validator();
    let mut failures = String::new();
    let mut looked = 0;
    for (name, policy) in policies {
        let source = Source::new("filters.toml", policy.as_bytes()).expect("text");
        if Policy::parse(source, &built_in::names()).is_err() {
            continue;
        }
        looked += 1;
        let complaints = complaints(&validator, &policy);
        if !complaints.is_empty() {
            failures += &format!("\n== {name}\n{complaints:#?}\nin\n{policy}");
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(looked >= 60, "only {looked} policies");
}

/// Errors that a schema cannot find: duplicate names, files and their included files, bounds of times and sizes,
/// effects of chains on each other, and so on.
const BEYOND_A_SCHEMA: [&str; 19] = [
    "bad-chain-names",
    "bad-patterns",
    "chain-choices-unknown",
    "duplicate-chain-name",
    "duplicate-default-chain-name",
    "duplicate-plugin",
    "included-mistakes",
    "included-settings",
    "limits-out-of-range",
    "limits-too-large-for-64-bits",
    "path-with-escapes",
    "plugin-named-like-built-in",
    "settings-nested-too-deep",
    "settings-not-json",
    "structured-with-block",
    "unknown-filter",
    "test-says-too-little",
    "test-says-too-much",
    "test-unknown-chain",
];

#[test]
fn broken_policies_do_not_fit() {
    let validator = validator();
    let mut refused = 0;
    let mut taken = Vec::new();
    for path in folders("tests/cases/policy-errors")
        .into_iter()
        .chain(folders("tests/cases/check"))
    {
        let case = path.parent().expect("a folder");
        let name = case
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        let expected = std::fs::read_to_string(case.join("expected.txt")).expect("expected.txt");
        let Some(value) = json(&text) else { continue };
        // Kinds of mistakes that a schema must find.
        let kinds = [
            "error[unknown-key]",
            "error[missing-key]",
            "error[wrong-type]",
            "error[unknown-value]",
            "error[empty]",
            "error[settings-unknown-key]",
            "error[settings-missing-key]",
            "error[settings-wrong-type]",
            "error[settings-unknown-value]",
            "error[settings-out-of-range]",
        ];
        let is_known = kinds.iter().any(|kind| expected.contains(kind));
        if !is_known || BEYOND_A_SCHEMA.contains(&name.as_str()) {
            continue;
        }
        if validator.is_valid(&value) {
            taken.push(name);
        } else {
            refused += 1;
        }
    }
    assert!(taken.is_empty(), "these fit: {taken:?}");
    assert!(refused >= 25, "only {refused} were refused");
}

#[test]
fn settings_of_plugins_are_left_to_them() {
    let validator = validator();
    let step = |step: &str| format!("[[chain]]\ntools = [\"a\"]\nsteps = [{step}]\n");
    let fits = |toml: &str| complaints(&validator, toml).is_empty();
    assert!(fits(&step(
        "{ filter = \"own\", level = 3, anything = { at = \"all\" } }"
    )));
    assert!(fits(&step(
        "\"own\", { filter = \"truncate\", limit = 5, shadow = true }"
    )));
    assert!(!fits(&step("{ filter = \"truncate\", level = 3 }")));
    assert!(!fits(&step("{ level = 3 }")));
    assert!(!fits(&step("\"not a name\"")));
    assert!(
        !fits("[[chain]]\nsteps = [\"ansi\"]\n"),
        "tools are missing"
    );
    assert!(fits(
        "[[chain]]\non = [\"instructions\"]\nsteps = [\"ansi\"]\n"
    ));
}

#[test]
fn every_key_and_every_setting_has_a_description() {
    let schema = schema();
    let described = |value: &Value| {
        value["description"]
            .as_str()
            .is_some_and(|text| text.len() > 3)
    };
    let properties = schema["properties"].as_object().expect("properties");
    for table in TABLES
        .iter()
        .filter(|table| !matches!(table.name, "file" | "step"))
    {
        let value = match table.name.split_once('.') {
            Some((outer, inner)) => &properties[outer]["items"]["properties"][inner],
            None => &properties[table.name],
        };
        let inner = [&value["items"], &value["additionalProperties"], value];
        let inner = inner
            .into_iter()
            .find(|it| it["properties"].is_object())
            .expect("a table");
        for (key, value) in inner["properties"].as_object().expect("keys") {
            assert!(described(value), "`{key}` of `{}`: {value}", table.name);
        }
    }
    for name in built_in::names() {
        let filter = &schema["definitions"][format!("filter-{name}")];
        for (key, value) in filter["properties"].as_object().expect("settings") {
            let is_own = matches!(key.as_str(), "filter" | "limits" | "on-error" | "shadow");
            assert!(is_own || described(value), "`{key}` of `{name}`: {value}");
        }
    }
}
