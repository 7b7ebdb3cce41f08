//! The manifests of built-in filters: the facts in `plugins/<filter>/Cargo.toml` about the filter.
//!
//! The summary is `package.description`, which the filter's own description repeats
//! (`env!("CARGO_PKG_DESCRIPTION")`); the rest is in `[package.metadata.tamis]`. The build script shares this
//! file and makes the table of filters from it; tests read settings for their documents from it. A manifest is
//! complete or an error: a filter without roles would silently get no advice on its order.

use super::role::Role;
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The crate that other filters are compared with: it is built like a filter, and no step can name it.
pub const NO_OP: &str = "no-op";

/// The facts about a filter that are known without running it.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The name of the crate and of its folder.
    pub name: String,
    /// The purpose of the filter, in one line.
    pub summary: String,
    pub facts: Facts,
}

/// `[package.metadata.tamis]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Facts {
    pub roles: Vec<Role>,
    /// Settings with which the filter does not have a role: `unless.infers = { level = "plain" }`.
    #[serde(default)]
    pub unless: BTreeMap<Role, BTreeMap<String, String>>,
    /// The settings with the size up to which the filter leaves a document unchanged: one that holds an amount with
    /// its unit (`["above"]`), or one for the amount and one for the unit (`["limit", "unit"]`).
    #[serde(default)]
    pub acts_above: Vec<String>,
    /// The settings with the size of the largest document that the filter leaves, in the same form.
    #[serde(default)]
    pub leaves_at_most: Vec<String>,
    /// Settings in which Tamis reads no environment variable (`${NAME}`): code, and texts in which `${name}` is
    /// something else.
    #[serde(default)]
    pub verbatim: Vec<String>,
    /// Whether the filter asks for a snapshot, so that its code is compiled with readable state.
    #[serde(default)]
    pub snapshot: bool,
    #[serde(default)]
    pub tests: Tests,
}

/// The facts for tests that run every filter.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Tests {
    /// Settings with which the filter changes one of the documents of `nothing_lost`.
    pub settings: toml::Table,
    /// The settings for documents of a few lines, in place of `settings`.
    pub small: Option<toml::Table>,
    /// Calls of each tool: two for a filter that acts on earlier calls.
    pub calls: usize,
    /// Words that the form of the output stands for: a tree of files needs no key `children`.
    pub implied_words: Vec<String>,
}

impl Default for Tests {
    fn default() -> Tests {
        Tests {
            settings: toml::Table::new(),
            small: None,
            calls: 1,
            implied_words: Vec::new(),
        }
    }
}

/// The part of a Cargo.toml that this file reads; cargo checks the rest.
#[derive(Deserialize)]
struct CargoToml {
    package: Package,
    #[serde(default)]
    lib: Lib,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    description: Option<String>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Metadata {
    tamis: Option<Facts>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
struct Lib {
    #[serde(default)]
    crate_type: Vec<String>,
}

/// The manifests of all filters in a folder of crates, by name.
///
/// # Errors
///
/// A manifest is broken: the error names the file, the key, and what is allowed.
pub fn read(plugins: &Path) -> Result<Vec<Manifest>> {
    let listed = || format!("list {}", plugins.display());
    let mut manifests = Vec::new();
    for entry in std::fs::read_dir(plugins).with_context(listed)? {
        let folder = entry.with_context(listed)?.path();
        let path = folder.join("Cargo.toml");
        if !path.is_file() {
            continue;
        }
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        let folder_name = folder.file_name().unwrap_or_default().to_string_lossy();
        let manifest =
            parse(&text, &folder_name).with_context(|| format!("in {}", path.display()))?;
        let Some(manifest) = manifest else { continue };
        let schema = folder.join("settings.schema.json");
        ensure!(
            schema.is_file(),
            "{} is missing: begin with `{{}}`, and the filter's tests write it with TAMIS_BLESS=1",
            schema.display()
        );
        manifests.push(manifest);
    }
    manifests.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(manifests)
}

/// The manifest in a Cargo.toml. None: the crate is no filter.
fn parse(text: &str, folder: &str) -> Result<Option<Manifest>> {
    let CargoToml { package, lib } = toml::from_str(text)?;
    let Some(facts) = package.metadata.tamis else {
        let is_filter = lib.crate_type.iter().any(|kind| kind == "cdylib");
        ensure!(
            !is_filter || package.name == NO_OP,
            "`package.metadata.tamis` is missing: a filter says there which roles it has, such as roles = []"
        );
        return Ok(None);
    };
    ensure!(
        package.name == folder,
        "`package.name` is `{}`: allowed is the name of the folder, `{folder}`",
        package.name
    );
    let Some(summary) = package.description else {
        bail!("`package.description` is missing: the summary of the filter, one line");
    };
    ensure!(
        !summary.trim().is_empty() && !summary.contains(['\n', '|']),
        "`package.description` is {summary:?}: allowed is one line of text without `|`"
    );
    facts.check()?;
    Ok(Some(Manifest {
        name: package.name,
        summary,
        facts,
    }))
}

impl Facts {
    fn check(&self) -> Result<()> {
        for (index, role) in self.roles.iter().enumerate() {
            ensure!(
                !self.roles[..index].contains(role),
                "`roles` names `{}` twice",
                role.name()
            );
        }
        for (role, settings) in &self.unless {
            ensure!(
                self.roles.contains(role),
                "`unless.{0}` is about a role that the filter does not have: name `{0}` in `roles`",
                role.name()
            );
            ensure!(
                settings.len() == 1,
                "`unless.{}` names {} settings: allowed is one, such as {{ level = \"plain\" }}",
                role.name(),
                settings.len()
            );
        }
        for (key, settings) in [
            ("acts-above", &self.acts_above),
            ("leaves-at-most", &self.leaves_at_most),
        ] {
            ensure!(
                settings.len() <= 2,
                "`{key}` names {} settings: allowed is one for an amount with its unit, or two for amount and unit",
                settings.len()
            );
        }
        ensure!(
            self.tests.calls > 0,
            "`tests.calls` is 0: allowed is 1 or more"
        );
        Ok(())
    }
}

impl Manifest {
    /// The filter as a row of the table in `built_in/mod.rs`, in Rust. `wasm`: its component, an expression; `settings`: the
    /// path of its schema.
    pub fn row(&self, wasm: &str, settings: &Path) -> String {
        let Facts {
            roles,
            unless,
            acts_above,
            leaves_at_most,
            verbatim,
            snapshot: _,
            tests: _,
        } = &self.facts;
        let roles: String = roles
            .iter()
            .map(|role| format!("Role::{role:?}, "))
            .collect();
        let unless: String = unless
            .iter()
            .flat_map(|(role, settings)| settings.iter().map(move |setting| (role, setting)))
            .map(|(role, (setting, value))| format!("(Role::{role:?}, {setting:?}, {value:?}), "))
            .collect();
        let (name, summary) = (&self.name, &self.summary);
        format!(
            "    BuiltIn {{ name: {name:?}, summary: {summary:?}, roles: &[{roles}], unless: &[{unless}], \
             acts_above: &{acts_above:?}, leaves_at_most: &{leaves_at_most:?}, verbatim: &{verbatim:?}, \
             wasm: {wasm}, settings: include_str!({settings:?}) }},\n"
        )
    }
}
