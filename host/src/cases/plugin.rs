//! Cases of one plugin. A policy with a single step is made for them, so that a folder needs no filters.toml.

use super::folder::{TestFolder, own_policy, places, read};
use super::{Case, Suite};
use crate::built_in;
use crate::dry_run::MOST_BYTES;
use crate::file;
use crate::policy::{Capability, Finding, Policy, Report, Settings, Source};
use crate::sandbox::Sandbox;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The plugin whose cases they are.
pub struct Tested<'a> {
    /// The plugin's own name.
    pub name: &'a str,
    /// Its file; none: a filter that is part of Tamis.
    pub file: Option<PathBuf>,
    /// The imported capabilities.
    pub imports: &'a [Capability],
    /// Its settings where a case has no `settings.json`.
    pub settings: Settings,
}

/// The cases of a plugin in a folder: in it, and in every folder below. Each has its settings in
/// `settings.json`; one with a filters.toml of its own is a test of that. Each broken case is an error by
/// itself.
pub fn of_plugin(
    folder: &Path,
    plugin: &Tested<'_>,
    sandbox: &Sandbox,
) -> (Vec<Suite>, Vec<anyhow::Error>) {
    let (places, mut errors) = places(folder);
    let mut suites: Vec<(Option<Settings>, Suite)> = Vec::new();
    for place in places {
        if let Err(error) = take(&place, plugin, sandbox, &mut suites) {
            errors.push(error);
        }
    }
    (suites.into_iter().map(|(_, suite)| suite).collect(), errors)
}

/// Whether a folder, or one below, has a case.
pub fn has_cases(folder: &Path) -> bool {
    !places(folder).0.is_empty()
}

fn take(
    place: &TestFolder,
    plugin: &Tested<'_>,
    sandbox: &Sandbox,
    suites: &mut Vec<(Option<Settings>, Suite)>,
) -> Result<()> {
    if let Some(suite) = own_policy(place, sandbox)? {
        suites.push((None, suite));
        return Ok(());
    }
    let file = place.folder.join("settings.json");
    let settings = match file.exists() {
        true => settings(&file)?,
        false => plugin.settings.clone(),
    };
    let known = suites
        .iter()
        .position(|(of, _)| of.as_ref() == Some(&settings));
    let index = match known {
        Some(index) => index,
        None => {
            let policy = policy(plugin, &settings, place)?;
            let suite = Suite::new(policy, sandbox)?.of_one_filter();
            suites.push((Some(settings), suite));
            suites.len() - 1
        }
    };
    let suite = &mut suites[index].1;
    let case: Case = read(place, suite.policy())?;
    suite.cases.push(case);
    Ok(())
}

fn settings(path: &Path) -> Result<Settings> {
    let text =
        file::read_text(path, MOST_BYTES).with_context(|| format!("read {}", path.display()))?;
    match serde_json::from_str(&text) {
        Ok(Value::Object(settings)) => Ok(settings),
        found => {
            let source = Source::new(path, &text)?;
            let why = found.err().map_or(String::new(), |error| error.to_string());
            let finding = Finding::error(None, "the settings of a filter are a JSON object", why);
            let finding = finding.help("for example: {\"max-lines\": 3}");
            Err(Report::new(source, vec![finding]).into())
        }
    }
}

/// A policy of one chain, with one step.
fn policy(plugin: &Tested<'_>, settings: &Settings, place: &TestFolder) -> Result<Policy> {
    let context = || format!("a step of {} for {}", plugin.name, place.folder.display());
    let mut step = settings.clone();
    step.insert("filter".to_owned(), plugin.name.into());
    let mut table = json!({"chain": [{"tools": ["*"], "steps": [step]}]});
    if let Some(file) = &plugin.file {
        let allow: Vec<&str> = plugin
            .imports
            .iter()
            .map(|capability| capability.name())
            .collect();
        table["plugin"] = json!([{"name": plugin.name, "path": file, "allow": allow}]);
    }
    let text = toml::to_string(&table).with_context(context)?;
    // Its own file is preferred to a built-in filter of the same name.
    let built_in = match plugin.file {
        Some(_) => Vec::new(),
        None => built_in::names(),
    };
    let source = Source::new(place.folder.join("(made of settings.json)"), &text)?;
    Ok(Policy::parse(source, &built_in)?)
}
